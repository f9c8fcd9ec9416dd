"""Loggers of this broker as a config resource (type 8, BROKER_LOGGER): list their levels and set them at run time.

KIP-412.  Names are those of the Python loggers, `root` among them; levels are written as Apache Kafka writes them.
Changes last until the broker stops, and are not recorded in the metadata.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from wirebroker.handlers.config_changes import Operation
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.handlers.config_changes import Edit

ROOT: Final = "root"
LEVELS: Final = {
    "FATAL": logging.CRITICAL,
    "ERROR": logging.ERROR,
    "WARN": logging.WARNING,
    "INFO": logging.INFO,
    "DEBUG": logging.DEBUG,
    "TRACE": 5,
}

logger = logging.getLogger(__name__)


def logger_levels() -> dict[str, str]:
    """Logger name -> its effective level, for every logger that there is."""
    found = {ROOT: _level_name(logging.getLogger())}
    for name, each in sorted(logging.root.manager.loggerDict.items()):
        if isinstance(each, logging.Logger):
            found[name] = _level_name(each)
    return found


def _level_name(each: logging.Logger) -> str:
    level = each.getEffectiveLevel()
    return next((name for name, least in LEVELS.items() if level >= least), "TRACE")


def check_resource_name(name: str, node_id: int, *, describing: bool) -> None:
    """Refuse the loggers of anything but this broker.

    Raises:
        ApiError: INVALID_REQUEST.
    """
    if describing and not name:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Broker id must not be empty")
    try:
        asked = int(name)
    except ValueError:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"Node id must be an integer, but it is: {name}") from None
    if asked != node_id:
        raise ApiError(ErrorCode.INVALID_REQUEST, f"Unexpected broker id, expected {node_id}, but received {name}")


def check_edits(edits: Sequence[Edit]) -> None:
    """Refuse edits of loggers that are not there, of levels that are none, and of lists.

    Raises:
        ApiError: INVALID_CONFIG or INVALID_REQUEST.
    """
    known = logger_levels()
    for name, level, operation in edits:
        if operation not in set(Operation):
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)  # so 3.9.1
        if operation in (Operation.APPEND, Operation.SUBTRACT):
            what = Operation(operation).name
            raise ApiError(ErrorCode.INVALID_REQUEST, f"{what} operation is not allowed for the BROKER_LOGGER resource")
        if name not in known:
            raise ApiError(ErrorCode.INVALID_CONFIG, f"Logger {name} does not exist!")
        if operation == Operation.SET and level not in LEVELS:
            raise ApiError(
                ErrorCode.INVALID_CONFIG,
                f"Cannot set the log level of {name} to {level}. Valid log levels are {', '.join(LEVELS)}",
            )
        if operation == Operation.DELETE and name == ROOT:
            raise ApiError(ErrorCode.INVALID_REQUEST, f"Removing the log level of the {ROOT} logger is not allowed")


def apply_edits(edits: Sequence[Edit]) -> None:
    """Set or unset the levels of loggers; *edits* were checked."""
    for name, level, operation in edits:
        target = logging.getLogger(None if name == ROOT else name)
        if operation == Operation.SET and level is not None:
            target.setLevel(LEVELS[level])
        else:
            target.setLevel(logging.NOTSET)
        logger.warning("logger=%s: level %s", name, level if operation == Operation.SET else "is inherited again")
