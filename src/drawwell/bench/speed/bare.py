"""The query that drawwell's search compiles, run on its index by Tantivy and nothing else."""

from __future__ import annotations

from pathlib import Path

from drawwell.bench.speed.race import Contender, Measured, Unavailable, clocked
from drawwell.corpus.operations.words import WordsFolder
from drawwell.corpus.store.words import TERMS
from drawwell.retrieval.lexical import compile_query, languages_in, parse

__all__ = ["BARE_TOOL", "bare_contender"]

BARE_TOOL = "Tantivy, same query bare"


def bare_contender(store: Path, hits: int) -> Contender[str]:
    """Tantivy on the words index beside a store; why not, where there is none.

    Args:
        store: the store file.
        hits: how many to ask for.
    """
    reader, _ = WordsFolder(store, TERMS).latest()
    if reader is None:
        return Contender(BARE_TOOL, _impossible, missing="no words index beside the store")
    languages = languages_in(reader.searcher)

    def ask(text: str) -> Measured:
        query = compile_query(reader.schema, parse(text, languages))
        return clocked(lambda: query and reader.searcher.search(query, hits, count=False))

    return Contender(BARE_TOOL, ask)


def _impossible(text: str) -> Measured:
    raise Unavailable(f"no words index to look for {text!r:.80} in")
