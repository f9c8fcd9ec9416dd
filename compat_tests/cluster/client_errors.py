"""ClientErrors: the errors that librdkafka tells an application of, and which of them are none of the application's.

librdkafka tries again by itself after each of `RETRIABLE`: a connection that is gone, an answer that did not come in
time, a leader or coordinator that moves, a broker that does not know of it yet.  Any other one would be for the
application to handle, so clients that notice nothing of a change of the brokers never get one.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from confluent_kafka import KafkaError

if TYPE_CHECKING:
    from collections.abc import Callable

RETRIABLE: Final = frozenset(
    {
        # of librdkafka: connections and time
        KafkaError._TRANSPORT,
        KafkaError._ALL_BROKERS_DOWN,
        KafkaError._TIMED_OUT,
        KafkaError._WAIT_COORD,
        # of brokers, which Apache Kafka's clients take for retriable, too
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.NETWORK_EXCEPTION,
        KafkaError.NOT_ENOUGH_REPLICAS,
        KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.OFFSET_NOT_AVAILABLE,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.NOT_COORDINATOR,
    }
)


class ClientErrors:
    """The errors of some clients, by client and code."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        """(client, name of the error) -> how often."""
        self.not_retriable: list[str] = []

    def note(self, client: str, error: KafkaError) -> None:
        """Note an error of a client, whichever way it came."""
        self.counts[client, error.name()] += 1
        if error.code() not in RETRIABLE or error.fatal():
            self.not_retriable.append(f"{client}: {error.name()} ({error.code()}): {error.str()}")

    def callback(self, client: str) -> Callable[[KafkaError], None]:
        """Return the `error_cb` of a client."""
        return lambda error: self.note(client, error)

    def __str__(self) -> str:
        found = ", ".join(f"{client} {name} {count}" for (client, name), count in sorted(self.counts.items()))
        return f"retriable errors that clients were told of: {found or 'none'}"
