"""From result files to tables, plots and headline figures. Nothing here is written by hand."""

import json
import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab import arms, studies
from lab.methods import CHURNS

#: 97.5 % points of Student's t for 1, 2, 3 … degrees of freedom.
STUDENT = (12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


@dataclass(frozen=True)
class Results:
    """All results, by material."""

    entries: list[dict[str, Any]]

    @classmethod
    def read(cls, folder: Path) -> "Results":
        return cls([json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))])

    @property
    def materials(self) -> list[str]:
        return sorted({entry["key"][0] for entry in self.entries})

    def fids(self, material: str, arm: str, calls: int, against: str = "fid") -> dict[int, float]:
        """Fréchet distances by seed: against the training pictures, or those "held_out"."""
        wanted = (material, arm, f"{calls}calls")
        return {
            int(entry["key"][3]): entry[against]
            for entry in self.entries
            if "fid" in entry and (entry["key"][0], entry["key"][2], entry["key"][4]) == wanted
        }

    def walks(self, material: str, name: str) -> dict[int, dict[str, Any]]:
        wanted = (material, f"walk {name}")
        return {int(e["key"][3]): e for e in self.entries if "stops" in e and (e["key"][0], e["key"][2]) == wanted}

    def balance(self, material: str, arm: str = "ours") -> dict[int, dict[str, Any]]:
        wanted = (material, f"balance {arm}")
        return {int(e["key"][3]): e for e in self.entries if (e["key"][0], e["key"][2]) == wanted}

    def walk(self, material: str, name: str) -> dict[int, tuple[list[float], list[float]]]:
        """Fréchet distances and distances travelled, over seeds, by number of steps."""
        found: dict[int, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
        for entry in self.walks(material, name).values():
            for stop in entry["stops"]:
                found[stop["steps"]][0].append(stop["fid"])
                found[stop["steps"]][1].append(stop["travelled"])
        return dict(sorted(found.items()))

    def floor(self, material: str) -> float:
        """What as many real pictures score as samples are judged; where fewer were too, that is not it."""
        found = [e for e in self.entries if "fid" in e and e["key"][0] == material]
        return max(found, key=lambda e: e["samples"])["floor"]

    def walk_floor(self, material: str) -> float | None:
        """What as many real pictures score as there usually are walkers; some walks have more."""
        found = [e for e in self.entries if "stops" in e and e["key"][0] == material]
        return min(found, key=lambda e: e["walkers"])["floor"] if found else None


def over_seeds(values: Iterable[float]) -> str:
    """The mean and the range."""
    many = list(values)
    if not many:
        return "-"
    if len(many) == 1:
        return f"{many[0]:.3f}"
    return f"{statistics.mean(many):.3f} ({min(many):.3f} to {max(many):.3f})"


def ratio(above: dict[int, float], below: dict[int, float]) -> tuple[float, list[float]] | None:
    """The geometric mean of ratios at equal seeds, and its 95 % interval by Student's t."""
    logs = [math.log(above[seed] / below[seed]) for seed in sorted(above.keys() & below.keys())]
    if not logs:
        return None
    centre = statistics.mean(logs)
    if len(logs) == 1:
        return math.exp(centre), [math.nan, math.nan]
    half = STUDENT[len(logs) - 2] * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(centre), [math.exp(centre - half), math.exp(centre + half)]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


Section = Callable[[Results, str, studies.Size], str]


def objectives(results: Results, material: str, size: studies.Size) -> str:
    last, middle = size.stops[-1], 50 if 50 in size.calls else size.calls[-1]
    rows = []
    for name in arms.OBJECTIVES:
        steps = results.walk(material, name)
        ends = [over_seeds(steps[n][0]) if n in steps else "-" for n in (1, last)]
        rows.append([name, over_seeds(results.fids(material, name, middle).values()), *ends])
    return table(["objective", f"samples, {middle} calls", "walk, step 1", f"walk, step {last}"], rows)


def adjusted(results: Results, material: str, size: studies.Size) -> str:
    """Samples, balance and a long walk by many walkers."""
    middle, stops = [n for n in size.calls if n in (20, 50)], size.long_stops
    rows = []
    for name in arms.ADJUSTED:
        steps = results.walk(material, f"{name}, many")
        rows.append(
            [
                name,
                *(over_seeds(results.fids(material, name, calls).values()) for calls in middle),
                over_seeds(entry["after 1"]["auc"] for entry in results.balance(material, name).values()),
                *(over_seeds(steps[n][0]) if n in steps else "-" for n in stops),
            ]
        )
    return table(["", *(f"{n} calls" for n in middle), "AUC", *(f"step {n:,}" for n in stops)], rows)


def levels(results: Results, material: str, size: studies.Size) -> str:
    rows = []
    shown = {"levels -1.2": "kl", **{name: name for name in arms.LEVEL_ARMS}, "levels -.4, 1.4, lifted: ours": "ours"}
    middle = [n for n in size.calls if n in (20, 50)]
    for said, name in shown.items():
        steps = results.walk(material, "lag 0.9" if name == "ours" else name)
        samples = [over_seeds(results.fids(material, name, calls).values()) for calls in middle]
        rows.append([said, *samples, over_seeds(steps.get(size.stops[-1], ([], []))[0])])
    return table(["", *(f"{n} calls" for n in middle), f"walk, step {size.stops[-1]}"], rows)


def ladder(results: Results, material: str, size: studies.Size) -> str:
    rows = []
    for name, arm in arms.LADDER.items():
        at = [over_seeds(results.fids(material, arm.name, calls).values()) for calls in (20, 100)]
        rows.append([name, *at])
    return table(["", "20 calls", "100 calls"], rows)


OURS = ("ours", "deterministic", "first order", "correctors")
#: A seed counts against the best rival when these are there.
FAMILIES = ("ddpm", "ddim", "flow matching")
RIVALS = ("ddpm", "ddim", "dpm-solver++", "sde-dpm-solver++", "flow matching", "flow matching, midpoint")


def calls(results: Results, material: str, size: studies.Size) -> str:
    many = (*size.calls, 500)
    return table(
        ["", *(f"{n} calls" for n in many)],
        (
            [name, *(over_seeds(results.fids(material, name, n).values()) for n in many)]
            for name in (*OURS, "bundled", "paper", *RIVALS)
        ),
    )


def held_out(results: Results, material: str, size: studies.Size) -> str:
    """The same samples against pictures that nobody was trained on."""
    many = size.calls
    return table(
        ["", *(f"{n} calls" for n in many)],
        (
            [name, *(over_seeds(results.fids(material, name, n, "held_out").values()) for n in many)]
            for name in (*OURS, "paper", *RIVALS)
        ),
    )


def churn(results: Results, material: str, size: studies.Size) -> str:
    ends = (20, 100) if size is studies.FULL else size.calls[-1:]
    shown = {"": "ours", "categories": "categorical carried"}
    rows = [
        [
            f"{said} {churn:g}",
            *(over_seeds(results.fids(material, f"{arm}, churn {churn:g}", n).values()) for n in ends),
        ]
        for said, arm in shown.items()
        for churn in CHURNS
    ]
    return table(["churn", *(f"{n} calls" for n in ends)], rows)


LONG = ("ours", "walk-jump", "gsn walkback", "loopback")


def long_walks(results: Results, material: str, size: studies.Size) -> str:
    rows = []
    for name in LONG:
        steps = results.walk(material, f"long {name}")
        rows.append([name, *(over_seeds(steps[n][0]) if n in steps else "-" for n in size.long_stops)])
    fresh = results.fids(material, "ours, as many as walkers", size.calls[-2])
    rows.append(["as many new samples of ours", over_seeds(fresh.values()), *["-"] * (len(size.long_stops) - 1)])
    fresh = results.fids(material, "bundled, as many as walkers", 20)
    rows.append(["as many new samples of bundled", over_seeds(fresh.values()), *["-"] * (len(size.long_stops) - 1)])
    if (floor := results.walk_floor(material)) is not None:
        rows.append(["as many real pictures", f"{floor:.3f}", *["-"] * (len(size.long_stops) - 1)])
    return table(["walk", *(f"step {n:,}" for n in size.long_stops)], rows)


def _ways(results: Results, material: str, names: Sequence[str], stops: Sequence[int]) -> str:
    """Walks by name: distance from the data and from the start, at each stop."""
    rows = []
    for name in names:
        steps = results.walk(material, name)
        found = {n: f"{over_seeds(fid)}; {statistics.mean(way):.2f}" for n, (fid, way) in steps.items()}
        rows.append([name, *(found.get(n, "-") for n in stops)])
    return table(["", *(f"step {n:,}: distance; travelled" for n in stops)], rows)


def far(results: Results, material: str, size: studies.Size) -> str:
    return _ways(results, material, ("bundled", "far, beta 0.2", "far, deep, beta 0.6"), (1, 10, 30, 100, 1_000, 2_000))


def renewals(results: Results, material: str, size: studies.Size) -> str:
    """By many walkers."""
    names = [f"{prefix}{name}" for prefix in ("", "bundled, ") for name in studies.RENEWALS]
    return _ways(results, material, names, size.renewal_stops)


def noises(results: Results, material: str, size: studies.Size) -> str:
    return _ways(results, material, [f"beta {beta}" for beta in studies.NOISES], studies.NOISE_STOPS)


def lags(results: Results, material: str, size: studies.Size) -> str:
    names = [f"lag {lag}" for lag in studies.LAGS] + [f"deep lag {lag}" for lag in studies.DEEP_LAGS]
    return _ways(results, material, names, size.stops)


def categorical(results: Results, material: str, size: studies.Size) -> str:
    many = (*size.calls, 500)
    rows = [
        [name, *(over_seeds(results.fids(material, name, n).values()) for n in many)] for name in arms.CATEGORICAL_ARMS
    ]
    return table(["", *(f"{n} calls" for n in many)], rows)


def balance(results: Results, material: str, size: studies.Size) -> str:
    """The area under the ROC curve, its standard error and p-value, seed by seed."""

    def said(figures: dict[str, Any]) -> str:
        return f"{figures['auc']:.3f} ± {figures['error']:.3f}, p {figures['p_value']:.1g}"

    rows = []
    entries = {f"seed {seed}": entry for seed, entry in sorted(results.balance(material).items())}
    entries |= {f"bundled, seed {seed}": entry for seed, entry in results.balance(material, "bundled").items()}
    for of, entry in entries.items():
        rows += [[f"{of}, {n} step(s) apart", said(entry[f"after {n}"])] for n in (1, 10)]
        rows += [[f"{of}, broken: {name}", said(found)] for name, found in entry["broken"].items()]
    return table(["pairs of held-out pictures at beta .2", "AUC"], rows)


SECTIONS: dict[str, Section] = {
    "Objectives": objectives,
    "What adjusting gives beside more training": adjusted,
    "Noise levels in training": levels,
    "From the paper's recipe to ours": ladder,
    "Noise drawn anew on the way down": churn,
    "Calls, and rivals": calls,
    "The same, against held-out pictures": held_out,
    "Long walks at constant noise": long_walks,
    "Where walks end": far,
    "Renewing the noise, and constant noise, by many walkers": renewals,
    "The walk's own trade: lags": lags,
    "The walk's own trade: noise levels": noises,
    "Balance": balance,
    "Categories": categorical,
}


def markdown(results: Results, size: studies.Size) -> str:
    """Every section of every material that has anything to say in it; rows of which nothing is known are left out."""
    parts = []
    for title, section in SECTIONS.items():
        found = []
        for material in results.materials:
            head, line, *rows = section(results, material, size).splitlines()
            rows = [row for row in rows if any(cell != "-" for cell in row.strip("| ").split(" | ")[1:])]
            if rows:
                found.append(f"{material} (as many real pictures: {results.floor(material):.3f})\n")
                found.append("\n".join([head, line, *rows]) + "\n")
        parts += [f"## {title}\n", *found] if found else []
    return "\n".join(parts)


def headlines(results: Results, material: str) -> dict[str, tuple[float, list[float]] | None]:
    """The headline figures that these results give, each with its interval over seeds."""
    ours = {n: results.fids(material, "ours", n) for n in (20, 50, 100)}
    paper = results.fids(material, "paper", 100)
    rivals = {name: results.fids(material, name, 50) for name in RIVALS}
    whole = set.intersection(*(set(rivals[name]) for name in FAMILIES))
    best = {seed: min(rival[seed] for rival in rivals.values() if seed in rival) for seed in whole}
    return {
        "fid_ours_over_paper": ratio(ours[100], paper),
        "fid_ours20_over_paper100": ratio(ours[20], paper),
        "fid_ours_over_best_rival": ratio(ours[50], best),
        "walk_10k_over_1": _drift(results, material, "long ours"),
        "walk_400_over_1": _drift(results, material, "lag 0.9"),
        "renewal_10k_over_new": ratio(_last(results, material, "renewal, many", studies.FULL.samples), ours[20]),
        "loopback_over_1": _drift(results, material, "long loopback"),
        "reversibility_auc": _auc(results, material),
        "categorical_fid_ours_over_paper": ratio(
            results.fids(material, "categorical carried", 100),
            results.fids(material, "categorical paper", 500),
        ),
    }


def _auc(results: Results, material: str) -> tuple[float, list[float]] | None:
    """The mean over seeds of the area under the ROC curve, one step apart, and 95 % by the test's own errors."""
    found = [entry["after 1"] for entry in results.balance(material).values()]
    if not found:
        return None
    mean = statistics.mean(entry["auc"] for entry in found)
    half = 1.96 * math.sqrt(sum(entry["error"] ** 2 for entry in found)) / len(found)
    return mean, [mean - half, mean + half]


def _last(results: Results, material: str, name: str, walkers: int | None = None) -> dict[int, float]:
    """Where walks end, by seed; if asked, those of so many walkers only, for distances of fewer are larger."""
    found = results.walks(material, name).items()
    return {seed: entry["stops"][-1]["fid"] for seed, entry in found if walkers in (None, entry["walkers"])}


def _drift(results: Results, material: str, name: str) -> tuple[float, list[float]] | None:
    found = results.walks(material, name)
    return ratio(_last(results, material, name), {seed: entry["stops"][0]["fid"] for seed, entry in found.items()})
