"""The kinds of work that are timed. Apart from the bench, so that the command line can name them without loading it."""

from __future__ import annotations

__all__ = ["GROUPS"]

GROUPS = ("ingest", "search", "grep", "read", "serve", "vectors")
"""In the order in which they are measured."""
