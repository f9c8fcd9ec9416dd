"""A client of the ZooKeeper of a cluster, for what a test reads, writes or watches there itself."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from kazoo.client import KazooClient
from kazoo.exceptions import NodeExistsError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@contextmanager
def zookeeper_client(connect: str) -> Iterator[KazooClient]:
    """A client of the servers in *connect*, connected within a minute; closed at the end."""
    client = KazooClient(connect)
    client.start(60)
    try:
        yield client
    finally:
        client.stop()
        client.close()


def elect_preferred_leaders(connect: str, topics: Mapping[str, Iterable[int]]) -> None:
    """Ask for the preferred leaders of partitions as the tools of 2.x do; controllers of all releases obey."""
    partitions = [{"topic": topic, "partition": each} for topic, numbers in topics.items() for each in numbers]
    value = json.dumps({"version": 1, "partitions": partitions}).encode()
    # the znode may be there, of an election that goes on
    with zookeeper_client(connect) as client, suppress(NodeExistsError):
        client.create("/admin/preferred_replica_election", value)
