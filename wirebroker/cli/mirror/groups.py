"""Committed offsets of consumer groups, translated for the destination of a mirror."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli.groups.requests import committed_offsets, list_groups
from wirebroker.cli.groups.reset_offsets import commit_offsets
from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wirebroker.cli.mirror.positions import Checkpoint, Position
    from wirebroker.client.admin import Admin


def chosen_groups(source: Admin, names: Sequence[str], *, all_groups: bool) -> list[str]:
    """Return the groups to copy."""
    return sorted(group.group_id for group in list_groups(source)) if all_groups else list(names)


def translated_offsets(
    committed: Mapping[TopicPartition, int], positions: Mapping[TopicPartition, Position], names: Mapping[str, str]
) -> dict[TopicPartition, int]:
    """Return the offsets of the destination's partitions for those *committed* in the source's."""
    found: dict[TopicPartition, int] = {}
    for at, offset in committed.items():
        position = positions.get(at)
        if position is not None and (translated := position.translate(offset)) is not None:
            found[TopicPartition(names[at.topic], at.partition)] = translated
    return found


def copy_groups(source: Admin, destination: Admin, groups: Sequence[str], checkpoint: Checkpoint) -> int:
    """Commit the groups' offsets in the destination; return the number of groups with offsets in mirrored topics.

    Raises:
        ClientError: a coordinator refuses, as that of a group that has members in the destination does.
    """
    count = 0
    for group_id in groups:
        offsets = translated_offsets(committed_offsets(source, group_id), checkpoint.positions, checkpoint.names)
        if offsets:
            commit_offsets(destination, group_id, offsets)
            count += 1
    return count
