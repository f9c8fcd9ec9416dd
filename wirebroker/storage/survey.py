"""What a start finds in the log directories, before any log is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.storage.faults import StorageError
from wirebroker.storage.log_loader import Known
from wirebroker.storage.log_moves import Found

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wirebroker.model import TopicPartition
    from wirebroker.storage.log_dir import LogDir


class Survey(NamedTuple):
    """One directory."""

    clean: bool
    """Was it shut down cleanly, or is there nothing that a crash could have hurt?"""
    logs: list[Found]
    copies: list[Found]
    """Of logs that were on their way here."""
    doomed: dict[str, TopicPartition]
    """Directories that wait for their deletion, and what they were."""


def survey(log_dir: LogDir) -> Survey:
    """Look at *log_dir*, and take its clean-shutdown marker away.  Raises OSError."""
    clean = log_dir.take_clean_marker()
    log_dir.read_checkpoints()
    partitions, futures, doomed = log_dir.partitions()

    def found(names: Mapping[TopicPartition, str]) -> list[Found]:
        points, starts = log_dir.recovery_points, log_dir.log_starts
        return [
            Found(log_dir, at, name, Known(clean, points.get(at, 0), starts.get(at, 0))) for at, name in names.items()
        ]

    return Survey(clean or not partitions, found(partitions), found(futures), doomed)


def refuse_doubles(logs: Iterable[Found]) -> None:
    """Raises StorageError if a partition is there twice: which one counts is the operator's to say."""
    seen: dict[TopicPartition, str] = {}
    for each in logs:
        path = each.log_dir.file(each.name)
        if each.at in seen:
            raise StorageError(f"{each.at} is in both {seen[each.at]} and {path}: remove one")
        seen[each.at] = path
