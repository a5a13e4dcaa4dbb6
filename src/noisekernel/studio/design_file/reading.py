"""A design file that somebody sent: unpacked within bounds, and refused with a sentence if anything is wrong."""

import io
import json
import zipfile
from collections.abc import Mapping

from pydantic import ValidationError
from safetensors import SafetensorError
from safetensors.torch import load
from torch import Tensor

from noisekernel.core.errors import InputError, NoiseKernelError
from noisekernel.studio.design_file.record import DATA, FORMAT, MOST_BYTES, RECORD, SUFFIX, DesignFile, DesignRecord
from noisekernel.studio.rounds.record import damaged


def read_design(content: bytes) -> DesignFile:
    """A design file, or a sentence on what is wrong with it."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            parts = {name: _unpacked(file, name) for name in (RECORD, DATA)}
        told = json.loads(parts[RECORD])
        if told["format"] != FORMAT:
            raise InputError(f"the design file has format {told['format']!r:.20}; this version reads format {FORMAT}")
        record = DesignRecord.model_validate(told)
        z = load(parts[DATA])
    except ValidationError as error:
        first = error.errors()[0]
        raise damaged(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except SafetensorError:
        raise damaged("its data cannot be read") from None
    except NoiseKernelError:
        raise
    except Exception:  # zip files that are hostile raise anything at all
        raise InputError(f"this is not a design file ({SUFFIX}), or it is damaged") from None
    if not _fits_together(record, z):
        raise damaged("its rounds, nodes and data do not fit together")
    _check_bounds(record)
    return DesignFile(record, z)


def _unpacked(file: zipfile.ZipFile, name: str) -> bytes:
    most = MOST_BYTES[name]
    if file.getinfo(name).file_size > most:
        raise InputError(f"the design file is too large: {name} has more than {most:,} bytes")
    with file.open(name) as part:
        content = part.read(most + 1)
    if len(content) > most:
        raise InputError(f"the design file is too large: {name} has more than {most:,} bytes")
    return content


def _fits_together(record: DesignRecord, z: Mapping[str, Tensor]) -> bool:
    """Whether all that is named is there, and came before."""
    by_round = record.by_round()
    nodes, rounds = [node.id for node in record.nodes], [one.id for one in record.rounds]
    sound = len({*nodes, *rounds}) == len(nodes) + len(rounds) and set(z) == set(nodes)
    sound &= set(by_round) <= {None, *rounds} and (record.present is None or record.present in nodes)
    sound &= all(node.parent is None for node in by_round.get(None, []))
    known = {node.id for node in by_round.get(None, [])}
    for one in record.rounds:
        task = one.of()
        sound &= {*one.parents, *task.named(one.settings)} <= known
        sound &= bool(one.parents) == task.from_nodes
        for node in by_round.get(one.id, []):
            sound &= node.parent in one.parents if one.parents else node.parent is None
            sound &= task.live or node.place < one.n
            known.add(node.id)
        if not sound:
            break
    return sound


def _check_bounds(record: DesignRecord) -> None:
    """That no round or node is beyond what a studio makes. Its data are checked by whoever knows the model."""
    by_round = record.by_round()
    for one in record.rounds:
        one.checked()
        for node in by_round.get(one.id, []):
            one.of().own(node.settings)
