"""Preferred and unclean elections: by a client, by the znode, by time."""

from __future__ import annotations

import pytest
import trio

from wirebroker.controller.administration import ElectionType
from wirebroker.kafka_controller.preferred_leaders import imbalanced_partitions
from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.tests.kafka_controller.machines import TOPIC, ActiveController, controller, put_topic, state_of
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.zookeeper.znodes.admin import PREFERRED_ELECTION_PATH, encode_preferred_election


def at(*numbers: int) -> list[TopicPartition]:
    return [TopicPartition(TOPIC, number) for number in numbers]


async def test_preferred_elections_say_for_each_partition_what_happened() -> None:
    zookeeper = FakeZooKeeper()
    put_topic(
        zookeeper,
        ((1, 2), 2, (1, 2)),  # to be elected
        ((1, 2), 1, (1, 2)),  # leads already
        ((1, 2), 2, (2,)),  # not in sync
        ((6, 2), 2, (6, 2)),  # broker 6 is down
    )
    async with controller(zookeeper, live=(1, 2, 3)) as this:
        results = await this.elections.elect([*at(0, 1, 2, 3, 9)], ElectionType.PREFERRED)
        codes = [
            each.code if isinstance(each, ApiError) else each for each in (results[key] for key in at(0, 1, 2, 3, 9))
        ]
        unavailable = ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert codes == [1, ErrorCode.ELECTION_NOT_NEEDED, unavailable, unavailable, unknown]
        assert [state_of(zookeeper, each).leader for each in at(0, 1, 2, 3)] == [1, 1, 2, 2]
        assert state_of(zookeeper, at(0)[0]).leader_epoch == 1


async def test_unclean_elections_take_a_replica_that_is_not_in_sync() -> None:
    zookeeper = FakeZooKeeper()
    put_topic(zookeeper, ((6, 2), -1, (6,)), ((1, 2), 1, (1, 2)))
    async with controller(zookeeper, live=(1, 2, 3)) as this:
        first, second = at(0, 1)
        results = await this.elections.elect([first, second], ElectionType.UNCLEAN)
        assert results[first] == 2
        other = results[second]
        assert isinstance(other, ApiError)
        assert other.code == ErrorCode.ELECTION_NOT_NEEDED
        assert (state_of(zookeeper, first).isr, state_of(zookeeper, first).is_recovering) == ((2,), True)


async def test_elections_that_are_asked_for_in_zookeeper() -> None:
    zookeeper = FakeZooKeeper()
    put_topic(zookeeper, ((1, 2), 2, (1, 2)), ((1, 2), 2, (1, 2)))
    async with controller(zookeeper) as this:
        zookeeper.put(PREFERRED_ELECTION_PATH, encode_preferred_election([*at(0, 7)]))
        await this.elections.process_zk()
        assert [state_of(zookeeper, each).leader for each in at(0, 1)] == [1, 2]
        assert PREFERRED_ELECTION_PATH not in zookeeper.nodes


async def test_another_controller_elects_after_every_write() -> None:
    """The request is in ZooKeeper until all of its elections are."""
    deaths = 0
    for writes in range(1, 10):
        zookeeper = FakeZooKeeper()
        put_topic(zookeeper, ((1, 2), 2, (1, 2)), ((3, 2), 2, (3, 2)))
        zookeeper.put(PREFERRED_ELECTION_PATH, encode_preferred_election(at(0, 1)))
        async with controller(zookeeper, dies_after_writes=writes) as this, trio.open_nursery() as nursery:

            async def end_with_client(active: ActiveController, scope: trio.CancelScope) -> None:
                await active.client.died.wait()
                scope.cancel()

            nursery.start_soon(end_with_client, this, nursery.cancel_scope)
            await this.elections.process_zk()
            nursery.cancel_scope.cancel()
        has_died = this.client.died.is_set()
        async with controller(zookeeper) as this:
            await this.elections.process_zk()
        states = [state_of(zookeeper, each) for each in at(0, 1)]
        assert [(each.leader, set(each.isr)) for each in states] == [(1, {1, 2}), (3, {2, 3})], writes
        assert PREFERRED_ELECTION_PATH not in zookeeper.nodes
        deaths += has_died
        if not has_died:
            break
    assert deaths >= 2


@pytest.mark.parametrize(("percentage", "elected"), [(10, True), (49, True), (50, False)])
async def test_leaders_are_rebalanced_above_the_percentage(percentage: int, elected: bool) -> None:
    zookeeper = FakeZooKeeper()
    put_topic(zookeeper, ((1, 2), 2, (1, 2)), ((1, 2), 1, (1, 2)), ((2, 1), 2, (2, 1)))
    async with controller(zookeeper) as this:
        await this.elections.rebalance(percentage)
        assert state_of(zookeeper, at(0)[0]).leader == (1 if elected else 2)


async def test_partitions_that_move_or_whose_replica_is_late_are_left_out() -> None:
    zookeeper = FakeZooKeeper()
    put_topic(zookeeper, ((1, 2), 2, (1, 2)), ((1, 2), 2, (2,)), ((1, 2), 2, (1, 2)))
    async with controller(zookeeper) as this:
        await this.reassignments.alter({at(2)[0]: (1, 3)})
        assert imbalanced_partitions(this.context, 0) == {1: at(0)}
