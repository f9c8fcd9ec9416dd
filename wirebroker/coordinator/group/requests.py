"""Requests to a group shard, as the handlers hand them over: the decoded message and who sent it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


class GroupRequest(NamedTuple):
    """A request for one group."""

    group_id: str
    message: Any
    version: int
    client_id: str | None
    client_host: str


class DescribeGroup(NamedTuple):
    """One group of a DescribeGroups request."""

    group_id: str


class FetchOffsets(NamedTuple):
    """One group of an OffsetFetch request; *topics* None asks for everything."""

    group_id: str
    topics: Iterable[tuple[str, list[int]]] | None
    require_stable: bool
    member_id: str | None = None
    member_epoch: int = -1


class DeleteGroup(NamedTuple):
    """One group of a DeleteGroups request."""

    group_id: str


class TopicsDeleted(NamedTuple):
    """Notice: topics were deleted, and with them goes every commit on them."""

    names: frozenset[str]


class ExplainGroup(NamedTuple):
    """What made this group rebalance lately."""

    group_id: str


class ListGroups(NamedTuple):
    """All groups of the shard.  Answer: [ClassicGroup], to be read and not changed."""


class OffsetsFound(NamedTuple):
    """Answer to FetchOffsets: an error for the whole group, or (topic, partition, offset or None, code).

    Of a group with many offsets it is an iterator over a snapshot, which may be read in many turns.
    """

    code: int
    offsets: Iterable[tuple[str, int, Any, int]]
