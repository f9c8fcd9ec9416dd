"""Checks client metrics subscriptions, a config resource (type 16, CLIENT_METRICS).

KIP-714.  As on an Apache Kafka broker without a telemetry reporter, subscriptions are kept and described, and no client
is asked for metrics: GetTelemetrySubscriptions is not served.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from wirebroker.config.values import ConfigType, parse_value
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Mapping

KINDS: Final = {"metrics": ConfigType.LIST, "interval.ms": ConfigType.INT, "match": ConfigType.LIST}
_MIN_INTERVAL_MS, _MAX_INTERVAL_MS = 100, 3_600_000
_MATCHABLE: Final = frozenset(
    (
        "client_instance_id",
        "client_id",
        "client_software_name",
        "client_software_version",
        "client_source_address",
        "client_source_port",
    )
)


def check_subscription(name: str, settings: Mapping[str, str]) -> None:
    """Check the settings of a subscription.

    Raises:
        ApiError: INVALID_REQUEST for the name, keys and the interval; INVALID_CONFIG for patterns;
            UNKNOWN_SERVER_ERROR, as on 3.9.1, for an interval that is no number.
    """
    if not name:
        raise ApiError(ErrorCode.INVALID_REQUEST, "Subscription name can't be empty")
    for key in settings:
        if key not in KINDS:
            raise ApiError(ErrorCode.INVALID_REQUEST, f"Unknown client metrics configuration: {key}")
    try:
        values = {key: parse_value(KINDS[key], text) for key, text in settings.items()}
    except ValueError as problem:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR) from problem
    interval_ms = values.get("interval.ms")
    if isinstance(interval_ms, int) and not _MIN_INTERVAL_MS <= interval_ms <= _MAX_INTERVAL_MS:
        raise ApiError(
            ErrorCode.INVALID_REQUEST,
            f"Invalid value {interval_ms} for interval.ms, interval must be between 100 and 3600000 (1 hour)",
        )
    patterns = values.get("match")
    for pattern in patterns if isinstance(patterns, tuple) else ():
        _check_pattern(pattern)


def _check_pattern(pattern: str) -> None:
    parameter, separator, expression = pattern.rstrip("=").partition("=")
    try:
        if not separator or "=" in expression or parameter.strip() not in _MATCHABLE:
            raise ValueError(pattern)
        re.compile(expression.strip())
    except (ValueError, re.error):
        raise ApiError(ErrorCode.INVALID_CONFIG, f"Illegal client matching pattern: {pattern}") from None
