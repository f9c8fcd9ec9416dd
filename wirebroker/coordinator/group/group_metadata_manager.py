"""GroupMetadataManager: the groups of one shard, their records, and their offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.coordinator.group import records
from wirebroker.coordinator.group.classic_group import ClassicGroup, ClassicGroupState
from wirebroker.coordinator.group.offset_metadata_manager import OffsetMetadataManager
from wirebroker.coordinator.group.release_rules import NEWEST_RULES, GroupRules
from wirebroker.coordinator.group.timer_keys import JoinKey, SyncKey
from wirebroker.record.record_batch import HEADER_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wirebroker.coordinator.group.group_config import GroupCoordinatorConfig
    from wirebroker.coordinator.turn import CoordinatorRecord, Turn

_RECORD_OVERHEAD: Final = 12  # bytes of a record besides its key and value, at most: six varints


def records_size(made: Iterable[CoordinatorRecord]) -> int:
    """Return the size that records have in a batch, at most."""
    size_bytes = 0
    for key, value in made:
        size_bytes += len(key) + len(value or b"") + _RECORD_OVERHEAD
    return size_bytes


class GroupMetadataManager:
    """Groups by id, with everything that creates, writes and removes them.

    Args:
        config: limits and times.
        topic_exists: whether the metadata image has a partition.
        batch_limit: max.message.bytes of the shard's log, or segment.bytes if that is less.
        versions: how the release that is emulated writes records and expires offsets.
        rules: how the release checks the requests of members.
    """

    def __init__(
        self,
        config: GroupCoordinatorConfig,
        topic_exists: Callable[[str, int], bool],
        batch_limit: Callable[[], int],
        versions: records.RecordVersions = records.NEWEST,
        rules: GroupRules = NEWEST_RULES,
    ) -> None:
        self.config = config
        self.versions = versions
        self.rules = rules
        self.topic_exists = topic_exists
        self._batch_limit = batch_limit
        self.groups: dict[str, ClassicGroup] = {}
        self.offsets = OffsetMetadataManager()

    def clear(self) -> None:
        """Drop all groups and offsets; the shard is unloaded."""
        self.groups.clear()
        self.offsets.clear()

    # -- groups --------------------------------------------------------------------------------------------------

    def create(self, group_id: str, turn: Turn) -> ClassicGroup:
        """Create an empty group for its first member."""
        group = self.groups[group_id] = ClassicGroup(group_id, turn.wall_ms)
        group.history.created()
        return group

    def ensure_group(self, group_id: str, turn: Turn) -> None:
        """Create a simple group, one without members ever, if *group_id* commits and there is no group."""
        if group_id not in self.groups:
            self.groups[group_id] = ClassicGroup(group_id, turn.wall_ms)

    def maybe_delete(self, group: ClassicGroup, reason: str, turn: Turn) -> None:
        """Delete a group that has neither members nor offsets any more, for *reason*."""
        if (
            group.state == ClassicGroupState.EMPTY
            and not self.offsets.of_group(group.group_id)
            and not self.offsets.has_pending(group.group_id)
        ):
            self.delete(group, reason, turn)

    def delete(self, group: ClassicGroup, reason: str, turn: Turn) -> None:
        """Delete a group without members, and write its tombstone if it was ever written."""
        group.history.removed(group.generation_id, reason)
        turn.cancel_timer(JoinKey(group.group_id))
        turn.cancel_timer(SyncKey(group.group_id))
        group.transition_to(ClassicGroupState.DEAD, turn.wall_ms)
        del self.groups[group.group_id]
        if group.generation_id > 0:
            turn.append(records.group_tombstone(group.group_id))

    # -- records -------------------------------------------------------------------------------------------------

    def write_group(self, group: ClassicGroup, turn: Turn) -> None:
        """Append the group's record."""
        self.note_group(group, turn)
        turn.append(records.group_record(group, self.versions.group_value))

    def write_group_if_it_fits(self, group: ClassicGroup, turn: Turn) -> bool:
        """Append the group's record; False, and nothing is appended, if the log will not take one of that size."""
        # first without encoding: 50 MB of metadata or assignments, which a request may have, are copied several times
        name, limit = group.protocol_name, self._batch_limit()
        if sum(len(each.metadata(name)) + len(each.assignment) for each in group.members.values()) > limit:
            return False
        record = records.group_record(group, self.versions.group_value)
        if not self.fits((record,)):
            return False
        self.note_group(group, turn)
        turn.append(record)
        return True

    def note_group(self, group: ClassicGroup, turn: Turn) -> None:
        """Note in the result of *turn* that it changes the group's record, or without records that it tells of it."""
        if turn.result.replaced is not None:
            turn.result.replaced[group.group_id, None, None] = None  # beside the keys of its offsets

    def fits(self, made: Iterable[CoordinatorRecord]) -> bool:
        """Whether a batch of these records is small enough for the log."""
        size_bytes = HEADER_SIZE
        for key, value in made:  # without `records_size`: a call more for each commit of a consumer
            size_bytes += len(key) + len(value or b"") + _RECORD_OVERHEAD
        return size_bytes <= self._batch_limit()

    def fits_bytes(self, size_bytes: int) -> bool:
        """Whether a batch of records with *size_bytes* is small enough for the log."""
        return HEADER_SIZE + size_bytes <= self._batch_limit()

    # -- offsets -------------------------------------------------------------------------------------------------

    def delete_offset(self, group_id: str, topic: str, partition: int, turn: Turn) -> None:
        """Delete the committed offset and the pending ones of a partition, and write a tombstone if there was any."""
        offsets = self.offsets
        if offsets.get(group_id, topic, partition) is not None or offsets.is_pending(group_id, topic, partition):
            offsets.delete(group_id, topic, partition)
            turn.append(records.offset_record(group_id, topic, partition, None))

    def is_offset_expired(
        self, group: ClassicGroup, topic: str, partition: int, wall_ms: int, subscribed: frozenset[str]
    ) -> bool:
        """Whether a committed offset of *group*, whose members consume *subscribed*, is too old at *wall_ms*."""
        if topic in subscribed:
            return False
        offset = self.offsets.get(group.group_id, topic, partition)
        if offset is None or self.offsets.is_pending(group.group_id, topic, partition):
            return False
        if self.versions.expires_by_record:
            expire_ms = offset.commit_ms + self.config.offsets_retention_ms
            return (expire_ms if offset.expire_ms == -1 else offset.expire_ms) < wall_ms
        was_consumed = group.protocol_type is not None and group.state == ClassicGroupState.EMPTY
        return offset.is_expired(
            wall_ms, self.config.offsets_retention_ms, group.state_timestamp_ms if was_consumed else None
        )
