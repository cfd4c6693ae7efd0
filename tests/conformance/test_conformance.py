"""The conformance suite: readable cases (operation, arguments, expectation) over small corpora.

Expectations are written by hand from the specification; nothing here is recorded from a run. The number in a case's
id, or in its ``spec``, is that of the acceptance case that it shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.runner import Bed, attempt, check, compare, written_out
from tests.conformance.story import tell

FILES = sorted((Path(__file__).parent / "cases").glob("*.json"))


def _numbers(prefix: str, numbers: str) -> list[str]:
    return [f"{prefix}-{number}" for number in numbers.split()]


NAMED = [
    *_numbers("MD", "01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28"),
    *_numbers("MD", "30 31 32 33 34 35 36 37 38 39 40 41 42 43 44"),
    *_numbers("TX", "01 02 03"),
    *_numbers("FS", "01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22"),
    *_numbers("OF", "01 02 03 04 05 06 07 08"),
    *_numbers("XL", "01 02 03 04 05 06 07 08"),
    *_numbers("PP", "01 02 03"),
    *_numbers("ZP", "01 02 03 04"),
    *_numbers("PD", "01 02 03 04 05 06 07 08 09"),
    *_numbers("TL", "01 02 03 04 05 06 07 08 09 10 11"),
    *_numbers("SR", "01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20"),
    *_numbers("GR", "01 02 03 04 05 06 07"),
    *_numbers("NB", "01 02"),
    *_numbers("CL", "01 02 03 04"),
]
"""The acceptance cases that this suite must show; those of the server (SV) are in the tests of the server."""


def load() -> list[dict[str, Any]]:
    """All cases, each with the name of its corpus."""
    cases = []
    for path in FILES:
        group = json.loads(path.read_text(encoding="utf-8"))
        cases += [{"corpus": group["corpus"], **case} for case in group["cases"]]
    return cases


CASES = load()
OPERATIONS = ("search", "read", "grep", "neighbours")
AS_TOOLS = [case for case in CASES if case["op"] in OPERATIONS and not case.get("library_only")]


def _parameters(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in sorted(cases, key=lambda case: case["corpus"])]


@pytest.fixture(scope="session")
def beds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Bed]]:
    """Corpora that are built when first asked for."""

    class Beds(dict[str, Bed]):
        def __missing__(self, name: str) -> Bed:
            self[name] = Bed.make(name, tmp_path_factory.mktemp(name))
            return self[name]

    made = Beds()
    yield made
    for bed in made.values():
        bed.close()


@pytest.mark.parametrize("case", _parameters([case for case in CASES if case["op"] != "story"]))
def test_case(case: dict[str, Any], beds: dict[str, Bed]) -> None:
    """The answer is what the case expects."""
    differences = check(case, beds[case["corpus"]])
    assert not differences, f"{case['note']}:\n" + "\n".join(differences)


@pytest.mark.parametrize("case", _parameters([case for case in CASES if case["op"] == "story"]))
def test_story(case: dict[str, Any], tmp_path: Path) -> None:
    """Every step of the story goes as the case expects."""
    differences = tell(case["args"]["steps"], tmp_path)
    assert not differences, f"{case['note']}:\n" + "\n".join(differences)


@pytest.mark.parametrize("case", _parameters(AS_TOOLS))
def test_case_through_tools(case: dict[str, Any], beds: dict[str, Bed]) -> None:
    """The tools, which check arguments and keep to a budget, give what the library gives."""
    arguments = {"in" if name == "within" else name: written_out(value) for name, value in case["args"].items()}
    expect = {("failed" if path == "error.kind" else path): wanted for path, wanted in case["expect"].items()}
    if "failed" in expect:
        expect = {**expect, "failed": True, "error": {"empty": False}}
    answered = beds[case["corpus"]].toolbox.call(case["op"], json.dumps(arguments))
    found = json.loads(answered.text)
    if answered.failed:
        found = {"failed": True, "error": {"message": found["error"], "moved_to": [], **found}}
    differences = compare(found, expect)
    assert not differences, f"{case['note']}:\n" + "\n".join(differences)


def test_every_acceptance_case_is_shown() -> None:
    """No acceptance case is forgotten."""
    shown = {name for case in CASES for name in [*re.findall(r"^[A-Z]{2}-\d\d", case["id"]), *case.get("spec", [])]}
    assert [name for name in NAMED if name not in shown] == []


def test_cases_are_distinct() -> None:
    """No two cases bear one id, every case says what it is about, and there are enough of them."""
    ids = [case["id"] for case in CASES]
    assert len(ids) == len(set(ids)) >= 150
    assert all(case["note"] and (case["expect"] or case["op"] == "story") for case in CASES if case["op"] != "story")


def test_an_expectation_can_fail(beds: dict[str, Bed]) -> None:
    """The matching itself finds differences: a wrong expectation does not hold."""
    found = attempt(lambda: {"hits": [{"id": "a.md#0"}], "hint": None})
    wrong: list[dict[str, Any]] = [
        {"hits.id": ["b.md#0"]},
        {"hits.id": {"first": "b.md#0"}},
        {"hits.id": {"excludes": ["a.md#0"]}},
        {"hits.id": {"contains": "b.md"}},
        {"hits.id": {"lacks": "a.md"}},
        {"hits.length": 2},
        {"hits": {"at_least": 2}},
        {"hint": {"empty": False}},
        {"nowhere": {"at_most": 3}},
        {"error.kind": "NotFound"},
    ]
    assert all(compare(found, expect) for expect in wrong)
    assert compare({"error": {"kind": "NotFound", "message": "gone"}}, {"hits": []})
