"""Results arm by arm: each is one JSON file, so that a run stopped at any moment goes on where it stopped."""

import fcntl
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Store:
    """`results` is kept (in the repository, too); `work` holds weights and other things that can be made again."""

    results: Path
    work: Path

    def path(self, *key: object) -> Path:
        return self.results / ("-".join(str(part) for part in key).replace(" ", "_").replace("/", "_") + ".json")

    def get(self, *key: object) -> dict[str, Any] | None:
        path = self.path(*key)
        return json.loads(path.read_text()) if path.exists() else None

    def check_judge(self, material: str, samples: int, floor: float) -> None:
        """Stop if results on record are another judge's: trained on another machine, it differs a little."""
        for path in self.results.glob(f"{material}-*calls.json"):
            known = json.loads(path.read_text())
            if known["samples"] == samples and known["floor"] != floor:
                raise SystemExit(
                    f"{samples} real pictures of {material} score {floor} by the judge trained on this machine and "
                    f"{known['floor']} by that of {path.name}, so results would not compare; put the judge of those "
                    f"results (judge-{material}.safetensors) into --work, or give another folder for --results"
                )

    @contextmanager
    def claimed(self, *key: object) -> Iterator[bool]:
        """Whether no other process works with these weights; a process that dies lets go of them."""
        path = self.work / "claims" / "-".join(str(part) for part in key).replace(" ", "_")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True

    def measured(self, *key: object, by: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """The result under this key; where there is none yet it is measured, dated and kept."""
        known = self.get(*key)
        if known is None:
            known = {"key": [str(part) for part in key], "date": datetime.now(UTC).date().isoformat(), **by()}
            path = self.path(*key)
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".unfinished")
            unfinished.write_text(json.dumps(known, indent=1) + "\n")
            os.replace(unfinished, path)
            print(" ".join(str(part) for part in key), {k: v for k, v in known.items() if k not in ("key", "date")})
        return known
