"""Reranking by Voyage AI, over the wire."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from drawwell.errors import ConfigurationError, DependencyError
from drawwell.protocols import Reranker
from drawwell.providers.options import ProviderOptions
from drawwell.providers.reranking import voyage
from tests.providers.servers.base import Fault, running
from tests.providers.servers.voyage import Voyage
from tests.providers.vendors import KEY

PASSAGES = ["Deploy with the blue button.", "Refunds are paid within thirty days.", "An invoice is sent."]


@pytest.fixture
def stand() -> Iterator[tuple[Voyage, Reranker]]:
    """A running service and a reranker that asks it."""
    service = Voyage(key=KEY)
    with running(service) as url:
        options = ProviderOptions(base_url=url + "/v1", environment={"VOYAGE_API_KEY": KEY}, retry_seconds=0.001)
        made = voyage.make("rerank-test", options)
        yield service, made
        made.close()


def test_scores_are_in_the_order_of_the_passages(stand: tuple[Voyage, Reranker]) -> None:
    """The service sorts by score; we give one number for each passage, as they were given."""
    scores = stand[1].scores("when are refunds paid", PASSAGES)
    assert len(scores) == 3
    assert max(scores) == scores[1]
    assert stand[1].name == "voyage:rerank-test"


def test_nothing_to_judge_asks_nobody(stand: tuple[Voyage, Reranker]) -> None:
    """No passages, no request."""
    assert stand[1].scores("x", []) == []
    assert not stand[0].requests


def test_many_passages_go_in_several_requests(stand: tuple[Voyage, Reranker]) -> None:
    """More than a request holds are sent in several; half a surrogate pair does no harm."""
    passages = [f"word{number}\udc00" for number in range(1200)]
    assert len(stand[1].scores("word7", passages)) == 1200
    assert [len(request.body["documents"]) for request in stand[0].sent()] == [1000, 200]


@pytest.mark.parametrize("how", ["fewer", "nan"])
def test_scores_that_cannot_be_right_are_refused(stand: tuple[Voyage, Reranker], how: str) -> None:
    """A passage without a score, or a score that is no number."""
    stand[0].faults.append(Fault(how=how))
    with pytest.raises(DependencyError, match="voyage:rerank-test: "):
        stand[1].scores("x", PASSAGES)


def test_failures_are_told_apart(stand: tuple[Voyage, Reranker]) -> None:
    """What may pass is tried again, a wrong model is a setting, a deadline is kept."""
    service, made = stand
    service.faults.extend([Fault(status=429, headers={"retry-after": "0"}), Fault(how="reset")])
    assert len(made.scores("x", PASSAGES)) == 3
    service.faults.append(Fault(how="trickle"))
    with pytest.raises(DependencyError, match="no answer"):
        made.scores("x", PASSAGES, seconds=0.2)
    service.models.clear()
    with pytest.raises(ConfigurationError, match="voyage:rerank-test: the request was refused"):
        made.scores("x", PASSAGES)
