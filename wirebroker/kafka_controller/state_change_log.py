"""The log of state changes of partitions and replicas, in the wording of Kafka's state-change.log.

Its own logger, `wirebroker.state_change`, so that it can have a file of its own.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import MutableMapping

STATE_CHANGE_LOGGER: Final = logging.getLogger("wirebroker.state_change")


class StateChangeLogger(logging.LoggerAdapter[logging.Logger]):
    """Begins each message with the controller and its epoch."""

    def __init__(self, controller_id: int, epoch: int) -> None:
        super().__init__(STATE_CHANGE_LOGGER, {})
        self._prefix = f"[Controller id={controller_id} epoch={epoch}] "

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """Return the message with its prefix."""
        return self._prefix + str(msg), kwargs
