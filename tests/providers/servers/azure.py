"""Azure OpenAI: OpenAI's bodies under ``/openai/deployments/NAME``, with a key of its own and errors of its own."""

from __future__ import annotations

from tests.providers.servers.base import Answer, Request, serve
from tests.providers.servers.openai import OpenAI


class Azure(OpenAI):
    """A resource with one deployment."""

    name = "azure"

    def allowed(self, request: Request) -> bool:
        """Whether the key was sent."""
        return not self.key or request.headers.get("api-key") == self.key

    def named(self, request: Request) -> str:
        """The deployment that is asked for; without a version of the interface there is none."""
        path, _, query = request.path.partition("?")
        parts = path.split("/")
        if parts[1:3] != ["openai", "deployments"] or "api-version=" not in query:
            return ""
        return parts[3]

    def error(self, status: int, code: str, request: Request) -> Answer:
        """An error in Azure's shape."""
        messages = {
            401: f"Access denied due to invalid subscription key {request.headers.get('api-key')} or wrong endpoint.",
            404: "The API deployment for this resource does not exist.",
            429: "Requests have exceeded call rate limit of your current pricing tier. Please retry after 1 second.",
        }
        codes = {401: "401", 404: "DeploymentNotFound", 429: code or "429"}
        message = messages.get(status, f"Internal server error: {request.body.get('input')}")
        return Answer(status, {"error": {"code": codes.get(status, str(status)), "message": message}})


if __name__ == "__main__":
    serve(lambda model, key, context: Azure(model, key, context))
