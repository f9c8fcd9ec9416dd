"""The identity of a broker in a cluster: its id and the cluster's, as settings, `meta.properties` and ZooKeeper say.

Pure.  A directory of another cluster or broker is refused: replicas of two histories must not be mixed up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.metadata.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.metadata.meta_properties import MetaProperties


class InconsistentIdentity(StoreError):
    """A log directory belongs to another broker or cluster; the message is one line for the operator."""


def check_cluster_id(found: Sequence[MetaProperties], cluster_id: str, connect: str) -> None:
    """Check that the directories are of the cluster *cluster_id*, which ZooKeeper at *connect* names.

    Raises:
        InconsistentIdentity: one of them is not.
    """
    for each in found:
        if each.cluster_id is not None and each.cluster_id != cluster_id:
            raise InconsistentIdentity(
                f"{each.path} belongs to cluster {each.cluster_id}, but zookeeper.connect={connect} is cluster"
                f" {cluster_id}: check address and chroot of zookeeper.connect, or use another directory"
            )


def known_broker_id(found: Sequence[MetaProperties], configured: int) -> int:
    """Return the id of this broker, -1 if neither the settings nor the directories have one.

    Args:
        found: The content of meta.properties of each directory.
        configured: `broker.id`, -1 if it is not set.

    Raises:
        InconsistentIdentity: they do not agree.
    """
    broker_id, agreed_in = configured, "broker.id"
    for each in found:
        if each.node_id is None:
            continue
        if broker_id < 0:
            broker_id, agreed_in = each.node_id, each.path
        elif each.node_id != broker_id:
            raise InconsistentIdentity(
                f"{each.path} says that its directory belongs to broker {each.node_id}, and {agreed_in} that this is"
                f" broker {broker_id}: set broker.id accordingly, or use another directory"
            )
    return broker_id
