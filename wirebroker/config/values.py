"""Types and checks of config values: text to value, value to text, and the errors of invalid values.

Facts: Kafka's ConfigDef (types as numbered by DescribeConfigs, KIP-133 and KIP-569; trimming, separators, bounds) and
Java's number formats, since tools compare the text that comes back.  Error messages are Kafka's, because people search
for them.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING

from wirebroker.releases.versions import UnknownRelease, release_of

if TYPE_CHECKING:
    from collections.abc import Callable

    Value = bool | int | float | str | tuple[str, ...] | None
    Check = Callable[["Value"], str | None]


class ConfigType(IntEnum):
    """The type of a key, as numbered in DescribeConfigs 3 and later."""

    UNKNOWN = 0
    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


class ConfigError(Exception):
    """A key has an invalid value; the text is one line for an operator or a client."""


_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[dDfF]?|[+-]?(?:NaN|Infinity)", re.ASCII)
_SEPARATOR = re.compile(r"\s*,\s*")

_BITS = {ConfigType.SHORT: 15, ConfigType.INT: 31, ConfigType.LONG: 63}


def parse_value(kind: ConfigType, text: str) -> Value:
    """Return the value of *text*; ValueError with the reason for invalid text."""
    text = text.strip()
    if kind in _BITS:
        number = int(text) if _INTEGER.fullmatch(text) else None
        if number is None or not -(1 << _BITS[kind]) <= number < 1 << _BITS[kind]:
            raise ValueError(f"Not a number of type {kind.name}")
        return number
    if kind is ConfigType.BOOLEAN:
        if text.lower() not in ("true", "false"):
            raise ValueError("Expected value to be either true or false")
        return text.lower() == "true"
    if kind is ConfigType.LIST:
        return tuple(_SEPARATOR.split(text)) if text else ()
    if kind is ConfigType.DOUBLE:
        if not _DECIMAL.fullmatch(text):
            raise ValueError("Not a number of type DOUBLE")
        return float(text.rstrip("dDfF"))
    return text


def render_value(value: Value) -> str | None:
    """Return the text of *value* as Kafka prints it, None for None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(value)
    if isinstance(value, float):
        return java_double(value)
    return str(value)


def java_double(value: float) -> str:
    """Return Double.toString: plain digits from 0.001 up to 10,000,000, else one digit, a point and an exponent."""
    if value != value or value in (float("inf"), float("-inf")):
        return {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), "NaN")
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    shortest = next(text for text in (f"{value:.{places}e}" for places in range(17)) if float(text) == value)
    digits, _, exponent = shortest.partition("e")
    return f"{digits if '.' in digits else digits + '.0'}E{int(exponent)}"


@cache  # a hundred keys have one of two of these
def at_least(low: int) -> Check:
    """Return the check for values of at least *low*."""

    def check(value: Value) -> str | None:
        return f"Value must be at least {low}" if value is not None and value < low else None  # type: ignore[operator]

    check.__doc__ = f"[{low},...]"
    return check


def between(low: int, high: float) -> Check:
    """Return the check for values from *low* to *high*, both inclusive."""

    def check(value: Value) -> str | None:
        if value is None:
            return None
        if value < low:  # type: ignore[operator]
            return f"Value must be at least {low}"
        return f"Value must be no more than {high}" if value > high else None  # type: ignore[operator]

    check.__doc__ = f"[{low},...,{high}]"
    return check


def one_of(*allowed: str, any_case: bool = False) -> Check:
    """Return the check for one of these words, or for a list of them."""

    def check(value: Value) -> str | None:
        entries = value if isinstance(value, tuple) else (value,)
        for entry in entries:
            if entry is not None and (str(entry).upper() if any_case else entry) not in allowed:
                return f"String must be one of{' (case insensitive)' if any_case else ''}: {', '.join(allowed)}"
        return None

    check.__doc__ = f"[{', '.join(allowed)}]"
    return check


def not_empty(value: Value) -> str | None:
    """non-empty string"""
    return "String must be non-empty" if value == "" else None


def gzip_level(value: Value) -> str | None:
    """[1,...,9] or -1"""
    if value == -1 or (isinstance(value, int) and 1 <= value <= 9):
        return None
    return "Value must be between 1 and 9 or equal to -1"


def codec_id(value: Value) -> str | None:
    """[0,...,4]"""
    return None if isinstance(value, int) and 0 <= value <= 4 else f"Unknown compression type id: {value}"


def positive_or_minus_one(value: Value) -> str | None:
    """[1,...] or -1"""
    if value == -1 or (isinstance(value, int) and value >= 1):
        return None
    return "Value must be at least 1 or equal to -1"


def host_counts(value: Value) -> str | None:
    """host:count,host:count,..."""
    for entry in str(value).split(",") if value else ():
        host, _, count = entry.strip().rpartition(":")
        if not host or not count.isdecimal():
            return "Value must be a list of host:count"
    return None


def host_and_port(value: Value) -> str | None:
    """host:port"""
    host, _, port = str(value or "").rpartition(":")
    if value and (not host or not port.isdecimal() or not 0 < int(port) < 65_536):
        return "Value must be host:port"
    return None


def kafka_version(value: Value) -> str | None:
    """the version of a release of Apache Kafka from 0.8.0 to 4.3"""
    try:
        release_of(str(value))
    except UnknownRelease as problem:
        return str(problem)
    return None


def inter_broker_protocol(value: Value) -> str | None:
    """a Kafka release such as 2.8, 3.0-IV1 or 0.11.0.2"""
    from wirebroker.config.inter_broker_protocol import InterBrokerProtocol  # brokers of a cluster alone need it

    try:
        InterBrokerProtocol(str(value))
    except ConfigError as error:
        return str(error)
    return None


_REPLICA = re.compile(r"[0-9]+:[0-9]+", re.ASCII)


def throttled_replicas(value: Value) -> str | None:
    """[partitionId]:[brokerId],[partitionId]:[brokerId],... or *"""
    if value == ("*",) or (isinstance(value, tuple) and all(_REPLICA.fullmatch(entry) for entry in value)):
        return None
    return "Value must be the literal '*' or a list of replicas in the format partition:broker,partition:broker,..."
