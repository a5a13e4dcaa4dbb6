"""A studio to test: the digits' model, a folder of its own, and a real server in a thread."""

import pytest
from studio_client import ok, serving

from noisekernel.studio.models import serve
from noisekernel.studio.studio import Studio
from noisekernel.studio.work.queue import Queue


@pytest.fixture(scope="session")
def digits():
    served = serve("digits")
    assert not served.unmeasured  # nothing is measured behind a test's back
    return served


@pytest.fixture
def studio(tmp_path, digits):
    # However busy the machine is, no job is taken for deserted; a test that wants one to be shortens the grace.
    made = Studio(tmp_path / "home", {"digits": digits}, threads=1, queue=Queue(grace=600.0))
    yield made
    made.close()


@pytest.fixture
def api(studio):
    with serving(studio) as client:
        yield client


@pytest.fixture
def design(api):
    return ok(api.post("/api/designs", json={"name": "numbers", "model": "digits"}))["id"]
