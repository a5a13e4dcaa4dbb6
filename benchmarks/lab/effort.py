"""How much of everything is measured: `FULL` for results, `QUICK` to see that everything works."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    #: Everything is measured on these materials first.
    materials: tuple[str, ...]
    #: Materials of a size that people use: the headline figures are measured on them next.
    confirmed: tuple[str, ...]
    #: Materials on which only the chain is measured: its samples, walks and balance.
    walked: tuple[str, ...]
    #: Everything is measured on these materials last.
    later: tuple[str, ...]
    #: Small coloured materials, scored as grey ones are: heads, networks, settings and rivals.
    coloured: tuple[str, ...]
    #: Grey materials on which corrections of the walk are measured.
    corrected: tuple[str, ...]
    #: Large coloured materials, on Inception's features: ours, the paper's recipe and the rivals are measured once.
    by_inception: tuple[str, ...]
    #: Whether the changes of a recipe that are no finalists are measured too.
    all_changes: bool
    seeds: int
    #: The share of the usual number of training images.
    share: float
    samples: int
    walkers: int
    #: Numbers of network calls per sample.
    calls: tuple[int, ...]
    #: Few calls and many, where two numbers of calls are enough.
    ends: tuple[int, ...]
    #: The largest number of calls, which is measured for one seed.
    most_calls: int
    #: Numbers of steps after which walks are scored.
    stops: tuple[int, ...]
    long_stops: tuple[int, ...]
    renewal_stops: tuple[int, ...]
    corrected_stops: tuple[int, ...]
    corrected_walkers: int

    @property
    def middle(self) -> tuple[int, ...]:
        """The numbers of calls that people use."""
        return tuple(n for n in self.calls if n in (20, 50))

    def large(self, material: str) -> bool:
        """Whether walks on this material take so long that one seed has to be enough."""
        return material in (*self.confirmed, *self.walked)


FULL = Effort(
    materials=("digits",),
    confirmed=("fashion28",),
    walked=("mnist28",),
    later=("fashion14",),
    coloured=("cifar16",),
    corrected=("mnist14", "mnist28"),
    by_inception=("cifar32",),
    all_changes=True,
    seeds=3,
    share=1.0,
    samples=1_000,
    walkers=200,
    calls=(10, 20, 50, 100),
    ends=(20, 100),
    most_calls=500,
    stops=(1, 10, 100, 400),
    long_stops=(1, 10, 100, 1_000, 2_000, 5_000, 10_000),
    renewal_stops=(1, 3, 10, 30, 100, 1_000, 10_000),
    corrected_stops=(1, 10, 100, 400, 1_000),
    corrected_walkers=500,
)
QUICK = Effort(
    materials=("digits",),
    confirmed=(),
    walked=(),
    later=(),
    coloured=("digits",),
    corrected=(),
    by_inception=(),
    all_changes=False,
    seeds=1,
    share=0.05,
    samples=200,
    walkers=50,
    calls=(10, 20),
    ends=(20,),
    most_calls=40,
    stops=(1, 10),
    long_stops=(1, 10, 100),
    renewal_stops=(1, 100),
    corrected_stops=(1, 10),
    corrected_walkers=50,
)
