"""Partitions that the metadata assigns to this broker and no log directory holds: lost, or never created.

A crash can undo the creation of a directory, but not of one whose log was flushed or whose records were replicated: the
checkpoint files of its log directory would know them.  A partition with a line there is refused like a damaged log, and
its lines stay, until the operator accepts the loss.  Any other begins empty.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from wirebroker.storage.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from pathlib import Path

    from wirebroker.model import TopicPartition
    from wirebroker.storage.log_dir import LogDir

logger = logging.getLogger(__name__)

_NAMES_SHOWN = 5


def refuse_lost_partitions(
    missing: Sequence[TopicPartition], log_dirs: Sequence[LogDir]
) -> dict[TopicPartition, StorageError]:
    """Return the partitions of *missing* that are lost, with the reason; log one line for each log directory.

    Args:
        missing: The partitions without a directory that the metadata assigns to this broker.
        log_dirs: Every log directory of the broker, all online.
    """
    refused: dict[TopicPartition, StorageError] = {}
    for log_dir in log_dirs:
        known = _known_ends(log_dir)
        lost = {at: known[at] for at in missing if known.get(at, 0) > 0 and at not in refused}
        if not lost:
            continue
        log_dir.keep_lines(lost)
        for at, end in lost.items():
            refused[at] = StorageError(f"the directory of {at} with records up to offset {end} is gone from {log_dir}")
        logger.error(
            "%s: the directories of %d partitions with records are missing: %s; they are not served: put them back, or"
            " accept the loss with `wirebroker log repair %s`",
            *(log_dir, len(lost), _names(lost), log_dir),
        )
    begin_empty = {at: 0 for at in missing if at not in refused}
    if begin_empty:
        logger.warning(
            "%d partitions have no directory and no records in any checkpoint; they begin empty: %s",
            *(len(begin_empty), _names(begin_empty)),
        )
    return refused


def find_replaced_dirs(
    log_dirs: Sequence[LogDir], unmarked: Collection[Path], expected: Iterable[TopicPartition]
) -> list[tuple[LogDir, str]]:
    """Return the directories that are empty although partitions are missing, with what an operator can do.

    Their disk may be the wrong one, or not mounted.

    Args:
        log_dirs: Every log directory of the broker, all online.
        unmarked: Directories without a `meta.properties`, while others have one.
        expected: The partitions that the metadata assigns to this broker.
    """
    contents = [(log_dir, log_dir.partitions()) for log_dir in log_dirs]
    present = {at for _, each in contents for at in (*each.partitions, *each.futures)}
    missing = [at for at in expected if at not in present]
    if not missing:
        return []
    why = (
        f"it is empty, and {len(missing)} partitions are in no log directory ({missing[0]}, ...): mount the right disk"
    )
    return [
        (log_dir, f"{why}, or accept the loss with `wirebroker log repair {log_dir} --accept-empty --execute`")
        for log_dir, each in contents
        if log_dir.path in unmarked and not (each.partitions or each.futures or log_dir.is_accepted_empty)
    ]


def _known_ends(log_dir: LogDir) -> dict[TopicPartition, int]:
    """Return partition -> the largest offset that the checkpoints of *log_dir* have for it."""
    ends: dict[TopicPartition, int] = {}
    for offsets in (log_dir.recovery_points, log_dir.log_starts, log_dir.high_watermarks()):
        for at, offset in offsets.items():
            ends[at] = max(offset, ends.get(at, 0))
    return ends


def _names(partitions: Mapping[TopicPartition, int]) -> str:
    shown = [f"{at} up to offset {end}" if end else str(at) for at, end in list(partitions.items())[:_NAMES_SHOWN]]
    return ", ".join([*shown, "..."] if len(partitions) > _NAMES_SHOWN else shown)
