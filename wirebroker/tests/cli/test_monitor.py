"""`wirebroker metrics` against a server that answers with a given text."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.main import main
from wirebroker.cli.monitor.scrape import host_and_port, parse
from wirebroker.metrics.csv_reporter import file_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

METRICS = """\
# HELP kafka_log_log_size Bytes.
# TYPE kafka_log_log_size gauge
kafka_log_log_size{topic="a\\"b\\\\n",partition="0"} 12
kafka_server_replicamanager_leadercount 3
wirebroker_event_loop_idle_seconds_total 1.23456789
"""
MBEANS = [
    ["kafka.server:type=ReplicaManager,name=LeaderCount", {"Value": 3}],
    ["kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec", {"Count": 7, "OneMinuteRate": 0.5}],
]


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = {"/metrics": METRICS, "/jmx": json.dumps(MBEANS)}.get(self.path)
        self.send_response(404 if body is None else 200)
        self.end_headers()
        self.wfile.write((body or "").encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_lines_are_parsed_with_their_labels() -> None:
    size, leaders, idle = parse(METRICS)
    assert (size.name, size.labels, size.value) == ("kafka_log_log_size", {"topic": 'a"b\\n', "partition": "0"}, 12)
    assert (leaders.name, leaders.labels) == ("kafka_server_replicamanager_leadercount", {})
    assert idle.value == 1.23456789


def test_a_table(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "--address", address, "LEADER", "idle"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "METRIC                                     VALUE",
        "kafka_server_replicamanager_leadercount        3",
        "wirebroker_event_loop_idle_seconds_total 1.23457",
    ]


def test_mbeans_as_json(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "--address", address, "--jmx", "--format", "json", "BytesIn*"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {"mbean": MBEANS[1][0], "attribute": "Count", "value": 7},
        {"mbean": MBEANS[1][0], "attribute": "OneMinuteRate", "value": 0.5},
    ]


def test_watch_shows_the_growth_per_second(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["metrics", "--address", address, "leader", "--watch", "0", "--count", "2", "--format", "text"]
    assert main(arguments) == 0
    name = "kafka_server_replicamanager_leadercount"
    assert capsys.readouterr().out.splitlines() == [f"{name}\t3\t-", f"{name}\t3\t0"]


def test_csv_files_are_continued(address: str, tmp_path: Path) -> None:
    arguments = ["metrics", "--address", address, "--csv", str(tmp_path / "new"), "--interval", "0", "--count", "2"]
    assert main([*arguments, "BytesIn"]) == 0
    (path,) = (tmp_path / "new").iterdir()
    assert path.name == "kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec.csv"
    header, first, second = path.read_text().splitlines()
    assert header == "# time,Count,OneMinuteRate"
    assert first.split(",")[1:] == second.split(",")[1:] == ["7", "0.5"]


def test_names_of_files_are_safe() -> None:
    assert file_name("a/../b c" + "x" * 300) == ("a_.._b_c" + "x" * 300)[:200]


def test_nobody_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metrics", "--address", "127.0.0.1:1"]) == 1
    assert capsys.readouterr().err.startswith("wirebroker: no metrics at 127.0.0.1:1: ")


@pytest.mark.parametrize(
    "options", [("--interval", "1"), ("--count", "2"), ("--address", "nowhere"), ("--watch", "often")]
)
def test_wrong_usage(options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["metrics", *options])
    assert end.value.code == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_addresses() -> None:
    assert host_and_port("[::1]:9404") == ("::1", 9404)
