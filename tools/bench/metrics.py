"""The words of a result: metrics, the ratios wanted of them, and the workload that yields them.

A ratio is wirebroker's figure over Apache Kafka's, so a rate should be above 1 and a time or a size below.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from tools.bench.broker_session import BrokerSession


@dataclass(frozen=True, slots=True)
class Target:
    """A bound on the ratio, or on wirebroker's own figure when *absolute*."""

    bound: float
    at_least: bool = True
    absolute: bool = False

    def met(self, ratio: float, figure: float) -> bool:
        value = figure if self.absolute else ratio
        return value >= self.bound if self.at_least else value <= self.bound


def at_least(bound: float) -> Target:
    return Target(bound)


def at_most(bound: float, absolute: bool = False) -> Target:
    return Target(bound, at_least=False, absolute=absolute)


@dataclass(frozen=True, slots=True)
class Metric:
    """One row: its words, its unit, how many digits say something, and what is wanted (None: reported only)."""

    title: str
    unit: str
    digits: int = 0
    target: Target | None = None


class Workload(ABC):
    """Something to do to a broker that yields numbers; prepared once per broker, measured once per round."""

    name: str
    metrics: Mapping[str, Metric]

    def prepare(self, session: BrokerSession) -> None:  # noqa: B027
        """Make topics and data that every round uses; most need none."""

    @abstractmethod
    def measure(self, session: BrokerSession) -> dict[str, float]:
        """One round: a figure for each key of :attr:`metrics`."""

    def clean(self, session: BrokerSession) -> None:  # noqa: B027
        """Remove what :meth:`prepare` made."""
