"""FetchResponseDecoder: reads what the general decoder does, however the bytes of a response are split."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.messages.fetch import (
    AbortedTransaction,
    EpochEndOffset,
    FetchableTopicResponse,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    SnapshotId,
)
from wirebroker.replication.fetcher.fetch_response_decoder import LOWEST_VERSION, FetchResponseDecoder, Step

VERSIONS = range(LOWEST_VERSION, 19)
INT64 = st.integers(-(1 << 63), (1 << 63) - 1)
INT32 = st.integers(-(1 << 31), (1 << 31) - 1)


@st.composite
def partitions(draw: Any, version: int) -> PartitionData:
    data = PartitionData(
        partition_index=draw(INT32),
        error_code=draw(st.integers(-1, 120)),
        high_watermark=draw(INT64),
        last_stable_offset=draw(INT64),
        log_start_offset=draw(INT64),
        aborted_transactions=draw(st.none() | st.lists(st.builds(AbortedTransaction, INT64, INT64), max_size=3)),
        records=draw(st.none() | st.binary(max_size=300)),
    )
    if version >= 11:
        data.preferred_read_replica = draw(INT32)
    if version >= 12:
        if draw(st.booleans()):
            data.diverging_epoch = EpochEndOffset(draw(INT32), draw(INT64))
        if draw(st.booleans()):
            data.current_leader = LeaderIdAndEpoch(draw(INT32), draw(INT32))
        if draw(st.booleans()):
            data.snapshot_id = SnapshotId(draw(INT64), draw(INT32))
    return data


@st.composite
def responses(draw: Any) -> tuple[int, FetchResponse]:
    version = draw(st.sampled_from(VERSIONS))
    topics = []
    for _ in range(draw(st.integers(0, 3))):
        named = {"topic_id": draw(st.binary(min_size=16, max_size=16))}
        if version < 13:
            named = {"topic": draw(st.text(max_size=200))}
        topics.append(FetchableTopicResponse(**named, partitions=draw(st.lists(partitions(version), max_size=3))))
    response = FetchResponse(
        throttle_time_ms=draw(INT32), error_code=draw(st.integers(-1, 120)), session_id=draw(INT32), responses=topics
    )
    if version >= 16 and draw(st.booleans()):
        response.node_endpoints = [NodeEndpoint(1, "host", 9092, None)]
    return version, response


def encoded(response: FetchResponse, version: int) -> bytes:
    out = bytearray()
    response.write(out, version)
    return bytes(out)


def decode(version: int, pieces: list[bytes]) -> tuple[FetchResponse, bytes, bool]:
    """Return the response that arrives in *pieces*, the bytes behind it, and whether it was complete.

    The aborted transactions and the fields that followers do not use have their defaults.
    """
    decoder = FetchResponseDecoder(version)
    received, left = b"", list(pieces)
    topics: list[FetchableTopicResponse] = []
    records = b""
    while True:
        if decoder.records_left:
            taken = received[: decoder.records_left]
            received = received[len(taken) :]
            records += taken
            decoder.take(len(taken))
        if not decoder.records_left:
            received = received[decoder.decode(memoryview(received), 0) :]
            if decoder.step is Step.RECORDS:
                if not topics or topics[-1] is not decoder.topic:
                    topics.append(decoder.topic)
                records = b""
            elif decoder.step is Step.PARTITION:
                decoder.partition.records = records
                topics[-1].partitions.append(decoder.partition)
            elif decoder.step is Step.END:
                decoder.response.responses = topics
                return decoder.response, received + b"".join(left), True
            if decoder.step is not None:
                continue
        if not left:
            decoder.response.responses = topics
            return decoder.response, received, False
        received += left.pop(0)


def for_a_follower(response: FetchResponse) -> FetchResponse:
    """Return what a follower uses of a response, with empty records for null, without topics that have no partition."""
    topics = [
        FetchableTopicResponse(
            topic.topic,
            topic.topic_id,
            [
                PartitionData(
                    partition_index=data.partition_index,
                    error_code=data.error_code,
                    high_watermark=data.high_watermark,
                    last_stable_offset=data.last_stable_offset,
                    log_start_offset=data.log_start_offset,
                    diverging_epoch=data.diverging_epoch,
                    records=bytes(data.records or b""),  # type: ignore[arg-type]
                )
                for data in topic.partitions
            ],
        )
        for topic in response.responses
        if topic.partitions
    ]
    return FetchResponse(
        throttle_time_ms=response.throttle_time_ms,
        error_code=response.error_code,
        session_id=response.session_id,
        responses=topics,
    )


@given(made=responses(), data=st.data())
def test_any_split_is_read_as_by_the_general_decoder(made: tuple[int, FetchResponse], data: Any) -> None:
    version, response = made
    body = encoded(response, version)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=12)))
    pieces = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    expected, _ = FetchResponse.read(memoryview(body), 0, version)
    assert decode(version, pieces) == (for_a_follower(expected), b"", True)
    assert decode(version, [body[at : at + 1] for at in range(len(body))]) == (for_a_follower(expected), b"", True)
    assert decode(version, [body + b"behind"])[1:] == (b"behind", True)


@given(made=responses(), data=st.data())
def test_a_response_that_is_cut_off_is_not_complete(made: tuple[int, FetchResponse], data: Any) -> None:
    version, response = made
    body = encoded(response, version)
    end = data.draw(st.integers(0, len(body) - 1))
    found, _, is_complete = decode(version, [body[:end]])
    assert not is_complete
    whole = for_a_follower(FetchResponse.read(memoryview(body), 0, version)[0])
    complete = [data for topic in found.responses for data in topic.partitions]
    assert complete == [data for topic in whole.responses for data in topic.partitions][: len(complete)]


@given(version=st.sampled_from(VERSIONS), body=st.binary(max_size=200))
def test_any_bytes_are_decoded_or_refused(version: int, body: bytes) -> None:
    try:
        found, behind, is_complete = decode(version, [body])
    except ProtocolError:
        return
    if is_complete:
        assert len(behind) < len(body)
        assert isinstance(found.session_id, int)


@pytest.mark.parametrize(
    ("version", "body"),
    [
        (7, bytes(10) + b"\xff\xff\xff\xff"),  # null topics
        (7, bytes(10) + b"\x00\x00\x00\x01\xff\xff"),  # a topic without a name
        (12, bytes(10) + b"\x00"),  # null topics
        (12, bytes(10) + b"\x02\x00"),  # a topic without a name
        (13, bytes(10) + b"\x02" + bytes(16) + b"\x00"),  # null partitions
        (17, bytes(10) + b"\xff\xff\xff\xff\xff\xff"),  # a varint that is too long
    ],
)
def test_lengths_that_cannot_be(version: int, body: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode(version, [body])


def test_records_are_to_be_taken_before_what_follows_is_decoded() -> None:
    data = PartitionData(partition_index=0, records=b"abc")
    body = memoryview(encoded(FetchResponse(responses=[FetchableTopicResponse("t", partitions=[data])]), 11))
    decoder = FetchResponseDecoder(11)
    at = decoder.decode(body, 0)
    assert decoder.step is Step.HEAD
    at = decoder.decode(body, at)
    assert (decoder.step, decoder.records_left) == (Step.RECORDS, 3)
    with pytest.raises(ProtocolError, match="3 bytes of records"):
        decoder.decode(body, at)
