"""Key: one config key in one declaration: type, default, bounds, scope, effect and text.

Names, types, defaults, bounds and scopes are those of Apache Kafka 3.9, and of 2.0 to 2.8 for keys removed since; each
was compared with what those brokers answer to DescribeConfigs.  The texts are ours.  `sections/` holds the
declarations, `registry.py` finds a key by name.

A declaration is the only place with a key's default and bounds: code asks the BrokerConfig, a `Section` of it, or
`LogConfig`, and tests/config/test_single_default.py finds a default that stands a second time.
"""

from __future__ import annotations

from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from wirebroker.config.effects import FULL, NO_EFFECT, Effect
from wirebroker.config.values import ConfigError, ConfigType, parse_value, render_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.config.values import Check, Value

BOOLEAN = ConfigType.BOOLEAN
STRING = ConfigType.STRING
INT = ConfigType.INT
SHORT = ConfigType.SHORT
LONG = ConfigType.LONG
DOUBLE = ConfigType.DOUBLE
LIST = ConfigType.LIST
CLASS = ConfigType.CLASS
PASSWORD = ConfigType.PASSWORD

FOREVER = (1 << 63) - 1
"""Kafka's "no limit" for a LONG."""
UNLIMITED = (1 << 31) - 1
"""Kafka's "no limit" for an INT."""

_UNIT_MS = {"minutes": 60_000, "hours": 3_600_000}


class Scope(IntEnum):
    """The update mode of a broker key: how it may change while the broker runs (KIP-226)."""

    READ_ONLY = 0
    PER_BROKER = 1
    CLUSTER_WIDE = 2


READ_ONLY, PER_BROKER, CLUSTER_WIDE = Scope


class Key(NamedTuple):
    """One config key."""

    name: str
    """Kafka's dotted name; our own begin with `wirebroker.`."""
    kind: ConfigType
    default: Value
    """Already a value, a tuple for a LIST; None when the key has none."""
    check: Check | None = None
    """The bounds: a function that returns what is wrong with a value, None for a good one."""
    scope: Scope = READ_ONLY
    effect: Effect = FULL
    """Whether and since when wirebroker obeys the key, and what happens to a configuration with the key otherwise."""
    text: str = ""
    """The purpose of the key, in a sentence or two."""
    internal: bool = False
    """Not shown by DescribeConfigs unless the key is set."""
    removed_in: str | None = None
    """The release of Kafka from which it no longer knows the key."""
    since: str | None = None
    """The release of Kafka that brought the key, if that is later than 3.9."""
    synonyms: tuple[str, ...] = ()
    """The broker keys that give the value of a key that is not set, the strongest first."""
    standalone: Value = None
    """The default of a broker that is alone, where Kafka's is for three of them or for a whole network."""

    def __repr__(self) -> str:
        return f"Key({self.name})"

    @property
    def sensitive(self) -> bool:
        """Whether the value must never be shown."""
        return self.kind is ConfigType.PASSWORD

    def is_harmless(self, value: Value) -> bool:
        """Return whether ignoring the key leaves nothing undone while it has *value*."""
        refusal = self.effect.refusal
        return refusal is None or value in (self.default, None, "", ()) or value in refusal.harmless

    def parse(self, text: str) -> Value:
        """Return the value of *text* after every check.

        Raises:
            ConfigError: one line that says what is wrong with the text.
        """
        try:
            value = parse_value(self.kind, text)
        except ValueError as problem:
            raise ConfigError(self.error_message(text, str(problem))) from None
        reason = self.check(value) if self.check is not None else None
        if reason is not None:
            raise ConfigError(self.error_message(_offender(value, reason), reason))
        return value

    def error_message(self, text: str, reason: str) -> str:
        """Return the line that says what is wrong with *text*, without the text where it is a secret."""
        return f"Invalid value {'[hidden]' if self.sensitive else text} for configuration {self.name}: {reason}"


key = Key
ignored_key = partial(Key, effect=NO_EFFECT)
"""Declare a key that is accepted, checked and shown, but has no effect."""


def value_of_synonyms(names: tuple[str, ...], broker_value: Callable[[str], Value]) -> Value:
    """Return the first value that one of the broker keys *names* has, in milliseconds for hours and minutes."""
    for name in names:
        value = broker_value(name)
        if value is not None:
            unit_ms = _UNIT_MS.get(name.rpartition(".")[2], 1)
            return value * unit_ms if unit_ms > 1 and isinstance(value, int) else value
    return None


def _offender(value: Value, reason: str) -> str:
    """Return what to name in an error message: of a list of words, the word (Kafka does the same)."""
    if not isinstance(value, tuple):
        return render_value(value) or ""
    if reason.startswith("String must be one of"):
        allowed = reason.partition(": ")[2].split(", ")
        return next((entry for entry in value if entry not in allowed), "")
    return f"[{', '.join(value)}]"
