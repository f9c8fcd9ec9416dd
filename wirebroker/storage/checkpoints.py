"""Checkpoint files: small text files of offsets, one line for each partition, replaced as a whole (Kafka's format).

    0                     format version
    2                     number of entries
    topic-a 0 1234        topic, partition, offset
    topic-a 1 77

UTF-8, `\\n` after every line.  Written beside, synced and renamed, so a crash leaves the old file or the new one.
An empty file has no entries; any other file that breaks the format is a CorruptFileError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.model import TopicPartition
from wirebroker.storage.errors import CorruptFileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wirebroker.storage.files import Files

RECOVERY_POINTS = "recovery-point-offset-checkpoint"
HIGH_WATERMARKS = "replication-offset-checkpoint"
LOG_STARTS = "log-start-offset-checkpoint"
CLEANER_OFFSETS = "cleaner-offset-checkpoint"


class PartitionCheckpoints(NamedTuple):
    """The checkpoints of one partition in its log directory, read before its log is opened."""

    clean: bool = False
    """The last shutdown was clean: the log ends at *recovery_point*, if that is above 0."""
    recovery_point: int = 0
    """Everything below this offset is on the disk; 0 if there is no line for the partition."""
    log_start_offset: int = 0


def format_lines(entries: Iterable[str]) -> bytes:
    """Return the bytes of a file with these entry lines."""
    lines = list(entries)
    return "".join((f"0\n{len(lines)}\n", *(f"{line}\n" for line in lines))).encode()


def parse_lines(data: bytes, path: str) -> list[list[str]]:
    """Return the words of each entry in the bytes *data* of the file at *path*.

    Raises CorruptFileError: another version, another number of entries, or bytes that are no text.
    """
    if not data:
        return []
    if not data.endswith(b"\n"):
        raise CorruptFileError(f"{path}: the last line has no end")
    try:
        lines = data.decode().split("\n")[:-1]
        version, count = int(lines[0]), int(lines[1])
    except (UnicodeDecodeError, ValueError, IndexError) as error:
        raise CorruptFileError(f"{path}: {error}") from error
    if version != 0:
        raise CorruptFileError(f"{path}: unknown version {version}")
    if count != len(lines) - 2:
        raise CorruptFileError(f"{path}: {count} entries announced, {len(lines) - 2} found")
    return [line.split() for line in lines[2:]]


def read_offsets(files: Files, path: str) -> dict[TopicPartition, int]:
    """Return partition -> offset of the file at *path*; empty if there is no file.  Raises CorruptFileError."""
    data = files.read(path)
    offsets = {}
    for words in parse_lines(data or b"", path):
        try:
            topic, partition, offset = words
            offsets[TopicPartition(topic, int(partition))] = int(offset)
        except ValueError as error:
            raise CorruptFileError(f"{path}: malformed line {' '.join(words)!r}") from error
    return offsets


def write_offsets(files: Files, path: str, offsets: Mapping[TopicPartition, int]) -> None:
    files.write_whole(path, format_lines(f"{at.topic} {at.partition} {offset}" for at, offset in offsets.items()))
