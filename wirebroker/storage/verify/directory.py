"""Check a log directory with all partitions in it, or one partition's directory on its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wirebroker.model import TopicPartition
from wirebroker.storage import checkpoints
from wirebroker.storage.faults import CorruptFile
from wirebroker.storage.log_dir import CLEAN_SHUTDOWN, LOCK
from wirebroker.storage.verify.findings import Checked, Finding, Remedy
from wirebroker.storage.verify.partition import PartitionCheck

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wirebroker.storage.files import Files

_PARTITION = re.compile(r"(.+)-(\d+)")
_MOVING = re.compile(r"(.+-\d+)\.\S+-future")
_SEGMENT = re.compile(r"\d{20}\.log")
CHECKPOINTS = (
    checkpoints.RECOVERY_POINTS,
    checkpoints.HIGH_WATERMARKS,
    checkpoints.LOG_STARTS,
    checkpoints.CLEANER_OFFSETS,
)


def is_partition(directory: Path) -> bool:
    """Is *directory* one partition's, and not one with partitions in it?"""
    return any(_SEGMENT.fullmatch(path.name) for path in directory.iterdir())


def partitions_in(directory: Path) -> list[Path]:
    """The partition directories to check, *directory* itself if it is one."""
    if is_partition(directory):
        return [directory]
    return sorted(path for path in directory.iterdir() if path.is_dir() and _PARTITION.fullmatch(path.name))


def size_of(directory: Path) -> int:
    """Bytes that a check will read."""
    return sum(path.stat().st_size for each in partitions_in(directory) for path in each.glob("*.log"))


def in_use(directory: Path, files: Files) -> bool:
    """Does a broker use *directory* (or the one that it is in) now?"""
    root = directory.parent if is_partition(directory) else directory
    path = str(root / LOCK)
    if not files.exists(path):
        return False
    lock = files.lock(path)
    if lock is None:
        return True
    lock.close()
    return False


def verify(
    directory: Path, files: Files, checked: Checked, advance: Callable[[int], None] = lambda _: None
) -> dict[TopicPartition, int]:
    """Check everything in *directory*, which no broker uses; *advance* is told the bytes that were read.

    Returns where the logs end.  Raises OSError.
    """
    alone = is_partition(directory)
    root = directory.parent if alone else directory
    clean = files.exists(str(root / CLEAN_SHUTDOWN))
    recovery_points = _recovery_points(root, files)
    ends: dict[TopicPartition, int] = {}
    ids: dict[str, dict[bytes, list[Path]]] = {}
    for path in partitions_in(directory):
        match = _PARTITION.fullmatch(path.name)
        at = None if match is None else TopicPartition(match[1], int(match[2]))
        recovery_point = None if at is None else recovery_points.get(at)
        check = PartitionCheck(
            path,
            files,
            checked,
            advance,
            clean=clean,
            ended_at=recovery_point if clean else None,
            recovery_point=recovery_point or 0,
        )
        check.run()
        if at is not None:
            ends[at] = check.end_offset
            if check.topic_id is not None:
                ids.setdefault(at.topic, {}).setdefault(check.topic_id, []).append(path)
    for topic, found in ids.items():
        if len(found) > 1:
            rare = min(found.values(), key=len)[0]
            checked.add(Finding(str(rare / "partition.metadata"), f"another topic id than other partitions of {topic}"))
    if not alone:
        moving = {match[1] for path in directory.iterdir() if (match := _MOVING.fullmatch(path.name))}
        for name in CHECKPOINTS:
            _check_offsets(f"{directory}/{name}", ends, moving, files, checked)
    return ends


def _recovery_points(root: Path, files: Files) -> dict[TopicPartition, int]:
    try:
        return checkpoints.read_offsets(files, f"{root}/{checkpoints.RECOVERY_POINTS}")
    except CorruptFile:
        return {}  # reported when its turn comes


def _check_offsets(
    path: str, ends: dict[TopicPartition, int], moving: set[str], files: Files, checked: Checked
) -> None:
    if not files.exists(path):
        return
    checked.other_files += 1
    try:
        offsets = checkpoints.read_offsets(files, path)
    except CorruptFile as fault:
        checked.add(Finding(path, str(fault).removeprefix(f"{path}: "), remedy=Remedy.REMOVE))
        return
    for at, offset in offsets.items():
        if at not in ends:
            if at.topic == "__cluster_metadata" or str(at) in moving:
                continue
            if offset > 0:
                what = f"{at} is at offset {offset} in it, and has no directory"
                checked.add(Finding(path, what, remedy=Remedy.DROP_LINE, partition=at))
            else:
                checked.add(Finding(path, f"{at} is in it and not in the directory", is_damage=False))
        elif not 0 <= offset <= ends[at]:
            what = f"{at} is at offset {offset} in it, and its log ends at {ends[at]}"
            checked.add(Finding(path, what, remedy=Remedy.CORRECT_OFFSETS))
