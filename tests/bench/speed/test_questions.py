"""Questions and patterns made from a corpus."""

from __future__ import annotations

import re

import pytest

from drawwell.bench.speed.patterns import patterns_of
from drawwell.bench.speed.questions import KINDS, Passage, ask_all
from drawwell.text.grep import compile_pattern

TEXT = (
    "When the gateway refuses a request it returns `TX-4419` and writes max_retry_count to the log, since a client "
    "that was refused once is refused again until the window of five minutes has passed or somebody resets it by hand. "
)
PASSAGES = [
    Passage(f"page-{number}.md#{number}", f"How number {number} is chosen", f"Part {number}. {TEXT}")
    for number in range(40)
]


def test_questions_are_the_same_for_the_same_corpus() -> None:
    """Order of the passages makes no difference; another seed gives other questions."""
    assert ask_all(PASSAGES, 10) == ask_all(PASSAGES[::-1], 10)
    assert ask_all(PASSAGES, 10) != ask_all(PASSAGES, 10, seed=2)


def test_every_kind_is_what_it_says() -> None:
    """Questions have 5 to 10 words and are no phrase of the text; the others are words, names and headings of it."""
    asked = ask_all(PASSAGES, 10)
    assert tuple(asked) == KINDS
    words = " ".join(re.findall(r"[^\W\d_]+", TEXT))
    questions, pairs, names, headings = asked.values()
    assert len(questions) == 10
    for question in questions:
        assert 5 <= len(question.split()) <= 10
        assert " ".join(question.split()[-2:]) not in words
        assert question.split()[-1] in words
    assert len({len(question.split()) for question in questions}) > 2
    assert all(len(set(pair.split())) == 2 and all(len(word) >= 4 for word in pair.split()) for pair in pairs)
    assert set(names) == {"TX-4419", "max_retry_count"}
    assert headings == ["How number is chosen"]


def test_a_corpus_that_gives_little() -> None:
    """Where a kind cannot be made there are none of it, and nothing fails."""
    nothing: dict[str, list[str]] = {kind: [] for kind in KINDS}
    assert ask_all([], 5) == nothing
    assert ask_all([Passage("a.md#0", "", "ok")], 5) == nothing


@pytest.mark.parametrize("passages", [PASSAGES, [], [Passage("a.md#0", "Ein Titel (neu", "kurz. ")]])
def test_patterns_can_be_looked_for(passages: list[Passage]) -> None:
    """Each pattern is one that grep takes; absent ones and expressions are always among them."""
    patterns = patterns_of(passages)
    assert patterns == patterns_of(passages[::-1])
    assert {"absent phrase", "absent word", "expression, dates"} <= {pattern.kind for pattern in patterns}
    for pattern in patterns:
        assert 1 <= len(pattern.text) <= 200
        compile_pattern(pattern.text, is_regex=pattern.regex)
    assert len({str(pattern) for pattern in patterns}) == len(patterns)


def test_patterns_are_found_in_the_text_and_absent_ones_are_not() -> None:
    """What is made from the corpus matches in it; what is called absent does not."""
    for pattern in patterns_of(PASSAGES):
        expression = re.compile(pattern.text if pattern.regex else re.escape(pattern.text), re.IGNORECASE)
        found = any(expression.search(f"{passage.heading}\n{passage.text}") for passage in PASSAGES)
        assert found == ("absent" not in pattern.kind and "dates" not in pattern.kind), pattern
