"""`--command-config` with TLS and SASL: commands of every kind at the four kinds of listener of an Apache Kafka."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from compat_tests.certificates import Certificates, make_certificates, make_pkcs12_stores
from compat_tests.command import attempt, output
from compat_tests.conftest import unique_name, wait_until
from compat_tests.versions import KAFKA
from compat_tests.wire import Wire
from tools.jvm.kafka import KafkaBroker
from tools.jvm.ports import free_ports
from wirebroker.protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsRequest, UserName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tools.jvm.kafka import KafkaDist

USER, PASSWORD = "ann", 'a "b" \\ =,;'
_QUOTED = PASSWORD.replace("\\", "\\\\").replace('"', '\\"')
_MODULES = "org.apache.kafka.common.security"
PLAIN = f'{_MODULES}.plain.PlainLoginModule required username="{USER}" password="{_QUOTED}";'
SCRAM = f'{_MODULES}.scram.ScramLoginModule required username="{USER}" password="scrambled";'
SECURE_LISTENERS = ("SSL", "SASL_PLAINTEXT", "SASL_SSL")


class SecureKafka(KafkaBroker):
    """An Apache Kafka with a listener of each security protocol; SSL demands a certificate of the client."""

    def __init__(self, dist: KafkaDist, directory: Path, certificates: Certificates) -> None:
        super().__init__(dist, directory)
        self.certificates = certificates
        self.ports: dict[str, int] = {}

    def at(self, protocol: str) -> str:
        """The address of a listener."""
        return f"{self.host}:{self.port if protocol == 'PLAINTEXT' else self.ports[protocol]}"

    def own_settings(self) -> dict[str, str]:
        """Those of KafkaBroker, with more listeners."""
        settings = super().own_settings()
        self.ports = dict(zip(SECURE_LISTENERS, free_ports(3), strict=True))
        for name in SECURE_LISTENERS:
            settings["listeners"] += f",{name}://{self.at(name)}"
            settings["listener.security.protocol.map"] += f",{name}:{name}"
        for name in ("sasl_plaintext", "sasl_ssl"):
            prefix = f"listener.name.{name}"
            users = f'{PLAIN.removesuffix(";")} user_{USER}="{_QUOTED}";'
            settings[f"{prefix}.plain.sasl.jaas.config"] = users.replace("\\", "\\\\")
            for mechanism in ("scram-sha-256", "scram-sha-512"):
                settings[f"{prefix}.{mechanism}.sasl.jaas.config"] = f"{_MODULES}.scram.ScramLoginModule required;"
        return settings | {
            "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.certificates.broker),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.certificates.authority),
            "listener.name.ssl.ssl.client.auth": "required",
        }


@pytest.fixture(scope="module")
def kafka(kafka_dist: Callable[[str], KafkaDist], tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureKafka]:
    certificates = make_certificates(tmp_path_factory.mktemp("certificates"))
    with SecureKafka(kafka_dist(KAFKA), tmp_path_factory.mktemp("secure-kafka"), certificates) as broker:
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            user = ("--entity-type", "users", "--entity-name", USER)
            change = f"{mechanism}=[iterations=4096,password=scrambled]"
            output("configs", "alter", *user, "--add-config", change, "-b", broker.bootstrap)
        described = DescribeUserScramCredentialsRequest([UserName(USER)])
        with Wire(broker.host, broker.port) as wire:  # Apache Kafka answers before its broker has heard of them
            wait_until(lambda: len(wire.ask(described, 0).results[0].credential_infos) == 2)
        yield broker


def properties(kafka: SecureKafka, protocol: str, mechanism: str | None = None) -> dict[str, str]:
    """The settings of a client of a listener."""
    found = {"bootstrap.servers": kafka.at(protocol), "security.protocol": protocol}
    if "SSL" in protocol:
        found |= {"ssl.truststore.type": "PEM", "ssl.truststore.location": str(kafka.certificates.authority)}
    if protocol == "SSL":
        found |= {"ssl.keystore.type": "PEM", "ssl.keystore.location": str(kafka.certificates.client)}
    if mechanism is not None:
        found |= {"sasl.mechanism": mechanism, "sasl.jaas.config": PLAIN if mechanism == "PLAIN" else SCRAM}
    return found


def create(topic: str, config: tuple[str, ...]) -> None:
    """Create a topic, and wait until the broker's Metadata has it: Apache Kafka answers CreateTopics before that."""
    output("topics", "create", topic, *config)
    wait_until(lambda: topic in output("topics", "list", *config).decode().split())


def written(path: Path, settings: dict[str, str]) -> str:
    """The path of a client.properties with *settings*."""
    lines = (f"{name}={value}" for name, value in settings.items())
    path.write_text("".join(line.replace("\\", "\\\\") + "\n" for line in lines))
    return str(path)


@pytest.mark.parametrize(
    ("protocol", "mechanism"),
    [
        ("SSL", None),
        ("SASL_PLAINTEXT", "PLAIN"),
        ("SASL_PLAINTEXT", "SCRAM-SHA-256"),
        ("SASL_SSL", "SCRAM-SHA-512"),
    ],
)
def test_commands(kafka: SecureKafka, protocol: str, mechanism: str | None, tmp_path: Path) -> None:
    """Those of our own client, those of confluent-kafka, a script, and Apache Kafka's tool with the same file."""
    file, topic = written(tmp_path / "client.properties", properties(kafka, protocol, mechanism)), unique_name("secure")
    config = ("--command-config", file)
    create(topic, config)
    output("produce", topic, "--value", "kept secret", *config)
    consumed = output("consume", topic, "--from-beginning", "--exit", "--group", topic, *config)
    assert consumed == b"kept secret\n"
    described = json.loads(output("groups", "describe", "--group", topic, "--format", "json", *config))
    assert [each["lag"] for group in described for each in group["partitions"]] == [0]
    where = ("--bootstrap-server", kafka.at(protocol), *config)
    assert topic in output("kafka-topics.sh", "--list", *where).decode().split()
    assert topic in kafka.dist.run("kafka-topics", "--list", *where).stdout.split()


@pytest.mark.parametrize("kind", [None, "PKCS12"])
def test_stores_of_pkcs12(kafka: SecureKafka, kind: str | None, tmp_path: Path) -> None:
    """A client's file with stores of PKCS12 serves commands, those of confluent-kafka, and Apache Kafka's tool."""
    topic, password = unique_name("pkcs12"), "store secret"
    stores = make_pkcs12_stores(kafka.certificates, tmp_path, password)
    settings = {"bootstrap.servers": kafka.at("SSL"), "security.protocol": "SSL"}
    for name, store in (("ssl.truststore", stores.trust_store), ("ssl.keystore", stores.key_store)):
        settings |= {f"{name}.location": str(store), f"{name}.password": password}
        settings |= {} if kind is None else {f"{name}.type": kind}
    config = ("--command-config", written(tmp_path / "client.properties", settings))
    create(topic, config)
    output("produce", topic, "--value", "kept secret", *config)
    assert output("consume", topic, "--from-beginning", "--exit", *config) == b"kept secret\n"
    where = ("--bootstrap-server", kafka.at("SSL"), *config)
    assert topic in kafka.dist.run("kafka-topics", "--list", *where).stdout.split()
    without = written(tmp_path / "other.properties", {k: v for k, v in settings.items() if "keystore" not in k})
    refused = attempt("topics", "list", "--command-config", without)
    assert (refused.returncode, refused.stderr.count(b"\n")) == (1, 1), refused


def test_stores_of_jks_are_refused(kafka: SecureKafka, tmp_path: Path) -> None:
    store = tmp_path / "trust.jks"
    store.write_bytes(b"\xfe\xed\xfe\xed\0\0\0\2\0\0\0\0")
    settings = properties(kafka, "SSL") | {"ssl.truststore.type": "JKS", "ssl.truststore.location": str(store)}
    refused = attempt("topics", "list", "--command-config", written(tmp_path / "client.properties", settings))
    convert = f"keytool -importkeystore -srckeystore {store} -destkeystore {store}.p12 -deststoretype PKCS12"
    assert refused.returncode == 2
    assert refused.stderr.decode().count("\n") == 1
    assert f"make it PKCS12 and name {store}.p12: {convert}" in refused.stderr.decode()


def test_mirror_between_listeners(kafka: SecureKafka, tmp_path: Path) -> None:
    topic = unique_name("secure-mirror")
    source, destination = (
        written(tmp_path / name, {k: v for k, v in properties(kafka, *wanted).items() if k != "bootstrap.servers"})
        for name, wanted in (("from", ("SASL_SSL", "PLAIN")), ("to", ("SSL",)))
    )
    output("produce", topic, "--value", "v", "-b", kafka.bootstrap)
    ends = (
        "--from",
        kafka.at("SASL_SSL"),
        "--from-config",
        source,
        "--to",
        kafka.at("SSL"),
        "--to-config",
        destination,
    )
    where = ("--checkpoint", str(tmp_path / "checkpoint.json"))
    assert b": 1 record, " in output("mirror", *ends, "--topic", topic, "--prefix", "copy.", "--quiet", *where)


@pytest.mark.parametrize("words", [("topics", "list"), ("consume", "t", "--exit")], ids=" ".join)
def test_refusals(kafka: SecureKafka, words: tuple[str, ...], tmp_path: Path) -> None:
    """Each is one line on standard error, and no command waits for its timeout."""
    ssl, sasl = properties(kafka, "SSL"), properties(kafka, "SASL_SSL", "SCRAM-SHA-256")
    plain = properties(kafka, "SASL_PLAINTEXT", "PLAIN")
    other = make_certificates(tmp_path)
    untrusted = {"ssl.truststore.location": str(other.authority)}
    elsewhere = {"bootstrap.servers": kafka.at("SSL").replace("127.0.0.1", "localhost")}
    for settings, says in (
        (ssl | untrusted, "the certificate is not accepted"),
        (ssl | elsewhere, "certificate is not accepted: Hostname mismatch"),
        (ssl | {"bootstrap.servers": kafka.bootstrap}, "is it a listener with SSL or SASL_SSL?"),
        (ssl | {"ssl.keystore.location": str(other.client)}, kafka.at("SSL")),
        (sasl | {"sasl.jaas.config": SCRAM.replace("scrambled", "x")}, "cannot authenticate as ann (SCRAM-SHA-256)"),
        (plain | {"sasl.jaas.config": PLAIN.replace("ann", "bob")}, "cannot authenticate as bob (PLAIN)"),
        (plain | {"bootstrap.servers": kafka.bootstrap}, "the listener has no SASL"),
        (plain | {"bootstrap.servers": kafka.at("SASL_SSL")}, "speaks TLS; set security.protocol to SSL or SASL_SSL"),
    ):
        done = attempt(*words, "--command-config", written(tmp_path / "client.properties", settings))
        error = done.stderr.decode()
        assert (done.returncode, done.stdout, error.count("\n")) == (1, b"", 1), done
        assert says in error
