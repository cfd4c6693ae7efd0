"""Peers are found, installed or said to be missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from drawwell.bench.speed.peers import CONTEXTPULL, find_contextpull, find_ripgrep
from drawwell.bench.speed.process import run_checked
from drawwell.bench.speed.race import Unavailable
from tests.bench.speed.standins import install_contextpull, install_ripgrep


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A folder with two pages."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# Gateways\n\nA gateway returns TX-4419 when it is tired.\n", encoding="utf-8")
    (folder / "b.md").write_text("# Clients\n\nA client waits.\n", encoding="utf-8")
    return folder


def test_contextpull_answers_from_its_own_environment(corpus: Path, tmp_path: Path) -> None:
    """One that is there is used as it is: it ingests, searches and greps in processes of its own, never in ours."""
    loaded = {name for name in sys.modules if name.startswith("contextpull")}
    home = install_contextpull()
    peer = find_contextpull()
    assert peer.python.is_relative_to(home)
    assert peer.tool == f"contextpull {CONTEXTPULL}"
    store = tmp_path / "peer.sqlite"
    run_checked(peer.ingest(corpus, store))
    assert store.is_file()
    with peer.session(store) as session:
        assert session.ask("search", "gateway", limit=3).ms > 0
        assert session.ask("grep", "tx-44", regex=False, limit=3).ms > 0
        with pytest.raises(Unavailable, match="Error"):
            session.ask("grep", "(", regex=True, limit=3)
        assert session.ask("search", "clients — « é", limit=3).ms > 0
    with peer.session(tmp_path / "none.sqlite") as session, pytest.raises(Unavailable, match="ended with code"):
        session.ask("search", "gateway")
    assert {name for name in sys.modules if name.startswith("contextpull")} == loaded


def test_contextpull_that_cannot_be_installed_says_why(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Without a network the installer's own reason is given, and the next run tries again."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(home / "none"))
    with pytest.raises(Unavailable, match=f"(?i)no matching distribution.*contextpull=={CONTEXTPULL}"):
        find_contextpull()
    assert not list(home.rglob("ready.txt"))


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script")
def test_ripgrep_on_the_path(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked for files whose lines match, literally or by an expression; no match is fine, a fault is not."""
    install_ripgrep(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    found = find_ripgrep()
    assert found.tool == "ripgrep 99.1.0"
    for pattern, regex in (("tx-4419", False), ("absent (", False), (r"g\w+y", True)):
        assert found.files_with(pattern, corpus, regex=regex).ms > 0
    with pytest.raises(Unavailable, match="exit code 2: regex parse error"):
        found.files_with("(", corpus, regex=True)


def test_ripgrep_that_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason says how to install it."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Unavailable, match="apt install ripgrep"):
        find_ripgrep()
