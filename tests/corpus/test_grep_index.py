"""Grep by trigrams: the same answers as without an index, and only what may match is read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from drawwell.corpus.operations import grep_texts
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.operations.grep import GrepQuery, grep
from drawwell.corpus.operations.view import Look, Views
from drawwell.corpus.store.words import GRAMS
from drawwell.model import GrepResult
from tests.corpus.folders import fill, take
from tests.corpus.opened import ids, opened

WORDS = (
    *("alpha", "Beta", "GAMMA", "delta_one", "deltaTwo", "TX-4419", "tx-4420", "v1.2.3", "école", "İstanbul", "ısı"),
    *("Straße", "STRASSE", "状態", "設定", "パラメータ", "\u212a", "the", "and", "value", "parameter", "(x)", "a.b"),
    *("$_", "{y}", "|", "`", "٣٤", "—", "x"),
)
PATTERNS = [
    *[(word, False) for word in WORDS],
    *[
        (text, False)
        for text in ("tx-44", "ta_o", "a b", "strasse", "istanbul", "nothing here", "状", "e", "| the", "owner: z")
    ],
    *[
        (text, True)
        for text in (
            r"tx-\d+",
            r"delta\w+",
            r"(alpha|beta) \S+ the",
            r"\bthe\b.*\bvalue\b",
            r"\d\.\d",
            r"^#+ ",
            "状態|école",
        )
    ],
    *[
        (text, True)
        for text in (
            r"(?<=tx-)44\d",
            r"val.e",
            r"(?i)GAMMA\s+\w",
            r"x{3}",
            r"absent\w+none",
            r"\w+ \w+$",
            "straße",
            r"(\w)\1",
        )
    ],
]


def _document(chance: random.Random, number: int) -> str:
    """A document with front matter, cut lines and tables, now and then."""
    parts = [f"---\nowner: zoë {number}\ncode: TX-{4400 + number}\n---\n"] if number % 3 == 0 else []
    for section in range(chance.randrange(1, 5)):
        words = " ".join(chance.choices(WORDS, k=chance.choice([5, 30, 30, 600])))
        parts.append(f"# Part {section} {chance.choice(WORDS)}\n\n{words}\n")
        if chance.random() < 0.3:
            rows = "".join(
                f"| {chance.choice(WORDS).replace('|', '')} | {' '.join(['cell'] * 9)} |\n" for _ in range(60)
            )
            parts.append(f"\n| head tx-44 | {chance.choice('ab')} |\n|---|---|\n{rows}")
    return "\n".join(parts).rstrip("\n" if chance.random() < 0.5 else "")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """Documents of random words of many scripts, some of them changed after the index was made."""
    chance = random.Random(8)
    files = {f"{'abc'[n % 3]}/{n}.md": _document(chance, n) for n in range(18)}
    with opened(tmp_path_factory.mktemp("grams") / "docs", files) as made:
        yield made


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is asked however few sections there are to read."""
    monkeypatch.setattr(grep_texts, "_READ_PER_CANDIDATE", 10**6)


def pages(look: Look, **arguments: object) -> list[GrepResult]:
    """The first pages of an answer."""
    found: list[GrepResult] = []
    cursor = None
    while not found or (cursor is not None and len(found) < MOST_PAGES):
        page = grep(look, GrepQuery(cursor=cursor, seconds=30.0, **arguments))  # type: ignore[arg-type]
        cursor = page.next
        found.append(page)
    return found


MOST_PAGES = 6
OPTIONS = [
    {},
    {"lines": True, "limit": 3},
    {"within": ["a", "b/1.md"], "limit": 2},
    {"max_tokens": 400, "lines": True, "limit": 50},
]


@pytest.mark.parametrize("reading", [0, 10**6])
@pytest.mark.parametrize("options", OPTIONS)
def test_gr_08_same_answers_with_and_without_index(
    corpus: Corpus, options: dict[str, object], reading: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GR-08: whatever the pattern and the options, an index changes no answer, on no page."""
    monkeypatch.setattr(grep_texts, "_TOO_FEW_TO_READ", 0)
    monkeypatch.setattr(grep_texts, "_READ_PER_CANDIDATE", reading or 7)
    views = Views(corpus.store)
    matched = 0
    with views.look(GRAMS) as look:
        index = look.derived
        assert index is not None
        for pattern, regex in PATTERNS:
            look.derived = None
            expected = pages(look, pattern=pattern, regex=regex, **options)
            look.derived = index
            assert pages(look, pattern=pattern, regex=regex, **options) == expected, pattern
            matched += bool(expected[0].matches)
    assert matched > len(PATTERNS) / 2


@pytest.mark.usefixtures("eager")
def test_gr_08_reads_only_what_may_match(corpus: Corpus) -> None:
    """GR-08: for a rare literal only the documents that hold it are read, and none for one that is absent."""
    views = Views(corpus.store)
    with views.look(GRAMS) as look:
        for pattern, holding in (("TX-4403", ["b/3.md"]), ("no such phrase", [])):
            seen: list[str] = []
            look.connection.set_trace_callback(seen.append)
            found = grep(look, GrepQuery(pattern=pattern))
            look.connection.set_trace_callback(None)
            assert [match.doc for match in found.matches] == (["a/3.md"] if holding else [])
            texts = [sql for sql in seen if "text FROM sections" in sql or "SELECT front_matter" in sql]
            assert len(texts) == len(holding)


def test_gr_08_what_is_newer_than_the_index_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GR-08: a document that was written after the index was made is found, in its place, and its old text is not."""
    root = tmp_path / "docs"
    files = {f"{n}.md": f"# Page {n}\n\nneedle number {n} stands here\n" for n in range(6)}
    with opened(root, files):
        pass
    monkeypatch.setattr("drawwell.corpus.ingest.words.Follower.finish", lambda *_: None)
    fill(
        root,
        {"2.md": "# Page 2\n\nthe needle moved\n", "3.md": "# Page 3\n\nnothing\n", "9.md": "# New\n\na needle too\n"},
    )
    take(root, workers=1)
    monkeypatch.setattr(grep_texts, "_READ_PER_CANDIDATE", 10**6)
    with opened(root, {}) as corpus, Views(corpus.store).look(GRAMS) as look:
        assert look.derived is not None
        assert len(look.derived.unindexed) == 3
        assert ids(grep(look, GrepQuery(pattern="needle"))) == [
            "0.md#0",
            "1.md#0",
            "2.md#0",
            "4.md#0",
            "5.md#0",
            "9.md#0",
        ]
        assert ids(grep(look, GrepQuery(pattern="number 2"))) == []


LONG = " ".join(f"tok{n}" for n in range(1500))


@pytest.mark.usefixtures("eager")
def test_gr_08_across_cuts(tmp_path: Path) -> None:
    """GR-08: what begins in one section of a cut line and ends in another is found by the index too."""
    files = {"p.md": f"# P\n\n{LONG}\nend\n", "s.md": f"# S\n\n{'ß' * 3000} {'ß' * 90}x\n", "z.md": "# Z\n\ntok\n"}
    with opened(tmp_path / "docs", files) as corpus, Views(corpus.store).look(GRAMS) as look:
        index = look.derived
        assert index is not None
        across = [GrepQuery(pattern=f"tok{first} tok{first + 1}") for first in range(1498)]
        across += [GrepQuery(pattern=pattern, regex=True) for pattern in (r"tok0 .*tok1490", r"(?<=tok0 ).*tok1\b")]
        for query in across:
            assert ids(grep(look, query))[:1] != [], query.pattern
        found = grep(look, GrepQuery(pattern="ss" * 95))
        look.derived = None
        assert found == grep(look, GrepQuery(pattern="ss" * 95))
        assert len(found.matches) > 1
