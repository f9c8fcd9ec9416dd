"""Which leader epoch began at which offset: `leader-epoch-checkpoint` in the partition's directory (KIP-101, KIP-279).

    0          format version
    2          number of entries
    0 0        epoch, start offset; both ascend
    3 1250

Every epoch is stamped into the batches it wrote, so entries above the recovery point can be found out again by reading
the log.  A change that could lose an older entry is synced at once; the first one of a new log waits for the next
flush, because making a thousand partitions should not take a thousand syncs.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from wirebroker.storage.checkpoints import format_lines, parse_lines
from wirebroker.storage.faults import CorruptFile

if TYPE_CHECKING:
    from wirebroker.storage.files import Files

FILE_NAME = "leader-epoch-checkpoint"
UNDEFINED = -1


class LeaderEpochs:
    """The epochs of one log, oldest first."""

    __slots__ = ("_epochs", "_files", "_path", "_starts", "_synced", "latest")

    def __init__(self, files: Files, directory: str) -> None:
        """Nothing is known yet; see `load`."""
        self._files = files
        self._path = f"{directory}/{FILE_NAME}"
        self._epochs: list[int] = []
        self._starts: list[int] = []
        self._synced = True
        self.latest = UNDEFINED
        """The newest epoch, UNDEFINED (-1) if there is none."""

    def load(self) -> None:
        """Read the file if it exists.  Raises CorruptFile, then nothing is known."""
        try:
            for words in parse_lines(self._files.read(self._path) or b"", self._path):
                epoch, start = map(int, words)
                self._put(epoch, start)
        except ValueError as error:
            self._epochs.clear()
            self._starts.clear()
            self.latest = UNDEFINED
            raise CorruptFile(f"{self._path}: {error}") from error

    @property
    def entries(self) -> list[tuple[int, int]]:
        """(epoch, start offset), oldest first."""
        return list(zip(self._epochs, self._starts, strict=True))

    def assign(self, epoch: int, start_offset: int) -> None:
        """Note that *epoch* begins at *start_offset*; an epoch that is known keeps its (lower) start."""
        if epoch == self.latest and start_offset >= self._starts[-1]:
            return
        fresh = not self._epochs
        if self._put(epoch, start_offset):
            self._write(sync=not fresh)

    def end_offset_for(self, epoch: int, log_end_offset: int) -> tuple[int, int]:
        """(largest epoch <= *epoch*, where it ends); (-1, -1) if unknown.

        An epoch older than all known ones answers itself and the first known start, as Apache Kafka does.
        """
        if epoch == UNDEFINED or epoch > self.latest:
            return UNDEFINED, UNDEFINED
        if epoch == self.latest:
            return epoch, log_end_offset
        above = bisect_right(self._epochs, epoch)
        return (self._epochs[above - 1] if above else epoch), self._starts[above]

    def epoch_for_offset(self, offset: int) -> int:
        """The epoch that *offset* was (or will be) written in, UNDEFINED if it is older than all entries."""
        above = bisect_right(self._starts, offset)
        return self._epochs[above - 1] if above else UNDEFINED

    def earliest(self) -> tuple[int, int] | None:
        """(epoch, start offset) of the oldest entry."""
        return (self._epochs[0], self._starts[0]) if self._epochs else None

    def truncate_from_end(self, end_offset: int) -> None:
        """Forget epochs that begin at *end_offset* or later."""
        if self._starts and self._starts[-1] >= end_offset:
            while self._starts and self._starts[-1] >= end_offset:
                self._pop()
            self._write(sync=True)

    def truncate_from_start(self, start_offset: int) -> None:
        """Let the epoch of *start_offset* begin there and forget the older ones."""
        above = bisect_right(self._starts, start_offset)
        if above and (above > 1 or self._starts[0] != start_offset):
            del self._epochs[: above - 1], self._starts[: above - 1]
            self._starts[0] = start_offset
            self._write(sync=True)

    def clear(self) -> None:
        """Forget everything."""
        self._epochs.clear()
        self._starts.clear()
        self.latest = UNDEFINED
        self._write(sync=True)

    def sync(self) -> None:
        """Make what was assigned survive a power failure."""
        if not self._synced:
            self._files.sync(self._path)
            self._synced = True

    def moved(self, directory: str) -> None:
        """The partition's directory was renamed."""
        self._path = f"{directory}/{FILE_NAME}"

    def _put(self, epoch: int, start_offset: int) -> bool:
        if epoch < 0 or start_offset < 0:
            raise CorruptFile(f"{self._path}: leader epoch {epoch} at offset {start_offset}")
        if self._epochs and epoch == self._epochs[-1] and start_offset >= self._starts[-1]:
            return False
        while self._epochs and (self._epochs[-1] >= epoch or self._starts[-1] >= start_offset):
            self._pop()
        self._epochs.append(epoch)
        self._starts.append(start_offset)
        self.latest = epoch
        return True

    def _pop(self) -> None:
        self._epochs.pop()
        self._starts.pop()
        self.latest = self._epochs[-1] if self._epochs else UNDEFINED

    def _write(self, *, sync: bool) -> None:
        lines = (f"{epoch} {start}" for epoch, start in zip(self._epochs, self._starts, strict=True))
        self._synced = sync
        self._files.write_whole(self._path, format_lines(lines), sync=sync)
