"""OpenAI: ``/v1/embeddings`` (float and base64) and ``/v1/chat/completions``."""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence
from typing import Any

from tests.providers.servers.base import Answer, Request, Service, now, serve

RATE_HEADERS = {
    "x-ratelimit-limit-requests": "3000",
    "x-ratelimit-remaining-requests": "2999",
    "x-ratelimit-reset-requests": "20ms",
    "x-request-id": "req_0123456789abcdef",
}


def embedding_rows(service: Service, rows: Sequence[Sequence[float]], encoding: str) -> list[dict[str, Any]]:
    """Vectors as the protocol sends them, in no particular order: clients go by ``index``."""
    found = []
    for index, row in enumerate(rows):
        sent: Any = list(row)
        if encoding == "base64":
            sent = base64.b64encode(struct.pack(f"<{len(row)}f", *row)).decode()
        if service.spoiled == "text":
            sent = ["one"] * len(row)
        if service.spoiled == "base64":
            sent = "AAAA!"
        found.append({"object": "embedding", "index": index, "embedding": sent})
    return found[::-1]


class OpenAI(Service):
    """The service itself.

    Attributes:
        base64: whether it knows that encoding; some compatible services refuse it.
        replies: what the chat model writes.
        finish_reason: why it stopped.
        refusal: what it says when it declines.
        most_texts: in one request.
    """

    name = "openai"
    played_on = ("/embeddings", "/chat/completions")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.models = {"text-embedding-test", "gpt-test"}
        self.base64 = True
        self.replies = ["A short text about a longer one."]
        self.finish_reason = "stop"
        self.refusal: str | None = None
        self.most_texts = 2048

    def answer(self, request: Request) -> Answer:
        """The answer when nothing goes wrong."""
        if not self.allowed(request):
            return self.error(401, "invalid_api_key", request)
        if self.named(request) not in self.models:
            return self.error(404, "model_not_found", request)
        path = request.path.split("?")[0]
        if path.endswith("/embeddings"):
            return self._embeddings(request)
        if path.endswith("/chat/completions"):
            return self._chat(request)
        return Answer(404, {"error": {"message": "Invalid URL", "type": "invalid_request_error", "code": None}})

    def allowed(self, request: Request) -> bool:
        """Whether the key was sent."""
        return not self.key or request.headers.get("authorization") == f"Bearer {self.key}"

    def named(self, request: Request) -> str:
        """The model that is asked for."""
        return str(request.body.get("model", ""))

    def error(self, status: int, code: str, request: Request) -> Answer:
        """An error in OpenAI's shape."""
        messages = {
            400: f"Invalid request: {request.body.get('input') or request.body.get('messages')}",
            401: f"Incorrect API key provided: {request.headers.get('authorization')}. You can find yours at ...",
            404: f"The model `{self.named(request)}` does not exist or you do not have access to it.",
            429: "Rate limit reached for requests per minute. Limit: 3000, used: 3000. Please try again in 20ms.",
        }
        if code == "insufficient_quota":
            message = "You exceeded your current quota, please check your plan and billing details."
        else:
            message = messages.get(status, f"The server had an error while processing {request.body.get('input')}")
        kind = {429: code or "requests"}.get(status, "invalid_request_error" if status < 500 else "server_error")
        body = {"error": {"message": message, "type": kind, "param": None, "code": code or None}}
        return Answer(status, body, RATE_HEADERS)

    def length_error(self, tokens: int) -> Answer:
        """The error for a text that is too long."""
        message = (
            f"This model's maximum context length is {self.context} tokens, however you requested {tokens} tokens "
            f"({tokens} in your prompt; 0 for the completion). Please reduce your prompt; or completion length."
        )
        return Answer(
            400, {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}
        )

    def _embeddings(self, request: Request) -> Answer:
        body = request.body
        encoding = body.get("encoding_format", "float")
        if encoding == "base64" and not self.base64:
            message = "encoding_format must be 'float'"
            error = {"message": message, "type": "BadRequestError", "param": "encoding_format", "code": 400}
            return Answer(400, {"error": error})
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if not texts or not all(texts):
            return self.error(400, "", request)
        if len(texts) > self.most_texts:
            message = f"Too many inputs. The max number of inputs is {self.most_texts}."
            error = {"message": message, "type": "invalid_request_error", "param": None, "code": None}
            return Answer(400, {"error": error})
        too_long = self.too_long(texts)
        if too_long:
            return self.length_error(too_long)
        rows = self.embed(texts, body.get("dimensions", 0))
        tokens = sum(map(self.model.tokens, texts))
        return Answer(
            body={
                "object": "list",
                "data": embedding_rows(self, rows, encoding),
                "model": self.named(request),
                "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
            },
            headers=RATE_HEADERS,
        )

    def _chat(self, request: Request) -> Answer:
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        message: dict[str, Any] = {"role": "assistant", "content": reply, "refusal": self.refusal}
        if self.refusal:
            message["content"] = None
        read = sum(self.model.tokens(message["content"]) for message in request.body["messages"])
        written = self.model.tokens(reply)
        return Answer(
            body={
                "id": "chatcmpl-0123456789",
                "object": "chat.completion",
                "created": now(),
                "model": self.named(request),
                "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": self.finish_reason}],
                "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
            },
            headers=RATE_HEADERS,
        )


if __name__ == "__main__":
    serve(lambda model, key, context: OpenAI(model, key, context))
