"""`wirebroker configs` and `wirebroker quotas`: entities, changes, and the requests that they become."""

from __future__ import annotations

import argparse
import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.cli.configs.changes import ConfigChanges, add_changes, changes_of, parse_settings
from wirebroker.cli.configs.entities import Entities, add_entities, entities_of
from wirebroker.cli.configs.scram import Upsertion, parse_credential
from wirebroker.cli.main import main
from wirebroker.client.connection import UnsupportedApi
from wirebroker.tests.cli.fake_cluster import FakeConnection

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The requests that a command sends."""
    requests: list[Any] = []
    original = FakeConnection.send

    def send(self: FakeConnection, request: Any, highest: int | None = None) -> Any:
        requests.append(request)
        return original(self, request, highest)

    monkeypatch.setattr(FakeConnection, "send", send)
    monkeypatch.setattr("wirebroker.client.admin.Connection", FakeConnection)
    monkeypatch.setattr("os.environ", {})
    return requests


def named(*options: str) -> Entities:
    parser = argparse.ArgumentParser()
    add_entities(parser)
    return entities_of(parser.parse_args(options))


def changed(*options: str) -> ConfigChanges:
    parser = argparse.ArgumentParser()
    add_changes(parser)
    return changes_of(parser.parse_args(options))


@pytest.mark.parametrize(
    ("options", "types", "names"),
    [
        (["--topic", "t"], ["topics"], ["t"]),
        (["--entity-type", "topics", "--entity-name", "t"], ["topics"], ["t"]),
        (["--entity-type", "brokers", "--entity-default"], ["brokers"], [""]),
        (["--broker-defaults"], ["brokers"], [""]),
        (["--user", "u", "--client", "c"], ["clients", "users"], ["c", "u"]),
        (["--user", "u", "--client-defaults"], ["users", "clients"], ["u", ""]),
        (
            ["--entity-type", "users", "--entity-default", "--entity-type", "clients", "--entity-name", "c"],
            ["users", "clients"],
            ["", "c"],
        ),
        (["--entity-type", "users"], ["users"], []),
    ],
)
def test_entities(options: list[str], types: list[str], names: list[str]) -> None:
    entities = named(*options)
    assert (entities.types, entities.names, entities.problem()) == (types, names, None)


def test_settings() -> None:
    assert parse_settings("a=1,b=[x,y], c = z ,d=") == {"a": "1", "b": "x,y", "c": "z", "d": ""}
    assert parse_settings("SCRAM-SHA-256=[iterations=8192,password=p]") == {
        "SCRAM-SHA-256": "iterations=8192,password=p"
    }
    with pytest.raises(ValueError, match="key=val"):
        parse_settings("a=1,b")


def test_changes(tmp_path: Path) -> None:
    file = tmp_path / "f.properties"
    file.write_text("a = 1\nb: x,y\n")
    assert changed("--add-config-file", str(file), "--delete-config", "c,d") == (
        {"a": "1", "b": "x,y"},
        ["c", "d"],
    )
    with pytest.raises(ValueError, match="Only one of"):
        changed("--add-config-file", str(file), "--add-config", "a=1")


def test_credentials() -> None:
    assert parse_credential("SCRAM-SHA-256", "password=p,q") == Upsertion("SCRAM-SHA-256", 4096, "p,q")
    assert parse_credential("SCRAM-SHA-512", "iterations=8192,password=") == Upsertion("SCRAM-SHA-512", 8192, "")
    with pytest.raises(ValueError, match="less than the minimum 4096"):
        parse_credential("SCRAM-SHA-256", "iterations=1,password=p")


def test_a_password_is_hashed_before_it_is_sent(sent: list[Any]) -> None:
    assert main(["configs", "alter", "--user", "u", "--add-config", "SCRAM-SHA-512=[password=secret]"]) == 0
    (upsertion,) = sent[-1].upsertions
    assert (upsertion.name, upsertion.mechanism, upsertion.iterations, len(upsertion.salt)) == ("u", 2, 4096, 32)
    assert upsertion.salted_password == hashlib.pbkdf2_hmac("sha512", b"secret", upsertion.salt, 4096)


def test_altered_settings(sent: list[Any]) -> None:
    words = ["--add-config", "cleanup.policy=[compact,delete]", "--delete-config", "retention.ms"]
    assert main(["configs", "alter", "--topic", "t", *words]) == 0
    (resource,) = sent[-1].resources
    assert (resource.resource_type, resource.resource_name) == (2, "t")
    assert [(each.name, each.config_operation, each.value) for each in resource.configs] == [
        ("cleanup.policy", 0, "compact,delete"),
        ("retention.ms", 1, None),
    ]


def test_brokers_that_replace_all_settings_at_once(sent: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from wirebroker.protocol.messages import alter_configs

    original = FakeConnection.send

    def send(self: FakeConnection, request: Any, highest: int | None = None) -> Any:
        if type(request).__name__ == "IncrementalAlterConfigsRequest":
            raise UnsupportedApi("no")
        if type(request).__name__ == "AlterConfigsRequest":
            sent.append(request)
            return alter_configs.AlterConfigsResponse()
        return original(self, request, highest)

    monkeypatch.setattr(FakeConnection, "send", send)
    assert main(["configs", "alter", "--topic", "t", "--add-config", "segment.ms=7"]) == 0
    (resource,) = sent[-1].resources
    assert [(each.name, each.value) for each in resource.configs] == [("retention.ms", "99"), ("segment.ms", "7")]


def test_altered_quotas(sent: list[Any]) -> None:
    words = ["--add-config", "consumer_byte_rate=5", "--delete-config", "producer_byte_rate"]
    assert main(["configs", "alter", "--user", "u", "--client-defaults", *words]) == 0
    (entry,) = sent[-1].entries
    assert [(part.entity_type, part.entity_name) for part in entry.entity] == [("user", "u"), ("client-id", None)]
    assert [(op.key, op.value, op.remove) for op in entry.ops] == [
        ("consumer_byte_rate", 5.0, False),
        ("producer_byte_rate", 0.0, True),
    ]


@pytest.mark.parametrize(
    ("options", "components"),
    [
        ([], []),
        (["--user", "u"], [("user", 0, "u")]),
        (["--user-defaults", "--client", "c"], [("user", 1, None), ("client-id", 0, "c")]),
    ],
)
def test_described_quotas(
    options: list[str],
    components: list[tuple[str, int, str | None]],
    sent: list[Any],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["quotas", "describe", *options, "--format", "json"]) == 0
    assert [(each.entity_type, each.match_type, each.match) for each in sent[-1].components] == components
    (quota,) = json.loads(capsys.readouterr().out)
    assert quota == {
        "user": "u",
        "client_id": "<default>",
        "ip": None,
        "quota": "producer_byte_rate",
        "value": 1024.0,
    }


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        (["--entity-type", "topics"], ["topics\tt\tretention.ms\t99"]),
        (["--topic", "t", "--all"], ["topics\tt\tmin.insync.replicas\t2", "topics\tt\tretention.ms\t99"]),
        (["--broker-logger", "0"], ["broker-loggers\t0\tmin.insync.replicas", "broker-loggers\t0\tretention.ms"]),
        (["--entity-type", "client-metrics"], []),
        (["--entity-type", "brokers"], []),
        (["--entity-type", "groups"], []),
        (
            ["--entity-type", "users"],
            ["users\tu\tproducer_byte_rate\t1024.0", "users\tu\tSCRAM-SHA-256\titerations=4096"],
        ),
        (["--user", "u", "--client-defaults"], ["users,clients\tu,<default>\tproducer_byte_rate\t1024.0"]),
    ],
)
@pytest.mark.usefixtures("sent")
def test_described_settings(options: list[str], rows: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["configs", "describe", *options, "--format", "text"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(rows)
    assert all(line.startswith(row) for line, row in zip(lines, rows, strict=True))
