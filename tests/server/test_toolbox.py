"""Calls, results and failures as text, without any protocol."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import drawwell
from drawwell.errors import ConfigurationError, NotFound
from drawwell.server.instructions import MAX_CHARS, agent_instructions, server_instructions
from drawwell.server.log import call_line, configure_logging
from drawwell.server.toolbox import Toolbox
from drawwell.server.tools.spec import BrokenToolset
from tests.server.fakes import TOOLS, FakeWell


@pytest.fixture
def box() -> Toolbox:
    """A toolbox over the fake well."""
    return Toolbox([FakeWell()])


def test_result_is_compact_json(box: Toolbox) -> None:
    """A result is one line of JSON without spaces; a string goes out as it is."""
    assert box.call("echo", {"message": "hé llo"}).text == '{"said":"hé llo","words":["hé","llo"]}'
    assert box.call("plain", {"text": "as it is"}).text == "as it is"


def test_unknown_tool_names_the_tools(box: Toolbox) -> None:
    """An unknown tool is an error that lists those there are."""
    answer = box.call("serach", {})
    assert answer.failed
    assert json.loads(answer.text) == {
        "error": "There is no tool 'serach'",
        "suggestion": "The tools are echo, sleep, fail, print, change, plain",
    }


def test_errors_are_text_with_a_suggestion(box: Toolbox) -> None:
    """Errors carry what was wrong and what to do; a moved text names its new place."""
    told = json.loads(box.call("fail", {"text": "not ready"}).text)
    assert told == {"error": "Indexing 3 of 9 documents", "suggestion": "Try again in a few seconds"}
    assert json.loads(box.call("fail", {"text": "stale"}).text)["moved_to"] == ["a#2"]


def test_unforeseen_failures_are_logged_and_hidden(box: Toolbox, caplog: pytest.LogCaptureFixture) -> None:
    """A failure nobody foresaw is logged with its traceback; the client learns neither class nor text of it."""
    answer = box.call("fail", {"text": "boom"})
    assert answer.failed
    for hidden in ("ZeroDivisionError", "secret internals", "Traceback", "Error("):
        assert hidden not in answer.text
    assert "ZeroDivisionError: secret internals" in caplog.text


def test_lone_surrogates_never_reach_a_client(box: Toolbox) -> None:
    """Text that no encoding can hold is made harmless, in results, errors and resources."""
    for text in (
        box.call("echo", {"text": "a\ud800"}).text,
        box.call("no\ud800", {}).text,
        box.read_resource("fake://item/x").text,
    ):
        text.encode()


def test_unknown_resource(box: Toolbox) -> None:
    """A resource of no well is not found."""
    with pytest.raises(NotFound, match="No resource 'other://x'"):
        box.read_resource("other://x")


def test_two_tools_of_one_name_are_refused() -> None:
    """Wells whose tools clash cannot be served together."""
    with pytest.raises(ValueError, match="'echo'"):
        Toolbox([FakeWell(), FakeWell()])


def test_instructions_share_the_room() -> None:
    """Each well gets an even share; what one leaves over the next may use; the whole keeps the limit."""
    broken = BrokenToolset("memory", [], ConfigurationError("memory: no such place", "Name another"))
    text = server_instructions(Toolbox([broken, FakeWell()]), None)
    assert text is not None
    assert len(text) <= MAX_CHARS
    assert text.startswith("The memory tools do not work yet: memory: no such place. Name another")
    assert "Version 0." in text
    assert len(text) > MAX_CHARS - 3
    assert server_instructions(Toolbox([broken]), "") is None
    assert server_instructions(Toolbox([broken]), "Mine.") == "Mine."


def test_broken_well_answers_every_call_with_its_cause() -> None:
    """A well that could not be set up lists its tools, and each call says what is wrong and how to mend it."""
    error = ConfigurationError("section_max_chars: got 0 (DRAWWELL_SECTION_MAX_CHARS), takes 100 to 20000", "Mend it")
    box = Toolbox([BrokenToolset("fake", TOOLS, error)])
    assert [tool.name for tool in box.tools] == [tool.name for tool in TOOLS]
    answer = box.call("echo", {"text": "x"})
    assert answer.failed
    assert json.loads(answer.text) == {"error": error.message, "suggestion": "Mend it"}
    assert box.status()["fake"]["ready"] is False
    with pytest.raises(NotFound):
        box.read_resource("fake://index")


def test_call_line_is_short_and_on_one_line() -> None:
    """A log line has the tool, a summary of at most 120 characters, results and time, whatever was sent."""
    line = call_line("search", {"query": "a\nb\x1b[31m", "in": ["x"] * 100, "more": "y" * 1000}, "3 results", 12.345)
    assert line.startswith("search query=a b [31m in=[")
    assert line.endswith(" -> 3 results in 12.3 ms")
    assert len(line) < 120 + 40
    assert line.isprintable()
    assert len(call_line("t" * 999, "z" * 999, "error", 1)) < 200
    assert call_line("index", None, "1 result", 1) == "index  -> 1 result in 1.0 ms"


def test_calls_are_logged_only_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    """With ``calls`` each call is one line on stderr whatever the level; without it there is none."""
    configure_logging("error", calls=True)
    Toolbox([FakeWell()]).call("echo", {"text": "some words here"})
    Toolbox([FakeWell()]).call("echo", {"nonsense": 1})
    configure_logging("error", calls=False)
    Toolbox([FakeWell()]).call("echo", {"text": "unseen"})
    out, err = capsys.readouterr()
    first, second = err.splitlines()
    assert first.startswith("echo text=some words here -> 3 results in ")
    assert second.startswith("echo nonsense=1 -> error in ")
    assert out == ""


def test_agent_instructions_name_the_tools() -> None:
    """The text for an instruction file names every tool and the rule to cite."""
    text = agent_instructions()
    for word in ("`search`", "`read`", "`grep`", "`neighbours`", "`index`", "`cite`"):
        assert word in text


def test_call_tool_for_programs_without_a_server(tmp_path: Path) -> None:
    """A program with its own loop gets what a server answers: repaired arguments, compact JSON, failures in words."""
    (tmp_path / "a.md").write_text("# A\n\nThe refund window is 45 days.\n", encoding="utf-8")
    with drawwell.open_corpus(tmp_path) as corpus:
        found = drawwell.call_tool(corpus, "search", {"q": "refund window", "in": "a.md", "limit": "3"})
        assert not found.failed
        hit = json.loads(found.text)["hits"][0]
        assert "45 days" in json.loads(drawwell.call_tool(corpus, "read", {"id": hit["cite"]}).text)["text"]
        for name, arguments in (("read", {}), ("nothing", {}), ("search", {"query": "x", "in": ["a"], "bogus": 1})):
            answer = drawwell.call_tool(corpus, name, arguments)
            assert answer.failed
            assert set(json.loads(answer.text)) == {"error", "suggestion"}
