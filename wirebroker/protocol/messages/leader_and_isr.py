"""LeaderAndIsr: the controller tells a broker which replicas it has and who leads them (ZooKeeper clusters only).

v1  is_new (KIP-112)
v2  broker_epoch; partitions grouped by topic (KIP-380)
v3  adding and removing replicas (KIP-455)
v4  flexible
v5  topic_id, type; the answer is by topic_id (KIP-516)
v6  leader_recovery_state (KIP-704)
v7  is_kraft_controller (KIP-866)

Generated from protocol_specs/04_leader_and_isr by tools/codegen: do not edit.
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
    long_uvarint,
    put_uvarint,
    skip_tags,
)

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_h = Struct(">h").pack
pack_hi = Struct(">hi").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihx = Struct(">ihx").pack
pack_ii = Struct(">ii").pack
pack_iii = Struct(">iii").pack
pack_iiii = Struct(">iiii").pack
pack_iiiii = Struct(">iiiii").pack
pack_iiq = Struct(">iiq").pack
pack_iiqb = Struct(">iiqb").pack
pack_iiqi = Struct(">iiqi").pack
pack_itiqb = Struct(">i?iqb").pack
pack_ix = Struct(">ix").pack
pack_t = Struct(">?").pack
pack_tbx = Struct(">?bx").pack
pack_tx = Struct(">?x").pack
pack_u = Struct(">16s").pack
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hi = Struct(">hi").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iii = Struct(">iii").unpack_from
unpack_iiiiB = Struct(">iiiiB").unpack_from
unpack_iiiii = Struct(">iiiii").unpack_from
unpack_iiqB = Struct(">iiqB").unpack_from
unpack_iiqbB = Struct(">iiqbB").unpack_from
unpack_iiqi = Struct(">iiqi").unpack_from
unpack_itiqbB = Struct(">i?iqbB").unpack_from
unpack_t = Struct(">?").unpack_from
unpack_tB = Struct(">?B").unpack_from
unpack_tbB = Struct(">?bB").unpack_from
unpack_uB = Struct(">16sB").unpack_from


class LeaderAndIsrPartitionState(Data):
    __slots__ = FIELDS = (
        "topic_name",
        "partition_index",
        "controller_epoch",
        "leader",
        "leader_epoch",
        "isr",
        "partition_epoch",
        "replicas",
        "adding_replicas",
        "removing_replicas",
        "is_new",
        "leader_recovery_state",
    )

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
        controller_epoch: int = 0,
        leader: int = 0,
        leader_epoch: int = 0,
        isr: list[int] = UNSET,
        partition_epoch: int = 0,
        replicas: list[int] = UNSET,
        adding_replicas: list[int] = UNSET,
        removing_replicas: list[int] = UNSET,
        is_new: bool = False,
        leader_recovery_state: int = 0,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index
        self.controller_epoch = controller_epoch
        self.leader = leader
        self.leader_epoch = leader_epoch
        self.isr = [] if isr is UNSET else isr
        self.partition_epoch = partition_epoch
        self.replicas = [] if replicas is UNSET else replicas
        self.adding_replicas = [] if adding_replicas is UNSET else adding_replicas
        self.removing_replicas = [] if removing_replicas is UNSET else removing_replicas
        self.is_new = is_new
        self.leader_recovery_state = leader_recovery_state


class LeaderAndIsrTopicState(Data):
    __slots__ = FIELDS = ("topic_name", "topic_id", "partition_states")

    def __init__(
        self,
        topic_name: str = "",
        topic_id: bytes = ZERO_UUID,
        partition_states: list[LeaderAndIsrPartitionState] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partition_states = [] if partition_states is UNSET else partition_states


class LeaderAndIsrLiveLeader(Data):
    """addresses of all leaders named"""

    __slots__ = FIELDS = ("broker_id", "host_name", "port")

    def __init__(
        self,
        broker_id: int = 0,
        host_name: str = "",
        port: int = 0,
    ) -> None:
        self.broker_id = broker_id
        self.host_name = host_name
        self.port = port


class LeaderAndIsrRequest(Message):
    API_KEY = 4
    VERSIONS = range(0, 8)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = (
        "controller_id",
        "is_kraft_controller",
        "controller_epoch",
        "broker_epoch",
        "type",
        "ungrouped_partition_states",
        "topic_states",
        "live_leaders",
    )

    def __init__(
        self,
        controller_id: int = 0,
        is_kraft_controller: bool = False,
        controller_epoch: int = 0,
        broker_epoch: int = -1,
        type: int = 0,
        ungrouped_partition_states: list[LeaderAndIsrPartitionState] = UNSET,
        topic_states: list[LeaderAndIsrTopicState] = UNSET,
        live_leaders: list[LeaderAndIsrLiveLeader] = UNSET,
    ) -> None:
        self.controller_id = controller_id
        self.is_kraft_controller = is_kraft_controller
        self.controller_epoch = controller_epoch
        self.broker_epoch = broker_epoch
        self.type = type
        self.ungrouped_partition_states = [] if ungrouped_partition_states is UNSET else ungrouped_partition_states
        self.topic_states = [] if topic_states is UNSET else topic_states
        self.live_leaders = [] if live_leaders is UNSET else live_leaders


class LeaderAndIsrPartitionError(Data):
    __slots__ = FIELDS = ("topic_name", "partition_index", "error_code")

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
        error_code: int = 0,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index
        self.error_code = error_code


class LeaderAndIsrTopicError(Data):
    __slots__ = FIELDS = ("topic_id", "partition_errors")

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
        partition_errors: list[LeaderAndIsrPartitionError] = UNSET,
    ) -> None:
        self.topic_id = topic_id
        self.partition_errors = [] if partition_errors is UNSET else partition_errors


class LeaderAndIsrResponse(Message):
    API_KEY = 4
    VERSIONS = range(0, 8)
    FLEXIBLE_FROM = 4
    __slots__ = FIELDS = ("error_code", "partition_errors", "topics")

    def __init__(
        self,
        error_code: int = 0,
        partition_errors: list[LeaderAndIsrPartitionError] = UNSET,
        topics: list[LeaderAndIsrTopicError] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.partition_errors = [] if partition_errors is UNSET else partition_errors
        self.topics = [] if topics is UNSET else topics


def _read_leader_and_isr_request_v0(b: bytes, at: int) -> tuple[LeaderAndIsrRequest, int]:
    size = len(b)
    m = new(LeaderAndIsrRequest)
    m.is_kraft_controller = False
    m.broker_epoch = -1
    m.type = 0
    m.topic_states = []
    m.controller_id, m.controller_epoch, n = unpack_iii(b, at)
    at += 12
    if n < 0 or n * 30 > size - at:
        raise fault_length("ungrouped_partition_states", n)
    ungrouped_partition_states: list[LeaderAndIsrPartitionState] = []
    m.ungrouped_partition_states = ungrouped_partition_states
    for _ in range(n):
        ungrouped_partition_state = new(LeaderAndIsrPartitionState)
        ungrouped_partition_state.adding_replicas = []
        ungrouped_partition_state.removing_replicas = []
        ungrouped_partition_state.is_new = False
        ungrouped_partition_state.leader_recovery_state = 0
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_name is null")
        end = at + n
        ungrouped_partition_state.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        ungrouped_partition_state.partition_index, ungrouped_partition_state.controller_epoch, ungrouped_partition_state.leader, ungrouped_partition_state.leader_epoch, n = unpack_iiiii(b, at)
        at += 20
        if n < 0 or n * 4 > size - at:
            raise fault_length("isr", n)
        end = at + n * 4
        ungrouped_partition_state.isr = [each for (each,) in iter_i(b[at:end])]
        at = end
        ungrouped_partition_state.partition_epoch, n = unpack_ii(b, at)
        at += 8
        if n < 0 or n * 4 > size - at:
            raise fault_length("replicas", n)
        end = at + n * 4
        ungrouped_partition_state.replicas = [each for (each,) in iter_i(b[at:end])]
        at = end
        ungrouped_partition_states.append(ungrouped_partition_state)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 10 > size - at:
        raise fault_length("live_leaders", n)
    live_leaders: list[LeaderAndIsrLiveLeader] = []
    m.live_leaders = live_leaders
    for _ in range(n):
        live_leader = new(LeaderAndIsrLiveLeader)
        live_leader.broker_id, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("host_name is null")
        end = at + n
        live_leader.host_name = b[at:end].decode("utf-8", "replace")
        at = end
        live_leader.port = unpack_i(b, at)[0]
        at += 4
        live_leaders.append(live_leader)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrRequest is {at - size} bytes short")
    return m, at


def _read_leader_and_isr_request_v1(b: bytes, at: int) -> tuple[LeaderAndIsrRequest, int]:
    size = len(b)
    m = new(LeaderAndIsrRequest)
    m.is_kraft_controller = False
    m.broker_epoch = -1
    m.type = 0
    m.topic_states = []
    m.controller_id, m.controller_epoch, n = unpack_iii(b, at)
    at += 12
    if n < 0 or n * 31 > size - at:
        raise fault_length("ungrouped_partition_states", n)
    ungrouped_partition_states: list[LeaderAndIsrPartitionState] = []
    m.ungrouped_partition_states = ungrouped_partition_states
    for _ in range(n):
        ungrouped_partition_state = new(LeaderAndIsrPartitionState)
        ungrouped_partition_state.adding_replicas = []
        ungrouped_partition_state.removing_replicas = []
        ungrouped_partition_state.leader_recovery_state = 0
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_name is null")
        end = at + n
        ungrouped_partition_state.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        ungrouped_partition_state.partition_index, ungrouped_partition_state.controller_epoch, ungrouped_partition_state.leader, ungrouped_partition_state.leader_epoch, n = unpack_iiiii(b, at)
        at += 20
        if n < 0 or n * 4 > size - at:
            raise fault_length("isr", n)
        end = at + n * 4
        ungrouped_partition_state.isr = [each for (each,) in iter_i(b[at:end])]
        at = end
        ungrouped_partition_state.partition_epoch, n = unpack_ii(b, at)
        at += 8
        if n < 0 or n * 4 > size - at:
            raise fault_length("replicas", n)
        end = at + n * 4
        ungrouped_partition_state.replicas = [each for (each,) in iter_i(b[at:end])]
        at = end
        ungrouped_partition_state.is_new = unpack_t(b, at)[0]
        at += 1
        ungrouped_partition_states.append(ungrouped_partition_state)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 10 > size - at:
        raise fault_length("live_leaders", n)
    live_leaders: list[LeaderAndIsrLiveLeader] = []
    m.live_leaders = live_leaders
    for _ in range(n):
        live_leader = new(LeaderAndIsrLiveLeader)
        live_leader.broker_id, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("host_name is null")
        end = at + n
        live_leader.host_name = b[at:end].decode("utf-8", "replace")
        at = end
        live_leader.port = unpack_i(b, at)[0]
        at += 4
        live_leaders.append(live_leader)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrRequest is {at - size} bytes short")
    return m, at


def _read_leader_and_isr_request_v2(b: bytes, at: int) -> tuple[LeaderAndIsrRequest, int]:
    size = len(b)
    m = new(LeaderAndIsrRequest)
    m.is_kraft_controller = False
    m.type = 0
    m.ungrouped_partition_states = []
    m.controller_id, m.controller_epoch, m.broker_epoch, n = unpack_iiqi(b, at)
    at += 20
    if n < 0 or n * 6 > size - at:
        raise fault_length("topic_states", n)
    topic_states: list[LeaderAndIsrTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(LeaderAndIsrTopicState)
        topic_state.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_name is null")
        end = at + n
        topic_state.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 29 > size - at:
            raise fault_length("partition_states", n)
        partition_states: list[LeaderAndIsrPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(LeaderAndIsrPartitionState)
            partition_state.topic_name = ""
            partition_state.adding_replicas = []
            partition_state.removing_replicas = []
            partition_state.leader_recovery_state = 0
            partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, n = unpack_iiiii(b, at)
            at += 20
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr", n)
            end = at + n * 4
            partition_state.isr = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_state.partition_epoch, n = unpack_ii(b, at)
            at += 8
            if n < 0 or n * 4 > size - at:
                raise fault_length("replicas", n)
            end = at + n * 4
            partition_state.replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_state.is_new = unpack_t(b, at)[0]
            at += 1
            partition_states.append(partition_state)
        topic_states.append(topic_state)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 10 > size - at:
        raise fault_length("live_leaders", n)
    live_leaders: list[LeaderAndIsrLiveLeader] = []
    m.live_leaders = live_leaders
    for _ in range(n):
        live_leader = new(LeaderAndIsrLiveLeader)
        live_leader.broker_id, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("host_name is null")
        end = at + n
        live_leader.host_name = b[at:end].decode("utf-8", "replace")
        at = end
        live_leader.port = unpack_i(b, at)[0]
        at += 4
        live_leaders.append(live_leader)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrRequest is {at - size} bytes short")
    return m, at


def _read_leader_and_isr_request_v3(b: bytes, at: int) -> tuple[LeaderAndIsrRequest, int]:
    size = len(b)
    m = new(LeaderAndIsrRequest)
    m.is_kraft_controller = False
    m.type = 0
    m.ungrouped_partition_states = []
    m.controller_id, m.controller_epoch, m.broker_epoch, n = unpack_iiqi(b, at)
    at += 20
    if n < 0 or n * 6 > size - at:
        raise fault_length("topic_states", n)
    topic_states: list[LeaderAndIsrTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(LeaderAndIsrTopicState)
        topic_state.topic_id = ZERO_UUID
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_name is null")
        end = at + n
        topic_state.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 37 > size - at:
            raise fault_length("partition_states", n)
        partition_states: list[LeaderAndIsrPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(LeaderAndIsrPartitionState)
            partition_state.topic_name = ""
            partition_state.leader_recovery_state = 0
            partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, n = unpack_iiiii(b, at)
            at += 20
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr", n)
            end = at + n * 4
            partition_state.isr = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_state.partition_epoch, n = unpack_ii(b, at)
            at += 8
            if n < 0 or n * 4 > size - at:
                raise fault_length("replicas", n)
            end = at + n * 4
            partition_state.replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("adding_replicas", n)
            end = at + n * 4
            partition_state.adding_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("removing_replicas", n)
            end = at + n * 4
            partition_state.removing_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_state.is_new = unpack_t(b, at)[0]
            at += 1
            partition_states.append(partition_state)
        topic_states.append(topic_state)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 10 > size - at:
        raise fault_length("live_leaders", n)
    live_leaders: list[LeaderAndIsrLiveLeader] = []
    m.live_leaders = live_leaders
    for _ in range(n):
        live_leader = new(LeaderAndIsrLiveLeader)
        live_leader.broker_id, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("host_name is null")
        end = at + n
        live_leader.host_name = b[at:end].decode("utf-8", "replace")
        at = end
        live_leader.port = unpack_i(b, at)[0]
        at += 4
        live_leaders.append(live_leader)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrRequest is {at - size} bytes short")
    return m, at


def _read_leader_and_isr_request_v4(b: bytes, at: int) -> tuple[LeaderAndIsrRequest, int]:
    size = len(b)
    m = new(LeaderAndIsrRequest)
    m.is_kraft_controller = False
    m.type = 0
    m.ungrouped_partition_states = []
    m.controller_id, m.controller_epoch, m.broker_epoch, n = unpack_iiqB(b, at)
    at += 17
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topic_states", n)
    topic_states: list[LeaderAndIsrTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(LeaderAndIsrTopicState)
        topic_state.topic_id = ZERO_UUID
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic_state.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 26 > size - at:
            raise fault_length("partition_states", n)
        partition_states: list[LeaderAndIsrPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(LeaderAndIsrPartitionState)
            partition_state.topic_name = ""
            partition_state.leader_recovery_state = 0
            partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, n = unpack_iiiiB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr", n)
            end = at + n * 4
            partition_state.isr = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_state.partition_epoch, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("replicas", n)
            end = at + n * 4
            partition_state.replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("adding_replicas", n)
            end = at + n * 4
            partition_state.adding_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("removing_replicas", n)
            end = at + n * 4
            partition_state.removing_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_state.is_new, tags = unpack_tB(b, at)
            at += 2
            if tags:
                at = skip_tags(b, at, tags)
            partition_states.append(partition_state)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topic_states.append(topic_state)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 10 > size - at:
        raise fault_length("live_leaders", n)
    live_leaders: list[LeaderAndIsrLiveLeader] = []
    m.live_leaders = live_leaders
    for _ in range(n):
        live_leader = new(LeaderAndIsrLiveLeader)
        live_leader.broker_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host_name is null")
        end = at + n - 1
        live_leader.host_name = b[at:end].decode("utf-8", "replace")
        at = end
        live_leader.port, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        live_leaders.append(live_leader)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrRequest is {at - size} bytes short")
    return m, at


def _read_leader_and_isr_request_v5(b: bytes, at: int) -> tuple[LeaderAndIsrRequest, int]:
    size = len(b)
    m = new(LeaderAndIsrRequest)
    m.is_kraft_controller = False
    m.ungrouped_partition_states = []
    m.controller_id, m.controller_epoch, m.broker_epoch, m.type, n = unpack_iiqbB(b, at)
    at += 18
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 19 > size - at:
        raise fault_length("topic_states", n)
    topic_states: list[LeaderAndIsrTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(LeaderAndIsrTopicState)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic_state.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        topic_state.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 26 > size - at:
            raise fault_length("partition_states", n)
        partition_states: list[LeaderAndIsrPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(LeaderAndIsrPartitionState)
            partition_state.topic_name = ""
            partition_state.leader_recovery_state = 0
            partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, n = unpack_iiiiB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr", n)
            end = at + n * 4
            partition_state.isr = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_state.partition_epoch, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("replicas", n)
            end = at + n * 4
            partition_state.replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("adding_replicas", n)
            end = at + n * 4
            partition_state.adding_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("removing_replicas", n)
            end = at + n * 4
            partition_state.removing_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_state.is_new, tags = unpack_tB(b, at)
            at += 2
            if tags:
                at = skip_tags(b, at, tags)
            partition_states.append(partition_state)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topic_states.append(topic_state)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 10 > size - at:
        raise fault_length("live_leaders", n)
    live_leaders: list[LeaderAndIsrLiveLeader] = []
    m.live_leaders = live_leaders
    for _ in range(n):
        live_leader = new(LeaderAndIsrLiveLeader)
        live_leader.broker_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host_name is null")
        end = at + n - 1
        live_leader.host_name = b[at:end].decode("utf-8", "replace")
        at = end
        live_leader.port, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        live_leaders.append(live_leader)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrRequest is {at - size} bytes short")
    return m, at


def _read_leader_and_isr_request_v6(b: bytes, at: int) -> tuple[LeaderAndIsrRequest, int]:
    size = len(b)
    m = new(LeaderAndIsrRequest)
    m.is_kraft_controller = False
    m.ungrouped_partition_states = []
    m.controller_id, m.controller_epoch, m.broker_epoch, m.type, n = unpack_iiqbB(b, at)
    at += 18
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 19 > size - at:
        raise fault_length("topic_states", n)
    topic_states: list[LeaderAndIsrTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(LeaderAndIsrTopicState)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic_state.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        topic_state.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 27 > size - at:
            raise fault_length("partition_states", n)
        partition_states: list[LeaderAndIsrPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(LeaderAndIsrPartitionState)
            partition_state.topic_name = ""
            partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, n = unpack_iiiiB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr", n)
            end = at + n * 4
            partition_state.isr = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_state.partition_epoch, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("replicas", n)
            end = at + n * 4
            partition_state.replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("adding_replicas", n)
            end = at + n * 4
            partition_state.adding_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("removing_replicas", n)
            end = at + n * 4
            partition_state.removing_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_state.is_new, partition_state.leader_recovery_state, tags = unpack_tbB(b, at)
            at += 3
            if tags:
                at = skip_tags(b, at, tags)
            partition_states.append(partition_state)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topic_states.append(topic_state)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 10 > size - at:
        raise fault_length("live_leaders", n)
    live_leaders: list[LeaderAndIsrLiveLeader] = []
    m.live_leaders = live_leaders
    for _ in range(n):
        live_leader = new(LeaderAndIsrLiveLeader)
        live_leader.broker_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host_name is null")
        end = at + n - 1
        live_leader.host_name = b[at:end].decode("utf-8", "replace")
        at = end
        live_leader.port, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        live_leaders.append(live_leader)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrRequest is {at - size} bytes short")
    return m, at


def _read_leader_and_isr_request_v7(b: bytes, at: int) -> tuple[LeaderAndIsrRequest, int]:
    size = len(b)
    m = new(LeaderAndIsrRequest)
    m.ungrouped_partition_states = []
    m.controller_id, m.is_kraft_controller, m.controller_epoch, m.broker_epoch, m.type, n = unpack_itiqbB(b, at)
    at += 19
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 19 > size - at:
        raise fault_length("topic_states", n)
    topic_states: list[LeaderAndIsrTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(LeaderAndIsrTopicState)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic_state.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        topic_state.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 27 > size - at:
            raise fault_length("partition_states", n)
        partition_states: list[LeaderAndIsrPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(LeaderAndIsrPartitionState)
            partition_state.topic_name = ""
            partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, n = unpack_iiiiB(b, at)
            at += 17
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr", n)
            end = at + n * 4
            partition_state.isr = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_state.partition_epoch, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("replicas", n)
            end = at + n * 4
            partition_state.replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("adding_replicas", n)
            end = at + n * 4
            partition_state.adding_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("removing_replicas", n)
            end = at + n * 4
            partition_state.removing_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_state.is_new, partition_state.leader_recovery_state, tags = unpack_tbB(b, at)
            at += 3
            if tags:
                at = skip_tags(b, at, tags)
            partition_states.append(partition_state)
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        topic_states.append(topic_state)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 10 > size - at:
        raise fault_length("live_leaders", n)
    live_leaders: list[LeaderAndIsrLiveLeader] = []
    m.live_leaders = live_leaders
    for _ in range(n):
        live_leader = new(LeaderAndIsrLiveLeader)
        live_leader.broker_id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host_name is null")
        end = at + n - 1
        live_leader.host_name = b[at:end].decode("utf-8", "replace")
        at = end
        live_leader.port, tags = unpack_iB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        live_leaders.append(live_leader)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrRequest is {at - size} bytes short")
    return m, at


def _write_leader_and_isr_request_v0(m: LeaderAndIsrRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.type != 0:
        raise fault_absent("type")
    if m.topic_states:
        raise fault_absent("topic_states")
    ungrouped_partition_states = m.ungrouped_partition_states
    out += pack_iii(m.controller_id, m.controller_epoch, len(ungrouped_partition_states))
    for ungrouped_partition_state in ungrouped_partition_states:
        if ungrouped_partition_state.leader_recovery_state != 0:
            raise fault_absent("leader_recovery_state")
        topic_name = ungrouped_partition_state.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        isr = ungrouped_partition_state.isr
        out += pack_iiiii(ungrouped_partition_state.partition_index, ungrouped_partition_state.controller_epoch, ungrouped_partition_state.leader, ungrouped_partition_state.leader_epoch, len(isr))
        out += b"".join(map(pack_i, isr))
        replicas = ungrouped_partition_state.replicas
        out += pack_ii(ungrouped_partition_state.partition_epoch, len(replicas))
        out += b"".join(map(pack_i, replicas))
    live_leaders = m.live_leaders
    out += pack_i(len(live_leaders))
    for live_leader in live_leaders:
        host_name = live_leader.host_name
        host_name_bytes = host_name.encode()
        out += pack_ih(live_leader.broker_id, len(host_name_bytes))
        out += host_name_bytes
        out += pack_i(live_leader.port)


def _write_leader_and_isr_request_v1(m: LeaderAndIsrRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.type != 0:
        raise fault_absent("type")
    if m.topic_states:
        raise fault_absent("topic_states")
    ungrouped_partition_states = m.ungrouped_partition_states
    out += pack_iii(m.controller_id, m.controller_epoch, len(ungrouped_partition_states))
    for ungrouped_partition_state in ungrouped_partition_states:
        if ungrouped_partition_state.leader_recovery_state != 0:
            raise fault_absent("leader_recovery_state")
        topic_name = ungrouped_partition_state.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        isr = ungrouped_partition_state.isr
        out += pack_iiiii(ungrouped_partition_state.partition_index, ungrouped_partition_state.controller_epoch, ungrouped_partition_state.leader, ungrouped_partition_state.leader_epoch, len(isr))
        out += b"".join(map(pack_i, isr))
        replicas = ungrouped_partition_state.replicas
        out += pack_ii(ungrouped_partition_state.partition_epoch, len(replicas))
        out += b"".join(map(pack_i, replicas))
        out += pack_t(ungrouped_partition_state.is_new)
    live_leaders = m.live_leaders
    out += pack_i(len(live_leaders))
    for live_leader in live_leaders:
        host_name = live_leader.host_name
        host_name_bytes = host_name.encode()
        out += pack_ih(live_leader.broker_id, len(host_name_bytes))
        out += host_name_bytes
        out += pack_i(live_leader.port)


def _write_leader_and_isr_request_v2(m: LeaderAndIsrRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.type != 0:
        raise fault_absent("type")
    if m.ungrouped_partition_states:
        raise fault_absent("ungrouped_partition_states")
    topic_states = m.topic_states
    out += pack_iiqi(m.controller_id, m.controller_epoch, m.broker_epoch, len(topic_states))
    for topic_state in topic_states:
        topic_name = topic_state.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        partition_states = topic_state.partition_states
        out += pack_i(len(partition_states))
        for partition_state in partition_states:
            if partition_state.leader_recovery_state != 0:
                raise fault_absent("leader_recovery_state")
            isr = partition_state.isr
            out += pack_iiiii(partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, len(isr))
            out += b"".join(map(pack_i, isr))
            replicas = partition_state.replicas
            out += pack_ii(partition_state.partition_epoch, len(replicas))
            out += b"".join(map(pack_i, replicas))
            out += pack_t(partition_state.is_new)
    live_leaders = m.live_leaders
    out += pack_i(len(live_leaders))
    for live_leader in live_leaders:
        host_name = live_leader.host_name
        host_name_bytes = host_name.encode()
        out += pack_ih(live_leader.broker_id, len(host_name_bytes))
        out += host_name_bytes
        out += pack_i(live_leader.port)


def _write_leader_and_isr_request_v3(m: LeaderAndIsrRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.type != 0:
        raise fault_absent("type")
    if m.ungrouped_partition_states:
        raise fault_absent("ungrouped_partition_states")
    topic_states = m.topic_states
    out += pack_iiqi(m.controller_id, m.controller_epoch, m.broker_epoch, len(topic_states))
    for topic_state in topic_states:
        topic_name = topic_state.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        partition_states = topic_state.partition_states
        out += pack_i(len(partition_states))
        for partition_state in partition_states:
            if partition_state.leader_recovery_state != 0:
                raise fault_absent("leader_recovery_state")
            isr = partition_state.isr
            out += pack_iiiii(partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, len(isr))
            out += b"".join(map(pack_i, isr))
            replicas = partition_state.replicas
            out += pack_ii(partition_state.partition_epoch, len(replicas))
            out += b"".join(map(pack_i, replicas))
            adding_replicas = partition_state.adding_replicas
            out += pack_i(len(adding_replicas))
            out += b"".join(map(pack_i, adding_replicas))
            removing_replicas = partition_state.removing_replicas
            out += pack_i(len(removing_replicas))
            out += b"".join(map(pack_i, removing_replicas))
            out += pack_t(partition_state.is_new)
    live_leaders = m.live_leaders
    out += pack_i(len(live_leaders))
    for live_leader in live_leaders:
        host_name = live_leader.host_name
        host_name_bytes = host_name.encode()
        out += pack_ih(live_leader.broker_id, len(host_name_bytes))
        out += host_name_bytes
        out += pack_i(live_leader.port)


def _write_leader_and_isr_request_v4(m: LeaderAndIsrRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.type != 0:
        raise fault_absent("type")
    if m.ungrouped_partition_states:
        raise fault_absent("ungrouped_partition_states")
    topic_states = m.topic_states
    out += pack_iiq(m.controller_id, m.controller_epoch, m.broker_epoch)
    n = len(topic_states) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic_state in topic_states:
        topic_name = topic_state.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        partition_states = topic_state.partition_states
        n = len(partition_states) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_state in partition_states:
            if partition_state.leader_recovery_state != 0:
                raise fault_absent("leader_recovery_state")
            isr = partition_state.isr
            out += pack_iiii(partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch)
            n = len(isr) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr))
            replicas = partition_state.replicas
            out += pack_i(partition_state.partition_epoch)
            n = len(replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replicas))
            adding_replicas = partition_state.adding_replicas
            n = len(adding_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, adding_replicas))
            removing_replicas = partition_state.removing_replicas
            n = len(removing_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, removing_replicas))
            out += pack_tx(partition_state.is_new)
        out.append(0)
    live_leaders = m.live_leaders
    n = len(live_leaders) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for live_leader in live_leaders:
        host_name = live_leader.host_name
        host_name_bytes = host_name.encode()
        out += pack_i(live_leader.broker_id)
        n = len(host_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_name_bytes
        out += pack_ix(live_leader.port)
    out.append(0)


def _write_leader_and_isr_request_v5(m: LeaderAndIsrRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.ungrouped_partition_states:
        raise fault_absent("ungrouped_partition_states")
    topic_states = m.topic_states
    out += pack_iiqb(m.controller_id, m.controller_epoch, m.broker_epoch, m.type)
    n = len(topic_states) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic_state in topic_states:
        topic_name = topic_state.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        partition_states = topic_state.partition_states
        out += pack_u(topic_state.topic_id)
        n = len(partition_states) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_state in partition_states:
            if partition_state.leader_recovery_state != 0:
                raise fault_absent("leader_recovery_state")
            isr = partition_state.isr
            out += pack_iiii(partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch)
            n = len(isr) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr))
            replicas = partition_state.replicas
            out += pack_i(partition_state.partition_epoch)
            n = len(replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replicas))
            adding_replicas = partition_state.adding_replicas
            n = len(adding_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, adding_replicas))
            removing_replicas = partition_state.removing_replicas
            n = len(removing_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, removing_replicas))
            out += pack_tx(partition_state.is_new)
        out.append(0)
    live_leaders = m.live_leaders
    n = len(live_leaders) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for live_leader in live_leaders:
        host_name = live_leader.host_name
        host_name_bytes = host_name.encode()
        out += pack_i(live_leader.broker_id)
        n = len(host_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_name_bytes
        out += pack_ix(live_leader.port)
    out.append(0)


def _write_leader_and_isr_request_v6(m: LeaderAndIsrRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.ungrouped_partition_states:
        raise fault_absent("ungrouped_partition_states")
    topic_states = m.topic_states
    out += pack_iiqb(m.controller_id, m.controller_epoch, m.broker_epoch, m.type)
    n = len(topic_states) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic_state in topic_states:
        topic_name = topic_state.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        partition_states = topic_state.partition_states
        out += pack_u(topic_state.topic_id)
        n = len(partition_states) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_state in partition_states:
            isr = partition_state.isr
            out += pack_iiii(partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch)
            n = len(isr) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr))
            replicas = partition_state.replicas
            out += pack_i(partition_state.partition_epoch)
            n = len(replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replicas))
            adding_replicas = partition_state.adding_replicas
            n = len(adding_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, adding_replicas))
            removing_replicas = partition_state.removing_replicas
            n = len(removing_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, removing_replicas))
            out += pack_tbx(partition_state.is_new, partition_state.leader_recovery_state)
        out.append(0)
    live_leaders = m.live_leaders
    n = len(live_leaders) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for live_leader in live_leaders:
        host_name = live_leader.host_name
        host_name_bytes = host_name.encode()
        out += pack_i(live_leader.broker_id)
        n = len(host_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_name_bytes
        out += pack_ix(live_leader.port)
    out.append(0)


def _write_leader_and_isr_request_v7(m: LeaderAndIsrRequest, out: bytearray) -> None:
    if m.ungrouped_partition_states:
        raise fault_absent("ungrouped_partition_states")
    topic_states = m.topic_states
    out += pack_itiqb(m.controller_id, m.is_kraft_controller, m.controller_epoch, m.broker_epoch, m.type)
    n = len(topic_states) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic_state in topic_states:
        topic_name = topic_state.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        partition_states = topic_state.partition_states
        out += pack_u(topic_state.topic_id)
        n = len(partition_states) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_state in partition_states:
            isr = partition_state.isr
            out += pack_iiii(partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch)
            n = len(isr) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr))
            replicas = partition_state.replicas
            out += pack_i(partition_state.partition_epoch)
            n = len(replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replicas))
            adding_replicas = partition_state.adding_replicas
            n = len(adding_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, adding_replicas))
            removing_replicas = partition_state.removing_replicas
            n = len(removing_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, removing_replicas))
            out += pack_tbx(partition_state.is_new, partition_state.leader_recovery_state)
        out.append(0)
    live_leaders = m.live_leaders
    n = len(live_leaders) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for live_leader in live_leaders:
        host_name = live_leader.host_name
        host_name_bytes = host_name.encode()
        out += pack_i(live_leader.broker_id)
        n = len(host_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_name_bytes
        out += pack_ix(live_leader.port)
    out.append(0)


def _read_leader_and_isr_response_v0_3(b: bytes, at: int) -> tuple[LeaderAndIsrResponse, int]:
    size = len(b)
    m = new(LeaderAndIsrResponse)
    m.topics = []
    m.error_code, n = unpack_hi(b, at)
    at += 6
    if n < 0 or n * 8 > size - at:
        raise fault_length("partition_errors", n)
    partition_errors: list[LeaderAndIsrPartitionError] = []
    m.partition_errors = partition_errors
    for _ in range(n):
        partition_error = new(LeaderAndIsrPartitionError)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic_name is null")
        end = at + n
        partition_error.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        partition_error.partition_index, partition_error.error_code = unpack_ih(b, at)
        at += 6
        partition_errors.append(partition_error)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrResponse is {at - size} bytes short")
    return m, at


def _read_leader_and_isr_response_v4(b: bytes, at: int) -> tuple[LeaderAndIsrResponse, int]:
    size = len(b)
    m = new(LeaderAndIsrResponse)
    m.topics = []
    m.error_code, n = unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 8 > size - at:
        raise fault_length("partition_errors", n)
    partition_errors: list[LeaderAndIsrPartitionError] = []
    m.partition_errors = partition_errors
    for _ in range(n):
        partition_error = new(LeaderAndIsrPartitionError)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        partition_error.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        partition_error.partition_index, partition_error.error_code, tags = unpack_ihB(b, at)
        at += 7
        if tags:
            at = skip_tags(b, at, tags)
        partition_errors.append(partition_error)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"LeaderAndIsrResponse is {at - size} bytes short")
    return m, at


def _read_leader_and_isr_response_v5_7(b: bytes, at: int) -> tuple[LeaderAndIsrResponse, int]:
    size = len(b)
    m = new(LeaderAndIsrResponse)
    m.partition_errors = []
    m.error_code, n = unpack_hB(b, at)
    at += 3
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[LeaderAndIsrTopicError] = []
    m.topics = topics
    for _ in range(n):
        topic = new(LeaderAndIsrTopicError)
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 7 > size - at:
            raise fault_length("partition_errors", n)
        partition_errors: list[LeaderAndIsrPartitionError] = []
        topic.partition_errors = partition_errors
        for _ in range(n):
            partition_error = new(LeaderAndIsrPartitionError)
            partition_error.topic_name = ""
            partition_error.partition_index, partition_error.error_code, tags = unpack_ihB(b, at)
            at += 7
            if tags:
                at = skip_tags(b, at, tags)
            partition_errors.append(partition_error)
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
        raise ProtocolError(f"LeaderAndIsrResponse is {at - size} bytes short")
    return m, at


def _write_leader_and_isr_response_v0_3(m: LeaderAndIsrResponse, out: bytearray) -> None:
    if m.topics:
        raise fault_absent("topics")
    partition_errors = m.partition_errors
    out += pack_hi(m.error_code, len(partition_errors))
    for partition_error in partition_errors:
        topic_name = partition_error.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        out += pack_ih(partition_error.partition_index, partition_error.error_code)


def _write_leader_and_isr_response_v4(m: LeaderAndIsrResponse, out: bytearray) -> None:
    if m.topics:
        raise fault_absent("topics")
    partition_errors = m.partition_errors
    out += pack_h(m.error_code)
    n = len(partition_errors) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for partition_error in partition_errors:
        topic_name = partition_error.topic_name
        topic_name_bytes = topic_name.encode()
        n = len(topic_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += topic_name_bytes
        out += pack_ihx(partition_error.partition_index, partition_error.error_code)
    out.append(0)


def _write_leader_and_isr_response_v5_7(m: LeaderAndIsrResponse, out: bytearray) -> None:
    if m.partition_errors:
        raise fault_absent("partition_errors")
    topics = m.topics
    out += pack_h(m.error_code)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        partition_errors = topic.partition_errors
        out += pack_u(topic.topic_id)
        n = len(partition_errors) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition_error in partition_errors:
            out += pack_ihx(partition_error.partition_index, partition_error.error_code)
        out.append(0)
    out.append(0)


LeaderAndIsrRequest.READERS = {
    0: _read_leader_and_isr_request_v0,
    1: _read_leader_and_isr_request_v1,
    2: _read_leader_and_isr_request_v2,
    3: _read_leader_and_isr_request_v3,
    4: _read_leader_and_isr_request_v4,
    5: _read_leader_and_isr_request_v5,
    6: _read_leader_and_isr_request_v6,
    7: _read_leader_and_isr_request_v7,
}
LeaderAndIsrRequest.WRITERS = {
    0: _write_leader_and_isr_request_v0,
    1: _write_leader_and_isr_request_v1,
    2: _write_leader_and_isr_request_v2,
    3: _write_leader_and_isr_request_v3,
    4: _write_leader_and_isr_request_v4,
    5: _write_leader_and_isr_request_v5,
    6: _write_leader_and_isr_request_v6,
    7: _write_leader_and_isr_request_v7,
}
LeaderAndIsrResponse.READERS = {
    0: _read_leader_and_isr_response_v0_3,
    1: _read_leader_and_isr_response_v0_3,
    2: _read_leader_and_isr_response_v0_3,
    3: _read_leader_and_isr_response_v0_3,
    4: _read_leader_and_isr_response_v4,
    5: _read_leader_and_isr_response_v5_7,
    6: _read_leader_and_isr_response_v5_7,
    7: _read_leader_and_isr_response_v5_7,
}
LeaderAndIsrResponse.WRITERS = {
    0: _write_leader_and_isr_response_v0_3,
    1: _write_leader_and_isr_response_v0_3,
    2: _write_leader_and_isr_response_v0_3,
    3: _write_leader_and_isr_response_v0_3,
    4: _write_leader_and_isr_response_v4,
    5: _write_leader_and_isr_response_v5_7,
    6: _write_leader_and_isr_response_v5_7,
    7: _write_leader_and_isr_response_v5_7,
}
