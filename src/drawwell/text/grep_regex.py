"""Regular expressions over lines: RE2 in linear time, and a backtracking engine under a deadline for what it lacks.

RE2 knows letters and word borders of ASCII only, so its classes are written out for other texts, and a pattern with
word borders is left to the other engine where a text is not ASCII.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Protocol

import re2  # type: ignore[import-untyped]
import regex

from drawwell.errors import ArgumentError
from drawwell.text.grep_lines import Found, Matcher, Range, by_script, matching_lines, one_for_each, one_line_only
from drawwell.text.regex_syntax import RegexSyntax, calls_itself

__all__ = ["compile_regex"]


class _Engine(Protocol):
    def matches(self, text: str, deadline: float) -> bool: ...
    def spans(self, line: str, begins: Sequence[int], deadline: float) -> Iterator[Range]: ...


class _Linear:
    """RE2 over UTF-8."""

    def __init__(self, pattern: str) -> None:
        options = re2.Options()
        options.case_sensitive = False
        options.log_errors = False
        self._compiled = re2.compile(f"(?m){pattern}".encode(), options)

    def matches(self, text: str, deadline: float) -> bool:  # noqa: ARG002
        return self._compiled.search(text.encode()) is not None

    def spans(self, line: str, begins: Sequence[int], deadline: float) -> Iterator[Range]:
        data = line.encode()
        point = byte = 0  # the same place, in characters and in bytes

        def search(begin: int) -> Range | None:
            nonlocal point, byte
            if time.monotonic() > deadline:
                raise TimeoutError
            point, byte = begin, byte + len(line[point:begin].encode())
            match = self._compiled.search(data, byte)
            if match is None:
                return None
            start = begin + len(data[byte : match.start()].decode(errors="ignore"))
            return start, start + len(data[match.start() : match.end()].decode(errors="ignore"))

        return one_for_each(begins, search)


class _Backtracking:
    """The ``regex`` module under a deadline."""

    def __init__(self, pattern: str) -> None:
        self._compiled = regex.compile(pattern, regex.IGNORECASE | regex.MULTILINE)

    def matches(self, text: str, deadline: float) -> bool:
        return self._search(text, 0, deadline) is not None

    def spans(self, line: str, begins: Sequence[int], deadline: float) -> Iterator[Range]:
        return one_for_each(begins, lambda begin: self._search(line, begin, deadline))

    def _search(self, line: str, begin: int, deadline: float) -> Range | None:
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
        return matching_lines(text, bare, partial(engine.spans, deadline=deadline), cuts, every=every)

    def absent(self, texts: Sequence[str]) -> bool:
        if not self._whole_first:
            return False
        for joined in by_script(texts):
            engine = self._ascii if joined.isascii() else self._other
            bare = joined.replace("\r\n", "\n") if "\r" in joined else joined
            if not isinstance(engine, _Linear) or engine.matches(bare, math.inf):
                return False
        return True


def compile_regex(pattern: str) -> Matcher:
    """Compile a regular expression.

    Raises:
        ArgumentError: it is none, spans lines, or takes too much memory.
    """
    syntax = RegexSyntax(pattern)
    if syntax.crosses_lines:
        raise one_line_only(pattern)
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
