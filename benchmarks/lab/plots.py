"""Plots of the results of bench.py."""

from pathlib import Path
from typing import Any

from lab.effort import FULL
from lab.findings import Findings
from lab.studies.calls_and_rivals import OURS, RIVALS, TRAINED
from lab.studies.long_walks import LONG
from lab.studies.noise_renewal import RENEWALS
from lab.studies.walk_tradeoffs import DEEP_LAGS, LAGS, NOISES

#: Each arm has one colour in all plots; rivals are dashed.
COLOURS = {
    "ours": "tab:blue",
    "deterministic": "tab:cyan",
    "first order": "lightsteelblue",
    "paper": "black",
    "ddpm": "tab:red",
    "ddim": "tab:orange",
    "dpm-solver++": "tab:brown",
    "sde-dpm-solver++": "tab:pink",
    "flow matching": "tab:green",
    "flow matching, midpoint": "tab:olive",
    "edm": "tab:purple",
    "edm, stochastic": "mediumorchid",
    "edm, more stochastic": "plum",
    "walk-jump": "tab:green",
    "gsn walkback": "tab:purple",
    "loopback": "tab:red",
    "bundled": "tab:cyan",
    "deep, beta 0.6": "tab:olive",
}


def plot_studies(found: Findings, path: Path) -> None:
    """One row per material: samples by calls, long walks, drift against distance. Empty plots are left out."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        len(found.materials), 3, figsize=(17, 4.4 * len(found.materials)), squeeze=False, layout="constrained"
    )
    for (samples, walks, trade), material in zip(axes, found.materials, strict=True):
        for name in (*OURS[:-1], "paper", *RIVALS):
            points = {n: list(found.fids(material, name, n).values()) for n in FULL.calls}
            _line(samples, points, name, "--" if name in RIVALS else "-")
        samples.set(title=f"{material}: samples", xlabel="network calls", ylabel="Fréchet distance", xscale="log")
        samples.set_xticks(FULL.calls, map(str, FULL.calls))
        samples.axhline(found.floor(material), color="grey", linewidth=0.8, label="real pictures")
        for name, walk in _WALKS.items():
            longest = next((steps for each in walk if (steps := found.walk(material, each))), {})
            _line(walks, {n: fid for n, (fid, _) in longest.items()}, name, "--" if name in LONG[1:] else "-")
        walks.set(title=f"{material}: long walks", xlabel="steps (loopback: rounds)", xscale="log")
        for kind, names in {"o-": [f"lag {x}" for x in LAGS], "s--": _DEEP, "^:": _NOISES}.items():
            for name in names:
                if steps := found.walk(material, name):
                    trade.plot(*_trade(steps), kind, label=name)
        trade.set(title=f"{material}: drift against way", xlabel="distance travelled (two pictures: 1)")
        for axis in (walks, trade):
            if floor := found.walk_floor(material):
                axis.axhline(floor, color="grey", linewidth=0.8, label="as many real pictures")
        for axis in (samples, walks, trade):
            if not axis.lines[1:]:
                axis.set_visible(False)
                continue
            axis.set_yscale("log")
            axis.yaxis.set_major_formatter("{x:g}")
            axis.yaxis.set_minor_formatter("{x:g}")
            axis.tick_params(axis="y", which="minor", labelsize=7)
            axis.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    figure.savefig(path, dpi=100)


def plot_curves(found: Findings, path: Path) -> None:
    """Errors of the networks of rivals on held-out pictures over that of ours, by noise level and seed."""
    import matplotlib.pyplot as plt

    shown = [material for material in found.materials if any(found.curves(material, name) for name in TRAINED)]
    if not shown:
        return
    figure, axes = plt.subplots(1, len(shown), figsize=(6 * len(shown), 4.4), squeeze=False, layout="constrained")
    for axis, material in zip(axes[0], shown, strict=True):
        ours = found.curves(material, "ours")
        for name in ("paper", *TRAINED):
            curves = found.curves(material, name)
            for number, seed in enumerate(sorted(curves.keys() & ours.keys())):
                over = [one / other for one, other in zip(curves[seed]["errors"], ours[seed]["errors"], strict=True)]
                label = name if number == 0 else None
                axis.plot(ours[seed]["sigmas"], over, color=COLOURS[name], label=label, linewidth=1.0)
        axis.axhline(1.0, color=COLOURS["ours"], label="ours")
        axis.set(title=material, xlabel="sigma", ylabel="squared error over ours", xscale="log", ylim=(0.8, 1.4))
        axis.legend(fontsize=7, frameon=False)
    figure.savefig(path, dpi=100)


def plot_renewal(found: Findings, path: Path) -> None:
    """Drift against distance by many walkers: renewed noise beside constant noise. One column per model."""
    import matplotlib.pyplot as plt

    shown = [
        (material, prefix)
        for material in found.materials
        for prefix in ("", "bundled, ")
        if found.walks(material, f"{prefix}renewal, many")
    ]
    if not shown:
        return
    figure, axes = plt.subplots(1, len(shown), figsize=(6 * len(shown), 4.4), squeeze=False, layout="constrained")
    for axis, (material, prefix) in zip(axes[0], shown, strict=True):
        for name in RENEWALS:
            if not name.startswith("renewed below") and (steps := found.walk(material, f"{prefix}{name}")):
                axis.plot(*_trade(steps), "^:" if name.startswith("beta") else "o-", label=name.removesuffix(", many"))
        below = [found.walk(material, f"{prefix}{name}") for name in RENEWALS if name.startswith("renewed")]
        if points := [_trade(steps) for steps in below if steps]:
            axis.plot([p[0][0] for p in points], [p[1][0] for p in points], "s-", label="renewed below .1 to .9")
        floor = next(iter(found.walks(material, f"{prefix}renewal, many").values()))["floor"]
        axis.axhline(floor, color="grey", linewidth=0.8, label="as many real pictures")
        axis.set(title=f"{prefix.strip(', ') or 'ours'} on {material}", xlabel="distance travelled (two pictures: 1)")
        axis.set_ylabel("Fréchet distance")
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter("{x:g}")
        axis.yaxis.set_minor_formatter("{x:g}")
        axis.legend(fontsize=7, frameon=False)
    figure.savefig(path, dpi=100)


_DEEP = [f"deep lag {lag}" for lag in DEEP_LAGS]
_NOISES = [f"beta {beta}" for beta in NOISES]
#: For each way to walk, its walks from the longest to the shortest; the first that was measured is shown.
_WALKS = {
    "ours": ("long ours", "far, beta 0.2", "lag 0.9"),
    "bundled": ("bundled",),
    "deep, beta 0.6": ("far, deep, beta 0.6",),
    **{name: (f"long {name}",) for name in LONG[1:]},
}


def _trade(steps: dict[int, tuple[list[float], list[float]]]) -> tuple[list[float], list[float]]:
    pairs = [(sum(way) / len(way), sum(fid) / len(fid)) for fid, way in steps.values()]
    return [way for way, _ in pairs], [fid for _, fid in pairs]


def _line(axis: Any, points: dict[int, list[float]], name: str, style: str = "-") -> None:
    there = {n: values for n, values in points.items() if values}
    if not there:
        return
    mean = [sum(values) / len(values) for values in there.values()]
    axis.plot(list(there), mean, f"o{style}", label=name, color=COLOURS[name])
    low, high = [min(v) for v in there.values()], [max(v) for v in there.values()]
    axis.fill_between(list(there), low, high, color=COLOURS[name], alpha=0.12)
