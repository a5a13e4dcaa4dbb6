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

import needs  # noqa: E402
import other_processor  # noqa: E402
import small_models  # noqa: E402

other_processor.install()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    """What was left out for want of something is said loudly, after all else, not as one skipped test among others."""
    yield
    skipped = terminalreporter.stats.get("skipped", [])
    count = sum(needs.NO_BROWSER in str(report.longrepr) for report in skipped)
    if count:
        terminalreporter.section("LEFT OUT", "!", red=True, bold=True)
        terminalreporter.line(f"{count} tests of the studio's page: {needs.NO_BROWSER}", red=True, bold=True)


@pytest.fixture(autouse=True)
def _processor(request):
    """Another one than is there, unless the test is of two runs of the same call."""
    with other_processor.processor(here=request.node.get_closest_marker("same_call") is not None):
        yield


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


@pytest.fixture(scope="session")
def rows_model(tmp_path_factory):
    """A small model of points, and its data."""
    return small_models.rows(tmp_path_factory.mktemp("rows"))


@pytest.fixture(scope="session")
def words_model(tmp_path_factory):
    """A small model of strings, and its data."""
    return small_models.words(tmp_path_factory.mktemp("words"))


@pytest.fixture(scope="session")
def table_model(tmp_path_factory):
    """A small model of rows of a table, and its data."""
    return small_models.table(tmp_path_factory.mktemp("table"))


@pytest.fixture(scope="session")
def music_model(tmp_path_factory):
    """A small model of pieces of four voices, and its data."""
    return small_models.music(tmp_path_factory.mktemp("music"))


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    """`nk …` in this process and in a folder of its own: exit code, stdout, stderr."""
    from noisekernel.cli.main import main

    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["nk", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err
        return code, printed.out, printed.err

    return call
