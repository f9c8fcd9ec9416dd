"""AlterPartition: a leader tells the controller which replicas are in sync (KIP-497).

v1  leader_recovery_state (KIP-704)
v2  topic_id in place of topic_name (KIP-841)
v3  new_isr_with_epochs in place of new_isr (KIP-903)

Called AlterIsr before 3.2.

Generated from protocol_specs/56_alter_partition by tools/codegen: do not edit.
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
pack_bix = Struct(">bix").pack
pack_i = Struct(">i").pack
pack_ih = Struct(">ih").pack
pack_ihii = Struct(">ihii").pack
pack_ii = Struct(">ii").pack
pack_iq = Struct(">iq").pack
pack_iqx = Struct(">iqx").pack
pack_ix = Struct(">ix").pack
pack_u = Struct(">16s").pack
unpack_biB = Struct(">biB").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_ihB = Struct(">ihB").unpack_from
unpack_ihiiB = Struct(">ihiiB").unpack_from
unpack_iiB = Struct(">iiB").unpack_from
unpack_iqB = Struct(">iqB").unpack_from
unpack_uB = Struct(">16sB").unpack_from


class BrokerState(Data):
    """in-sync replicas with their broker epochs (KIP-903)"""

    __slots__ = FIELDS = ("broker_id", "broker_epoch")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch


class RequestPartitionData(Data):
    __slots__ = FIELDS = (
        "partition_index",
        "leader_epoch",
        "new_isr",
        "new_isr_with_epochs",
        "leader_recovery_state",
        "partition_epoch",
    )

    def __init__(
        self,
        partition_index: int = 0,
        leader_epoch: int = 0,
        new_isr: list[int] = UNSET,
        new_isr_with_epochs: list[BrokerState] = UNSET,
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.leader_epoch = leader_epoch
        self.new_isr = [] if new_isr is UNSET else new_isr
        self.new_isr_with_epochs = [] if new_isr_with_epochs is UNSET else new_isr_with_epochs
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch


class RequestTopicData(Data):
    __slots__ = FIELDS = ("topic_name", "topic_id", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[RequestPartitionData] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class AlterPartitionRequest(Message):
    API_KEY = 56
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("broker_id", "broker_epoch", "topics")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        topics: list[RequestTopicData] = UNSET,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.topics = [] if topics is UNSET else topics


class ResponsePartitionData(Data):
    __slots__ = FIELDS = (
        "partition_index",
        "error_code",
        "leader_id",
        "leader_epoch",
        "isr",
        "leader_recovery_state",
        "partition_epoch",
    )

    def __init__(
        self,
        partition_index: int = 0,
        error_code: int = 0,
        leader_id: int = 0,
        leader_epoch: int = 0,
        isr: list[int] = UNSET,
        leader_recovery_state: int = 0,
        partition_epoch: int = 0,
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.isr = [] if isr is UNSET else isr
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch


class ResponseTopicData(Data):
    __slots__ = FIELDS = ("topic_name", "topic_id", "partitions")

    def __init__(
        self,
        topic_name: str = "",
        topic_id: bytes = ZERO_UUID,
        partitions: list[ResponsePartitionData] = UNSET,
    ) -> None:
        self.topic_name = topic_name
        self.topic_id = topic_id
        self.partitions = [] if partitions is UNSET else partitions


class AlterPartitionResponse(Message):
    API_KEY = 56
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("throttle_time_ms", "error_code", "topics")

    def __init__(
        self,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        topics: list[ResponseTopicData] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = [] if topics is UNSET else topics


def _read_alter_partition_request_v0(b: bytes, at: int) -> tuple[AlterPartitionRequest, int]:
    size = len(b)
    m = new(AlterPartitionRequest)
    m.broker_id, m.broker_epoch, n = unpack_iqB(b, at)
    at += 13
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[RequestTopicData] = []
    m.topics = topics
    for _ in range(n):
        topic = new(RequestTopicData)
        topic.topic_id = ZERO_UUID
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 14 > size - at:
            raise fault_length("partitions", n)
        partitions: list[RequestPartitionData] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(RequestPartitionData)
            partition.new_isr_with_epochs = []
            partition.leader_recovery_state = 0
            partition.partition_index, partition.leader_epoch, n = unpack_iiB(b, at)
            at += 9
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("new_isr", n)
            end = at + n * 4
            partition.new_isr = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition.partition_epoch, tags = unpack_iB(b, at)
            at += 5
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
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
        raise ProtocolError(f"AlterPartitionRequest is {at - size} bytes short")
    return m, at


def _read_alter_partition_request_v1(b: bytes, at: int) -> tuple[AlterPartitionRequest, int]:
    size = len(b)
    m = new(AlterPartitionRequest)
    m.broker_id, m.broker_epoch, n = unpack_iqB(b, at)
    at += 13
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[RequestTopicData] = []
    m.topics = topics
    for _ in range(n):
        topic = new(RequestTopicData)
        topic.topic_id = ZERO_UUID
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 15 > size - at:
            raise fault_length("partitions", n)
        partitions: list[RequestPartitionData] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(RequestPartitionData)
            partition.new_isr_with_epochs = []
            partition.partition_index, partition.leader_epoch, n = unpack_iiB(b, at)
            at += 9
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("new_isr", n)
            end = at + n * 4
            partition.new_isr = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition.leader_recovery_state, partition.partition_epoch, tags = unpack_biB(b, at)
            at += 6
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
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
        raise ProtocolError(f"AlterPartitionRequest is {at - size} bytes short")
    return m, at


def _read_alter_partition_request_v2(b: bytes, at: int) -> tuple[AlterPartitionRequest, int]:
    size = len(b)
    m = new(AlterPartitionRequest)
    m.broker_id, m.broker_epoch, n = unpack_iqB(b, at)
    at += 13
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[RequestTopicData] = []
    m.topics = topics
    for _ in range(n):
        topic = new(RequestTopicData)
        topic.topic_name = ""
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 15 > size - at:
            raise fault_length("partitions", n)
        partitions: list[RequestPartitionData] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(RequestPartitionData)
            partition.new_isr_with_epochs = []
            partition.partition_index, partition.leader_epoch, n = unpack_iiB(b, at)
            at += 9
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("new_isr", n)
            end = at + n * 4
            partition.new_isr = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition.leader_recovery_state, partition.partition_epoch, tags = unpack_biB(b, at)
            at += 6
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
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
        raise ProtocolError(f"AlterPartitionRequest is {at - size} bytes short")
    return m, at


def _read_alter_partition_request_v3(b: bytes, at: int) -> tuple[AlterPartitionRequest, int]:
    size = len(b)
    m = new(AlterPartitionRequest)
    m.broker_id, m.broker_epoch, n = unpack_iqB(b, at)
    at += 13
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[RequestTopicData] = []
    m.topics = topics
    for _ in range(n):
        topic = new(RequestTopicData)
        topic.topic_name = ""
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 15 > size - at:
            raise fault_length("partitions", n)
        partitions: list[RequestPartitionData] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(RequestPartitionData)
            partition.new_isr = []
            partition.partition_index, partition.leader_epoch, n = unpack_iiB(b, at)
            at += 9
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 13 > size - at:
                raise fault_length("new_isr_with_epochs", n)
            new_isr_with_epochs: list[BrokerState] = []
            partition.new_isr_with_epochs = new_isr_with_epochs
            for _ in range(n):
                new_isr_with_epoch = new(BrokerState)
                new_isr_with_epoch.broker_id, new_isr_with_epoch.broker_epoch, tags = unpack_iqB(b, at)
                at += 13
                if tags:
                    at = skip_tags(b, at, tags)
                new_isr_with_epochs.append(new_isr_with_epoch)
            partition.leader_recovery_state, partition.partition_epoch, tags = unpack_biB(b, at)
            at += 6
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
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
        raise ProtocolError(f"AlterPartitionRequest is {at - size} bytes short")
    return m, at


def _write_alter_partition_request_v0(m: AlterPartitionRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_iq(m.broker_id, m.broker_epoch)
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
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            if partition.new_isr_with_epochs:
                raise fault_absent("new_isr_with_epochs")
            if partition.leader_recovery_state != 0:
                raise fault_absent("leader_recovery_state")
            new_isr = partition.new_isr
            out += pack_ii(partition.partition_index, partition.leader_epoch)
            n = len(new_isr) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, new_isr))
            out += pack_ix(partition.partition_epoch)
        out.append(0)
    out.append(0)


def _write_alter_partition_request_v1(m: AlterPartitionRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_iq(m.broker_id, m.broker_epoch)
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
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            if partition.new_isr_with_epochs:
                raise fault_absent("new_isr_with_epochs")
            new_isr = partition.new_isr
            out += pack_ii(partition.partition_index, partition.leader_epoch)
            n = len(new_isr) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, new_isr))
            out += pack_bix(partition.leader_recovery_state, partition.partition_epoch)
        out.append(0)
    out.append(0)


def _write_alter_partition_request_v2(m: AlterPartitionRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_iq(m.broker_id, m.broker_epoch)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        partitions = topic.partitions
        out += pack_u(topic.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            if partition.new_isr_with_epochs:
                raise fault_absent("new_isr_with_epochs")
            new_isr = partition.new_isr
            out += pack_ii(partition.partition_index, partition.leader_epoch)
            n = len(new_isr) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, new_isr))
            out += pack_bix(partition.leader_recovery_state, partition.partition_epoch)
        out.append(0)
    out.append(0)


def _write_alter_partition_request_v3(m: AlterPartitionRequest, out: bytearray) -> None:
    topics = m.topics
    out += pack_iq(m.broker_id, m.broker_epoch)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        partitions = topic.partitions
        out += pack_u(topic.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            if partition.new_isr:
                raise fault_absent("new_isr")
            new_isr_with_epochs = partition.new_isr_with_epochs
            out += pack_ii(partition.partition_index, partition.leader_epoch)
            n = len(new_isr_with_epochs) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            for new_isr_with_epoch in new_isr_with_epochs:
                out += pack_iqx(new_isr_with_epoch.broker_id, new_isr_with_epoch.broker_epoch)
            out += pack_bix(partition.leader_recovery_state, partition.partition_epoch)
        out.append(0)
    out.append(0)


def _read_alter_partition_response_v0(b: bytes, at: int) -> tuple[AlterPartitionResponse, int]:
    size = len(b)
    m = new(AlterPartitionResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[ResponseTopicData] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ResponseTopicData)
        topic.topic_id = ZERO_UUID
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 20 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ResponsePartitionData] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ResponsePartitionData)
            partition.leader_recovery_state = 0
            partition.partition_index, partition.error_code, partition.leader_id, partition.leader_epoch, n = unpack_ihiiB(b, at)
            at += 15
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr", n)
            end = at + n * 4
            partition.isr = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition.partition_epoch, tags = unpack_iB(b, at)
            at += 5
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
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
        raise ProtocolError(f"AlterPartitionResponse is {at - size} bytes short")
    return m, at


def _read_alter_partition_response_v1(b: bytes, at: int) -> tuple[AlterPartitionResponse, int]:
    size = len(b)
    m = new(AlterPartitionResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("topics", n)
    topics: list[ResponseTopicData] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ResponseTopicData)
        topic.topic_id = ZERO_UUID
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("topic_name is null")
        end = at + n - 1
        topic.topic_name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 21 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ResponsePartitionData] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ResponsePartitionData)
            partition.partition_index, partition.error_code, partition.leader_id, partition.leader_epoch, n = unpack_ihiiB(b, at)
            at += 15
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr", n)
            end = at + n * 4
            partition.isr = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition.leader_recovery_state, partition.partition_epoch, tags = unpack_biB(b, at)
            at += 6
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
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
        raise ProtocolError(f"AlterPartitionResponse is {at - size} bytes short")
    return m, at


def _read_alter_partition_response_v2_3(b: bytes, at: int) -> tuple[AlterPartitionResponse, int]:
    size = len(b)
    m = new(AlterPartitionResponse)
    m.throttle_time_ms, m.error_code, n = unpack_ihB(b, at)
    at += 7
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 18 > size - at:
        raise fault_length("topics", n)
    topics: list[ResponseTopicData] = []
    m.topics = topics
    for _ in range(n):
        topic = new(ResponseTopicData)
        topic.topic_name = ""
        topic.topic_id, n = unpack_uB(b, at)
        at += 17
        if n > 127:
            n, at = long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 21 > size - at:
            raise fault_length("partitions", n)
        partitions: list[ResponsePartitionData] = []
        topic.partitions = partitions
        for _ in range(n):
            partition = new(ResponsePartitionData)
            partition.partition_index, partition.error_code, partition.leader_id, partition.leader_epoch, n = unpack_ihiiB(b, at)
            at += 15
            if n > 127:
                n, at = long_uvarint(b, at, n)
            n -= 1
            if n < 0 or n * 4 > size - at:
                raise fault_length("isr", n)
            end = at + n * 4
            partition.isr = [each for (each,) in iter_i(b[at:end])]
            at = end
            partition.leader_recovery_state, partition.partition_epoch, tags = unpack_biB(b, at)
            at += 6
            if tags:
                at = skip_tags(b, at, tags)
            partitions.append(partition)
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
        raise ProtocolError(f"AlterPartitionResponse is {at - size} bytes short")
    return m, at


def _write_alter_partition_response_v0(m: AlterPartitionResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_ih(m.throttle_time_ms, m.error_code)
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
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            isr = partition.isr
            out += pack_ihii(partition.partition_index, partition.error_code, partition.leader_id, partition.leader_epoch)
            n = len(isr) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr))
            out += pack_ix(partition.partition_epoch)
        out.append(0)
    out.append(0)


def _write_alter_partition_response_v1(m: AlterPartitionResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_ih(m.throttle_time_ms, m.error_code)
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
        partitions = topic.partitions
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            isr = partition.isr
            out += pack_ihii(partition.partition_index, partition.error_code, partition.leader_id, partition.leader_epoch)
            n = len(isr) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr))
            out += pack_bix(partition.leader_recovery_state, partition.partition_epoch)
        out.append(0)
    out.append(0)


def _write_alter_partition_response_v2_3(m: AlterPartitionResponse, out: bytearray) -> None:
    topics = m.topics
    out += pack_ih(m.throttle_time_ms, m.error_code)
    n = len(topics) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for topic in topics:
        partitions = topic.partitions
        out += pack_u(topic.topic_id)
        n = len(partitions) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        for partition in partitions:
            isr = partition.isr
            out += pack_ihii(partition.partition_index, partition.error_code, partition.leader_id, partition.leader_epoch)
            n = len(isr) + 1
            if n > 127:
                put_uvarint(out, n)
            else:
                out.append(n)
            out += b"".join(map(pack_i, isr))
            out += pack_bix(partition.leader_recovery_state, partition.partition_epoch)
        out.append(0)
    out.append(0)


AlterPartitionRequest.READERS = {
    0: _read_alter_partition_request_v0,
    1: _read_alter_partition_request_v1,
    2: _read_alter_partition_request_v2,
    3: _read_alter_partition_request_v3,
}
AlterPartitionRequest.WRITERS = {
    0: _write_alter_partition_request_v0,
    1: _write_alter_partition_request_v1,
    2: _write_alter_partition_request_v2,
    3: _write_alter_partition_request_v3,
}
AlterPartitionResponse.READERS = {
    0: _read_alter_partition_response_v0,
    1: _read_alter_partition_response_v1,
    2: _read_alter_partition_response_v2_3,
    3: _read_alter_partition_response_v2_3,
}
AlterPartitionResponse.WRITERS = {
    0: _write_alter_partition_response_v0,
    1: _write_alter_partition_response_v1,
    2: _write_alter_partition_response_v2_3,
    3: _write_alter_partition_response_v2_3,
}
