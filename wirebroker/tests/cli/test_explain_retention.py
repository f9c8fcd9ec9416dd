"""`wirebroker topics explain-retention`: directories without a broker, and wrong usage; compat_tests has brokers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from wirebroker.cli.main import main
from wirebroker.metadata.image import TOPIC_RESOURCE
from wirebroker.metadata.journal import JOURNAL_NAME, STARTED_EMPTY, frame
from wirebroker.metadata.records import ConfigsRecord, encode
from wirebroker.storage.log_manager import LogManager
from wirebroker.tests.cli.fake_cluster import TOPIC, FakeConnection
from wirebroker.tests.storage.fakes.logs import SMALL, batch

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory with t-0, of several segments, and t-11; a broker has stopped cleanly."""
    manager = LogManager([tmp_path], SMALL)
    manager.load()
    for partition in (0, 11):
        log = manager.get_or_create("t", partition)
        for number in range(30):
            log.append_as_leader(batch(b"v" * 90, timestamp=1_000_000 + number), 0, 0)
    manager.close()
    return tmp_path


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, str]]:
    """Name of a setting -> its value and place; partitions are checked."""
    assert main(["topics", "explain-retention", "t", *arguments, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [each["partition"] for each in document["partitions"]] == [0, 11]
    assert all(len(each["segments"]) > 3 for each in document["partitions"])
    return {each["name"]: each for each in document["settings"]}


def test_settings_come_from_the_journal_the_file_and_the_options(
    data: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    assert explained(capsys, "--log-dir", str(data))["retention.ms"]["set_by"] == "default: log.retention.hours=168"
    record = ConfigsRecord(TOPIC_RESOURCE, "t", {"retention.ms": "77"})
    (data / JOURNAL_NAME).write_bytes(STARTED_EMPTY + frame(1, encode([record])))
    file = tmp_path_factory.mktemp("file") / "server.properties"
    file.write_text("\nlog.roll.hours=2\n")
    found = explained(capsys, "--log-dir", str(data), "--config", str(file), "--set", "log.segment.bytes=2000")
    assert (found["retention.ms"]["value"], found["retention.ms"]["set_by"]) == ("77", "topic")
    assert (found["segment.ms"]["value"], found["segment.ms"]["set_by"]) == ("7200000", f"{file}:2: log.roll.hours=2")
    assert found["segment.bytes"]["set_by"] == "--set: log.segment.bytes=2000"
    found = explained(capsys, "--log-dir", str(data), "--topic-config", "retention.ms=88")
    assert found["retention.ms"]["value"] == "88"


def test_a_damaged_checkpoint_is_the_problem_of_its_partitions(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data / "replication-offset-checkpoint").write_text("7\n")
    assert main(["topics", "explain-retention", "t", "--log-dir", str(data)]) == 1
    assert f"run `wirebroker log verify {data}`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--set", "a=b"), 2, "--config, --set and --topic-config need --log-dir"),
        (("--log-dir", "{data}", "--topic-config", "a"), 2, "'a' is not KEY=VALUE"),
        (("--log-dir", "{data}/nowhere"), 1, "nowhere is no directory"),
        (("--log-dir", "{data}", "--partition", "5"), 1, "t has no partition 5 there"),
        (("--log-dir", "{data}", "--set", "log.retention.ms=x"), 1, "log.retention.ms"),
        (("--log-dir", "{data}", "--topic-config", "no.such=1"), 1, "no.such"),
    ],
)
def test_what_is_refused(
    arguments: tuple[str, ...], code: int, message: str, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["topics", "explain-retention", "t", *(each.format(data=data) for each in arguments)]
    try:
        found = main(words)
    except SystemExit as end:
        found = end.code  # type: ignore[assignment]
    assert (found, message in capsys.readouterr().err) == (code, True)


def test_a_topic_that_does_not_exist(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    assert main(["topics", "explain-retention", "nope"]) == 1
    assert capsys.readouterr().err == "wirebroker: topic nope does not exist\n"
    assert main(["topics", "explain-retention", TOPIC, "--partition", "7"]) == 1
    assert "t has no partition 7 there" in capsys.readouterr().err
