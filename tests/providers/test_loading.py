"""Models that are loaded behind what needs them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from drawwell.errors import ConfigurationError, DependencyError, MissingExtra, NotReady
from drawwell.providers import loading
from drawwell.providers.loading import LoadedEmbedder, LoadedReranker, Loading

WAIT = 20


class _Model:
    """A stand-in for a model of either kind."""

    name = "fake:m"
    closed = False

    def embed_query(self, text: str, seconds: float | None = None) -> str:
        return f"{text} {seconds}"

    def scores(self, query: str, passages: list[str], seconds: float | None = None) -> list[float]:
        return [float(len(passage)) for passage in passages]

    def close(self) -> None:
        self.closed = True


class _Loader:
    """Makes a model when it is let, counts how often, and fails as told."""

    def __init__(self, *errors: Exception) -> None:
        self.let = threading.Event()
        self.count = 0
        self.errors = list(errors)
        self.model = _Model()

    def __call__(self) -> _Model:
        self.count += 1
        assert self.let.wait(WAIT)
        if self.errors:
            raise self.errors.pop(0)
        return self.model


def test_many_threads_load_once() -> None:
    """Whoever asks meanwhile waits for the one attempt and gets the same model."""
    loader = _Loader()
    loaded = Loading("fake:m", loader, background=False)
    with ThreadPoolExecutor(16) as pool:
        asked = [pool.submit(loaded.get) for _ in range(16)]
        loader.let.set()
        assert {id(one.result(WAIT)) for one in asked} == {id(loader.model)}
    assert loaded.get() is loader.model
    assert loader.count == 1


def _loaded(loaded: Loading[_Model]) -> _Model:
    """The model, when it is there; what says that it is not yet is asked again."""
    pause = threading.Event()
    for _ in range(WAIT * 100):
        try:
            return loaded.get()
        except NotReady:
            pause.wait(0.01)
    raise AssertionError("never loaded")


def test_in_the_background_nobody_waits() -> None:
    """Until it is loaded everybody is told so; then everybody has it."""
    loader = _Loader()
    loaded: Loading[_Model] = Loading("fake:m", loader, background=True)
    assert loaded.loaded() is None
    loaded.begin()
    for _ in range(3):
        with pytest.raises(NotReady, match="the model fake:m is still being loaded"):
            loaded.get()
    loader.let.set()
    assert _loaded(loaded) is loader.model is loaded.loaded()
    assert loader.count == 1


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ConfigurationError("no such model"), ConfigurationError),
        (MissingExtra("models", "onnx"), MissingExtra),
        (RuntimeError("odd"), DependencyError),
    ],
)
def test_a_failure_is_kept_and_tried_again_later(
    error: Exception, kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """For some time it is told again without another attempt; after that one more is made, and may succeed."""
    loader = _Loader(error)
    loader.let.set()
    loaded: Loading[_Model] = Loading("fake:m", loader, background=False)
    for _ in range(3):
        with pytest.raises(kind) as raised:
            loaded.get()
    assert loader.count == 1
    frames = 0
    trace = raised.value.__traceback__
    while trace is not None:
        frames, trace = frames + 1, trace.tb_next
    assert frames < 4, "an error that is raised again and again must not grow"
    monkeypatch.setattr(loading, "RETRY_SECONDS", -1.0)
    assert loaded.get() is loader.model
    assert loaded.get() is loader.model
    assert loader.count == 2


def test_a_retry_is_made_once_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many threads that come when a failure is old begin one attempt between them."""
    loader = _Loader(ConfigurationError("not yet"))
    loader.let.set()
    loaded: Loading[_Model] = Loading("fake:m", loader, background=False)
    with pytest.raises(ConfigurationError):
        loaded.get()
    loader.let.clear()
    monkeypatch.setattr(loading, "RETRY_SECONDS", -1.0)
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(loaded.get) for _ in range(8)]
        loader.let.set()
        assert {id(one.result(WAIT)) for one in asked} == {id(loader.model)}
    assert loader.count == 2


@pytest.mark.parametrize("kind", [LoadedEmbedder, LoadedReranker])
def test_a_name_needs_no_model(kind: Callable[..., LoadedEmbedder | LoadedReranker]) -> None:
    """Name and closing load nothing; a loaded model is closed."""
    loader = _Loader()
    loader.let.set()
    made = kind("fake:m", loader, background=False)
    made.close()
    assert (made.name, loader.count) == ("fake:m", 0)
    if isinstance(made, LoadedReranker):
        assert made.scores("q", ["a", "bb"]) == [1, 2]
    else:
        assert str(made.embed_query("q", 2.0)) == "q 2.0"
    made.close()
    assert loader.model.closed
