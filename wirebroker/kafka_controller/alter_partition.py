"""AlterPartition at the active controller: a leader asks for another ISR of its partition (KIP-497, 704, 841, 903).

`check` has the rules, in Kafka's order.  An ISR that passes is written with the version that the leader knows; all
brokers then hear of it by UpdateMetadata, in one batch per request.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    ResponsePartitionData,
    ResponseTopicData,
)
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch

if TYPE_CHECKING:
    from wirebroker.kafka_controller.context import ControllerContext
    from wirebroker.kafka_controller.controller_broker_request_batch import ControllerBrokerRequestBatch
    from wirebroker.kafka_controller.controller_zk_client import ControllerZkClient
    from wirebroker.protocol.messages.alter_partition import RequestPartitionData, RequestTopicData

log = logging.getLogger(__name__)

_TOPIC_IDS_SINCE: Final = 2
"""Versions with topic ids; they also have INELIGIBLE_REPLICA."""
_BROKER_EPOCHS_SINCE: Final = 3

Outcome = LeaderIsrAndControllerEpoch | ErrorCode
"""The state that a partition has now, or why the request for it was refused."""


class AlterPartitionResult(NamedTuple):
    """The response, and the partitions whose states are as their leaders have asked for."""

    response: AlterPartitionResponse
    altered: list[TopicPartition]


def check(
    context: ControllerContext, partition: TopicPartition, wanted: LeaderIsrAndControllerEpoch, version: int
) -> Outcome | None:
    """Return why *wanted* is not to be written, or the present state if it is so already; None to write it.

    Args:
        context: leaders and live brokers.
        partition: the partition that the leader names.
        wanted: the leader, its epoch, the new ISR, and the partition epoch that the leader knows.
        version: the version of the request.
    """
    current = context.partition_leadership.get(partition)
    if current is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if wanted.partition_epoch > current.partition_epoch or wanted.leader_epoch > current.leader_epoch:
        # the leader knows of a newer controller
        return ErrorCode.NOT_CONTROLLER
    if wanted.leader_epoch < current.leader_epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if _without_writer(wanted) == _without_writer(current):
        # before the check of the partition epoch: the leader repeats a request whose response was lost
        return current
    if wanted.partition_epoch < current.partition_epoch:
        return ErrorCode.INVALID_UPDATE_VERSION
    if wanted.is_recovering and (len(wanted.isr) > 1 or not current.is_recovering):
        return ErrorCode.INVALID_REQUEST
    if not context.live_broker_ids() >= set(wanted.isr):
        return ErrorCode.INELIGIBLE_REPLICA if version >= _TOPIC_IDS_SINCE else ErrorCode.OPERATION_NOT_ATTEMPTED
    return None


def _without_writer(state: LeaderIsrAndControllerEpoch) -> LeaderIsrAndControllerEpoch:
    return state._replace(controller_epoch=0, partition_epoch=0)


async def alter_partitions(
    context: ControllerContext,
    zk_client: ControllerZkClient,
    batch: ControllerBrokerRequestBatch,
    request: AlterPartitionRequest,
    version: int,
) -> AlterPartitionResult:
    """Change the ISRs of a request, tell all brokers, and return the response; an event of the active controller.

    Raises:
        ControllerMoved: another broker is the controller by now.
    """
    broker = context.brokers.get(request.broker_id)
    if broker is None or broker.epoch != request.broker_epoch:
        log.info(
            "controller: AlterPartition of broker %d with epoch %d is refused: %s",
            request.broker_id,
            request.broker_epoch,
            "it is not registered" if broker is None else f"its epoch is {broker.epoch}",
        )
        return AlterPartitionResult(AlterPartitionResponse(error_code=ErrorCode.STALE_BROKER_EPOCH), [])
    outcomes: dict[TopicPartition, Outcome] = {}
    to_write: dict[TopicPartition, LeaderIsrAndControllerEpoch] = {}
    for topic in request.topics:
        name = _name(context, topic, version)
        for each in topic.partitions if name is not None else ():
            assert name is not None
            partition, wanted = TopicPartition(name, each.partition_index), _wanted(context, request, each, version)
            outcome = check(context, partition, wanted, version)
            if outcome is None:
                to_write[partition] = wanted
            else:
                outcomes[partition] = outcome
                if isinstance(outcome, ErrorCode):
                    log.info("controller: AlterPartition for %s to %s is refused: %s", partition, wanted, outcome.name)
    if to_write:
        outcomes.update(await _write(context, zk_client, to_write))
    if outcomes:
        batch.new_batch()
        batch.add_update_metadata_request_for_brokers(context.live_or_shutting_down_broker_ids(), outcomes)
        batch.send_requests_to_brokers()
    altered = [partition for partition, outcome in outcomes.items() if not isinstance(outcome, ErrorCode)]
    return AlterPartitionResult(_response(context, request, outcomes, version), altered)


def _name(context: ControllerContext, topic: RequestTopicData, version: int) -> str | None:
    return context.topic_names.get(topic.topic_id) if version >= _TOPIC_IDS_SINCE else topic.topic_name


def _wanted(
    context: ControllerContext, request: AlterPartitionRequest, each: RequestPartitionData, version: int
) -> LeaderIsrAndControllerEpoch:
    isr = each.new_isr
    if version >= _BROKER_EPOCHS_SINCE:
        isr = [replica.broker_id for replica in each.new_isr_with_epochs]
    return LeaderIsrAndControllerEpoch(
        request.broker_id,
        each.leader_epoch,
        tuple(isr),
        context.epoch,
        each.leader_recovery_state == 1,
        each.partition_epoch,
    )


async def _write(
    context: ControllerContext,
    zk_client: ControllerZkClient,
    states: dict[TopicPartition, LeaderIsrAndControllerEpoch],
) -> dict[TopicPartition, Outcome]:
    """Write *states* and put them into the context; return the outcome for each partition."""
    result = await zk_client.update_leader_and_isr(states, context.epoch_zk_version)
    outcomes: dict[TopicPartition, Outcome] = dict(result.finished)
    for partition, error in result.failed.items():
        log.error("controller: failed to update the ISR of %s to %s: %s", partition, states[partition], error)
        outcomes[partition] = ErrorCode.UNKNOWN_SERVER_ERROR
    current = dict(result.finished)
    if result.partitions_to_retry:
        # a leader at an older protocol has written the znode itself: the context must not stay behind it
        current |= await zk_client.get_topic_partition_states(result.partitions_to_retry)
        outcomes.update(dict.fromkeys(result.partitions_to_retry, ErrorCode.INVALID_UPDATE_VERSION))
    for partition, state in current.items():
        if partition in context.partition_leadership:
            context.put_partition_leadership(partition, state)
    return outcomes


def _response(
    context: ControllerContext,
    request: AlterPartitionRequest,
    outcomes: dict[TopicPartition, Outcome],
    version: int,
) -> AlterPartitionResponse:
    topics: list[ResponseTopicData] = []
    for topic in request.topics:
        name = _name(context, topic, version)
        partitions: list[ResponsePartitionData] = []
        for each in topic.partitions:
            outcome: Outcome = ErrorCode.UNKNOWN_TOPIC_ID
            if name is not None:
                outcome = outcomes[TopicPartition(name, each.partition_index)]
            partitions.append(_response_partition(each.partition_index, outcome))
        topics.append(ResponseTopicData(topic.topic_name, topic.topic_id, partitions))
    return AlterPartitionResponse(topics=topics)


def _response_partition(index: int, outcome: Outcome) -> ResponsePartitionData:
    if isinstance(outcome, ErrorCode):
        return ResponsePartitionData(index, outcome)
    return ResponsePartitionData(
        index,
        ErrorCode.NONE,
        outcome.leader,
        outcome.leader_epoch,
        list(outcome.isr),
        int(outcome.is_recovering),
        outcome.partition_epoch,
    )
