"""Models on the command line: vectors by a real model, what is said when a model cannot be had, and who may choose."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.helpers import Ran, drawwell
from tests.corpus.folders import fill, rows
from tests.providers.servers.base import running
from tests.providers.servers.ollama import Ollama
from tests.providers.servers.openai import OpenAI

MODEL = "onnx:all-MiniLM-L6-v2"
FILES: dict[str, str | bytes] = {
    "pets.md": "# Pets\n\nA kitten sleeps on the sofa most of the afternoon.\n",
    "refunds.md": "# Refunds\n\nCustomers may send goods back within thirty days and get their money returned.\n",
    "net.md": "# Network\n\nThe router drops idle sessions after five minutes.\n",
}
PARAPHRASE = "feline napping"
KEY = "sk-test-0123456789abcdef"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return fill(tmp_path / "docs", FILES)


@pytest.fixture
def models(minilm: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The real model, by its name."""
    monkeypatch.setenv("DRAWWELL_MODELS", str(minilm.parent))
    return MODEL


def test_vectors_are_made_once_and_find_by_meaning(folder: Path, models: str) -> None:
    """A paraphrase without a common word is found; a second run asks for nothing; words alone do not find it."""
    ran = drawwell("ingest", folder, "--embed", models)
    assert (ran.code, ran.err) == (0, "")
    assert "vectors by onnx:all-MiniLM-L6-v2: 3 embedded," in ran.out
    again = json.loads(drawwell("ingest", folder, "--json", DRAWWELL_EMBED=models).out)
    assert again["models"] == {
        "embedding": {"model": models, "embedded": 0, "cached": 0, "lacking": 0, "tokens": 0},
    }
    found = json.loads(drawwell("search", PARAPHRASE, folder, "--embed", models, "--json").out)
    assert found["hits"][0]["doc"] == "pets.md"
    assert (found["mode"], found["legs"]) == ("hybrid", ["words", "vectors"])
    assert found["hint"] == "no section holds the words of the query: these are the nearest in meaning"
    assert json.loads(drawwell("search", PARAPHRASE, folder, "--json").out)["mode"] == "lexical"


def test_report_as_json(folder: Path, models: str) -> None:
    """The report counts what was embedded, and the tokens as the provider counts them."""
    report = json.loads(drawwell("ingest", folder, "--embed", models, "--json").out)["models"]["embedding"]
    assert (report["model"], report["embedded"], report["lacking"]) == (models, 3, 0)
    assert 30 < report["tokens"] < 100


def test_status_says_whose_vectors_answer(folder: Path, models: str) -> None:
    """The model, how many sections have a vector and how many none; and who wrote the lines about documents."""
    assert "vectors      none" in drawwell("status", folder).out if drawwell("ingest", folder).code == 0 else False
    drawwell("ingest", folder, "--embed", models)
    fill(folder, {"new.md": "# New\n\nCame later.\n"})
    drawwell("ingest", folder)
    shown = drawwell("status", folder).out
    assert f"vectors      {models}: 3 of 4 sections, dimension 384" in shown
    assert "summaries    offline" in shown
    found = json.loads(drawwell("status", folder, "--json").out)
    assert (found["vectors"]["sections"], found["vectors"]["lacking"], found["summaries"]) == (3, 1, "offline")
    assert found["vectors"]["revision"]
    assert "vectors_coming" not in found


def test_hybrid_without_a_model_says_why(folder: Path, models: str) -> None:
    """Words answer, and the reason is told: no vectors in the store, no model configured, or another one."""

    def hint(*given: str) -> str:
        return str(json.loads(drawwell("search", "kitten", folder, "--json", "--mode", "hybrid", *given).out)["hint"])

    assert hint() == "there are no vectors in this store: words alone were searched"
    drawwell("ingest", folder, "--embed", models)
    assert "are of onnx:all-MiniLM-L6-v2, and no embedding model is configured here" in hint()
    with running(Ollama()) as url:
        os.environ["DRAWWELL_EMBED_URL"] = url
        try:
            assert "are of onnx:all-MiniLM-L6-v2, and ollama:all-minilm is configured here" in hint(
                "--embed", "ollama:all-minilm"
            )
        finally:
            del os.environ["DRAWWELL_EMBED_URL"]


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("olama:all-minilm", "Did you mean ollama:all-minilm?"),
        ("nosuch:x", "Providers: onnx, "),
        ("onnx", "Write onnx:MODEL"),
        ("onnx:nosuch", "drawwell models pull nosuch"),
        ("openai:text-embedding-3-small", "OPENAI_API_KEY is not set"),
    ],
)
def test_a_model_that_cannot_be_had_leaves_the_words(folder: Path, model: str, said: str) -> None:
    """The exit code is 78, the cause and the way out are told, and the words are complete."""
    ran = drawwell("ingest", folder, "--embed", model, OPENAI_API_KEY="")
    assert ran.code == 78
    assert said in ran.err
    assert "3 added" in ran.out
    assert f"vectors by {model}: " in ran.out
    assert drawwell("search", "kitten", folder).out.startswith("pets.md#0")


def test_a_wrong_summarizer_does_not_stop_the_vectors(folder: Path, models: str) -> None:
    """Each model does its part whatever becomes of the other one."""
    ran = drawwell("ingest", folder, "--embed", models, "--summarizer", "openai:x", OPENAI_API_KEY="")
    assert ran.code == 78
    assert "3 embedded" in ran.out
    assert "summaries by openai:x: " in ran.out


def down(*arguments: str | Path) -> Ran:
    """A command while nothing listens where the provider should be."""
    return drawwell(*arguments, DRAWWELL_EMBED_URL="http://127.0.0.1:9", DRAWWELL_MODEL_RETRY="0.01")


def test_a_provider_that_is_down_leaves_the_words(folder: Path) -> None:
    """The exit code of an ingest is 69; a search answers by words and says so."""
    ran = down("ingest", folder, "--embed", "ollama:all-minilm")
    assert ran.code == 69
    assert "nothing answers at http://127.0.0.1:9" in ran.err
    assert "3 added" in ran.out
    assert "vectors by ollama:all-minilm: 3 without, stopped: " in ran.out
    with running(Ollama()) as url:
        assert drawwell("ingest", folder, "--embed", "ollama:all-minilm", DRAWWELL_EMBED_URL=url).code == 0
    found = down("search", "kitten", folder, "--embed", "ollama:all-minilm")
    assert found.code == 0
    assert found.out.startswith("pets.md#0")
    assert "nothing answers at http://127.0.0.1:9 (tried 2 times): words alone were searched" in found.err


def test_a_search_asks_for_nothing_but_its_query(folder: Path) -> None:
    """Where every section has its vector, the folder's documents are not even looked for at the provider."""
    service = Ollama()
    with running(service) as url:
        drawwell("ingest", folder, "--embed", "ollama:all-minilm", DRAWWELL_EMBED_URL=url)
        service.requests.clear()
        drawwell("search", PARAPHRASE, folder, "--embed", "ollama:all-minilm", DRAWWELL_EMBED_URL=url)
    assert [len(one.body["input"]) for one in service.sent("/api/embed")] == [1]


def test_another_model_takes_over_only_when_told(folder: Path, models: str) -> None:
    """Without ``--re-embed`` the exit code is 78 and the old vectors stay; with it the new ones answer."""
    drawwell("ingest", folder, "--embed", models)
    with running(Ollama()) as url:
        refused = drawwell("ingest", folder, "--embed", "ollama:all-minilm", DRAWWELL_EMBED_URL=url)
        assert refused.code == 78
        assert "--re-embed" in refused.err
        assert f"vectors      {models}: 3 of 3" in drawwell("status", folder).out
        taken = drawwell("ingest", folder, "--embed", "ollama:all-minilm", "--re-embed", DRAWWELL_EMBED_URL=url)
    assert taken.code == 0
    assert "3 embedded" in taken.out
    assert "vectors      ollama:all-minilm: 3 of 3" in drawwell("status", folder).out
    assert rows(folder, "SELECT DISTINCT model FROM embeddings") == [("ollama:all-minilm",)]


def test_a_project_may_not_choose_who_gets_its_texts(folder: Path, tmp_path: Path) -> None:
    """Files in a folder that was cloned set no model, no address, no folder of models and no certificates."""
    service = OpenAI(key=KEY)
    with running(service) as url:
        entries = {
            "embed": "openai:text-embedding-3-small",
            "summarizer": "openai:gpt-4o-mini",
            "rerank": "voyage:rerank-2",
            "embed_url": url,
            "summarizer_url": url,
            "rerank_url": url,
            "models": str(tmp_path),
            "ca_file": str(tmp_path / "ca.pem"),
        }
        text = "".join(f'{name} = "{value}"\n' for name, value in entries.items())
        fill(folder, {"drawwell.toml": text, "pyproject.toml": f"[tool.drawwell]\n{text}"})
        ran = drawwell("ingest", folder, OPENAI_API_KEY=KEY)
        shown = drawwell("config", folder)
    assert service.requests == []
    assert ran.code == 78
    for name in entries:
        assert name in ran.err
    assert url not in shown.out


MISSING = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
from drawwell.cli.main import main
main(sys.argv[2:])
"""


@pytest.mark.parametrize(
    ("missing", "model", "extra"),
    [("onnxruntime", MODEL, "onnx"), ("openai", "openai:x", "openai"), ("ollama", "ollama:x", "ollama")],
)
def test_a_missing_package_is_named_with_its_command(
    folder: Path, models: str, missing: str, model: str, extra: str
) -> None:
    """Without a provider's package the words are complete, and what to install is told; the exit code is 69."""
    command = [sys.executable, "-c", MISSING, missing, "ingest", str(folder), "--embed", model]
    ran = subprocess.run(
        command, env={**os.environ, "OPENAI_API_KEY": KEY}, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 69, ran.stderr
    assert f"drawwell[{extra}]" in ran.stderr
    assert "3 added" in ran.stdout


def test_no_key_is_ever_written_or_shown(folder: Path) -> None:
    """Not in the store and what is beside it, not in the answers, errors, status or settings; and it was used."""
    service = OpenAI(key=KEY)
    given = ("--embed", "openai:text-embedding-3-small", "--summarizer", "openai:gpt-4o-mini")
    with running(service) as url:
        places = {"DRAWWELL_EMBED_URL": f"{url}/v1", "DRAWWELL_SUMMARIZER_URL": f"{url}/v1", "OPENAI_API_KEY": KEY}
        said = [drawwell("ingest", folder, *given, **places)]
        assert service.sent("/embeddings")
        service.key = "another"
        fill(folder, {"new.md": "# New\n\nText.\n"})
        said.append(drawwell("ingest", folder, *given, "--json", **places))
        assert said[-1].code == 78
        said.append(drawwell("search", "kitten", folder, "--embed", given[1], **places))
        said += [drawwell("status", folder, "--json", **places), drawwell("config", **places)]
    assert not [one for one in said if KEY in one.out + one.err]
    written = [place for place in (folder / ".drawwell").rglob("*") if place.is_file()]
    assert not [place for place in written if KEY.encode() in place.read_bytes()]
