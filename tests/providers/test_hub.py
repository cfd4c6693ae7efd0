"""Getting models: from a hub on this machine by the hub's real client, and from folders."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import pytest
from huggingface_hub import file_download
from huggingface_hub.utils import _http

from drawwell.errors import ConfigurationError, DependencyError, Error
from drawwell.providers import folders, registry
from drawwell.providers.hub import WELL_KNOWN, Getting, copy_model, kind_of, pull_model
from drawwell.providers.options import ProviderOptions
from tests.providers.servers.hub import COMMIT, Hub, Running
from tests.providers.test_local_reranking import WEIGHTS
from tests.providers.tiny import cross_encoder, encoder, static

NAME = "owner/tiny"


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with a model of each kind; its client does not sleep between attempts."""
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    quick = SimpleNamespace(sleep=lambda _seconds: None, time=lambda: 0.0, monotonic=lambda: 0.0)
    monkeypatch.setattr(file_download, "time", quick)
    monkeypatch.setattr(_http, "time", quick)
    shelf = tmp_path / "shelf"
    encoder(shelf / "tiny")
    (shelf / "tiny/config.json").write_text('{"architectures": ["BertModel"]}')
    (shelf / "tiny/README.md").write_text("# Not needed")
    (shelf / "tiny/pytorch_model.bin").write_bytes(b"not needed")
    cross_encoder(shelf / "judge", WEIGHTS)
    static(shelf / "table")
    encoder(shelf / "table/spare").joinpath("model.onnx").rename(shelf / "table/model.onnx")
    found = Hub({f"owner/{name}": shelf / name for name in ("tiny", "judge", "table")})
    with Running(found):
        yield found
    huggingface_hub.close_session()


@pytest.fixture
def getting(hub: Hub, tmp_path: Path) -> Getting:
    """Gets models from that hub."""
    return Getting(ProviderOptions(models=tmp_path / "models", threads=1, environment={"HF_ENDPOINT": hub.url}))


def _left(getting: Getting) -> list[str]:
    """What is in the models' folder, but for locks."""
    return sorted(
        path.relative_to(getting.options.models).as_posix()
        for path in getting.options.models.rglob("*")
        if path.is_file() and not path.name.endswith(".lock")
    )


def test_only_what_is_needed_is_fetched(hub: Hub, getting: Getting) -> None:
    """Model, tokenizer and settings; whole, tried, and with a manifest that says where it came from."""
    said: list[str] = []
    folder = pull_model(NAME, replace(getting, say=said.append))
    assert sorted(hub.fetched()) == ["config.json", "model.onnx", "tokenizer.json"]
    assert _left(getting) == [
        f"{NAME}/{name}" for name in ("config.json", "drawwell.json", "model.onnx", "tokenizer.json")
    ]
    assert (folders.source(folder), folders.faults(folder)) == (f"{NAME}@{COMMIT}", [])
    assert any("model.onnx" in line for line in said)
    assert registry.embedder(f"onnx:{NAME}", getting.options).identity().dimension == 6
    count = len(hub.requests)
    pull_model(NAME, replace(getting, say=said.append))
    assert (len(hub.requests), said[-1]) == (count, f"{NAME} is there already")
    (hub.models[NAME] / "config.json").write_text("{}")
    pull_model(NAME, replace(getting, again=True))
    assert (folder / "config.json").read_text() == "{}"


@pytest.mark.parametrize(
    ("name", "kind", "weights"), [("judge", "rerank", "model.onnx"), ("table", "static", "model.safetensors")]
)
def test_other_kinds(name: str, kind: str, weights: str, hub: Hub, getting: Getting) -> None:
    """A reranker is tried as one; of a model with a table of tokens the table is taken, whatever else it has."""
    folder = pull_model(f"owner/{name}", getting)
    assert kind_of(folder) == kind
    assert [path for path in hub.fetched() if path.endswith((".onnx", ".safetensors"))] == [weights]


def test_a_file_can_be_chosen(hub: Hub, getting: Getting) -> None:
    """The usual file is one of eight bits; another is taken by name, and one that is not there is told."""
    shelf = hub.models[NAME]
    (shelf / "onnx").mkdir()
    content = (shelf / "model.onnx").read_bytes()
    (shelf / "model.onnx").unlink()
    for name in ("model.onnx", "model_quantized.onnx", "model_O4.onnx"):
        (shelf / "onnx" / name).write_bytes(content)
    assert (pull_model(NAME, getting) / "onnx/model_quantized.onnx").is_file()
    folder = pull_model(NAME, replace(getting, again=True, file="onnx/model_O4.onnx"))
    assert [path.name for path in folder.rglob("*.onnx")] == ["model_O4.onnx"]
    assert registry.embedder(f"onnx:{NAME}", getting.options).identity().dimension == 6
    with pytest.raises(ConfigurationError, match=r"has no file onnx/other\.onnx") as raised:
        pull_model(NAME, replace(getting, again=True, file="onnx/other.onnx"))
    assert "onnx/model_O4.onnx" in raised.value.suggestion
    assert folders.faults(folder) == []


def test_a_broken_download_is_taken_up_again(hub: Hub, getting: Getting) -> None:
    """Half a body once: the client goes on from there, and the file is whole."""
    hub.faults.append("half")
    assert folders.faults(pull_model(NAME, getting)) == []
    assert hub.fetched().count("model.onnx") == 2


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("stop", "the connection to .* failed"),
        ("500", r"the service failed \(HTTP 500\)"),
        ("size", "another size|not what the hub says|connection"),
        ("content", r"model\.onnx is not what the hub says it is"),
    ],
)
def test_what_fails_leaves_nothing(fault: str, message: str, hub: Hub, getting: Getting) -> None:
    """A download that breaks, or brings something else, is an error; no half model is there, and the next try works."""
    hub.faults.append(fault)
    with pytest.raises(DependencyError, match=message):
        pull_model(NAME, getting)
    assert _left(getting) == []
    hub.faults.clear()
    assert folders.is_sound(pull_model(NAME, getting))


@pytest.mark.parametrize("fault", ["stop", "content"])
def test_a_failure_leaves_the_model_that_is_there(fault: str, hub: Hub, getting: Getting) -> None:
    """Getting a model again and failing changes nothing."""
    folder = pull_model(NAME, getting)
    before = folders.revision(folder)
    hub.faults.append(fault)
    with pytest.raises(DependencyError):
        pull_model(NAME, replace(getting, again=True))
    assert (folders.revision(folder), folders.faults(folder)) == (before, [])


def test_refusals_say_what_to_do(hub: Hub, getting: Getting) -> None:
    """No such model, one with terms, a private one: each in its own words; the token is sent and never shown."""
    with pytest.raises(ConfigurationError, match="there is no model owner/nobody at http://127") as raised:
        pull_model("owner/nobody", getting)
    assert "set HF_TOKEN" in raised.value.suggestion
    hub.tokens[NAME] = "hf_secret"
    with pytest.raises(ConfigurationError, match="or it is not open to all"):
        pull_model(NAME, getting)
    wrong = {**getting.options.environment, "HF_TOKEN": "hf_wrong"}
    with pytest.raises(ConfigurationError, match="there is no model") as raised:
        pull_model(NAME, replace(getting, options=replace(getting.options, environment=wrong)))
    assert "hf_wrong" not in str(raised.value)
    environment = {**getting.options.environment, "HF_TOKEN": "hf_secret"}
    known = replace(getting, options=replace(getting.options, environment=environment))
    hub.requests.clear()
    assert folders.is_sound(pull_model(NAME, known))
    assert {token for _, _, token in hub.requests} == {"hf_secret"}
    hub.gated.add("owner/judge")
    with pytest.raises(ConfigurationError, match="only to who has agreed") as raised:
        pull_model("owner/judge", known)
    assert "hf_secret" not in str(raised.value)


def test_offline_asks_nobody(hub: Hub, getting: Getting) -> None:
    """Nothing is sent; a model that is there is still there, and a folder can still be copied."""
    offline = replace(getting, options=replace(getting.options, offline=True))
    with pytest.raises(ConfigurationError, match="offline is set") as raised:
        pull_model(NAME, offline)
    assert (hub.requests, f"drawwell models pull {NAME} --from" in raised.value.suggestion) == ([], True)
    assert folders.is_sound(copy_model(NAME, hub.models[NAME], offline))
    assert pull_model(NAME, offline).is_dir()
    assert hub.requests == []


def test_a_hub_that_is_away(getting: Getting) -> None:
    """Nothing answers: it is said where, and that it may pass."""
    environment = {"HF_ENDPOINT": "http://127.0.0.1:9"}
    with pytest.raises(DependencyError, match=r"nothing answers at http://127\.0\.0\.1:9"):
        pull_model(NAME, replace(getting, options=replace(getting.options, environment=environment)))
    assert _left(getting) == []


def test_a_token_is_not_sent_in_the_clear(getting: Getting) -> None:
    """A hub of one's own without TLS gets no token, unless it is on this machine."""
    environment = {"HF_ENDPOINT": "http://hub.test", "HF_TOKEN": "hf_secret"}
    with pytest.raises(ConfigurationError, match=r"HF_TOKEN would be sent to http://hub\.test in the clear"):
        pull_model(NAME, replace(getting, options=replace(getting.options, environment=environment)))


@pytest.mark.parametrize("how", ["no model", "broken", "another"])
def test_a_model_of_no_use_is_not_kept(how: str, hub: Hub, getting: Getting) -> None:
    """What cannot be loaded, or is no model for this, is told with the reason and removed."""
    shelf = hub.models[NAME]
    if how == "no model":
        (shelf / "model.onnx").unlink()
    elif how == "broken":
        (shelf / "model.onnx").write_bytes(b"not a model")
    else:
        encoder(shelf, extra="pixel_values")
    with pytest.raises(ConfigurationError) as raised:
        pull_model(NAME, getting)
    expected = {"no model": "has no ONNX file", "broken": "model.onnx cannot be read", "another": "'pixel_values'"}
    assert expected[how] in raised.value.message
    assert ".getting-" not in str(raised.value)
    assert _left(getting) == []


def test_many_pulls_at_once_are_one(hub: Hub, getting: Getting) -> None:
    """Whoever comes second waits and finds it there."""
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _number: pull_model(NAME, getting), range(4)))
    assert len(set(found)) == 1
    assert hub.fetched().count("model.onnx") == 1
    assert threading.active_count() < 50


def test_certificates_of_ones_own(hub: Hub, getting: Getting, authority: Path) -> None:
    """A hub whose certificate nobody knows is refused, and served once ``ca_file`` names it."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority / "authority.pem", authority / "key.pem")
    own = Hub(dict(hub.models))
    factory = _http._GLOBAL_CLIENT_FACTORY
    with Running(own, context):
        options = replace(getting.options, environment={"HF_ENDPOINT": own.url})
        with pytest.raises(ConfigurationError, match=r"certificate of .* is not trusted") as raised:
            pull_model(NAME, replace(getting, options=options))
        assert "ca_file" in raised.value.suggestion
        try:
            trusting = replace(options, ca_file=str(authority / "authority.pem"))
            assert folders.is_sound(pull_model(NAME, replace(getting, options=trusting)))
        finally:
            huggingface_hub.set_client_factory(factory)


def test_a_folder_is_copied(hub: Hub, getting: Getting, tmp_path: Path) -> None:
    """Only what is needed; the folder itself is left as it is; where it came from is noted without its path."""
    folder = copy_model("copy", hub.models[NAME], getting)
    assert _left(getting) == ["copy/config.json", "copy/drawwell.json", "copy/model.onnx", "copy/tokenizer.json"]
    assert folders.source(folder) == "a folder named tiny"
    assert kind_of(copy_model("table", hub.models["owner/table"], getting)) == "static"
    assert not (folder.parent / "table/model.onnx").exists()
    with pytest.raises(ConfigurationError, match="there is no folder"):
        copy_model("x", tmp_path / "nowhere", getting)
    with pytest.raises(ConfigurationError, match=r"has no other\.onnx"):
        copy_model("x", hub.models[NAME], replace(getting, file="other.onnx"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigurationError, match="neither an ONNX file nor a table"):
        copy_model("x", tmp_path / "empty", getting)


@pytest.mark.parametrize("name", ["../out", "/abs", "a/b/c", "con"])
def test_a_hostile_name_is_refused(name: str, hub: Hub, getting: Getting) -> None:
    """Before anything is asked or written."""
    for get in (lambda: pull_model(name, getting), lambda: copy_model(name, hub.models[NAME], getting)):
        with pytest.raises(ConfigurationError, match="takes a name"):
            get()
    assert (hub.requests, getting.options.models.exists()) == ([], False)


@pytest.mark.parametrize("file", ["../spare.onnx", "../../spare.onnx", "absolute", "a\0b", "x" * 5000])
def test_a_file_outside_the_folder_is_not_copied(file: str, hub: Hub, getting: Getting, tmp_path: Path) -> None:
    """A file named by a path that leads elsewhere, or that none can have, is told; nothing is written anywhere."""
    origin = encoder(tmp_path / "a/b/origin")
    for place in (tmp_path / "a/b/spare.onnx", tmp_path / "a/spare.onnx"):
        place.write_bytes((origin / "model.onnx").read_bytes())
    file = str(tmp_path / "a/spare.onnx") if file == "absolute" else file
    with pytest.raises(ConfigurationError, match="has no "):
        copy_model(NAME, origin, replace(getting, file=file))
    assert _left(getting) == []


@pytest.mark.parametrize(
    "name", ["../x.onnx", "../../../x.onnx", "/x.onnx", "..\\x.onnx", "C:\\x.onnx", "a/../../x.onnx"]
)
def test_a_hub_cannot_name_a_file_outside(name: str, hub: Hub, getting: Getting) -> None:
    """A file whose name leads out of the model's folder is none of its files: it is not even asked for."""
    (hub.models[NAME] / "model.onnx").unlink()
    hub.listed[NAME] = name
    with pytest.raises(ConfigurationError, match="has no ONNX file"):
        pull_model(NAME, getting)
    assert sorted(hub.fetched()) == ["config.json", "tokenizer.json"]
    assert _left(getting) == []


def test_models_do_not_lie_in_each_other(hub: Hub, getting: Getting) -> None:
    """Getting one would otherwise remove the other."""
    copy_model("owner", hub.models[NAME], getting)
    with pytest.raises(ConfigurationError, match="would lie in another model"):
        pull_model(NAME, getting)
    copy_model("group/tiny", hub.models[NAME], getting)
    with pytest.raises(ConfigurationError, match="or another in it"):
        copy_model("group", hub.models[NAME], getting)


def test_a_place_that_cannot_be_written(hub: Hub, getting: Getting, tmp_path: Path) -> None:
    """A file where the models should be is named."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be written") as raised:
        pull_model(NAME, replace(getting, options=replace(getting.options, models=tmp_path / "file")))
    assert "--models" in raised.value.suggestion
    assert hub.requests == []


def test_names_that_are_proposed_can_be_pulled() -> None:
    """Each is a name that is taken, of a kind that is known."""
    for name, kind, about in WELL_KNOWN:
        assert folders.check_name(name) == name
        assert kind in ("onnx", "static", "rerank")
        assert about
    assert issubclass(ConfigurationError, Error)
