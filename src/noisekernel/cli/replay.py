"""`nk replay`: every node of a design, computed again and compared."""

from pathlib import Path
from typing import Annotated

import typer

from noisekernel.cli import common


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A design file of the studio (.nkd).")],
    model: Annotated[
        str | None, typer.Option(help="The model, by name, file or folder (default: the name in the file).")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A folder to write the examples to, as they were computed.")] = None,
    json: common.Json = False,
    force: common.Force = False,
    yes: common.Yes = False,
) -> None:
    """Compute every node of a design again, from where it began, and compare each with the design.

    On the machine that made the design, they are the same bit for bit. Another processor or version of torch rounds
    differently, and there they are the same up to rounding. The exit code is 0 if all are the same, 1 if any
    differs; those that differ are listed.
    """
    from noisekernel import models
    from noisekernel.cli.cost import TIMED, Cost
    from noisekernel.core.errors import InputError
    from noisekernel.files import outputs
    from noisekernel.files.formats import write_bytes
    from noisekernel.studio.design_file import read_design
    from noisekernel.studio.replay import replay, steps_of

    if not file.is_file():
        raise InputError(f"{file} is not a file; give a design file, as the studio writes them (.nkd)")
    folder = None if out is None else outputs.new_folder(out, force=force)
    design = read_design(file.read_bytes())
    what = model or design.model
    chain = design.spanning(models.load(what, "cpu"))
    weights = models.digest_of(what)
    others = {one.made.weights for one in design.record.rounds} - {weights}
    if others:
        raise InputError(
            f"the design was made with other weights than those of {what!r} ({others.pop()[:12]}…, not "
            f"{weights[:12]}…); say with --model where they are"
        )
    differ, rounded, largest = [], 0, 0.0
    steps = steps_of(design)
    with common.bar(steps, "replaying") as bar:
        for one in replay(design, chain, Cost(yes).timed(bar, steps, TIMED)):
            if not one.same:
                differ.append(one.node.id)
            elif not one.bits:
                rounded, largest = rounded + 1, max(largest, one.difference)
            if folder is not None:
                how = {"design": design.record.name, "node": one.node.id, "digest": one.node.digest, "same": one.same}
                (shown,) = chain.kind.show(chain.kind.decode(one.z[None]), how=how)
                write_bytes(folder / f"{one.node.id}{chain.kind.suffix}", shown.content)
    total = len(design.record.nodes)
    figures = {
        "design": design.record.name,
        "nodes": total,
        "differ": differ,
        "rounded": rounded,
        "largest_difference": largest,
    }
    lines = [f"differs: {node}" for node in differ]
    verdict = f"{total - len(differ)} of {total} nodes are the same, " + (
        f"{rounded} of them up to rounding (they differ by {largest:.1g} at most)." if rounded else "bit for bit."
    )
    common.say(figures, json, "\n".join([*lines, verdict]))
    if differ:
        raise typer.Exit(1)
