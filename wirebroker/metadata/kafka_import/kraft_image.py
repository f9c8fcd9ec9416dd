"""KraftImage: the sum of the records of a KRaft metadata log, as far as the import needs it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.metadata.errors import StoreDamaged
from wirebroker.metadata.image import TOPIC_RESOURCE
from wirebroker.metadata.kafka_import.kraft_records import UnknownKraftRecord, parse
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal import cluster_metadata as records
from wirebroker.quota.levels import entity_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from wirebroker.protocol.message import Message
    from wirebroker.quota.levels import QuotaEntity

_SAME_LEADER = -2

logger = logging.getLogger(__name__)


class KraftTopic(NamedTuple):
    """A topic and the leader epochs of its partitions, by partition number."""

    name: str
    topic_id: bytes
    leader_epochs: dict[int, int]


class KraftImage:
    """Topics, settings, client quotas, features and producer ids; `replay` fills it."""

    def __init__(self) -> None:
        self.topics: dict[bytes, KraftTopic] = {}
        self.configs: dict[tuple[int, str], dict[str, str]] = {}
        self.client_quotas: dict[QuotaEntity, dict[str, float]] = {}
        self.features: dict[str, int] = {}
        self.next_producer_id = 0
        self.deleted_topics = 0
        self.not_imported: dict[str, int] = {}
        """Kind of record that is not imported (ACLs, credentials, ...) -> count."""
        self._transaction: list[Message] | None = None

    def replay(self, values: Iterable[tuple[int, bytes]]) -> None:
        """Apply records in order; those of a transaction at its end, and not at all if it is aborted.

        Raises:
            StoreDamaged: a value is no record.
        """
        for offset, value in values:
            try:
                message = parse(value).message
            except UnknownKraftRecord as fault:
                logger.warning("metadata record at offset %d is ignored: %s", offset, fault)
                continue
            except ProtocolError as fault:
                raise StoreDamaged(f"metadata record at offset {offset}: {fault}") from fault
            self._take(message)
        if self._transaction is not None:
            logger.warning("%d metadata records of an unfinished transaction are ignored", len(self._transaction))
            self._transaction = None

    def topic_by_name(self) -> dict[str, KraftTopic]:
        """Return the topics by name; of two with the same name the younger one."""
        return {topic.name: topic for topic in self.topics.values()}

    def _take(self, message: Message) -> None:
        if isinstance(message, records.BeginTransactionRecord):
            self._transaction = []
        elif isinstance(message, records.AbortTransactionRecord):
            self._transaction = None
        elif isinstance(message, records.EndTransactionRecord):
            pending, self._transaction = self._transaction or [], None
            for each in pending:
                self._apply(each)
        elif self._transaction is not None:
            self._transaction.append(message)
        else:
            self._apply(message)

    def _apply(self, message: Any) -> None:
        match message:
            case records.TopicRecord():
                self.topics[message.topic_id] = KraftTopic(message.name, message.topic_id, {})
            case records.PartitionRecord():
                self._topic(message.topic_id).leader_epochs[message.partition_id] = message.leader_epoch
            case records.PartitionChangeRecord():
                self._change_partition(message)
            case records.RemoveTopicRecord():
                name = self._topic(message.topic_id).name
                del self.topics[message.topic_id]
                self.configs.pop((TOPIC_RESOURCE, name), None)
                self.deleted_topics += 1
            case records.ConfigRecord():
                self._set(message)
            case records.ClientQuotaRecord():
                self._set_quota(message)
            case records.ProducerIdsRecord():
                self.next_producer_id = max(self.next_producer_id, message.next_producer_id)
            case records.FeatureLevelRecord():
                self.features[message.name] = message.feature_level
            case _:
                kind = _NOT_IMPORTED.get(type(message))
                if kind is not None:
                    self.not_imported[kind] = self.not_imported.get(kind, 0) + 1

    def _topic(self, topic_id: bytes) -> KraftTopic:
        try:
            return self.topics[topic_id]
        except KeyError:
            raise StoreDamaged(f"a metadata record names topic id {topic_id.hex()}, which does not exist") from None

    def _change_partition(self, change: records.PartitionChangeRecord) -> None:
        epochs = self._topic(change.topic_id).leader_epochs
        if change.partition_id not in epochs:
            raise StoreDamaged(f"a metadata record names partition {change.partition_id}, which does not exist")
        if change.leader != _SAME_LEADER:  # the record does not say the epoch: naming a leader is what makes it grow
            epochs[change.partition_id] += 1

    def _set(self, record: records.ConfigRecord) -> None:
        resource = record.resource_type, record.resource_name
        if record.value is not None:
            self.configs.setdefault(resource, {})[record.name] = record.value
            return
        settings = self.configs.get(resource, {})
        settings.pop(record.name, None)
        if not settings:
            self.configs.pop(resource, None)

    def _set_quota(self, record: records.ClientQuotaRecord) -> None:
        entity = entity_of({each.entity_type: each.entity_name for each in record.entity})
        if not record.remove:
            self.client_quotas.setdefault(entity, {})[record.key] = record.value
            return
        quotas = self.client_quotas.get(entity, {})
        quotas.pop(record.key, None)
        if not quotas:
            self.client_quotas.pop(entity, None)


_NOT_IMPORTED: Final[dict[type[Message], str]] = {
    records.AccessControlEntryRecord: "ACLs",
    records.UserScramCredentialRecord: "SCRAM credentials",
    records.DelegationTokenRecord: "delegation tokens",
}
