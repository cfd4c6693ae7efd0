"""Summaries by Anthropic. Key: ``ANTHROPIC_API_KEY``; address: the option or ``ANTHROPIC_BASE_URL``."""

from __future__ import annotations

import anthropic
import httpx2

from drawwell.protocols import Summarizer, Summary
from drawwell.providers.calls import Calls
from drawwell.providers.connections import check_address, client_options, find_key, first, http_errors, origin
from drawwell.providers.failures import ErrorTypes, Subject
from drawwell.providers.options import ProviderOptions
from drawwell.providers.writing import OUTPUT_TOKENS, Answer, Request, compose_request, finish

__all__ = ["make"]

_ADDRESS = "https://api.anthropic.com"
_WINDOW = 150_000
_ERRORS = ErrorTypes(
    timeout=(anthropic.APITimeoutError,),
    connection=(anthropic.APIConnectionError,),
    root=(anthropic.AnthropicError,),
) | http_errors(httpx2)


def make(model: str, options: ProviderOptions) -> Summarizer:
    """A summariser.

    Args:
        model: as Anthropic names it.
        options: base URL, window.

    Raises:
        ConfigurationError: no key, or an address that cannot be used.
    """
    name = f"anthropic:{model}"
    key = find_key(name, options, "ANTHROPIC_API_KEY")
    named = options.base_url or first(options.environment, "ANTHROPIC_BASE_URL") or _ADDRESS
    address = check_address(name, named, key)
    client = anthropic.Anthropic(
        api_key=key.value,
        base_url=address,
        max_retries=0,
        timeout=options.timeout_seconds,
        http_client=httpx2.Client(**client_options(httpx2, options)),
    )
    calls = Calls(Subject(name, origin(address), key.name), _ERRORS, options)
    return _AnthropicSummarizer(model, client, calls, options.window_tokens or _WINDOW)


class _AnthropicSummarizer:
    """Summaries by ``/v1/messages``."""

    def __init__(self, model: str, client: anthropic.Anthropic, calls: Calls, window: int) -> None:
        self._model = model
        self._client = client
        self._calls = calls
        self._window = window

    @property
    def name(self) -> str:
        """Provider and model as a user writes them."""
        return f"anthropic:{self._model}"

    def summarize(self, instructions: str, text: str) -> Summary:
        """What the model makes of a text."""
        request = compose_request(instructions, text, self._window - OUTPUT_TOKENS)
        return finish(self.name, self._calls.run(lambda: self._ask(request)))

    def _ask(self, request: Request) -> Answer:
        reply = self._client.messages.create(
            model=self._model,
            max_tokens=OUTPUT_TOKENS,
            system=request.system,
            messages=[{"role": "user", "content": request.user}],
        )
        usage = reply.usage
        return Answer(
            "".join(block.text for block in reply.content if block.type == "text"),
            usage.input_tokens + usage.output_tokens,
            cut=reply.stop_reason in ("max_tokens", "model_context_window_exceeded"),
            refused=reply.stop_reason == "refusal",
        )

    def close(self) -> None:
        """Let go of the connections."""
        self._calls.close()
        self._client.close()
