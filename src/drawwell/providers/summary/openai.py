"""Summaries by OpenAI, and by every service that speaks its protocol. Key and address as for its embeddings."""

from __future__ import annotations

import openai

from drawwell.protocols import Summarizer, Summary
from drawwell.providers import openai_api
from drawwell.providers.calls import Calls
from drawwell.providers.connections import origin
from drawwell.providers.failures import Subject
from drawwell.providers.options import ProviderOptions
from drawwell.providers.writing import OUTPUT_TOKENS, Answer, Request, compose_request, finish

__all__ = ["make"]

OWN_WINDOW = 100_000
WINDOW = 8192
"""Tokens sent to a service of which nothing is known."""
_THINKERS = ("gpt-5", "o1", "o3", "o4")


def make(model: str, options: ProviderOptions) -> Summarizer:
    """A summariser.

    Args:
        model: as the service names it.
        options: base URL, window.

    Raises:
        ConfigurationError: no key for OpenAI itself, or an address that cannot be used.
    """
    name = f"openai:{model}"
    service = openai_api.find_service(name, options)
    calls = Calls(Subject(name, origin(service.address), service.key.name), openai_api.ERRORS, options)
    window = options.window_tokens or (OWN_WINDOW if service.own else WINDOW)
    return _OpenAISummarizer(model, openai_api.make_client(service, options), calls, (service.own, window))


class _OpenAISummarizer:
    """Summaries by ``/chat/completions``."""

    def __init__(self, model: str, client: openai.OpenAI, calls: Calls, service: tuple[bool, int]) -> None:
        self._model = model
        self._client = client
        self._calls = calls
        self._own, self._window = service

    @property
    def name(self) -> str:
        """Provider and model as a user writes them."""
        return f"openai:{self._model}"

    def summarize(self, instructions: str, text: str) -> Summary:
        """What the model makes of a text."""
        request = compose_request(instructions, text, self._window - min(OUTPUT_TOKENS, self._window // 2))
        return finish(self.name, self._calls.run(lambda: self._ask(request)))

    def _ask(self, request: Request) -> Answer:
        # OpenAI's models that think refuse the old name of the budget; other services often know no other.
        thinks = self._own and self._model.startswith(_THINKERS)
        budget = min(OUTPUT_TOKENS, self._window // 2)
        reply = self._client.chat.completions.create(
            model=self._model,
            messages=[{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
            max_completion_tokens=OUTPUT_TOKENS if self._own else openai.omit,
            max_tokens=openai.omit if self._own else budget,
            reasoning_effort="low" if thinks else openai.omit,
        )
        choice = reply.choices[0]
        return Answer(
            choice.message.content or "",
            reply.usage.total_tokens if reply.usage else 0,
            cut=choice.finish_reason == "length",
            refused=choice.finish_reason == "content_filter" or bool(choice.message.refusal),
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._calls.close()
        self._client.close()
