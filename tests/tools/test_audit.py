"""``make audit`` asks about all that is locked, and fails on a fault or without an answer.

The vulnerability service is one of our own on loopback; it speaks what pip-audit uses of OSV's interface.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import InvalidRequirement

from tools import audit, lock

NO_STRANGERS = """
import os, sys

def refuse(event, args):
    if event == "socket.connect" and isinstance(args[1], tuple) and args[1][0] not in ("127.0.0.1", "::1"):
        who = args[1][0]
    elif event == "socket.getaddrinfo" and args[0] not in ("127.0.0.1", "localhost", None):
        who = args[0]
    else:
        return
    with open(os.environ["STRANGERS"], "a", encoding="utf-8") as file:
        print(who, file=file)
    raise OSError("a test asked for the network")

sys.addaudithook(refuse)
"""
"""Started with every Python of the command: notes and refuses whatever would leave this machine."""


class Osv(ThreadingHTTPServer):
    """OSV's query interface: no package has a fault but those in ``faulty``."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Query)
        self.asked: Counter[tuple[str, str]] = Counter()
        self.strange: list[str] = []
        self.faulty: dict[tuple[str, str], dict[str, Any]] = {}
        self.failure: tuple[int, bytes] | None = None

    @property
    def url(self) -> str:
        """The address to ask."""
        return f"http://127.0.0.1:{self.server_port}/v1/query"


class Query(BaseHTTPRequestHandler):
    """One question to the service."""

    server: Osv

    def do_POST(self) -> None:
        """Answer a query as OSV does: an empty object, or what is known."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        pin = body["package"]["name"], body["version"]
        if self.path != "/v1/query" or body["package"]["ecosystem"] != "PyPI":
            self.server.strange.append(f"{self.path} {body}")
        self.server.asked[pin] += 1
        known = {"vulns": [self.server.faulty[pin]]} if pin in self.server.faulty else {}
        status, answer = self.server.failure or (200, json.dumps(known).encode())
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def osv() -> Iterator[Osv]:
    """A running service that knows no fault."""
    with Osv() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def command(flags: str) -> list[str]:
    """The command of ``make audit``, as the Makefile has it, with this Python."""
    makefile = (lock.ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.search(r"^audit: \$\(STAMP\)\n((?:\t.+\n)+)", makefile, re.MULTILINE)
    assert recipe is not None
    (line,) = recipe[1].splitlines()
    given = {"$(PY)": [sys.executable], "$(AUDIT_FLAGS)": shlex.split(flags)}
    words = [word for part in shlex.split(line) for word in given.pop(part, [part])]
    assert not given
    assert "$" not in "".join(words)
    return words


def run(flags: str, folder: Path) -> tuple[subprocess.CompletedProcess[str], str]:
    """Run ``make audit``'s command; gives how it ended, and the hosts that it wanted to reach in vain."""
    (folder / "sitecustomize.py").write_text(NO_STRANGERS, encoding="utf-8")
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.lower().endswith("_proxy") and not name.startswith(("PIP_", "PYTHON"))
    }
    env |= {"PYTHONPATH": str(folder), "STRANGERS": str(folder / "strangers"), "PYTHONUTF8": "1"}
    words = command(flags)
    done = subprocess.run(words, cwd=lock.ROOT, env=env, capture_output=True, text=True, encoding="utf-8", check=False)
    strangers = folder / "strangers"
    return done, strangers.read_text(encoding="utf-8") if strangers.exists() else ""


def ask(url: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run ``make audit``'s command against a service, and only that."""
    done, strangers = run(f"-s osv --osv-url {url}", folder)
    assert strangers == ""
    return done


def locked(name: str) -> list[tuple[str, str]]:
    """Every pin of a lock: canonical name and version."""
    pinned = lock.pins((lock.ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8"))
    return [(package, str(version)) for package, versions in pinned.items() for version in versions]


def fault(name: str, identifier: str) -> dict[str, Any]:
    """A record in OSV's schema."""
    ranges = [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "9999.1"}]}]
    return {
        "schema_version": "1.7.0",
        "id": identifier,
        "modified": "2026-01-02T00:00:00Z",
        "published": "2026-01-01T00:00:00Z",
        "aliases": ["CVE-2026-0001"],
        "summary": "An invented fault.",
        "affected": [{"package": {"name": name, "ecosystem": "PyPI"}, "ranges": ranges}],
    }


def test_every_locked_package_is_asked_about_once(osv: Osv, tmp_path: Path) -> None:
    """Where nothing is known the audit passes, having asked once about each pin of both locks."""
    done = ask(osv.url, tmp_path)
    assert done.returncode == 0, done.stderr
    assert osv.asked == Counter(locked("dev"))
    assert set(locked("core")) <= set(osv.asked)
    assert osv.strange == []


@pytest.mark.parametrize("name", ["mcp", "pywin32", "numpy"])
def test_a_known_fault_fails_and_is_named(name: str, osv: Osv, tmp_path: Path) -> None:
    """A fault fails the audit and is named with its remedy, also where the pin is for another system or Python."""
    pin = [one for one in locked("dev") if one[0] == name][-1]
    osv.faulty[pin] = fault(name, "GHSA-0000-0000-0000")
    done = ask(osv.url, tmp_path)
    assert done.returncode == 1
    (row,) = [line.split() for line in done.stdout.splitlines() if line.startswith(name)]
    assert row == [*pin, "CVE-2026-0001", "9999.1"]


@pytest.mark.parametrize("failure", [(503, b"{}"), (200, b"<html>Sign in</html>")], ids=["error", "no-json"])
def test_a_service_that_cannot_tell_fails(failure: tuple[int, bytes], osv: Osv, tmp_path: Path) -> None:
    """An answer that tells nothing is not taken for "no fault"."""
    osv.failure = failure
    done = ask(osv.url, tmp_path)
    assert osv.asked
    assert done.returncode == 1
    assert "No known vulnerabilities" not in done.stderr


def test_a_service_that_is_down_fails(tmp_path: Path) -> None:
    """Where nobody answers the audit fails."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        done = ask(f"http://127.0.0.1:{unused.getsockname()[1]}/v1/query", tmp_path)
    assert done.returncode == 1
    assert "No known vulnerabilities" not in done.stderr


def test_without_a_network_the_audit_fails(tmp_path: Path) -> None:
    """Without flags the registry is asked; the audit fails where that cannot be reached."""
    done, strangers = run("", tmp_path)
    assert strangers
    assert done.returncode == 1
    assert "No known vulnerabilities" not in done.stderr


def test_parts_have_no_condition_and_each_package_once() -> None:
    """A pin for another system or Python is kept, without its condition; a second version goes to the next part."""
    text = (
        "# made\n"
        "One==1.0 ; python_version < '3.12' \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n"
        "one==2.0 ; python_version >= '3.12' \\\n    --hash=sha256:cc\n"
        "two[extra]==3.0 \\\n    --hash=sha256:dd\n"
    )
    first, second = audit.parts(text)
    assert first == (
        "One==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\ntwo[extra]==3.0 \\\n    --hash=sha256:dd\n"
    )
    assert second == "one==2.0 \\\n    --hash=sha256:cc\n"


def test_a_line_that_is_no_package_is_refused() -> None:
    """A lock that could not be audited whole is an error, never a shorter audit."""
    with pytest.raises(InvalidRequirement):
        audit.parts("# made\nhttps://example.org/one.whl \\\n    --hash=sha256:aa\n")
