"""Write the nodes into an empty ZooKeeper with which Apache Kafka serves a data directory that wirebroker wrote.

/cluster/id                             the cluster id in meta.properties
/brokers/topics/T                       partitions and topic id (as in partition.metadata)
/brokers/topics/T/partitions/N/state    leader, and the newest epoch of the partition's leader-epoch-checkpoint
/config/topics/T                        the topic's settings
/latest_producer_id_block               ids that were given out already
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tools.jvm.zookeeper import ZooKeeper


def properties(path: Path) -> dict[str, str]:
    """A properties file without its comments."""
    lines = [line for line in path.read_text().splitlines() if line and line[0] != "#"]
    return dict(line.split("=", 1) for line in lines)


def topic_id(partition: Path) -> str:
    """The topic's id as Kafka spells it."""
    lines = (partition / "partition.metadata").read_text().splitlines()
    return dict(line.split(": ") for line in lines)["topic_id"]


def newest_epoch(partition: Path) -> int:
    """The newest leader epoch of a partition."""
    lines = (partition / "leader-epoch-checkpoint").read_text().splitlines()
    return int(lines[-1].split()[0]) if len(lines) > 2 else 0


def write_znodes(
    zookeeper: ZooKeeper, data_directory: Path, configs: Mapping[str, Mapping[str, str]], next_producer_id: int
) -> set[str]:
    """Write the nodes of every topic in *data_directory*; return the names."""
    from kazoo.client import KazooClient

    identity = properties(data_directory / "meta.properties")
    broker = int(identity["broker.id"])
    topics: dict[str, list[Path]] = {}
    for partition in sorted(data_directory.glob("*-*/")):
        if not partition.name.endswith(("-delete", "-stray")):
            topics.setdefault(partition.name.rpartition("-")[0], []).append(partition)
    client = KazooClient(zookeeper.connect)
    client.start()

    def put(path: str, value: Any) -> None:
        client.create(path, json.dumps(value).encode(), makepath=True)

    try:
        put("/cluster/id", {"version": "1", "id": identity["cluster.id"]})
        block = {"version": 1, "broker": broker, "block_start": str(next_producer_id - 1000)}
        put("/latest_producer_id_block", {**block, "block_end": str(next_producer_id - 1)})
        for name, partitions in topics.items():
            numbers = sorted(int(each.name.rpartition("-")[2]) for each in partitions)
            topic = {"version": 3, "topic_id": topic_id(partitions[0]), "adding_replicas": {}, "removing_replicas": {}}
            put(f"/brokers/topics/{name}", {**topic, "partitions": {str(number): [broker] for number in numbers}})
            put(f"/config/topics/{name}", {"version": 1, "config": dict(configs.get(name, {}))})
            for each in partitions:
                state = {"version": 1, "controller_epoch": 1, "leader": broker, "isr": [broker]}
                number = each.name.rpartition("-")[2]
                path = f"/brokers/topics/{name}/partitions/{number}/state"
                put(path, {**state, "leader_epoch": newest_epoch(each)})
    finally:
        client.stop()
        client.close()
    return set(topics)
