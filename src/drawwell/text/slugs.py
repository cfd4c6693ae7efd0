"""Anchors: how a heading is named in a link."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["plain_slug"]

_DROPPED = re.compile(r"[^\w\- ]+")


def plain_slug(text: str) -> str:
    """The anchor that common renderers give a heading: lower case, words joined by hyphens."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return _DROPPED.sub("", text.lower()).strip().replace(" ", "-")
