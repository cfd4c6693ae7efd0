"""What is asked of the MCP SDK is what is tested."""

from __future__ import annotations

import tomllib
from importlib.metadata import requires, version

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tools import lock


def test_sv_02_the_sdk_is_pinned_to_what_is_tested() -> None:
    """SV-02: the next major of the SDK is never installed by accident, and the one that runs here is allowed."""
    (sdk,) = [one for one in map(Requirement, requires("drawwell") or []) if one.name == "mcp"]
    assert version("mcp") in sdk.specifier
    major = int(version("mcp").split(".")[0])
    assert f"{major + 1}.0.0" not in sdk.specifier
    assert f"{major - 1}.99.0" not in sdk.specifier


@pytest.mark.parametrize("name", lock.LOCKS)
def test_sv_02_the_oldest_sdk_that_is_allowed_is_the_locked_one(name: str) -> None:
    """SV-02: one version of the SDK is tested, the locked one; no older one may be installed."""
    project = tomllib.loads((lock.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (sdk,) = [one for one in map(Requirement, project["project"]["dependencies"]) if one.name == "mcp"]
    (oldest,) = [Version(bound.version) for bound in sdk.specifier if bound.operator in (">=", "==", "~=")]
    (locked,) = lock.pins((lock.ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8"))["mcp"]
    assert oldest == locked, (
        f"pyproject.toml allows mcp {oldest}, but requirements/{name}.txt locks {locked} and only that is tested: "
        f"write mcp>={locked} in pyproject.toml and run `make lock`, or run the tests of the server with {oldest} too"
    )
