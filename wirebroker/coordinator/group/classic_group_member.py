"""ClassicGroupMember: one member of a classic group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.coordinator.turn import PendingResponse

    Protocols = list[tuple[str, bytes]]
    """Name and metadata of each assignment protocol that a member supports, the one it prefers first."""


@dataclass(slots=True, eq=False)
class ClassicGroupMember:
    """One consumer; a static member keeps its place under *group_instance_id* while its process is away (KIP-345)."""

    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocol_type: str
    protocols: Protocols
    assignment: bytes = b""
    pending_join: PendingResponse | None = None
    """The response to its JoinGroup; set while the member has joined the coming generation and waits for it."""
    join_version: int = 0
    """Version of its last JoinGroup, which shapes an error that answers `pending_join`."""
    pending_sync: PendingResponse | None = None
    """The response to its SyncGroup, while the leader's assignment is awaited."""
    is_new: bool = False
    """Has never completed a join: it times out by its session, not by the rebalance."""
    session_deadline_ms: int = 0
    """When its session ends, on the monotonic clock; 0 while no timer is set."""

    @property
    def is_static(self) -> bool:
        """Whether the member has a group instance id."""
        return self.group_instance_id is not None

    def metadata(self, protocol: str | None) -> bytes:
        """The metadata that the member sent with *protocol*; empty if the member does not support it."""
        for name, metadata in self.protocols:
            if name == protocol:
                return metadata
        return b""

    def vote(self, is_candidate: Callable[[str], bool]) -> str | None:
        """The first of the member's protocols that is a candidate; None if there is none."""
        for name, _ in self.protocols:
            if is_candidate(name):
                return name
        return None
