"""Incremental fetch sessions: epochs, slots, eviction, and what an answer may leave out (KIP-227)."""

from __future__ import annotations

import pytest

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.replication.fetch_session import (
    EVICTABLE_AFTER_MS,
    MAX_EPOCH,
    FetchSessions,
    SessionKey,
    SessionPartition,
)

NO_ID = bytes(16)


def partitions(count: int = 1) -> dict[SessionKey, SessionPartition]:
    return {SessionKey("t", NO_ID, i): SessionPartition(0, 1000) for i in range(count)}


def code_of(sessions: FetchSessions, session_id: int, epoch: int, *, by_id: bool = False) -> ErrorCode:
    with pytest.raises(ApiError) as caught:
        sessions.continued(session_id, epoch, 0, uses_topic_ids=by_id)
    return caught.value.code


def test_epochs_count_up_from_one() -> None:
    sessions = FetchSessions()
    session_id = sessions.create(partitions(), 0, uses_topic_ids=False)
    assert session_id > 0
    for epoch in (1, 2, 3):
        assert sessions.continued(session_id, epoch, 0, uses_topic_ids=False).epoch == epoch + 1


def test_after_the_last_epoch_comes_one() -> None:
    sessions = FetchSessions()
    session_id = sessions.create(partitions(), 0, uses_topic_ids=False)
    sessions.continued(session_id, 1, 0, uses_topic_ids=False).epoch = MAX_EPOCH
    assert sessions.continued(session_id, MAX_EPOCH, 0, uses_topic_ids=False).epoch == 1


def test_what_cannot_go_on() -> None:
    sessions = FetchSessions()
    session_id = sessions.create(partitions(), 0, uses_topic_ids=False)
    assert code_of(sessions, session_id + 1, 1) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert code_of(sessions, session_id, 7) == ErrorCode.INVALID_FETCH_SESSION_EPOCH
    assert code_of(sessions, session_id, 1, by_id=True) == ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
    # A wrong epoch does not end the session.
    assert sessions.continued(session_id, 1, 0, uses_topic_ids=False).session_id == session_id


def test_a_request_for_nothing_opens_a_session() -> None:
    """Partitions may join it later; Kafka does the same."""
    sessions = FetchSessions()
    session_id = sessions.create({}, 0, uses_topic_ids=False)
    assert sessions.continued(session_id, 1, 0, uses_topic_ids=False).partitions == {}


def test_when_all_slots_are_taken_only_an_idle_session_makes_room() -> None:
    sessions = FetchSessions(slots=2)
    first = sessions.create(partitions(), 0, uses_topic_ids=False)
    second = sessions.create(partitions(), EVICTABLE_AFTER_MS, uses_topic_ids=False)
    assert sessions.create(partitions(), EVICTABLE_AFTER_MS, uses_topic_ids=False) == 0
    third = sessions.create(partitions(), EVICTABLE_AFTER_MS + 1, uses_topic_ids=False)
    assert third
    assert code_of(sessions, first, 1) == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert sessions.continued(second, 1, 0, uses_topic_ids=False)


def test_a_follower_takes_the_slot_of_a_consumer_that_had_its_time() -> None:
    sessions = FetchSessions(slots=1)
    consumer = sessions.create(partitions(), 0, uses_topic_ids=False)
    now = EVICTABLE_AFTER_MS + 1
    sessions.continued(consumer, 1, now, uses_topic_ids=False)
    assert sessions.create(partitions(), now, uses_topic_ids=False) == 0
    assert sessions.create(partitions(), now, uses_topic_ids=False, follower=True)


def test_a_partition_is_answered_when_something_changed() -> None:
    entry = SessionPartition(0, 1000)

    def told(*, records: bool = False, error: bool = False, high: int = 5, start: int = 0) -> bool:
        return entry.must_answer(has_records=records, error=error, high_watermark=high, log_start_offset=start)

    assert told()  # never told before
    assert not told()
    assert told(records=True)
    assert told(high=6)
    assert told(high=6, start=2)
    assert not told(high=6, start=2)
    assert told(error=True, high=-1, start=-1)
    assert told(high=6, start=2)  # the error has gone: say so
