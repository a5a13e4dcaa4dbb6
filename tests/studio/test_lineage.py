"""Variants of variants have the noise of their line, though only pictures are kept."""

import pytest
import torch
from studio_records import Loose, begun, record

import noisekernel as nk
from noisekernel import tasks
from noisekernel.core.randomness import Purpose
from noisekernel.kinds.pictures.on_page import write_mask
from noisekernel.sampling import renewal
from noisekernel.sampling.samplers import annealing
from noisekernel.studio.rounds.lineage import LONGEST, Line, Renewal, lines_of, stream_of

STEPS = 4


def vary(parents, seed, below=0.4, n=3, weights="a", **changes):
    settings = {"beta": None, "below": below, "steps": STEPS, "label": None, **changes}
    made = {"weights": weights}
    return {"task": "vary", "settings": settings, "seed": seed, "n": n, "parents": parents, "made": made}


def walked(digits, one, known, names):
    """The round, and its candidates as nodes of these names."""
    run = begun(digits.model, one, known).run
    for place, (name, z) in enumerate(zip(names, run.result(), strict=True)):
        known.z[name], known.made[name] = z, (one, place)
    return run


def test_the_noise_of_a_variant_is_that_of_its_line(digits):
    """Three rounds: the noise of each is that of the round before, carried on; and it makes the picture again."""
    known = Loose({"a": digits.example(3)[0], "b": digits.example(5)[0]})
    first = walked(digits, vary(["a", "b"], 1), known, ["a0", "b1", "a2"])
    second = walked(digits, vary(["a2", "b1"], 2), known, ["c", "d", "e"])
    third = begun(digits.model, vary(["d"], 3, n=2, below=0.0), known).run
    schedule = annealing(digits.model.kernel, STEPS)
    carried = renewal.rows_of(first.noise, torch.tensor([2, 1, 2]))
    streams = nk.Streams.of(2, [(1 << 32) + place for place in range(3)], purpose=Purpose.RENEWING)
    expected = renewal.renewed(carried, renewal.shares(digits.model.kernel, schedule, STEPS + 1, 0.4), streams)
    for found, wanted in zip(second.noise.noise, expected.noise, strict=True):
        torch.testing.assert_close(found, wanted)
    for found, wanted in zip(third.noise.noise, renewal.rows_of(second.noise, torch.tensor([1, 1])).noise, strict=True):
        torch.testing.assert_close(found, wanted)
    torch.testing.assert_close(third.result(), known.z["d"].expand(2, -1, -1, -1))
    found_again = tasks.variation(digits.model, known.z["d"][None], below=0.0, steps=STEPS, seed=3).noise
    assert not torch.allclose(found_again.noise[1], third.noise.noise[1][:1])  # the wrong twin


def test_a_seed_that_is_used_again_draws_other_noise(digits, monkeypatch):
    """Else what is drawn anew would add up, as for the wrong twin, whose streams are numbered by place alone."""

    def deviation():
        known, run = Loose({"0": digits.example(3)[0]}), None
        for generation in range(5):
            run = walked(digits, vary([str(generation)], 7, n=1, below=0.9), known, [str(generation + 1)])
        return float(run.noise.noise[2].std())  # a draw of which most, but not all, is drawn anew

    assert 0.7 < deviation() < 1.3
    monkeypatch.setattr(Line, "stream", lambda self, place: place)
    assert deviation() > 1.4


@pytest.mark.parametrize("task", ["vary", "fill"])
def test_variants_of_a_sample_with_its_own_seed_are_not_its_siblings(digits, task):
    known = Loose()
    one, _ = record("sample", {"steps": STEPS, "label": None}, seed=7, n=3, parents=None)
    walked(digits, one, known, ["0", "1", "2"])
    made = {"weights": "a"}
    mask = write_mask(torch.ones(1, 8, 8, dtype=torch.bool))
    settings = {"mask": mask, "feather": 0.0, "steps": STEPS, "label": None}
    fill = {"task": "fill", "settings": settings, "seed": 7, "n": 3, "parents": ["0"], "made": made}
    walked(digits, vary(["0"], 7, below=1.0) if task == "vary" else fill, known, ["a", "b", "c"])
    assert not any(torch.allclose(known.z[a], known.z[b], atol=0.3) for a in "012" for b in "abc")


def test_what_is_painted_again_with_its_own_seed_draws_other_noise(digits):
    known = Loose({"0": digits.example(3)[0]})
    settings = {
        "mask": write_mask(torch.ones(1, 8, 8, dtype=torch.bool)),
        "feather": 0.0,
        "steps": STEPS,
        "label": None,
    }
    for at in "01":
        one = {"task": "fill", "settings": settings, "seed": 7, "n": 1, "parents": [at], "made": {"weights": "a"}}
        walked(digits, one, known, [str(int(at) + 1)])
    assert not torch.allclose(known.z["1"], known.z["2"], atol=0.3)


def test_the_latest_parent_numbers_the_streams_of_a_round():
    walk = vary(["a"], 5, beta=0.2)
    made = {"c": (walk, 1)}
    assert stream_of(vary(["a", "c"], 5, beta=0.2), made.get) == stream_of(vary(["c"], 5), made.get) == 1 << 32
    assert stream_of(vary(["a"], 5), made.get) == 0


def test_noise_of_other_streams_is_not_followed():
    """Variants of an earlier version: their seeds draw something else now."""
    old, new = vary(["a"], 1), vary(["x"], 2)
    new["made"] = {**new["made"], "streams": 2}
    assert lines_of(new, {"x": (old, 0)}.get)[0].origin == "x"
    old["made"] = new["made"]
    assert lines_of(new, {"x": (old, 0)}.get)[0].origin == "a"


def test_a_line_is_followed_up_to_where_its_noise_was_found():
    one = vary(["a", "b"], 7, n=5)
    two = vary(["x", "y"], 8, below=0.2)
    known = {"x": (one, 3), "y": (one, 4), "z": (two, 2)}
    assert lines_of(vary(["z", "y"], 9), known.get) == [
        Line("b", 0, 7, 1, (Renewal(7, 3, 0.4), Renewal(8, 2, 0.2))),
        Line("a", 0, 7, 0, (Renewal(7, 4, 0.4),)),
    ]


def test_a_long_line_begins_anew_now_and_then():
    chain = {str(k + 1): (vary([str(k)], k), 0) for k in range(100)}
    for depth, kept in ((1, 1), (LONGEST - 1, LONGEST - 1), (LONGEST, 0), (LONGEST + 2, 2), (99, 99 % LONGEST)):
        (line,) = lines_of(vary([str(depth)], 1_000), chain.get)
        assert (line.origin, line.generation) == (str(depth - kept), depth - kept)
        assert [each.seed for each in line.renewals] == list(range(depth - kept, depth))
        assert line.stream(3) == (depth << 32) + 3


@pytest.mark.parametrize(
    "other",
    [
        vary(["a"], 7, steps=STEPS + 1),
        vary(["a"], 7, label="3"),
        vary(["a"], 7, beta=0.2),
        vary(["a"], 7, weights="b"),
        {**vary(["a"], 7), "task": "steer"},
        {**vary(["a"], 7), "task": "fill"},
        {**vary([], 7), "task": "sample"},
    ],
    ids=["steps", "label", "constant noise", "weights", "steered", "painted", "new"],
)
def test_a_line_begins_where_variants_of_its_kind_do(other):
    assert lines_of(vary(["x"], 9, n=4), {"x": (other, 0)}.get) == [Line("x", len(other["parents"]), 9, 0)]


def test_pictures_of_one_line_have_their_noise_found_once(digits, monkeypatch):
    known = Loose({"a": digits.example(3)[0]})
    walked(digits, vary(["a"], 1, n=8), known, list("ijklmnop"))
    batches, right = [], renewal.retracing

    def counting(model, z, *rest):
        batches.append(len(z))
        return right(model, z, *rest)

    monkeypatch.setattr("noisekernel.studio.rounds.lineage.retracing", counting)
    begun(digits.model, vary(list("ijklmnop"), 2, n=8), known)
    assert batches == [1]


def test_the_noise_is_that_of_the_class(digits):
    noises = []
    for label in (None, "7"):
        settings = {"beta": None, "below": 0.0, "steps": 6, "label": label}
        one, known = record("vary", settings, 1, 2, digits.example(7))
        noises.append(begun(digits.model, one, known).run.noise.noise[-1])
    assert not torch.allclose(*noises)
