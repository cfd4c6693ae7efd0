"""Long work in a child process, seen from a server: what it is at, what came out, and that it never outlives us.

The child prints one JSON object a line on its stdout, ``{"stage", "done", "total", "path"}`` while it works and
``{"report": {...}}`` or ``{"error": {"message", "suggestion"}}`` at its end. It holds a pipe from us as stdin: when we
are gone, however we went, it reads the end of that pipe and leaves (``leave_with_parent``).
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from drawwell.errors import Error

__all__ = ["ChildJob", "JobState", "leave_with_parent"]

_log = logging.getLogger("drawwell.server")

_MAX_LINE = 100_000_000  # a report lists every skipped file
_END_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class JobState:
    """A job as it stands.

    Attributes:
        running: whether a run is going on.
        stage: what it is at.
        done: how far it is.
        total: how far it goes; 0 while unknown.
        since: ``time.monotonic()`` at which the present run began, or the last one ended.
        runs: how many runs have ended.
        report: what the last good run reported.
        error: why the last run failed; None after a good one.
    """

    running: bool = False
    stage: str = ""
    done: int = 0
    total: int = 0
    since: float = 0.0
    runs: int = 0
    report: Mapping[str, Any] = field(default_factory=dict)
    error: Error | None = None


class ChildJob:
    """A command that is run when asked for, one run at a time.

    Args:
        name: for the log and for messages.
        command: program and arguments.
        ended: called from a thread of the job after each run.
    """

    def __init__(self, name: str, command: Sequence[str], ended: Callable[[JobState], None]) -> None:
        self.name = name
        self._command = tuple(command)
        self._ended = ended
        self._lock = threading.Lock()
        self._state = JobState()
        self._again = False
        self._closed = False
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def state(self) -> JobState:
        """How the job stands."""
        return self._state

    def request(self) -> None:
        """Have the command run; when it is running, have it run once more after that."""
        with self._lock:
            if self._closed:
                return
            if self._state.running:
                self._again = True
                return
            self._state = replace(self._state, running=True, stage="", done=0, total=0, since=time.monotonic())
        threading.Thread(target=self._work, name=f"drawwell-{self.name}", daemon=True).start()

    def close(self) -> None:
        """End the child, and start none any more."""
        with self._lock:
            self._closed = True
            process = self._process
        if process is not None:
            _end(process)

    def _work(self) -> None:
        while True:
            error, report = self._run_once()
            with self._lock:
                more = self._again and not self._closed
                self._again = False
                state = replace(
                    self._state, runs=self._state.runs + 1, since=time.monotonic(), error=error, running=more, stage=""
                )
                self._state = state if report is None else replace(state, report=report)
            if error is not None and not self._closed:
                _log.warning("%s failed: %s", self.name, error)
            self._ended(self._state)
            if not more:
                return

    def _run_once(self) -> tuple[Error | None, Mapping[str, Any] | None]:
        """Run the command to its end: why it failed, or what it reported."""
        try:
            with self._lock:
                if self._closed:
                    return Error(f"{self.name} was ended"), None
                process = self._process = _spawn(self._command)
        except OSError as failure:
            return Error(f"{self.name} could not be started: {failure.strerror or failure}"), None
        report: Mapping[str, Any] | None = None
        error: Error | None = None
        with process:
            for line in _lines(process):
                event = _event(line)
                if "report" in event:
                    report = event["report"]
                elif "error" in event:
                    error = _told(event["error"])
                else:
                    self._progress(event)
        if error is None and report is None:
            error = Error(
                f"{self.name} ended without a result (exit code {process.returncode})", "See the log on stderr"
            )
        return error, None if error else report

    def _progress(self, event: Mapping[str, Any]) -> None:
        stage, done, total = event.get("stage"), event.get("done"), event.get("total")
        if isinstance(stage, str) and isinstance(done, int) and isinstance(total, int):
            self._state = replace(self._state, stage=stage, done=done, total=total)


def leave_with_parent() -> None:
    """For the child: end this process and its helpers as soon as stdin ends, whatever it is doing."""
    stdin = sys.stdin.fileno()

    def wait() -> None:
        # Not by sys.stdin, whose lock this thread would hold when the interpreter wants to close it.
        with contextlib.suppress(OSError):
            while os.read(stdin, 4096):
                pass
        if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=wait, name="drawwell-parent", daemon=True).start()


def _spawn(command: Sequence[str]) -> subprocess.Popen[bytes]:
    # A group of its own lets it and its helpers be ended together, and keeps a terminal's Ctrl-C from it.
    return subprocess.Popen(  # noqa: S603 - the command is our own, no text of a client is in it
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )


def _lines(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    while process.stdout is not None and (line := process.stdout.readline(_MAX_LINE)):
        yield line


def _end(process: subprocess.Popen[bytes]) -> None:
    _signal(process, signal.SIGTERM)
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    """Signal the child and its helpers; on Windows, end the child, whose helpers end with its pipes."""
    if process.poll() is not None:
        return  # its number may be another's by now
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.terminate()


def _event(line: bytes) -> Mapping[str, Any]:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}


def _told(error: object) -> Error:
    if isinstance(error, dict) and isinstance(error.get("message"), str):
        return Error(error["message"], str(error.get("suggestion") or ""))
    return Error(str(error)[:500])
