"""change_partition_state: writes a partition's state znode as its leader, below inter-broker protocol 2.7.

The write is conditional on the version that the leader knows, so a leader that was replaced changes nothing.  A lost
answer, or another version, is followed by a read, which tells whether the leader is still the leader of that epoch.
Kafka gives up after an unexpected version and repeats a write that cannot succeed until its session ends (KAFKA-2729).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.zookeeper.errors import BadVersion, ConnectionLoss, SessionExpired
from wirebroker.zookeeper.znodes.topics import LeaderIsrAndControllerEpoch, partition_state_path

if TYPE_CHECKING:
    from wirebroker.model import TopicPartition
    from wirebroker.zookeeper.session import Session


class VersionedState(NamedTuple):
    """The state of a partition, and the version of its znode, which Kafka calls partition epoch."""

    state: LeaderIsrAndControllerEpoch
    version: int


class LeaderChanged(Exception):
    """The partition has another leader or leader epoch than the writer knows; `found` is its state."""

    def __init__(self, found: VersionedState) -> None:
        super().__init__(found)
        self.found = found


async def change_partition_state(
    session: Session, partition: TopicPartition, state: LeaderIsrAndControllerEpoch, version: int
) -> VersionedState:
    """Replace the state of *version* by *state*, unless the partition has another leader or leader epoch.

    Waits for as long as there is no connection.

    Returns:
        The state that is in effect for this leader epoch: *state*, or what was written in its place by another request
        of this leader, such as one whose answer was lost.

    Raises:
        LeaderChanged: the controller has elected a leader meanwhile.
        NoNode: the partition does not exist any more.
        CorruptZnode: another state is there, and it is not what Kafka writes.
    """
    path, data = partition_state_path(partition), state.encode()
    while True:
        await session.wait_connected()
        try:
            return VersionedState(state, (await session.client.set(path, data, version)).version)
        except (BadVersion, ConnectionLoss, SessionExpired):
            znode = await session.retry(lambda: session.client.get(path))
        if znode.stat.version == version:
            continue  # the request was lost, not the answer
        found = VersionedState(LeaderIsrAndControllerEpoch.decode(partition, znode.data), znode.stat.version)
        if (found.state.leader, found.state.leader_epoch) != (state.leader, state.leader_epoch):
            raise LeaderChanged(found)
        return found
