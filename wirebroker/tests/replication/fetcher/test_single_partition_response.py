"""Fetch responses of one partition: read as by the decoder, or left to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.protocol.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)
from wirebroker.replication.fetcher.replica_fetcher import ReplicaFetcher
from wirebroker.replication.fetcher.single_partition_response import read_few_partitions, read_single_partition
from wirebroker.replication.partition import Partition
from wirebroker.tests.replication.fetcher.follower_harness import (
    T0,
    T1,
    FollowerHarness,
    contents,
    count_few_partitions,
    settle,
)
from wirebroker.tests.replication.fetcher.leader_harness import LeaderHarness

if TYPE_CHECKING:
    from trio.testing import MockClock

TOPIC_ID = b"i" * 16
RECORDS = b"r" * 100
VERSIONS = range(13, 19)
HEADER_BYTES = 5


def data(**more: Any) -> PartitionData:
    fields: dict[str, Any] = {
        "partition_index": 3,
        "high_watermark": 40,
        "last_stable_offset": 30,
        "log_start_offset": 20,
        "aborted_transactions": None,
        "records": RECORDS,
    }
    return PartitionData(**(fields | more))


def encoded(version: int, *topics: list[PartitionData], **more: Any) -> memoryview:
    names = ("t" if version < 13 else "", bytes(16) if version < 13 else TOPIC_ID)
    response = FetchResponse(
        session_id=77, responses=[FetchableTopicResponse(*names, partitions) for partitions in topics], **more
    )
    out = bytearray(HEADER_BYTES)
    response.write(out, version)
    return memoryview(out)


@pytest.mark.parametrize("aborted", [None, []])
@pytest.mark.parametrize("size", [1, 126, 127, 16_383, 3_000_000])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_response_of_one_partition(version: int, size: int, aborted: list[Any] | None) -> None:
    body = encoded(version, [data(records=b"r" * size, aborted_transactions=aborted)], throttle_time_ms=5)
    read = read_single_partition(body, HEADER_BYTES, version)
    assert read is not None
    *fields, records = read
    assert fields == [77, TOPIC_ID, 3, 40, 20]
    assert records == b"r" * size
    expected = FetchResponse.read(body, HEADER_BYTES, version)[0].responses[0].partitions[0]
    assert expected.records == records


@pytest.mark.parametrize(
    "body",
    [
        encoded(17),
        encoded(17, []),
        encoded(17, [data(), data(partition_index=4)]),
        encoded(17, [data()], [data()]),
        encoded(17, [data()], error_code=71),
        encoded(17, [data(error_code=6)]),
        encoded(17, [data(records=b"")]),
        encoded(17, [data(records=None)]),
        encoded(17, [data(aborted_transactions=[AbortedTransaction(1, 2)])]),
        encoded(17, [data(diverging_epoch=EpochEndOffset(3, 4))]),
        encoded(17, [data(current_leader=LeaderIdAndEpoch(3, 4))]),
        encoded(17, [data()], node_endpoints=[NodeEndpoint(1, "h", 2)]),
        memoryview(bytes(encoded(17, [data()])) + b"\0"),
    ],
)
def test_others_are_left_to_the_decoder(body: memoryview) -> None:
    assert read_single_partition(body, HEADER_BYTES, 17) is None


def test_topics_without_ids_are_left_to_the_decoder() -> None:
    assert read_single_partition(encoded(12, [data()]), HEADER_BYTES, 12) is None


def test_a_response_that_is_cut_off_is_left_to_the_decoder() -> None:
    body = encoded(17, [data()])
    assert all(read_single_partition(body[:end], HEADER_BYTES, 17) is None for end in range(len(body)))


@pytest.mark.parametrize("sizes", [[1], [126, 0], [0], [127, 3_000_000], [5] * 16, [0, 1, 0]])
@pytest.mark.parametrize("aborted", [None, []])
@pytest.mark.parametrize("version", VERSIONS)
def test_a_response_of_a_few_partitions(version: int, sizes: list[int], aborted: list[Any] | None) -> None:
    partitions = [
        data(partition_index=index, high_watermark=40 + index, records=b"r" * size, aborted_transactions=aborted)
        for index, size in enumerate(sizes)
    ]
    body = encoded(version, partitions, throttle_time_ms=5)
    read = read_few_partitions(body, HEADER_BYTES, version)
    assert read is not None
    expected = FetchResponse.read(body, HEADER_BYTES, version)[0].responses[0]
    assert [
        (each.session_id, each.topic_id, each.partition, each.high_watermark, each.log_start_offset, each.records)
        for each in read
    ] == [
        (77, TOPIC_ID, each.partition_index, each.high_watermark, each.log_start_offset, each.records or b"")
        for each in expected.partitions
    ]
    assert all(read_few_partitions(body[:end], HEADER_BYTES, version) is None for end in range(min(len(body), 500)))


@pytest.mark.parametrize(
    "body",
    [
        encoded(17),
        encoded(17, []),
        encoded(17, [data(partition_index=index) for index in range(17)]),
        encoded(17, [data()], [data()]),
        encoded(17, [data(), data()], error_code=71),
        encoded(17, [data(), data(error_code=6)]),
        encoded(17, [data(aborted_transactions=[AbortedTransaction(1, 2)]), data()]),
        encoded(17, [data(diverging_epoch=EpochEndOffset(3, 4)), data()]),
        encoded(17, [data(), data(current_leader=LeaderIdAndEpoch(3, 4))]),
        encoded(17, [data(), data()], node_endpoints=[NodeEndpoint(1, "h", 2)]),
        memoryview(bytes(encoded(17, [data(), data()])) + b"\0"),
    ],
)
def test_others_than_a_few_partitions_are_left_to_the_decoder(body: memoryview) -> None:
    assert read_few_partitions(body, HEADER_BYTES, 17) is None
    assert read_few_partitions(encoded(12, [data()]), HEADER_BYTES, 12) is None


@pytest.mark.parametrize("protocol", ["2.8", "3.9"])
async def test_a_follower_that_keeps_up_needs_the_decoder_for_few_responses(
    protocol: str, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    leader = LeaderHarness()
    for at in (T0, T1):
        leader.lead(at, 5)
    follower = FollowerHarness({2: leader}, protocol)
    follower.topic_ids["t"] = leader.topic_ids["t"] = b"t" * 16
    single = 0
    process = ReplicaFetcher._process_single

    async def count(fetcher: ReplicaFetcher, response: Any) -> None:
        nonlocal single
        single += 1
        await process(fetcher, response)

    append = Partition.append_single_batch
    again = 0

    def count_again(partition: Partition, *arguments: Any) -> int | None:
        nonlocal again
        end = append(partition, *arguments)
        again += end is not None
        return end

    counter = count_few_partitions(monkeypatch)
    monkeypatch.setattr(ReplicaFetcher, "_process_single", count)
    monkeypatch.setattr(Partition, "append_single_batch", count_again)
    async with follower.running():
        follower.follow(5, T0, T1)
        await settle()
        for number in range(20):
            at = (T0, T1)[number % 3 == 0]
            leader.append(at, b"%d" % number)
            await settle()
        for at in (T0, T1):
            assert contents(follower.partition(at).log) == contents(leader.led[at].log)
            assert follower.partition(at).high_watermark == leader.high_watermark(at)
            state = follower.state(at)
            assert state is not None
            assert state.fetch_offset == leader.led[at].log.log_end_offset
    assert single + again + counter["taken"] == (20 if protocol == "3.9" else 0)
    assert (counter["taken"] > 10) is (protocol == "3.9")
    assert (again > 0) is (protocol == "3.9" and follower.partition(T0).executor.inline)
