"""What was liked and disliked in a design, and what is known of the taste behind it."""

from collections.abc import Mapping
from typing import Any

from noisekernel.core.errors import InputError
from noisekernel.models.model import Model
from noisekernel.studio.store import Store
from noisekernel.studio.taste import LEAST, Taste

#: Taste is learned from so many opinions, those on the latest nodes.
MOST = 200


def opinions_of(store: Store, design: str) -> dict[str, int]:
    """What was judged in a design, of the latest nodes: node to 1 or -1."""
    judged = [node for node in store.nodes_of(design) if node["opinion"]]
    return {node["id"]: node["opinion"] for node in judged[-MOST:]}


def _counts(opinions: Mapping[str, int]) -> dict[str, int]:
    likes = sum(value > 0 for value in opinions.values())
    return {"like": likes, "dislike": len(opinions) - likes}


def check_enough(opinions: Mapping[str, int]) -> None:
    """That there are enough opinions to learn a taste from."""
    if min(_counts(opinions).values()) < LEAST:
        raise InputError(f"taste needs at least {LEAST} likes and {LEAST} dislikes in this design")


def taste_of(model: Model, store: Store, design: str) -> dict[str, Any]:
    """How many opinions there are, whether that is enough, and how surely they foretell each other."""
    opinions = opinions_of(store, design)
    counts = _counts(opinions)
    lacking = {name: LEAST - count for name, count in counts.items() if count < LEAST}
    told = {"ready": not lacking, "likes": counts["like"], "dislikes": counts["dislike"]}
    if lacking:
        more = [f"{count} more {name}{'s' if count > 1 else ''}" for name, count in lacking.items()]
        return {**told, "sure": 0.0, "said": f"Needs {' and '.join(more)}."}
    fitted = Taste.fit(model, store.clean_of(list(opinions)), list(opinions.values()))
    return {**told, "sure": fitted.sure, "said": fitted.said}
