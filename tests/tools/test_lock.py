"""The lock files match pyproject.toml, and the check sees it when they do not."""

from __future__ import annotations

import copy
import tomllib
from typing import Any

import pytest

from tools import lock


@pytest.fixture
def project() -> dict[str, Any]:
    """This project's pyproject.toml."""
    return tomllib.loads((lock.ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", lock.LOCKS)
def test_the_locks_match(name: str, project: dict[str, Any]) -> None:
    """What is committed has no fault."""
    text = (lock.ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    assert lock.faults(name, text, project) == []


def test_core_has_no_extras_and_no_tools(project: dict[str, Any]) -> None:
    """The core lock is what a plain install brings; the other has the same versions and more."""
    texts = {name: (lock.ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8") for name in lock.LOCKS}
    core, dev = lock.pins(texts["core"]), lock.pins(texts["dev"])
    assert not {"pytest", "ruff", "html-to-markdown"} & set(core)
    assert {name: dev[name] for name in core} == core
    assert {"pytest", "ruff", "html-to-markdown", "hatchling"} <= set(dev)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: p["project"]["dependencies"].append("click>=99"), "does not pin click>=99"),
        (lambda p: p["project"]["dependencies"].append("left-pad"), "does not pin left-pad"),
        (lambda p: p["dependency-groups"]["dev"].remove("ruff>=0.12"), "another pyproject.toml"),
        (lambda p: p["project"].update({"requires-python": ">=3.12"}), "another pyproject.toml"),
    ],
)
def test_a_change_of_pyproject_is_seen(change: Any, said: str, project: dict[str, Any]) -> None:
    """Another dependency, bound, tool or Python makes the locks stale."""
    changed = copy.deepcopy(project)
    change(changed)
    text = (lock.ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    assert any(said in fault for fault in lock.faults("dev", text, changed))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("--index-url https://example.org/simple", "names an address"),
        ("unhashed==1.0", "has no hash for unhashed==1.0"),
    ],
)
def test_addresses_and_missing_hashes_are_seen(line: str, said: str, project: dict[str, Any]) -> None:
    """A lock that names a registry, or a package without a hash, is refused."""
    text = (lock.ROOT / "requirements" / "core.txt").read_text(encoding="utf-8")
    assert said in lock.faults("core", f"{text}{line}\n", project)
