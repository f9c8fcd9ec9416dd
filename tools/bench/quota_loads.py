"""The loads of the quota benchmark: clients that send or read as fast as they may, and when how many bytes went."""

import re
import struct
import subprocess
import tempfile
import time
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tools.bench import raw_client, wire
from tools.bench.brokers import KAFKA
from tools.bench.client_processes import CLIENT_JVM

ALTER_CLIENT_QUOTAS = 49
WARM_S = 10.0
"""The bytes before are not counted: a client that was idle may use the quota of ten seconds at once."""
WINDOW_S = 11.0
"""The samples of a quota, with the defaults.  A client that does what it may uses the quota of them all at once, waits
until they are gone, and does so again: so rates are averages over two windows, from all moments of a third one on."""
MEASURED_S = 3 * WINDOW_S
REPORT_S = 5
THROTTLED_BYTES = 12
"""The size of a Fetch v4 response without topics."""
KB = 1000
MB = 1000 * KB


class Sample(NamedTuple):
    """The bytes that a client has sent or received so far."""

    seconds: float
    size_bytes: float


def rate_after_warm_up(samples: Sequence[Sample]) -> float:
    """Return the bytes per second after WARM_S; *samples* go on for MEASURED_S at least."""
    if samples[-1].seconds < WARM_S + MEASURED_S - REPORT_S:
        raise raw_client.BenchError(f"the last bytes came after {samples[-1].seconds:.0f} s")
    steps = 100
    starts = [WARM_S + WINDOW_S * step / steps for step in range(steps)]
    sizes = [_size_at(samples, start + 2 * WINDOW_S) - _size_at(samples, start) for start in starts]
    return sum(sizes) / len(sizes) / (2 * WINDOW_S)


def _size_at(samples: Sequence[Sample], seconds: float) -> float:
    """Return the bytes up to a moment, as if they had come evenly between two samples."""
    at = bisect_left(samples, seconds, key=lambda each: each.seconds)
    if at == len(samples):
        return samples[-1].size_bytes
    if not at:
        return samples[0].size_bytes
    before, after = samples[at - 1], samples[at]
    part = (seconds - before.seconds) / (after.seconds - before.seconds)
    return before.size_bytes + part * (after.size_bytes - before.size_bytes)


def set_quota(address: raw_client.Address, client_id: str, key: str, limit: float | None) -> None:
    """Set a quota of a client id with AlterClientQuotas v0; None removes it."""
    entity = struct.pack(">i", 1) + wire.string("client-id") + wire.string(client_id)
    op = struct.pack(">i", 1) + wire.string(key) + struct.pack(">d?", limit or 0.0, limit is None)
    with raw_client.connect(address) as sock:
        answer = raw_client.ask(sock, wire.frame(ALTER_CLIENT_QUOTAS, 0, struct.pack(">i", 1) + entity + op + b"\0"))
    (error,) = struct.unpack_from(">h", answer, 12)  # behind correlation id, throttle time and number of entries
    if error:
        raise raw_client.BenchError(f"AlterClientQuotas answered error {error}")


def with_client_id(frame: bytes, client_id: str) -> bytes:
    """Return *frame*, a request of `wire`, from another client."""
    body = frame[4 + 8 + 2 + len(wire.CLIENT_ID) :]
    payload = frame[4:12] + wire.string(client_id) + body
    return struct.pack(">i", len(payload)) + payload


def _pause(size_bytes: int, offered: float | None, last: float) -> None:
    """Wait until *size_bytes* after the request that was sent at *last* are no more than *offered* bytes a second."""
    if offered is not None:
        time.sleep(max(0.0, last + size_bytes / offered - time.perf_counter()))


def raw_produce(
    address: raw_client.Address,
    topic: str,
    client_id: str,
    batch_bytes: int,
    seconds: float,
    offered: float | None = None,
) -> list[Sample]:
    """Send one batch after the other, as fast as it goes, or at most *offered* bytes a second."""
    records = max(1, batch_bytes // 1000)
    batch = wire.record_batch(records, min(batch_bytes, 1000) - 70, int(time.time() * 1000))
    prepared = raw_client.Prepared.of(topic, [(0, batch)])
    frame = with_client_id(prepared.frame, client_id)
    samples = [Sample(0.0, 0)]
    with raw_client.connect(address) as sock:
        began = time.perf_counter()
        while samples[-1].seconds < seconds:
            _pause(len(frame), offered, began + samples[-1].seconds)
            sock.sendall(frame)
            prepared.check(memoryview(raw_client.receive(sock, prepared.response_bytes)))
            samples.append(Sample(time.perf_counter() - began, samples[-1].size_bytes + len(frame)))
    return samples


def raw_fetch(
    address: raw_client.Address,
    topic: str,
    client_id: str,
    fetch_bytes: int,
    seconds: float,
    offered: float | None = None,
) -> list[Sample]:
    """Read from the beginning of partition 0, and again when its end is reached; at most *offered* bytes a second."""
    samples, offset = [Sample(0.0, 0)], 0
    with raw_client.connect(address) as sock:
        began = time.perf_counter()
        while samples[-1].seconds < seconds:
            _pause(fetch_bytes, offered, began + samples[-1].seconds)
            answer = raw_client.ask(sock, with_client_id(wire.fetch(topic, [(0, offset)], fetch_bytes, 0), client_id))
            at = time.perf_counter() - began
            if len(answer) == THROTTLED_BYTES:
                continue
            for _, error, records in wire.fetched(answer):
                if error:
                    raise raw_client.BenchError(f"Fetch answered error {error}")
                after = wire.next_offset(records, offset)
                offset = after if after > offset else 0
                if len(records):
                    samples.append(Sample(at, samples[-1].size_bytes + len(answer)))
            if at - samples[-1].seconds > seconds:
                raise raw_client.BenchError(f"no records for {at - samples[-1].seconds:.0f} s")
    return samples


def java_produce(bootstrap: str, topic: str, client_id: str, limit: float, seconds: float) -> list[Sample]:
    """kafka-producer-perf-test: records of 1 kB without pause; its reports count records without overhead."""
    buffer_bytes = max(64 * 1024, min(32 << 20, int(2 * limit)))  # records that wait longer than 120 s would fail
    command = KAFKA.command(
        "kafka-producer-perf-test",
        *("--topic", topic, "--num-records", str(int(limit / KB * (seconds + 60))), "--record-size", str(KB)),
        *("--throughput", "-1", "--producer-props", f"bootstrap.servers={bootstrap}", f"client.id={client_id}"),
        f"buffer.memory={buffer_bytes}",
        heap="512m",
        jvm=CLIENT_JVM,
    )
    samples = [Sample(0.0, 0)]
    report = re.compile(r"^(\d+) records sent, ([\d.]+) records/sec .* max latency\.$")
    for count, rate in _lines(command, report, seconds):
        before = samples[-1]  # a report comes with the first response after REPORT_S, which may be much later
        samples.append(Sample(before.seconds + int(count) / float(rate), before.size_bytes + int(count) * KB))
    return samples


def java_consume(bootstrap: str, topic: str, client_id: str, limit: float, seconds: float) -> list[Sample]:
    """kafka-consumer-perf-test: all records of *topic*."""
    with tempfile.TemporaryDirectory() as directory:
        config = Path(directory) / "consumer.properties"
        config.write_text(f"client.id={client_id}\n")
        command = KAFKA.command(
            "kafka-consumer-perf-test",
            *("--bootstrap-server", bootstrap, "--topic", topic, "--messages", str(10**9), "--timeout", "60000"),
            *("--fetch-size", str(fetch_bytes(limit)), "--consumer.config", str(config)),
            *("--show-detailed-stats", "--reporting-interval", str(REPORT_S * 1000), "--hide-header"),
            heap="512m",
            jvm=CLIENT_JVM,
        )
        row = re.compile(r"^\d{4}-\d\d-\d\d (\d\d):(\d\d):(\d\d):(\d+), \d+, ([\d.]+),")
        samples: list[Sample] = []
        began = 0.0
        for hour, minute, second, millisecond, megabytes in _lines(command, row, seconds):
            at = int(hour) * 3600 + int(minute) * 60 + int(second) + int(millisecond) / 1000
            began = began or at - REPORT_S
            samples.append(Sample(at - began, float(megabytes) * (1 << 20)))
    return samples


def fetch_bytes(limit: float) -> int:
    """Return the size of a Fetch for a limit: small enough that many make a second, as far as batches allow."""
    return int(max(10 * KB, min(MB, limit / 10)))


def _lines(command: Sequence[str], pattern: re.Pattern[str], seconds: float) -> list[tuple[str, ...]]:
    """Return the groups of the lines that match *pattern* out of the first *seconds* of a program's output."""
    found: list[tuple[str, ...]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        until = time.monotonic() + seconds + WINDOW_S
        for line in process.stdout:
            if match := pattern.match(line):
                found.append(match.groups())
            if time.monotonic() > until:
                break
        process.kill()
    return found
