"""OffsetFetch in a shard: the committed offsets of one group (KIP-447 stable offsets).

As in Kafka, a commit that replicas do not have yet is not waited for: until then the offset before it is the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from wirebroker.coordinator.group.requests import FetchOffsets, OffsetFetchResult
from wirebroker.protocol.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Mapping

    from wirebroker.coordinator.group.group_metadata_manager import GroupMetadataManager
    from wirebroker.coordinator.group.offset_metadata_manager import OffsetAndMetadata
    from wirebroker.coordinator.turn import Turn

_OFFSETS_PER_TURN: Final = 1000


class OffsetFetch:
    """Handles FetchOffsets, one group of an OffsetFetch request."""

    def __init__(self, manager: GroupMetadataManager) -> None:
        self._offsets = manager.offsets

    def handle(self, request: FetchOffsets, turn: Turn) -> None:
        """Answer with the group's offsets; partitions without a commit are included if the request names them."""
        group_id = request.group_id
        offsets, replaced = self._offsets, turn.replaced
        if request.topics is None:
            committed = offsets.of_group(group_id)
            if replaced:
                committed = _before_uncommitted(committed, group_id, replaced)
            if len(committed) > _OFFSETS_PER_TURN:
                pending = frozenset(offsets.pending_of(group_id)) if request.require_stable else frozenset()
                turn.reply(OffsetFetchResult(0, _from_snapshot(committed.copy(), pending)))
                return
            wanted = list(committed)
        elif sum(1 + len(partitions) for _, partitions in request.topics) > _OFFSETS_PER_TURN:
            pending = frozenset(offsets.pending_of(group_id)) if request.require_stable else frozenset()
            committed = _before_uncommitted(offsets.of_group(group_id), group_id, replaced)
            turn.reply(OffsetFetchResult(0, _named_from_snapshot(request.topics, committed, pending)))
            return
        else:
            wanted = list(
                dict.fromkeys((topic, partition) for topic, partitions in request.topics for partition in partitions)
            )
        found: list[tuple[str, int, OffsetAndMetadata | None, int]] = []
        for topic, partition in wanted:
            if request.require_stable and offsets.is_pending(group_id, topic, partition):
                found.append((topic, partition, None, ErrorCode.UNSTABLE_OFFSET_COMMIT))
            else:
                offset = offsets.get(group_id, topic, partition)
                if replaced and offset is not None:  # one that was deleted meanwhile stays deleted
                    offset = replaced.get((group_id, topic, partition), offset)
                found.append((topic, partition, offset, 0))
        turn.reply(OffsetFetchResult(0, found))


def _before_uncommitted(
    newest: dict[tuple[str, int], OffsetAndMetadata], group_id: str, replaced: Mapping[Hashable, Any]
) -> dict[tuple[str, int], OffsetAndMetadata]:
    """Return a copy of the *newest* offsets of a group, with what uncommitted ones have *replaced* in their place."""
    committed = newest.copy()
    for key in replaced:
        group, topic, partition = cast("tuple[str, str, int]", key)
        if group == group_id and (topic, partition) in committed:
            before = replaced[key]
            if before is None:
                del committed[topic, partition]
            else:
                committed[topic, partition] = before
    return committed


def _from_snapshot(
    committed: dict[tuple[str, int], OffsetAndMetadata], pending: frozenset[tuple[str, int]]
) -> Iterator[tuple[str, int, OffsetAndMetadata | None, int]]:
    for key, offset in committed.items():
        if key in pending:
            yield *key, None, ErrorCode.UNSTABLE_OFFSET_COMMIT
        else:
            yield *key, offset, 0


def _named_from_snapshot(
    topics: Collection[tuple[str, list[int]]],
    committed: Mapping[tuple[str, int], OffsetAndMetadata],
    pending: frozenset[tuple[str, int]],
) -> Iterator[tuple[str, int, OffsetAndMetadata | None, int]]:
    """Yield the offset of each partition that is named, once."""
    seen: dict[str, set[int]] = {}
    for topic, partitions in topics:
        before = seen.setdefault(topic, set())
        for partition in partitions:
            if partition not in before:
                before.add(partition)
                key = topic, partition
                if key in pending:
                    yield *key, None, ErrorCode.UNSTABLE_OFFSET_COMMIT
                else:
                    yield *key, committed.get(key), 0
