"""No key and no text that was sent is in any message, log or traceback, however a service repeats them."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable

import httpx2
import ollama
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawwell.errors import Error
from drawwell.protocols import Passage
from drawwell.providers.connections import http_errors
from drawwell.providers.failures import Subject, explain
from drawwell.providers.options import ProviderOptions
from drawwell.providers.reranking import voyage as voyage_reranking
from drawwell.providers.summary import anthropic, openai
from drawwell.providers.summary import ollama as ollama_summary
from tests.providers.servers.anthropic import Anthropic
from tests.providers.servers.base import Fault, Service, running
from tests.providers.servers.ollama import Ollama
from tests.providers.servers.openai import OpenAI
from tests.providers.servers.voyage import Voyage
from tests.providers.vendors import KEY, Vendor

TEXT = "confidential-marmalade"
ECHO = f'{{"error": {{"message": "Bearer {KEY} {TEXT}", "code": "{KEY}", "type": "{TEXT}"}}, "detail": "{KEY}"}}'
FAULTS = [
    *(Fault(status=status) for status in (400, 401, 402, 403, 404, 409, 413, 422, 429, 500, 503, 529)),
    *(Fault(status=status, body=ECHO) for status in (200, 400, 401, 404, 418, 422, 429, 500)),
    *(Fault(status=status, body=f"<html>{KEY} {TEXT}</html>") for status in (200, 403, 502)),
    *(Fault(how=how) for how in ("reset", "half", "fewer", "nan", "zeros", "dimension", "text")),
    Fault(status=307, body=TEXT, headers={"location": f"http://localhost:9/{KEY}?{TEXT}"}),
    Fault(status=429, headers={"retry-after": KEY}),
    Fault(status=200, body="[]"),
    Fault(status=200, body="null"),
    Fault(status=200, body='{"data": [null], "embeddings": [null], "choices": [], "content": null}'),
]


def leaks(error: BaseException) -> str:
    """Everything that a program may show of an error."""
    shown = [str(error), repr(error), repr(vars(error)), *traceback.format_exception(error)]
    return "\n".join(shown)


def provoke(service: Service, call: Callable[[], object], caplog: pytest.LogCaptureFixture) -> int:
    """Play all faults; the number of errors, none of which may show anything."""
    caplog.set_level(logging.DEBUG)
    count = 0
    for fault in FAULTS:
        service.faults.clear()
        service.faults.append(fault)
        try:
            call()
        except Error as error:
            count += 1
            shown = leaks(error)
            assert KEY not in shown, fault
            assert TEXT not in shown.replace(f'"{TEXT}"', ""), fault
    assert KEY not in caplog.text
    assert service.sent()
    return count


def test_no_embedder_shows_key_or_text(vendor: Vendor, caplog: pytest.LogCaptureFixture) -> None:
    """All faults, from services that repeat what they were sent, for documents and queries."""
    service = vendor.service(key=KEY)
    with vendor.serving(service, attempts=1) as (service, embedder):
        passage = Passage(TEXT, TEXT)
        assert provoke(service, lambda: embedder.embed_documents([passage, passage]), caplog) >= len(FAULTS) - 3
        provoke(service, lambda: embedder.embed_query(TEXT), caplog)
        assert KEY not in repr(embedder) + repr(vars(embedder))


OTHERS = {
    "ollama": (Ollama, ollama_summary.make, "qwen3:0.6b", "OLLAMA_API_KEY", ""),
    "openai": (OpenAI, openai.make, "gpt-test", "OPENAI_API_KEY", "/v1"),
    "anthropic": (Anthropic, anthropic.make, "claude-test", "ANTHROPIC_API_KEY", ""),
    "voyage": (Voyage, voyage_reranking.make, "rerank-test", "VOYAGE_API_KEY", "/v1"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_no_summary_or_reranking_shows_key_or_text(name: str, caplog: pytest.LogCaptureFixture) -> None:
    """The same for what writes and what judges."""
    kind, make, model, variable, path = OTHERS[name]
    service = kind(key=KEY)
    with running(service) as url:
        options = ProviderOptions(base_url=url + path, environment={variable: KEY}, attempts=1)
        made = make(model, options)
        call = getattr(made, "summarize", None) or (lambda *texts: made.scores(texts[0], texts))
        assert provoke(service, lambda: call(TEXT, TEXT), caplog) >= len(FAULTS) - 5
        made.close()


SECRETS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=60).map("~{}~".format)


@given(SECRETS, st.sampled_from([302, 400, 401, 404, 413, 429, 500, 501, 529]))
def test_nothing_that_an_exception_says_is_repeated(secret: str, status: int) -> None:
    """Whatever stands in an exception of an SDK, none of it is in ours."""
    request = httpx2.Request("POST", "http://127.0.0.1:1/v1")
    response = httpx2.Response(status, text=secret, request=request)
    subject = Subject("some:model", "http://127.0.0.1:1", "SOME_KEY")
    raised = [
        httpx2.HTTPStatusError(secret, request=request, response=response),
        ollama.ResponseError(f"! {secret}", status),
        httpx2.ConnectError(secret),
        httpx2.LocalProtocolError(f"Illegal header value {secret!r}"),
        ValueError(secret),
        KeyError(secret),
        OSError(1, secret),
    ]
    for error in raised:
        failure = explain(error, http_errors(httpx2), subject)
        assert failure is not None
        assert secret not in leaks(failure.error(subject))
