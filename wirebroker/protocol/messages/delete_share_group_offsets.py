"""DeleteShareGroupOffsets: forget a share group's topics (KIP-932).

Generated from protocol_specs/92_delete_share_group_offsets by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, ZERO_UUID, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
pack_ih = Struct(">ih").pack
pack_uh = Struct(">16sh").pack
unpack_ihB = Struct(">ihB").unpack_from
unpack_uhB = Struct(">16shB").unpack_from


class DeleteShareGroupOffsetsRequestTopic(Data):
    __slots__ = FIELDS = ("topic_name",)

    def __init__(
        self,
        topic_name: str = "",
    ) -> None:
        self.topic_name = topic_name


class DeleteShareGroupOffsetsRequest(Message):
    API_KEY = 92
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("group_id", "topics")

    def __init__(
        self,
        group_id: str = "",
        topics: list[DeleteShareGroupOffsetsRequestTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.topics = [] if topics is UNSET else topics


class DeleteShareGroupOffsetsResponseTopic(Data):
    __slots__ = FIELDS = ("topic_name", "topic_id", "error_code", "error_message")

    def __init__(
        self,
        topic_name: str = "",
        topic_id: bytes = ZERO_UUID,
        error_code: int = 0,
        error_message: str | None = None,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.error_code = error_code
        self.error_message = error_message


class DeleteShareGroupOffsetsResponse(Message):
    API_KEY = 92
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "error_message", "responses")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        responses: list[DeleteShareGroupOffsetsResponseTopic] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.responses = [] if responses is UNSET else responses


def _read_delete_share_group_offsets_request_v0(b: bytes, at: int) -> tuple[DeleteShareGroupOffsetsRequest, int]:
    size = len(b)
    m = new(DeleteShareGroupOffsetsRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("group_id is null")
    end = at + n - 1
    m.group_id = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 2 > size - at:
        raise fault_length("topics", n)
    topics: list[DeleteShareGroupOffsetsRequestTopic] = []
    m.topics = topics
    for _ in range(n):
        topic = new(DeleteShareGroupOffsetsRequestTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topics.append(topic)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DeleteShareGroupOffsetsRequest is {at - size} bytes short")
    return m, at


def _write_delete_share_group_offsets_request_v0(m: DeleteShareGroupOffsetsRequest, out: bytearray) -> None:
    group_id = m.group_id
    group_id_bytes = group_id.encode()
    n = len(group_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += group_id_bytes
    topics = m.topics
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        topic_name = topic.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        out.append(0)
    out.append(0)


def _read_delete_share_group_offsets_response_v0(b: bytes, at: int) -> tuple[DeleteShareGroupOffsetsResponse, int]:
    size = len(b)
    m = new(DeleteShareGroupOffsetsResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.error_message = None
    else:
        end = at + n - 1
        m.error_message = b[at:end].decode("utf-8", "replace")
        at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 21 > size - at:
        raise fault_length("responses", n)
    responses: list[DeleteShareGroupOffsetsResponseTopic] = []
    m.responses = responses
    for _ in range(n):
        response = new(DeleteShareGroupOffsetsResponseTopic)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        response.topic_name = b[at:end].decode("utf-8", "replace")
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
        raise ProtocolError(f"DeleteShareGroupOffsetsResponse is {at - size} bytes short")
    return m, at


def _write_delete_share_group_offsets_response_v0(m: DeleteShareGroupOffsetsResponse, out: bytearray) -> None:
    error_message = m.error_message
    error_message_bytes = b"" if error_message is None else error_message.encode()
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = 0 if error_message is None else len(error_message_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += error_message_bytes
    responses = m.responses
    n = len(responses) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for response in responses:
        topic_name = response.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        error_message2 = response.error_message
        error_message_bytes2 = b"" if error_message2 is None else error_message2.encode()
        out += pack_uh(response.topic_id, response.error_code)
        n = 0 if error_message2 is None else len(error_message_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes2
        out.append(0)
    out.append(0)


DeleteShareGroupOffsetsRequest.READERS = {
    0: _read_delete_share_group_offsets_request_v0,
}
DeleteShareGroupOffsetsRequest.WRITERS = {
    0: _write_delete_share_group_offsets_request_v0,
}
DeleteShareGroupOffsetsResponse.READERS = {
    0: _read_delete_share_group_offsets_response_v0,
}
DeleteShareGroupOffsetsResponse.WRITERS = {
    0: _write_delete_share_group_offsets_response_v0,
}
