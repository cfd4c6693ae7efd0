"""Hugging Face: the inference route of a model, as text-embeddings-inference answers it."""

from __future__ import annotations

from typing import Any

from tests.providers.servers.base import Answer, Request, Service, serve


class HuggingFace(Service):
    """A server with one model at its root.

    Attributes:
        by_token: whether it gives a vector for each token, as models that are not for sentences do.
        most_texts: in one request.
    """

    name = "huggingface"
    played_on = ("/",)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.by_token = False
        self.most_texts = 32

    def answer(self, request: Request) -> Answer:
        """The answer when nothing goes wrong."""
        if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
            return self.error(401, "", request)
        if request.path != "/":
            return self.error(404, "", request)
        texts = request.body["inputs"]
        texts = [texts] if isinstance(texts, str) else texts
        if len(texts) > self.most_texts:
            return self._invalid(422, f"batch size {len(texts)} > maximum allowed batch size {self.most_texts}")
        if not all(texts):
            return self._invalid(400, "`inputs` cannot be empty")
        too_long = self.too_long(texts)
        if too_long and not request.body.get("truncate"):
            return self._invalid(
                413, f"Input validation error: `inputs` must have less than {self.context} tokens. Given: {too_long}"
            )
        rows: Any = self.embed(texts)
        if self.by_token:
            rows = [[row, row] for row in rows]
        if self.spoiled == "text":
            rows = [["one"] * len(row) for row in rows]
        return Answer(body=rows, headers={"x-compute-type": "cpu", "x-total-time": "4"})

    def error(self, status: int, code: str, request: Request) -> Answer:
        """An error in the server's shape."""
        messages = {
            401: f"Invalid credentials in Authorization header {request.headers.get('authorization')}",
            402: "You have exceeded your monthly included credits for Inference Providers.",
            404: "Model does not exist",
            429: "Model is overloaded",
        }
        message = messages.get(status, f"Internal error for {request.body.get('inputs')}")
        return Answer(status, {"error": message, "error_type": code or "backend"})

    @staticmethod
    def _invalid(status: int, message: str) -> Answer:
        return Answer(status, {"error": message, "error_type": "Validation"})


if __name__ == "__main__":
    serve(lambda model, key, context: HuggingFace(model, key, context))
