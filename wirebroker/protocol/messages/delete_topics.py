"""DeleteTopics: remove topics and their records.

v1  throttle_time_ms (KIP-124)
v2  answers before it throttles (KIP-219)
v3  may answer TOPIC_DELETION_DISABLED (KIP-322)
v4  flexible
v5  error_message; may answer THROTTLING_QUOTA_EXCEEDED (KIP-599)
v6  by name or by topic_id (KIP-516)

Generated from protocol_specs/20_delete_topics by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import (
    UNSET,
    ZERO_UUID,
    fault_absent,
    fault_length,
    fault_null,
    long_uvarint,
    put_uvarint,
    skip_tags,
)

new = object.__new__
pack_h = Struct(">h").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
pack_ix = Struct(">ix").pack
pack_uh = Struct(">16sh").pack
pack_ux = Struct(">16sx").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_uB = Struct(">16sB").unpack_from
unpack_uhB = Struct(">16shB").unpack_from


class DeleteTopicState(Data):
    __slots__ = FIELDS = ("name", "topic_id")

    def __init__(
        self,
        name: str | None = None,
        topic_id: bytes = ZERO_UUID,
    ) -> None:
        self.name = name
        self.topic_id = topic_id


class DeleteTopicsRequest(Message):
    API_KEY = 20
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("topics", "topic_names", "timeout_ms")

    def __init__(
        self,
        topics: list[DeleteTopicState] = UNSET,
        topic_names: list[str] = UNSET,
        timeout_ms: int = 0,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.topic_names = [] if topic_names is UNSET else topic_names
        self.timeout_ms = timeout_ms


class DeletableTopicResult(Data):
    __slots__ = FIELDS = ("name", "topic_id", "error_code", "error_message")

    def __init__(
        self,
        name: str | None = "",
        topic_id: bytes = ZERO_UUID,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message


class DeleteTopicsResponse(Message):
    API_KEY = 20
    VERSIONS = range(0, 7)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("throttle_time_ms", "responses")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        responses: list[DeletableTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = [] if responses is UNSET else responses


def _read_delete_topics_request_v0_3(b: bytes, at: int) -> tuple[DeleteTopicsRequest, int]:
    size = len(b)
    m = new(DeleteTopicsRequest)
    m.topics = []
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 2 > size - at:
        raise fault_length("topic_names", n)
    topic_names: list[str] = []
    m.topic_names = topic_names
    for _ in range(n):
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_names is null")
        end = at + n
        topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        topic_names.append(topic_name)
    m.timeout_ms = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"DeleteTopicsRequest is {at - size} bytes short")
    return m, at


def _read_delete_topics_request_v4_5(b: bytes, at: int) -> tuple[DeleteTopicsRequest, int]:
    size = len(b)
    m = new(DeleteTopicsRequest)
    m.topics = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("topic_names", n)
    topic_names: list[str] = []
    m.topic_names = topic_names
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_names is null")
        end = at + n - 1
        topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        topic_names.append(topic_name)
    m.timeout_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteTopicsRequest is {at - size} bytes short")
    return m, at


def _read_delete_topics_request_v6(b: bytes, at: int) -> tuple[DeleteTopicsRequest, int]:
    size = len(b)
    m = new(DeleteTopicsRequest)
    m.topic_names = []
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[DeleteTopicState] = []
    m.topics = topics
    for _ in range(n):
        topic = new(DeleteTopicState)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            topic.name = None
        else:
            end = at + n - 1
            topic.name = b[at:end].decode("utf-8", "replace")
            at = end
        topic.topic_id, tags = unpack_uB(b, at)
        at += 17
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    m.timeout_ms, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteTopicsRequest is {at - size} bytes short")
    return m, at


def _write_delete_topics_request_v0_3(m: DeleteTopicsRequest, out: bytearray) -> None:
    if m.topics:
        raise fault_absent("topics")
    topic_names = m.topic_names
    out += pack_i(len(topic_names))
    for topic_name in topic_names:
        topic_names_bytes = topic_name.encode()
        out += pack_h(len(topic_names_bytes))
        out += topic_names_bytes
    out += pack_i(m.timeout_ms)


def _write_delete_topics_request_v4_5(m: DeleteTopicsRequest, out: bytearray) -> None:
    if m.topics:
        raise fault_absent("topics")
    topic_names = m.topic_names
    n = len(topic_names) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic_name in topic_names:
        topic_names_bytes = topic_name.encode()
        n = len(topic_names_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_names_bytes
    out += pack_ix(m.timeout_ms)


def _write_delete_topics_request_v6(m: DeleteTopicsRequest, out: bytearray) -> None:
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        name = topic.name
        name_bytes = b"" if name is None else name.encode()
        n = 0 if name is None else len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        out += pack_ux(topic.topic_id)
    out += pack_ix(m.timeout_ms)


def _read_delete_topics_response_v0(b: bytes, at: int) -> tuple[DeleteTopicsResponse, int]:
    size = len(b)
    m = new(DeleteTopicsResponse)
    m.throttle_time_ms = 0
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 4 > size - at:
        raise fault_length("responses", n)
    responses: list[DeletableTopicResult] = []
    m.responses = responses
    for _ in range(n):
        response = new(DeletableTopicResult)
        response.topic_id = ZERO_UUID
        response.error_message = None
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        response.error_code = unpack_h(b, at)[0]
        at += 2
        responses.append(response)
    if at > size:
        raise ProtocolError(f"DeleteTopicsResponse is {at - size} bytes short")
    return m, at


def _read_delete_topics_response_v1_3(b: bytes, at: int) -> tuple[DeleteTopicsResponse, int]:
    size = len(b)
    m = new(DeleteTopicsResponse)
    m.throttle_time_ms, n = unpack_ii(b, at)
    at += 8
    if n < 0 or n * 4 > size - at:
        raise fault_length("responses", n)
    responses: list[DeletableTopicResult] = []
    m.responses = responses
    for _ in range(n):
        response = new(DeletableTopicResult)
        response.topic_id = ZERO_UUID
        response.error_message = None
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("name is null")
        end = at + n
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        response.error_code = unpack_h(b, at)[0]
        at += 2
        responses.append(response)
    if at > size:
        raise ProtocolError(f"DeleteTopicsResponse is {at - size} bytes short")
    return m, at


def _read_delete_topics_response_v4(b: bytes, at: int) -> tuple[DeleteTopicsResponse, int]:
    size = len(b)
    m = new(DeleteTopicsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("responses", n)
    responses: list[DeletableTopicResult] = []
    m.responses = responses
    for _ in range(n):
        response = new(DeletableTopicResult)
        response.topic_id = ZERO_UUID
        response.error_message = None
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        response.error_code, tags = unpack_hB(b, at)
        at += 3
        if tags:
            at = skip_tags(b, at, tags)
        responses.append(response)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteTopicsResponse is {at - size} bytes short")
    return m, at


def _read_delete_topics_response_v5(b: bytes, at: int) -> tuple[DeleteTopicsResponse, int]:
    size = len(b)
    m = new(DeleteTopicsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 5 > size - at:
        raise fault_length("responses", n)
    responses: list[DeletableTopicResult] = []
    m.responses = responses
    for _ in range(n):
        response = new(DeletableTopicResult)
        response.topic_id = ZERO_UUID
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        response.name = b[at:end].decode("utf-8", "replace")
        at = end
        response.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            response.error_message = None
        else:
            end = at + n - 1
            response.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        responses.append(response)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteTopicsResponse is {at - size} bytes short")
    return m, at


def _read_delete_topics_response_v6(b: bytes, at: int) -> tuple[DeleteTopicsResponse, int]:
    size = len(b)
    m = new(DeleteTopicsResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 21 > size - at:
        raise fault_length("responses", n)
    responses: list[DeletableTopicResult] = []
    m.responses = responses
    for _ in range(n):
        response = new(DeletableTopicResult)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            response.name = None
        else:
            end = at + n - 1
            response.name = b[at:end].decode("utf-8", "replace")
            at = end
        response.topic_id, response.error_code, n = unpack_uhB(b, at)
        at += 19
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            response.error_message = None
        else:
            end = at + n - 1
            response.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        responses.append(response)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteTopicsResponse is {at - size} bytes short")
    return m, at


def _write_delete_topics_response_v0(m: DeleteTopicsResponse, out: bytearray) -> None:
    responses = m.responses
    out += pack_i(len(responses))
    for response in responses:
        name = response.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        out += pack_h(response.error_code)


def _write_delete_topics_response_v1_3(m: DeleteTopicsResponse, out: bytearray) -> None:
    responses = m.responses
    out += pack_ii(m.throttle_time_ms, len(responses))
    for response in responses:
        name = response.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        out += pack_h(len(name_bytes))
        out += name_bytes
        out += pack_h(response.error_code)


def _write_delete_topics_response_v4(m: DeleteTopicsResponse, out: bytearray) -> None:
    responses = m.responses
    out += pack_i(m.throttle_time_ms)
    n = len(responses) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        name = response.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        out += pack_hx(response.error_code)
    out.append(0)


def _write_delete_topics_response_v5(m: DeleteTopicsResponse, out: bytearray) -> None:
    responses = m.responses
    out += pack_i(m.throttle_time_ms)
    n = len(responses) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        name = response.name
        if name is None:
            raise fault_null("name")
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        error_message = response.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_h(response.error_code)
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
        out.append(0)
    out.append(0)


def _write_delete_topics_response_v6(m: DeleteTopicsResponse, out: bytearray) -> None:
    responses = m.responses
    out += pack_i(m.throttle_time_ms)
    n = len(responses) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        name = response.name
        name_bytes = b"" if name is None else name.encode()
        n = 0 if name is None else len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        error_message = response.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_uh(response.topic_id, response.error_code)
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
        out.append(0)
    out.append(0)


DeleteTopicsRequest.READERS = {
    0: _read_delete_topics_request_v0_3,
    1: _read_delete_topics_request_v0_3,
    2: _read_delete_topics_request_v0_3,
    3: _read_delete_topics_request_v0_3,
    4: _read_delete_topics_request_v4_5,
    5: _read_delete_topics_request_v4_5,
    6: _read_delete_topics_request_v6,
}
DeleteTopicsRequest.WRITERS = {
    0: _write_delete_topics_request_v0_3,
    1: _write_delete_topics_request_v0_3,
    2: _write_delete_topics_request_v0_3,
    3: _write_delete_topics_request_v0_3,
    4: _write_delete_topics_request_v4_5,
    5: _write_delete_topics_request_v4_5,
    6: _write_delete_topics_request_v6,
}
DeleteTopicsResponse.READERS = {
    0: _read_delete_topics_response_v0,
    1: _read_delete_topics_response_v1_3,
    2: _read_delete_topics_response_v1_3,
    3: _read_delete_topics_response_v1_3,
    4: _read_delete_topics_response_v4,
    5: _read_delete_topics_response_v5,
    6: _read_delete_topics_response_v6,
}
DeleteTopicsResponse.WRITERS = {
    0: _write_delete_topics_response_v0,
    1: _write_delete_topics_response_v1_3,
    2: _write_delete_topics_response_v1_3,
    3: _write_delete_topics_response_v1_3,
    4: _write_delete_topics_response_v4,
    5: _write_delete_topics_response_v5,
    6: _write_delete_topics_response_v6,
}
