"""Records of __cluster_metadata: the log of the KRaft controllers.

A record has no key.  Its value is framed by three unsigned varints: 1, the record's type, and its version; the type
numbers are in wirebroker/metadata/kafka_import/kraft_records.py.  Records between a BeginTransactionRecord and an
AbortTransactionRecord are ignored (KIP-868).

Generated from protocol_specs/internal/cluster_metadata by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from struct import Struct

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.message import Data, ReadableMessage
from wirebroker.protocol.primitives import (
    ZERO_UUID,
    count_error,
    new,
    read_long_uvarint,
    read_uvarint,
    skip_tagged_fields,
)

_iter_i = Struct(">i").iter_unpack
_iter_u = Struct(">16s").iter_unpack
_unpack_HhB = Struct(">HhB").unpack_from
_unpack_b = Struct(">b").unpack_from
_unpack_bB = Struct(">bB").unpack_from
_unpack_bbB = Struct(">bbB").unpack_from
_unpack_dtB = Struct(">d?B").unpack_from
_unpack_hB = Struct(">hB").unpack_from
_unpack_hhB = Struct(">hhB").unpack_from
_unpack_i = Struct(">i").unpack_from
_unpack_iB = Struct(">iB").unpack_from
_unpack_iiiB = Struct(">iiiB").unpack_from
_unpack_iqB = Struct(">iqB").unpack_from
_unpack_iqqB = Struct(">iqqB").unpack_from
_unpack_ituqB = Struct(">i?16sqB").unpack_from
_unpack_iuB = Struct(">i16sB").unpack_from
_unpack_iuqB = Struct(">i16sqB").unpack_from
_unpack_iutB = Struct(">i16s?B").unpack_from
_unpack_qqqB = Struct(">qqqB").unpack_from
_unpack_tB = Struct(">?B").unpack_from
_unpack_ttB = Struct(">??B").unpack_from
_unpack_uB = Struct(">16sB").unpack_from
_unpack_ubB = Struct(">16sbB").unpack_from


class BrokerEndpoint(Data):
    """An element of `RegisterBrokerRecord.end_points`."""

    name: str = ""
    host: str = ""
    port: int = 0
    security_protocol: int = 0


class BrokerFeature(Data):
    """An element of `RegisterBrokerRecord.features`."""

    name: str = ""
    min_supported_version: int = 0
    max_supported_version: int = 0


class RegisterBrokerRecord(ReadableMessage):
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 0

    broker_id: int = 0
    is_migrating_zk_broker: bool = False  # v2+
    incarnation_id: bytes = ZERO_UUID
    broker_epoch: int = 0
    end_points: list[BrokerEndpoint] = []
    features: list[BrokerFeature] = []
    rack: str | None = ""
    fenced: bool = True
    in_controlled_shutdown: bool = False  # v1+
    log_dirs: list[bytes] = []  # v3+
    """directory.id of each online log directory (KIP-858)."""
    cordoned_log_dirs: list[bytes] | None = None  # v4+


class UnregisterBrokerRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    broker_id: int = 0
    broker_epoch: int = 0


class TopicRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    name: str = ""
    topic_id: bytes = ZERO_UUID


class PartitionRecord(ReadableMessage):
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0

    partition_id: int = -1
    topic_id: bytes = ZERO_UUID
    replicas: list[int] = []
    isr: list[int] = []
    removing_replicas: list[int] = []
    adding_replicas: list[int] = []
    leader: int = -1
    leader_recovery_state: int = 0
    """1 during the recovery from an unclean election."""
    leader_epoch: int = -1
    partition_epoch: int = -1
    """Partition epoch, incremented with each change of the partition's state."""
    directories: list[bytes] = []  # v1+
    """directory.id of the log directory of each replica."""
    eligible_leader_replicas: list[int] | None = None  # v2+
    last_known_elr: list[int] | None = None  # v2+


class ConfigRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    resource_type: int = 0
    resource_name: str = ""
    name: str = ""
    value: str | None = ""
    """Null: the key was deleted."""


class PartitionChangeRecord(ReadableMessage):
    """A change of a partition; fields that are not set are unchanged."""

    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0

    partition_id: int = -1
    topic_id: bytes = ZERO_UUID
    isr: list[int] | None = None
    leader: int = -2
    replicas: list[int] | None = None
    removing_replicas: list[int] | None = None
    adding_replicas: list[int] | None = None
    leader_recovery_state: int = -1
    directories: list[bytes] | None = None  # v1+
    eligible_leader_replicas: list[int] | None = None  # v2+
    last_known_elr: list[int] | None = None  # v2+


class FenceBrokerRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    id: int = 0
    epoch: int = 0


class UnfenceBrokerRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    id: int = 0
    epoch: int = 0


class RemoveTopicRecord(ReadableMessage):
    """The deletion of a topic and of its partitions."""

    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    topic_id: bytes = ZERO_UUID


class DelegationTokenRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    owner: str = ""
    requester: str = ""
    renewers: list[str] = []
    issue_timestamp: int = 0
    max_timestamp: int = 0
    expiration_timestamp: int = 0
    token_id: str = ""


class UserScramCredentialRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    name: str = ""
    mechanism: int = 0
    salt: bytes = b""
    stored_key: bytes = b""
    server_key: bytes = b""
    iterations: int = 0


class FeatureLevelRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    name: str = ""
    feature_level: int = 0
    """Feature level; 0: disabled."""


class EntityData(Data):
    """An element of `ClientQuotaRecord.entity`."""

    entity_type: str = ""
    entity_name: str | None = ""
    """Null: the default."""


class ClientQuotaRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    entity: list[EntityData] = []
    key: str = ""
    value: float = 0.0
    remove: bool = False


class ProducerIdsRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    broker_id: int = 0
    broker_epoch: int = -1
    next_producer_id: int = 0
    """First producer id that is not allocated."""


class BrokerRegistrationChangeRecord(ReadableMessage):
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 0

    broker_id: int = 0
    broker_epoch: int = 0
    fenced: int = 0
    """1 fenced, -1 unfenced, 0 unchanged."""
    in_controlled_shutdown: int = 0  # v1+
    log_dirs: list[bytes] = []  # v2+
    cordoned_log_dirs: list[bytes] | None = None  # v3+


class AccessControlEntryRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    id: bytes = ZERO_UUID
    resource_type: int = 0
    resource_name: str = ""
    pattern_type: int = 0
    principal: str = ""
    host: str = ""
    operation: int = 0
    permission_type: int = 0


class RemoveAccessControlEntryRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    id: bytes = ZERO_UUID


class NoOpRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    pass


class ZkMigrationStateRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    zk_migration_state: int = 0


class RemoveUserScramCredentialRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    name: str = ""
    mechanism: int = 0


class BeginTransactionRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    name: str | None = None


class EndTransactionRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    pass


class AbortTransactionRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    reason: str | None = None


class RemoveDelegationTokenRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    token_id: str = ""


class ControllerEndpoint(Data):
    """An element of `RegisterControllerRecord.end_points`."""

    name: str = ""
    host: str = ""
    port: int = 0
    security_protocol: int = 0


class ControllerFeature(Data):
    """An element of `RegisterControllerRecord.features`."""

    name: str = ""
    min_supported_version: int = 0
    max_supported_version: int = 0


class RegisterControllerRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    controller_id: int = 0
    incarnation_id: bytes = ZERO_UUID
    zk_migration_ready: bool = False
    end_points: list[ControllerEndpoint] = []
    features: list[ControllerFeature] = []


class ClearElrRecord(ReadableMessage):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0

    topic_name: str = ""
    """Empty: all topics."""


def _read_register_broker_record_v0_4(b: bytes, at: int, version: int) -> tuple[RegisterBrokerRecord, int]:
    size = len(b)
    m = new(RegisterBrokerRecord)
    m.log_dirs = []
    m.cordoned_log_dirs = None
    if version >= 2:
        m.broker_id, m.is_migrating_zk_broker, m.incarnation_id, m.broker_epoch, n = _unpack_ituqB(b, at)
        at += 30
    else:
        m.is_migrating_zk_broker = False
        m.broker_id, m.incarnation_id, m.broker_epoch, n = _unpack_iuqB(b, at)
        at += 29
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise count_error("end_points", n)
    end_points: list[BrokerEndpoint] = []
    m.end_points = end_points
    for _ in range(n):
        end_point = new(BrokerEndpoint)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        end_point.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        end_point.host = b[at:end].decode("utf-8", "replace")
        at = end
        end_point.port, end_point.security_protocol, tags = _unpack_HhB(b, at)
        at += 5
        if tags:
            at = skip_tagged_fields(b, at, tags)
        end_points.append(end_point)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise count_error("features", n)
    features: list[BrokerFeature] = []
    m.features = features
    for _ in range(n):
        feature = new(BrokerFeature)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        feature.name = b[at:end].decode("utf-8", "replace")
        at = end
        feature.min_supported_version, feature.max_supported_version, tags = _unpack_hhB(b, at)
        at += 5
        if tags:
            at = skip_tagged_fields(b, at, tags)
        features.append(feature)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.rack = None
    else:
        end = at + n - 1
        m.rack = b[at:end].decode("utf-8", "replace")
        at = end
    if version >= 1:
        m.fenced, m.in_controlled_shutdown, tags = _unpack_ttB(b, at)
        at += 3
    else:
        m.in_controlled_shutdown = False
        m.fenced, tags = _unpack_tB(b, at)
        at += 2
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0 and version >= 3:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 16 > size - at:
                    raise count_error("log_dirs", n)
                end = at + n * 16
                m.log_dirs = [each for (each,) in _iter_u(b[at:end])]
                at = end
            elif tag == 1 and version >= 4:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.cordoned_log_dirs = None
                else:
                    if n * 16 > size - at:
                        raise count_error("cordoned_log_dirs", n)
                    end = at + n * 16
                    m.cordoned_log_dirs = [each for (each,) in _iter_u(b[at:end])]
                    at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"RegisterBrokerRecord is {at - size} bytes short")
    return m, at


RegisterBrokerRecord.READERS = dict.fromkeys(range(0, 5), _read_register_broker_record_v0_4)


def _read_unregister_broker_record_v0(b: bytes, at: int, version: int) -> tuple[UnregisterBrokerRecord, int]:
    size = len(b)
    m = new(UnregisterBrokerRecord)
    m.broker_id, m.broker_epoch, tags = _unpack_iqB(b, at)
    at += 13
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"UnregisterBrokerRecord is {at - size} bytes short")
    return m, at


UnregisterBrokerRecord.READERS = dict.fromkeys(range(0, 1), _read_unregister_broker_record_v0)


def _read_topic_record_v0(b: bytes, at: int, version: int) -> tuple[TopicRecord, int]:
    size = len(b)
    m = new(TopicRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    m.name = b[at:end].decode("utf-8", "replace")
    at = end
    m.topic_id, tags = _unpack_uB(b, at)
    at += 17
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"TopicRecord is {at - size} bytes short")
    return m, at


TopicRecord.READERS = dict.fromkeys(range(0, 1), _read_topic_record_v0)


def _read_partition_record_v0_2(b: bytes, at: int, version: int) -> tuple[PartitionRecord, int]:
    size = len(b)
    m = new(PartitionRecord)
    m.leader_recovery_state = 0
    m.eligible_leader_replicas = None
    m.last_known_elr = None
    m.partition_id, m.topic_id, n = _unpack_iuB(b, at)
    at += 21
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise count_error("replicas", n)
    end = at + n * 4
    m.replicas = [each for (each,) in _iter_i(b[at:end])]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise count_error("isr", n)
    end = at + n * 4
    m.isr = [each for (each,) in _iter_i(b[at:end])]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise count_error("removing_replicas", n)
    end = at + n * 4
    m.removing_replicas = [each for (each,) in _iter_i(b[at:end])]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise count_error("adding_replicas", n)
    end = at + n * 4
    m.adding_replicas = [each for (each,) in _iter_i(b[at:end])]
    at = end
    if version >= 1:
        m.leader, m.leader_epoch, m.partition_epoch, n = _unpack_iiiB(b, at)
        at += 13
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        n -= 1
        if n < 0 or n * 16 > size - at:
            raise count_error("directories", n)
        end = at + n * 16
        m.directories = [each for (each,) in _iter_u(b[at:end])]
        at = end
        tags = b[at]
        at += 1
    else:
        m.directories = []
        m.leader, m.leader_epoch, m.partition_epoch, tags = _unpack_iiiB(b, at)
        at += 13
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.leader_recovery_state = _unpack_b(b, at)[0]
                at += 1
            elif tag == 1 and version >= 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.eligible_leader_replicas = None
                else:
                    if n * 4 > size - at:
                        raise count_error("eligible_leader_replicas", n)
                    end = at + n * 4
                    m.eligible_leader_replicas = [each for (each,) in _iter_i(b[at:end])]
                    at = end
            elif tag == 2 and version >= 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.last_known_elr = None
                else:
                    if n * 4 > size - at:
                        raise count_error("last_known_elr", n)
                    end = at + n * 4
                    m.last_known_elr = [each for (each,) in _iter_i(b[at:end])]
                    at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"PartitionRecord is {at - size} bytes short")
    return m, at


PartitionRecord.READERS = dict.fromkeys(range(0, 3), _read_partition_record_v0_2)


def _read_config_record_v0(b: bytes, at: int, version: int) -> tuple[ConfigRecord, int]:
    size = len(b)
    m = new(ConfigRecord)
    m.resource_type, n = _unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("resource_name is null")
    end = at + n - 1
    m.resource_name = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    m.name = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        m.value = None
    else:
        end = at + n - 1
        m.value = b[at:end].decode("utf-8", "replace")
        at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ConfigRecord is {at - size} bytes short")
    return m, at


ConfigRecord.READERS = dict.fromkeys(range(0, 1), _read_config_record_v0)


def _read_partition_change_record_v0_2(b: bytes, at: int, version: int) -> tuple[PartitionChangeRecord, int]:
    size = len(b)
    m = new(PartitionChangeRecord)
    m.isr = None
    m.leader = -2
    m.replicas = None
    m.removing_replicas = None
    m.adding_replicas = None
    m.leader_recovery_state = -1
    m.directories = None
    m.eligible_leader_replicas = None
    m.last_known_elr = None
    m.partition_id, m.topic_id, tags = _unpack_iuB(b, at)
    at += 21
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.isr = None
                else:
                    if n * 4 > size - at:
                        raise count_error("isr", n)
                    end = at + n * 4
                    m.isr = [each for (each,) in _iter_i(b[at:end])]
                    at = end
            elif tag == 1:
                m.leader = _unpack_i(b, at)[0]
                at += 4
            elif tag == 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.replicas = None
                else:
                    if n * 4 > size - at:
                        raise count_error("replicas", n)
                    end = at + n * 4
                    m.replicas = [each for (each,) in _iter_i(b[at:end])]
                    at = end
            elif tag == 3:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.removing_replicas = None
                else:
                    if n * 4 > size - at:
                        raise count_error("removing_replicas", n)
                    end = at + n * 4
                    m.removing_replicas = [each for (each,) in _iter_i(b[at:end])]
                    at = end
            elif tag == 4:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.adding_replicas = None
                else:
                    if n * 4 > size - at:
                        raise count_error("adding_replicas", n)
                    end = at + n * 4
                    m.adding_replicas = [each for (each,) in _iter_i(b[at:end])]
                    at = end
            elif tag == 5:
                m.leader_recovery_state = _unpack_b(b, at)[0]
                at += 1
            elif tag == 6 and version >= 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.eligible_leader_replicas = None
                else:
                    if n * 4 > size - at:
                        raise count_error("eligible_leader_replicas", n)
                    end = at + n * 4
                    m.eligible_leader_replicas = [each for (each,) in _iter_i(b[at:end])]
                    at = end
            elif tag == 7 and version >= 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.last_known_elr = None
                else:
                    if n * 4 > size - at:
                        raise count_error("last_known_elr", n)
                    end = at + n * 4
                    m.last_known_elr = [each for (each,) in _iter_i(b[at:end])]
                    at = end
            elif tag == 8 and version >= 1:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.directories = None
                else:
                    if n * 16 > size - at:
                        raise count_error("directories", n)
                    end = at + n * 16
                    m.directories = [each for (each,) in _iter_u(b[at:end])]
                    at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"PartitionChangeRecord is {at - size} bytes short")
    return m, at


PartitionChangeRecord.READERS = dict.fromkeys(range(0, 3), _read_partition_change_record_v0_2)


def _read_fence_broker_record_v0(b: bytes, at: int, version: int) -> tuple[FenceBrokerRecord, int]:
    size = len(b)
    m = new(FenceBrokerRecord)
    m.id, m.epoch, tags = _unpack_iqB(b, at)
    at += 13
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"FenceBrokerRecord is {at - size} bytes short")
    return m, at


FenceBrokerRecord.READERS = dict.fromkeys(range(0, 1), _read_fence_broker_record_v0)


def _read_unfence_broker_record_v0(b: bytes, at: int, version: int) -> tuple[UnfenceBrokerRecord, int]:
    size = len(b)
    m = new(UnfenceBrokerRecord)
    m.id, m.epoch, tags = _unpack_iqB(b, at)
    at += 13
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"UnfenceBrokerRecord is {at - size} bytes short")
    return m, at


UnfenceBrokerRecord.READERS = dict.fromkeys(range(0, 1), _read_unfence_broker_record_v0)


def _read_remove_topic_record_v0(b: bytes, at: int, version: int) -> tuple[RemoveTopicRecord, int]:
    size = len(b)
    m = new(RemoveTopicRecord)
    m.topic_id, tags = _unpack_uB(b, at)
    at += 17
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"RemoveTopicRecord is {at - size} bytes short")
    return m, at


RemoveTopicRecord.READERS = dict.fromkeys(range(0, 1), _read_remove_topic_record_v0)


def _read_delegation_token_record_v0(b: bytes, at: int, version: int) -> tuple[DelegationTokenRecord, int]:
    size = len(b)
    m = new(DelegationTokenRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("owner is null")
    end = at + n - 1
    m.owner = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("requester is null")
    end = at + n - 1
    m.requester = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise count_error("renewers", n)
    renewers: list[str] = []
    m.renewers = renewers
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("renewers is null")
        end = at + n - 1
        renewer = b[at:end].decode("utf-8", "replace")
        at = end
        renewers.append(renewer)
    m.issue_timestamp, m.max_timestamp, m.expiration_timestamp, n = _unpack_qqqB(b, at)
    at += 25
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("token_id is null")
    end = at + n - 1
    m.token_id = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"DelegationTokenRecord is {at - size} bytes short")
    return m, at


DelegationTokenRecord.READERS = dict.fromkeys(range(0, 1), _read_delegation_token_record_v0)


def _read_user_scram_credential_record_v0(b: bytes, at: int, version: int) -> tuple[UserScramCredentialRecord, int]:
    size = len(b)
    m = new(UserScramCredentialRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    m.name = b[at:end].decode("utf-8", "replace")
    at = end
    m.mechanism, n = _unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("salt is null")
    end = at + n - 1
    m.salt = b[at:end]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("stored_key is null")
    end = at + n - 1
    m.stored_key = b[at:end]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("server_key is null")
    end = at + n - 1
    m.server_key = b[at:end]
    at = end
    m.iterations, tags = _unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"UserScramCredentialRecord is {at - size} bytes short")
    return m, at


UserScramCredentialRecord.READERS = dict.fromkeys(range(0, 1), _read_user_scram_credential_record_v0)


def _read_feature_level_record_v0(b: bytes, at: int, version: int) -> tuple[FeatureLevelRecord, int]:
    size = len(b)
    m = new(FeatureLevelRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    m.name = b[at:end].decode("utf-8", "replace")
    at = end
    m.feature_level, tags = _unpack_hB(b, at)
    at += 3
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"FeatureLevelRecord is {at - size} bytes short")
    return m, at


FeatureLevelRecord.READERS = dict.fromkeys(range(0, 1), _read_feature_level_record_v0)


def _read_client_quota_record_v0(b: bytes, at: int, version: int) -> tuple[ClientQuotaRecord, int]:
    size = len(b)
    m = new(ClientQuotaRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise count_error("entity", n)
    entity: list[EntityData] = []
    m.entity = entity
    for _ in range(n):
        entity_item = new(EntityData)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("entity_type is null")
        end = at + n - 1
        entity_item.entity_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            entity_item.entity_name = None
        else:
            end = at + n - 1
            entity_item.entity_name = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tagged_fields(b, at, tags)
        entity.append(entity_item)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("key is null")
    end = at + n - 1
    m.key = b[at:end].decode("utf-8", "replace")
    at = end
    m.value, m.remove, tags = _unpack_dtB(b, at)
    at += 10
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ClientQuotaRecord is {at - size} bytes short")
    return m, at


ClientQuotaRecord.READERS = dict.fromkeys(range(0, 1), _read_client_quota_record_v0)


def _read_producer_ids_record_v0(b: bytes, at: int, version: int) -> tuple[ProducerIdsRecord, int]:
    size = len(b)
    m = new(ProducerIdsRecord)
    m.broker_id, m.broker_epoch, m.next_producer_id, tags = _unpack_iqqB(b, at)
    at += 21
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ProducerIdsRecord is {at - size} bytes short")
    return m, at


ProducerIdsRecord.READERS = dict.fromkeys(range(0, 1), _read_producer_ids_record_v0)


def _read_broker_registration_change_record_v0_3(b: bytes, at: int, version: int) -> tuple[BrokerRegistrationChangeRecord, int]:
    size = len(b)
    m = new(BrokerRegistrationChangeRecord)
    m.fenced = 0
    m.in_controlled_shutdown = 0
    m.log_dirs = []
    m.cordoned_log_dirs = None
    m.broker_id, m.broker_epoch, tags = _unpack_iqB(b, at)
    at += 13
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.fenced = _unpack_b(b, at)[0]
                at += 1
            elif tag == 1 and version >= 1:
                m.in_controlled_shutdown = _unpack_b(b, at)[0]
                at += 1
            elif tag == 2 and version >= 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 16 > size - at:
                    raise count_error("log_dirs", n)
                end = at + n * 16
                m.log_dirs = [each for (each,) in _iter_u(b[at:end])]
                at = end
            elif tag == 3 and version >= 3:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.cordoned_log_dirs = None
                else:
                    if n * 16 > size - at:
                        raise count_error("cordoned_log_dirs", n)
                    end = at + n * 16
                    m.cordoned_log_dirs = [each for (each,) in _iter_u(b[at:end])]
                    at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"BrokerRegistrationChangeRecord is {at - size} bytes short")
    return m, at


BrokerRegistrationChangeRecord.READERS = dict.fromkeys(range(0, 4), _read_broker_registration_change_record_v0_3)


def _read_access_control_entry_record_v0(b: bytes, at: int, version: int) -> tuple[AccessControlEntryRecord, int]:
    size = len(b)
    m = new(AccessControlEntryRecord)
    m.id, m.resource_type, n = _unpack_ubB(b, at)
    at += 18
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("resource_name is null")
    end = at + n - 1
    m.resource_name = b[at:end].decode("utf-8", "replace")
    at = end
    m.pattern_type, n = _unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("principal is null")
    end = at + n - 1
    m.principal = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("host is null")
    end = at + n - 1
    m.host = b[at:end].decode("utf-8", "replace")
    at = end
    m.operation, m.permission_type, tags = _unpack_bbB(b, at)
    at += 3
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"AccessControlEntryRecord is {at - size} bytes short")
    return m, at


AccessControlEntryRecord.READERS = dict.fromkeys(range(0, 1), _read_access_control_entry_record_v0)


def _read_remove_access_control_entry_record_v0(b: bytes, at: int, version: int) -> tuple[RemoveAccessControlEntryRecord, int]:
    size = len(b)
    m = new(RemoveAccessControlEntryRecord)
    m.id, tags = _unpack_uB(b, at)
    at += 17
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"RemoveAccessControlEntryRecord is {at - size} bytes short")
    return m, at


RemoveAccessControlEntryRecord.READERS = dict.fromkeys(range(0, 1), _read_remove_access_control_entry_record_v0)


def _read_no_op_record_v0(b: bytes, at: int, version: int) -> tuple[NoOpRecord, int]:
    size = len(b)
    m = new(NoOpRecord)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"NoOpRecord is {at - size} bytes short")
    return m, at


NoOpRecord.READERS = dict.fromkeys(range(0, 1), _read_no_op_record_v0)


def _read_zk_migration_state_record_v0(b: bytes, at: int, version: int) -> tuple[ZkMigrationStateRecord, int]:
    size = len(b)
    m = new(ZkMigrationStateRecord)
    m.zk_migration_state, tags = _unpack_bB(b, at)
    at += 2
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ZkMigrationStateRecord is {at - size} bytes short")
    return m, at


ZkMigrationStateRecord.READERS = dict.fromkeys(range(0, 1), _read_zk_migration_state_record_v0)


def _read_remove_user_scram_credential_record_v0(b: bytes, at: int, version: int) -> tuple[RemoveUserScramCredentialRecord, int]:
    size = len(b)
    m = new(RemoveUserScramCredentialRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    m.name = b[at:end].decode("utf-8", "replace")
    at = end
    m.mechanism, tags = _unpack_bB(b, at)
    at += 2
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"RemoveUserScramCredentialRecord is {at - size} bytes short")
    return m, at


RemoveUserScramCredentialRecord.READERS = dict.fromkeys(range(0, 1), _read_remove_user_scram_credential_record_v0)


def _read_begin_transaction_record_v0(b: bytes, at: int, version: int) -> tuple[BeginTransactionRecord, int]:
    size = len(b)
    m = new(BeginTransactionRecord)
    m.name = None
    tags = b[at]
    at += 1
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    m.name = None
                else:
                    end = at + n - 1
                    m.name = b[at:end].decode("utf-8", "replace")
                    at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"BeginTransactionRecord is {at - size} bytes short")
    return m, at


BeginTransactionRecord.READERS = dict.fromkeys(range(0, 1), _read_begin_transaction_record_v0)


def _read_end_transaction_record_v0(b: bytes, at: int, version: int) -> tuple[EndTransactionRecord, int]:
    size = len(b)
    m = new(EndTransactionRecord)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"EndTransactionRecord is {at - size} bytes short")
    return m, at


EndTransactionRecord.READERS = dict.fromkeys(range(0, 1), _read_end_transaction_record_v0)


def _read_abort_transaction_record_v0(b: bytes, at: int, version: int) -> tuple[AbortTransactionRecord, int]:
    size = len(b)
    m = new(AbortTransactionRecord)
    m.reason = None
    tags = b[at]
    at += 1
    if tags:
        if tags > 127:
            tags, at = read_long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = read_long_uvarint(b, at, n)
                if n == 0:
                    m.reason = None
                else:
                    end = at + n - 1
                    m.reason = b[at:end].decode("utf-8", "replace")
                    at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"AbortTransactionRecord is {at - size} bytes short")
    return m, at


AbortTransactionRecord.READERS = dict.fromkeys(range(0, 1), _read_abort_transaction_record_v0)


def _read_remove_delegation_token_record_v0(b: bytes, at: int, version: int) -> tuple[RemoveDelegationTokenRecord, int]:
    size = len(b)
    m = new(RemoveDelegationTokenRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("token_id is null")
    end = at + n - 1
    m.token_id = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"RemoveDelegationTokenRecord is {at - size} bytes short")
    return m, at


RemoveDelegationTokenRecord.READERS = dict.fromkeys(range(0, 1), _read_remove_delegation_token_record_v0)


def _read_register_controller_record_v0(b: bytes, at: int, version: int) -> tuple[RegisterControllerRecord, int]:
    size = len(b)
    m = new(RegisterControllerRecord)
    m.controller_id, m.incarnation_id, m.zk_migration_ready, n = _unpack_iutB(b, at)
    at += 22
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise count_error("end_points", n)
    end_points: list[ControllerEndpoint] = []
    m.end_points = end_points
    for _ in range(n):
        end_point = new(ControllerEndpoint)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        end_point.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        end_point.host = b[at:end].decode("utf-8", "replace")
        at = end
        end_point.port, end_point.security_protocol, tags = _unpack_HhB(b, at)
        at += 5
        if tags:
            at = skip_tagged_fields(b, at, tags)
        end_points.append(end_point)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise count_error("features", n)
    features: list[ControllerFeature] = []
    m.features = features
    for _ in range(n):
        feature = new(ControllerFeature)
        n = b[at]
        at += 1
        if n > 127:
            n, at = read_long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        feature.name = b[at:end].decode("utf-8", "replace")
        at = end
        feature.min_supported_version, feature.max_supported_version, tags = _unpack_hhB(b, at)
        at += 5
        if tags:
            at = skip_tagged_fields(b, at, tags)
        features.append(feature)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"RegisterControllerRecord is {at - size} bytes short")
    return m, at


RegisterControllerRecord.READERS = dict.fromkeys(range(0, 1), _read_register_controller_record_v0)


def _read_clear_elr_record_v0(b: bytes, at: int, version: int) -> tuple[ClearElrRecord, int]:
    size = len(b)
    m = new(ClearElrRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = read_long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("topic_name is null")
    end = at + n - 1
    m.topic_name = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tagged_fields(b, at, tags)
    if at > size:
        raise ProtocolError(f"ClearElrRecord is {at - size} bytes short")
    return m, at


ClearElrRecord.READERS = dict.fromkeys(range(0, 1), _read_clear_elr_record_v0)
