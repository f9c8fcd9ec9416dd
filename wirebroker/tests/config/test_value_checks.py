"""Checks of values that depend on others, at the start, and texts that are no UTF-8."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.config.load import load
from wirebroker.config.unsupported import UnsupportedSettings
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

_CLUSTER = "zookeeper.connect=z:2181"


@pytest.mark.parametrize(
    ("sets", "reason"),
    [
        (["log.retention.ms=0"], "log.retention.ms=0: it must be -1 (unlimited), or 1 or more (--set)"),
        (["log.retention.minutes=0"], "log.retention.minutes=0: it must be -1 (unlimited), or 1 or more (--set)"),
        (["log.retention.hours=0"], "log.retention.hours=0: it must be -1 (unlimited), or 1 or more (--set)"),
        (["log.roll.ms=-1"], "log.roll.ms=-1: it must be 1 or more (--set)"),
        (["log.roll.jitter.ms=-1"], "log.roll.jitter.ms=-1: it must be 0 or more (--set)"),
        (["node.id=-5"], "node.id=-5: it must be 0 or more (--set)"),
        (["broker.id=-2"], "node.id=-2: it must be 0 or more (--set)"),
        (["log.dirs="], "log.dirs=: at least one directory is needed (--set)"),
        (["port=99999"], "port=PLAINTEXT://:99999: port 99999 is out of range 0 to 65535 (--set)"),
        (
            ["max.connections.per.ip=0"],
            "max.connections.per.ip=0: it can be 0 only if max.connections.per.ip.overrides is set (--set)",
        ),
        (
            [_CLUSTER, "listeners=A://h:1", "listener.security.protocol.map=A:PLAINTEXT"],
            "listeners=A://h:1: no listener is called PLAINTEXT, so inter.broker.listener.name has to say which one "
            "the brokers use (--set)",
        ),
        (
            [_CLUSTER, "listeners=PLAINTEXT://0.0.0.0:1"],
            "listeners=PLAINTEXT://0.0.0.0:1: other machines cannot connect to 0.0.0.0; name an address for PLAINTEXT "
            "in advertised.listeners (--set)",
        ),
        (
            [_CLUSTER, "inter.broker.listener.name=PLAINTEXT", "security.inter.broker.protocol=PLAINTEXT"],
            "inter.broker.listener.name=PLAINTEXT: only one of it and security.inter.broker.protocol can be set "
            "(--set)",
        ),
        (
            [
                _CLUSTER,
                "listeners=PLAINTEXT://h:1,B://h:2",
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,B:PLAINTEXT",
                "advertised.listeners=B://h:2",
            ],
            "advertised.listeners=B://h:2: it has to name PLAINTEXT, the listener of other brokers (--set)",
        ),
    ],
)
def test_refused(sets: list[str], reason: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        load(sets=sets)
    assert str(refusal.value) == reason


@pytest.mark.parametrize(
    "sets",
    [
        ["log.retention.ms=-1"],
        ["log.retention.minutes=-7"],
        ["broker.id=-1"],
        ["listeners=PLAINTEXT://0.0.0.0:1"],
        [_CLUSTER, "listeners=PLAINTEXT://0.0.0.0:1", "advertised.listeners=PLAINTEXT://h:1"],
        ["max.connections.per.ip=0", "max.connections.per.ip.overrides=127.0.0.1:5"],
    ],
)
def test_accepted(sets: list[str]) -> None:
    assert load(sets=sets).warnings == ()


def test_a_cluster_is_told_of_advertised_listeners_only() -> None:
    listeners = ["listeners=PLAINTEXT://h:1,B://h:2", "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,B:PLAINTEXT"]
    config = load(sets=[_CLUSTER, *listeners, "advertised.listeners=PLAINTEXT://elsewhere:1"]).config
    assert [config.is_advertised(each.name) for each in config.listeners] == [True, False]
    assert all(load(sets=[_CLUSTER, *listeners]).config.is_advertised(each) for each in ("PLAINTEXT", "B"))


def test_a_refused_key_comes_before_the_contradiction_that_it_makes(tmp_path: Path) -> None:
    file = tmp_path / "controller.properties"
    file.write_text(
        "process.roles=controller\nlisteners=CONTROLLER://:9093\ncontroller.listener.names=CONTROLLER\n"
        "authorizer.class.name=a.B\n"
    )
    with pytest.raises(UnsupportedSettings) as refusal:
        load(config_file=str(file))
    assert [(each.name, each.place) for each in refusal.value.findings] == [
        ("authorizer.class.name", f"{file}:4"),
        ("process.roles", f"{file}:1"),
    ]


@pytest.mark.parametrize(
    ("content", "rack"),
    [
        (b"broker.rack=\\ud83d\\ude00", "\U0001f600"),
        (b"broker.rack=\\ud83d", "\ufffd"),
        (b"broker.rack=caf\xe9", "caf\u00e9"),
        ("broker.rack=caf\u00e9".encode(), "caf\u00e9"),
    ],
)
def test_values_of_a_file_can_be_sent(tmp_path: Path, content: bytes, rack: str) -> None:
    """Files are UTF-8, or ISO-8859-1 as Java reads them; two escapes may make one character."""
    file = tmp_path / "server.properties"
    file.write_bytes(content)
    assert load(config_file=str(file)).config.broker_rack == rack


def test_values_of_flags_and_variables_can_be_sent() -> None:
    raw = b"caf\xe9".decode(errors="surrogateescape")
    assert load(sets=[f"broker.rack={raw}"]).config.broker_rack == "caf\u00e9"
    config = load(environ={"KAFKA_BROKER_RACK": raw, "KAFKA_LOG_DIRS": f"/{raw}"}).config
    assert (config.broker_rack, config.log_dirs) == ("caf\u00e9", (f"/{raw}",))


@pytest.mark.parametrize(
    ("sets", "warnings"),
    [
        (
            ["listeners=PLAINTEXT://:1", "port=2", "host.name=h"],
            [
                "host.name=h (--set) has no effect: listeners is set; remove one of them",
                "port=2 (--set) has no effect: listeners is set; remove one of them",
            ],
        ),
        (["port=2", "host.name=127.0.0.1"], []),
        (
            ["log.dirs=/a", "log.dir=/b"],
            ["log.dir=/b (--set) has no effect: log.dirs is set; remove one of them"],
        ),
        (
            ["log.retention.minutes=5", "log.retention.hours=6"],
            ["log.retention.hours=6 (--set) has no effect: log.retention.minutes is set; remove one of them"],
        ),
        (
            ["log.message.format.version=0.9.0"],
            [
                "log.message.format.version=0.9.0 (--set) has no effect: inter.broker.protocol.version is 3.0 or "
                "later; remove it"
            ],
        ),
        ([_CLUSTER, "inter.broker.protocol.version=2.8", "log.message.format.version=0.9.0"], []),
    ],
)
def test_settings_that_others_override_are_told(sets: list[str], warnings: list[str]) -> None:
    assert list(load(sets=sets).warnings) == warnings
