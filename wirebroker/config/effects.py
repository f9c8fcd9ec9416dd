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
    complete_with: tuple[Value, ...] = ()
    """Values with which nothing is missing."""
    refusal: Refusal | None = None
    """Set for a key without effect that a broker does not start with, because somebody relies on it."""

    @property
    def level(self) -> str:
        """ "full", "partial" or "none"."""
        return "none" if self.since is None else "partial" if self.limits else "full"


FULL = Effect()
NO_EFFECT = Effect(since=None)


def partial_effect(limits: str, complete_with: tuple[Value, ...] = (), since: str = "0.1") -> Effect:
    """The effect of a key that is obeyed, unless its value is one of *complete_with*, except for what *limits* says."""
    return Effect(since, limits, complete_with)


def refused(consequence: str, harmless: tuple[Value, ...] = (), *, cluster: bool = False) -> Effect:
    """No effect yet, and a broker does not start with the key: the *consequence* of ignoring it is too grave."""
    return Effect(None, refusal=Refusal(consequence, harmless, cluster))


COMPACTION = partial_effect(
    "nothing is compacted yet; compact refuses records without a key and keeps all others", (("delete",),)
)
"""Of `cleanup.policy` and of the broker's default for it."""
MIN_ISR = partial_effect(
    "each partition has one replica, so it matters only with --as-version up to 3.6, not to the broker's own writes",
    (1,),
)
"""Of `min.insync.replicas` and of the broker's default for it."""
INTERNAL_REPLICAS = partial_effect("the topic gets no more replicas than there are brokers, which is one", (1,))
"""Of the replication factors of internal topics."""
