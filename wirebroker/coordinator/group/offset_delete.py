"""OffsetDelete in a shard (KIP-496)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestTopic,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.coordinator.group.classic_group import ClassicGroup
    from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager
    from wirebroker.coordinator.group.requests import DeleteOffsets
    from wirebroker.coordinator.turn import Turn


class OffsetDelete:
    """Handles OffsetDelete; topics that members consume keep their offsets."""

    def __init__(self, manager: GroupMetadataManager) -> None:
        self._manager = manager

    def handle(self, request: OffsetDeleteRequest, turn: Turn) -> None:
        """Delete the offsets of each partition, and the group if these were its last."""
        group = self._delete(request.group_id, request.topics, turn)
        if group is not None:
            self._manager.maybe_delete(group, "client sent OffsetDelete for its last offsets", turn)

    def handle_part(self, request: DeleteOffsets, turn: Turn) -> None:
        """Delete the offsets of each partition, and keep the group for the rest of the client's request."""
        self._delete(request.group_id, request.topics, turn)

    def _delete(self, group_id: str, wanted: Iterable[OffsetDeleteRequestTopic], turn: Turn) -> ClassicGroup | None:
        """Delete offsets and reply; return the group, None if the request is refused as a whole."""
        group = self._manager.groups.get(group_id)
        if group is None:
            turn.reply_immediately(OffsetDeleteResponse(error_code=ErrorCode.GROUP_ID_NOT_FOUND))
            return None
        if group.state != ClassicGroupState.EMPTY and group.protocol_type != "consumer":
            turn.reply_immediately(OffsetDeleteResponse(error_code=ErrorCode.NON_EMPTY_GROUP))
            return None
        turn.result.required_acks = 0
        subscribed = records.subscribed_topics(group)
        topics = []
        for topic in wanted:
            partitions = []
            for index in dict.fromkeys(each.partition_index for each in topic.partitions):
                code = ErrorCode.NONE
                if not self._manager.topic_exists(topic.name, index):
                    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                elif subscribed is None or topic.name in subscribed:
                    code = ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC
                else:
                    self._manager.delete_offset(group_id, topic.name, index, turn)
                partitions.append(OffsetDeleteResponsePartition(partition_index=index, error_code=code))
            if partitions:
                topics.append(OffsetDeleteResponseTopic(name=topic.name, partitions=partitions))
        turn.reply(OffsetDeleteResponse(topics=topics))
        return group
