"""A diagnosis as a page of plots: one HTML file with everything in it."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from PIL import Image

from noisekernel.core.errors import NoiseKernelError
from noisekernel.kinds.pictures.drawing import contact_sheet
from noisekernel.measuring.chains import StrengthCurve
from noisekernel.measuring.chains.diagnosis import LEVEL, Diagnosis
from noisekernel.measuring.page import COLOURS, Section, embedded, new_axes, plotted, table, write_report
from noisekernel.models.model import Model

LEAD = "Is this chain what it should be? Each figure stands with its uncertainty."


def need_matplotlib() -> None:
    """Refuse, before any work is done, a page that could not be drawn."""
    if find_spec("matplotlib") is None:
        raise NoiseKernelError("the plots are drawn with matplotlib: pip install 'noisekernel[diagnose]'")


def write_page(path: Path, found: Diagnosis, model: Model, figures: Mapping[str, Any]) -> None:
    """The file. `figures` are all that was measured and set."""
    need_matplotlib()
    stationary = found.stationary
    facts = {
        "model": str(figures["model"]),
        "data": f"{figures['data']}: {found.examples:,} pictures",
        "walk": f"{stationary.chains} chains, {stationary.distances[-1].steps:,} steps at beta {stationary.beta:g}, "
        f"lag {stationary.lag:g}",
        "seed": str(found.seed),
    }
    sections = [_reversible(found), _stationary(found, model), _mixing(found), _strength(found)]
    name = figures["model"]
    commands = (
        f"nk vary {name} PICTURE --beta {stationary.beta:g}      variants of a picture\n"
        f"nk walk {name} --beta {stationary.beta:g}              a film of the chain"
    )
    write_report(path, f"Diagnosis of {name}", facts, sections, figures, commands, lead=LEAD)


def _labelled(axes: Any, x: str, y: str) -> Any:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.legend(frameon=False, fontsize=8)
    return axes


def plot_reversible(found: Diagnosis) -> Any:
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
    return _labelled(axes, "noise level beta", "AUC of (x, y) against (y, x)")


def plot_stationary(found: Diagnosis) -> Any:
    """The distance to the data over the steps of the walk, and the floor."""
    axes, stationary = new_axes(), found.stationary
    axes.errorbar(
        [d.steps for d in stationary.distances],
        [d.distance for d in stationary.distances],
        [2 * d.error for d in stationary.distances],
        fmt="o-",
        capsize=3,
        color=COLOURS[0],
        label="the walk",
    )
    low, high = (stationary.floor + side * 2 * stationary.floor_error for side in (-1, 1))
    axes.axhspan(low, high, color=COLOURS[6], alpha=0.12, linewidth=0)
    axes.axhline(stationary.floor, color=COLOURS[6], linestyle="--", linewidth=1.2, label="as many real pictures")
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(left=-0.1)
    axes.set_xticks([d.steps for d in stationary.distances], [f"{d.steps:,}" for d in stationary.distances])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    return _labelled(axes, "steps", "Fréchet distance to the data")


def plot_mixing(found: Diagnosis) -> Any:
    """Autocorrelations."""
    axes = new_axes()
    for i, m in enumerate(found.mixing):
        axes.plot(m.lags, m.autocorrelation, color=COLOURS[i % 7], linewidth=1.4, label=m.function)
    axes.axhline(0.0, color=COLOURS[0], linewidth=0.8)
    axes.set_xscale("symlog", linthresh=1)
    axes.set_xlim(left=-0.1)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return _labelled(axes, "steps apart", "autocorrelation")


def plot_strength(found: Diagnosis) -> Any:
    """How far variants of either kind go, and the monotone curves through it."""
    axes = new_axes()
    axes.axhline(1.0, color=COLOURS[6], linestyle="--", linewidth=1.2, label="two unrelated pictures")
    shown = {"noise below it drawn anew": found.renewal, "a walk at it": found.strength}
    for colour, (name, curve) in zip((COLOURS[2], COLOURS[0]), shown.items(), strict=True):
        axes.plot((0.0, *curve.betas), (0.0, *curve.monotone), color=colour, linewidth=1.4)
        bars = [2 * error for error in curve.errors]
        axes.errorbar(curve.betas, curve.distances, bars, fmt="o", capsize=3, color=colour, label=name)
    axes.set_ylim(bottom=0)
    return _labelled(axes, "noise level beta", "distance of a variant from its start")


def _reversible(found: Diagnosis) -> Section:
    main, caught = found.main, found.irreversible
    told = "; ".join(f"beta {r.beta:g} over {r.steps} step{'s' * (r.steps > 1)}, by {by}" for r, by in caught)
    text = (
        f"A chain is reversible if (x, y) and (y, x) have one law. Classifiers that were shown half of {main.pairs:,} "
        f"pairs try to tell which is which in the other half; 0.5 is guessing. At beta {main.beta:g}, one step: AUC "
        f"{main.test.auc:.3f} ± {main.test.error:.3f}, p = {main.test.p_value:.2g}. Bars are two standard errors; the "
        f"band is 0.5 ± 0.02. At level {LEVEL:g} over all {len(found.p_values)} tests and statistics, "
        + (f"irreversible: {told}." if caught else "nothing calls the chain irreversible.")
        + " Below, means that are zero in balance."
    )
    rows = [
        [f"{r.beta:g}", str(r.steps), s.name, f"{s.mean:+.4f}", f"{s.error:.4f}", f"{s.p_value:.2g}"]
        for r in found.reversible
        if r.beta == main.beta
        for s in r.statistics
    ]
    head = ["beta", "steps", "f, g: mean of f(x) g(y) - g(x) f(y)", "mean", "standard error", "p"]
    return Section("Reversible?", text, [plotted(plot_reversible(found), "AUC by noise level"), table(head, rows)])


def _stationary(found: Diagnosis, model: Model) -> Section:
    s = found.stationary
    last = s.distances[-1]
    text = (
        f"The Fréchet distance of {s.chains} chains to the data they did not start from, on {s.features}. The dashed "
        f"line is where real pictures, as many, are: {s.floor:.2f} ± {s.floor_error:.2f}. After {last.steps:,} steps "
        f"{last.distance:.2f} ± {last.error:.2f}, which is {last.drift:+.2f} ± {last.drift_error:.2f} more than after "
        f"one. Step 0 is the start, noised and read out again. Bars are two standard errors. Below, row by row, some "
        f"chains after {', '.join(f'{steps:,}' for steps in found.shown)} steps."
    )
    cells: list[Image.Image] = [image for z in found.shown.values() for image in model.draw(z)]
    columns = len(next(iter(found.shown.values())))
    sheet = embedded(contact_sheet(cells, columns, least=48), alt="chains along the walk")
    return Section("Stationary?", text, [plotted(plot_stationary(found), "distance over steps"), sheet])


def _mixing(found: Diagnosis) -> Section:
    first = found.mixing[0]
    text = (
        f"Scalar functions of the denoised state along {first.chains} chains from different starts. The integrated "
        "time is how many steps are worth one independent draw; R-hat is 1 where all chains see the same."
    )

    def number(value: float | None, form: str) -> str:
        return "-" if value is None else format(value, form)

    rows = [
        [
            m.function,
            number(m.integrated_time, ",.1f"),
            number(m.effective_a_step, ".2g"),
            number(m.r_hat, ".3f"),
            m.remark or "yes",
        ]
        for m in found.mixing
    ]
    head = ["function", "integrated time", "ESS a step", "R-hat", "trusted?"]
    return Section("Mixing?", text, [plotted(plot_mixing(found), "autocorrelation"), table(head, rows)])


def _strength(found: Diagnosis) -> Section:

    def marks(curve: StrengthCurve) -> str:
        shares = [share for share in (0.25, 0.5, 0.75) if share <= curve.monotone[-1]]
        reached = ", ".join(f"{share:.0%} at beta {curve.beta(share):.2g}" for share in shares)
        return reached or f"{curve.monotone[-1]:.0%} at the most"

    text = (
        "The distance of a variant from its start, over that of two unrelated pictures. With the noise below a level "
        f"drawn anew, as nk vary and the studio do: {marks(found.renewal)}. By a walk of {found.strength.steps} steps "
        f"at that level, as in the paper: {marks(found.strength)}. Lines are made monotone; bars are two errors."
    )
    return Section("How far does a variant go?", text, [plotted(plot_strength(found), "strength")])
