"""Story: what random requests have made of the two brokers so far, and the comparison of each answer."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from compat_tests.comparison import SILENT
from wirebroker.protocol.messages.describe_transactions import DescribeTransactionsRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from compat_tests.comparison import Answers, Side, SideBySide
    from wirebroker.protocol.message import Message

    Ask = Message | Callable[[Side], Message]

T = TypeVar("T")

PARTITIONS: Final = (0, 1)
UNKNOWN_PARTITION: Final = 7
MOST_TOPICS: Final = 4
_SHOWN: Final = 25  # steps before the one that differs
_CONFIGS: Final = (
    (0.3, "message_timestamp_type", ("LogAppendTime",)),
    (0.3, "compression_type", ("gzip", "lz4", "snappy", "zstd", "uncompressed", "producer")),
    (0.2, "max_message_bytes", ("400",)),
    (0.25, "segment_bytes", ("1000",)),
    (0.15, "cleanup_policy", ("compact", "compact,delete")),
    (0.15, "min_insync_replicas", ("2",)),
    (0.15, "message_timestamp_before_max_ms", ("1000000",)),
)


@dataclass
class Producer:
    """A producer that both brokers have given an id."""

    transactional_id: str
    """Empty for an idempotent one."""
    ids: dict[str, tuple[int, int]]
    """Broker -> producer id and epoch."""
    sequences: dict[tuple[str, int], int] = field(default_factory=dict)
    """Topic and partition -> the sequence of the next record."""

    def of(self, side: Side) -> tuple[int, int]:
        return self.ids[side.name]


@dataclass
class Member:
    """The only member of a group, so that no JoinGroup waits for another one."""

    group: str
    instance: str | None
    generation: int
    protocol: str
    ids: dict[str, str]
    """Broker -> member id."""

    def of(self, side: Side) -> str:
        return self.ids[side.name]


class Story:
    """Two brokers with the topics, producers and groups of one seed.

    Args:
        both: The brokers, whose answers are compared without the order of lists.
        seed: Decides everything.
        names: A prefix of the names of topics, groups and transactional ids.
    """

    def __init__(self, both: SideBySide, seed: int, names: str) -> None:
        self.both = both
        self.rng = random.Random(seed)
        self.topics: list[str] = []
        self.producers: list[Producer] = []
        self.members: dict[str, Member] = {}
        self.groups = [f"{names}-g{number}" for number in range(2)]
        self.transactional_ids = [f"{names}-x{number}" for number in range(2)]
        self.refused_groups: set[str] = set()
        """Groups of which a commit was refused: Apache Kafka may have them, empty, in memory (FINDINGS.md)."""
        self._names = names
        self._steps: list[str] = []

    def ask(self, request: Ask, version: int, label: str) -> Answers:
        """Ask both brokers; the answers must be equal."""
        self._steps.append(f"{label} v{version}")
        answers = self.both.ask(request, version, client_id="random", label=label)
        assert not self.both.mismatches, "\n".join(["", *self._steps[-_SHOWN:], *self.both.mismatches])
        assert answers.kafka != SILENT
        return answers

    def note(self, outcome: object) -> None:
        """Add the outcome of the last step to what is shown of it."""
        self._steps[-1] += f" -> {outcome}"

    def note_step(self, label: str) -> None:
        self._steps.append(label)

    def await_markers(self) -> None:
        """Wait until no transaction is about to end: Apache Kafka answers CONCURRENT_TRANSACTIONS meanwhile."""
        for side in self.both.sides:
            for _ in range(2000):
                answer = side.ask(DescribeTransactionsRequest(self.transactional_ids), 0)
                if not any(each.transaction_state.startswith("Prepare") for each in answer.transaction_states):
                    break
                time.sleep(0.01)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def one_of(self, choices: Sequence[T]) -> T:
        return self.rng.choice(choices)

    def topic(self) -> str:
        return self.rng.choice(self.topics)

    def partition(self) -> int:
        """A partition of any topic, now and then one that does not exist."""
        return self.rng.choice((0, 0, 0, 0, 1, 1, UNKNOWN_PARTITION))

    def create_topic(self) -> None:
        """Create a topic of two partitions, with any settings."""
        if len(self.topics) == MOST_TOPICS:
            return
        configs = {key: self.one_of(values) for probability, key, values in _CONFIGS if self.chance(probability)}
        self.topics.append(self.both.create_topic(f"{self._names}-t{len(self.topics)}", 2, **configs))
        self._steps.append(f"create {self.topics[-1]} {configs}")

    def error_code(self, answer: Any) -> int:
        """The first error code of an answer."""
        code: int = next(_error_codes(answer))
        return code


def _error_codes(answer: Any) -> Any:
    for name in getattr(answer, "FIELDS", ()):
        value = getattr(answer, name)
        if name == "error_code":
            yield value
        elif isinstance(value, list):
            for each in value:
                yield from _error_codes(each)
