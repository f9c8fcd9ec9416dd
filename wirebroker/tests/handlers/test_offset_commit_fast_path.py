"""The fast path of OffsetCommit: it answers and writes as the general path, or leaves the request to it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.coordinator.group.coordinator import GroupCoordinator
from wirebroker.coordinator.loader import replay_log
from wirebroker.coordinator.turn import InternalClient
from wirebroker.handlers import offset_commit_fast_path
from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.offset_commit_fast_path import (
    FREQUENT_S,
    MAX_KNOWN,
    MAX_PARTITIONS,
    KnownDelayedCommit,
)
from wirebroker.handlers.routes import BoundRoute, RouteTable
from wirebroker.metadata.image import PartitionImage, TopicImage
from wirebroker.model import GROUP_METADATA_TOPIC_NAME, LeaderAndIsr
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.headers import write_request_header
from wirebroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from wirebroker.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.server.dispatch import DelayedResponse, read_request, serve
from wirebroker.tests.handlers.fetch_harness import FetchHarness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trio.testing import MockClock

    from wirebroker.replication.partition import Partition

E = ErrorCode
VERSIONS = range(2, 10)
COMMIT = 8
NOW_MS = 1_700_000_000_000
CLIENT = InternalClient(3, "c", "127.0.0.1")
REPLICATED = LeaderAndIsr(0, 0, (0, 1), 1, (0, 1))


@pytest.fixture(autouse=True)
def wall_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("runtime", "partition_writer"):
        monkeypatch.setattr(f"wirebroker.coordinator.{module}.now_ms", lambda: NOW_MS)


def commit(
    *offsets: tuple[str, int, int],
    group: str = "g",
    member: str = "",
    generation: int = -1,
    instance: str | None = None,
    metadata: str | None = "",
    epoch: int = -1,
) -> OffsetCommitRequest:
    """A request with these topics, partitions and offsets."""
    topics: dict[str, list[OffsetCommitRequestPartition]] = {}
    for topic, index, offset in offsets or (("t", 0, 1),):
        topics.setdefault(topic, []).append(
            OffsetCommitRequestPartition(index, offset, epoch, committed_metadata=metadata)
        )
    return OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=generation,
        member_id=member,
        group_instance_id=instance,
        topics=[OffsetCommitRequestTopic(name, partitions=each) for name, each in topics.items()],
    )


def frame(asked: OffsetCommitRequest, version: int, correlation_id: int = 7, client_id: str | None = "c") -> memoryview:
    out = WireBuffer()
    write_request_header(out, COMMIT, version, correlation_id, client_id)
    asked.write(out, version)
    return memoryview(bytearray(out))


class Committer:
    """A coordinator with real logs, and a connection to it, served as `Connection` does."""

    context: RequestContext

    def __init__(self, **settings: Any) -> None:
        self.harness = harness = FetchHarness({GROUP_METADATA_TOPIC_NAME: 1, "t": 4, "u": 1}, **settings)
        self.groups = GroupCoordinator(harness.config, harness.metadata, harness.replicas)
        harness.services.groups, harness.services.zookeeper_offsets = self.groups, None
        self.connect()

    @classmethod
    async def new(cls, **settings: Any) -> Committer:
        """Return a coordinator that has loaded its partition."""
        committer = cls(**settings)
        await committer.groups.runtime.load(0, committer.partition)
        return committer

    def connect(self) -> None:
        """Begin a new connection."""
        self.context = RequestContext(self.harness.services, routes=RouteTable())
        self.context.holds_responses = True

    @property
    def partition(self) -> Partition:
        return self.harness.partition(0, GROUP_METADATA_TOPIC_NAME)

    @property
    def manager(self) -> Any:
        (shard,) = self.groups.runtime.active_shards()
        return shard.manager  # type: ignore[attr-defined]

    def log_bytes(self) -> bytes:
        partition = self.partition
        found = partition.read(0, 1 << 30, committed=False, to_log_end=True, min_one_batch=True)
        return found.records.tobytes()

    async def general(self, received: memoryview) -> bytes | DelayedResponse:
        """Have the general path serve a request, remember it, and return the response."""
        out = WireBuffer()
        read = read_request(received, self.context, out)
        assert read is not None
        delayed = await serve(read, self.context, out)
        assert read.route.remember is not None
        read.route.remember(self.context, received, read.body)
        return bytes(out) if delayed is None else delayed

    def fast(self, received: memoryview) -> bytes | KnownDelayedCommit | None:
        """Return the response of the fast path, None if it leaves the request to the general path."""
        known = self.context.known_commits
        if known is None:
            return None
        out = WireBuffer()
        served = known.serve(received, self.context, out)
        assert isinstance(served, BoundRoute) == bool(out)
        return served if isinstance(served, KnownDelayedCommit) else bytes(out) or None

    async def known(self, received: memoryview) -> None:
        """Have requests like this one be known."""
        for _ in range(2):
            await self.general(received)

    async def join(self) -> tuple[str, int]:
        """Join the group as its only member; return member id and generation."""
        request = JoinGroupRequest(
            "g", 10_000, 30_000, "", None, "consumer", [JoinGroupRequestProtocol("range", b"m")], None
        )
        joined = await self.groups.request("g", request, CLIENT)
        sync = SyncGroupRequest(
            "g",
            joined.generation_id,
            joined.member_id,
            None,
            None,
            None,
            [SyncGroupRequestAssignment(joined.member_id)],
        )
        assert not (await self.groups.request("g", sync, CLIENT)).error_code
        return joined.member_id, joined.generation_id

    async def leave(self, member: str) -> None:
        await self.groups.request("g", LeaveGroupRequest("g", members=[MemberIdentity(member)]), CLIENT)


def decoded(answer: bytes, version: int) -> tuple[int, list[tuple[str, int, int]]]:
    """Return the correlation id and (topic, partition, code) of each partition of an answer, whose size is right."""
    assert int.from_bytes(answer[:4], "big") == len(answer) - 4
    response, end = OffsetCommitResponse.read(memoryview(answer), 9 if version >= 8 else 8, version)
    assert end == len(answer)
    codes = [
        (topic.name, each.partition_index, each.error_code) for topic in response.topics for each in topic.partitions
    ]
    return int.from_bytes(answer[4:8], "big"), codes


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
    ("end", "code"), [(_times_out, E.COORDINATOR_NOT_AVAILABLE), (_closes, E.NOT_COORDINATOR)]
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
    assert answer_of(waiting, 7) == (7, E.COORDINATOR_NOT_AVAILABLE)


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


async def bytes_of(answer: bytes | KnownDelayedCommit | DelayedResponse) -> bytes:
    """Return the bytes of an answer when it is complete."""
    if isinstance(answer, bytes):
        return answer
    done, out = trio.Event(), WireBuffer()
    answer.operation.on_response = done.set
    await done.wait()
    answer.encode(out)
    return bytes(out)


def steps(seed: int) -> Iterator[tuple[str, Any]]:
    """Yield steps of clients, and changes of the topics."""
    random = Random(seed)
    shapes: list[tuple[tuple[tuple[str, int], ...], str | None, bool]] = [
        ((("t", 0),), "", True),
        ((("t", 0), ("t", 1), ("u", 0)), "ab", True),
        ((("t", 2), ("missing", 0)), "", True),
        ((("t", 0),), None, False),
        ((("u", 0), ("t", 3)), "x" * 9, False),
    ]
    for _ in range(60):
        if random.random() < 0.12:
            yield random.choice([("join", None), ("leave", None), ("create", None), ("delete", None), ("reload", None)])
            continue
        partitions, metadata, is_member = random.choice(shapes)
        for _ in range(random.randrange(1, 5)):
            text = metadata and "".join(random.choice("abc") for _ in metadata)
            offsets = [(topic, index, random.randrange(1 << 48)) for topic, index in partitions]
            yield "commit", (offsets, text, is_member, random.choice([7, 7, 8]))


@pytest.mark.parametrize("seed", range(40))
async def test_whatever_happens_both_paths_answer_and_write_the_same_and_the_log_has_the_state(
    seed: int, monkeypatch: pytest.MonkeyPatch, nursery: trio.Nursery
) -> None:
    members: list[tuple[str, int] | None] = [None, None]
    brokers = [await Committer.new(offset_metadata_max_bytes=8) for _ in range(2)]
    for broker in brokers:  # a segment whose index is full is rolled in a thread
        nursery.start_soon(broker.partition.executor.run)
        nursery.start_soon(broker.groups.runtime.run)
    await wait_all_tasks_blocked()
    served = 0
    for number, (what, details) in enumerate(steps(seed)):
        answers = []
        for at, broker in enumerate(brokers):
            if what == "commit":
                offsets, metadata, is_member, version = details
                member_id, generation = members[at] or ("", -1) if is_member else ("", -1)
                asked = commit(*offsets, metadata=metadata, member=member_id, generation=generation, epoch=number)
                received = frame(asked, version, number)
                answer = broker.fast(received) if at else None
                served += answer is not None
                answers.append(await bytes_of(await broker.general(received) if answer is None else answer))
                if not at:
                    broker.connect()
            elif what == "join":
                if members[at] is None:
                    monkeypatch.setattr("wirebroker.coordinator.group.join_group.uuid4", lambda: f"u{number}")  # noqa: B023
                    members[at] = await broker.join()
            elif what == "leave":
                if (member := members[at]) is not None:
                    await broker.leave(member[0])
                    members[at] = None
            elif what == "reload":
                await broker.groups.runtime.load(0, broker.partition)
            else:
                topics = dict(broker.harness.metadata.image.topics)
                if what == "create" and "missing" not in topics:
                    topics["missing"] = TopicImage("missing", b"m" * 16, (PartitionImage(0, 0, (0,), (0,)),))
                elif what == "delete":
                    topics.pop("missing", None)
                broker.harness.publish(topics)
        if what == "commit":
            assert answers[0] == answers[1]
    assert served > 10
    general, fast = brokers
    assert fast.log_bytes() == general.log_bytes()
    live, twin = fast.manager, general.manager
    assert live.offsets.all_groups() == twin.offsets.all_groups()
    shard: Any = fast.groups._new_shard(0)
    await replay_log(fast.partition, shard)
    for _ in shard.finish_replay():
        pass
    assert dict(shard.manager.offsets.all_groups()) == dict(live.offsets.all_groups())
    assert shard.manager.groups.keys() == live.groups.keys()
    nursery.cancel_scope.cancel()
