"""The current image, and who wants to hear of the next one."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wirebroker.metadata.changes import Change
    from wirebroker.metadata.image import ClusterImage

    Subscriber = Callable[[ClusterImage, ClusterImage, Sequence[Change]], None]

log = logging.getLogger(__name__)


class MetadataCache:
    """What this broker answers from: `image` is always whole, and replaced, never altered."""

    def __init__(self, image: ClusterImage) -> None:
        self.image = image
        self._subscribers: list[Subscriber] = []

    def subscribe(self, subscriber: Subscriber) -> None:
        """Call ``subscriber(before, after, changes)`` for every later publish, in the order of subscription."""
        self._subscribers.append(subscriber)

    def publish(self, image: ClusterImage, changes: Sequence[Change]) -> None:
        """Make *image* current, then tell the subscribers.  Only durable changes may come here.

        A subscriber that raises is logged and the next one is told: what is decided and durable cannot be vetoed.
        """
        before, self.image = self.image, image
        for subscriber in self._subscribers:
            try:
                subscriber(before, image, changes)
            except Exception:
                log.exception("a metadata subscriber failed: %r", subscriber)
