"""The training loop, on one process or many.

Step s sees the examples numbered s B … (s + 1) B - 1, in shares: one for each process and, one after the other, for
each part that a process accumulates. Noise, order and augmentation are functions of an example's number, so one process
and a hundred compute the same step up to rounding, and a run that was killed goes on to the very same end.
"""

import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import torch
from accelerate import Accelerator
from accelerate.utils import broadcast_object_list, gather_object
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

from noisekernel.core.errors import InputError, Stopped, TrainingError
from noisekernel.core.randomness import STREAMS, Streams
from noisekernel.data.examples import Batch, Examples
from noisekernel.kernels.base import NoiseKernel
from noisekernel.networks.denoiser import Denoiser
from noisekernel.objectives.base import Info, TrainerObjective
from noisekernel.recipes.training import TrainingSettings
from noisekernel.training.checkpoint import Checkpoints, below, pack, unpack
from noisekernel.training.log import Entry, Window
from noisekernel.training.pacing import Pacer
from noisekernel.training.watch import Look, Processes, Watch


class Observer(Protocol):
    """Whoever wants to know how training goes. Called in the main process only."""

    def logged(self, entry: Entry) -> None: ...

    def saved(self, images: int, average: Denoiser) -> None: ...

    def drew(self, images: int, average: Denoiser) -> None: ...

    def early(self, images: int, average: Denoiser) -> None:
        """The share of the run that is called early (`training.early`) is over."""
        ...

    def planned(self, settings: TrainingSettings) -> None:
        """The plan of a run by the clock was corrected."""
        ...


class Loss(nn.Module):
    """Objective, kernel and denoiser as one module: what is spread over processes is one forward call of this."""

    def __init__(self, objective: TrainerObjective, kernel: NoiseKernel, denoiser: Denoiser, half: bool) -> None:
        super().__init__()
        self.objective, self.kernel, self.denoiser, self.in_half = objective, kernel, denoiser, half

    def forward(
        self, z: Tensor, label: Tensor | None, streams: Streams, told: Tensor | None = None
    ) -> tuple[Tensor, Info]:
        given = {name: value for name, value in (("label", label), ("told", told)) if value is not None}
        denoise = partial(self.denoiser, **given) if given else self.denoiser
        with torch.autocast(z.device.type, torch.bfloat16, enabled=self.in_half):
            return self.objective(self.kernel, denoise, z, streams)


@dataclass
class Trainer:
    """Trains `denoiser` in place, and an average of it."""

    kernel: NoiseKernel
    denoiser: Denoiser
    objective: TrainerObjective
    examples: Examples
    settings: TrainingSettings
    seed: int
    #: Where checkpoints go; None for none.
    checkpoints: Checkpoints | None = None
    #: What checkpoints say about themselves, and must say to be resumed from.
    about: dict[str, Any] = field(default_factory=dict)
    observers: Sequence[Observer] = ()
    #: What is held out of the examples, to be measured at every draw; None for nothing.
    watch: Watch | None = None
    #: On the CPU, although there may be an accelerator.
    cpu: bool = False
    #: What the network is told of how the examples of these numbers were changed, if any are.
    told: Callable[[range, torch.device], Tensor | None] = lambda numbers, device: None
    #: Seconds since some moment.
    clock: Callable[[], float] = time.perf_counter

    images: int = field(default=0, init=False)
    seconds: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        settings = self.settings
        # Precision is not left to accelerate, whose setting of it is one for the whole life of the process.
        self.accelerator = Accelerator(cpu=self.cpu, gradient_accumulation_steps=settings.accumulate)
        shares = self.accelerator.num_processes * settings.accumulate
        if settings.batch % shares:
            raise InputError(
                f"a batch of {settings.batch} does not divide into {self.accelerator.num_processes} processes x "
                f"{settings.accumulate} accumulated parts; make it a multiple of {shares}"
            )
        self.denoiser.to(self.accelerator.device)
        # Once more in channels-last memory and the rest: a copy shares nothing with the original.
        self.average: AveragedModel = AveragedModel(self.denoiser, multi_avg_fn=self._mix, use_buffers=False)
        self.average.requires_grad_(False)
        if settings.compile:
            self.denoiser.backbone.compile()
        learned = [weight for weight in self.denoiser.parameters() if weight.requires_grad]
        optimiser = torch.optim.Adam(learned, settings.rate, betas=settings.betas)
        self.objective.begin(self.denoiser, self.averaged)
        loss = Loss(self.objective, self.kernel, self.denoiser, settings.precision == "bf16")
        self.loss, self.optimiser = self.accelerator.prepare(loss, optimiser)
        self._stop: int | None = None
        self._saved = self._looked = 0.0
        self._entry: Entry | None = None
        self._early_told = settings.early is None
        self._pacer = Pacer()

    @property
    def averaged(self) -> Denoiser:
        """The denoiser to use: the average of those on the way."""
        return self.average.module  # type: ignore[return-value]

    @property
    def result(self) -> tuple[int, Denoiser]:
        """The denoiser to use, and how many images it has seen: the average, or that of the best look if it is kept."""
        watch = self.watch
        if watch is None or watch.kept is None or watch.best is None:
            return self.images, self.averaged
        return watch.best, watch.kept

    def _mix(self, averages: Any, currents: Any, _: Any) -> None:
        weight = 1.0 - self.settings.average.decay(self.images, self.settings.batch)
        torch._foreach_lerp_(averages, currents, weight)

    # The loop ---------------------------------------------------------------------------------------------------------

    def resume(self, path: Path) -> None:
        """Go on from a checkpoint of this very run."""
        assert self.checkpoints is not None
        tensors, about = self.checkpoints.load(path)
        if about.get("streams") != STREAMS:
            raise InputError(
                f"{path.name} was written by a version of noisekernel that draws other random numbers from a seed, so "
                "the run cannot go on as it would have; begin another with its weights (--from), in another folder"
            )
        differing = [key for key, value in self.about.items() if about.get(key, value) != value]
        if differing:
            told = "; ".join(f"{key} was {about.get(key)!r} and is {self.about[key]!r}" for key in differing)
            raise InputError(f"{path.name} is of another run: {told}. Use another folder for another run")
        unpack(tensors, self.denoiser, self.average, self.optimiser)
        if self.settings.minutes is not None:
            plan = {"images": about["plan"]["images"], "pace": tuple(map(tuple, about["plan"]["pace"]))}
            self.settings = self.settings.model_copy(update=plan)
        self.objective.unpack(below("objective.", tensors), self.accelerator.device)
        if self.watch is not None:
            self.watch.unpack(tensors, about.get("watched"), self.averaged)
        self.images, self.seconds = int(about["images"]), float(about["seconds"])

    def agree(self) -> None:
        """Refuse to train where the processes found different checkpoints, or only some found any."""
        images = self.accelerator.gather(torch.tensor([self.images], device=self.accelerator.device)).tolist()
        if len(set(images)) > 1:
            raise InputError(
                f"the processes would go on from different checkpoints, after {sorted(set(images))} images; give all "
                "machines one and the same folder"
            )

    def run(self) -> None:
        """Train to the end, or until asked to stop (SIGINT, SIGTERM): then a checkpoint is written first."""
        window = Window(since=self.seconds)
        began, before = self.clock(), self.seconds
        self._saved = self._looked = began
        self._pacer.begin(self.images, self.seconds)
        self.denoiser.train()
        with self._stoppable():
            stream = self._batches()
            while (step := self.images // self.settings.batch) < self.settings.steps and not self._over:
                self.step(step, stream, window)
                self.seconds = before + self.clock() - began
                self._after(window)
                if self._agreed(self._stop is not None):
                    self._check(window)
                    self._save()
                    raise Stopped(self._stop or signal.SIGTERM, self.images)

    def _batches(self) -> Iterator[Batch]:
        """The examples from here on. Where a correction has made the run longer than was planned, more follow."""
        while True:
            yield from self.examples.stream(self.parts(), self.accelerator.device)

    def parts(self) -> Iterator[range]:
        """This process's shares of the examples from here to the end."""
        settings, accelerator = self.settings, self.accelerator
        size = settings.batch // (accelerator.num_processes * settings.accumulate)
        for step in range(self.images // settings.batch, settings.steps):
            for part in range(settings.accumulate):
                first = step * settings.batch + (part * accelerator.num_processes + accelerator.process_index) * size
                yield range(first, first + size)

    def step(self, step: int, stream: Iterator[Batch], window: "Window") -> None:
        """One step of the optimiser, on the next batches of `stream`."""
        settings = self.settings
        rate = settings.rate_at(step * settings.batch)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        own = self.accelerator.process_index, self.accelerator.num_processes
        size = settings.batch // (own[1] * settings.accumulate)
        for part in range(settings.accumulate):
            z, label = next(stream)
            first = step * settings.batch + (part * own[1] + own[0]) * size
            streams = Streams.of(self.seed, range(first, first + size), z.device)
            told = self.told(range(first, first + size), z.device)
            with self.accelerator.accumulate(self.loss):
                try:
                    loss, info = self.loss(z, label, streams.fork(), told)
                except InputError as error:
                    raise self._blown_up(z, label, told, streams, str(error)) from None
                self.accelerator.backward(loss)
            window.add(info)
        largest = settings.clip or float("inf")
        norm = self.accelerator.clip_grad_norm_(self.denoiser.parameters(), largest)
        assert norm is not None
        window.norms.append(norm.detach())
        # On an accelerator a look at the number would make it wait, so there it is looked at once a line of the log.
        if norm.device.type == "cpu":
            self._check(window)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.images = (step + 1) * settings.batch
        self.average.update_parameters(self.denoiser)

    def _after(self, window: "Window") -> None:
        """Log, draw, look at what is held out, and save where it is time to."""
        drawing = self._ended or self._passed(self.settings.draw_every)
        self._tell(window, drawing, self._passed(self.settings.log_every))
        self._tell_early()
        last = self._ended or self._over
        if last or self._passed(self.settings.save_every) or self._long_unsaved():
            self._check(window)
            self._correct_plan()
            if not last and self._ended:  # no time is left: this was the last step
                self._tell(window, not drawing, logging=bool(window.infos))
            self._save()

    def _tell(self, window: "Window", drawing: bool, logging: bool) -> None:
        look = self._look() if drawing else None
        if logging or look is not None or self._ended or self._over:
            self._log(window, look)
        if drawing:
            self._draw()

    @property
    def _ended(self) -> bool:
        return self.images >= self.settings.images

    @property
    def _over(self) -> bool:
        """Whether what is held out says that the run is to end."""
        return self.watch is not None and self.watch.over

    def _log(self, window: "Window", look: Look | None) -> None:
        if window.infos:
            self._check(window)
            rate = self.optimiser.param_groups[0]["lr"]
            self._entry = window.entry(self.accelerator.gather, self.images, rate, self.seconds)
        elif look is None:  # this step is logged already
            return
        assert self._entry is not None
        for observer in self._listening():
            observer.logged(replace(self._entry, held_out=look))
        window.clear(self.seconds)

    def _look(self) -> Look | None:
        """What is held out, measured by all processes together."""
        if self.watch is None:
            return None
        began, several = self.clock(), self.accelerator.num_processes > 1
        own = Processes(self.accelerator.process_index, self.accelerator.num_processes, gather_object)
        look = self.watch.look(self.averaged, self.images, self.accelerator.device, own if several else Processes())
        before, self._looked = self._looked, self.clock()
        spent = self._looked - began
        return replace(look, seconds=spent, share=spent / max(self._looked - before, 1e-9))

    def _draw(self) -> None:
        for observer in self._listening():
            observer.drew(self.images, self.averaged)

    def _tell_early(self) -> None:
        """Once, at the first step beyond the early share of the run as it is planned then."""
        if not self._early_told and self.images >= (self.settings.early or 0.0) * self.settings.images:
            self._early_told = True
            for observer in self._listening():
                observer.early(self.images, self.averaged)

    def _correct_plan(self) -> None:
        """In a run by the clock: see to its end in time. Only before a checkpoint, which keeps what was decided."""
        if self.settings.minutes is None or self._ended or self._over:
            return
        told = [self._pacer.corrected(self.settings, self.images, self.seconds)]
        corrected = broadcast_object_list(told)[0] if self.accelerator.num_processes > 1 else told[0]
        if corrected is not None:
            self.settings = corrected
            for observer in self._listening():
                observer.planned(corrected)

    def _passed(self, every: int) -> bool:
        return self.images // every > (self.images - self.settings.batch) // every

    def _long_unsaved(self) -> bool:
        """Whether it is time for a checkpoint, however few images that is."""
        minutes = self.settings.save_minutes
        return minutes is not None and self._agreed(self.clock() - self._saved >= 60.0 * minutes)

    def _agreed(self, wanted: bool) -> bool:
        """Whether a process wants something. Several have to agree on the step: once a line of the log."""
        if self.accelerator.num_processes == 1:
            return wanted
        if not self._passed(self.settings.log_every):
            return False
        return bool(self.accelerator.gather(torch.tensor([wanted], device=self.accelerator.device)).any())

    def _listening(self) -> Sequence[Observer]:
        return self.observers if self.accelerator.is_main_process else ()

    def _save(self) -> None:
        self._gather_summary()
        kept = self.objective.pack(self._own, self.accelerator.gather)
        if self.accelerator.is_main_process:
            # The checkpoint last: killed before it, a run comes here again; killed after it, perhaps never.
            for observer in self.observers:
                observer.saved(*self.result)
            if self.checkpoints is not None:
                tensors = pack(self.denoiser, self.average, self.optimiser)
                tensors |= {f"objective.{name}": value for name, value in kept.items()}
                plan = self.settings.model_dump(mode="json", include={"images", "pace"})
                told = {"seconds": self.seconds, "streams": STREAMS, "plan": plan, **self.about}
                if self.watch is not None:
                    more, told["watched"] = self.watch.pack()
                    tensors |= more
                self.checkpoints.save(self.images, tensors, told)
        self.accelerator.wait_for_everyone()
        self._saved = self.clock()

    def _own(self, number: int) -> Tensor:
        """Which of so many things, shared by the numbers of examples in turn, are this process's: (number,)."""
        settings, accelerator = self.settings, self.accelerator
        if number % settings.batch:
            raise InputError(f"{number} walkers do not divide into batches of {settings.batch}; make it a multiple")
        size = settings.batch // (accelerator.num_processes * settings.accumulate)
        place = torch.arange(number, device=accelerator.device) % settings.batch // size
        return place % accelerator.num_processes == accelerator.process_index

    def _gather_summary(self) -> None:
        """What the other processes could not read is made known to the main one."""
        if self.accelerator.num_processes > 1:
            summary = self.examples.summary
            summary.skipped[:] = dict.fromkeys(gather_object(summary.skipped))
            summary.notes[:] = dict.fromkeys(gather_object(summary.notes))

    # Stopping ---------------------------------------------------------------------------------------------------------

    @contextmanager
    def _stoppable(self) -> Iterator[None]:
        """The first SIGINT or SIGTERM asks to stop after this step; the second is as it was."""

        def ask(number: int, frame: object) -> None:
            self._stop = number
            for each in before:
                signal.signal(each, before[each])

        before: dict[signal.Signals, Any] = {}
        try:
            for number in (signal.SIGINT, signal.SIGTERM):
                before[number] = signal.signal(number, ask)
        except ValueError:  # not in the main thread, where signals do not arrive
            pass
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _check(self, window: "Window") -> None:
        """Refuse to go on with numbers that are none."""
        if not window.norms or bool(torch.isfinite(torch.stack(window.norms)).all()):
            return
        losses, betas = window.flat()
        bad = ~torch.isfinite(losses)
        where = _range(betas[bad]) if betas is not None and bool(bad.any()) else "none: the gradient alone overflowed"
        raise self._error(f"the loss is no longer a number. Noise levels that blew up: {where}")

    def _blown_up(
        self, z: Tensor, label: Tensor | None, told: Tensor | None, streams: Streams, reason: str
    ) -> Exception:
        """The error for a step that did not even give a loss: the same states once more, to see where r fails."""
        with torch.no_grad():
            example = self.objective.noised(self.kernel, z, streams.fork())
            x, beta = example.x, example.beta
            r = self.denoiser(x, beta, label, told)
        values = r.log_prob(z)
        bad = ~torch.isfinite(values)
        if not bool(bad.any()) and all(bool(torch.isfinite(p).all()) for p in self.denoiser.parameters()):
            return InputError(reason)
        return self._error(f"the network gives no numbers ({reason}). Noise levels that blew up: {_range(beta[bad])}")

    def _error(self, what: str) -> TrainingError:
        newest = None if self.checkpoints is None else self.checkpoints.newest
        kept = f"The last good checkpoint is kept: {newest}" if newest else "There is no checkpoint yet"
        where = "in a new run" if newest else "with --resume"
        return TrainingError(
            f"after {self.images:,} images {what}. {kept}. Try, {where}, a lower training.rate, a longer "
            "training.warmup, or a smaller training.clip"
        )


def _range(betas: Tensor) -> str:
    if betas.numel() == 0:
        return "all"
    return f"{len(betas)} samples with beta from {float(betas.min()):.3g} to {float(betas.max()):.3g}"
