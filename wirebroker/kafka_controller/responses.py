"""Error codes per partition in responses of brokers to the controller; pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.model import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrResponse
    from wirebroker.protocol.messages.stop_replica import StopReplicaResponse


def leader_and_isr_errors(
    response: LeaderAndIsrResponse, topic_names: Mapping[bytes, str]
) -> dict[TopicPartition, int]:
    """Return partition -> error code; topics by an id that is not known any more are left out."""
    found = {
        TopicPartition(each.topic_name, each.partition_index): each.error_code for each in response.partition_errors
    }
    for topic in response.topics:
        name = topic_names.get(topic.topic_id)
        if name is not None:
            found |= {TopicPartition(name, each.partition_index): each.error_code for each in topic.partition_errors}
    return found


def stop_replica_errors(response: StopReplicaResponse) -> dict[TopicPartition, int]:
    """Return partition -> error code."""
    return {
        TopicPartition(each.topic_name, each.partition_index): each.error_code for each in response.partition_errors
    }
