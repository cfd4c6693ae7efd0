"""The index in a folder: commits, markers, ties, filters, and what is left of documents that are gone."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from tantivy import Index, Occur, Query

from drawwell.retrieval.keys import LAST_ORDINAL, key_of, place_of
from drawwell.retrieval.words import TextField, WordsReader, WordsWriter, known_documents

FIELDS = (TextField("exact"), TextField("grams", positions=False, frequencies=False))
STORE = "1-made"


def write(folder: Path, documents: dict[int, Sequence[str]]) -> None:
    """One commit more; the first one begins the index."""
    is_new = not (folder / "meta.json").exists()
    with WordsWriter(folder, FIELDS) as writer:
        if is_new or not read(folder).identity:
            writer.begin(STORE)
        for generation, texts in documents.items():
            for ordinal, text in enumerate(texts):
                writer.add(generation, ordinal, {"exact": text})
        writer.commit()


def read(folder: Path) -> WordsReader:
    return WordsReader(Index.open(str(folder)))


def word(reader: WordsReader, token: str) -> Query:
    return Query.term_query(reader.schema, "exact", token)


def test_keys_hold_generation_and_ordinal() -> None:
    """A key gives back what it was made from, at the ends of its range too."""
    for place in ((1, 0), (2**39, LAST_ORDINAL), (0, 5)):
        assert place_of(key_of(*place)) == place


def test_hits_come_best_first_with_all_ties(tmp_path: Path) -> None:
    """Everything that ties with the last hit wanted is given, in the order of keys, however many segments there are."""
    for part in range(3):
        write(tmp_path / "w", {10 - part: ["tie word"] * 30, 20 + part: ["tie tie tie word"]})
    reader = read(tmp_path / "w")
    hits = reader.top(word(reader, "tie"), 5)
    assert [place_of(key)[0] for _, key in hits[:3]] == [20, 21, 22]
    assert len(hits) == 93
    assert [key for _, key in hits[3:]] == [key_of(place, ordinal) for place in (8, 9, 10) for ordinal in range(30)]
    assert len(reader.top(word(reader, "tie"), 3)) == 3


def test_a_filter_leaves_other_documents_out(tmp_path: Path) -> None:
    """Only sections of the named documents are found, with the scores that they have without a filter."""
    write(tmp_path / "w", {1: ["alpha beta", "beta"], 2: ["alpha"], 3: ["alpha alpha"]})
    reader = read(tmp_path / "w")
    everywhere = dict(map(reversed, reader.top(word(reader, "alpha"), 10)))
    within = reader.top(word(reader, "alpha"), 10, [1, 2])
    assert {key for _, key in within} == {key_of(1, 0), key_of(2, 0)}
    assert all(everywhere[key] == score for score, key in within)
    assert reader.matching(word(reader, "alpha"), [3]) == [key_of(3, 0)]
    assert reader.matching(word(reader, "alpha"), []) == []
    assert reader.count(word(reader, "beta")) == 2


def test_removed_documents_are_not_found_but_still_known(tmp_path: Path) -> None:
    """What was taken out gives no hits; how much of an index is left over can be told."""
    write(tmp_path / "w", {1: ["alpha", "alpha"], 2: ["alpha"]})
    with WordsWriter(tmp_path / "w", FIELDS) as writer:
        writer.remove([1])
        writer.add(3, 0, {"exact": "gamma"})
        writer.commit()
    reader = read(tmp_path / "w")
    assert reader.matching(word(reader, "alpha")) == [key_of(2, 0)]
    assert known_documents(reader) == {1: 2, 2: 1, 3: 1}
    assert reader.documents() == {2, 3}
    assert (reader.identity, reader.generation) == (STORE, 3)


def test_clearing_and_filling_anew_is_one_commit(tmp_path: Path) -> None:
    """Readers see the old index until the new one is whole; then nothing of the old one counts."""
    write(tmp_path / "w", {1: ["alpha"], 2: ["alpha"]})
    with WordsWriter(tmp_path / "w", FIELDS) as writer:
        writer.begin("another")
        writer.add(3, 0, {"exact": "alpha"})
        assert read(tmp_path / "w").matching(word(read(tmp_path / "w"), "alpha")) == [key_of(1, 0), key_of(2, 0)]
        writer.commit()
    reader = read(tmp_path / "w")
    assert known_documents(reader) == {3: 1}
    assert reader.identity == "another"
    assert reader.searcher.doc_freq("exact", "alpha") == 1


def test_what_is_not_committed_is_not_there(tmp_path: Path) -> None:
    """An error in the middle of writing leaves the last commit as it was."""
    write(tmp_path / "w", {1: ["alpha"]})
    with suppress(RuntimeError), WordsWriter(tmp_path / "w", FIELDS) as writer:
        writer.begin("another")
        writer.add(2, 0, {"exact": "alpha"})
        raise RuntimeError
    reader = read(tmp_path / "w")
    assert reader.matching(word(reader, "alpha")) == [key_of(1, 0)]
    assert (reader.identity, reader.generation) == (STORE, 1)


@pytest.mark.parametrize("damage", ["other fields", "no list", "nonsense"])
def test_an_index_of_no_use_is_made_anew(tmp_path: Path, damage: str) -> None:
    """One of other fields, or a damaged one, is replaced by an empty one."""
    folder = tmp_path / "w"
    if damage == "other fields":
        with WordsWriter(folder, (TextField("other"),)) as writer:
            writer.commit()
    else:
        write(folder, {1: ["alpha"]})
        (folder / "meta.json").write_text("{" if damage == "nonsense" else "")
    write(folder, {2: ["beta"]})
    assert known_documents(read(folder)) == {2: 1}


def test_a_killed_writer_leaves_a_whole_index(tmp_path: Path) -> None:
    """After a kill at any time the index opens, holds what one commit left, and can be written to."""
    program = """
        import sys
        from pathlib import Path
        from drawwell.retrieval.words import TextField, WordsWriter
        number = 0
        while True:
            with WordsWriter(Path(sys.argv[1]), (TextField("exact"), TextField("grams", False, False))) as writer:
                writer.begin("1-made")
                for section in range(50):
                    writer.add(number + 1, section, {"exact": "alpha beta"})
                number += 1
                writer.commit()
                print(number, flush=True)
    """
    folder = tmp_path / "w"
    chance = random.Random(5)
    for _ in range(8):
        command = [sys.executable, "-c", textwrap.dedent(program), str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in range(chance.randrange(1, 4)):
                process.stdout.readline()
            process.send_signal(signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)
        reader = read(folder)
        assert len(reader.matching(word(reader, "beta"))) == 50
        assert set(known_documents(reader)) == {reader.generation}


def test_scores_do_not_depend_on_segments(tmp_path: Path) -> None:
    """The same documents written in one commit or in many give the same hits and scores."""
    chance = random.Random(3)
    vocabulary = [f"w{number}" for number in range(60)]
    documents = {
        number: [" ".join(chance.choices(vocabulary, k=chance.randrange(3, 40))) for _ in range(3)]
        for number in range(1, 40)
    }
    write(tmp_path / "one", documents)
    for number, texts in documents.items():
        write(tmp_path / "many", {number: texts})
    one, many = read(tmp_path / "one"), read(tmp_path / "many")
    for _ in range(30):
        tokens = chance.sample(vocabulary, 4)
        hits = [
            reader.top(Query.boolean_query([(Occur.Should, word(reader, token)) for token in tokens]), 10)
            for reader in (one, many)
        ]
        assert hits[0] == hits[1]
    shutil.rmtree(tmp_path / "many")
    assert many.matching(word(many, "w1"))
