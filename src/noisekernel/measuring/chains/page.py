"""A diagnosis as a page of plots: one HTML file with everything in it."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from noisekernel.core.errors import NoiseKernelError
from noisekernel.kinds.base import Kind
from noisekernel.measuring.chains import StrengthCurve
from noisekernel.measuring.chains.diagnosis import PACE
from noisekernel.measuring.chains.found import LEVEL, PAPER, WALK, Diagnosis, Found
from noisekernel.measuring.page import COLOURS, Section, embedded, new_axes, plotted, table, write_report

LEAD = (
    "Are the chains of this model what they should be: the walk of the noise, which nk vary and nk walk run, and the "
    "paper's chain at constant noise, which nk equilibrate runs? Each figure stands with its uncertainty."
)


def need_matplotlib() -> None:
    """Refuse, before any work is done, a page that could not be drawn."""
    if find_spec("matplotlib") is None:
        raise NoiseKernelError("the plots are drawn with matplotlib: pip install 'noisekernel[diagnose]'")


def write_page(path: Path, found: Diagnosis, kind: Kind, figures: Mapping[str, Any]) -> None:
    """The file. `figures` are all that was measured and set."""
    need_matplotlib()
    walk, paper = found.walk.stationary, found.paper.stationary
    facts = {
        "model": str(figures["model"]),
        "data": f"{figures['data']}: {found.examples:,} {kind.many}",
        "walks": f"{walk.chains} chains, {walk.distances[-1].steps:,} steps",
        "the walk of the noise": f"pace {PACE:g} below beta {walk.beta:g}",
        "the paper's chain": f"beta {paper.beta:g}, lag {paper.lag:g}",
        "seed": str(found.seed),
    }
    sections = [_reversible(found), _stationary(found, kind), _mixing(found), _strength(found)]
    name = figures["model"]
    commands = (
        f"nk vary {name} EXAMPLE           variants of a {kind.one}\n"
        f"nk walk {name}                   a film of the walk\n"
        f"nk equilibrate {name} EXAMPLE    variants by the paper's chain"
    )
    write_report(path, f"Diagnosis of {name}", facts, sections, figures, commands, lead=LEAD)


def _labelled(axes: Any, x: str, y: str, title: str = "") -> Any:
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.legend(frameon=False, fontsize=8)
    return axes


def plot_reversible(found: Found, title: str = "") -> Any:
    """AUC over noise levels, with two standard errors."""
    axes = new_axes()
    axes.axhspan(0.48, 0.52, color="#4e9a3a", alpha=0.12, linewidth=0)
    axes.axhline(0.5, color=COLOURS[6], linestyle="--", linewidth=1.2, label="reversible")
    for i, steps in enumerate(sorted({r.steps for r in found.reversible})):
        own = [r for r in found.reversible if r.steps == steps]
        axes.errorbar(
            # Moved apart a little, so that bars at one level do not hide each other.
            [r.beta * 1.03**i for r in own],
            [r.test.auc for r in own],
            [2 * r.test.error for r in own],
            fmt="o-",
            capsize=3,
            linewidth=1.2,
            color=COLOURS[2 * i],
            label="one step" if steps == 1 else f"{steps} steps",
        )
    levels = sorted({r.beta for r in found.reversible})
    axes.set_xscale("log")
    axes.set_xticks(levels, [f"{level:g}" for level in levels])
    axes.minorticks_off()
    return _labelled(axes, "noise level beta", "AUC of (x, y) against (y, x)", title)


def plot_stationary(found: Found, title: str = "") -> Any:
    """The distance to the data over the steps of the walk, and the floor."""
    axes, stationary = new_axes(), found.stationary
    axes.errorbar(
        [d.steps for d in stationary.distances],
        [d.distance for d in stationary.distances],
        [2 * d.error for d in stationary.distances],
        fmt="o-",
        capsize=3,
        color=COLOURS[0],
        label="the chains",
    )
    low, high = (stationary.floor + side * 2 * stationary.floor_error for side in (-1, 1))
    axes.axhspan(low, high, color=COLOURS[6], alpha=0.12, linewidth=0)
    axes.axhline(stationary.floor, color=COLOURS[6], linestyle="--", linewidth=1.2, label="as many real examples")
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(left=-0.1)
    axes.set_xticks([d.steps for d in stationary.distances], [f"{d.steps:,}" for d in stationary.distances])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    return _labelled(axes, "steps", "Fréchet distance to the data", title)


def plot_mixing(found: Found, title: str = "") -> Any:
    """Autocorrelations."""
    axes = new_axes()
    for i, m in enumerate(found.mixing):
        axes.plot(m.lags, m.autocorrelation, color=COLOURS[i % 7], linewidth=1.4, label=m.function)
    axes.axhline(0.0, color=COLOURS[0], linewidth=0.8)
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(left=-0.1)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return _labelled(axes, "steps apart", "autocorrelation", title)


def plot_strength(found: Diagnosis) -> Any:
    """How far variants of either kind go, and the monotone curves through it."""
    axes = new_axes()
    axes.axhline(1.0, color=COLOURS[6], linestyle="--", linewidth=1.2, label="two unrelated examples")
    shown = {"noise below it renewed": found.walk.strength, "steps at it": found.paper.strength}
    for colour, (name, curve) in zip((COLOURS[2], COLOURS[0]), shown.items(), strict=True):
        axes.plot((0.0, *curve.betas), (0.0, *curve.monotone), color=colour, linewidth=1.4)
        bars = [2 * error for error in curve.errors]
        axes.errorbar(curve.betas, curve.distances, bars, fmt="o", capsize=3, color=colour, label=name)
    axes.set_ylim(bottom=0)
    return _labelled(axes, "noise level beta", "distance of a variant from its start")


def _both(found: Diagnosis) -> list[tuple[str, Found]]:
    return [(WALK, found.walk), (PAPER, found.paper)]


def _reversible(found: Diagnosis) -> Section:
    text = (
        "A chain is reversible if (x, y) and (y, x) have one law. For the walk of the noise these are a new sample and "
        "what it is after part of its noise was renewed; for the paper's chain noisy states. Classifiers that were "
        f"shown half of {found.paper.main.pairs:,} pairs try to tell which is which in the other half; 0.5 is "
        "guessing. Bars are two standard errors; the band is 0.5 ± 0.02."
    )
    for name, one in _both(found):
        main, caught = one.main, one.irreversible
        told = "; ".join(f"beta {r.beta:g} over {r.steps} step{'s' * (r.steps > 1)}, by {by}" for r, by in caught)
        text += (
            f" {name}, at beta {main.beta:g}, one step: AUC {main.test.auc:.3f} ± {main.test.error:.3f}, p = "
            f"{main.test.p_value:.2g}; at level {LEVEL:g} over all {len(one.p_values)} tests and statistics, "
            + (f"irreversible: {told}." if caught else "nothing calls it irreversible.")
        )
    text += " Below, means that are zero in balance."
    rows = [
        [name, f"{r.beta:g}", str(r.steps), s.name, f"{s.mean:+.4f}", f"{s.error:.4f}", f"{s.p_value:.2g}"]
        for name, one in _both(found)
        for r in one.reversible
        if r.beta == one.main.beta
        for s in r.statistics
    ]
    head = ["chain", "beta", "steps", "f, g: mean of f(x) g(y) - g(x) f(y)", "mean", "standard error", "p"]
    plots = [plotted(plot_reversible(one, name), f"{name}: AUC by noise level") for name, one in _both(found)]
    return Section("Reversible?", text, [*plots, table(head, rows)])


def _stationary(found: Diagnosis, kind: Kind) -> Section:
    s = found.walk.stationary
    text = (
        f"The Fréchet distance of {s.chains} chains to the data they did not start from, on {s.features}. The dashed "
        f"line is where real {kind.many}, as many, are: {s.floor:.2f} ± {s.floor_error:.2f}. Step 0 is the start, read "
        "out again. The walk of the noise ends where new samples are, wherever that is. Bars are two standard errors."
    )
    for name, one in _both(found):
        last = one.stationary.distances[-1]
        text += (
            f" {name}, after {last.steps:,} steps: {last.distance:.2f} ± {last.error:.2f}, which is {last.drift:+.2f} "
            f"± {last.drift_error:.2f} more than after one."
        )
    text += (
        " Below, first of the walk of the noise, then of the paper's chain, row by row, some chains after "
        f"{', '.join(f'{steps:,}' for steps in found.walk.shown)} steps."
    )
    plots = [plotted(plot_stationary(one, name), f"{name}: distance over steps") for name, one in _both(found)]
    return Section("Stationary?", text, [*plots, *(_sheet(one, name, kind) for name, one in _both(found))])


def _sheet(found: Found, name: str, kind: Kind) -> str:
    values = kind.decode(torch.cat([z.cpu() for z in found.shown.values()]))
    columns = len(next(iter(found.shown.values())))
    return embedded(kind.overview(values, columns), alt=f"{name}: chains on their way")


def _mixing(found: Diagnosis) -> Section:
    text = (
        f"Scalar functions along {found.walk.mixing[0].chains} chains from different starts: of clean data, and for "
        "the paper's chain of the denoised state. The integrated time is how many steps are worth one independent "
        "draw; R-hat is 1 where all chains see the same."
    )

    def number(value: float | None, form: str) -> str:
        return "-" if value is None else format(value, form)

    rows = [
        [
            name,
            m.function,
            number(m.integrated_time, ",.1f"),
            number(m.effective_a_step, ".2g"),
            number(m.r_hat, ".3f"),
            m.remark or "yes",
        ]
        for name, one in _both(found)
        for m in one.mixing
    ]
    head = ["chain", "function", "integrated time", "ESS per step", "R-hat", "trusted?"]
    plots = [plotted(plot_mixing(one, name), f"{name}: autocorrelation") for name, one in _both(found)]
    return Section("Mixing?", text, [*plots, table(head, rows)])


def _strength(found: Diagnosis) -> Section:

    def marks(curve: StrengthCurve) -> str:
        shares = [share for share in (0.25, 0.5, 0.75) if share <= curve.monotone[-1]]
        reached = ", ".join(f"{share:.0%} at beta {curve.beta(share):.2g}" for share in shares)
        return reached or f"{curve.monotone[-1]:.0%} at the most"

    renewed, constant = found.walk.strength, found.paper.strength
    text = (
        "The distance of a variant from its start, over that of two unrelated examples. With the noise below a level "
        f"renewed, as nk vary and the studio do: {marks(renewed)}. By {constant.steps} steps of the paper's chain at "
        f"that level, read out sharp: {marks(constant)}. Lines are made monotone; bars are two errors."
    )
    return Section("How far does a variant go?", text, [plotted(plot_strength(found), "strength")])
