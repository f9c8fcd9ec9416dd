"""Topics and records with a stock client, confluent-kafka."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wirebroker.pipelines.events import Event

# The flights are of 2013: with the default retention of a week they would be deleted as they arrive, and a year of
# event time would roll a segment for each week.
HISTORY = {"retention.ms": "-1", "segment.ms": str(2 * 366 * 24 * 3600 * 1000)}


class ProduceError(Exception):
    """The broker refused a topic or a record; the text is printed as it is."""


class Topics:
    """Creates, finds and deletes the demo's topics."""

    def __init__(self, bootstrap: str) -> None:
        from confluent_kafka.admin import AdminClient

        self._admin = AdminClient({"bootstrap.servers": bootstrap, "log_level": 2})

    def existing(self, names: Iterable[str]) -> list[str]:
        """Those of *names* that exist.

        Raises:
            ProduceError: there is no answer from a Kafka broker.
        """
        from confluent_kafka import KafkaException

        try:
            known = self._admin.list_topics(timeout=15).topics
        except KafkaException as error:
            raise ProduceError(f"no answer from a Kafka broker: {error.args[0].str()}") from error
        return [name for name in names if name in known]

    def create(self, partitions: dict[str, int]) -> None:
        """Create topics of these names with these numbers of partitions."""
        from confluent_kafka.admin import NewTopic

        new = [NewTopic(name, count, config=HISTORY) for name, count in partitions.items()]
        self._wait(self._admin.create_topics(new, request_timeout=30))

    def delete(self, names: list[str]) -> None:
        """Delete topics that exist."""
        if names:
            self._wait(self._admin.delete_topics(names, request_timeout=15))

    def _wait(self, futures: dict[str, Any]) -> None:
        """Wait for the results of administrative requests.

        Raises:
            ProduceError: the broker refuses one.
        """
        from confluent_kafka import KafkaException

        for name, future in futures.items():
            try:
                future.result()
            except KafkaException as error:
                raise ProduceError(f"topic {name}: {error.args[0].str()}") from error


def produce(bootstrap: str, topic: str, events: Iterable[Event], on_progress: Callable[[int], None]) -> int:
    """Produce *events* and return their number.

    Records of one key stay in order and are written once: the producer is idempotent, as Java clients since 3.0 are by
    default.  *on_progress* is called with the number of records acknowledged so far.

    Raises:
        ProduceError: the broker did not acknowledge all of them.
    """
    from confluent_kafka import Producer

    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "enable.idempotence": True,
            "compression.type": "lz4",
            "linger.ms": 20,
            "partitioner": "murmur2_random",  # the Java client's choice of partition for a key
            "log_level": 2,
        }
    )
    acknowledged = 0
    failed: list[str] = []

    def delivered(error: Any, _message: Any) -> None:
        nonlocal acknowledged
        if error is None:
            acknowledged += 1
        else:
            failed.append(str(error))

    for count, event in enumerate(events):
        while True:
            try:
                producer.produce(
                    topic,
                    event.value,
                    event.key,
                    timestamp=event.timestamp_ms,
                    headers=event.headers,
                    callback=delivered,
                )
                break
            except BufferError:  # the client's queue is full: let it send
                producer.poll(0.1)
        if count % 1000 == 0:
            producer.poll(0)
            on_progress(acknowledged)
            if failed:
                break
    while producer.flush(0.2) and not failed:
        on_progress(acknowledged)
    on_progress(acknowledged)
    if failed:
        raise ProduceError(f"{len(failed)} records to {topic} failed: {failed[0]}")
    return acknowledged
