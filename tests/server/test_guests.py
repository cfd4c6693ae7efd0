"""Models behind a server: nobody waits for them, and what they do not do is said in the answers."""

from __future__ import annotations

import json
import os
import re
import socket
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.helpers import drawwell
from tests.corpus.folders import fill, rows
from tests.providers.servers.base import Fault, running
from tests.providers.servers.ollama import Ollama
from tests.server.raw import RawServer

MODEL = "onnx:all-MiniLM-L6-v2"
FILES: dict[str, str | bytes] = {
    "pets.md": "# Pets\n\nA kitten sleeps on the sofa most of the afternoon.\n",
    "refunds.md": "# Refunds\n\nCustomers may send goods back within thirty days and get their money returned.\n",
    "net.md": "# Network\n\nThe router drops idle sessions after five minutes.\n",
}
KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return fill(tmp_path / "docs", FILES)


@contextmanager
def serving(*arguments: str | Path, **environment: str) -> Iterator[RawServer]:
    server = RawServer(["-m", "drawwell", "serve", *map(str, arguments)], environment)
    try:
        server.shake_hands()
        yield server
    finally:
        server.end()


def search(server: RawServer, query: str) -> dict[str, Any]:
    text, failed = server.call("search", query=query, limit=1)
    assert not failed, text
    found: dict[str, Any] = json.loads(text)
    return {**found, "hint": found.get("hint") or ""}


def until(answer: Callable[[], dict[str, Any]], right: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """Ask until the answer is right; all answers."""
    deadline = time.monotonic() + 60
    answers = [answer()]
    while not right(answers[-1]):
        assert time.monotonic() < deadline, answers[-1]
        time.sleep(0.05)
        answers.append(answer())
    return answers


def first_doc(found: dict[str, Any]) -> str:
    return str(found["hits"][0]["doc"]) if found["hits"] else ""


def test_meaning_comes_behind_the_first_answers(folder: Path, minilm: Path) -> None:
    """Words answer and say what is missing until model and vectors are there; a changed file gets its vector too."""
    with serving(folder, "--embed", MODEL, DRAWWELL_MODELS=str(minilm.parent)) as server:
        answers = until(
            lambda: search(server, "feline napping"),
            lambda found: found["mode"] == "hybrid" and "no vector yet" not in found["hint"],
        )
        assert first_doc(answers[-1]) == "pets.md"
        for early in answers[:-1]:
            assert re.search("vector yet|still being loaded|index for ranking", early["hint"]), early
        fill(folder, {"trucks.md": "# Vehicles\n\nThe lorry broke down on the motorway.\n"})
        until(
            lambda: search(server, "truck highway engine failure"),
            lambda found: first_doc(found) == "trucks.md" and "no vector yet" not in found["hint"],
        )
    assert rows(folder, "SELECT count(*) FROM embeddings") == [(4,)]


def test_a_store_is_served_as_it_is(folder: Path, minilm: Path) -> None:
    """``--no-ingest`` searches by the vectors there are. Until the model is loaded, words answer and say so."""
    drawwell("ingest", folder, "--embed", MODEL, DRAWWELL_MODELS=str(minilm.parent))
    with serving(folder, "--no-ingest", "--embed", MODEL, DRAWWELL_MODELS=str(minilm.parent)) as server:
        answers = until(lambda: search(server, "feline napping"), lambda found: found["mode"] == "hybrid")
    assert first_doc(answers[-1]) == "pets.md"
    for early in answers[:-1]:
        assert f"the model {MODEL} is still being loaded: words alone were searched" in early["hint"]


def test_a_provider_that_is_down_is_named(folder: Path) -> None:
    """The tools work by words, and the answers say what answers to nobody."""
    places = {"DRAWWELL_EMBED_URL": "http://127.0.0.1:9", "DRAWWELL_MODEL_RETRY": "0.01"}
    with serving(folder, "--embed", "ollama:all-minilm", **places) as server:
        answers = until(
            lambda: search(server, "kitten"), lambda found: "nothing answers at http://127.0.0.1:9" in found["hint"]
        )
        assert first_doc(answers[-1]) == "pets.md"
        assert "summaries or vectors are not complete: ollama:all-minilm" in answers[-1]["hint"]
        assert not server.call("read", id="pets.md#0")[1]


def test_a_model_that_cannot_be_had_is_named(folder: Path) -> None:
    """A provider that nobody knows does not keep the server from starting: its answers say what is wrong."""
    with serving(folder, "--embed", "nosuch:x") as server:
        text, failed = server.call("search", query="kitten")
    assert failed
    assert "embed: got 'nosuch:x'" in text


def test_the_index_shows_the_lines_of_a_model(folder: Path) -> None:
    """``--summarizer`` has them written behind the first answers; the index says whose they are."""
    service = Ollama()
    service.replies = ["How a household animal spends its day."]
    with (
        running(service) as url,
        serving(folder, "--summarizer", "ollama:qwen3:0.6b", DRAWWELL_SUMMARIZER_URL=url) as server,
    ):
        last = until(lambda: {"text": server.call("index")[0]}, lambda found: "household animal" in found["text"])[-1]
    assert "summaries: ollama:qwen3:0.6b" in last["text"]
    assert len(service.sent("/api/chat")) == len(FILES)


def test_health_shows_the_work_of_models_and_no_key(folder: Path) -> None:
    """While a slow model works, health says so; its key is in no command line and no log."""
    service = Ollama(key=KEY)
    service.faults.extend([Fault(seconds=1.0)] * 3)
    with running(service) as url:
        port = _free_port()
        given = ["serve", str(folder), "--transport", "http", "--port", str(port), "--embed", "ollama:all-minilm"]
        environment = {"DRAWWELL_EMBED_URL": url, "OLLAMA_API_KEY": KEY, "DRAWWELL_LOG_LEVEL": "debug"}
        server = RawServer(["-m", "drawwell", *given], environment)
        try:
            states = until(lambda: _health(port), lambda found: "models" in json.dumps(found))
            commands = _commands_below(server.process.pid)
            until(
                lambda: _health(port),
                lambda found: "models" not in json.dumps(found) and service.sent("/api/embed") != [],
            )
        finally:
            said = server.end()
    assert '"models": "' in json.dumps(states[-1])
    assert KEY not in commands + said + json.dumps(states)
    assert os.name != "posix" or "--part models" in commands


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _health(port: int) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            found: dict[str, Any] = json.load(answer)
            return found
    except OSError:
        return {}


def _commands_below(pid: int) -> str:
    """The command lines of a process's children, where the system shows them."""
    tasks = Path(f"/proc/{pid}/task")
    children = [one for task in tasks.glob("*/children") for one in task.read_text().split()] if tasks.exists() else []
    shown = [Path(f"/proc/{child}/cmdline") for child in children]
    return "\n".join(place.read_text().replace("\0", " ") for place in shown if place.exists())
