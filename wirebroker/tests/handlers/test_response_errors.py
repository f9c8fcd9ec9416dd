"""The error codes of a response are found at its top level and in its lists."""

from __future__ import annotations

from collections import Counter

from wirebroker.handlers.response_errors import error_counter
from wirebroker.handlers.routes import ROUTES
from wirebroker.protocol.api import API
from wirebroker.protocol.messages.heartbeat import HeartbeatResponse
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)


def test_codes_in_lists_of_lists() -> None:
    partitions = [OffsetCommitResponsePartition(index, code) for index, code in enumerate((0, 3, 3, 25))]
    count = error_counter(OffsetCommitResponse)
    assert count is not None
    errors: Counter[int] = Counter()
    count(OffsetCommitResponse(topics=[OffsetCommitResponseTopic("t", partitions=partitions)]), errors)
    assert errors == {3: 2, 25: 1}


def test_a_code_at_the_top() -> None:
    count = error_counter(HeartbeatResponse)
    assert count is not None
    errors: Counter[int] = Counter()
    count(HeartbeatResponse(error_code=27), errors)
    count(HeartbeatResponse(), errors)
    assert errors == {27: 1}


def test_every_response_can_be_searched() -> None:
    for route in ROUTES:
        _, response = API[route.key].load()
        count = error_counter(response)
        if count is not None:
            errors: Counter[int] = Counter()
            count(response(), errors)
            assert not errors
