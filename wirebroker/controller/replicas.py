"""Replicas: what the controller asks of the partitions of this broker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wirebroker.config.log import LogConfig
    from wirebroker.metadata.image import TopicImage


class Replicas(Protocol):
    """The methods of ReplicaManager that the controller calls."""

    async def become_leaders(
        self, topic: TopicImage, indexes: Iterable[int], config: LogConfig, *, is_new: bool
    ) -> None:
        """Serve the partitions *indexes* and make the missing logs; a partition whose log cannot be made is offline.

        *is_new* says that no log was ever made, so that none can be in a log directory that has failed.
        """

    def is_offline(self, topic: str, index: int) -> bool:
        """Return whether the log of a partition of this broker cannot be served."""

    async def stop(self, topic: str, index: int, *, delete: bool) -> bool:
        """Stop serving a partition; with *delete* rename its directory, to be removed later.

        Return False if the directory could not be renamed (a broken disk).
        """

    async def discard(self, topic: str, index: int, topic_id: bytes) -> None:
        """Delete the log of this name and number if it is that of *topic_id*: a crash interrupted its deletion."""

    async def forget_deleted(self) -> None:
        """Remove deleted partitions from the checkpoints, where the next start would take them for lost ones."""

    def reconfigure(self, topic: str, config: LogConfig) -> None:
        """Give the logs of *topic* their new configuration."""
