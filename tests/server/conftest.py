"""What the tests of servers share."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

NAMES = (None, "drawwell", "drawwell.calls", "mcp", "uvicorn", "uvicorn.error", "uvicorn.access")


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """A server sets up the logging of its whole process; undo it after each test."""
    loggers = [logging.getLogger(name) for name in NAMES]
    before = [(list(logger.handlers), logger.level, logger.propagate) for logger in loggers]
    loud = logging.raiseExceptions
    yield
    for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
        logger.handlers[:] = handlers
        logger.setLevel(level)
        logger.propagate = propagate
    logging.raiseExceptions = loud
