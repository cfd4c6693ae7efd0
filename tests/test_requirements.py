"""What is asked of the MCP SDK is what is tested."""

from __future__ import annotations

from importlib.metadata import requires, version

from packaging.requirements import Requirement


def test_sv_02_the_sdk_is_pinned_to_what_is_tested() -> None:
    """SV-02: the next major of the SDK is never installed by accident, and the one that runs here is allowed."""
    (sdk,) = [one for one in map(Requirement, requires("drawwell") or []) if one.name == "mcp"]
    assert version("mcp") in sdk.specifier
    major = int(version("mcp").split(".")[0])
    assert f"{major + 1}.0.0" not in sdk.specifier
    assert f"{major - 1}.99.0" not in sdk.specifier
