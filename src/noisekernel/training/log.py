"""The lines of a run's log."""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from noisekernel.objectives.base import Info
from noisekernel.training.watch import Look


@dataclass(frozen=True)
class Entry:
    """One line of the log: means over the images since the line before, over all processes."""

    images: int
    loss: float
    parts: dict[str, float]
    seen: dict[str, float]
    by_level: dict[str, float]
    rate: float
    gradient: float
    images_per_second: float
    seconds: float
    #: What the held-out part says, where it was measured at this moment.
    held_out: Look | None = None


@dataclass
class Window:
    """What happened since the last line of the log; on the device until it is asked for."""

    infos: list[Info] = field(default_factory=list)
    norms: list[Tensor] = field(default_factory=list)
    since: float | None = None

    def add(self, info: Info) -> None:
        self.infos.append(info)

    def clear(self, seconds: float) -> None:
        self.infos.clear()
        self.norms.clear()
        self.since = seconds

    def flat(self) -> tuple[Tensor, Tensor | None]:
        losses = torch.cat([info.loss for info in self.infos])
        betas = [info.beta for info in self.infos if info.beta is not None]
        return losses, torch.cat(betas) if betas else None

    def entry(self, gather: Callable[[Tensor], Tensor], images: int, rate: float, seconds: float) -> Entry:
        """The line of the log; `gather` joins the tensors of all processes."""
        losses, betas = self.flat()
        losses, betas = gather(losses), None if betas is None else gather(betas)
        first = self.infos[0]
        parts = {name: gather(torch.cat([info.parts[name] for info in self.infos])) for name in first.parts}
        seen = {name: gather(torch.cat([info.seen[name] for info in self.infos])) for name in first.seen}
        spent = seconds - (self.since or 0.0)
        return Entry(
            images=images,
            loss=float(losses.mean()),
            parts={name: float(value.mean()) for name, value in parts.items()},
            seen={name: float(value.mean()) for name, value in seen.items()},
            by_level=Info(losses, {}, {}, betas).by_level(),
            rate=rate,
            gradient=float(torch.stack(self.norms).mean()),
            images_per_second=len(losses) / max(spent, 1e-9),
            seconds=seconds,
        )
