"""Finding lines by a pattern: a literal text or a regular expression, without regard to case in every script.

Lines end at ``\\n`` only, as in :mod:`drawwell.text.lines`. Regular expressions run in RE2, in linear time; what RE2
has no syntax for (look-around, back-references, possessive repetition) runs in a backtracking engine under a deadline.
RE2 knows letters and word borders of ASCII only, so its classes are written out for other texts, and a pattern with
word borders is left to the other engine where a text is not ASCII.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import accumulate
from typing import Protocol

import re2  # type: ignore[import-untyped]
import regex

from drawwell.errors import ArgumentError
from drawwell.text.budget import safe_cut
from drawwell.text.regex_syntax import RegexSyntax, calls_itself

__all__ = ["LINE_CHARS", "MAX_PATTERN_CHARS", "Found", "LineHit", "Matcher", "compile_pattern"]

MAX_PATTERN_CHARS = 200
LINE_CHARS = 300
_REACH = 1000  # characters on each side of a match that decide how it is shown
_Range = tuple[int, int]
"""Longer lines are cut to a window of this width around the match."""


@dataclass(frozen=True, slots=True)
class LineHit:
    """A line that matches.

    Attributes:
        index: number of the line in the text, from 0.
        at: offset in the text of the first character of the match.
        text: the line without white space at its ends, cut to a window around the match when it is long.
    """

    index: int
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """The matching lines of one text.

    Attributes:
        count: how many lines match.
        lines: the first of them, or all, as asked for; with cuts, a line stands once for each piece in which a
            match begins.
    """

    count: int
    lines: tuple[LineHit, ...]


class Matcher(Protocol):
    """A compiled pattern."""

    def find(self, text: str, deadline: float, *, every: bool = False, cuts: Sequence[int] = ()) -> Found | None:
        """The matching lines of a text; None without any.

        Args:
            text: any text; time is linear in it, except for patterns that need the backtracking engine.
            deadline: when to give up such a pattern, on the clock of ``time.monotonic``.
            every: give every matching line, not just the first.
            cuts: offsets, in order, at which pieces of the text begin besides the first.

        Raises:
            TimeoutError: the deadline has passed.
            ArgumentError: the pattern takes more memory than there is.
        """

    def absent(self, texts: Sequence[str]) -> bool:
        """Whether one quick look tells that no line of any text matches; False where only ``find`` can tell."""


def compile_pattern(pattern: str, *, is_regex: bool = False) -> Matcher:
    """Compile what a user looks for.

    Args:
        pattern: 1 to 200 characters. A literal matches wherever it stands, in the middle of words too.
        is_regex: whether it is a regular expression.

    Raises:
        ArgumentError: it is empty or too long, spans lines, or is no regular expression.
    """
    if not isinstance(pattern, str) or not 1 <= len(pattern) <= MAX_PATTERN_CHARS:
        advice = "Give a shorter part of it" if pattern else "Give at least one character"
        raise ArgumentError("pattern", pattern, f"1 to {MAX_PATTERN_CHARS} characters", advice)
    if "\n" in pattern:
        raise _one_line_only(pattern)
    if any("\ud800" <= char <= "\udfff" for char in pattern):
        raise ArgumentError("pattern", pattern, "text without lone surrogates, which no document holds")
    return _compile_regex(pattern) if is_regex else _Literal(pattern)


def _one_line_only(pattern: str) -> ArgumentError:
    return ArgumentError("pattern", pattern, "a pattern for single lines", "Look for one line of it, then read around")


class _Literal:
    def __init__(self, pattern: str) -> None:
        self._wanted = pattern.casefold()

    def find(
        self,
        text: str,
        deadline: float,  # noqa: ARG002
        *,
        every: bool = False,
        cuts: Sequence[int] = (),
    ) -> Found | None:
        folded = text.casefold()
        if self._wanted not in folded:
            return None
        if len(folded) == len(text):  # folding never shortens, so every character kept its place
            return self._by_offset(text, folded, cuts, every=every)
        return _lines(text, text, self._spans, cuts, every=every)

    def absent(self, texts: Sequence[str]) -> bool:
        return all(self._wanted not in joined.casefold() for joined in _by_script(texts))

    def _by_offset(self, text: str, folded: str, cuts: Sequence[int], *, every: bool) -> Found:
        hits: list[LineHit] = []
        count, index, counted_to, start, end = 0, 0, 0, 0, -1
        at = folded.find(self._wanted)
        while at != -1:
            if at > end:
                start = text.rfind("\n", 0, at) + 1
                end = text.find("\n", at)
                end = len(text) if end == -1 else end
                count += 1
            if every or not hits:
                index += text.count("\n", counted_to, start)
                counted_to = start
                hits.append(LineHit(index, at, _window(text, start, end, (at, at + len(self._wanted)))))
            following = bisect_right(cuts, at)
            at = folded.find(self._wanted, min(end, cuts[following]) if following < len(cuts) else end)
        return Found(count, tuple(hits))

    def _spans(self, line: str, begins: Sequence[int]) -> Iterator[_Range]:
        folded = line.casefold()
        if self._wanted not in folded:
            return
        ends = list(accumulate(len(char.casefold()) for char in line))

        def search(begin: int) -> _Range | None:
            at = folded.find(self._wanted, ends[begin - 1] if begin else 0)
            last = at + len(self._wanted) - 1
            return None if at == -1 else (bisect_right(ends, at), bisect_right(ends, last) + 1)

        yield from _one_for_each(begins, search)


def _one_for_each(begins: Sequence[int], search: Callable[[int], _Range | None]) -> Iterator[_Range]:
    """The first match that begins in each piece of a line.

    Args:
        begins: where pieces begin in the line besides the first.
        search: gives the first match that begins at an offset or after it.
    """
    last = -1
    for begin in (0, *begins):
        if begin > last:
            span = search(begin)
            if span is None:
                return
            yield span
            last = span[0]


def _lines(
    text: str,
    bare: str,
    spans_of: Callable[[str, Sequence[int]], Iterator[_Range]],
    cuts: Sequence[int],
    *,
    every: bool,
) -> Found | None:
    """The lines in which something is found.

    Args:
        text: the text.
        bare: it, or the same without the carriage returns of its line ends.
        spans_of: gives where in a line of ``bare`` the first match stands that begins in each of its pieces.
        cuts: as for ``Matcher.find``.
        every: as for ``Matcher.find``.
    """
    hits: list[LineHit] = []
    count = start = 0
    lines = bare.split("\n")
    whole_lines = lines if bare is text else text.split("\n")
    for index, line in enumerate(lines):
        begins = _inside(cuts, start, start + len(line)) if cuts else ()
        for number, span in enumerate(spans_of(line, begins)):
            count += number == 0
            if every or not hits:
                hits.append(LineHit(index, start + span[0], _window(line, 0, len(line), span)))
        start += len(whole_lines[index]) + 1
    return Found(count, tuple(hits)) if count else None


def _inside(cuts: Sequence[int], start: int, end: int) -> list[int]:
    """The cuts within a line, counted from its start."""
    return [cut - start for cut in cuts[bisect_right(cuts, start) : bisect_left(cuts, end)]]


def _window(text: str, first: int, last: int, span: _Range) -> str:
    """A line (``first`` to ``last`` in a text) without white space at its ends, or what is around a range of it."""
    low, high = max(first, span[0] - _REACH), min(last, span[1] + _REACH)
    line, start, end = text[low:high], span[0] - low, span[1] - low
    stripped = line.strip()
    if len(stripped) <= LINE_CHARS:
        return stripped
    low = max(0, start - max(20, (LINE_CHARS - (end - start)) // 2))
    low = safe_cut(line, min(low, len(line) - LINE_CHARS))
    high = safe_cut(line, min(len(line), low + LINE_CHARS), low)
    shown = line[low:high].strip()
    return f"{'…' if line[:low].strip() else ''}{shown}{'…' if line[high:].strip() else ''}"


class _Engine(Protocol):
    def matches(self, text: str, deadline: float) -> bool: ...
    def spans(self, line: str, begins: Sequence[int], deadline: float) -> Iterator[_Range]: ...


class _Linear:
    """RE2 over UTF-8."""

    def __init__(self, pattern: str) -> None:
        options = re2.Options()
        options.case_sensitive = False
        options.log_errors = False
        self._compiled = re2.compile(f"(?m){pattern}".encode(), options)

    def matches(self, text: str, deadline: float) -> bool:  # noqa: ARG002
        return self._compiled.search(text.encode()) is not None

    def spans(self, line: str, begins: Sequence[int], deadline: float) -> Iterator[_Range]:
        data = line.encode()
        point = byte = 0  # the same place, in characters and in bytes

        def search(begin: int) -> _Range | None:
            nonlocal point, byte
            if time.monotonic() > deadline:
                raise TimeoutError
            point, byte = begin, byte + len(line[point:begin].encode())
            match = self._compiled.search(data, byte)
            if match is None:
                return None
            start = begin + len(data[byte : match.start()].decode(errors="ignore"))
            return start, start + len(data[match.start() : match.end()].decode(errors="ignore"))

        return _one_for_each(begins, search)


class _Backtracking:
    """The ``regex`` module under a deadline."""

    def __init__(self, pattern: str) -> None:
        self._compiled = regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE)

    def matches(self, text: str, deadline: float) -> bool:
        return self._search(text, 0, deadline) is not None

    def spans(self, line: str, begins: Sequence[int], deadline: float) -> Iterator[_Range]:
        return _one_for_each(begins, lambda begin: self._search(line, begin, deadline))

    def _search(self, line: str, begin: int, deadline: float) -> _Range | None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        try:
            match = self._compiled.search(line, begin, timeout=left, concurrent=True)
        except (MemoryError, RecursionError) as error:
            raise _too_expensive(self._compiled.pattern) from error
        return match.span() if match else None


class _Regex:
    def __init__(self, ascii_engine: _Engine, make_other: Callable[[], _Engine], *, whole_first: bool) -> None:
        self._ascii = ascii_engine
        self._make_other = make_other
        self._whole_first = whole_first

    @cached_property
    def _other(self) -> _Engine:
        return self._make_other()  # not before a text needs it, for classes of every script take long to compile

    def find(self, text: str, deadline: float, *, every: bool = False, cuts: Sequence[int] = ()) -> Found | None:
        engine = self._ascii if text.isascii() else self._other
        bare = text.replace("\r\n", "\n") if "\r" in text else text
        if self._whole_first and not engine.matches(bare, deadline):
            return None
        return _lines(text, bare, partial(engine.spans, deadline=deadline), cuts, every=every)

    def absent(self, texts: Sequence[str]) -> bool:
        if not self._whole_first:
            return False
        for joined in _by_script(texts):
            engine = self._ascii if joined.isascii() else self._other
            bare = joined.replace("\r\n", "\n") if "\r" in joined else joined
            if not isinstance(engine, _Linear) or engine.matches(bare, math.inf):
                return False
        return True


def _by_script(texts: Sequence[str]) -> Iterator[str]:
    """The texts that are ASCII, joined, then the others, for ASCII is folded and searched several times faster."""
    for is_ascii in (True, False):
        chosen = [text for text in texts if text.isascii() is is_ascii]
        if chosen:
            yield "\n".join(chosen)


def _compile_regex(pattern: str) -> Matcher:
    syntax = RegexSyntax(pattern)
    if syntax.crosses_lines:
        raise _one_line_only(pattern)
    linear = _linear(pattern)
    if linear is None:
        backtracking = _compile_backtracking(pattern)
        return _Regex(backtracking, lambda: backtracking, whole_first=syntax.whole_first and not syntax.looks_away)
    return _Regex(linear, partial(_other_engine, pattern, syntax, linear), whole_first=syntax.whole_first)


def _other_engine(pattern: str, syntax: RegexSyntax, linear: _Linear) -> _Engine:
    """What looks for a pattern that RE2 takes in texts that are not ASCII."""
    other: _Engine | None = None if syntax.needs_borders else _linear(syntax.written_out)
    if other is None:
        try:
            other = _Backtracking(pattern)
        except _NO_REGEX:
            other = linear  # only RE2 knows this syntax
    return other


def _linear(pattern: str) -> _Linear | None:
    """The pattern in RE2; None when it has no syntax for it or finds it too large."""
    try:
        return _Linear(pattern)
    except re2.error:
        return None


def _compile_backtracking(pattern: str) -> _Backtracking:
    if calls_itself(pattern):
        raise ArgumentError("pattern", pattern, "a regular expression that does not call itself or its groups")
    try:
        return _Backtracking(pattern)
    except (MemoryError, RecursionError) as error:
        raise _too_expensive(pattern) from error
    except _NO_REGEX as error:
        raise ArgumentError(
            "pattern",
            pattern,
            f"a regular expression ({error})",
            "Correct it, or leave regex out to look for it as a literal text",
        ) from error


def _too_expensive(pattern: str) -> ArgumentError:
    takes = "a regular expression that needs less memory: this one is too expensive"
    return ArgumentError("pattern", pattern, takes, "Simplify it, or leave regex out to look for it as a literal text")


_NO_REGEX = (regex.error, ValueError, OverflowError, RecursionError, MemoryError)
"""What the ``regex`` module raises for a pattern that it does not accept; the message names the position."""
