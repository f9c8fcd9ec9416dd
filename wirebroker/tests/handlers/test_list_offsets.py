"""ListOffsets: what is answered in the loop, and what is searched for in a thread."""

from __future__ import annotations

import threading
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
import trio

from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.list_offsets import EARLIEST, LATEST, MAX_TIMESTAMP, handle_list_offsets
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from wirebroker.releases.profile import WIREBROKER, ReleaseProfile
from wirebroker.replication.partition import Partition
from wirebroker.replication.worker_threads import SearchThreads
from wirebroker.storage.errors import CorruptLogError

if TYPE_CHECKING:
    from collections.abc import Callable


class SearchedLog:
    """A log of offsets 3 to 10 whose searches run *before_search* first."""

    log_start_offset, log_end_offset, leader_epoch = 3, 10, 5

    def __init__(self) -> None:
        self.config = SimpleNamespace(record_version=2)
        self.before_search: Callable[[], object] = lambda: None
        self.found: tuple[int, int, int] | None = (170, 7, 5)
        self.threads: list[int] = []
        self.leader_epoch_cache = SimpleNamespace(epoch_for_offset=lambda _: 4)
        self.reader = SimpleNamespace(find_timestamp=self.find_timestamp, find_max_timestamp=self.find_max_timestamp)

    def find_timestamp(self, timestamp: int, pause: object = None) -> tuple[int, int, int] | None:
        self.threads.append(threading.get_ident())
        self.before_search()
        return self.found

    def find_max_timestamp(self, pause: object = None) -> tuple[int, int, int] | None:
        return self.find_timestamp(0)


async def ask(
    log: SearchedLog,
    *timestamps: int,
    version: int = 7,
    replica_id: int = -1,
    isolation_level: int = 0,
    high_watermark: int | None = None,
    profile: ReleaseProfile = WIREBROKER,
) -> list[ListOffsetsPartitionResponse]:
    """One partition for each timestamp, all of them with the same log."""
    partition = SimpleNamespace(
        log=log,
        leader_epoch=log.leader_epoch,
        high_watermark=log.log_end_offset if high_watermark is None else high_watermark,
        check_leader_epoch=lambda epoch: Partition.check_leader_epoch(cast(Any, log), epoch),
        leader=SimpleNamespace(epoch_start_offset=8),
        follower=None,
    )
    partition.check_leader = partial(Partition.check_leader, cast(Any, partition))
    partition.find_timestamp = partial(Partition.find_timestamp, cast(Any, partition))
    partition.find_max_timestamp = partial(Partition.find_max_timestamp, cast(Any, partition))
    replicas = SimpleNamespace(get=lambda *_: partition, search_threads=SearchThreads(slice_s=60))
    context = RequestContext(cast(Any, SimpleNamespace(replicas=replicas)), routes=RouteTable(profile))
    context.version = version
    asked = [
        ListOffsetsPartition(partition_index=index, timestamp=timestamp) for index, timestamp in enumerate(timestamps)
    ]
    request = ListOffsetsRequest(replica_id, isolation_level, topics=[ListOffsetsTopic("t", asked)])
    return (await handle_list_offsets(context, request)).topics[0].partitions


@pytest.mark.parametrize(
    ("release", "version", "searched"),
    [
        ("2.0.1", 1, [-3, -4, -5, -7]),
        ("2.8.2", 6, [-3, -4, -5, -7]),
        ("3.4", 7, [-4, -5, -7]),
        ("3.8", 6, [-5, -7]),
    ],
)
async def test_releases_before_3_9_search_for_timestamps_below_0_that_they_do_not_know(
    release: str, version: int, searched: list[int]
) -> None:
    log = SearchedLog()
    sought: list[int] = []

    def find_timestamp(timestamp: int, pause: object) -> tuple[int, int, int]:
        sought.append(timestamp)
        return -1, 3, 5

    log.reader.find_timestamp = find_timestamp
    for timestamp in (-3, -4, -5, -7):
        (answer,) = await ask(log, timestamp, version=version, profile=ReleaseProfile(release))
        offset = 3 if timestamp in searched or timestamp == -4 else 7
        assert (answer.error_code, answer.offset) == (ErrorCode.NONE, offset)
    assert sought == [-(2**63)] * len(searched)


async def test_special_timestamps_are_refused_where_a_version_does_not_have_them_since_3_9() -> None:
    for release in (ReleaseProfile("3.9"), WIREBROKER):
        answers = await ask(SearchedLog(), -3, -4, -5, -7, version=6, profile=release)
        assert {each.error_code for each in answers} == {ErrorCode.UNSUPPORTED_VERSION}


@pytest.mark.parametrize(
    ("release", "answered"), [("3.9", [("t", 1), ("t", 0), ("u", 0), ("t", 1)]), ("4.0", [("t", 2)])]
)
async def test_topics_without_partitions_are_left_out_since_4_0(release: str, answered: list[tuple[str, int]]) -> None:
    def refuse(*_: object) -> None:
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

    replicas = SimpleNamespace(get=refuse)
    routes = RouteTable(ReleaseProfile(release))
    context = RequestContext(cast(Any, SimpleNamespace(replicas=replicas)), routes=routes)
    context.version = 7
    named = [("t", [0]), ("t", []), ("u", []), ("t", [1])]
    topics = [ListOffsetsTopic(name, [ListOffsetsPartition(index, timestamp=-1) for index in at]) for name, at in named]
    response = await handle_list_offsets(context, ListOffsetsRequest(-1, 0, topics=topics))
    assert [(topic.name, len(topic.partitions)) for topic in response.topics] == answered


async def test_the_ends_are_answered_in_the_loop() -> None:
    log = SearchedLog()
    latest, earliest = await ask(log, LATEST, EARLIEST)
    assert (latest.offset, latest.timestamp, latest.leader_epoch) == (10, -1, 5)
    assert (earliest.offset, earliest.timestamp, earliest.leader_epoch) == (3, -1, 4)
    assert not log.threads


@pytest.mark.parametrize(
    ("version", "code"), [(4, ErrorCode.LEADER_NOT_AVAILABLE), (5, ErrorCode.OFFSET_NOT_AVAILABLE)]
)
async def test_a_new_leader_knows_no_latest_offset_until_its_followers_have_fetched(
    version: int, code: ErrorCode
) -> None:
    log = SearchedLog()
    latest, earliest, found = await ask(log, LATEST, EARLIEST, 100, version=version, high_watermark=7)
    assert [each.error_code for each in (latest, earliest, found)] == [code, 0, code]  # the record found is at 7
    latest, found = await ask(log, LATEST, 100, version=version, high_watermark=8)
    assert [(each.offset, each.error_code) for each in (latest, found)] == [(8, 0), (7, 0)]


async def test_a_follower_is_answered_the_log_end() -> None:
    (latest,) = await ask(SearchedLog(), LATEST, replica_id=2, high_watermark=7)
    assert (latest.offset, latest.error_code) == (10, 0)


async def test_an_empty_log_is_not_searched() -> None:
    log = SearchedLog()
    log.log_start_offset = log.log_end_offset
    (answer,) = await ask(log, 100)
    assert (answer.offset, answer.timestamp, answer.leader_epoch, answer.error_code) == (-1, -1, -1, 0)
    assert not log.threads


@pytest.mark.parametrize("timestamp", [100, MAX_TIMESTAMP])
async def test_a_search_runs_in_a_thread_while_the_loop_goes_on(timestamp: int) -> None:
    log, loop_ran = SearchedLog(), threading.Event()
    log.before_search = lambda: loop_ran.wait(60)
    async with trio.open_nursery() as nursery:

        @nursery.start_soon
        async def run() -> None:
            loop_ran.set()

        (answer,) = await ask(log, timestamp)
    assert (answer.offset, answer.timestamp, answer.leader_epoch) == (7, 170, 5)
    assert threading.get_ident() not in log.threads


async def test_all_partitions_of_a_request_are_searched_in_one_hop() -> None:
    log = SearchedLog()
    answers = await ask(log, *([100] * 50))
    assert {answer.offset for answer in answers} == {7}
    assert len(log.threads) == 50
    assert len(set(log.threads)) == 1


async def test_a_record_beyond_the_bound_is_not_found() -> None:
    log = SearchedLog()
    log.found = (170, 10, 5)
    (answer,) = await ask(log, 100)
    assert (answer.offset, answer.timestamp, answer.leader_epoch) == (-1, -1, -1)


async def test_versions_without_leader_epochs() -> None:
    (answer,) = await ask(SearchedLog(), 100, version=3)
    assert (answer.offset, answer.leader_epoch) == (7, -1)


async def test_a_search_that_fails_fails_its_partition_only() -> None:
    log = SearchedLog()

    def fail_once() -> None:
        if len(log.threads) == 1:
            raise CorruptLogError("no batch here")

    log.before_search = fail_once
    failed, found = await ask(log, 100, 100)
    assert (failed.error_code, failed.offset, failed.timestamp) == (ErrorCode.CORRUPT_MESSAGE, -1, -1)
    assert (found.error_code, found.offset) == (0, 7)


async def test_an_unknown_isolation_level_is_refused_to_consumers_only() -> None:
    (refused,) = await ask(SearchedLog(), LATEST, isolation_level=2)
    assert refused.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    (unsupported,) = await ask(SearchedLog(), -7, isolation_level=2)
    assert unsupported.error_code == ErrorCode.UNSUPPORTED_VERSION
    (latest,) = await ask(SearchedLog(), LATEST, isolation_level=2, replica_id=-2)
    assert (latest.error_code, latest.offset) == (ErrorCode.NONE, 10)
