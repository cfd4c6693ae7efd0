"""The sample corpus for the commands that read one."""

from __future__ import annotations

from pathlib import Path

import pytest

from drawwell.compose import open_corpus
from drawwell.demo import copy_corpus


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus, taken in once for the tests of a module that only read."""
    folder = copy_corpus(tmp_path_factory.mktemp("corpus") / "handbook")
    open_corpus(folder, workers=1).close()
    return folder


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A small folder of a test's own, not taken in."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# Alpha\n\nThe first document says TX-1.\n\n## Beta\n\nMore about refunds.\n")
    (folder / "b.txt").write_text("Plain words about gateways.\n")
    return folder
