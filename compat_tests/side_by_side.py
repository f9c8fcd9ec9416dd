"""One raw request to our broker and to a real Apache Kafka, and their answers with what must differ taken out.

Texts, addresses, ids made by chance and the order of lists differ by right; everything else must not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from compat_tests.conftest import wait_until
from compat_tests.wire import Closed, Wire
from wirebroker.protocol.message import Data
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from compat_tests.broker import Broker
    from wirebroker.protocol.message import Message

    Ask = Message | Callable[[Broker], Message]
    """A request, or what makes one for a broker (topic ids differ)."""
    Step = tuple[str, Ask, int]
    """A label, what to ask, and the version to ask it in."""

BY_CHANCE = frozenset({"host", "port", "cluster_id", "log_dir", "total_bytes", "usable_bytes", "error_message"})
ZERO_ID = bytes(16)


class BrokerPair(NamedTuple):
    """The two brokers under comparison."""

    ours: Broker
    theirs: Broker

    def differences(self, steps: Sequence[Step]) -> list[str]:
        """Send every step to both, in order; describe those that were answered differently."""
        found = []
        with Wire(self.ours.host, self.ours.port) as ours, Wire(self.theirs.host, self.theirs.port) as theirs:
            for label, request, version in steps:
                answers = []
                for broker, wire in ((self.ours, ours), (self.theirs, theirs)):
                    message = request(broker) if callable(request) else request
                    answers.append(comparable(answer(wire, message, version)))
                if answers[0] != answers[1]:
                    found.append(f"{label} v{version}\n  ours   {answers[0]}\n  theirs {answers[1]}")
        return found

    def wait_for_topics(self, *names: str, exist: bool = True) -> None:
        """Wait until both brokers' Metadata shows (or hides) the topics: Kafka's answers before its broker knows."""
        for broker in self:
            with Wire(broker.host, broker.port) as wire:
                wait_until(lambda wire=wire: all(_exists(wire, name) == exist for name in names))  # type: ignore[misc]


def answer(wire: Wire, request: Message, version: int) -> Any:
    """The decoded answer, or "closed"."""
    try:
        return wire.ask(request, version)
    except Closed:
        return "closed"


def comparable(value: Any, field: str = "") -> Any:
    """An answer as plain values: lists sorted; of texts, addresses and generated ids only whether they are there."""
    if isinstance(value, Data):
        return {name: comparable(getattr(value, name), name) for name in value.FIELDS}
    if isinstance(value, list):
        return sorted((comparable(each) for each in value), key=repr)
    if field in BY_CHANCE:
        return bool(value) if isinstance(value, str) else value is not None and value > 0
    if field == "topic_id":
        return value != ZERO_ID
    return value


def _exists(wire: Wire, name: str) -> bool:
    request = MetadataRequest([MetadataRequestTopic(name=name)], allow_auto_topic_creation=False)
    code: int = wire.ask(request, 9).topics[0].error_code
    return code == 0
