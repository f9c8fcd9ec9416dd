"""Effect: whether and since when wirebroker obeys a config key, and what a broker does about a key without effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wirebroker.config.values import Value


class Refusal(NamedTuple):
    """The consequence of ignoring a key, and the values that have none."""

    consequence: str
    """A clause such as "connections are not encrypted"."""
    harmless: tuple[Value, ...] = ()
    """Values without that consequence, beside the default and the empty one."""
    cluster: bool = False
    """Whether the key makes the broker part of a cluster; `--standalone` accepts the consequence."""


class Effect(NamedTuple):
    """The effect of a config key."""

    since: str | None = "0.1"
    """The first release of wirebroker that obeys the key; None without an effect."""
    limits: str = ""
    """The part of Kafka's effect that is missing, as a clause; empty for a complete effect."""
    complete_with: tuple[Value, ...] = ()
    """Values whose effect is complete."""
    refusal: Refusal | None = None
    """Set for a key without effect that refuses the start of a broker, because operators rely on it; of a key with an
    effect, the consequence of waiving it."""
    in_cluster: bool = False
    """Whether the key has its effect with `zookeeper.connect` only."""
    complete_in_cluster: bool = False
    """Whether there are no *limits* with `zookeeper.connect`."""

    @property
    def level(self) -> str:
        """ "full", "partial" or "none"."""
        return "none" if self.since is None else "partial" if self.limits else "full"


FULL = Effect()
NO_EFFECT = Effect(since=None)
IN_CLUSTER = Effect(in_cluster=True)
JOINS_CLUSTER = Effect(refusal=Refusal("this broker does not join a cluster on ZooKeeper", cluster=True))


def partial_effect(limits: str, complete_with: tuple[Value, ...] = (), since: str = "0.1") -> Effect:
    """Return the effect of a key that is obeyed except for *limits*, and fully with the values *complete_with*."""
    return Effect(since, limits, complete_with)


def refused(consequence: str, harmless: tuple[Value, ...] = (), *, cluster: bool = False) -> Effect:
    """Return the effect of a key that refuses the start, because of the *consequence* of ignoring it."""
    return Effect(None, refusal=Refusal(consequence, harmless, cluster))


MIN_ISR = Effect(
    limits="outside of a cluster each partition has one replica, so it matters only with --as-version up to 3.6, not "
    "to the broker's own writes",
    complete_with=(1,),
    complete_in_cluster=True,
)
"""Of `min.insync.replicas` and of the broker's default for it."""
TRANSACTION_MIN_ISR = Effect(
    limits="outside of a cluster the topic has one replica, and the broker's own writes to it are not held to it",
    complete_with=(1,),
    complete_in_cluster=True,
)
"""Of `transaction.state.log.min.isr`."""
INTERNAL_REPLICAS = Effect(
    limits="outside of a cluster the topic gets no more replicas than there are brokers, which is one",
    complete_with=(1,),
    complete_in_cluster=True,
)
"""Of the replication factors of internal topics."""
