"""Incremental fetch sessions: epochs, slots, eviction, and what an answer may leave out (KIP-227)."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.fetch import EpochEndOffset, FetchPartition, PartitionData
from wirebroker.replication.fetch_session import CachedPartition, FetchSession, ReaderKind, TopicKey
from wirebroker.replication.fetch_session_cache import EVICTABLE_AFTER_MS, MAX_EPOCH, FetchSessionCache

if TYPE_CHECKING:
    from wirebroker.replication.partition import Partition

NO_ID = bytes(16)


CONSUMER = ReaderKind(version=11, replica_id=-1, isolation_level=0)
T = TopicKey("t", NO_ID)


def opened(sessions: FetchSessionCache, now_ms: int = 0, *, partitions: int = 1, follower: bool = False) -> int:
    """The id of a new session, 0 if there is no slot for it."""
    session = sessions.maybe_create_session(partitions, CONSUMER, now_ms, uses_topic_ids=False, follower=follower)
    if session is None:
        return 0
    for index in range(partitions):
        session.update(T, FetchPartition(index))
    return session.session_id


def code_of(sessions: FetchSessionCache, session_id: int, epoch: int, *, by_id: bool = False) -> ErrorCode:
    with pytest.raises(ApiError) as caught:
        sessions.get_and_advance(session_id, epoch, 0, uses_topic_ids=by_id)
    return caught.value.code


def test_epochs_count_up_from_one() -> None:
    sessions = FetchSessionCache()
    session_id = opened(sessions)
    assert session_id > 0
    for epoch in (1, 2, 3):
        assert sessions.get_and_advance(session_id, epoch, 0, uses_topic_ids=False).epoch == epoch + 1


def test_after_the_last_epoch_comes_one() -> None:
    sessions = FetchSessionCache()
    session_id = opened(sessions)
    sessions.get_and_advance(session_id, 1, 0, uses_topic_ids=False).epoch = MAX_EPOCH
    assert sessions.get_and_advance(session_id, MAX_EPOCH, 0, uses_topic_ids=False).epoch == 1


def test_sessions_that_cannot_continue() -> None:
    sessions = FetchSessionCache()
    session_id = opened(sessions)
    assert code_of(sessions, session_id + 1, 1) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert code_of(sessions, session_id, 7) == ErrorCode.INVALID_FETCH_SESSION_EPOCH
    assert code_of(sessions, session_id, 1, by_id=True) == ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
    # A wrong epoch does not end the session.
    assert sessions.get_and_advance(session_id, 1, 0, uses_topic_ids=False).session_id == session_id


def test_a_request_for_nothing_opens_a_session() -> None:
    """Partitions may join it later; Kafka does the same."""
    sessions = FetchSessionCache()
    session_id = opened(sessions, partitions=0)
    assert sessions.get_and_advance(session_id, 1, 0, uses_topic_ids=False).partitions == {}


def test_when_all_slots_are_taken_only_an_idle_session_makes_room() -> None:
    sessions = FetchSessionCache(slots=2)
    first = opened(sessions)
    second = opened(sessions, EVICTABLE_AFTER_MS)
    assert opened(sessions, EVICTABLE_AFTER_MS) == 0
    third = opened(sessions, EVICTABLE_AFTER_MS + 1)
    assert third
    assert code_of(sessions, first, 1) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert sessions.get_and_advance(second, 1, 0, uses_topic_ids=False)


def test_a_follower_takes_the_slot_of_a_consumer_that_had_its_time() -> None:
    sessions = FetchSessionCache(slots=1)
    consumer = opened(sessions)
    now = EVICTABLE_AFTER_MS + 1
    sessions.get_and_advance(consumer, 1, now, uses_topic_ids=False)
    assert opened(sessions, now) == 0
    assert opened(sessions, now, follower=True)


def test_a_partition_is_answered_when_something_changed() -> None:
    entry = CachedPartition(T, FetchPartition(0))

    def must_respond(
        *, records: bytes = b"", error: int = 0, high: int = 5, start: int = 0, diverging: int = -1
    ) -> bool:
        epoch = EpochEndOffset(diverging, 3)
        return entry.maybe_update_response_data(
            PartitionData(0, error, high, log_start_offset=start, diverging_epoch=epoch, records=records)
        )

    assert must_respond()  # the client knows nothing yet
    assert not must_respond()
    assert must_respond(records=b"records")
    assert must_respond(high=6)
    assert must_respond(high=6, start=2)
    assert not must_respond(high=6, start=2)
    assert must_respond(high=6, start=2, diverging=4)
    assert must_respond(high=6, start=2)  # the follower has truncated its log, and done nothing else
    assert not must_respond(high=6, start=2)
    assert must_respond(error=3, high=-1, start=-1)
    assert must_respond(error=3, high=-1, start=-1)
    assert must_respond(high=6, start=2)  # the error is gone


class Leader:
    """As much of a Partition as a session knows."""

    def __init__(self) -> None:
        self.listeners: set[CachedPartition] = set()
        self.follower_listeners: set[CachedPartition] = set()

    def change(self) -> None:
        listeners, self.listeners = self.listeners, set()
        for listener in listeners:
            listener.partition_changed()


def followed(count: int) -> tuple[FetchSessionCache, FetchSession, list[Leader]]:
    """A session of so many partitions, all of them clean."""
    sessions = FetchSessionCache()
    session = sessions.get_and_advance(opened(sessions, partitions=count), 1, 0, uses_topic_ids=False)
    leaders = [Leader() for _ in range(count)]
    for entry, leader in zip(session.in_order(), leaders, strict=True):
        entry.partition = cast("Partition", leader)
        session.clean(entry)
    return sessions, session, leaders


def dirty(session: FetchSession) -> list[int]:
    return [entry.requested.partition for entry in session.dirty_in_order()]


def test_partitions_are_dirty_when_they_change_or_are_asked_for_anew() -> None:
    _, session, leaders = followed(5)
    assert dirty(session) == []
    for index in (3, 1, 3):
        leaders[index].change()
    assert dirty(session) == [1, 3]
    session.update(T, FetchPartition(0, fetch_offset=8))
    session.update(T, FetchPartition(9))
    assert dirty(session) == [0, 1, 3, 9]
    session.remove(T, 1)
    session.remove(T, 7)
    assert dirty(session) == [0, 3, 9]
    assert session.size == 5


def test_a_new_high_watermark_makes_a_followed_partition_dirty_and_wakes_no_request() -> None:
    _, session, leaders = followed(2)
    (entry, other) = session.in_order()
    entry.stop_listening()
    entry.reads_to_log_end = True
    session.clean(entry)
    woken: list[str] = []

    class Delayed:
        def partition_changed(self, _: CachedPartition) -> None:
            woken.append("partition_changed")

        def high_watermark_changed(self, _: CachedPartition) -> None:
            woken.append("high_watermark_changed")

    session.delayed.add(Delayed())
    for listener in leaders[0].follower_listeners:
        listener.high_watermark_changed()
    assert dirty(session) == [0]
    assert woken == ["high_watermark_changed"]
    assert leaders[0].follower_listeners == {entry}  # the next append finds it
    assert leaders[1].listeners == {other}


def test_a_partition_that_goes_to_the_end_is_read_last() -> None:
    _, session, leaders = followed(3)
    session.move_to_end(session.in_order()[0])
    for leader in leaders:
        leader.change()
    assert dirty(session) == [1, 2, 0]


def test_another_isolation_level_makes_all_partitions_dirty() -> None:
    _, session, _ = followed(3)
    session.read_as(CONSUMER)
    assert dirty(session) == []
    session.read_as(CONSUMER._replace(isolation_level=1))
    assert dirty(session) == [0, 1, 2]


def test_partitions_listen_once_and_not_for_sessions_that_are_gone() -> None:
    sessions, session, leaders = followed(4)
    assert [len(leader.listeners) for leader in leaders] == [1, 1, 1, 1]
    session.clean(session.in_order()[0])
    leaders[1].change()
    session.remove(T, 2)
    assert [len(leader.listeners) for leader in leaders] == [1, 0, 0, 1]
    sessions.remove(session.session_id)
    assert [len(leader.listeners) for leader in leaders] == [0, 0, 0, 0]
    session.clean(session.in_order()[0])
    assert not leaders[0].listeners


def test_an_evicted_session_stops_listening() -> None:
    sessions, session, leaders = followed(2)
    sessions._slots = 1
    assert opened(sessions, session.last_used_ms + EVICTABLE_AFTER_MS + 1)
    assert [len(leader.listeners) for leader in leaders] == [0, 0]
