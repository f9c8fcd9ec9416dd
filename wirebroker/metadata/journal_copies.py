"""JournalCopies: the metadata journal with a copy in every log directory, so that no directory holds the only one.

    append   to every copy at once, each in a thread of its own, so that the fsyncs overlap.  An entry is durable when
             one copy has it; a copy that cannot be written is left out, and brought up to date when it can be.
    open     the copy with the highest version is used, and replaces those that lack entries.

The upper half of a version is the generation.  The first write of a start that does not see every log directory begins
a new one, so that the copy of an absent directory is older.  Thus two copies that were written without each other are
told apart; the older one is reported and kept beside the new copy.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.metadata.errors import StoreDamaged, StoreUnavailable
from wirebroker.metadata.journal import JOURNAL_NAME, STARTED_FROM_SNAPSHOT, Journal, read_entries, readable_version
from wirebroker.storage.threads import run_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from wirebroker.metadata.journal import Entry
    from wirebroker.storage.files import Files

log = logging.getLogger(__name__)

REPLACED: Final = ".replaced"
"""Suffix of a journal that was damaged or held changes of its own."""
RETRY_S: Final = 30.0
"""The time before a copy that could not be written is tried again."""
_GENERATION: Final = 1 << 32


class _JournalFile(NamedTuple):
    """The journal file of one directory."""

    path: Path
    data: bytes
    entries: list[Entry]
    good: int
    """The number of valid bytes; a torn tail follows."""

    @property
    def version(self) -> int:
        return self.entries[-1].version if self.entries else 0


class JournalCopies:
    """The open copies, all with the same entries.  Sync; one caller at a time."""

    def __init__(
        self,
        files: Files,
        copies: list[Journal],
        left_out: list[Path],
        *,
        new_generation: bool,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Use *copies*, of which there is at least one; see `open`.

        Args:
            files: How to read and write.
            copies: The open copies.
            left_out: Paths of copies that could not be written.
            new_generation: Begin a new generation with the next write.
            monotonic: Seconds on a clock that is never set back.
        """
        self._files = files
        self._copies = copies
        self._left_out = left_out
        self._new_generation = new_generation
        self._monotonic = monotonic
        self._retry_at = monotonic() + RETRY_S

    @classmethod
    def open(
        cls, log_dirs: Sequence[Path], files: Files, *, all_online: bool = True
    ) -> tuple[JournalCopies, list[Entry]]:
        """Open the newest valid journal in *log_dirs*, and make every other one its copy; return it with its entries.

        Args:
            log_dirs: The log directories in use.
            files: How to read and write.
            all_online: False if another log directory of this broker cannot be used now.

        Raises:
            StoreDamaged: no copy is valid, or a damaged one is newer than those that are.
            OSError: no copy can be read and written.
        """
        paths = [directory / JOURNAL_NAME for directory in log_dirs]
        best = _newest(paths, files)
        copies: list[Journal] = []
        left_out: list[Path] = []
        entries: list[Entry] = []
        failures: list[OSError] = []
        for path in paths if best is None else [best.path, *(path for path in paths if path != best.path)]:
            try:
                if best is not None and path != best.path:
                    _make_equal(path, best, files)
                journal, entries = Journal.open(path, files)
            except OSError as error:
                if best is not None and path == best.path:
                    raise
                log.error("metadata journal %s cannot be written: %s; the other copies are used", path, error)
                failures.append(error)
                left_out.append(path)
            else:
                copies.append(journal)
        if not copies:
            raise failures[0]
        return cls(files, copies, left_out, new_generation=not all_online), entries

    @property
    def version(self) -> int:
        """The version of the last entry."""
        return self._copies[0].version

    @property
    def size_bytes(self) -> int:
        """The size of the largest copy."""
        return max(copy.size_bytes for copy in self._copies)

    @property
    def paths(self) -> list[Path]:
        """The files in use."""
        return [copy.path for copy in self._copies]

    def append(self, payload: bytes, snapshot: Callable[[], bytes]) -> int:
        """Write one entry durably; return its version.

        Args:
            payload: The entry.
            snapshot: Encodes the state before it, for a new generation.

        Raises:
            StoreUnavailable: no copy has it durably; see Journal.append.
        """
        self._bring_back()
        if self._new_generation:
            content = snapshot()
            self._require_one(self._on_each(lambda copy: copy.compact(content, copy.version + _GENERATION)))
            self._new_generation = False
        self._require_one(self._on_each(lambda copy: copy.append(payload)))
        return self.version

    def compact(self, payload: bytes) -> None:
        """Replace all entries of each copy by one snapshot entry of the same version.

        Raises:
            OSError, StoreUnavailable: see Journal.compact.
        """
        failures = self._on_each(lambda copy: copy.compact(payload))
        if len(failures) == len(self._copies):
            raise next(iter(failures.values()))
        for copy, failure in failures.items():
            if copy.is_usable:
                log.warning("metadata journal %s: compaction failed: %s", copy.path, failure)
            else:
                self._leave_out(copy, failure)

    def close(self) -> None:
        """Close the files; every acknowledged entry is durable already."""
        for copy in self._copies:
            copy.close()

    def _on_each(self, work: Callable[[Journal], object]) -> dict[Journal, Exception]:
        """Do *work* on all copies at once; return the failures."""
        failures: dict[Journal, Exception] = {}

        def run(copy: Journal) -> None:
            try:
                work(copy)
            except (OSError, StoreUnavailable) as error:
                failures[copy] = error

        run_all([lambda copy=copy: run(copy) for copy in self._copies])  # type: ignore[misc]
        return failures

    def _require_one(self, failures: dict[Journal, Exception]) -> None:
        """Leave out the copies that failed; raise StoreUnavailable if all of them did."""
        usable = [copy for copy in self._copies if copy.is_usable]
        if len(failures) < len(self._copies):
            for copy, failure in failures.items():
                self._leave_out(copy, failure)
            return
        if 0 < len(usable) < len(self._copies):
            # a copy whose fsync failed may or may not have the entry; the next entry must be newer than that
            for copy in [copy for copy in self._copies if not copy.is_usable]:
                self._leave_out(copy, failures[copy])
            self._new_generation = True
        failure = next(iter(failures.values()))
        if isinstance(failure, OSError):
            raise StoreUnavailable(f"cannot write the metadata journal: {failure}") from failure
        raise failure

    def _leave_out(self, copy: Journal, failure: Exception) -> None:
        log.error("metadata journal %s is left out: %s; the other copies are used", copy.path, failure)
        self._copies.remove(copy)
        self._left_out.append(copy.path)
        self._retry_at = self._monotonic() + RETRY_S
        copy.close()

    def _bring_back(self) -> None:
        """Bring the copies that were left out up to date, if they can be written again."""
        if not self._left_out or self._monotonic() < self._retry_at:
            return
        self._retry_at = self._monotonic() + RETRY_S
        source = self._copies[0]
        for path in list(self._left_out):
            try:
                data = self._files.read(str(source.path))
                if data is None:
                    return
                _replace(path, data[: source.size_bytes], self._files)
                copy, _ = Journal.open(path, self._files)
            except (OSError, StoreDamaged) as error:
                log.debug("metadata journal %s still cannot be written: %s", path, error)
                continue
            log.info("metadata journal %s is in use again", path)
            self._left_out.remove(path)
            self._copies.append(copy)


def describe_version(version: int) -> str:
    """Return a version as people read it: the generation, if it is not the first, and the count."""
    generation, count = divmod(version, _GENERATION)
    return f"{count} of generation {generation}" if generation else str(count)


def _newest(paths: Sequence[Path], files: Files) -> _JournalFile | None:
    """Return the valid journal with the highest version, None if there is no journal; report what others hold."""
    valid: list[_JournalFile] = []
    damaged: list[tuple[Path, int, Exception]] = []
    for path in paths:
        data = b""
        try:
            content = files.read(str(path))
            if content is None:
                continue
            data = content
            valid.append(_JournalFile(path, data, *read_entries(data, path)))
        except (OSError, StoreDamaged) as error:
            damaged.append((path, readable_version(data, path), error))
    if not valid:
        if damaged:
            raise damaged[0][2]
        return None
    best = max(valid, key=lambda each: each.version)
    for path, version, fault in damaged:
        if version > best.version:
            raise StoreDamaged(f"{fault}; the copy {best.path} is older") from fault
        log.error("%s; the copy %s is used instead, and the file is kept as %s", fault, best.path, path.name + REPLACED)
        _put_aside(path, files)
    for other in valid:
        if _has_own_changes(other, best):
            log.error(
                "metadata journal %s (version %s) holds changes that %s (version %s) lacks; they are not used, and the"
                " file is kept as %s",
                *(other.path, describe_version(other.version), best.path, describe_version(best.version)),
                other.path.name + REPLACED,
            )
            _put_aside(other.path, files)
        elif other.version < best.version:
            log.warning(
                "metadata journal %s is at version %s, behind %s at version %s; it is brought up to date",
                *(other.path, describe_version(other.version), best.path, describe_version(best.version)),
            )
    return best


def _has_own_changes(other: _JournalFile, best: _JournalFile) -> bool:
    """Return True if *other* has acknowledged entries that *best* lacks, as far as the files tell."""
    if other is best or not other.entries or not best.entries:
        return False
    generation, count = divmod(other.version, _GENERATION)
    first_generation, first_count = divmod(best.entries[0].version, _GENERATION)
    if generation != first_generation:  # a generation goes on counting where the one before it ended
        return count > first_count
    known = {entry.version: entry.payload for entry in _changes(best)}
    return any(known.get(entry.version, entry.payload) != entry.payload for entry in _changes(other))


def _changes(found: _JournalFile) -> list[Entry]:
    """Return the entries without a snapshot, whose payload differs from that of the last change in it."""
    return found.entries[1:] if found.data.startswith(STARTED_FROM_SNAPSHOT) else found.entries


def _make_equal(path: Path, best: _JournalFile, files: Files) -> None:
    """Give the journal at *path* the entries of *best*, unless it has them already.  Raises OSError."""
    content = best.data[: best.good]
    data = files.read(str(path))
    if data is not None:
        try:
            entries, _ = read_entries(data, path)
        except StoreDamaged:
            entries = []
        if entries and best.entries and entries[-1].version == best.version:
            return
        if not entries and not best.entries:
            return
    elif best.entries:
        log.info("metadata journal %s: copied from %s", path, best.path)
    if best.entries:
        _replace(path, content, files)
    else:
        files.unlink([str(path)])  # nothing was acknowledged yet: `Journal.open` makes it


def _replace(path: Path, content: bytes, files: Files) -> None:
    """Put *content* in place of the journal at *path*, durably."""
    unfinished = f"{path}.new"
    file = files.open(unfinished)
    try:
        file.truncate(0)
        file.pwrite(content, 0)
        file.sync()
    finally:
        file.close()
    files.rename(unfinished, str(path))
    files.sync_directory(str(path.parent))


def _put_aside(path: Path, files: Files) -> None:
    try:
        files.rename(str(path), f"{path}{REPLACED}")
    except OSError as error:
        log.warning("metadata journal %s cannot be kept: %s", path, error)
