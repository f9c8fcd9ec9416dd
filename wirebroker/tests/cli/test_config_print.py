"""`wirebroker config print`: every value with its source."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.cli.config_print import rows
from wirebroker.cli.main import main
from wirebroker.config.load import load
from wirebroker.config.registry import BROKER_KEYS
from wirebroker.config.unsupported import HIDDEN

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", {})


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["config", "print", *words]) == 0
    return capsys.readouterr().out


def as_objects(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, dict[str, Any]]:
    return {each["key"]: each for each in json.loads(printed(capsys, "--format", "json", *words))}


def test_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "p"
    path.write_text("log.retention.hours=5\nbackground.threads=20\n")
    monkeypatch.setattr("os.environ", {"KAFKA_NUM_PARTITIONS": "7"})
    lines = printed(capsys, "--config", str(path), "--data-dir", "/d", "--set", "nonsense=1").splitlines()
    found = {line.split()[0]: " ".join(line.split()[1:]) for line in lines}
    assert lines[0].split() == ["KEY", "VALUE", "SOURCE", "NOTE"]
    assert found["log.retention.hours"] == f"5 file {path}:1"
    assert found["background.threads"] == f"20 file {path}:2 no effect: remove it"
    assert found["num.partitions"] == "7 environment KAFKA_NUM_PARTITIONS"
    assert found["log.dirs"] == "/d flag --data-dir"
    assert found["nonsense"] == f"{HIDDEN} flag --set unknown"
    assert found["broker.rack"] == "- default"
    assert found["max.connections.per.ip.overrides"] == '"" default'
    assert found["listeners"] == "PLAINTEXT://127.0.0.1:9092 default Kafka's default: PLAINTEXT://:9092"
    assert "zookeeper.set.acl" not in found  # no effect, and nobody set it


def test_all_keys(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_objects(capsys, "--all")
    assert set(found) == set(BROKER_KEYS)
    assert found["zookeeper.set.acl"]["note"] == "not supported: everybody may write what it stores in ZooKeeper"
    assert found["zookeeper.session.timeout.ms"]["note"] == "with zookeeper.connect only"
    assert found["zookeeper.sync.time.ms"]["note"] == "no effect; not in Kafka since 3.0"
    assert found["port"]["note"] == "not in Kafka since 3.0"
    assert [name for name, each in found.items() if not each["documentation"]] == []


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    each = as_objects(capsys, "--set", "log.segment.bytes=2000")["log.segment.bytes"]
    assert each.pop("documentation")
    assert each == {
        "key": "log.segment.bytes",
        "value": "2000",
        "source": "flag --set",
        "origin": "flag",
        "note": "",
        "type": "int",
        "effect": "full",
        "effective_since": "0.1",
        "dynamic": "cluster-wide",
    }


def test_secrets_stay_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    secret = ["--set", "ssl.key.password=swordfish", "--set", "listener.name.a.plain.sasl.jaas.config=swordfish"]
    shown = printed(capsys, *secret, "--set", "unknown.password=swordfish", "--set", "rsm.config.key=swordfish")
    assert "swordfish" not in shown
    assert shown.count(HIDDEN) == 4


def test_a_key_for_one_listener() -> None:
    config = load(sets=["listener.name.a.max.connections=5"]).config
    assert [row for row in rows(config, everything=False) if row.key.startswith("listener.name")] == [
        ("listener.name.a.max.connections", "5", "flag --set", "no effect: remove it")
    ]


def test_a_wrong_value_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "print", "--set", "num.partitions=0"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "wirebroker: Invalid value 0 for configuration num.partitions: Value must be at least 1 (--set)\n"


def test_settings_that_start_refuses_are_printed_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    found = as_objects(capsys, "--set", "zookeeper.set.acl=true")["zookeeper.set.acl"]
    assert (found["value"], found["effect"], found["effective_since"]) == ("true", "none", None)
    assert found["note"].startswith("refused: everybody may write what it stores in ZooKeeper; ")
    found = as_objects(capsys, "--set", "zookeeper.connect=x:1")["zookeeper.connect"]
    assert (found["effect"], found["note"]) == ("full", "")
    found = as_objects(capsys, "--set", "zookeeper.connect=x:1", "--standalone")["zookeeper.connect"]
    assert found["note"] == "ignored: this broker does not join a cluster on ZooKeeper"


def test_a_misspelt_variable_is_a_line_on_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.environ", {"KAFKA_NUM_PARTITONS": "7"})
    assert main(["config", "print", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)
    assert err == "wirebroker: KAFKA_NUM_PARTITONS is not a setting; did you mean KAFKA_NUM_PARTITIONS?\n"
