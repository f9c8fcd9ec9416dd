"""confluent-kafka for the commands that move records: its import, its configuration, and its errors as one line.

The library is the extra `client`.  Configurations may be Java's (`client.properties`): names and values that librdkafka
spells differently are translated, those that it does not have are refused, and serializers are ignored.
"""

from __future__ import annotations

import logging
import re
import socket
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_bootstrap_server, positive
from wirebroker.cli.output import print_error
from wirebroker.client.connection import ClientError, parse_addresses
from wirebroker.config.settings import from_file
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping

INSTALL: Final = "pip install 'wirebroker[client]'"
CODECS: Final = ("none", "gzip", "snappy", "lz4", "zstd")
CLIENT_ID: Final = "wirebroker-cli"
_DEFAULT_TIMEOUT_MS: Final = 5000
_CREATION_ATTEMPTS: Final = 20
_CREATION_POLL_S: Final = 0.1
_IGNORED: Final = frozenset(
    {
        "key.serializer",
        "value.serializer",
        "key.deserializer",
        "value.deserializer",
        "max.block.ms",
        "max.poll.records",
        "partitioner.class",
        "metric.reporters",
        "auto.include.jmx.reporter",
    }
)
"""Settings of the Java client without a counterpart in librdkafka that change nothing about the records."""
_RENAMED: Final = {
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "max.request.size": "message.max.bytes",
    "send.buffer.bytes": "socket.send.buffer.bytes",
    "receive.buffer.bytes": "socket.receive.buffer.bytes",
    "metadata.max.age.ms": "topic.metadata.refresh.interval.ms",
    "ssl.truststore.location": "ssl.ca.location",
}
_DEFAULT_BUFFERS: Final = {"socket.send.buffer.bytes": "-1", "socket.receive.buffer.bytes": "-1"}
"""Values that mean "leave it to the system" for Java, as 0 does for librdkafka."""
_JAAS: Final = re.compile(r'\b(username|password)\s*=\s*"((?:[^"\\]|\\.)*)"')
_ASSIGNORS: Final = {
    "RangeAssignor": "range",
    "RoundRobinAssignor": "roundrobin",
    "CooperativeStickyAssignor": "cooperative-sticky",
}


def library() -> Any:
    """Return the module confluent_kafka.

    Raises:
        ClientError: it is not installed.
    """
    try:
        import confluent_kafka
    except ImportError:
        raise ClientError(f"this command needs confluent-kafka: {INSTALL}") from None
    return confluent_kafka


def add_client(parser: argparse.ArgumentParser) -> None:
    """Add `--bootstrap-server`, `--command-config`, `-X` and `--timeout`."""
    add_bootstrap_server(parser)
    parser.add_argument("--command-config", metavar="FILE", help="a client.properties, as Java clients read it")
    parser.add_argument(
        "-X",
        "--property",
        dest="properties",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="set any property of librdkafka or of the Java client; repeatable",
    )
    parser.add_argument(
        "--timeout",
        type=positive,
        default=_DEFAULT_TIMEOUT_MS,
        metavar="MS",
        help=f"how long to wait for a first answer of the cluster (default: {_DEFAULT_TIMEOUT_MS})",
    )


def settings(args: argparse.Namespace, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return librdkafka's configuration: *defaults*, which the file and the properties of *args* override.

    Raises:
        UsageError: a property cannot be read or translated.
    """
    quiet = logging.getLogger("wirebroker.librdkafka")
    quiet.addHandler(logging.NullHandler())
    quiet.propagate = False
    base: dict[str, Any] = {"client.id": CLIENT_ID, "logger": quiet, **defaults}
    return base | translated(_given(args)) | {"bootstrap.servers": args.bootstrap_server}


def _given(args: argparse.Namespace) -> Iterable[tuple[str, str]]:
    """The properties of the file, then those of the command line."""
    if args.command_config is not None:
        try:
            entries = from_file(args.command_config)
        except ConfigError as problem:
            raise UsageError(str(problem)) from None
        for entry in entries:
            yield entry.name, entry.text
    for given in args.properties:
        name, is_set, value = given.partition("=")
        if not name or not is_set:
            raise UsageError(f"{given!r} is not KEY=VALUE")
        yield name.strip(), value.strip()


def translated(given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return *given* in librdkafka's names and values.

    Raises:
        UsageError: a value has no counterpart.
    """
    found: dict[str, str] = {}
    for name, value in given:
        if name in _IGNORED or name == "bootstrap.servers":
            continue
        if name == "sasl.jaas.config":
            found |= {f"sasl.{each}": text.replace("\\", "") for each, text in _JAAS.findall(value)}
        elif name == "buffer.memory":
            found["queue.buffering.max.kbytes"] = str(max(1, _number(name, value) // 1024))
        elif name == "partition.assignment.strategy":
            words = [each.strip().rpartition(".")[2] for each in value.split(",")]
            found[name] = ",".join(_ASSIGNORS.get(word, word) for word in words)
        elif name in ("ssl.truststore.type", "ssl.keystore.type"):
            if value.upper() == "JKS":
                raise UsageError(f"{name}=JKS: confluent-kafka reads PEM and PKCS12, not Java key stores")
        elif name == "ssl.endpoint.identification.algorithm" and not value:
            found[name] = "none"
        else:
            name = _RENAMED.get(name, name)
            found[name] = "0" if _DEFAULT_BUFFERS.get(name) == value else value
    return found


def _number(name: str, value: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise UsageError(f"{name}: {value!r} is not a whole number") from None


def run_client(args: argparse.Namespace, work: Callable[[], int]) -> int:
    """Check that a broker listens, call *work* and return its exit code; print an error in one line and return 1."""
    try:
        kafka = library()
        reach(args.bootstrap_server, args.timeout / 1000)
        try:
            return work()
        except kafka.KafkaException as problem:
            raise ClientError(error_text(problem.args[0])) from None
    except ClientError as problem:
        print_error(str(problem))
        return 1


def reach(bootstrap: str, timeout_s: float) -> None:
    """Connect to one address of *bootstrap* and close the connection: librdkafka would go on trying without a word.

    Raises:
        ClientError: nothing listens at any of them.
    """
    problems: list[str] = []
    for address in parse_addresses(bootstrap):
        try:
            socket.create_connection(address, timeout=timeout_s).close()
            return
        except TimeoutError:
            reason = f" within {timeout_s:g} s"
        except UnicodeError:
            reason = f": {address.host!r} is no host name"
        except OSError as fault:
            reason = f": {fault.strerror or fault}"
        problems.append(f"cannot reach a broker at {address}{reason}")
    raise ClientError("; ".join(problems))


def error_text(error: Any) -> str:
    """Return an error of librdkafka in words."""
    text = error.str() if hasattr(error, "str") else str(error)
    return text.removeprefix("Broker: ").removeprefix("Local: ")


def create(kind: str, configuration: Mapping[str, Any]) -> Any:
    """Return a Producer or a Consumer (*kind*) of *configuration*.

    Raises:
        UsageError: librdkafka refuses a property.
    """
    kafka = library()
    try:
        return getattr(kafka, kind)(dict(configuration))
    except kafka.KafkaException as refused:
        raise UsageError(error_text(refused.args[0])) from None


def await_partitions(producer: Any, topic: str, timeout_s: float) -> list[int]:
    """Return the partitions of *topic*, sorted; a broker that creates topics on first use is given a moment to do so.

    Raises:
        ClientError: there is no such topic.
        KafkaException: the cluster does not answer.
    """
    for left in reversed(range(_CREATION_ATTEMPTS)):
        try:
            return partitions_of(producer, topic, timeout_s)
        except ClientError:
            if not left:
                raise
            producer.poll(_CREATION_POLL_S)
    raise AssertionError("there is a last attempt")


def partitions_of(client: Any, topic: str, timeout_s: float) -> list[int]:
    """Return the partitions of *topic*, sorted; a producer asks the cluster to create a topic that does not exist.

    Raises:
        ClientError: there is no such topic.
        KafkaException: the cluster does not answer.
    """
    found = client.list_topics(topic, timeout=timeout_s).topics[topic]
    if found.error is not None:
        if found.error.name() == "UNKNOWN_TOPIC_OR_PART":
            raise ClientError(f"topic {topic} does not exist")
        raise ClientError(f"topic {topic}: {error_text(found.error)}")
    return sorted(found.partitions)
