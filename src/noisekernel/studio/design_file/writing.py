"""A design of the store as a file."""

import io
import json
import zipfile

from safetensors.torch import save

from noisekernel import __version__
from noisekernel.core.errors import InputError
from noisekernel.studio.design_file import record as limits
from noisekernel.studio.design_file.record import DATA, FORMAT, RECORD, NodeRecord, RoundRecord
from noisekernel.studio.rounds import task_of
from noisekernel.studio.store import Row, Store


def write_design(store: Store, design: Row) -> bytes:
    """A design as a file: what is kept, and what that depends on."""
    everything = {node["id"]: node for node in store.nodes_of(design["id"], everything=True)}
    rounds = {one["id"]: one for one in store.rounds(design["id"])}
    needed = _needed(everything, rounds)
    nodes = [node for id, node in everything.items() if id in needed]
    used = {node["round"] for node in nodes}
    record = {
        "format": FORMAT,
        "noisekernel": __version__,
        "name": design["name"],
        "model": design["model"],
        "present": design["present"] if design["present"] in needed else None,
        "rounds": [{key: one[key] for key in RoundRecord.model_fields} for id, one in rounds.items() if id in used],
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
        DATA: save({id: each.contiguous() for id, each in z.items()}),
    }
    return _zipped(parts, len(nodes))


def _needed(everything: dict[str, Row], rounds: dict[str, Row]) -> set[str]:
    """The nodes that are kept, those that their rounds started from or name, and so on."""
    wanted = [id for id, node in everything.items() if node["kept"] and node["deleted"] is None]
    needed: set[str] = set()
    while wanted:
        node = everything[wanted.pop()]
        if node["id"] in needed:
            continue
        needed.add(node["id"])
        if (one := rounds.get(node["round"] or "")) is not None:
            wanted += [*one["parents"], *task_of(one["task"]).named(one["settings"])]
    return needed


def _zipped(parts: dict[str, bytes], nodes: int) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in parts.items():
            file.writestr(name, part)
    most, unpacked = limits.MOST_FILE_BYTES, limits.MOST_BYTES
    if content.tell() > most or any(len(part) > unpacked[name] for name, part in parts.items()):
        raise InputError(
            f"this design has {nodes:,} nodes, too many for a file that can be read again: it would have "
            f"{content.tell() / 1e6:,.0f} MB ({len(parts[DATA]) / 1e6:,.0f} MB unpacked), and the most is "
            f"{most / 1e6:,.0f} MB ({unpacked[DATA] / 1e6:,.0f} MB); delete some that are not needed"
        )
    return content.getvalue()
