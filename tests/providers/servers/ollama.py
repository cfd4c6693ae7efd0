"""Ollama: ``/api/tags``, ``/api/show``, ``/api/embed``, ``/api/chat``, and its OpenAI-compatible ``/v1``."""

from __future__ import annotations

from typing import Any

from tests.providers.servers import openai
from tests.providers.servers.base import Answer, Request, Service, serve

DIGEST = "819c2adcf5df4f3d0e58e1d5b1ac9cc4c8e0d1c5b2c5a0c7a1a5d7a0f4a4d1e2"
STAMP = "2026-01-02T03:04:05.678901234Z"


class Ollama(Service):
    """A server with one embedding model and one that chats.

    Attributes:
        replies: what the chat model writes, one after another; the last one again and again.
        thinking: what it thinks first, where the client lets it.
        done_reason: why it stopped.
    """

    name = "ollama"
    played_on = ("/api/embed", "/api/chat")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.models = {"all-minilm:latest", "qwen3:0.6b"}
        self.capabilities = {"all-minilm:latest": ["embedding"], "qwen3:0.6b": ["completion", "thinking"]}
        self.digest = DIGEST
        self.replies = ["A short text about a longer one."]
        self.thinking = "Let me see."
        self.done_reason = "stop"
        self.compatible = openai.OpenAI(self.model, self.key, self.context)

    def answer(self, request: Request) -> Answer:
        """The answer when nothing goes wrong."""
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return self.error(401, "", request)
        path = request.path.split("?")[0]
        if path.startswith("/v1/"):
            self.compatible.spoiled = self.spoiled
            self.compatible.models = {name.removesuffix(":latest") for name in self.models} | self.models
            return self.compatible.answer(request)
        if path == "/api/tags":
            return Answer(body={"models": [self._tag(name) for name in sorted(self.models)]})
        name = self._full(str(request.body.get("model", "")))
        if name not in self.models:
            return self.error(404, "", request)
        handlers = {"/api/show": self._show, "/api/embed": self._embed, "/api/chat": self._chat}
        handler = handlers.get(path)
        return handler(name, request) if handler else Answer(404, "404 page not found", {"content-type": "text/plain"})

    def error(self, status: int, code: str, request: Request) -> Answer:
        """An error in Ollama's shape."""
        messages = {
            401: f"unauthorized: {request.headers.get('authorization', '')}",
            404: f'model "{request.body.get("model")}" not found, try pulling it first',
            503: "server busy, please try again.  maximum pending requests exceeded",
        }
        message = code or messages.get(status, f"something failed: {request.body.get('input')}")
        return Answer(status, {"error": message})

    @staticmethod
    def _full(name: str) -> str:
        return name if ":" in name else f"{name}:latest"

    def _details(self) -> dict[str, Any]:
        return {
            "parent_model": "",
            "format": "gguf",
            "family": "bert",
            "families": ["bert"],
            "parameter_size": "23M",
            "quantization_level": "F16",
        }

    def _tag(self, name: str) -> dict[str, Any]:
        return {
            "name": name,
            "model": name,
            "modified_at": STAMP,
            "size": 45_960_996,
            "digest": self.digest if name.startswith("all-minilm") else DIGEST[::-1],
            "details": self._details(),
        }

    def _show(self, name: str, _request: Request) -> Answer:
        return Answer(
            body={
                "license": "Apache License, Version 2.0",
                "modelfile": f"FROM {name}\n",
                "parameters": "num_ctx                        256",
                "template": "{{ .Prompt }}",
                "details": self._details(),
                "model_info": {
                    "general.architecture": "bert",
                    "bert.context_length": self.context,
                    "bert.embedding_length": self.model.dimension,
                },
                "capabilities": self.capabilities.get(name, []),
                "modified_at": STAMP,
            }
        )

    def _embed(self, name: str, request: Request) -> Answer:
        body = request.body
        if "embedding" not in self.capabilities.get(name, []):
            return Answer(501, {"error": "this model does not support embeddings"})
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        window = min(self.context, body.get("options", {}).get("num_ctx", 4096))
        if body.get("truncate") is False and any(self.model.tokens(text) > window for text in texts):
            return Answer(400, {"error": "the input length exceeds the context length"})
        return Answer(
            body={
                "model": body["model"],
                "embeddings": self.embed(texts, body.get("dimensions", 0)),
                "total_duration": 14_143_917,
                "load_duration": 1_019_500,
                "prompt_eval_count": sum(map(self.model.tokens, texts)),
            }
        )

    def _chat(self, name: str, request: Request) -> Answer:
        body = request.body
        thinks = body.get("think", "thinking" in self.capabilities.get(name, []))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        message = {"role": "assistant", "content": reply}
        if thinks:
            message["thinking"] = self.thinking
        last = {
            "done_reason": self.done_reason,
            "done": True,
            "total_duration": 5_191_566_416,
            "load_duration": 2_154_458,
            "prompt_eval_count": sum(self.model.tokens(message["content"]) for message in body["messages"]),
            "prompt_eval_duration": 383_809_000,
            "eval_count": self.model.tokens(reply),
            "eval_duration": 4_799_921_000,
        }
        head = {"model": name, "created_at": STAMP}
        if not body.get("stream", True):
            return Answer(body={**head, "message": message, **last})
        words = [
            {**head, "message": {"role": "assistant", "content": word}, "done": False} for word in reply.split(" ")
        ]
        lines = [*words, {**head, "message": {"role": "assistant", "content": ""}, **last}]
        return Answer(headers={"content-type": "application/x-ndjson"}, lines=lines)


if __name__ == "__main__":
    serve(lambda model, key, context: Ollama(model, key, context))
