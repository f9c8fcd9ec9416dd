"""kafka-cluster.sh: the id of a cluster."""

from __future__ import annotations

from typing import Final

from wirebroker.cli.cluster.requests import describe_cluster
from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser, connect, message_of
from wirebroker.client.connection import ClientError

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
        raise ToolError("wirebroker's client does not send UnregisterBroker; use Apache Kafka's script")
    try:
        with connect(args) as admin:
            cluster_id = describe_cluster(admin).cluster_id
    except ClientError as problem:
        raise ToolError(message_of(problem)) from None
    if cluster_id:
        print(f"Cluster ID: {cluster_id}")
    else:
        print("No cluster ID found. The Kafka version is probably too old.")
    return 0
