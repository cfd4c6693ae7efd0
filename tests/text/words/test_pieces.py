"""Pieces: the forms in which each kind of word is indexed and asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.text.words.characters import comparable
from drawwell.text.words.forms import chunks_of_text, exact_text, is_function_word, stem_text
from drawwell.text.words.languages import ENGLISH
from drawwell.text.words.pieces import Piece, chunks_of, pieces_of
from drawwell.text.words.stems import stem

TRICKY = st.text(
    st.one_of(
        st.sampled_from("abAB19 ._-'’+#$/@,:&;\u00ad\u200b\u0301ıİßǅﬁ１½🎉🇩🇪状態カナひ설ไม่कि\n\x00"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=40,
)


def pieces(text: str) -> list[Piece]:
    return [piece for chunk in chunks_of(comparable(text)) for piece in pieces_of(chunk)]


@pytest.mark.parametrize(
    ("text", "exact", "wholes", "parts"),
    [
        ("Word", "word", "word", ""),
        ("UV_CACHE_DIR", "uv_cache_dir", "uv_cache_dir uvcachedir", "uv cache dir uvcache cachedir"),
        ("tool.uv.sources", "tool.uv.sources", "tool.uv.sources tooluvsources", "tool uv sources tooluv uvsources"),
        ("--no-cache", "no-cache", "no-cache nocache", "no cache"),
        ("getUserName", "getusername", "getusername", "get user name getuser username"),
        ("HTTPServer", "httpserver", "httpserver", "http server"),
        ("APIs", "apis", "apis", ""),
        ("3.12.1", "3.12.1", "3.12.1", "3.12"),
        ("v1.2.3-rc.1", "v1.2.3-rc.1", "v1.2.3-rc.1 1.2.3-rc.1", "1.2.3 1.2 rc vrc rc1"),
        ("python3.12", "python3.12", "python3.12", "3.12 python"),
        ("TX4419", "tx4419", "tx4419", "tx 4419"),
        ("tx-4419", "tx-4419", "tx-4419 tx4419", "tx 4419"),
        ("C++", "c++", "c++", "c"),
        ("C#", "c#", "c#", "c"),
        (".NET", ".net net", ".net net", ""),
        ("$HOME", "$home home", "$home home", ""),
        ("__init__", "__init__ init", "__init__ init", ""),
        ("U.S.A.", "usa", "usa", ""),
        ("1,234", "1234", "1234", ""),
        ("don’t", "don't", "don't dont", "don"),
        ("uv's", "uv", "uv", ""),
        ("end.Next", "end.next", "end.next endnext", "end next"),
        ("e-mail", "e-mail", "e-mail email", "mail"),
        ("🎉", "🎉", "🎉", ""),
        ("🇩🇪", "🇩🇪", "🇩🇪", ""),
        ("状態管理", "状態 態管 管理", "状態 態管 管理", "状 態 管 理"),
        ("ﬁle", "file", "file", ""),
        ("ＡＢＣ", "abc", "abc", ""),
        ("so\u00adft", "soft", "soft", ""),
        ("ze\u200bro", "zero", "zero", ""),
        ("हिन्दी", "हिन्दी", "हिन्दी", ""),
        ("Größe", "grösse", "grösse", ""),
    ],
)
def test_forms_of_one_word(text: str, exact: str, wholes: str, parts: str) -> None:
    """SR-01, SR-02, SR-03, SR-08 to SR-12: each kind of word has the forms in which people write and ask for it."""
    (piece,) = pieces(text)
    assert " ".join(piece.exact) == exact
    assert " ".join(piece.wholes) == wholes
    assert " ".join(piece.parts) == parts


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("l'eau", "l eau"),
        ("a@b.c", "a b.c"),
        ("GB/s", "gb s"),
        ("c++17", "c++ 17"),
        ("issue#12", "issue 12"),
        ("wait...what", "wait what"),
        ("foo--bar", "foo bar"),
        ("重跑gen后", "重跑 gen 后"),
        ("“quoted” — (text)!", "quoted text"),
        ("F#/.NET", "f# .net net"),
        ("-- ** __ . '' +", ""),
        ("\ud800x", "x"),
    ],
)
def test_where_words_part(text: str, exact: str) -> None:
    """Punctuation parts words; scripts without blanks part from those with them."""
    assert " ".join(token for piece in pieces(text) for token in piece.exact) == exact


@given(TRICKY)
def test_every_token_asked_alone_is_indexed(text: str) -> None:
    """Whatever token of a text is asked for by itself, the query side makes of it what the index side has put there."""
    chunks = chunks_of_text(text)
    exact, stems = set(exact_text(chunks).split()), set(stem_text(chunks).split())
    for token in exact:
        for piece in pieces(token):
            assert exact.issuperset(piece.exact)
            said = {stem(whole, ENGLISH) for whole in piece.wholes}
            assert stems.issuperset(said) or is_function_word(piece.exact[0], ENGLISH)


@given(TRICKY)
def test_comparable_twice_is_once(text: str) -> None:
    """What is comparable stays as it is."""
    once = comparable(text)
    assert comparable(once) == once


@given(TRICKY, TRICKY)
def test_context_changes_nothing(left: str, right: str) -> None:
    """A word is indexed alike whatever stands in the lines around it, ASCII or not."""
    together = pieces(f"{left}\n{right}")
    assert together == pieces(left) + pieces(right)


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "unit",
    ["a", "é", "a.", "é.", "-", "é" + "+" * 50, "_", "aB", "1.", "状", "ไ", "a'b", "🎉", "$", "é#", "&amp;", "1,234,"],
)
def test_md_39_linear_in_hostile_text(unit: str) -> None:
    """MD-39: a text without blanks costs time in proportion to its length."""
    chunks = chunks_of_text(unit * (200_000 // len(unit)))
    assert len(exact_text(chunks)) <= 1_500_000
    assert len(stem_text(chunks)) <= 3_000_000
