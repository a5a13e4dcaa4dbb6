"""nk diagnose: a page and every figure."""

import json
import sys

import pytest

from helpers import refused


@pytest.mark.training
def test_a_diagnosis_is_a_page_and_every_figure(run, tmp_path, monkeypatch):
    monkeypatch.setattr("noisekernel.measuring.chains.diagnosis.VARIANT_STEPS", 3)
    arguments = ("diagnose", "digits", "--data", "digits", "--steps", 12, "-n", 8, "--pairs", 60, "--out", "d")
    code, out, _ = run(*arguments, "--json", "--lag", 0.5, "--beta", 0.3)
    assert code == 0
    figures = json.loads(out)
    assert figures == json.loads((tmp_path / "d" / "diagnosis.json").read_text())
    walk, paper = figures["walk"], figures["paper"]
    assert {r["beta"] for r in paper["reversible"]} == {0.05, 0.1, 0.2, 0.3, 0.4, 0.8}
    assert {r["beta"] for r in walk["reversible"]} == {0.1, 0.5, 0.9}
    assert (paper["stationary"]["beta"], walk["stationary"]["beta"]) == (0.3, 0.5)
    assert paper["stationary"]["lag"] == paper["strength"]["lag"] == 0.5
    for one in (walk, paper):
        assert len(one["strength"]["distances"]) == len(one["strength"]["betas"]) > 5
        assert {m["chains"] for m in one["mixing"]} == {8}
    page = (tmp_path / "d" / "diagnose.html").read_text()
    assert page.count("<img") == 9
    assert "http" not in page
    for title in ("Reversible?", "Stationary?", "Mixing?", "How far does a variant go?"):
        assert title in page
    refused(run(*arguments), "d exists and is not empty", "--force")


def test_what_cannot_be_diagnosed_is_refused_in_a_sentence(run, monkeypatch):
    refused(run("diagnose", "digits", "--data", "digit"), "Did you mean 'digits'?")
    refused(run("diagnose", "digits", "--data", "digits", "--beta", 1.5), "beta is 1.5")
    refused(run("diagnose", "digits"), "--data")
    monkeypatch.setitem(sys.modules, "arviz", None)
    refused(run("diagnose", "digits", "--data", "digits"), "pip install 'noisekernel[diagnose]'")


def test_a_steered_chain_beside_weighed_samples(run, tmp_path):
    asked = ("diagnose", "digits", "--score", "dark", "--insist", 20, "--steps", 20, "-n", 4, "--samples", 60)
    code, out, _ = run(*asked, "--out", "s", "--json")
    assert code == 0
    figures = json.loads(out)
    assert figures == json.loads((tmp_path / "s" / "steered.json").read_text())
    assert (figures["walkers"], figures["steps"], figures["samples"], figures["insist"]) == (4, 20, 60, 20.0)
    page = (tmp_path / "s" / "steered.html").read_text()
    assert page.count("<img") == 1
    assert "http" not in page
    assert "The score &#x27;dark&#x27;" in page
    refused(run(*asked, "--out", "s"), "s exists and is not empty", "--force")
    refused(run(*asked, "--data", "digits"), "leave out --data")
    refused(run(*asked, "--chain", "redraw", "--out", "r"), "is for data in categories")
    refused(run("diagnose", "digits", "--score", "drak"), "Did you mean 'dark'?")
