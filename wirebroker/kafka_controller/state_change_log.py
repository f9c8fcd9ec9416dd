"""The log of state changes of partitions and replicas, in the wording of Kafka's state-change.log.

The logger `wirebroker.state_change` has a file of its own, or is silent but for errors: a controller writes a line for
each partition that it takes over.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from pathlib import Path

STATE_CHANGE_LOGGER: Final = logging.getLogger("wirebroker.state_change")
LINE_FORMAT: Final = "[%(asctime)s] %(levelname)s %(message)s (state.change.logger)"
"""The layout of Kafka's state-change.log."""


def open_state_change_log(path: Path | None) -> None:
    """Write state changes to *path* instead of the broker's log; with None only errors, to the broker's log.

    Raises:
        OSError: The file cannot be opened.
    """
    if path is None:
        STATE_CHANGE_LOGGER.setLevel(logging.ERROR)
        return
    handler = logging.FileHandler(path)
    handler.setFormatter(logging.Formatter(LINE_FORMAT))
    STATE_CHANGE_LOGGER.addHandler(handler)
    STATE_CHANGE_LOGGER.setLevel(logging.INFO)
    STATE_CHANGE_LOGGER.propagate = False


class StateChangeLogger(logging.LoggerAdapter[logging.Logger]):
    """Begins each message with the controller and its epoch."""

    def __init__(self, controller_id: int, epoch: int) -> None:
        super().__init__(STATE_CHANGE_LOGGER, {})
        self._prefix = f"[Controller id={controller_id} epoch={epoch}] "

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """Return the message with its prefix."""
        return self._prefix + str(msg), kwargs
