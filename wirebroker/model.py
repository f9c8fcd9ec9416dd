"""Values that every room may name: who, where and which partition."""

from __future__ import annotations

from typing import NamedTuple


class TopicPartition(NamedTuple):
    """One partition of a topic, by name."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class BrokerEndpoint(NamedTuple):
    """Where a broker can be reached on one listener."""

    node_id: int
    host: str
    port: int
    rack: str | None = None


class OffsetAndEpoch(NamedTuple):
    """A log offset and the leader epoch it was written in."""

    offset: int
    leader_epoch: int


class Caller(NamedTuple):
    """Who sends a request, as hooks and coordinators see it."""

    principal: str
    client_id: str | None
    client_host: str
    listener: str
