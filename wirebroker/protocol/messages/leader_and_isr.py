"""LeaderAndIsr: the controller tells a broker its replicas and their leaders (ZooKeeper clusters only).

v1  is_new (KIP-112)
v2  broker_epoch; partitions grouped by topic (KIP-380)
v3  adding and removing replicas (KIP-455)
v4  flexible
v5  topic_id, type; the response is by topic_id (KIP-516)
v6  leader_recovery_state (KIP-704)
v7  is_kraft_controller (KIP-866)

Generated from protocol_specs/04_leader_and_isr by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    ZERO_UUID,
    absent_field_error,
    array_packer,
    count_error,
    new,
    read_long_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_i = Struct(">i").iter_unpack
_pack_h = Struct(">h").pack
_pack_hB = Struct(">hB").pack
_pack_hi = Struct(">hi").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ihx = Struct(">ihx").pack
_pack_ii = Struct(">ii").pack
_pack_iii = Struct(">iii").pack
_pack_iiii = Struct(">iiii").pack
_pack_iiiiB = Struct(">iiiiB").pack
_pack_iiiii = Struct(">iiiii").pack
_pack_iiq = Struct(">iiq").pack
_pack_iiqb = Struct(">iiqb").pack
_pack_iiqi = Struct(">iiqi").pack
_pack_itiqb = Struct(">i?iqb").pack
_pack_ix = Struct(">ix").pack
_pack_list_i = array_packer("i")
_pack_t = Struct(">?").pack
_pack_tbx = Struct(">?bx").pack
_pack_tx = Struct(">?x").pack
_pack_u = Struct(">16s").pack
_pack_uB = Struct(">16sB").pack
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hi = Struct(">hi").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ihB = Struct(">ihB").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iii = Struct(">iii").unpack_from
_unpack_iiiiB = Struct(">iiiiB").unpack_from
_unpack_iiiii = Struct(">iiiii").unpack_from
_unpack_iiqB = Struct(">iiqB").unpack_from
_unpack_iiqbB = Struct(">iiqbB").unpack_from
_unpack_iiqi = Struct(">iiqi").unpack_from
_unpack_itiqbB = Struct(">i?iqbB").unpack_from
_unpack_t = Struct(">?").unpack_from
_unpack_tB = Struct(">?B").unpack_from
_unpack_tbB = Struct(">?bB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class LeaderAndIsrPartitionState(Data):
    """An element of `LeaderAndIsrTopicState.partition_states` and an element of
    `LeaderAndIsrRequest.ungrouped_partition_states`.
    """

    topic_name: str = ""  # v0-1
    partition_index: int = 0
    controller_epoch: int = 0
    """Controller epoch; requests of an earlier controller are refused."""
    leader: int = 0
    leader_epoch: int = 0
    """Leader epoch, incremented with each leader election; -1 unknown."""
    isr: list[int] = []
    partition_epoch: int = 0
    """Partition epoch, incremented with each change of the partition's state."""
    replicas: list[int] = []
    adding_replicas: list[int] = []  # v3+
    removing_replicas: list[int] = []  # v3+
    is_new: bool = False  # v1+
    """Whether the replica is new on this broker."""
    leader_recovery_state: int = 0  # v6+
    """0 recovered, 1 recovering from an unclean election (KIP-704)."""


class LeaderAndIsrTopicState(Data):
    """An element of `LeaderAndIsrRequest.topic_states`."""

    topic_name: str = ""
    topic_id: bytes = ZERO_UUID  # v5+
    partition_states: list[LeaderAndIsrPartitionState] = []


class LeaderAndIsrLiveLeader(Data):
    """An element of `LeaderAndIsrRequest.live_leaders`."""

    broker_id: int = 0
    host_name: str = ""
    port: int = 0


class LeaderAndIsrRequest(ReadableMessage, WritableMessage):
    API_KEY = 4
    VERSIONS = range(0, 8)
    FLEXIBLE_FROM = 4

    controller_id: int = 0
    is_kraft_controller: bool = False  # v7+
    """Whether the controller is a KRaft controller (migration, KIP-866)."""
    controller_epoch: int = 0
    """Controller epoch; requests of an earlier controller are refused."""
    broker_epoch: int = -1  # v2+
    """Epoch of the broker's registration (its czxid in ZooKeeper); -1 unknown."""
    type: int = 0  # v5+
    """0 unknown, 1 some partitions, 2 all of them."""
    ungrouped_partition_states: list[LeaderAndIsrPartitionState] = []  # v0-1
    topic_states: list[LeaderAndIsrTopicState] = []  # v2+
    live_leaders: list[LeaderAndIsrLiveLeader] = []
    """Endpoints of the leaders in this request."""


class LeaderAndIsrPartitionError(Data):
    """An element of `LeaderAndIsrTopicError.partition_errors` and an element of `LeaderAndIsrResponse.partition_errors`.
    """

    topic_name: str = ""  # v0-4
    partition_index: int = 0
    error_code: int = 0


class LeaderAndIsrTopicError(Data):
    """An element of `LeaderAndIsrResponse.topics`."""

    topic_id: bytes = ZERO_UUID
    partition_errors: list[LeaderAndIsrPartitionError] = []


class LeaderAndIsrResponse(ReadableMessage, WritableMessage):
    API_KEY = 4
    VERSIONS = range(0, 8)
    FLEXIBLE_FROM = 4

    error_code: int = 0
    partition_errors: list[LeaderAndIsrPartitionError] = []  # v0-4
    topics: list[LeaderAndIsrTopicError] = []  # v5+


def _read_leader_and_isr_request_v0_3(b: bytes, at: int, version: int) -> tuple[LeaderAndIsrRequest, int]:
    size = len(b)
    m = new(LeaderAndIsrRequest)
    m.is_kraft_controller = False
    m.type = 0
    if version >= 2:
        m.ungrouped_partition_states = []
        m.controller_id, m.controller_epoch, m.broker_epoch, n = _unpack_iiqi(b, at)
        at += 20
        if n < 0 or n * 6 > size - at:
            raise count_error("topic_states", n)
        topic_states: list[LeaderAndIsrTopicState] = []
        m.topic_states = topic_states
        for _ in range(n):
            topic_state = new(LeaderAndIsrTopicState)
            topic_state.topic_id = ZERO_UUID
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("topic_name is null")
            end = at + n
            topic_state.topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 29 > size - at:
                raise count_error("partition_states", n)
            partition_states: list[LeaderAndIsrPartitionState] = []
            topic_state.partition_states = partition_states
            for _ in range(n):
                partition_state = new(LeaderAndIsrPartitionState)
                partition_state.topic_name = ""
                partition_state.leader_recovery_state = 0
                partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, n = _unpack_iiiii(b, at)
                at += 20
                if n < 0 or n * 4 > size - at:
                    raise count_error("isr", n)
                end = at + n * 4
                partition_state.isr = [each for (each,) in _iter_i(b[at:end])]
                at = end
                partition_state.partition_epoch, n = _unpack_ii(b, at)
                at += 8
                if n < 0 or n * 4 > size - at:
                    raise count_error("replicas", n)
                end = at + n * 4
                partition_state.replicas = [each for (each,) in _iter_i(b[at:end])]
                at = end
                if version >= 3:
                    n = _unpack_i(b, at)[0]
                    at += 4
                    if n < 0 or n * 4 > size - at:
                        raise count_error("adding_replicas", n)
                    end = at + n * 4
                    partition_state.adding_replicas = [each for (each,) in _iter_i(b[at:end])]
                    at = end
                    n = _unpack_i(b, at)[0]
                    at += 4
                    if n < 0 or n * 4 > size - at:
                        raise count_error("removing_replicas", n)
                    end = at + n * 4
                    partition_state.removing_replicas = [each for (each,) in _iter_i(b[at:end])]
                    at = end
                else:
                    partition_state.adding_replicas = []
                    partition_state.removing_replicas = []
                partition_state.is_new = _unpack_t(b, at)[0]
                at += 1
                partition_states.append(partition_state)
            topic_states.append(topic_state)
        n = _unpack_i(b, at)[0]
        at += 4
    else:
        m.broker_epoch = -1
        m.controller_id, m.controller_epoch, n = _unpack_iii(b, at)
        at += 12
        if n < 0 or n * 30 > size - at:
            raise count_error("ungrouped_partition_states", n)
        ungrouped_partition_states: list[LeaderAndIsrPartitionState] = []
        m.ungrouped_partition_states = ungrouped_partition_states
        for _ in range(n):
            ungrouped_partition_state = new(LeaderAndIsrPartitionState)
            ungrouped_partition_state.adding_replicas = []
            ungrouped_partition_state.removing_replicas = []
            ungrouped_partition_state.leader_recovery_state = 0
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("topic_name is null")
            end = at + n
            ungrouped_partition_state.topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            ungrouped_partition_state.partition_index, ungrouped_partition_state.controller_epoch, ungrouped_partition_state.leader, ungrouped_partition_state.leader_epoch, n = _unpack_iiiii(b, at)
            at += 20
            if n < 0 or n * 4 > size - at:
                raise count_error("isr", n)
            end = at + n * 4
            ungrouped_partition_state.isr = [each for (each,) in _iter_i(b[at:end])]
            at = end
            ungrouped_partition_state.partition_epoch, n = _unpack_ii(b, at)
            at += 8
            if n < 0 or n * 4 > size - at:
                raise count_error("replicas", n)
            end = at + n * 4
            ungrouped_partition_state.replicas = [each for (each,) in _iter_i(b[at:end])]
            at = end
            if version >= 1:
                ungrouped_partition_state.is_new = _unpack_t(b, at)[0]
                at += 1
            else:
                ungrouped_partition_state.is_new = False
            ungrouped_partition_states.append(ungrouped_partition_state)
        m.topic_states = []
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 10 > size - at:
        raise count_error("live_leaders", n)
    live_leaders: list[LeaderAndIsrLiveLeader] = []
    m.live_leaders = live_leaders
    for _ in range(n):
        live_leader = new(LeaderAndIsrLiveLeader)
        live_leader.broker_id, n = _unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("host_name is null")
        end = at + n
        live_leader.host_name = b[at:end].decode("utf-8", "replace")
        at = end
        live_leader.port = _unpack_i(b, at)[0]
        at += 4
        live_leaders.append(live_leader)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrRequest is {at - size} bytes short")
    return m, at


def _read_leader_and_isr_request_v4_7(b: bytes, at: int, version: int) -> tuple[LeaderAndIsrRequest, int]:
    size = len(b)
    m = new(LeaderAndIsrRequest)
    m.ungrouped_partition_states = []
    if version >= 7:
        m.controller_id, m.is_kraft_controller, m.controller_epoch, m.broker_epoch, m.type, n = _unpack_itiqbB(b, at)
        at += 19
    elif version >= 5:
        m.is_kraft_controller = False
        m.controller_id, m.controller_epoch, m.broker_epoch, m.type, n = _unpack_iiqbB(b, at)
        at += 18
    else:
        m.is_kraft_controller = False
        m.type = 0
        m.controller_id, m.controller_epoch, m.broker_epoch, n = _unpack_iiqB(b, at)
        at += 17
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topic_states", n)
    topic_states: list[LeaderAndIsrTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(LeaderAndIsrTopicState)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic_state.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        if version >= 5:
            topic_state.topic_id, n = _unpack_uB(b, at)
            at += 17
        else:
            topic_state.topic_id = ZERO_UUID
            n = b[at]
            at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 26 > size - at:
            raise count_error("partition_states", n)
        partition_states: list[LeaderAndIsrPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(LeaderAndIsrPartitionState)
            partition_state.topic_name = ""
            partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, n = _unpack_iiiiB(b, at)
            at += 17
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("isr", n)
            end = at + n * 4
            partition_state.isr = [each for (each,) in _iter_i(b[at:end])]
            at = end
            partition_state.partition_epoch, n = _unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("replicas", n)
            end = at + n * 4
            partition_state.replicas = [each for (each,) in _iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("adding_replicas", n)
            end = at + n * 4
            partition_state.adding_replicas = [each for (each,) in _iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise count_error("removing_replicas", n)
            end = at + n * 4
            partition_state.removing_replicas = [each for (each,) in _iter_i(b[at:end])]
            at = end
            if version >= 6:
                partition_state.is_new, partition_state.leader_recovery_state, tags = _unpack_tbB(b, at)
                at += 3
            else:
                partition_state.leader_recovery_state = 0
                partition_state.is_new, tags = _unpack_tB(b, at)
                at += 2
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partition_states.append(partition_state)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        topic_states.append(topic_state)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 10 > size - at:
        raise count_error("live_leaders", n)
    live_leaders: list[LeaderAndIsrLiveLeader] = []
    m.live_leaders = live_leaders
    for _ in range(n):
        live_leader = new(LeaderAndIsrLiveLeader)
        live_leader.broker_id, n = _unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host_name is null")
        end = at + n - 1
        live_leader.host_name = b[at:end].decode("utf-8", "replace")
        at = end
        live_leader.port, tags = _unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tagged_fields(b, at, tags)
        live_leaders.append(live_leader)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrRequest is {at - size} bytes short")
    return m, at


LeaderAndIsrRequest.READERS = dict.fromkeys(range(0, 4), _read_leader_and_isr_request_v0_3) | dict.fromkeys(range(4, 8), _read_leader_and_isr_request_v4_7)


def _write_leader_and_isr_request_v0_3(m: LeaderAndIsrRequest, out: bytearray, version: int) -> None:
    if m.is_kraft_controller:
        raise absent_field_error("is_kraft_controller")
    if m.type != 0:
        raise absent_field_error("type")
    live_leaders = m.live_leaders
    if version >= 2:
        if m.ungrouped_partition_states:
            raise absent_field_error("ungrouped_partition_states")
        topic_states = m.topic_states
        out += _pack_iiqi(m.controller_id, m.controller_epoch, m.broker_epoch, len(topic_states))
        for topic_state in topic_states:
            topic_name = topic_state.topic_name
            topic_name_bytes = topic_name.encode()
            out += _pack_h(len(topic_name_bytes))
            out += topic_name_bytes
            partition_states = topic_state.partition_states
            out += _pack_i(len(partition_states))
            for partition_state in partition_states:
                if partition_state.leader_recovery_state != 0:
                    raise absent_field_error("leader_recovery_state")
                isr = partition_state.isr
                out += _pack_iiiii(partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, len(isr))
                out += _pack_list_i(isr)
                replicas = partition_state.replicas
                out += _pack_ii(partition_state.partition_epoch, len(replicas))
                out += _pack_list_i(replicas)
                if version >= 3:
                    adding_replicas = partition_state.adding_replicas
                    out += _pack_i(len(adding_replicas))
                    out += _pack_list_i(adding_replicas)
                    removing_replicas = partition_state.removing_replicas
                    out += _pack_i(len(removing_replicas))
                    out += _pack_list_i(removing_replicas)
                out += _pack_t(partition_state.is_new)
        out += _pack_i(len(live_leaders))
    else:
        ungrouped_partition_states = m.ungrouped_partition_states
        out += _pack_iii(m.controller_id, m.controller_epoch, len(ungrouped_partition_states))
        for ungrouped_partition_state in ungrouped_partition_states:
            if ungrouped_partition_state.leader_recovery_state != 0:
                raise absent_field_error("leader_recovery_state")
            topic_name2 = ungrouped_partition_state.topic_name
            topic_name_bytes2 = topic_name2.encode()
            out += _pack_h(len(topic_name_bytes2))
            out += topic_name_bytes2
            isr2 = ungrouped_partition_state.isr
            out += _pack_iiiii(ungrouped_partition_state.partition_index, ungrouped_partition_state.controller_epoch, ungrouped_partition_state.leader, ungrouped_partition_state.leader_epoch, len(isr2))
            out += _pack_list_i(isr2)
            replicas2 = ungrouped_partition_state.replicas
            out += _pack_ii(ungrouped_partition_state.partition_epoch, len(replicas2))
            out += _pack_list_i(replicas2)
            if version >= 1:
                out += _pack_t(ungrouped_partition_state.is_new)
        if m.topic_states:
            raise absent_field_error("topic_states")
        out += _pack_i(len(live_leaders))
    for live_leader in live_leaders:
        host_name = live_leader.host_name
        host_name_bytes = host_name.encode()
        out += _pack_ih(live_leader.broker_id, len(host_name_bytes))
        out += host_name_bytes
        out += _pack_i(live_leader.port)


def _write_leader_and_isr_request_v4_7(m: LeaderAndIsrRequest, out: bytearray, version: int) -> None:
    if m.ungrouped_partition_states:
        raise absent_field_error("ungrouped_partition_states")
    topic_states = m.topic_states
    n = len(topic_states) + 1
    if version >= 7:
        out += _pack_itiqb(m.controller_id, m.is_kraft_controller, m.controller_epoch, m.broker_epoch, m.type)
    elif version >= 5:
        if m.is_kraft_controller:
            raise absent_field_error("is_kraft_controller")
        out += _pack_iiqb(m.controller_id, m.controller_epoch, m.broker_epoch, m.type)
    else:
        if m.is_kraft_controller:
            raise absent_field_error("is_kraft_controller")
        if m.type != 0:
            raise absent_field_error("type")
        out += _pack_iiq(m.controller_id, m.controller_epoch, m.broker_epoch)
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for topic_state in topic_states:
        topic_name = topic_state.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        partition_states = topic_state.partition_states
        n = len(partition_states) + 1
        if version >= 5:
            out += _pack_u(topic_state.topic_id)
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        for partition_state in partition_states:
            isr = partition_state.isr
            n = len(isr) + 1
            if n > 127:
                out += _pack_iiii(partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch)
                write_uvarint(out, n)
            else:
                out += _pack_iiiiB(partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, n)
            out += _pack_list_i(isr)
            replicas = partition_state.replicas
            n = len(replicas) + 1
            if n > 127:
                out += _pack_i(partition_state.partition_epoch)
                write_uvarint(out, n)
            else:
                out += _pack_iB(partition_state.partition_epoch, n)
            out += _pack_list_i(replicas)
            adding_replicas = partition_state.adding_replicas
            n = len(adding_replicas) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(adding_replicas)
            removing_replicas = partition_state.removing_replicas
            n = len(removing_replicas) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(removing_replicas)
            if version >= 6:
                out += _pack_tbx(partition_state.is_new, partition_state.leader_recovery_state)
            else:
                if partition_state.leader_recovery_state != 0:
                    raise absent_field_error("leader_recovery_state")
                out += _pack_tx(partition_state.is_new)
        out.append(0)
    live_leaders = m.live_leaders
    n = len(live_leaders) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for live_leader in live_leaders:
        host_name = live_leader.host_name
        host_name_bytes = host_name.encode()
        n = len(host_name_bytes) + 1
        if n > 127:
            out += _pack_i(live_leader.broker_id)
            write_uvarint(out, n)
        else:
            out += _pack_iB(live_leader.broker_id, n)
        out += host_name_bytes
        out += _pack_ix(live_leader.port)
    out.append(0)


LeaderAndIsrRequest.WRITERS = dict.fromkeys(range(0, 4), _write_leader_and_isr_request_v0_3) | dict.fromkeys(range(4, 8), _write_leader_and_isr_request_v4_7)


def _read_leader_and_isr_response_v0_3(b: bytes, at: int, version: int) -> tuple[LeaderAndIsrResponse, int]:
    size = len(b)
    m = new(LeaderAndIsrResponse)
    m.topics = []
    m.error_code, n = _unpack_hi(b, at)
    at += 6
    if n < 0 or n * 8 > size - at:
        raise count_error("partition_errors", n)
    partition_errors: list[LeaderAndIsrPartitionError] = []
    m.partition_errors = partition_errors
    for _ in range(n):
        partition_error = new(LeaderAndIsrPartitionError)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_name is null")
        end = at + n
        partition_error.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        partition_error.partition_index, partition_error.error_code = _unpack_ih(b, at)
        at += 6
        partition_errors.append(partition_error)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrResponse is {at - size} bytes short")
    return m, at


def _read_leader_and_isr_response_v4_7(b: bytes, at: int, version: int) -> tuple[LeaderAndIsrResponse, int]:
    size = len(b)
    m = new(LeaderAndIsrResponse)
    if version >= 5:
        m.partition_errors = []
        m.error_code, n = _unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 18 > size - at:
            raise count_error("topics", n)
        topics: list[LeaderAndIsrTopicError] = []
        m.topics = topics
        for _ in range(n):
            topic = new(LeaderAndIsrTopicError)
            topic.topic_id, n = _unpack_uB(b, at)
            at += 17
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 7 > size - at:
                raise count_error("partition_errors", n)
            partition_errors: list[LeaderAndIsrPartitionError] = []
            topic.partition_errors = partition_errors
            for _ in range(n):
                partition_error = new(LeaderAndIsrPartitionError)
                partition_error.topic_name = ""
                partition_error.partition_index, partition_error.error_code, tags = _unpack_ihB(b, at)
                at += 7
                if tags:
                    at = skip_tagged_fields(b, at, tags)
                partition_errors.append(partition_error)
            tags = b[at]
            at += 1
            if tags:
                at = skip_tagged_fields(b, at, tags)
            topics.append(topic)
        tags = b[at]
        at += 1
    else:
        m.error_code, n = _unpack_hB(b, at)
        at += 3
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 8 > size - at:
            raise count_error("partition_errors", n)
        partition_errors2: list[LeaderAndIsrPartitionError] = []
        m.partition_errors = partition_errors2
        for _ in range(n):
            partition_error2 = new(LeaderAndIsrPartitionError)
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("topic_name is null")
            end = at + n - 1
            partition_error2.topic_name = b[at:end].decode("utf-8", "replace")
            at = end
            partition_error2.partition_index, partition_error2.error_code, tags = _unpack_ihB(b, at)
            at += 7
            if tags:
                at = skip_tagged_fields(b, at, tags)
            partition_errors2.append(partition_error2)
        m.topics = []
        tags = b[at]
        at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrResponse is {at - size} bytes short")
    return m, at


LeaderAndIsrResponse.READERS = dict.fromkeys(range(0, 4), _read_leader_and_isr_response_v0_3) | dict.fromkeys(range(4, 8), _read_leader_and_isr_response_v4_7)


def _write_leader_and_isr_response_v0_3(m: LeaderAndIsrResponse, out: bytearray, version: int) -> None:
    if m.topics:
        raise absent_field_error("topics")
    partition_errors = m.partition_errors
    out += _pack_hi(m.error_code, len(partition_errors))
    for partition_error in partition_errors:
        topic_name = partition_error.topic_name
        topic_name_bytes = topic_name.encode()
        out += _pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        out += _pack_ih(partition_error.partition_index, partition_error.error_code)


def _write_leader_and_isr_response_v4_7(m: LeaderAndIsrResponse, out: bytearray, version: int) -> None:
    if version >= 5:
        if m.partition_errors:
            raise absent_field_error("partition_errors")
        topics = m.topics
        n = len(topics) + 1
        if n > 127:
            out += _pack_h(m.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(m.error_code, n)
        for topic in topics:
            partition_errors = topic.partition_errors
            n = len(partition_errors) + 1
            if n > 127:
                out += _pack_u(topic.topic_id)
                write_uvarint(out, n)
            else:
                out += _pack_uB(topic.topic_id, n)
            for partition_error in partition_errors:
                out += _pack_ihx(partition_error.partition_index, partition_error.error_code)
            out.append(0)
        out.append(0)
    else:
        partition_errors2 = m.partition_errors
        n = len(partition_errors2) + 1
        if n > 127:
            out += _pack_h(m.error_code)
            write_uvarint(out, n)
        else:
            out += _pack_hB(m.error_code, n)
        for partition_error2 in partition_errors2:
            topic_name = partition_error2.topic_name
            topic_name_bytes = topic_name.encode()
            n = len(topic_name_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += topic_name_bytes
            out += _pack_ihx(partition_error2.partition_index, partition_error2.error_code)
        if m.topics:
            raise absent_field_error("topics")
        out.append(0)


LeaderAndIsrResponse.WRITERS = dict.fromkeys(range(0, 4), _write_leader_and_isr_response_v0_3) | dict.fromkeys(range(4, 8), _write_leader_and_isr_response_v4_7)
