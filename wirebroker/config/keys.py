"""key(): one config key in one declaration: type, default, bounds, scope, text, and whether it has an effect.

Names, types, defaults, bounds and update modes are those of Apache Kafka 3.9, and of 2.0 to 2.8 for what was removed
since; each was compared with what those brokers say of themselves.  The texts are ours.  `sections/` holds the
declarations, `catalog.py` finds one by name.
"""

from __future__ import annotations

from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from wirebroker.config.effects import FULL, NO_EFFECT
from wirebroker.config.values import ConfigError, ConfigType, parse_value, render_value

if TYPE_CHECKING:
    from wirebroker.config.effects import Effect
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


class Importance(IntEnum):
    """How likely an operator is to care."""

    HIGH = 0
    MEDIUM = 1
    LOW = 2


class Scope(IntEnum):
    """How a broker key may change while the broker runs (KIP-226)."""

    READ_ONLY = 0
    PER_BROKER = 1
    CLUSTER_WIDE = 2


HIGH, MEDIUM, LOW = Importance
READ_ONLY, PER_BROKER, CLUSTER_WIDE = Scope


class Key:
    """One config key.  Build it with `key`."""

    __slots__ = (
        "check",
        "default",
        "effect",
        "importance",
        "internal",
        "kind",
        "name",
        "removed_in",
        "scope",
        "since",
        "text",
    )

    def __init__(
        self,
        name: str,
        kind: ConfigType,
        default: Value,
        importance: Importance,
        check: Check | None,
        scope: Scope,
        effect: Effect,
        internal: bool,
        removed_in: str | None,
        since: str | None,
        text: str,
    ) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.importance = importance
        self.check = check
        self.scope = scope
        self.effect = effect
        self.internal = internal
        self.removed_in = removed_in
        self.since = since
        self.text = text

    def __repr__(self) -> str:
        return f"Key({self.name})"

    def changed(self, **attributes: Any) -> Key:
        """This key with some attributes of another release."""
        own = {name: getattr(self, name) for name in self.__slots__}
        return Key(**own | attributes)

    def is_harmless(self, value: Value) -> bool:
        """Whether ignoring the key leaves nothing undone while it has *value*."""
        refusal = self.effect.refusal
        return refusal is None or value in (self.default, None, "", ()) or value in refusal.harmless

    @property
    def sensitive(self) -> bool:
        """Must the value never be shown?"""
        return self.kind is ConfigType.PASSWORD

    def parse(self, text: str) -> Value:
        """The value of *text* after every check; ConfigError with one line otherwise."""
        try:
            value = parse_value(self.kind, text)
        except ValueError as problem:
            raise ConfigError(self.complaint(text, str(problem))) from None
        problem_found = self.check(value) if self.check is not None else None
        if problem_found is not None:
            raise ConfigError(self.complaint(_offender(value, problem_found), problem_found))
        return value

    def complaint(self, text: str, reason: str) -> str:
        """The line that says what is wrong with *text*, without the text where it is a secret."""
        return f"Invalid value {'[hidden]' if self.sensitive else text} for configuration {self.name}: {reason}"

    def render(self, value: Value) -> str | None:
        """*value* as text; a secret stays a secret for the caller to hide."""
        return render_value(value)


def _offender(value: Value, reason: str) -> str:
    """What to name in a complaint: of a list of words, the word (Kafka does the same)."""
    if not isinstance(value, tuple):
        return render_value(value) or ""
    if reason.startswith("String must be one of"):
        allowed = reason.partition(": ")[2].split(", ")
        return next((entry for entry in value if entry not in allowed), "")
    return f"[{', '.join(value)}]"


def key(
    name: str,
    kind: ConfigType,
    default: Value,
    importance: Importance,
    check: Check | None = None,
    scope: Scope = READ_ONLY,
    *,
    effect: Effect = FULL,
    internal: bool = False,
    removed_in: str | None = None,
    since: str | None = None,
    text: str,
) -> Key:
    """Declare a key.

    Args:
        name: Kafka's dotted name; our own begin with `wirebroker.`.
        kind: What its text is parsed to.
        default: Already a value, a tuple for a LIST; None when the key has none.
        importance: As Kafka documents it.
        check: Says what is wrong with a value, or None when it will do.
        scope: How it may change while the broker runs.
        effect: Whether and since when wirebroker obeys it, and what happens to a configuration with it otherwise.
        internal: Not shown by DescribeConfigs unless somebody set it.
        removed_in: The release of Kafka from which it no longer knows the key.
        since: The release of Kafka that brought it, if that is later than 3.9.
        text: What the key is for, in a sentence or two.
    """
    return Key(name, kind, default, importance, check, scope, effect, internal, removed_in, since, text)


inert = partial(key, effect=NO_EFFECT)
"""Declare a key that is accepted, checked and shown, but has no effect (see `key`)."""
