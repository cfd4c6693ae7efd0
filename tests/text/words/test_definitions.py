"""What a section defines: names at the beginning of its items, rows, paragraphs and lines of code."""

from __future__ import annotations

import pytest

from drawwell.text.words.definitions import defined_in


@pytest.mark.parametrize(
    ("text", "declared", "listed"),
    [
        ("- `UV_OFFLINE`: no network", "", "UV_OFFLINE"),
        ("* **`cache-dir`** - where files are kept", "", "cache-dir"),
        ("1. `first_name` (string)", "", "first_name"),
        ("| `retries` | how often |\n| `timeout_ms` | how long |", "", "retries timeout_ms"),
        ("**max_tokens:** at most", "", "max_tokens"),
        ("`lock_file`\n: where it lies", "", "lock_file"),
        ("Use `UV_OFFLINE`: it helps", "", ""),
        ("- `uv sync` installs", "", ""),
        ("- `uv` installs", "", ""),
        ("def read_all(path):\n    class Inner: ...", "read_all Inner", ""),
        ("export async function loadPage() {}", "loadPage", ""),
        ("a classic function of time", "", ""),
    ],
)
def test_what_is_defined(text: str, declared: str, listed: str) -> None:
    """SR-18: a name is defined where it begins an item, a row or a paragraph and is explained behind; code declares."""
    assert defined_in(text) == (declared, listed)


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "unit", ["\n", "\n`", "\n- ", "\n    ", "\n> ", "\nasync ", "\n**", "`a`: ", " " * 50, "\n`a`" + " " * 40]
)
def test_linear_time(unit: str) -> None:
    """Long runs of what a definition begins with cost time in proportion to their length."""
    declared, listed = defined_in(unit * (500_000 // len(unit)))
    assert len(declared) + len(listed) <= 500_000
