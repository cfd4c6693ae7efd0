"""Work in a child process: real processes, ended in every way."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from drawwell.errors import Error
from drawwell.server.child import ChildJob, JobState
from tests.server.raw import ROOT


class Trial:
    """A job over a piece of Python, and the states after its runs."""

    def __init__(self, code: str, *arguments: str) -> None:
        self.ended: queue.Queue[JobState] = queue.Queue()
        command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
        self.job = ChildJob("trial", command, self.ended.put)

    def run(self) -> JobState:
        """Run once and wait for the end."""
        self.job.request()
        return self.ended.get(timeout=20)


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not waited for does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def until(condition: object, seconds: float = 10) -> bool:
    """Wait for something to become true."""
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def test_a_good_run() -> None:
    """Progress is seen while it runs; what is no event is passed over; the report stays after the end."""
    trial = Trial(
        """
        import json, sys
        print("some noise"); print("[1, 2]"); print("[" * 50_000); print(json.dumps({"stage": 1}))
        print(json.dumps({"stage": "reading", "done": 3, "total": 9, "path": "a.md"}), flush=True)
        sys.stdin.readline()
        print(json.dumps({"report": {"added": 9}}))
        """
    )
    assert trial.job.state == JobState()
    trial.job.request()
    assert until(lambda: trial.job.state.done == 3)
    state = trial.job.state
    assert (state.running, state.stage, state.done, state.total) == (True, "reading", 3, 9)
    trial.job._process.stdin.write(b"go on\n")
    trial.job._process.stdin.flush()
    state = trial.ended.get(timeout=20)
    assert (state.running, state.runs, state.error, state.report) == (False, 1, None, {"added": 9})


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("""print('{"error": {"message": "No such folder", "suggestion": "Name another"}}')""", "No such folder. Name"),
        ("""print('{"error": "odd"}')""", "odd"),
        ("raise SystemExit(7)", r"trial ended without a result \(exit code 7\)"),
        ("import os; os.kill(os.getpid(), 9)", r"\(exit code -9\)"),
    ],
)
def test_a_failed_run(code: str, message: str) -> None:
    """Why a run failed is kept until a run succeeds, and the next one is tried all the same."""
    state = Trial(code).run()
    with pytest.raises(Error, match=message):
        raise state.error
    assert not state.running


def test_a_command_that_cannot_be_started() -> None:
    """A command that does not exist is a failed run like any other."""
    ended: queue.Queue[JobState] = queue.Queue()
    job = ChildJob("trial", ["/no/such/program"], ended.put)
    job.request()
    assert "could not be started" in str(ended.get(timeout=5).error)


def test_requests_while_it_runs_are_one_more_run(tmp_path: Path) -> None:
    """However often it is asked for while it runs, it runs once more after that, never twice at a time."""
    trial = Trial(
        """
        import pathlib, sys, time, json
        place = pathlib.Path(sys.argv[1])
        (place / "running").mkdir()
        time.sleep(0.3)
        (place / "running").rmdir()
        print(json.dumps({"report": {}}))
        """,
        str(tmp_path),
    )
    threads = [threading.Thread(target=trial.job.request) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first = trial.ended.get(timeout=20)
    second = trial.ended.get(timeout=20)
    assert (first.running, first.runs, first.error) == (True, 1, None)
    assert (second.running, second.runs, second.error) == (False, 2, None)
    with pytest.raises(queue.Empty):
        trial.ended.get(timeout=0.5)


def test_close_ends_the_child_and_its_helpers(tmp_path: Path) -> None:
    """Closing ends the child and the processes that it started, even if they do not listen, and starts none again."""
    trial = Trial(
        """
        import pathlib, signal, subprocess, sys, time
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        pathlib.Path(sys.argv[1], "pid").write_text(str(helper.pid))
        time.sleep(60)
        """,
        str(tmp_path),
    )
    trial.job.request()
    assert until((tmp_path / "pid").exists)
    assert until(lambda: (tmp_path / "pid").read_text())
    helper = int((tmp_path / "pid").read_text())
    child = trial.job._process.pid
    begun = time.monotonic()
    trial.job.close()
    assert time.monotonic() - begun < 1.5
    assert until(lambda: not alive(child) and not alive(helper))
    trial.job.request()
    assert trial.ended.get(timeout=10).runs == 1
    trial.job.close()


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")
def test_a_killed_parent_takes_its_child_along(tmp_path: Path) -> None:
    """39: when the parent is killed without a word, child and helpers see the end of their pipe and leave."""
    child = """
        import pathlib, subprocess, sys, time
        from drawwell.server.child import leave_with_parent
        leave_with_parent()
        helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        pathlib.Path(sys.argv[1], "pids").write_text(f"{helper.pid} {__import__('os').getpid()}")
        time.sleep(60)
    """
    parent = """
        import sys, time
        from drawwell.server.child import ChildJob
        ChildJob("trial", sys.argv[1:], print).request()
        time.sleep(60)
    """
    command = [
        sys.executable,
        "-c",
        textwrap.dedent(parent),
        sys.executable,
        "-c",
        textwrap.dedent(child),
        str(tmp_path),
    ]
    with subprocess.Popen(command, cwd=ROOT) as process:
        pids = tmp_path / "pids"
        assert until(lambda: pids.exists() and len(pids.read_text().split()) == 2)
        found = [int(pid) for pid in pids.read_text().split()]
        assert all(alive(pid) for pid in found)
        os.kill(process.pid, signal.SIGKILL)
    assert until(lambda: not any(alive(pid) for pid in found))


def test_a_report_of_any_size_arrives() -> None:
    """A folder with tens of thousands of skipped files has a report of megabytes."""
    ended = threading.Event()
    code = "import json; print(json.dumps({'report': {'skipped': ['x' * 100] * 30_000}}))"
    job = ChildJob("job", [sys.executable, "-c", code], lambda _state: ended.set())
    job.request()
    assert ended.wait(20)
    assert job.state.error is None


def test_a_process_that_has_ended_is_not_signalled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its number may be another process's by the time that the server ends."""
    ended = threading.Event()
    job = ChildJob("job", [sys.executable, "-c", "print('{\"report\": {}}')"], lambda _state: ended.set())
    job.request()
    assert ended.wait(20)
    signalled: list[int] = []
    monkeypatch.setattr(os, "killpg", lambda number, _signal: signalled.append(number))
    job.close()
    assert signalled == []
