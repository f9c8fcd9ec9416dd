"""UpdateMetadata: the controller updates the metadata cache of a broker (ZooKeeper clusters only).

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

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage, WritableMessage
from wirebroker.protocol.primitives import (
    ZERO_UUID,
    absent_field_error,
    array_packer,
    count_error,
    new,
    read_long_uvarint,
    read_uvarint,
    skip_tagged_fields,
    write_uvarint,
)

_iter_i = Struct(">i").iter_unpack
_pack_b = Struct(">b").pack
_pack_h = Struct(">h").pack
_pack_hx = Struct(">hx").pack
_pack_i = Struct(">i").pack
_pack_iB = Struct(">iB").pack
_pack_ih = Struct(">ih").pack
_pack_ii = Struct(">ii").pack
_pack_iii = Struct(">iii").pack
_pack_iiii = Struct(">iiii").pack
_pack_iiiiB = Struct(">iiiiB").pack
_pack_iiiii = Struct(">iiiii").pack
_pack_iiq = Struct(">iiq").pack
_pack_iiqi = Struct(">iiqi").pack
_pack_itiq = Struct(">i?iq").pack
_pack_list_i = array_packer("i")
_pack_u = Struct(">16s").pack
_unpack_b = Struct(">b").unpack_from
_unpack_h = Struct(">h").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_ih = Struct(">ih").unpack_from
_unpack_ii = Struct(">ii").unpack_from
_unpack_iii = Struct(">iii").unpack_from
_unpack_iiiiB = Struct(">iiiiB").unpack_from
_unpack_iiiii = Struct(">iiiii").unpack_from
_unpack_iiqB = Struct(">iiqB").unpack_from
_unpack_iiqi = Struct(">iiqi").unpack_from
_unpack_itiqB = Struct(">i?iqB").unpack_from
_unpack_uB = Struct(">16sB").unpack_from


class UpdateMetadataPartitionState(Data):
    """An element of `UpdateMetadataTopicState.partition_states` and an element of
    `UpdateMetadataRequest.ungrouped_partition_states`.
    """

    topic_name: str = ""  # v0-4
    partition_index: int = 0
    controller_epoch: int = 0
    """Controller epoch; requests of an earlier controller are refused."""
    leader: int = 0
    leader_epoch: int = 0
    """Leader epoch, incremented with each leader election; -1 unknown."""
    isr: list[int] = []
    zk_version: int = 0
    """Version of the partition's state znode."""
    replicas: list[int] = []
    offline_replicas: list[int] = []  # v4+
    """Replicas whose broker or log directory is offline."""


class UpdateMetadataTopicState(Data):
    """An element of `UpdateMetadataRequest.topic_states`."""

    topic_name: str = ""
    topic_id: bytes = ZERO_UUID  # v7+
    partition_states: list[UpdateMetadataPartitionState] = []


class UpdateMetadataEndpoint(Data):
    """An element of `UpdateMetadataBroker.endpoints`."""

    port: int = 0
    host: str = ""
    listener: str = ""  # v3+
    security_protocol: int = 0
    """0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL."""


class UpdateMetadataBroker(Data):
    """An element of `UpdateMetadataRequest.live_brokers`."""

    id: int = 0
    v0_host: str = ""  # v0
    v0_port: int = 0  # v0
    endpoints: list[UpdateMetadataEndpoint] = []  # v1+
    rack: str | None = ""  # v2+


class UpdateMetadataRequest(ReadableMessage, WritableMessage):
    API_KEY = 6
    VERSIONS = range(0, 9)
    FLEXIBLE_FROM = 6

    controller_id: int = 0
    is_kraft_controller: bool = False  # v8+
    """Whether the controller is a KRaft controller (migration, KIP-866)."""
    type: int = 0  # v8+
    """0 unknown, 1 some partitions, 2 all of them."""
    controller_epoch: int = 0
    """Controller epoch; requests of an earlier controller are refused."""
    broker_epoch: int = -1  # v5+
    """Epoch of the broker's registration (its czxid in ZooKeeper); -1 unknown."""
    ungrouped_partition_states: list[UpdateMetadataPartitionState] = []  # v0-4
    topic_states: list[UpdateMetadataTopicState] = []  # v5+
    live_brokers: list[UpdateMetadataBroker] = []


class UpdateMetadataResponse(ReadableMessage, WritableMessage):
    API_KEY = 6
    VERSIONS = range(0, 9)
    FLEXIBLE_FROM = 6

    error_code: int = 0


def _read_update_metadata_request_v0_5(b: bytes, at: int, version: int) -> tuple[UpdateMetadataRequest, int]:
    size = len(b)
    m = new(UpdateMetadataRequest)
    m.is_kraft_controller = False
    m.type = 0
    if version >= 5:
        m.ungrouped_partition_states = []
        m.controller_id, m.controller_epoch, m.broker_epoch, n = _unpack_iiqi(b, at)
        at += 20
        if n < 0 or n * 6 > size - at:
            raise count_error("topic_states", n)
        topic_states: list[UpdateMetadataTopicState] = []
        m.topic_states = topic_states
        for _ in range(n):
            topic_state = new(UpdateMetadataTopicState)
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
            if n < 0 or n * 32 > size - at:
                raise count_error("partition_states", n)
            partition_states: list[UpdateMetadataPartitionState] = []
            topic_state.partition_states = partition_states
            for _ in range(n):
                partition_state = new(UpdateMetadataPartitionState)
                partition_state.topic_name = ""
                partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, n = _unpack_iiiii(b, at)
                at += 20
                if n < 0 or n * 4 > size - at:
                    raise count_error("isr", n)
                end = at + n * 4
                partition_state.isr = [each for (each,) in _iter_i(b[at:end])]
                at = end
                partition_state.zk_version, n = _unpack_ii(b, at)
                at += 8
                if n < 0 or n * 4 > size - at:
                    raise count_error("replicas", n)
                end = at + n * 4
                partition_state.replicas = [each for (each,) in _iter_i(b[at:end])]
                at = end
                n = _unpack_i(b, at)[0]
                at += 4
                if n < 0 or n * 4 > size - at:
                    raise count_error("offline_replicas", n)
                end = at + n * 4
                partition_state.offline_replicas = [each for (each,) in _iter_i(b[at:end])]
                at = end
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
        ungrouped_partition_states: list[UpdateMetadataPartitionState] = []
        m.ungrouped_partition_states = ungrouped_partition_states
        for _ in range(n):
            ungrouped_partition_state = new(UpdateMetadataPartitionState)
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
            ungrouped_partition_state.zk_version, n = _unpack_ii(b, at)
            at += 8
            if n < 0 or n * 4 > size - at:
                raise count_error("replicas", n)
            end = at + n * 4
            ungrouped_partition_state.replicas = [each for (each,) in _iter_i(b[at:end])]
            at = end
            if version >= 4:
                n = _unpack_i(b, at)[0]
                at += 4
                if n < 0 or n * 4 > size - at:
                    raise count_error("offline_replicas", n)
                end = at + n * 4
                ungrouped_partition_state.offline_replicas = [each for (each,) in _iter_i(b[at:end])]
                at = end
            else:
                ungrouped_partition_state.offline_replicas = []
            ungrouped_partition_states.append(ungrouped_partition_state)
        m.topic_states = []
        n = _unpack_i(b, at)[0]
        at += 4
    if n < 0 or n * 8 > size - at:
        raise count_error("live_brokers", n)
    live_brokers: list[UpdateMetadataBroker] = []
    m.live_brokers = live_brokers
    for _ in range(n):
        live_broker = new(UpdateMetadataBroker)
        if version >= 1:
            live_broker.v0_host = ""
            live_broker.v0_port = 0
            live_broker.id, n = _unpack_ii(b, at)
            at += 8
            if n < 0 or n * 8 > size - at:
                raise count_error("endpoints", n)
            endpoints: list[UpdateMetadataEndpoint] = []
            live_broker.endpoints = endpoints
            for _ in range(n):
                endpoint = new(UpdateMetadataEndpoint)
                endpoint.port, n = _unpack_ih(b, at)
                at += 6
                if n < 0:
                    raise ProtocolError("host is null")
                end = at + n
                endpoint.host = b[at:end].decode("utf-8", "replace")
                at = end
                if version >= 3:
                    n = _unpack_h(b, at)[0]
                    at += 2
                    if n < 0:
                        raise ProtocolError("listener is null")
                    end = at + n
                    endpoint.listener = b[at:end].decode("utf-8", "replace")
                    at = end
                else:
                    endpoint.listener = ""
                endpoint.security_protocol = _unpack_h(b, at)[0]
                at += 2
                endpoints.append(endpoint)
            if version >= 2:
                n = _unpack_h(b, at)[0]
                at += 2
                if n < 0:
                    live_broker.rack = None
                else:
                    end = at + n
                    live_broker.rack = b[at:end].decode("utf-8", "replace")
                    at = end
            else:
                live_broker.rack = ""
        else:
            live_broker.id, n = _unpack_ih(b, at)
            at += 6
            if n < 0:
                raise ProtocolError("v0_host is null")
            end = at + n
            live_broker.v0_host = b[at:end].decode("utf-8", "replace")
            at = end
            live_broker.endpoints = []
            live_broker.rack = ""
            live_broker.v0_port = _unpack_i(b, at)[0]
            at += 4
        live_brokers.append(live_broker)
    if at > size:
        raise ProtocolError(f"UpdateMetadataRequest is {at - size} bytes short")
    return m, at


def _read_update_metadata_request_v6_8(b: bytes, at: int, version: int) -> tuple[UpdateMetadataRequest, int]:
    size = len(b)
    m = new(UpdateMetadataRequest)
    m.type = 0
    m.ungrouped_partition_states = []
    if version >= 8:
        m.controller_id, m.is_kraft_controller, m.controller_epoch, m.broker_epoch, n = _unpack_itiqB(b, at)
        at += 18
    else:
        m.is_kraft_controller = False
        m.controller_id, m.controller_epoch, m.broker_epoch, n = _unpack_iiqB(b, at)
        at += 17
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("topic_states", n)
    topic_states: list[UpdateMetadataTopicState] = []
    m.topic_states = topic_states
    for _ in range(n):
        topic_state = new(UpdateMetadataTopicState)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic_state.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        if version >= 7:
            topic_state.topic_id, n = _unpack_uB(b, at)
            at += 17
        else:
            topic_state.topic_id = ZERO_UUID
            n = b[at]
            at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 24 > size - at:
            raise count_error("partition_states", n)
        partition_states: list[UpdateMetadataPartitionState] = []
        topic_state.partition_states = partition_states
        for _ in range(n):
            partition_state = new(UpdateMetadataPartitionState)
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
            partition_state.zk_version, n = _unpack_iB(b, at)
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
                raise count_error("offline_replicas", n)
            end = at + n * 4
            partition_state.offline_replicas = [each for (each,) in _iter_i(b[at:end])]
            at = end
            tags = b[at]
            at += 1
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
    if n < 0 or n * 7 > size - at:
        raise count_error("live_brokers", n)
    live_brokers: list[UpdateMetadataBroker] = []
    m.live_brokers = live_brokers
    for _ in range(n):
        live_broker = new(UpdateMetadataBroker)
        live_broker.v0_host = ""
        live_broker.v0_port = 0
        live_broker.id, n = _unpack_iB(b, at)
        at += 5
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 9 > size - at:
            raise count_error("endpoints", n)
        endpoints: list[UpdateMetadataEndpoint] = []
        live_broker.endpoints = endpoints
        for _ in range(n):
            endpoint = new(UpdateMetadataEndpoint)
            endpoint.port, n = _unpack_iB(b, at)
            at += 5
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("host is null")
            end = at + n - 1
            endpoint.host = b[at:end].decode("utf-8", "replace")
            at = end
            n = b[at]
            at += 1
            if n > 127:
                n, at = read_long_uvarint(b, at, n)
            if n == 0:
                raise ProtocolError("listener is null")
            end = at + n - 1
            endpoint.listener = b[at:end].decode("utf-8", "replace")
            at = end
            endpoint.security_protocol, tags = _unpack_hB(b, at)
            at += 3
            if tags:
                at = skip_tagged_fields(b, at, tags)
            endpoints.append(endpoint)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            live_broker.rack = None
        else:
            end = at + n - 1
            live_broker.rack = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        live_brokers.append(live_broker)
    tags = b[at]
    at += 1
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0 and version >= 8:
                m.type = _unpack_b(b, at)[0]
                at += 1
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"UpdateMetadataRequest is {at - size} bytes short")
    return m, at


UpdateMetadataRequest.READERS = dict.fromkeys(range(0, 6), _read_update_metadata_request_v0_5) | dict.fromkeys(range(6, 9), _read_update_metadata_request_v6_8)


def _write_update_metadata_request_v0_5(m: UpdateMetadataRequest, out: bytearray, version: int) -> None:
    if m.is_kraft_controller:
        raise absent_field_error("is_kraft_controller")
    if m.type != 0:
        raise absent_field_error("type")
    live_brokers = m.live_brokers
    if version >= 5:
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
                isr = partition_state.isr
                out += _pack_iiiii(partition_state.partition_index, partition_state.controller_epoch, partition_state.leader, partition_state.leader_epoch, len(isr))
                out += _pack_list_i(isr)
                replicas = partition_state.replicas
                out += _pack_ii(partition_state.zk_version, len(replicas))
                out += _pack_list_i(replicas)
                offline_replicas = partition_state.offline_replicas
                out += _pack_i(len(offline_replicas))
                out += _pack_list_i(offline_replicas)
        out += _pack_i(len(live_brokers))
    else:
        ungrouped_partition_states = m.ungrouped_partition_states
        out += _pack_iii(m.controller_id, m.controller_epoch, len(ungrouped_partition_states))
        for ungrouped_partition_state in ungrouped_partition_states:
            topic_name2 = ungrouped_partition_state.topic_name
            topic_name_bytes2 = topic_name2.encode()
            out += _pack_h(len(topic_name_bytes2))
            out += topic_name_bytes2
            isr2 = ungrouped_partition_state.isr
            out += _pack_iiiii(ungrouped_partition_state.partition_index, ungrouped_partition_state.controller_epoch, ungrouped_partition_state.leader, ungrouped_partition_state.leader_epoch, len(isr2))
            out += _pack_list_i(isr2)
            replicas2 = ungrouped_partition_state.replicas
            out += _pack_ii(ungrouped_partition_state.zk_version, len(replicas2))
            out += _pack_list_i(replicas2)
            if version >= 4:
                offline_replicas2 = ungrouped_partition_state.offline_replicas
                out += _pack_i(len(offline_replicas2))
                out += _pack_list_i(offline_replicas2)
        if m.topic_states:
            raise absent_field_error("topic_states")
        out += _pack_i(len(live_brokers))
    for live_broker in live_brokers:
        if version >= 1:
            endpoints = live_broker.endpoints
            out += _pack_ii(live_broker.id, len(endpoints))
            for endpoint in endpoints:
                host = endpoint.host
                host_bytes = host.encode()
                out += _pack_ih(endpoint.port, len(host_bytes))
                out += host_bytes
                if version >= 3:
                    listener = endpoint.listener
                    listener_bytes = listener.encode()
                    out += _pack_h(len(listener_bytes))
                    out += listener_bytes
                out += _pack_h(endpoint.security_protocol)
            if version >= 2:
                rack = live_broker.rack
                rack_bytes = b"" if rack is None else rack.encode()
                out += _pack_h(-1 if rack is None else len(rack_bytes))
                out += rack_bytes
        else:
            v0_host = live_broker.v0_host
            v0_host_bytes = v0_host.encode()
            out += _pack_ih(live_broker.id, len(v0_host_bytes))
            out += v0_host_bytes
            out += _pack_i(live_broker.v0_port)


def _write_update_metadata_request_v6_8(m: UpdateMetadataRequest, out: bytearray, version: int) -> None:
    if m.ungrouped_partition_states:
        raise absent_field_error("ungrouped_partition_states")
    topic_states = m.topic_states
    n = len(topic_states) + 1
    if version >= 8:
        out += _pack_itiq(m.controller_id, m.is_kraft_controller, m.controller_epoch, m.broker_epoch)
    else:
        if m.is_kraft_controller:
            raise absent_field_error("is_kraft_controller")
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
        if version >= 7:
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
                out += _pack_i(partition_state.zk_version)
                write_uvarint(out, n)
            else:
                out += _pack_iB(partition_state.zk_version, n)
            out += _pack_list_i(replicas)
            offline_replicas = partition_state.offline_replicas
            n = len(offline_replicas) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += _pack_list_i(offline_replicas)
            out.append(0)
        out.append(0)
    live_brokers = m.live_brokers
    n = len(live_brokers) + 1
    if n > 127:
        write_uvarint(out, n)
    else:
        out.append(n)
    for live_broker in live_brokers:
        endpoints = live_broker.endpoints
        n = len(endpoints) + 1
        if n > 127:
            out += _pack_i(live_broker.id)
            write_uvarint(out, n)
        else:
            out += _pack_iB(live_broker.id, n)
        for endpoint in endpoints:
            host = endpoint.host
            host_bytes = host.encode()
            n = len(host_bytes) + 1
            if n > 127:
                out += _pack_i(endpoint.port)
                write_uvarint(out, n)
            else:
                out += _pack_iB(endpoint.port, n)
            out += host_bytes
            listener = endpoint.listener
            listener_bytes = listener.encode()
            n = len(listener_bytes) + 1
            if n > 127:
                write_uvarint(out, n)
            else:
                out.append(n)
            out += listener_bytes
            out += _pack_hx(endpoint.security_protocol)
        rack = live_broker.rack
        rack_bytes = b"" if rack is None else rack.encode()
        n = 0 if rack is None else len(rack_bytes) + 1
        if n > 127:
            write_uvarint(out, n)
        else:
            out.append(n)
        out += rack_bytes
        out.append(0)
    if m.type != 0:
        if version <= 7:
            raise absent_field_error("type")
        out.append(1)
        part = bytearray()
        part += _pack_b(m.type)
        write_uvarint(out, 0)
        write_uvarint(out, len(part))
        out += part
    else:
        out.append(0)


UpdateMetadataRequest.WRITERS = dict.fromkeys(range(0, 6), _write_update_metadata_request_v0_5) | dict.fromkeys(range(6, 9), _write_update_metadata_request_v6_8)


def _read_update_metadata_response_v0_5(b: bytes, at: int, version: int) -> tuple[UpdateMetadataResponse, int]:
    size = len(b)
    m = new(UpdateMetadataResponse)
    m.error_code = _unpack_h(b, at)[0]
    at += 2
    if at > size:
        raise ProtocolError(f"UpdateMetadataResponse is {at - size} bytes short")
    return m, at


def _read_update_metadata_response_v6_8(b: bytes, at: int, version: int) -> tuple[UpdateMetadataResponse, int]:
    size = len(b)
    m = new(UpdateMetadataResponse)
    m.error_code, tags = _unpack_hB(b, at)
    at += 3
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"UpdateMetadataResponse is {at - size} bytes short")
    return m, at


UpdateMetadataResponse.READERS = dict.fromkeys(range(0, 6), _read_update_metadata_response_v0_5) | dict.fromkeys(range(6, 9), _read_update_metadata_response_v6_8)


def _write_update_metadata_response_v0_5(m: UpdateMetadataResponse, out: bytearray, version: int) -> None:
    out += _pack_h(m.error_code)


def _write_update_metadata_response_v6_8(m: UpdateMetadataResponse, out: bytearray, version: int) -> None:
    out += _pack_hx(m.error_code)


UpdateMetadataResponse.WRITERS = dict.fromkeys(range(0, 6), _write_update_metadata_response_v0_5) | dict.fromkeys(range(6, 9), _write_update_metadata_response_v6_8)
