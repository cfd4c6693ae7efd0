"""What drawwell is compared with finds what it should."""

from __future__ import annotations

from pathlib import Path

import pytest

from drawwell.bench.collections import Question, load_collection
from drawwell.bench.quality.systems import TOKENIZERS, Bm25s, PlainFts5, System

GARDEN = load_collection(Path(__file__).parent.parent / "collections" / "garden")
TALKS = load_collection(Path(__file__).parent.parent / "collections" / "talks")


def systems(documents: str) -> list[System]:
    """Every plain system over a collection."""
    chosen = {"garden": GARDEN, "talks": TALKS}[documents].documents
    return [*(PlainFts5(chosen, tokenizer) for tokenizer in TOKENIZERS), Bm25s(chosen)]


def ask(system: System, text: str, conv: str = "", count: int = 10) -> list[str]:
    """What a system finds."""
    return system.retrieve(Question(id="q", text=text, conv=conv), count)


@pytest.mark.parametrize("place", range(3))
def test_plain_systems_answer(place: int) -> None:
    """Any word finds, the best comes first, nothing without a word in it, and only of the own conversation."""
    garden, talks = systems("garden")[place], systems("talks")[place]
    assert set(ask(garden, "slugs, or lettuce?")) == {"slugs", "lettuce"}
    assert ask(garden, "outward bud", count=1) == ["roses"]
    for nothing in ("zebra", "?!", '" OR *', "\ud800"):
        assert ask(garden, nothing) == []
    assert ask(talks, "canoe", conv="two") == ["b1"]
    assert ask(talks, "canoe", conv="three") == []
    assert set(ask(talks, "canoe", count=100)) == {"a1", "a3", "b1"}


def test_function_words_and_stems_of_fts5() -> None:
    """Function words are left out while others are there; only the porter row knows stems; a title weighs more."""
    exact, stemmed, _ = systems("garden")
    assert ask(exact, "the fleece") == ["frost"]
    assert "compost" in ask(exact, "and")
    assert ask(exact, "traps trap") == ["slugs"]
    assert ask(exact, "trap") == []
    assert ask(stemmed, "trap") == ["slugs"]
    assert ask(exact, "slugs") == ["slugs", "lettuce"]
