"""Results, in the ways that tables and plots ask for them."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from lab.results import Key, ResultsFolder


@dataclass(frozen=True)
class Findings:
    entries: dict[Key, dict[str, Any]]

    @classmethod
    def read(cls, results: ResultsFolder) -> "Findings":
        """In an order that does not depend on when each result was measured."""
        return cls(dict(sorted(results.all().items(), key=lambda item: item[0].order)))

    @property
    def materials(self) -> list[str]:
        return sorted({key.material for key in self.entries})

    @property
    def newest(self) -> str:
        """The date of the newest result."""
        return max(entry["date"] for entry in self.entries.values())

    def fids(
        self, material: str, arm: str, calls: int, against: str = "fid", images: int | None = None
    ) -> dict[int, float]:
        """Fréchet distances by seed, from the training pictures ("fid") or from the held-out ones ("held_out").

        Arms that were trained on several numbers of images need `images`.
        """
        found = self._of("samples", material, arm, images)
        return {key.seed: entry[against] for key, entry in found.items() if key.calls == calls}

    def walks(self, material: str, name: str) -> dict[int, dict[str, Any]]:
        """Walks by seed."""
        return {key.seed: entry for key, entry in self._of("walk", material, name).items()}

    def bits(self, material: str, arm: str, images: int | None = None) -> dict[int, float]:
        """Bits per element by seed; `images` as for `fids`."""
        return {key.seed: entry["bits"] for key, entry in self._of("curve", material, arm, images).items()}

    def curves(self, material: str, arm: str, images: int | None = None) -> dict[int, dict[str, Any]]:
        """Denoising curves by seed; `images` as for `fids`."""
        return {key.seed: entry for key, entry in self._of("curve", material, arm, images).items()}

    def paces(self, material: str, name: str) -> dict[int, dict[str, Any]]:
        """Times per training image, by seed."""
        return {key.seed: entry for key, entry in self._of("pace", material, name).items()}

    def balance(self, material: str, arm: str = "ours") -> dict[int, dict[str, Any]]:
        """Tests of balance by seed."""
        return {key.seed: entry for key, entry in self._of("balance", material, arm).items()}

    def walk(self, material: str, name: str) -> dict[int, tuple[list[float], list[float]]]:
        """Fréchet distances and distances travelled, over seeds, by number of steps."""
        found: dict[int, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
        for entry in self.walks(material, name).values():
            for stop in entry["stops"]:
                found[stop["steps"]][0].append(stop["fid"])
                found[stop["steps"]][1].append(stop["travelled"])
        return dict(sorted(found.items()))

    def floor(self, material: str) -> float:
        """The score of as many real pictures as samples are usually scored; a few studies score fewer."""
        return max(self._of("samples", material).values(), key=lambda entry: entry["samples"])["floor"]

    def walk_floor(self, material: str) -> float | None:
        """The score of as many real pictures as there usually are walkers; some walks have more."""
        found = self._of("walk", material).values()
        return min(found, key=lambda entry: entry["walkers"])["floor"] if found else None

    def _of(
        self, measured: str, material: str, arm: str | None = None, images: int | None = None
    ) -> dict[Key, dict[str, Any]]:
        return {
            key: entry
            for key, entry in self.entries.items()
            if (key.measured, key.material) == (measured, material)
            and arm in (None, key.arm)
            and images in (None, key.images)
        }
