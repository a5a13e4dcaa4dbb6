"""The programme of the harness: every study in the order in which it is measured, and every table of the report."""

import itertools
from collections.abc import Callable, Iterator

from lab.effort import Effort
from lab.findings import Findings
from lab.studies import (
    bundled_model,
    calls_and_rivals,
    categorical_data,
    chain_adjustment,
    chain_balance,
    churn,
    colour,
    corrections,
    heads,
    long_walks,
    networks,
    noise_renewal,
    recipe_ladder,
    training_objectives,
    walk_tradeoffs,
)
from lab.unit import Unit

#: The units that a study asks for on a material with a seed.
Question = Callable[[str, int, Effort], Iterator[Unit]]
TableMaker = Callable[[Findings, str, Effort], str]

STUDIES = (
    calls_and_rivals,
    heads,
    colour,
    networks,
    chain_balance,
    categorical_data,
    recipe_ladder,
    noise_renewal,
    walk_tradeoffs,
    training_objectives,
    chain_adjustment,
    churn,
    long_walks,
    corrections,
    bundled_model,
)

#: Everything, for small pictures.
SMALL: tuple[Question, ...] = (
    calls_and_rivals.headline,
    chain_balance.units,
    categorical_data.units,
    recipe_ladder.units,
    long_walks.as_many_samples,
    noise_renewal.units,
    walk_tradeoffs.noises,
    walk_tradeoffs.lags,
    training_objectives.units,
    chain_adjustment.units,
    churn.units,
    long_walks.units,
)
#: What the headline figures need, for pictures of a size that people use.
CONFIRMED: tuple[Question, ...] = (
    calls_and_rivals.confirmation,
    calls_and_rivals.rivals,
    heads.units,
    chain_balance.units,
    long_walks.as_many_samples,
    noise_renewal.units,
    bundled_model.units,
    chain_adjustment.units,
    walk_tradeoffs.noises,
    walk_tradeoffs.lags,
    long_walks.units,
)
#: Small pictures in colour.
COLOURED: tuple[Question, ...] = (
    calls_and_rivals.confirmation,
    calls_and_rivals.rivals,
    heads.units,
    colour.units,
    networks.units,
)
#: The chain alone.
WALKED: tuple[Question, ...] = (
    long_walks.as_many_samples,
    noise_renewal.units,
    long_walks.far,
    long_walks.units,
    chain_balance.units,
)


def units(effort: Effort) -> Iterator[Unit]:
    """All units. The most informative come first and seeds in turn, so that a run cut short has complete seeds."""
    for materials, questions in (
        (effort.materials, SMALL),
        (effort.confirmed, CONFIRMED),
        (effort.coloured, COLOURED),
        (effort.walked, WALKED),
        (effort.corrected, (corrections.units,)),
        (effort.later, SMALL),
    ):
        for question, seed, material in itertools.product(questions, range(effort.seeds), materials):
            yield from question(material, seed, effort)
    for material in (*effort.materials, *effort.later):
        yield from calls_and_rivals.most_calls(material, effort)
    for material in effort.by_inception:
        yield from calls_and_rivals.once(material)


TABLES: dict[str, TableMaker] = {
    "Objectives": training_objectives.objectives_table,
    "What adjusting gives beside more training": chain_adjustment.adjusted_table,
    "Noise levels in training": training_objectives.levels_table,
    "From the paper's recipe to ours": recipe_ladder.ladder_table,
    "Two heads": heads.heads_table,
    "What a head costs and saves": heads.cost_table,
    "Changes of the default recipe in colour": colour.colour_table,
    "Networks in equal time": networks.networks_table,
    "Noise drawn anew on the way down": churn.churn_table,
    "Calls, and rivals": calls_and_rivals.calls_table,
    "The same, against held-out pictures": calls_and_rivals.held_out_table,
    "Denoising held-out pictures": calls_and_rivals.curves_table,
    "Ours over the best rival": calls_and_rivals.best_table,
    "Long walks at constant noise": long_walks.long_table,
    "Where walks end": long_walks.far_table,
    "Renewing the noise, and constant noise, by many walkers": noise_renewal.renewals_table,
    "The walk's own trade: lags": walk_tradeoffs.lags_table,
    "The walk's own trade: noise levels": walk_tradeoffs.noises_table,
    "The walk, corrected": corrections.corrections_table,
    "Balance": chain_balance.balance_table,
    "Categories": categorical_data.categorical_table,
}


def markdown(found: Findings, effort: Effort) -> str:
    """Every table for every material. Rows without a figure are left out, and so are tables without a row."""
    parts = []
    for title, make in TABLES.items():
        tables = []
        for material in found.materials:
            head, line, *rows = make(found, material, effort).splitlines()
            rows = [row for row in rows if any(cell != "-" for cell in row.strip("| ").split(" | ")[1:])]
            if rows:
                tables.append(f"{material} (as many real pictures: {found.floor(material):.3f})\n")
                tables.append("\n".join([head, line, *rows]) + "\n")
        parts += [f"## {title}\n", *tables] if tables else []
    return "\n".join(parts)
