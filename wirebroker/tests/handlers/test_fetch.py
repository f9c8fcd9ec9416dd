"""Fetch: what each partition is answered, and when."""

from __future__ import annotations

import pytest
import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchPartition, LeaderIdAndEpoch, NodeEndpoint, ReplicaState
from wirebroker.replication.fetch_session import ReaderKind, TopicKey
from wirebroker.tests.handlers.fetch_harness import FetchHarness, answers


@pytest.mark.parametrize("version", [11, 14, 15, 17])
@pytest.mark.parametrize(
    ("leader_epoch", "code"),
    [
        (-1, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (4, ErrorCode.FENCED_LEADER_EPOCH),
        (5, ErrorCode.UNKNOWN_LEADER_EPOCH),
        (6, ErrorCode.UNKNOWN_LEADER_EPOCH),
    ],
)
async def test_a_follower_that_is_no_replica_gets_no_records(version: int, leader_epoch: int, code: ErrorCode) -> None:
    harness = FetchHarness({})
    harness.create("t", leader_epoch=5)
    await harness.append()
    wanted = {0: FetchPartition(fetch_offset=0, current_leader_epoch=leader_epoch)}
    replica = {"replica_id": 3} if version < 15 else {"replica_state": ReplicaState(3, 1)}
    answer = (await harness.fetch(wanted, version=version, **replica))[0]
    assert (answer.error_code, answer.records) == (code, b"")


@pytest.mark.parametrize("version", [14, 15])
@pytest.mark.parametrize("replica_id", [-1, 3])
async def test_only_a_follower_s_session_takes_the_slot_of_an_old_consumer_s_that_is_in_use(
    version: int, replica_id: int
) -> None:
    harness = FetchHarness(slots=1)
    long_ago, later = 0, 10**15
    consumer = harness.sessions.maybe_create_session(1, ReaderKind(14, -1, 0), long_ago, uses_topic_ids=True)
    assert consumer is not None
    consumer.update(TopicKey("", bytes(16)), FetchPartition(0))
    harness.sessions.get_and_advance(consumer.session_id, 1, later, uses_topic_ids=True)
    replica = {"replica_id": replica_id} if version < 15 else {"replica_state": ReplicaState(replica_id, 1)}
    request = harness.request({0: 0}, version=version, session_epoch=0, **replica)
    assert bool((await harness.ask(request, version)).session_id) == (replica_id >= 0)


@pytest.mark.parametrize(
    ("min_bytes", "max_bytes", "waited_s"), [(10**6, 0, 0), (10**6, 50, 0), (10**6, 10**5, 0.5), (0, 10**5, 0)]
)
async def test_more_bytes_wanted_than_allowed_are_not_waited_for(
    autojump_clock: trio.testing.MockClock, min_bytes: int, max_bytes: int, waited_s: float
) -> None:
    harness = FetchHarness()
    await harness.append(0, b"x" * 100)
    began = trio.current_time()
    await harness.fetch({0: 0}, min_bytes=min_bytes, max_bytes=max_bytes, max_wait_ms=500)
    assert trio.current_time() - began == pytest.approx(waited_s)


@pytest.mark.parametrize("version", [15, 16])
async def test_a_client_with_an_old_leader_epoch_gets_the_leader(version: int) -> None:
    harness = FetchHarness({})
    topic = harness.create("t", partitions=2, leader_epoch=5)
    wanted = {index: FetchPartition(fetch_offset=0, current_leader_epoch=4 + index) for index in (0, 1)}
    response = await harness.ask(harness.request(wanted, version=version), version)
    fenced, served = answers(response).values()
    assert (fenced.error_code, served.error_code) == (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.NONE)
    leader = LeaderIdAndEpoch(*topic.partitions[0][:2]) if version >= 16 else LeaderIdAndEpoch()
    assert (fenced.current_leader, served.current_leader) == (leader, LeaderIdAndEpoch())
    endpoint = [NodeEndpoint(0, "127.0.0.1", 9092)] if version >= 16 else []
    assert response.node_endpoints == endpoint


async def test_a_topic_id_is_not_answered_with_another_topic_s_records() -> None:
    """The image names the new topic of a name that was used before, while the old partition is still served."""
    harness = FetchHarness({})
    old = harness.create("t")
    await harness.append()
    new = old._replace(topic_id=b"another".ljust(16))
    harness.publish({"t": new})
    answer = (await harness.fetch({0: 0}))[0]
    assert (answer.error_code, answer.records) == (ErrorCode.INCONSISTENT_TOPIC_ID, b"")
    by_name = (await harness.fetch({0: 0}, version=12))[0]
    assert by_name.records


@pytest.mark.parametrize(
    ("left_bytes", "first_bytes", "min_bytes", "goes_on"),
    [
        (100, 20_000, 1, False),
        (100, 20_000, 10**6, True),  # the client waits for what fits
        (100, 1_000, 1, True),  # a tenth of the response is worth a look
    ],
)
async def test_a_full_response_leaves_later_partitions_unread(
    left_bytes: int, first_bytes: int, min_bytes: int, goes_on: bool
) -> None:
    harness = FetchHarness()
    await harness.append(0, b"x" * first_bytes)
    await harness.append(1, b"x" * left_bytes)
    await harness.append(2, b"x")
    sizes = [harness.partition(index).log.size_bytes for index in range(3)]
    assert sizes[2] <= left_bytes < sizes[1]
    answer = await harness.fetch({0: 0, 1: 0, 2: 0}, max_bytes=sizes[0] + left_bytes, min_bytes=min_bytes)
    assert (bool(answer[0].records), bool(answer[1].records)) == (True, False)
    assert bool(answer[2].records) == goes_on
    assert [each.high_watermark for each in answer.values()] == [1, 1, 1]
