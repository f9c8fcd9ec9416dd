"""Loads of transactions, one function each.

The Java loop is compiled in the JVM that runs it, so that no call crosses from Python while the clock runs.
"""

import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tools.bench import raw_client
from tools.bench.brokers import Broker
from tools.jvm import resolve
from tools.jvm.bridge import compiled, compiler_jars, jvm

PARTITIONS = 6
VALUE = b"x" * 100
PATIENCE_S = 60
JAVA_LOOP = """
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

public class TransactionLoop {
    private final KafkaProducer producer;
    private final String topic;

    public TransactionLoop(Properties properties, String topic) {
        this.producer = new KafkaProducer(properties);
        this.topic = topic;
        this.producer.initTransactions();
    }

    /** Transactions committed in so many seconds, of so many records each; returns seconds and count. */
    public double[] run(int records, double seconds, int partitions) {
        byte[] value = new byte[100];
        long began = System.nanoTime();
        int count = 0;
        double took = 0;
        while (took < seconds) {
            producer.beginTransaction();
            for (int i = 0; i < records; i++) {
                int partition = (count + i) % partitions;
                producer.send(new ProducerRecord(topic, Integer.valueOf(partition), null, value));
            }
            producer.commitTransaction();
            count++;
            took = (System.nanoTime() - began) / 1e9;
        }
        return new double[] {took, count};
    }

    public void close() {
        producer.close();
    }
}
"""
BYTES = "org.apache.kafka.common.serialization.ByteArraySerializer"


@dataclass(slots=True)
class Latencies:
    """Milliseconds."""

    values: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def percentile(self, percent: float) -> float:
        ordered = sorted(self.values)
        return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


def librdkafka_producer(broker: Broker, name: str) -> Any:
    """A transactional producer with librdkafka's defaults, initialised."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": name, "log_level": 0})
    producer.init_transactions(PATIENCE_S)
    return producer


def librdkafka_rate(producer: Any, topic: str, records: int, seconds: float) -> float:
    """Transactions a second, one after the other, *records* in each."""
    count, began = 0, time.perf_counter()
    while (took := time.perf_counter() - began) < seconds:
        producer.begin_transaction()
        for number in range(records):
            producer.produce(topic, VALUE, partition=(count + number) % PARTITIONS)
        producer.commit_transaction(PATIENCE_S)
        count += 1
    return count / took


@contextmanager
def java_loops(version: str) -> Iterator["JavaLoops"]:
    """A JVM with the clients of that release."""
    jars = resolve([f"org.apache.kafka:kafka-clients:{version}", "org.slf4j:slf4j-nop:1.7.36"])
    with jvm([*jars, *compiler_jars()]) as root:
        yield JavaLoops(root)


class JavaLoops:
    """Makes loops of the Java producer."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._class = compiled(root, "TransactionLoop", JAVA_LOOP)

    def loop(self, broker: Broker, topic: str, name: str) -> Any:
        """A loop whose producer is initialised; ``run(records, seconds, partitions)``."""
        properties = self._root.java.util.Properties()
        for key, value in {
            "bootstrap.servers": broker.bootstrap,
            "transactional.id": name,
            "key.serializer": BYTES,
            "value.serializer": BYTES,
        }.items():
            properties.setProperty(key, value)
        (constructor,) = self._class.getConstructors()
        gateway = constructor._gateway_client
        arguments = gateway_array(self._root, gateway, properties, topic)
        return constructor.newInstance(arguments)


def gateway_array(root: Any, client: Any, *values: Any) -> Any:
    """An Object[] of *values*."""
    array = root.java.lang.reflect.Array.newInstance(root.java.lang.Class.forName("java.lang.Object"), len(values))
    for number, value in enumerate(values):
        array[number] = value
    return array


def java_rate(loop: Any, records: int, seconds: float) -> float:
    """Transactions a second."""
    took, count = loop.run(records, float(seconds), PARTITIONS)
    return float(count / took)


def latency(broker: Broker, topic: str, name: str, transactions: int, pause_s: float) -> Latencies:
    """From the send of a one-record transaction until a read_committed consumer has the record, both librdkafka."""
    from confluent_kafka import Consumer, TopicPartition

    consumer = Consumer(
        {
            "bootstrap.servers": broker.bootstrap,
            "group.id": name,
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
        }
    )
    producer = librdkafka_producer(broker, name)
    arrived: dict[bytes, float] = {}
    done = threading.Event()
    found = Latencies()
    try:
        _, end = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=PATIENCE_S)
        consumer.assign([TopicPartition(topic, 0, end)])

        def read() -> None:
            while not done.is_set():
                message = consumer.poll(0.2)
                if message is not None and message.error() is None:
                    arrived[message.value()] = time.perf_counter()

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        sent = {}
        for number in range(transactions):
            value = b"%d" % number
            sent[value] = time.perf_counter()
            producer.begin_transaction()
            producer.produce(topic, value, partition=0)
            producer.commit_transaction(PATIENCE_S)
            time.sleep(pause_s)
        deadline = time.monotonic() + PATIENCE_S
        while len(arrived) < transactions:
            if time.monotonic() > deadline:
                raise raw_client.BenchError(f"{transactions - len(arrived)} committed records never came")
            time.sleep(0.01)
        done.set()
        reader.join()
        # the first ones wait for connections
        found.values = [(arrived[each] - sent[each]) * 1000 for each in list(sent)[transactions // 10 :]]
    finally:
        done.set()
        consumer.close()
    return found
