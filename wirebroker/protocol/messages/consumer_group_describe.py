"""ConsumerGroupDescribe: the state and members of consumer groups (KIP-848).

v1  member_type (KIP-1099)

Generated from protocol_specs/69_consumer_group_describe by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage, default_of
from wirebroker.protocol.primitives import (
    ZERO_UUID,
    array_packer,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_pack_bx = Struct(">bx").pack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ii = Struct(">ii").pack
_pack_iiB = Struct(">iiB").pack
_pack_ix = Struct(">ix").pack
_pack_list_i = array_packer("i")
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_unpack_tB = Struct(">?B").unpack_from


class ConsumerGroupDescribeRequest(ReadableMessage):
    API_KEY = 69
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0

    group_ids: list[str] = []
    include_authorized_operations: bool = False
    """Whether the response includes authorized_operations."""


class TopicPartitions(Data):
    """An element of `Assignment.topic_partitions`."""

    topic_id: bytes = ZERO_UUID
    topic_name: str = ""
    partitions: list[int] = []


class Assignment(Data):
    """The value of `Member.assignment` and the value of `Member.target_assignment`."""

    topic_partitions: list[TopicPartitions] = []


DEFAULT_Assignment = default_of(Assignment)


class Member(Data):
    """An element of `DescribedGroup.members`."""

    member_id: str = ""
    instance_id: str | None = None
    """group.instance.id of a static member (KIP-345)."""
    rack_id: str | None = None
    member_epoch: int = 0
    """Member epoch: the group epoch that the member has reached."""
    client_id: str = ""
    client_host: str = ""
    """Address of the client's host, after a slash."""
    subscribed_topic_names: list[str] = []
    subscribed_topic_regex: str | None = None
    """RE2 pattern of topic names."""
    assignment: Assignment = DEFAULT_Assignment
    target_assignment: Assignment = DEFAULT_Assignment
    member_type: int = -1  # v1+
    """0 classic, 1 consumer, -1 unknown."""


class DescribedGroup(Data):
    """An element of `ConsumerGroupDescribeResponse.groups`."""

    error_code: int = 0
    error_message: str | None = None
    group_id: str = ""
    group_state: str = ""
    """State of the group, such as Stable or Empty."""
    group_epoch: int = 0
    assignment_epoch: int = 0
    assignor_name: str = ""
    members: list[Member] = []
    authorized_operations: int = -2147483648
    """Bit field of AclOperation; -2147483648 if not requested."""


class ConsumerGroupDescribeResponse(WritableMessage):
    API_KEY = 69
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0

    throttle_time_ms: int = 0
    """Throttle time because of a quota; 0 for none."""
    groups: list[DescribedGroup] = []


def _read_consumer_group_describe_request_v0_1(b: bytes, at: int, version: int) -> tuple[ConsumerGroupDescribeRequest, int]:
    size = len(b)
    m = new(ConsumerGroupDescribeRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise count_error("group_ids", n)
    group_ids: list[str] = []
    m.group_ids = group_ids
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_ids is null")
        end = at + n - 1
        group_id = b[at:end].decode("utf-8", "replace")
        at = end
        group_ids.append(group_id)
    m.include_authorized_operations, tags = _unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ConsumerGroupDescribeRequest is {at - size} bytes short")
    return m, at


ConsumerGroupDescribeRequest.READERS = dict.fromkeys(range(0, 2), _read_consumer_group_describe_request_v0_1)


def _write_consumer_group_describe_response_v0_1(m: ConsumerGroupDescribeResponse, out: bytearray, version: int) -> None:
    groups = m.groups
    n = len(groups) + 1
    if n > 127:
        out += _pack_i(m.throttle_time_ms)
        write_uvarint(out, n)
    else:
        out += _pack_iB(m.throttle_time_ms, n)
    for group in groups:
        error_message = group.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            out += _pack_h(group.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(group.error_code, n)
        out += error_message_bytes
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        group_state = group.group_state
        group_state_bytes = group_state.encode()
        n = len(group_state_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += group_state_bytes
        assignor_name = group.assignor_name
        assignor_name_bytes = assignor_name.encode()
        n = len(assignor_name_bytes) + 1
        if n > 127:
            out += _pack_ii(group.group_epoch, group.assignment_epoch)
            write_uvarint(out, n)
        else:
            out += _pack_iiB(group.group_epoch, group.assignment_epoch, n)
        out += assignor_name_bytes
        members = group.members
        n = len(members) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for member in members:
            member_id = member.member_id
            member_id_bytes = member_id.encode()
            n = len(member_id_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += member_id_bytes
            instance_id = member.instance_id
            instance_id_bytes = b"" if instance_id is None else instance_id.encode()
            n = 0 if instance_id is None else len(instance_id_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += instance_id_bytes
            rack_id = member.rack_id
            rack_id_bytes = b"" if rack_id is None else rack_id.encode()
            n = 0 if rack_id is None else len(rack_id_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += rack_id_bytes
            client_id = member.client_id
            client_id_bytes = client_id.encode()
            n = len(client_id_bytes) + 1
            if n > 127:
                out += _pack_i(member.member_epoch)
                write_uvarint(out, n)
            else:
                out += _pack_iB(member.member_epoch, n)
            out += client_id_bytes
            client_host = member.client_host
            client_host_bytes = client_host.encode()
            n = len(client_host_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += client_host_bytes
            subscribed_topic_names = member.subscribed_topic_names
            n = len(subscribed_topic_names) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            for subscribed_topic_name in subscribed_topic_names:
                subscribed_topic_names_bytes = subscribed_topic_name.encode()
                n = len(subscribed_topic_names_bytes) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += subscribed_topic_names_bytes
            subscribed_topic_regex = member.subscribed_topic_regex
            subscribed_topic_regex_bytes = b"" if subscribed_topic_regex is None else subscribed_topic_regex.encode()
            n = 0 if subscribed_topic_regex is None else len(subscribed_topic_regex_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += subscribed_topic_regex_bytes
            assignment = member.assignment
            topic_partitions = assignment.topic_partitions
            n = len(topic_partitions) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            for topic_partition in topic_partitions:
                topic_name = topic_partition.topic_name
                topic_name_bytes = topic_name.encode()
                n = len(topic_name_bytes) + 1
                if n > 127:
                    out += _pack_u(topic_partition.topic_id)
                    write_uvarint(out, n)
                else:
                    out += _pack_uB(topic_partition.topic_id, n)
                out += topic_name_bytes
                partitions = topic_partition.partitions
                n = len(partitions) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += _pack_list_i(partitions)
                out.append(0)
            out.append(0)
            target_assignment = member.target_assignment
            topic_partitions2 = target_assignment.topic_partitions
            n = len(topic_partitions2) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            for topic_partition2 in topic_partitions2:
                topic_name2 = topic_partition2.topic_name
                topic_name_bytes2 = topic_name2.encode()
                n = len(topic_name_bytes2) + 1
                if n > 127:
                    out += _pack_u(topic_partition2.topic_id)
                    write_uvarint(out, n)
                else:
                    out += _pack_uB(topic_partition2.topic_id, n)
                out += topic_name_bytes2
                partitions2 = topic_partition2.partitions
                n = len(partitions2) + 1
                if n > 127:
                    write_uvarint(out, n)
                else:
                    out.append(n)
                out += _pack_list_i(partitions2)
                out.append(0)
            out.append(0)
            if version >= 1:
                out += _pack_bx(member.member_type)
            else:
                out.append(0)
        out += _pack_ix(group.authorized_operations)
    out.append(0)


ConsumerGroupDescribeResponse.WRITERS = dict.fromkeys(range(0, 2), _write_consumer_group_describe_response_v0_1)
