"""The state-change.log: its layout is Kafka's, and `wirebroker state-changes merge` reads it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.state_changes.merge import Selection
from wirebroker.kafka_controller.state_change_log import (
    STATE_CHANGE_LOGGER,
    StateChangeLogger,
    open_state_change_log,
)
from wirebroker.model import TopicPartition
from wirebroker.tests.kafka_controller.controller_cluster import ControllerCluster, settle
from wirebroker.zookeeper.znodes.admin import REASSIGN_PARTITIONS_PATH, encode_reassignment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def logger() -> Iterator[None]:
    """Leave the logger as it was."""
    handlers, level = list(STATE_CHANGE_LOGGER.handlers), STATE_CHANGE_LOGGER.level
    yield
    for each in STATE_CHANGE_LOGGER.handlers:
        if each not in handlers:
            each.close()
    STATE_CHANGE_LOGGER.handlers[:], STATE_CHANGE_LOGGER.propagate = handlers, True
    STATE_CHANGE_LOGGER.setLevel(level)


def test_changes_go_to_a_file_of_their_own(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "state-change.log"
    open_state_change_log(path)
    StateChangeLogger(1, 7).info("Changed partition %s from %s to %s", "t-0", "NewPartition", "OnlinePartition")
    (line,) = path.read_text().splitlines()
    assert line.endswith(
        "] INFO [Controller id=1 epoch=7] Changed partition t-0 from NewPartition to OnlinePartition"
        " (state.change.logger)"
    )
    assert caplog.records == []
    everything = Selection("t", frozenset({0}), "0000-00-00 00:00:00,000", "9999-12-31 23:59:59,999")
    assert everything.time_of(line) is not None


def test_without_a_file_only_errors_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    open_state_change_log(None)
    caplog.set_level(logging.ERROR, logger=STATE_CHANGE_LOGGER.name)
    StateChangeLogger(1, 7).info("Changed partition")
    StateChangeLogger(1, 7).error("Controller failed to change state")
    assert [record.levelname for record in caplog.records] == ["ERROR"]


@pytest.mark.parametrize(
    ("protocol", "stopped"),
    [("2.0", "StopReplica request (delete = false) for 1 replicas"), ("3.9", "StopReplica request for 1 replicas")],
)
async def test_the_wording_is_that_of_kafka(tmp_path: Path, protocol: str, stopped: str) -> None:
    path = tmp_path / "state-change.log"
    open_state_change_log(path)
    cluster = ControllerCluster()
    cluster.register(1, 2)
    async with cluster.controller(1, protocol):
        path.write_text("")
        cluster.put_topic("t", {0: (2, 1)}, None)
        await settle()
        begin = "[Controller id=1 epoch=1] "
        assert messages(path, begin) == [
            "Changed partition t-0 state from NonExistentPartition to NewPartition with assigned replicas 2,1",
            "Changed partition t-0 from NewPartition to OnlinePartition with state LeaderAndIsr(leader=2,"
            " leaderEpoch=0, isr=List(2, 1), leaderRecoveryState=RECOVERED, partitionEpoch=0)",
            "Sending LeaderAndIsr request to broker 2 with 1 become-leader and 0 become-follower partitions",
            "Sending LeaderAndIsr request to broker 1 with 0 become-leader and 1 become-follower partitions",
            "Sending UpdateMetadata request to brokers Set(1, 2) for 1 partitions",
        ]
        cluster.unregister(2)
        await settle()
        found = messages(path, begin)
        assert (
            "Changed partition t-0 from OfflinePartition to OnlinePartition with state LeaderAndIsr(leader=1,"
            " leaderEpoch=1, isr=List(1), leaderRecoveryState=RECOVERED, partitionEpoch=1)" in found
        )
        assert (
            "Partition t-0 state changed to (Leader:1,ISR:1,LeaderRecoveryState:RECOVERED,LeaderEpoch:1,ZkVersion:1,"
            "ControllerEpoch:1) after removing replica 2 from the ISR as part of transition to OfflineReplica" in found
        )
        cluster.register(2)
        await settle()
        cluster.zookeeper.put(REASSIGN_PARTITIONS_PATH, encode_reassignment({TopicPartition("t", 0): (1,)}))
        await settle()
        found = messages(path, begin)
        assert (
            "Sent LeaderAndIsr request (Leader:1,ISR:1,LeaderRecoveryState:RECOVERED,LeaderEpoch:2,ZkVersion:2,"
            "ControllerEpoch:1) with new replica assignment ReplicaAssignment(replicas=1, addingReplicas=,"
            " removingReplicas=) to leader 1 for partition being reassigned t-0" in found
        )
        assert f"Sending {stopped} to broker 2" in found


def messages(path: Path, begin: str) -> list[str]:
    """Return the messages of a log since the last call, without time and layout."""
    found = [
        line.partition("] INFO ")[2].removesuffix(" (state.change.logger)") for line in path.read_text().splitlines()
    ]
    path.write_text("")
    assert all(each.startswith(begin) for each in found), found
    return [each.removeprefix(begin) for each in found]
