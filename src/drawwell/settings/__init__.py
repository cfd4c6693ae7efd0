"""Every setting once: its type, default, bounds, help and names. What is in force is ``configuration``'s to say."""

from __future__ import annotations

from drawwell.settings.corpus import CORPUS
from drawwell.settings.models import MODELS
from drawwell.settings.server import SERVER
from drawwell.settings.setting import Scalar, Setting

__all__ = ["SETTINGS", "Scalar", "Setting"]

SETTINGS: tuple[Setting, ...] = (*CORPUS, *MODELS, *SERVER)
