"""Weights of one model for another of a like network: what fits is taken over, the rest is new, and it is told which.

A layer whose name and shape agree is taken over as it is. What depends on the data is made to fit where that has a
meaning:

| | |
|---|---|
| first layer | by channel (`Kind.channels_from`): a grey picture in colour is seen as it was in grey. What the model did not have (a further input of another head, a new column) begins at zero |
| outlet | by channel too, if the head is of the same kind; else it is new |
| classes | by name; other classes are new. "No label" is kept, also by a model that has no classes any more |
| depth | resolutions are counted from the full one, on the way down and on the way up |

So before its first step, a model of other data says of them what the start model would, as far as it can.
"""  # noqa: E501

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from noisekernel.core.errors import InputError
from noisekernel.models.model import Model
from noisekernel.networks.denoiser import Denoiser
from noisekernel.networks.head import Head
from noisekernel.recipes.schema import Design, Recipe

#: What networks call the layers that depend on the data; the table of classes of adopted ones has a name of its own.
FIRST, OUTLET, LABELS = "stem.weight", "outlet", "label.table.weight"
TABLES = (LABELS, "class_embedding.weight")
#: What they call the bias behind which the vector of the label is added.
BESIDE_LABEL = "network.2.bias"
#: Lists of modules that begin at the lowest resolution.
FROM_BELOW = re.compile(r"(up|grow)\.(\d+)\.")


@dataclass(frozen=True)
class TakenOver:
    """What a model has from another: the names of layers that are as they were there, and in words all that is not."""

    whole: tuple[str, ...]
    #: Made to fit, taken in part, not at all; and what there was no place for.
    made: tuple[str, ...]
    partly: tuple[str, ...]
    new: tuple[str, ...]
    left: tuple[str, ...]
    layers: int
    #: The share of the weights that were taken over.
    share: float

    def told(self, name: str) -> str:
        """In a sentence."""
        rest = {"made to fit": self.made, "in part": self.partly, "new": self.new, "left out": self.left}
        if not any(rest.values()):
            return f"begins with all the weights of {name}"
        parts = [f"taken over from {name}: {len(self.whole)} of {self.layers} layers ({self._percent} of the weights)"]
        return "; ".join(parts + [f"{how}: {', '.join(words)}" for how, words in rest.items() if words])

    @property
    def _percent(self) -> str:
        # Not "100 %" where something is new.
        return f"{min(99.9, 100 * self.share):.1f} %" if 0.99 < self.share < 1 else f"{100 * self.share:.0f} %"


def check_like(design: Design | Recipe, start: Design) -> None:
    """Refuse a model to start from whose weights could mean nothing to this design."""
    for what, own, other in (
        ("data", design.data.kind, start.data.kind),
        ("kernel", design.kernel.kind, start.kernel.kind),
        ("network", design.network.kind, start.network.kind),
    ):
        if own != other:
            raise InputError(
                f"the {what} of the model to start from (--from) is of the kind {other!r}, and of this run {own!r}; "
                f"leave {what}.kind as it is there, or train without --from"
            )


def take_over(denoiser: Denoiser, design: Design, start: Model) -> TakenOver:
    """Give a fresh denoiser of this design the weights of a model, as far as they fit.

    Args:
        denoiser: The denoiser, fresh; it is changed.
        design: Its design.
        start: The model whose weights are taken.
    """
    check_like(design, start.design)
    own: dict[str, Tensor] = denoiser.backbone.state_dict()
    given: dict[str, Tensor] = {
        name: value.to("cpu")
        for name, value in start.denoiser.backbone.state_dict().items()  # type: ignore[attr-defined]
    }
    if not all(bool(torch.isfinite(value).all()) for value in given.values()):
        raise InputError("the model to start from (--from) has weights that are no numbers; it is of no use")
    others = {_counted_from_above(name, given): value for name, value in given.items()}
    made = {name: _made(name, design, start.design) for name in own}
    found: dict[str, Tensor] = {}
    taken: dict[str, int] = {}
    for name, value in own.items():
        other = others.get(_counted_from_above(name, own))
        found[name], taken[name] = _fitted(name, value, other, design, start.design, made[name])
    _keep_no_label(found, own, given)
    denoiser.backbone.load_state_dict(found)
    return _report(own, given, found, taken, design, start.design)


def _counted_from_above(name: str, all_names: Mapping[str, Tensor]) -> str:
    """The name of a weight with resolutions counted from the full one, as -1, where the network counts from below."""
    match = FROM_BELOW.match(name)
    if match is None:
        return name
    levels = 1 + max(int(each[2]) for other in all_names if (each := FROM_BELOW.match(other)) and each[1] == match[1])
    return f"{match[1]}.{int(match[2]) - levels}.{name[match.end() :]}"


def _made(name: str, design: Design, start: Design) -> Tensor | None:
    """The matrix that a weight of the first layer (from the right) or of the outlet (from the left) is made with."""
    if name == FIRST:
        return _of_inputs(design, start)
    return _of_outputs(design, start) if name.startswith(f"{OUTLET}.") else None


def _head(design: Design) -> Head:
    return design.head.build(design.data.channels, design.shape)


def _of_inputs(design: Design, start: Design) -> Tensor | None:
    """(inputs of the start model, inputs of this one): what each input there is, of those here."""
    channels = start.data.channels_from(design.data)
    heads = _head(start), _head(design)
    per = tuple(
        head.in_channels // (kind.channels or 1) for head, kind in zip(heads, (start.data, design.data), strict=True)
    )
    if channels is None:
        return None
    if not design.data.categorical:  # what a head puts beside x follows after x
        return torch.kron(torch.eye(*per), channels)
    if design.head.kind != start.head.kind:
        return None
    if design.head.kind != "categorical":
        return torch.kron(channels, torch.eye(per[0]))
    categories = start.data.categories_from(design.data)
    if categories is None:
        return None
    return torch.kron(channels, torch.block_diag(categories, torch.ones(1, 1)))  # the last state is the mask


def _of_outputs(design: Design, start: Design) -> Tensor | None:
    """(outputs of this model, outputs of the start model): what each output here is, of those there."""
    channels = design.data.channels_from(start.data)
    if channels is None or design.head.kind != start.head.kind:
        return None
    heads = _head(design), _head(start)
    per = tuple(
        head.out_channels // (kind.channels or 1) for head, kind in zip(heads, (design.data, start.data), strict=True)
    )
    if not design.data.categorical:
        return torch.kron(torch.eye(*per), channels)
    if design.head.kind != "categorical":
        return torch.kron(channels, torch.eye(per[0])) if per[0] == per[1] else None
    categories = design.data.categories_from(start.data)
    return None if categories is None else torch.kron(channels, categories)


def _fitted(
    name: str, own: Tensor, other: Tensor | None, design: Design, start: Design, made: Tensor | None
) -> tuple[Tensor, int]:
    """A weight as it is taken over, and how many of its numbers were."""
    if name.endswith(TABLES):
        return _of_classes(own, other, design.classes, start.classes)
    if other is None:
        return own, 0
    if name == FIRST or name.startswith(f"{OUTLET}."):
        if made is None:
            return own, 0
        if made.shape[0] == made.shape[1] and torch.equal(made, torch.eye(len(made))) and own.shape == other.shape:
            return other, own.numel()
        whole = (
            torch.einsum("oi...,ij->oj...", other, made)
            if name == FIRST
            else torch.einsum("po,o...->p...", made, other)
        )
        if whole.shape != own.shape:  # another width
            return own, 0
        used = made.abs().sum(dim=0 if name == FIRST else 1) > 0
        return whole, own.numel() * int(used.sum()) // len(used)
    return (other, own.numel()) if other.shape == own.shape else (own, 0)


def _of_classes(own: Tensor, other: Tensor | None, classes: Sequence[str], known: Sequence[str]) -> tuple[Tensor, int]:
    """The table of labels: classes by name, and the last row, which stands for no label, if there is one."""
    if other is None:  # a network without labels adds nothing where one with labels adds that of "no label"
        return torch.cat((own[:-1], torch.zeros_like(own[-1:]))), 0
    if other.shape[1] != own.shape[1]:
        return own, 0
    rows = [other[known.index(name)] if name in known else own[place] for place, name in enumerate(classes)]
    last = [other[-1]] if len(own) > len(classes) else []
    kept = len(last) + sum(name in known for name in classes)
    return torch.stack((*rows, *last)), kept * own.shape[1]


def _keep_no_label(found: dict[str, Tensor], own: Mapping[str, Tensor], given: Mapping[str, Tensor]) -> None:
    """For a model without classes: what the start model adds where it is told no label becomes part of the bias."""
    for name, table in given.items():
        bias = name.removesuffix(LABELS) + BESIDE_LABEL
        if name.endswith(LABELS) and name not in own and bias in found and len(found[bias]) == table.shape[1]:
            found[bias] = found[bias] + table[-1]


def _report(
    own: Mapping[str, Tensor],
    given: Mapping[str, Tensor],
    found: Mapping[str, Tensor],
    taken: Mapping[str, int],
    design: Design,
    start: Design,
) -> TakenOver:
    layers: dict[str, list[str]] = {}
    for name in own:
        layers.setdefault(name.rpartition(".")[0], []).append(name)
    whole, others = [], []
    made: list[str] = []
    partly: list[str] = []
    new: list[str] = []
    for layer, names in layers.items():
        had, has = sum(taken[name] for name in names), sum(own[name].numel() for name in names)
        words = _in_words(layer, own, given, design, start)
        if had == has and (words is None or all(_same(found[name], given.get(name)) for name in names)):
            whole.append(layer)
        elif words is None:
            others.append(layer)
        else:
            (made if had == has else partly if had else new).append(words)
    if others:
        named = others if len(others) < 4 else [*others[:2], f"{len(others) - 2} more"]
        new.append(f"{', '.join(named)} (of another shape, or not there)")
    left = [] if design.classes or not start.classes else [f"its {len(start.classes)} classes"]
    plain = [name for name in whole if _in_words(name, own, given, design, start) is None]
    if not plain:
        raise InputError(
            "no layer of the model to start from (--from) fits this network; leave its width (network.channels, "
            "network.width) as it is there, or train without --from"
        )
    share = sum(taken.values()) / sum(value.numel() for value in own.values())
    return TakenOver(tuple(whole), tuple(made), tuple(partly), tuple(new), tuple(left), len(layers), share)


def _same(one: Tensor, other: Tensor | None) -> bool:
    return other is not None and one.shape == other.shape and torch.equal(one, other)


def _in_words(
    layer: str, own: Mapping[str, Tensor], given: Mapping[str, Tensor], design: Design, start: Design
) -> str | None:
    """The name that people have for a layer that depends on the data; None for all others."""
    if f"{layer}.weight" == FIRST:
        one, other = own[FIRST].shape[1], given[FIRST].shape[1]
        return f"the first layer ({one} channels instead of {other})" if one != other else "the first layer"
    if layer == OUTLET:
        if design.head.kind != start.head.kind:
            return f"the outlet (head {design.head.kind!r} instead of {start.head.kind!r})"
        one, other = len(own[f"{OUTLET}.bias"]), len(given[f"{OUTLET}.bias"])
        return f"the outlet ({one} channels instead of {other})" if one != other else "the outlet"
    if layer.endswith(tuple(table.removesuffix(".weight") for table in TABLES)):
        known = sum(name in start.classes for name in design.classes)
        return f"the classes ({known} of {len(design.classes)} known)" if start.classes else "the classes"
    if layer.rpartition(".")[2] == "told":
        return "what it is told of augmentation"
    return None
