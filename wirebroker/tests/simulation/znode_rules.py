"""ZnodeRules: the invariants of controller epochs and partition states, checked with each write to ZooKeeper."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from wirebroker.model import TopicPartition
from wirebroker.tests.simulation.trace import Violation
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, TopicAssignment, topic_path

if TYPE_CHECKING:
    from wirebroker.tests.simulation.zookeeper import SimulatedZooKeeper, Written

_CONTROLLER_EPOCH: Final = "/controller_epoch"
_STATE: Final = re.compile(r"/brokers/topics/([^/]+)/partitions/(\d+)/state")
_TOPIC: Final = re.compile(r"/brokers/topics/([^/]+)")


class ZnodeRules:
    """Knows all earlier states."""

    def __init__(self, zookeeper: SimulatedZooKeeper, *, leaders_write: bool) -> None:
        """With *leaders_write*, leaders may change their ISRs themselves."""
        self._zookeeper, self._leaders_write = zookeeper, leaders_write
        self._epoch = 0
        self._writers: dict[int, int] = {}
        """Controller epoch -> the session that has written it: the only one that may write states in it."""
        self._states: dict[str, LeaderIsrAndControllerEpoch] = {}

    def check(self, written: Written) -> None:
        """Check what a request has left.  Raises Violation."""
        for path in dict.fromkeys(written.paths):
            if path == _CONTROLLER_EPOCH:
                self._check_epoch(written)
            elif (found := _STATE.fullmatch(path)) is not None:
                self._check_state(path, TopicPartition(found[1], int(found[2])), written)
            elif (found := _TOPIC.fullmatch(path)) is not None and path not in self._zookeeper.nodes:
                self._states = {each: state for each, state in self._states.items() if not each.startswith(f"{path}/")}

    def _check_epoch(self, written: Written) -> None:
        node = self._zookeeper.nodes.get(_CONTROLLER_EPOCH)
        epoch = 0 if node is None or not node.data else int(node.data)
        if epoch == self._epoch:
            return  # a check, or the creation
        if epoch != self._epoch + 1:
            raise Violation(f"controller epoch {epoch} was written by {written.client} after {self._epoch}")
        self._epoch = epoch
        self._writers[epoch] = written.session_id

    def _check_state(self, path: str, partition: TopicPartition, written: Written) -> None:
        node = self._zookeeper.nodes.get(path)
        before = self._states.pop(path, None)
        if node is None:
            return
        where = f"state of {partition}, written by {written.client}"
        state = LeaderIsrAndControllerEpoch.decode(partition, node.data, node.version)
        if not self._is_by_controller(written) and not self._is_by_leader(written, before, state):
            raise Violation(f"{where}: it is not the controller of epoch {self._epoch}")
        self._states[path] = state
        if state.controller_epoch > self._epoch:
            raise Violation(f"{where}: controller epoch {state.controller_epoch}, but the newest is {self._epoch}")
        topic = TopicAssignment.decode(partition.topic, self._zookeeper.read(topic_path(partition.topic)))
        replicas = topic.partitions[partition.partition].replicas
        if not set(state.isr) <= set(replicas):
            raise Violation(f"{where}: ISR {state.isr} is no part of the replicas {replicas}")
        if not state.isr or (state.leader != -1 and state.leader not in state.isr):
            raise Violation(f"{where}: leader {state.leader} with ISR {state.isr}")
        if before is None:
            return
        if state.controller_epoch < before.controller_epoch:
            raise Violation(f"{where}: controller epoch {state.controller_epoch} after {before.controller_epoch}")
        if state.leader_epoch < before.leader_epoch:
            raise Violation(f"{where}: leader epoch {state.leader_epoch} after {before.leader_epoch}")
        if state.leader_epoch == before.leader_epoch and state.leader != before.leader:
            raise Violation(f"{where}: leader {state.leader} after {before.leader} in epoch {state.leader_epoch}")
        if not set(state.isr) & set(before.isr):
            raise Violation(f"{where}: ISR {state.isr} after {before.isr}: an unclean election")

    def _is_by_controller(self, written: Written) -> bool:
        return self._writers.get(self._epoch) == written.session_id

    def _is_by_leader(
        self, written: Written, before: LeaderIsrAndControllerEpoch | None, state: LeaderIsrAndControllerEpoch
    ) -> bool:
        """Whether a leader has changed the ISR, and nothing else, below inter-broker protocol 2.7."""
        return (
            self._leaders_write
            and before is not None
            and written.client == f"broker-{state.leader}"
            and before._replace(isr=state.isr, partition_epoch=state.partition_epoch) == state
        )
