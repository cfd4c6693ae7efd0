"""Words to rows of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from drawwell.text.formats.pdf_page import Word

__all__ = ["row_text", "rows_of"]


def rows_of(words: Iterable[Word]) -> list[list[Word]]:
    """Words by the line that they stand on, from the top, each line from the left.

    Raised and lowered words are with the line that they belong to.
    """
    rows: list[tuple[Word, list[Word]]] = []  # the largest word of each, and all
    for word in sorted(words, key=lambda one: (one.y, one.x0)):
        for number in range(len(rows) - 1, max(-1, len(rows) - 4), -1):
            chief, row = rows[number]
            shared = min(word.bottom, chief.bottom) - max(word.top, chief.top)
            if 2 * shared > min(word.bottom - word.top, chief.bottom - chief.top):
                row.append(word)
                if word.size > chief.size:
                    rows[number] = (word, row)
                break
        else:
            rows.append((word, [word]))
    return [sorted(row, key=lambda one: one.x0) for _, row in rows]


def row_text(row: Sequence[Word]) -> str:
    """The text of words that stand on one line, with a blank wherever one is or a gap shows."""
    pieces: list[str] = []
    end = 0.0
    for number, word in enumerate(row):
        if number and (word.blank or word.x0 - end > 0.15 * word.size or _is_note_mark(row[number - 1], word)):
            pieces.append(" ")
        pieces.append(word.text)
        end = max(end, word.x1)
    return "".join(pieces)


def _is_note_mark(before: Word, word: Word) -> bool:
    """Whether a word is the raised mark of a footnote, which is no part of the word before it."""
    raised = word.size < 0.85 * before.size and word.y < before.y - 0.15 * before.size
    return raised and len(before.text) > 2 and word.text.isdigit()
