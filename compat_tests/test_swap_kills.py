"""kill -9 at every rename of a compacted segment's swap: nothing lost, nothing doubled, no temporary file left."""

from __future__ import annotations

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import EAGER_CLEANER, ConsumedRecord, await_markers, consume_all, create
from compat_tests.fork_server import ForkServer
from compat_tests.limits import WITHIN_S, flush

if TYPE_CHECKING:
    from collections.abc import Iterator

FEW = {"offsets.topic.num.partitions": "1", "transaction.state.log.num.partitions": "1"}
SETTINGS = {
    **FEW,
    **EAGER_CLEANER,
    "log.cleaner.backoff.ms": "1",
    "log.segment.delete.delay.ms": "50",
    "log.initial.task.delay.ms": "50",
}
TURNS = 20
RUNNING = 4
"""Brokers that are killed at the same time; most of the time each of them waits for its disk and for its clients."""
_SOURCE = Path(__file__).with_name("killatrename.c")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler (cc, gcc or clang), so no process can be killed at a rename")
    path = tmp_path_factory.mktemp("library") / "killatrename.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", path, _SOURCE, "-ldl"], check=True, timeout=60)
    return path


@pytest.fixture(scope="module")
def fork_server(library: Path) -> Iterator[ForkServer]:
    """Starts brokers that can be killed at a rename; a start by itself would be most of the test's time."""
    server = ForkServer({"LD_PRELOAD": str(library)})
    yield server
    server.kill()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Wirebroker:
    """A broker that was stopped; its topic "t" has several segments, tombstones and aborted transactions."""
    from confluent_kafka import Producer

    broker = Wirebroker(tmp_path_factory.mktemp("written"), {**FEW, "log.cleaner.enable": "false"})
    with broker:
        create(broker.bootstrap, {"t": {"cleanup.policy": "compact", "segment.bytes": "6000"}})
        producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": "x"})
        producer.init_transactions(WITHIN_S)
        for turn in range(12):
            producer.begin_transaction()
            for number in range(10):
                producer.produce(
                    "t", key=f"k{(turn + number) % 25}", value=None if number == 7 else f"{turn} " + "x" * 100
                )
            flush(producer)
            if turn % 3 == 1:
                producer.abort_transaction(WITHIN_S)
            else:
                producer.commit_transaction(WITHIN_S)
        await_markers(broker.bootstrap, "t")
    return broker


def consumed(broker: Wirebroker) -> list[ConsumedRecord]:
    return consume_all(broker.bootstrap, {"t"}, "read_committed")["t", 0]


def is_cleaned(data: Path) -> bool:
    """Whether the log was cleaned up to its last segment."""
    active = max(int(path.stem) for path in (data / "t-0").glob("*.log"))
    return f"t 0 {active}\n" in (data / "cleaner-offset-checkpoint").read_text()


def killed_at(written: Wirebroker, directory: Path, fork_server: ForkServer, step: int) -> Wirebroker | None:
    """A broker on a copy of what was written, killed at a rename; None if the round has fewer renames."""
    broker = Wirebroker(directory, SETTINGS)
    broker.launch = fork_server.launch
    shutil.copytree(written.data_directory, broker.data_directory)
    broker.environment = {"KILL_AT_RENAME": str(step)}
    broker.start()
    wait_until(lambda: not broker.running or is_cleaned(broker.data_directory))
    if broker.running:
        broker.stop()
        return None
    assert broker.wait() == -9
    return broker


@pytest.fixture(scope="module")
def expected(written: Wirebroker, tmp_path_factory: pytest.TempPathFactory) -> list[ConsumedRecord]:
    """The records that are left when the log was cleaned without a kill."""
    whole = Wirebroker(tmp_path_factory.mktemp("whole"), SETTINGS)
    shutil.copytree(written.data_directory, whole.data_directory)
    with whole:
        wait_until(lambda: is_cleaned(whole.data_directory))
        found = consumed(whole)
    assert 20 <= len(found) <= 60
    return found


@pytest.mark.parametrize(
    ("turn", "stride"),
    [
        pytest.param(0, 5, id="few"),
        *(pytest.param(turn, 1, id=f"every-{turn + 1}", marks=pytest.mark.nightly) for turn in range(TURNS)),
    ],
)
def test_kill_at_every_rename(
    written: Wirebroker, expected: list[ConsumedRecord], fork_server: ForkServer, tmp_path: Path, turn: int, stride: int
) -> None:
    def renames_of(number: int) -> int:
        """Kill brokers at every RUNNING-th rename from the *number*-th on; return the first one that there is not."""
        step = 1 + number * stride
        while (broker := killed_at(written, tmp_path / f"{step}", fork_server, step)) is not None:
            verify_restart(broker, expected)
            if turn == 0:
                verify_next_start(broker)
            shutil.rmtree(broker.directory)
            step += RUNNING * stride
        return step

    with ThreadPoolExecutor(RUNNING) as threads:
        beyond = min(threads.map(renames_of, range(RUNNING)))
    assert beyond > 15, f"a round has only {beyond - 1} renames"


def verify_restart(broker: Wirebroker, expected: list[ConsumedRecord]) -> None:
    """A start completes the round, without the loss of a record, and removes all temporary files."""
    broker.environment = {}
    with broker:
        wait_until(lambda: is_cleaned(broker.data_directory))
        wait_until(lambda: not temporary_files(broker.data_directory))
        assert consumed(broker) == expected


def verify_next_start(broker: Wirebroker) -> None:
    """The start after it finds and leaves no temporary file."""
    assert not temporary_files(broker.data_directory)
    with broker:
        assert not temporary_files(broker.data_directory)


def temporary_files(data: Path) -> list[str]:
    names = [path.name for path in (data / "t-0").iterdir()]
    return [name for name in names if name.endswith((".cleaned", ".swap", ".deleted"))]
