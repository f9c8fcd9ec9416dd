"""Records for replicated partitions, and the comparison of the replicas' logs byte by byte."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Final

from compat_tests.cluster.metadata import NO_METADATA, metadata_at
from compat_tests.conftest import WAIT_S, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

ACKS_1: Final = {"acks": "1"}
ACKS_ALL: Final = {"acks": "all"}


def random_values(count: int, size: int = 200) -> list[bytes]:
    """Return values that compress to about a half."""
    return [b"%08d" % number + os.urandom(size // 2).hex().encode()[: size - 8] for number in range(count)]


def produce(
    bootstrap: str, topic: str, values: Iterable[bytes], partition: int = 0, config: Mapping[str, str] = ACKS_ALL
) -> None:
    """Produce to a partition, and wait for all acknowledgements."""
    from confluent_kafka import Producer

    many_batches = {"linger.ms": 5, "batch.num.messages": 100, "message.timeout.ms": 200_000}
    producer = Producer({"bootstrap.servers": bootstrap, **many_batches, **config})
    outcomes: list[object] = []
    for value in values:
        producer.produce(topic, value, partition=partition, on_delivery=lambda error, _: outcomes.append(error))
        producer.poll(0)
    assert producer.flush(220) == 0
    failed = [each for each in outcomes if each is not None]
    assert not failed, failed[:3]


def leader_and_isr(bootstrap: str, topic: str, partition: int = 0) -> tuple[int, set[int]]:
    """Return leader and in-sync replicas as the first broker that answers tells them; (-1, none) if it knows none."""
    for address in bootstrap.split(","):
        host, _, port = address.rpartition(":")
        found = metadata_at(host, int(port))
        if found is not NO_METADATA:
            return found.states.get(topic, {}).get(partition, (-1, set()))
    return (-1, set())


def await_leader_and_isr(bootstrap: str, topic: str, leader: int, isr: set[int], partition: int = 0) -> None:
    """Wait until a broker tells this leader and these in-sync replicas."""
    wait_until(lambda: leader_and_isr(bootstrap, topic, partition) == (leader, isr))


def log_bytes(directory: Path, topic: str, partition: int) -> bytes:
    """Return the contents of the segments of a log."""
    segments = sorted((directory / f"{topic}-{partition}").glob("*.log"))
    return b"".join(segment.read_bytes() for segment in segments)


def await_equal_logs(topic: str, partition: int, *directories: Path, timeout_s: float = WAIT_S) -> bytes:
    """Wait until the logs in these data directories have the same bytes, and return them."""
    deadline = time.monotonic() + timeout_s
    while True:
        logs = [log_bytes(directory, topic, partition).rstrip(b"\0") for directory in directories]
        if logs[0] and all(each == logs[0] for each in logs[1:]):
            return logs[0]
        if time.monotonic() > deadline:
            sizes = {str(directory): len(log) for directory, log in zip(directories, logs, strict=True)}
            raise AssertionError(f"{topic}-{partition}: the logs differ: {sizes}")
        time.sleep(0.2)
