"""MDX documents: Markdown with JSX elements, ``import`` and ``export`` lines and ``{expressions}``."""

from __future__ import annotations

from drawwell.text.blocks import Parsed
from drawwell.text.formats.decode import decode
from drawwell.text.formats.markdown import document

__all__ = ["parse"]


def parse(data: bytes) -> Parsed:
    """Parses one MDX file. Elements are containers of Markdown; modules and expressions carry no structure.

    Raises:
        UnreadableFile: the bytes are no text.
    """
    return document(decode(data), mdx=True)
