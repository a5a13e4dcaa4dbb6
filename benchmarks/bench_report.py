"""Tables, plots and headline figures from the results of bench.py.

python benchmarks/bench_report.py            writes results/<date of the newest>-bench.md and .png, summary.json
python benchmarks/bench_report.py --quick    prints the tables of bench.py --quick, and writes nothing
"""

import argparse
from pathlib import Path
from typing import Any

from lab import report, studies, summary

RESULTS = Path(__file__).parent / "results"


def plot(results: report.Results, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(results.materials), 3, figsize=(14, 4.2 * len(results.materials)), squeeze=False)
    for row, material in zip(axes, results.materials, strict=True):
        floor = results.floor(material)
        for name in (*report.OURS, *report.RIVALS):
            points = {n: list(results.fids(material, name, n).values()) for n in studies.FULL.calls}
            _line(row[0], points, name, "--" if name in report.RIVALS else "-")
        row[0].set(title=f"{material}: samples", xlabel="network calls", ylabel="Fréchet distance")
        for name in report.LONG:
            _line(row[1], {n: fid for n, (fid, _) in results.walk(material, f"long {name}").items()}, name)
        row[1].set(title=f"{material}: long walks", xlabel="steps (loopback: rounds)")
        for lag in studies.LAGS:
            steps = results.walk(material, f"lag {lag}")
            row[2].plot(*_trade(steps), "o-", label=f"lag {lag}")
        for lag in studies.DEEP_LAGS:
            row[2].plot(*_trade(results.walk(material, f"deep lag {lag}")), "s--", label=f"deep, lag {lag}")
        row[2].set(title=f"{material}: drift against way", xlabel="distance travelled (two pictures: 1)")
        for axis in row:
            axis.axhline(floor, color="grey", linewidth=0.8)
            axis.set_yscale("log")
            if axis.get_legend_handles_labels()[0]:
                axis.legend(fontsize=7)
        row[0].set_xscale("log")
        row[1].set_xscale("log")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def _trade(steps: dict[int, tuple[list[float], list[float]]]) -> tuple[list[float], list[float]]:
    pairs = [(sum(way) / len(way), sum(fid) / len(fid)) for fid, way in steps.values()]
    return [way for way, _ in pairs], [fid for _, fid in pairs]


def _line(axis: Any, points: dict[int, list[float]], name: str, style: str = "-") -> None:
    there = {n: values for n, values in points.items() if values}
    if not there:
        return
    mean = [sum(values) / len(values) for values in there.values()]
    (line,) = axis.plot(list(there), mean, f"o{style}", label=name)
    low, high = [min(v) for v in there.values()], [max(v) for v in there.values()]
    axis.fill_between(list(there), low, high, color=line.get_color(), alpha=0.15)


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
    # The headline is that of the largest pictures that have it; digits stand beside it.
    digits = report.headlines(results, "digits")
    for material in ("digits", "fashion14", "fashion28"):
        for key, found in report.headlines(results, material).items():
            if found is not None:
                beside: dict[str, Any] = {"material": material}
                if material != "digits" and (small := digits[key]) is not None:
                    beside["digits"] = round(small[0], 4)
                summary.put(key, found[0], found[1], "benchmarks/bench.py", **beside)
    if summary.PAGE.exists():
        summary.show()
    print(text)


if __name__ == "__main__":
    main()
