"""What has been measured: a folder with one results file per study, in JSON lines (see `jsonlines`).

Every line holds one result with all that identifies it (`Key`), the study that asked for it, and its date. A result is
measured once: where a line with its key exists, in the file of any study, it is not measured again, so a run that was
stopped continues where it was.

Two lines can have one key, for example after a merge of two branches. The newer date wins, and on equal dates the later
line. To measure something again, append the new line or delete the old one.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab import jsonlines

RESULTS = Path(__file__).parents[1] / "results"


@dataclass(frozen=True)
class Key:
    """What identifies a result of the harness."""

    #: "samples", "curve", "walk", "balance" or "pace".
    measured: str
    material: str
    #: How many images the training saw.
    images: int
    #: The name of the arm; for walks, the name of the walk.
    arm: str
    seed: int
    #: Network calls per sample; samples only.
    calls: int | None = None

    @classmethod
    def of(cls, record: dict[str, Any], path: Path) -> "Key":
        missing = [part.name for part in fields(cls) if part.name != "calls" and part.name not in record]
        if missing or "date" not in record:
            lacking = " or ".join([*missing, *["date"] * ("date" not in record)])
            raise SystemExit(f"{path}: a line has no {lacking}, so it is no result of bench.py: {record}")
        return cls(**{part.name: record.get(part.name) for part in fields(cls)})  # type: ignore[arg-type]

    def labels(self) -> dict[str, Any]:
        """The parts that are set, as they stand in a line."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def order(self) -> tuple[str, str, int, str, int, int]:
        return (self.measured, self.material, self.images, self.arm, self.seed, self.calls or 0)

    def __str__(self) -> str:
        return " ".join(f"{name} {value}" for name, value in self.labels().items())


@dataclass
class ResultsFolder:
    """The results files of all studies of the harness. Other processes may append to them at any time."""

    folder: Path
    _known: dict[Path, tuple[tuple[int, int], list[tuple[Key, dict[str, Any]]]]] = field(default_factory=dict)

    def all(self) -> dict[Key, dict[str, Any]]:
        """Every result that is on record now."""
        found: dict[Key, dict[str, Any]] = {}
        for path in sorted(self.folder.glob("*.jsonl")):
            for key, record in self._lines(path):
                if key not in found or record["date"] >= found[key]["date"]:
                    found[key] = record
        return found

    def measure(self, study: str, key: Key, by: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The result with this key. A result that is not on record is measured and appended to the study's file."""
        known = self.all().get(key)
        if known is None:
            figures = by()
            known = {"study": study, **key.labels(), "date": today(), **figures}
            jsonlines.append(self.folder / f"{study}.jsonl", known)
            print(f"{study}: {key}", figures, flush=True)
        return known

    def check_floor(self, material: str, samples: int, floor: float) -> None:
        """Stop if the results on record have another scorer; one trained on another machine differs slightly."""
        for key, known in self.all().items():
            if (key.measured, key.material, known.get("samples")) != ("samples", material, samples):
                continue
            if known["floor"] != floor:
                raise SystemExit(
                    f"{samples} real pictures of {material} score {floor} by the classifier trained on this machine "
                    f"and {known['floor']} by that of the results in {self.folder}, so new results would not compare "
                    f"with those: put the classifier of those results (classifier-{material}.safetensors) into "
                    "--work, or give another folder for --results"
                )

    def _lines(self, path: Path) -> list[tuple[Key, dict[str, Any]]]:
        """The results of one file, which is read again only when it has changed."""
        status = path.stat()
        stamp = (status.st_size, status.st_mtime_ns)
        if path not in self._known or self._known[path][0] != stamp:
            self._known[path] = (stamp, [(Key.of(record, path), record) for record in jsonlines.read(path)])
        return self._known[path][1]


def record_run(script: str, figures: dict[str, Any], folder: Path = RESULTS) -> None:
    """Append the figures of one run of a stand-alone script to its results file, with the date."""
    path = folder / f"{script}.jsonl"
    jsonlines.append(path, {"study": script, "date": today(), **figures})
    print(f"the figures are the last line of {path.name}")


def today() -> str:
    """The date that results carry."""
    return datetime.now(UTC).date().isoformat()
