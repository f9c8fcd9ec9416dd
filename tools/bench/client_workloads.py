"""Workloads with published clients: Kafka's own perf classes and librdkafka, with the clients' default settings."""

from collections.abc import Sequence

from tools.bench import client_processes
from tools.bench.broker_session import BrokerSession
from tools.bench.metrics import Metric, Workload, at_least
from tools.bench.workloads import SIZE_NAME

MESSAGES = {100: 5_000_000, 1024: 1_000_000}
IN, OUT = at_least(1.1), at_least(1.0)


class JavaProduce(Workload):
    """ProducerPerformance without a throttle."""

    def __init__(self, value_bytes: int) -> None:
        self._value_bytes = value_bytes
        self.name = f"java-produce-{SIZE_NAME[value_bytes].replace(' ', '')}"
        self.metrics = {"rate": Metric(f"Kafka's ProducerPerformance, {SIZE_NAME[value_bytes]}", "msg/s", 0, IN)}

    def measure(self, session: BrokerSession) -> dict[str, float]:
        topic = session.create_topic()
        count = session.scaled(MESSAGES[self._value_bytes])
        with session.room_for(count * self._value_bytes):
            rate = client_processes.java_produce(session.broker.bootstrap, topic, count, self._value_bytes)
        session.delete_topic(topic)
        return {"rate": rate}


class LibrdkafkaProduce(Workload):
    """rd_kafka_produce_batch as fast as the queue takes it."""

    def __init__(self, value_bytes: int) -> None:
        self._value_bytes = value_bytes
        self.name = f"librdkafka-produce-{SIZE_NAME[value_bytes].replace(' ', '')}"
        self.metrics = {"rate": Metric(f"librdkafka producing, {SIZE_NAME[value_bytes]}", "msg/s", 0, IN)}

    def measure(self, session: BrokerSession) -> dict[str, float]:
        topic = session.create_topic()
        count = session.scaled(MESSAGES[self._value_bytes])
        with session.room_for(count * self._value_bytes):
            rate = client_processes.librdkafka("produce", session.broker.bootstrap, topic, count, self._value_bytes)
        session.delete_topic(topic)
        return {"rate": rate}


class Consume(Workload):
    """Reads one filled topic again and again."""

    def __init__(self, value_bytes: int) -> None:
        self._value_bytes = value_bytes

    def prepare(self, session: BrokerSession) -> None:
        self._count = session.scaled(MESSAGES[self._value_bytes])
        # batches of the size that a busy producer with default settings makes, so the broker serves many small ones
        records = 16_000 // self._value_bytes
        self._topic = session.create_topic()
        size = self._count * (self._value_bytes + 16)
        session.fill(self._topic, 1, records, self._value_bytes, size)

    def clean(self, session: BrokerSession) -> None:
        session.delete_topic(self._topic)


class JavaConsume(Consume):
    """ConsumerPerformance; needs consumer groups."""

    def __init__(self, value_bytes: int) -> None:
        super().__init__(value_bytes)
        self.name = f"java-consume-{SIZE_NAME[value_bytes].replace(' ', '')}"
        self.metrics = {"rate": Metric(f"Kafka's ConsumerPerformance, {SIZE_NAME[value_bytes]}", "msg/s", 0, OUT)}

    def measure(self, session: BrokerSession) -> dict[str, float]:
        return {"rate": client_processes.java_consume(session.broker.bootstrap, self._topic, self._count)}


class LibrdkafkaConsume(Consume):
    """rd_kafka_consume_callback, partition assigned by hand."""

    def __init__(self, value_bytes: int) -> None:
        super().__init__(value_bytes)
        self.name = f"librdkafka-consume-{SIZE_NAME[value_bytes].replace(' ', '')}"
        self.metrics = {"rate": Metric(f"librdkafka consuming, {SIZE_NAME[value_bytes]}", "msg/s", 0, OUT)}

    def measure(self, session: BrokerSession) -> dict[str, float]:
        bootstrap = session.broker.bootstrap
        return {"rate": client_processes.librdkafka("consume", bootstrap, self._topic, self._count, self._value_bytes)}


CLIENTS: Sequence[Workload] = tuple(
    make(value_bytes)
    for value_bytes in (100, 1024)
    for make in (JavaProduce, LibrdkafkaProduce, JavaConsume, LibrdkafkaConsume)
)
