"""MetadataStore: the seam between a standalone broker and a ZooKeeper cluster.

The controller is the only one who writes; it says which version its decision was made on.  Handlers never come here,
they read `cache.MetadataCache`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import trio

    from wirebroker.metadata.changes import Change
    from wirebroker.metadata.image import BrokerImage, ClusterImage


class StoreError(Exception):
    """The store could not do what was asked; the message is for the operator."""


class VersionConflict(StoreError):
    """Somebody wrote since the version that the decision was made on: read again, decide again."""


class StoreUnavailable(StoreError):
    """Nothing can be written now (disk full or broken, session lost).  Whether the last write survives is unknown."""


class StoreDamaged(StoreError):
    """What was stored cannot be trusted; opening it needs a human."""


class Written(NamedTuple):
    """A durable write, as `watch` reports it."""

    version: int
    image: ClusterImage
    changes: tuple[Change, ...]


class MetadataStore(Protocol):
    """Where the cluster's decisions live."""

    async def register(self, broker: BrokerImage) -> int:
        """Make *broker* known as live; return its epoch."""

    async def campaign(self, broker_id: int) -> int:
        """Wait until *broker_id* is the controller; return the controller epoch."""

    def read(self) -> tuple[ClusterImage, int]:
        """The newest image and its version."""

    async def write(self, changes: Sequence[Change], expected: int) -> int:
        """Make all *changes* durable together, or none; return the new version.

        Cancelling the caller does not undo a write that has begun.

        Raises:
            VersionConflict: the store is not at *expected* any more; nothing was written.
            StoreUnavailable: the write failed.
        """

    def watch(self) -> trio.MemoryReceiveChannel[Written]:
        """A channel with every write from now on, in order; close it when done."""
