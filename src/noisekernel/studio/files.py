"""The design file: a whole design as one zip, to keep, to send, to replay.

    design.json        the design, its rounds and nodes in the order they came about, and a digest of every picture
    z.safetensors      the clean data of every node, by its id

`nk replay` takes only the origins from it and computes the rest again; reading a file into a studio takes all, after
checking each against its digest. A file is read with suspicion: sizes are known before anything is unpacked, names are
never used as paths, and nothing in it can execute.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import torch
from pydantic import Field, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

from noisekernel import __version__
from noisekernel.core.errors import InputError, NoiseKernelError
from noisekernel.files.digest import digest
from noisekernel.models.model import Model
from noisekernel.studio import rounds
from noisekernel.studio.ids import new_id
from noisekernel.studio.rounds import walk
from noisekernel.studio.rounds.rounds import Id, Name, Strict
from noisekernel.studio.store import Row, Store

FORMAT = 3
SUFFIX = ".nkd"
RECORD, DATA = "design.json", "z.safetensors"
#: Of the whole, and of its parts when they are unpacked.
MOST_FILE_BYTES = 64_000_000
MOST_BYTES = {RECORD: 20_000_000, DATA: 200_000_000}

#: Clean data lies in [-1, 1], or a little beyond where a denoiser overshoots.
LARGEST_VALUE = 10.0
#: Of a walk, up to a frame of it that was kept: days of walking.
MOST_WALKED = 10 * walk.MOST_STEPS

Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Text = Annotated[str, Field(max_length=200)]


class Made(Strict):
    """What the bits of a round depend on beside its settings."""

    noisekernel: Text
    torch: Text
    threads: Annotated[int, Field(ge=1, le=1024)]
    #: Rounds from before streams had versions say nothing.
    streams: int | None = None
    model: Text
    weights: Digest


class RoundRecord(Strict):
    id: Id
    task: Annotated[str, Field(pattern="^(sample|vary|inpaint|steer|walk)$")]
    settings: dict[str, Any]
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)]
    parents: Annotated[list[Id], Field(max_length=rounds.MOST_CANDIDATES)]
    n: Annotated[int, Field(ge=1, le=rounds.MOST_CANDIDATES)]
    made: Made


class NodeRecord(Strict):
    id: Id
    parent: Id | None
    round: Id | None
    place: Annotated[int, Field(ge=0, le=2**31)]
    settings: dict[str, Any]
    digest: Digest
    kept: bool
    starred: bool
    opinion: Annotated[int, Field(ge=-1, le=1)]
    name: Name
    deleted: bool


class Segment(Strict):
    """A stretch of a walk."""

    pace: Annotated[float, Field(ge=0.0, le=1.0)]
    steps: Annotated[int, Field(ge=0, le=walk.MOST_STEPS)]


class DesignRecord(Strict):
    format: int
    noisekernel: Text
    name: Name
    model: Text
    present: Id | None
    rounds: Annotated[list[RoundRecord], Field(max_length=100_000)]
    nodes: Annotated[list[NodeRecord], Field(max_length=1_000_000)]


@dataclass(frozen=True)
class DesignFile:
    """A design file, read and found consistent; not yet replayed."""

    record: DesignRecord
    z: Mapping[str, Tensor]


def write_design(store: Store, design: Row) -> bytes:
    """A design as a file: what is kept, and what that depends on."""
    everything = {node["id"]: node for node in store.nodes_of(design["id"], everything=True)}
    records = {record["id"]: record for record in store.rounds(design["id"])}
    wanted = [id for id, node in everything.items() if node["kept"] and node["deleted"] is None]
    needed: set[str] = set()
    while wanted:
        node = everything[wanted.pop()]
        if node["id"] in needed:
            continue
        needed.add(node["id"])
        record = records.get(node["round"] or "")
        if record is not None:
            wanted += [*record["parents"], *record["settings"].get("opinions", {})]
    nodes = [node for id, node in everything.items() if id in needed]
    used = {node["round"] for node in nodes}
    record = {
        "format": FORMAT,
        "noisekernel": __version__,
        "name": design["name"],
        "model": design["model"],
        "present": design["present"] if design["present"] in needed else None,
        "rounds": [
            {key: record[key] for key in RoundRecord.model_fields} for id, record in records.items() if id in used
        ],
        "nodes": [
            {
                **{key: node[key] for key in NodeRecord.model_fields},
                "settings": node["own"],
                "deleted": node["deleted"] is not None,
            }
            for node in nodes
        ],
    }
    z = dict(zip([node["id"] for node in nodes], store.clean(nodes), strict=True)) if nodes else {}
    parts = {
        RECORD: json.dumps(record, indent=1, ensure_ascii=False).encode(),
        DATA: save_tensors({id: each.contiguous() for id, each in z.items()}),
    }
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in parts.items():
            file.writestr(name, part)
    if content.tell() > MOST_FILE_BYTES or any(len(part) > MOST_BYTES[name] for name, part in parts.items()):
        raise InputError(
            f"this design has {len(nodes):,} pictures, too many for a file that can be read again: it would have "
            f"{content.tell() / 1e6:,.0f} MB ({len(parts[DATA]) / 1e6:,.0f} MB unpacked), and the most is "
            f"{MOST_FILE_BYTES / 1e6:,.0f} MB ({MOST_BYTES[DATA] / 1e6:,.0f} MB); delete some that are not needed"
        )
    return content.getvalue()


def read_design(content: bytes) -> DesignFile:
    """A design file, or a sentence on what is wrong with it."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            parts = {name: _unpacked(file, name) for name in (RECORD, DATA)}
        record = DesignRecord.model_validate(json.loads(parts[RECORD]))
        z = load_tensors(parts[DATA])
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"the design file is damaged: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except SafetensorError:
        raise InputError("the design file is damaged: its pictures cannot be read") from None
    except NoiseKernelError:
        raise
    except Exception:  # zip files that are hostile raise anything at all
        raise InputError(f"this is not a design file ({SUFFIX}), or it is damaged") from None
    if record.format != FORMAT:
        raise InputError(f"the design file has format {record.format}; this version reads format {FORMAT}")
    _check(record, z)
    _check_bounds(record, z)
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


def _check(record: DesignRecord, z: Mapping[str, Tensor]) -> None:
    """Whatever is named is there, and came before."""
    known: set[str] = set()
    by_round: dict[str | None, list[NodeRecord]] = {}
    for node in record.nodes:
        by_round.setdefault(node.round, []).append(node)
    ids = [node.id for node in record.nodes]
    numbers = [one.id for one in record.rounds]
    sound = len(set(ids)) == len(ids) and len(set(numbers)) == len(numbers) and set(z) == set(ids)
    sound &= set(by_round) <= {None, *numbers} and (record.present is None or record.present in ids)
    sound &= all(node.parent is None for node in by_round.get(None, []))
    known |= {node.id for node in by_round.get(None, [])}
    for one in record.rounds:
        opinions = one.settings.get("opinions", {})
        sound &= isinstance(opinions, dict) and {*one.parents, *opinions} <= known
        sound &= bool(one.parents) != (one.task == "sample")
        for node in by_round.get(one.id, []):
            sound &= node.parent in one.parents if one.parents else node.parent is None
            sound &= one.task == "walk" or node.place < one.n
            known.add(node.id)
        if not sound:
            break
    if not sound:
        raise InputError("the design file is damaged: its rounds, nodes and pictures do not fit together")


def _check_bounds(record: DesignRecord, z: Mapping[str, Tensor]) -> None:
    """No picture, round or walk is beyond what a studio makes."""
    for id, each in z.items():
        if each.is_floating_point() and not bool((each.abs() <= LARGEST_VALUE).all()):  # NaN is not
            raise InputError(
                f"the design file is damaged: the picture of node {id} has values up to {float(each.abs().max()):.3g}; "
                f"those of pictures lie between -1 and 1, and {LARGEST_VALUE:g} is the most that is taken"
            )
    walked = {one.id for one in record.rounds if one.task == "walk"}
    for one in record.rounds:
        check_round(one)
    for node in record.nodes:
        if node.round in walked:
            segments_of(node)


def check_round(one: RoundRecord) -> dict[str, Any]:
    """The settings of a round, held to what a request may say."""
    settings = dict(one.settings)
    opinions = settings.pop("opinions", None)
    kinds = {"sample": rounds.Sample, "vary": rounds.Vary, "inpaint": rounds.Inpaint, "steer": rounds.Steer}
    kind: Any = kinds.get(one.task, rounds.Walk)
    given = {"task": one.task, **settings, "seed": one.seed}
    given |= {"n": one.n} if one.task != "walk" else {}
    given |= {"parents": one.parents} if one.parents else {}
    try:
        checked = rounds.settings_of(kind.model_validate(given))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(f"the design file is damaged: a round of {one.task}: {place}: {first['msg']}") from None
    ways = [("beta", "lag", "steps", "readout")] + [("below", "steps")] * (one.task == "vary")
    if "beta" in checked and not any(all(checked[name] is not None for name in way) for way in ways):
        raise InputError(f"the design file is damaged: a round of {one.task} without its noise level or steps")
    if one.task == "steer":
        if not isinstance(opinions, dict) or not opinions or any(value not in (1, -1) for value in opinions.values()):
            raise InputError("the design file is damaged: a round towards taste without its opinions")
        checked["opinions"] = opinions
    return checked


def segments_of(node: NodeRecord) -> list[dict[str, Any]]:
    """Where a frame of a walk lies."""
    try:
        segments = [Segment.model_validate(each).model_dump() for each in node.settings["segments"]]
    except (TypeError, KeyError, ValidationError):
        segments = []
    if not segments:
        raise InputError("the design file is damaged: a frame of a walk without its segments")
    if (steps := sum(segment["steps"] for segment in segments)) > MOST_WALKED:
        raise InputError(
            f"the design file is damaged: a frame of a walk after {steps:,} steps; at most {MOST_WALKED:,} are taken"
        )
    return segments


def take_in(store: Store, file: DesignFile, model: Model, name: str, weights: str | None = None) -> Row:
    """A design file as a new design: every picture as it is in the file, if its digest agrees."""
    record = file.record
    for node in record.nodes:
        z = file.z[node.id]
        if digest(z) != node.digest:
            raise InputError(f"the design file is damaged: node {node.id} is not the picture that its digest names")
        model.check_batch(z[None], f"node {node.id}")
        if z.dtype != (torch.float32 if z.is_floating_point() else torch.int64):
            raise InputError(f"the design file is damaged: node {node.id} holds numbers of type {z.dtype}")
    walked = {one.id for one in record.rounds if one.task == "walk"}
    settings = {one.id: check_round(one) for one in record.rounds}
    new = {id: new_id() for id in [*(node.id for node in record.nodes), *settings]}
    for own in settings.values():
        if "opinions" in own:
            own["opinions"] = {new[id]: value for id, value in own["opinions"].items()}
    for node in record.nodes:
        settings[node.id] = {"origin": "file"} if node.round is None else {}
        if node.round in walked:
            settings[node.id] = {"segments": segments_of(node)}
    return store.take_in(record, file.z, settings, new, name, weights)
