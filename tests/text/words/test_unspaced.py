"""What a question asks of text without blanks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.text.words.unspaced import says_nothing, telling_pairs


def asked(stretch: str) -> list[str]:
    """The pairs that are asked for."""
    return list(telling_pairs(stretch, list(map("".join, pairwise(stretch))) or [stretch])[0])


@pytest.mark.parametrize(
    ("stretch", "pairs"),
    [
        ("設定を変更する", ["設定", "変更", "更す"]),
        ("ください", ["くだ", "ださ", "さい"]),
        ("目的", ["目的"]),
        ("怎样设置目的地的路径", ["样设", "设置", "置目", "目的", "路径"]),
        ("为什么", ["为什", "什么"]),
        ("终了处理", ["终了", "了处", "处理"]),
        ("쿠키를", ["쿠키"]),
        ("데이터베이스에서는", ["데이", "이터", "터베", "베이", "이스"]),
        ("설정하려면", ["설정"]),
        ("설정합니다", ["설정"]),
        ("사용자들을", ["사용", "용자"]),
        ("회의", ["회의"]),
        ("물", ["물"]),
    ],
)
def test_telling_pairs(stretch: str, pairs: list[str]) -> None:
    """Particles, endings and question words are left out, unless nothing else is there."""
    assert asked(stretch) == pairs


def test_a_long_korean_word_weighs_less_by_the_pair() -> None:
    """A word of one pair counts in full; each of four pairs counts half; other scripts are not weighed."""
    assert telling_pairs("쿠키를", ("쿠키", "키를"))[1] == 1.0
    assert telling_pairs("라이브러리", ("라이", "이브", "브러", "러리"))[1] == pytest.approx(0.5)
    assert telling_pairs("キャッシュ", ("キャ", "ャッ", "ッシ", "シュ"))[1] == 1.0


def test_what_says_nothing() -> None:
    """Hiragana, Korean function words, lone particles; no nouns."""
    assert all(map(says_nothing, ("について", "어떻게", "를", "的", "和")))
    assert not any(map(says_nothing, ("設定", "쿠키", "设备", "状", "แคช")))


@given(st.text("をのでカタ漢字的么目어떻게하는를설정あい", min_size=1, max_size=12))
def test_some_pair_is_always_asked(stretch: str) -> None:
    """Whatever a stretch holds, something of it is asked, in its order, with a weight of at most one."""
    pairs = list(map("".join, pairwise(stretch))) or [stretch]
    told, weight = telling_pairs(stretch, pairs)
    rest = iter(pairs)
    assert told
    assert all(pair in rest for pair in told)
    assert 0 < weight <= 1
