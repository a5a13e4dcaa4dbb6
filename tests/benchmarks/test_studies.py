"""Studies ask for arms whose settings exist, and their tables say what their results say."""

import pytest

from lab import headlines, programme
from lab.effort import FULL, QUICK
from lab.findings import Findings
from lab.own_arms import Ours
from lab.results import Key
from lab.studies import calls_and_rivals, colour, corrections, heads, networks
from noisekernel import recipes


@pytest.mark.parametrize("effort", [FULL, QUICK], ids=["full", "quick"])
def test_every_arm_of_ours_has_settings_that_the_package_knows(effort):
    for unit in programme.units(effort):
        if isinstance(unit.weights, Ours):
            recipes.recipe(unit.weights.recipe, unit.weights.changes)


def test_one_name_has_one_recipe_on_a_material():
    """Results are found by material and name of the arm, so two recipes under one name would be mixed up."""
    known = {}
    for unit in programme.units(FULL):
        for arm in (unit.weights, *(arm for arm, _ in unit.draws)):
            if isinstance(arm, Ours):
                told = (arm.changes, arm.sampler, arm.recipe, arm.budget)
                assert known.setdefault((unit.material, arm.name), told) == told


def test_arms_of_several_numbers_of_images_belong_to_one_study():
    """Other tables ask for results by arm alone."""
    for material in ("fashion28", "cifar16"):
        asked = {}
        for unit in programme.units(FULL):
            if unit.material == material:
                asked.setdefault(unit.weights.name, set()).add((unit.study, unit.images))
        for pairs in asked.values():
            numbers = {images for _, images in pairs}
            assert len(numbers) == 1 or {study for study, _ in pairs} == {"heads"}


@pytest.mark.parametrize(
    ("bits", "goal", "images"),
    [
        ({4_000: 2.8, 16_000: 2.6}, 2.7, 8_000.0),
        ({4_000: 2.8, 16_000: 2.6}, 2.6, 16_000.0),
        ({4_000: 2.5, 16_000: 2.4}, 2.6, 4_000.0),
        ({16_000: 2.6, 4_000: 2.8, 8_000: 2.65}, 2.7, 4_000.0 * 2.0 ** (0.1 / 0.15)),
        ({4_000: 2.8, 16_000: 2.6}, 2.5, None),
        ({}, 2.5, None),
    ],
)
def test_images_to_reach_a_goal(bits, goal, images):
    assert heads.crossing(bits, goal) == (None if images is None else pytest.approx(images))


def curve(bits):
    return {"bits": bits, "bits_error": 0.01, "errors": [bits / 100.0] * 19, "date": "2026-01-01"}


def test_the_tables_of_heads_compare_at_equal_numbers_of_images():
    entries = {}
    for seed in range(2):
        for images, (old, new) in {8_000: (3.0, 2.8), 24_000: (2.6, 2.5), 120_000: (2.4, 2.35)}.items():
            for head, bits in (("preconditioned", old), ("covariance", new)):
                entries[Key("curve", "cifar16", images, f"head {head}", seed)] = curve(bits + 0.01 * seed)
        pace = {
            "ms": {"head preconditioned": 2.0, "head covariance": 2.1},
            "over_first": {"head covariance": {"median": 1.05, "low": 1.0, "high": 1.1}},
            "date": "2026-01-01",
        }
        entries[Key("pace", "cifar16", 8_000, "heads", seed)] = pace
    found = Findings(entries)
    rows = heads.heads_table(found, "cifar16", FULL).splitlines()
    assert "| 8,000 images | 3.0050 (3.0000 to 3.0100) | 2.8050 (2.8000 to 2.8100) | -0.2000 (" in rows[4]
    reached = heads.images_to_reach(found, "cifar16", FULL)
    # The goal, 2.6, is two thirds of the way from 2.8 to 2.5.
    assert reached == pytest.approx(dict.fromkeys(range(2), 8_000 * 3.0 ** (2.0 / 3.0)))
    cost = heads.cost_table(found, "cifar16", FULL).splitlines()[-1]
    assert cost.startswith(f"| covariance | {3.0 ** (2.0 / 3.0) / 3.0:.3f} (")
    assert "1.050" in cost


def test_a_head_that_never_gets_there_saves_nothing_that_can_be_told():
    entries = {
        Key("curve", "cifar16", 24_000, "head preconditioned", 0): curve(2.0),
        Key("curve", "cifar16", 120_000, "head covariance", 0): curve(2.5),
    }
    assert heads.images_to_reach(Findings(entries), "cifar16", FULL) == {}


def test_colour_measures_every_change_once_and_finalists_for_every_seed():
    first, second = (list(colour.units("cifar16", seed, FULL)) for seed in (0, 1))
    assert len(first) == len(colour.CHANGES)
    assert [unit.weights.name for unit in second] == [f"colour {name}" for name in colour.FINALISTS]
    assert {unit.images for unit in (*first, *second)} == {32_000}
    quick = list(colour.units("digits", 0, QUICK))
    assert len(quick) == len(colour.FINALISTS)


def test_the_networks_are_shown_only_beside_each_other():
    ours = {Key("curve", "cifar16", 120_000, "ours", 0): {**curve(2.5), "images": 120_000}}
    assert len(networks.networks_table(Findings(ours), "cifar16", FULL).splitlines()) == 2
    others = {
        Key("curve", "cifar16", 120_000, f"network of {name}", 0): {
            **curve(2.6),
            "images": 120_000,
            "images_in_equal_time": 50_000,
        }
        for name in ("the paper", "diffusers")
    }
    rows = networks.networks_table(Findings(ours | others), "cifar16", FULL).splitlines()[2:]
    assert [row.split(" | ")[1] for row in rows] == ["120000", "50000", "50000"]


def test_ours_is_compared_with_the_best_rival_of_each_seed_where_all_families_were_measured():
    def sample(fid):
        return {"fid": fid, "held_out": fid, "samples": 1_000, "floor": 0.1, "date": "2026-01-01"}

    rivals = {
        "ddpm": (3.0, 3.0),
        "ddim": (4.0, 5.0),
        "flow matching": (5.0, 2.0),
        "edm": (2.5, 6.0),
        "ours": (2.0, 2.2),
    }
    entries = {
        Key("samples", "cifar16", 120_000, name, seed, 50): sample(fid)
        for name, fids in rivals.items()
        for seed, fid in enumerate(fids)
    }
    entries |= {
        Key("curve", "cifar16", 120_000, name, 0): curve(fids[0]) for name, fids in rivals.items() if name != "ddim"
    }
    found = Findings(entries)
    assert calls_and_rivals.best_rivals(found, "cifar16", 50) == {0: (2.5, "edm"), 1: (2.0, "flow matching")}
    figures = headlines.in_colour(found, "cifar16", "colour")
    assert figures["colour_fid_ours_over_best_rival"][0] == pytest.approx((0.8 * 1.1) ** 0.5)
    assert figures["colour_bits_ours_over_best_rival"][0] == pytest.approx(0.8)
    assert figures["colour_fid20_ours_over_best_rival"] is None
    assert "| distance, 50 calls | 0.800 (edm) | 1.100 (flow matching) | - |" in calls_and_rivals.best_table(
        found, "cifar16", FULL
    )
    without = {key: entry for key, entry in entries.items() if key.arm != "edm"}
    assert calls_and_rivals.best_rivals(Findings(without), "cifar16", 50) == {}


def test_the_excess_of_a_corrected_walk_is_told_over_the_floor():
    def walk(fids):
        stops = [{"steps": n, "calls": n, "fid": fid, "travelled": 0.5} for n, fid in zip((1, 100), fids, strict=True)]
        return {"floor": 0.5, "walkers": 500, "stops": stops, "date": "2026-01-01"}

    pairs = {"correction: today": (0.6, 1.5), "correction: corrected": (0.6, 0.7)}
    entries = {Key("walk", "mnist14", 60_000, name, 0): walk(fids) for name, fids in pairs.items()}
    figures = headlines.figures(Findings(entries), "mnist14")
    assert figures["corrected_excess_100"][0] == pytest.approx(0.2)
    assert figures["corrected_excess_400"] is None
    assert "| today | 0.600 (0.500) |" in corrections.corrections_table(Findings(entries), "mnist14", FULL)
