"""Transactions through handlers, coordinators and logs: what consumers see, whatever crashes when."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

import pytest
import trio
import trio.testing

from wirebroker.metadata.image import ClusterImage
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.tests.coordinator.transaction.whole import Whole, running, use_virtual_time
from wirebroker.tests.storage.fakes.disk import Crash, FakeDisk

if TYPE_CHECKING:
    from trio.testing import MockClock

ends = pytest.mark.parametrize("commit", [True, False])
_ABOUT_A_TRANSACTION = 200


@pytest.fixture(autouse=True)
def virtual_time(monkeypatch: pytest.MonkeyPatch) -> None:
    use_virtual_time(monkeypatch)


@ends
async def test_the_older_protocol(commit: bool) -> None:
    async with running() as whole:
        producer = await whole.started()
        assert await whole.add(producer, 0, 2) == [E.NONE, E.NONE]
        assert await whole.produce(producer, 0, value=b"a") == E.NONE
        assert await whole.produce(producer, 2, value=b"b") == E.NONE
        assert await whole.produce(producer, 1) == E.TRANSACTION_ABORTABLE, "it was not added"
        assert await whole.values(0) == []
        assert await whole.add_offsets(producer) == E.NONE
        assert await whole.commit_offset(producer, 7) == E.NONE
        answer = await whole.end(producer, commit=commit)
        assert (answer.error_code, answer.producer_epoch) == (E.NONE, 0)
        # The end is answered when consumers see it.
        assert [await whole.values(0), await whole.values(2)] == ([[b"a"], [b"b"]] if commit else [[], []])
        assert whole.ends(0) == whole.ends(2) == [producer]
        assert await whole.add(producer, 1) == [E.NONE]


@ends
async def test_the_newer_protocol(commit: bool) -> None:
    async with running() as whole:
        producer = await whole.started()
        for epoch in (0, 1, 2):
            assert producer == (100, epoch)
            assert await whole.produce(producer, 1, value=b"%d" % epoch, version=12) == E.NONE
            assert await whole.commit_offset(producer, 7, version=5) == E.NONE
            answer = await whole.end(producer, commit=commit, version=5)
            assert answer.error_code == E.NONE
            producer = answer.producer_id, answer.producer_epoch
        assert await whole.values(1) == ([b"0", b"1", b"2"] if commit else [])
        assert whole.ends(1) == [(100, 1), (100, 2), (100, 3)], "markers carry the next epoch"


async def test_a_successor_sees_the_end_of_its_predecessor() -> None:
    async with running() as whole:
        old = await whole.started()
        await whole.add(old, 0)
        await whole.produce(old, 0)
        new = await whole.started()
        assert (new, whole.is_open(0)) == ((100, 2), False)
        assert await whole.produce(old, 0, sequence=1) == E.INVALID_PRODUCER_EPOCH
        assert (await whole.end(old)).error_code == E.PRODUCER_FENCED
        assert (await whole.end(old, version=1)).error_code == E.INVALID_PRODUCER_EPOCH


async def test_a_transaction_that_takes_too_long(autojump_clock: MockClock) -> None:
    async with running() as whole:
        producer = await whole.started(timeout_ms=5_000)
        await whole.add(producer, 0)
        await whole.produce(producer, 0)
        await trio.sleep(20)
        assert (await whole.state(), whole.is_open(0)) == ("CompleteAbort", False)
        assert await whole.produce(producer, 0, sequence=1) == E.INVALID_PRODUCER_EPOCH
        assert await whole.add(producer, 0) == [E.PRODUCER_FENCED]
        assert await whole.add(producer, 0, version=1) == [E.INVALID_PRODUCER_EPOCH]


async def test_idle_transactional_ids_go(autojump_clock: MockClock) -> None:
    settings: dict[str, Any] = {
        "transactional.id.expiration.ms": 10_000,
        "transaction.remove.expired.transaction.cleanup.interval.ms": 1_000,
    }
    async with running(**settings) as whole:
        await whole.started()
        await trio.sleep(8)
        assert await whole.state() == "Empty"
        await trio.sleep(4)
        assert (await whole.describe("x"))[0].error_code == E.TRANSACTIONAL_ID_NOT_FOUND
        assert await whole.started() == (101, 0)


async def test_a_partition_that_fails_holds_nobody_up_for_long(autojump_clock: MockClock) -> None:
    async with running() as whole:
        producer = await whole.started()
        await whole.add(producer, 0, 1)
        await whole.produce(producer, 0, value=b"a")
        broken = whole.markers.write

        async def write(*call):  # type: ignore[no-untyped-def]
            return dict.fromkeys(call[4], E.KAFKA_STORAGE_ERROR)

        whole.markers.write = write  # type: ignore[method-assign]
        started = trio.current_time()
        assert (await whole.end(producer)).error_code == E.NONE, "it is decided"
        assert 0.4 < trio.current_time() - started < 0.7
        assert await whole.add(producer, 2) == [E.CONCURRENT_TRANSACTIONS]
        assert (await whole.init()).error_code == E.CONCURRENT_TRANSACTIONS
        assert (await whole.state(), await whole.values(0)) == ("PrepareCommit", [])
        whole.markers.write = broken  # type: ignore[method-assign]
        await trio.sleep(2)
        assert (await whole.state(), await whole.values(0)) == ("CompleteCommit", [b"a"])
        assert await whole.add(producer, 2) == [E.NONE]


async def test_a_deleted_topic_does_not_hold_the_end_up() -> None:
    async with running() as whole:
        producer = await whole.started()
        await whole.add(producer, 0, 1)
        await whole.produce(producer, 0, value=b"a")
        await whole.replicas.stop("t", 1, delete=True)
        assert (await whole.end(producer)).error_code == E.NONE
        assert (await whole.state(), await whole.values(0)) == ("CompleteCommit", [b"a"])


async def test_a_coordinator_whose_topic_is_gone_stops(autojump_clock: MockClock) -> None:
    async with running() as whole:
        producer = await whole.started()
        await whole.add(producer, 0)
        gate = trio.Event()

        async def write(*_: object) -> Any:
            await gate.wait()

        whole.markers.write = write  # type: ignore[method-assign,assignment]
        async with trio.open_nursery() as nursery:
            answers: list[Any] = []

            async def end() -> None:
                answers.append(await whole.end(producer))

            nursery.start_soon(end)
            await trio.testing.wait_all_tasks_blocked()
            topics = {name: each for name, each in whole.metadata.image.topics.items() if name != "__transaction_state"}
            whole.metadata.publish(ClusterImage(topics=topics), [])
            await whole.coordinator.caught_up()
        assert [each.error_code for each in answers] == [E.NOT_COORDINATOR]
        assert whole.coordinator.markers_under_way == 0
        assert await whole.add(producer, 0) == [E.NOT_COORDINATOR]


async def test_an_append_that_fails_is_told_to_everybody_who_waits() -> None:
    async with running() as whole:
        producer = await whole.started()
        await whole.add(producer, 0)
        whole.disk.broken["pwrite"] = errno.EIO
        with trio.fail_after(5):
            assert (await whole.end(producer)).error_code in (E.NOT_COORDINATOR, E.COORDINATOR_NOT_AVAILABLE)


# -- crashes -----------------------------------------------------------------------------------------------------


async def _decided(whole: Whole) -> None:
    """Whatever was decided before a restart is done soon after it."""
    with trio.fail_after(10):
        while (await whole.state()).startswith("Prepare"):  # noqa: ASYNC110 - nobody tells
            await trio.sleep(0.01)


@pytest.mark.parametrize("protocol", [3, 5])
@ends
async def test_a_crash_at_any_step_of_the_end(commit: bool, protocol: int) -> None:
    seen = set()
    for step in range(1, _ABOUT_A_TRANSACTION):
        answered = False
        disk = FakeDisk()
        try:
            async with running(disk) as whole:
                producer = await whole.started()
                if protocol == 3:
                    await whole.add(producer, 0, 1, 2)
                for index in range(3):
                    assert not await whole.produce(producer, index, value=b"a", version=11 if protocol == 3 else 12)
                disk.crash_at = disk.steps + step
                await whole.end(producer, commit=commit, version=protocol)
                answered = True
        except* Crash:
            pass
        async with running(disk.restarted(), first_id=200) as whole:
            await _decided(whole)
            state = await whole.state()
            seen.add(state)
            if answered:
                assert state == ("CompleteCommit" if commit else "CompleteAbort")
            if state == "Ongoing":  # the decision was lost, nobody was told of it, and the client asks again
                answer = await whole.end(producer, commit=commit, version=protocol)
                assert answer.error_code == E.NONE
            visible = [await whole.values(index) for index in range(3)]
            assert visible == [[b"a"] if commit else []] * 3
            assert not any(whole.is_open(index) for index in range(3))
            retried = await whole.end(producer, commit=commit, version=protocol)
            assert (retried.error_code, retried.producer_epoch) == (E.NONE, int(protocol == 5))
        if answered:
            break
    else:
        pytest.fail("the end takes more steps than were tried")
    assert seen == {"Ongoing", "CompleteCommit" if commit else "CompleteAbort"}


async def test_a_crash_while_a_crash_is_cleaned_up() -> None:
    disk = FakeDisk()
    try:
        async with running(disk) as whole:
            producer = await whole.started()
            await whole.add(producer, 0, 1, 2)
            for index in range(3):
                await whole.produce(producer, index, value=b"a")
            disk.crash_at = disk.steps + 2  # the first marker
            await whole.end(producer)
    except* Crash:
        pass
    for step in range(1, 20):
        disk = disk.restarted()
        finished = False
        try:
            async with running(disk, first_id=200) as whole:
                disk.crash_at = disk.steps + step
                await _decided(whole)
            finished = True
        except* Crash:
            pass
        if finished:
            break
    async with running(disk.restarted(), first_id=200) as whole:
        assert await whole.state() == "CompleteCommit"
        assert [await whole.values(index) for index in range(3)] == [[b"a"]] * 3
