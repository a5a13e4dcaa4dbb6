"""The strength of variants is measured when training ends, and kept in the model's file."""

import numpy as np
import pytest

import noisekernel as nk
from noisekernel.tasks import strength
from noisekernel.training import calibration

POINTS = np.random.default_rng(0).normal(size=(256, 2)).astype(np.float32)
TINY = {"training.batch": 64, "network.width": 8, "network.depth": 1}


@pytest.fixture
def measured(monkeypatch):
    """How often a model was measured."""
    calls = []
    measure = strength.Way.measure
    monkeypatch.setattr(
        strength.Way, "measure", lambda self, *given, **more: calls.append(self.name) or measure(self, *given, **more)
    )
    return calls


@pytest.mark.training
def test_a_trained_model_has_its_strength(tmp_path, monkeypatch, measured, capsys):
    monkeypatch.setattr(calibration, "FEWEST", 640)
    settings = {**TINY, "training.images": 640}
    model = nk.fit(POINTS, tmp_path / "run", settings=settings)
    assert measured == ["renewal"]
    assert "strength of variants is measured and kept" in " ".join(capsys.readouterr().err.split())
    loaded = nk.load(tmp_path / "run")
    assert loaded.curves["renewal"] == model.curves["renewal"]
    loaded.vary(loaded.sample(2), n=1, strength=0.3)
    assert measured == ["renewal"]
    # Resumed after its end, a run is not measured again.
    again = nk.fit(POINTS, tmp_path / "run", resume=True, progress=False)
    assert again.curves["renewal"] == model.curves["renewal"]
    assert measured == ["renewal"]


@pytest.mark.training
def test_short_runs_and_those_that_do_not_want_it_are_not_measured(measured, capsys):
    model = nk.fit(POINTS, settings={**TINY, "training.images": 128})
    assert "renewal" not in model.curves
    assert "measured at their first use: a run of 128 images is too short" in " ".join(capsys.readouterr().err.split())
    nk.fit(POINTS, settings={**TINY, "training.images": 16_000}, calibrate=False, progress=False)
    assert measured == []


@pytest.mark.training
def test_a_killed_measurement_is_made_up_for(tmp_path, monkeypatch, measured):
    monkeypatch.setattr(calibration, "FEWEST", 128)

    def killed(*given, **more):
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr(calibration, "calibrated", killed)
        with pytest.raises(SystemExit):
            nk.fit(POINTS, tmp_path / "run", settings={**TINY, "training.images": 128}, progress=False)
    assert "renewal" not in set(nk.load(tmp_path / "run").curves)
    nk.fit(POINTS, tmp_path / "run", resume=True, progress=False)
    assert "renewal" in set(nk.load(tmp_path / "run").curves)
