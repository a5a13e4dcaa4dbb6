"""Tables, plots and headline figures from the results of bench.py.

python benchmarks/bench_report.py            writes results/<date of the newest>-bench.md and .png, summary.json
python benchmarks/bench_report.py --quick    prints the tables of bench.py --quick, and writes nothing
"""

import argparse
from pathlib import Path
from typing import Any

from lab import report, studies, summary

RESULTS = Path(__file__).parent / "results"


#: One colour an arm in all plots; rivals are dashed.
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
    "walk-jump": "tab:green",
    "gsn walkback": "tab:purple",
    "loopback": "tab:red",
    "bundled": "tab:cyan",
    "deep, beta 0.6": "tab:olive",
}


def plot(results: report.Results, path: Path) -> None:
    """A row a material: samples by calls, long walks, drift against way. What was not measured is left out."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        len(results.materials), 3, figsize=(17, 4.4 * len(results.materials)), squeeze=False, layout="constrained"
    )
    for (samples, walks, trade), material in zip(axes, results.materials, strict=True):
        for name in (*report.OURS[:-1], "paper", *report.RIVALS):
            points = {n: list(results.fids(material, name, n).values()) for n in studies.FULL.calls}
            _line(samples, points, name, "--" if name in report.RIVALS else "-")
        samples.set(title=f"{material}: samples", xlabel="network calls", ylabel="Fréchet distance", xscale="log")
        samples.set_xticks(studies.FULL.calls, map(str, studies.FULL.calls))
        samples.axhline(results.floor(material), color="grey", linewidth=0.8, label="real pictures")
        for name, walk in _WALKS.items():
            found = next((steps for each in walk if (steps := results.walk(material, each))), {})
            _line(walks, {n: fid for n, (fid, _) in found.items()}, name, "--" if name in report.LONG[1:] else "-")
        walks.set(title=f"{material}: long walks", xlabel="steps (loopback: rounds)", xscale="log")
        for kind, names in {"o-": [f"lag {x}" for x in studies.LAGS], "s--": _DEEP, "^:": _NOISES}.items():
            for name in names:
                if steps := results.walk(material, name):
                    trade.plot(*_trade(steps), kind, label=name)
        trade.set(title=f"{material}: drift against way", xlabel="distance travelled (two pictures: 1)")
        for axis in (walks, trade):
            if floor := results.walk_floor(material):
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


def plot_renewal(results: report.Results, path: Path) -> None:
    """Drift against way by many walkers: renewing the noise beside walks at constant noise. A column a model."""
    import matplotlib.pyplot as plt

    shown = [
        (material, prefix)
        for material in results.materials
        for prefix in ("", "bundled, ")
        if results.walks(material, f"{prefix}renewal, many")
    ]
    if not shown:
        return
    figure, axes = plt.subplots(1, len(shown), figsize=(6 * len(shown), 4.4), squeeze=False, layout="constrained")
    for axis, (material, prefix) in zip(axes[0], shown, strict=True):
        for name in studies.RENEWALS:
            if not name.startswith("renewed below") and (steps := results.walk(material, f"{prefix}{name}")):
                axis.plot(*_trade(steps), "^:" if name.startswith("beta") else "o-", label=name.removesuffix(", many"))
        below = [results.walk(material, f"{prefix}{name}") for name in studies.RENEWALS if name.startswith("renewed")]
        if points := [_trade(steps) for steps in below if steps]:
            axis.plot([p[0][0] for p in points], [p[1][0] for p in points], "s-", label="renewed below .1 to .9")
        floor = next(iter(results.walks(material, f"{prefix}renewal, many").values()))["floor"]
        axis.axhline(floor, color="grey", linewidth=0.8, label="as many real pictures")
        axis.set(title=f"{prefix.strip(', ') or 'ours'} on {material}", xlabel="distance travelled (two pictures: 1)")
        axis.set_ylabel("Fréchet distance")
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter("{x:g}")
        axis.yaxis.set_minor_formatter("{x:g}")
        axis.legend(fontsize=7, frameon=False)
    figure.savefig(path, dpi=100)


_DEEP = [f"deep lag {lag}" for lag in studies.DEEP_LAGS]
_NOISES = [f"beta {beta}" for beta in studies.NOISES]
#: Of walks of one kind the longest that there is.
_WALKS = {
    "ours": ("long ours", "far, beta 0.2", "lag 0.9"),
    "bundled": ("bundled",),
    "deep, beta 0.6": ("far, deep, beta 0.6",),
    **{name: (f"long {name}",) for name in report.LONG[1:]},
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


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true")
    quick = arguments.parse_args().quick
    results = report.Results.read(RESULTS.parent / "scratch" / "quick" if quick else RESULTS / "bench")
    if not results.entries:
        raise SystemExit("there are no results yet; run bench.py first")
    if quick:
        print(report.markdown(results, studies.QUICK))
        return
    date = max(entry["date"] for entry in results.entries)
    name = f"{date}-bench"
    text = report.markdown(results, studies.FULL)
    (RESULTS / f"{name}.md").write_text(f"# Results of bench.py, {date}\n\n![plots]({name}.png)\n\n{text}")
    plot(results, RESULTS / f"{name}.png")
    plot_renewal(results, RESULTS / f"{date}-renewal.png")
    # The headline is that of the largest pictures that have it; digits stand beside it.
    digits = report.headlines(results, "digits")
    for material in ("digits", "fashion14", "mnist28", "fashion28"):
        for key, found in report.headlines(results, material).items():
            if found is not None:
                beside: dict[str, Any] = {"material": material}
                if material != "digits" and (small := digits[key]) is not None:
                    beside["digits"] = round(small[0], 4)
                    beside["digits_interval"] = summary.rounded(small[1])
                summary.put(key, found[0], found[1], "benchmarks/bench.py", **beside)
    if summary.PAGE.exists():
        summary.show()
    print(text)


if __name__ == "__main__":
    main()
