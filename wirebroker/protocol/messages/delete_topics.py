"""DeleteTopics: delete topics and their records.

v1  throttle_time_ms (KIP-124)
v2  responds before it throttles (KIP-219)
v3  may return TOPIC_DELETION_DISABLED (KIP-322)
v4  flexible
v5  error_message; may return THROTTLING_QUOTA_EXCEEDED (KIP-599)
v6  by name or by topic_id (KIP-516)

Generated from protocol_specs/20_delete_topics by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    ZERO_UUID,
    absent_field_error,
    count_error,
    new,
    null_field_error,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_pack_h = Struct(">h").pack
_pack_hx = Struct(">hx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_ix = Struct(">ix").pack
_pack_uh = Struct(">16sh").pack
_pack_ux = Struct(">16sx").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_uB = Struct(">16sB").unpack_from
_unpack_uhB = Struct(">16shB").unpack_from


class DeleteTopicState(Data):
    """An element of `DeleteTopicsRequest.topics`."""

    name: str | None = None
    """Null: the topic is named by topic_id."""
    topic_id: bytes = ZERO_UUID


class DeleteTopicsRequest(ReadableMessage, WritableMessage):
    API_KEY = 20
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 4

    topics: list[DeleteTopicState] = []  # v6+
    topic_names: list[str] = []  # v0-5
    timeout_ms: int = 0
    """How long to wait for the operation to complete."""


class DeletableTopicResult(Data):
    """An element of `DeleteTopicsResponse.responses`."""

    name: str | None = ""
    """Null: the topic is named by topic_id."""
    topic_id: bytes = ZERO_UUID  # v6+
    error_code: int = 0
    error_message: str | None = None  # v5+


class DeleteTopicsResponse(ReadableMessage, WritableMessage):
    API_KEY = 20
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 4

    throttle_time_ms: int = 0  # v1+
    """Throttle time because of a quota; 0 for none."""
    responses: list[DeletableTopicResult] = []


def _read_delete_topics_request_v0_3(b: bytes, at: int, version: int) -> tuple[DeleteTopicsRequest, int]:
    size = len(b)
    m = new(DeleteTopicsRequest)
    m.topics = []
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 2 > size - at:
        raise count_error("topic_names", n)
    topic_names: list[str] = []
    m.topic_names = topic_names
    for _ in range(n):
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_names is null")
        end = at + n
        topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        topic_names.append(topic_name)
    m.timeout_ms = _unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"DeleteTopicsRequest is {at - size} bytes short")
    return m, at


def _read_delete_topics_request_v4_6(b: bytes, at: int, version: int) -> tuple[DeleteTopicsRequest, int]:
    size = len(b)
    m = new(DeleteTopicsRequest)
    if version >= 6:
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 18 > size - at:
            raise count_error("topics", n)
        topics: list[DeleteTopicState] = []
        m.topics = topics
        for _ in range(n):
            topic = new(DeleteTopicState)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                topic.name = None
            else:
                end = at + n - 1
                topic.name = b[at:end].decode("utf-8", "replace")
                at = end
            topic.topic_id, tags = _unpack_uB(b, at)
            at += 17
            if tags:
                at = skip_tagged_fields(b, at, tags)
            topics.append(topic)
        m.topic_names = []
        m.timeout_ms, tags = _unpack_iB(b, at)
        at += 5
    else:
        m.topics = []
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n > size - at:
            raise count_error("topic_names", n)
        topic_names: list[str] = []
        m.topic_names = topic_names
        for _ in range(n):
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic_names is null")
            end = at + n - 1
            topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            topic_names.append(topic_name)
        m.timeout_ms, tags = _unpack_iB(b, at)
        at += 5
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteTopicsRequest is {at - size} bytes short")
    return m, at


DeleteTopicsRequest.READERS = dict.fromkeys(range(0, 4), _read_delete_topics_request_v0_3) | dict.fromkeys(range(4, 7), _read_delete_topics_request_v4_6)


def _write_delete_topics_request_v0_3(m: DeleteTopicsRequest, out: bytearray, version: int) -> None:
    if m.topics:
        raise absent_field_error("topics")
    topic_names = m.topic_names
    out += _pack_i(len(topic_names))
    for topic_name in topic_names:
        topic_names_bytes = topic_name.encode()
        out += _pack_h(len(topic_names_bytes))
        out += topic_names_bytes
    out += _pack_i(m.timeout_ms)


def _write_delete_topics_request_v4_6(m: DeleteTopicsRequest, out: bytearray, version: int) -> None:
    if version >= 6:
        topics = m.topics
        n = len(topics) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for topic in topics:
            name = topic.name
            name_bytes = b"" if name is None else name.encode()
            n = 0 if name is None else len(name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += name_bytes
            out += _pack_ux(topic.topic_id)
        out += _pack_ix(m.timeout_ms)
    else:
        if m.topics:
            raise absent_field_error("topics")
        topic_names = m.topic_names
        n = len(topic_names) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for topic_name in topic_names:
            topic_names_bytes = topic_name.encode()
            n = len(topic_names_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += topic_names_bytes
        out += _pack_ix(m.timeout_ms)


DeleteTopicsRequest.WRITERS = dict.fromkeys(range(0, 4), _write_delete_topics_request_v0_3) | dict.fromkeys(range(4, 7), _write_delete_topics_request_v4_6)


def _read_delete_topics_response_v0_3(b: bytes, at: int, version: int) -> tuple[DeleteTopicsResponse, int]:
    size = len(b)
    m = new(DeleteTopicsResponse)
    if version >= 1:
        m.throttle_time_ms, n = _unpack_ii(b, at)
        at += 8
    else:
        m.throttle_time_ms = 0
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 4 > size - at:
        raise count_error("responses", n)
    responses: list[DeletableTopicResult] = []
    m.responses = responses
    for _ in range(n):
        response = new(DeletableTopicResult)
        response.topic_id = ZERO_UUID
        response.error_message = None
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        response.error_code = _unpack_h(b, at)[0]
        at += 2
        responses.append(response)
    if at > size:
        raise ProtocolError(f"DeleteTopicsResponse is {at - size} bytes short")
    return m, at


def _read_delete_topics_response_v4_6(b: bytes, at: int, version: int) -> tuple[DeleteTopicsResponse, int]:
    size = len(b)
    m = new(DeleteTopicsResponse)
    m.throttle_time_ms, n = _unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise count_error("responses", n)
    responses: list[DeletableTopicResult] = []
    m.responses = responses
    for _ in range(n):
        response = new(DeletableTopicResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            if version <= 5:
                raise ProtocolError("name is null")
            response.name = None
        else:
            end = at + n - 1
            response.name = b[at:end].decode("utf-8", "replace")
            at = end
        if version >= 5:
            if version >= 6:
                response.topic_id, response.error_code, n = _unpack_uhB(b, at)
                at += 19
            else:
                response.topic_id = ZERO_UUID
                response.error_code, n = _unpack_hB(b, at)
                at += 3
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                response.error_message = None
            else:
                end = at + n - 1
                response.error_message = b[at:end].decode("utf-8", "replace")
                at = end
            tags = b[at]
            at += 1
        else:
            response.error_message = None
            response.topic_id = ZERO_UUID
            response.error_code, tags = _unpack_hB(b, at)
            at += 3
        if tags:
            at = skip_tagged_fields(b, at, tags)
        responses.append(response)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteTopicsResponse is {at - size} bytes short")
    return m, at


DeleteTopicsResponse.READERS = dict.fromkeys(range(0, 4), _read_delete_topics_response_v0_3) | dict.fromkeys(range(4, 7), _read_delete_topics_response_v4_6)


def _write_delete_topics_response_v0_3(m: DeleteTopicsResponse, out: bytearray, version: int) -> None:
    responses = m.responses
    if version >= 1:
        out += _pack_ii(m.throttle_time_ms, len(responses))
    else:
        out += _pack_i(len(responses))
    for response in responses:
        name = response.name
        if name is None:
            raise null_field_error("name")
        name_bytes = name.encode()
        out += _pack_h(len(name_bytes))
        out += name_bytes
        out += _pack_h(response.error_code)


def _write_delete_topics_response_v4_6(m: DeleteTopicsResponse, out: bytearray, version: int) -> None:
    responses = m.responses
    n = len(responses) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for response in responses:
        name = response.name
        if name is None and version <= 5:
            raise null_field_error("name")
        name_bytes = b"" if name is None else name.encode()
        n = 0 if name is None else len(name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        if version >= 5:
            error_message = response.error_message
            error_message_bytes = b"" if error_message is None else error_message.encode()
            n = 0 if error_message is None else len(error_message_bytes) + 1
            if version >= 6:
                out += _pack_uh(response.topic_id, response.error_code)
            else:
                out += _pack_h(response.error_code)
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += error_message_bytes
            out.append(0)
        else:
            out += _pack_hx(response.error_code)
    out.append(0)


DeleteTopicsResponse.WRITERS = dict.fromkeys(range(0, 4), _write_delete_topics_response_v0_3) | dict.fromkeys(range(4, 7), _write_delete_topics_response_v4_6)
