"""Records of the KRaft metadata log: the number of each type, and the frame around it (KIP-631).

frame version  uvarint  1
type           uvarint  see TYPES
version        uvarint  of the message
message        flexible form
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal import cluster_metadata as records
from wirebroker.protocol.primitives import read_uvarint

if TYPE_CHECKING:
    from wirebroker.protocol.message import Message, ReadableMessage

FRAME_VERSION: Final = 1

TYPES: Final[dict[int, type[ReadableMessage]]] = {
    0: records.RegisterBrokerRecord,
    1: records.UnregisterBrokerRecord,
    2: records.TopicRecord,
    3: records.PartitionRecord,
    4: records.ConfigRecord,
    5: records.PartitionChangeRecord,
    7: records.FenceBrokerRecord,
    8: records.UnfenceBrokerRecord,
    9: records.RemoveTopicRecord,
    10: records.DelegationTokenRecord,
    11: records.UserScramCredentialRecord,
    12: records.FeatureLevelRecord,
    14: records.ClientQuotaRecord,
    15: records.ProducerIdsRecord,
    17: records.BrokerRegistrationChangeRecord,
    18: records.AccessControlEntryRecord,
    19: records.RemoveAccessControlEntryRecord,
    20: records.NoOpRecord,
    21: records.ZkMigrationStateRecord,
    22: records.RemoveUserScramCredentialRecord,
    23: records.BeginTransactionRecord,
    24: records.EndTransactionRecord,
    25: records.AbortTransactionRecord,
    26: records.RemoveDelegationTokenRecord,
    27: records.RegisterControllerRecord,
    28: records.ClearElrRecord,
}
"""Type number -> message; the numbers between were never released."""


class KraftRecord(NamedTuple):
    """One record, with the type and version in its frame."""

    type_id: int
    version: int
    message: Message


class UnknownKraftRecord(ProtocolError):
    """A type or version that this broker does not know."""


def parse(value: bytes) -> KraftRecord:
    """Return the record in a value of the metadata log.

    Raises:
        UnknownKraftRecord: a newer release wrote it.
        ProtocolError: the bytes are no such record.
    """
    try:
        frame, at = read_uvarint(value, 0)
        type_id, at = read_uvarint(value, at)
        version, at = read_uvarint(value, at)
    except IndexError:
        raise ProtocolError("the record ends in its frame") from None
    if frame != FRAME_VERSION:
        raise ProtocolError(f"frame version {frame}, which is not {FRAME_VERSION}")
    kind = TYPES.get(type_id)
    if kind is None:
        raise UnknownKraftRecord(f"unknown metadata record type {type_id}")
    if version not in kind.VERSIONS:
        raise UnknownKraftRecord(
            f"{kind.__name__} version {version}, known are {kind.VERSIONS[0]} to {kind.VERSIONS[-1]}"
        )
    message, end = kind.read(value, at, version)
    if end != len(value):
        raise ProtocolError(f"{len(value) - end} bytes after {kind.__name__}")
    return KraftRecord(type_id, version, message)
