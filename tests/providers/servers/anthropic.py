"""Anthropic: ``/v1/messages``."""

from __future__ import annotations

from typing import Any

from tests.providers.servers.base import Answer, Request, Service, serve

TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}


class Anthropic(Service):
    """The service.

    Attributes:
        blocks: the content of its answers; None for one text.
        reply: that text.
        stop_reason: why it stopped.
    """

    name = "anthropic"
    played_on = ("/v1/messages",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.models = {"claude-test"}
        self.reply = "A short text about a longer one."
        self.blocks: list[dict[str, Any]] | None = None
        self.stop_reason = "end_turn"

    def answer(self, request: Request) -> Answer:
        """The answer when nothing goes wrong."""
        sent = (request.headers.get("x-api-key"), request.headers.get("authorization", "").removeprefix("Bearer "))
        if self.key and self.key not in sent:
            return self.error(401, "", request)
        if request.path != "/v1/messages" or request.body.get("model") not in self.models:
            return self.error(404, "", request)
        if "anthropic-version" not in request.headers or "max_tokens" not in request.body:
            return self.error(400, "", request)
        read = sum(self.model.tokens(message["content"]) for message in request.body["messages"])
        return Answer(
            body={
                "id": "msg_0123456789",
                "type": "message",
                "role": "assistant",
                "model": request.body["model"],
                "content": self.blocks if self.blocks is not None else [{"type": "text", "text": self.reply}],
                "stop_reason": self.stop_reason,
                "stop_sequence": None,
                "usage": {"input_tokens": read, "output_tokens": self.model.tokens(self.reply)},
            },
            headers={"request-id": "req_0123456789"},
        )

    def error(self, status: int, code: str, request: Request) -> Answer:
        """An error in Anthropic's shape."""
        messages = {
            401: f"invalid x-api-key {self.key}",
            404: f"model: {request.body.get('model')}",
            529: "Overloaded",
        }
        message = code or messages.get(status, f"failed on {request.body.get('messages')}")
        error = {"type": TYPES.get(status, "api_error"), "message": message}
        return Answer(status, {"type": "error", "error": error, "request_id": "req_0123456789"})


if __name__ == "__main__":
    serve(lambda model, key, context: Anthropic(model, key, context))
