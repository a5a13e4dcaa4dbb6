"""Tables, plots and headline figures from the results of bench.py.

python benchmarks/bench_report.py            writes results/<date of the newest>-bench.md and .png, summary.json
python benchmarks/bench_report.py --quick    prints the tables of bench.py --quick, and writes nothing
"""

import argparse
from typing import Any

from lab import headlines, plots, programme
from lab.effort import FULL, QUICK
from lab.findings import Findings
from lab.results import RESULTS, ResultsFolder


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true")
    quick = arguments.parse_args().quick
    folder = RESULTS.parent / "scratch" / "quick" if quick else RESULTS / "bench"
    found = Findings.read(ResultsFolder(folder))
    if not found.entries:
        raise SystemExit(f"there are no results in {folder}: run bench.py{' --quick' * quick} first")
    if quick:
        print(programme.markdown(found, QUICK))
        return
    date = found.newest
    name = f"{date}-bench"
    text = programme.markdown(found, FULL)
    (RESULTS / f"{name}.md").write_text(f"# Results of bench.py, {date}\n\n![plots]({name}.png)\n\n{text}")
    plots.plot_studies(found, RESULTS / f"{name}.png")
    plots.plot_curves(found, RESULTS / f"{date}-curves.png")
    plots.plot_renewal(found, RESULTS / f"{date}-renewal.png")
    _write_headlines(found)
    print(text)


def _write_headlines(found: Findings) -> None:
    """Each figure is that of the largest pictures that have it, with the figure of digits beside it."""
    digits = headlines.figures(found, "digits")
    for material in ("digits", "fashion14", "mnist14", "mnist28", "fashion28"):
        for name, figure in headlines.figures(found, material).items():
            if figure is None:
                continue
            beside: dict[str, Any] = {"material": material}
            if material != "digits" and (small := digits[name]) is not None:
                beside["digits"] = round(small[0], 4)
                beside["digits_interval"] = headlines.rounded(small[1])
            if "rivals" in headlines.WANTED[name][0]:
                beside["rivals"] = headlines.COMPARED
            headlines.put(name, *figure, "benchmarks/bench.py", found.newest, **beside)
    for material, prefix in {"cifar16": "colour", "cifar32": "colour32"}.items():
        for name, figure in headlines.in_colour(found, material, prefix).items():
            if figure is not None:
                told: dict[str, Any] = {"material": material, "rivals": headlines.COMPARED}
                headlines.put(name, *figure, "benchmarks/bench.py", found.newest, **told)
    if headlines.PAGE.exists():
        headlines.show()


if __name__ == "__main__":
    main()
