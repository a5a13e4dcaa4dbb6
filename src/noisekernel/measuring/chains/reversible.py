"""Is the chain reversible? (x, y) and (y, x) have one law if and only if it balances (eq. 1).

**The test.** Classifiers learn, from one half of the pairs, to tell (x, y) from (y, x). On the other half each pair
gets a score s(x, y) = -s(y, x). If the law of a pair is its own mirror image, the sign of s is a fair coin whatever its
size and whatever the classifier learned: Wilcoxon's signed-rank test then has the level it states. Its statistic is
also the area under the ROC curve,

    AUC = P(s_i > -s_j) = P(s_i + s_j > 0)        for two different pairs i, j,

0.5 where nothing can be told. A pair and its mirror image are never on different sides of the split, and count as one.
The coin is fair only if nothing that judges a pair knows its order by other means. The example z behind a pair does: x
is nearer to it than y. So principal components come from the examples that teach, and never judge these.

**Statistics.** The mean of f(x) g(y) - g(x) f(y) is zero in balance, for any f and g. With f = 1 it asks whether the
mean of g stays. The mean of log p(y|x) - log p(x|y) is zero too: in balance it is log p(y) - log p(x), and x and y have
one law. It is an entropy production: with y in the law of x, yet without balance, it is positive; where y is not in
the law of x it may have either sign, and a zero of it alone proves nothing.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from noisekernel import tasks
from noisekernel.core import checks
from noisekernel.core.errors import InputError
from noisekernel.measuring.chains.functions import Directions
from noisekernel.measuring.chains.pairs import Pairs, draw_pairs
from noisekernel.sampling.model import NoiseModel

Array = NDArray[np.float64]
Rows = NDArray[np.int64]
#: Fewer pairs than this teach a classifier nothing.
FEWEST = 40
#: Functions f and g of the cheap statistics; "1" is the constant.
WATCHED = (
    ("1", "mean"),
    ("1", "energy"),
    ("1", "guess energy"),
    ("1", "residual"),
    ("pc1", "pc2"),
    ("pc1", "pc3"),
    ("pc2", "pc3"),
    ("mean", "energy"),
)


@dataclass(frozen=True)
class SwapTest:
    """What a classifier could tell of (x, y) and (y, x) that it had not seen: AUC, its standard error, p-value."""

    auc: float
    error: float
    #: One-sided: the probability, in balance, of an AUC as large as this.
    p_value: float
    held_out: int


@dataclass(frozen=True)
class Statistic:
    """A mean that is zero in balance, its standard error, and the two-sided p-value of its distance from zero."""

    name: str
    mean: float
    error: float
    p_value: float


@dataclass(frozen=True)
class Reversibility:
    """At one noise level, of pairs `steps` steps apart."""

    #: The constant level, or that below which noise is renewed.
    beta: float
    #: Of the chain at constant noise; None where noise is renewed.
    lag: float | None
    steps: int
    pairs: int
    test: SwapTest
    statistics: tuple[Statistic, ...]


def reversibility(
    model: NoiseModel,
    z: Tensor,
    *,
    beta: float = 0.2,
    lag: float | None = None,
    steps: Sequence[int] = (1, 10),
    seed: int = 0,
    batch_size: int = 256,
    advance: Callable[[], None] = lambda: None,
) -> list[Reversibility]:
    """Of the chain at constant noise that starts at each z, noised to `beta`; one result for each of `steps`.

    The lag is the paper's unless given.

    >>> import torch, noisekernel as nk
    >>> from functools import partial
    >>> from noisekernel.networks.exact import exact_denoiser
    >>> z = torch.randn(200, 2, generator=torch.Generator().manual_seed(0))
    >>> exact = partial(exact_denoiser, mean=0.0, variance=1.0)
    >>> model = nk.NoiseModel(nk.GaussianKernel(0.5), exact, (2,))
    >>> (found,) = reversibility(model, z, beta=0.5, steps=[1])
    >>> found.test.p_value > 0.01
    True
    """
    if len(z) < FEWEST:
        raise InputError(f"{len(z)} examples give {len(z)} pairs; the test of reversibility needs at least {FEWEST}")
    counts = sorted({checks.count("each of steps", count) for count in steps})
    taught, rest = halves(len(z), seed)
    drawn = draw_pairs(
        model,
        z,
        Directions.of(z[taught]),
        beta=beta,
        lag=lag,
        steps=counts,
        seed=seed,
        batch_size=checks.count("batch_size", batch_size),
        advance=advance,
    )
    carried = tasks.chain_lag(model, beta) if lag is None else lag
    return [
        Reversibility(
            beta, carried, count, len(z), tell_apart(pairs, taught, rest, seed), tuple(statistics(pairs, rest))
        )
        for count, pairs in drawn.items()
    ]


def halves(n: int, seed: int) -> tuple[Rows, Rows]:
    """The pairs that teach, and those that are judged."""
    order = np.random.default_rng(seed).permutation(n)
    return order[: n // 2], order[n // 2 :]


def tell_apart(pairs: Pairs, taught: Rows, rest: Rows, seed: int = 0) -> SwapTest:
    """Two classifiers vote: a ridge on everything, boosted trees on the summaries."""
    odd, few, even = (values.double().numpy() for values in (pairs.odd, pairs.few_odd, pairs.even))
    votes = [_ridge(odd[taught])(odd[rest]), _trees(few[taught], even[taught], seed)(few[rest], even[rest])]
    # The root mean square of a vote does not depend on its signs, so weighing by it keeps the test what it is.
    sizes = [np.sqrt(np.mean(vote**2)) for vote in votes]
    return swap_test(sum((v / s for v, s in zip(votes, sizes, strict=True) if s > 0), start=np.zeros(len(rest))))


def swap_test(scores: Float[np.ndarray, " n"]) -> SwapTest:
    """From the scores s(x, y) of pairs that no classifier has seen, where s(y, x) = -s(x, y).

    >>> swap_test(np.array([3.0, 2.0, 1.0, -0.5])).auc
    1.0
    """
    from scipy.stats import rankdata, wilcoxon

    n = len(scores)
    if n < 2 or not np.any(scores):
        return SwapTest(0.5, math.sqrt(1 / (3 * max(n, 1))), 1.0, n)
    # The share of other pairs j with s_i + s_j > 0, from ranks among all scores and their mirror images.
    ranks = rankdata(np.concatenate((scores, -scores)))[:n] - rankdata(scores)
    own = np.where(scores > 0, 1.0, np.where(scores < 0, 0.0, 0.5))
    share = (ranks - own) / (n - 1)
    p_value = wilcoxon(scores, alternative="greater", zero_method="wilcox", method="approx").pvalue
    error = 2.0 * float(np.std(share)) / math.sqrt(n)
    return SwapTest(float(share.mean()), error, float(p_value), n)


def statistics(pairs: Pairs, rest: Rows) -> list[Statistic]:
    """The cheap ones: on all pairs, but those of principal components on the pairs that did not teach these."""
    known = {"1", *pairs.names}
    found = []
    for f, g in WATCHED:
        if f in known and g in known:
            values = _swapped(pairs, f, g)
            found.append(_statistic(f"{f}, {g}", values[rest] if f.startswith("pc") else values))
    if pairs.log_ratio is not None:
        found.append(_statistic("log p(y|x) - log p(x|y)", pairs.log_ratio.double().numpy()))
    return found


def _swapped(pairs: Pairs, f: str, g: str) -> Array:
    """f(x) g(y) - g(x) f(y)."""

    def at(values: Tensor, name: str) -> Array:
        column: Array = values[:, pairs.names.index(name)].double().numpy()
        return column

    if f == "1":
        return at(pairs.at_y, g) - at(pairs.at_x, g)
    return at(pairs.at_x, f) * at(pairs.at_y, g) - at(pairs.at_x, g) * at(pairs.at_y, f)


def _statistic(name: str, values: Array) -> Statistic:
    mean, error = float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))
    p_value = math.erfc(abs(mean) / (error * math.sqrt(2.0))) if error > 0 else float(mean == 0)
    return Statistic(name, mean, error, p_value)


def _ridge(odd: Array) -> Callable[[Array], Array]:
    """Linear, without an intercept, so that it is odd itself: what tells +odd from -odd."""
    from sklearn.linear_model import RidgeCV

    scale = np.sqrt(np.mean(odd**2, axis=0))
    used = scale > 1e-9 * max(1.0, float(scale.max()))
    if not used.any():
        return lambda other: np.zeros(len(other))
    ridge = RidgeCV(np.logspace(-1, 7, 17), fit_intercept=False).fit(odd[:, used] / scale[used], np.ones(len(odd)))
    return lambda other: (other[:, used] / scale[used]) @ ridge.coef_


def _trees(odd: Array, even: Array, seed: int) -> Callable[[Array, Array], Array]:
    """Boosted trees, taught either order of every pair, and made odd by the difference of the two."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    trees = HistGradientBoostingClassifier(
        max_depth=4, max_iter=80, learning_rate=0.08, early_stopping=False, random_state=seed % 2**32
    )
    both = np.concatenate((np.hstack((odd, even)), np.hstack((-odd, even))))
    trees.fit(both, np.repeat([1, 0], len(odd)))

    def score(odd: Array, even: Array) -> Array:
        there, back = (trees.decision_function(np.hstack((part, even))) for part in (odd, -odd))
        return there - back

    return score
