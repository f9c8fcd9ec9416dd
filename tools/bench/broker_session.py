"""One running broker as a workload sees it: topics made and removed, data produced beforehand, CPU read around a
loop.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from tools.bench import raw_client, wire
from tools.bench.brokers import Broker
from tools.bench.warm_memory import warm_memory

READY_TIMEOUT_S = 60
GONE_TIMEOUT_S = 90
TRANSIENT = frozenset({3, 5, 6, 7, 41})  # unknown topic, no leader, not leader, timed out, not controller: ask again
TOPIC_EXISTS = 36


@dataclass(frozen=True, slots=True)
class Measured:
    """A loop's own timing and what it cost the broker."""

    timing: raw_client.Timing
    cpu_seconds: float

    @property
    def mb_per_s(self) -> float:
        return self.timing.size_bytes / self.timing.seconds / 1e6

    @property
    def cpu_s_per_gb(self) -> float:
        return self.cpu_seconds / self.timing.size_bytes * 1e9


class BrokerSession:
    """A started broker; *quick* asks the workloads for less of everything."""

    def __init__(self, broker: Broker, quick: bool = False) -> None:
        self.broker = broker
        self.quick = quick
        self._topics = 0

    def scaled(self, amount: int) -> int:
        """*amount*, or a fifth of it in a quick run."""
        return max(1, amount // 5) if self.quick else amount

    def create_topic(self, partitions: int = 1, settings: Mapping[str, str] | None = None) -> str:
        """A new topic whose partitions all answer."""
        self._topics += 1
        topic = f"bench-{self._topics:04d}"
        deadline = time.monotonic() + READY_TIMEOUT_S
        with raw_client.connect(self.broker.address) as sock:
            while error := wire.topic_error(
                raw_client.ask(sock, wire.create_topic(topic, partitions, dict(settings or {})))
            ):
                if error == TOPIC_EXISTS:
                    break
                if error not in TRANSIENT or time.monotonic() > deadline:
                    raise raw_client.BenchError(f"CreateTopics answered error {error}")
                time.sleep(0.1)
            # metadata may name a leader before its log is open, so ask the partitions themselves
            look = wire.fetch(topic, [(number, 0) for number in range(partitions)], 1, max_wait_ms=0)
            while any(error for _, error, _ in wire.fetched(raw_client.ask(sock, look))):
                if time.monotonic() > deadline:
                    raise raw_client.BenchError(f"{topic} has partitions that do not answer")
                time.sleep(0.02)
        return topic

    def delete_topic(self, topic: str) -> None:
        """Delete *topic* and wait until its files are gone, so that nothing is written back during the next turn."""
        with raw_client.connect(self.broker.address) as sock:
            if error := wire.topic_error(raw_client.ask(sock, wire.delete_topic(topic))):
                raise raw_client.BenchError(f"DeleteTopics answered error {error}")
        deadline = time.monotonic() + GONE_TIMEOUT_S
        # a directory on its way out is called TOPIC-PARTITION.ID-delete
        while any(self.broker.data.glob(f"{topic}-*")):
            if time.monotonic() > deadline:
                raise raw_client.BenchError(f"the files of {topic} are still there after {GONE_TIMEOUT_S} s")
            time.sleep(0.1)

    def fill(self, topic: str, partitions: int, records: int, value_bytes: int, size_bytes: int) -> int:
        """Produce about *size_bytes* evenly to *topic*'s partitions; return each partition's end offset."""
        batch = wire.record_batch(records, value_bytes, now_ms())
        rounds = max(1, size_bytes // (len(batch) * partitions))
        per_request = min(partitions, max(1, (4 << 20) // len(batch)))
        prepared = [
            raw_client.Prepared.of(topic, [(number, batch) for number in range(first, first + per_request)])
            for first in range(0, partitions, per_request)
        ]
        raw_client.produce_many(self.broker.address, prepared, rounds * len(prepared), 2)
        return rounds * records

    def room_for(self, size_bytes: int) -> AbstractContextManager[None]:
        """Memory for *size_bytes* of new log data, so that a turn does not pay the host for it."""
        return warm_memory(size_bytes, self.broker.data_bytes)

    def measure(self, loop: Callable[[], raw_client.Timing]) -> Measured:
        """Run *loop* and read the broker's CPU time before and after."""
        before = self.broker.cpu_seconds()
        timing = loop()
        return Measured(timing, self.broker.cpu_seconds() - before)


def now_ms() -> int:
    return int(time.time() * 1000)


def first_acknowledged(address: raw_client.Address, topic: str = "first") -> None:
    """Create *topic* on first use and return once one record in it is acknowledged."""
    prepared = raw_client.Prepared.of(topic, [(0, wire.record_batch(1, 100, now_ms()))])
    with raw_client.connect(address) as sock:
        while not wire.leaders(raw_client.ask(sock, wire.metadata(topic, auto_create=True))):
            time.sleep(0.002)
        while True:
            sock.sendall(prepared.frame)
            response = memoryview(raw_client.receive(sock, prepared.response_bytes))
            try:
                prepared.check(response)
            except raw_client.BenchError:
                time.sleep(0.002)  # the leader is known before the log is open
            else:
                return
