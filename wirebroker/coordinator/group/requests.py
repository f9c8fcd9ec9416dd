"""Requests to a group shard besides the messages of the protocol, and their responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from wirebroker.coordinator.group.offset_metadata_manager import OffsetAndMetadata
    from wirebroker.protocol.messages.offset_delete import OffsetDeleteRequestTopic


class DescribeGroup(NamedTuple):
    """One group of a DescribeGroups request.  Response: ClassicGroup or None, to be read and not changed."""

    group_id: str


class FetchOffsets(NamedTuple):
    """One group of an OffsetFetch request; *topics* of None asks for all.  Response: OffsetFetchResult."""

    group_id: str
    topics: Collection[tuple[str, list[int]]] | None
    require_stable: bool


class DeleteOffsets(NamedTuple):
    """A part of a large OffsetDelete request, but not the last.  Response: OffsetDeleteResponse."""

    group_id: str
    topics: Iterable[OffsetDeleteRequestTopic]


class DeleteGroup(NamedTuple):
    """One group of a DeleteGroups request.  Response: ErrorCode."""

    group_id: str


class TopicsDeleted(NamedTuple):
    """Notice: topics were deleted; the shard removes the offsets committed for them."""

    names: frozenset[str]


class ExplainGroup(NamedTuple):
    """One group of `wirebroker groups explain`.  Response: [Rebalance], the oldest first."""

    group_id: str


class ListGroups(NamedTuple):
    """All groups of the shard.  Response: [ClassicGroup], to be read and not changed."""


class OffsetFetchResult(NamedTuple):
    """Response to FetchOffsets: an error for the whole group, or (topic, partition, offset or None, code) of each.

    For many offsets it is an iterator over a snapshot, so that the response can be built in many turns.
    """

    code: int
    offsets: Iterable[tuple[str, int, OffsetAndMetadata | None, int]]
