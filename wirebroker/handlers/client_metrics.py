"""Checks and describes client metrics subscriptions, a config resource (type 16, CLIENT_METRICS).

KIP-714.  As on an Apache Kafka broker without a telemetry reporter, subscriptions are kept and described, and no client
is asked for metrics: GetTelemetrySubscriptions is not served.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from wirebroker.config.describe import ConfigEntry, ConfigSource, ConfigSynonym
from wirebroker.config.values import ConfigType, parse_value
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

KINDS: Final = {"interval.ms": ConfigType.INT, "match": ConfigType.LIST, "metrics": ConfigType.LIST}
_DEFAULTS: Final = {"interval.ms": "300000", "match": "", "metrics": ""}
DESCRIBED_SINCE: Final = "4.0"
"""The release since which a subscription is described with all keys, their types and defaults (KAFKA-17516)."""
TEXTS: Final = {
    "interval.ms": "How often a client sends its metrics, in milliseconds.",
    "match": "Which clients: patterns of their id, address, or the name and version of their software.",
    "metrics": "Prefixes of the names of the metrics to send; an empty one is all of them.",
}
"""Key -> its documentation."""
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


def describe_subscription(settings: Mapping[str, str], wanted: Collection[str] | None) -> list[ConfigEntry]:
    """Return all keys of a subscription with these *settings*, or the *wanted* ones; it need not be there."""
    entries = []
    for name, kind in KINDS.items():
        if wanted is None or name in wanted:
            value, source = _DEFAULTS[name], ConfigSource.DEFAULT
            synonyms: tuple[ConfigSynonym, ...] = ()
            if name in settings:
                value, source = settings[name], ConfigSource.CLIENT_METRICS
                synonyms = (ConfigSynonym(name, value, source),)
            entries.append(ConfigEntry(name, value, source, False, False, kind, synonyms))
    return entries


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
