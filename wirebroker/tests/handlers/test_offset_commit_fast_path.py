"""The fast path of OffsetCommit: it answers and writes as the general path, or leaves the request to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.handlers import offset_commit_fast_path
from wirebroker.handlers.offset_commit_fast_path import (
    FREQUENT_S,
    MAX_KNOWN,
    MAX_PARTITIONS,
    KnownDelayedCommit,
)
from wirebroker.model import GROUP_METADATA_TOPIC_NAME, LeaderAndIsr
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.tests.handlers.commit_harness import (
    COMMIT,
    NOW_MS,
    REPLICATED,
    VERSIONS,
    Committer,
    E,
    commit,
    decoded,
    frame,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio.testing import MockClock

    from wirebroker.protocol.errors import ErrorCode
    from wirebroker.server.dispatch import DelayedResponse


@pytest.fixture(autouse=True)
def wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("runtime", "partition_writer"):
        monkeypatch.setattr(f"wirebroker.coordinator.{module}.now_ms", lambda: NOW_MS)


def code_of(answer: bytes | KnownDelayedCommit | DelayedResponse | None, version: int = 7) -> int:
    """Return the code of the only partition in an answer."""
    assert isinstance(answer, bytes)
    ((_, _, code),) = decoded(answer, version)[1]
    return code


@pytest.mark.parametrize("version", VERSIONS)
async def test_response_and_records_are_those_of_the_general_path(version: int) -> None:
    requests = []
    for number in range(5):
        offsets = ("t", 1, number), ("u", 0, 3 * number), ("t", 0, 1 << 40)
        requests.append(frame(commit(*offsets, metadata=f"m{number}", epoch=number), version, number))
    fast, general = await Committer.new(), await Committer.new()
    for number, received in enumerate(requests):
        answer: bytes | KnownDelayedCommit | DelayedResponse | None = fast.fast(received)
        assert (answer is None) == (number < 2)
        if answer is None:
            answer = await fast.general(received)
        assert answer == await general.general(received)
        assert isinstance(answer, bytes)
        assert decoded(answer, version)[0] == number
        general.connect()
    assert fast.log_bytes() == general.log_bytes() != b""
    assert fast.manager.offsets.all_groups() == general.manager.offsets.all_groups()
    found = fast.manager.offsets.get("g", "t", 1)
    assert (found.offset, found.metadata, found.leader_epoch) == (4, "m4", 4 if version >= 6 else -1)


@pytest.mark.parametrize("release_retention", [None, 5000])
async def test_the_retention_that_a_client_asks_for_counts(release_retention: int | None) -> None:
    logs = []
    for known in (True, False):
        committer = await Committer.new()
        for number in range(4):
            asked = commit(("t", 0, number))
            asked.retention_time_ms = -1 if release_retention is None else release_retention
            received = frame(asked, 4)
            if not known or committer.fast(received) is None:
                await committer.general(received)
            if not known:
                committer.connect()
        logs.append(committer.log_bytes())
    assert logs[0] == logs[1]
    expires_ms = -1 if release_retention is None else NOW_MS + release_retention
    assert committer.manager.offsets.get("g", "t", 0).expire_ms == expires_ms


async def test_the_context_has_the_request() -> None:
    committer = await Committer.new()
    await committer.known(frame(commit(), 7, client_id="known"))
    committer.context.client_id = "other"
    received = frame(commit(), 7, client_id="known")
    assert committer.fast(received) is not None
    context = committer.context
    assert (context.api_key, context.version, context.client_id) == (COMMIT, 7, "known")
    assert context.request_bytes == len(received)


async def test_a_request_is_remembered_when_it_comes_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(offset_commit_fast_path, "perf_counter", lambda: now)
    committer = await Committer.new()
    for _ in range(3):
        await committer.general(frame(commit(), 7))
        now += FREQUENT_S + 0.1
    known = committer.context.known_commits
    assert known is not None
    assert not known.by_constants
    await committer.general(frame(commit(), 7))
    await committer.general(frame(commit(("t", 1, 1)), 7))
    await committer.general(frame(commit(), 7))
    assert not known.by_constants
    await committer.general(frame(commit(), 7))
    assert len(known.by_constants) == 1


@pytest.mark.parametrize(
    "other",
    [
        commit(("t", 0, 1), ("t", 0, 2)),
        commit(*(("t", index, 1) for index in range(MAX_PARTITIONS + 1))),
        commit(("t" * 4100, 0, 1)),
        OffsetCommitRequest("g"),
        OffsetCommitRequest("g", topics=[OffsetCommitRequestTopic("t")]),
        OffsetCommitRequest(
            "g",
            topics=[
                OffsetCommitRequestTopic(
                    "t", partitions=[OffsetCommitRequestPartition(index, 1, committed_metadata="")]
                )
                for index in (0, 1)
            ],
        ),
    ],
    ids=["a partition twice", "many partitions", "large", "no topic", "no partition", "a topic twice"],
)
async def test_other_requests_are_not_remembered(other: OffsetCommitRequest) -> None:
    committer = await Committer.new()
    await committer.known(frame(other, 7))
    assert committer.context.known_commits is None or not committer.context.known_commits.by_constants
    assert committer.fast(frame(other, 7)) is None


async def test_a_request_that_is_encoded_in_another_way_is_not_remembered() -> None:
    committer = await Committer.new()
    for received in (bytes(frame(commit(), 7)) + b"\0", bytes(frame(commit(), 8))[:-1] + b"\x01\x05\0"):
        await committer.known(memoryview(bytearray(received)))
        assert committer.fast(memoryview(received)) is None


async def test_the_known_requests_of_a_connection_are_bounded() -> None:
    committer = await Committer.new()
    for number in range(MAX_KNOWN + 1):
        await committer.known(frame(commit(group=f"g{number}"), 7))
    known = committer.context.known_commits
    assert known is not None
    assert len(known.by_constants) == 1
    assert committer.fast(frame(commit(group=f"g{MAX_KNOWN}"), 7)) is not None


@pytest.mark.parametrize("version", [7, 8])
async def test_other_constants_are_another_request(version: int) -> None:
    committer = await Committer.new()
    await committer.known(frame(commit(metadata="ab"), version))
    others = [
        frame(commit(metadata="ab", group="h"), version),
        frame(commit(("t", 1, 1), metadata="ab"), version),
        frame(commit(("u", 0, 1), metadata="ab"), version),
        frame(commit(metadata="ab", generation=2), version),
        frame(commit(metadata="abc"), version),
        frame(commit(metadata="ab"), version, client_id="d"),
        frame(commit(metadata="ab"), version + 1),
        frame(commit(metadata="ab"), version)[:-1],
    ]
    end = committer.partition.log.log_end_offset
    assert [committer.fast(each) for each in others] == [None] * len(others)
    bad_text = bytearray(frame(commit(metadata="ab"), version))
    bad_text[bad_text.index(b"ab")] = 0xFF
    assert committer.fast(memoryview(bad_text)) is None
    assert committer.partition.log.log_end_offset == end
    assert code_of(committer.fast(frame(commit(metadata="xy"), version)), version) == E.NONE


async def test_a_member_of_a_group_and_its_session(mock_clock: MockClock) -> None:
    committer = await Committer.new()
    member, generation = await committer.join()

    def received(offset: int) -> memoryview:
        return frame(commit(("t", 0, offset), member=member, generation=generation), 7)

    await committer.known(received(1))
    group = committer.manager.groups["g"]
    before_ms = group.members[member].session_deadline_ms
    mock_clock.jump(3)
    assert code_of(committer.fast(received(2))) == E.NONE
    assert group.members[member].session_deadline_ms == before_ms + 3000
    await committer.leave(member)
    assert code_of(committer.fast(received(3))) == E.UNKNOWN_MEMBER_ID
    other, later = await committer.join()
    assert (other != member, later) == (True, generation + 2)
    assert code_of(committer.fast(received(4))) == E.UNKNOWN_MEMBER_ID
    await committer.known(frame(commit(("t", 0, 5), member=other, generation=later), 7))
    group.generation_id += 1
    assert code_of(committer.fast(frame(commit(member=other, generation=later), 7))) == E.ILLEGAL_GENERATION
    assert committer.manager.offsets.get("g", "t", 0).offset == 5


async def _topic_deleted(committer: Committer) -> None:
    await committer.harness.delete("t")


async def _not_served(committer: Committer) -> None:
    await committer.harness.delete(GROUP_METADATA_TOPIC_NAME)


async def _unloaded(committer: Committer) -> None:
    committer.groups.runtime.unload(0)


async def _another_epoch(committer: Committer) -> None:
    await committer.partition.make_leader(LeaderAndIsr(0, 1, (0,), 5, (0,)))


async def _min_isr(committer: Committer) -> None:
    await committer.partition.make_leader(REPLICATED)
    committer.partition.below_min_isr = True


async def _members(committer: Committer) -> None:
    await committer.join()


async def _no_room(committer: Committer) -> None:
    committer.manager._batch_limit = lambda: 10


async def _short_metadata(committer: Committer) -> None:
    handle = committer.groups.runtime.active_shards()[0]
    for name, each in handle._requests.items():  # type: ignore[attr-defined]
        if name is OffsetCommitRequest:
            each.__self__._max_metadata = 1


CHANGES = {
    "topic deleted": (_topic_deleted, E.UNKNOWN_TOPIC_OR_PARTITION),
    "partition deleted": (_not_served, E.NOT_COORDINATOR),
    "unloaded": (_unloaded, E.NOT_COORDINATOR),
    "another epoch": (_another_epoch, E.NOT_COORDINATOR),
    "min.insync.replicas": (_min_isr, E.COORDINATOR_NOT_AVAILABLE),
    "members": (_members, E.UNKNOWN_MEMBER_ID),
    "no room": (_no_room, E.INVALID_COMMIT_OFFSET_SIZE),
    "metadata too large": (_short_metadata, E.OFFSET_METADATA_TOO_LARGE),
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("version", [2, 9])
async def test_a_change_since_the_last_request_counts(name: str, version: int) -> None:
    change, code = CHANGES[name]
    answers = []
    for known in (True, False):
        committer = await Committer.new()
        await committer.known(frame(commit(metadata="text"), version))
        assert committer.fast(frame(commit(metadata="text"), version)) is not None
        await change(committer)
        if not known:
            committer.connect()
        received = frame(commit(metadata="text"), version, 9)
        answer = committer.fast(received) if known else await committer.general(received)
        assert code_of(answer, version) == code
        answers.append(answer)
        if known:
            (route,) = {each.route for each in committer.context.known_commits.by_constants.values()}  # type: ignore[union-attr]
            assert route.metrics.errors[code] == 1
    assert answers[0] == answers[1]


async def test_requests_that_have_to_wait_for_the_session_with_zookeeper_are_left_to_the_general_path() -> None:
    committer = await Committer.new()
    await committer.known(frame(commit(), 7))
    committer.context.routes.is_settled = lambda: False
    end = committer.partition.log.log_end_offset
    assert committer.fast(frame(commit(), 7)) is None
    assert committer.partition.log.log_end_offset == end


def replicated(committer: Committer) -> Callable[[int], None]:
    """Return the function that tells of a Fetch of the follower."""
    partition = committer.partition

    def fetch(offset: int) -> None:
        partition.update_follower_fetch_state(1, offset, 0, partition.log.log_end_offset)

    return fetch


def answer_of(waiting: KnownDelayedCommit, version: int) -> tuple[int, int]:
    """Return correlation id and code of a response that has waited."""
    assert waiting.is_completed
    assert not waiting.is_pending
    out = WireBuffer()
    before = waiting.route.count
    waiting.encode(out)
    assert waiting.route.count == before + 1
    correlation_id, ((_, _, code),) = decoded(bytes(out), version)
    return correlation_id, code


@pytest.mark.parametrize("version", VERSIONS)
async def test_responses_wait_for_the_replicas_in_sync_in_order(version: int) -> None:
    committer = await Committer.new()
    await committer.known(frame(commit(), version))
    await committer.partition.make_leader(REPLICATED)
    waiting = [committer.fast(frame(commit(("t", 0, number)), version, number)) for number in range(3)]
    responses = [each for each in waiting if isinstance(each, KnownDelayedCommit)]
    assert len(responses) == 3
    assert [each.operation for each in responses] == responses
    told: list[int] = []
    for number, each in enumerate(responses):
        each.on_response = lambda number=number: told.append(number)
        assert each.is_pending
    assert committer.manager.offsets.get("g", "t", 0).offset == 2
    end = committer.partition.log.log_end_offset
    fetch = replicated(committer)
    fetch(end - 3)
    assert told == []
    fetch(end - 1)
    assert told == [0, 1]
    fetch(end)
    assert told == [0, 1, 2]
    assert [answer_of(each, version) for each in responses] == [(0, E.NONE), (1, E.NONE), (2, E.NONE)]


async def _times_out(committer: Committer, waiting: KnownDelayedCommit) -> None:
    waiting.run()


async def _closes(committer: Committer, waiting: KnownDelayedCommit) -> None:
    committer.groups.runtime.unload(0)


@pytest.mark.parametrize(
    ("end", "code"), [(_times_out, E.REQUEST_TIMED_OUT), (_closes, E.NOT_COORDINATOR)]
)  # fmt: skip
async def test_a_response_that_waits_has_a_code_in_the_end(end: Any, code: ErrorCode) -> None:
    committer = await Committer.new()
    await committer.known(frame(commit(), 7))
    await committer.partition.make_leader(REPLICATED)
    waiting = committer.fast(frame(commit(), 7))
    assert isinstance(waiting, KnownDelayedCommit)
    await end(committer, waiting)
    assert answer_of(waiting, 7) == (7, code)


async def test_a_response_that_waits_too_long_fails(autojump_clock: MockClock) -> None:
    committer = await Committer.new(offsets_commit_timeout_ms=300)
    await committer.known(frame(commit(), 7))
    await committer.partition.make_leader(REPLICATED)
    waiting = committer.fast(frame(commit(), 7))
    assert isinstance(waiting, KnownDelayedCommit)
    await trio.sleep(0.299)
    assert not waiting.is_completed
    await trio.sleep(0.01)
    assert answer_of(waiting, 7) == (7, E.REQUEST_TIMED_OUT)


async def test_an_append_that_has_to_wait_is_queued_and_answered() -> None:
    committer = await Committer.new()
    await committer.known(frame(commit(), 7))
    async with trio.open_nursery() as executors:
        executors.start_soon(committer.partition.executor.run)
        executors.start_soon(committer.groups.runtime.run)
        await wait_all_tasks_blocked()
        log = committer.partition.log
        log.segments.active.index_full = True  # the next segment has to be made, which takes as long as the disk does
        done = trio.Event()
        waiting = [committer.fast(frame(commit(("t", 0, number)), 7, number)) for number in (5, 6)]
        for each in waiting:
            assert isinstance(each, KnownDelayedCommit)
            each.on_response = done.set
        end = log.log_end_offset
        await done.wait()
        await wait_all_tasks_blocked()
        assert [answer_of(each, 7) for each in waiting if isinstance(each, KnownDelayedCommit)] == [(5, 0), (6, 0)]
        assert log.log_end_offset == end + 2
        assert len(log.segments.values) == 2
        executors.cancel_scope.cancel()
