"""Voyage AI: ``/v1/embeddings`` and ``/v1/rerank``."""

from __future__ import annotations

import math
from typing import Any

from tests.providers.servers.base import Answer, Request, Service, serve
from tests.providers.servers.openai import embedding_rows


class Voyage(Service):
    """The service.

    Attributes:
        most_texts: in one request.
    """

    name = "voyage"
    played_on = ("/embeddings", "/rerank")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.models = {"voyage-test", "rerank-test"}
        self.most_texts = 1000

    def answer(self, request: Request) -> Answer:
        """The answer when nothing goes wrong."""
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return self.error(401, "", request)
        if request.body.get("model") not in self.models:
            return self.error(400, f"Model {request.body.get('model')} is not supported.", request)
        if request.path == "/v1/embeddings":
            return self._embeddings(request)
        if request.path == "/v1/rerank":
            return self._rerank(request)
        return self.error(404, "Not Found", request)

    def error(self, status: int, code: str, request: Request) -> Answer:
        """An error in Voyage's shape."""
        messages = {
            401: f"Provided API key {request.headers.get('authorization')} is invalid.",
            429: "You have exceeded the rate limit of 300 requests per minute.",
        }
        message = code or messages.get(status, f"Invalid: {request.body.get('input') or request.body.get('documents')}")
        return Answer(status, {"detail": message})

    def _embeddings(self, request: Request) -> Answer:
        body = request.body
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if len(texts) > self.most_texts or not all(texts):
            return self.error(400, "", request)
        if body.get("input_type") not in (None, "query", "document"):
            return self.error(400, "Value 'input_type' is not valid.", request)
        too_long = self.too_long(texts)
        if too_long and body.get("truncation", True) is False:
            message = (
                f"Request to model '{body['model']}' failed. The example at index 0 in your batch has too many tokens "
                f"and does not fit into the model's context window of {self.context} tokens."
            )
            return self.error(400, message, request)
        rows = self.embed(texts, body.get("output_dimension") or 0)
        return Answer(
            body={
                "object": "list",
                "data": embedding_rows(self, rows, body.get("encoding_format") or "float"),
                "model": body["model"],
                "usage": {"total_tokens": sum(map(self.model.tokens, texts))},
            }
        )

    def _rerank(self, request: Request) -> Answer:
        body = request.body
        passages = body["documents"]
        if len(passages) > self.most_texts:
            return self.error(400, "", request)
        query, *rows = self.model.vectors([body["query"], *passages])
        scored = [
            {"relevance_score": _cosine(query, row), "index": number, "document": passages[number]}
            for number, row in enumerate(rows)
        ]
        scored.sort(key=lambda item: -float(item["relevance_score"]))
        if not body.get("return_documents"):
            for item in scored:
                del item["document"]
        if self.spoiled == "fewer":
            del scored[0]
        if self.spoiled == "nan":
            scored[0]["relevance_score"] = math.nan
        tokens = sum(map(self.model.tokens, passages)) + len(passages) * self.model.tokens(body["query"])
        return Answer(
            body={"object": "list", "data": scored, "model": body["model"], "usage": {"total_tokens": tokens}}
        )


def _cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))


if __name__ == "__main__":
    serve(lambda model, key, context: Voyage(model, key, context))
