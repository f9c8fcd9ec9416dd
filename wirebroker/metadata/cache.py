"""MetadataCache: the current cluster image, and its subscribers."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import trio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wirebroker.metadata.image import ClusterImage
    from wirebroker.metadata.records import MetadataRecord

    Subscriber = Callable[[ClusterImage, ClusterImage, Sequence[MetadataRecord]], None]

log = logging.getLogger(__name__)


class MetadataCache:
    """Holds the current image, which handlers answer from; images are replaced, never altered."""

    def __init__(self, image: ClusterImage) -> None:
        self.image = image
        self._subscribers: list[Subscriber] = []
        self._published = trio.lowlevel.ParkingLot()

    async def wait_for(self, condition: Callable[[ClusterImage], bool]) -> None:
        """Wait until *condition* is true of the current image, which is asked after each publish."""
        while not condition(self.image):
            await self._published.park()

    def subscribe(self, subscriber: Subscriber) -> None:
        """Call ``subscriber(before, after, records)`` at every later publish, in the order of subscription."""
        self._subscribers.append(subscriber)

    def publish(self, image: ClusterImage, records: Sequence[MetadataRecord]) -> None:
        """Make *image* current, which durable *records* have made of the one before, and call the subscribers.

        A subscriber that raises is logged, and the next one is called: a durable change cannot be vetoed.
        """
        before, self.image = self.image, image
        for subscriber in self._subscribers:
            try:
                subscriber(before, image, records)
            except Exception:
                log.exception("metadata changed, but subscriber %r failed; restart the broker", subscriber)
        self._published.unpark_all()
