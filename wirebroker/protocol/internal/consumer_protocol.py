"""What consumers of a classic group tell each other inside of JoinGroup and SyncGroup, protocol type `consumer`.

Both begin with their version as int16.  Brokers only hand them on; tools read them to show who has which partition.
v1  owned_partitions (KIP-429)
v2  generation_id (KIP-792)
v3  rack_id (KIP-881)

Generated from protocol_specs/internal/consumer_protocol by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.faults import ProtocolError
from wirebroker.protocol.message import Data, Message
from wirebroker.protocol.primitives import UNSET, fault_length

new = object.__new__
iter_i = Struct(">i").iter_unpack
pack_h = Struct(">h").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
unpack_h = Struct(">h").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_ih = Struct(">ih").unpack_from


class OwnedPartitions(Data):
    __slots__ = FIELDS = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions


class ConsumerProtocolSubscription(Message):
    VERSIONS = range(0, 4)
    __slots__ = FIELDS = ("topics", "user_data", "owned_partitions", "generation_id", "rack_id")

    def __init__(
        self,
        topics: list[str] = UNSET,
        user_data: bytes | None = None,
        owned_partitions: list[OwnedPartitions] = UNSET,
        generation_id: int = -1,
        rack_id: str | None = None,
    ) -> None:
        self.topics = [] if topics is UNSET else topics
        self.user_data = user_data
        self.owned_partitions = [] if owned_partitions is UNSET else owned_partitions
        self.generation_id = generation_id
        self.rack_id = rack_id


class AssignedPartitions(Data):
    __slots__ = FIELDS = ("topic", "partitions")

    def __init__(
        self,
        topic: str = "",
        partitions: list[int] = UNSET,
    ) -> None:
        self.topic = topic
        self.partitions = [] if partitions is UNSET else partitions


class ConsumerProtocolAssignment(Message):
    VERSIONS = range(0, 4)
    __slots__ = FIELDS = ("assigned_partitions", "user_data")

    def __init__(
        self,
        assigned_partitions: list[AssignedPartitions] = UNSET,
        user_data: bytes | None = None,
    ) -> None:
        self.assigned_partitions = [] if assigned_partitions is UNSET else assigned_partitions
        self.user_data = user_data


def _read_consumer_protocol_subscription_v0(b: bytes, at: int) -> tuple[ConsumerProtocolSubscription, int]:
    size = len(b)
    m = new(ConsumerProtocolSubscription)
    m.owned_partitions = []
    m.generation_id = -1
    m.rack_id = None
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 2 > size - at:
        raise fault_length("topics", n)
    topics: list[str] = []
    m.topics = topics
    for _ in range(n):
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topics is null")
        end = at + n
        topic = b[at:end].decode("utf-8", "replace")
        at = end
        topics.append(topic)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.user_data = None
    else:
        end = at + n
        m.user_data = b[at:end]
        at = end
    if at > size:
        raise ProtocolError(f"ConsumerProtocolSubscription is {at - size} bytes short")
    return m, at


def _read_consumer_protocol_subscription_v1(b: bytes, at: int) -> tuple[ConsumerProtocolSubscription, int]:
    size = len(b)
    m = new(ConsumerProtocolSubscription)
    m.generation_id = -1
    m.rack_id = None
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 2 > size - at:
        raise fault_length("topics", n)
    topics: list[str] = []
    m.topics = topics
    for _ in range(n):
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topics is null")
        end = at + n
        topic = b[at:end].decode("utf-8", "replace")
        at = end
        topics.append(topic)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.user_data = None
    else:
        end = at + n
        m.user_data = b[at:end]
        at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("owned_partitions", n)
    owned_partitions: list[OwnedPartitions] = []
    m.owned_partitions = owned_partitions
    for _ in range(n):
        owned_partition = new(OwnedPartitions)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        owned_partition.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        owned_partition.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        owned_partitions.append(owned_partition)
    if at > size:
        raise ProtocolError(f"ConsumerProtocolSubscription is {at - size} bytes short")
    return m, at


def _read_consumer_protocol_subscription_v2(b: bytes, at: int) -> tuple[ConsumerProtocolSubscription, int]:
    size = len(b)
    m = new(ConsumerProtocolSubscription)
    m.rack_id = None
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 2 > size - at:
        raise fault_length("topics", n)
    topics: list[str] = []
    m.topics = topics
    for _ in range(n):
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topics is null")
        end = at + n
        topic = b[at:end].decode("utf-8", "replace")
        at = end
        topics.append(topic)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.user_data = None
    else:
        end = at + n
        m.user_data = b[at:end]
        at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("owned_partitions", n)
    owned_partitions: list[OwnedPartitions] = []
    m.owned_partitions = owned_partitions
    for _ in range(n):
        owned_partition = new(OwnedPartitions)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        owned_partition.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        owned_partition.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        owned_partitions.append(owned_partition)
    m.generation_id = unpack_i(b, at)[0]
    at += 4
    if at > size:
        raise ProtocolError(f"ConsumerProtocolSubscription is {at - size} bytes short")
    return m, at


def _read_consumer_protocol_subscription_v3(b: bytes, at: int) -> tuple[ConsumerProtocolSubscription, int]:
    size = len(b)
    m = new(ConsumerProtocolSubscription)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 2 > size - at:
        raise fault_length("topics", n)
    topics: list[str] = []
    m.topics = topics
    for _ in range(n):
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topics is null")
        end = at + n
        topic = b[at:end].decode("utf-8", "replace")
        at = end
        topics.append(topic)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0:
        m.user_data = None
    else:
        end = at + n
        m.user_data = b[at:end]
        at = end
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("owned_partitions", n)
    owned_partitions: list[OwnedPartitions] = []
    m.owned_partitions = owned_partitions
    for _ in range(n):
        owned_partition = new(OwnedPartitions)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        owned_partition.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        owned_partition.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        owned_partitions.append(owned_partition)
    m.generation_id, n = unpack_ih(b, at)
    at += 6
    if n < 0:
        m.rack_id = None
    else:
        end = at + n
        m.rack_id = b[at:end].decode("utf-8", "replace")
        at = end
    if at > size:
        raise ProtocolError(f"ConsumerProtocolSubscription is {at - size} bytes short")
    return m, at


def _write_consumer_protocol_subscription_v0(m: ConsumerProtocolSubscription, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        topics_bytes = topic.encode()
        out += pack_h(len(topics_bytes))
        out += topics_bytes
    user_data = m.user_data
    out += pack_i(-1 if user_data is None else len(user_data))
    if user_data is not None:
        out += user_data


def _write_consumer_protocol_subscription_v1(m: ConsumerProtocolSubscription, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        topics_bytes = topic.encode()
        out += pack_h(len(topics_bytes))
        out += topics_bytes
    user_data = m.user_data
    out += pack_i(-1 if user_data is None else len(user_data))
    if user_data is not None:
        out += user_data
    owned_partitions = m.owned_partitions
    out += pack_i(len(owned_partitions))
    for owned_partition in owned_partitions:
        topic2 = owned_partition.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = owned_partition.partitions
        out += pack_i(len(partitions))
        out += b"".join(map(pack_i, partitions))


def _write_consumer_protocol_subscription_v2(m: ConsumerProtocolSubscription, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        topics_bytes = topic.encode()
        out += pack_h(len(topics_bytes))
        out += topics_bytes
    user_data = m.user_data
    out += pack_i(-1 if user_data is None else len(user_data))
    if user_data is not None:
        out += user_data
    owned_partitions = m.owned_partitions
    out += pack_i(len(owned_partitions))
    for owned_partition in owned_partitions:
        topic2 = owned_partition.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = owned_partition.partitions
        out += pack_i(len(partitions))
        out += b"".join(map(pack_i, partitions))
    out += pack_i(m.generation_id)


def _write_consumer_protocol_subscription_v3(m: ConsumerProtocolSubscription, out: bytearray) -> None:
    topics = m.topics
    out += pack_i(len(topics))
    for topic in topics:
        topics_bytes = topic.encode()
        out += pack_h(len(topics_bytes))
        out += topics_bytes
    user_data = m.user_data
    out += pack_i(-1 if user_data is None else len(user_data))
    if user_data is not None:
        out += user_data
    owned_partitions = m.owned_partitions
    out += pack_i(len(owned_partitions))
    for owned_partition in owned_partitions:
        topic2 = owned_partition.topic
        topic_bytes = topic2.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = owned_partition.partitions
        out += pack_i(len(partitions))
        out += b"".join(map(pack_i, partitions))
    rack_id = m.rack_id
    rack_id_bytes = b"" if rack_id is None else rack_id.encode()
    out += pack_ih(m.generation_id, -1 if rack_id is None else len(rack_id_bytes))
    out += rack_id_bytes


def _read_consumer_protocol_assignment_v0_3(b: bytes, at: int) -> tuple[ConsumerProtocolAssignment, int]:
    size = len(b)
    m = new(ConsumerProtocolAssignment)
    n = unpack_i(b, at)[0]
    at += 4
    if n < 0 or n * 6 > size - at:
        raise fault_length("assigned_partitions", n)
    assigned_partitions: list[AssignedPartitions] = []
    m.assigned_partitions = assigned_partitions
    for _ in range(n):
        assigned_partition = new(AssignedPartitions)
        n = unpack_h(b, at)[0]
        at += 2
        if n < 0:
            raise ProtocolError("topic is null")
        end = at + n
        assigned_partition.topic = b[at:end].decode("utf-8", "replace")
        at = end
        n = unpack_i(b, at)[0]
        at += 4
        if n < 0 or n * 4 > size - at:
            raise fault_length("partitions", n)
        end = at + n * 4
        assigned_partition.partitions = [each for (each,) in iter_i(b[at:end])]
        at = end
        assigned_partitions.append(assigned_partition)
    n = unpack_i(b, at)[0]
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


def _write_consumer_protocol_assignment_v0_3(m: ConsumerProtocolAssignment, out: bytearray) -> None:
    assigned_partitions = m.assigned_partitions
    out += pack_i(len(assigned_partitions))
    for assigned_partition in assigned_partitions:
        topic = assigned_partition.topic
        topic_bytes = topic.encode()
        out += pack_h(len(topic_bytes))
        out += topic_bytes
        partitions = assigned_partition.partitions
        out += pack_i(len(partitions))
        out += b"".join(map(pack_i, partitions))
    user_data = m.user_data
    out += pack_i(-1 if user_data is None else len(user_data))
    if user_data is not None:
        out += user_data


ConsumerProtocolSubscription.READERS = {
    0: _read_consumer_protocol_subscription_v0,
    1: _read_consumer_protocol_subscription_v1,
    2: _read_consumer_protocol_subscription_v2,
    3: _read_consumer_protocol_subscription_v3,
}
ConsumerProtocolSubscription.WRITERS = {
    0: _write_consumer_protocol_subscription_v0,
    1: _write_consumer_protocol_subscription_v1,
    2: _write_consumer_protocol_subscription_v2,
    3: _write_consumer_protocol_subscription_v3,
}
ConsumerProtocolAssignment.READERS = {
    0: _read_consumer_protocol_assignment_v0_3,
    1: _read_consumer_protocol_assignment_v0_3,
    2: _read_consumer_protocol_assignment_v0_3,
    3: _read_consumer_protocol_assignment_v0_3,
}
ConsumerProtocolAssignment.WRITERS = {
    0: _write_consumer_protocol_assignment_v0_3,
    1: _write_consumer_protocol_assignment_v0_3,
    2: _write_consumer_protocol_assignment_v0_3,
    3: _write_consumer_protocol_assignment_v0_3,
}
