"""Loads on a cluster of three brokers; each returns its measurements of one turn.

Every load writes with acks=all to three replicas.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from confluent_kafka import Producer

from tools.bench import group_loads, raw_client, wire
from tools.bench.broker_session import now_ms
from tools.bench.client_processes import librdkafka
from tools.bench.warm_memory import warm_memory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tools.bench.broker_cluster import BrokerCluster

GROUPS = tuple(f"commit-{number}" for number in range(4))
IN_FLIGHT = 32
TRANSACTION_PARTITIONS = 3
RECORD_OVERHEAD = 16
"""Bytes of a record beside its value, about."""
PATIENCE_S = 60


class Rate(NamedTuple):
    """Units of work a second, and the processor time of all brokers for each."""

    per_s: float
    cpu_s: float


class Latency(NamedTuple):
    """Requests one after the other."""

    rate: Rate
    p50_ms: float
    p99_ms: float


def produce(cluster: BrokerCluster, count: int, value_bytes: int) -> Rate:
    """An idempotent librdkafka producer at its own speed, into a topic of its own, which is deleted.

    Raises:
        ClientFailed: also for a producer that does not end in PATIENCE_S.
    """
    topic = cluster.new_topic(1)
    with warm_memory(3 * count * (value_bytes + RECORD_OVERHEAD), cluster.data_bytes):
        before = cluster.cpu_seconds()
        settings = ("enable.idempotence=true", "log_level=0")
        arguments = ("produce", cluster.bootstrap, topic, count, value_bytes)
        per_s = librdkafka(*arguments, *settings, timeout_s=PATIENCE_S)
        # followers have everything when all is acknowledged
        cpu_s = (cluster.cpu_seconds() - before) / count
    cluster.delete([topic])
    return Rate(per_s, cpu_s)


def one_record_requests(cluster: BrokerCluster, topic: str, leader: int, seconds: float) -> Latency:
    """Produce requests of one record of 100 B, each sent when the last one is answered."""
    prepared = raw_client.Prepared.of(topic, [(0, wire.record_batch(1, 100, now_ms()))], acks=-1)
    before = cluster.cpu_seconds()
    timing = raw_client.produce_one_by_one(cluster.address(leader), prepared, seconds)
    cpu_s = (cluster.cpu_seconds() - before) / timing.requests
    rate = Rate(timing.requests / timing.seconds, cpu_s)
    return Latency(rate, timing.percentile(50) / 1000, timing.percentile(99) / 1000)


def commits(
    cluster: BrokerCluster, coordinators: Mapping[str, raw_client.Address], topic: str, in_flight: int, count: int
) -> Rate:
    """Offset commits of one partition each, a connection for each group."""
    before = cluster.cpu_seconds()
    timing = group_loads.commits(coordinators, topic, in_flight, 1, count)
    return Rate(timing.requests / timing.seconds, (cluster.cpu_seconds() - before) / timing.requests)


def transactional_producer(cluster: BrokerCluster, name: str) -> Producer:
    """Return an initialised producer with librdkafka's defaults."""
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "transactional.id": name, "log_level": 0})
    producer.init_transactions(PATIENCE_S)
    return producer


def transactions(cluster: BrokerCluster, producer: Producer, topic: str, seconds: float) -> Rate:
    """Transactions of one record, one after the other."""
    before, began, count = cluster.cpu_seconds(), time.perf_counter(), 0
    while (took := time.perf_counter() - began) < seconds:
        producer.begin_transaction()
        producer.produce(topic, bytes(100), partition=count % TRANSACTION_PARTITIONS)
        producer.commit_transaction(PATIENCE_S)
        count += 1
    return Rate(count / took, (cluster.cpu_seconds() - before) / count)
