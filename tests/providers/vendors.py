"""The embedding providers and their servers, side by side, so that one test can ask all of them the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from drawwell.protocols import Embedder
from drawwell.providers.embedding import azure, huggingface, ollama, openai, voyage
from drawwell.providers.options import ProviderOptions
from tests.providers.servers.azure import Azure
from tests.providers.servers.base import Service, running
from tests.providers.servers.huggingface import HuggingFace
from tests.providers.servers.ollama import Ollama
from tests.providers.servers.openai import OpenAI
from tests.providers.servers.voyage import Voyage

KEY = "sk-secret-0123456789-ABCDEF"


@dataclass(frozen=True)
class Vendor:
    """One embedding provider."""

    name: str
    service: Callable[..., Service]
    make: Callable[[str, ProviderOptions], Embedder]
    model: str
    key_name: str
    key_needed: bool
    path: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)

    def options(self, url: str, key: str = KEY, **given: Any) -> ProviderOptions:
        """Options for a server, with short waits."""
        environment = {**self.environment, **({self.key_name: key} if key else {})}
        quick = {"retry_seconds": 0.001, "timeout_seconds": 20.0, **given}
        return ProviderOptions(base_url=url + self.path, environment=environment, **quick)

    @contextmanager
    def serving(self, service: Service | None = None, **given: Any) -> Iterator[tuple[Service, Embedder]]:
        """A running service and an embedder that asks it, which has already learned what the model is."""
        service = service or self.service(key=KEY)
        service.models |= {self.model}
        with running(service) as url:
            embedder = self.make(self.model, self.options(url, **given))
            try:
                embedder.identity()
                service.requests.clear()
                yield service, embedder
            finally:
                embedder.close()


VENDORS = (
    Vendor("ollama", Ollama, ollama.make, "all-minilm", "OLLAMA_API_KEY", key_needed=False),
    Vendor("openai", OpenAI, openai.make, "text-embedding-test", "OPENAI_API_KEY", key_needed=False, path="/v1"),
    Vendor("azure", Azure, azure.make, "text-embedding-test", "AZURE_OPENAI_API_KEY", key_needed=True),
    Vendor("huggingface", HuggingFace, huggingface.make, "org/model", "HF_TOKEN", key_needed=False),
    Vendor("voyage", Voyage, voyage.make, "voyage-test", "VOYAGE_API_KEY", key_needed=True, path="/v1"),
)
