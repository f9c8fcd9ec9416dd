"""The error codes of older releases, and responses that a broker emulating one of them writes."""

from __future__ import annotations

import pytest

from tools.codegen import codecs
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
from wirebroker.releases.error_codes import older_codes, replace_codes
from wirebroker.releases.profile import ReleaseProfile
from wirebroker.releases.versions import RELEASES

E = ErrorCode


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_answers_only_codes_that_it_has(release: str) -> None:
    older = older_codes(release, ErrorCode)
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
def test_the_code_of_older_releases(release: str, code: ErrorCode, older: ErrorCode) -> None:
    assert older_codes(release, ErrorCode).get(code, code) == older


def test_the_newest_release_knows_all() -> None:
    assert older_codes(RELEASES[-1], ErrorCode) == {}


def refused() -> ProduceResponse:
    partition = PartitionProduceResponse(index=1, error_code=E.INVALID_RECORD, base_offset=-1)
    return ProduceResponse(responses=[TopicProduceResponse("t", bytes(16), [partition])])


@pytest.mark.parametrize(("release", "code"), [("2.3", 2), ("2.4", 87), (None, 87)])
def test_answers_leave_with_the_code_of_the_release(release: str | None, code: int) -> None:
    route = RouteTable(ReleaseProfile(release)).find(ApiKey.PRODUCE, 7)
    assert route is not None
    out = bytearray()
    route.writers[7](refused(), out, 7)
    answer = codecs.decode(ProduceResponse, bytes(out), 7)
    assert [each.error_code for each in answer.responses[0].partition_responses] == [code]
    assert ProduceRequest.API_KEY == ApiKey.PRODUCE


def test_every_level_of_an_answer_is_translated() -> None:
    topic = MetadataResponseTopic(error_code=E.UNKNOWN_TOPIC_ID, name="t")
    answer = MetadataResponse(topics=[topic])
    replace_codes(answer, older_codes("2.0", ErrorCode))
    assert topic.error_code == E.UNKNOWN_SERVER_ERROR
