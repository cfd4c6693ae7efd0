"""Documents whose every edition has a word of its own, and whether a store's answers are right for what it holds."""

from __future__ import annotations

import hashlib
import random
import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from drawwell.corpus.operations.corpus import Corpus
from drawwell.errors import NotFound, Stale
from tests.corpus.opened import ids

LETTERS = "bcdfghjkmnpt"
COMMON = "needle"


def word_of(number: int, edition: int) -> str:
    """A word that only one edition of one document has; no two have a stem in common."""
    rest, letters = number * 5000 + edition, ""
    while rest:
        rest, digit = divmod(rest, len(LETTERS))
        letters = LETTERS[digit] + letters
    return f"z{letters}x"


def text_of(number: int, edition: int) -> str:
    """An edition of a document: three sections, the word in the middle one."""
    filler = f"Enough common text about the {COMMON} to stand alone as a section of its own.\n"
    return (
        f"# Document {number}\n\n{filler}\n## Middle\n\nHere is {word_of(number, edition)} of it. {filler}"
        f"\n## End\n\n{filler}"
    )


@dataclass(frozen=True, slots=True)
class Held:
    """A section of a store."""

    id: str
    text: str
    hash: str

    @property
    def cite(self) -> str:
        """What a hit would name it by."""
        return f"{self.id}@{self.hash[:12]}"


def sections_of(store: Path) -> list[Held]:
    """All sections of a store, by SQLite alone."""
    sql = "SELECT s.id, s.text, s.hash FROM sections s JOIN documents d USING (doc_id) ORDER BY d.path, s.ordinal"
    with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        return [Held(*row) for row in connection.execute(sql)]


def problems_of(
    corpus: Corpus, words: Sequence[str], cites: Iterable[str] = (), sample: int = 10**6, seed: int = 0
) -> list[str]:
    """What is wrong in a corpus's answers, for what its store holds now.

    Args:
        corpus: to ask.
        words: of all editions that there ever were.
        cites: of texts that were cited some time.
        sample: how many words to search for one by one; grep is always asked for all.
        seed: chooses them.
    """
    chance = random.Random(seed)
    held = sections_of(corpus.store.path)
    by_word: dict[str, list[Held]] = {}  # a renamed document and its old path may hold the same text for a while
    for one in held:
        for word in re.findall(r"\bz[a-z]+x\b", one.text):
            by_word.setdefault(word, []).append(one)
    holding = [one for one in held if re.search(r"\bz[a-z]+x\b", one.text)]
    found = list(_grep(corpus, rf"\bz[{LETTERS}]+x\b", holding, regex=True))
    found += _grep(corpus, COMMON, [one for one in held if COMMON in one.text], regex=False)
    for word in chance.sample(sorted(by_word), min(sample, len(by_word))):
        found += _word(corpus, word, [one.id for one in by_word[word]])
        found += _reading(corpus, by_word[word][0])
    gone = [word for word in words if word not in by_word]
    for word in chance.sample(gone, min(sample, len(gone))):
        found += _word(corpus, word, [])
    hashes = {one.id: one.hash for one in held}
    found += [problem for cite in cites for problem in _cite(corpus, cite, hashes)]
    return found


def _word(corpus: Corpus, word: str, expected: list[str]) -> list[str]:
    found = []
    for mode in ("lexical", "plain"):
        result = corpus.search(word, mode=mode)
        got = [] if result.loose else ids(result)
        if sorted(got) != sorted(expected):
            found.append(f"{mode} {word}: {got}, not {expected}; {result.hint}")
    for pattern, is_regex in ((word[:-1], False), (rf"is {word}\s+of", True)):
        got = ids(corpus.grep(pattern, regex=is_regex))
        if is_regex and got != expected:
            found.append(f"grep {pattern}: {got}, not {expected}")
        elif not is_regex and not set(expected) <= set(got):
            found.append(f"grep {pattern}: {got} without {expected}")
    return found


def _grep(corpus: Corpus, pattern: str, expected: Iterable[Held], *, regex: bool) -> list[str]:
    """One pattern that all documents match, page by page."""
    got: list[str] = []
    cursor = None
    while cursor is not None or not got:
        page = corpus.grep(pattern, regex=regex, limit=100, cursor=cursor)
        got += ids(page)
        cursor = page.next
        if cursor is None:
            break
    wanted = [one.id for one in expected]
    return [] if got == wanted else [f"grep {pattern}: {len(got)} sections, not {len(wanted)}"]


def _reading(corpus: Corpus, one: Held) -> list[str]:
    texts = {corpus.read(one.id).text, corpus.read(one.cite).text}
    return [] if texts == {one.text} else [f"read {one.id}: not its text"]


def _cite(corpus: Corpus, cite: str, hashes: dict[str, str]) -> list[str]:
    """A text that was cited is given unchanged, under the path that it may have now, or refused."""
    name, _, digits = cite.partition("@")
    try:
        text = corpus.read(cite).text
    except (Stale, NotFound):
        return [f"read {cite}: refused"] if hashes.get(name, "").startswith(digits) else []
    same = hashlib.sha256(text.encode()).hexdigest().startswith(digits)
    return [] if same else [f"read {cite}: given, but it is another text"]
