"""DeleteRecords of partitions with followers: the response waits for the log starts of live replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from trio.testing import wait_all_tasks_blocked

from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.delete_records import handle_delete_records
from wirebroker.handlers.routes import RouteTable
from wirebroker.metadata.image import ClusterImage, PartitionImage, TopicImage
from wirebroker.model import LeaderAndIsr
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from wirebroker.replication.purgatories import PurgatoryConfig
from wirebroker.tests.clocks import let_pass
from wirebroker.tests.controller.fakes import BROKER, broker_config
from wirebroker.tests.handlers.fetch_harness import CONFIG, FetchHarness
from wirebroker.tests.replication.leader import become_leader

if TYPE_CHECKING:
    from trio.testing import MockClock

    from wirebroker.replication.delayed_operation import DelayedOperation

RECORDS = 5
TIMEOUT_MS = 1000


class DeleteHarness:
    """A leader of three partitions with five records, which the follower has; partition 2 has no follower."""

    def __init__(self) -> None:
        self.harness = FetchHarness({})
        self.replicas = self.harness.replicas
        layout = (PartitionImage(0, 0, (0, 1), (0, 1)),) * 2 + (PartitionImage(0, 0, (0,), (0,)),)
        self.topic = TopicImage("t", b"t" * 16, layout)
        for index in range(len(layout)):
            become_leader(self.replicas, self.topic, index, CONFIG, is_new=True)
        self.set_alive(0, 1)
        self.answers: dict[int, tuple[E, int]] = {}

    def set_alive(self, *brokers: int) -> None:
        self.harness.metadata.image = ClusterImage(
            brokers=dict.fromkeys(brokers, BROKER), topics={"t": self.topic}, topic_ids={self.topic.topic_id: "t"}
        )

    async def fill(self) -> None:
        for index in range(3):
            for _ in range(RECORDS):
                await self.harness.append(index)
        self.fetched(0, 1, log_start_offset=0)

    def fetched(self, *partitions: int, log_start_offset: int) -> None:
        """The follower has all records from *log_start_offset* on."""
        for index in partitions:
            self.replicas.get("t", index).update_follower_fetch_state(1, RECORDS, log_start_offset, RECORDS)

    async def refusals(self, *partitions: tuple[str, int]) -> list[tuple[str, list[tuple[int, E]]]]:
        """The codes of a request for *partitions*, each in a topic entry of its own."""
        topics = [DeleteRecordsTopic(name, [DeleteRecordsPartition(index, 99)]) for name, index in partitions]
        context = RequestContext(self.harness.services, routes=RouteTable())
        response = await handle_delete_records(context, DeleteRecordsRequest(topics, TIMEOUT_MS))
        return [
            (topic.name, [(each.partition_index, E(each.error_code)) for each in topic.partitions])
            for topic in response.topics
        ]

    async def delete(self, offsets: dict[int, int]) -> DelayedOperation | None:
        """Delete the records below *offsets* by partition; `answers` has codes and low watermarks in the end."""
        partitions = [DeleteRecordsPartition(index, offset) for index, offset in offsets.items()]
        request = DeleteRecordsRequest([DeleteRecordsTopic("t", partitions)], TIMEOUT_MS)
        context = RequestContext(self.harness.services, routes=RouteTable())
        context.version = 2
        response = await handle_delete_records(context, request)

        def answer() -> None:
            (topic,) = response.topics
            self.answers = {each.partition_index: (E(each.error_code), each.low_watermark) for each in topic.partitions}

        if context.delayed is None:
            answer()
        else:
            context.delayed.on_response = answer
        return context.delayed


@pytest.fixture
async def harness(mock_clock: MockClock) -> DeleteHarness:
    harness = DeleteHarness()
    await harness.fill()
    await wait_all_tasks_blocked()
    return harness


async def test_without_followers_nothing_waits(harness: DeleteHarness) -> None:
    assert await harness.delete({2: 3}) is None
    assert harness.answers == {2: (E.NONE, 3)}


@pytest.mark.parametrize(("before", "start"), [(3, 3), (-1, 5)])
async def test_the_response_waits_for_the_follower(harness: DeleteHarness, before: int, start: int) -> None:
    assert await harness.delete({0: before, 2: 4}) is not None
    assert harness.replicas.get("t", 0).log.log_start_offset == start
    harness.fetched(0, log_start_offset=start - 1)
    assert harness.answers == {}
    harness.fetched(0, log_start_offset=start)
    assert harness.answers == {0: (E.NONE, start), 2: (E.NONE, 4)}
    assert len(harness.replicas.timer) == 0


async def test_a_dead_follower_is_not_waited_for(harness: DeleteHarness) -> None:
    harness.set_alive(0)
    assert await harness.delete({0: 3}) is None
    assert harness.answers == {0: (E.NONE, 3)}


async def test_partitions_that_are_late_get_request_timed_out(harness: DeleteHarness, mock_clock: MockClock) -> None:
    await harness.delete({0: 3, 1: 4})
    harness.fetched(0, log_start_offset=1)
    harness.fetched(1, log_start_offset=4)
    await let_pass(mock_clock, TIMEOUT_MS / 1000)
    assert harness.answers == {0: (E.REQUEST_TIMED_OUT, 0), 1: (E.NONE, 4)}


async def test_a_leader_that_becomes_a_follower_answers_at_once(harness: DeleteHarness) -> None:
    await harness.delete({0: 3})
    harness.replicas.get("t", 0).make_follower(LeaderAndIsr(1, 1, (0, 1), 1, (0, 1)))
    assert harness.answers == {0: (E.NOT_LEADER_OR_FOLLOWER, -1)}


async def test_errors_of_other_partitions_stay(harness: DeleteHarness) -> None:
    await harness.delete({0: 3, 1: RECORDS + 1, 9: 0})
    harness.fetched(0, log_start_offset=3)
    assert harness.answers == {
        0: (E.NONE, 3),
        1: (E.OFFSET_OUT_OF_RANGE, -1),
        9: (E.UNKNOWN_TOPIC_OR_PARTITION, -1),
    }


async def test_a_partition_that_an_internal_topic_lacks_is_unknown(harness: DeleteHarness) -> None:
    internal = TopicImage("__consumer_offsets", b"o" * 16, (PartitionImage(0, 0, (0,), (0,)),))
    harness.harness.metadata.image = ClusterImage(brokers={0: BROKER}, topics={internal.name: internal})
    unknown = (1, E.UNKNOWN_TOPIC_OR_PARTITION)
    found = await harness.refusals((internal.name, 0), (internal.name, 1))
    assert found == [(internal.name, [(0, E.INVALID_TOPIC_EXCEPTION), unknown])]


async def test_a_topic_named_again_is_answered_once(harness: DeleteHarness) -> None:
    refused = [(2, E.OFFSET_OUT_OF_RANGE), (0, E.OFFSET_OUT_OF_RANGE)]
    assert await harness.refusals(("t", 2), ("t", 0), ("t", 2)) == [("t", refused)]


async def test_ended_requests_stay_listeners_until_they_are_purged(harness: DeleteHarness) -> None:
    """The effect of `delete.records.purgatory.purge.interval.requests`."""
    config: Any = broker_config(delete_records_purgatory_purge_interval_requests=2)
    harness.replicas.purgatories.configure(PurgatoryConfig(config.value))
    listeners = []
    for offset in range(1, 5):
        operation = await harness.delete({0: offset})
        assert operation is not None
        operation.cancel()
        listeners.append(len(harness.replicas.get("t", 0).listeners))
    assert listeners == [1, 1, 0, 1]  # a deletion calls those that were left; the third one is one too many
