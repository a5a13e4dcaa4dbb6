"""The headline figures: how they follow from the results, and where they are written.

Each has an interval over seeds. They are written to results/summary.json, with script and date, and from there to the
page of results. Only scripts write either.
"""

import json
import math
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lab.effort import FULL
from lab.findings import Findings
from lab.results import RESULTS
from lab.studies import heads
from lab.studies.calls_and_rivals import best_rivals, figures_of

PATH = RESULTS / "summary.json"
#: The page that shows the figures, and the lines between which they stand.
PAGE = Path(__file__).parents[2] / "docs" / "results.md"
BEGIN, END = "<!-- headlines: written by benchmarks/bench_report.py -->", "<!-- end of headlines -->"

#: 97.5 % points of Student's t for 1, 2, 3 … degrees of freedom.
STUDENT = (12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)

#: A value and its interval; None where the results do not give it.
Headline = tuple[float, list[float]] | None

#: The rivals of which the best is meant, in words. A figure keeps those that it was compared with.
COMPARED = "DDPM, DDIM, DPM-Solver++, flow matching and EDM"
#: Each figure in words, and the value that we wanted.
WANTED = {
    "fid_ours_over_paper": ("Fréchet distance, ours over the paper's recipe, 100 calls", "at most .5"),
    "fid_ours20_over_paper100": ("ours at 20 calls over the paper's at 100", "at most 1"),
    "fid_ours_over_best_rival": ("ours over the best of {rivals}, 50 calls", "at most 1.1"),
    "fid20_ours_over_best_rival": ("the same at 20 calls", ""),
    "bits_ours_over_best_rival": ("the same in bits per element on held-out pictures", ""),
    "colour_fid_ours_over_best_rival": ("in colour: ours over the best of {rivals}, 50 calls", "at most .95"),
    "colour_fid20_ours_over_best_rival": ("the same at 20 calls", "at most .95"),
    "colour_bits_ours_over_best_rival": ("the same in bits per element on held-out pictures", "at most .95"),
    "colour32_fid_ours_over_best_rival": ("32x32 in colour: ours over the best of {rivals}, 50 calls", "at most 1"),
    "colour32_bits_ours_over_best_rival": ("the same in bits per element on held-out pictures", "at most 1"),
    "head_images": (
        "images that the covariance head needs for the bits of the other at 24,000, over 24,000",
        "at most .5",
    ),
    "head_time": ("time per training image, covariance head over the other", "at most 1.05"),
    "colour_head_images": ("in colour: images of the covariance head for the bits of the other", "at most .5"),
    "colour_head_time": ("in colour: time per training image", "at most 1.05"),
    "walk_10k_over_1": ("our walk at beta .2: step 10,000 over step 1", "at most 1.1"),
    "walk_400_over_1": ("the same: step 400 over step 1", ""),
    "corrected_excess_100": ("its excess over real pictures after 100 steps, corrected over not", "at most .25"),
    "corrected_excess_400": ("the same after 400 steps", "at most .25"),
    "corrected_excess_1000": ("the same after 1,000 steps", "at most .25"),
    "renewal_10k_over_new": ("a walk of the noise: step 10,000 over as many new samples, 20 calls each", "1"),
    "loopback_over_1": ("img2img in a loop: round 100 over round 1", "(rises)"),
    "reversibility_auc": (
        "telling (x, y) from (y, x), held-out pairs, beta .2: area under the ROC curve",
        ".48 to .52",
    ),
    "categorical_fid_ours_over_paper": ("categories: ours at 100 calls over the paper's at 500", ""),
    "train_ips_over_diffusers": ("training speed over `diffusers`' U-Net, equal parameters", ""),
    "train_ips_over_paper_unet": ("training speed over the paper's U-Net, equal parameters", ""),
    "sgemm_share": ("share of the processor's matrix peak in training", ""),
}


def figures(found: Findings, material: str) -> dict[str, Headline]:
    """The headline figures that the results on this material give."""
    ours = {n: found.fids(material, "ours", n) for n in (20, 50, 100)}
    paper = found.fids(material, "paper", 100)
    return {
        "fid_ours_over_paper": ratio(ours[100], paper),
        "fid_ours20_over_paper100": ratio(ours[20], paper),
        **against_rivals(found, material),
        **of_heads(found, material),
        "walk_10k_over_1": _drift(found, material, "long ours"),
        "walk_400_over_1": _drift(found, material, "lag 0.9"),
        **{f"corrected_excess_{steps}": _excess(found, material, steps) for steps in (100, 400, 1_000)},
        "renewal_10k_over_new": ratio(_last(found, material, "renewal, many", FULL.samples), ours[20]),
        "loopback_over_1": _drift(found, material, "long loopback"),
        "reversibility_auc": _auc(found, material),
        "categorical_fid_ours_over_paper": ratio(
            found.fids(material, "categorical carried", 100),
            found.fids(material, "categorical paper", 500),
        ),
    }


def against_rivals(found: Findings, material: str) -> dict[str, Headline]:
    """Ours over the best rival of each seed, in distance and in bits."""
    named = {"fid": 50, "fid20": 20, "bits": None}
    return {
        f"{name}_ours_over_best_rival": ratio(
            figures_of(found, material, "ours", calls),
            {seed: figure for seed, (figure, _) in best_rivals(found, material, calls).items()},
        )
        for name, calls in named.items()
    }


def of_heads(found: Findings, material: str) -> dict[str, Headline]:
    """What the covariance head saves and costs beside the other."""
    reached = heads.images_to_reach(found, material, FULL)
    paces = found.paces(material, heads.STUDY)
    new, old = (heads.arm(head).name for head in ("covariance", "preconditioned"))
    return {
        "head_images": ratio(reached, dict.fromkeys(reached, float(heads.REACHED))),
        "head_time": ratio(
            {seed: entry["ms"][old] * entry["over_first"][new]["median"] for seed, entry in paces.items()},
            {seed: entry["ms"][old] for seed, entry in paces.items()},
        ),
    }


def in_colour(found: Findings, material: str, prefix: str) -> dict[str, Headline]:
    """The figures of a coloured material, under names of their own."""
    every = {**against_rivals(found, material), **of_heads(found, material)}
    return {f"{prefix}_{name}": figure for name, figure in every.items() if f"{prefix}_{name}" in WANTED}


def ratio(above: dict[int, float], below: dict[int, float]) -> Headline:
    """The geometric mean of ratios at equal seeds, and its 95 % interval by Student's t."""
    logs = [math.log(above[seed] / below[seed]) for seed in sorted(above.keys() & below.keys())]
    if not logs:
        return None
    centre = statistics.mean(logs)
    if len(logs) == 1:
        return math.exp(centre), [math.nan, math.nan]
    half = STUDENT[len(logs) - 2] * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(centre), [math.exp(centre - half), math.exp(centre + half)]


def _auc(found: Findings, material: str) -> Headline:
    """The mean over seeds of the area under the ROC curve, one step apart, and 95 % by the test's own errors."""
    entries = [entry["after 1"] for entry in found.balance(material).values()]
    if not entries:
        return None
    mean = statistics.mean(entry["auc"] for entry in entries)
    half = 1.96 * math.sqrt(sum(entry["error"] ** 2 for entry in entries)) / len(entries)
    return mean, [mean - half, mean + half]


def _last(found: Findings, material: str, name: str, walkers: int | None = None) -> dict[int, float]:
    """The score at the end of walks, by seed. With `walkers`, only of so many, because fewer score higher."""
    walks = found.walks(material, name).items()
    return {seed: entry["stops"][-1]["fid"] for seed, entry in walks if walkers in (None, entry["walkers"])}


def _drift(found: Findings, material: str, name: str) -> Headline:
    first = {seed: entry["stops"][0]["fid"] for seed, entry in found.walks(material, name).items()}
    return ratio(_last(found, material, name), first)


def _excess(found: Findings, material: str, steps: int) -> Headline:
    """By how much walkers are farther from the data than as many real pictures: corrected over uncorrected."""

    def above(name: str) -> dict[int, float]:
        return {
            seed: stop["fid"] - entry["floor"]
            for seed, entry in found.walks(material, name).items()
            for stop in entry["stops"]
            if stop["steps"] == steps
        }

    corrected, plain = (above(f"correction: {name}") for name in ("corrected", "today"))
    # A walk that is as near as real pictures are has no excess to take a ratio of.
    return ratio({seed: max(value, 1e-3) for seed, value in corrected.items()}, plain)


def put(name: str, value: float, interval: Sequence[float], script: str, date: str, **more: Any) -> None:
    """Write one figure in place of an older one of the same name. The interval of a single seed is null."""
    summary = json.loads(PATH.read_text()) if PATH.exists() else {}
    summary[name] = {
        "value": round(value, 4),
        "interval": rounded(interval),
        "script": script,
        "date": date,
        **more,
    }
    PATH.write_text(json.dumps(dict(sorted(summary.items())), indent=2) + "\n")


def rounded(interval: Sequence[float]) -> list[float] | None:
    return [round(end, 4) for end in interval] if all(map(math.isfinite, interval)) else None


def _in_words(interval: Sequence[float] | None) -> str:
    return " to ".join(f"{end:.2f}" for end in interval) if interval else "one seed"


def table() -> str:
    """The figures of summary.json as Markdown."""
    summary = json.loads(PATH.read_text())
    lines = ["| | wanted | found | 95 % or range | on | digits |", "|---|---|---|---|---|---|"]
    for name, (words, wanted) in WANTED.items():
        if name in summary:
            found = summary[name]
            beside = f"{found['digits']:.2f} ({_in_words(found['digits_interval'])})" if "digits" in found else ""
            where = found.get("material", f"32x32, {found.get('size', '')}")
            figure = f"**{found['value']:.2f}** | {_in_words(found['interval'])}"
            lines.append(
                f"| {words.format(rivals=found.get('rivals'))} (`{name}`) | {wanted} | {figure} | {where} | {beside} |"
            )
    return "\n".join(lines)


def show() -> None:
    """Write the table into the page, in place of the older one."""
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}")
