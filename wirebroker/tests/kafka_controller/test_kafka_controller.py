"""KafkaController on the fake ZooKeeper: brokers, topics, notifications, failover."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest
import trio

from wirebroker.config.endpoints import Listener
from wirebroker.kafka_controller.kafka_controller import FIRST_REBALANCE_S, RebalanceSettings
from wirebroker.kafka_controller.states import PartitionState
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.kafka_controller.controller_cluster import (
    ControllerCluster,
    leader_and_isr_states,
    settle,
)
from wirebroker.tests.kafka_controller.machines import join_isr
from wirebroker.zookeeper.znodes.admin import REASSIGN_PARTITIONS_PATH, delete_topic_path, encode_reassignment
from wirebroker.zookeeper.znodes.brokers import BrokerInfo, broker_path
from wirebroker.zookeeper.znodes.cluster import CONTROLLER_PATH, Controller
from wirebroker.zookeeper.znodes.configs import TOPICS, ConfigEntity, encode_config
from wirebroker.zookeeper.znodes.notifications import ISR_CHANGES_PATH, encode_isr_change, encode_log_dir_failure
from wirebroker.zookeeper.znodes.topics import partition_state_path

if TYPE_CHECKING:
    from trio.testing import MockClock

T0 = TopicPartition("t", 0)


@pytest.mark.parametrize(("protocol", "versions"), [("2.0", (1, 4, 0)), ("2.8", (5, 7, 3)), ("3.9", (7, 8, 4))])
async def test_a_new_topic_gets_leaders(protocol: str, versions: tuple[int, int, int]) -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2, 3)
    async with cluster.controller(1, protocol):
        cluster.take_sent()
        cluster.put_topic("t", {0: (1, 2), 1: (4, 3)}, None)
        await settle()
        assert cluster.leaders("t") == {0: (1, (1, 2)), 1: (3, (3,))}
        told = [each for each in cluster.sent if each.name == "LeaderAndIsr"]
        assert {each.version for each in cluster.sent} <= set(versions)
        assert [each.broker_id for each in told] == [1, 2, 3]
        for each in told:
            states = each.request.topic_states[0].partition_states if versions[0] > 1 else ()
            states = states or each.request.ungrouped_partition_states
            assert all(state.is_new and state.leader_epoch == 0 for state in states)
        updates = [each for each in cluster.sent if each.name == "UpdateMetadata"]
        assert {each.broker_id for each in updates} == {1, 2, 3}
        if protocol != "2.0":
            (topic,) = updates[0].request.topic_states
            assert topic.topic_id != bytes(16)
            assert [state.offline_replicas for state in topic.partition_states] == [[], [4]]


async def test_partitions_are_added_and_topics_disappear() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2)
    cluster.put_topic("t", {0: (1, 2)})
    async with cluster.controller(1) as only:
        cluster.put_topic("t", {0: (1, 2), 1: (2, 1)})
        await settle()
        assert cluster.leaders("t") == {0: (1, (1, 2)), 1: (2, (2, 1))}
        await only.client.create("/admin/delete_topics/t")
        await settle()
        assert "/brokers/topics/t" not in cluster.zookeeper.nodes
        assert only.assembled.context.partition_states == {}


async def test_a_topic_that_moves_is_deleted_at_once() -> None:
    """As by Apache Kafka, whose controller means to wait for the reassignment, and does not."""
    cluster = ControllerCluster()
    cluster.register(1, 2, 3)
    cluster.put_topic("t", {0: (1,)})
    cluster.put_topic("u", {0: (1,)})
    async with cluster.controller(3) as only:
        asked = encode_reassignment({T0: (2,), TopicPartition("u", 0): (2,)})
        cluster.zookeeper.put(REASSIGN_PARTITIONS_PATH, asked)
        await settle()
        await only.client.create(delete_topic_path("t"))
        await settle()
        assert "/brokers/topics/t" not in cluster.zookeeper.nodes
        assert delete_topic_path("t") not in cluster.zookeeper.nodes
        left = cluster.zookeeper.read(REASSIGN_PARTITIONS_PATH)
        assert left == encode_reassignment({TopicPartition("u", 0): (2,)})
        deleted = {each.broker_id for each in cluster.sent if each.name == "StopReplica"}
        assert deleted == {1, 2}
        assert only.assembled.context.partitions_being_reassigned == {TopicPartition("u", 0)}


async def test_a_deletion_that_has_begun_is_not_undone_by_a_reassignment() -> None:
    """Its target's broker comes while another replica cannot be deleted."""
    cluster = ControllerCluster()
    cluster.register(1, 2, 3)
    cluster.put_topic("t", {0: (1, 2)})
    async with cluster.controller(3) as only:
        cluster.unregister(2)
        await settle()
        cluster.zookeeper.put(REASSIGN_PARTITIONS_PATH, encode_reassignment({T0: (1, 4)}))
        await settle()
        await only.client.create(delete_topic_path("t"))
        await settle()
        assert only.assembled.context.topics_with_deletion_started == {"t"}
        cluster.take_sent()
        cluster.register(4)
        await settle()
        assert not [each for each in leader_and_isr_states(cluster.sent) if each[1] == "t"]
        cluster.register(2)
        await settle()
        assert "/brokers/topics/t" not in cluster.zookeeper.nodes


async def test_a_topic_that_moves_is_deleted_by_the_next_controller_when_it_has_moved() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2, 3)
    cluster.put_topic("t", {0: (1,)})
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(cluster.controller(3))
        cluster.zookeeper.put(REASSIGN_PARTITIONS_PATH, encode_reassignment({T0: (2,)}))
        await settle()
        cluster.zookeeper.put(delete_topic_path("t"), b"")
        cluster.zookeeper.expire(first.client)
        await stack.enter_async_context(cluster.controller(1))
        await settle()
        assert Controller.decode(cluster.zookeeper.read(CONTROLLER_PATH)).broker_id in (1, 3)
        assert "/brokers/topics/t" in cluster.zookeeper.nodes
        assert not [each for each in cluster.sent if each.name == "StopReplica"]
        join_isr(cluster.zookeeper, 2, partition=T0)
        cluster.zookeeper.put(f"{ISR_CHANGES_PATH}/isr_change_0000000000", encode_isr_change([T0]))
        await settle()
        assert "/brokers/topics/t" not in cluster.zookeeper.nodes
        assert delete_topic_path("t") not in cluster.zookeeper.nodes
        assert REASSIGN_PARTITIONS_PATH not in cluster.zookeeper.nodes
        assert {each.broker_id for each in cluster.sent if each.name == "StopReplica"} == {1, 2}


async def test_a_broker_fails_and_comes_back() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2, 3)
    cluster.put_topic("t", {0: (1, 2, 3), 1: (2, 3, 1), 2: (3, 1, 2), 3: (2,)})
    async with cluster.controller(1) as only:
        metrics = only.assembled.controller.metrics
        cluster.take_sent()
        cluster.unregister(2)
        await settle()
        # the first live replica of the assignment; the last replica stays in the ISR
        assert cluster.leaders("t") == {0: (1, (1, 3)), 1: (3, (3, 1)), 2: (3, (3, 1)), 3: (-1, (2,))}
        assert metrics.gauges()["OfflinePartitionsCount"] == 1
        assert metrics.gauges()["PreferredReplicaImbalanceCount"] == 2
        states = leader_and_isr_states(cluster.sent)
        assert {broker_id for broker_id, *_ in states} == {1, 3}
        assert states[3, "t", 1].leader == 3
        cluster.take_sent()
        cluster.register(2)
        await settle()
        sent = cluster.take_sent()
        assert cluster.leaders("t")[3] == (2, (2,))
        assert metrics.gauges()["OfflinePartitionsCount"] == 0
        # a broker that has started hears of all partitions before it leads or follows any
        first = next(each for each in sent if each.broker_id == 2)
        assert first.name == "UpdateMetadata"
        assert sum(len(topic.partition_states) for topic in first.request.topic_states) == 4
        assert {each.request.broker_epoch for each in sent if each.broker_id == 2} == {
            cluster.zookeeper.nodes["/brokers/ids/2"].czxid
        }


async def test_a_bounced_broker_is_told_all_again() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2)
    cluster.put_topic("t", {0: (2, 1)})
    async with cluster.controller(1):
        assert cluster.leaders("t") == {0: (2, (2, 1))}
        cluster.take_sent()
        cluster.register(2)  # between two looks
        await settle()
        assert cluster.leaders("t") == {0: (1, (1,))}
        epochs = {each.request.broker_epoch for each in cluster.sent if each.broker_id == 2}
        assert epochs == {cluster.zookeeper.nodes["/brokers/ids/2"].czxid}


async def test_a_broker_that_changes_its_registration_is_told_to_all_brokers() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2)
    cluster.put_topic("t", {0: (2, 1)})
    async with cluster.controller(1) as only:
        state, epoch = cluster.state("t", 0), only.assembled.context.broker_epoch(2)
        moved = BrokerInfo(2, (Listener("PLAINTEXT", "PLAINTEXT", "elsewhere", 9095),))
        cluster.take_sent()
        cluster.zookeeper.put(broker_path(2), moved.encode())
        await settle()
        sent = cluster.take_sent()
        assert [(each.name, each.broker_id) for each in sent] == [("UpdateMetadata", 1), ("UpdateMetadata", 2)]
        told = {each.id: (each.endpoints[0].host, each.endpoints[0].port) for each in sent[0].request.live_brokers}
        assert told == {1: ("host-1", 9092), 2: ("elsewhere", 9095)}
        assert only.assembled.context.broker_epoch(2) == epoch
        assert cluster.state("t", 0) == state
        cluster.zookeeper.put(broker_path(2), moved.encode())  # the same once more
        await settle()
        assert cluster.sent == []


async def test_leaders_are_rebalanced_by_time_with_the_settings_of_that_time(autojump_clock: MockClock) -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2)
    cluster.put_topic("t", {0: (2, 1)})
    async with cluster.controller(1):
        cluster.unregister(2)
        await settle()
        cluster.register(2)
        await settle()
        join_isr(cluster.zookeeper, 1, 2)
        cluster.zookeeper.put(f"{ISR_CHANGES_PATH}/isr_change_0000000000", encode_isr_change([T0]))
        await trio.sleep(FIRST_REBALANCE_S + 1)
        assert cluster.state("t", 0).leader == 1, "auto.leader.rebalance.enable is off"
        cluster.rebalance = RebalanceSettings(True, 20, 10)
        await trio.sleep(290)
        assert cluster.state("t", 0).leader == 1, "it is looked at every leader.imbalance.check.interval.seconds"
        await trio.sleep(10)
        assert cluster.state("t", 0).leader == 2


async def test_update_metadata_comes_before_any_leader_and_isr_of_a_new_controller() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2, 3)
    cluster.put_topic("t", {0: (1, 2, 3)})
    async with cluster.controller(1):
        pass
    cluster.take_sent()
    cluster.unregister(1)
    async with cluster.controller(2):
        for broker_id in (2, 3):
            names = [each.name for each in cluster.sent if each.broker_id == broker_id]
            assert names[0] == "UpdateMetadata"
            assert "LeaderAndIsr" in names
        assert cluster.leaders("t") == {0: (2, (2, 3))}


@pytest.mark.parametrize("allowed_by", [None, "topic", "default"])
async def test_an_unclean_leader_is_elected_if_the_topic_or_the_default_allows_it(allowed_by: str | None) -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2, 3)
    cluster.put_topic("t", {0: (2, 3)})
    cluster.put_topic("forbids", {0: (2, 3)}, bytes(range(1, 17)))
    cluster.zookeeper.put(
        ConfigEntity(TOPICS, "forbids").path, encode_config({"unclean.leader.election.enable": "false"})
    )
    async with cluster.controller(1) as only:
        cluster.unregister(3)
        await settle()
        cluster.register(3)
        cluster.unregister(2)
        await settle()
        assert cluster.leaders("t") == {0: (-1, (2,))}
        if allowed_by == "topic":
            settings = encode_config({"unclean.leader.election.enable": "true"})
            cluster.zookeeper.put(ConfigEntity(TOPICS, "t").path, settings)
        elif allowed_by == "default":
            cluster.unclean_default = "true"
        only.assembled.controller.enable_unclean_leader_election("t" if allowed_by == "topic" else None)
        await settle()
        state = cluster.state("t", 0)
        assert (state.leader, state.isr, state.is_recovering) == ((3, (3,), True) if allowed_by else (-1, (2,), False))
        assert cluster.leaders("forbids") == {0: (-1, (2,))}
        assert only.assembled.controller.metrics.unclean_leader_elections == int(allowed_by is not None)


async def test_a_changed_isr_is_told_to_all_brokers() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2)
    cluster.put_topic("t", {0: (1, 2)})
    async with cluster.controller(1) as only:
        state = cluster.state("t", 0)._replace(isr=(1,))
        cluster.zookeeper.put(partition_state_path(T0), state.encode())
        cluster.take_sent()
        cluster.zookeeper.put(f"{ISR_CHANGES_PATH}/isr_change_0000000000", encode_isr_change([T0]))
        await settle()
        sent = cluster.take_sent()
        assert [(each.name, each.broker_id) for each in sent] == [("UpdateMetadata", 1), ("UpdateMetadata", 2)]
        assert sent[0].request.topic_states[0].partition_states[0].isr == [1]
        assert only.assembled.context.partition_leadership[T0].partition_epoch == 1
        assert cluster.zookeeper.children(ISR_CHANGES_PATH) == []


async def test_replicas_of_a_failed_log_directory_go_offline() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2)
    cluster.put_topic("t", {0: (2, 1)})
    async with cluster.controller(1, "2.6") as only:
        cluster.storage_errors.add((2, T0))
        cluster.zookeeper.put("/log_dir_event_notification/log_dir_event_0000000000", encode_log_dir_failure(2))
        await settle()
        assert only.assembled.context.replicas_on_offline_dirs == {2: {T0}}
        assert cluster.leaders("t") == {0: (1, (1,))}
        assert cluster.zookeeper.children("/log_dir_event_notification") == []


async def test_controlled_shutdown_moves_leaders_and_stops_followers() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2, 3)
    cluster.put_topic("t", {0: (2, 1), 1: (1, 2), 2: (2,)})
    async with cluster.controller(1) as only:
        controller, epoch = only.assembled.controller, cluster.zookeeper.nodes["/brokers/ids/2"].czxid
        for broker_id, of_request, code in (
            (2, epoch - 1, ErrorCode.STALE_BROKER_EPOCH),
            (9, -1, ErrorCode.BROKER_NOT_AVAILABLE),
            (9, epoch, ErrorCode.BROKER_NOT_AVAILABLE),
        ):
            with pytest.raises(ApiError) as refused:
                await controller.controlled_shutdown(broker_id, of_request)
            assert refused.value.code == code
        cluster.take_sent()
        assert await controller.controlled_shutdown(2, epoch) == []
        assert cluster.leaders("t") == {0: (1, (1,)), 1: (1, (1,)), 2: (2, (2,))}
        stopped = [each for each in cluster.sent if each.name == "StopReplica"]
        assert {each.broker_id for each in stopped} == {2}
        assert only.assembled.context.live_broker_ids() == {1, 3}


async def test_a_broker_whose_registration_is_not_processed_yet_is_shut_down() -> None:
    """As by Apache Kafka, which refuses only an epoch below the one that it knows."""
    cluster = ControllerCluster()
    cluster.register(1, 2)
    cluster.put_topic("t", {0: (2, 1)})
    async with cluster.controller(1) as only:
        epoch = cluster.zookeeper.nodes["/brokers/ids/2"].czxid
        assert await only.assembled.controller.controlled_shutdown(2, epoch + 1) == []
        assert cluster.leaders("t") == {0: (1, (1,))}


async def test_changes_while_the_connection_was_lost_are_found() -> None:
    cluster = ControllerCluster()
    cluster.register(1, 2)
    cluster.put_topic("t", {0: (1, 2)})
    async with cluster.controller(1) as only:
        cluster.zookeeper.down()
        cluster.put_topic("t", {0: (1, 2), 1: (2, 1)})
        cluster.put_topic("u", {0: (2,)}, bytes(range(1, 17)))
        await settle()
        cluster.zookeeper.up()
        await settle()
        assert only.is_active
        assert only.assembled.context.partition_state(TopicPartition("t", 1)) is PartitionState.ONLINE
        assert cluster.leaders("u") == {0: (2, (2,))}


async def _story(cluster: ControllerCluster) -> None:
    """A topic is created, grows, and one of its brokers fails."""
    cluster.put_topic("t", {0: (1, 2, 3), 1: (2, 3, 1), 2: (3, 1, 2)})
    await settle()
    cluster.put_topic("t", {0: (1, 2, 3), 1: (2, 3, 1), 2: (3, 1, 2), 3: (3, 2, 1)})
    await settle()
    cluster.unregister(3)
    await settle()


async def test_another_controller_finishes_after_each_write_of_the_first() -> None:
    deaths = 0
    for writes in range(1, 60):
        cluster = ControllerCluster()
        cluster.register(1, 2, 3)
        async with cluster.controller(1, dies_after_writes=writes) as first:
            await _story(cluster)
            has_died = first.client.died.is_set()
            cluster.take_sent()
            async with cluster.controller(2) as second:
                await settle()
                if not has_died:
                    assert not second.is_active
                    break
                deaths += 1
                assert second.is_active
                found = {each: cluster.state("t", each) for each in range(4)}
                assert [(state.leader, set(state.isr)) for state in found.values()] == [
                    (1, {1, 2}),
                    (2, {1, 2}),
                    (1, {1, 2}),
                    (2, {1, 2}),
                ]
                told = leader_and_isr_states(cluster.sent)
                for number, state in found.items():
                    for broker_id in (1, 2):
                        last = told[broker_id, "t", number]
                        assert (last.leader, last.leader_epoch, tuple(last.isr), last.partition_epoch) == (
                            state.leader,
                            state.leader_epoch,
                            state.isr,
                            state.partition_epoch,
                        )
                assert {each.request.controller_epoch for each in cluster.sent} == {second.assembled.context.epoch}
    assert deaths >= 6
