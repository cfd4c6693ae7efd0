"""The documentation says what is so: links lead somewhere, examples are valid, the README cites what it shows."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import drawwell
from drawwell.cli.main import COMMANDS
from drawwell.providers.registry import EMBEDDERS, RERANKERS, SUMMARIZERS
from tools import gen_reference

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\[[^\]]+\]\(([^)#\s]+)(?:#[^)]*)?\)")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(language: str) -> list[tuple[str, str]]:
    """Every code block in a language: the page's name and the text."""
    found = [(page, match) for page in PAGES for match in BLOCK.finditer(page.read_text(encoding="utf-8"))]
    return [(str(page.relative_to(ROOT)), match[2]) for page, match in found if match[1] == language]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Each relative link names a file or folder of the project."""
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_json_and_toml_examples_are_valid() -> None:
    """Configuration that a reader copies is valid."""
    pages = blocks("json"), blocks("toml")
    assert all(pages)
    for _, text in pages[0]:
        json.loads(text)
    for _, text in pages[1]:
        tomllib.loads(text)


def test_python_examples_compile_and_name_what_exists() -> None:
    """Python in the docs compiles, and each ``drawwell.NAME`` in it is public."""
    found = blocks("python")
    assert found
    for page, text in found:
        if page.startswith("docs/reference"):
            continue
        tree = compile(text, page, "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "drawwell":
                assert node.attr in drawwell.__all__, f"{page}: drawwell.{node.attr}"


def test_commands_in_the_docs_exist() -> None:
    """Each ``drawwell COMMAND`` in a code block is a command."""
    known = {name for group in COMMANDS.values() for name in group}
    for language in ("", "console"):
        for page, text in blocks(language):
            for command in re.findall(r"^(?:\$ )?drawwell ([a-z][a-z-]*)", text, re.MULTILINE):
                assert command in known, f"{page}: drawwell {command}"


def test_the_readme_cites_what_it_shows() -> None:
    """The answer in the README cites a section by the very citation that its example prints."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    console = blocks("console")[0][1]
    cites = re.findall(r"[\w./-]+#\d+@[0-9a-f]{12}", text.replace(console, ""))
    assert cites
    assert all(cite in console for cite in cites)


@pytest.mark.parametrize("name", gen_reference.PAGES)
def test_written_pages_are_current(name: str) -> None:
    """What is written from the code is what the code gives now, the README's output among it."""
    assert gen_reference.PAGES[name]().rstrip() + "\n" == (ROOT / name).read_text(encoding="utf-8")


def test_readme_opens_as_it_should() -> None:
    """What it is in five lines, then the two commands, then a question with its answer."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    title, what, *_ = text.split("\n\n")
    assert title == "# drawwell"
    assert len(what.splitlines()) == 5
    assert (
        text.index("make demo") < text.index("make test") < text.index("$ drawwell search") < text.index("## Install")
    )
    for host in ("Claude Code", "headless", "Claude Desktop", "Cursor", "Codex", "VS Code", "LangGraph"):
        assert host in text


def test_scripts_parse() -> None:
    """The shell scripts of the project are valid."""
    for shell, script in (("bash", ".ci/run"), ("sh", "tools/system_deps.sh")):
        subprocess.run([shell, "-n", str(ROOT / script)], check=True)


def test_the_guide_names_every_provider() -> None:
    """Each provider stands in the table of the guide to models, with its extra and what it is for."""
    rows = (ROOT / "docs/guides/models.md").read_text(encoding="utf-8").splitlines()
    uses = {"embedding": EMBEDDERS, "reranking": RERANKERS, "summaries": SUMMARIZERS}
    for use, table in uses.items():
        for name, provider in table.items():
            row = next(line for line in rows if line.startswith(f"| `{name}`") and use in line)
            assert f"`{provider.extra}`" in row
