"""Requests of administrators to a shard: DescribeGroups, ListGroups, DeleteGroups, and `wirebroker groups explain`.

As in Kafka, groups are described as they are now, whether or not replicas have their records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.offset_cleanup import OffsetCleanup, cleanup_offsets_of_deleted_group
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager
    from wirebroker.coordinator.group.offset_cleanup import OffsetCleanups
    from wirebroker.coordinator.group.requests import DeleteGroup, DescribeGroup, ExplainGroup, ListGroups
    from wirebroker.coordinator.turn import Turn

_TOMBSTONES_PER_TURN: Final = 1000
_REASON: Final = "client sent DeleteGroups"


class GroupAdmin:
    """Handles requests of administrators."""

    def __init__(self, manager: GroupMetadataManager, cleanups: OffsetCleanups) -> None:
        self._manager = manager
        self._cleanups = cleanups

    def describe(self, request: DescribeGroup, turn: Turn) -> None:
        """Answer with the ClassicGroup, to be read and not changed; None if there is none."""
        turn.reply_immediately(self._manager.groups.get(request.group_id))

    def list_groups(self, request: ListGroups, turn: Turn) -> None:
        """Answer with every ClassicGroup, to be read and not changed."""
        turn.reply_immediately(list(self._manager.groups.values()))

    def explain(self, request: ExplainGroup, turn: Turn) -> None:
        """Answer with the last rebalances of a group, the oldest first."""
        group = self._manager.groups.get(request.group_id)
        turn.reply_immediately(list(group.history.rebalances) if group is not None else [])

    def delete(self, request: DeleteGroup, turn: Turn) -> None:
        """Delete an empty group and its offsets; answered when the last of its tombstones is written."""
        manager = self._manager
        group = manager.groups.get(request.group_id)
        if group is None:
            turn.reply_immediately(ErrorCode.GROUP_ID_NOT_FOUND)
        elif group.state != ClassicGroupState.EMPTY or manager.offsets.has_pending(request.group_id):
            # Kafka deletes a group with pending commits, whose transactions then lose them unnoticed.
            turn.reply_immediately(ErrorCode.NON_EMPTY_GROUP)
        else:
            turn.result.required_acks = 0
            keys = manager.offsets.take_group(request.group_id)
            if len(keys) <= _TOMBSTONES_PER_TURN:
                turn.result.records += [records.offset_record(request.group_id, *key, None) for key in keys]
                manager.delete(group, _REASON, turn)
                turn.reply(ErrorCode.NONE)
            else:
                manager.delete(group, _REASON, turn)
                pending = turn.pending
                self._cleanups.start(
                    OffsetCleanup(
                        cleanup_offsets_of_deleted_group(request.group_id, keys),
                        "group deleted",
                        lambda last: last.reply_to(pending, ErrorCode.NONE),
                    ),
                    turn,
                )
