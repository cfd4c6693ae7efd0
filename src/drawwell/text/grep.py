"""Finding lines by a pattern: a literal text or a regular expression, without regard to case in every script.

Lines end at ``\\n`` only, as in :mod:`drawwell.text.lines`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from drawwell.errors import ArgumentError
from drawwell.text.grep_lines import (
    LINE_CHARS,
    Found,
    LineHit,
    Matcher,
    Range,
    by_script,
    matching_lines,
    one_for_each,
    one_line_only,
    window_around,
)

__all__ = ["LINE_CHARS", "MAX_PATTERN_CHARS", "Found", "LineHit", "Matcher", "compile_pattern"]

MAX_PATTERN_CHARS = 200


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
        raise one_line_only(pattern)
    if any("\ud800" <= char <= "\udfff" for char in pattern):
        raise ArgumentError("pattern", pattern, "text without lone surrogates, which no document holds")
    if not is_regex:
        return _Literal(pattern)
    from drawwell.text.grep_regex import compile_regex  # a server that starts needs no engine yet

    return compile_regex(pattern)


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
        return matching_lines(text, text, self._spans, cuts, every=every)

    def absent(self, texts: Sequence[str]) -> bool:
        return all(self._wanted not in joined.casefold() for joined in by_script(texts))

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
                hits.append(LineHit(index, at, window_around(text, start, end, (at, at + len(self._wanted)))))
            following = bisect_right(cuts, at)
            at = folded.find(self._wanted, min(end, cuts[following]) if following < len(cuts) else end)
        return Found(count, tuple(hits))

    def _spans(self, line: str, begins: Sequence[int]) -> Iterator[Range]:
        folded = line.casefold()
        if self._wanted not in folded:
            return
        ends = list(accumulate(len(char.casefold()) for char in line))

        def search(begin: int) -> Range | None:
            at = folded.find(self._wanted, ends[begin - 1] if begin else 0)
            last = at + len(self._wanted) - 1
            return None if at == -1 else (bisect_right(ends, at), bisect_right(ends, last) + 1)

        yield from one_for_each(begins, search)
