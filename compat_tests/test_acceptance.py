"""A broker process in trouble: full disk, no descriptors left, a stop under load, peers that misbehave."""

from __future__ import annotations

import itertools
import os
import resource
import socket
import struct
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from compat_tests.broker import running
from compat_tests.conftest import wait_until
from compat_tests.kafka_requests import batch, produce
from compat_tests.limits import WITHIN_S
from compat_tests.wire import Closed, Wire
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from wirebroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from compat_tests.broker import Wirebroker

LATEST = -1


def create(wire: Wire, topic: str, partitions: int = 1) -> int:
    topics = [CreatableTopic(name=topic, num_partitions=partitions, replication_factor=1)]
    return int(wire.ask(CreateTopicsRequest(topics=topics, timeout_ms=30_000), 5).topics[0].error_code)


def append(wire: Wire, topic: str, records: bytes, partition: int = 0) -> tuple[int, int]:
    """(error code, base offset)."""
    answer = wire.ask(produce(topic, records, partition=partition), 9).responses[0].partition_responses[0]
    return answer.error_code, answer.base_offset


def end_offset(wire: Wire, topic: str) -> int:
    topics = [ListOffsetsTopic(name=topic, partitions=[ListOffsetsPartition(partition_index=0, timestamp=LATEST)])]
    return int(wire.ask(ListOffsetsRequest(topics=topics), 7).topics[0].partitions[0].offset)


def long_poll(topic: str) -> FetchRequest:
    partitions = [FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1)]
    topics = [FetchTopic(topic=topic, partitions=partitions)]
    return FetchRequest(max_wait_ms=2**31 - 1, min_bytes=1 << 30, max_bytes=1 << 30, topics=topics)


def open_files(broker: Wirebroker) -> int:
    return len(os.listdir(f"/proc/{broker.pid}/fd"))


def test_a_full_disk_ends_the_broker_and_keeps_acknowledged_records(
    start_wirebroker: Callable[..., Wirebroker],
) -> None:
    broker = start_wirebroker({"log.index.size.max.bytes": "10000"})
    resource.prlimit(broker.pid, resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
    with broker.connect() as wire:
        assert create(wire, "full") == 0
        big = batch(bytes(100_000))
        for acknowledged in itertools.count():
            code, offset = append(wire, "full", big)
            if code:
                break
            assert offset == acknowledged
        assert code == 56
    wait_until(lambda: not broker.running)
    with pytest.raises(RuntimeError, match="wirebroker ended with 1"):
        broker.stop()
    assert "every log directory has failed" in broker.log().splitlines()[-1]
    assert "Traceback" not in broker.log()
    broker.start()
    with broker.connect() as wire:
        assert end_offset(wire, "full") == acknowledged
        assert append(wire, "full", big) == (0, acknowledged)


def test_a_stop_under_load_is_quick_and_clean(start_wirebroker: Callable[..., Wirebroker]) -> None:
    broker = start_wirebroker()
    producers = [broker.connect() for _ in range(20)]
    waiting = broker.connect()
    create(waiting, "load", 20)
    waiting.send(long_poll("load"), 11)
    acknowledged = [0] * 20
    # the stop comes from another process, while this one keeps the broker busy
    stop = f"import os, time; time.sleep(1); os.kill({broker.pid}, 15)"
    with running([sys.executable, "-c", stop]):
        try:
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline:
                for i, wire in enumerate(producers):
                    code, offset = append(wire, "load", batch(), i)
                    assert code == 0
                    acknowledged[i] = offset + 1
            pytest.fail("the broker does not stop")
        except (Closed, ConnectionError):
            began = time.monotonic()
    broker.stop()
    for wire in (*producers, waiting):
        wire.close()
    assert time.monotonic() - began < WITHIN_S, "a request waits for weeks"
    assert (broker.data_directory / ".kafka_cleanshutdown").exists()
    before = len(broker.log())
    broker.start()
    assert "unclean" not in broker.log(before)
    with broker.connect() as wire:
        assert end_offset(wire, "load") >= acknowledged[0]


def test_more_peers_than_descriptors_do_not_stop_the_logs(
    start_wirebroker: Callable[..., Wirebroker], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nulimit -n 300\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    broker = start_wirebroker({"log.flush.offset.checkpoint.interval.ms": "200"})
    peers = []
    with broker.connect() as wire:
        assert create(wire, "many", 300) == 0
        for _ in range(400):
            peer = socket.socket()
            peer.setblocking(False)
            peer.connect_ex((broker.host, broker.port))
            peers.append(peer)
        wait_until(lambda: "all connections are in use" in broker.log())
        time.sleep(0.5)  # some checkpoints
        for index in range(300):
            assert append(wire, "many", batch(), index)[0] == 0
        for peer in peers:
            peer.close()
    with broker.connect() as wire:
        assert append(wire, "many", batch())[0] == 0
    broker.stop()


def test_peers_that_left_or_do_not_read_are_let_go(start_wirebroker: Callable[..., Wirebroker]) -> None:
    broker = start_wirebroker()
    with broker.connect() as wire:
        create(wire, "gone")
        for _ in range(8):
            append(wire, "gone", batch(bytes(1_000_000)))
    broker.stop()
    broker.settings["connections.max.idle.ms"] = "15000"  # time enough to send a request on a busy machine
    broker.start()
    everything = long_poll("gone")
    everything.min_bytes = 1
    everything.topics[0].partitions[0].partition_max_bytes = 1 << 30
    with broker.connect() as wire:  # which opens the files of the log, and what the threads that send need
        append(wire, "gone", batch())
        wire.ask(everything, 11)
        usual = open_files(broker) - 1  # that connection
    peers = []
    for number in range(60):
        # a connection without a request within the idle time is closed, so each sends one at once
        peers.append(peer := broker.connect())
        if number < 20:
            peer.send(long_poll("gone"), 11)
            peer.close()
        elif number < 40:
            peer.send(everything, 11)
        else:
            peer.send_bytes(struct.pack(">i", 90_000_000) + b"half a frame")
    wait_until(lambda: broker.log().count("closing: ") >= 40 and open_files(broker) <= usual)
    assert broker.log().count("it has read nothing of its answer") == 20
    assert broker.log().count("closing: ") == 40
    for peer in peers:
        peer.close()


def test_a_port_in_use_is_one_line_and_touches_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"PLAINTEXT://127.0.0.1:{taken.getsockname()[1]}"
        command = [sys.executable, "-m", "wirebroker", "start", "--listener", where, "--data-dir", str(tmp_path / "d")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert done.returncode == 1
    assert done.stderr == f"wirebroker: cannot listen on {where}: Address already in use\n"
    assert not (tmp_path / "d").exists()


def test_a_directory_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    command = [sys.executable, "-m", "wirebroker", "start", "--listener", "PLAINTEXT://127.0.0.1:0", "--data-dir"]
    done = subprocess.run(
        [*command, str(tmp_path / "file")], capture_output=True, text=True, timeout=WITHIN_S, check=False
    )
    assert done.returncode == 1
    assert (
        done.stderr == f"wirebroker: cannot use {tmp_path / 'file'}: {tmp_path / 'file'} is a file, not a directory\n"
    )
