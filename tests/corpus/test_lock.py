"""The lock of a store: one writer among threads and processes, given back at any end."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from drawwell.corpus.store.lock import StoreLock, check_regular, lock_path
from drawwell.errors import StoreBusy, StoreError

HOLD = """
import sys
from pathlib import Path
from drawwell.corpus.store.lock import StoreLock, check_regular
with StoreLock(Path(sys.argv[1]), 5):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_writer_waits_and_is_told(tmp_path: Path) -> None:
    """It goes on when the first has left, and knows that it waited."""
    store = tmp_path / "store.sqlite"
    told: list[str] = []
    entered = threading.Event()
    waiting = threading.Event()

    def second() -> None:
        def tell() -> None:
            told.append("waiting")
            waiting.set()

        with StoreLock(store, 30, tell) as lock:
            assert lock.waited
            entered.set()

    with StoreLock(store, 0) as first:
        assert not first.waited
        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(20)
        assert not entered.is_set()
    thread.join()
    assert entered.is_set()
    assert told == ["waiting"]


def test_another_process_holds_it_until_it_is_killed(tmp_path: Path) -> None:
    """Waiting ends with an error that names the store; a kill gives the lock back."""
    store = tmp_path / "store.sqlite"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, store], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdin is not None
    with holder:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreBusy, match=r"store\.sqlite"), StoreLock(store, 0.3):
            pass
        holder.kill()
    with StoreLock(store, 5):
        pass


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """Not a wait for ever."""
    with pytest.raises(StoreError, match="cannot write"), StoreLock(tmp_path / "missing" / "store.sqlite", 5):
        pass


def test_what_is_no_lock_is_named_and_left_alone(tmp_path: Path) -> None:
    """Garbage, a folder or a pipe in its place: the message says to delete it, and nothing waits or is changed."""
    store = tmp_path / ".drawwell" / "store.sqlite"
    lock = lock_path(store)
    lock.parent.mkdir()
    lock.write_bytes(b"garbage " * 1000)
    refused(store)
    assert lock.read_bytes() == b"garbage " * 1000
    lock.unlink()
    lock.mkdir()
    refused(store)
    lock.rmdir()
    os.mkfifo(lock)
    refused(store)


def test_what_a_user_named_is_never_to_be_deleted(tmp_path: Path) -> None:
    """Outside of .drawwell it may be the user's own: the advice is another place."""
    store = tmp_path / "mine.sqlite"
    store.mkdir()
    with pytest.raises(StoreError, match="not a regular file") as caught:
        check_regular(store)
    assert "--store" in caught.value.suggestion


def refused(store: Path) -> None:
    with pytest.raises(StoreError, match="lock") as caught, StoreLock(store, 5):
        pass
    assert caught.value.suggestion == "Delete it"
