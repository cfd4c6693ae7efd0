"""Fixtures of the providers over HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import huggingface_hub
import pytest

from tests.providers.vendors import VENDORS, Vendor


@pytest.fixture(params=VENDORS, ids=lambda vendor: str(vendor.name))
def vendor(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vendor]:
    """Each embedding provider in turn; nothing of this machine's environment decides what it does."""
    for name in ("OLLAMA_HOST", "OPENAI_BASE_URL", "HF_TOKEN", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    found: Vendor = request.param
    yield found
    if found.name == "huggingface":
        huggingface_hub.close_session()
