"""Records of __cluster_metadata: what a KRaft controller knows of the cluster.

A record has no key.  Its value is framed by three unsigned varints: 1, the record's type, and its version; the type
numbers are in wirebroker/metadata/adoption/kraft_records.py.  Records between a BeginTransactionRecord and an
AbortTransactionRecord count for nothing (KIP-868).

Generated from protocol_specs/internal/cluster_metadata by tools/codegen: do not edit.
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
iter_u = Struct(">16s").iter_unpack
pack_Hhx = Struct(">Hhx").pack
pack_b = Struct(">b").pack
pack_bbx = Struct(">bbx").pack
pack_bx = Struct(">bx").pack
pack_dtx = Struct(">d?x").pack
pack_hhx = Struct(">hhx").pack
pack_hx = Struct(">hx").pack
pack_i = Struct(">i").pack
pack_iii = Struct(">iii").pack
pack_iq = Struct(">iq").pack
pack_iqqx = Struct(">iqqx").pack
pack_iqx = Struct(">iqx").pack
pack_ituq = Struct(">i?16sq").pack
pack_iu = Struct(">i16s").pack
pack_iuq = Struct(">i16sq").pack
pack_iut = Struct(">i16s?").pack
pack_ix = Struct(">ix").pack
pack_qqq = Struct(">qqq").pack
pack_tt = Struct(">??").pack
pack_ttx = Struct(">??x").pack
pack_tx = Struct(">?x").pack
pack_ub = Struct(">16sb").pack
pack_ux = Struct(">16sx").pack
unpack_HhB = Struct(">HhB").unpack_from
unpack_b = Struct(">b").unpack_from
unpack_bB = Struct(">bB").unpack_from
unpack_bbB = Struct(">bbB").unpack_from
unpack_dtB = Struct(">d?B").unpack_from
unpack_hB = Struct(">hB").unpack_from
unpack_hhB = Struct(">hhB").unpack_from
unpack_i = Struct(">i").unpack_from
unpack_iB = Struct(">iB").unpack_from
unpack_iiiB = Struct(">iiiB").unpack_from
unpack_iqB = Struct(">iqB").unpack_from
unpack_iqqB = Struct(">iqqB").unpack_from
unpack_ituqB = Struct(">i?16sqB").unpack_from
unpack_iuB = Struct(">i16sB").unpack_from
unpack_iuqB = Struct(">i16sqB").unpack_from
unpack_iutB = Struct(">i16s?B").unpack_from
unpack_qqqB = Struct(">qqqB").unpack_from
unpack_tB = Struct(">?B").unpack_from
unpack_ttB = Struct(">??B").unpack_from
unpack_uB = Struct(">16sB").unpack_from
unpack_ubB = Struct(">16sbB").unpack_from


class BrokerEndpoint(Data):
    __slots__ = FIELDS = ("name", "host", "port", "security_protocol")

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
        security_protocol: int = 0,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol


class BrokerFeature(Data):
    __slots__ = FIELDS = ("name", "min_supported_version", "max_supported_version")

    def __init__(
        self,
        name: str = "",
        min_supported_version: int = 0,
        max_supported_version: int = 0,
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version


class RegisterBrokerRecord(Message):
    VERSIONS = range(0, 5)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "broker_id",
        "is_migrating_zk_broker",
        "incarnation_id",
        "broker_epoch",
        "end_points",
        "features",
        "rack",
        "fenced",
        "in_controlled_shutdown",
        "log_dirs",
        "cordoned_log_dirs",
    )

    def __init__(
        self,
        broker_id: int = 0,
        is_migrating_zk_broker: bool = False,
        incarnation_id: bytes = ZERO_UUID,
        broker_epoch: int = 0,
        end_points: list[BrokerEndpoint] = UNSET,
        features: list[BrokerFeature] = UNSET,
        rack: str | None = "",
        fenced: bool = True,
        in_controlled_shutdown: bool = False,
        log_dirs: list[bytes] = UNSET,
        cordoned_log_dirs: list[bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.incarnation_id = incarnation_id
        self.broker_epoch = broker_epoch
        self.end_points = [] if end_points is UNSET else end_points
        self.features = [] if features is UNSET else features
        self.rack = rack
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs = [] if log_dirs is UNSET else log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs


class UnregisterBrokerRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("broker_id", "broker_epoch")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = 0,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch


class TopicRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("name", "topic_id")

    def __init__(
        self,
        name: str = "",
        topic_id: bytes = ZERO_UUID,
    ) -> None:
        self.name = name
        self.topic_id = topic_id


class PartitionRecord(Message):
    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "partition_id",
        "topic_id",
        "replicas",
        "isr",
        "removing_replicas",
        "adding_replicas",
        "leader",
        "leader_recovery_state",
        "leader_epoch",
        "partition_epoch",
        "directories",
        "eligible_leader_replicas",
        "last_known_elr",
    )

    def __init__(
        self,
        partition_id: int = -1,
        topic_id: bytes = ZERO_UUID,
        replicas: list[int] = UNSET,
        isr: list[int] = UNSET,
        removing_replicas: list[int] = UNSET,
        adding_replicas: list[int] = UNSET,
        leader: int = -1,
        leader_recovery_state: int = 0,
        leader_epoch: int = -1,
        partition_epoch: int = -1,
        directories: list[bytes] = UNSET,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
    ) -> None:
        self.partition_id = partition_id
        self.topic_id = topic_id
        self.replicas = [] if replicas is UNSET else replicas
        self.isr = [] if isr is UNSET else isr
        self.removing_replicas = [] if removing_replicas is UNSET else removing_replicas
        self.adding_replicas = [] if adding_replicas is UNSET else adding_replicas
        self.leader = leader
        self.leader_recovery_state = leader_recovery_state
        self.leader_epoch = leader_epoch
        self.partition_epoch = partition_epoch
        self.directories = [] if directories is UNSET else directories
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr


class ConfigRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("resource_type", "resource_name", "name", "value")

    def __init__(
        self,
        resource_type: int = 0,
        resource_name: str = "",
        name: str = "",
        value: str | None = "",
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.name = name
        self.value = value


class PartitionChangeRecord(Message):
    """what is not mentioned stays as it is"""

    VERSIONS = range(0, 3)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "partition_id",
        "topic_id",
        "isr",
        "leader",
        "replicas",
        "removing_replicas",
        "adding_replicas",
        "leader_recovery_state",
        "directories",
        "eligible_leader_replicas",
        "last_known_elr",
    )

    def __init__(
        self,
        partition_id: int = -1,
        topic_id: bytes = ZERO_UUID,
        isr: list[int] | None = None,
        leader: int = -2,
        replicas: list[int] | None = None,
        removing_replicas: list[int] | None = None,
        adding_replicas: list[int] | None = None,
        leader_recovery_state: int = -1,
        directories: list[bytes] | None = None,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
    ) -> None:
        self.partition_id = partition_id
        self.topic_id = topic_id
        self.isr = isr
        self.leader = leader
        self.replicas = replicas
        self.removing_replicas = removing_replicas
        self.adding_replicas = adding_replicas
        self.leader_recovery_state = leader_recovery_state
        self.directories = directories
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr


class FenceBrokerRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("id", "epoch")

    def __init__(
        self,
        id: int = 0,
        epoch: int = 0,
    ) -> None:
        self.id = id
        self.epoch = epoch


class UnfenceBrokerRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("id", "epoch")

    def __init__(
        self,
        id: int = 0,
        epoch: int = 0,
    ) -> None:
        self.id = id
        self.epoch = epoch


class RemoveTopicRecord(Message):
    """with all its partitions"""

    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("topic_id",)

    def __init__(
        self,
        topic_id: bytes = ZERO_UUID,
    ) -> None:
        self.topic_id = topic_id


class DelegationTokenRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "owner",
        "requester",
        "renewers",
        "issue_timestamp",
        "max_timestamp",
        "expiration_timestamp",
        "token_id",
    )

    def __init__(
        self,
        owner: str = "",
        requester: str = "",
        renewers: list[str] = UNSET,
        issue_timestamp: int = 0,
        max_timestamp: int = 0,
        expiration_timestamp: int = 0,
        token_id: str = "",
    ) -> None:
        self.owner = owner
        self.requester = requester
        self.renewers = [] if renewers is UNSET else renewers
        self.issue_timestamp = issue_timestamp
        self.max_timestamp = max_timestamp
        self.expiration_timestamp = expiration_timestamp
        self.token_id = token_id


class UserScramCredentialRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("name", "mechanism", "salt", "stored_key", "server_key", "iterations")

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
        salt: bytes = b"",
        stored_key: bytes = b"",
        server_key: bytes = b"",
        iterations: int = 0,
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.salt = salt
        self.stored_key = stored_key
        self.server_key = server_key
        self.iterations = iterations


class FeatureLevelRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("name", "feature_level")

    def __init__(
        self,
        name: str = "",
        feature_level: int = 0,
    ) -> None:
        self.name = name
        self.feature_level = feature_level


class EntityData(Data):
    __slots__ = FIELDS = ("entity_type", "entity_name")

    def __init__(
        self,
        entity_type: str = "",
        entity_name: str | None = "",
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name


class ClientQuotaRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("entity", "key", "value", "remove")

    def __init__(
        self,
        entity: list[EntityData] = UNSET,
        key: str = "",
        value: float = 0.0,
        remove: bool = False,
    ) -> None:
        self.entity = [] if entity is UNSET else entity
        self.key = key
        self.value = value
        self.remove = remove


class ProducerIdsRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("broker_id", "broker_epoch", "next_producer_id")

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = -1,
        next_producer_id: int = 0,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.next_producer_id = next_producer_id


class BrokerRegistrationChangeRecord(Message):
    VERSIONS = range(0, 4)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "broker_id",
        "broker_epoch",
        "fenced",
        "in_controlled_shutdown",
        "log_dirs",
        "cordoned_log_dirs",
    )

    def __init__(
        self,
        broker_id: int = 0,
        broker_epoch: int = 0,
        fenced: int = 0,
        in_controlled_shutdown: int = 0,
        log_dirs: list[bytes] = UNSET,
        cordoned_log_dirs: list[bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs = [] if log_dirs is UNSET else log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs


class AccessControlEntryRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = (
        "id",
        "resource_type",
        "resource_name",
        "pattern_type",
        "principal",
        "host",
        "operation",
        "permission_type",
    )

    def __init__(
        self,
        id: bytes = ZERO_UUID,
        resource_type: int = 0,
        resource_name: str = "",
        pattern_type: int = 0,
        principal: str = "",
        host: str = "",
        operation: int = 0,
        permission_type: int = 0,
    ) -> None:
        self.id = id
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type


class RemoveAccessControlEntryRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("id",)

    def __init__(
        self,
        id: bytes = ZERO_UUID,
    ) -> None:
        self.id = id


class NoOpRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ()


class ZkMigrationStateRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("zk_migration_state",)

    def __init__(
        self,
        zk_migration_state: int = 0,
    ) -> None:
        self.zk_migration_state = zk_migration_state


class RemoveUserScramCredentialRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("name", "mechanism")

    def __init__(
        self,
        name: str = "",
        mechanism: int = 0,
    ) -> None:
        self.name = name
        self.mechanism = mechanism


class BeginTransactionRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("name",)

    def __init__(
        self,
        name: str | None = None,
    ) -> None:
        self.name = name


class EndTransactionRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ()


class AbortTransactionRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("reason",)

    def __init__(
        self,
        reason: str | None = None,
    ) -> None:
        self.reason = reason


class RemoveDelegationTokenRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("token_id",)

    def __init__(
        self,
        token_id: str = "",
    ) -> None:
        self.token_id = token_id


class ControllerEndpoint(Data):
    __slots__ = FIELDS = ("name", "host", "port", "security_protocol")

    def __init__(
        self,
        name: str = "",
        host: str = "",
        port: int = 0,
        security_protocol: int = 0,
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol


class ControllerFeature(Data):
    __slots__ = FIELDS = ("name", "min_supported_version", "max_supported_version")

    def __init__(
        self,
        name: str = "",
        min_supported_version: int = 0,
        max_supported_version: int = 0,
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version


class RegisterControllerRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("controller_id", "incarnation_id", "zk_migration_ready", "end_points", "features")

    def __init__(
        self,
        controller_id: int = 0,
        incarnation_id: bytes = ZERO_UUID,
        zk_migration_ready: bool = False,
        end_points: list[ControllerEndpoint] = UNSET,
        features: list[ControllerFeature] = UNSET,
    ) -> None:
        self.controller_id = controller_id
        self.incarnation_id = incarnation_id
        self.zk_migration_ready = zk_migration_ready
        self.end_points = [] if end_points is UNSET else end_points
        self.features = [] if features is UNSET else features


class ClearElrRecord(Message):
    VERSIONS = range(0, 1)
    FLEXIBLE_FROM = 0
    __slots__ = FIELDS = ("topic_name",)

    def __init__(
        self,
        topic_name: str = "",
    ) -> None:
        self.topic_name = topic_name


def _read_register_broker_record_v0(b: bytes, at: int) -> tuple[RegisterBrokerRecord, int]:
    size = len(b)
    m = new(RegisterBrokerRecord)
    m.is_migrating_zk_broker = False
    m.in_controlled_shutdown = False
    m.log_dirs = []
    m.cordoned_log_dirs = None
    m.broker_id, m.incarnation_id, m.broker_epoch, n = unpack_iuqB(b, at)
    at += 29
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise fault_length("end_points", n)
    end_points: list[BrokerEndpoint] = []
    m.end_points = end_points
    for _ in range(n):
        end_point = new(BrokerEndpoint)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        end_point.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        end_point.host = b[at:end].decode("utf-8", "replace")
        at = end
        end_point.port, end_point.security_protocol, tags = unpack_HhB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        end_points.append(end_point)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise fault_length("features", n)
    features: list[BrokerFeature] = []
    m.features = features
    for _ in range(n):
        feature = new(BrokerFeature)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        feature.name = b[at:end].decode("utf-8", "replace")
        at = end
        feature.min_supported_version, feature.max_supported_version, tags = unpack_hhB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        features.append(feature)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.rack = None
    else:
        end = at + n - 1
        m.rack = b[at:end].decode("utf-8", "replace")
        at = end
    m.fenced, tags = unpack_tB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"RegisterBrokerRecord is {at - size} bytes short")
    return m, at


def _read_register_broker_record_v1(b: bytes, at: int) -> tuple[RegisterBrokerRecord, int]:
    size = len(b)
    m = new(RegisterBrokerRecord)
    m.is_migrating_zk_broker = False
    m.log_dirs = []
    m.cordoned_log_dirs = None
    m.broker_id, m.incarnation_id, m.broker_epoch, n = unpack_iuqB(b, at)
    at += 29
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise fault_length("end_points", n)
    end_points: list[BrokerEndpoint] = []
    m.end_points = end_points
    for _ in range(n):
        end_point = new(BrokerEndpoint)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        end_point.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        end_point.host = b[at:end].decode("utf-8", "replace")
        at = end
        end_point.port, end_point.security_protocol, tags = unpack_HhB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        end_points.append(end_point)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise fault_length("features", n)
    features: list[BrokerFeature] = []
    m.features = features
    for _ in range(n):
        feature = new(BrokerFeature)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        feature.name = b[at:end].decode("utf-8", "replace")
        at = end
        feature.min_supported_version, feature.max_supported_version, tags = unpack_hhB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        features.append(feature)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.rack = None
    else:
        end = at + n - 1
        m.rack = b[at:end].decode("utf-8", "replace")
        at = end
    m.fenced, m.in_controlled_shutdown, tags = unpack_ttB(b, at)
    at += 3
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"RegisterBrokerRecord is {at - size} bytes short")
    return m, at


def _read_register_broker_record_v2(b: bytes, at: int) -> tuple[RegisterBrokerRecord, int]:
    size = len(b)
    m = new(RegisterBrokerRecord)
    m.log_dirs = []
    m.cordoned_log_dirs = None
    m.broker_id, m.is_migrating_zk_broker, m.incarnation_id, m.broker_epoch, n = unpack_ituqB(b, at)
    at += 30
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise fault_length("end_points", n)
    end_points: list[BrokerEndpoint] = []
    m.end_points = end_points
    for _ in range(n):
        end_point = new(BrokerEndpoint)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        end_point.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        end_point.host = b[at:end].decode("utf-8", "replace")
        at = end
        end_point.port, end_point.security_protocol, tags = unpack_HhB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        end_points.append(end_point)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise fault_length("features", n)
    features: list[BrokerFeature] = []
    m.features = features
    for _ in range(n):
        feature = new(BrokerFeature)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        feature.name = b[at:end].decode("utf-8", "replace")
        at = end
        feature.min_supported_version, feature.max_supported_version, tags = unpack_hhB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        features.append(feature)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.rack = None
    else:
        end = at + n - 1
        m.rack = b[at:end].decode("utf-8", "replace")
        at = end
    m.fenced, m.in_controlled_shutdown, tags = unpack_ttB(b, at)
    at += 3
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"RegisterBrokerRecord is {at - size} bytes short")
    return m, at


def _read_register_broker_record_v3(b: bytes, at: int) -> tuple[RegisterBrokerRecord, int]:
    size = len(b)
    m = new(RegisterBrokerRecord)
    m.log_dirs = []
    m.cordoned_log_dirs = None
    m.broker_id, m.is_migrating_zk_broker, m.incarnation_id, m.broker_epoch, n = unpack_ituqB(b, at)
    at += 30
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise fault_length("end_points", n)
    end_points: list[BrokerEndpoint] = []
    m.end_points = end_points
    for _ in range(n):
        end_point = new(BrokerEndpoint)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        end_point.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        end_point.host = b[at:end].decode("utf-8", "replace")
        at = end
        end_point.port, end_point.security_protocol, tags = unpack_HhB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        end_points.append(end_point)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise fault_length("features", n)
    features: list[BrokerFeature] = []
    m.features = features
    for _ in range(n):
        feature = new(BrokerFeature)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        feature.name = b[at:end].decode("utf-8", "replace")
        at = end
        feature.min_supported_version, feature.max_supported_version, tags = unpack_hhB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        features.append(feature)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.rack = None
    else:
        end = at + n - 1
        m.rack = b[at:end].decode("utf-8", "replace")
        at = end
    m.fenced, m.in_controlled_shutdown, tags = unpack_ttB(b, at)
    at += 3
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 16 > size - at:
                    raise fault_length("log_dirs", n)
                end = at + n * 16
                m.log_dirs = [each for (each,) in iter_u(b[at:end])]
                at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"RegisterBrokerRecord is {at - size} bytes short")
    return m, at


def _read_register_broker_record_v4(b: bytes, at: int) -> tuple[RegisterBrokerRecord, int]:
    size = len(b)
    m = new(RegisterBrokerRecord)
    m.log_dirs = []
    m.cordoned_log_dirs = None
    m.broker_id, m.is_migrating_zk_broker, m.incarnation_id, m.broker_epoch, n = unpack_ituqB(b, at)
    at += 30
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise fault_length("end_points", n)
    end_points: list[BrokerEndpoint] = []
    m.end_points = end_points
    for _ in range(n):
        end_point = new(BrokerEndpoint)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        end_point.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        end_point.host = b[at:end].decode("utf-8", "replace")
        at = end
        end_point.port, end_point.security_protocol, tags = unpack_HhB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        end_points.append(end_point)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise fault_length("features", n)
    features: list[BrokerFeature] = []
    m.features = features
    for _ in range(n):
        feature = new(BrokerFeature)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        feature.name = b[at:end].decode("utf-8", "replace")
        at = end
        feature.min_supported_version, feature.max_supported_version, tags = unpack_hhB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        features.append(feature)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.rack = None
    else:
        end = at + n - 1
        m.rack = b[at:end].decode("utf-8", "replace")
        at = end
    m.fenced, m.in_controlled_shutdown, tags = unpack_ttB(b, at)
    at += 3
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 16 > size - at:
                    raise fault_length("log_dirs", n)
                end = at + n * 16
                m.log_dirs = [each for (each,) in iter_u(b[at:end])]
                at = end
            elif tag == 1:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.cordoned_log_dirs = None
                else:
                    if n * 16 > size - at:
                        raise fault_length("cordoned_log_dirs", n)
                    end = at + n * 16
                    m.cordoned_log_dirs = [each for (each,) in iter_u(b[at:end])]
                    at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"RegisterBrokerRecord is {at - size} bytes short")
    return m, at


def _write_register_broker_record_v0(m: RegisterBrokerRecord, out: bytearray) -> None:
    if m.is_migrating_zk_broker:
        raise fault_absent("is_migrating_zk_broker")
    if m.in_controlled_shutdown:
        raise fault_absent("in_controlled_shutdown")
    if m.log_dirs:
        raise fault_absent("log_dirs")
    if m.cordoned_log_dirs is not None:
        raise fault_absent("cordoned_log_dirs")
    end_points = m.end_points
    out += pack_iuq(m.broker_id, m.incarnation_id, m.broker_epoch)
    n = len(end_points) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for end_point in end_points:
        name = end_point.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        host = end_point.host
        host_bytes = host.encode()
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        out += pack_Hhx(end_point.port, end_point.security_protocol)
    features = m.features
    n = len(features) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for feature in features:
        name2 = feature.name
        name_bytes2 = name2.encode()
        n = len(name_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes2
        out += pack_hhx(feature.min_supported_version, feature.max_supported_version)
    rack = m.rack
    rack_bytes = b"" if rack is None else rack.encode()
    n = 0 if rack is None else len(rack_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += rack_bytes
    out += pack_tx(m.fenced)


def _write_register_broker_record_v1(m: RegisterBrokerRecord, out: bytearray) -> None:
    if m.is_migrating_zk_broker:
        raise fault_absent("is_migrating_zk_broker")
    if m.log_dirs:
        raise fault_absent("log_dirs")
    if m.cordoned_log_dirs is not None:
        raise fault_absent("cordoned_log_dirs")
    end_points = m.end_points
    out += pack_iuq(m.broker_id, m.incarnation_id, m.broker_epoch)
    n = len(end_points) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for end_point in end_points:
        name = end_point.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        host = end_point.host
        host_bytes = host.encode()
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        out += pack_Hhx(end_point.port, end_point.security_protocol)
    features = m.features
    n = len(features) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for feature in features:
        name2 = feature.name
        name_bytes2 = name2.encode()
        n = len(name_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes2
        out += pack_hhx(feature.min_supported_version, feature.max_supported_version)
    rack = m.rack
    rack_bytes = b"" if rack is None else rack.encode()
    n = 0 if rack is None else len(rack_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += rack_bytes
    out += pack_ttx(m.fenced, m.in_controlled_shutdown)


def _write_register_broker_record_v2(m: RegisterBrokerRecord, out: bytearray) -> None:
    if m.log_dirs:
        raise fault_absent("log_dirs")
    if m.cordoned_log_dirs is not None:
        raise fault_absent("cordoned_log_dirs")
    end_points = m.end_points
    out += pack_ituq(m.broker_id, m.is_migrating_zk_broker, m.incarnation_id, m.broker_epoch)
    n = len(end_points) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for end_point in end_points:
        name = end_point.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        host = end_point.host
        host_bytes = host.encode()
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        out += pack_Hhx(end_point.port, end_point.security_protocol)
    features = m.features
    n = len(features) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for feature in features:
        name2 = feature.name
        name_bytes2 = name2.encode()
        n = len(name_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes2
        out += pack_hhx(feature.min_supported_version, feature.max_supported_version)
    rack = m.rack
    rack_bytes = b"" if rack is None else rack.encode()
    n = 0 if rack is None else len(rack_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += rack_bytes
    out += pack_ttx(m.fenced, m.in_controlled_shutdown)


def _write_register_broker_record_v3(m: RegisterBrokerRecord, out: bytearray) -> None:
    if m.cordoned_log_dirs is not None:
        raise fault_absent("cordoned_log_dirs")
    end_points = m.end_points
    out += pack_ituq(m.broker_id, m.is_migrating_zk_broker, m.incarnation_id, m.broker_epoch)
    n = len(end_points) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for end_point in end_points:
        name = end_point.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        host = end_point.host
        host_bytes = host.encode()
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        out += pack_Hhx(end_point.port, end_point.security_protocol)
    features = m.features
    n = len(features) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for feature in features:
        name2 = feature.name
        name_bytes2 = name2.encode()
        n = len(name_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes2
        out += pack_hhx(feature.min_supported_version, feature.max_supported_version)
    rack = m.rack
    rack_bytes = b"" if rack is None else rack.encode()
    n = 0 if rack is None else len(rack_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += rack_bytes
    out += pack_tt(m.fenced, m.in_controlled_shutdown)
    has_log_dirs = bool(m.log_dirs)
    out.append(has_log_dirs)
    if has_log_dirs:
        part = bytearray()
        log_dirs = m.log_dirs
        n = len(log_dirs) + 1
        if n > 127:
            put_uvarint(part, n)
        else:
            part.append(n)
        part += b"".join(log_dirs)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _write_register_broker_record_v4(m: RegisterBrokerRecord, out: bytearray) -> None:
    end_points = m.end_points
    out += pack_ituq(m.broker_id, m.is_migrating_zk_broker, m.incarnation_id, m.broker_epoch)
    n = len(end_points) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for end_point in end_points:
        name = end_point.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        host = end_point.host
        host_bytes = host.encode()
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        out += pack_Hhx(end_point.port, end_point.security_protocol)
    features = m.features
    n = len(features) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for feature in features:
        name2 = feature.name
        name_bytes2 = name2.encode()
        n = len(name_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes2
        out += pack_hhx(feature.min_supported_version, feature.max_supported_version)
    rack = m.rack
    rack_bytes = b"" if rack is None else rack.encode()
    n = 0 if rack is None else len(rack_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += rack_bytes
    out += pack_tt(m.fenced, m.in_controlled_shutdown)
    has_log_dirs = bool(m.log_dirs)
    has_cordoned_log_dirs = m.cordoned_log_dirs is not None
    out.append(has_log_dirs + has_cordoned_log_dirs)
    if has_log_dirs:
        part = bytearray()
        log_dirs = m.log_dirs
        n = len(log_dirs) + 1
        if n > 127:
            put_uvarint(part, n)
        else:
            part.append(n)
        part += b"".join(log_dirs)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part
    if has_cordoned_log_dirs:
        part2 = bytearray()
        cordoned_log_dirs = m.cordoned_log_dirs
        n = 0 if cordoned_log_dirs is None else len(cordoned_log_dirs) + 1
        if n > 127:
            put_uvarint(part2, n)
        else:
            part2.append(n)
        if cordoned_log_dirs is not None:
            part2 += b"".join(cordoned_log_dirs)
        put_uvarint(out, 1)
        put_uvarint(out, len(part2))
        out += part2


def _read_unregister_broker_record_v0(b: bytes, at: int) -> tuple[UnregisterBrokerRecord, int]:
    size = len(b)
    m = new(UnregisterBrokerRecord)
    m.broker_id, m.broker_epoch, tags = unpack_iqB(b, at)
    at += 13
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"UnregisterBrokerRecord is {at - size} bytes short")
    return m, at


def _write_unregister_broker_record_v0(m: UnregisterBrokerRecord, out: bytearray) -> None:
    out += pack_iqx(m.broker_id, m.broker_epoch)


def _read_topic_record_v0(b: bytes, at: int) -> tuple[TopicRecord, int]:
    size = len(b)
    m = new(TopicRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    m.name = b[at:end].decode("utf-8", "replace")
    at = end
    m.topic_id, tags = unpack_uB(b, at)
    at += 17
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"TopicRecord is {at - size} bytes short")
    return m, at


def _write_topic_record_v0(m: TopicRecord, out: bytearray) -> None:
    name = m.name
    name_bytes = name.encode()
    n = len(name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += name_bytes
    out += pack_ux(m.topic_id)


def _read_partition_record_v0(b: bytes, at: int) -> tuple[PartitionRecord, int]:
    size = len(b)
    m = new(PartitionRecord)
    m.leader_recovery_state = 0
    m.directories = []
    m.eligible_leader_replicas = None
    m.last_known_elr = None
    m.partition_id, m.topic_id, n = unpack_iuB(b, at)
    at += 21
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("replicas", n)
    end = at + n * 4
    m.replicas = [each for (each,) in iter_i(b[at:end])]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("isr", n)
    end = at + n * 4
    m.isr = [each for (each,) in iter_i(b[at:end])]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("removing_replicas", n)
    end = at + n * 4
    m.removing_replicas = [each for (each,) in iter_i(b[at:end])]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("adding_replicas", n)
    end = at + n * 4
    m.adding_replicas = [each for (each,) in iter_i(b[at:end])]
    at = end
    m.leader, m.leader_epoch, m.partition_epoch, tags = unpack_iiiB(b, at)
    at += 13
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.leader_recovery_state = unpack_b(b, at)[0]
                at += 1
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"PartitionRecord is {at - size} bytes short")
    return m, at


def _read_partition_record_v1(b: bytes, at: int) -> tuple[PartitionRecord, int]:
    size = len(b)
    m = new(PartitionRecord)
    m.leader_recovery_state = 0
    m.eligible_leader_replicas = None
    m.last_known_elr = None
    m.partition_id, m.topic_id, n = unpack_iuB(b, at)
    at += 21
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("replicas", n)
    end = at + n * 4
    m.replicas = [each for (each,) in iter_i(b[at:end])]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("isr", n)
    end = at + n * 4
    m.isr = [each for (each,) in iter_i(b[at:end])]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("removing_replicas", n)
    end = at + n * 4
    m.removing_replicas = [each for (each,) in iter_i(b[at:end])]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("adding_replicas", n)
    end = at + n * 4
    m.adding_replicas = [each for (each,) in iter_i(b[at:end])]
    at = end
    m.leader, m.leader_epoch, m.partition_epoch, n = unpack_iiiB(b, at)
    at += 13
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 16 > size - at:
        raise fault_length("directories", n)
    end = at + n * 16
    m.directories = [each for (each,) in iter_u(b[at:end])]
    at = end
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
                m.leader_recovery_state = unpack_b(b, at)[0]
                at += 1
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"PartitionRecord is {at - size} bytes short")
    return m, at


def _read_partition_record_v2(b: bytes, at: int) -> tuple[PartitionRecord, int]:
    size = len(b)
    m = new(PartitionRecord)
    m.leader_recovery_state = 0
    m.eligible_leader_replicas = None
    m.last_known_elr = None
    m.partition_id, m.topic_id, n = unpack_iuB(b, at)
    at += 21
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("replicas", n)
    end = at + n * 4
    m.replicas = [each for (each,) in iter_i(b[at:end])]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("isr", n)
    end = at + n * 4
    m.isr = [each for (each,) in iter_i(b[at:end])]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("removing_replicas", n)
    end = at + n * 4
    m.removing_replicas = [each for (each,) in iter_i(b[at:end])]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 4 > size - at:
        raise fault_length("adding_replicas", n)
    end = at + n * 4
    m.adding_replicas = [each for (each,) in iter_i(b[at:end])]
    at = end
    m.leader, m.leader_epoch, m.partition_epoch, n = unpack_iiiB(b, at)
    at += 13
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 16 > size - at:
        raise fault_length("directories", n)
    end = at + n * 16
    m.directories = [each for (each,) in iter_u(b[at:end])]
    at = end
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
                m.leader_recovery_state = unpack_b(b, at)[0]
                at += 1
            elif tag == 1:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.eligible_leader_replicas = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("eligible_leader_replicas", n)
                    end = at + n * 4
                    m.eligible_leader_replicas = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.last_known_elr = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("last_known_elr", n)
                    end = at + n * 4
                    m.last_known_elr = [each for (each,) in iter_i(b[at:end])]
                    at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"PartitionRecord is {at - size} bytes short")
    return m, at


def _write_partition_record_v0(m: PartitionRecord, out: bytearray) -> None:
    if m.directories:
        raise fault_absent("directories")
    if m.eligible_leader_replicas is not None:
        raise fault_absent("eligible_leader_replicas")
    if m.last_known_elr is not None:
        raise fault_absent("last_known_elr")
    replicas = m.replicas
    out += pack_iu(m.partition_id, m.topic_id)
    n = len(replicas) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_i, replicas))
    isr = m.isr
    n = len(isr) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_i, isr))
    removing_replicas = m.removing_replicas
    n = len(removing_replicas) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_i, removing_replicas))
    adding_replicas = m.adding_replicas
    n = len(adding_replicas) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_i, adding_replicas))
    out += pack_iii(m.leader, m.leader_epoch, m.partition_epoch)
    has_leader_recovery_state = m.leader_recovery_state != 0
    out.append(has_leader_recovery_state)
    if has_leader_recovery_state:
        part = bytearray()
        part += pack_b(m.leader_recovery_state)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _write_partition_record_v1(m: PartitionRecord, out: bytearray) -> None:
    if m.eligible_leader_replicas is not None:
        raise fault_absent("eligible_leader_replicas")
    if m.last_known_elr is not None:
        raise fault_absent("last_known_elr")
    replicas = m.replicas
    out += pack_iu(m.partition_id, m.topic_id)
    n = len(replicas) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_i, replicas))
    isr = m.isr
    n = len(isr) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_i, isr))
    removing_replicas = m.removing_replicas
    n = len(removing_replicas) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_i, removing_replicas))
    adding_replicas = m.adding_replicas
    n = len(adding_replicas) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_i, adding_replicas))
    directories = m.directories
    out += pack_iii(m.leader, m.leader_epoch, m.partition_epoch)
    n = len(directories) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(directories)
    has_leader_recovery_state = m.leader_recovery_state != 0
    out.append(has_leader_recovery_state)
    if has_leader_recovery_state:
        part = bytearray()
        part += pack_b(m.leader_recovery_state)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _write_partition_record_v2(m: PartitionRecord, out: bytearray) -> None:
    replicas = m.replicas
    out += pack_iu(m.partition_id, m.topic_id)
    n = len(replicas) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_i, replicas))
    isr = m.isr
    n = len(isr) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_i, isr))
    removing_replicas = m.removing_replicas
    n = len(removing_replicas) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_i, removing_replicas))
    adding_replicas = m.adding_replicas
    n = len(adding_replicas) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(map(pack_i, adding_replicas))
    directories = m.directories
    out += pack_iii(m.leader, m.leader_epoch, m.partition_epoch)
    n = len(directories) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += b"".join(directories)
    has_leader_recovery_state = m.leader_recovery_state != 0
    has_eligible_leader_replicas = m.eligible_leader_replicas is not None
    has_last_known_elr = m.last_known_elr is not None
    out.append(has_leader_recovery_state + has_eligible_leader_replicas + has_last_known_elr)
    if has_leader_recovery_state:
        part = bytearray()
        part += pack_b(m.leader_recovery_state)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part
    if has_eligible_leader_replicas:
        part2 = bytearray()
        eligible_leader_replicas = m.eligible_leader_replicas
        n = 0 if eligible_leader_replicas is None else len(eligible_leader_replicas) + 1
        if n > 127:
            put_uvarint(part2, n)
        else:
            part2.append(n)
        if eligible_leader_replicas is not None:
            part2 += b"".join(map(pack_i, eligible_leader_replicas))
        put_uvarint(out, 1)
        put_uvarint(out, len(part2))
        out += part2
    if has_last_known_elr:
        part3 = bytearray()
        last_known_elr = m.last_known_elr
        n = 0 if last_known_elr is None else len(last_known_elr) + 1
        if n > 127:
            put_uvarint(part3, n)
        else:
            part3.append(n)
        if last_known_elr is not None:
            part3 += b"".join(map(pack_i, last_known_elr))
        put_uvarint(out, 2)
        put_uvarint(out, len(part3))
        out += part3


def _read_config_record_v0(b: bytes, at: int) -> tuple[ConfigRecord, int]:
    size = len(b)
    m = new(ConfigRecord)
    m.resource_type, n = unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("resource_name is null")
    end = at + n - 1
    m.resource_name = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    m.name = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        m.value = None
    else:
        end = at + n - 1
        m.value = b[at:end].decode("utf-8", "replace")
        at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ConfigRecord is {at - size} bytes short")
    return m, at


def _write_config_record_v0(m: ConfigRecord, out: bytearray) -> None:
    resource_name = m.resource_name
    resource_name_bytes = resource_name.encode()
    out += pack_b(m.resource_type)
    n = len(resource_name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += resource_name_bytes
    name = m.name
    name_bytes = name.encode()
    n = len(name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += name_bytes
    value = m.value
    value_bytes = b"" if value is None else value.encode()
    n = 0 if value is None else len(value_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += value_bytes
    out.append(0)


def _read_partition_change_record_v0(b: bytes, at: int) -> tuple[PartitionChangeRecord, int]:
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
    m.partition_id, m.topic_id, tags = unpack_iuB(b, at)
    at += 21
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.isr = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("isr", n)
                    end = at + n * 4
                    m.isr = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 1:
                m.leader = unpack_i(b, at)[0]
                at += 4
            elif tag == 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.replicas = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("replicas", n)
                    end = at + n * 4
                    m.replicas = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 3:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.removing_replicas = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("removing_replicas", n)
                    end = at + n * 4
                    m.removing_replicas = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 4:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.adding_replicas = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("adding_replicas", n)
                    end = at + n * 4
                    m.adding_replicas = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 5:
                m.leader_recovery_state = unpack_b(b, at)[0]
                at += 1
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"PartitionChangeRecord is {at - size} bytes short")
    return m, at


def _read_partition_change_record_v1(b: bytes, at: int) -> tuple[PartitionChangeRecord, int]:
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
    m.partition_id, m.topic_id, tags = unpack_iuB(b, at)
    at += 21
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.isr = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("isr", n)
                    end = at + n * 4
                    m.isr = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 1:
                m.leader = unpack_i(b, at)[0]
                at += 4
            elif tag == 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.replicas = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("replicas", n)
                    end = at + n * 4
                    m.replicas = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 3:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.removing_replicas = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("removing_replicas", n)
                    end = at + n * 4
                    m.removing_replicas = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 4:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.adding_replicas = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("adding_replicas", n)
                    end = at + n * 4
                    m.adding_replicas = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 5:
                m.leader_recovery_state = unpack_b(b, at)[0]
                at += 1
            elif tag == 8:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.directories = None
                else:
                    if n * 16 > size - at:
                        raise fault_length("directories", n)
                    end = at + n * 16
                    m.directories = [each for (each,) in iter_u(b[at:end])]
                    at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"PartitionChangeRecord is {at - size} bytes short")
    return m, at


def _read_partition_change_record_v2(b: bytes, at: int) -> tuple[PartitionChangeRecord, int]:
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
    m.partition_id, m.topic_id, tags = unpack_iuB(b, at)
    at += 21
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.isr = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("isr", n)
                    end = at + n * 4
                    m.isr = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 1:
                m.leader = unpack_i(b, at)[0]
                at += 4
            elif tag == 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.replicas = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("replicas", n)
                    end = at + n * 4
                    m.replicas = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 3:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.removing_replicas = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("removing_replicas", n)
                    end = at + n * 4
                    m.removing_replicas = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 4:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.adding_replicas = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("adding_replicas", n)
                    end = at + n * 4
                    m.adding_replicas = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 5:
                m.leader_recovery_state = unpack_b(b, at)[0]
                at += 1
            elif tag == 6:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.eligible_leader_replicas = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("eligible_leader_replicas", n)
                    end = at + n * 4
                    m.eligible_leader_replicas = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 7:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.last_known_elr = None
                else:
                    if n * 4 > size - at:
                        raise fault_length("last_known_elr", n)
                    end = at + n * 4
                    m.last_known_elr = [each for (each,) in iter_i(b[at:end])]
                    at = end
            elif tag == 8:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.directories = None
                else:
                    if n * 16 > size - at:
                        raise fault_length("directories", n)
                    end = at + n * 16
                    m.directories = [each for (each,) in iter_u(b[at:end])]
                    at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"PartitionChangeRecord is {at - size} bytes short")
    return m, at


def _write_partition_change_record_v0(m: PartitionChangeRecord, out: bytearray) -> None:
    if m.directories is not None:
        raise fault_absent("directories")
    if m.eligible_leader_replicas is not None:
        raise fault_absent("eligible_leader_replicas")
    if m.last_known_elr is not None:
        raise fault_absent("last_known_elr")
    out += pack_iu(m.partition_id, m.topic_id)
    has_isr = m.isr is not None
    has_leader = m.leader != -2
    has_replicas = m.replicas is not None
    has_removing_replicas = m.removing_replicas is not None
    has_adding_replicas = m.adding_replicas is not None
    has_leader_recovery_state = m.leader_recovery_state != -1
    out.append(has_isr + has_leader + has_replicas + has_removing_replicas + has_adding_replicas + has_leader_recovery_state)
    if has_isr:
        part = bytearray()
        isr = m.isr
        n = 0 if isr is None else len(isr) + 1
        if n > 127:
            put_uvarint(part, n)
        else:
            part.append(n)
        if isr is not None:
            part += b"".join(map(pack_i, isr))
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part
    if has_leader:
        part2 = bytearray()
        part2 += pack_i(m.leader)
        put_uvarint(out, 1)
        put_uvarint(out, len(part2))
        out += part2
    if has_replicas:
        part3 = bytearray()
        replicas = m.replicas
        n = 0 if replicas is None else len(replicas) + 1
        if n > 127:
            put_uvarint(part3, n)
        else:
            part3.append(n)
        if replicas is not None:
            part3 += b"".join(map(pack_i, replicas))
        put_uvarint(out, 2)
        put_uvarint(out, len(part3))
        out += part3
    if has_removing_replicas:
        part4 = bytearray()
        removing_replicas = m.removing_replicas
        n = 0 if removing_replicas is None else len(removing_replicas) + 1
        if n > 127:
            put_uvarint(part4, n)
        else:
            part4.append(n)
        if removing_replicas is not None:
            part4 += b"".join(map(pack_i, removing_replicas))
        put_uvarint(out, 3)
        put_uvarint(out, len(part4))
        out += part4
    if has_adding_replicas:
        part5 = bytearray()
        adding_replicas = m.adding_replicas
        n = 0 if adding_replicas is None else len(adding_replicas) + 1
        if n > 127:
            put_uvarint(part5, n)
        else:
            part5.append(n)
        if adding_replicas is not None:
            part5 += b"".join(map(pack_i, adding_replicas))
        put_uvarint(out, 4)
        put_uvarint(out, len(part5))
        out += part5
    if has_leader_recovery_state:
        part6 = bytearray()
        part6 += pack_b(m.leader_recovery_state)
        put_uvarint(out, 5)
        put_uvarint(out, len(part6))
        out += part6


def _write_partition_change_record_v1(m: PartitionChangeRecord, out: bytearray) -> None:
    if m.eligible_leader_replicas is not None:
        raise fault_absent("eligible_leader_replicas")
    if m.last_known_elr is not None:
        raise fault_absent("last_known_elr")
    out += pack_iu(m.partition_id, m.topic_id)
    has_isr = m.isr is not None
    has_leader = m.leader != -2
    has_replicas = m.replicas is not None
    has_removing_replicas = m.removing_replicas is not None
    has_adding_replicas = m.adding_replicas is not None
    has_leader_recovery_state = m.leader_recovery_state != -1
    has_directories = m.directories is not None
    out.append(has_isr + has_leader + has_replicas + has_removing_replicas + has_adding_replicas + has_leader_recovery_state + has_directories)
    if has_isr:
        part = bytearray()
        isr = m.isr
        n = 0 if isr is None else len(isr) + 1
        if n > 127:
            put_uvarint(part, n)
        else:
            part.append(n)
        if isr is not None:
            part += b"".join(map(pack_i, isr))
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part
    if has_leader:
        part2 = bytearray()
        part2 += pack_i(m.leader)
        put_uvarint(out, 1)
        put_uvarint(out, len(part2))
        out += part2
    if has_replicas:
        part3 = bytearray()
        replicas = m.replicas
        n = 0 if replicas is None else len(replicas) + 1
        if n > 127:
            put_uvarint(part3, n)
        else:
            part3.append(n)
        if replicas is not None:
            part3 += b"".join(map(pack_i, replicas))
        put_uvarint(out, 2)
        put_uvarint(out, len(part3))
        out += part3
    if has_removing_replicas:
        part4 = bytearray()
        removing_replicas = m.removing_replicas
        n = 0 if removing_replicas is None else len(removing_replicas) + 1
        if n > 127:
            put_uvarint(part4, n)
        else:
            part4.append(n)
        if removing_replicas is not None:
            part4 += b"".join(map(pack_i, removing_replicas))
        put_uvarint(out, 3)
        put_uvarint(out, len(part4))
        out += part4
    if has_adding_replicas:
        part5 = bytearray()
        adding_replicas = m.adding_replicas
        n = 0 if adding_replicas is None else len(adding_replicas) + 1
        if n > 127:
            put_uvarint(part5, n)
        else:
            part5.append(n)
        if adding_replicas is not None:
            part5 += b"".join(map(pack_i, adding_replicas))
        put_uvarint(out, 4)
        put_uvarint(out, len(part5))
        out += part5
    if has_leader_recovery_state:
        part6 = bytearray()
        part6 += pack_b(m.leader_recovery_state)
        put_uvarint(out, 5)
        put_uvarint(out, len(part6))
        out += part6
    if has_directories:
        part7 = bytearray()
        directories = m.directories
        n = 0 if directories is None else len(directories) + 1
        if n > 127:
            put_uvarint(part7, n)
        else:
            part7.append(n)
        if directories is not None:
            part7 += b"".join(directories)
        put_uvarint(out, 8)
        put_uvarint(out, len(part7))
        out += part7


def _write_partition_change_record_v2(m: PartitionChangeRecord, out: bytearray) -> None:
    out += pack_iu(m.partition_id, m.topic_id)
    has_isr = m.isr is not None
    has_leader = m.leader != -2
    has_replicas = m.replicas is not None
    has_removing_replicas = m.removing_replicas is not None
    has_adding_replicas = m.adding_replicas is not None
    has_leader_recovery_state = m.leader_recovery_state != -1
    has_eligible_leader_replicas = m.eligible_leader_replicas is not None
    has_last_known_elr = m.last_known_elr is not None
    has_directories = m.directories is not None
    out.append(has_isr + has_leader + has_replicas + has_removing_replicas + has_adding_replicas + has_leader_recovery_state + has_eligible_leader_replicas + has_last_known_elr + has_directories)
    if has_isr:
        part = bytearray()
        isr = m.isr
        n = 0 if isr is None else len(isr) + 1
        if n > 127:
            put_uvarint(part, n)
        else:
            part.append(n)
        if isr is not None:
            part += b"".join(map(pack_i, isr))
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part
    if has_leader:
        part2 = bytearray()
        part2 += pack_i(m.leader)
        put_uvarint(out, 1)
        put_uvarint(out, len(part2))
        out += part2
    if has_replicas:
        part3 = bytearray()
        replicas = m.replicas
        n = 0 if replicas is None else len(replicas) + 1
        if n > 127:
            put_uvarint(part3, n)
        else:
            part3.append(n)
        if replicas is not None:
            part3 += b"".join(map(pack_i, replicas))
        put_uvarint(out, 2)
        put_uvarint(out, len(part3))
        out += part3
    if has_removing_replicas:
        part4 = bytearray()
        removing_replicas = m.removing_replicas
        n = 0 if removing_replicas is None else len(removing_replicas) + 1
        if n > 127:
            put_uvarint(part4, n)
        else:
            part4.append(n)
        if removing_replicas is not None:
            part4 += b"".join(map(pack_i, removing_replicas))
        put_uvarint(out, 3)
        put_uvarint(out, len(part4))
        out += part4
    if has_adding_replicas:
        part5 = bytearray()
        adding_replicas = m.adding_replicas
        n = 0 if adding_replicas is None else len(adding_replicas) + 1
        if n > 127:
            put_uvarint(part5, n)
        else:
            part5.append(n)
        if adding_replicas is not None:
            part5 += b"".join(map(pack_i, adding_replicas))
        put_uvarint(out, 4)
        put_uvarint(out, len(part5))
        out += part5
    if has_leader_recovery_state:
        part6 = bytearray()
        part6 += pack_b(m.leader_recovery_state)
        put_uvarint(out, 5)
        put_uvarint(out, len(part6))
        out += part6
    if has_eligible_leader_replicas:
        part7 = bytearray()
        eligible_leader_replicas = m.eligible_leader_replicas
        n = 0 if eligible_leader_replicas is None else len(eligible_leader_replicas) + 1
        if n > 127:
            put_uvarint(part7, n)
        else:
            part7.append(n)
        if eligible_leader_replicas is not None:
            part7 += b"".join(map(pack_i, eligible_leader_replicas))
        put_uvarint(out, 6)
        put_uvarint(out, len(part7))
        out += part7
    if has_last_known_elr:
        part8 = bytearray()
        last_known_elr = m.last_known_elr
        n = 0 if last_known_elr is None else len(last_known_elr) + 1
        if n > 127:
            put_uvarint(part8, n)
        else:
            part8.append(n)
        if last_known_elr is not None:
            part8 += b"".join(map(pack_i, last_known_elr))
        put_uvarint(out, 7)
        put_uvarint(out, len(part8))
        out += part8
    if has_directories:
        part9 = bytearray()
        directories = m.directories
        n = 0 if directories is None else len(directories) + 1
        if n > 127:
            put_uvarint(part9, n)
        else:
            part9.append(n)
        if directories is not None:
            part9 += b"".join(directories)
        put_uvarint(out, 8)
        put_uvarint(out, len(part9))
        out += part9


def _read_fence_broker_record_v0(b: bytes, at: int) -> tuple[FenceBrokerRecord, int]:
    size = len(b)
    m = new(FenceBrokerRecord)
    m.id, m.epoch, tags = unpack_iqB(b, at)
    at += 13
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"FenceBrokerRecord is {at - size} bytes short")
    return m, at


def _write_fence_broker_record_v0(m: FenceBrokerRecord, out: bytearray) -> None:
    out += pack_iqx(m.id, m.epoch)


def _read_unfence_broker_record_v0(b: bytes, at: int) -> tuple[UnfenceBrokerRecord, int]:
    size = len(b)
    m = new(UnfenceBrokerRecord)
    m.id, m.epoch, tags = unpack_iqB(b, at)
    at += 13
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"UnfenceBrokerRecord is {at - size} bytes short")
    return m, at


def _write_unfence_broker_record_v0(m: UnfenceBrokerRecord, out: bytearray) -> None:
    out += pack_iqx(m.id, m.epoch)


def _read_remove_topic_record_v0(b: bytes, at: int) -> tuple[RemoveTopicRecord, int]:
    size = len(b)
    m = new(RemoveTopicRecord)
    m.topic_id, tags = unpack_uB(b, at)
    at += 17
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"RemoveTopicRecord is {at - size} bytes short")
    return m, at


def _write_remove_topic_record_v0(m: RemoveTopicRecord, out: bytearray) -> None:
    out += pack_ux(m.topic_id)


def _read_delegation_token_record_v0(b: bytes, at: int) -> tuple[DelegationTokenRecord, int]:
    size = len(b)
    m = new(DelegationTokenRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("owner is null")
    end = at + n - 1
    m.owner = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("requester is null")
    end = at + n - 1
    m.requester = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n > size - at:
        raise fault_length("renewers", n)
    renewers: list[str] = []
    m.renewers = renewers
    for _ in range(n):
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("renewers is null")
        end = at + n - 1
        renewer = b[at:end].decode("utf-8", "replace")
        at = end
        renewers.append(renewer)
    m.issue_timestamp, m.max_timestamp, m.expiration_timestamp, n = unpack_qqqB(b, at)
    at += 25
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("token_id is null")
    end = at + n - 1
    m.token_id = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"DelegationTokenRecord is {at - size} bytes short")
    return m, at


def _write_delegation_token_record_v0(m: DelegationTokenRecord, out: bytearray) -> None:
    owner = m.owner
    owner_bytes = owner.encode()
    n = len(owner_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += owner_bytes
    requester = m.requester
    requester_bytes = requester.encode()
    n = len(requester_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += requester_bytes
    renewers = m.renewers
    n = len(renewers) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for renewer in renewers:
        renewers_bytes = renewer.encode()
        n = len(renewers_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += renewers_bytes
    token_id = m.token_id
    token_id_bytes = token_id.encode()
    out += pack_qqq(m.issue_timestamp, m.max_timestamp, m.expiration_timestamp)
    n = len(token_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += token_id_bytes
    out.append(0)


def _read_user_scram_credential_record_v0(b: bytes, at: int) -> tuple[UserScramCredentialRecord, int]:
    size = len(b)
    m = new(UserScramCredentialRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    m.name = b[at:end].decode("utf-8", "replace")
    at = end
    m.mechanism, n = unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("salt is null")
    end = at + n - 1
    m.salt = b[at:end]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("stored_key is null")
    end = at + n - 1
    m.stored_key = b[at:end]
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("server_key is null")
    end = at + n - 1
    m.server_key = b[at:end]
    at = end
    m.iterations, tags = unpack_iB(b, at)
    at += 5
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"UserScramCredentialRecord is {at - size} bytes short")
    return m, at


def _write_user_scram_credential_record_v0(m: UserScramCredentialRecord, out: bytearray) -> None:
    name = m.name
    name_bytes = name.encode()
    n = len(name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += name_bytes
    salt = m.salt
    out += pack_b(m.mechanism)
    n = len(salt) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += salt
    stored_key = m.stored_key
    n = len(stored_key) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += stored_key
    server_key = m.server_key
    n = len(server_key) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += server_key
    out += pack_ix(m.iterations)


def _read_feature_level_record_v0(b: bytes, at: int) -> tuple[FeatureLevelRecord, int]:
    size = len(b)
    m = new(FeatureLevelRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    m.name = b[at:end].decode("utf-8", "replace")
    at = end
    m.feature_level, tags = unpack_hB(b, at)
    at += 3
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"FeatureLevelRecord is {at - size} bytes short")
    return m, at


def _write_feature_level_record_v0(m: FeatureLevelRecord, out: bytearray) -> None:
    name = m.name
    name_bytes = name.encode()
    n = len(name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += name_bytes
    out += pack_hx(m.feature_level)


def _read_client_quota_record_v0(b: bytes, at: int) -> tuple[ClientQuotaRecord, int]:
    size = len(b)
    m = new(ClientQuotaRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 3 > size - at:
        raise fault_length("entity", n)
    entity: list[EntityData] = []
    m.entity = entity
    for _ in range(n):
        entity_item = new(EntityData)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("entity_type is null")
        end = at + n - 1
        entity_item.entity_type = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            entity_item.entity_name = None
        else:
            end = at + n - 1
            entity_item.entity_name = b[at:end].decode("utf-8", "replace")
            at = end
        tags = b[at]
        at += 1
        if tags:
            at = skip_tags(b, at, tags)
        entity.append(entity_item)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("key is null")
    end = at + n - 1
    m.key = b[at:end].decode("utf-8", "replace")
    at = end
    m.value, m.remove, tags = unpack_dtB(b, at)
    at += 10
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ClientQuotaRecord is {at - size} bytes short")
    return m, at


def _write_client_quota_record_v0(m: ClientQuotaRecord, out: bytearray) -> None:
    entity = m.entity
    n = len(entity) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for entity_item in entity:
        entity_type = entity_item.entity_type
        entity_type_bytes = entity_type.encode()
        n = len(entity_type_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += entity_type_bytes
        entity_name = entity_item.entity_name
        entity_name_bytes = b"" if entity_name is None else entity_name.encode()
        n = 0 if entity_name is None else len(entity_name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += entity_name_bytes
        out.append(0)
    key = m.key
    key_bytes = key.encode()
    n = len(key_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += key_bytes
    out += pack_dtx(m.value, m.remove)


def _read_producer_ids_record_v0(b: bytes, at: int) -> tuple[ProducerIdsRecord, int]:
    size = len(b)
    m = new(ProducerIdsRecord)
    m.broker_id, m.broker_epoch, m.next_producer_id, tags = unpack_iqqB(b, at)
    at += 21
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ProducerIdsRecord is {at - size} bytes short")
    return m, at


def _write_producer_ids_record_v0(m: ProducerIdsRecord, out: bytearray) -> None:
    out += pack_iqqx(m.broker_id, m.broker_epoch, m.next_producer_id)


def _read_broker_registration_change_record_v0(b: bytes, at: int) -> tuple[BrokerRegistrationChangeRecord, int]:
    size = len(b)
    m = new(BrokerRegistrationChangeRecord)
    m.fenced = 0
    m.in_controlled_shutdown = 0
    m.log_dirs = []
    m.cordoned_log_dirs = None
    m.broker_id, m.broker_epoch, tags = unpack_iqB(b, at)
    at += 13
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.fenced = unpack_b(b, at)[0]
                at += 1
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"BrokerRegistrationChangeRecord is {at - size} bytes short")
    return m, at


def _read_broker_registration_change_record_v1(b: bytes, at: int) -> tuple[BrokerRegistrationChangeRecord, int]:
    size = len(b)
    m = new(BrokerRegistrationChangeRecord)
    m.fenced = 0
    m.in_controlled_shutdown = 0
    m.log_dirs = []
    m.cordoned_log_dirs = None
    m.broker_id, m.broker_epoch, tags = unpack_iqB(b, at)
    at += 13
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.fenced = unpack_b(b, at)[0]
                at += 1
            elif tag == 1:
                m.in_controlled_shutdown = unpack_b(b, at)[0]
                at += 1
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"BrokerRegistrationChangeRecord is {at - size} bytes short")
    return m, at


def _read_broker_registration_change_record_v2(b: bytes, at: int) -> tuple[BrokerRegistrationChangeRecord, int]:
    size = len(b)
    m = new(BrokerRegistrationChangeRecord)
    m.fenced = 0
    m.in_controlled_shutdown = 0
    m.log_dirs = []
    m.cordoned_log_dirs = None
    m.broker_id, m.broker_epoch, tags = unpack_iqB(b, at)
    at += 13
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.fenced = unpack_b(b, at)[0]
                at += 1
            elif tag == 1:
                m.in_controlled_shutdown = unpack_b(b, at)[0]
                at += 1
            elif tag == 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 16 > size - at:
                    raise fault_length("log_dirs", n)
                end = at + n * 16
                m.log_dirs = [each for (each,) in iter_u(b[at:end])]
                at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"BrokerRegistrationChangeRecord is {at - size} bytes short")
    return m, at


def _read_broker_registration_change_record_v3(b: bytes, at: int) -> tuple[BrokerRegistrationChangeRecord, int]:
    size = len(b)
    m = new(BrokerRegistrationChangeRecord)
    m.fenced = 0
    m.in_controlled_shutdown = 0
    m.log_dirs = []
    m.cordoned_log_dirs = None
    m.broker_id, m.broker_epoch, tags = unpack_iqB(b, at)
    at += 13
    if tags:
        if tags > 127:
            tags, at = long_uvarint(b, at, tags)
        for _ in range(tags):
            tag, at = read_uvarint(b, at)
            n, at = read_uvarint(b, at)
            tag_end = at + n
            if tag == 0:
                m.fenced = unpack_b(b, at)[0]
                at += 1
            elif tag == 1:
                m.in_controlled_shutdown = unpack_b(b, at)[0]
                at += 1
            elif tag == 2:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0 or n * 16 > size - at:
                    raise fault_length("log_dirs", n)
                end = at + n * 16
                m.log_dirs = [each for (each,) in iter_u(b[at:end])]
                at = end
            elif tag == 3:
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
                n -= 1
                if n < 0:
                    m.cordoned_log_dirs = None
                else:
                    if n * 16 > size - at:
                        raise fault_length("cordoned_log_dirs", n)
                    end = at + n * 16
                    m.cordoned_log_dirs = [each for (each,) in iter_u(b[at:end])]
                    at = end
            else:
                at = tag_end
            if at != tag_end or at > size:
                raise ProtocolError("a tagged field does not have the size it announces")
    if at > size:
        raise ProtocolError(f"BrokerRegistrationChangeRecord is {at - size} bytes short")
    return m, at


def _write_broker_registration_change_record_v0(m: BrokerRegistrationChangeRecord, out: bytearray) -> None:
    if m.in_controlled_shutdown != 0:
        raise fault_absent("in_controlled_shutdown")
    if m.log_dirs:
        raise fault_absent("log_dirs")
    if m.cordoned_log_dirs is not None:
        raise fault_absent("cordoned_log_dirs")
    out += pack_iq(m.broker_id, m.broker_epoch)
    has_fenced = m.fenced != 0
    out.append(has_fenced)
    if has_fenced:
        part = bytearray()
        part += pack_b(m.fenced)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _write_broker_registration_change_record_v1(m: BrokerRegistrationChangeRecord, out: bytearray) -> None:
    if m.log_dirs:
        raise fault_absent("log_dirs")
    if m.cordoned_log_dirs is not None:
        raise fault_absent("cordoned_log_dirs")
    out += pack_iq(m.broker_id, m.broker_epoch)
    has_fenced = m.fenced != 0
    has_in_controlled_shutdown = m.in_controlled_shutdown != 0
    out.append(has_fenced + has_in_controlled_shutdown)
    if has_fenced:
        part = bytearray()
        part += pack_b(m.fenced)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part
    if has_in_controlled_shutdown:
        part2 = bytearray()
        part2 += pack_b(m.in_controlled_shutdown)
        put_uvarint(out, 1)
        put_uvarint(out, len(part2))
        out += part2


def _write_broker_registration_change_record_v2(m: BrokerRegistrationChangeRecord, out: bytearray) -> None:
    if m.cordoned_log_dirs is not None:
        raise fault_absent("cordoned_log_dirs")
    out += pack_iq(m.broker_id, m.broker_epoch)
    has_fenced = m.fenced != 0
    has_in_controlled_shutdown = m.in_controlled_shutdown != 0
    has_log_dirs = bool(m.log_dirs)
    out.append(has_fenced + has_in_controlled_shutdown + has_log_dirs)
    if has_fenced:
        part = bytearray()
        part += pack_b(m.fenced)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part
    if has_in_controlled_shutdown:
        part2 = bytearray()
        part2 += pack_b(m.in_controlled_shutdown)
        put_uvarint(out, 1)
        put_uvarint(out, len(part2))
        out += part2
    if has_log_dirs:
        part3 = bytearray()
        log_dirs = m.log_dirs
        n = len(log_dirs) + 1
        if n > 127:
            put_uvarint(part3, n)
        else:
            part3.append(n)
        part3 += b"".join(log_dirs)
        put_uvarint(out, 2)
        put_uvarint(out, len(part3))
        out += part3


def _write_broker_registration_change_record_v3(m: BrokerRegistrationChangeRecord, out: bytearray) -> None:
    out += pack_iq(m.broker_id, m.broker_epoch)
    has_fenced = m.fenced != 0
    has_in_controlled_shutdown = m.in_controlled_shutdown != 0
    has_log_dirs = bool(m.log_dirs)
    has_cordoned_log_dirs = m.cordoned_log_dirs is not None
    out.append(has_fenced + has_in_controlled_shutdown + has_log_dirs + has_cordoned_log_dirs)
    if has_fenced:
        part = bytearray()
        part += pack_b(m.fenced)
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part
    if has_in_controlled_shutdown:
        part2 = bytearray()
        part2 += pack_b(m.in_controlled_shutdown)
        put_uvarint(out, 1)
        put_uvarint(out, len(part2))
        out += part2
    if has_log_dirs:
        part3 = bytearray()
        log_dirs = m.log_dirs
        n = len(log_dirs) + 1
        if n > 127:
            put_uvarint(part3, n)
        else:
            part3.append(n)
        part3 += b"".join(log_dirs)
        put_uvarint(out, 2)
        put_uvarint(out, len(part3))
        out += part3
    if has_cordoned_log_dirs:
        part4 = bytearray()
        cordoned_log_dirs = m.cordoned_log_dirs
        n = 0 if cordoned_log_dirs is None else len(cordoned_log_dirs) + 1
        if n > 127:
            put_uvarint(part4, n)
        else:
            part4.append(n)
        if cordoned_log_dirs is not None:
            part4 += b"".join(cordoned_log_dirs)
        put_uvarint(out, 3)
        put_uvarint(out, len(part4))
        out += part4


def _read_access_control_entry_record_v0(b: bytes, at: int) -> tuple[AccessControlEntryRecord, int]:
    size = len(b)
    m = new(AccessControlEntryRecord)
    m.id, m.resource_type, n = unpack_ubB(b, at)
    at += 18
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("resource_name is null")
    end = at + n - 1
    m.resource_name = b[at:end].decode("utf-8", "replace")
    at = end
    m.pattern_type, n = unpack_bB(b, at)
    at += 2
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("principal is null")
    end = at + n - 1
    m.principal = b[at:end].decode("utf-8", "replace")
    at = end
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("host is null")
    end = at + n - 1
    m.host = b[at:end].decode("utf-8", "replace")
    at = end
    m.operation, m.permission_type, tags = unpack_bbB(b, at)
    at += 3
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"AccessControlEntryRecord is {at - size} bytes short")
    return m, at


def _write_access_control_entry_record_v0(m: AccessControlEntryRecord, out: bytearray) -> None:
    resource_name = m.resource_name
    resource_name_bytes = resource_name.encode()
    out += pack_ub(m.id, m.resource_type)
    n = len(resource_name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += resource_name_bytes
    principal = m.principal
    principal_bytes = principal.encode()
    out += pack_b(m.pattern_type)
    n = len(principal_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += principal_bytes
    host = m.host
    host_bytes = host.encode()
    n = len(host_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += host_bytes
    out += pack_bbx(m.operation, m.permission_type)


def _read_remove_access_control_entry_record_v0(b: bytes, at: int) -> tuple[RemoveAccessControlEntryRecord, int]:
    size = len(b)
    m = new(RemoveAccessControlEntryRecord)
    m.id, tags = unpack_uB(b, at)
    at += 17
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"RemoveAccessControlEntryRecord is {at - size} bytes short")
    return m, at


def _write_remove_access_control_entry_record_v0(m: RemoveAccessControlEntryRecord, out: bytearray) -> None:
    out += pack_ux(m.id)


def _read_no_op_record_v0(b: bytes, at: int) -> tuple[NoOpRecord, int]:
    size = len(b)
    m = new(NoOpRecord)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"NoOpRecord is {at - size} bytes short")
    return m, at


def _write_no_op_record_v0(m: NoOpRecord, out: bytearray) -> None:
    out.append(0)


def _read_zk_migration_state_record_v0(b: bytes, at: int) -> tuple[ZkMigrationStateRecord, int]:
    size = len(b)
    m = new(ZkMigrationStateRecord)
    m.zk_migration_state, tags = unpack_bB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ZkMigrationStateRecord is {at - size} bytes short")
    return m, at


def _write_zk_migration_state_record_v0(m: ZkMigrationStateRecord, out: bytearray) -> None:
    out += pack_bx(m.zk_migration_state)


def _read_remove_user_scram_credential_record_v0(b: bytes, at: int) -> tuple[RemoveUserScramCredentialRecord, int]:
    size = len(b)
    m = new(RemoveUserScramCredentialRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("name is null")
    end = at + n - 1
    m.name = b[at:end].decode("utf-8", "replace")
    at = end
    m.mechanism, tags = unpack_bB(b, at)
    at += 2
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"RemoveUserScramCredentialRecord is {at - size} bytes short")
    return m, at


def _write_remove_user_scram_credential_record_v0(m: RemoveUserScramCredentialRecord, out: bytearray) -> None:
    name = m.name
    name_bytes = name.encode()
    n = len(name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += name_bytes
    out += pack_bx(m.mechanism)


def _read_begin_transaction_record_v0(b: bytes, at: int) -> tuple[BeginTransactionRecord, int]:
    size = len(b)
    m = new(BeginTransactionRecord)
    m.name = None
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
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
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


def _write_begin_transaction_record_v0(m: BeginTransactionRecord, out: bytearray) -> None:
    has_name = m.name is not None
    out.append(has_name)
    if has_name:
        part = bytearray()
        name = m.name
        name_bytes = b"" if name is None else name.encode()
        n = 0 if name is None else len(name_bytes) + 1
        if n > 127:
            put_uvarint(part, n)
        else:
            part.append(n)
        part += name_bytes
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _read_end_transaction_record_v0(b: bytes, at: int) -> tuple[EndTransactionRecord, int]:
    size = len(b)
    m = new(EndTransactionRecord)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"EndTransactionRecord is {at - size} bytes short")
    return m, at


def _write_end_transaction_record_v0(m: EndTransactionRecord, out: bytearray) -> None:
    out.append(0)


def _read_abort_transaction_record_v0(b: bytes, at: int) -> tuple[AbortTransactionRecord, int]:
    size = len(b)
    m = new(AbortTransactionRecord)
    m.reason = None
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
                n = b[at]
                at += 1
                if n > 127:
                    n, at = long_uvarint(b, at, n)
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


def _write_abort_transaction_record_v0(m: AbortTransactionRecord, out: bytearray) -> None:
    has_reason = m.reason is not None
    out.append(has_reason)
    if has_reason:
        part = bytearray()
        reason = m.reason
        reason_bytes = b"" if reason is None else reason.encode()
        n = 0 if reason is None else len(reason_bytes) + 1
        if n > 127:
            put_uvarint(part, n)
        else:
            part.append(n)
        part += reason_bytes
        put_uvarint(out, 0)
        put_uvarint(out, len(part))
        out += part


def _read_remove_delegation_token_record_v0(b: bytes, at: int) -> tuple[RemoveDelegationTokenRecord, int]:
    size = len(b)
    m = new(RemoveDelegationTokenRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("token_id is null")
    end = at + n - 1
    m.token_id = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"RemoveDelegationTokenRecord is {at - size} bytes short")
    return m, at


def _write_remove_delegation_token_record_v0(m: RemoveDelegationTokenRecord, out: bytearray) -> None:
    token_id = m.token_id
    token_id_bytes = token_id.encode()
    n = len(token_id_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += token_id_bytes
    out.append(0)


def _read_register_controller_record_v0(b: bytes, at: int) -> tuple[RegisterControllerRecord, int]:
    size = len(b)
    m = new(RegisterControllerRecord)
    m.controller_id, m.incarnation_id, m.zk_migration_ready, n = unpack_iutB(b, at)
    at += 22
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 7 > size - at:
        raise fault_length("end_points", n)
    end_points: list[ControllerEndpoint] = []
    m.end_points = end_points
    for _ in range(n):
        end_point = new(ControllerEndpoint)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        end_point.name = b[at:end].decode("utf-8", "replace")
        at = end
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("host is null")
        end = at + n - 1
        end_point.host = b[at:end].decode("utf-8", "replace")
        at = end
        end_point.port, end_point.security_protocol, tags = unpack_HhB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        end_points.append(end_point)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    n -= 1
    if n < 0 or n * 6 > size - at:
        raise fault_length("features", n)
    features: list[ControllerFeature] = []
    m.features = features
    for _ in range(n):
        feature = new(ControllerFeature)
        n = b[at]
        at += 1
        if n > 127:
            n, at = long_uvarint(b, at, n)
        if n == 0:
            raise ProtocolError("name is null")
        end = at + n - 1
        feature.name = b[at:end].decode("utf-8", "replace")
        at = end
        feature.min_supported_version, feature.max_supported_version, tags = unpack_hhB(b, at)
        at += 5
        if tags:
            at = skip_tags(b, at, tags)
        features.append(feature)
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"RegisterControllerRecord is {at - size} bytes short")
    return m, at


def _write_register_controller_record_v0(m: RegisterControllerRecord, out: bytearray) -> None:
    end_points = m.end_points
    out += pack_iut(m.controller_id, m.incarnation_id, m.zk_migration_ready)
    n = len(end_points) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for end_point in end_points:
        name = end_point.name
        name_bytes = name.encode()
        n = len(name_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes
        host = end_point.host
        host_bytes = host.encode()
        n = len(host_bytes) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += host_bytes
        out += pack_Hhx(end_point.port, end_point.security_protocol)
    features = m.features
    n = len(features) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    for feature in features:
        name2 = feature.name
        name_bytes2 = name2.encode()
        n = len(name_bytes2) + 1
        if n > 127:
            put_uvarint(out, n)
        else:
            out.append(n)
        out += name_bytes2
        out += pack_hhx(feature.min_supported_version, feature.max_supported_version)
    out.append(0)


def _read_clear_elr_record_v0(b: bytes, at: int) -> tuple[ClearElrRecord, int]:
    size = len(b)
    m = new(ClearElrRecord)
    n = b[at]
    at += 1
    if n > 127:
        n, at = long_uvarint(b, at, n)
    if n == 0:
        raise ProtocolError("topic_name is null")
    end = at + n - 1
    m.topic_name = b[at:end].decode("utf-8", "replace")
    at = end
    tags = b[at]
    at += 1
    if tags:
        at = skip_tags(b, at, tags)
    if at > size:
        raise ProtocolError(f"ClearElrRecord is {at - size} bytes short")
    return m, at


def _write_clear_elr_record_v0(m: ClearElrRecord, out: bytearray) -> None:
    topic_name = m.topic_name
    topic_name_bytes = topic_name.encode()
    n = len(topic_name_bytes) + 1
    if n > 127:
        put_uvarint(out, n)
    else:
        out.append(n)
    out += topic_name_bytes
    out.append(0)


RegisterBrokerRecord.READERS = {
    0: _read_register_broker_record_v0,
    1: _read_register_broker_record_v1,
    2: _read_register_broker_record_v2,
    3: _read_register_broker_record_v3,
    4: _read_register_broker_record_v4,
}
RegisterBrokerRecord.WRITERS = {
    0: _write_register_broker_record_v0,
    1: _write_register_broker_record_v1,
    2: _write_register_broker_record_v2,
    3: _write_register_broker_record_v3,
    4: _write_register_broker_record_v4,
}
UnregisterBrokerRecord.READERS = {
    0: _read_unregister_broker_record_v0,
}
UnregisterBrokerRecord.WRITERS = {
    0: _write_unregister_broker_record_v0,
}
TopicRecord.READERS = {
    0: _read_topic_record_v0,
}
TopicRecord.WRITERS = {
    0: _write_topic_record_v0,
}
PartitionRecord.READERS = {
    0: _read_partition_record_v0,
    1: _read_partition_record_v1,
    2: _read_partition_record_v2,
}
PartitionRecord.WRITERS = {
    0: _write_partition_record_v0,
    1: _write_partition_record_v1,
    2: _write_partition_record_v2,
}
ConfigRecord.READERS = {
    0: _read_config_record_v0,
}
ConfigRecord.WRITERS = {
    0: _write_config_record_v0,
}
PartitionChangeRecord.READERS = {
    0: _read_partition_change_record_v0,
    1: _read_partition_change_record_v1,
    2: _read_partition_change_record_v2,
}
PartitionChangeRecord.WRITERS = {
    0: _write_partition_change_record_v0,
    1: _write_partition_change_record_v1,
    2: _write_partition_change_record_v2,
}
FenceBrokerRecord.READERS = {
    0: _read_fence_broker_record_v0,
}
FenceBrokerRecord.WRITERS = {
    0: _write_fence_broker_record_v0,
}
UnfenceBrokerRecord.READERS = {
    0: _read_unfence_broker_record_v0,
}
UnfenceBrokerRecord.WRITERS = {
    0: _write_unfence_broker_record_v0,
}
RemoveTopicRecord.READERS = {
    0: _read_remove_topic_record_v0,
}
RemoveTopicRecord.WRITERS = {
    0: _write_remove_topic_record_v0,
}
DelegationTokenRecord.READERS = {
    0: _read_delegation_token_record_v0,
}
DelegationTokenRecord.WRITERS = {
    0: _write_delegation_token_record_v0,
}
UserScramCredentialRecord.READERS = {
    0: _read_user_scram_credential_record_v0,
}
UserScramCredentialRecord.WRITERS = {
    0: _write_user_scram_credential_record_v0,
}
FeatureLevelRecord.READERS = {
    0: _read_feature_level_record_v0,
}
FeatureLevelRecord.WRITERS = {
    0: _write_feature_level_record_v0,
}
ClientQuotaRecord.READERS = {
    0: _read_client_quota_record_v0,
}
ClientQuotaRecord.WRITERS = {
    0: _write_client_quota_record_v0,
}
ProducerIdsRecord.READERS = {
    0: _read_producer_ids_record_v0,
}
ProducerIdsRecord.WRITERS = {
    0: _write_producer_ids_record_v0,
}
BrokerRegistrationChangeRecord.READERS = {
    0: _read_broker_registration_change_record_v0,
    1: _read_broker_registration_change_record_v1,
    2: _read_broker_registration_change_record_v2,
    3: _read_broker_registration_change_record_v3,
}
BrokerRegistrationChangeRecord.WRITERS = {
    0: _write_broker_registration_change_record_v0,
    1: _write_broker_registration_change_record_v1,
    2: _write_broker_registration_change_record_v2,
    3: _write_broker_registration_change_record_v3,
}
AccessControlEntryRecord.READERS = {
    0: _read_access_control_entry_record_v0,
}
AccessControlEntryRecord.WRITERS = {
    0: _write_access_control_entry_record_v0,
}
RemoveAccessControlEntryRecord.READERS = {
    0: _read_remove_access_control_entry_record_v0,
}
RemoveAccessControlEntryRecord.WRITERS = {
    0: _write_remove_access_control_entry_record_v0,
}
NoOpRecord.READERS = {
    0: _read_no_op_record_v0,
}
NoOpRecord.WRITERS = {
    0: _write_no_op_record_v0,
}
ZkMigrationStateRecord.READERS = {
    0: _read_zk_migration_state_record_v0,
}
ZkMigrationStateRecord.WRITERS = {
    0: _write_zk_migration_state_record_v0,
}
RemoveUserScramCredentialRecord.READERS = {
    0: _read_remove_user_scram_credential_record_v0,
}
RemoveUserScramCredentialRecord.WRITERS = {
    0: _write_remove_user_scram_credential_record_v0,
}
BeginTransactionRecord.READERS = {
    0: _read_begin_transaction_record_v0,
}
BeginTransactionRecord.WRITERS = {
    0: _write_begin_transaction_record_v0,
}
EndTransactionRecord.READERS = {
    0: _read_end_transaction_record_v0,
}
EndTransactionRecord.WRITERS = {
    0: _write_end_transaction_record_v0,
}
AbortTransactionRecord.READERS = {
    0: _read_abort_transaction_record_v0,
}
AbortTransactionRecord.WRITERS = {
    0: _write_abort_transaction_record_v0,
}
RemoveDelegationTokenRecord.READERS = {
    0: _read_remove_delegation_token_record_v0,
}
RemoveDelegationTokenRecord.WRITERS = {
    0: _write_remove_delegation_token_record_v0,
}
RegisterControllerRecord.READERS = {
    0: _read_register_controller_record_v0,
}
RegisterControllerRecord.WRITERS = {
    0: _write_register_controller_record_v0,
}
ClearElrRecord.READERS = {
    0: _read_clear_elr_record_v0,
}
ClearElrRecord.WRITERS = {
    0: _write_clear_elr_record_v0,
}
