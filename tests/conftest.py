"""What every test gets: a home of its own, and a guard around the user's real one.

Tests are imported by ``importlib``, so two test files may bear one name; helpers of tests are imported by their
full name (``from tests.corpus.helpers import ...``).
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from drawwell.providers.folders import is_sound, models_folder
from tests.guard import Guard, user_places

PLACES = (
    "HOME",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
)
OWN_PREFIXES = ("DRAWWELL_", "CONTEXTPULL_")
OWN_NAMES = ("DISABLED_TOOLS", "NO_COLOR", "FORCE_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "TTY_COMPATIBLE")

MODELS = models_folder()
"""Where `make models` made the model of the tests; it is only read."""
GUARD = Guard(user_places("drawwell"), readable=[str(MODELS.resolve())])
"""Both are made before anything is redirected, so that they know the real places."""
SESSION_HOME = tempfile.TemporaryDirectory(prefix="drawwell-tests-")


def home_variables(home: Path) -> dict[str, str]:
    """The variables that make ``home`` the user's home on every system."""
    return {name: str(home / name.lower() if name not in ("HOME", "USERPROFILE") else home) for name in PLACES}


def pytest_configure(config: pytest.Config) -> None:
    """Redirect the home of the whole session, so that fixtures of a module or session are isolated too."""
    for name in list(os.environ):
        if name.startswith(OWN_PREFIXES) or name in OWN_NAMES:
            del os.environ[name]
    os.environ.update(home_variables(Path(SESSION_HOME.name)))
    sys.addaudithook(GUARD.audit)
    if GUARD.offends(platformdirs.user_config_dir("drawwell")):
        raise pytest.UsageError("the tests' home is the user's real home")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the session's home."""
    SESSION_HOME.cleanup()


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty home for this test; the test fails when anything of the user's real data was touched."""
    place = tmp_path_factory.mktemp("home")
    for name, value in home_variables(place).items():
        monkeypatch.setenv(name, value)
    yield place
    touched = GUARD.take()
    if touched:
        pytest.fail("the user's real data was touched: " + ", ".join(touched))


@pytest.fixture(scope="session")
def minilm() -> Path:
    """The folder of a real sentence-embedding model, all-MiniLM-L6-v2."""
    folder = MODELS.resolve() / "all-MiniLM-L6-v2"
    if not is_sound(folder):
        pytest.fail(f"the model of the tests is not in {folder}: run `make models`")
    return folder
