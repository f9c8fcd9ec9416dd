"""Error codes of older releases: the table, and answers as they leave a broker with such a face."""

from __future__ import annotations

import pytest

from wirebroker.config.releases import RELEASES
from wirebroker.handlers.release_codes import codes_of, replace_codes
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.metadata import MetadataResponse, MetadataResponseTopic
from wirebroker.protocol.messages.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)

E = ErrorCode


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_answers_only_codes_that_it_knows(release: str) -> None:
    older = codes_of(release)
    now = RELEASES.index(release)
    for code in ErrorCode:
        known = ErrorCode(older.get(code, code))
        assert RELEASES.index(known.since) <= now, code.name
        assert (code not in older) == (RELEASES.index(code.since) <= now), code.name


@pytest.mark.parametrize(
    ("release", "code", "older"),
    [
        ("2.4", E.INVALID_RECORD, E.INVALID_RECORD),
        ("2.3", E.INVALID_RECORD, E.CORRUPT_MESSAGE),
        ("2.0", E.UNSUPPORTED_COMPRESSION_TYPE, E.UNKNOWN_SERVER_ERROR),
        ("0.11.0", E.KAFKA_STORAGE_ERROR, E.NOT_LEADER_OR_FOLLOWER),
        ("1.1", E.LISTENER_NOT_FOUND, E.LEADER_NOT_AVAILABLE),
        ("2.6", E.PRODUCER_FENCED, E.INVALID_PRODUCER_EPOCH),
        ("3.7", E.TRANSACTION_ABORTABLE, E.INVALID_TXN_STATE),
        ("2.3", E.ELECTION_NOT_NEEDED, E.NONE),
    ],
)
def test_code_before(release: str, code: ErrorCode, older: ErrorCode) -> None:
    assert codes_of(release).get(code, code) == older


def test_the_newest_release_knows_all() -> None:
    assert codes_of(RELEASES[-1]) == {}


def refused() -> ProduceResponse:
    partition = PartitionProduceResponse(index=1, error_code=E.INVALID_RECORD, base_offset=-1)
    return ProduceResponse(responses=[TopicProduceResponse("t", bytes(16), [partition])])


@pytest.mark.parametrize(("release", "code"), [("2.3", 2), ("2.4", 87), (None, 87)])
def test_answers_leave_with_the_code_of_the_release(release: str | None, code: int) -> None:
    route = RouteTable(release).find(ApiKey.PRODUCE, 7)
    assert route is not None
    out = bytearray()
    route.writers[7](refused(), out)
    answer, _ = ProduceResponse.read(bytes(out), 0, 7)
    assert [each.error_code for each in answer.responses[0].partition_responses] == [code]
    assert ProduceRequest.API_KEY == ApiKey.PRODUCE


def test_every_level_of_an_answer_is_translated() -> None:
    topic = MetadataResponseTopic(error_code=E.UNKNOWN_TOPIC_ID, name="t")
    answer = MetadataResponse(topics=[topic])
    replace_codes(answer, codes_of("2.0"))
    assert topic.error_code == E.UNKNOWN_SERVER_ERROR
