"""kill -9 at every rename of a compacted segment's swap: nothing lost, nothing doubled, no temporary file left."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from compat_tests.broker import Wirebroker
from compat_tests.conftest import wait_until
from compat_tests.directory_scenario import EAGER_CLEANER, ConsumedRecord, consume_all, create

FEW = {"offsets.topic.num.partitions": "1", "transaction.state.log.num.partitions": "1"}
SETTINGS = {**FEW, **EAGER_CLEANER, "log.cleaner.backoff.ms": "1"}
_SOURCE = Path(__file__).with_name("killatrename.c")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler (cc, gcc or clang), so no process can be killed at a rename")
    path = tmp_path_factory.mktemp("library") / "killatrename.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O2", "-o", path, _SOURCE, "-ldl"], check=True)
    return path


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Wirebroker:
    """A broker that was stopped; its topic "t" has several segments, tombstones and aborted transactions."""
    from confluent_kafka import Producer

    broker = Wirebroker(tmp_path_factory.mktemp("written"), {**FEW, "log.cleaner.enable": "false"})
    with broker:
        create(broker.bootstrap, {"t": {"cleanup.policy": "compact", "segment.bytes": "6000"}})
        producer = Producer({"bootstrap.servers": broker.bootstrap, "transactional.id": "x"})
        producer.init_transactions(60)
        for turn in range(12):
            producer.begin_transaction()
            for number in range(10):
                producer.produce(
                    "t", key=f"k{(turn + number) % 25}", value=None if number == 7 else f"{turn} " + "x" * 100
                )
            producer.flush()
            if turn % 3 == 1:
                producer.abort_transaction(30)
            else:
                producer.commit_transaction(30)
    return broker


def consumed(broker: Wirebroker) -> list[ConsumedRecord]:
    return consume_all(broker.bootstrap, {"t"}, "read_committed")["t", 0]


def is_cleaned(data: Path) -> bool:
    """Whether the log was cleaned up to its last segment."""
    active = max(int(path.stem) for path in (data / "t-0").glob("*.log"))
    return f"t 0 {active}\n" in (data / "cleaner-offset-checkpoint").read_text()


def killed_at(written: Wirebroker, directory: Path, library: Path, step: int) -> Wirebroker | None:
    """A broker on a copy of what was written, killed at a rename; None if the round has fewer renames."""
    broker = Wirebroker(directory, SETTINGS)
    shutil.copytree(written.data_directory, broker.data_directory)
    broker.environment = {"LD_PRELOAD": str(library), "KILL_AT_RENAME": str(step)}
    broker.start()
    wait_until(lambda: not broker.running or is_cleaned(broker.data_directory))
    if broker.running:
        broker.stop()
        return None
    assert broker.wait(10) == -9
    return broker


@pytest.mark.parametrize(
    ("turns", "stride"), [(1, 5), pytest.param(20, 1, marks=pytest.mark.nightly)], ids=["few", "every"]
)
def test_kill_at_every_rename(written: Wirebroker, library: Path, tmp_path: Path, turns: int, stride: int) -> None:
    whole = Wirebroker(tmp_path / "whole", SETTINGS)
    shutil.copytree(written.data_directory, whole.data_directory)
    whole.start()
    wait_until(lambda: is_cleaned(whole.data_directory))
    expected = consumed(whole)
    whole.stop()
    assert 20 <= len(expected) <= 60
    for turn in range(turns):
        for step in range(1, 100, stride):
            directory = tmp_path / f"{turn}-{step}"
            broker = killed_at(written, directory, library, step)
            if broker is None:
                break
            verify_restart(broker, expected)
            shutil.rmtree(directory)
        assert step > 15, f"a round has only {step} renames"


def verify_restart(broker: Wirebroker, expected: list[ConsumedRecord]) -> None:
    """A start completes the round, without the loss of a record; the next one leaves no temporary file."""
    broker.environment = {}
    broker.start()
    wait_until(lambda: is_cleaned(broker.data_directory))
    assert consumed(broker) == expected
    broker.stop()
    broker.start()
    names = [path.name for path in (broker.data_directory / "t-0").iterdir()]
    assert not [name for name in names if name.endswith((".cleaned", ".swap", ".deleted"))]
    broker.stop()
