"""Batches of a `.log` in file order, of all message formats and whether they are valid or not.

BatchReader of storage/integrity gives out valid batches only; kafka-dump-log.sh prints what is there, up to the first
bytes that cannot be a batch.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from struct import Struct
from typing import TYPE_CHECKING, Final

from wirebroker.record.errors import IncompleteBatchError, RecordError
from wirebroker.record.legacy import parse_any
from wirebroker.record.record_batch import HEADER_SIZE, LOG_OVERHEAD, MAGIC_AT, MIN_LENGTH
from wirebroker.storage.files import File
from wirebroker.storage.integrity.batch_reader import PIECE_BYTES, FileWindow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wirebroker.record.legacy import AnyBatch

_LENGTH: Final = Struct(">8xi")


@contextmanager
def open_log(path: Path) -> Iterator[File]:
    """Open *path* for reading only."""
    file = File(str(path), os.open(path, os.O_RDONLY))
    try:
        yield file
    finally:
        file.close()


def batches_of(
    file: File, position: int, end: int, *, read_ahead_bytes: int = PIECE_BYTES
) -> Iterator[tuple[int, AnyBatch]]:
    """(position, batch) for each batch from *position* on, up to the first that does not end at or before *end*.

    Neither checksums nor offsets are checked.

    Args:
        file: the log.
        position: where the first batch begins.
        end: position behind the last byte that is read.
        read_ahead_bytes: how much is read at once; a larger batch is read whole.

    Raises:
        RecordError: no batch can begin at a position; worded as kafka-dump-log.sh does where it does.
    """
    window = FileWindow(file, end)
    while position < end - MAGIC_AT - 1:
        window.read_ahead_end = min(position + read_ahead_bytes, end)
        at = window.find(position, HEADER_SIZE)
        if len(window.data) - at <= MAGIC_AT:
            return  # the file has become shorter meanwhile
        (length,) = _LENGTH.unpack_from(window.data, at)
        if length < MIN_LENGTH:
            raise RecordError(
                f"position {position}: found record size {length} smaller than minimum record overhead ({MIN_LENGTH})"
            )
        size = max(length + LOG_OVERHEAD, HEADER_SIZE)
        at = window.find(position, size)
        try:
            batch = parse_any(window.data, at)
        except IncompleteBatchError:
            return
        except RecordError:
            if size > end - position:
                return  # the original looks at the length first
            raise RecordError(f"position {position}: {_why_invalid(window.data[at + MAGIC_AT])}") from None
        yield position, batch
        position += batch.size_bytes


def _why_invalid(magic: int) -> str:
    if magic < 2:
        return "a message smaller than its fields"
    if magic > 2:
        return f"unknown magic {magic}"
    return "a batch smaller than its header"
