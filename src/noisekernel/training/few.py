"""Sentences for who trains on few examples, or on copies."""

from torch import Tensor

from noisekernel.kinds.base import Kind

#: Fewer examples than this are few: a run of usual length sees each of them more than a hundred times.
FEW = 500
#: Copies are looked for among so many examples at most.
COMPARED = 10_000


def told_of_few(values: Tensor, kind: Kind) -> list[str]:
    """What is to be expected of these examples, as they are stored, because they are few or alike; often nothing.

    Args:
        values: The examples, (n, …).
        kind: What they are, with all settings.
    """
    n = len(values)
    if n > COMPARED:
        return []
    different = len({each.tobytes() for each in values.numpy()})
    if different == 1:
        copies = f" ({n:,} times)" if n > 1 else ""
        return [f"there is one {kind.one} to learn from{copies}: the model will know it by heart, and draw no other"]
    sentences = []
    if different < n:
        copies = "one is a copy of another" if n - different == 1 else f"{n - different:,} are copies of others"
        sentences.append(f"of {n:,} {kind.many} {copies}, so they count more than once")
    if different < FEW:
        instead = (
            " or change them in training (--set data.augment=0.12)" if "augment" in type(kind).model_fields else ""
        )
        if kind.augmentation is not None:
            instead = ""
        sentences.append(
            f"{different:,} {kind.many} are few: a long run learns them by heart. Begin with the weights of a model "
            f"(--from){instead}"
        )
    return sentences
