"""A member of a classic group, and the names of what it supports."""

from __future__ import annotations


class Member:
    """One consumer; a static one keeps its place under *group_instance_id* while its process is away (KIP-345)."""

    __slots__ = (
        "assignment",
        "client_host",
        "client_id",
        "expires_ms",
        "group_instance_id",
        "is_new",
        "join_ticket",
        "join_version",
        "member_id",
        "protocol_type",
        "protocols",
        "rebalance_timeout_ms",
        "session_timeout_ms",
        "sync_ticket",
    )

    def __init__(
        self,
        member_id: str,
        *,
        group_instance_id: str | None,
        client_id: str,
        client_host: str,
        session_timeout_ms: int,
        rebalance_timeout_ms: int,
        protocol_type: str,
        protocols: list[tuple[str, bytes]],
        assignment: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.protocol_type = protocol_type
        self.protocols = protocols
        self.assignment = assignment
        self.join_ticket: object | None = None
        """Whoever waits for this member's JoinGroup; set means that it has joined the coming generation."""
        self.join_version = 0
        self.sync_ticket: object | None = None
        self.is_new = False
        """Has never completed a join: it times out by its session, not by the rebalance."""
        self.expires_ms = 0

    @property
    def is_static(self) -> bool:
        """Whether it has a group instance id."""
        return self.group_instance_id is not None

    def metadata(self, protocol: str | None) -> bytes:
        """What the member sent with *protocol*; empty when it does not know it."""
        for name, metadata in self.protocols:
            if name == protocol:
                return metadata
        return b""

    def vote(self, candidates: set[str]) -> str | None:
        """The first of its protocols that everybody supports."""
        for name, _ in self.protocols:
            if name in candidates:
                return name
        return None
