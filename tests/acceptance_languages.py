"""Asks questions in Japanese, Chinese, Korean and Russian of the FastAPI documentation and looks for their pages.

By hand: ``python -m tests.acceptance_languages FOLDER``, the folder being that of the documentation's repository. It is
ingested into a temporary store. Prints for each language how often a page that answers is the first hit, among the
first five and among the first ten, in the modes ``lexical`` and ``plain``, and where the page stands for every question
that is not answered by the first hit. Fails when ``lexical`` does not have a page within the first ten hits, or when
the answer does not stand in the page.
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from drawwell.corpus.ingest.run import ingest
from drawwell.corpus.operations.corpus import Corpus
from drawwell.corpus.options import IngestOptions
from drawwell.corpus.store.handle import Store

QUESTIONS: Sequence[Mapping[str, Any]] = json.loads(
    (Path(__file__).parent / "languages" / "questions.json").read_text(encoding="utf-8")
)["questions"]
DEPTHS = (1, 5, 10)
MODES = ("lexical", "plain")


def check_folder(root: Path) -> list[str]:
    """Ingest the documentation, ask every question, and print what was found.

    Returns:
        What does not hold, in words.
    """
    problems = [problem for question in QUESTIONS for problem in _missing(root, question)]
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store.sqlite"
        ingest(root, store, IngestOptions())
        with contextlib.closing(Corpus(Store.open(store), root)) as corpus:
            ranks = {mode: [_rank(corpus, question, mode) for question in QUESTIONS] for mode in MODES}
    for mode in MODES:
        _print_shares(mode, ranks[mode])
    for question, rank in zip(QUESTIONS, ranks["lexical"], strict=True):
        if rank != 1:
            print(f"  {question['id']}: {f'hit {rank}' if rank else 'not found'}: {question['question']}")
        if rank is None:
            problems.append(f"{question['id']}: no page among the first {DEPTHS[-1]} hits")
    return problems


def _missing(root: Path, question: Mapping[str, Any]) -> list[str]:
    """Answers that do not stand in their pages."""
    problems = []
    for page in question["pages"]:
        path = root / page
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        problems += [f"{question['id']}: {page} lacks {words!r}" for words in question["answer"] if words not in text]
    return problems


def _rank(corpus: Corpus, question: Mapping[str, Any], mode: str) -> int | None:
    """The place of the first hit from a page that answers, from 1; None when it is not among the first ten."""
    hits = corpus.search(question["question"], mode=mode, limit=DEPTHS[-1]).hits
    return next((place for place, hit in enumerate(hits, 1) if hit.doc in question["pages"]), None)


def _print_shares(mode: str, ranks: Sequence[int | None]) -> None:
    for language in dict.fromkeys(question["language"] for question in QUESTIONS):
        asked = [rank for question, rank in zip(QUESTIONS, ranks, strict=True) if question["language"] == language]
        within = [sum(rank is not None and rank <= depth for rank in asked) for depth in DEPTHS]
        shares = ", ".join(f"{count} within {depth}" for count, depth in zip(within, DEPTHS, strict=True))
        print(f"{mode} {language}: of {len(asked)} questions {shares}")


if __name__ == "__main__":
    found = check_folder(Path(sys.argv[1]))
    for line in found:
        print(f"  ! {line}")
    print(f"{len(found)} problems")
    sys.exit(bool(found))
