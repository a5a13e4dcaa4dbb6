"""How good is a model? Its samples against its data, on features, with intervals and with what real data score.

`measure` is what `nk evaluate` does. (It is not called `evaluate`: that is the package of the figures themselves.)
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from noisekernel import tasks
from noisekernel.core.checks import count
from noisekernel.core.errors import InputError
from noisekernel.data.opening import Data, name_of
from noisekernel.data.source import Source
from noisekernel.files.digest import digest
from noisekernel.kinds.base import Kind
from noisekernel.kinds.model import KindModel
from noisekernel.measuring.denoising.judged import MOST, Denoised, denoised
from noisekernel.measuring.rows.comparison import Comparison, compare_rows
from noisekernel.measuring.samples import cache
from noisekernel.measuring.samples.extractors import (
    LEARNED_FROM,
    Extractor,
    open_extractor,
    small_extractor,
    small_key,
)
from noisekernel.measuring.samples.figures import (
    FEWEST,
    MOST_NEIGHBOURED,
    Encoded,
    as_json,
    check_torchmetrics,
    compare,
)
from noisekernel.measuring.samples.intervals import LEVEL, Figure
from noisekernel.measuring.samples.likelihood import nats_per_character
from noisekernel.measuring.samples.neighbours import NEIGHBOURS
from noisekernel.measuring.samples.processes import Processes
from noisekernel.measuring.samples.reference import Reference, open_data, read_through, some_rows

#: A bar for so many steps of a named stage: a context whose value is called at each.
Show = Callable[[int, str], AbstractContextManager[Callable[[], None]]]

NAMES = {
    "fid": "Fréchet distance (FID)",
    "fid_unbiased": "  less its bias",
    "kid": "KID",
    "inception_score": "Inception score",
    "precision": "precision",
    "recall": "recall",
    "density": "density",
    "coverage": "coverage",
    "nats": "nats per character",
    "denoising": "denoising curve",
}
#: The likelihood is that of so many examples at most.
MOST_LIKELIHOODS = 5_000


@dataclass(frozen=True)
class Judgement:
    """The figures of a model, and of real data in the place of its samples: the floor, the best there is."""

    figures: dict[str, Figure]
    floor: dict[str, Figure]
    #: How it was measured.
    how: dict[str, Any]
    #: Figures that could not be had, with the reason.
    missing: dict[str, str]
    warnings: tuple[str, ...]
    #: How well the model denoises; None where its kernel has no denoising curve.
    denoising: Denoised | None = None
    #: The rows of tables, column by column, in pairs and all together, where that was asked for.
    rows: Comparison | None = None

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            **self.how,
            "figures": as_json(self.figures),
            "floor": as_json(self.floor),
            "denoising": None if self.denoising is None else self.denoising.as_json(),
            **({} if self.rows is None else {"rows": self.rows.as_json()}),
            "missing": self.missing,
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        how = self.how
        levels = f", in the model's {how['categories']} categories" if how["categories"] else ""
        lines = [
            f"{how['model']}: {how['n']:,} samples ({how['sampler']}, {how['steps']} steps, seed {how['seed']}) "
            f"against {how['examples']:,} {how['kind']} of {how['data']}{levels}",
            f"features: {how['features']}, {how['width']} wide",
            "",
            f"{'':24}{'model':>10}  {f'{LEVEL:.0%} interval':^23}{'real data':>15}",
        ]
        for name, figure in self.figures.items():
            interval = f"[{figure.low:.4g}, {figure.high:.4g}]"
            best = f"{self.floor[name].value:.4g}" if name in self.floor else "-"
            lines.append(f"{NAMES[name]:24}{figure.value:>10.4g}  {interval:^23}{best:>15}")
        lines += ["", how["floor_of"]]
        lines += [] if self.denoising is None else ["", *self.denoising.lines(), ""]
        lines += [] if self.rows is None else ["", *self.rows.lines(), ""]
        lines += [f"no {NAMES.get(name, name)}: {reason}" for name, reason in self.missing.items()]
        return "\n".join([*lines, *(f"warning: {warning}" for warning in self.warnings)])


@contextmanager
def _silently(total: int, what: str) -> Any:
    yield lambda: None


def measure(
    model: KindModel,
    data: Data,
    *,
    n: int | None = None,
    features: str | nn.Module | Callable[[Tensor], Any] | None = None,
    sampler: str | None = None,
    steps: int | None = None,
    label: Sequence[str] | None = None,
    held_out: Data | None = None,
    rows: bool = False,
    bad: str = "fail",
    seed: int = 0,
    device: str | torch.device | None = None,
    batch_size: int = 64,
    called: str = "a model in memory",
    show: Show = _silently,
) -> Judgement:
    """FID, KID, Inception score, precision, recall, density and coverage of a model's samples against data.

    Samples are drawn as `nk sample` draws them. Each figure stands beside its floor: the same
    figure for real examples in the place of the samples. Under torchrun the processes share the work, and all get the
    figures that one process would get. Strings are also judged by their likelihood, in nats per character by the chain
    rule: of those held out, or else of the data, and of at most 5,000.

    The denoiser alone is judged too, without sampling: its error by noise level and the bits per element that this
    amounts to (`Judgement.denoising`), on examples held out, or else on the data with a warning. There are as many of
    them as samples, and at most 1,000.

    Args:
        model: A model; `nk.measure` takes the name or path of one too.
        data: What to compare with: a word, a path or an object, as for `nk.fit`.
        n: The number of samples; None for as many as the data has examples.
        features: What samples are compared by: None for features learned from the data, or a name, a module or a
            function (docs/howto/evaluate.md).
        sampler: The sampler by name; None for the model's own.
        steps: The number of its steps; None for as many as it takes by itself.
        label: The names or numbers of the classes to draw; None to leave them open.
        held_out: Examples that the model was not trained on, as `data`, for the floor, the likelihood and the denoising
            curve; None for some of the data.
        rows: Compare the rows of a table too: columns, pairs of columns, a classifier, repeated rows of training
            (`Judgement.rows`).
        bad: What to do with examples that cannot be read: "fail" or "skip".
        seed: Draws the samples, and chooses the examples of the floor.
        device: Where to compute; None for where the model is, and for a name or a path the best there is.
        batch_size: How many samples are drawn at a time.
        called: What to call the model in the result.
        show: Shows progress.

    >>> from noisekernel import load
    >>> judged = measure(load("digits"), "digits", n=40, steps=2, features=lambda pixels: pixels[:, 0, ::4, 1] / 1)
    >>> sorted(judged.figures)
    ['coverage', 'density', 'fid', 'fid_unbiased', 'kid', 'precision', 'recall']
    >>> judged.missing["inception_score"]
    'these features come without logits of classes'
    """
    began = time.perf_counter()
    check_torchmetrics()
    source = open_data(data, model.kind)
    others = None if held_out is None else open_data(held_out, model.kind)
    n = len(source) if n is None else count("n", n, FEWEST)
    chain = model if device is None else model.to(device)
    processes = Processes.here(chain.device)
    show = show if processes.main else _silently
    kind = chain.kind
    if rows:
        check_rows(kind, processes.world)
    chosen, schedule = chain.schedule(sampler, steps)
    labels = chain.label(label, n) if label else None
    named = _named(features, chain)

    def read(these: Source) -> Reference:
        with show(len(these), f"reading {kind.many}") as advance:
            return read_through(these, kind, bad, advance)

    def encoded(these: Reference) -> Encoded | None:
        key = None if extractor.identity is None else digest(these.digest, extractor.identity)
        kept = cache.find("reference", key) if processes.main and key is not None else None
        if processes.from_main(lambda: kept is not None):
            return None if kept is None else Encoded(kept["features"], kept.get("logits"))
        with show(processes.share(len(these), batch_size), "features of the data") as advance:
            made = processes.encode(len(these), batch_size, lambda rows: extractor(these.values(rows)), advance)
        if key is not None and made is not None:
            cache.keep("reference", key, made.tensors())
        return made

    made: list[Tensor] = []

    def drawn(batch: range) -> Encoded:
        own = None if labels is None else labels[batch.start : batch.stop]
        run = tasks.synthesis(chain, len(batch), schedule=schedule, label=own, seed=seed, first=batch.start)
        values = kind.decode(run.result(advance).cpu())
        if rows:
            made.append(values)
        return extractor(values)

    real = read(source)
    held = None if others is None else read(others)
    extractor = named or _small(real, chain, processes, show)
    of_real = encoded(real)
    of_held = None if held is None else encoded(held)
    with show(processes.share(n, batch_size) * schedule.steps, "drawing") as advance:
        of_samples = processes.encode(n, batch_size, drawn)
    how = {
        "model": called,
        "data": (isinstance(data, str | Path) and Path(data).name) or name_of(data),
        "n": n,
        "examples": len(real),
        "kind": kind.many,
        "categories": kind.classes,
        "features": extractor.name,
        "sampler": chosen,
        "steps": schedule.steps,
        "label": list(label) if label else None,
        "seed": seed,
    }

    def judged() -> Judgement:
        assert of_real is not None and of_samples is not None  # noqa: PT018 (this is the main process)
        with show(2, "figures") as advance:
            found = judge(of_real, of_samples, of_held, seed, how, advance, began)
        found = replace(found, figures=found.figures | _likelihood(chain, real if held is None else held, seed))
        if rows:
            with show(1, "rows"):
                found = replace(found, rows=_compared(kind, real, held, torch.cat(made), seed))
        with show(1, "denoising curve"):
            return _denoising(found, chain, real, held, min(n, MOST), seed, batch_size)

    return processes.from_main(judged)


def check_rows(kind: Kind, processes: int = 1) -> None:
    """Refuse a comparison of rows, before any work is done, where there is none.

    Args:
        kind: What the data are.
        processes: How many processes share the work.
    """
    nought = torch.zeros(1, *kind.shape, dtype=torch.int64 if kind.categorical else torch.float32)
    if kind.rows(kind.decode(nought)) is None:
        raise InputError(f"{kind.many} have no columns to be compared; leave out rows (--page), which is for tables")
    if processes > 1:
        raise InputError(f"rows are compared by one process, and here are {processes}; leave out torchrun, or --page")


def _compared(kind: Kind, real: Reference, held: Reference | None, new: Tensor, seed: int) -> Comparison:
    """The new rows against the real ones."""
    data, its, own = (
        None if values is None else kind.rows(values)
        for values in (
            real.values(range(len(real))),
            None if held is None else held.values(range(len(held))),
            new,
        )
    )
    assert data is not None and own is not None  # noqa: PT018 (check_rows has seen to it)
    return compare_rows(data, own, its, seed)


def judge(
    real: Encoded,
    fake: Encoded,
    held: Encoded | None,
    seed: int,
    how: Mapping[str, Any],
    advance: Callable[[], None],
    began: float,
) -> Judgement:
    """All figures of what has been encoded."""
    figures = compare(real, fake, seed)
    advance()
    own, rest = (
        _halved(_shuffled(real, seed), len(fake)) if held is None else (_shuffled(held, seed)[: len(fake)], real)
    )
    missing = {} if fake.logits is not None else {"inception_score": "these features come without logits of classes"}
    if min(len(own), len(rest)) < FEWEST:
        floor = {}
        missing["floor"] = f"too few real examples to hold against each other: {len(own)} against {len(rest)}"
    else:
        floor = compare(rest, own, seed)
    advance()
    what = "held out" if held is not None else "of the data"
    more = {
        "width": fake.features.shape[1],
        "level": LEVEL,
        "neighbours": {"k": NEIGHBOURS, "points": min(len(fake), len(real), MOST_NEIGHBOURED)},
        "floor_of": f"real data: {len(own):,} {what} against {len(rest):,}",
        "seconds": round(time.perf_counter() - began, 1),
    }
    return Judgement(figures, floor, {**how, **more}, missing, tuple(_warnings(real, fake, own)))


def _denoising(
    found: Judgement, chain: KindModel, real: Reference, held: Reference | None, most: int, seed: int, batch_size: int
) -> Judgement:
    """With the denoising curve, or the reason why there is none."""
    try:
        curve = denoised(chain, real, held, most=most, seed=seed, batch_size=batch_size)
    except InputError as error:
        return replace(found, missing={**found.missing, "denoising": str(error)})
    warning = curve.warning()
    return replace(found, denoising=curve, warnings=found.warnings if warning is None else (*found.warnings, warning))


def _likelihood(chain: KindModel, examples: Reference, seed: int) -> dict[str, Figure]:
    """Nats per character of examples by the chain rule, for the kinds that count characters."""
    kind = chain.kind
    if kind.characters(kind.encode(examples.values([0]))) is None:
        return {}
    return {"nats": nats_per_character(chain, kind.encode(some_rows(examples, MOST_LIKELIHOODS, seed)))}


def _shuffled(encoded: Encoded, seed: int) -> Encoded:
    return encoded[torch.randperm(len(encoded), generator=torch.Generator().manual_seed(seed % 2**63))]


def _halved(real: Encoded, n: int) -> tuple[Encoded, Encoded]:
    """As many as there are samples, and the rest; but half, where that is more than half."""
    few = min(n, len(real) // 2)
    return real[:few], real[few:]


def _warnings(real: Encoded, fake: Encoded, own: Encoded) -> Iterator[str]:
    n, width = len(fake), fake.features.shape[1]
    if min(n, len(real)) <= width:
        yield (
            f"{min(n, len(real)):,} points cannot fill the covariance of {width:,} features: the Fréchet distance is "
            f"mostly bias, and its correction and interval do not hold; take well over {width:,}"
        )
    if n != len(real):
        yield (
            f"{n:,} samples against {len(real):,} examples: FID falls as samples are added, so it compares with "
            f"figures of {n:,} samples only; published ones take as many as the data has"
        )
    if len(own) < n:
        yield (
            f"the floor is that of {len(own):,} examples, fewer than the {n:,} samples, and as many would have a lower "
            "FID; compare FID less its bias, or give data that was held out (--held-out)"
        )


def _named(features: str | nn.Module | Callable[[Tensor], Any] | None, chain: KindModel) -> Extractor | None:
    """Features that were named; None for those that are learned from the data."""
    if features is not None and features != "small":
        return open_extractor(features, chain.kind, chain.device)
    chain.kind.check_features()
    return None


def _small(real: Reference, chain: KindModel, processes: Processes, show: Show) -> Extractor:
    """Features learned from the data by the main process, for all."""

    def learn() -> dict[str, Tensor]:
        with show(1, "learning features from the data"):
            some = torch.randperm(len(real), generator=torch.Generator().manual_seed(0))[:LEARNED_FROM]
            labels = None if real.labels is None else real.labels[some]
            return chain.kind.learn_features(real.values(some.tolist()), labels)

    made = processes.from_main(lambda: cache.found_or_made("features", small_key(real.digest), learn))
    return small_extractor(chain.kind, made, chain.device)
