"""Rounds: a function of their record; painted pixels alone change; walks can be had again."""

import base64
from io import BytesIO

import numpy as np
import pytest
import torch
from PIL import Image
from studio_records import begun, record

from noisekernel.core.errors import InputError
from noisekernel.studio.rounds.walking import LiveWalk, frames_again
from noisekernel.studio.viewing import feathered, read_mask, share_of_new


def png(array):
    content = BytesIO()
    Image.fromarray(array).save(content, "PNG")
    return base64.b64encode(content.getvalue()).decode()


def painted(side=8):
    array = np.zeros((side, side), np.uint8)
    array[:, side // 2 :] = 255
    return png(array)


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
        ("inpaint", {"mask": painted(), "feather": 2.0, "steps": 4, "label": None}),
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
    settings = {"mask": painted(), "feather": feather, "steps": 5, "label": None}
    found = result(digits, "inpaint", settings, 1, 3, z[:1])
    fill = read_mask(digits.model, settings["mask"]).expand(3, 1, 8, 8)
    old = z[:1].expand(3, 1, 8, 8)
    assert torch.equal(found[~fill], old[~fill])
    assert not torch.allclose(found[fill], old[fill], atol=0.01)


def test_a_feather_leads_from_old_to_new():
    fill = torch.zeros(1, 8, 8, dtype=torch.bool)
    fill[:, :, 4:] = True
    share = share_of_new(fill, 3.0)
    assert share[0, 0].tolist() == [0, 0, 0, 0, 0.25, 0.5, 0.75, 1.0]
    old, new = torch.zeros(1, 1, 8, 8), torch.ones(1, 1, 8, 8)
    assert torch.equal(feathered(new, old, share)[0, 0, 0], share[0, 0])
    levels = feathered(torch.full((1, 1, 8, 8), 9), torch.zeros(1, 1, 8, 8, dtype=torch.int64), share)
    assert levels.dtype == torch.int64
    assert levels[0, 0, 0].tolist() == [0, 0, 0, 0, 2, 4, 7, 9]
    assert torch.equal(share_of_new(torch.ones_like(fill), 3.0), torch.ones(1, 8, 8))


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        ("%%%", "base64"),
        (base64.b64encode(b"GIF89a").decode(), "send a PNG of 8 x 8"),
        (png(np.zeros((4, 4), np.uint8)), "it needs as many as the model, 8 x 8"),
        (png(np.zeros((800, 800), np.uint8)), "more than the 64 allowed"),
        (png(np.zeros((8, 8), np.uint8)), "nothing is painted"),
    ],
)
def test_masks_that_are_none(digits, mask, said):
    with pytest.raises(InputError, match=said):
        read_mask(digits.model, mask)


@pytest.mark.same_call
def test_frames_of_a_walk_can_be_had_again(digits, z):
    walk = LiveWalk.of(digits.model, z[:1], 9, 0.1)
    saved = [(walk.place(), walk.clean)]
    for step in range(12):
        if step == 4:
            walk.pace = 0.3
        if step == 7:
            walk.pace = 0.05
        walk.step()
        if step in (2, 4, 9, 11):
            saved.append((walk.place(), walk.clean))
    assert [len(place) for place, _ in saved] == [1, 1, 2, 3, 3]
    assert saved[-1][0] == [
        {"pace": 0.1, "steps": 4},
        {"pace": 0.3, "steps": 3},
        {"pace": 0.05, "steps": 5},
    ]
    again = frames_again(digits.model, z[:1], 9, None, [place for place, _ in saved])
    for (_, before), after in zip(saved, again, strict=True):
        assert torch.equal(before, after)
    (alone,) = frames_again(digits.model, z[:1], 9, None, [saved[3][0]])
    assert torch.equal(alone, saved[3][1])
    other = [saved[1][0], [{"pace": 0.2, "steps": 4}, {"pace": 0.3, "steps": 1}]]
    with pytest.raises(InputError, match="do not belong together"):
        frames_again(digits.model, z[:1], 9, None, other)


@pytest.mark.same_call
def test_a_full_segment_makes_room_for_the_next(digits, z, monkeypatch):
    monkeypatch.setattr("noisekernel.studio.rounds.walking.MOST_STEPS", 3)
    walk = LiveWalk.of(digits.model, z[:1], 0, 0.1)
    for _ in range(5):
        walk.step()
    assert [segment["steps"] for segment in walk.place()] == [3, 2]
    (again,) = frames_again(digits.model, z[:1], 0, None, [walk.place()])
    assert torch.equal(again, walk.clean)
