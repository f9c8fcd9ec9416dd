"""``python -m tools.bench.quotas``: how near throttled clients come to their quota, beside Apache Kafka.

Both brokers are up at once with their defaults, unless ``--window-num`` changes the number of samples.  Each client
has a client id with a quota of its own and does what it may; counted are the bytes after the first ten seconds.  The
clients of the three smaller quotas run at the same time, on both brokers.  ``--only`` takes letters:

    a  Produce, raw requests        c  kafka-producer-perf-test        e  latency of another client
    b  Fetch, raw requests          d  kafka-consumer-perf-test
"""

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tools.bench import quota_loads as loads
from tools.bench import raw_client, wire
from tools.bench.broker_session import BrokerSession, now_ms
from tools.bench.brokers import BROKERS, Broker, StartError, scratch
from tools.bench.groups import OTHER, OURS, Figure, run_line, say, table
from tools.bench.quota_loads import KB, MB, Sample

RESULTS = Path(__file__).with_name("RESULTS_QUOTAS.md")
PRODUCE, FETCH = "producer_byte_rate", "consumer_byte_rate"
TOLERANCE = 0.05
TOGETHER = (100 * KB, MB, 10 * MB)
ALONE = (100 * MB,)
OFFERED = 2
"""How many times its quota a client offers.  Kafka's formulas leave one that takes a window's quota in a burst 4 to 6 %
less in the first half minute (wirebroker/tests/quota/test_rate.py): a sample is in the window for up to a second more.
"""
PACE = 500
"""Requests a second of the client whose latency is measured."""


@dataclass(slots=True)
class Bench:
    """The brokers that are up, and what was found."""

    sessions: dict[str, BrokerSession]
    quick: bool
    figures: list[Figure] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return loads.WARM_S + loads.MEASURED_S

    def add_rates(self, what: str, limit: float, rates: dict[str, float]) -> None:
        shown = {name: f"{rate / limit - 1:+.1%}" for name, rate in rates.items()}
        met = abs(rates[OURS] / limit - 1) <= TOLERANCE if OURS in rates else None
        name = f"{limit / MB:g} MB/s"
        self.figures.append(Figure(f"{what}, {name}", *_pair(shown), f"± {TOLERANCE:.0%}", met))
        say(str(self.figures[-1]))


def _pair(shown: dict[str, str]) -> tuple[str, str]:
    return shown.get(OURS, "-"), shown.get(OTHER, "-")


Load = Callable[[BrokerSession, str, float], list[Sample]]


def measure(bench: Bench, what: str, key: str, load: Load) -> None:
    """Measure *load* (session, client id, limit) at all rates, those of TOGETHER at the same time."""
    found: dict[float, dict[str, float]] = {limit: {} for limit in (*TOGETHER, *ALONE)}
    names = list(bench.sessions)
    for limits, groups in ((TOGETHER, [names]), (ALONE, [[name] for name in names])):
        for group in groups:
            results = run_together({name: bench.sessions[name] for name in group}, what, key, limits, load)
            for (name, limit), samples in results.items():
                found[limit][name] = loads.rate_after_warm_up(samples)
    for limit, rates in found.items():
        bench.add_rates(what, limit, rates)


def run_together(
    sessions: Mapping[str, BrokerSession], what: str, key: str, limits: Sequence[float], load: Load
) -> dict[tuple[str, float], list[Sample]]:
    """Run a client with each of *limits* on each broker at the same time; return (broker, limit) -> its samples."""
    results: dict[tuple[str, float], list[Sample]] = {}
    errors: list[Exception] = []

    def run(name: str, limit: float) -> None:
        address = sessions[name].broker.address
        client_id = f"{what[:3].strip('()')}-{limit:.0f}"
        try:
            loads.set_quota(address, client_id, key, limit)
            results[name, limit] = load(sessions[name], client_id, limit)
            loads.set_quota(address, client_id, key, None)
        except Exception as error:  # raised again where the threads are joined
            errors.append(error)

    threads = [threading.Thread(target=run, args=(name, limit)) for name in sessions for limit in limits]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def raw_produce(bench: Bench) -> None:
    """Batches of a twentieth of a second of the quota, up to 500 kB."""

    def load(session: BrokerSession, client_id: str, limit: float) -> list[Sample]:
        topic = session.create_topic()
        size_bytes = int(min(500 * KB, limit / 20))
        address = session.broker.address
        samples = loads.raw_produce(address, topic, client_id, size_bytes, bench.seconds, OFFERED * limit)
        session.delete_topic(topic)
        return samples

    measure(bench, "(a) Produce, raw requests of twice the quota", PRODUCE, load)


def _fill(session: BrokerSession, limit: float, seconds: float) -> str:
    """Return a topic with what a client reads in *seconds*, after what an idle client may read at once."""
    topic = session.create_topic()
    records = max(1, int(loads.fetch_bytes(limit) / 2 / KB))
    session.fill(topic, 1, records, 930, int(limit * (seconds + 12)))
    return topic


def raw_fetch(bench: Bench) -> None:
    """Requests of a tenth of a second of the quota, up to 1 MB."""

    def load(session: BrokerSession, client_id: str, limit: float) -> list[Sample]:
        topic = _fill(session, min(limit, 10 * MB), 10)
        address, size_bytes = session.broker.address, loads.fetch_bytes(limit)
        samples = loads.raw_fetch(address, topic, client_id, size_bytes, bench.seconds, OFFERED * limit)
        session.delete_topic(topic)
        return samples

    measure(bench, "(b) Fetch, raw requests of twice the quota", FETCH, load)


def java_produce(bench: Bench) -> None:
    """Apache Kafka's own producer, with its default batches."""

    def load(session: BrokerSession, client_id: str, limit: float) -> list[Sample]:
        topic = session.create_topic()
        samples = loads.java_produce(session.broker.bootstrap, topic, client_id, limit, bench.seconds)
        session.delete_topic(topic)
        return samples

    measure(bench, "(c) kafka-producer-perf-test", PRODUCE, load)


def java_consume(bench: Bench) -> None:
    """Apache Kafka's own consumer."""

    def load(session: BrokerSession, client_id: str, limit: float) -> list[Sample]:
        topic = _fill(session, limit, bench.seconds)
        samples = loads.java_consume(session.broker.bootstrap, topic, client_id, limit, bench.seconds)
        session.delete_topic(topic)
        return samples

    measure(bench, "(d) kafka-consumer-perf-test", FETCH, load)


def others(bench: Bench) -> None:
    """The latency of a client without a quota: alone, and beside a producer and a consumer that are throttled."""
    shown: dict[str, str] = {}
    met = None
    for name, session in bench.sessions.items():
        address = session.broker.address
        topic, source = session.create_topic(), _fill(session, MB, 10)
        prepared = raw_client.Prepared.of(topic, [(0, wire.record_batch(1, 100, now_ms()))])
        for key, client_id in ((PRODUCE, "throttled-producer"), (FETCH, "throttled-consumer")):
            loads.set_quota(address, client_id, key, MB)
        seconds = 5.0 if bench.quick else 10.0
        p99: dict[bool, list[float]] = {False: [], True: []}
        threads = []
        for turn in range(3):
            for beside in (False, True):
                if beside:
                    length = seconds + 2 * loads.WARM_S if not turn else seconds
                    threads = [
                        threading.Thread(
                            target=loads.raw_produce, args=(address, source, "throttled-producer", 20 * KB, length)
                        ),
                        threading.Thread(
                            target=loads.raw_fetch, args=(address, source, "throttled-consumer", 100 * KB, length)
                        ),
                    ]
                    for thread in threads:
                        thread.start()
                    time.sleep(length - seconds)  # what they may send at once
                timing = raw_client.produce_paced(address, prepared, PACE, seconds)
                p99[beside].append(timing.percentile(99))
                for thread in threads:
                    thread.join()
                threads = []
        alone, throttled = (sorted(p99[beside])[1] for beside in (False, True))
        shown[name] = f"{alone:,.0f} µs alone, {throttled:,.0f} µs"
        if name == OURS:
            met = throttled <= 1.5 * alone
    what = f"(e) p99 of a client with {PACE} Produce/s, beside a throttled producer and a throttled consumer (1 MB/s)"
    bench.figures.append(Figure(what, *_pair(shown), "≤ 1.5 x", met))
    say(str(bench.figures[-1]))


FIGURES: dict[str, Callable[[Bench], None]] = {
    "a": raw_produce,
    "b": raw_fetch,
    "c": java_produce,
    "d": java_consume,
    "e": others,
}


def report(bench: Bench, started: float) -> str:
    """The page that is printed and kept."""
    return "\n".join(
        [
            "# Quotas: wirebroker beside Apache Kafka 3.9.1",
            "",
            "`python -m tools.bench.quotas`: a client's rate less its quota, after ten seconds, with the",
            "default window of eleven seconds.  In both brokers a client that takes all it may takes the quota of",
            "a window in a burst, waits, and does so again: rates are averages over two windows, and the clients",
            "of raw requests offer no more than twice their quota.",
            "Raw requests count whole, as the quota counts them; the perf tools count their records only.",
            "",
            table(bench.figures),
            "",
            run_line(started),
            "",
        ]
    )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.quotas", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="".join(FIGURES), metavar="LETTERS")
    parser.add_argument("--broker", action="append", choices=list(BROKERS), help="measure only this one")
    parser.add_argument("--window-num", default="11", metavar="N", help="quota.window.num of both brokers")
    parser.add_argument("--quick", action="store_true", help="less of everything")
    parser.add_argument("--directory", type=Path, help="where the data directories are made")
    parser.add_argument("--keep", action="store_true", help=f"write the result to {RESULTS.name}")
    options = parser.parse_args(arguments)
    bench = Bench({}, options.quick)
    brokers: list[Broker] = []
    started = os.getloadavg()[0]
    with scratch(options.directory) as directory:
        try:
            for name in options.broker or BROKERS:
                broker = BROKERS[name](directory / name, {"quota.window.num": options.window_num})
                brokers.append(broker)
                broker.start()
                bench.sessions[name] = BrokerSession(broker, options.quick)
            for letter, run in FIGURES.items():
                if letter in options.only:
                    run(bench)
        except (raw_client.BenchError, StartError) as fault:
            print(fault, file=sys.stderr)
            return 1
        finally:
            for broker in brokers:
                broker.stop()
    page = report(bench, started)
    print(page)
    if options.keep:
        RESULTS.write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
