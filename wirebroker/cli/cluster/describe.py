"""`wirebroker cluster describe`: the brokers of any cluster, what each leads and keeps, and what is not healthy.

Everything but `--epochs` comes from Metadata, so any Kafka can be asked.  A partition is under-replicated if its ISR is
smaller than its replicas, offline if it has no leader; a leader is preferred if it is the first replica.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.cli.connection import add_connection, run_with
from wirebroker.cli.output import Column, as_objects, counted, print_json, print_lines, print_records, table_lines
from wirebroker.client.connection import Address, ClientError
from wirebroker.protocol.messages.inspect import InspectRequest

if TYPE_CHECKING:
    import argparse

    from wirebroker.client.admin import Admin
    from wirebroker.protocol.messages.inspect import InspectResponse
    from wirebroker.protocol.messages.metadata import MetadataResponse

_BROKERS: Final = (
    Column("BROKER", "broker_id", align=">"),
    Column("ADDRESS", "address"),
    Column("RACK", "rack"),
    Column("CONTROLLER", "is_controller"),
    Column("LEADERS", "leader_count", align=">"),
    Column("PREFERRED", "preferred_leader_count", align=">"),
    Column("REPLICAS", "replica_count", align=">"),
    Column("NOT-IN-SYNC", "out_of_sync_count", align=">"),
    Column("OFFLINE", "offline_replica_count", align=">"),
)
_EPOCHS: Final = (
    Column("BROKER-EPOCH", "broker_epoch", align=">"),
    Column("CONTROLLER-EPOCH", "controller_epoch", align=">"),
)
_PARTITIONS: Final = (
    Column("TOPIC", "topic"),
    Column("PARTITION", "partition", align=">"),
    Column("LEADER", "leader", align=">"),
    Column("EPOCH", "leader_epoch", align=">"),
    Column("REPLICAS", "replicas"),
    Column("ISR", "isr"),
    Column("OFFLINE", "offline_replicas"),
)
_ATTENTION: Final = 20
"""How many partitions that need attention the table lists."""


class Row(NamedTuple):
    """One partition."""

    topic: str
    partition: int
    leader: int | None
    leader_epoch: int | None
    replicas: list[int]
    isr: list[int]
    offline_replicas: list[int]

    @property
    def is_under_replicated(self) -> bool:
        """Whether a replica is not in sync."""
        return len(self.isr) < len(self.replicas)

    @property
    def is_offline(self) -> bool:
        """Whether the partition has no leader."""
        return self.leader is None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `wirebroker cluster describe`."""
    add_connection(parser)
    parser.add_argument(
        "--epochs",
        action="store_true",
        help="ask every wirebroker for its broker epoch and the epoch of the controller that it obeys; other brokers "
        "do not know the request, and log that",
    )
    parser.add_argument("--partitions", action="store_true", help="list every partition, with its leader epoch")


def run(args: argparse.Namespace) -> int:
    """Describe the cluster; return the exit code."""
    return run_with(args, _describe)


def _describe(admin: Admin, args: argparse.Namespace) -> int:
    metadata = admin.metadata()
    partitions = partition_rows(metadata)
    brokers = broker_rows(metadata, partitions)
    columns: tuple[Column, ...] = _BROKERS
    if args.epochs:
        known = epochs_of(admin)
        brokers = [(*row, *known.get(row[0], (None, None))) for row in brokers]
        columns = (*_BROKERS, *_EPOCHS)
    summary = {
        "cluster_id": metadata.cluster_id,
        "controller_id": metadata.controller_id if metadata.controller_id >= 0 else None,
        "topics": len(metadata.topics),
        "partitions": len(partitions),
        "under_replicated_partitions": sum(each.is_under_replicated for each in partitions),
        "offline_partitions": sum(each.is_offline for each in partitions),
        "highest_leader_epoch": max((each.leader_epoch or 0 for each in partitions), default=None),
    }
    if args.format == "json":
        document: dict[str, object] = {**summary, "brokers": as_objects(columns, brokers)}
        if args.partitions:
            document["partition_states"] = as_objects(_PARTITIONS, partitions)
        print_json(document)
        return 0
    if args.format == "text":
        if args.partitions:
            print_records(_PARTITIONS, partitions, "text")
        else:
            print_records(columns, brokers, "text")
        return 0
    cells = [[_as_word(cell) for cell in row] for row in brokers]
    print_lines(table_lines(columns, cells, separator="  "))
    controller = "none" if summary["controller_id"] is None else summary["controller_id"]
    name = "cluster without an id" if metadata.cluster_id is None else f"cluster {metadata.cluster_id}"
    print(
        f"\n{name}, controller {controller}: {counted(len(metadata.topics), 'topic')}, "
        f"{counted(len(partitions), 'partition')}, {summary['under_replicated_partitions']} under-replicated, "
        f"{summary['offline_partitions']} offline"
    )
    attention = [each for each in partitions if each.is_under_replicated or each.is_offline]
    shown = partitions if args.partitions else attention[:_ATTENTION]
    if shown:
        print()
        print_lines(table_lines(_PARTITIONS, shown, separator="  "))
    if not args.partitions and len(attention) > len(shown):
        print(f"and {len(attention) - len(shown)} more; --partitions lists all")
    return 0


def partition_rows(metadata: MetadataResponse) -> list[Row]:
    """Every partition of *metadata*, sorted."""
    rows = [
        Row(
            topic.name or "",
            each.partition_index,
            each.leader_id if each.leader_id >= 0 else None,
            each.leader_epoch if each.leader_epoch >= 0 else None,
            list(each.replica_nodes),
            list(each.isr_nodes),
            list(each.offline_replicas),
        )
        for topic in metadata.topics
        for each in topic.partitions
    ]
    return sorted(rows, key=lambda each: (each.topic, each.partition))


def broker_rows(metadata: MetadataResponse, partitions: list[Row]) -> list[tuple[object, ...]]:
    """A row for every live broker, and one for each other broker that is to have replicas, all sorted by id."""
    leaders = Counter(each.leader for each in partitions)
    preferred = Counter(each.leader for each in partitions if each.replicas[:1] == [each.leader])
    replicas = Counter(broker for each in partitions for broker in each.replicas)
    late = Counter(broker for each in partitions for broker in set(each.replicas) - set(each.isr))
    offline = Counter(broker for each in partitions for broker in each.offline_replicas)
    live = {broker.node_id: broker for broker in metadata.brokers}
    rows: list[tuple[object, ...]] = []
    for broker_id in sorted(live.keys() | replicas.keys()):
        broker = live.get(broker_id)
        rows.append(
            (
                broker_id,
                None if broker is None else str(Address(broker.host, broker.port)),
                None if broker is None else broker.rack,
                broker_id == metadata.controller_id,
                leaders[broker_id],
                preferred[broker_id],
                replicas[broker_id],
                late[broker_id],
                offline[broker_id],
            )
        )
    return rows


def epochs_of(admin: Admin) -> dict[object, tuple[int | None, int | None]]:
    """Return broker id -> (broker epoch, controller epoch) of the brokers that are wirebrokers."""
    found: dict[object, tuple[int | None, int | None]] = {}
    for broker_id, connection in admin.brokers().items():
        try:
            answer: InspectResponse = connection.send_unlisted(InspectRequest(subject="epochs"), 0)
        except ClientError:
            continue  # another broker closes the connection
        if not answer.error_code:
            document = json.loads(answer.document)
            found[broker_id] = (document["broker_epoch"], document["controller_epoch"])
    return found


def _as_word(cell: object) -> object:
    """The cell of a table for a yes or no."""
    return ("yes" if cell else None) if isinstance(cell, bool) else cell
