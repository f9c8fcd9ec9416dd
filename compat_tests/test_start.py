"""Starts after a crash or a loss: with few syncs, without a directory, ended by SIGTERM."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from compat_tests.broker import Wirebroker, running
from compat_tests.conftest import wait_until
from compat_tests.limits import WITHIN_S
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic

if TYPE_CHECKING:
    from pathlib import Path

PARTITIONS = 400
COUNTED_SYNCS = """
import os, sys
counter = open(os.environ["SYNCS"], "ab", buffering=0)
for name in ("fsync", "fdatasync", "sync"):
    def counted(*args, real=getattr(os, name)):
        counter.write(b".")
        return real(*args)
    setattr(os, name, counted)
from wirebroker.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
SLOW_READS = """
import pathlib, sys, time
from wirebroker.storage import load_progress
check = load_progress.LoadProgress.check
def slow(self, bytes_read=0):
    if bytes_read:
        with pathlib.Path(sys.argv[3]).parent.joinpath("reading").open("a") as reading:
            reading.write(f"{bytes_read}\\n")
        time.sleep(2)
    check(self, bytes_read)
load_progress.LoadProgress.check = slow
from wirebroker.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
"""Recovery of a disk that gives half a MiB a second, which writes down what it has given."""
MOST_SYNCS = 50
"""A start may sync this often, whatever the number of partitions."""


def test_start_after_kill_does_not_sync_for_each_partition(tmp_path: Path) -> None:
    broker = Wirebroker(tmp_path)
    with broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap})
        admin.create_topics([NewTopic("many", PARTITIONS, 1)])["many"].result(WITHIN_S)
        broker.kill()
        broker.program, broker.environment = ["-c", COUNTED_SYNCS], {"SYNCS": str(tmp_path / "syncs")}
        broker.start()
        assert 0 < (tmp_path / "syncs").stat().st_size <= MOST_SYNCS


def test_partition_whose_directory_is_lost_is_refused_until_the_loss_is_accepted(tmp_path: Path) -> None:
    broker = Wirebroker(tmp_path)
    with broker:
        admin = AdminClient({"bootstrap.servers": broker.bootstrap})
        admin.create_topics([NewTopic("lost", 2, 1)])["lost"].result(WITHIN_S)
        producer = Producer({"bootstrap.servers": broker.bootstrap})
        for number in range(500):
            producer.produce("lost", b"%d" % number, partition=number % 2)
        assert producer.flush(WITHIN_S) == 0
        broker.stop()
        shutil.rmtree(broker.data_directory / "lost-0")
        before = len(broker.log())
        broker.start()
        assert log_ends(broker) == [ErrorCode.KAFKA_STORAGE_ERROR, 250]
        errors = [line for line in broker.log(before).splitlines() if " ERROR " in line]
        assert len(errors) == 1, errors
        command = ["log", "repair", str(broker.data_directory)]
        assert f"`wirebroker {' '.join(command)}`" in errors[0]
        broker.stop()
        subprocess.run(
            [sys.executable, "-m", "wirebroker", *command, "--execute"], check=True, capture_output=True, timeout=120
        )
        broker.start()
        assert log_ends(broker) == [0, 250]


def log_ends(broker: Wirebroker) -> list[int]:
    """The end of each partition of the topic, or the error that is answered."""
    partitions = [ListOffsetsPartition(partition_index=number, timestamp=-1) for number in range(2)]
    request = ListOffsetsRequest(replica_id=-1, topics=[ListOffsetsTopic("lost", partitions)])
    with broker.connect() as wire:
        answer = wire.ask(request, 4)
    return [each.error_code or each.offset for each in answer.topics[0].partitions]


def test_sigterm_during_recovery_ends_it_and_the_next_start_recovers(tmp_path: Path) -> None:
    broker = Wirebroker(tmp_path)
    with broker:
        producer = Producer({"bootstrap.servers": broker.bootstrap, "linger.ms": 50})
        for number in range(40):
            producer.produce("large", os.urandom(900_000), key=b"%d" % number, partition=0)
        assert producer.flush(WITHIN_S) == 0
        broker.kill()
        before = len(broker.log())
        command = ["start", "--data-dir", str(broker.data_directory), "--listener", "PLAINTEXT://127.0.0.1:0"]
        command = [sys.executable, "-c", SLOW_READS, *command]
        with (tmp_path / "stopped.log").open("wb") as log, running(command, stdout=log, stderr=log) as process:
            wait_until(lambda: (tmp_path / "reading").exists())
            process.terminate()
            assert process.wait(WITHIN_S) == 0
        was_read = sum(map(int, (tmp_path / "reading").read_text().split()))
        assert 0 < was_read < 40 * 900_000, "it was not ended before the end"
        assert not (broker.data_directory / ".kafka_cleanshutdown").exists()
        broker.program = ["-m", "wirebroker"]
        broker.start()
        assert "1 logs recovered after an unclean shutdown" in broker.log(before)
