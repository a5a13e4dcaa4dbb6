"""A steered chain beside new samples that are weighed, as a page."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from noisekernel.measuring.chains.steered import Estimate, Steered
from noisekernel.measuring.page import COLOURS, Section, new_axes, plotted, table, write_report

LEAD = (
    "A chain that is steered by a score is to be where new samples would be, were each of them weighed by the "
    "exponential of the score. Is it?"
)


def plot(found: Steered, score: str) -> Any:
    """The score of new samples, of weighed ones, and along the chain.

    Args:
        found: What was measured.
        score: The name of the score.
    """
    axes = new_axes()
    axes.stairs(found.shares["new"], found.edges, color=COLOURS[6], linewidth=1.2, label="new samples")
    axes.stairs(
        found.shares["weighed"], found.edges, color=COLOURS[2], fill=True, alpha=0.35, label="weighed: the truth"
    )
    axes.stairs(found.shares["chain"], found.edges, color=COLOURS[0], linewidth=2.0, label="the chain")
    axes.set_xlabel(score)
    axes.set_ylabel("share")
    axes.legend(frameon=False, fontsize=8)
    return axes


def write_page(path: Path, found: Steered, score: str, figures: Mapping[str, Any]) -> None:
    """The file.

    Args:
        path: Where it is written.
        found: What was measured.
        score: The name of the score.
        figures: All that was measured and set.
    """

    def row(name: str, one: Estimate) -> list[str]:
        return [name, f"{one.mean:.4g}", f"{one.error:.2g}"]

    facts = {
        "model": str(figures["model"]),
        "score": f"{score}, times {found.insist:g}",
        "chain": f"{found.chain}: {found.walkers} walkers, {found.steps:,} steps, the first half left out",
        "new samples": f"{found.samples:,}, of which the weights leave {found.left:,.0f}, so to say",
        "seed": str(figures["seed"]),
    }
    rows = [
        row("new samples", found.plain),
        row("weighed by exp(f): the truth", found.weighed),
        row("the chain", found.steered),
    ]
    time = found.mixing.integrated_time
    pace = "" if time is None else f"{time:.0f} steps are worth one independent draw. "
    text = (
        f"Where it should be: {found.verdict}. Of the steps {found.accepted:.0%} were taken, {found.different:.0%} "
        f"were taken and led elsewhere; {pace}"
    )
    shown = [plotted(plot(found, score), f"{score} along the chain"), table(["", "mean", "standard error"], rows)]
    command = f"nk diagnose {figures['model']} --score {score} --insist {found.insist:g} --chain {found.chain}"
    section = Section(f"The score {score!r}", text, shown)
    write_report(path, f"A steered chain of {figures['model']}", facts, [section], figures, command, lead=LEAD)
