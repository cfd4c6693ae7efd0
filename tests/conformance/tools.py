"""The corpus tools as a model calls them: arguments checked and repaired, results and failures as text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from drawwell.corpus.operations import Corpus
from drawwell.server.toolbox import Toolbox
from drawwell.server.tools.corpus import CORPUS_TOOLS
from drawwell.server.tools.spec import Change, Resource, ResourceTemplate, ResourceText, ToolSpec

__all__ = ["toolbox_of"]


class _OneCorpus:
    """The corpus well without its background work."""

    name = "corpus"

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def specs(self) -> Sequence[ToolSpec]:
        return CORPUS_TOOLS

    def call(self, tool: ToolSpec, arguments: Mapping[str, Any]) -> Any:
        return tool.handler(self._corpus, arguments)

    def instructions(self, max_chars: int) -> str:
        return self._corpus.map(max_chars)

    def resources(self) -> Sequence[Resource]:
        return ()

    def templates(self) -> Sequence[ResourceTemplate]:
        return ()

    def read_resource(self, uri: str) -> ResourceText | None:
        return None

    def status(self) -> Mapping[str, Any]:
        return {}

    def start(self, changed: Callable[[Change], None]) -> None:
        pass

    def close(self) -> None:
        pass


def toolbox_of(corpus: Corpus) -> Toolbox:
    """The five tools over a corpus."""
    return Toolbox([_OneCorpus(corpus)])
