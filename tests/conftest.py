import sys
from pathlib import Path

import hypothesis
import pytest
import torch

# Machines differ in speed, so no deadline; the same examples every time, so that a failure is a fact.
hypothesis.settings.register_profile("noisekernel", deadline=None, derandomize=True)
hypothesis.settings.load_profile("noisekernel")

# Networks here are tiny: threads would cost more than they bring, and the suite runs in several processes instead.
torch.set_num_threads(1)

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """What is kept on disk between evaluations is kept apart from the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NK_HOME", str(tmp_path_factory.mktemp("nk-home")))
        yield


@pytest.fixture(autouse=True)
def _fixed_seed():
    """Weights are initialised from torch's ambient generator; nothing else in the package touches it."""
    torch.manual_seed(0)
