"""Hostile documents: each takes far longer than its time limit if anything is more than linear in its size."""

from __future__ import annotations

import random

import pytest

from drawwell.errors import UnreadableFile
from drawwell.text.blocks import Block
from drawwell.text.formats import html, markdown, mdx, plain
from drawwell.text.formats.decode import decode
from drawwell.text.formats.front_matter import read_front_matter
from tests.text.rendering import assert_sound

MARKDOWN = {
    "MD-38 a line of 20 MB": "word " * 4_000_000,
    "MD-40 headings": "# h\n\nabc\n\n" * 10_000,
    "MD-39 underscores": "a" + "_" * 100_000 + "b\n",
    "MD-41 number signs": "# a " + "#" * 100_000 + "x\n",
    "MD-41 spaced cells": "a\n" + "- " * 10_000 + "x\n",
    "MD-43 lists of 1000 levels": "".join(f"{'  ' * depth}- x\n" for depth in range(1000)),
    "MD-43 quotes of 2000 levels": "> " * 2000 + "x\n" + "".join("> " * depth + "x\n" for depth in range(1000)),
    "brackets": "[" * 1_000_000,
    "links": "[a](" * 100_000,
    "wiki links": "[[" * 200_000,
    "emphasis": "*a **a " * 50_000,
    "backticks": " ".join("`" * count for count in range(1, 1000)),
    "dollars": "$" * 300_000,
    "math openings": "$$ x\n\n" * 20_000,
    "math lines": "$$\n" * 30_001,
    "angle brackets": "<" * 300_000,
    "open tags": "<Aa \n" * 40_000,
    "tags with open braces": "<Aa {\n" * 30_000 + "</Aa>\n",
    "tags with open quotes": '<Aa "\n' * 30_000 + "</Aa>\n",
    "elements in a line": "<Aa>" * 20_000 + "\n" + "</Aa>" * 20_000,
    "elements in elements": "<Aa>\n" * 20_000 + "</Aa>\n" * 20_000,
    "elements never closed": "<Aa>\n\n" * 30_000 + "</Bb>\n",
    "admonitions": "!!! note\n    x\n\n" * 10_000,
    "admonitions in admonitions": "".join(f"{'    ' * depth}!!! note\n" for depth in range(500)) + " " * 2000 + "x\n",
    "admonitions without a body": "!!! note\n\n\n\n" * 20_000,
    "slashes": "".join("/" * (3 + depth) + " a\n" for depth in range(1000)) + "/// a\n" * 20_000,
    "comments never closed": "x\n<!-- \n" * 40_000,
    "tables never closed": "<table>\n\n" * 20_000,
    "tables in tables": "<table>\n" * 20_000 + "\n" + "</table>" * 20_000 + " x\n",
    "headings in a line of raw HTML": "<div>" + "<h1>x</h1>" * 20_000,
    "preformatted never closed": "<div>\n" + "<pre>\n" * 20_000,
    "braces": "# a " + "{" * 100_000 + "}" * 100_000,
    "reference definitions": "".join(f"[a{number}]: x\n" for number in range(20_000)) + "[a1] " * 20_000,
    "rows": "|a|b|\n|-|-|\n" + "|1|2|\n" * 20_000,
    "cells": "|" + "a|" * 20_000 + "\n|" + "-|" * 20_000 + "\n|" + "1|" * 20_000,
    "blank lines in nested lists": "".join(f"{'  ' * depth}- x\n" for depth in range(300)) + "\n" * 200_000 + "x\n",
    "lone carriage returns": "a\r" * 60_000,
    "white space": " " * 1_000_000 + "x\n" + " \n" * 200_000,
    "keys of front matter": "---\n" + "a: b\n" * 200_000,
}
MDX = {
    "module brackets": "export (\n" * 20_000,
    "module braces": "export {\n\n" * 20_000,
    "elements of all names": "<p>\n" * 10_000 + "</p>\n" * 10_000,
    "expressions": "{\n" * 20_000 + "}" * 20_000 + "x",
}


@pytest.mark.timeout(15)
@pytest.mark.parametrize("text", MARKDOWN.values(), ids=MARKDOWN)
def test_hostile_markdown_takes_linear_time(text: str) -> None:
    """Nesting, repetition and what is never closed cost no more than their size."""
    assert_sound(markdown.parse(text.encode()))


@pytest.mark.timeout(15)
@pytest.mark.parametrize("text", MDX.values(), ids=MDX)
def test_hostile_mdx_takes_linear_time(text: str) -> None:
    """The same for what only MDX has."""
    assert_sound(mdx.parse(text.encode()))


TEXTS = {
    "MD-38 a line of 20 MB": "word " * 4_000_000,
    "lines": "Ab\n\n" * 20_000,
    "rules": "a\n===\n\n" * 15_000,
    "a rule": "=" * 1_000_000,
    "digits": "1." * 500_000,
    "spaces": " " * 1_000_000,
}


@pytest.mark.timeout(15)
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_hostile_text_takes_linear_time(text: str) -> None:
    """The same for text files."""
    assert_sound(plain.parse(text.encode()))


PAGES = {
    "elements": "<div>" * 100_000 + "deep" + "</div>" * 100_000,
    "lists": "<ul><li>" * 5_000 + "deep",
    "a line": "<p>" + "word " * 400_000 + "</p>",
    "open paragraphs": "<p>a" * 30_000,
    "comments": "<!--" * 100_000,
    "attributes": "<a " + "x='y' " * 100_000 + ">z</a>",
    "rows": "<table>" + "<tr><td>a</td><td>b</td></tr>" * 10_000 + "</table>",
    "angle brackets": "<" * 200_000,
}


@pytest.mark.timeout(15)
@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_hostile_pages_take_linear_time(page: str) -> None:
    """The same for HTML."""
    assert_sound(html.parse(page.encode()))


def test_elements_nested_deeper_than_the_converter_goes_keep_their_text_or_say_so() -> None:
    """Deep wrappers are taken away; when other elements are too deep, a warning says that something is lost."""
    assert "deep" in html.parse(PAGES["elements"].encode()).source
    lists = html.parse(PAGES["lists"].encode())
    assert "deep" not in lists.source
    assert lists.warnings == ("elements nested too deep were dropped",)


def test_nesting_is_kept_to_a_depth_and_no_text_is_lost() -> None:
    """MD-43: blocks nest a bounded number of times; what is deeper stays inside of the last one."""
    parsed = markdown.parse(MARKDOWN["MD-43 lists of 1000 levels"].encode())
    assert [block.span.end for block in parsed.blocks] == [len(parsed.source)]

    def depth(block: Block) -> int:
        return 1 + max(map(depth, block.children), default=0)

    assert 20 <= depth(parsed.blocks[0]) <= 40


def test_aliases_in_front_matter_do_not_explode() -> None:
    """A few lines of YAML that stand for millions of values give a bounded number of them."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    front = read_front_matter("---\n" + "\n".join(lines) + "\n---\n")
    assert front.end > 0
    assert len(str(front.metadata)) < 100_000


def test_front_matter_that_holds_itself_ends() -> None:
    """An alias to what it is in is followed a bounded number of times."""
    assert read_front_matter("---\na: &a {title: x, b: *a}\n---\n").metadata["a"]["title"] == "x"


LONG_FRONT_MATTER = {
    "a list": "---\ntags:\n" + "- tag word\n" * 9000 + "title: 'T'\ndescription: D\n---\n",
    "a list on one line": "---\ntags: [" + "a, " * 40_000 + "b]\ntitle: T\ndescription: D\n---\n",
    "a list over lines": "---\ntitle: T\ntags: [\n" + "  a,\n" * 40_000 + "  ]\ndescription: D\n---\n",
    "TOML": "+++\ntitle = 'T'\ntags = [\n" + "  'a',\n" * 40_000 + "  ]\ndescription = 'D'\n+++\n",
    "many keys": "---\n" + "".join(f"key{i}: value\n" for i in range(9000)) + "title: T\ndescription: D\n---\n",
}


@pytest.mark.parametrize("case", LONG_FRONT_MATTER)
def test_long_front_matter_is_taken_whole(case: str) -> None:
    """It ends where it is closed; what of it is used is bounded, with title and description, and a warning says so."""
    text = LONG_FRONT_MATTER[case]
    front = read_front_matter(text + "body\n")
    assert front.end == len(text)
    assert (front.title, front.metadata["description"]) == ("T", "D")
    assert [warning.partition(":")[0] for warning in front.warnings] == [
        "front matter is longer than 65,536 characters"
    ]
    assert len(str(front.metadata)) < 200_000


@pytest.mark.parametrize(
    "line", ["Some words.\n\n", "Some words here: and more of it.\n\n", "words\n", "# A: b\n\nwords: to read here\n\n"]
)
def test_long_text_between_two_rules_is_no_front_matter(line: str) -> None:
    """However far apart the rules are."""
    assert read_front_matter("---\n\n" + line * 9000 + "---\nbody\n").end == 0


def test_keys_before_long_text_and_a_rule_are_front_matter() -> None:
    """The text after the keys is body, though a rule far below would close them."""
    text = "---\ntitle: T\nx: y\n\n" + "filler line\n" * 6000 + "---\n"
    front = read_front_matter(text)
    assert text[: front.end] == "---\ntitle: T\nx: y\n"
    assert front.warnings


def test_front_matter_is_looked_for_in_its_first_million_characters_only() -> None:
    """A mapping that is closed only after that is body but for its first lines, which read as keys and values."""
    text = "---\ntitle: T\nx: y\n\n" + "filler line\n" * 90_000 + "---\n"
    front = read_front_matter(text)
    assert text[: front.end] == "---\ntitle: T\nx: y\n"
    assert "not closed in the first 1,000,000 characters" in front.warnings[0]


@pytest.mark.parametrize("size", [300, 4_000, 1_000_000])
def test_random_bytes_are_no_text(size: int) -> None:
    """MD-04: random bytes are refused, whatever they are called."""
    data = random.Random(size).randbytes(size)
    for parse in (markdown.parse, mdx.parse, plain.parse, html.parse):
        with pytest.raises(UnreadableFile, match="binary"):
            parse(data)


def test_a_file_of_nuls_is_no_text() -> None:
    """MD-05: a few NUL characters are replaced, a file of them is refused."""
    with pytest.raises(UnreadableFile, match="binary"):
        decode(b"a" + b"\0" * 1000)


@pytest.mark.timeout(15)
def test_a_large_file_in_an_old_encoding_is_decoded_by_a_sample() -> None:
    """MD-03: the guess looks at some of the lines that are not ASCII, so a large file costs little more."""
    text = "plain ascii line\n" * 200_000 + "Voilà, l'été à la montagne déjà passé.\n" * 20_000
    decoded = decode(text.encode("cp1252"))
    assert decoded.text == text
    assert decoded.encoding == "cp1252"


LANGUAGES = {
    "cp1252": "Die Größe der Datei beträgt fünf „Kilobyte“. Schöne Grüße aus München, bitte übersetzen.",
    "cp1250": "Příliš žluťoučký kůň úpěl ďábelské ódy. Tato kapitola popisuje instalaci programu a jeho použití.",
    "cp1254": "Bu bölüm programın kurulumunu ve farklı sistemlerde kullanımını açıklar. Şimdi değişiklik yapın.",
    "cp1251": "Этот раздел описывает установку программы и её использование на разных системах.",
    "koi8-r": "Этот раздел описывает установку программы и её использование на разных системах.",
    "cp932": "設定ファイルの状態を確認します。インストール手順は次のとおりです。",
    "euc_jp": "設定ファイルの状態を確認します。インストール手順は次のとおりです。",
    "gb18030": "本节介绍如何安装该程序以及在不同系统上的使用方法。请先阅读配置说明。",
    "big5": "本節介紹如何安裝該程式以及在不同系統上的使用方法。請先閱讀設定說明。",
    "cp949": "이 장에서는 프로그램을 설치하고 사용하는 방법을 설명합니다. 설정 파일을 확인하십시오.",
    "cp1253": "Αυτό το κεφάλαιο περιγράφει την εγκατάσταση του προγράμματος και τη χρήση του.",
    "cp1255": "פרק זה מתאר את התקנת התוכנה ואת השימוש בה במערכות שונות.",
    "cp1256": "يصف هذا الفصل تثبيت البرنامج واستخدامه على أنظمة مختلفة.",
}


@pytest.mark.parametrize("encoding", LANGUAGES)
def test_the_encoding_of_other_languages_is_guessed(encoding: str) -> None:
    """MD-03: text among Markdown and English words comes out right, and the encoding is recorded."""
    text = f"# Setup {LANGUAGES[encoding]}\n\n* `pip install x` {LANGUAGES[encoding]}\n\n[link](http://x)\n" * 3
    decoded = decode(text.encode(encoding))
    assert decoded.text == text
    assert decoded.encoding == encoding
    assert decode(text.encode(encoding)) == decoded


def test_a_declared_encoding_that_is_wrong_or_unknown_is_not_believed() -> None:
    """A name that Python has no text encoding for, or that cannot read the bytes, leaves the guess."""
    data = "Größe und Länge".encode("cp1252")
    for declared in ("no-such", "hex", "unicode_escape", "idna", "\x00", "euc_jp", "utf-8"):
        assert decode(data, declared).text == "Größe und Länge"
