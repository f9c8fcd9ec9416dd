"""Plans with log directories: executed, verified and cancelled, with throttles, in the words of Kafka's tool."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.cli.main import main
from wirebroker.cli.reassign import log_dir_moves
from wirebroker.protocol.messages import alter_replica_log_dirs as alter
from wirebroker.protocol.messages import describe_log_dirs as describe
from wirebroker.protocol.messages.list_partition_reassignments import ListPartitionReassignmentsResponse
from wirebroker.tests.cli.fake_cluster import TOPIC, FakeConnection

if TYPE_CHECKING:
    from pathlib import Path

LOG_DIR_NOT_FOUND, REPLICA_NOT_AVAILABLE = 57, 9
PARTITION = f"{TOPIC}-0"
THROTTLE = "replica.alter.log.dirs.io.max.bytes.per.second"
SCRIPT = ("kafka-reassign-partitions.sh", "--bootstrap-server", "broker:9092")


class Broker:
    """Broker 0, with log directories /a and /b; also stands for the module `time`."""

    def __init__(self) -> None:
        self.current: str | None = "/a"
        self.future: str | None = None
        self.available_s = 0.0
        """When the replica is there."""
        self.now_s = 0.0
        self.asked: list[str] = []
        """The log directories to which the replica was to be moved."""
        self.altered: list[tuple[str, dict[str, str | None]]] = []

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds

    def alter_log_dirs(self, request: Any) -> alter.AlterReplicaLogDirsResponse:
        (directory,) = request.dirs
        code = 0 if directory.path in ("/a", "/b") else LOG_DIR_NOT_FOUND
        if self.now_s < self.available_s:
            code = REPLICA_NOT_AVAILABLE
        self.asked.append(directory.path)
        if not code:
            self.future = None if directory.path == self.current else directory.path
        result = alter.AlterReplicaLogDirPartitionResult(0, code)
        return alter.AlterReplicaLogDirsResponse(results=[alter.AlterReplicaLogDirTopicResult(TOPIC, [result])])

    def describe_log_dirs(self) -> describe.DescribeLogDirsResponse:
        def topics(path: str) -> list[describe.DescribeLogDirsTopic]:
            return [
                describe.DescribeLogDirsTopic(
                    TOPIC, [describe.DescribeLogDirsPartition(0, is_future_key=path == self.future)]
                )
                for _ in range(path in (self.current, self.future))
            ]

        results = [describe.DescribeLogDirsResult(log_dir=path, topics=topics(path)) for path in ("/a", "/b")]
        return describe.DescribeLogDirsResponse(results=results)


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Broker:
    made = Broker()

    class Connection(FakeConnection):
        def send(self, request: Any, highest: int | None = None) -> Any:
            name = type(request).__name__
            if name == "AlterReplicaLogDirsRequest":
                return made.alter_log_dirs(request)
            if name == "DescribeLogDirsRequest":
                return made.describe_log_dirs()
            if name == "ListPartitionReassignmentsRequest":
                return ListPartitionReassignmentsResponse()
            if name == "IncrementalAlterConfigsRequest":
                made.altered += [
                    (each.resource_name, {config.name: config.value for config in each.configs})
                    for each in request.resources
                ]
            return super().send(request, highest)

    monkeypatch.setattr("wirebroker.client.admin.Connection", Connection)
    monkeypatch.setattr("os.environ", {})
    monkeypatch.setattr(log_dir_moves, "time", made)
    return made


def plan(directory: Path, *log_dirs: str, replica: int = 0) -> tuple[str, str]:
    """The option that names a plan for the replica of one partition."""
    path = directory / "plan.json"
    entry: dict[str, object] = {"topic": TOPIC, "partition": 0, "replicas": [replica]}
    if log_dirs:
        entry["log_dirs"] = list(log_dirs)
    path.write_text(json.dumps({"version": 1, "partitions": [entry]}))
    return "--reassignment-json-file", str(path)


def test_a_move_waits_for_a_replica_that_is_new_on_its_broker(
    broker: Broker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broker.available_s = 0.15
    assert main([*SCRIPT, "--execute", *plan(tmp_path, "/b")]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        f"Successfully started partition reassignment for {PARTITION}",
        f"Successfully started moving log directory to /b for replica {PARTITION} with broker 0 ",
    ]
    assert broker.asked == ["/b", "/b", "/b"]
    assert broker.altered == []


def test_a_replica_that_is_not_there_in_time(
    broker: Broker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broker.available_s = 60
    assert main([*SCRIPT, "--execute", *plan(tmp_path, "/b"), "--timeout", "2000"]) == 1
    late = f"wirebroker: Timed out before log directory move could be started for: {PARTITION}-0\n"
    assert capsys.readouterr().err == late
    assert broker.now_s == pytest.approx(2.0, abs=0.11)


def test_a_log_directory_that_the_broker_does_not_have(
    broker: Broker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reassign", "execute", *plan(tmp_path, "/c")]) == 1
    assert capsys.readouterr().err == f"wirebroker: Failed to alter dir for {PARTITION}-0: LOG_DIR_NOT_FOUND\n"


@pytest.mark.parametrize(
    ("current", "future", "line", "is_done"),
    [
        ("/b", None, f"Reassignment of replica {PARTITION}-0 completed successfully.", True),
        ("/a", "/b", f"Reassignment of replica {PARTITION}-0 is still in progress.", False),
        ("/a", None, f"Partition {PARTITION} on broker 0 is not being moved from log dir /a to /b.", True),
        (
            None,
            None,
            f"Partition {PARTITION} is not found in any live log dir on broker 0. There is likely an offline log"
            " directory on the broker.",
            False,
        ),
    ],
)
def test_moves_are_verified(
    current: str | None,
    future: str | None,
    line: str,
    is_done: bool,
    broker: Broker,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    broker.current, broker.future = current, future
    assert main([*SCRIPT, "--verify", *plan(tmp_path, "/b")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "Status of partition reassignment:",
        f"Reassignment of partition {PARTITION} is completed.",
        line,
    ]
    assert bool(lines[3:]) == is_done
    assert bool(broker.altered) == is_done


def test_a_move_elsewhere_and_one_on_a_dead_broker(
    broker: Broker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broker.future = "/b"
    assert main(["reassign", "verify", *plan(tmp_path, "/c")]) == 0
    line = f"Partition {PARTITION} on broker 0 is being moved to log dir /b instead of /c."
    assert capsys.readouterr().out.splitlines()[2:] == [line]
    assert main(["reassign", "verify", *plan(tmp_path, "/c", replica=9)]) == 0
    line = f"Partition {PARTITION} cannot be found in any live log directory on broker 9."
    assert capsys.readouterr().out.splitlines()[2:] == [line]


def test_a_move_is_cancelled_by_a_move_to_where_the_replica_is(
    broker: Broker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broker.future = "/b"
    assert main([*SCRIPT, "--cancel", *plan(tmp_path, "/b"), "--preserve-throttles"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "None of the specified partition reassignments are active.",
        f"Successfully started moving log directory to /a for replica {PARTITION} with broker 0 ",
    ]
    assert broker.asked == ["/a"]
    assert broker.describe_log_dirs().results[1].topics == []
    assert main(["reassign", "cancel", *plan(tmp_path, "/b"), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"cancelled": [], "cancelled_log_dir_moves": []}


@pytest.mark.parametrize(
    ("options", "lines", "altered"),
    [
        (
            ("--replica-alter-log-dirs-throttle", "100"),
            ["The replica-alter-dir throttle limit was set to 100 B/s"],
            [("0", {THROTTLE: "100"})],
        ),
        (
            ("--throttle", "0"),
            ["The inter-broker throttle limit was set to 0 B/s"],
            [
                (
                    TOPIC,
                    {
                        "leader.replication.throttled.replicas": "0:0",
                        "follower.replication.throttled.replicas": "",
                    },
                ),
                ("0", {"leader.replication.throttled.rate": "0", "follower.replication.throttled.rate": "0"}),
            ],
        ),
        (("--throttle", "-5", "--replica-alter-log-dirs-throttle", "-1"), [], []),
    ],
)
def test_throttles(
    options: tuple[str, ...],
    lines: list[str],
    altered: object,
    broker: Broker,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([*SCRIPT, "--execute", *plan(tmp_path, "/b"), *options]) == 0
    printed = capsys.readouterr().out.splitlines()
    start = printed.index("Save this to use as the --reassignment-json-file option during rollback") + 1
    warning = (
        "Warning: You must run --verify periodically, until the reassignment completes, to ensure the throttle is"
        " removed."
    )
    assert printed[start:-2] == ([warning, *lines] if lines else [])
    assert broker.altered == altered


@pytest.mark.usefixtures("broker")
def test_a_throttle_of_log_directories_without_any_in_the_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SCRIPT, "--execute", *plan(tmp_path), "--replica-alter-log-dirs-throttle", "100"]) == 0
    assert "The replica-alter-dir throttle limit was set to 100 B/s\n" in capsys.readouterr().out


@pytest.mark.usefixtures("broker")
def test_a_proposal_is_for_the_live_ones_of_the_brokers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    topics = tmp_path / "topics.json"
    topics.write_text(json.dumps({"version": 1, "topics": [{"topic": TOPIC}]}))
    words = ["--topics-to-move-json-file", str(topics), "--broker-list"]
    for command in (["reassign", "generate"], [*SCRIPT, "--generate"]):
        assert main([*command, *words, "0,9"]) == 0
        (line,) = capsys.readouterr().out.splitlines()[-1:]
        assert {each["replicas"][0] for each in json.loads(line)["partitions"]} == {0}
        assert main([*command, *words, "9"]) == 1
        assert "Replication factor: 1 larger than available brokers: 0." in capsys.readouterr().err
