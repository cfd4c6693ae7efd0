"""What the index of documents holds."""

from __future__ import annotations

import pytest

from drawwell.retrieval import documents
from drawwell.retrieval.documents import document_of
from drawwell.retrieval.lexical import STEMS


def test_a_document_is_the_stems_of_its_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them in order; of a very large document as many sections as memory has room for, taken one by one."""
    assert document_of(iter([{STEMS: "alpha beta"}, {STEMS: "gamma"}])) == {STEMS: "alpha beta gamma"}
    monkeypatch.setattr(documents, "_MOST", 15)
    endless = ({STEMS: f"word{number}"} for number in range(10**9))
    assert document_of(endless) == {STEMS: "word0 word1 word2 word3"}
