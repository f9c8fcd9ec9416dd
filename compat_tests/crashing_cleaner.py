"""wirebroker that ends, as if by kill -9, before a change to the disk that the exchange of a compacted segment makes.

The broker has no code for this: functions are replaced before it starts.

    python -m compat_tests.crashing_cleaner ARMED start --listener ...

ARMED is a file that names one of CHANGES and its number, "1 swap: sync the directory".  The process ends before the
n-th such change: of the exchange of the next segment of topic "kept", of the cleaner's checkpoint, or of the deletion
of the old files; the file is then gone.  If there are fewer, the file holds "over" after the last one.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirebroker.storage.cleaner import segment_swap
from wirebroker.storage.files import Files
from wirebroker.storage.log_dirs import LogDirs
from wirebroker.storage.log_manager import LogManager

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.storage.log import Log

KILLED = 137
DAY_MS = 24 * 3600 * 1000
TOPIC = "kept"
OVER = "over"
SWAP, CHECKPOINT, DELETION = "swap", "checkpoint", "deletion"
PHASES = (SWAP, CHECKPOINT, DELETION)
_FILES = ("log", "index", "timeindex", "txnindex")
CHANGES = (
    *(f"{SWAP}: rename .{each}.cleaned to .{each}.swap" for each in _FILES),
    *(f"{SWAP}: rename .{each} to .{each}.deleted" for each in (*_FILES, "snapshot")),
    *(f"{SWAP}: rename .{each}.swap to .{each}" for each in _FILES),
    f"{SWAP}: sync the directory",
    f"{CHECKPOINT}: write cleaner-offset-checkpoint",
    f"{CHECKPOINT}: sync the directory",
    *(f"{DELETION}: unlink .{each}.deleted" for each in (*_FILES, "snapshot")),
)


class Switch:
    """Counts the changes of one exchange, and ends the process at the armed one."""

    def __init__(self, armed: Path) -> None:
        self._armed = armed
        self._wanted = ""
        self._left = 0
        self._phase = 0
        self._is_on = threading.local()

    def run(self, phase: str, work: Callable[[], Any]) -> Any:
        """Do *work*, whose changes count if the phases before were done since the switch was armed."""
        if phase == SWAP and not self._phase:
            self._arm()
        if not self._wanted or PHASES[self._phase] != phase:
            return work()
        self._is_on.value = True
        self._is_on.changes = 0
        try:
            return work()
        finally:
            self._is_on.value = False
            if phase != DELETION or self._is_on.changes:
                self._phase += 1
            if self._phase == len(PHASES):
                self._armed.write_text(OVER)
                self._phase, self._wanted = 0, ""

    @property
    def phase(self) -> str | None:
        """The phase whose changes count, None if the switch is not armed."""
        return PHASES[self._phase] if self._wanted else None

    def _arm(self) -> None:
        number, _, self._wanted = self._armed.read_text().partition(" ") if self._armed.exists() else ("", "", "")
        self._left = int(number) if self._wanted else 0

    def change(self, what: str) -> None:
        """Note that *what* is about to happen; the process may end here."""
        if getattr(self._is_on, "value", False):
            self._is_on.changes += 1
            if f"{PHASES[self._phase]}: {what}" == self._wanted:
                self._left -= 1
                if not self._left:
                    self._armed.unlink()
                    os._exit(KILLED)


def install(switch: Switch) -> None:
    """Replace the functions at which the process may end."""
    swap_in, checkpoint = segment_swap.swap_in, LogDirs.checkpoint_cleaner_offset
    delete_due = LogManager.delete_due_files
    rename, unlink, sync, write = Files.rename, Files.unlink, Files.sync_directory, Files.write_whole

    def swap(log: Log, *given: Any) -> Any:
        if log.topic_partition.topic != TOPIC:
            return swap_in(log, *given)
        return switch.run(SWAP, lambda: swap_in(log, *given))

    def checkpoint_cleaner_offset(dirs: LogDirs, log: Log, offset: int) -> Any:
        if log.topic_partition.topic != TOPIC:
            return checkpoint(dirs, log, offset)
        return switch.run(CHECKPOINT, lambda: checkpoint(dirs, log, offset))

    def renamed(files: Files, old: str, new: str) -> None:
        switch.change(f"rename {''.join(Path(old).suffixes)} to {''.join(Path(new).suffixes)}")
        rename(files, old, new)

    def unlinked(files: Files, paths: Any) -> None:
        for path in list(paths):
            switch.change(f"unlink {''.join(Path(path).suffixes)}")
            unlink(files, [path])

    def synced(files: Files, path: str) -> None:
        switch.change("sync the directory")
        sync(files, path)

    def written(files: Files, path: str, data: bytes, **more: Any) -> None:
        switch.change(f"write {Path(path).name}")
        write(files, path, data, **more)

    def due_deleted(logs: LogManager, now_ms: int) -> Any:
        # Deletions run in a thread of their own.  Those of the exchange come after its checkpoint, and all at once.
        if switch.phase in (SWAP, CHECKPOINT):
            return 0
        delay_ms = DAY_MS if switch.phase == DELETION else 0
        return switch.run(DELETION, lambda: delete_due(logs, now_ms + delay_ms))

    for owner, name, function in (
        (segment_swap, "swap_in", swap),
        (LogDirs, "checkpoint_cleaner_offset", checkpoint_cleaner_offset),
        (LogManager, "delete_due_files", due_deleted),
        (Files, "rename", renamed),
        (Files, "unlink", unlinked),
        (Files, "sync_directory", synced),
        (Files, "write_whole", written),
    ):
        setattr(owner, name, function)


def main() -> int:
    from wirebroker.cli.main import main as command

    install(Switch(Path(sys.argv.pop(1))))
    return command(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
