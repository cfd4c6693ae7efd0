"""What a question asks of a stretch of text without blanks: the pairs of characters that say something.

The index holds every pair. A question leaves out those of particles, endings and question words, since chance brings
them together with anything: hiragana and particles in Japanese, the commonest pairs of function words in Chinese,
endings and function words in Korean, where a word weighs less for each of its pairs the more it has.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["says_nothing", "telling_pairs"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HIRAGANA = re.compile(r"[\u3040-\u309f\u30fc]+")
_JAPANESE_PARTICLES = frozenset("をはがにのでともへ")

_CHINESE_PARTICLES = frozenset("的吗嗎呢吧么麼")
_CHINESE_NOUNS = frozenset({"目的", "标的", "標的"})
_CHINESE_ALONE = frozenset("的和与與或是在把被吗嗎呢吧了也都")
_CHINESE_PAIRS = _words(
    "怎样 怎樣 如何 哪里 哪裡 哪儿 哪些 哪个 哪個 为什 為什 这个 這個 那个 那個 我们 我們 你们 你們 他们 他們 可以 "
    "能否 是否 有没 有沒 没有 沒有 之后 之後 以后 以後 时候 時候 一个 一個"
)

_HANGUL = re.compile(r"[\uac00-\ud7a3]+")
_KOREAN_PARTICLES = _words(
    "을 를 은 는 이 가 에 의 도 만 와 과 로 으로 에서 에게 에는 에서는 으로는 처럼 부터 까지 마다 보다 이나 라도 "
    "한테 들 들을 들이 이라는 라는 인지 입니다"
)
_KOREAN_ENDINGS = tuple(
    sorted(
        _KOREAN_PARTICLES
        | _words(
            "하는 하려면 하면 하고 하기 하지 하여 해서 해야 해요 했을 하도록 하게 하다 하세요 한다 하려고 합니다 "
            "하나요 할까요 되는 되면 되나요 됩니다 려면 으려면 나요 은가요 습니다 어요 아요 싶어요 싶다 도록"
        ),
        key=lambda ending: (-len(ending), ending),
    )
)
_KOREAN_WORDS = _words(
    "어떻게 어떤 어느 무엇 무엇을 무엇이 무엇인가요 무슨 왜 어디 어디에 어디서 언제 누가 있는 있나요 있을 있다 "
    "있습니다 없는 하는 하기 하나요 하려면 해야 해요 할 때 때는 것 것을 것은 것이 수 등 및 또는 그리고 그런데 "
    "그래서 하지만 그 저 내 제 좀 더 잘 안 못 싶어요 싶다 싶은 싶습니다 궁금합니다 궁금해요 알려줘 알려주세요 "
    "주세요 법 방법 방법은 방법이 방법을 대해 대한 위해 위한 같은 같이 경우 되는 되나요 필요한가요 어떤가요"
)
_SHORTEST_STEM = 2


def says_nothing(stretch: str) -> bool:
    """Whether a stretch, as it stands between blanks or other scripts, is made of function words alone."""
    if _HIRAGANA.fullmatch(stretch):
        return True
    return stretch in _KOREAN_WORDS or stretch in _KOREAN_PARTICLES or stretch in _CHINESE_ALONE


def telling_pairs(stretch: str, pairs: Sequence[str]) -> tuple[Sequence[str], float]:
    """The pairs of a stretch that a question asks for.

    Args:
        stretch: the characters, case-folded; time is linear in them.
        pairs: all its pairs.

    Returns:
        Some of the pairs in their order, all when none of them says anything, and how much each of them weighs.
    """
    if _HANGUL.fullmatch(stretch):
        count = max(len(_korean_stem(stretch)) - 1, 1)
        return pairs[:count], count**-0.5
    return [pair for pair in pairs if _tells(pair)] or pairs, 1.0


def _korean_stem(word: str) -> str:
    """A word without its endings, two at most, while two syllables of it are left."""
    for _ in range(2):
        ending = next((one for one in _KOREAN_ENDINGS if word.endswith(one)), "")
        if not ending or len(word) - len(ending) < _SHORTEST_STEM:
            break
        word = word[: -len(ending)]
    return word


def _tells(pair: str) -> bool:
    if _HIRAGANA.fullmatch(pair) or not _JAPANESE_PARTICLES.isdisjoint(pair):
        return False
    return pair in _CHINESE_NOUNS or (pair not in _CHINESE_PAIRS and _CHINESE_PARTICLES.isdisjoint(pair))
