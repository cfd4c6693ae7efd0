"""Trigrams: folding is as coarse as any engine, and no match lacks what its pattern is said to need."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import re2  # type: ignore[import-untyped]
import regex  # type: ignore[import-untyped]
from hypothesis import assume, given
from hypothesis import strategies as st

from drawwell.errors import ArgumentError
from drawwell.text.grep import compile_pattern
from drawwell.text.trigram_needs import pattern_need
from drawwell.text.trigrams import PADDING, AllOf, Need, fold, fold_char

EVERY = [chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF]
TURKISH_AND_OTHERS = "iIİıkK\u212asſSßẞﬁﬂŉςσΣéÉе́Я\u0307٣3９ \u00a0\u2003\tǅǆ𐐀𐐨状態\u019b\ua7dc"


def holds(text: str, need: Need | None) -> bool:
    """Whether a text has what is needed."""
    if need is None:
        return True
    if isinstance(need, str):
        return need in fold(text) + PADDING
    parts = (holds(text, part) for part in need.parts)
    return all(parts) if isinstance(need, AllOf) else any(parts)


def grams(need: Need | None) -> set[str]:
    """All trigrams in a need."""
    if need is None:
        return set()
    return {need} if isinstance(need, str) else {gram for part in need.parts for gram in grams(part)}


def found(pattern: str, text: str, *, is_regex: bool) -> bool:
    """Whether grep finds a pattern in a text."""
    return compile_pattern(pattern, is_regex=is_regex).find(text, time.monotonic() + 5) is not None


@given(st.text(st.sampled_from([*TURKISH_AND_OTHERS, *"abc\n"]), max_size=40))
def test_folding_works_character_by_character(text: str) -> None:
    """A folded text is its folded characters, so what lies in a text lies folded in the folded text."""
    assert fold(text) == "".join(map(fold_char, text))


def test_every_character_folds_as_in_a_text() -> None:
    """Each character of Unicode is folded the same way by itself and among others."""
    assert fold("".join(EVERY)) == "".join(map(fold_char, EVERY))


def test_digits_and_spaces_of_every_script() -> None:
    """What an engine takes for a digit or a space is folded to one of ASCII's."""
    text = "".join(EVERY)
    digits = {*regex.findall(r"\d", text), *(m.group().decode() for m in re2.finditer(rb"\p{Nd}", text.encode()))}
    assert {fold_char(digit) for digit in digits} == set("0123456789")
    spaces = {
        *regex.findall(r"\s", text),
        *(m.group().decode() for m in re2.finditer(rb"[\s\x0b\p{Z}]", text.encode())),
    }
    assert {fold_char(space) for space in spaces} == {" "}


def cased() -> Iterator[str]:
    """Characters that have another case, also those that Python's own tables do not know yet."""
    letters = regex.compile(r"[\p{Lu}\p{Ll}\p{Lt}\p{Other_Lowercase}]")
    for char in EVERY:
        if any(other != char for other in (char.lower(), char.upper(), char.casefold())) or letters.fullmatch(char):
            yield char


def test_whatever_an_engine_holds_equal_needs_the_same() -> None:
    """A text with any character that an engine holds equal to the pattern's has what the pattern needs."""
    chars = sorted(set(cased()))
    text = " ".join(chars)
    data = text.encode()
    options = re2.Options()
    options.case_sensitive = False
    for char in chars:
        need = pattern_need(char * 3, is_regex=True)
        equal = {m.group().decode() for m in re2.compile(char.encode(), options).finditer(data)}
        equal |= {one for one in _variants(char) if regex.fullmatch(char, one, regex.IGNORECASE)}
        for other in equal:
            assert holds(other * 3, need), (char, other)


def _variants(char: str) -> set[str]:
    import regex._regex as tables  # type: ignore[import-untyped]

    return {chr(code) for code in tables.get_all_cases(regex.IGNORECASE | regex.UNICODE, ord(char)) if code is not None}


@given(st.text(max_size=30), st.text(st.sampled_from(TURKISH_AND_OTHERS), max_size=30), st.integers(0, 40), st.data())
def test_no_literal_match_lacks_what_is_needed(one: str, two: str, start: int, data: st.DataObject) -> None:
    """Where grep finds a literal, the text holds all trigrams that the literal is said to need."""
    text = (one + two).encode(errors="replace").decode()
    pattern = text[start : start + data.draw(st.integers(1, 12))].swapcase()
    assume(pattern and "\n" not in pattern)
    if found(pattern, text, is_regex=False):
        assert holds(text, pattern_need(pattern, is_regex=False))


PIECES = [
    *"abcABC1é",
    *[
        "foo",
        "bar",
        "Straße",
        "İst",
        "ısı",
        "状態",
        "K",
        ".",
        "^",
        "$",
        "[ab]",
        "[^a]",
        "[A-Ca-c]",
        "[a-c1-3_]",
        "[]x]",
    ],
    *["(?:foo|ba)", "(a|b|)", "(?P<n{n}>xy)", "(?i)", "(?i:Q)", "(?=b)", "(?!c)", "(?<=a)", "(?<!b)", "(?>ab)"],
    *[r"\d", r"\w", r"\s", r"\b", r"\B", r"\S", r"\W", r"\.", r"\x41", r"\pL", r"\p{Lu}", r"\-", r"[\d-]", r"[\s,]"],
    *[
        "*",
        "+",
        "?",
        "*?",
        "+?",
        "??",
        "{2}",
        "{1,3}",
        "{2,}",
        "{0}",
        "++",
        "|",
        "(",
        ")",
        r"\1",
        "{,2}",
        "{e<=1}",
        "[[:alpha:]]",
    ],
]


@st.composite
def patterns_and_texts(draw: st.DrawFn) -> tuple[str, str]:
    """A regular expression, and a text made of pieces that may match it."""
    pieces = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=7))
    pattern = "".join(piece.replace("{n}", str(n)) for n, piece in enumerate(pieces))
    bits = [
        *"abcABC1é -.,]x_",
        "foo",
        "FOO",
        "BAR",
        "strasse",
        "STRASSE",
        "straße",
        "ist",
        "İST",
        "ISI",
        "状態",
        "\u212a",
        "xy",
    ]
    text = "".join(draw(st.lists(st.sampled_from([*bits, "q", "٣", "\u00a0", "\n"]), max_size=12)))
    return pattern, text


@given(patterns_and_texts())
def test_no_match_of_a_regex_lacks_what_is_needed(case: tuple[str, str]) -> None:
    """Where grep finds a regular expression, the text holds what the expression is said to need."""
    pattern, text = case
    try:
        matches = found(pattern, text, is_regex=True)
    except ArgumentError:
        return
    if matches:
        assert holds(text, pattern_need(pattern, is_regex=True))


@given(st.data())
def test_generated_matches_have_what_is_needed(data: st.DataObject) -> None:
    """A string made to match an expression has what the expression is said to need."""
    alphabet = st.sampled_from("aAbBiIkKſßé19-_. ")
    expressions = [
        r"TX-\d{2,4}[ab]?",
        r"(foo|b[ai]r)+x?baz",
        r"colou?r(s|\b)",
        r"[a-f]{3}\s+end",
        r"(?i:straSSe)\d*k",
        r"a(bc){2,9}d",
    ]
    pattern = data.draw(st.sampled_from(expressions))
    text = data.draw(st.text(alphabet, max_size=3)) + data.draw(st.from_regex(regex_of(pattern), fullmatch=True))
    if found(pattern, text, is_regex=True):
        assert holds(text, pattern_need(pattern, is_regex=True))


def regex_of(pattern: str) -> str:
    """The same expression for hypothesis, on one line."""
    return pattern.replace(r"\s", "[ \t]").replace("(s|\\b)", "s?")


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("TX-4419", {"tx-", "x-4", "-44", "441", "419"}),
        ("状態", {"状態"}),
        ("É", {"é"}),
        ("a\u0307bc", {"abc"}),
    ],
)
def test_gr_08_what_a_literal_needs(pattern: str, wanted: set[str]) -> None:
    """GR-08: a literal needs its trigrams, or itself when it is shorter."""
    assert grams(pattern_need(pattern, is_regex=False)) == wanted


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        (r"get-\w+item", {"get", "et-", "ite", "tem"}),
        (r"(?<=TX-)\d+", {"tx-"}),
        (r"colou?r", {"col", "olo", "lor", "lou", "our"}),
        (r"(foo|bar)baz", {"foo", "oob", "oba", "bar", "arb", "rba", "baz"}),
        (r"def\s+foo", {"def", "ef ", " fo", "foo"}),
        (r"a.b", set()),
        (r"\w+", set()),
        (r"abc|\d", set()),
        (r"(abc)*", set()),
        (r"(?x)a b c", set()),
        (r"abc{e<=1}", set()),
        (r"\Qabc\E", set()),
        (r"(?(1)abc|d)", set()),
        ("straße", {"str", "tra"}),
    ],
)
def test_gr_08_what_a_regex_needs(pattern: str, wanted: set[str]) -> None:
    """GR-08: an expression needs the trigrams of the literals in it; one with unknown syntax needs nothing."""
    assert grams(pattern_need(pattern, is_regex=True)) == wanted


@pytest.mark.timeout(10)
@pytest.mark.parametrize(
    "pattern", ["(" * 99 + "a" + ")" * 99, "((((ab){4}[0-9]){4}c){4}d){4}" * 7, "[a-z]{4}" * 25, "(a|b|cd)" * 25]
)
def test_hostile_patterns_are_quickly_analysed(pattern: str) -> None:
    """What a pattern of the greatest length needs is told at once."""
    assert len(grams(pattern_need(pattern, is_regex=True))) < 5000
