"""Plain text: paragraphs as they stand, and the lines among them that read as headings.

A heading is underlined, or it is a line by itself that scores enough. Signals: blank lines around it and a body after
it, numbering, upper or title case, brevity; amounts, sentence marks, columns and forms of address count against it.
Case is what Unicode says; scripts without case are judged by length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from drawwell.model import Span
from drawwell.text.blocks import Block, Parsed
from drawwell.text.formats.decode import decode
from drawwell.text.formats.view import common_lines

__all__ = ["parse"]

_MAX_CHARS = 80
_ENOUGH = 2
_RULE = re.compile(r"([=\-~^*#+_])\1{2,}")
_NUMBER = re.compile(
    r"(?:(?P<parts>\d{1,3}(?:\.\d{1,3}){0,4})[.):]?|[IVXLC]{1,6}[.)]|[A-Z][.)]|§+ ?\d[\w.]{0,9}"
    r"|(?i:chapter|section|part|appendix|annex|article|kapitel|abschnitt|chapitre|capítulo|глава|раздел) \w{1,6}[.:]?"
    r"|第 ?[\d一二三四五六七八九十百]{1,4} ?[章节節部条])(?:\s+|$)"
)
_ADDRESS = re.compile(
    r"(?:dear|hi|hello|hey|sincerely|regards|(?:best|kind|warm) (?:regards|wishes)|yours|thanks|thank you|cheers"
    r"|sehr geehrte|liebe|hallo|mit freundlichen|cher|chère|bonjour|cordialement|estimad[oa]|hola|saludos|caro|cara)\b",
    re.IGNORECASE,
)
_AMOUNT = re.compile(r"\d[.,]\d|\d\d|[$€£¥%]")
_NO_TITLE = re.compile(r"\t| {2}|://|[=@|<>{}\\]|[.!;,:、。！；，：…]$")
_SMALL_WORD = 3  # letters; "of" and "the" need no capital in a title


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Lines between blank ones: numbers of the first and of the one after the last, and the blank lines before."""

    first: int
    last: int
    gap: int


class _Parser:
    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._starts[-1] -= 1
        self._chunks = self._split()
        self.blocks: list[Block] = []
        self._headings = 0

    def run(self) -> tuple[Block, ...]:
        titled = self._titles()
        for number, chunk in enumerate(self._chunks):
            if number in titled:
                self._heading(chunk.first, chunk.last, titled[number], self._lines[chunk.first])
            else:
                self._chunk(chunk)
        return tuple(self.blocks)

    def _split(self) -> list[_Chunk]:
        chunks: list[_Chunk] = []
        first = gap = 0
        for number, line in enumerate([*self._lines, ""]):
            if line and not line.isspace():
                continue
            if first < number:
                chunks.append(_Chunk(first, number, gap))
                gap = 0
            gap += 1
            first = number + 1
        return chunks

    def _titles(self) -> dict[int, int]:
        """Levels of the chunks that are headings without an underline. Read from the end: a heading needs a body."""
        found: dict[int, int] = {}
        for number in range(len(self._chunks) - 2, -1, -1):
            chunk, following = self._chunks[number], self._chunks[number + 1]
            if chunk.last - chunk.first > 1:
                continue
            line = self._lines[chunk.first]
            score, strong, level = _score(line, chunk.gap)
            if score < _ENOUGH:
                continue
            body = following.last - following.first > 1 or len(self._lines[following.first].strip()) >= 60
            if not body and not _cased(line):
                body = len(self._lines[following.first].strip()) >= max(8, 2 * len(line.strip()))
            if body or (strong and number + 1 in found):
                found[number] = level
        return found

    def _chunk(self, chunk: _Chunk) -> None:
        """Paragraphs and underlined headings of one chunk."""
        done = chunk.first
        for number in range(chunk.first + 1, chunk.last):
            rule = _RULE.fullmatch(self._lines[number].strip())
            if not rule or number - 1 < done:
                continue
            top = number - 1
            over = top > done and self._lines[top - 1].strip() == self._lines[number].strip()
            top -= over
            if self._underlined(number, rule[1], free=over or top == chunk.first):
                self._paragraph(done, top)
                level = 3 if rule[1] not in "=-" else 2
                if rule[1] == "=" and not self._headings:
                    level = 1
                self._heading(top, number + 1, level, self._lines[number - 1])
                done = number + 1
        self._paragraph(done, chunk.last)

    def _underlined(self, number: int, mark: str, *, free: bool) -> bool:
        """Whether the line before a rule is its title. ``free``: nothing else stands right above it."""
        title, width = self._lines[number - 1].strip(), len(self._lines[number].strip())
        if len(title) > _MAX_CHARS or not any(map(str.isalnum, title)) or "  " in title or "\t" in title:
            return False
        fits = width * 2 >= len(title) and width <= 3 * len(title) + 3
        return (free and fits) or (mark == "=" and (free or fits))

    def _paragraph(self, first: int, last: int) -> None:
        if first < last:
            ruled = all(_RULE.fullmatch(line.strip()) for line in self._lines[first:last])
            self.blocks.append(Block("opaque" if ruled else "paragraph", self._span(first, last)))

    def _heading(self, first: int, last: int, level: int, text: str) -> None:
        self._headings += 1
        self.blocks.append(Block("heading", self._span(first, last), level, " ".join(text.split())))

    def _span(self, first: int, last: int) -> Span:
        return Span(self._starts[first], self._starts[last])


def _cased(text: str) -> bool:
    return any(char.isupper() or char.islower() for char in text)


def _score(line: str, gap: int) -> tuple[int, bool, int]:
    """How much a line by itself reads as a heading; whether a strong signal is in it; which level it would have."""
    text = line.strip()
    number = _NUMBER.match(text) if len(text) <= _MAX_CHARS else None
    rest = text[number.end() :] if number else text
    letters = [char for char in rest if char.isalpha()]
    if len(text) > _MAX_CHARS or _NO_TITLE.search(rest) or 2 * len(letters) < len(rest) or not letters:
        return 0, False, 0
    if not number and letters[0].islower():
        return 0, False, 0
    words = rest.split()
    cased = [char for char in letters if char.isupper() or char.islower()]
    upper = len(cased) > 1 and all(map(str.isupper, cased))
    if cased:
        titled = all(word[0].isupper() for word in words if len(word) > _SMALL_WORD or word is words[0])
        score = 2 * upper + titled + (len(words) <= 3) - 2 * (len(words) > 10)
    else:
        score = 2 * (len(rest) <= 20)
    score += 1 + 2 * bool(number) + (gap > 1)
    score -= (
        4 * bool(_AMOUNT.search(rest)) + 3 * bool(_ADDRESS.match(rest)) + (4 <= len(line) - len(line.lstrip()) < 20)
    )
    depth = number["parts"].count(".") if number and number["parts"] else 0
    return score, upper or bool(number), min(2 + depth, 6)


def parse(data: bytes) -> Parsed:
    """Parses one text file. Its first title, if underlined with ``=``, has level 1, all other headings 2 or more.

    Raises:
        UnreadableFile: the bytes are no text.
    """
    decoded = decode(data)
    blocks = _Parser(common_lines(decoded.text)).run()
    return Parsed(source=decoded.text, blocks=blocks, encoding=decoded.encoding, warnings=decoded.warnings)
