"""kafka-cluster.sh: the id of a cluster, and the removal of a broker's registration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.cluster.requests import describe_cluster, unregister_broker
from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser, connect, message_of
from wirebroker.client.connection import ClientError, UnsupportedApi

if TYPE_CHECKING:
    from wirebroker.client.admin import Admin

_ABOUT: Final = "The Kafka cluster tool."
_COMMANDS: Final = ("cluster-id", "unregister")


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-cluster", _ABOUT)
    parser.add_argument("command", choices=_COMMANDS, help="cluster-id: print the id; unregister: remove a broker")
    parser.add_argument("-b", dest="bootstrap_server", metavar="HOST:PORT,...", help="the same as --bootstrap-server")
    parser.add_argument("--config", "-c", dest="command_config", metavar="FILE", help="a client.properties")
    parser.add_argument("--id", "-i", type=int)
    args = parser.read(argv)
    parser.require(args, "bootstrap-server")
    if args.command == "unregister":
        parser.require(args, "id")
    try:
        with connect(args) as admin:
            print(_cluster_id(admin) if args.command == "cluster-id" else _unregistered(admin, args.id))
    except ClientError as problem:
        raise ToolError(message_of(problem)) from None
    return 0


def _cluster_id(admin: Admin) -> str:
    cluster_id = describe_cluster(admin).cluster_id
    return f"Cluster ID: {cluster_id}" if cluster_id else "No cluster ID found. The Kafka version is probably too old."


def _unregistered(admin: Admin, broker_id: int) -> str:
    try:
        unregister_broker(admin, broker_id)
    except UnsupportedApi:
        return "The target cluster does not support the broker unregistration API."
    return f"Broker {broker_id} is no longer registered."
