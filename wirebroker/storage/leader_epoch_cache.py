"""LeaderEpochCache: the start offset of each leader epoch, kept in `leader-epoch-checkpoint` (KIP-101, KIP-279).

    0          format version
    2          number of entries
    0 0        epoch, start offset; both ascend
    3 1250

Every epoch is stamped into the batches it wrote, so entries above the recovery point can be recovered from
the log, and entries below the log start are dropped when the log is opened.  So neither an append nor the deletion of
records waits for this file: it is saved when the log is flushed or closed, and by the scheduler within a second.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from wirebroker.storage.checkpoints import format_lines, parse_lines
from wirebroker.storage.errors import CorruptFileError

if TYPE_CHECKING:
    from wirebroker.storage.files import Files

FILE_NAME = "leader-epoch-checkpoint"
UNDEFINED = -1
_BESIDE = ".tmp"  # the next start removes one that a crash has left


class LeaderEpochCache:
    """The leader epochs of one log, oldest first.  One thread at a time may change them, others may read meanwhile."""

    __slots__ = ("_beside", "_entries", "_files", "_path", "_saved", "latest_epoch")

    def __init__(self, files: Files, directory: str) -> None:
        """Nothing is known yet; see `load`."""
        self._files = files
        self._path = f"{directory}/{FILE_NAME}"
        self._entries: tuple[tuple[int, int], ...] = ()
        """(epoch, start offset), replaced as a whole."""
        self._saved: tuple[tuple[int, int], ...] = ()
        """The entries in the file."""
        self._beside: tuple[tuple[int, int], ...] | None = None
        """The entries in the file that `prepare` has written."""
        self.latest_epoch = UNDEFINED
        """The newest epoch, UNDEFINED (-1) if there is none."""

    def load(self) -> None:
        """Read the file if it exists.  After a CorruptFileError the cache is empty."""
        try:
            entries: tuple[tuple[int, int], ...] = ()
            for words in parse_lines(self._files.read(self._path) or b"", self._path):
                epoch, start = map(int, words)
                entries = self._with(entries, epoch, start)
            self._replace(entries)
            self._saved = entries
        except ValueError as error:
            self._replace(())
            if isinstance(error, CorruptFileError):  # which names the file
                raise
            raise CorruptFileError(f"{self._path}: {error}") from error

    @property
    def entries(self) -> list[tuple[int, int]]:
        """Return (epoch, start offset), oldest first."""
        return list(self._entries)

    def assign(self, epoch: int, start_offset: int) -> None:
        """Add an epoch that begins at *start_offset*; a known epoch keeps its (lower) start offset."""
        known = self._entries
        if known and known[-1][0] == epoch and start_offset >= known[-1][1]:
            return
        entries = self._with(known, epoch, start_offset)
        if entries != known:
            self._replace(entries)

    def end_offset_for(self, epoch: int, log_end_offset: int) -> tuple[int, int]:
        """Return (largest epoch <= *epoch*, its end offset); (-1, -1) if unknown.

        An epoch older than all known ones answers itself and the first known start, as Apache Kafka does.
        """
        entries = self._entries
        if epoch == UNDEFINED or not entries or epoch > entries[-1][0]:
            return UNDEFINED, UNDEFINED
        if epoch == entries[-1][0]:
            return epoch, log_end_offset
        above = bisect_right(entries, epoch, key=_epoch)
        return (entries[above - 1][0] if above else epoch), entries[above][1]

    def epoch_for_offset(self, offset: int) -> int:
        """Return the epoch that *offset* was (or will be) written in, UNDEFINED if the offset is below all entries."""
        entries = self._entries
        above = bisect_right(entries, offset, key=_start)
        return entries[above - 1][0] if above else UNDEFINED

    def earliest(self) -> tuple[int, int] | None:
        """Return (epoch, start offset) of the oldest entry, None if there is none."""
        entries = self._entries
        return entries[0] if entries else None

    def truncate_from_end(self, end_offset: int) -> None:
        """Remove epochs that begin at *end_offset* or later."""
        entries = tuple(entry for entry in self._entries if entry[1] < end_offset)
        if len(entries) < len(self._entries):
            self._replace(entries)

    def truncate_from_start(self, start_offset: int) -> None:
        """Have the epoch of *start_offset* begin there, and remove older ones."""
        entries = self._entries
        above = bisect_right(entries, start_offset, key=_start)
        if above and (above > 1 or entries[0][1] != start_offset):
            self._replace(((entries[above - 1][0], start_offset), *entries[above:]))

    def clear(self) -> None:
        """Remove all entries."""
        self._replace(())

    @property
    def has_unsaved_changes(self) -> bool:
        """Whether the file has other entries."""
        return self._entries != self._saved

    def prepare(self) -> None:
        """Write unsaved entries to a temporary file, for `sync` or `commit`: those of many logs are synced together."""
        entries = self._entries
        if entries != self._saved:
            file = self._files.open(self._path + _BESIDE)
            file.truncate(0)
            file.pwrite(_encode(entries), 0)
            self._beside = entries

    def write_first(self) -> None:
        """Write the first entries of a new log at once, without a sync; later changes replace what was synced."""
        if self._entries and not self._saved:
            self._files.write_whole(self._path, _encode(self._entries), sync=False)

    def commit(self) -> None:
        """Rename the file that `prepare` wrote, which the caller has had written back.  One thread at a time."""
        if self._beside is not None:
            self._files.rename(self._path + _BESIDE, self._path)
            self._saved, self._beside = self._beside, None

    def sync(self) -> None:
        """Save the entries, so that they survive a power failure.  One thread at a time."""
        entries = self._entries
        if entries == self._saved:
            return
        if self._beside is entries:
            self._files.sync(self._path + _BESIDE)
            self._files.rename(self._path + _BESIDE, self._path)
        else:
            self._files.write_whole(self._path, _encode(entries))
        self._beside = None
        self._saved = entries

    def update_directory(self, directory: str) -> None:
        """Use *directory*, the new name of the partition's directory."""
        self._path = f"{directory}/{FILE_NAME}"

    def _with(self, entries: tuple[tuple[int, int], ...], epoch: int, start_offset: int) -> tuple[tuple[int, int], ...]:
        """Return *entries* with one more, without those that contradict it."""
        if epoch < 0 or start_offset < 0:
            raise CorruptFileError(f"{self._path}: leader epoch {epoch} at offset {start_offset}")
        if entries and epoch == entries[-1][0] and start_offset >= entries[-1][1]:
            return entries
        kept = len(entries)
        while kept and (entries[kept - 1][0] >= epoch or entries[kept - 1][1] >= start_offset):
            kept -= 1
        return (*entries[:kept], (epoch, start_offset))

    def _replace(self, entries: tuple[tuple[int, int], ...]) -> None:
        self._entries = entries
        self.latest_epoch = entries[-1][0] if entries else UNDEFINED


def _encode(entries: tuple[tuple[int, int], ...]) -> bytes:
    return format_lines(f"{epoch} {start}" for epoch, start in entries)


def _epoch(entry: tuple[int, int]) -> int:
    return entry[0]


def _start(entry: tuple[int, int]) -> int:
    return entry[1]
