"""UpdateMetadata: the controller tells a broker what to answer in Metadata (ZooKeeper clusters only).

v1  several endpoints per broker
v2  rack (KIP-36)
v3  listener names (KIP-103)
v4  offline_replicas (KIP-112)
v5  broker_epoch; partitions grouped by topic (KIP-380)
v6  flexible
v7  topic_id (KIP-516)
v8  is_kraft_controller, type (KIP-866)

Generated from protocol_specs/06_update_metadata by tools/codegen: do not edit.
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
    read_uvarint,
    skip_tags,
)

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_b = Struct(">b").pack
pack_h = Struct(">h").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ii = Struct(">ii").pack
pack_iii = Struct(">iii").pack
pack_iiii = Struct(">iiii").pack
pack_iiiii = Struct(">iiiii").pack
pack_iiq = Struct(">iiq").pack
pack_iiqi = Struct(">iiqi").pack
pack_itiq = Struct(">i?iq").pack
pack_u = Struct(">16s").pack
unpack_b = Struct(">b").unpack_from
unpack_h = Struct(">h").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ih = Struct(">ih").unpack_from
unpack_ii = Struct(">ii").unpack_from
unpack_iii = Struct(">iii").unpack_from
unpack_iiiiB = Struct(">iiiiB").unpack_from
unpack_iiiii = Struct(">iiiii").unpack_from
unpack_iiqB = Struct(">iiqB").unpack_from
unpack_iiqi = Struct(">iiqi").unpack_from
unpack_itiqB = Struct(">i?iqB").unpack_from
unpack_uB = Struct(">16sB").unpack_from


class UpdateMetadataPartitionState(Data):
    __slots__ = FIELDS = (
        "topic_name",
        "partition_index",
        "controller_epoch",
        "leader",
        "leader_epoch",
        "isr",
        "zk_version",
        "replicas",
        "offline_replicas",
    )

    def __init__(
        self,
        topic_name: str = "",
        partition_index: int = 0,
        controller_epoch: int = 0,
        leader: int = 0,
        leader_epoch: int = 0,
        isr: list[int] = UNSET,
        zk_version: int = 0,
        replicas: list[int] = UNSET,
        offline_replicas: list[int] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.partition_index = partition_index
        self.controller_epoch = controller_epoch
        self.leader = leader
        self.leader_epoch = leader_epoch
        self.isr = [] if isr is UNSET else isr
        self.zk_version = zk_version
        self.replicas = [] if replicas is UNSET else replicas
        self.offline_replicas = [] if offline_replicas is UNSET else offline_replicas


class UpdateMetadataTopicState(Data):
    __slots__ = FIELDS = ("topic_name", "topic_id", "partition_states")

    def __init__(
        self,
        topic_name: str = "",
        topic_id: bytes = ZERO_UUID,
        partition_states: list[UpdateMetadataPartitionState] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partition_states = [] if partition_states is UNSET else partition_states


class UpdateMetadataEndpoint(Data):
    __slots__ = FIELDS = ("port", "host", "listener", "security_protocol")

    def __init__(
        self,
        port: int = 0,
        host: str = "",
        listener: str = "",
        security_protocol: int = 0,
    ) -> None:
        self.port = port
        self.host = host
        self.listener = listener
        self.security_protocol = security_protocol


class UpdateMetadataBroker(Data):
    __slots__ = FIELDS = ("id", "v0_host", "v0_port", "endpoints", "rack")

    def __init__(
        self,
        id: int = 0,
        v0_host: str = "",
        v0_port: int = 0,
        endpoints: list[UpdateMetadataEndpoint] = UNSET,
        rack: str | None = "",
    ) -> None:
        self.id = id
        self.v0_host = v0_host
        self.v0_port = v0_port
        self.endpoints = [] if endpoints is UNSET else endpoints
        self.rack = rack


class UpdateMetadataRequest(Message):
    API_KEY = 6
    VERSIONS = range(0, 9)
    FLEXIBLE_FROM = 6
    __slots__ = FIELDS = (
        "controller_id",
        "is_kraft_controller",
        "type",
        "controller_epoch",
        "broker_epoch",
        "ungrouped_partition_states",
        "topic_states",
        "live_brokers",
    )

    def __init__(
        self,
        controller_id: int = 0,
        is_kraft_controller: bool = False,
        type: int = 0,
        controller_epoch: int = 0,
        broker_epoch: int = -1,
        ungrouped_partition_states: list[UpdateMetadataPartitionState] = UNSET,
        topic_states: list[UpdateMetadataTopicState] = UNSET,
        live_brokers: list[UpdateMetadataBroker] = UNSET,
    ) -> None:
        self.controller_id = controller_id
        self.is_kraft_controller = is_kraft_controller
        self.type = type
        self.controller_epoch = controller_epoch
        self.broker_epoch = broker_epoch
        self.ungrouped_partition_states = [] if ungrouped_partition_states is UNSET else ungrouped_partition_states
        self.topic_states = [] if topic_states is UNSET else topic_states
        self.live_brokers = [] if live_brokers is UNSET else live_brokers


class UpdateMetadataResponse(Message):
    API_KEY = 6
    VERSIONS = range(0, 9)
    FLEXIBLE_FROM = 6
    __slots__ = FIELDS = ("error_code",)

    def __init__(
        self,
        error_code: int = 0,
    ) -> None:
        self.error_code = error_code


def _read_update_metadata_request_v0(b: bytes, at: int) -> tuple[UpdateMetadataRequest, int]:
    size = len(b)
    m = new(UpdateMetadataRequest)
    m.is_kraft_controller = False
    m.type = 0
    m.broker_epoch = -1
    m.topic_states = []
    m.controller_id, m.controller_epoch, n = unpack_iii(b, at)
    at += 12
    if n < 0 or n * 30 > size - at:
        raise fault_length("ungrouped_partition_states", n)
    ungrouped_partition_states: list[UpdateMetadataPartitionState] = []
    m.ungrouped_partition_states = ungrouped_partition_states
    for _ in range(n):
        ungrouped_partition_state = new(UpdateMetadataPartitionState)
        ungrouped_partition_state.offline_replicas = []
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
        ungrouped_partition_state.zk_version, n = unpack_ii(b, at)
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
        raise fault_length("live_brokers", n)
    live_brokers: list[UpdateMetadataBroker] = []
    m.live_brokers = live_brokers
    for _ in range(n):
        live_broker = new(UpdateMetadataBroker)
        live_broker.endpoints = []
        live_broker.rack = ""
        live_broker.id, n = unpack_ih(b, at)
        at += 6
        if n < 0:
            raise ProtocolError("v0_host is null")
        end = at + n
        live_broker.v0_host = b[at:end].decode("utf-8", "replace")
        at = end
        live_broker.v0_port = unpack_i(b, at)[0]
        at += 4
        live_brokers.append(live_broker)
    if at > size:
        raise ProtocolError(f"UpdateMetadataRequest is {at - size} bytes short")
    return m, at


def _read_update_metadata_request_v1(b: bytes, at: int) -> tuple[UpdateMetadataRequest, int]:
    size = len(b)
    m = new(UpdateMetadataRequest)
    m.is_kraft_controller = False
    m.type = 0
    m.broker_epoch = -1
    m.topic_states = []
    m.controller_id, m.controller_epoch, n = unpack_iii(b, at)
    at += 12
    if n < 0 or n * 30 > size - at:
        raise fault_length("ungrouped_partition_states", n)
    ungrouped_partition_states: list[UpdateMetadataPartitionState] = []
    m.ungrouped_partition_states = ungrouped_partition_states
    for _ in range(n):
        ungrouped_partition_state = new(UpdateMetadataPartitionState)
        ungrouped_partition_state.offline_replicas = []
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
        ungrouped_partition_state.zk_version, n = unpack_ii(b, at)
        at += 8
        if n < 0 or n * 4 > size - at:
            raise fault_length("replicas", n)
        end = at + n * 4
        ungrouped_partition_state.replicas = [each for (each,) in iter_i(b[at:end])]
        at = end
        ungrouped_partition_states.append(ungrouped_partition_state)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 8 > size - at:
        raise fault_length("live_brokers", n)
    live_brokers: list[UpdateMetadataBroker] = []
    m.live_brokers = live_brokers
    for _ in range(n):
        live_broker = new(UpdateMetadataBroker)
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        live_broker.rack = ""
        live_broker.id, n = unpack_ii(b, at)
        at += 8
        if n < 0 or n * 8 > size - at:
            raise fault_length("endpoints", n)
        endpoints: list[UpdateMetadataEndpoint] = []
        live_broker.endpoints = endpoints
        for _ in range(n):
            endpoint = new(UpdateMetadataEndpoint)
            endpoint.listener = ""
            endpoint.port, n = unpack_ih(b, at)
            at += 6
            if n < 0:
                raise ProtocolError("host is null")
            end = at + n
            endpoint.host = b[at:end].decode("utf-8", "replace")
            at = end
            endpoint.security_protocol = unpack_h(b, at)[0]
            at += 2
            endpoints.append(endpoint)
        live_brokers.append(live_broker)
    if at > size:
        raise ProtocolError(f"UpdateMetadataRequest is {at - size} bytes short")
    return m, at


def _read_update_metadata_request_v2(b: bytes, at: int) -> tuple[UpdateMetadataRequest, int]:
    size = len(b)
    m = new(UpdateMetadataRequest)
    m.is_kraft_controller = False
    m.type = 0
    m.broker_epoch = -1
    m.topic_states = []
    m.controller_id, m.controller_epoch, n = unpack_iii(b, at)
    at += 12
    if n < 0 or n * 30 > size - at:
        raise fault_length("ungrouped_partition_states", n)
    ungrouped_partition_states: list[UpdateMetadataPartitionState] = []
    m.ungrouped_partition_states = ungrouped_partition_states
    for _ in range(n):
        ungrouped_partition_state = new(UpdateMetadataPartitionState)
        ungrouped_partition_state.offline_replicas = []
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
        ungrouped_partition_state.zk_version, n = unpack_ii(b, at)
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
        raise fault_length("live_brokers", n)
    live_brokers: list[UpdateMetadataBroker] = []
    m.live_brokers = live_brokers
    for _ in range(n):
        live_broker = new(UpdateMetadataBroker)
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        live_broker.id, n = unpack_ii(b, at)
        at += 8
        if n < 0 or n * 8 > size - at:
            raise fault_length("endpoints", n)
        endpoints: list[UpdateMetadataEndpoint] = []
        live_broker.endpoints = endpoints
        for _ in range(n):
            endpoint = new(UpdateMetadataEndpoint)
            endpoint.listener = ""
            endpoint.port, n = unpack_ih(b, at)
            at += 6
            if n < 0:
                raise ProtocolError("host is null")
            end = at + n
            endpoint.host = b[at:end].decode("utf-8", "replace")
            at = end
            endpoint.security_protocol = unpack_h(b, at)[0]
            at += 2
            endpoints.append(endpoint)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            live_broker.rack = None
        else:
            end = at + n
            live_broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        live_brokers.append(live_broker)
    if at > size:
        raise ProtocolError(f"UpdateMetadataRequest is {at - size} bytes short")
    return m, at


def _read_update_metadata_request_v3(b: bytes, at: int) -> tuple[UpdateMetadataRequest, int]:
    size = len(b)
    m = new(UpdateMetadataRequest)
    m.is_kraft_controller = False
    m.type = 0
    m.broker_epoch = -1
    m.topic_states = []
    m.controller_id, m.controller_epoch, n = unpack_iii(b, at)
    at += 12
    if n < 0 or n * 30 > size - at:
        raise fault_length("ungrouped_partition_states", n)
    ungrouped_partition_states: list[UpdateMetadataPartitionState] = []
    m.ungrouped_partition_states = ungrouped_partition_states
    for _ in range(n):
        ungrouped_partition_state = new(UpdateMetadataPartitionState)
        ungrouped_partition_state.offline_replicas = []
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
        ungrouped_partition_state.zk_version, n = unpack_ii(b, at)
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
        raise fault_length("live_brokers", n)
    live_brokers: list[UpdateMetadataBroker] = []
    m.live_brokers = live_brokers
    for _ in range(n):
        live_broker = new(UpdateMetadataBroker)
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        live_broker.id, n = unpack_ii(b, at)
        at += 8
        if n < 0 or n * 10 > size - at:
            raise fault_length("endpoints", n)
        endpoints: list[UpdateMetadataEndpoint] = []
        live_broker.endpoints = endpoints
        for _ in range(n):
            endpoint = new(UpdateMetadataEndpoint)
            endpoint.port, n = unpack_ih(b, at)
            at += 6
            if n < 0:
                raise ProtocolError("host is null")
            end = at + n
            endpoint.host = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("listener is null")
            end = at + n
            endpoint.listener = b[at:end].decode("utf-8", "replace")
            at = end
            endpoint.security_protocol = unpack_h(b, at)[0]
            at += 2
            endpoints.append(endpoint)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            live_broker.rack = None
        else:
            end = at + n
            live_broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        live_brokers.append(live_broker)
    if at > size:
        raise ProtocolError(f"UpdateMetadataRequest is {at - size} bytes short")
    return m, at


def _read_update_metadata_request_v4(b: bytes, at: int) -> tuple[UpdateMetadataRequest, int]:
    size = len(b)
    m = new(UpdateMetadataRequest)
    m.is_kraft_controller = False
    m.type = 0
    m.broker_epoch = -1
    m.topic_states = []
    m.controller_id, m.controller_epoch, n = unpack_iii(b, at)
    at += 12
    if n < 0 or n * 34 > size - at:
        raise fault_length("ungrouped_partition_states", n)
    ungrouped_partition_states: list[UpdateMetadataPartitionState] = []
    m.ungrouped_partition_states = ungrouped_partition_states
    for _ in range(n):
        ungrouped_partition_state = new(UpdateMetadataPartitionState)
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
        ungrouped_partition_state.zk_version, n = unpack_ii(b, at)
        at += 8
        if n < 0 or n * 4 > size - at:
            raise fault_length("replicas", n)
        end = at + n * 4
        ungrouped_partition_state.replicas = [each for (each,) in iter_i(b[at:end])]
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("offline_replicas", n)
        end = at + n * 4
        ungrouped_partition_state.offline_replicas = [each for (each,) in iter_i(b[at:end])]
        at = end
        ungrouped_partition_states.append(ungrouped_partition_state)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 10 > size - at:
        raise fault_length("live_brokers", n)
    live_brokers: list[UpdateMetadataBroker] = []
    m.live_brokers = live_brokers
    for _ in range(n):
        live_broker = new(UpdateMetadataBroker)
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        live_broker.id, n = unpack_ii(b, at)
        at += 8
        if n < 0 or n * 10 > size - at:
            raise fault_length("endpoints", n)
        endpoints: list[UpdateMetadataEndpoint] = []
        live_broker.endpoints = endpoints
        for _ in range(n):
            endpoint = new(UpdateMetadataEndpoint)
            endpoint.port, n = unpack_ih(b, at)
            at += 6
            if n < 0:
                raise ProtocolError("host is null")
            end = at + n
            endpoint.host = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("listener is null")
            end = at + n
            endpoint.listener = b[at:end].decode("utf-8", "replace")
            at = end
            endpoint.security_protocol = unpack_h(b, at)[0]
            at += 2
            endpoints.append(endpoint)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            live_broker.rack = None
        else:
            end = at + n
            live_broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        live_brokers.append(live_broker)
    if at > size:
        raise ProtocolError(f"UpdateMetadataRequest is {at - size} bytes short")
    return m, at


def _read_update_metadata_request_v5(b: bytes, at: int) -> tuple[UpdateMetadataRequest, int]:
    size = len(b)
    m = new(UpdateMetadataRequest)
    m.is_kraft_controller = False
    m.type = 0
    m.ungrouped_partition_states = []
    m.controller_id, m.controller_epoch, m.broker_epoch, n = unpack_iiqi(b, at)
    at += 20
    if n < 0 or n * 6 > size - at:
        raise fault_length("topic_states", n)
    topic_states: list[UpdateMetadataTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(UpdateMetadataTopicState)
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
        if n < 0 or n * 32 > size - at:
            raise fault_length("partition_states", n)
        partition_states: list[UpdateMetadataPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(UpdateMetadataPartitionState)
            partition_state.topic_name = ""
            partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, n = unpack_iiiii(b, at)
            at += 20
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr", n)
            end = at + n * 4
            partition_state.isr = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_state.zk_version, n = unpack_ii(b, at)
            at += 8
            if n < 0 or n * 4 > size - at:
                raise fault_length("replicas", n)
            end = at + n * 4
            partition_state.replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            n = unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise fault_length("offline_replicas", n)
            end = at + n * 4
            partition_state.offline_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition_states.append(partition_state)
        topic_states.append(topic_state)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 10 > size - at:
        raise fault_length("live_brokers", n)
    live_brokers: list[UpdateMetadataBroker] = []
    m.live_brokers = live_brokers
    for _ in range(n):
        live_broker = new(UpdateMetadataBroker)
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        live_broker.id, n = unpack_ii(b, at)
        at += 8
        if n < 0 or n * 10 > size - at:
            raise fault_length("endpoints", n)
        endpoints: list[UpdateMetadataEndpoint] = []
        live_broker.endpoints = endpoints
        for _ in range(n):
            endpoint = new(UpdateMetadataEndpoint)
            endpoint.port, n = unpack_ih(b, at)
            at += 6
            if n < 0:
                raise ProtocolError("host is null")
            end = at + n
            endpoint.host = b[at:end].decode("utf-8", "replace")
            at = end
            n = unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("listener is null")
            end = at + n
            endpoint.listener = b[at:end].decode("utf-8", "replace")
            at = end
            endpoint.security_protocol = unpack_h(b, at)[0]
            at += 2
            endpoints.append(endpoint)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            live_broker.rack = None
        else:
            end = at + n
            live_broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        live_brokers.append(live_broker)
    if at > size:
        raise ProtocolError(f"UpdateMetadataRequest is {at - size} bytes short")
    return m, at


def _read_update_metadata_request_v6(b: bytes, at: int) -> tuple[UpdateMetadataRequest, int]:
    size = len(b)
    m = new(UpdateMetadataRequest)
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
    topic_states: list[UpdateMetadataTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(UpdateMetadataTopicState)
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
        if n < 0 or n * 24 > size - at:
            raise fault_length("partition_states", n)
        partition_states: list[UpdateMetadataPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(UpdateMetadataPartitionState)
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
            partition_state.zk_version, n = unpack_iB(b, at)
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
                raise fault_length("offline_replicas", n)
            end = at + n * 4
            partition_state.offline_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
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
    if n < 0 or n * 7 > size - at:
        raise fault_length("live_brokers", n)
    live_brokers: list[UpdateMetadataBroker] = []
    m.live_brokers = live_brokers
    for _ in range(n):
        live_broker = new(UpdateMetadataBroker)
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        live_broker.id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 9 > size - at:
            raise fault_length("endpoints", n)
        endpoints: list[UpdateMetadataEndpoint] = []
        live_broker.endpoints = endpoints
        for _ in range(n):
            endpoint = new(UpdateMetadataEndpoint)
            endpoint.port, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("host is null")
            end = at + n - 1
            endpoint.host = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("listener is null")
            end = at + n - 1
            endpoint.listener = b[at:end].decode("utf-8", "replace")
            at = end
            endpoint.security_protocol, tags = unpack_hB(b, at)
            at += 3
            if tags:
                at = skip_tags(b, at, tags)
            endpoints.append(endpoint)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            live_broker.rack = None
        else:
            end = at + n - 1
            live_broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        live_brokers.append(live_broker)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"UpdateMetadataRequest is {at - size} bytes short")
    return m, at


def _read_update_metadata_request_v7(b: bytes, at: int) -> tuple[UpdateMetadataRequest, int]:
    size = len(b)
    m = new(UpdateMetadataRequest)
    m.is_kraft_controller = False
    m.type = 0
    m.ungrouped_partition_states = []
    m.controller_id, m.controller_epoch, m.broker_epoch, n = unpack_iiqB(b, at)
    at += 17
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 19 > size - at:
        raise fault_length("topic_states", n)
    topic_states: list[UpdateMetadataTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(UpdateMetadataTopicState)
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
        if n < 0 or n * 24 > size - at:
            raise fault_length("partition_states", n)
        partition_states: list[UpdateMetadataPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(UpdateMetadataPartitionState)
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
            partition_state.zk_version, n = unpack_iB(b, at)
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
                raise fault_length("offline_replicas", n)
            end = at + n * 4
            partition_state.offline_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
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
    if n < 0 or n * 7 > size - at:
        raise fault_length("live_brokers", n)
    live_brokers: list[UpdateMetadataBroker] = []
    m.live_brokers = live_brokers
    for _ in range(n):
        live_broker = new(UpdateMetadataBroker)
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        live_broker.id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 9 > size - at:
            raise fault_length("endpoints", n)
        endpoints: list[UpdateMetadataEndpoint] = []
        live_broker.endpoints = endpoints
        for _ in range(n):
            endpoint = new(UpdateMetadataEndpoint)
            endpoint.port, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("host is null")
            end = at + n - 1
            endpoint.host = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("listener is null")
            end = at + n - 1
            endpoint.listener = b[at:end].decode("utf-8", "replace")
            at = end
            endpoint.security_protocol, tags = unpack_hB(b, at)
            at += 3
            if tags:
                at = skip_tags(b, at, tags)
            endpoints.append(endpoint)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            live_broker.rack = None
        else:
            end = at + n - 1
            live_broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        live_brokers.append(live_broker)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"UpdateMetadataRequest is {at - size} bytes short")
    return m, at


def _read_update_metadata_request_v8(b: bytes, at: int) -> tuple[UpdateMetadataRequest, int]:
    size = len(b)
    m = new(UpdateMetadataRequest)
    m.type = 0
    m.ungrouped_partition_states = []
    m.controller_id, m.is_kraft_controller, m.controller_epoch, m.broker_epoch, n = unpack_itiqB(b, at)
    at += 18
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 19 > size - at:
        raise fault_length("topic_states", n)
    topic_states: list[UpdateMetadataTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(UpdateMetadataTopicState)
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
        if n < 0 or n * 24 > size - at:
            raise fault_length("partition_states", n)
        partition_states: list[UpdateMetadataPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(UpdateMetadataPartitionState)
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
            partition_state.zk_version, n = unpack_iB(b, at)
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
                raise fault_length("offline_replicas", n)
            end = at + n * 4
            partition_state.offline_replicas = [each for (each,) in iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
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
    if n < 0 or n * 7 > size - at:
        raise fault_length("live_brokers", n)
    live_brokers: list[UpdateMetadataBroker] = []
    m.live_brokers = live_brokers
    for _ in range(n):
        live_broker = new(UpdateMetadataBroker)
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        live_broker.id, n = unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 9 > size - at:
            raise fault_length("endpoints", n)
        endpoints: list[UpdateMetadataEndpoint] = []
        live_broker.endpoints = endpoints
        for _ in range(n):
            endpoint = new(UpdateMetadataEndpoint)
            endpoint.port, n = unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("host is null")
            end = at + n - 1
            endpoint.host = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("listener is null")
            end = at + n - 1
            endpoint.listener = b[at:end].decode("utf-8", "replace")
            at = end
            endpoint.security_protocol, tags = unpack_hB(b, at)
            at += 3
            if tags:
                at = skip_tags(b, at, tags)
            endpoints.append(endpoint)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            live_broker.rack = None
        else:
            end = at + n - 1
            live_broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        live_brokers.append(live_broker)
    tags = b[at]
    at += 1
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.type = unpack_b(b, at)[0]
                at += 1
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"UpdateMetadataRequest is {at - size} bytes short")
    return m, at


def _write_update_metadata_request_v0(m: UpdateMetadataRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.type != 0:
        raise fault_absent("type")
    if m.topic_states:
        raise fault_absent("topic_states")
    ungrouped_partition_states = m.ungrouped_partition_states
    out += pack_iii(m.controller_id, m.controller_epoch, len(ungrouped_partition_states))
    for ungrouped_partition_state in ungrouped_partition_states:
        topic_name = ungrouped_partition_state.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        isr = ungrouped_partition_state.isr
        out += pack_iiiii(ungrouped_partition_state.partition_index, ungrouped_partition_state.controller_epoch, ungrouped_partition_state.leader, ungrouped_partition_state.leader_epoch, len(isr))
        out += b"".join(map(pack_i, isr))
        replicas = ungrouped_partition_state.replicas
        out += pack_ii(ungrouped_partition_state.zk_version, len(replicas))
        out += b"".join(map(pack_i, replicas))
    live_brokers = m.live_brokers
    out += pack_i(len(live_brokers))
    for live_broker in live_brokers:
        v0_host = live_broker.v0_host
        v0_host_bytes = v0_host.encode()
        out += pack_ih(live_broker.id, len(v0_host_bytes))
        out += v0_host_bytes
        out += pack_i(live_broker.v0_port)


def _write_update_metadata_request_v1(m: UpdateMetadataRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.type != 0:
        raise fault_absent("type")
    if m.topic_states:
        raise fault_absent("topic_states")
    ungrouped_partition_states = m.ungrouped_partition_states
    out += pack_iii(m.controller_id, m.controller_epoch, len(ungrouped_partition_states))
    for ungrouped_partition_state in ungrouped_partition_states:
        topic_name = ungrouped_partition_state.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        isr = ungrouped_partition_state.isr
        out += pack_iiiii(ungrouped_partition_state.partition_index, ungrouped_partition_state.controller_epoch, ungrouped_partition_state.leader, ungrouped_partition_state.leader_epoch, len(isr))
        out += b"".join(map(pack_i, isr))
        replicas = ungrouped_partition_state.replicas
        out += pack_ii(ungrouped_partition_state.zk_version, len(replicas))
        out += b"".join(map(pack_i, replicas))
    live_brokers = m.live_brokers
    out += pack_i(len(live_brokers))
    for live_broker in live_brokers:
        endpoints = live_broker.endpoints
        out += pack_ii(live_broker.id, len(endpoints))
        for endpoint in endpoints:
            host = endpoint.host
            host_bytes = host.encode()
            out += pack_ih(endpoint.port, len(host_bytes))
            out += host_bytes
            out += pack_h(endpoint.security_protocol)


def _write_update_metadata_request_v2(m: UpdateMetadataRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.type != 0:
        raise fault_absent("type")
    if m.topic_states:
        raise fault_absent("topic_states")
    ungrouped_partition_states = m.ungrouped_partition_states
    out += pack_iii(m.controller_id, m.controller_epoch, len(ungrouped_partition_states))
    for ungrouped_partition_state in ungrouped_partition_states:
        topic_name = ungrouped_partition_state.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        isr = ungrouped_partition_state.isr
        out += pack_iiiii(ungrouped_partition_state.partition_index, ungrouped_partition_state.controller_epoch, ungrouped_partition_state.leader, ungrouped_partition_state.leader_epoch, len(isr))
        out += b"".join(map(pack_i, isr))
        replicas = ungrouped_partition_state.replicas
        out += pack_ii(ungrouped_partition_state.zk_version, len(replicas))
        out += b"".join(map(pack_i, replicas))
    live_brokers = m.live_brokers
    out += pack_i(len(live_brokers))
    for live_broker in live_brokers:
        endpoints = live_broker.endpoints
        out += pack_ii(live_broker.id, len(endpoints))
        for endpoint in endpoints:
            host = endpoint.host
            host_bytes = host.encode()
            out += pack_ih(endpoint.port, len(host_bytes))
            out += host_bytes
            out += pack_h(endpoint.security_protocol)
        rack = live_broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_h(-1 if rack is None else len(rack_bytes))
        out += rack_bytes


def _write_update_metadata_request_v3(m: UpdateMetadataRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.type != 0:
        raise fault_absent("type")
    if m.topic_states:
        raise fault_absent("topic_states")
    ungrouped_partition_states = m.ungrouped_partition_states
    out += pack_iii(m.controller_id, m.controller_epoch, len(ungrouped_partition_states))
    for ungrouped_partition_state in ungrouped_partition_states:
        topic_name = ungrouped_partition_state.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        isr = ungrouped_partition_state.isr
        out += pack_iiiii(ungrouped_partition_state.partition_index, ungrouped_partition_state.controller_epoch, ungrouped_partition_state.leader, ungrouped_partition_state.leader_epoch, len(isr))
        out += b"".join(map(pack_i, isr))
        replicas = ungrouped_partition_state.replicas
        out += pack_ii(ungrouped_partition_state.zk_version, len(replicas))
        out += b"".join(map(pack_i, replicas))
    live_brokers = m.live_brokers
    out += pack_i(len(live_brokers))
    for live_broker in live_brokers:
        endpoints = live_broker.endpoints
        out += pack_ii(live_broker.id, len(endpoints))
        for endpoint in endpoints:
            host = endpoint.host
            host_bytes = host.encode()
            out += pack_ih(endpoint.port, len(host_bytes))
            out += host_bytes
            listener = endpoint.listener
            listener_bytes = listener.encode()
            out += pack_h(len(listener_bytes))
            out += listener_bytes
            out += pack_h(endpoint.security_protocol)
        rack = live_broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_h(-1 if rack is None else len(rack_bytes))
        out += rack_bytes


def _write_update_metadata_request_v4(m: UpdateMetadataRequest, out: bytearray) -> None:
    if m.is_kraft_controller:
        raise fault_absent("is_kraft_controller")
    if m.type != 0:
        raise fault_absent("type")
    if m.topic_states:
        raise fault_absent("topic_states")
    ungrouped_partition_states = m.ungrouped_partition_states
    out += pack_iii(m.controller_id, m.controller_epoch, len(ungrouped_partition_states))
    for ungrouped_partition_state in ungrouped_partition_states:
        topic_name = ungrouped_partition_state.topic_name
        topic_name_bytes = topic_name.encode()
        out += pack_h(len(topic_name_bytes))
        out += topic_name_bytes
        isr = ungrouped_partition_state.isr
        out += pack_iiiii(ungrouped_partition_state.partition_index, ungrouped_partition_state.controller_epoch, ungrouped_partition_state.leader, ungrouped_partition_state.leader_epoch, len(isr))
        out += b"".join(map(pack_i, isr))
        replicas = ungrouped_partition_state.replicas
        out += pack_ii(ungrouped_partition_state.zk_version, len(replicas))
        out += b"".join(map(pack_i, replicas))
        offline_replicas = ungrouped_partition_state.offline_replicas
        out += pack_i(len(offline_replicas))
        out += b"".join(map(pack_i, offline_replicas))
    live_brokers = m.live_brokers
    out += pack_i(len(live_brokers))
    for live_broker in live_brokers:
        endpoints = live_broker.endpoints
        out += pack_ii(live_broker.id, len(endpoints))
        for endpoint in endpoints:
            host = endpoint.host
            host_bytes = host.encode()
            out += pack_ih(endpoint.port, len(host_bytes))
            out += host_bytes
            listener = endpoint.listener
            listener_bytes = listener.encode()
            out += pack_h(len(listener_bytes))
            out += listener_bytes
            out += pack_h(endpoint.security_protocol)
        rack = live_broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_h(-1 if rack is None else len(rack_bytes))
        out += rack_bytes


def _write_update_metadata_request_v5(m: UpdateMetadataRequest, out: bytearray) -> None:
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
            isr = partition_state.isr
            out += pack_iiiii(partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, len(isr))
            out += b"".join(map(pack_i, isr))
            replicas = partition_state.replicas
            out += pack_ii(partition_state.zk_version, len(replicas))
            out += b"".join(map(pack_i, replicas))
            offline_replicas = partition_state.offline_replicas
            out += pack_i(len(offline_replicas))
            out += b"".join(map(pack_i, offline_replicas))
    live_brokers = m.live_brokers
    out += pack_i(len(live_brokers))
    for live_broker in live_brokers:
        endpoints = live_broker.endpoints
        out += pack_ii(live_broker.id, len(endpoints))
        for endpoint in endpoints:
            host = endpoint.host
            host_bytes = host.encode()
            out += pack_ih(endpoint.port, len(host_bytes))
            out += host_bytes
            listener = endpoint.listener
            listener_bytes = listener.encode()
            out += pack_h(len(listener_bytes))
            out += listener_bytes
            out += pack_h(endpoint.security_protocol)
        rack = live_broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        out += pack_h(-1 if rack is None else len(rack_bytes))
        out += rack_bytes


def _write_update_metadata_request_v6(m: UpdateMetadataRequest, out: bytearray) -> None:
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
            isr = partition_state.isr
            out += pack_iiii(partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch)
            n = len(isr) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr))
            replicas = partition_state.replicas
            out += pack_i(partition_state.zk_version)
            n = len(replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replicas))
            offline_replicas = partition_state.offline_replicas
            n = len(offline_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, offline_replicas))
            out.append(0)
        out.append(0)
    live_brokers = m.live_brokers
    n = len(live_brokers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for live_broker in live_brokers:
        endpoints = live_broker.endpoints
        out += pack_i(live_broker.id)
        n = len(endpoints) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for endpoint in endpoints:
            host = endpoint.host
            host_bytes = host.encode()
            out += pack_i(endpoint.port)
            n = len(host_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += host_bytes
            listener = endpoint.listener
            listener_bytes = listener.encode()
            n = len(listener_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += listener_bytes
            out += pack_hx(endpoint.security_protocol)
        rack = live_broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out.append(0)
    out.append(0)


def _write_update_metadata_request_v7(m: UpdateMetadataRequest, out: bytearray) -> None:
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
            out += pack_i(partition_state.zk_version)
            n = len(replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replicas))
            offline_replicas = partition_state.offline_replicas
            n = len(offline_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, offline_replicas))
            out.append(0)
        out.append(0)
    live_brokers = m.live_brokers
    n = len(live_brokers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for live_broker in live_brokers:
        endpoints = live_broker.endpoints
        out += pack_i(live_broker.id)
        n = len(endpoints) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for endpoint in endpoints:
            host = endpoint.host
            host_bytes = host.encode()
            out += pack_i(endpoint.port)
            n = len(host_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += host_bytes
            listener = endpoint.listener
            listener_bytes = listener.encode()
            n = len(listener_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += listener_bytes
            out += pack_hx(endpoint.security_protocol)
        rack = live_broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out.append(0)
    out.append(0)


def _write_update_metadata_request_v8(m: UpdateMetadataRequest, out: bytearray) -> None:
    if m.ungrouped_partition_states:
        raise fault_absent("ungrouped_partition_states")
    topic_states = m.topic_states
    out += pack_itiq(m.controller_id, m.is_kraft_controller, m.controller_epoch, m.broker_epoch)
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
            out += pack_i(partition_state.zk_version)
            n = len(replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, replicas))
            offline_replicas = partition_state.offline_replicas
            n = len(offline_replicas) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, offline_replicas))
            out.append(0)
        out.append(0)
    live_brokers = m.live_brokers
    n = len(live_brokers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for live_broker in live_brokers:
        endpoints = live_broker.endpoints
        out += pack_i(live_broker.id)
        n = len(endpoints) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for endpoint in endpoints:
            host = endpoint.host
            host_bytes = host.encode()
            out += pack_i(endpoint.port)
            n = len(host_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += host_bytes
            listener = endpoint.listener
            listener_bytes = listener.encode()
            n = len(listener_bytes) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += listener_bytes
            out += pack_hx(endpoint.security_protocol)
        rack = live_broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out.append(0)
    has_type = m.type != 0
    out.append(has_type)
    if has_type:
        part = bytearray()
        part += pack_b(m.type)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _read_update_metadata_response_v0_5(b: bytes, at: int) -> tuple[UpdateMetadataResponse, int]:
    size = len(b)
    m = new(UpdateMetadataResponse)
    m.error_code = unpack_h(b, at)[0]
    at += 2
    if at > size:
        raise ProtocolError(f"UpdateMetadataResponse is {at - size} bytes short")
    return m, at


def _read_update_metadata_response_v6_8(b: bytes, at: int) -> tuple[UpdateMetadataResponse, int]:
    size = len(b)
    m = new(UpdateMetadataResponse)
    m.error_code, tags = unpack_hB(b, at)
    at += 3
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"UpdateMetadataResponse is {at - size} bytes short")
    return m, at


def _write_update_metadata_response_v0_5(m: UpdateMetadataResponse, out: bytearray) -> None:
    out += pack_h(m.error_code)


def _write_update_metadata_response_v6_8(m: UpdateMetadataResponse, out: bytearray) -> None:
    out += pack_hx(m.error_code)


UpdateMetadataRequest.READERS = {
    0: _read_update_metadata_request_v0,
    1: _read_update_metadata_request_v1,
    2: _read_update_metadata_request_v2,
    3: _read_update_metadata_request_v3,
    4: _read_update_metadata_request_v4,
    5: _read_update_metadata_request_v5,
    6: _read_update_metadata_request_v6,
    7: _read_update_metadata_request_v7,
    8: _read_update_metadata_request_v8,
}
UpdateMetadataRequest.WRITERS = {
    0: _write_update_metadata_request_v0,
    1: _write_update_metadata_request_v1,
    2: _write_update_metadata_request_v2,
    3: _write_update_metadata_request_v3,
    4: _write_update_metadata_request_v4,
    5: _write_update_metadata_request_v5,
    6: _write_update_metadata_request_v6,
    7: _write_update_metadata_request_v7,
    8: _write_update_metadata_request_v8,
}
UpdateMetadataResponse.READERS = {
    0: _read_update_metadata_response_v0_5,
    1: _read_update_metadata_response_v0_5,
    2: _read_update_metadata_response_v0_5,
    3: _read_update_metadata_response_v0_5,
    4: _read_update_metadata_response_v0_5,
    5: _read_update_metadata_response_v0_5,
    6: _read_update_metadata_response_v6_8,
    7: _read_update_metadata_response_v6_8,
    8: _read_update_metadata_response_v6_8,
}
UpdateMetadataResponse.WRITERS = {
    0: _write_update_metadata_response_v0_5,
    1: _write_update_metadata_response_v0_5,
    2: _write_update_metadata_response_v0_5,
    3: _write_update_metadata_response_v0_5,
    4: _write_update_metadata_response_v0_5,
    5: _write_update_metadata_response_v0_5,
    6: _write_update_metadata_response_v6_8,
    7: _write_update_metadata_response_v6_8,
    8: _write_update_metadata_response_v6_8,
}
