"""The screens of `wirebroker top`, made of given scrapes and answers."""

from __future__ import annotations

import argparse
import os
import pty
import time
from contextlib import suppress

import pytest

from wirebroker.cli import interrupt
from wirebroker.cli.main import main
from wirebroker.cli.monitor import top
from wirebroker.cli.monitor.scrape import parse
from wirebroker.cli.monitor.screen import Screen, Section, short
from wirebroker.cli.monitor.top_kafka import ClusterState, screen_of
from wirebroker.cli.monitor.top_metrics import Scrape
from wirebroker.cli.monitor.top_metrics import screen_of as screen_of_metrics
from wirebroker.cli.output import Column
from wirebroker.model import TopicPartition
from wirebroker.protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

METRICS = """\
kafka_network_socketserver_networkprocessoravgidle_percent 0.75
kafka_server_socket_server_metrics_connection_count{listener="PLAINTEXT",networkProcessor="0"} 4
kafka_server_brokertopicmetrics_messagesin_total{topic="quiet"} 5
kafka_server_brokertopicmetrics_bytesin_total{topic="quiet"} 5
kafka_server_brokertopicmetrics_messagesin_total{topic="loud"} MESSAGES
kafka_server_brokertopicmetrics_bytesin_total{topic="loud"} MESSAGES
kafka_network_requestmetrics_requests_total{request="Produce",version="9"} MESSAGES
kafka_network_requestmetrics_requests_total{request="Metadata",version="0"} 0
kafka_network_requestmetrics_errors_total{request="Produce",error="NONE"} MESSAGES
kafka_network_requestmetrics_totaltimems{request="Produce",quantile="0.5"} 0.25
kafka_network_requestmetrics_totaltimems{request="Produce",quantile="0.99"} 1234
kafka_consumergroup_lag_sum{consumergroup="g",topic="loud"} 12345
kafka_log_logmanager_logdirectoryoffline{logDirectory="/d"} 1
kafka_log_logmanager_logdirectoryoffline{logDirectory="/e"} 0
wirebroker_log_directory_size_bytes{log_directory="/e"} 12345
wirebroker_log_directory_disk_bytes{log_directory="/e"} 3e12
wirebroker_log_directory_usable_bytes{log_directory="/e"} 2e12
"""


def test_numbers_are_short() -> None:
    assert [short(value) for value in (None, 0, 12.345, 999, 12_345, 5e6, 7e15)] == [
        *("-", "0", "12.3", "999", "12.3k", "5M"),
        "7e+03T",
    ]


def test_a_broker_s_metrics() -> None:
    before, now = (Scrape(parse(METRICS.replace("MESSAGES", count)), at) for count, at in (("100", 0.0), ("5100", 5.0)))
    assert screen_of_metrics(before, now).lines(120, 50) == [
        "busy 25 %  loop lag 0.0 ms  memory 0  connections PLAINTEXT 4  leaders 0  under-replicated 0  offline 0",
        "",
        "TOPIC MSG/S IN B/S OUT B/S SIZE",
        "loud     1k     1k       0    0",
        "quiet     0      0       0    0",
        "",
        "REQUEST REQ/S P50 MS P99 MS ERRORS/S",
        "Produce    1k   0.25  1.23k        0",
        "",
        "GROUP TOPIC   LAG",
        "g     loud  12.3k",
        "",
        "LOG DIRECTORY  SIZE FREE STATE",
        "/d                -    - offline",
        "/e            12.3k   2T online",
    ]


def state(at_s: float, end: int) -> ClusterState:
    partition = MetadataResponsePartition(partition_index=0, leader_id=1, replica_nodes=[1, 2], isr_nodes=[1])
    metadata = MetadataResponse(controller_id=1, topics=[MetadataResponseTopic(name="t", partitions=[partition])])
    at = TopicPartition("t", 0)
    return ClusterState(at_s, metadata, {at: end}, {"g": {at: 40}}, {})


def test_any_kafka() -> None:
    assert screen_of(state(0.0, 100), state(2.0, 300)).lines(120, 50) == [
        "brokers 0  controller 1  topics 1  partitions 1  under-replicated 1  offline 0  groups 1",
        "",
        "TOPIC PARTITIONS MSG/S SIZE OUT OF SYNC",
        "t              1   100    -           1",
        "",
        "GROUP TOPIC LAG",
        "g     t     260",
    ]


def test_a_small_terminal_gets_a_part_of_each_table() -> None:
    section = Section([Column("A", "a")], [(str(number),) for number in range(50)])
    lines = Screen("summary", [section, section]).lines(3, 11)
    assert lines == ["sum", "", "A", "0", "1", "2", "", "A", "0", "1", "2"]
    assert Screen("summary", [section]).lines(80, 2) == ["summary"]


@pytest.mark.parametrize("options", [("--address", "127.0.0.1:1"), ("-b", "127.0.0.1:1")])
def test_nobody_answers(options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["top", "--once", *options]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "127.0.0.1:2"),
        (("-b", "127.0.0.1:3"), "127.0.0.1:3"),
        (("--address", "127.0.0.1:4"), "no metrics at 127.0.0.1:4: Connection refused; start the broker with"),
    ],
)
def test_the_environment_names_the_cluster_unless_an_option_names_a_broker(
    options: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WIREBROKER_BOOTSTRAP_SERVER", "127.0.0.1:2")
    assert main(["top", "--once", *options]) == 1
    assert says in capsys.readouterr().err


def test_a_broker_and_a_cluster_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["top", "-b", "127.0.0.1:1", "--address", "127.0.0.1:1"])
    assert end.value.code == 2
    assert "give one of them" in capsys.readouterr().err


def test_the_end_does_not_wait_for_a_terminal_that_reads_nothing() -> None:
    reader, terminal = pty.openpty()
    os.set_blocking(terminal, False)  # a write that would wait raises BlockingIOError
    os.set_blocking(reader, False)

    def fill() -> None:
        with suppress(BlockingIOError), top._other_screen(terminal):
            while True:
                os.write(terminal, bytes(4096))

    fill()
    shown = b""
    with suppress(BlockingIOError):
        while not shown.endswith(b"\x1b[?25h\x1b[?1049l"):
            shown += os.read(reader, 65536)
    assert shown.endswith(b"\x1b[?25h\x1b[?1049l")
    os.close(terminal)
    os.close(reader)


def test_an_interrupt_that_was_lost_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    lost: list[BaseException] = []
    monkeypatch.setattr(interrupt, "_raised", lost)
    monkeypatch.setattr(time, "sleep", lambda _: None)

    def following() -> Screen:
        assert not lost, "a second screen"
        lost.append(KeyboardInterrupt())
        return Screen("", [])

    with pytest.raises(KeyboardInterrupt):
        top._draw(argparse.Namespace(once=False, interval=1.0), following)
