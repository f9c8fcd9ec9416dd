"""The raw workloads: one connection (or many) with prepared frames, so that the broker is the limit.

The list :data:`RAW` is in the order of RESULTS.md.  Volumes are a few GB a round at most: they must fit the
page cache, and files are deleted between turns.
"""

from collections.abc import Sequence

from tools.bench import raw_client, wire
from tools.bench.broker_session import BrokerSession, now_ms
from tools.bench.metrics import Metric, Target, Workload, at_least, at_most

GB = 10**9
LARGE_BATCH = {100: 9000, 1024: 970}  # value bytes -> records: just under the default max.message.bytes
SIZE_NAME = {100: "100 B", 1024: "1 kB"}
FETCH_BYTES = 8 << 20
IN_FLIGHT = 3
WARM_REQUESTS = 20
PERCENTILES = (50, 99)


class RawProduce(Workload):
    """Batches as large as the default limit allows, three requests in flight, acks=1."""

    def __init__(self, value_bytes: int, target: Target) -> None:
        self._value_bytes, self._records = value_bytes, LARGE_BATCH[value_bytes]
        size = SIZE_NAME[value_bytes]
        self.name = f"raw-produce-{size.replace(' ', '')}"
        what = f"raw produce, batches of {self._records:,} x {size}, 3 in flight"
        self.metrics = {
            "rate": Metric(what, "MB/s", 0, target),
            "cpu": Metric(f"{what}: broker CPU", "s/GB", 2, at_most(0.33)),
        }

    def measure(self, session: BrokerSession) -> dict[str, float]:
        topic = session.create_topic()
        batch = wire.record_batch(self._records, self._value_bytes, now_ms())
        prepared = raw_client.Prepared.of(topic, [(0, batch)])
        address = session.broker.address
        raw_client.produce_many(address, [prepared], WARM_REQUESTS, IN_FLIGHT)
        requests = session.scaled(2 * GB) // len(batch)
        with session.room_for(requests * len(batch)):
            seen = session.measure(lambda: raw_client.produce_many(address, [prepared], requests, IN_FLIGHT))
        session.delete_topic(topic)
        return {"rate": seen.mb_per_s, "cpu": seen.cpu_s_per_gb}


class RawFetch(Workload):
    """Fetch v4 from the page cache, 8 MB asked for at a time, one request in flight."""

    name = "raw-fetch"
    metrics = {
        "rate": Metric("raw fetch, 8 MB a request", "MB/s", 0, at_least(1.5)),
        "cpu": Metric("raw fetch, 8 MB a request: broker CPU", "s/GB", 2, at_most(0.5)),
    }

    def prepare(self, session: BrokerSession) -> None:
        self._topic = session.create_topic()
        self._end = session.fill(self._topic, 1, LARGE_BATCH[100], 100, session.scaled(GB))

    def measure(self, session: BrokerSession) -> dict[str, float]:
        topic, address = self._topic, session.broker.address
        volume = session.scaled(8 * GB)
        seen = session.measure(lambda: raw_client.fetch_many(address, topic, 1, self._end, volume, FETCH_BYTES))
        return {"rate": seen.mb_per_s, "cpu": seen.cpu_s_per_gb}

    def clean(self, session: BrokerSession) -> None:
        session.delete_topic(self._topic)


class OneRecord(Workload):
    """Requests of one 100 B record each on one connection."""

    def __init__(self, in_flight: int, target: Target) -> None:
        self._in_flight = in_flight
        self.name = f"one-record-{in_flight}"
        what = f"one-record requests, {in_flight} in flight"
        self.metrics = {"rate": Metric(what, "requests/s", 0, target)}
        if in_flight == 1:
            self.metrics["p50"] = Metric(f"{what}: p50", "µs")
            self.metrics["p99"] = Metric(f"{what}: p99", "µs", 0, at_most(0.7))

    def prepare(self, session: BrokerSession) -> None:
        self._prepared = raw_client.Prepared.of(session.create_topic(), [(0, wire.record_batch(1, 100, now_ms()))])

    def measure(self, session: BrokerSession) -> dict[str, float]:
        requests = session.scaled(50_000)
        timing = raw_client.produce_small(session.broker.address, self._prepared, requests, self._in_flight)
        figures = {"rate": timing.requests / timing.seconds}
        if self._in_flight == 1:
            figures |= {f"p{percent}": timing.percentile(percent) for percent in PERCENTILES}
        return figures


class Paced(Workload):
    """One record a millisecond, each awaited: the latency of a quiet service."""

    name = "paced-1000"
    metrics = {
        "p50": Metric("steady 1,000 msg/s: p50", "µs"),
        "p99": Metric("steady 1,000 msg/s: p99", "µs", 0, at_most(0.7)),
    }

    def prepare(self, session: BrokerSession) -> None:
        self._prepared = raw_client.Prepared.of(session.create_topic(), [(0, wire.record_batch(1, 100, now_ms()))])

    def measure(self, session: BrokerSession) -> dict[str, float]:
        timing = raw_client.produce_paced(session.broker.address, self._prepared, 1000, session.scaled(10))
        return {f"p{percent}": timing.percentile(percent) for percent in PERCENTILES}


class ManyPartitions(Workload):
    """Requests that each carry 50 of 1,000 partitions, about 10 kB per partition, and fetches over all of them."""

    name = "partitions-1000"
    metrics = {
        "in": Metric("raw produce to 1,000 partitions, 50 x 10 kB a request", "MB/s"),
        "out": Metric("raw fetch from 1,000 partitions, 8 MB a request", "MB/s", 0, at_least(1)),
    }
    partitions, per_request, records = 1000, 50, 90

    def measure(self, session: BrokerSession) -> dict[str, float]:
        topic = session.create_topic(self.partitions)
        batch = wire.record_batch(self.records, 100, now_ms())
        numbers = range(0, self.partitions, self.per_request)
        prepared = [raw_client.Prepared.of(topic, [(n + k, batch) for k in range(self.per_request)]) for n in numbers]
        address = session.broker.address
        rounds = session.scaled(50)
        raw_client.produce_many(address, prepared, len(prepared), IN_FLIGHT)
        requests = rounds * len(prepared)
        with session.room_for(requests * prepared[0].batch_bytes):
            into = session.measure(lambda: raw_client.produce_many(address, prepared, requests, IN_FLIGHT))
        end = (rounds + 1) * self.records
        volume = session.scaled(GB)
        out = session.measure(lambda: raw_client.fetch_many(address, topic, self.partitions, end, volume, FETCH_BYTES))
        session.delete_topic(topic)
        return {"in": into.mb_per_s, "out": out.mb_per_s}


class ManyConnections(Workload):
    """500 connections, each with one one-record request open at a time."""

    name = "connections-500"
    metrics = {"rate": Metric("one-record requests, 500 connections, 1 in flight each", "requests/s", 0, at_least(0.8))}
    connections = 500

    def prepare(self, session: BrokerSession) -> None:
        self._prepared = raw_client.Prepared.of(session.create_topic(), [(0, wire.record_batch(1, 100, now_ms()))])

    def measure(self, session: BrokerSession) -> dict[str, float]:
        requests = session.scaled(50_000)
        timing = raw_client.produce_connections(session.broker.address, self._prepared, self.connections, requests)
        return {"rate": timing.requests / timing.seconds}


RAW: Sequence[Workload] = (
    RawProduce(100, at_least(2.5)),
    RawProduce(1024, at_least(2)),
    RawFetch(),
    OneRecord(1, at_least(1)),
    OneRecord(5, at_least(2)),
    OneRecord(50, at_least(2)),
    Paced(),
    ManyPartitions(),
    ManyConnections(),
)
