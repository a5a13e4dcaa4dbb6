"""A comparison of rows as a page: one HTML file with everything in it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from noisekernel.measuring.page import Section, table, write_report
from noisekernel.measuring.rows.comparison import Comparison
from noisekernel.measuring.rows.drawing import column, matrix
from noisekernel.measuring.rows.nearest import LEVEL
from noisekernel.measuring.rows.pairs import MOST_COLUMNS

STYLE = (
    "<style>h3 { font-size: .95rem; font-weight: normal; margin: .6rem 0 .3rem; } .column { margin-right: 1rem; }"
    "figure > table { flex-basis: 100%; }</style>"
)
LEAD = (
    "New rows of a model beside real ones: each column, pairs of columns, all columns at once, and whether rows of "
    "training come back."
)
#: Columns that are drawn at most.
MOST_DRAWN = 100


def write_page(path: Path, found: Comparison, figures: Mapping[str, Any]) -> None:
    """The file.

    Args:
        path: Where it goes.
        found: What was measured.
        figures: How it was measured, and what else is known.
    """
    name = str(figures["model"])
    facts = {
        "model": name,
        "data": f"{figures['data']}: {figures['examples']:,} rows",
        "new rows": f"{figures['n']:,} ({figures['sampler']}, {figures['steps']} steps, seed {figures['seed']})",
        "compared": f"{found.n:,} rows on each side",
        "real rows beside them": "held out" if found.held_out else "other rows of the data",
    }
    sections = [_glance(found), _columns(found), _pairs(found), _told(found), _nearest(found)]
    lines = {
        f"nk evaluate {name} --data DATA --held-out OTHERS --page FILE": "this page, with rows that were held out",
        f"nk sample {name} -n 1000": "new rows as a table",
    }
    wide = max(map(len, lines))
    commands = "\n".join(f"{command.ljust(wide)}    {what}" for command, what in lines.items())
    write_report(path, f"New rows of {name}", facts, sections, dict(figures), commands, lead=LEAD)


def _glance(found: Comparison) -> Section:
    text = (
        "Each figure stands beside two others, measured on the same data. Real rows in the place of the new ones show "
        "how small it can get with so many rows. Real rows each of whose columns was shuffled by itself have the right "
        "columns and nothing that connects them: a model that learned no dependence at all looks like that. Such a "
        "model passes the first line. So the shapes of columns alone prove nothing; read on from the second line."
    )
    sets = (found.new, found.floor, found.shuffled)
    rows = [
        ["columns: distance of shapes, mean", *(f"{np.mean(each.columns):.3f}" for each in sets)],
        ["pairs of columns: distance, mean", *(f"{each.pairs:.3f}" for each in sets)],
        ["all columns: AUC of a classifier", *(f"{each.told.auc:.3f} ± {2 * each.told.error:.3f}" for each in sets)],
    ]
    head = ["", "new rows", "real rows", "real rows, columns shuffled"]
    return Section("At a glance", text, [STYLE, table(head, rows)])


def _columns(found: Comparison) -> Section:
    apart = sorted(zip(found.names, found.new.columns, found.floor.columns, strict=True), key=lambda each: -each[1])
    text = (
        "Real rows are grey, new rows blue. The distance is the total variation: the share of rows that would have to "
        "change their cell. Columns that fit are necessary and not sufficient: a model without any dependence has them "
        "all right."
    )
    if len(found.names) > MOST_DRAWN:
        text += f" The first {MOST_DRAWN} of {len(found.names)} columns are drawn; the table has the worst of all."
    listed = table(["column", "new rows", "real rows"], [[name, f"{d:.3f}", f"{f:.3f}"] for name, d, f in apart[:12]])
    title = f"Columns{'' if len(apart) <= 12 else ', the twelve farthest apart in the table'}"
    return Section(title, text, [listed, *(column(*found.rows, j) for j in range(min(len(apart), MOST_DRAWN)))])


def _pairs(found: Comparison) -> Section:
    new, real = found.new.joint.association, found.real.association
    text = (
        "How strongly each two columns go together, from 0 to 1 (Cramér's V of columns cut into a few classes), in "
        "real and in new rows; and the difference, red where new rows connect two columns less than real ones do. Two "
        "columns may go together as strongly and in another way, so the figure above is the distance of their joint "
        f"distributions: {found.new.pairs:.3f} for new rows, {found.floor.pairs:.3f} for real ones, "
        f"{found.shuffled.pairs:.3f} for shuffled columns."
    )
    if len(found.names) > MOST_COLUMNS:
        text += f" These are the first {MOST_COLUMNS} of {len(found.names)} columns."
    drawn = [
        matrix(real, found.names, "real rows"),
        matrix(new, found.names, "new rows"),
        matrix(new - real, found.names, "new less real", signed=True),
    ]
    return Section("Pairs of columns", text, drawn)


def _told(found: Comparison) -> Section:
    told = found.new.told
    verdict = (
        f"It tells new rows from real ones with an AUC of {told.auc:.3f} ± {2 * told.error:.3f}"
        if told.found
        else f"It cannot tell them: its AUC is {told.auc:.3f} ± {2 * told.error:.3f}, no more than chance"
    )
    text = (
        "Boosted trees learn to tell new rows from real ones and are judged on rows that they have not seen (five-fold "
        "cross-validation). An AUC of 0.5 is chance, 1 is always right. This sees every dependence that trees find, "
        f"of any number of columns. {verdict}. The table says by how much the AUC falls where one column is shuffled: "
        "that is where it looks."
    )
    falls = sorted(zip(found.names, told.falls, strict=True), key=lambda each: -each[1])[:10]
    return Section(
        "A classifier",
        text,
        [table(["column", "AUC falls by"], [[name, f"{max(0.0, fall):.3f}"] for name, fall in falls])],
    )


def _nearest(found: Comparison) -> Section:
    title = "Are rows of training repeated?"
    near = found.nearest
    if near is None:
        text = (
            f"{found.copies:.2%} of the new rows are rows of the data, cell by cell. That alone says nothing: where "
            "columns have few values, rows come up twice by chance. What it is to be held against is how often rows "
            "that the model never saw are rows of the data too. Give such rows with --held-out."
        )
        return Section(title, text)
    verdict = (
        f"The model repeats rows of its training data (at a level of {LEVEL:g}): do not give its rows away as if they "
        "were nobody's."
        if near.repeats
        else f"At a level of {LEVEL:g} there is no sign that it repeats rows of its training data. That is no promise "
        "of privacy: a few rows that were learned by heart would not show."
    )
    text = (
        "New rows of a model that learned the distribution, and no rows, are as near to rows of training as to as many "
        "rows that were held out, and are copies of training rows as often as held-out rows happen to be. (Distance: "
        f"ranks of numbers, equality of categories, on average over columns.) {verdict}"
    )
    rows = [
        ["nearer to training than to held-out rows", f"{near.nearer:.1%}", "50.0%", f"{near.nearer_p:.2g}"],
        ["exact copies of training rows", f"{near.copies:.2%}", f"{near.held_copies:.2%}", f"{near.copies_p:.2g}"],
    ]
    return Section(title, text, [table(["", "new rows", "to be expected", "probability by chance"], rows)])
