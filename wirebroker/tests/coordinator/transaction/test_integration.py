"""Transactions through handlers, coordinators and logs: consumers see whole transactions, with a crash at any step."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

from wirebroker.metadata.image import ClusterImage
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.tests.coordinator.transaction.broker_harness import BrokerHarness, running, use_virtual_time
from wirebroker.tests.storage.fakes.disk import Crash, FakeDisk

if TYPE_CHECKING:
    from trio.testing import MockClock

ends = pytest.mark.parametrize("commit", [True, False])
_ABOUT_A_TRANSACTION = 200


@pytest.fixture(autouse=True)
def virtual_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    use_virtual_time(request, monkeypatch)


@ends
async def test_the_older_protocol(commit: bool) -> None:
    async with running() as harness:
        producer = await harness.started()
        assert await harness.add(producer, 0, 2) == [E.NONE, E.NONE]
        assert await harness.produce(producer, 0, value=b"a") == E.NONE
        assert await harness.produce(producer, 2, value=b"b") == E.NONE
        assert await harness.produce(producer, 1) == E.TRANSACTION_ABORTABLE, "it was not added"
        assert await harness.values(0) == []
        assert await harness.add_offsets(producer) == E.NONE
        assert await harness.commit_offset(producer, 7) == E.NONE
        answer = await harness.end(producer, commit=commit)
        assert (answer.error_code, answer.producer_epoch) == (E.NONE, 0)
        # The end is answered when consumers see it.
        assert [await harness.values(0), await harness.values(2)] == ([[b"a"], [b"b"]] if commit else [[], []])
        assert harness.ends(0) == harness.ends(2) == [producer]
        assert await harness.add(producer, 1) == [E.NONE]


@ends
async def test_the_newer_protocol(commit: bool) -> None:
    async with running() as harness:
        producer = await harness.started()
        for epoch in (0, 1, 2):
            assert producer == (100, epoch)
            assert await harness.produce(producer, 1, value=b"%d" % epoch, version=12) == E.NONE
            assert await harness.commit_offset(producer, 7, version=5) == E.NONE
            answer = await harness.end(producer, commit=commit, version=5)
            assert answer.error_code == E.NONE
            producer = answer.producer_id, answer.producer_epoch
        assert await harness.values(1) == ([b"0", b"1", b"2"] if commit else [])
        assert harness.ends(1) == [(100, 1), (100, 2), (100, 3)], "markers carry the next epoch"


async def test_a_new_producer_waits_for_the_abort_of_the_old_one() -> None:
    async with running() as harness:
        old = await harness.started()
        await harness.add(old, 0)
        await harness.produce(old, 0)
        new = await harness.started()
        assert (new, harness.is_open(0)) == ((100, 2), False)
        assert await harness.produce(old, 0, sequence=1) == E.INVALID_PRODUCER_EPOCH
        assert (await harness.end(old)).error_code == E.PRODUCER_FENCED
        assert (await harness.end(old, version=1)).error_code == E.INVALID_PRODUCER_EPOCH


async def test_a_transaction_that_takes_too_long(autojump_clock: MockClock) -> None:
    async with running() as harness:
        producer = await harness.started(timeout_ms=5_000)
        await harness.add(producer, 0)
        await harness.produce(producer, 0)
        await trio.sleep(20)
        assert (await harness.state(), harness.is_open(0)) == ("CompleteAbort", False)
        assert await harness.produce(producer, 0, sequence=1) == E.INVALID_PRODUCER_EPOCH
        assert await harness.add(producer, 0) == [E.PRODUCER_FENCED]
        assert await harness.add(producer, 0, version=1) == [E.INVALID_PRODUCER_EPOCH]


async def test_idle_transactional_ids_go(autojump_clock: MockClock) -> None:
    settings: dict[str, Any] = {
        "transactional.id.expiration.ms": 10_000,
        "transaction.remove.expired.transaction.cleanup.interval.ms": 1_000,
    }
    async with running(**settings) as harness:
        await harness.started()
        await trio.sleep(8)
        assert await harness.state() == "Empty"
        await trio.sleep(4)
        assert (await harness.describe("x"))[0].error_code == E.TRANSACTIONAL_ID_NOT_FOUND
        assert await harness.started() == (101, 0)


async def test_a_partition_without_marker_delays_responses_by_half_a_second(autojump_clock: MockClock) -> None:
    async with running() as harness:
        producer = await harness.started()
        await harness.add(producer, 0, 1)
        await harness.produce(producer, 0, value=b"a")
        broken = harness.markers.write

        async def write(*call):  # type: ignore[no-untyped-def]
            return dict.fromkeys(call[4], E.KAFKA_STORAGE_ERROR)

        harness.markers.write = write  # type: ignore[method-assign]
        started = trio.current_time()
        assert (await harness.end(producer)).error_code == E.NONE, "it is decided"
        assert 0.4 < trio.current_time() - started < 0.7
        assert await harness.add(producer, 2) == [E.CONCURRENT_TRANSACTIONS]
        assert (await harness.init()).error_code == E.CONCURRENT_TRANSACTIONS
        assert (await harness.state(), await harness.values(0)) == ("PrepareCommit", [])
        harness.markers.write = broken  # type: ignore[method-assign]
        await trio.sleep(2)
        assert (await harness.state(), await harness.values(0)) == ("CompleteCommit", [b"a"])
        assert await harness.add(producer, 2) == [E.NONE]


async def test_a_deleted_topic_does_not_delay_the_end() -> None:
    async with running() as harness:
        producer = await harness.started()
        await harness.add(producer, 0, 1)
        await harness.produce(producer, 0, value=b"a")
        await harness.replicas.stop("t", 1, delete=True)
        assert (await harness.end(producer)).error_code == E.NONE
        assert (await harness.state(), await harness.values(0)) == ("CompleteCommit", [b"a"])


async def test_a_coordinator_whose_topic_is_gone_stops(autojump_clock: MockClock) -> None:
    async with running() as harness:
        producer = await harness.started()
        await harness.add(producer, 0)
        gate = trio.Event()

        async def write(*_: object) -> Any:
            await gate.wait()

        harness.markers.write = write  # type: ignore[method-assign,assignment]
        async with trio.open_nursery() as nursery:
            answers: list[Any] = []

            async def end() -> None:
                answers.append(await harness.end(producer))

            nursery.start_soon(end)
            await trio.testing.wait_all_tasks_blocked()
            topics = {
                name: each for name, each in harness.metadata.image.topics.items() if name != "__transaction_state"
            }
            harness.metadata.publish(ClusterImage(topics=topics), [])
            await harness.coordinator.caught_up()
        assert [each.error_code for each in answers] == [E.NOT_COORDINATOR]
        assert harness.coordinator.pending_markers == 0
        assert await harness.add(producer, 0) == [E.NOT_COORDINATOR]


async def test_a_failed_append_fails_every_waiting_request() -> None:
    async with running() as harness:
        producer = await harness.started()
        await harness.add(producer, 0)
        harness.disk.broken["pwrite"] = errno.EIO
        with trio.fail_after(5):
            assert (await harness.end(producer)).error_code in (E.NOT_COORDINATOR, E.COORDINATOR_NOT_AVAILABLE)


# -- crashes -----------------------------------------------------------------------------------------------------


async def _decided(harness: BrokerHarness) -> None:
    """Wait until transactions that were decided before a restart are complete."""
    with trio.fail_after(10):
        while (await harness.state()).startswith("Prepare"):  # noqa: ASYNC110 - nobody tells
            await trio.sleep(0.01)


@pytest.mark.parametrize("protocol", [3, 5])
@ends
async def test_a_crash_at_any_step_of_the_end(commit: bool, protocol: int) -> None:
    seen = set()
    for step in range(1, _ABOUT_A_TRANSACTION):
        answered = False
        disk = FakeDisk()
        try:
            async with running(disk) as harness:
                producer = await harness.started()
                if protocol == 3:
                    await harness.add(producer, 0, 1, 2)
                for index in range(3):
                    assert not await harness.produce(producer, index, value=b"a", version=11 if protocol == 3 else 12)
                disk.crash_at = disk.steps + step
                await harness.end(producer, commit=commit, version=protocol)
                answered = True
        except* Crash:
            pass
        async with running(disk.restarted(), first_id=200) as harness:
            await _decided(harness)
            state = await harness.state()
            seen.add(state)
            if answered:
                assert state == ("CompleteCommit" if commit else "CompleteAbort")
            if state == "Ongoing":  # the decision was lost, nobody was told of it, and the client asks again
                answer = await harness.end(producer, commit=commit, version=protocol)
                assert answer.error_code == E.NONE
            visible = [await harness.values(index) for index in range(3)]
            assert visible == [[b"a"] if commit else []] * 3
            assert not any(harness.is_open(index) for index in range(3))
            retried = await harness.end(producer, commit=commit, version=protocol)
            assert (retried.error_code, retried.producer_epoch) == (E.NONE, int(protocol == 5))
        if answered:
            break
    else:
        pytest.fail("the end takes more steps than were tried")
    assert seen == {"Ongoing", "CompleteCommit" if commit else "CompleteAbort"}


async def test_a_crash_while_a_crash_is_cleaned_up() -> None:
    disk = FakeDisk()
    try:
        async with running(disk) as harness:
            producer = await harness.started()
            await harness.add(producer, 0, 1, 2)
            for index in range(3):
                await harness.produce(producer, index, value=b"a")
            disk.crash_at = disk.steps + 2  # the first marker
            await harness.end(producer)
    except* Crash:
        pass
    for step in range(1, 20):
        disk = disk.restarted()
        finished = False
        try:
            async with running(disk, first_id=200) as harness:
                disk.crash_at = disk.steps + step
                await _decided(harness)
            finished = True
        except* Crash:
            pass
        if finished:
            break
    async with running(disk.restarted(), first_id=200) as harness:
        assert await harness.state() == "CompleteCommit"
        assert [await harness.values(index) for index in range(3)] == [[b"a"]] * 3
