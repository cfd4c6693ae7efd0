"""drawwell under test: the exported files, its answers, and where its sections stand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from drawwell.bench.collections import Document, Question, load_collection
from drawwell.bench.quality.product import Drawwell, as_markdown, export, section_spans, take_in
from drawwell.configuration import load_settings

COLLECTIONS = Path(__file__).parent.parent / "collections"


@pytest.mark.parametrize(
    ("document", "file"),
    [
        (Document(id="1", text="Words."), "Words."),
        (Document(id="1", title="A\ntitle", text="Words."), "# A title\n\nWords."),
        (Document(id="1", title="Start", text="Start\n\n\nWords."), "# Start\n\nWords."),
        (Document(id="1", title="Start", text="## Start\n\nWords."), "## Start\n\nWords."),
        (Document(id="1", title="Start", text="# Other\n\nWords."), "# Start\n\n# Other\n\nWords."),
        (Document(id="1", date="9 am on 2 May", text="Ada: Hi."), "[9 am on 2 May] Ada: Hi."),
        (Document(id="1", text="def f(x):\n    # no heading"), "```python\ndef f(x):\n    # no heading\n```\n"),
        (Document(id="1", text='@p\nclass A:\n    """```"""'), '````python\n@p\nclass A:\n    """```"""\n````\n'),
        (Document(id="1", text="class of 1999"), "class of 1999"),
    ],
)
def test_documents_as_an_export_has_them(document: Document, file: str) -> None:
    """Titles are headings, once; dates stand in front; code is fenced."""
    assert as_markdown(document) == file


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drawwell]:
    """drawwell over two conversations."""
    place = tmp_path_factory.mktemp("talks")
    (place / "docs").mkdir()
    documents = export(load_collection(COLLECTIONS / "talks"), place / "docs")
    with take_in(place / "docs", place / "store.sqlite", load_settings(None, {})) as corpus:
        yield Drawwell(corpus, documents, "lexical")


def test_only_the_own_conversation_answers(talks: Drawwell) -> None:
    """A question of a conversation finds no turn of another, and one of none finds all."""
    assert talks.retrieve(Question(id="q", text="canoe", conv="two"), 10) == ["b1"]
    assert set(talks.retrieve(Question(id="q", text="canoe", conv="one"), 10)) == {"a1", "a3"}
    assert set(talks.retrieve(Question(id="q", text="canoe"), 10)) == {"a1", "a3", "b1"}
    assert talks.retrieve(Question(id="q", text="canoe", conv="three"), 10) == []
    assert talks.call(Question(id="q", text="canoe leaks", conv="one"), 1) == ["a3"]


def test_the_date_is_part_of_a_turn(talks: Drawwell) -> None:
    """What was said on a day is found by the day."""
    assert talks.retrieve(Question(id="q", text="June"), 10) == ["a3"]


@pytest.mark.parametrize("mode", ["lexical", "plain"])
def test_documents_come_once_and_from_every_page(tmp_path: Path, mode: str) -> None:
    """A document of many sections counts once, and pages are turned until enough documents are there."""
    body = "".join(
        f"\n## Part {number}\n\nThe walrus sleeps on the ice, part {number} of many.\n" for number in range(70)
    )
    other = f"# Other\n\nOnce a walrus. {'Snow and wind. ' * 80}"
    texts = {"long": f"# Walrus walrus\n{body}", "one": other}
    documents = {f"{name}.md": Document(id=name, text=text) for name, text in texts.items()}
    for path, document in documents.items():
        (tmp_path / path).write_text(document.text, encoding="utf-8")
    with take_in(tmp_path, tmp_path / "store.sqlite", load_settings(None, {})) as corpus:
        system = Drawwell(corpus, documents, mode)
        question = Question(id="q", text="walrus")
        assert system.call(question, 3) == ["long"] * 3
        assert system.retrieve(question, 2) == ["long", "one"]
        assert system.retrieve(question, 1) == ["long"]
        assert len(system.section_ids(question, 1000)) == 50


def test_sections_stand_where_they_are_said_to(tmp_path: Path) -> None:
    """Spans tile each document, front matter left out; the repeated header of a table's later part does not count."""
    collection = load_collection(COLLECTIONS / "pieces")
    extra = Document(id="meta", text="---\ntitle: Note\n---\n# Note\n\nA word.\n")
    (tmp_path / "docs").mkdir()
    documents = export(collection, tmp_path / "docs", verbatim=True)
    documents["e.md"] = extra
    (tmp_path / "docs" / "e.md").write_text(extra.text, encoding="utf-8")
    with take_in(tmp_path / "docs", tmp_path / "store.sqlite", load_settings(None, {})) as corpus:
        spans = section_spans(corpus, documents)
        assert any(corpus.read(name).repeated for name in spans)
    of_bees = sorted(span for document, span in spans.values() if document == "bees")
    assert len(of_bees) > 2
    assert [of_bees[0].start, *(span.end for span in of_bees)] == [*(span.start for span in of_bees), of_bees[-1].end]
    assert of_bees[-1].end == len(collection.documents[0].text)
    assert spans["e.md#0"] == ("meta", (20, len(extra.text)))
