"""results/summary.json: headline figures, each with its interval, its script and its date. Only scripts write it."""

import json
import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

PATH = Path(__file__).parents[1] / "results" / "summary.json"
#: The page that shows the figures, and the lines between which it does.
PAGE = Path(__file__).parents[2] / "docs" / "results.md"
BEGIN, END = "<!-- headlines: written by benchmarks/bench_report.py -->", "<!-- end of headlines -->"

#: In words, and what we wanted.
SAID = {
    "fid_ours_over_paper": ("Fréchet distance, ours over the paper's recipe, 100 calls", "at most .5"),
    "fid_ours20_over_paper100": ("ours at 20 calls over the paper's at 100", "at most 1"),
    "fid_ours_over_best_rival": (
        "ours over the best of DDPM, DDIM, DPM-Solver++ and flow matching, 50 calls",
        "at most 1.1",
    ),
    "walk_10k_over_1": ("our walk at beta .2: step 10,000 over step 1", "at most 1.1"),
    "walk_400_over_1": ("the same: step 400 over step 1", ""),
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


def put(name: str, value: float, interval: Sequence[float], script: str, **more: Any) -> None:
    """Write one figure, over an older one of the same name. A single seed has no interval: not finite, null."""
    summary = json.loads(PATH.read_text()) if PATH.exists() else {}
    summary[name] = {
        "value": round(value, 4),
        "interval": rounded(interval),
        "script": script,
        "date": datetime.now(UTC).date().isoformat(),
        **more,
    }
    PATH.write_text(json.dumps(dict(sorted(summary.items())), indent=2) + "\n")


def rounded(interval: Sequence[float]) -> list[float] | None:
    return [round(end, 4) for end in interval] if all(map(math.isfinite, interval)) else None


def _said(interval: Sequence[float] | None) -> str:
    return " to ".join(f"{end:.2f}" for end in interval) if interval else "one seed"


def table() -> str:
    """The headlines as Markdown."""
    summary = json.loads(PATH.read_text())
    lines = ["| | wanted | found | 95 % or range | on | digits |", "|---|---|---|---|---|---|"]
    for name, (said, wanted) in SAID.items():
        if name in summary:
            found = summary[name]
            beside = f"{found['digits']:.2f} ({_said(found['digits_interval'])})" if "digits" in found else ""
            where = found.get("material", f"32x32, {found.get('size', '')}")
            figure = f"**{found['value']:.2f}** | {_said(found['interval'])}"
            lines.append(f"| {said} (`{name}`) | {wanted} | {figure} | {where} | {beside} |")
    return "\n".join(lines)


def show() -> None:
    """Put the table where the page has it."""
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}")
