"""FetchSessionHandler against a model of a leader's session: the leader always knows what the follower wants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.model import TopicPartition
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchPartition,
    FetchResponse,
    PartitionData,
)
from wirebroker.protocol.primitives import ZERO_UUID
from wirebroker.replication.fetcher.fetch_session_handler import FetchRequestData, FetchSessionHandler, WantedPartition

Change = tuple[TopicPartition, WantedPartition | None]


class LeaderSession:
    """The sessions of a leader: topic (name or id) and partition -> fetch offset."""

    def __init__(self) -> None:
        self.session_id = 0
        self.epoch = 0
        self.partitions: dict[tuple[str | bytes, int], int] = {}
        self.named = 0

    def serve(self, request: FetchRequestData, slots: bool = True) -> FetchResponse:
        topics = [
            (topic.topic_id if request.version >= 13 else topic.topic, topic.partitions) for topic in request.topics
        ]
        wanted = {(name, each.partition): each.fetch_offset for name, partitions in topics for each in partitions}
        self.named = len(wanted)
        if request.session_epoch == 0:
            self.partitions = wanted
            self.session_id = self.session_id + 1 if slots else 0
            self.epoch = 1
            return FetchResponse(session_id=self.session_id)
        if request.session_epoch == -1:
            self.partitions = wanted
            return FetchResponse()
        if request.session_id != self.session_id:
            return FetchResponse(error_code=ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        if request.session_epoch != self.epoch:
            return FetchResponse(error_code=ErrorCode.INVALID_FETCH_SESSION_EPOCH)
        self.epoch += 1
        self.partitions.update(wanted)
        for topic in request.forgotten:
            for each in topic.partitions:
                del self.partitions[topic.topic_id if request.version >= 13 else topic.topic, each]
        return FetchResponse(session_id=self.session_id)


def partition(topic: str, index: int) -> TopicPartition:
    return TopicPartition(topic, index)


def wanted(offset: int, topic_id: bytes = ZERO_UUID, index: int = 0) -> WantedPartition:
    return WantedPartition(topic_id, FetchPartition(index, fetch_offset=offset))


ID = {"": ZERO_UUID} | {name: (name * 8).encode() for name in ("a1", "a2", "b1", "b2")}
CHANGE = st.tuples(
    st.sampled_from("ab"), st.integers(0, 2), st.sampled_from([None, 1, 2]), st.sampled_from(["1", "2", ""])
)
FAULT = st.sampled_from(["", "", "", "", "lost", "evicted", "no slot"])


@pytest.mark.parametrize("version", [5, 8, 12, 17])
@given(steps=st.lists(st.tuples(st.lists(CHANGE, max_size=4), FAULT), max_size=10))
def test_the_leader_knows_the_wanted_partitions_after_every_request(version: int, steps: list) -> None:  # type: ignore[type-arg]
    handler, leader = FetchSessionHandler(version), LeaderSession()
    model: dict[TopicPartition, WantedPartition] = {}
    for step, (changes, fault) in enumerate(steps):
        final: dict[TopicPartition, WantedPartition | None] = {}
        for topic, index, offset, number in changes:
            topic_id = ID[number and topic + number]
            final[partition(topic, index)] = None if offset is None else wanted(offset, topic_id, index)
        model = {each: value for each, value in (model | final).items() if value is not None}
        request = handler.build(final.items())
        if fault == "lost":
            if step % 2:
                leader.serve(request)
            handler.handle_error()
            continue
        if fault == "evicted":
            leader.session_id += 1000
        response = leader.serve(request, slots=fault != "no slot")
        reason = handler.handle_response(response)
        assert (reason is None) == (response.error_code == 0)
        if reason is None:
            by_id = request.version >= 13
            assert leader.partitions == {
                (value.topic_id if by_id else each.topic, each.partition): value.request.fetch_offset
                for each, value in model.items()
            }
            if model:
                assert by_id == (version >= 13 and all(value.topic_id != ZERO_UUID for value in model.values()))
        assert dict(handler.partitions) == model


def test_a_request_of_a_session_names_changes_only() -> None:
    handler, leader = FetchSessionHandler(12), LeaderSession()
    handler.handle_response(leader.serve(handler.build((partition("t", n), wanted(0, index=n)) for n in range(1000))))
    assert leader.named == 1000
    handler.handle_response(leader.serve(handler.build([])))
    assert leader.named == 0
    changes: list[Change] = [(partition("t", 1), wanted(5, index=1)), (partition("t", 2), wanted(0, index=2))]
    handler.handle_response(leader.serve(handler.build(changes)))
    assert leader.named == 1
    assert len(leader.partitions) == 1000


@pytest.mark.parametrize(
    ("code", "keeps_session"),
    [
        (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, False),
        (ErrorCode.INVALID_FETCH_SESSION_EPOCH, True),
        (ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR, True),
        (999, True),
    ],
)
def test_an_error_of_the_session_begins_another_one(code: int, keeps_session: bool) -> None:
    """A session that may be there still is named, so that the leader closes it."""
    handler, leader = FetchSessionHandler(12), LeaderSession()
    handler.handle_response(leader.serve(handler.build([(partition("t", 0), wanted(0))])))
    assert handler.handle_response(FetchResponse(error_code=code)) == (
        ErrorCode(code).name if code < 999 else "error code 999"
    )
    request = handler.build([])
    assert (request.session_id, request.session_epoch) == (1 if keeps_session else 0, 0)
    assert [each.partition for each in request.topics[0].partitions] == [0]


def test_the_epoch_after_the_largest_is_1() -> None:
    handler = FetchSessionHandler(12)
    handler.build([(partition("t", 0), wanted(0))])
    handler.handle_response(FetchResponse(session_id=3))
    handler.next_epoch = (1 << 31) - 1
    assert handler.build([]).session_epoch == (1 << 31) - 1
    handler.handle_response(FetchResponse(session_id=3))
    assert handler.build([]).session_epoch == 1


def test_partitions_of_a_response_by_name_and_by_id_without_those_that_were_not_asked_for() -> None:
    responses = [
        FetchableTopicResponse("a", ID["a1"], [PartitionData(0), PartitionData(9)]),
        FetchableTopicResponse("b", ID["b1"], [PartitionData(0)]),
    ]
    for version in (12, 13):
        handler = FetchSessionHandler(version)
        handler.build([(partition("a", 0), wanted(0, ID["a1"]))])
        found = list(handler.partitions_of(FetchResponse(responses=responses)))
        assert [each for each, _ in found] == [partition("a", 0)]
