"""Rounds: a function of their record; painted pixels alone change."""

import pytest
import torch
from studio_pictures import RIGHT_HALF, in_base64
from studio_records import begun, record


@pytest.fixture(scope="module")
def z(digits):
    return torch.cat([digits.example(i) for i in (3, 5)])


VARY = {"beta": 0.1, "lag": 0.9, "steps": 3, "readout": 2, "label": None}


def result(digits, task, settings, seed, n, parents, judged=None):
    return made_by(digits, *record(task, settings, seed, n, parents, judged))


def made_by(digits, one, known):
    doing = begun(digits.model, one, known)
    for _ in doing.run:
        pass
    return doing.clean


@pytest.mark.parametrize(
    ("task", "settings"),
    [
        ("sample", {"steps": 3, "label": "7"}),
        ("vary", VARY),
        ("vary", {"beta": None, "below": 0.5, "steps": 4, "label": "7"}),
        ("fill", {"mask": in_base64(RIGHT_HALF), "feather": 2.0, "steps": 4, "label": None}),
        ("steer", {**VARY, "taste": 0.5, "opinions": {"a": 1, "b": 1, "c": -1, "d": -1}}),
    ],
)
@pytest.mark.same_call
def test_a_round_is_a_function_of_its_record(digits, z, task, settings):
    parents = None if task == "sample" else z[:1]
    judged = torch.cat([digits.example(i) for i in (0, 10, 1, 11)]) if task == "steer" else None
    first = result(digits, task, settings, 5, 4, parents, judged)
    assert torch.equal(first, result(digits, task, settings, 5, 4, parents, judged))
    assert not torch.equal(first, result(digits, task, settings, 6, 4, parents, judged))
    assert len({tuple(each.flatten().tolist()) for each in first}) == 4


def test_candidates_go_round_their_parents(digits, z):
    settings = {**VARY, "beta": 0.002, "steps": 0}
    found = result(digits, "vary", settings, 0, 5, z)
    for i, candidate in enumerate(found):
        own, other = ((candidate - parent).square().mean() for parent in (z[i % 2], z[(i + 1) % 2]))
        assert own < other


@pytest.mark.parametrize("feather", [0.0, 1.0, 3.5, 8.0])
def test_kept_pixels_are_never_touched(digits, z, feather):
    settings = {"mask": in_base64(RIGHT_HALF), "feather": feather, "steps": 5, "label": None}
    found = result(digits, "fill", settings, 1, 3, z[:1])
    fill = digits.model.kind.on_page.read_mask(settings["mask"]).expand(3, 1, 8, 8)
    old = z[:1].expand(3, 1, 8, 8)
    assert torch.equal(found[~fill], old[~fill])
    assert not torch.allclose(found[fill], old[fill], atol=0.01)
