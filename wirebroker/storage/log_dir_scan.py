"""Scan the log directories at start: which partitions are in them, before any log is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.storage.checkpoints import PartitionCheckpoints
from wirebroker.storage.errors import StorageError
from wirebroker.storage.log_dir import PartitionDir

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wirebroker.model import TopicPartition
    from wirebroker.storage.log_dir import LogDir


class LogDirScan(NamedTuple):
    """The partitions in one log directory."""

    clean: bool
    """The last shutdown was clean, or there are no logs that a crash could have damaged."""
    logs: list[PartitionDir]
    future_logs: list[PartitionDir]
    """Copies of logs that are moved to this directory (KIP-113)."""
    pending_deletion: dict[str, TopicPartition]
    """Name of a `-delete` directory -> the partition that it held."""


def scan_log_dir(log_dir: LogDir) -> LogDirScan:
    """Scan *log_dir*, read its checkpoints, and remove its clean-shutdown marker.  Raises OSError."""
    clean = log_dir.take_clean_marker()
    log_dir.read_checkpoints()
    partitions, futures, pending_deletion = log_dir.partitions()

    def partition_dirs(names: Mapping[TopicPartition, str]) -> list[PartitionDir]:
        points, starts = log_dir.recovery_points, log_dir.log_starts
        return [
            PartitionDir(log_dir, at, name, PartitionCheckpoints(clean, points.get(at, 0), starts.get(at, 0)))
            for at, name in names.items()
        ]

    return LogDirScan(clean or not partitions, partition_dirs(partitions), partition_dirs(futures), pending_deletion)


def check_duplicate_partitions(logs: Iterable[PartitionDir]) -> None:
    """Raise StorageError if a partition is in two directories: only an operator knows which one to keep."""
    seen: dict[TopicPartition, str] = {}
    for each in logs:
        path = each.log_dir.file(each.name)
        if each.at in seen:
            raise StorageError(f"{each.at} is in both {seen[each.at]} and {path}: remove one")
        seen[each.at] = path
