"""Matching lines: literals in every script, regular expressions in linear time."""

from __future__ import annotations

import time

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from drawwell.errors import ArgumentError
from drawwell.text.grep import LINE_CHARS, Found, compile_pattern


def find(pattern: str, text: str, *, is_regex: bool = False, seconds: float = 5.0) -> Found | None:
    """All matching lines."""
    return compile_pattern(pattern, is_regex=is_regex).find(text, time.monotonic() + seconds, every=True)


def lines(pattern: str, text: str, *, is_regex: bool = False) -> list[tuple[int, str]]:
    """Index and text of all matching lines."""
    found = find(pattern, text, is_regex=is_regex)
    return [(hit.index, hit.text) for hit in found.lines] if found else []


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        ("École", "une école"),
        ("école", "UNE ÉCOLE"),
        ("Привет", "ПРИВЕТ, МИР"),
        ("МИР", "Привет, мир"),
        ("ΟΔΟΣ", "οδος"),
        ("strasse", "Hauptstraße 5"),
        ("HAUPTSTRASSE", "die Hauptstraße"),
        ("設备", "設备清单"),
        ("kelvin", "5 \u212aelvin"),
        ("ﬁle", "a file"),
        ("x-44", "TX-4419"),
        ("°c", "21 °C"),
        ("a.b*", "(A.B*)"),
    ],
)
def test_gr_03_literal_in_every_script(pattern: str, line: str) -> None:
    """GR-03: a literal matches whatever its case, in every script, and inside words."""
    assert lines(pattern, f"first\n{line}\nlast") == [(1, line)]


@given(st.text(st.sampled_from("abé ß\nİK"), max_size=60), st.text(st.sampled_from("abésß iK"), min_size=1, max_size=4))
def test_literal_is_folded_containment(text: str, pattern: str) -> None:
    """A line matches when its case-folded form contains the case-folded pattern, and only then."""
    expected = [i for i, line in enumerate(text.split("\n")) if pattern.casefold() in line.casefold()]
    assert [index for index, _ in lines(pattern, text)] == expected


def test_md_42_only_newlines_end_lines() -> None:
    """MD-42: other separators that Unicode knows stand inside lines."""
    assert lines("needle", "a\u2028b\x0cc\x85 needle\nd") == [(0, "a\u2028b\x0cc\x85 needle")]
    assert lines("needle$", "x needle\r\ny\r\n", is_regex=True) == [(0, "x needle")]


@pytest.mark.parametrize(("pattern", "is_regex"), [("a\nb", False), ("a\nb", True), (r"a\nb", True)])
def test_gr_04_single_lines_only(pattern: str, is_regex: bool) -> None:
    """GR-04: a pattern that spans lines is refused, saying that single lines are matched."""
    with pytest.raises(ArgumentError, match="single lines"):
        compile_pattern(pattern, is_regex=is_regex)


def test_class_without_newline_is_no_line_break() -> None:
    r"""``[^\n]`` names a line break without asking for one."""
    assert lines(r"b[^\n]+", "abc\nd", is_regex=True) == [(0, "abc")]


@pytest.mark.parametrize("pattern", ["", "x" * 201, "\ud800", 5])
def test_bad_pattern(pattern: object) -> None:
    """A pattern that is empty, too long, or no text is refused with the parameter's name."""
    with pytest.raises(ArgumentError, match="pattern"):
        compile_pattern(pattern)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("(unclosed", "position 9"),
        ("*", "position 0"),
        ("a(?P<n>b", "position"),
        ("[z-a]", "position"),
        ("(?V0V1)a", "regex"),
    ],
)
def test_regex_that_does_not_compile(pattern: str, says: str) -> None:
    """The error says where the pattern is wrong and to look for it literally instead."""
    with pytest.raises(ArgumentError, match=says) as caught:
        compile_pattern(pattern, is_regex=True)
    assert "literal" in caught.value.suggestion


@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (r"\bécole\b", "Une École ici"),
        (r"^мир$", "МИР"),
        (r"\w+ость", "Новость дня"),
        (r"[\w]+ость", "НОВОСТЬ дня"),
        (r"\d{3}", "٣٤٥"),
        (r"a\sb", "a\u00a0b"),
        (r"^\W+$", "—…"),
        (r"[^\W\d]{4}", "été1 naïf"),
        (r"(?<=a)b", "ab"),
        (r"(.)\1\1", "xxx"),
        (r"a++b", "aaab"),
        (r"\Aline\Z", "line"),
        (r"\Qa.b\E", "a.b"),
        (r"(?i:FLAG)=\S", "flag=x"),
    ],
)
def test_regex_syntax(pattern: str, line: str) -> None:
    """Classes and borders know every script; what RE2 has no syntax for works too."""
    assert lines(pattern, f"qz\n{line}\nzq", is_regex=True) == [(1, line)]


PIECES = ["a", "b", "é", ".", "^", "$", "[ab]", "[^a]", "a*", "(?:ab|b)", r"\w", r"\s", r"\b", "b+?", "я"]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=5), st.text(st.sampled_from("abé я \n\r"), max_size=40))
def test_regex_agrees_line_by_line(pieces: list[str], text: str) -> None:
    """Asking the whole text first and using two engines never changes which lines match."""
    pattern = "".join(pieces)
    reference = regex.compile(pattern, regex.IGNORECASE)
    split = text.replace("\r\n", "\n").split("\n")
    expected = [index for index, line in enumerate(split) if reference.search(line)]
    assert [index for index, _ in lines(pattern, text, is_regex=True)] == expected


@pytest.mark.timeout(20)
@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(.*)*x", r"(\w+\s?)+:"])
def test_gr_02_catastrophic_regex(pattern: str) -> None:
    """GR-02: a pattern that explodes in a backtracking engine takes linear time."""
    text = "a" * 100_000 + "!"
    assert find(pattern, text, is_regex=True) is None


@pytest.mark.timeout(20)
def test_gr_02_deadline_of_the_other_engine() -> None:
    """GR-02: a catastrophic pattern that needs back-references is stopped at its deadline."""
    with pytest.raises(TimeoutError):
        find(r"(?=((x+x+)+)\1y)", "x" * 5000, is_regex=True, seconds=0.2)


def test_gr_06_count_and_lines() -> None:
    """GR-06: all matching lines are counted; each is given when asked for, else the first."""
    text = "\n".join(f"retry {n}" if n % 3 == 0 else "other" for n in range(10))
    deadline = time.monotonic() + 5
    first = compile_pattern("RETRY").find(text, deadline)
    assert first is not None
    assert (first.count, [hit.index for hit in first.lines]) == (4, [0])
    every = compile_pattern("retry", is_regex=True).find(text, deadline, every=True)
    assert every is not None
    assert [hit.index for hit in every.lines] == [0, 3, 6, 9]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("is_regex", [False, True])
@pytest.mark.parametrize("filler", ["x", "ß"])
def test_tl_09_window_of_a_long_line(is_regex: bool, filler: str) -> None:
    """TL-09: of a line of megabytes the part around the match is shown, whichever way it is found."""
    text = filler * 2_000_000 + " the Needle is here " + filler * 1_000_000
    found = find("needle", text, is_regex=is_regex)
    assert found is not None
    shown = found.lines[0].text
    assert "the Needle is here" in shown
    assert len(shown) <= LINE_CHARS + 2
    assert shown.startswith("…")
    assert shown.endswith("…")


@pytest.mark.parametrize("pattern", [r"a\s*+$", r"a[^;]*+$", r"(?>a\s*)$", r"(?>a[^;]*)$"])
def test_possessive_and_atomic_match_each_line_by_itself(pattern: str) -> None:
    """What never gives back must not swallow the next line and so lose a match."""
    found = compile_pattern(pattern, is_regex=True).find("a \nb;", time.monotonic() + 5)
    assert found is not None
    assert found.count == 1


@pytest.mark.parametrize(
    "pattern", ["(?R)?a", "(?1)(a|(?R))", "(?0)b", "(?&n)(?P<n>a)", "(?P>n)(?P<n>a)", "(?+1)(a)", "(?P&n)(?P<n>a)"]
)
def test_recursion_is_refused(pattern: str) -> None:
    """A pattern that calls itself or its groups is refused: it would use up all memory."""
    with pytest.raises(ArgumentError, match="does not call itself"):
        compile_pattern(pattern, is_regex=True)


@pytest.mark.parametrize(("pattern", "line"), [(r"\(?1(?=x)", "(1x"), (r"(?>a)b", "ab"), (r"(a)?(?(1)b|c)", "ab")])
def test_what_only_looks_like_recursion(pattern: str, line: str) -> None:
    """Escaped parentheses, atomic groups and conditions are no calls."""
    assert lines(pattern, line, is_regex=True) == [(0, line)]


@pytest.mark.parametrize("error", [MemoryError, RecursionError])
def test_pattern_that_takes_too_much_memory(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the backtracking engine runs out of memory the pattern is refused as too expensive."""

    class Greedy:
        pattern = r"(a)\1"

        def search(self, *_: object, **__: object) -> None:
            raise error

    monkeypatch.setattr(regex, "compile", lambda *_: Greedy())
    with pytest.raises(ArgumentError, match="too expensive"):
        find(r"(a)\1", "aa", is_regex=True)


@given(st.text(st.sampled_from("abé ß\nİK\r"), max_size=40), st.sampled_from(["a", "ss", "é", "k"]))
def test_place_of_the_first_match(text: str, pattern: str) -> None:
    """A hit tells where in the text its first match begins, whichever way it is found."""
    literal = find(pattern, text)
    for hit in literal.lines if literal else ():
        start = sum(len(line) + 1 for line in text.split("\n")[: hit.index])
        line = text.split("\n")[hit.index]
        ahead = line[: hit.at - start].casefold()
        assert pattern not in ahead
        assert (ahead + line[hit.at - start :].casefold()).find(pattern) - len(ahead) in (0, 1)
    if "ß" not in text and "İ" not in text and "K" not in text:
        found = find(pattern, text, is_regex=True)
        assert [hit.at for hit in found.lines] == [hit.at for hit in literal.lines] if found and literal else True
