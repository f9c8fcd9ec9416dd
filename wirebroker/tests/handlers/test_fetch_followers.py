"""Fetch requests of followers: the log end, the high watermark that they move, and their sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio

from wirebroker.model import LeaderAndIsr
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import FetchPartition, ReplicaState
from wirebroker.tests.handlers.fetch_harness import FetchHarness, answers

if TYPE_CHECKING:
    from trio.testing import MockClock

    from wirebroker.protocol.messages.fetch import FetchResponse, PartitionData

FOLLOWER = 2


@pytest.fixture(params=[False, True], ids=["in a task", "held"], autouse=True)
def holds_responses(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a request that waits has no task."""
    holds: bool = request.param
    monkeypatch.setattr(FetchHarness, "holds_responses", holds)
    return holds


async def leader(count: int = 1) -> FetchHarness:
    """Partitions that broker 2 follows, in sync."""
    harness = FetchHarness({"t": count})
    for index in range(count):
        await harness.partition(index).make_leader(LeaderAndIsr(0, 1, (0, FOLLOWER), 1, (0, FOLLOWER)))
    return harness


def asked(offset: int) -> FetchPartition:
    return FetchPartition(fetch_offset=offset, current_leader_epoch=1, log_start_offset=0)


async def fetch(harness: FetchHarness, offset: int, version: int, **more: Any) -> PartitionData:
    named: dict[str, Any] = {"replica_id": FOLLOWER} if version < 15 else {"replica_state": ReplicaState(FOLLOWER, -1)}
    return (await harness.fetch({0: asked(offset)}, version=version, **named, **more))[0]


@pytest.mark.parametrize("version", [8, 11, 12, 14, 15, 17])
async def test_a_follower_reads_to_the_log_end_and_moves_the_high_watermark(version: int) -> None:
    harness = await leader()
    await harness.append(0, b"a", b"b")
    data = await fetch(harness, 0, version)
    assert data.records
    assert data.high_watermark == 0
    consumed = (await harness.fetch({0: 0}))[0]
    assert not consumed.records, "not committed"
    data = await fetch(harness, 2, version)
    assert not data.records
    assert data.high_watermark == 2, "of the same request"
    consumed = (await harness.fetch({0: 0}))[0]
    assert consumed.records


async def test_offsets_of_a_follower_that_are_out_of_range_tell_nothing() -> None:
    harness = await leader()
    await harness.append(0, b"a", b"b")
    assert (await fetch(harness, 7, 12)).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    role = harness.partition().leader
    assert role is not None
    assert role.remote_replicas[FOLLOWER].log_end_offset == -1


async def test_a_session_of_a_follower_answers_appended_records_at_once(autojump_clock: MockClock) -> None:
    harness = await leader(3)
    replica: dict[str, Any] = {"replica_state": ReplicaState(FOLLOWER, -1)}
    full = await harness.ask(harness.request({each: asked(0) for each in range(3)}, **replica, session_epoch=0))
    assert full.session_id

    async def go_on(epoch: int, wanted: dict[int, FetchPartition] | None = None) -> FetchResponse:
        request = harness.request(wanted, **replica, session_id=full.session_id, session_epoch=epoch, max_wait_ms=500)
        return await harness.ask(request)

    assert answers(await go_on(1)) == {}
    assert trio.current_time() == 0.5
    responses: list[FetchResponse] = []

    async def wait() -> None:
        responses.append(await go_on(2))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.sleep(0.1)
        await harness.append(1, b"x")
    assert trio.current_time() == 0.6
    assert answers(responses[0])[1].records
    assert harness.partition(1).high_watermark == 0
    assert answers(await go_on(3, {1: asked(1)})).keys() == {1}, "the new high watermark"
    assert harness.partition(1).high_watermark == 1


async def test_a_waiting_follower_is_told_that_the_leader_has_changed(autojump_clock: MockClock) -> None:
    harness = await leader()
    found: list[PartitionData] = []

    async def wait() -> None:
        found.append(await fetch(harness, 0, 12, max_wait_ms=5000))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.sleep(0.1)
        harness.partition().make_follower(LeaderAndIsr(FOLLOWER, 2, (FOLLOWER,), 2, (0, FOLLOWER)))
    assert trio.current_time() == 0.1
    assert found[0].error_code == ErrorCode.FENCED_LEADER_EPOCH
    assert (await harness.fetch({0: 0}, version=10))[0].error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert (await harness.fetch({0: 0}, version=11))[0].error_code == 0, "consumers may read from followers"


@pytest.mark.parametrize(("replica_id", "reads"), [(-1, False), (-2, False), (-3, True)])
@pytest.mark.parametrize("version", [8, 12, 17])
async def test_only_replicas_read_what_is_not_committed(version: int, replica_id: int, reads: bool) -> None:
    """-2, a tool that compares replicas, is a consumer; -3 copies a log to another directory."""
    harness = await leader()
    await harness.append(0, b"a")
    named = {"replica_id": replica_id} if version < 15 else {"replica_state": ReplicaState(replica_id, -1)}
    data = (await harness.fetch({0: 0}, version=version, **named))[0]
    assert (data.error_code, bool(data.records)) == (ErrorCode.NONE, reads)


async def test_records_are_converted_for_followers_where_consumers_may_not_have_that() -> None:
    harness = await leader()
    await harness.append(0, b"a")
    log = harness.partition().log
    log.config = log.config._replace(message_downconversion_enable=False)
    assert (await harness.fetch({0: 0}, version=1))[0].error_code == ErrorCode.UNSUPPORTED_VERSION
    data = (await harness.fetch({0: 0}, version=1, replica_id=FOLLOWER))[0]
    assert (data.error_code, bool(data.records)) == (0, True)
    harness.partition().make_follower(LeaderAndIsr(FOLLOWER, 2, (0, FOLLOWER), 2, (0, FOLLOWER)))
    codes = [(await harness.fetch({0: 0}, version=version))[0].error_code for version in (1, 3, 4)]
    assert codes == [ErrorCode.UNSUPPORTED_VERSION] * 2 + [ErrorCode.NOT_LEADER_OR_FOLLOWER]
