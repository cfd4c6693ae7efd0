"""What well-known embedding models want around a text, as their makers' model cards say."""

from __future__ import annotations

from drawwell.protocols import Prompts

__all__ = ["known_prompts"]

_PLAIN = Prompts()
_RELEVANT = Prompts(query="Represent this sentence for searching relevant passages: {text}")
_TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"

_TABLE = (
    ("nomic-embed", Prompts("search_document: {title}\n{text}", "search_query: {text}")),
    ("embeddinggemma", Prompts("title: none | text: {title}\n{text}", "task: search result | query: {text}")),
    ("qwen3-embedding", Prompts(query=f"{_TASK}{{text}}")),
    ("e5-large-instruct", Prompts(query=f"{_TASK} {{text}}")),
    ("e5-mistral", Prompts(query=f"{_TASK} {{text}}")),
    ("multilingual-e5", Prompts("passage: {title}\n{text}", "query: {text}")),
    ("e5-small", Prompts("passage: {title}\n{text}", "query: {text}")),
    ("e5-base", Prompts("passage: {title}\n{text}", "query: {text}")),
    ("e5-large", Prompts("passage: {title}\n{text}", "query: {text}")),
    ("mxbai-embed", _RELEVANT),
    ("bge-small-en", _RELEVANT),
    ("bge-base-en", _RELEVANT),
    ("bge-large-en", _RELEVANT),
    ("arctic-embed2", Prompts(query="query: {text}")),
    ("arctic-embed-l-v2", Prompts(query="query: {text}")),
    ("arctic-embed-m-v2", Prompts(query="query: {text}")),
    ("arctic-embed", _RELEVANT),
)
"""Part of a name, and the form; the first that fits counts."""


def known_prompts(model: str) -> Prompts:
    """The form for a model, by its name anywhere: on a hub, at Ollama, as a folder. Plain for one not known here."""
    name = model.lower()
    return next((prompts for part, prompts in _TABLE if part in name), _PLAIN)
