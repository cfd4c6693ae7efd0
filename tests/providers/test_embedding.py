"""What every embedding provider over HTTP does, asked of all of them with the same words."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from drawwell.errors import ConfigurationError, DependencyError
from drawwell.protocols import Passage, Prompts
from tests.providers.servers.base import BAD_GATEWAY, HTML, Fault, Service, running
from tests.providers.vendors import KEY, Vendor

PASSAGES = [
    Passage("Billing > Refunds", "Refunds are paid within thirty days."),
    Passage("Billing > Invoices", "An invoice is sent every month."),
    Passage("", "Deploy with the blue button."),
]
TRIES = 3


def texts_of(service: Service) -> list[str]:
    """The texts that were sent, in the order of the requests."""
    return [text for request in service.sent() for text in request.body.get("input", request.body.get("inputs"))]


def test_vectors_are_unit_rows_in_the_order_of_the_passages(vendor: Vendor) -> None:
    """One float32 row of length 1 for each passage; a query is nearest to what shares its words; tokens are counted."""
    with vendor.serving() as (service, embedder):
        found = embedder.embed_documents(PASSAGES)
        query = embedder.embed_query("when are refunds paid")
        assert found.vectors.dtype == query.dtype == np.float32
        assert found.vectors.shape == (3, 64)
        assert query.shape == (64,)
        assert np.allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-6)
        assert found.owners == (0, 1, 2)
        assert int(np.argmax(found.vectors @ query)) == 0
        assert found.tokens > 0
        assert texts_of(service)[:3] == [
            "Billing > Refunds\nRefunds are paid within thirty days.",
            "Billing > Invoices\nAn invoice is sent every month.",
            "Deploy with the blue button.",
        ]


def test_identity_names_what_decides_a_vector(vendor: Vendor) -> None:
    """Provider, model, dimension and prompts are in the identity; it is asked once and costs nothing afterwards."""
    prompts = Prompts(document="passage: {title} {text}", query="query: {text}")
    with vendor.serving(prompts=prompts) as (service, embedder):
        identity = embedder.identity()
        assert identity.name == embedder.name == f"{vendor.name}:{vendor.model}"
        assert (identity.dimension, identity.prompts) == (64, prompts.key)
        assert not service.requests
        embedder.embed_query("x {title}")
        embedder.embed_documents([Passage("{text}", "y")])
        assert texts_of(service) == ["query: x {title}", "passage: {text} y"]


def test_many_passages_go_in_batches_a_few_at_one_time(vendor: Vendor) -> None:
    """More passages than a request holds are sent in several, at most so many at once, and come back in order."""
    passages = [Passage("", f"word{number} other{number % 7}") for number in range(1100)]
    with vendor.serving(max_concurrent=2) as (service, embedder):
        service.faults.extend([Fault(seconds=0.1)] * 3)
        found = embedder.embed_documents(passages)
        assert len(service.sent()) > 1
        assert service.most_at_once == 2
        assert found.owners == tuple(range(1100))
        single = embedder.embed_documents([passages[-1]]).vectors[0]
        assert np.allclose(found.vectors[-1], single)


def test_a_needle_at_the_end_of_a_long_text_is_found(vendor: Vendor) -> None:
    """All of a long text is embedded, in pieces below the window, each with the title in front."""
    text = "The harbour was quiet. " * 4000 + "\n\nThe zebra passphrase is marmalade."
    service = vendor.service(key=KEY, context=256)
    with vendor.serving(service, window_tokens=256, max_concurrent=1) as (service, embedder):
        found = embedder.embed_documents([Passage("Night watch", text), PASSAGES[0]])
        query = embedder.embed_query("zebra passphrase marmalade")
        assert found.owners[-1] == 1
        assert set(found.owners) == {0, 1}
        assert int(np.argmax(found.vectors @ query)) == len(found.owners) - 2
        sent = texts_of(service)[: len(found.owners) - 1]
        assert all(piece.startswith("Night watch\n") for piece in sent)
        words = [word for piece in sent for word in piece.removeprefix("Night watch\n").split()]
        assert words == text.split()


def test_a_text_that_the_service_finds_too_long_is_halved(vendor: Vendor) -> None:
    """Where the estimate was too low, the service's error about length cuts the text further; nothing is lost."""
    text = "".join(f"!?#{number}" for number in range(700))
    with vendor.serving() as (service, embedder):
        found = embedder.embed_documents([PASSAGES[1], Passage("", text), PASSAGES[2]])
        assert found.owners[0] == 0
        assert found.owners[-1] == 2
        assert found.owners.count(1) > 1
        assert list(found.owners) == sorted(found.owners)
        whole = embedder.embed_query("700 699 698 697")
        assert whole.shape == (64,)
        assert len(service.sent()) > 3


def test_a_query_beyond_the_window_is_cut(vendor: Vendor) -> None:
    """What is beyond the window of a query is left out; what is there decides the vector."""
    with vendor.serving() as (_, embedder):
        query = embedder.embed_query("!" * 5000 + " zebra")
        assert np.isclose(np.linalg.norm(query), 1, atol=1e-6)


def test_nothing_and_blanks_are_no_fault(vendor: Vendor) -> None:
    """No passages give no vectors; a blank one has a vector all the same, and so has a blank query."""
    with vendor.serving() as (service, embedder):
        none = embedder.embed_documents([])
        assert none.vectors.shape == (0, 64)
        assert none.owners == ()
        assert not service.requests
        assert embedder.embed_documents([Passage("", ""), Passage("", " \n")]).owners == (0, 1)
        assert embedder.embed_query("").shape == (64,)


@pytest.mark.parametrize("text", ["a\udc00b", "a\x00b", "\U0001f9d9\u200d\u2642\ufe0f", "\ufeff", "日本語の文章"])
def test_any_text_can_be_sent(vendor: Vendor, text: str) -> None:
    """Half surrogates, NUL and signs of all languages do not stop a run."""
    with vendor.serving() as (_, embedder):
        assert embedder.embed_documents([Passage(text, text)]).owners == (0,)
        assert embedder.embed_query(text).shape == (64,)


PASSING = {
    "500": Fault(status=500),
    "503": Fault(status=503),
    "429 with seconds": Fault(status=429, headers={"retry-after": "0"}),
    "429 with milliseconds": Fault(status=429, headers={"retry-after": "30", "retry-after-ms": "5"}),
    "429 with a date gone by": Fault(status=429, headers={"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}),
    "408": Fault(status=408),
    "529": Fault(status=529),
    "reset": Fault(how="reset"),
    "half a body": Fault(how="half"),
    "a page of a proxy": BAD_GATEWAY,
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_what_may_pass_is_tried_again(vendor: Vendor, fault: Fault) -> None:
    """After two failures that may pass the third attempt is answered, and nobody hears of them."""
    with vendor.serving(attempts=TRIES) as (service, embedder):
        service.faults.extend([fault, fault])
        assert embedder.embed_documents(PASSAGES).owners == (0, 1, 2)
        assert len(service.sent()) == 3


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_what_does_not_pass_is_a_dependency_that_is_down(vendor: Vendor, fault: Fault) -> None:
    """After the last attempt the failure is a dependency's, says how often it was tried and what to do next."""
    with vendor.serving(attempts=TRIES) as (service, embedder):
        service.faults.extend([fault] * 9)
        with pytest.raises(DependencyError, match=rf"{vendor.name}:{vendor.model}: .*\(tried 3 times\)") as caught:
            embedder.embed_documents(PASSAGES)
        assert caught.value.suggestion
        assert len(service.sent()) == TRIES


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_cannot_pass_is_not_tried_again(vendor: Vendor, status: int) -> None:
    """A request that is refused is sent once; somebody has to change a setting."""
    with vendor.serving() as (service, embedder):
        service.faults.append(Fault(status=status))
        with pytest.raises(ConfigurationError, match=rf"{vendor.name}:{vendor.model}: .*HTTP {status}"):
            embedder.embed_query("hello")
        assert len(service.sent()) == 1


def test_no_credit_is_no_rate_limit(vendor: Vendor) -> None:
    """A spent account answers 429 too, but waiting does not help."""
    with vendor.serving() as (service, embedder):
        service.faults.append(Fault(status=429, code="insufficient_quota"))
        with pytest.raises(ConfigurationError, match="no credit left"):
            embedder.embed_query("hello")
        assert len(service.sent()) == 1


def test_a_service_that_asks_for_no_retry_gets_none(vendor: Vendor) -> None:
    """``x-should-retry: false`` is obeyed."""
    with vendor.serving() as (service, embedder):
        service.faults.append(Fault(status=503, headers={"x-should-retry": "false"}))
        with pytest.raises(DependencyError, match="HTTP 503"):
            embedder.embed_query("hello")
        assert len(service.sent()) == 1


def test_a_longer_wait_than_there_is_time_for_fails_at_once(vendor: Vendor) -> None:
    """Who asks to wait an hour is not waited for when the deadline comes first."""
    with vendor.serving() as (service, embedder):
        service.faults.append(Fault(status=429, headers={"retry-after": "3600"}))
        with pytest.raises(DependencyError, match="asks to wait 3600 s"):
            embedder.embed_query("hello", seconds=10)
        assert len(service.sent()) == 1


@pytest.mark.parametrize(
    "fault",
    [Fault(seconds=60), Fault(how="trickle"), Fault(how="headers")],
    ids=["slow answer", "body that trickles", "headers that trickle"],
)
def test_a_deadline_cuts_everything(vendor: Vendor, fault: Fault) -> None:
    """A query gives up at its deadline, whatever the service does meanwhile; the next one is served."""
    with vendor.serving() as (service, embedder):
        service.faults.append(fault)
        with pytest.raises(DependencyError, match="no answer"):
            embedder.embed_query("hello", seconds=0.2)
        if fault.how != "headers":  # before there are headers nobody tells which connection it is
            for thread in threading.enumerate():
                if thread.name == "drawwell-request":
                    thread.join()
        assert embedder.embed_query("hello").shape == (64,)


def test_a_request_that_trickles_is_given_up_and_sent_again(vendor: Vendor) -> None:
    """The timeout is for a whole request, not for a byte; documents are tried again after it."""
    with vendor.serving(timeout_seconds=0.5) as (service, embedder):
        service.faults.append(Fault(how="trickle"))
        assert embedder.embed_documents(PASSAGES).owners == (0, 1, 2)
        assert len(service.sent()) == 2


@pytest.mark.parametrize("how", ["fewer", "more", "nan", "zeros", "text"])
def test_vectors_that_cannot_be_right_are_refused(vendor: Vendor, how: str) -> None:
    """Too few or many, not finite, no direction or no numbers: nothing is made of such vectors."""
    if how == "text" and vendor.name == "ollama":
        how = "nan"  # its server cannot say it in another way
    with vendor.serving() as (service, embedder):
        service.faults.append(Fault(how=how))
        with pytest.raises(DependencyError, match=f"{vendor.name}:{vendor.model}: "):
            embedder.embed_documents(PASSAGES)
        assert len(service.sent()) == 1


def test_another_dimension_is_a_setting(vendor: Vendor) -> None:
    """A model that gives other vectors than before, or than was configured, is never mixed in."""
    with vendor.serving() as (service, embedder):
        service.faults.append(Fault(how="dimension"))
        with pytest.raises(ConfigurationError, match="63 numbers, not 64"):
            embedder.embed_documents(PASSAGES)


def test_a_page_in_place_of_an_answer_is_said_so(vendor: Vendor) -> None:
    """A page of a portal with status 200 is not understood, and not asked for again."""
    with vendor.serving() as (service, embedder):
        service.faults.append(HTML)
        with pytest.raises(DependencyError, match=f"{vendor.name}:{vendor.model}: the answer .* not understood"):
            embedder.embed_query("hello")
        assert len(service.sent()) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(vendor: Vendor, status: int) -> None:
    """Neither key nor text goes to another host."""
    elsewhere = vendor.service(key=KEY)
    with running(elsewhere) as other, vendor.serving() as (service, embedder):
        location = other.replace("127.0.0.1", "localhost") + "/stolen"
        service.faults.append(Fault(status=status, body="{}", headers={"location": location}))
        with pytest.raises(ConfigurationError, match="another address"):
            embedder.embed_query("hello")
        assert not elsewhere.requests
        assert len(service.sent()) == 1


def test_a_wrong_key_names_its_variable(vendor: Vendor) -> None:
    """The error for a key that is not accepted says where the key was found."""
    service = vendor.service(key="another")
    service.models |= {vendor.model}
    with running(service) as url:
        embedder = vendor.make(vendor.model, vendor.options(url))
        with pytest.raises(ConfigurationError, match=rf"key was not accepted.*Check {vendor.key_name}"):
            embedder.identity()
        embedder.close()


def test_an_unknown_model_says_what_to_do(vendor: Vendor) -> None:
    """A model that the service does not know is a setting."""
    service = vendor.service(key=KEY)
    service.models.clear()
    service.faults.append(Fault(status=404))
    with running(service) as url:
        embedder = vendor.make("nowhere", vendor.options(url))
        with pytest.raises(ConfigurationError, match=f"{vendor.name}:nowhere: ") as caught:
            embedder.identity()
        assert caught.value.suggestion
        embedder.close()


def test_a_service_that_is_down_is_a_dependency(vendor: Vendor) -> None:
    """Nothing listens: the error says where nothing answers. The same embedder serves once the service is up."""
    service = vendor.service(key=KEY)
    service.models |= {vendor.model}
    with running(service) as url:
        pass
    embedder = vendor.make(vendor.model, vendor.options(url, attempts=2))
    with pytest.raises(DependencyError, match=url.removeprefix("http://")):
        embedder.identity()
    with running(service, port=int(url.rpartition(":")[2])):
        found = embedder.embed_documents(PASSAGES)
        assert found.owners == (0, 1, 2)
    with pytest.raises(DependencyError):
        embedder.embed_query("hello")
    with running(service, port=int(url.rpartition(":")[2])):
        assert np.allclose(embedder.embed_documents(PASSAGES).vectors, found.vectors)
    embedder.close()


def test_a_missing_key_names_its_variable(vendor: Vendor) -> None:
    """Without its key a provider is not made, unless the address is one that may need none."""
    options = vendor.options("http://127.0.0.1:9", key="")
    if vendor.key_needed:
        with pytest.raises(ConfigurationError, match=f"{vendor.key_name} is not set"):
            vendor.make(vendor.model, options)
    else:
        vendor.make(vendor.model, options).close()


def test_a_service_of_your_own_needs_no_key(vendor: Vendor) -> None:
    """A service that asks for no key gets none of this machine's."""
    if vendor.key_needed:
        return
    service = vendor.service()
    service.models |= {vendor.model}
    with running(service) as url:
        embedder = vendor.make(vendor.model, vendor.options(url, key=""))
        assert embedder.embed_query("hello").shape == (64,)
        sent = {request.headers.get("authorization") for request in service.requests}
        assert sent <= {None, "Bearer none"}
        embedder.close()


def test_a_key_does_not_cross_a_network_in_the_clear(vendor: Vendor) -> None:
    """Plain HTTP to another machine is refused before anything is sent, when there is a key."""
    with pytest.raises(ConfigurationError, match=rf"{vendor.key_name} .* http://192\.0\.2\.1(:11434)? in the clear"):
        vendor.make(vendor.model, vendor.options("http://192.0.2.1"))


@pytest.mark.parametrize(
    "address", ["ftp://127.0.0.1", "https://user:word@127.0.0.1", "https://", "http://127.0.0.1:99999"]
)
def test_an_address_that_cannot_be_asked_is_a_setting(vendor: Vendor, address: str) -> None:
    """No HTTP, no host, a port that is none, or a password in the address."""
    with pytest.raises(ConfigurationError, match="base URL") as caught:
        vendor.make(vendor.model, vendor.options(address))
    assert "word" not in str(caught.value).replace("name or password", "")
