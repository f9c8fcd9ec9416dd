"""Produce with acks=all to partitions with several replicas: all is appended first, then there is one wait."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.produce import handle_produce
from wirebroker.handlers.routes import RouteTable
from wirebroker.metadata.image import PartitionImage, TopicImage
from wirebroker.model import LeaderAndIsr
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from wirebroker.replication.delayed_partitions import DelayedPartitions
from wirebroker.replication.partition_state import CommittedPartitionState
from wirebroker.replication.purgatories import PurgatoryConfig
from wirebroker.tests.clocks import let_pass
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.handlers.fetch_harness import CONFIG, FetchHarness
from wirebroker.tests.replication.leader import become_leader
from wirebroker.tests.storage.fakes.logs import batch

if TYPE_CHECKING:
    from trio.testing import MockClock

ALONE = 3
"""The partition of which this broker has the only in-sync replica; 0, 1 and 2 have a follower in sync, too."""
TIMEOUT_MS = 1000


class ProduceHarness:
    """A leader of partitions with followers, which fetch when a test says so."""

    def __init__(self) -> None:
        self.harness = FetchHarness({})
        layout = (PartitionImage(0, 0, (0, 1), (0, 1)),) * 3 + (PartitionImage(0, 0, (0, 1), (0,)),)
        self.topic = TopicImage("t", b"t" * 16, layout)
        for index in range(len(layout)):
            become_leader(self.harness.replicas, self.topic, index, CONFIG, is_new=True)
        self.harness.publish({"t": self.topic})
        self.replicas = self.harness.replicas
        self.answers: dict[int, E] = {}

    @property
    def purgatory(self) -> Any:
        return self.replicas.purgatories.produce

    async def produce(self, *partitions: int, acks: int = -1, version: int = 11) -> DelayedPartitions | None:
        """Write to *partitions*; `answers` has the codes, and the operation sets those that wait when it completes."""
        data = [PartitionProduceData(index, batch(b"v").buffer) for index in partitions]
        request = ProduceRequest(None, acks, TIMEOUT_MS, [TopicProduceData("t", b"t" * 16, data)])
        context = RequestContext(self.harness.services, routes=RouteTable())
        context.version, context.client_id = version, "c"
        response = await handle_produce(context, request)
        assert response is not None
        (topic,) = response.responses

        def answer() -> None:
            self.answers = {each.index: E(each.error_code) for each in topic.partition_responses}
            assert all(each.base_offset >= 0 for each in topic.partition_responses)

        if context.delayed is None:
            answer()
        else:
            context.delayed.on_response = answer
        assert context.delayed is None or isinstance(context.delayed, DelayedPartitions)
        return context.delayed

    def fetched(self, *partitions: int, offset: int = 1) -> None:
        """The follower has the records below *offset*."""
        for index in partitions:
            partition = self.replicas.get("t", index)
            partition.update_follower_fetch_state(1, offset, 0, partition.log.log_end_offset)


@pytest.fixture
async def harness(mock_clock: MockClock) -> ProduceHarness:
    harness = ProduceHarness()
    await wait_all_tasks_blocked()
    return harness


@pytest.mark.parametrize("version", [2, 3, 11])
async def test_the_response_waits_for_the_follower(harness: ProduceHarness, version: int) -> None:
    assert await harness.produce(0, version=version) is not None
    assert harness.answers == {}
    assert harness.replicas.get("t", 0).log.log_end_offset == 1
    harness.fetched(0)
    assert harness.answers == {0: E.NONE}
    assert (harness.purgatory.num_delayed, len(harness.replicas.timer)) == (0, 0)


async def test_one_wait_serves_all_partitions(harness: ProduceHarness) -> None:
    operation = await harness.produce(0, ALONE, 2)
    assert operation is not None
    assert [harness.replicas.get("t", index).log.log_end_offset for index in (0, ALONE, 2)] == [1, 1, 1]
    assert harness.purgatory.num_delayed == 1
    harness.fetched(2)
    assert harness.answers == {}
    harness.fetched(0)
    assert harness.answers == {0: E.NONE, ALONE: E.NONE, 2: E.NONE}


@pytest.mark.parametrize(("partition", "acks"), [(0, 1), (ALONE, -1)])
async def test_nothing_waits_without_followers_to_wait_for(harness: ProduceHarness, partition: int, acks: int) -> None:
    assert await harness.produce(partition, acks=acks) is None
    assert harness.answers == {partition: E.NONE}
    assert len(harness.replicas.timer) == 0


async def test_a_follower_that_is_not_there_yet_is_waited_for_again(harness: ProduceHarness) -> None:
    first, second = await harness.produce(0), await harness.produce(0)
    assert first is not None
    assert second is not None
    harness.fetched(0, offset=1)
    assert (first.is_completed, second.is_completed) == (True, False)
    harness.fetched(0, offset=2)
    assert second.is_completed
    assert harness.answers == {0: E.NONE}


async def test_partitions_that_are_late_get_request_timed_out(harness: ProduceHarness, mock_clock: MockClock) -> None:
    await harness.produce(0, 1, ALONE)
    harness.fetched(1)
    await let_pass(mock_clock, TIMEOUT_MS / 1000 - 0.2)
    assert harness.answers == {}
    await let_pass(mock_clock, 0.2)
    assert harness.answers == {0: E.REQUEST_TIMED_OUT, 1: E.NONE, ALONE: E.NONE}
    harness.fetched(0)
    assert harness.answers[0] == E.REQUEST_TIMED_OUT


async def test_a_leader_that_becomes_a_follower_answers_at_once(harness: ProduceHarness) -> None:
    await harness.produce(0, 1)
    harness.fetched(1)
    state = LeaderAndIsr(1, 1, (0, 1), 1, (0, 1))
    harness.replicas.get("t", 0).make_follower(state)
    assert harness.answers == {0: E.NOT_LEADER_OR_FOLLOWER, 1: E.NONE}


async def test_a_partition_that_is_deleted_answers_at_once(harness: ProduceHarness) -> None:
    await harness.produce(0)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(partial(harness.replicas.stop, "t", 0, delete=False))
    assert harness.answers == {0: E.UNKNOWN_TOPIC_OR_PARTITION}


@pytest.mark.parametrize(
    ("version", "code"), [(3, E.NOT_LEADER_OR_FOLLOWER), (4, E.KAFKA_STORAGE_ERROR), (11, E.KAFKA_STORAGE_ERROR)]
)
async def test_a_log_directory_that_fails_answers_at_once(harness: ProduceHarness, version: int, code: E) -> None:
    await harness.produce(0, version=version)
    partition = harness.replicas.get("t", 0)
    harness.replicas.storage_failed(partition.log, OSError("failed"))
    assert harness.answers == {0: code}


async def test_too_few_replicas_after_the_append(harness: ProduceHarness) -> None:
    await harness.produce(0)
    partition = harness.replicas.get("t", 0)
    partition.log.config = CONFIG._replace(min_insync_replicas=2)
    assert partition.leader is not None
    partition.leader.partition_state = CommittedPartitionState(LeaderAndIsr(0, 0, (0,), 1, (0, 1)))
    harness.fetched(0)
    assert harness.answers == {0: E.NOT_ENOUGH_REPLICAS_AFTER_APPEND}


async def test_a_broker_that_stops_answers_at_once(harness: ProduceHarness) -> None:
    await harness.produce(0)
    harness.replicas.purgatories.close()
    assert harness.answers == {0: E.REQUEST_TIMED_OUT}
    assert await harness.produce(1) is None
    assert harness.answers == {1: E.REQUEST_TIMED_OUT}


async def test_ended_requests_stay_listeners_until_they_are_purged(harness: ProduceHarness) -> None:
    """The effect of `producer.purgatory.purge.interval.requests`."""
    config = broker_config(producer_purgatory_purge_interval_requests=2)
    harness.replicas.purgatories.configure(PurgatoryConfig(config.value))
    listeners = []
    for _ in range(4):
        operation = await harness.produce(0)
        assert operation is not None
        operation.cancel()  # as its peer has left
        listeners.append(len(harness.replicas.get("t", 0).listeners))
    assert listeners == [1, 2, 0, 1]
