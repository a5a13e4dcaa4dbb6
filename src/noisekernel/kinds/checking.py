"""Whether a kind of data keeps the contract: checks that anybody can run on a kind of their own.

    kind = check_kind(MyKind, items, bad=["no example"], example="one", mask="o__")

Each check is a function of a `Case`, and raises `ContractError` with a sentence that names the method at fault. What a
model of the kind must do is checked by `noisekernel.models.check_model`.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from torch import Tensor

from noisekernel.core.errors import BadExampleError, InputError
from noisekernel.kinds.base import Kind

#: How far values may differ from what comes back of them: floats are scaled on the way.
TOLERANCE = 1e-5


class ContractError(AssertionError):
    """A kind of data does not do what the contract says."""


class Listed:
    """Items in a list, as a kind sees them."""

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def name(self, i: int) -> str:
        return f"item {i}"

    def item(self, i: int) -> Any:
        return self.items[i]


@dataclass(frozen=True)
class Case:
    """A kind that is fitted to examples, those examples, and what a user may say."""

    kind: Kind
    items: Sequence[Any]
    bad: Sequence[Any] = ()
    example: str | None = None
    mask: str | None = None

    @property
    def values(self) -> Tensor:
        """The examples as they are stored."""
        return torch.from_numpy(np.stack([self.kind.store(item).values for item in self.items]))


def check_kind(
    kind: type[Kind] | Kind,
    items: Sequence[Any],
    *,
    bad: Sequence[Any] = (),
    example: str | None = None,
    mask: str | None = None,
) -> Kind:
    """Check that a kind keeps the contract on these examples.

    Args:
        kind: The class, or an object of it with settings of its own.
        items: Examples, as a source gives them: at least five, not all equal.
        bad: Items that are no examples of this kind, each of which has to be refused with a reason.
        example: An example as an argument of a command; None to leave that out.
        mask: A mask as an argument of a command, for `example`.

    Returns:
        The kind, fitted to the examples.

    Raises:
        ContractError: A sentence that names the method which does not do what it should.

    >>> from noisekernel.kinds.tokens import Tokens
    >>> check_kind(Tokens, ["anna", "otto", "bob", "ada", "eve"], bad=[3], example="anna", mask="_n*").shape
    (5,)
    """
    if len(items) < 5:
        raise InputError(f"there are {len(items)} items; give at least five examples to check a kind on")
    chosen = kind if isinstance(kind, Kind) else kind()  # type: ignore[call-arg]
    fitted, _ = chosen.fitted(Listed(items))
    case = Case(fitted, items, bad, example, mask)
    for check in CHECKS:
        check(case)
    return fitted


def _must(holds: bool, sentence: str) -> None:
    if not holds:
        raise ContractError(sentence)


def check_recognition(case: Case) -> None:
    """Its own examples look like examples of the kind, and the fitted kind needs no second look at them."""
    _must(case.kind.recognises(Listed(case.items)), "recognises: the kind does not recognise its own examples")
    again, _ = case.kind.fitted(None)
    _must(again == case.kind, "fitted: a kind that is fitted is changed by fitting it again")


def check_codec(case: Case) -> None:
    """Values become z and come back; what is drawn is an item again."""
    kind, values = case.kind, case.values
    z = kind.encode(values)
    _must(z.shape == (len(values), *kind.shape), f"encode: z has shape {tuple(z.shape)}, not (n, *{kind.shape})")
    _must((kind.classes is None) == z.is_floating_point(), f"encode: z is {z.dtype}, and classes is {kind.classes}")
    if kind.classes is not None:
        _must(int(z.min()) >= 0 and int(z.max()) < kind.classes, f"encode: categories are 0 to {kind.classes - 1}")
    _must(_same(kind.decode(z), values), "decode: z does not come back as the values that it was made from")
    drawn = kind.drawn(values)
    _must(len(drawn) == len(values), f"drawn: {len(drawn)} objects for {len(values)} examples")
    stored = torch.from_numpy(np.stack([kind.store(each).values for each in drawn]))
    _must(_same(stored, values), "drawn: what is drawn is not stored as the values that it was drawn from")
    _must(kind.augmented(values, torch.zeros(len(values))).shape == values.shape, "augmented: it changes the shape")
    if (way := kind.augmentation) is not None:
        unchanged = way.applied(values, torch.zeros(len(values), way.numbers))
        _must(_same(unchanged, values), "augmentation: zeros, which stand for no change, change something")
        how = way.drawn(torch.full((len(values), way.chances), 1e-6))
        _must(how.shape == (len(values), way.numbers), "augmentation: drawn gives other than `numbers` numbers")
        _must(way.applied(values, how).shape == values.shape, "augmentation: it changes the shape")


def check_refusals(case: Case) -> None:
    """What is no example is refused with a reason."""
    for item in case.bad:
        try:
            case.kind.store(item)
        except (BadExampleError, InputError) as error:
            _must(len(str(error)) > 10, f"store: {item!r} is refused without a reason")
        else:
            raise ContractError(f"store: {item!r} is taken for an example")


def check_presentation(case: Case) -> None:
    """Something is shown of every example, and what is hidden looks otherwise."""
    kind, values = case.kind, case.values[:5]
    shown = kind.show(values)
    _must(len(shown) == len(values), f"show: {len(shown)} for {len(values)} examples")
    for each in shown:
        _must(bool(each.content) and each.suffix != ".bin", f"show: no bytes, or an unknown media type: {each.media}")
    hidden = torch.ones(len(values), *kind.shape, dtype=torch.bool)
    _must(kind.show(values, hidden)[0].content != shown[0].content, "show: hidden elements are shown all the same")
    _must(bool(kind.overview(values, columns=2).content), "overview: it is empty")
    _must(kind.described().startswith(kind.many), f"described: {kind.described()!r} does not begin with {kind.many!r}")
    if kind.gathered:
        _must(kind.together(shown).content.count(b"\n") >= len(shown), "together: fewer lines than examples")
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"walk{kind.reel}"
        kind.check_film(path)
        kind.film([values, values.flip(0)], path, 10.0)
        _must(path.is_file(), f"film: there is no file {path.name}")


def check_page(case: Case) -> None:
    """What the studio sends to a page is JSON, one entry per example; a walk can be taken away."""
    page, z = case.kind.on_page, case.kind.encode(case.values[:3])
    json.dumps(page.facts())
    for name, told in (("inline", page.inline(z)), ("noisy", page.noisy(z)), ("markup", page.markup(z, ["a"] * 3))):
        _must(len(told) == 3, f"on_page.{name}: {len(told)} for 3 examples")
    frame = json.loads(json.dumps(page.frame(z, z)))
    _must({"n", "clean", "noisy"} <= set(frame), "on_page.frame: it lacks n, clean or noisy")
    _must(bool(page.show(z[:1], {}).content) and bool(page.overview(z, {}).content), "on_page: nothing is shown")
    film = page.film([page.values(each[None]) for each in z], page.films[0])
    _must(film.suffix == page.films[0], f"on_page.film: it is {film.suffix}, not {page.films[0]}")
    module = case.kind.viewer_module
    _must(module is None or module.is_file(), f"viewer_module: there is no file {module}")


def check_masks(case: Case) -> None:
    """Masks have the shape of z, hide a part of it, and are the same for the same seed and number."""
    kind = case.kind
    masks = kind.masks(1, 0.5, 4, seed=3)
    _must(masks.shape == (4, *kind.shape) and masks.dtype == torch.bool, "masks: not n booleans of the shape of z")
    _must(0 < int(masks[0].sum()) < masks[0].numel(), "masks: of a half that is kept, all or nothing is hidden")
    _must(torch.equal(kind.masks(1, 0.5, 2, seed=3, first=2), masks[2:]), "masks: number i is not always the same")
    if case.example is not None:
        (named,) = kind.given([case.example])
        _must(bool(named.name), "given: the example has no name")
        kind.store(named.item)
        if case.mask is not None:
            mask, _ = kind.mask(case.mask, [named.item])
            _must(tuple(mask.shape) == kind.shape, f"mask: it has shape {tuple(mask.shape)}, not {kind.shape}")


def check_settings(case: Case) -> None:
    """A model file keeps the settings that the model is made for, and no others."""
    kind = case.kind
    _must(type(kind).model_fields["kind"].default == kind.kind, "kind: the field has no default, or another one")
    bare = kind.model_copy(update={"bad": "skip", "memory": 1}).bare
    _must(bare == kind.bare, "fixed: settings that say how to read the data are kept in the model file")
    _must((bare.shape, bare.classes) == (kind.shape, kind.classes), "fixed: a setting that decides z is left out")
    _must(_same(bare.encode(case.values), kind.encode(case.values)), "fixed: a setting that decides z is left out")


def check_judging(case: Case) -> None:
    """Features can be learned, and every score gives a number."""
    kind, values = case.kind, case.values
    kind.check_features()
    found = kind.features(kind.learn_features(values, None), torch.device("cpu")).function(values)
    _must(found.ndim == 2 and len(found) == len(values), "features: not one vector per example")
    for name, score in kind.scores.items():
        value = score(kind.judged(kind.drawn(values)[0]))
        _must(isinstance(value, float), f"scores: {name} gives a {type(value).__name__}, not a float")


def _same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and bool(torch.isclose(a.double(), b.double(), rtol=TOLERANCE, atol=TOLERANCE).all())


CHECKS: tuple[Callable[[Case], None], ...] = (
    check_recognition,
    check_codec,
    check_refusals,
    check_presentation,
    check_page,
    check_masks,
    check_settings,
    check_judging,
)
