"""Settings that are not obeyed: refusals of the start, waivers, and the lines for the operator."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.config.load import load
from wirebroker.config.registry import BROKER_KEYS, PLUGIN_KEYS
from wirebroker.config.unsupported import FindingKind, UnsupportedSettings, dynamic_refusal, findings
from wirebroker.config.values import ConfigError, render_value
from wirebroker.config.waivers import Waivers

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.config.unsupported import Finding

EVERYTHING = Waivers(standalone=True, ignored=("*",))

REFUSED = {
    "alter.config.policy.class.name": "org.example.Policy",
    "allow.everyone.if.no.acl.found": "true",
    "authorizer.class.name": "kafka.security.authorizer.AclAuthorizer",
    "client.quota.callback.class": "org.example.Quotas",
    "connections.max.reauth.ms": "3600000",
    "controller.quorum.bootstrap.servers": "a:9093,b:9093",
    "controller.quorum.voters": "1@a:9093,2@b:9093,3@c:9093",
    "create.topic.policy.class.name": "org.example.Policy",
    "delegation.token.master.key": "secret",
    "delegation.token.secret.key": "secret",
    "listener.name.a.plain.sasl.jaas.config": "secret",
    "listener.name.a.ssl.client.auth": "required",
    "principal.builder.class": "org.example.Builder",
    "process.roles": "broker",
    "remote.log.storage.system.enable": "true",
    "sasl.enabled.mechanisms": "PLAIN",
    "sasl.mechanism.inter.broker.protocol": "PLAIN",
    "security.inter.broker.protocol": "SASL_SSL",
    "security.providers": "org.example.Provider",
    "ssl.client.auth": "required",
    "ssl.keystore.location": "/k",
    "super.users": "User:admin",
    "zookeeper.metadata.migration.enable": "true",
    "zookeeper.set.acl": "true",
    "zookeeper.ssl.client.enable": "true",
}
"""One key of each kind that operators rely on, with a value that asks for something."""


def found(*sets: str, waivers: Waivers = EVERYTHING) -> list[Finding]:
    return findings(load(sets=sets, waivers=waivers).config)


@pytest.mark.parametrize(("name", "value"), REFUSED.items())
def test_an_unsupported_key_refuses_the_start(name: str, value: str) -> None:
    with pytest.raises(UnsupportedSettings) as refusal:
        load(sets=[f"{name}={value}"])
    (finding,) = refusal.value.findings
    assert (finding.kind, finding.name, finding.place) == (FindingKind.REFUSED, name, "--set")
    assert "\n" not in str(finding)
    flag = finding.remedy.partition("start with ")[2].removesuffix(" to accept that")
    assert flag in ("--standalone", f"--ignore-unsupported {name}")
    waivers = Waivers(standalone=True) if flag == "--standalone" else Waivers(ignored=(name,))
    (ignored,) = found(f"{name}={value}", waivers=waivers)
    assert (ignored.kind, ignored.consequence) == (FindingKind.IGNORED, finding.consequence)


def test_the_line_of_a_file_the_variable_and_the_flag_are_named(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_text("broker.id=1\nauthorizer.class.name=a.B\n")
    with pytest.raises(UnsupportedSettings) as refusal:
        load(config_file=str(path), environ={"KAFKA_SUPER_USERS": "User:a"}, sets=["ssl.keystore.password=swordfish"])
    assert [str(finding).partition(";")[0] for finding in refusal.value.findings] == [
        f"authorizer.class.name=a.B ({path}:2) is not supported: every client may read, write and delete everything",
        "ssl.keystore.password=[hidden] (--set) is not supported: connections are not encrypted and no client has to "
        "show a certificate",
        "super.users=User:a (KAFKA_SUPER_USERS) is not supported: there are no ACLs, and every client may read, write "
        "and delete everything",
    ]
    assert "swordfish" not in str(refusal.value)


def test_every_protective_section_is_covered() -> None:
    """A key of these sections either refuses the start or is named here with the reason why it need not."""
    harmless = {
        # nothing is protected by them: there are no tokens, no passwords in ZooKeeper, no authorizer to wait for
        "delegation.token.expiry.check.interval.ms",
        "delegation.token.expiry.time.ms",
        "delegation.token.max.lifetime.ms",
        "early.start.listeners",
        # how a login is renewed: nothing logs in without the keys that refuse the start
        "sasl.kerberos.kinit.cmd",
        "sasl.kerberos.min.time.before.relogin",
        "sasl.kerberos.ticket.renew.jitter",
        "sasl.kerberos.ticket.renew.window.factor",
        "sasl.login.connect.timeout.ms",
        "sasl.login.read.timeout.ms",
        "sasl.login.refresh.buffer.seconds",
        "sasl.login.refresh.min.period.seconds",
        "sasl.login.refresh.window.factor",
        "sasl.login.refresh.window.jitter",
        "sasl.login.retry.backoff.max.ms",
        "sasl.login.retry.backoff.ms",
    }
    protective = [
        name
        for name in (*BROKER_KEYS, *PLUGIN_KEYS)
        if name.startswith(("ssl.", "sasl.", "delegation.", "authorizer.", "super.", "security.", "principal."))
        or name.endswith("policy.class.name")
    ]
    assert len(protective) > 80
    declared = BROKER_KEYS | PLUGIN_KEYS
    assert [name for name in protective if declared[name].effect.refusal is None and name not in harmless] == []


@pytest.mark.parametrize("name", [name for name, key in BROKER_KEYS.items() if key.effect.refusal is not None])
def test_a_harmless_value_is_no_finding(name: str) -> None:
    default = BROKER_KEYS[name].default
    given = [] if default is None else [f"{name}={render_value(default)}"]
    assert found(*given, waivers=Waivers()) == []


@pytest.mark.parametrize(
    "setting",
    [
        "authorizer.class.name=",
        "super.users=",
        "allow.everyone.if.no.acl.found=false",
        "ssl.endpoint.identification.algorithm=",
        "ssl.client.auth=none",
        "process.roles=broker,controller",
        "process.roles=controller,broker",
        "zookeeper.connect=",
        "zookeeper.set.acl=false",
    ],
)
def test_harmless_settings_do_not_refuse_the_start(setting: str) -> None:
    assert found(setting, waivers=Waivers()) == []


QUORUM = ["node.id=1", "process.roles=broker,controller", "listeners=PLAINTEXT://:9092,CONTROLLER://:9093"]


@pytest.mark.parametrize(
    ("setting", "refused"),
    [
        ("controller.quorum.voters=1@localhost:9093", False),
        ("controller.quorum.voters=2@localhost:9093", True),
        ("controller.quorum.voters=1@localhost:9093,2@b:9093", True),
        ("controller.quorum.bootstrap.servers=localhost:9093", False),
        ("controller.quorum.bootstrap.servers=localhost:9099", True),
        ("controller.quorum.bootstrap.servers=localhost:9093,b:9093", True),
    ],
)
def test_a_quorum_of_this_process_only_is_no_finding(setting: str, refused: bool) -> None:
    given = found(*QUORUM, "controller.listener.names=CONTROLLER", setting)
    assert [each.kind for each in given if each.name.startswith("controller.quorum")] == [FindingKind.IGNORED] * refused


def test_a_weaker_setting_that_is_overridden_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_text("authorizer.class.name=a.B\n")
    assert load(config_file=str(path), sets=["authorizer.class.name="]).warnings == ()


def test_standalone_is_for_clusters_only() -> None:
    with pytest.raises(UnsupportedSettings, match=r"^authorizer\.class\.name"):
        load(sets=["zookeeper.connect=a:1", "authorizer.class.name=a.B"], waivers=Waivers(standalone=True))
    assert (
        found("zookeeper.connect=a:1", waivers=Waivers(ignored=("zookeeper.connect",)))[0].kind is FindingKind.IGNORED
    )


def test_zookeeper_connect_joins_a_cluster_unless_that_is_waived() -> None:
    setting = "zookeeper.connect=a:1"
    settings = (
        "controlled.shutdown.max.retries=5",
        "offsets.topic.replication.factor=3",
        "min.insync.replicas=2",
        "transaction.state.log.min.isr=2",
    )
    assert found(setting, *settings, waivers=Waivers()) == []
    assert load(sets=[setting]).config.in_cluster
    for waivers in (Waivers(standalone=True), Waivers(ignored=("zookeeper.connect",))):
        assert [each.kind for each in found(setting, waivers=waivers)] == [FindingKind.IGNORED]
        assert not load(sets=[setting], waivers=waivers).config.in_cluster
    assert [each.kind for each in found("controlled.shutdown.max.retries=5")] == [FindingKind.NO_EFFECT]


def test_a_star_waives_many_keys() -> None:
    waivers = Waivers(ignored=("ssl.*",))
    assert [each.kind for each in found("ssl.client.auth=required", "ssl.keystore.type=PEM", waivers=waivers)] == [
        FindingKind.IGNORED,
        FindingKind.IGNORED,
    ]
    with pytest.raises(UnsupportedSettings):
        load(sets=["listener.name.a.ssl.client.auth=required"], waivers=waivers)


def test_a_misspelt_waiver_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"authoriser.class.name: there is no such key; did you mean authorizer\.class"
    ):
        load(waivers=Waivers(ignored=("authoriser.class.name",)))


def test_a_listener_that_is_not_served_can_be_left_closed() -> None:
    given = [
        "listeners=PLAINTEXT://:1,SSL://:2",
        "advertised.listeners=PLAINTEXT://a:1,SSL://a:2",
        "inter.broker.listener.name=SSL",
    ]
    with pytest.raises(UnsupportedSettings, match="listener SSL needs SSL"):
        load(sets=given)
    config, warnings = load(sets=given, waivers=Waivers(ignored=("listeners",)))
    assert [each.name for each in config.listeners] == ["PLAINTEXT"]
    assert (config.advertised, config.inter_broker_listener) == ({"PLAINTEXT": ("a", 1)}, "PLAINTEXT")
    assert "SSL://:2 is not opened" in " ".join(warnings)
    with pytest.raises(ConfigError, match="no listener is left for clients"):
        load(sets=["listeners=SSL://:2"], waivers=Waivers(ignored=("listeners",)))


@pytest.mark.parametrize(
    ("setting", "line"),
    [
        ("num.io.threads=4", "num.io.threads=4 (--set) has no effect; remove it"),
        ("listener.name.a.max.connections=5", "listener.name.a.max.connections=5 (--set) has no effect; remove it"),
        ("rsm.config.x=y", "rsm.config.x=[hidden] (--set) has no effect: there is no tiered storage; remove it"),
        (
            "log.segment.byte=2",
            "log.segment.byte (--set) is not a setting of a broker and is ignored; did you mean log.segment.bytes?",
        ),
        ("zzz=secret", "zzz (--set) is not a setting of a broker and is ignored"),
        (
            "retention.ms=2",
            "retention.ms (--set) is not a setting of a broker and is ignored; the default of this topic setting is "
            "log.retention.ms",
        ),
        (
            "controller.listener.names=C",
            "controller.listener.names=C (--set) has only a part of its effect: these listeners are not opened, since "
            "no other process talks to the controller",
        ),
    ],
)
def test_a_warning_for_each_key_without_its_effect(setting: str, line: str) -> None:
    assert load(sets=[setting]).warnings == (line,)


@pytest.mark.parametrize(
    ("complete", "partial"),
    [
        ("min.insync.replicas=1", "min.insync.replicas=2"),
        ("offsets.topic.replication.factor=1", "offsets.topic.replication.factor=3"),
        ("transaction.state.log.min.isr=1", "transaction.state.log.min.isr=2"),
    ],
)
def test_a_partial_effect_is_reported_for_affected_values(complete: str, partial: str) -> None:
    assert found(complete) == []
    assert [each.kind for each in found(partial)] == [FindingKind.PARTIAL]


def test_a_misspelt_variable_is_a_warning() -> None:
    (warning,) = load(environ={"KAFKA_NUM_PARTITONS": "7", "KAFKA_HEAP_OPTS": "-Xmx1g"}).warnings
    assert warning == (
        "KAFKA_NUM_PARTITONS (environment) is not a setting of a broker and is ignored; "
        "did you mean KAFKA_NUM_PARTITIONS?"
    )


def test_a_running_broker_refuses_the_same_keys() -> None:
    no_waivers = Waivers()
    assert dynamic_refusal("principal.builder.class", "a.B", no_waivers) == (
        "principal.builder.class is not supported: every client is User:ANONYMOUS"
    )
    assert dynamic_refusal("listener.name.a.ssl.keystore.location", "/k", no_waivers) is not None
    assert dynamic_refusal("listener.name.a.ssl.client.auth", "none", no_waivers) is None
    assert dynamic_refusal("log.retention.ms", "5", no_waivers) is None
    assert dynamic_refusal("no.such", "5", no_waivers) is None
    assert dynamic_refusal("sasl.enabled.mechanisms", "x", no_waivers) is not None
    assert dynamic_refusal("sasl.jaas.config", "x", no_waivers) is not None
    assert dynamic_refusal("principal.builder.class", "a.B", Waivers(ignored=("principal.*",))) is None
