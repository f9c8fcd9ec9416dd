"""ShareGroupDescribe: state and members of share groups (KIP-932).

v0  was a preview

Generated from protocol_specs/77_share_group_describe by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message, default_of
from wirebroker.protocol.primitives import UNSET, ZERO_UUID, fault_length, long_uvarint, put_uvarint, skip_tags

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ii = Struct(">ii").pack
pack_ix = Struct(">ix").pack
pack_tx = Struct(">?x").pack
pack_u = Struct(">16s").pack
unpack_hB = Struct(">hB").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_iiB = Struct(">iiB").unpack_from
unpack_tB = Struct(">?B").unpack_from
unpack_uB = Struct(">16sB").unpack_from


class ShareGroupDescribeRequest(Message):
    API_KEY = 77
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("group_ids", "include_authorized_operations")

    def __init__(
        self,
        group_ids: list[str] = UNSET,
        include_authorized_operations: bool = False,
    ) -> None:
        self.group_ids = [] if group_ids is UNSET else group_ids
        self.include_authorized_operations = include_authorized_operations


class TopicPartitions(Data):
    __slots__ = FIELDS = ("topic_id", "topic_name", "partitions")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        topic_name: str = "",
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.topic_name = topic_name
        self.partitions = [] if partitions is UNSET else partitions


class Assignment(Data):
    __slots__ = FIELDS = ("topic_partitions",)

    def __init__(
        self,
        topic_partitions: list[TopicPartitions] = UNSET,
    ) -> None:
        self.topic_partitions = [] if topic_partitions is UNSET else topic_partitions


DEFAULT_Assignment = default_of(Assignment)


class Member(Data):
    __slots__ = FIELDS = (
        "member_id",
        "rack_id",
        "member_epoch",
        "client_id",
        "client_host",
        "subscribed_topic_names",
        "assignment",
    )

    def __init__(
        self,
        member_id: str = "",
        rack_id: str | None = None,
        member_epoch: int = 0,
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: list[str] = UNSET,
        assignment: Assignment = DEFAULT_Assignment,
    ) -> None:
        self.member_id = member_id
        self.rack_id = rack_id
        self.member_epoch = member_epoch
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names = [] if subscribed_topic_names is UNSET else subscribed_topic_names
        self.assignment = assignment


class DescribedGroup(Data):
    __slots__ = FIELDS = (
        "error_code",
        "error_message",
        "group_id",
        "group_state",
        "group_epoch",
        "assignment_epoch",
        "assignor_name",
        "members",
        "authorized_operations",
    )

    def __init__(
        self,
        error_code: int = 0,
        error_message: str | None = None,
        group_id: str = "",
        group_state: str = "",
        group_epoch: int = 0,
        assignment_epoch: int = 0,
        assignor_name: str = "",
        members: list[Member] = UNSET,
        authorized_operations: int = -2147483648,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.group_id = group_id
        self.group_state = group_state
        self.group_epoch = group_epoch
        self.assignment_epoch = assignment_epoch
        self.assignor_name = assignor_name
        self.members = [] if members is UNSET else members
        self.authorized_operations = authorized_operations


class ShareGroupDescribeResponse(Message):
    API_KEY = 77
    VERSIONS = range(0, 2)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "groups")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        groups: list[DescribedGroup] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups = [] if groups is UNSET else groups


def _read_share_group_describe_request_v0_1(b: bytes, at: int) -> tuple[ShareGroupDescribeRequest, int]:
    size = len(b)
    m = new(ShareGroupDescribeRequest)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("group_ids", n)
    group_ids: list[str] = []
    m.group_ids = group_ids
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_ids is null")
        end = at + n - 1
        group_id = b[at:end].decode("utf-8", "replace")
        at = end
        group_ids.append(group_id)
    m.include_authorized_operations, tags = unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ShareGroupDescribeRequest is {at - size} bytes short")
    return m, at


def _write_share_group_describe_request_v0_1(m: ShareGroupDescribeRequest, out: bytearray) -> None:
    group_ids = m.group_ids
    n = len(group_ids) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for group_id in group_ids:
        group_ids_bytes = group_id.encode()
        n = len(group_ids_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_ids_bytes
    out += pack_tx(m.include_authorized_operations)


def _read_share_group_describe_response_v0_1(b: bytes, at: int) -> tuple[ShareGroupDescribeResponse, int]:
    size = len(b)
    m = new(ShareGroupDescribeResponse)
    m.throttle_time_ms, n = unpack_iB(b, at)
    at += 5
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 20 > size - at:
        raise fault_length("groups", n)
    groups: list[DescribedGroup] = []
    m.groups = groups
    for _ in range(n):
        group = new(DescribedGroup)
        group.error_code, n = unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            group.error_message = None
        else:
            end = at + n - 1
            group.error_message = b[at:end].decode("utf-8", "replace")
            at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_id is null")
        end = at + n - 1
        group.group_id = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("group_state is null")
        end = at + n - 1
        group.group_state = b[at:end].decode("utf-8", "replace")
        at = end
        group.group_epoch, group.assignment_epoch, n = unpack_iiB(b, at)
        at += 9
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("assignor_name is null")
        end = at + n - 1
        group.assignor_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 12 > size - at:
            raise fault_length("members", n)
        members: list[Member] = []
        group.members = members
        for _ in range(n):
            member = new(Member)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("member_id is null")
            end = at + n - 1
            member.member_id = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                member.rack_id = None
            else:
                end = at + n - 1
                member.rack_id = b[at:end].decode("utf-8", "replace")
                at = end
            member.member_epoch, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("client_id is null")
            end = at + n - 1
            member.client_id = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("client_host is null")
            end = at + n - 1
            member.client_host = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n > size - at:
                raise fault_length("subscribed_topic_names", n)
            subscribed_topic_names: list[str] = []
            member.subscribed_topic_names = subscribed_topic_names
            for _ in range(n):
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("subscribed_topic_names is null")
                end = at + n - 1
                subscribed_topic_name = b[at:end].decode("utf-8", "replace")
                at = end
                subscribed_topic_names.append(subscribed_topic_name)
            assignment = new(Assignment)
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 19 > size - at:
                raise fault_length("topic_partitions", n)
            topic_partitions: list[TopicPartitions] = []
            assignment.topic_partitions = topic_partitions
            for _ in range(n):
                topic_partition = new(TopicPartitions)
                topic_partition.topic_id, n = unpack_uB(b, at)
                at += 17
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                if n == 0:
                    raise ProtocolError("topic_name is null")
                end = at + n - 1
                topic_partition.topic_name = b[at:end].decode("utf-8", "replace")
                at = end
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 4 > size - at:
                    raise fault_length("partitions", n)
                end = at + n * 4
                topic_partition.partitions = [each for (each,) in iter_i(b[at:end])]
                at = end
                tags = b[at]
                at += 1
                if tags:
                    at = skip_tags(b, at, tags)
                topic_partitions.append(topic_partition)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            member.assignment = assignment
            tags = b[at]
            at += 1
            if tags:
                at = skip_tags(b, at, tags)
            members.append(member)
        group.authorized_operations, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        groups.append(group)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ShareGroupDescribeResponse is {at - size} bytes short")
    return m, at


def _write_share_group_describe_response_v0_1(m: ShareGroupDescribeResponse, out: bytearray) -> None:
    groups = m.groups
    out += pack_i(m.throttle_time_ms)
    n = len(groups) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for group in groups:
        error_message = group.error_message
        error_message_bytes = b"" if error_message is None else error_message.encode()
        out += pack_h(group.error_code)
        n = 0 if error_message is None else len(error_message_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += error_message_bytes
        group_id = group.group_id
        group_id_bytes = group_id.encode()
        n = len(group_id_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_id_bytes
        group_state = group.group_state
        group_state_bytes = group_state.encode()
        n = len(group_state_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += group_state_bytes
        assignor_name = group.assignor_name
        assignor_name_bytes = assignor_name.encode()
        out += pack_ii(group.group_epoch, group.assignment_epoch)
        n = len(assignor_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += assignor_name_bytes
        members = group.members
        n = len(members) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for member in members:
            member_id = member.member_id
            member_id_bytes = member_id.encode()
            n = len(member_id_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += member_id_bytes
            rack_id = member.rack_id
            rack_id_bytes = b"" if rack_id is None else rack_id.encode()
            n = 0 if rack_id is None else len(rack_id_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += rack_id_bytes
            client_id = member.client_id
            client_id_bytes = client_id.encode()
            out += pack_i(member.member_epoch)
            n = len(client_id_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += client_id_bytes
            client_host = member.client_host
            client_host_bytes = client_host.encode()
            n = len(client_host_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += client_host_bytes
            subscribed_topic_names = member.subscribed_topic_names
            n = len(subscribed_topic_names) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for subscribed_topic_name in subscribed_topic_names:
                subscribed_topic_names_bytes = subscribed_topic_name.encode()
                n = len(subscribed_topic_names_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += subscribed_topic_names_bytes
            assignment = member.assignment
            topic_partitions = assignment.topic_partitions
            n = len(topic_partitions) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for topic_partition in topic_partitions:
                topic_name = topic_partition.topic_name
                topic_name_bytes = topic_name.encode()
                out += pack_u(topic_partition.topic_id)
                n = len(topic_name_bytes) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += topic_name_bytes
                partitions = topic_partition.partitions
                n = len(partitions) + 1
                if n > 127:
                    put_uvarint(out, n)
                else:
                    out.append(n)
                out += b"".join(map(pack_i, partitions))
                out.append(0)
            out += b"\0\0"
        out += pack_ix(group.authorized_operations)
    out.append(0)


ShareGroupDescribeRequest.READERS = {
    0: _read_share_group_describe_request_v0_1,
    1: _read_share_group_describe_request_v0_1,
}
ShareGroupDescribeRequest.WRITERS = {
    0: _write_share_group_describe_request_v0_1,
    1: _write_share_group_describe_request_v0_1,
}
ShareGroupDescribeResponse.READERS = {
    0: _read_share_group_describe_response_v0_1,
    1: _read_share_group_describe_response_v0_1,
}
ShareGroupDescribeResponse.WRITERS = {
    0: _write_share_group_describe_response_v0_1,
    1: _write_share_group_describe_response_v0_1,
}
