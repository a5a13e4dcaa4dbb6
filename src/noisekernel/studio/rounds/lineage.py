"""Whose noise a node has: that of the node it is a variant of, renewed; and so on up the tree.

Found again from each node, noise gets a little worse every round; carried on, it never does (docs/results.md). The
studio keeps clean data, not noise. But which noise a variant has is a function of its line: the node where the line
begins, the stream by which its noise was found there, and the seed, place and level of each renewal since. To follow
it takes no network call after the first.

A line goes up through variants of one kind: by renewal, in as many steps, of one class, by the same weights. Where
that ends (a new sample, an upload, something painted, walked or steered) noise is found in the node; and so it is
every `LONGEST` generations, lest a line be long to follow.

Streams are numbered by generation and place, so that a seed that is used again further down the line draws other noise.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from noisekernel.core.randomness import Purpose, Recorded, Streams
from noisekernel.core.stepwise import Stepwise
from noisekernel.models.model import Model
from noisekernel.sampling.renewal import renewed, retracing, rows_of, shares, together
from noisekernel.sampling.schedule import Schedule
from noisekernel.studio.rounds.record import Round

#: So many renewals a line has at most.
LONGEST = 30


@dataclass(frozen=True)
class Renewal:
    """A variant was made: candidate `place` of a round of this seed, with new noise `below` this level."""

    seed: int
    place: int
    below: float


@dataclass(frozen=True)
class Line:
    """The noise found in `origin` for parent `number` of a round of this seed, and renewed since, the first first."""

    origin: str
    #: How many rounds the origin came of, one after the other.
    generation: int
    seed: int
    number: int
    renewals: tuple[Renewal, ...] = ()

    def stream(self, place: int) -> int:
        """The number of the stream of candidate `place` of a round that goes on from here."""
        return ((self.generation + len(self.renewals)) << 32) + place


def lines_of(one: Round, how: Callable[[str], tuple[Round, int] | None]) -> list[Line]:
    """Of each parent of a round of variants. `how` a node came about: its round and its place there, if it has one."""
    how, found = cache(how), []
    for number in range(len(one["parents"])):
        path = _path(one, number, how)
        alike = [*(_kind(made) == _kind(one) for _, made, _ in path[1:]), False]
        kept = alike.index(False) % LONGEST
        renewals = [Renewal(made["seed"], place, made["settings"]["below"]) for _, made, place in path[kept:0:-1]]
        origin, first, place = path[kept]
        start = (origin, len(path) - 1 - kept, first["seed"], place % len(first["parents"]))
        found.append(Line(*start, tuple(renewals)))
    return found


def stream_of(one: Round, how: Callable[[str], tuple[Round, int] | None]) -> int:
    """The number of a round's first stream, by the generation of its latest parent."""
    generations = (len(_path(one, number, how)) - 1 for number in range(len(one["parents"])))
    return max(generations, default=0) << 32


def _path(one: Round, number: int, how: Callable[[str], tuple[Round, int] | None]) -> list[tuple[str, Round, int]]:
    """A parent of a round, that one's, and so on: each with the round that began at it, and for which place there."""
    path = [(one["parents"][number], one, number)]
    while (came := how(path[-1][0])) is not None and came[0]["parents"]:
        before, place = came
        path.append((before["parents"][place % len(before["parents"])], before, place))
    return path


def _kind(one: Round) -> tuple[Any, ...]:
    settings = one["settings"]
    made = (one["made"]["weights"], one["made"].get("streams"))
    return one["task"], *(settings.get(key) for key in ("beta", "steps", "label")), *made


def searches(lines: Sequence[Line]) -> list[list[Line]]:
    """Where noise has to be found: the different beginnings of these lines, in batches, one of each seed."""
    batches: dict[int, list[Line]] = {}
    for start in _unique(replace(line, renewals=()) for line in lines):
        batches.setdefault(start.seed, []).append(start)
    return list(batches.values())


def finding(
    model: Model, lines: Sequence[Line], z: Mapping[str, Tensor], schedule: Schedule, label: str | None
) -> Stepwise[Recorded]:
    """The noise at the end of each line, a network call at a time; `z` are the clean data of their origins."""
    known: dict[Line, Recorded] = {}
    for some in searches(lines):
        labelled = model.labelled(None if label is None else model.label([label], len(some)), len(some))
        numbers = [start.stream(start.number) for start in some]
        streams = Streams.of(some[0].seed, numbers, model.device, Purpose.FINDING)
        batch = model.entering(torch.stack([z[start.origin] for start in some]))
        found = yield from retracing(labelled, batch, schedule, streams)
        known |= {start: rows_of(found, torch.tensor([row])) for row, start in enumerate(some)}
    for line in lines:
        at = replace(line, renewals=())
        for each in line.renewals:  # siblings have most of their line in common
            before, at = at, replace(at, renewals=(*at.renewals, each))
            if at not in known:
                noise = known[before]
                by = shares(model.kernel, schedule, len(noise.noise), each.below)
                streams = Streams.of(each.seed, [before.stream(each.place)], model.device, Purpose.RENEWING)
                known[at] = renewed(noise, by, streams)
    return together([known[line] for line in lines])


def _unique(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(values))
