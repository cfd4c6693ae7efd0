"""Summaries by a model that Ollama serves. Address: the option or ``OLLAMA_HOST``, else this machine."""

from __future__ import annotations

import ollama

from drawwell.protocols import Summarizer, Summary
from drawwell.providers import ollama_api
from drawwell.providers.calls import Calls
from drawwell.providers.options import ProviderOptions
from drawwell.providers.writing import OUTPUT_TOKENS, Answer, Request, compose_request, finish

__all__ = ["make"]

WINDOW = 32_768
"""Tokens read and written, unless told or the model has fewer. Always the same: another size loads the model anew."""


def make(model: str, options: ProviderOptions) -> Summarizer:
    """A summariser.

    Args:
        model: its name, with a tag or without.
        options: base URL, window (``num_ctx``).

    Raises:
        ConfigurationError: the address cannot be used.
    """
    client, calls = ollama_api.connect(model, options)
    return _OllamaSummarizer(model, client, calls, options.window_tokens or WINDOW)


class _OllamaSummarizer:
    """Summaries by ``/api/chat``."""

    def __init__(self, model: str, client: ollama.Client, calls: Calls, window: int) -> None:
        self._model = model
        self._client = client
        self._calls = calls
        self._window = window
        self._facts: ollama_api.ModelFacts | None = None

    @property
    def name(self) -> str:
        """Provider and model as a user writes them."""
        return f"ollama:{self._model}"

    def summarize(self, instructions: str, text: str) -> Summary:
        """What the model makes of a text."""
        if self._facts is None:
            self._facts = self._calls.run(lambda: ollama_api.facts(self._client, self._model))
        facts = self._facts
        window = min(self._window, facts.context or self._window)
        budget = min(OUTPUT_TOKENS, window // 2)
        request = compose_request(instructions, text, window - budget)
        return finish(self.name, self._calls.run(lambda: self._ask(request, facts, window, budget)))

    def _ask(self, request: Request, facts: ollama_api.ModelFacts, window: int, budget: int) -> Answer:
        reply = self._client.chat(
            self._model,
            [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
            think=False if facts.thinks else None,
            options={"num_ctx": window, "num_predict": budget},
            keep_alive=ollama_api.KEEP_ALIVE,
        )
        tokens = (reply.prompt_eval_count or 0) + (reply.eval_count or 0)
        return Answer(reply.message.content or "", tokens, cut=reply.done_reason == "length")

    def close(self) -> None:
        """Let go of the connections."""
        self._calls.close()
        ollama_api.close(self._client)
