"""Effect: whether and since when wirebroker obeys a key, what is missing, and what ignoring the key would mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wirebroker.config.values import Value


class Refusal(NamedTuple):
    """What a broker that ignored the key would leave undone, and when nothing is left undone."""

    consequence: str
    """A clause that says what is missing, such as "connections are not encrypted"."""
    harmless: tuple[Value, ...] = ()
    """Values beside the default and the empty one with which nothing is missing."""
    cluster: bool = False
    """Whether `--standalone` accepts the consequence: the key makes the broker part of a cluster."""


class Effect(NamedTuple):
    """What wirebroker makes of a key."""

    since: str | None = "0.1"
    """The release of wirebroker that obeys the key; None: none does yet."""
    limits: str = ""
    """The part of Kafka's effect that is missing, as a clause; empty when the effect is complete."""
    refusal: Refusal | None = None
    """Set for a key without effect that a broker does not start with, because somebody relies on it."""

    @property
    def level(self) -> str:
        """ "full", "partial" or "none"."""
        return "none" if self.since is None else "partial" if self.limits else "full"


FULL = Effect()
NO_EFFECT = Effect(since=None)


def partial_effect(limits: str, since: str = "0.1") -> Effect:
    """The effect of a key that is obeyed except for what the clause *limits* says."""
    return Effect(since, limits)


def refused(consequence: str, harmless: tuple[Value, ...] = (), *, cluster: bool = False) -> Effect:
    """No effect yet, and a broker does not start with the key: the *consequence* of ignoring it is too grave."""
    return Effect(None, refusal=Refusal(consequence, harmless, cluster))


COMPACTION = partial_effect("nothing is compacted yet; compact refuses records without a key and keeps all others")
"""Of `cleanup.policy` and of the broker's default for it."""
MIN_ISR = partial_effect(
    "each partition has one replica, so it matters only with --as-version up to 3.6, and not to the broker's own writes"
)
"""Of `min.insync.replicas` and of the broker's default for it."""
