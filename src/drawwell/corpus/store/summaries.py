"""The summaries in a store, and those kept by the bytes of a document for when it comes back."""

from __future__ import annotations

import sqlite3

__all__ = ["OFFLINE", "kept_summary", "summary_sources"]

OFFLINE = "offline"
"""What ``summary_src`` says of a summary that no model wrote."""


def summary_sources(connection: sqlite3.Connection) -> str:
    """Who wrote the summaries, most first: one name, or several with how many each wrote."""
    sql = (
        f"SELECT coalesce(summary_src, '{OFFLINE}') AS source, count(*) FROM documents"
        " GROUP BY source ORDER BY count(*) DESC, source"
    )
    counts = [(str(name), int(count)) for name, count in connection.execute(sql)]
    if len(counts) < 2:
        return counts[0][0] if counts else OFFLINE
    return ", ".join(f"{count} {name}" for name, count in counts)


def kept_summary(connection: sqlite3.Connection, sha256: str) -> tuple[str, str] | None:
    """What a model once wrote of a file with these bytes: the summary and the model's name; None when none did."""
    row = connection.execute("SELECT summary, model FROM summary_cache WHERE sha256 = ?", (sha256,)).fetchone()
    return None if row is None else (str(row[0]), str(row[1]))
