"""Vectors in a few bits a coordinate: encoded, kept, scored. Needs numpy, which takes time to load."""

from __future__ import annotations

from drawwell.codec.peer import read_peer
from drawwell.codec.vectors import Codec, Codes

__all__ = ["Codec", "Codes", "read_peer"]
