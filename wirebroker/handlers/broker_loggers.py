"""Levels of this broker's loggers, a config resource (type 8, BROKER_LOGGER).

KIP-412.  Names are those of the Python loggers, `root` among them; levels are written as Apache Kafka writes them.
Changes last until the broker stops, and are not recorded in the metadata.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from wirebroker.handlers.config_changes import OpType
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.handlers.config_changes import ConfigOp

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
    """Return logger name -> effective level of every logger, by name, `root` first."""
    found = {ROOT: _level_name(logging.getLogger())}
    for name, each in sorted(logging.root.manager.loggerDict.items()):
        if isinstance(each, logging.Logger):
            found[name] = _level_name(each)
    return found


def _level_name(each: logging.Logger) -> str:
    level = each.getEffectiveLevel()
    return next((name for name, least in LEVELS.items() if level >= least), "TRACE")


def check_resource_name(name: str, node_id: int, *, describing: bool) -> None:
    """Check that *name* is the id of this broker.

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


def check_logger_ops(ops: Sequence[ConfigOp]) -> None:
    """Refuse unknown loggers, unknown levels and operations on lists.

    Raises:
        ApiError: INVALID_CONFIG or INVALID_REQUEST.
    """
    known = logger_levels()
    for name, level, op_type in ops:
        if op_type not in set(OpType):
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)  # so 3.9.1
        if op_type in (OpType.APPEND, OpType.SUBTRACT):
            what = OpType(op_type).name
            raise ApiError(ErrorCode.INVALID_REQUEST, f"{what} operation is not allowed for the BROKER_LOGGER resource")
        if name not in known:
            raise ApiError(ErrorCode.INVALID_CONFIG, f"Logger {name} does not exist!")
        if op_type == OpType.SET and level not in LEVELS:
            raise ApiError(
                ErrorCode.INVALID_CONFIG,
                f"Cannot set the log level of {name} to {level}. Valid log levels are {', '.join(LEVELS)}",
            )
        if op_type == OpType.DELETE and name == ROOT:
            raise ApiError(ErrorCode.INVALID_REQUEST, f"Removing the log level of the {ROOT} logger is not allowed")


def apply_logger_ops(ops: Sequence[ConfigOp]) -> None:
    """Set or unset the levels of loggers; *ops* are valid."""
    for name, level, op_type in ops:
        target = logging.getLogger(None if name == ROOT else name)
        if op_type == OpType.SET and level is not None:
            target.setLevel(LEVELS[level])
        else:
            target.setLevel(logging.NOTSET)
        logger.warning("logger=%s: level %s", name, f"set to {level}" if op_type == OpType.SET else "inherited again")
