"""OffsetCommit and TxnOffsetCommit in a shard (KIP-98, 211, 320, 447).

The offsets of a TxnOffsetCommit are pending until the marker of their transaction.  As in Kafka its members are checked
less strictly: a producer that names no member may commit for any group, the state of the group does not matter, and no
session is prolonged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.classic_group import ClassicGroupState
from wirebroker.coordinator.group.group_metadata_manager import records_size
from wirebroker.coordinator.group.offset_metadata_manager import OffsetAndMetadata
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from wirebroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitResponse,
    TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager
    from wirebroker.coordinator.group.offset_cleanup import OffsetCleanups
    from wirebroker.coordinator.group.rebalance import Rebalancer
    from wirebroker.coordinator.turn import CoordinatorRecord, Turn

_NO_GENERATION: Final = -1
_NO_EXPIRATION: Final = -1
_NO_TIMESTAMP: Final = -1
_NEVER: Final = (1 << 63) - 1
"""The last time that a record can carry; the sum of Apache Kafka overflows, and such an offset expires at once."""
_TIMESTAMP_VERSION: Final = 1
"""The version that may give a commit a time of its own, from which on it is retained."""
_RETENTION_VERSIONS: Final = range(2, 5)
"""Versions that may ask for a retention of their own."""


MadeCommit = tuple[list[Any], list[tuple[Any, str, "OffsetAndMetadata"]], list["CoordinatorRecord"]]
"""The topics of the response; the answer, the topic and the offset of each partition that has a record; the records."""


class LargeCommit:
    """A large request, whose answers and records are made in parts before the turn of the shard that appends them."""

    def __init__(self, commit: Commit, request: Any, version: int, wall_ms: int) -> None:
        """Begin without partitions; *wall_ms* is the time of the commit."""
        self.request = request
        self.made: MadeCommit = ([], [], [])
        self.records_bytes = 0
        self._commit = commit
        self._wall_ms = wall_ms
        self._expire_ms = commit.expire_ms(request, version, wall_ms)
        self._has_timestamps = commit.has_timestamps(version)

    def add(self, topic: Any) -> None:
        """Add some partitions of the request, which are in no other part."""
        made, accepted, new_records = self._commit.make(
            *(self.request.group_id, (topic,), ErrorCode.NONE, self._expire_ms, self._wall_ms, self._has_timestamps)
        )
        topics = self.made[0]
        if topics and made and topics[-1].name == topic.name:
            topics[-1].partitions += made[0].partitions
        else:
            topics += made
        self.made[1].extend(accepted)
        self.made[2].extend(new_records)
        self.records_bytes += records_size(new_records)


class LargeOffsetCommit(LargeCommit):
    """A large OffsetCommit."""


class LargeTxnOffsetCommit(LargeCommit):
    """A large TxnOffsetCommit."""


class Commit(ABC):
    """The common part of both requests: each partition is checked, and all records are one batch."""

    _response: ClassVar[Any]
    _topic: ClassVar[Any]
    _partition: ClassVar[Any]

    def __init__(self, manager: GroupMetadataManager, rebalancer: Rebalancer, cleanups: OffsetCleanups) -> None:
        self._manager = manager
        self._rebalancer = rebalancer
        self._cleanups = cleanups
        self._max_metadata = manager.config.offset_metadata_max_bytes

    def make(
        self,
        group_id: str,
        requested_topics: Iterable[Any],
        refusal: ErrorCode,
        expire_ms: int,
        wall_ms: int,
        has_timestamps: bool,
    ) -> MadeCommit:
        """Return the answers and the records for the partitions of a request, without changing anything.

        With *refusal* the group refuses all of those that exist.
        """
        exists = self._manager.topic_exists
        topics = []
        value_version = self._manager.versions.offset_value
        accepted: list[tuple[Any, str, OffsetAndMetadata]] = []
        new_records: list[CoordinatorRecord] = []
        for name, requested in _partitions_by_topic(requested_topics).items():
            partitions = []
            known: dict[int, Any] = {}  # of a partition that is named again the last entry counts
            for each in requested:
                if exists(name, each.partition_index):
                    known[each.partition_index] = each
                else:  # in place of a refusal, too; as in Kafka each entry is answered, and before those that exist
                    partitions.append(self._partition(each.partition_index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
            for index, each in known.items():
                metadata = each.committed_metadata or ""
                code = refusal
                if not code and 2 * len(metadata) > self._max_metadata and _utf16_units(metadata) > self._max_metadata:
                    code = ErrorCode.OFFSET_METADATA_TOO_LARGE
                answer = self._partition(index, code)
                if not code:
                    offset = OffsetAndMetadata(
                        each.committed_offset, each.committed_leader_epoch, metadata, wall_ms, expire_ms
                    )
                    if has_timestamps and each.commit_timestamp != _NO_TIMESTAMP:
                        offset = self._committed_at(each.commit_timestamp, offset)
                    accepted.append((answer, name, offset))
                    new_records.append(records.offset_record(group_id, name, index, offset, value_version))
                partitions.append(answer)
            if partitions or not exists(name, 0):  # a topic that exists is left out of the response without any
                topics.append(self._topic(name=name, partitions=partitions))
        return topics, accepted, new_records

    def _append(self, request: Any, made: MadeCommit, fits: bool, turn: Turn) -> None:
        """Append the records of a commit, if they fit, and answer."""
        topics, accepted, new_records = made
        if turn.below_min_isr or not fits:
            for answer, _, _ in accepted:
                answer.error_code = (
                    ErrorCode.COORDINATOR_NOT_AVAILABLE if turn.below_min_isr else ErrorCode.INVALID_COMMIT_OFFSET_SIZE
                )
        elif new_records:
            group_id = request.group_id
            turn.result.records += new_records
            for answer, name, offset in accepted:
                self._store(request, name, answer.partition_index, offset, turn)
                if self._cleanups.running:
                    self._cleanups.exclude(group_id, name, answer.partition_index)
            self._manager.ensure_group(group_id, turn)
            turn.reply(self._response(topics=topics))
            return
        turn.reply_immediately(self._response(topics=topics))

    def handle_large(self, large: LargeCommit, turn: Turn) -> None:
        """Handle a large request, whose answers and records were made before."""
        refusal = self._validate(large.request, turn)
        if not refusal:
            self._append(large.request, large.made, self._manager.fits_bytes(large.records_bytes), turn)
            return
        for topic in large.made[0]:
            for answer in topic.partitions:
                if answer.error_code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                    answer.error_code = refusal
        turn.reply_immediately(self._response(topics=large.made[0]))

    def _committed_at(self, commit_ms: int, offset: OffsetAndMetadata) -> OffsetAndMetadata:
        """Return *offset* with the time that its client gave it; releases that store expirations change that only."""
        if not self._manager.versions.expires_by_record:
            return offset._replace(commit_ms=commit_ms)
        return offset._replace(expire_ms=min(commit_ms + self._manager.config.offsets_retention_ms, _NEVER))

    def expire_ms(self, request: Any, version: int, wall_ms: int) -> int:
        """When a commit of *request* at *version* expires; -1 where releases decide that when they expire it."""
        manager = self._manager
        if not manager.versions.expires_by_record:
            return _NO_EXPIRATION
        return wall_ms + manager.config.offsets_retention_ms

    def has_timestamps(self, version: int) -> bool:
        """Whether the partitions of a request at *version* may have the times of their commits."""
        return False

    @abstractmethod
    def _validate(self, request: Any, turn: Turn) -> ErrorCode:
        """NONE if the group takes the commit now."""

    @abstractmethod
    def _store(self, request: Any, topic: str, partition: int, offset: OffsetAndMetadata, turn: Turn) -> None:
        """Take the offset of one partition, whose record is appended, into the state."""


def _utf16_units(text: str) -> int:
    """Return the length of *text* as Java has it, by which offset.metadata.max.bytes is applied."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _partitions_by_topic(topics: Iterable[Any]) -> dict[str, list[Any]]:
    """Return topic -> its entries in a request, also of a topic that is named again."""
    by_topic: dict[str, list[Any]] = {}
    for topic in topics:
        by_topic.setdefault(topic.name, []).extend(topic.partitions)
    return by_topic


class OffsetCommit(Commit):
    """Handles OffsetCommit, which prolongs the member's session like a heartbeat."""

    _response, _topic, _partition = OffsetCommitResponse, OffsetCommitResponseTopic, OffsetCommitResponsePartition

    def handle(self, request: OffsetCommitRequest, turn: Turn) -> None:
        """Commit the offsets of a member, or of a consumer that manages its partitions itself."""
        version = turn.client.version
        expire_ms = self.expire_ms(request, version, turn.wall_ms)
        has_timestamps = version == _TIMESTAMP_VERSION
        refusal = self._validate(request, turn)
        made = self.make(request.group_id, request.topics, refusal, expire_ms, turn.wall_ms, has_timestamps)
        self._append(request, made, self._manager.fits(made[2]), turn)

    def expire_ms(self, request: OffsetCommitRequest, version: int, wall_ms: int) -> int:
        if request.retention_time_ms >= 0 and version in _RETENTION_VERSIONS:
            return min(wall_ms + request.retention_time_ms, _NEVER)
        return super().expire_ms(request, version, wall_ms)

    def has_timestamps(self, version: int) -> bool:
        return version == _TIMESTAMP_VERSION

    def _validate(self, request: OffsetCommitRequest, turn: Turn) -> ErrorCode:
        """NONE if the member may commit for the group now, as Apache Kafka 3.9.1 answers."""
        generation_id = request.generation_id_or_member_epoch
        group = self._manager.groups.get(request.group_id)
        if group is None:
            return ErrorCode.NONE if generation_id < 0 else ErrorCode.ILLEGAL_GENERATION
        if generation_id < 0 and group.state == ClassicGroupState.EMPTY:
            return ErrorCode.NONE
        if not request.member_id and request.group_instance_id is None and generation_id == _NO_GENERATION:
            return ErrorCode.UNKNOWN_MEMBER_ID  # a simple consumer, and the group has members
        if request.group_instance_id is None:  # as most do: spares them a call
            code = group.validate_member(request.member_id, None)
        else:
            code = self._manager.rules.validate_member(group, request.member_id, request.group_instance_id)
        if code:
            return code
        if generation_id != group.generation_id:
            return ErrorCode.ILLEGAL_GENERATION
        if group.state == ClassicGroupState.COMPLETING_REBALANCE:
            return ErrorCode.REBALANCE_IN_PROGRESS
        self._rebalancer.reschedule_heartbeat(group, group.members[request.member_id], turn)
        return ErrorCode.NONE

    def _store(
        self, request: OffsetCommitRequest, topic: str, partition: int, offset: OffsetAndMetadata, turn: Turn
    ) -> None:
        before = self._manager.offsets.commit(request.group_id, topic, partition, offset)
        replaced = turn.result.replaced
        if replaced is not None:
            replaced[request.group_id, topic, partition] = before


class TxnOffsetCommit(Commit):
    """Handles TxnOffsetCommit; the handler has verified the producer's transaction."""

    _response, _topic, _partition = (
        TxnOffsetCommitResponse,
        TxnOffsetCommitResponseTopic,
        TxnOffsetCommitResponsePartition,
    )

    def handle(self, request: TxnOffsetCommitRequest, turn: Turn) -> None:
        """Keep the offsets pending until the transaction ends."""
        expire_ms = self.expire_ms(request, turn.client.version, turn.wall_ms)
        refusal = self._validate(request, turn)
        made = self.make(request.group_id, request.topics, refusal, expire_ms, turn.wall_ms, False)
        self._append(request, made, self._manager.fits(made[2]), turn)

    def _validate(self, request: TxnOffsetCommitRequest, turn: Turn) -> ErrorCode:
        """NONE if the producer may commit for the group."""
        group = self._manager.groups.get(request.group_id)
        rules = self._manager.rules
        if request.generation_id < 0 and rules.requires_known_instance_id:
            if group is None or group.state == ClassicGroupState.EMPTY:
                return ErrorCode.NONE
            if not request.member_id and request.group_instance_id is None:
                return ErrorCode.NONE  # clients before version 3 name no member
        return rules.validate_txn_member(group, request.member_id, request.group_instance_id, request.generation_id)

    def _store(
        self, request: TxnOffsetCommitRequest, topic: str, partition: int, offset: OffsetAndMetadata, turn: Turn
    ) -> None:
        self._manager.offsets.commit_pending(request.producer_id, request.group_id, topic, partition, offset)
