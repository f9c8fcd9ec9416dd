"""``python -m tools.bench.conversion``: records converted between message formats a second, beside Apache Kafka.

Down: Fetch v3 and v1 of a topic that holds format 2.  Up: Produce v2 of messages of format 1 into such a topic.  The
client only counts: it knows beforehand how long each message will be.  Both brokers are up at once and asked in turns.
Memory: how much a wirebroker grows while it converts 48 MB for one request.
"""

import argparse
import os
import platform
import random
import statistics
import struct
import sys
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from tools.bench import raw_client, wire
from tools.bench.broker_session import BrokerSession, now_ms
from tools.bench.brokers import BROKERS, Broker, StartError, scratch
from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.legacy import OVERHEAD, build_legacy_record
from wirebroker.record.record_batch import Record

RESULTS = Path(__file__).with_name("RESULTS_CONVERSION.md")
OTHER, OURS = "kafka", "wirebroker"
TARGET = 0.5
FETCH_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Load:
    """The records of the topic."""

    title: str
    batch_records: int
    value_bytes: tuple[int, int]
    codec: Codec = Codec.NONE
    total: int = 300_000
    key: bytes | None = None

    def records(self) -> list[Record]:
        chance = random.Random(7)
        text = chance.randbytes(1 << 16).hex().encode()
        found = []
        for number in range(self.batch_records):
            size = chance.randint(*self.value_bytes)
            at = chance.randrange(len(text) - size)
            found.append(Record(number, now_ms() + number // 50, self.key, text[at : at + size], []))
        return found


LOADS = (
    Load("100 B records", 5000, (100, 100)),
    Load("100 B records with keys", 5000, (100, 100), key=b"key-0001"),
    Load("50 to 150 B records", 5000, (50, 150)),
    Load("1 kB records", 900, (1000, 1000), total=100_000),
    Load("20 records of 50 to 150 B a batch", 20, (50, 150)),
    Load("100 B records, lz4", 5000, (100, 100), Codec.LZ4),
    Load("100 B records, gzip", 5000, (100, 100), Codec.GZIP, total=100_000),
)


def fill(session: BrokerSession, topic: str, load: Load) -> list[int]:
    """Produce *load*; returns the size of each record's message in format 1, for one batch."""
    records = load.records()
    batch = build_batch(records, compression=Compression(load.codec))
    prepared = [raw_client.Prepared.of(topic, [(0, batch)])]
    raw_client.produce_many(session.broker.address, prepared, load.total // load.batch_records, 2)
    return [OVERHEAD[1] + len(record.key or b"") + len(record.value or b"") for record in records]


def fetch_frame(topic: str, offset: int, version: int, max_bytes: int = FETCH_BYTES) -> bytes:
    """A Fetch v1 or v3 of one partition."""
    body = struct.pack(">iii", -1, 0, 1) + (struct.pack(">i", 1 << 27) if version >= 3 else b"")
    body += struct.pack(">i", 1) + wire.string(topic) + struct.pack(">iiqi", 1, 0, offset, max_bytes)
    return wire.frame(1, version, body)


def records_of(response: memoryview, topic: str) -> memoryview:
    """The records in the answer to `fetch_frame`."""
    at = 4 + 4 + 4 + 2 + len(topic) + 4  # correlation id, throttle time, topics, the topic's name, partitions
    _, error, _, size = struct.unpack_from(">ihqi", response, at)
    if error:
        raise raw_client.BenchError(f"Fetch answered error {error}")
    return response[at + 18 : at + 18 + size]


def drain(session: BrokerSession, topic: str, load: Load, sizes: Sequence[int], version: int) -> float:
    """Read the whole topic; records a second."""
    narrower = 0 if version >= 2 else OVERHEAD[1] - OVERHEAD[0]
    ends = [0, *accumulate(size - narrower for size in sizes)]
    per_batch, batch_bytes = len(sizes), ends[-1]
    total = load.total // per_batch * per_batch
    offset = 0
    with raw_client.connect(session.broker.address) as sock:
        began = time.perf_counter()
        while offset < total:
            got = records_of(raw_client.ask(sock, fetch_frame(topic, offset, version)), topic)
            if load.codec is Codec.NONE:
                batches, rest = divmod(offset, per_batch)
                reached = ends[rest] + len(got)
                offset = (batches + reached // batch_bytes) * per_batch
                offset = min(offset + bisect_right(ends, reached % batch_bytes) - 1, total)
            else:
                offset = after(got, offset)
        return total / (time.perf_counter() - began)


def after(records: memoryview, offset: int) -> int:
    """The offset behind the last whole wrapper."""
    at, end = 0, len(records)
    while at + 12 <= end:
        last, size = struct.unpack_from(">qi", records, at)
        at += 12 + size
        if at > end:
            break
        offset = last + 1
    return offset


def produce_up(session: BrokerSession, topic: str, load: Load) -> float:
    """Produce messages of format 1; records a second."""
    messages = [build_legacy_record(0, 1, each.key, each.value, timestamp=each.timestamp) for each in load.records()]
    body = b"".join(messages)
    frame = wire.frame(
        0,
        2,
        struct.pack(">hii", 1, 30_000, 1) + wire.string(topic) + struct.pack(">iii", 1, 0, len(body)) + body,
    )
    rounds = load.total // load.batch_records
    with raw_client.connect(session.broker.address) as sock:
        began = time.perf_counter()
        for _ in range(rounds):
            response = raw_client.ask(sock, frame)
            (error,) = struct.unpack_from(">h", response, 4 + 4 + 2 + len(topic) + 4 + 4)
            if error:
                raise raw_client.BenchError(f"Produce answered error {error}")
        return rounds * load.batch_records / (time.perf_counter() - began)


def growth(session: BrokerSession, topic: str, size_bytes: int) -> tuple[float, float]:
    """MB by which the broker's largest memory grows while it answers one Fetch of *size_bytes*, and MB answered."""
    Path(f"/proc/{session.broker.pid}/clear_refs").write_text("5")
    before = session.broker.memory_mb("VmHWM")
    with raw_client.connect(session.broker.address) as sock:
        got = len(records_of(raw_client.ask(sock, fetch_frame(topic, 0, 3, size_bytes)), topic))
    return session.broker.memory_mb("VmHWM") - before, got / 1e6


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def measure(sessions: dict[str, BrokerSession], rounds: int, loads: Sequence[Load]) -> list[str]:
    """The rows of the table."""
    rows = []

    def row(what: str, each: Callable[[BrokerSession], float]) -> None:
        found: dict[str, list[float]] = {name: [] for name in sessions}
        for turn in range(rounds + 1):
            for name, session in sessions.items():
                figure = each(session)
                if turn:  # the first one warms up
                    found[name].append(figure)
        middle = {name: statistics.median(figures) for name, figures in found.items()}
        say(f"{what}: {middle}")
        if len(middle) < 2:
            rows.append(f"| {what} | {next(iter(middle.values())) / 1000:,.0f} | | | |")
            return
        ratio = middle[OURS] / middle[OTHER]
        wanted = "" if what.startswith("up") else f"≥ {TARGET}"
        met = "" if not wanted else "yes" if ratio >= TARGET else "**no**"
        rows.append(
            f"| {what} | {middle[OURS] / 1000:,.0f} | {middle[OTHER] / 1000:,.0f} | {ratio:.2f} | {wanted} {met} |"
        )

    for load in loads:
        topics = {name: session.create_topic() for name, session in sessions.items()}
        sizes: list[int] = []
        for name, session in sessions.items():
            sizes = fill(session, topics[name], load)
        name_of = {id(session): name for name, session in sessions.items()}
        for version in (3, 1):
            row(
                f"down to format {version // 2}, {load.title}",
                lambda session, version=version: drain(session, topics[name_of[id(session)]], load, sizes, version),  # type: ignore[misc]  # noqa: B023
            )
    for load in (LOADS[0], LOADS[2]):
        small = Load(load.title, 100, load.value_bytes, total=load.total // 3)
        topics = {name: session.create_topic() for name, session in sessions.items()}
        name_of = {id(session): name for name, session in sessions.items()}
        row(
            f"up to format 2, {load.title}, 100 a request",
            lambda session: produce_up(session, topics[name_of[id(session)]], small),  # noqa: B023
        )
    if OURS in sessions:
        session = sessions[OURS]
        topic = session.create_topic()
        fill(session, topic, Load("", 5000, (100, 100), total=500_000))
        grown, got = growth(session, topic, 48 << 20)
        met = "yes" if grown < got else "**no**"
        rows.append(f"| memory taken for one answer of {got:.0f} MB | {grown:.1f} MB | | | < {got:.0f} MB {met} |")
    return rows


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.conversion",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", type=int, action="append", help="number of a load, from 0")
    parser.add_argument("--broker", action="append", choices=list(BROKERS), help="measure only this one")
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    parser.add_argument("--keep", action="store_true", help=f"write the result to {RESULTS.name}")
    options = parser.parse_args(arguments)
    loads = LOADS if options.only is None else [LOADS[number] for number in options.only]
    load_before = os.getloadavg()[0]
    brokers: list[Broker] = []
    with scratch(options.directory) as directory:
        try:
            sessions = {}
            for name in options.broker or BROKERS:
                broker = BROKERS[name](directory / name)
                brokers.append(broker)
                broker.start()
                sessions[name] = BrokerSession(broker)
            rows = measure(sessions, options.rounds, loads)
        except (raw_client.BenchError, StartError) as fault:
            print(fault, file=sys.stderr)
            return 1
        finally:
            for broker in brokers:
                broker.stop()
    text = "\n".join(
        [
            "# Conversion between message formats",
            "",
            "Written by `python -m tools.bench.conversion`: thousand records a second, one connection, fetches of "
            f"1 MB; median of {options.rounds} rounds after a warm-up, in turns.",
            "",
            "| what | wirebroker | Apache Kafka 3.9.1 | ratio | wanted |",
            "|---|---:|---:|---:|---|",
            *rows,
            "",
            f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, Python {platform.python_version()}, load average "
            f"{load_before:.1f} before and {os.getloadavg()[0]:.1f} after the run.",
            "",
        ]
    )
    print(text)
    if options.keep:
        RESULTS.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
