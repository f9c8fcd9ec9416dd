"""`wirebroker doctor`: its checks with files and clusters that a test makes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.doctor import machine
from wirebroker.cli.doctor.clocks import compare_clocks
from wirebroker.cli.doctor.cluster import check_brokers, check_cluster, check_partitions, is_loopback
from wirebroker.cli.doctor.finding import Level
from wirebroker.cli.main import main
from wirebroker.client.connection import ClientError
from wirebroker.client.security import PLAINTEXT, Credentials, Security
from wirebroker.model import TopicPartition
from wirebroker.protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)

if TYPE_CHECKING:
    from pathlib import Path


def levels(findings: object) -> list[Level]:
    return [each.level for each in findings]  # type: ignore[attr-defined]


def mounts(tmp_path: Path, kind: str) -> Path:
    path = tmp_path / "mounts"
    path.write_text(f"/dev/sda / ext4 rw 0 0\nx {tmp_path} {kind} rw 0 0\n")
    return path


@pytest.mark.parametrize(
    ("kind", "level"), [("ext4", Level.OK), ("xfs", Level.OK), ("nfs4", Level.WARNING), ("tmpfs", Level.WARNING)]
)
def test_the_file_system_of_a_directory(tmp_path: Path, kind: str, level: Level) -> None:
    *_, found = machine.check_data_directory(tmp_path / "not" / "there", mounts(tmp_path, kind))
    assert (found.level, kind in found.finding) == (level, True)
    assert bool(found.fix) == (level is not Level.OK)


def test_a_directory_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    assert levels(machine.check_data_directory(tmp_path / "data")) == [Level.ERROR]


def test_a_file_system_that_runs_out_of_inodes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = os.statvfs_result((4096, 4096, 1000, 900, 900, 100, 9, 9, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda _: full)
    found, *_ = machine.check_data_directory(tmp_path, mounts(tmp_path, "ext4"))
    assert (found.level, "9 of 100 inodes free" in found.finding, bool(found.fix)) == (Level.WARNING, True, True)


def test_kernel_settings(tmp_path: Path) -> None:
    for name, value in (("swappiness", 60), ("dirty_background_ratio", 20), ("dirty_ratio", 40)):
        (tmp_path / name).write_text(f"{value}\n")
    swap, dirty = machine.check_kernel(tmp_path)
    assert swap.fix == "sudo sysctl -w vm.swappiness=1"
    assert dirty.fix == "sudo sysctl -w vm.dirty_background_ratio=5 vm.dirty_ratio=60"
    (tmp_path / "swappiness").write_text("1\n")
    assert next(machine.check_kernel(tmp_path)).level is Level.OK
    assert list(machine.check_kernel(tmp_path / "none")) == []


def test_descriptors_and_clock() -> None:
    assert levels(machine.check_descriptors(1024)) == [Level.WARNING]
    assert levels(machine.check_descriptors(1 << 20)) == [Level.OK]
    assert levels(machine.check_clock(5)) == [Level.WARNING]
    assert levels(machine.check_clock(0)) == [Level.OK]


def partition(index: int, leader: int, isr: list[int]) -> MetadataResponsePartition:
    return MetadataResponsePartition(partition_index=index, leader_id=leader, replica_nodes=[0, 1], isr_nodes=isr)


def test_partitions_without_leader_and_out_of_sync() -> None:
    topic = MetadataResponseTopic(name="t", partitions=[partition(0, -1, []), partition(1, 0, [0])])
    offline, behind = check_partitions(MetadataResponse(topics=[topic]))
    assert (offline.level, offline.finding) == (Level.ERROR, "1 without a leader: t-0")
    assert (behind.level, behind.finding) == (Level.WARNING, "1 with replicas out of sync: t-1")
    good = MetadataResponseTopic(name="t", partitions=[partition(0, 0, [0, 1])])
    assert levels(check_partitions(MetadataResponse(topics=[good]))) == [Level.OK]


def test_advertised_addresses_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    class FakeConnection:
        def __init__(self, address: tuple[str, int], _: float, *, security: object) -> None:
            if address[0] == "gone":
                raise ClientError("gone:9092: no route")

        def close(self) -> None:
            pass

    monkeypatch.setattr("wirebroker.cli.doctor.cluster.Connection", FakeConnection)
    brokers = [MetadataResponseBroker(0, "gone", 9092), MetadataResponseBroker(1, "127.0.0.1", 9093)]
    gone, loopback, controller = check_brokers(MetadataResponse(brokers=brokers, controller_id=7), "host:9092", 1.0)
    assert (gone.level, gone.fix) == (Level.ERROR, "advertised.listeners=PLAINTEXT://host:9092")
    assert loopback.level is Level.ERROR
    assert controller.level is Level.ERROR
    assert "wirebroker cluster describe" in controller.fix
    monkeypatch.setattr("wirebroker.cli.doctor.cluster._SLOW_S", 0.0)
    slow, _ = check_brokers(MetadataResponse(brokers=brokers[1:], controller_id=1), "127.0.0.1:9093", 1.0)
    assert (slow.level, slow.fix) == (Level.NOTE, "wirebroker top -b 127.0.0.1:9093 shows its load")


@pytest.mark.parametrize(
    ("newest_ms", "expected"),
    [
        ({}, [(Level.NOTE, "the protocol does not tell them, and no group has committed yet")]),
        (
            {0: 9_000, 1: 11_000},
            [(Level.OK, "none is seen ahead of this machine's; one that is behind is not seen by ")],
        ),
        (
            {0: 13_500, 1: 0, 2: 12_000},
            [(Level.WARNING, "broker 1 leads __consumer_offsets-0 with a record 3.5 s from the future")],
        ),
        (
            {0: 11_001, 1: 3_610_000},
            [
                (Level.WARNING, "broker 1 leads __consumer_offsets-0 with a record 1.0 s from the future"),
                (Level.WARNING, "broker 2 leads __consumer_offsets-1 with a record 3600.0 s from the future"),
            ],
        ),
    ],
)
def test_clocks(newest_ms: dict[int, int], expected: list[tuple[Level, str]]) -> None:
    """Brokers 1 and 2 lead partitions 0 and 2, and 1; the time is 10 s."""
    leaders = {TopicPartition("__consumer_offsets", number): (1, 2, 1)[number] for number in range(3)}
    newest = {TopicPartition("__consumer_offsets", number): at_ms for number, at_ms in newest_ms.items()}
    found = list(compare_clocks(newest, leaders, 10_000))
    assert [each.level for each in found] == [level for level, _ in expected]
    assert all(each.finding.startswith(text) for each, (_, text) in zip(found, expected, strict=True))
    assert all(each.fix for each in found)


@pytest.mark.parametrize("security", [PLAINTEXT, Security(None, Credentials("PLAIN", "ann", "secret"))])
def test_a_cluster_that_does_not_answer(security: Security) -> None:
    (found,) = check_cluster("127.0.0.1:1", 1.0, security)
    assert found.level is Level.ERROR
    assert found.fix.startswith("wirebroker start" if security == PLAINTEXT else "--command-config FILE")


def test_loopback_addresses() -> None:
    assert [is_loopback(host) for host in ("127.0.0.2", "::1", "localhost", "a.localhost", "10.0.0.1", "kafka")] == [
        *(True, True, True, True),
        *(False, False),
    ]


def test_a_wrong_configuration_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["doctor", "--data-dir", str(tmp_path), "--set", "num.partitions=0", "--format", "text", "--problems"]
    assert main(arguments) == 1
    assert any(line.startswith("error\tconfiguration\t") for line in capsys.readouterr().out.splitlines())


def test_a_machine_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["doctor", "--data-dir", str(tmp_path / "data"), "--listener", "PLAINTEXT://127.0.0.1:0"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert f"directory {tmp_path / 'data'}" in out
    assert "listener PLAINTEXT" in out
    assert not (tmp_path / "data").exists()


def test_nobody_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "-b", "127.0.0.1:1", "--format", "text"]) == 1
    assert capsys.readouterr().out.startswith("error\tconnection\t")
