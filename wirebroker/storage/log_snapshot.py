"""LogSnapshot: one partition's log as its files are, read without a broker and without a change.

For commands that look at a data directory.  A log that is written to meanwhile is read up to some batch of its end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.record.record_batch import HEADER_SIZE, RecordBatch
from wirebroker.storage import checkpoints
from wirebroker.storage.errors import CorruptFileError
from wirebroker.storage.log_segment import LogSegment
from wirebroker.storage.log_view import LogView, UnstableTransactions
from wirebroker.storage.producer_snapshots import SNAPSHOT, decode_snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wirebroker.config.log import LogConfig
    from wirebroker.model import TopicPartition
    from wirebroker.storage.batch_headers import BatchHeader
    from wirebroker.storage.files import Files

_LOG: Final = re.compile(r"(\d{20})\.log")
_SNAPSHOT: Final = re.compile(r"(\d{20})" + re.escape(SNAPSHOT))


class LogSnapshot(NamedTuple):
    """A log on disk, and what the checkpoints of its log directory say of it."""

    view: LogView
    high_watermark: int
    """As far as the log reaches; its end if no checkpoint names it."""
    cleaner_offset: int | None


def read_log(files: Files, log_dir: Path, at: TopicPartition, config: LogConfig, now_ms: int) -> LogSnapshot | None:
    """Return the log of a partition in *log_dir*, None if no segment is there.  Raises OSError, CorruptFileError."""
    directory = f"{log_dir}/{at}"
    names = {name for name, is_directory in files.list(directory) if not is_directory}
    bases = sorted(int(match[1]) for match in map(_LOG.fullmatch, names) if match is not None)
    if not bases:
        return None
    segments = tuple(LogSegment.load(files, directory, base, config, now_ms, names) for base in bases)
    start = max(_checkpoint(files, log_dir, checkpoints.LOG_STARTS, at) or 0, bases[0])
    end = _read_active(segments[-1])
    view = LogView(segments, segments[-1], segments[-1].size_bytes, None, start, end, None)
    opened = _first_open_transaction(files, directory, names, segments)
    if opened is not None:
        view = view._replace(unstable=UnstableTransactions(opened, ()))
    high_watermark = _checkpoint(files, log_dir, checkpoints.HIGH_WATERMARKS, at)
    return LogSnapshot(
        view,
        end if high_watermark is None else min(high_watermark, end),
        _checkpoint(files, log_dir, checkpoints.CLEANER_OFFSETS, at),
    )


def _checkpoint(files: Files, log_dir: Path, name: str, at: TopicPartition) -> int | None:
    return checkpoints.read_offsets(files, f"{log_dir}/{name}").get(at)


def _read_active(segment: LogSegment) -> int:
    """Set the size and the largest timestamp of the last segment by its batches; return where it ends."""
    end, size, largest = segment.base_offset, 0, (-1, segment.base_offset)
    for header in _headers(segment):
        end, size = header.last_offset + 1, header.position + header.size_bytes
        if header.max_timestamp > largest[0]:
            largest = header.max_timestamp, header.last_offset
    segment.size_bytes, segment.max_timestamp_so_far = size, largest
    return end


def _headers(segment: LogSegment) -> Iterator[BatchHeader]:
    """The headers of the whole batches; a broker, or a crash, may have left a part of one at the end."""
    try:
        yield from segment.headers()
    except CorruptFileError:
        return


def _first_open_transaction(
    files: Files, directory: str, names: set[str], segments: tuple[LogSegment, ...]
) -> int | None:
    """Where the first open transaction begins: by the newest snapshot of producers and the batches behind it."""
    opened: dict[int, int] = {}
    start = segments[0].base_offset
    for offset in sorted(
        (int(match[1]) for match in map(_SNAPSHOT.fullmatch, names) if match is not None), reverse=True
    ):
        path = f"{directory}/{offset:020}{SNAPSHOT}"
        try:
            entries = decode_snapshot(files.read(path) or b"", path)
        except CorruptFileError:
            continue
        start = offset
        opened = {
            each.producer_id: each.current_txn_first_offset for each in entries if each.current_txn_first_offset >= 0
        }
        break
    for segment, following in zip(segments, (*segments[1:], None), strict=True):
        if following is not None and following.base_offset <= start:
            continue
        for header in _headers(segment):
            if header.has_producer and header.base_offset >= start:
                batch = RecordBatch(segment.log_file.open().pread(HEADER_SIZE, header.position))
                if batch.is_control:
                    opened.pop(batch.producer_id, None)
                elif batch.is_transactional:
                    opened.setdefault(batch.producer_id, header.base_offset)
    return min(opened.values(), default=None)
