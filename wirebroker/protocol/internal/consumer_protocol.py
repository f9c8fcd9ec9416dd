"""Subscriptions and assignments inside of JoinGroup and SyncGroup of classic groups with protocol type `consumer`.

Both begin with their version as int16.  Brokers do not interpret them; tools read them to show assigned partitions.

v1  owned_partitions (KIP-429)
v2  generation_id (KIP-792)
v3  rack_id (KIP-881)

Generated from protocol_specs/internal/consumer_protocol by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage
from wirebroker.protocol.primitives import count_error, new

_iter_i = Struct(">i").iter_unpack
_unpack_h = Struct(">h").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_ih = Struct(">ih").unpack_from


class OwnedPartitions(Data):
    """An element of `ConsumerProtocolSubscription.owned_partitions`."""

    topic: str = ""
    partitions: list[int] = []


class ConsumerProtocolSubscription(ReadableMessage):
    VERSIONS = range(0, 4)

    topics: list[str] = []
    user_data: bytes | None = None
    owned_partitions: list[OwnedPartitions] = []  # v1+
    generation_id: int = -1  # v2+
    """Generation of the group, incremented with each rebalance; -1 for consumers that are not members."""
    rack_id: str | None = None  # v3+


class AssignedPartitions(Data):
    """An element of `ConsumerProtocolAssignment.assigned_partitions`."""

    topic: str = ""
    partitions: list[int] = []


class ConsumerProtocolAssignment(ReadableMessage):
    VERSIONS = range(0, 4)

    assigned_partitions: list[AssignedPartitions] = []
    user_data: bytes | None = None


def _read_consumer_protocol_subscription_v0_3(b: bytes, at: int, version: int) -> tuple[ConsumerProtocolSubscription, int]:
    size = len(b)
    m = new(ConsumerProtocolSubscription)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 2 > size - at:
        raise count_error("topics", n)
    topics: list[str] = []
    m.topics = topics
    for _ in range(n):
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topics is null")
        end = at + n
        topic = b[at:end].decode("utf-8", "replace")
        at = end
        topics.append(topic)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.user_data = None
    else:
        end = at + n
        m.user_data = b[at:end]
        at = end
    if version >= 1:
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 6 > size - at:
            raise count_error("owned_partitions", n)
        owned_partitions: list[OwnedPartitions] = []
        m.owned_partitions = owned_partitions
        for _ in range(n):
            owned_partition = new(OwnedPartitions)
            n = _unpack_h(b, at)[0]
            at += 2
            if n < 0:
                raise ProtocolError("topic is null")
            end = at + n
            owned_partition.topic = b[at:end].decode("utf-8", "replace")
            at = end
            n = _unpack_i(b, at)[0]
            at += 4
            if n < 0 or n * 4 > size - at:
                raise count_error("partitions", n)
            end = at + n * 4
            owned_partition.partitions = [each for (each,) in _iter_i(b[at:end])]
            at = end
            owned_partitions.append(owned_partition)
        if version >= 3:
            m.generation_id, n = _unpack_ih(b, at)
            at += 6
            if n < 0:
                m.rack_id = None
            else:
                end = at + n
                m.rack_id = b[at:end].decode("utf-8", "replace")
                at = end
        elif version >= 2:
            m.rack_id = None
            m.generation_id = _unpack_i(b, at)[0]
            at += 4
        else:
            m.rack_id = None
            m.generation_id = -1
    else:
        m.owned_partitions = []
        m.rack_id = None
        m.generation_id = -1
    if at > size:
        raise ProtocolError(f"ConsumerProtocolSubscription is {at - size} bytes short")
    return m, at


ConsumerProtocolSubscription.READERS = dict.fromkeys(range(0, 4), _read_consumer_protocol_subscription_v0_3)


def _read_consumer_protocol_assignment_v0_3(b: bytes, at: int, version: int) -> tuple[ConsumerProtocolAssignment, int]:
    size = len(b)
    m = new(ConsumerProtocolAssignment)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise count_error("assigned_partitions", n)
    assigned_partitions: list[AssignedPartitions] = []
    m.assigned_partitions = assigned_partitions
    for _ in range(n):
        assigned_partition = new(AssignedPartitions)
        n = _unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        assigned_partition.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = _unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise count_error("partitions", n)
        end = at + n * 4
        assigned_partition.partitions = [each for (each,) in _iter_i(b[at:end])]
        at = end
        assigned_partitions.append(assigned_partition)
    n = _unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.user_data = None
    else:
        end = at + n
        m.user_data = b[at:end]
        at = end
    if at > size:
        raise ProtocolError(f"ConsumerProtocolAssignment is {at - size} bytes short")
    return m, at


ConsumerProtocolAssignment.READERS = dict.fromkeys(range(0, 4), _read_consumer_protocol_assignment_v0_3)
