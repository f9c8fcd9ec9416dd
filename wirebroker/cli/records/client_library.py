"""confluent-kafka for the commands that move records: its import, its configuration, and its errors as one line.

The library is the extra `client`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.connection import add_bootstrap_server, positive
from wirebroker.cli.interrupt import raise_lost
from wirebroker.cli.records.confluent_kafka_import import import_confluent_kafka
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.connection import ClientError, Connection, open_socket, parse_addresses
from wirebroker.client.security import PLAINTEXT
from wirebroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic

if TYPE_CHECKING:
    import argparse
    import socket
    from collections.abc import Callable, Mapping

    from wirebroker.client.connection import Address
    from wirebroker.client.security import Security

INSTALL: Final = "pip install 'wirebroker[client]'"
CODECS: Final = ("none", "gzip", "snappy", "lz4", "zstd")
CLIENT_ID: Final = "wirebroker-cli"
_DEFAULT_TIMEOUT_MS: Final = 5000
_CREATION_ATTEMPTS: Final = 20
_CREATION_POLL_S: Final = 0.1


def library() -> Any:
    """Return the module confluent_kafka.

    Raises:
        ClientError: it is not installed.
    """
    try:
        return import_confluent_kafka()
    except ImportError:
        raise ClientError(f"this command needs confluent-kafka: {INSTALL}") from None


def add_client(parser: argparse.ArgumentParser) -> None:
    """Add `--bootstrap-server`, `--command-config`, `-X` and `--timeout`."""
    add_bootstrap_server(parser)
    parser.add_argument("--command-config", metavar="FILE", help="a client.properties, as Java clients read it")
    parser.set_defaults(prepare=prepare_client)
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


def prepare_client(args: argparse.Namespace) -> None:
    """Set `args.librdkafka`, `args.security` and the address by the file and the properties of *args*.

    Properties override the file; what has no effect is named on standard error.

    Raises:
        UsageError: a property cannot be read or translated.
    """
    if args.command_config is None and not args.properties:
        args.librdkafka, args.security = {}, PLAINTEXT
        return
    # half of the time to start that is our own, for those who ask for it
    from wirebroker.cli.client_config import read_client_properties, set_bootstrap_server, warn_without_effect
    from wirebroker.cli.records.librdkafka_config import translated

    path, given = args.command_config, {}
    if path is not None:
        given = read_client_properties(path)
    for each in args.properties:
        name, is_set, value = each.partition("=")
        if not name or not is_set:
            raise UsageError(f"{each!r} is not KEY=VALUE")
        given[name.strip()] = value.strip()
    place = path or "--property"
    set_bootstrap_server(args, place, given)
    try:
        found = translated(given)
    except UsageError as problem:
        raise UsageError(f"{path}: {problem}" if path else str(problem)) from None
    warn_without_effect(place, found.without_effect)
    args.librdkafka, args.security = found.settings, found.security


def settings(args: argparse.Namespace, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return librdkafka's configuration: *defaults*, which the file and the properties of *args* override.

    Its log goes nowhere, for errors are printed by the command, unless the property `debug` asks for it.
    """
    base: dict[str, Any] = {"client.id": CLIENT_ID, "log_level": 0, **defaults}
    base |= args.librdkafka
    return base | {"bootstrap.servers": args.bootstrap_server}


def run_client(args: argparse.Namespace, work: Callable[[], int]) -> int:
    """Check that a broker listens, call *work* and return its exit code; print an error in one line and return 1."""
    try:
        kafka = library()
        reach(args.bootstrap_server, args.timeout / 1000, args.security)
        try:
            return work()
        except kafka.KafkaException as problem:
            raise ClientError(error_text(problem.args[0])) from None
    except ClientError as problem:
        print_error(str(problem))
        return 1


def reach(bootstrap: str, timeout_s: float, security: Security | None = PLAINTEXT) -> None:
    """Connect to one address of *bootstrap* and close the connection: librdkafka would go on trying without a word.

    With TLS or SASL of *security* the client authenticates, too.

    Raises:
        ClientError: no broker listens at any of them, or accepts this client.
    """
    problems: list[str] = []
    for address in parse_addresses(bootstrap):
        try:
            _open(address, timeout_s, security).close()
            return
        except ClientError as problem:
            problems.append(str(problem))
    raise ClientError("; ".join(problems))


def _open(address: Address, timeout_s: float, security: Security | None) -> Connection | socket.socket:
    """Return a connection to a broker: of our own client with TLS or SASL, else of TCP alone, which takes less time.

    Raises:
        ClientError: there is none.
    """
    if security is not None and security != PLAINTEXT:
        return Connection(address, timeout_s, CLIENT_ID, security)
    try:
        return open_socket(address, timeout_s)
    except TimeoutError:
        reason = f" within {timeout_s:g} s"
    except UnicodeError:
        reason = f": {address.host!r} is no host name"
    except OSError as fault:
        reason = f": {fault.strerror or fault}"
    raise ClientError(f"cannot reach a broker at {address}{reason}")


def serve(call: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Return what a function of the library that waits, such as `poll` or `list_topics`, returns for the arguments.

    confluent-kafka 2.16 has SystemError in place of the exception of a signal that comes while it runs a callback, and
    ImportError if it imports the class of its result meanwhile; the signal's exception is raised here.
    """
    try:
        return call(*arguments, **named)
    except (SystemError, ImportError):
        raise_lost()
        raise


def error_text(error: Any) -> str:
    """Return an error of librdkafka in words."""
    text = error.str() if hasattr(error, "str") else str(error)
    return text.replace("Broker: ", "").replace("Local: ", "")


def create(kind: str, configuration: Mapping[str, Any]) -> Any:
    """Return a Producer or a Consumer (*kind*) of *configuration*.

    A producer connects to all brokers at once.  Otherwise librdkafka 2.16 closes the first connection as soon as it
    knows the brokers, and waits 50 ms before it opens another one.

    Raises:
        UsageError: librdkafka refuses a property.
    """
    kafka = library()
    defaults = {"enable.sparse.connections": False} if kind == "Producer" else {}
    try:
        return getattr(kafka, kind)({**defaults, **configuration})
    except kafka.KafkaException as refused:
        raise UsageError(error_text(refused.args[0])) from None


def await_partitions(producer: Any, topic: str, args: argparse.Namespace) -> list[int]:
    """Return the partitions of *topic*, sorted; a broker that creates topics on first use is given a moment to do so.

    Raises:
        ClientError: there is no such topic, or no broker answers.
        KafkaException: the cluster does not answer.
    """
    for left in reversed(range(_CREATION_ATTEMPTS)):
        try:
            return _known_partitions(topic, args) or partitions_of(producer, topic, args.timeout / 1000)
        except ClientError:
            if not left:
                raise
            serve(producer.poll, _CREATION_POLL_S)
    raise AssertionError("there is a last attempt")


def _known_partitions(topic: str, args: argparse.Namespace) -> list[int] | None:
    """Return the partitions of a topic that exists; None if it has none yet, or this client cannot authenticate.

    The first use of `list_topics` of confluent-kafka imports its admin client, which takes longer than this.
    """
    if args.security is None:
        return None
    request = MetadataRequest(topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=True)
    for address in parse_addresses(args.bootstrap_server):
        try:
            connection = Connection(address, args.timeout / 1000, CLIENT_ID, args.security)
        except ClientError:
            continue  # `reach` has found one that answers
        try:
            (found,) = connection.send(request).topics
        finally:
            connection.close()
        return None if found.error_code else sorted(each.partition_index for each in found.partitions)
    return None


def partitions_of(client: Any, topic: str, timeout_s: float) -> list[int]:
    """Return the partitions of *topic*, sorted; a producer asks the cluster to create a topic that does not exist.

    Raises:
        ClientError: there is no such topic.
        KafkaException: the cluster does not answer.
    """
    found = serve(client.list_topics, topic, timeout=timeout_s).topics[topic]
    if found.error is not None:
        if found.error.name() == "UNKNOWN_TOPIC_OR_PART":
            raise ClientError(f"topic {topic} does not exist")
        raise ClientError(f"topic {topic}: {error_text(found.error)}")
    return sorted(found.partitions)
