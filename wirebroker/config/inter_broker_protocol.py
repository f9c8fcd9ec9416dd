"""InterBrokerProtocol: the request versions and features of each `inter.broker.protocol.version`.

Brokers of a ZooKeeper cluster do not negotiate: a controller, a follower or a sender of markers fixes the version of
its requests by its own setting, so a mixed cluster is set to the oldest member.  Only AlterPartition,
AllocateProducerIds and AddPartitionsToTxn 4 or later follow ApiVersions.  This table is the only place that knows
which setting brings what; the names are those of Apache Kafka 3.9 (`MetadataVersion`).
"""

from __future__ import annotations

from functools import total_ordering
from typing import Final

from wirebroker.config.values import ConfigError

_RELEASED: Final = """
    0.8.0 0.8.1 0.8.2 0.9.0 0.10.0-IV0 0.10.0-IV1 0.10.1-IV0 0.10.1-IV1 0.10.1-IV2 0.10.2-IV0 0.11.0-IV0 0.11.0-IV1
    0.11.0-IV2 1.0-IV0 1.1-IV0 2.0-IV0 2.0-IV1 2.1-IV0 2.1-IV1 2.1-IV2 2.2-IV0 2.2-IV1 2.3-IV0 2.3-IV1 2.4-IV0 2.4-IV1
    2.5-IV0 2.6-IV0 2.7-IV0 2.7-IV1 2.7-IV2 2.8-IV0 2.8-IV1 3.0-IV0 3.0-IV1 3.1-IV0 3.2-IV0 3.3-IV0 3.3-IV1 3.3-IV2
    3.3-IV3 3.4-IV0 3.5-IV0 3.5-IV1 3.5-IV2 3.6-IV0 3.6-IV1 3.6-IV2 3.7-IV0 3.7-IV1 3.7-IV2 3.7-IV3 3.7-IV4 3.8-IV0
    3.9-IV0
    """
PROTOCOLS: Final = tuple(_RELEASED.split())
"""The names of all versions, oldest first: a release, and from 0.10.0 on the number of an internal version."""

_LEVELS: Final = {name: level for level, name in enumerate(PROTOCOLS)}
_NAMES: Final = {name.partition("-")[0]: name for name in PROTOCOLS} | {name: name for name in PROTOCOLS}
"""Release or full name -> full name; a release alone stands for its last internal version."""


def _levels(steps: str) -> tuple[tuple[int, int], ...]:
    """Return (level, version from this level on) of *steps*, which are written "name=version"; newest first."""
    named = (step.partition("=") for step in steps.split())
    return tuple(reversed([(_LEVELS[name], int(version)) for name, _, version in named]))


_LEADER_AND_ISR: Final = _levels(
    "0.8.0=0 1.0-IV0=1 2.2-IV0=2 2.4-IV0=3 2.4-IV1=4 2.8-IV1=5 3.2-IV0=6 3.4-IV0=7",
)
_UPDATE_METADATA: Final = _levels(
    "0.8.0=0 0.9.0=1 0.10.0-IV1=2 0.10.2-IV0=3 1.0-IV0=4 2.2-IV0=5 2.4-IV1=6 2.8-IV1=7 3.4-IV0=8"
)
_STOP_REPLICA: Final = _levels("0.8.0=0 2.2-IV0=1 2.4-IV1=2 2.6-IV0=3 3.4-IV0=4")
_CONTROLLED_SHUTDOWN: Final = _levels("0.8.0=0 0.9.0=1 2.2-IV0=2 2.4-IV1=3")
_FETCH: Final = _levels(
    """
    0.8.0=0 0.9.0=1 0.10.0-IV0=2 0.10.1-IV1=3 0.11.0-IV0=4 0.11.0-IV1=5 1.1-IV0=7 2.0-IV1=8 2.1-IV2=10 2.3-IV1=11
    2.7-IV1=12 3.1-IV0=13 3.5-IV0=14 3.5-IV1=15 3.7-IV4=16 3.9-IV0=17
    """
)
_OFFSET_FOR_LEADER_EPOCH: Final = _levels("0.8.0=0 2.0-IV0=1 2.1-IV1=2 2.3-IV1=3 2.8-IV0=4")
_LIST_OFFSETS: Final = _levels(
    """
    0.8.0=0 0.10.1-IV2=1 0.11.0-IV0=2 2.0-IV1=3 2.1-IV1=4 2.2-IV1=5 2.8-IV0=6 3.0-IV1=7 3.5-IV0=8 3.9-IV0=9
    """
)
_WRITE_TXN_MARKERS: Final = _levels("0.8.0=0 2.8-IV0=1")


@total_ordering
class InterBrokerProtocol:
    """The versions of the requests that this broker sends to others, and the features that all brokers have.

    Attributes:
        name: The full name, such as "2.7-IV2".
        leader_and_isr_version, update_metadata_version, stop_replica_version: Versions that the controller sends.
        controlled_shutdown_version: The version that the controller is sent.
        fetch_version, offset_for_leader_epoch_version, list_offsets_version: Versions that a follower sends.
        write_txn_markers_version: The version that a transaction coordinator sends.
        offset_for_leader_epoch_supported: Followers truncate by leader epochs, not by high watermark (KIP-101).
        broker_epoch_supported: Requests of the controller carry the broker epoch (KIP-380).
        feature_versioning_supported: Brokers register features (KIP-584).
        truncation_on_fetch_supported: Fetch tells the diverging epoch, OffsetForLeaderEpoch is not sent (KIP-595).
        alter_partition_supported: Leaders change the ISR through the controller, not in ZooKeeper (KIP-497).
        topic_ids_supported: Topics have ids (KIP-516).
        allocate_producer_ids_supported: Producer ids come from the controller, not from ZooKeeper (KIP-730).
        leader_recovery_supported: The controller tells which leaders were elected uncleanly (KIP-704).
        api_forwarding_supported: Brokers forward requests of administrators to the controller (KIP-590).
    """

    __slots__ = (
        "_level",
        "allocate_producer_ids_supported",
        "alter_partition_supported",
        "api_forwarding_supported",
        "broker_epoch_supported",
        "controlled_shutdown_version",
        "feature_versioning_supported",
        "fetch_version",
        "leader_and_isr_version",
        "leader_recovery_supported",
        "list_offsets_version",
        "name",
        "offset_for_leader_epoch_supported",
        "offset_for_leader_epoch_version",
        "stop_replica_version",
        "topic_ids_supported",
        "truncation_on_fetch_supported",
        "update_metadata_version",
        "write_txn_markers_version",
    )

    def __init__(self, text: str) -> None:
        """Parse *text*: a full name, or a release, with anything behind its number (2.8.1), for its last version.

        Raises:
            ConfigError: there is no such version.
        """
        numbers = text.split(".")
        count = 3 if text.startswith("0.") else 2
        found = _NAMES.get(".".join(numbers[:count]))
        if found is None:
            raise ConfigError(f"Version {text} is not a valid version")
        self.name = found
        self._level = _LEVELS[found]
        self.leader_and_isr_version = self._version(_LEADER_AND_ISR)
        self.update_metadata_version = self._version(_UPDATE_METADATA)
        self.stop_replica_version = self._version(_STOP_REPLICA)
        self.controlled_shutdown_version = self._version(_CONTROLLED_SHUTDOWN)
        self.fetch_version = self._version(_FETCH)
        self.offset_for_leader_epoch_version = self._version(_OFFSET_FOR_LEADER_EPOCH)
        self.list_offsets_version = self._version(_LIST_OFFSETS)
        self.write_txn_markers_version = self._version(_WRITE_TXN_MARKERS)
        self.offset_for_leader_epoch_supported = self.is_at_least("0.11.0-IV2")
        self.broker_epoch_supported = self.is_at_least("2.2-IV0")
        self.feature_versioning_supported = self.is_at_least("2.7-IV0")
        self.truncation_on_fetch_supported = self.is_at_least("2.7-IV1")
        self.alter_partition_supported = self.is_at_least("2.7-IV2")
        self.topic_ids_supported = self.is_at_least("2.8-IV0")
        self.allocate_producer_ids_supported = self.is_at_least("3.0-IV0")
        self.leader_recovery_supported = self.is_at_least("3.2-IV0")
        self.api_forwarding_supported = self.is_at_least("3.4-IV0")

    def is_at_least(self, name: str) -> bool:
        """Return whether this is the version of the full *name* or a later one."""
        return self._level >= _LEVELS[name]

    def _version(self, levels: tuple[tuple[int, int], ...]) -> int:
        return next(version for level, version in levels if level <= self._level)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InterBrokerProtocol) and self._level == other._level

    def __lt__(self, other: InterBrokerProtocol) -> bool:
        return self._level < other._level

    def __hash__(self) -> int:
        return self._level

    def __repr__(self) -> str:
        return f"InterBrokerProtocol({self.name})"
