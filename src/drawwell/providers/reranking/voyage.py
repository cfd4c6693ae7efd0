"""Reranking by Voyage AI. Key: ``VOYAGE_API_KEY``."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from functools import partial

from drawwell.errors import DependencyError
from drawwell.protocols import Reranker
from drawwell.providers import voyage_api
from drawwell.providers.calls import Calls
from drawwell.providers.options import ProviderOptions
from drawwell.providers.remote import estimate_tokens
from drawwell.providers.windows import sendable

__all__ = ["make"]

_PASSAGES = 1000
_TOKENS = 200_000
"""Of one request: the service takes 300,000 (lite models) or 600,000, the query counted for each passage."""


def make(model: str, options: ProviderOptions) -> Reranker:
    """A reranker.

    Args:
        model: as Voyage names it.
        options: base URL.

    Raises:
        ConfigurationError: no key, or an address that cannot be used.
    """
    client, calls = voyage_api.connect(model, options)
    return _VoyageReranker(model, client, calls)


class _VoyageReranker:
    """Scores by ``/rerank``; the service cuts a passage to the model's window."""

    def __init__(self, model: str, client: voyage_api.VoyageClient, calls: Calls) -> None:
        self._model = model
        self._client = client
        self._calls = calls

    @property
    def name(self) -> str:
        """Provider and model as a user writes them."""
        return f"voyage:{self._model}"

    def scores(self, query: str, passages: Sequence[str], seconds: float | None = None) -> list[float]:
        """One number for each passage, higher for a better answer."""
        end = time.monotonic() + (self._calls.timeout if seconds is None else seconds)
        query = sendable(query)
        found: list[float] = []
        for batch in _batches(query, passages):
            left = max(0.0, end - time.monotonic())
            found.extend(self._calls.run(partial(self._request, query, batch), left))
        return found

    def _request(self, query: str, passages: list[str]) -> list[float]:
        body = {"query": query, "documents": passages, "model": self._model, "truncation": True}
        data = self._client.post("/rerank", body)["data"]
        scores = {int(item["index"]): float(item["relevance_score"]) for item in data}
        if len(data) != len(passages) or sorted(scores) != list(range(len(passages))):
            raise DependencyError(
                f"{self.name}: {len(data)} scores came for {len(passages)} passages", "The service is faulty; try later"
            )
        if not all(math.isfinite(score) for score in scores.values()):
            raise DependencyError(f"{self.name}: a score is no finite number", "The service is faulty; try later")
        return [scores[number] for number in range(len(passages))]

    def close(self) -> None:
        """Let go of the connections."""
        self._calls.close()
        self._client.close()


def _batches(query: str, passages: Sequence[str]) -> Iterator[list[str]]:
    """Passages in groups that one request may hold, in order."""
    asked = estimate_tokens(query)
    batch: list[str] = []
    tokens = 0
    for passage in map(sendable, passages):
        size = asked + estimate_tokens(passage)
        if batch and (len(batch) == _PASSAGES or tokens + size > _TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(passage)
        tokens += size
    if batch:
        yield batch
