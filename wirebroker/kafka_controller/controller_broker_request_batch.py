"""ControllerBrokerRequestBatch: collects what one event wants brokers to be told, and sends it, one request per kind.

The order is Kafka's: LeaderAndIsr, UpdateMetadata, StopReplica.  LeaderAndIsr for a partition brings an UpdateMetadata
for it to all brokers.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Protocol

from wirebroker.kafka_controller.broker_requests import (
    EPOCH_DURING_DELETE,
    UNKNOWN_EPOCH,
    Sender,
    StopReplica,
    leader_and_isr_request,
    leader_and_isr_state,
    live_leader,
    stop_replica_requests,
    update_metadata_request,
    update_metadata_state,
    update_metadata_states,
)
from wirebroker.kafka_controller.state_change_log import StateChangeLogger
from wirebroker.kafka_controller.update_metadata_encoding import shared_update_metadata_requests

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
    from wirebroker.kafka_controller.context import ControllerContext
    from wirebroker.model import TopicPartition
    from wirebroker.protocol.message import WritableMessage
    from wirebroker.protocol.messages.leader_and_isr import LeaderAndIsrPartitionState, LeaderAndIsrResponse
    from wirebroker.protocol.messages.stop_replica import StopReplicaResponse
    from wirebroker.protocol.messages.update_metadata import UpdateMetadataPartitionState
    from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, ReplicaAssignment


class BrokerRequestSender(Protocol):
    """Sends requests to brokers; ControllerChannelManager is one."""

    def send_request(
        self,
        broker_id: int,
        request: WritableMessage,
        version: int,
        on_response: Callable[[Any], None] | None = None,
    ) -> None:
        """Queue a request behind the earlier ones to that broker; no effect for a broker that is not live."""


class ResponseListener(Protocol):
    """Hears of responses that call for an event of the controller."""

    def leader_and_isr_response_received(self, broker_id: int, response: LeaderAndIsrResponse) -> None:
        """Some replica of the request may be on a log directory that has failed."""

    def stop_replica_response_received(
        self, broker_id: int, response: StopReplicaResponse, deleted: frozenset[TopicPartition]
    ) -> None:
        """A broker has answered to StopReplica for the partitions *deleted*, which were to be deleted."""


class ControllerBrokerRequestBatch:
    """The requests of one event.

    Args:
        controller_id: The id of this broker.
        protocol: Says which versions brokers understand.
        listener_name: The listener by which brokers reach each other.
        context: Live brokers, assignments and leaders.
        sender: Sends the requests.
        responses: Hears of responses.
    """

    def __init__(
        self,
        controller_id: int,
        protocol: InterBrokerProtocol,
        listener_name: str,
        context: ControllerContext,
        sender: BrokerRequestSender,
        responses: ResponseListener,
    ) -> None:
        self._controller_id, self._protocol, self._listener_name = controller_id, protocol, listener_name
        self._context, self._sender, self._responses = context, sender, responses
        self._leader_and_isr: dict[int, dict[str, dict[int, LeaderAndIsrPartitionState]]] = {}
        """Broker id -> topic -> number -> state."""
        self._stop_replica: dict[int, dict[TopicPartition, StopReplica]] = {}
        self._update_metadata_brokers: set[int] = set()
        self._are_all_brokers_told = False
        """Whether UpdateMetadata goes to all brokers, whatever `_update_metadata_brokers`."""
        self._update_metadata: dict[str, dict[int, UpdateMetadataPartitionState]] = {}
        """Topic -> number -> state."""
        self._told: dict[TopicPartition, LeaderIsrAndControllerEpoch] = {}
        """The states that `_update_metadata` was made of."""

    def new_batch(self) -> None:
        """Begin a batch.

        Raises:
            RuntimeError: the requests of an earlier one were not sent.
        """
        if self._leader_and_isr or self._stop_replica or self._update_metadata_brokers or self._are_all_brokers_told:
            raise RuntimeError("the batch of requests of an earlier event was not sent")

    def clear(self) -> None:
        """Forget the requests that were not sent, when an event fails or the controller resigns."""
        self._leader_and_isr.clear()
        self._stop_replica.clear()
        self._update_metadata_brokers.clear()
        self._are_all_brokers_told = False
        self._update_metadata.clear()
        self._told.clear()

    def add_leader_and_isr_request_for_brokers(
        self,
        broker_ids: Iterable[int],
        partition: TopicPartition,
        state: LeaderIsrAndControllerEpoch,
        assignment: ReplicaAssignment,
        *,
        is_new: bool,
    ) -> None:
        """Tell brokers the leader and ISR of one of their partitions, and all brokers by UpdateMetadata.

        Args:
            broker_ids: The brokers that lead or follow the partition.
            partition: The partition.
            state: Leader and ISR, with the version of the znode.
            assignment: The replicas.
            is_new: Whether the replicas are new, so that no log is missed.
        """
        for broker_id in broker_ids:
            if broker_id < 0:
                continue
            states = self._leader_and_isr.setdefault(broker_id, {}).setdefault(partition.topic, {})
            before = states.get(partition.partition)
            was_new = before is not None and before.is_new
            told = leader_and_isr_state(partition, state, assignment, is_new=is_new or was_new)
            if not self._protocol.leader_recovery_supported:
                told.leader_recovery_state = 0
            states[partition.partition] = told
        self._are_all_brokers_told = True
        self._add_update_metadata_state(partition)

    def add_stop_replica_request_for_brokers(
        self, broker_ids: Iterable[int], partition: TopicPartition, *, delete: bool
    ) -> None:
        """Have brokers stop their replica of *partition*, and delete its log if *delete*."""
        leader_epoch = UNKNOWN_EPOCH
        if self._context.is_topic_queued_for_deletion(partition.topic):
            leader_epoch = EPOCH_DURING_DELETE
        elif partition in self._context.partition_leadership:
            leader_epoch = self._context.partition_leadership[partition].leader_epoch
        for broker_id in broker_ids:
            if broker_id < 0:
                continue
            replicas = self._stop_replica.setdefault(broker_id, {})
            before = replicas.get(partition)
            replicas[partition] = StopReplica(leader_epoch, delete or (before is not None and before.delete))

    def add_update_metadata_request_for_brokers(
        self, broker_ids: Iterable[int], partitions: Iterable[TopicPartition]
    ) -> None:
        """Tell brokers all live brokers, and the leaders of *partitions*, as far as those ever had one."""
        self._update_metadata_brokers.update(each for each in broker_ids if each >= 0)
        for partition in partitions:
            self._add_update_metadata_state(partition)

    def _add_update_metadata_state(self, partition: TopicPartition) -> None:
        context = self._context
        state = context.partition_leadership.get(partition)
        if state is None or self._told.get(partition) is state:
            return
        self._told[partition] = state
        replicas = context.replica_assignment(partition).replicas
        self._update_metadata.setdefault(partition.topic, {})[partition.partition] = update_metadata_state(
            partition,
            state,
            replicas,
            [each for each in replicas if not context.is_replica_online(each, partition)],
            is_being_deleted=context.is_topic_queued_for_deletion(partition.topic),
        )

    def send_requests_to_brokers(self) -> None:
        """Queue the collected requests at the channels of live brokers, and begin anew."""
        log = StateChangeLogger(self._controller_id, self._context.epoch)
        try:
            self._send_leader_and_isr(log)
            self._send_update_metadata(log)
            self._send_stop_replica(log)
        finally:
            self.clear()

    def _header(self, broker_id: int) -> Sender:
        return Sender(self._controller_id, self._context.epoch, self._context.broker_epoch(broker_id))

    def _send_leader_and_isr(self, log: StateChangeLogger) -> None:
        brokers, version = self._context.brokers, self._protocol.leader_and_isr_version
        for broker_id, states in self._leader_and_isr.items():
            if broker_id not in brokers:
                continue
            all_states = [state for found in states.values() for state in found.values()]
            leader_ids = {state.leader for state in all_states}
            became_leader = sum(state.leader == broker_id for state in all_states)
            if log.isEnabledFor(logging.DEBUG):
                for topic, found in states.items():
                    for number, state in found.items():
                        log.debug(
                            "Sending become-%s LeaderAndIsr request %r to broker %d for partition %s-%d",
                            "leader" if state.leader == broker_id else "follower",
                            state,
                            broker_id,
                            topic,
                            number,
                        )
            log.info(
                "Sending LeaderAndIsr request to broker %d with %d become-leader and %d become-follower partitions",
                broker_id,
                became_leader,
                len(all_states) - became_leader,
            )
            leaders = (live_leader(brokers[each].info, self._listener_name) for each in leader_ids if each in brokers)
            request = leader_and_isr_request(
                self._header(broker_id),
                version,
                states,
                self._context.topic_ids,
                [each for each in leaders if each is not None],
            )
            received = partial(self._responses.leader_and_isr_response_received, broker_id)
            self._sender.send_request(broker_id, request, version, received)

    def _send_update_metadata(self, log: StateChangeLogger) -> None:
        if not (self._update_metadata_brokers or self._are_all_brokers_told):
            return
        brokers, version = self._context.brokers, self._protocol.update_metadata_version
        told = brokers.keys() if self._are_all_brokers_told else self._update_metadata_brokers & brokers.keys()
        recipients = sorted(told)
        listed = ", ".join(map(str, recipients))
        log.info("Sending UpdateMetadata request to brokers Set(%s) for %d partitions", listed, len(self._told))
        infos = [each.info for each in brokers.values()]
        states = update_metadata_states(version, self._update_metadata, self._context.topic_ids)
        request = update_metadata_request(self._controller_id, self._context.epoch, version, states, infos)
        epochs = {each: brokers[each].epoch for each in recipients}
        for broker_id, shared in shared_update_metadata_requests(request, version, epochs):
            self._sender.send_request(broker_id, shared, version)

    def _send_stop_replica(self, log: StateChangeLogger) -> None:
        brokers, version = self._context.brokers, self._protocol.stop_replica_version
        for broker_id, replicas in self._stop_replica.items():
            if broker_id not in brokers:
                continue
            for partition, each in replicas.items():
                log.debug("Sending StopReplica request %r to broker %d for partition %s", each, broker_id, partition)
            if version > _STOP_REPLICA_SPLIT:
                log.info("Sending StopReplica request for %d replicas to broker %d", len(replicas), broker_id)
            else:
                for delete in sorted({each.delete for each in replicas.values()}, reverse=True):
                    log.info(
                        "Sending StopReplica request (delete = %s) for %d replicas to broker %d",
                        str(delete).lower(),
                        sum(each.delete is delete for each in replicas.values()),
                        broker_id,
                    )
            deleted = frozenset(
                partition
                for partition, each in replicas.items()
                if each.delete and self._context.is_topic_queued_for_deletion(partition.topic)
            )
            for request in stop_replica_requests(self._header(broker_id), version, replicas):
                of_request = deleted if version > _STOP_REPLICA_SPLIT or request.delete_partitions else frozenset()
                received = self._responses.stop_replica_response_received
                on_response = _with_deleted(received, broker_id, of_request) if of_request else None
                self._sender.send_request(broker_id, request, version, on_response)


_STOP_REPLICA_SPLIT = 2
"""The last version with partitions to be deleted in a request of their own."""


def _with_deleted(
    received: Callable[[int, StopReplicaResponse, frozenset[TopicPartition]], None],
    broker_id: int,
    deleted: frozenset[TopicPartition],
) -> Callable[[StopReplicaResponse], None]:
    return lambda response: received(broker_id, response, deleted)
