"""The calls that both programs answer: every kind of query that the format's plain search knows."""

from __future__ import annotations

from typing import Any

__all__ = ["GREPS", "INDEXES", "NEIGHBOURS", "READS", "SEARCHES"]

_YEARS = ["policies/refunds-2023.md", "policies/refunds-2024.md"]

SEARCHES: list[dict[str, Any]] = [
    *(
        {"query": query}
        for query in (
            "How long is the refund window for annual plans in 2025?",
            "refund window",
            "store credit expires",
            "What happens when the battery is empty?",
            "the of and a",
            "station",
            "heron cloud",
            "TX-4419",
            "tx-4419",
            "TX-4409",
            "TX-44",
            "PW-210 PW-215",
            "R-40",
            "R-40 mast",
            "HERON_GATEWAY_TIMEOUT_MS",
            "heron_cache_dir",
            "CACHE_DIR",
            "--no-cache",
            "no-cache",
            "upload.batch-size",
            "upload.retry.max-attempts.",
            "radio.channel or radio.data-rate",
            "3.12.1",
            "v4.0.0-rc.2",
            "3.12",
            "99.7 %",
            "±0.2 °C",
            "2,500 µmol",
            "設置ガイド",
            "状態",
            "電圧が 3.3 V",
            "Rückerstattungen",
            "ruckerstattungen",
            "Österreich",
            "École",
            "Привет МИР",
            "Αθήνα",
            "İstanbul",
            "C++",
            "C#",
            "don't",
            "a.b@example.org",
            "GB/s",
            '"refund window"',
            "refund AND window",
            "NEAR(refund window)",
            "heading_path: refund",
            "refund*",
            "(refund",
            "-x",
            "...",
            "__init__",
            "_",
            "what's up?",
            "zeppelin",
            "walrus",
            "number says walrus",
            "metric thread fine",
            "no such words anywhere zzz",
            "marmalade",
            "🪲",
            "ﬁne ½ ²",
        )
    ),
    {"query": "refund window", "in": _YEARS},
    {"query": "refund window", "in": ["policies"]},
    {"query": "refund window", "in": ["policies/"]},
    {"query": "refund", "in": ["policies/*2024*"]},
    {"query": "gateway", "in": ["*.md"]},
    {"query": "gateway", "in": ["guides/*"]},
    {"query": "gateway", "in": ["nowhere"]},
    {"query": "gateway", "in": ["reference", "release-notes.txt"]},
    {"query": "station", "limit": 1},
    {"query": "station", "limit": 3},
    {"query": "station", "limit": 25},
    {"query": "station", "limit": 50},
    {"query": "walrus", "limit": 50},
    {"query": "how to ask for a refund", "limit": 2},
    {"query": "number of the part that says walrus", "limit": 4},
    {"query": "the station of the gateway", "limit": 7, "in": ["guides", "reference"]},
    {"query": "annual plans", "limit": 5, "in": ["policies/refunds-202[45].md"]},
]

GREPS: list[dict[str, Any]] = [
    {"pattern": "TX-4419"},
    {"pattern": "tx-44"},
    {"pattern": "refund", "limit": 100},
    {"pattern": "refund", "limit": 3},
    {"pattern": "°C", "limit": 100},
    {"pattern": "TEWAY_TIMEO"},
    {"pattern": "(part FH-2032)."},
    {"pattern": "walrus", "limit": 100},
    {"pattern": "station", "in": ["guides"]},
    {"pattern": "nowhere to be found"},
    {"pattern": "^### ", "regex": True, "limit": 100},
    {"pattern": "HERON_[A-Z_]+", "regex": True, "limit": 100},
    {"pattern": "annual plans: \\d+ days", "regex": True},
    {"pattern": "\\bS-1\\d\\b", "regex": True, "in": ["reference"]},
]

READS: list[dict[str, Any]] = [
    {"id": "policies/refunds-2025.md#1"},
    {"id": "policies/refunds-2025.md#0", "context": 2},
    {"id": "policies/refunds-2025.md#5", "context": 5},
    {"id": "many.md#10", "context": 2},
    {"id": "reference/sensor-specifications.md#1"},
    {"id": "reference/error-codes.md#4", "context": 1},
    {"id": "guides/backup.md#2"},
    {"id": "ja/setup.md#1"},
    {"id": "nowhere.md#0"},
]

NEIGHBOURS: list[dict[str, Any]] = [
    {"id": "reference/error-codes.md#4"},
    {"id": "reference/error-codes.md#0", "before": 0, "after": 2},
    {"id": "reference/error-codes.md#11", "before": 5, "after": 5},
    {"id": "many.md#9", "before": 2, "after": 2},
    {"id": "wide-table.md#1"},
    {"id": "wide-table.md#2", "before": 0, "after": 0},
    {"id": "nowhere.md#0"},
]

INDEXES: list[dict[str, Any]] = [{}, {"prefix": "policies/"}, {"prefix": "reference/e"}]
