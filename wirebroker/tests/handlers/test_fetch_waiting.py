"""Long polls and fetch sessions: which partitions a request looks at, and what ends its wait."""

from __future__ import annotations

import errno
import gc
import weakref
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.partition import Partition
from wirebroker.replication.purgatories import PurgatoryConfig
from wirebroker.storage.errors import ScanRequired
from wirebroker.storage.log_reader import LogReader
from wirebroker.tests.clocks import let_pass
from wirebroker.tests.controller.fakes import broker_config
from wirebroker.tests.handlers.fetch_harness import CONFIG, FetchHarness, answers
from wirebroker.tests.storage.fakes.logs import batch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from trio.testing import MockClock

    from wirebroker.protocol.messages.fetch import FetchRequest, FetchResponse

MANY = 500


@pytest.fixture(params=[False, True], ids=["in a task", "held"], autouse=True)
def holds_responses(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a request that waits has no task."""
    holds: bool = request.param
    monkeypatch.setattr(FetchHarness, "holds_responses", holds)
    return holds


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """How often each partition's log is read."""
    counts: Counter[int] = Counter()
    read = Partition.read

    def counted(self: Partition, *arguments: Any, **more: Any) -> Any:
        counts[self.topic_partition.partition] += 1
        return read(self, *arguments, **more)

    monkeypatch.setattr(Partition, "read", counted)
    return counts


class Session:
    """A client that follows partitions of the topic t from their ends on."""

    def __init__(self, harness: FetchHarness, session_id: int) -> None:
        self.harness, self.session_id, self.epoch = harness, session_id, 0

    @classmethod
    async def open(cls, harness: FetchHarness, wanted: Mapping[int, int]) -> Session:
        response = await harness.ask(harness.request(wanted, session_epoch=0))
        assert response.session_id
        return cls(harness, response.session_id)

    def request(self, wanted: Mapping[int, int] | None = None, **more: Any) -> FetchRequest:
        self.epoch += 1
        return self.harness.request(wanted, session_id=self.session_id, session_epoch=self.epoch, **more)

    async def fetch(self, wanted: Mapping[int, int] | None = None, **more: Any) -> list[int]:
        """The partitions that the answer holds."""
        return list(answers(await self.harness.ask(self.request(wanted, **more))))


@asynccontextmanager
async def waiting(
    harness: FetchHarness, request: FetchRequest, max_wait_ms: int = 60_000
) -> AsyncIterator[list[FetchResponse]]:
    """Ask, and go on when the request waits; the list gets the response."""
    request.max_wait_ms = max_wait_ms
    responses: list[FetchResponse] = []

    async def ask() -> None:
        responses.append(await harness.ask(request))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        assert not responses
        yield responses


async def test_a_session_without_news_reads_no_partition(reads: Counter[int]) -> None:
    harness = FetchHarness({"t": MANY})
    session = await Session.open(harness, dict.fromkeys(range(MANY), 0))
    reads.clear()
    assert await session.fetch() == []
    assert not reads
    await harness.append(7)
    assert await session.fetch() == [7]
    assert await session.fetch() == [7]  # the client has not moved on
    assert reads == {7: 2}
    assert await session.fetch({7: 1}) == []
    assert await session.fetch() == []
    assert reads == {7: 3}


async def test_a_request_that_waits_reads_only_what_changed(reads: Counter[int]) -> None:
    harness = FetchHarness({"t": MANY})
    session = await Session.open(harness, dict.fromkeys(range(MANY), 0))
    reads.clear()
    async with waiting(harness, session.request()) as responses:
        await harness.append(7)
        await wait_all_tasks_blocked()
        assert list(answers(responses[0])) == [7]
    assert reads == {7: 1}


async def test_a_request_without_a_session_reads_again_only_what_changed(reads: Counter[int]) -> None:
    harness = FetchHarness({"t": MANY})
    async with waiting(harness, harness.request(dict.fromkeys(range(MANY), 0))) as responses:
        assert set(reads.values()) == {1}
        await harness.append(7)
        await wait_all_tasks_blocked()
        assert len(answers(responses[0])) == MANY
    assert reads.pop(7) == 2
    assert set(reads.values()) == {1}


async def test_many_small_appends_do_not_read_the_others_again(reads: Counter[int], mock_clock: MockClock) -> None:
    harness = FetchHarness({"t": MANY})
    session = await Session.open(harness, dict.fromkeys(range(MANY), 0))
    reads.clear()
    async with waiting(harness, session.request(min_bytes=1_000_000)) as responses:
        for index in range(MANY):
            await harness.append(index)
            await wait_all_tasks_blocked()
        assert set(reads.values()) == {1}
        await let_pass(mock_clock, 60)
        assert len(answers(responses[0])) == MANY
    assert set(reads.values()) == {2}  # once more, to share the response's max_bytes


async def test_an_append_marks_a_session_once_between_two_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    harness = FetchHarness()
    session = await Session.open(harness, {0: 0, 1: 0})
    told = Counter[int]()
    notify = Partition.notify_listeners

    def counted(self: Partition) -> None:
        told[self.topic_partition.partition] += 1
        notify(self)

    monkeypatch.setattr(Partition, "notify_listeners", counted)
    for _ in range(5):
        await harness.append(0)
    assert told == {0: 1}
    assert await session.fetch() == [0]
    await harness.append(0)
    assert told == {0: 1}  # the client has not moved on, so the partition is dirty anyway


async def test_a_later_request_of_the_session_refuses_the_one_that_waits(mock_clock: MockClock) -> None:
    harness = FetchHarness()
    session = await Session.open(harness, {0: 0, 1: 0})
    async with waiting(harness, session.request(), 1000) as responses:
        assert await session.fetch({1: 0}, forget=[0]) == []
        await harness.append(0)
        await harness.append(1)
        await let_pass(mock_clock, 1)
        refused = responses[0]
        assert (refused.error_code, refused.session_id) == (ErrorCode.INVALID_FETCH_SESSION_EPOCH, session.session_id)
        assert not refused.responses
    assert await session.fetch() == [1]
    assert not harness.partition(0).listeners


async def test_a_session_that_is_removed_while_its_request_waits(mock_clock: MockClock) -> None:
    harness = FetchHarness()
    session = await Session.open(harness, {0: 0, 1: 0})
    async with waiting(harness, session.request()) as responses:
        harness.sessions.remove(session.session_id)
        await harness.append(1)
        await wait_all_tasks_blocked()
        assert list(answers(responses[0])) == [1]
    assert not any(harness.partition(index).listeners for index in (0, 1))
    response = await harness.ask(session.request())
    assert response.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


async def test_requests_that_end_leave_no_listeners(mock_clock: MockClock) -> None:
    harness = FetchHarness()
    async with waiting(harness, harness.request({0: 0, 1: 0}), 1000):
        assert harness.partition(0).listeners
        await let_pass(mock_clock, 1)
    async with trio.open_nursery() as nursery:  # a connection that is lost
        nursery.start_soon(harness.ask, harness.request({0: 0, 1: 0}, max_wait_ms=1000))
        await wait_all_tasks_blocked()
        assert harness.partition(1).listeners
        nursery.cancel_scope.cancel()
    assert not any(harness.partition(index).listeners for index in (0, 1))


async def test_completed_requests_stay_listeners_until_they_are_purged() -> None:
    """The effect of `fetch.purgatory.purge.interval.requests`."""
    harness = FetchHarness()
    config = broker_config(fetch_purgatory_purge_interval_requests=5)
    harness.replicas.purgatories.configure(PurgatoryConfig(config.value))
    listeners = []
    for end in range(4):
        async with waiting(harness, harness.request({0: end, 1: 0})):
            await harness.append(0)
            await wait_all_tasks_blocked()
        listeners.append(len(harness.partition(1).listeners))
    assert listeners == [1, 2, 0, 1]  # two partitions each, five at most


async def test_a_deleted_partition_is_kept_by_no_completed_request() -> None:
    harness = FetchHarness()
    config = broker_config(fetch_purgatory_purge_interval_requests=1000)
    harness.replicas.purgatories.configure(PurgatoryConfig(config.value))
    async with waiting(harness, harness.request({0: 0, 1: 0})):
        await harness.append(0)
        await wait_all_tasks_blocked()
    assert harness.replicas.purgatories.fetch.num_purgeable == 2
    deleted = weakref.ref(harness.partition(1).log)
    await harness.delete("t")
    assert harness.replicas.purgatories.fetch.num_purgeable == 0
    gc.collect()
    assert deleted() is None


@pytest.mark.parametrize("change", ["delete", "disk fails", "stop"])
async def test_a_partition_that_is_stopped_is_kept_by_no_request_that_waits_for_it(change: str) -> None:
    harness = FetchHarness({"t": 1})
    config = broker_config(fetch_purgatory_purge_interval_requests=1000)
    harness.replicas.purgatories.configure(PurgatoryConfig(config.value))
    async with waiting(harness, harness.request({0: 0})):
        await harness.append(0)
        await wait_all_tasks_blocked()
    async with waiting(harness, harness.request({0: 1})) as responses:
        if change == "disk fails":
            harness.disk.fail_next["rename"] = errno.EIO
        if change == "stop":
            await harness.replicas.stop("t", 0, delete=False)
        else:
            await harness.delete("t")
        await wait_all_tasks_blocked()
    assert len(responses) == 1
    assert harness.replicas.purgatories.fetch.num_purgeable == 0


async def test_a_broker_that_stops_answers_at_once() -> None:
    harness = FetchHarness()
    session = await Session.open(harness, {0: 0, 1: 0})
    async with waiting(harness, session.request()) as responses, waiting(harness, harness.request({0: 0})) as others:
        harness.replicas.purgatories.close()
        await wait_all_tasks_blocked()
        assert answers(responses[0]) == {}
        assert list(answers(others[0])) == [0]
    assert list(await harness.fetch({0: 0}, max_wait_ms=60_000)) == [0]


async def test_the_rest_of_a_full_segment_is_not_waited_for() -> None:
    harness = FetchHarness()
    for index in (0, 1):
        log = harness.partition(index).log
        log.config = CONFIG._replace(segment_bytes=200)
        await harness.append(index, b"x" * 50)
    async with waiting(harness, harness.request({0: 0, 1: 0}, min_bytes=10_000)) as responses:
        await harness.append(1, b"x" * 100)  # rolls
        await wait_all_tasks_blocked()
        assert [each.high_watermark for each in answers(responses[0]).values()] == [1, 2]
    with trio.fail_after(1):
        await harness.fetch({0: 0, 1: 0}, min_bytes=10_000, max_wait_ms=60_000)


def require_scan(monkeypatch: pytest.MonkeyPatch) -> tuple[trio.Event, trio.Event]:
    """Have the next read_committed read require a scan; return the events that it has begun, and that it may end."""
    begun, may_end = trio.Event(), trio.Event()
    token = trio.lowlevel.current_trio_token()
    aborted_transactions = LogReader.aborted_transactions

    class Scan:
        def run(self) -> None:
            trio.from_thread.run_sync(begun.set, trio_token=token)
            trio.from_thread.run(may_end.wait, trio_token=token)
            monkeypatch.setattr(LogReader, "aborted_transactions", aborted_transactions)

    def ask_for_scan(*_: Any, may_wait: bool) -> Any:
        assert not may_wait
        raise ScanRequired(Scan())

    monkeypatch.setattr(LogReader, "aborted_transactions", ask_for_scan)
    return begun, may_end


async def test_a_scan_is_left_to_the_next_request_of_one_without_a_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(FetchHarness, "holds_responses", True)
    harness = FetchHarness()
    session = await Session.open(harness, {0: 0, 1: 0})
    begun, may_end = require_scan(monkeypatch)
    async with waiting(harness, session.request(isolation_level=1)) as responses:
        await harness.append(0)
        await wait_all_tasks_blocked()
        (data,) = answers(responses[0]).values()
    assert (data.partition_index, data.high_watermark, data.records) == (0, 1, b"")
    assert not begun.is_set()
    async with waiting(harness, session.request(isolation_level=1)) as responses:
        await begun.wait()
        may_end.set()
    assert answers(responses[0])[0].records


async def test_a_log_is_scanned_in_a_thread_and_read_as_it_is_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FetchHarness, "holds_responses", False)
    harness = FetchHarness()
    session = await Session.open(harness, {0: 0, 1: 0})
    begun, may_end = require_scan(monkeypatch)
    async with waiting(harness, session.request(isolation_level=1)) as responses:
        await harness.append(0)
        await begun.wait()
        assert not responses
        await harness.append(0)
        await harness.append(1)
        may_end.set()
    told = answers(responses[0])
    assert [(index, each.high_watermark) for index, each in told.items()] == [(0, 2), (1, 1)]
    size = batch(b"value").size_bytes
    assert [each.records.size_bytes for each in told.values()] == [2 * size, size]  # type: ignore[union-attr]


async def test_a_partition_that_changes_during_the_first_read_of_a_request_is_read_too(
    monkeypatch: pytest.MonkeyPatch, reads: Counter[int]
) -> None:
    harness = FetchHarness()
    opened = await harness.ask(harness.request({0: 0, 1: 0, 2: 0}, session_epoch=0, isolation_level=1))
    session = Session(harness, opened.session_id)
    await harness.append(0)
    begun, may_end = require_scan(monkeypatch)
    reads.clear()
    both = 2 * batch(b"value").size_bytes
    with trio.fail_after(20):  # without the records of partition 1 it would wait for a minute
        async with waiting(harness, session.request(isolation_level=1, min_bytes=both)) as responses:
            await begun.wait()
            await harness.append(1)  # only partition 0 is read, and the request does not wait for changes yet
            may_end.set()
    assert [(index, each.high_watermark) for index, each in answers(responses[0]).items()] == [(0, 1), (1, 1)]
    assert 2 not in reads


async def test_a_session_hears_of_changes_after_the_request_that_created_it_was_purged() -> None:
    harness = FetchHarness()
    config = broker_config(fetch_purgatory_purge_interval_requests=1000)
    harness.replicas.purgatories.configure(PurgatoryConfig(config.value))
    async with waiting(harness, harness.request({0: 0, 1: 0}, session_epoch=0)) as responses:
        await harness.append(0)
        await wait_all_tasks_blocked()
    harness.replicas.purgatories.fetch.purge()
    await harness.append(1)
    found = await harness.fetch(session_id=responses[0].session_id, session_epoch=1)
    assert found[1].records, "partition 1 was clean, and the session does not know that it has changed"


@pytest.mark.parametrize("is_session", [False, True])
async def test_deleted_records_before_the_fetch_offset_end_no_wait(mock_clock: MockClock, is_session: bool) -> None:
    """As with Apache Kafka a consumer gets the new log start offset when its time is over."""
    harness = FetchHarness()
    for _ in range(5):
        await harness.append(0)
    if is_session:
        session = await Session.open(harness, {0: 5})
        request = session.request()
    else:
        request = harness.request({0: 5})
    async with waiting(harness, request, 3000) as responses:
        await let_pass(mock_clock, 1)
        assert await harness.partition(0).delete_records(3) == 3
        assert await harness.partition(0).delete_records(-1) == 5
        await wait_all_tasks_blocked()
        assert not responses
        await let_pass(mock_clock, 2)
        assert [each.log_start_offset for each in answers(responses[0]).values()] == [5]


async def test_deleted_records_at_the_fetch_offset_are_an_error_at_once() -> None:
    """Apache Kafka answers the same error when the time of the request is over."""
    harness = FetchHarness()
    for _ in range(5):
        await harness.append(0)
    async with waiting(harness, harness.request({0: 2}, min_bytes=1_000_000)) as responses:
        await harness.partition(0).delete_records(2)
        await wait_all_tasks_blocked()
        assert not responses
        await harness.partition(0).delete_records(3)
        await wait_all_tasks_blocked()
        assert [each.error_code for each in answers(responses[0]).values()] == [ErrorCode.OFFSET_OUT_OF_RANGE]
