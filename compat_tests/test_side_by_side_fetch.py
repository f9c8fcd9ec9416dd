"""Fetch, sessions included, answered as Apache Kafka 3.9.1 answers it, at every version."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests import differences
from compat_tests.conftest import unique_name, wait_until
from compat_tests.kafka_requests import NOW, batch, fetch, produce
from compat_tests.wire import Wire
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from wirebroker.protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from wirebroker.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
    ReplicaState,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from compat_tests.comparison import Answers, Side, SideBySide

VERSIONS = range(4, 18)
SESSIONS = range(7, 18)


def waited(side: Side, make: Callable[[Side], FetchRequest], version: int, *, long: bool) -> bool:
    """Whether a request is answered only when its max_wait_ms is over, which is *long* if that is not expected."""
    request = make(side)
    request.max_wait_ms = 30_000 if long else 500
    began = time.monotonic()
    side.ask(request, version)
    return time.monotonic() - began >= request.max_wait_ms / 1000 - 0.02


@pytest.fixture
def topic(both: SideBySide) -> str:
    """Three partitions; 0 has three batches of 2, 3 and 1 records, 1 has one, 2 none."""
    name = both.create_topic(unique_name("fetch"), partitions=3)
    for data in (batch(b"a" * 100, b"b"), batch(b"c", b"d", b"e" * 50, codec=3), batch(b"f" * 300)):
        both.ask(produce(name, data), 9)
    both.ask(produce(name, batch(b"one", timestamp=NOW + 50)), 9)
    both.ask(produce(name, batch(b"other"), partition=1), 9)
    return name


def await_no_logs(both: SideBySide, topic: str) -> None:
    """Wait until neither broker has a log of a topic that was deleted: Kafka's replica manager learns of it late."""

    def is_gone(side: Side) -> bool:
        asked = DescribeLogDirsRequest([DescribableLogDirTopic(topic, [0])])
        return not any(result.topics for result in side.ask(asked, 1).results)

    wait_until(lambda: all(map(is_gone, both.sides)))


def of(
    topic: str, version: int, wanted: dict[int, int | FetchPartition], **more: Any
) -> Callable[[Side], FetchRequest]:
    """A Fetch of partitions of one topic, by name or by each side's id."""

    def request(side: Side) -> FetchRequest:
        partitions = {(topic, side.topic_ids.get(topic, bytes(16)), index): what for index, what in wanted.items()}
        return fetch(version, partitions, **more)

    return request


@pytest.mark.parametrize("version", VERSIONS)
def test_offsets(both: SideBySide, topic: str, version: int) -> None:
    for offset in (0, 1, 2, 4, 5, 6, 7, 8, -1, -2, 2**62):
        both.ask(of(topic, version, {0: offset}), version, label=f"offset {offset}")
    both.ask(of(topic, version, {0: 0, 1: 0, 2: 0}), version, label="three partitions")
    both.ask(of(topic, version, {2: 0, 1: 0, 0: 3}), version, label="in another order")
    both.ask(of(topic, version, {3: 0, 0: 0, -1: 0}), version, label="unknown partitions")
    both.ask(of("no-such-topic", version, {0: 0}), version, label="unknown topic")
    both.ask(fetch(version, {}), version, label="nothing")
    for isolation in (0, 1):
        both.ask(of(topic, version, {0: 0, 1: 7}, isolation_level=isolation), version, label=f"isolation {isolation}")
    bad = of(topic, version, {0: 0}, isolation_level=2)
    both.ask(bad, version, label="isolation 2", but=differences.BAD_ISOLATION)


@pytest.mark.parametrize("version", VERSIONS)
def test_limits(both: SideBySide, topic: str, version: int) -> None:
    for limit in (0, 1, 100, 250, 300, 500, 2**31 - 1, -1):

        def ask(label: str, wanted: dict[int, int | FetchPartition], limit: int = limit, **more: int) -> None:
            but = differences.NEGATIVE_LIMIT if limit < 0 else None
            both.ask(of(topic, version, wanted, **more), version, label=f"{label} {limit}", but=but)

        ask("partition limit", {0: FetchPartition(fetch_offset=0, partition_max_bytes=limit or 1), 1: 0})
        ask("limit", {0: 0, 1: 0}, max_bytes=limit)
        ask("other order, limit", {1: 0, 0: 0}, max_bytes=limit)
        both.ask(of(topic, version, {2: 0, 0: 2, 1: 0}, max_bytes=limit), version, label=f"first is empty, {limit}")
    for min_bytes, max_bytes in ((1, 1), (10**6, 10), (10**6, 2**31 - 1), (-1, 100)):
        more = {"min_bytes": min_bytes, "max_bytes": max_bytes, "max_wait_ms": 50}
        both.ask(of(topic, version, {0: 0}, **more), version, label=f"at least {min_bytes}, at most {max_bytes}")


@pytest.mark.parametrize("version", VERSIONS)
def test_waiting(both: SideBySide, topic: str, version: int) -> None:
    for wanted, waits in (({2: 0}, True), ({0: 0}, False), ({2: 0, 0: 7}, True), ({2: 0, 0: 99}, False)):
        request = of(topic, version, dict(wanted), min_bytes=1)
        for side in both.sides:
            assert waited(side, request, version, long=not waits) == waits, (side.name, wanted)
    both.ask(of(topic, version, {2: 0}, max_wait_ms=100, min_bytes=1), version, label="after the wait")


@pytest.mark.parametrize("version", VERSIONS)
def test_more_bytes_wanted_than_allowed_are_not_waited_for(both: SideBySide, topic: str, version: int) -> None:
    for min_bytes, max_bytes, waits in ((1000, 0, False), (1000, 400, False), (5000, 10_000, True)):
        more = {"min_bytes": min_bytes, "max_bytes": max_bytes}
        for side in both.sides:
            assert waited(side, of(topic, version, {0: 2, 1: 0}, **more), version, long=not waits) == waits, side.name


@pytest.mark.parametrize("version", VERSIONS)
def test_replica_ids_epochs_and_topic_ids(both: SideBySide, topic: str, version: int) -> None:
    for replica in (-2, 0, 1, 5):
        named: dict[str, Any] = {"replica_id": replica}
        if version >= 15:
            named = {"replica_state": ReplicaState(replica, 3)}
        both.ask(of(topic, version, {0: 0, 1: 7}, **named), version, label=f"replica {replica}")
        if version >= 9:
            for epoch in (0, 1, 99):
                part = {0: FetchPartition(fetch_offset=0, current_leader_epoch=epoch), 1: 0}
                label = f"replica {replica}, leader epoch {epoch}"
                both.ask(of(topic, version, part, **named), version, label=label)  # type: ignore[arg-type]
    if version >= 9:
        for epoch in (-2, -1, 0, 1, 99):
            part = {0: FetchPartition(fetch_offset=0, current_leader_epoch=epoch), 1: 0}
            both.ask(of(topic, version, part), version, label=f"leader epoch {epoch}")  # type: ignore[arg-type]
    if version >= 11:
        both.ask(of(topic, version, {0: 0}, rack_id="somewhere"), version, label="rack")
    if version >= 12:
        for epoch in (-1, 0, 1):
            part = {0: FetchPartition(fetch_offset=3, last_fetched_epoch=epoch)}
            both.ask(of(topic, version, part), version, label=f"last fetched epoch {epoch}")  # type: ignore[arg-type]
        both.ask(of(topic, version, {0: 0}, cluster_id="another"), version, label="another cluster's id")
    if version >= 13:
        unknown = FetchTopic("", b"\x01" * 16, [FetchPartition(0, -1, 0, partition_max_bytes=1000)])
        zero = FetchTopic("", bytes(16), [FetchPartition(0, -1, 0, partition_max_bytes=1000)])
        both.ask(FetchRequest(topics=[unknown]), version, label="unknown id")
        both.ask(FetchRequest(topics=[zero]), version, label="zero id")
        known = of(topic, version, {0: 0})

        def mixed(side: Side) -> FetchRequest:
            request = known(side)
            request.topics.append(unknown)
            return request

        both.ask(mixed, version, label="a known and an unknown id")


@pytest.mark.parametrize("version", VERSIONS)
def test_same_partition_twice(both: SideBySide, topic: str, version: int) -> None:
    def twice(side: Side) -> FetchRequest:
        request = of(topic, version, {0: 0})(side)
        request.topics[0].partitions.append(FetchPartition(0, -1, 5, partition_max_bytes=1000))
        return request

    both.ask(twice, version)


@pytest.mark.parametrize("version", VERSIONS)
def test_after_records_were_deleted(both: SideBySide, topic: str, version: int) -> None:
    wanted = DeleteRecordsTopic(topic, [DeleteRecordsPartition(0, 3)])
    both.ask(DeleteRecordsRequest([wanted], 50_000), 2)
    for offset in (0, 2, 3, 4, 6):
        both.ask(of(topic, version, {0: offset}), version, label=f"offset {offset}")


@pytest.mark.parametrize("version", VERSIONS)
def test_codecs_that_old_clients_cannot_read(both: SideBySide, version: int) -> None:
    for name, codec in (("zstd", 0), ("producer", 4), ("gzip", 4), ("lz4", 1)):
        topic = both.create_topic(unique_name(name), compression_type=name)
        both.ask(produce(topic, batch(b"x" * 200, codec=codec)), 9)
        both.ask(of(topic, version, {0: 0}), version, label=f"topic of {name}, batch of {codec}")


class Session:
    """A client that keeps a fetch session with both brokers."""

    def __init__(self, both: SideBySide, version: int) -> None:
        self.both, self.version, self.epoch = both, version, 0
        self.ids: Answers | None = None

    def ask(self, topic: str, wanted: dict[int, int], label: str, forget: tuple[int, ...] = (), **more: Any) -> Answers:
        def request(side: Side) -> FetchRequest:
            made = of(topic, self.version, dict(wanted))(side)
            made.session_id = self.ids.of(side).session_id if self.ids is not None else 0
            made.session_epoch = self.epoch
            if forget:
                made.forgotten_topics_data = [ForgottenTopic(topic, side.topic_ids[topic], list(forget))]
            for name, value in more.items():
                setattr(made, name, value)
            return made

        answers = self.both.ask(request, self.version, label=label)
        if self.ids is None:
            self.ids = answers
        self.epoch = more.get("session_epoch", self.epoch) + 1
        return answers


@pytest.mark.parametrize("version", SESSIONS)
def test_a_session(both: SideBySide, topic: str, version: int) -> None:
    session = Session(both, version)
    assert session.ask(topic, {0: 7, 1: 0, 2: 0}, "full").wirebroker.session_id > 0
    session.ask(topic, {1: 1}, "position moved: nothing new")
    session.ask(topic, {}, "nothing new")
    both.ask(produce(topic, batch(b"news"), partition=2), 9)
    session.ask(topic, {}, "news in one")
    session.ask(topic, {}, "the same news again, as the position did not move")
    session.ask(topic, {2: 1}, "position moved")
    session.ask(topic, {0: 99}, "beyond the end")
    session.ask(topic, {}, "still beyond the end")
    session.ask(topic, {0: 7}, "back")
    session.ask(topic, {}, "quiet again")
    session.ask(topic, {7: 0}, "an unknown partition joins")
    session.ask(topic, {}, "it is still there")
    session.ask(topic, {}, "it is forgotten", forget=(7,))
    session.ask(topic, {}, "a partition is forgotten", forget=(1,))
    both.ask(produce(topic, batch(b"unheard"), partition=1), 9)
    session.ask(topic, {}, "its news are not told")
    session.ask(topic, {1: 0}, "it comes back")
    session.ask(topic, {1: 2, 2: 1}, "forgotten and wanted at once", forget=(1,))
    wanted = DeleteRecordsTopic(topic, [DeleteRecordsPartition(0, 4)])
    both.ask(DeleteRecordsRequest([wanted], 50_000), 2)
    session.ask(topic, {}, "the log start moved")
    session.ask(topic, {}, "and stays")
    session.ask(topic, {}, "not a member", forget=(5,))
    session.ask(topic, {0: 7}, "the last are forgotten", forget=(0, 1, 2))
    session.ask(topic, {}, "the session is gone or empty", forget=(0, 1, 2))


@pytest.mark.parametrize("version", SESSIONS)
def test_session_faults(both: SideBySide, topic: str, version: int) -> None:
    session = Session(both, version)
    session.ask(topic, {0: 0, 1: 0}, "full")
    session.ask(topic, {}, "an epoch too high", session_epoch=2)
    session.ask(topic, {}, "it survived", session_epoch=1)
    session.ask(topic, {}, "an epoch again", session_epoch=1)
    session.ask(topic, {0: 1}, "the right one", session_epoch=2)
    session.ask(topic, {0: 1}, "a negative epoch", session_epoch=-2)
    session.ask(topic, {}, "the right one", session_epoch=3)
    both.ask(of(topic, version, {0: 0}, session_id=12345, session_epoch=1), version, label="unknown id")
    both.ask(of(topic, version, {0: 0}, session_id=12345, session_epoch=0), version, label="unknown id, new session")
    both.ask(of(topic, version, {0: 0}, session_id=12345, session_epoch=-1), version, label="unknown id, no session")
    both.ask(of(topic, version, {0: 0}, session_id=0, session_epoch=5), version, label="no id, epoch 5")
    both.ask(of(topic, version, {}, session_id=0, session_epoch=0), version, label="a session of nothing")
    session.ask(topic, {0: 0}, "closed by a full fetch", session_epoch=-1)
    session.ask(topic, {}, "it is gone", session_epoch=4)
    session = Session(both, version)
    session.ask(topic, {0: 0, 1: 0}, "full")
    session.ask(topic, {0: 0}, "replaced by a new one", session_epoch=0)
    session.ask(topic, {}, "the old is gone", session_epoch=1)


@pytest.mark.parametrize("version", SESSIONS)
def test_topic_is_deleted_within_a_session(both: SideBySide, version: int) -> None:
    from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest

    topic, stays = both.create_topic(unique_name("going")), both.create_topic(unique_name("stays"))
    both.ask(produce(topic, batch()), 9)

    def both_topics(side: Side) -> FetchRequest:
        partitions = {(name, side.topic_ids[name], 0): 0 for name in (topic, stays)}
        return fetch(version, partitions, session_epoch=0)

    ids = both.ask(both_topics, version)
    both.ask(DeleteTopicsRequest(topic_names=[topic], timeout_ms=50_000), 5)
    await_no_logs(both, topic)

    def again(side: Side) -> FetchRequest:
        return FetchRequest(session_id=ids.of(side).session_id, session_epoch=1)

    both.ask(again, version, label="after deletion", but=differences.DELETED_ID if version >= 13 else None)


@pytest.mark.parametrize("version", [7, 17])
def test_a_request_that_waits_is_refused_after_a_later_one_of_its_session(
    both: SideBySide, topic: str, version: int
) -> None:
    ids = both.ask(of(topic, version, {0: 7, 1: 1, 2: 0}, session_epoch=0), version)
    refused = []
    with ExitStack() as stack:
        wires = [stack.enter_context(Wire(side.broker.host, side.broker.port)) for side in both.sides]
        for side, wire in zip(both.sides, wires, strict=True):
            session = {"session_id": ids.of(side).session_id}
            waiting = of(topic, version, {}, **session, session_epoch=1, max_wait_ms=8000, min_bytes=1)
            wire.send(waiting(side), version)
            later = of(topic, version, {}, **session, session_epoch=2)(side)
            # refused as long as the first has not come
            wait_until(lambda: side.ask(later, version).error_code == 0)  # noqa: B023
        for side, wire in zip(both.sides, wires, strict=True):
            answer = wire.receive(FetchRequest, version)
            is_of_session = answer.session_id == ids.of(side).session_id
            refused.append((answer.error_code, is_of_session, answer.responses))
    assert refused == [(ErrorCode.INVALID_FETCH_SESSION_EPOCH, True, [])] * 2


@pytest.mark.parametrize("version", [4, 17])
def test_the_rest_of_a_full_segment_is_not_waited_for(both: SideBySide, version: int) -> None:
    name = both.create_topic(unique_name("segments"), segment_bytes="1048576")
    for _ in range(3):
        both.ask(produce(name, batch(b"x" * 400_000)), 9)
    for offset, waits in ((0, False), (1, False), (2, True)):
        for side in both.sides:
            request = of(name, version, {0: offset}, min_bytes=1_000_000)
            assert waited(side, request, version, long=not waits) == waits, (side.name, offset)
