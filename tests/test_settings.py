"""The table of settings: names, bounds, and what each value may be."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest

from drawwell.corpus.options import IngestOptions
from drawwell.settings import SETTINGS, Setting

BY_NAME = {entry.name: entry for entry in SETTINGS}


def test_names_are_unique_and_well_formed() -> None:
    """No two settings share a name, a flag or a variable, and each says in a sentence what it is."""
    names = [entry.name for entry in SETTINGS]
    flags = [entry.flag for entry in SETTINGS if entry.flag]
    variables = [variable for entry in SETTINGS for variable in entry.variables]
    for group in (names, flags, variables):
        assert len(group) == len(set(group))
    for entry in SETTINGS:
        assert re.fullmatch(r"[a-z][a-z_]*[a-z]", entry.name)
        assert entry.help.endswith(".")
        assert entry.variables[0] == f"DRAWWELL_{entry.name.upper()}"


@pytest.mark.parametrize("entry", SETTINGS, ids=lambda entry: entry.name)
def test_every_default_is_a_value(entry: Setting) -> None:
    """A default is within its own bounds."""
    assert entry.check(entry.default) == entry.default


def test_defaults_are_those_of_the_options() -> None:
    """The settings of an ingest and the values below them agree about the defaults."""
    for field in dataclasses.fields(IngestOptions):
        if field.name in BY_NAME:
            assert BY_NAME[field.name].default == field.default


def test_the_seeds_names_are_accepted() -> None:
    """Each setting of ContextPull that drawwell has too is set by ContextPull's variable as well."""
    for name in ("STORE", "SECTION_MAX_CHARS", "SECTION_MIN_CHARS", "SECTION_HEADING_DEPTH", "INDEX_BUDGET_TOKENS"):
        assert f"CONTEXTPULL_{name}" in BY_NAME[name.lower()].variables
    assert "CONTEXTPULL_TRANSPORT" in BY_NAME["transport"].variables


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("section_max_chars", " 1500 ", 1500),
        ("section_max_chars", 100, 100),
        ("section_min_chars", "0", 0),
        ("wait_seconds", "2.5", 2.5),
        ("wait_seconds", 3, 3.0),
        ("respect_gitignore", "No", False),
        ("respect_gitignore", "1", True),
        ("respect_gitignore", True, True),
        ("transport", "http", "http"),
        ("host", "::1", "::1"),
    ],
)
def test_values_that_are_taken(name: str, given: Any, value: Any) -> None:
    """Texts of the environment and values of files become values of the setting's type."""
    assert BY_NAME[name].check(given) == value


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("section_max_chars", "0"),  # CL-03
        ("section_max_chars", -5),  # CL-03
        ("section_max_chars", "2k"),
        ("section_max_chars", True),
        ("section_max_chars", 1500.0),
        ("section_max_chars", None),
        ("section_max_chars", "9" * 5000),
        ("index_budget_tokens", 0),  # CL-04
        ("section_heading_depth", 7),
        ("wait_seconds", "nan"),
        ("wait_seconds", "soon"),
        ("wait_seconds", False),
        ("respect_gitignore", "maybe"),
        ("respect_gitignore", 1),
        ("transport", "sse"),
        ("host", 5),
    ],
)
def test_cl_03_cl_04_values_that_are_refused(name: str, given: Any) -> None:
    """CL-03, CL-04: a value of another type or out of bounds is refused, never bent."""
    with pytest.raises(ValueError):
        BY_NAME[name].check(given)


def test_takes_reads_as_a_phrase() -> None:
    """What a setting takes is said in words, with its bounds."""
    assert BY_NAME["section_max_chars"].takes == "a whole number from 100 to 1,000,000"
    assert BY_NAME["wait_seconds"].takes == "a number from 0 to 86,400"
    assert BY_NAME["transport"].takes == "stdio or http"
    assert BY_NAME["watch"].takes == "true or false"
    assert BY_NAME["host"].takes == "text"
