"""What one embedding provider does and the others do not."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import ollama as ollama_sdk
import openai as openai_sdk
import pytest

from drawwell.errors import ConfigurationError
from drawwell.protocols import Passage
from drawwell.providers.embedding import azure, huggingface, ollama, openai, voyage
from drawwell.providers.options import ProviderOptions
from tests.providers.servers import ollama as ollama_server
from tests.providers.servers.azure import Azure
from tests.providers.servers.base import running
from tests.providers.servers.huggingface import HuggingFace
from tests.providers.servers.ollama import Ollama
from tests.providers.servers.openai import OpenAI
from tests.providers.servers.vectors import WordHashes
from tests.providers.servers.voyage import Voyage
from tests.providers.vendors import KEY, VENDORS

DOCUMENT = [Passage("a", "b c d")]


def test_ollama_says_what_its_model_is() -> None:
    """Digest, width and context come from the service; nothing is embedded to learn them."""
    service = Ollama()
    with running(service) as url:
        made = ollama.make("all-minilm", ProviderOptions(base_url=url))
        identity = made.identity()
        assert (identity.dimension, identity.revision) == (64, ollama_server.DIGEST)
        assert not service.sent()
        made.embed_documents(DOCUMENT)
        body = service.sent()[-1].body
        assert body["truncate"] is False
        assert body["options"] == {"num_ctx": 512}
        assert body["keep_alive"] == "15m"
        assert "dimensions" not in body
        made.close()


def test_ollama_says_how_to_get_a_model() -> None:
    """A model that is not there is not fetched: the error has the command."""
    with running(Ollama()) as url:
        made = ollama.make("mxbai-embed-large", ProviderOptions(base_url=url))
        with pytest.raises(ConfigurationError, match="ollama pull mxbai-embed-large"):
            made.identity()
        made.close()


def test_ollama_does_not_embed_with_a_model_that_chats() -> None:
    """A model without vectors is a setting."""
    with running(Ollama()) as url:
        made = ollama.make("qwen3:0.6b", ProviderOptions(base_url=url))
        with pytest.raises(ConfigurationError, match="gives no embeddings"):
            made.embed_query("x")
        made.close()


@pytest.mark.parametrize(("given", "words"), [({"window_tokens": 600}, "reads 512"), ({"dimension": 65}, "gives 64")])
def test_ollama_refuses_more_than_the_model_has(given: dict[str, int], words: str) -> None:
    """A window or a dimension beyond the model's is a setting, found before anything is embedded."""
    service = Ollama()
    with running(service) as url:
        made = ollama.make("all-minilm", ProviderOptions(base_url=url, **given))  # type: ignore[arg-type]
        with pytest.raises(ConfigurationError, match=words):
            made.identity()
        assert not service.sent()
        made.close()


def test_ollama_takes_no_key_from_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its SDK reads a key from the process on its own; only the environment of the options counts."""
    monkeypatch.setenv("OLLAMA_API_KEY", KEY)
    service = Ollama()
    with running(service) as url:
        made = ollama.make("all-minilm", ProviderOptions(base_url=url))
        made.embed_query("x")
        assert not [request for request in service.requests if "authorization" in request.headers]
        made.close()


@pytest.mark.parametrize("name", ["ollama", "openai", "azure", "voyage"])
def test_fewer_numbers_are_asked_for(name: str) -> None:
    """A dimension below the model's own is sent to the service, and what comes is checked against it."""
    vendor = next(vendor for vendor in VENDORS if vendor.name == name)
    with vendor.serving(dimension=16) as (service, embedder):
        assert embedder.identity().dimension == 16
        assert embedder.embed_documents(DOCUMENT).vectors.shape == (1, 16)
        body = service.sent()[-1].body
        assert body.get("dimensions", body.get("output_dimension")) == 16


@pytest.mark.parametrize("name", ["openai", "azure", "huggingface"])
def test_a_service_that_takes_fewer_texts_gets_fewer(name: str) -> None:
    """Services differ in how many texts they take; a batch that is refused for that is sent in parts."""
    vendor = next(vendor for vendor in VENDORS if vendor.name == name)
    with vendor.serving() as (service, embedder):
        service.most_texts = 4  # type: ignore[attr-defined]
        passages = [Passage("", f"word{number}") for number in range(30)]
        assert embedder.embed_documents(passages).owners == tuple(range(30))


def test_openai_vectors_are_the_same_by_either_encoding() -> None:
    """Base64 is asked for; a service that refuses it is asked for numbers, and remembered."""
    service = OpenAI()
    with running(service) as url:
        made = openai.make("text-embedding-test", ProviderOptions(base_url=url + "/v1"))
        packed = made.embed_query("x y")
        assert service.sent()[-1].body["encoding_format"] == "base64"
        service.base64 = False
        assert np.array_equal(made.embed_query("x y"), packed)
        before = len(service.sent())
        made.embed_query("x y")
        assert [request.body["encoding_format"] for request in service.sent()[before:]] == ["float"]
        made.close()


def test_openai_address_and_organisation_from_the_environment() -> None:
    """Both usual names of the address are read, the first one first; a key goes only where it is meant to."""
    service = OpenAI(key=KEY)
    with running(service) as url:
        environment = {
            "OPENAI_API_BASE": url + "/v1/",
            "OPENAI_API_KEY": KEY,
            "OPENAI_ORGANIZATION": "org-1",
        }
        made = openai.make("text-embedding-test", ProviderOptions(environment=environment))
        made.embed_query("x")
        assert service.sent()[-1].path == "/v1/embeddings"
        assert service.sent()[-1].headers["openai-organization"] == "org-1"
        made.close()


@pytest.mark.parametrize("make", [openai.make, azure.make, voyage.make, huggingface.make])
def test_the_service_itself_needs_a_key(make: object) -> None:
    """Without a base URL the vendor's own service is meant, and a key is needed."""
    with pytest.raises(ConfigurationError, match="is not set"):
        make("m", ProviderOptions())  # type: ignore[operator]


def test_openai_itself_is_asked_by_its_own_address() -> None:
    """With a key and no address; what its models give is known without asking."""
    made = openai.make("text-embedding-3-large", ProviderOptions(environment={"OPENAI_API_KEY": KEY}))
    assert made.identity().dimension == 3072
    assert str(made._endpoint._client.base_url) == "https://api.openai.com/v1/"  # type: ignore[attr-defined]
    made.close()


def test_azure_asks_a_deployment() -> None:
    """Endpoint, version and deployment come from the usual variables; the key is in Azure's own header."""
    service = Azure(key=KEY)
    service.models = {"my-embeddings"}
    with running(service) as url:
        environment = {
            "AZURE_OPENAI_ENDPOINT": url + "/",
            "AZURE_OPENAI_API_KEY": KEY,
            "AZURE_OPENAI_API_VERSION": "2025-03-01",
            "AZURE_OPENAI_EMBEDDING_DEPLOYMENT_NAME": "my-embeddings",
        }
        made = azure.make("text-embedding-3-small", ProviderOptions(environment=environment))
        assert made.name == "azure:text-embedding-3-small"
        with pytest.raises(ConfigurationError, match="64 numbers, not 1536"):
            made.embed_query("x")
        sent = service.sent()[-1]
        assert sent.path == "/openai/deployments/my-embeddings/embeddings?api-version=2025-03-01"
        assert "authorization" not in sent.headers
        made.close()


def test_azure_names_a_missing_deployment_and_endpoint() -> None:
    """Both errors say what to set."""
    with running(Azure(key=KEY)) as url:
        options = ProviderOptions(base_url=url, environment={"AZURE_OPENAI_API_KEY": KEY})
        made = azure.make("nowhere", options)
        with pytest.raises(ConfigurationError, match="has a deployment named nowhere"):
            made.embed_query("x")
        made.close()
    with pytest.raises(ConfigurationError, match="AZURE_OPENAI_ENDPOINT is not set"):
        azure.make("m", ProviderOptions(environment={"AZURE_OPENAI_API_KEY": KEY}))


def test_huggingface_refuses_a_vector_for_each_token() -> None:
    """A model that is not for sentences is a setting."""
    service = HuggingFace()
    service.by_token = True
    with running(service) as url:
        made = huggingface.make("org/model", ProviderOptions(base_url=url))
        with pytest.raises(ConfigurationError, match="a vector for each token"):
            made.embed_query("x")
        made.close()


def test_huggingface_sends_no_login_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its SDK sends the token of a login to any address; ours goes only where it is meant to."""
    monkeypatch.setenv("HF_TOKEN", "hf_of_the_machine")
    service = HuggingFace()
    with running(service) as url:
        made = huggingface.make("org/model", ProviderOptions(base_url=url))
        made.embed_query("x")
        assert "authorization" not in service.requests[-1].headers
        made.close()


def test_huggingface_keeps_to_its_offline_switch() -> None:
    """With the SDK's own switch set nothing is sent, and the error names it. The switch is read when it is loaded."""
    code = (
        "from drawwell.providers.embedding.huggingface import make\n"
        "from drawwell.providers.options import ProviderOptions\n"
        "try: make('org/model', ProviderOptions(base_url='http://127.0.0.1:9')).embed_query('x')\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.startswith("ConfigurationError huggingface:org/model: HF_HUB_OFFLINE is set")


@pytest.mark.parametrize(
    ("model", "document", "query"),
    [
        ("nomic-embed-text", "search_document: a\nb c d", "search_query: q"),
        ("hf.co/intfloat/multilingual-e5-small:latest", "passage: a\nb c d", "query: q"),
        ("mxbai-embed-large", "a\nb c d", "Represent this sentence for searching relevant passages: q"),
        ("all-minilm", "a\nb c d", "q"),
    ],
)
def test_known_models_get_the_prompts_that_they_want(model: str, document: str, query: str) -> None:
    """The name decides, unless the user gives prompts; what is not known gets the text alone."""
    service = Ollama()
    service.models.add(model if ":" in model else f"{model}:latest")
    service.capabilities = {name: ["embedding"] for name in service.models}
    with running(service) as url:
        made = ollama.make(model, ProviderOptions(base_url=url))
        made.embed_documents(DOCUMENT)
        made.embed_query("q")
        assert [request.body["input"] for request in service.sent()] == [[document], [query]]
        made.close()


def test_voyage_is_told_what_a_text_is_for() -> None:
    """Queries and documents are sent as such, and nothing is cut by the service."""
    service = Voyage(key=KEY)
    with running(service) as url:
        options = ProviderOptions(base_url=url + "/v1", environment={"VOYAGE_API_KEY": KEY})
        made = voyage.make("voyage-test", options)
        made.embed_documents(DOCUMENT)
        made.embed_query("x")
        assert [request.body["input_type"] for request in service.sent()] == ["document", "document", "query"]
        assert {request.body["truncation"] for request in service.sent()} == {False}
        made.close()


def test_voyage_keys_have_two_homes() -> None:
    """A key of the Atlas platform is asked for there."""
    for key, host in (("pa-1", "https://api.voyageai.com"), ("al-1", "https://ai.mongodb.com")):
        made = voyage.make("voyage-3.5", ProviderOptions(environment={"VOYAGE_API_KEY": key}))
        assert made._calls.subject.address == host  # type: ignore[attr-defined]
        made.close()


def test_the_servers_speak_to_the_sdks_in_all_ways() -> None:
    """What our providers do not use but others may: streamed chat, ``/v1`` of Ollama in float and base64, its list."""
    service = Ollama()
    service.replies = ["three small words"]
    with running(service) as url:
        client = ollama_sdk.Client(url)
        parts = client.chat("qwen3:0.6b", [{"role": "user", "content": "x"}], stream=True)
        assert [part.message.content for part in parts] == ["three", "small", "words", ""]
        assert {entry.model for entry in client.list().models} == service.models
        client.close()  # type: ignore[no-untyped-call]
        with openai_sdk.OpenAI(base_url=url + "/v1", api_key="ollama", max_retries=0) as compatible:
            rows = [
                compatible.embeddings.create(model="all-minilm", input=["x"], encoding_format=how).data[0].embedding
                for how in ("float", "base64")
            ]
            assert rows[0] == WordHashes().vectors(["x"])[0]
            assert isinstance(rows[1], str)
            said = compatible.chat.completions.create(model="qwen3:0.6b", messages=[{"role": "user", "content": "x"}])
            assert said.choices[0].message.content


@pytest.mark.parametrize("name", ["ollama", "openai", "azure", "huggingface", "voyage", "anthropic"])
def test_a_server_runs_by_itself(name: str) -> None:
    """Each server can be started from the command line and prints its address."""
    with subprocess.Popen(
        [sys.executable, "-m", f"tests.providers.servers.{name}", "--port", "0", "--key", KEY],
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http://127.0.0.1:")
        process.kill()
