"""Brokers that the tests share: ours, a real Apache Kafka, and a way to run its programs.

Starting an Apache Kafka takes seven seconds, so one serves the whole run; tests keep apart by topic names.

A server that a test creates ends with that test, also when it fails; one that a fixture creates is the fixture's to
end.
"""

from __future__ import annotations

import gc
import itertools
import os
import shutil
import signal
import socket
import sys
import time
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests import servers_of_tests
from compat_tests.broker import Broker, Wirebroker
from compat_tests.cluster.fault_rounds import FAULT_RUNS, FaultRounds, FaultSummary
from compat_tests.comparison import SideBySide
from compat_tests.versions import KAFKA
from tools.bench.fault_table import ENDED_BY_HAND
from tools.jvm import class_archive
from tools.jvm.kafka import SMALL_JVM, KafkaBroker, KafkaDist
from wirebroker.tests.time_limit import time_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

LONG_FILES = (
    "test_directories.py",
    "test_controller_faults.py",
    "test_as_version.py",
    "test_kill.py",
    "test_chaos.py",
    "test_old_clients.py",
    "test_kafka_tools.py",
    "test_coordinator.py",
    "test_specs.py",
)
"""Files of a minute and more, longest first: one that starts last would keep a single worker of a parallel run busy."""
_CALL_REPORT = pytest.StashKey[pytest.TestReport]()
WAIT_S = 240
"""How long `wait_until` waits where nothing else is said: far more than a busy machine needs."""
_TABLES = pytest.StashKey[list[tuple[str, str]]]()
_shared_kafkas: list[KafkaBroker] = []
_numbers = itertools.count(1)
# a broker that was named to us may remember the topics of our last run
_run = f"{os.getpid()}-" if "WIREBROKER_COMPAT_BOOTSTRAP" in os.environ else ""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fault-runs", type=int, help="how often each fault of a cluster happens; 0 names them")
    parser.addoption("--fault-seconds", type=float, help="after how long no other fault happens in a cluster")
    parser.addoption(
        "--fault-summary",
        type=Path,
        help="append a JSON line of each cluster, and do not repeat the rounds that it has",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(servers_of_tests)
    # a run in the background of a script, or under nohup, is born with these ignored, and so would be every broker
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    class_archive.enable()
    KafkaBroker.jvm = SMALL_JVM  # most brokers of tests run for seconds, and few records go through them


@pytest.fixture(scope="session")
def kafka_dist() -> Callable[[str], KafkaDist]:
    """A release's class path and programs: ``kafka_dist("3.9.1").run("kafka-topics", ...)``."""
    return cache(KafkaDist)


@pytest.fixture(scope="session")
def apache_kafka(
    kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[KafkaBroker]:
    """A real Apache Kafka: one node, KRaft."""
    with KafkaBroker(kafka_dist(KAFKA), tmp_path_factory.mktemp("apache-kafka")) as broker:
        _shared_kafkas.append(broker)
        yield broker
        _shared_kafkas.remove(broker)


@pytest.fixture(scope="session")
def wirebroker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wirebroker]:
    """wirebroker, shared by tests that need no broker of their own; it must stop cleanly at the end."""
    with Wirebroker(tmp_path_factory.mktemp("wirebroker")) as broker:
        yield broker


@pytest.fixture(scope="session")
def bootstrap(request: pytest.FixtureRequest) -> str:
    """The broker under test: wirebroker, unless WIREBROKER_COMPAT_BOOTSTRAP names another one."""
    named = os.environ.get("WIREBROKER_COMPAT_BOOTSTRAP")
    if named:
        return named
    broker: Wirebroker = request.getfixturevalue("wirebroker")
    return broker.bootstrap


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One Spark session for the whole run, started as the demo starts it."""
    from tools.jvm import java_options
    from wirebroker.pipelines.session import spark_session

    directory = tmp_path_factory.mktemp("spark")
    with spark_session("compat_tests", directory, java_options=" ".join(java_options())) as session:
        yield session


@pytest.fixture(scope="session")
def target(request: pytest.FixtureRequest) -> Broker:
    """The broker under test: wirebroker, or Apache Kafka if COMPAT_TARGET=apache, to check the tests themselves."""
    name = "apache_kafka" if os.environ.get("COMPAT_TARGET") == "apache" else "wirebroker"
    broker: Broker = request.getfixturevalue(name)
    return broker


@pytest.fixture
def fault_rounds(
    request: pytest.FixtureRequest, show_at_the_end: Callable[[str, str], None]
) -> Iterator[Callable[..., FaultRounds]]:
    """Starts the rounds of the test's cluster: ``fault_rounds("three wirebrokers", "kill -9", "SIGTERM", runs=1)``.

    Each fault happens *runs* times, or as often as `--fault-runs` says, *times* as often; *most* times in one cluster.
    """
    option = request.config.getoption
    summary = FaultSummary(option("--fault-summary"))
    started: list[FaultRounds] = []

    def start(
        cluster: str, *faults: str, runs: int = FAULT_RUNS, times: int = 1, most: int | None = None
    ) -> FaultRounds:
        asked = option("--fault-runs")
        wanted = dict.fromkeys(faults, times * (runs if asked is None else asked))
        missing = summary.missing(request.node.nodeid, wanted)
        if not missing:
            if asked == 0:
                summary.add(FaultRounds(cluster, wanted).line(request.node.nodeid, None))
            pytest.skip(f"{option('--fault-summary')} has all of {wanted}")
        here = missing if most is None else {fault: min(count, most) for fault, count in missing.items()}
        started.append(FaultRounds(cluster, here, option("--fault-seconds")))
        return started[0]

    yield start
    report = request.node.stash.get(_CALL_REPORT, None)
    for rounds in started:
        failure = ENDED_BY_HAND if report is None else _failure(report)
        summary.add(rounds.line(request.node.nodeid, failure))
        if failure is None:
            show_at_the_end(f"faults: {request.node.name}", rounds.table())


def _failure(report: pytest.TestReport) -> str | None:
    """The message with which a test has failed, None if it has not."""
    if not report.failed:
        return None
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(report.longrepr if crash is None else crash.message)[:1000]


@pytest.fixture
def start_wirebroker(tmp_path: Path) -> Iterator[Callable[..., Wirebroker]]:
    """Starts brokers for one test: ``start_wirebroker({"log.segment.bytes": "1000"})``; kills what still runs."""
    started: list[Wirebroker] = []

    def start(settings: Mapping[str, str] | None = None, options: Sequence[str] = ()) -> Wirebroker:
        broker = Wirebroker(tmp_path / f"wirebroker-{len(started)}", settings, options)
        started.append(broker)
        return broker.start()

    yield start
    for broker in started:
        broker.kill()


@pytest.fixture(scope="session")
def show_at_the_end(pytestconfig: pytest.Config) -> Callable[[str, str], None]:
    """Keeps a table, with a title, for the end of the run: pytest shows printed output only of tests that fail."""
    tables = pytestconfig.stash.setdefault(_TABLES, [])
    return lambda title, table: tables.append((title, table))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Move the tests of LONG_FILES to the front, in that order; every worker of a parallel run gets the same order.

    Faults that happen more often than usual are nightly tests.
    """
    if (config.getoption("--fault-runs") or 0) > FAULT_RUNS:
        for item in items:
            if "fault_rounds" in getattr(item, "fixturenames", ()):
                item.add_marker("nightly")
    rank = {name: number for number, name in enumerate(LONG_FILES)}
    items.sort(key=lambda item: rank.get(item.path.name, len(rank)))


def pytest_runtest_setup() -> None:
    """Start the shared Apache Kafka again if it accepts no connection: all later tests need it, and it is not tested.

    Its process may live on without the thread that accepts connections, as after an error of the JVM in that thread.
    It starts with an empty directory: in the old one its controller waits for the session of the former process to end.
    """
    for broker in _shared_kafkas:
        if not _accepts_connections(broker):
            sys.stderr.write(f"Apache Kafka accepts no connections:\n{broker.log_file.read_text()[-3000:]}\n")
            broker.kill()
            shutil.rmtree(broker.data_directory)
            broker.start()


def _accepts_connections(broker: KafkaBroker) -> bool:
    try:
        socket.create_connection((broker.host, broker.port), timeout=WAIT_S).close()
    except OSError:
        return False
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keep the report of the test's call for its fixtures."""
    report = yield
    if report.when == "call":
        item.stash[_CALL_REPORT] = report
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Free what the frames of a failed test hold, so that its open sockets and pipes do not fail the next test."""
    try:
        with time_limit(item):
            return (yield)
    finally:
        if hasattr(sys, "last_traceback"):
            for name in ("last_type", "last_value", "last_traceback", "last_exc"):
                vars(sys).pop(name, None)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)
                gc.collect()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for title, table in config.stash.get(_TABLES, []):
        terminalreporter.section(title, sep="-")
        terminalreporter.write_line(table)


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    """A topic name that no other test uses."""
    return unique_name(request.node.originalname or request.node.name)


def unique_name(prefix: str = "topic") -> str:
    return f"{prefix.removeprefix('test_')}-{_run}{next(_numbers)}"


def wait_until(holds: Callable[[], bool], timeout_s: float = WAIT_S) -> None:
    """Call *condition* until it returns true, for things that a broker does asynchronously."""
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, "still not so"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def comparison(apache_kafka: KafkaBroker, wirebroker: Wirebroker) -> Iterator[SideBySide]:
    """Both brokers, connected."""
    comparison = SideBySide(apache_kafka, wirebroker)
    yield comparison
    comparison.close()


@pytest.fixture
def both(comparison: SideBySide) -> Iterator[SideBySide]:
    """Both brokers, for one test, which fails at its end if an answer differed."""
    comparison.begin()
    yield comparison
    comparison.verify()
