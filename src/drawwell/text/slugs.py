"""Anchors: how a heading is named in a link."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["plain_slug"]


def plain_slug(text: str) -> str:
    """The anchor that common renderers give a heading: lower case, words joined by hyphens."""
    kept = re.sub(r"[^\w\- ]", "", unicodedata.normalize("NFC", text).lower())
    return kept.strip().replace(" ", "-")
