"""Readers and writers in memory: they do what generated ones do, for directions and APIs that are not generated."""

from __future__ import annotations

import pytest

from tools.codegen import codecs
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import ReadableMessage, WritableMessage
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from wirebroker.protocol.messages.metadata import MetadataRequest

REQUEST = HeartbeatRequest("group", 5, "member")


def test_the_direction_that_is_not_generated() -> None:
    assert not issubclass(HeartbeatRequest, WritableMessage)
    data = codecs.encode(REQUEST, 4)
    assert HeartbeatRequest.read(data, 0, 4) == (REQUEST, len(data))
    assert not issubclass(HeartbeatResponse, ReadableMessage)
    response = codecs.decode(HeartbeatResponse, codecs.encode(HeartbeatResponse(7, 27), 4), 4)
    assert (type(response), response.throttle_time_ms, response.error_code) == (HeartbeatResponse, 7, 27)


def test_generated_functions_are_used_where_they_are() -> None:
    assert codecs.readers(HeartbeatRequest) is HeartbeatRequest.READERS
    assert codecs.writers(MetadataRequest) is MetadataRequest.WRITERS


def test_functions_are_compiled_once() -> None:
    assert codecs.writers(HeartbeatRequest) is codecs.writers(HeartbeatRequest)


def test_an_api_that_is_not_served() -> None:
    request, response = codecs.api_classes(76)
    assert (request.__name__, response.__name__) == ("ShareGroupHeartbeatRequest", "ShareGroupHeartbeatResponse")
    sent = request(group_id="group", member_epoch=3)
    assert codecs.decode(request, codecs.encode(sent, 1), 1) == sent
    assert codecs.api_classes(12) == (HeartbeatRequest, HeartbeatResponse)


def test_errors_are_those_of_generated_functions() -> None:
    with pytest.raises(ValueError, match="HeartbeatRequest version 9"):
        codecs.encode(REQUEST, 9)
    with pytest.raises(ValueError, match="HeartbeatRequest version 4"):
        codecs.encode(HeartbeatRequest(generation_id=1 << 31), 4)
    with pytest.raises(ProtocolError, match="no version 9"):
        codecs.decode(HeartbeatResponse, b"", 9)
    with pytest.raises(ProtocolError, match="HeartbeatResponse version 4"):
        codecs.decode(HeartbeatResponse, b"", 4)


def test_records() -> None:
    key = codecs.message_class("ConsumerGroupMetadataKey")("group")
    assert codecs.encode_record(key, 3) == b"\0\3\0\5group"
    assert type(key).from_record(codecs.encode_record(key, 3)) == key
