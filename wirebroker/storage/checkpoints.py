"""The small text files that remember offsets: one line an entry, replaced as a whole.

    0                     format version
    2                     number of entries
    topic-a 0 1234        topic, partition, offset
    topic-a 1 77

UTF-8, `\\n` after every line.  Written beside, synced and renamed, so a crash leaves the old file or the new one.
An empty file has no entries; anything else that does not add up is a CorruptFile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.model import TopicPartition
from wirebroker.storage.faults import CorruptFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wirebroker.storage.files import Files

RECOVERY_POINTS = "recovery-point-offset-checkpoint"
HIGH_WATERMARKS = "replication-offset-checkpoint"
LOG_STARTS = "log-start-offset-checkpoint"
CLEANER_OFFSETS = "cleaner-offset-checkpoint"


def format_lines(entries: Iterable[str]) -> bytes:
    """The file with these entry lines."""
    lines = list(entries)
    return "".join((f"0\n{len(lines)}\n", *(f"{line}\n" for line in lines))).encode()


def parse_lines(data: bytes, path: str) -> list[list[str]]:
    """The entries' words.  Raises CorruptFile on another version, another count or text that is none."""
    if not data:
        return []
    try:
        lines = data.decode().split("\n")
        if lines.pop() != "":
            raise CorruptFile(f"{path}: the last line has no end")
        version, count = int(lines[0]), int(lines[1])
    except (UnicodeDecodeError, ValueError, IndexError) as error:
        raise CorruptFile(f"{path}: {error}") from error
    if version != 0:
        raise CorruptFile(f"{path}: unknown version {version}")
    if count != len(lines) - 2:
        raise CorruptFile(f"{path}: {count} entries announced, {len(lines) - 2} found")
    return [line.split() for line in lines[2:]]


def read_offsets(files: Files, path: str) -> dict[TopicPartition, int]:
    """Partition -> offset; empty if there is no file.  Raises CorruptFile."""
    data = files.read(path)
    offsets = {}
    for words in parse_lines(data or b"", path):
        try:
            topic, partition, offset = words
            offsets[TopicPartition(topic, int(partition))] = int(offset)
        except ValueError as error:
            raise CorruptFile(f"{path}: malformed line {' '.join(words)!r}") from error
    return offsets


def write_offsets(files: Files, path: str, offsets: Mapping[TopicPartition, int]) -> None:
    files.write_whole(path, format_lines(f"{at.topic} {at.partition} {offset}" for at, offset in offsets.items()))
