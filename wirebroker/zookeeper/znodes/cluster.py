"""Znodes of the whole cluster: /controller, /controller_epoch, /cluster/id, /feature, /latest_producer_id_block.

Also the persistent paths that every broker creates at its start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.zookeeper.znodes.admin import DELETE_TOPICS_PATH
from wirebroker.zookeeper.znodes.brokers import BROKER_IDS_PATH, BROKER_SEQUENCE_ID_PATH
from wirebroker.zookeeper.znodes.configs import CONFIG_CHANGES_PATH, ENTITY_TYPES, entity_type_path
from wirebroker.zookeeper.znodes.json_fields import JsonFields, decode_number, encode_json
from wirebroker.zookeeper.znodes.notifications import ISR_CHANGES_PATH, LOG_DIR_EVENTS_PATH
from wirebroker.zookeeper.znodes.topics import TOPICS_PATH

if TYPE_CHECKING:
    from collections.abc import Mapping

CONTROLLER_PATH: Final = "/controller"
CONTROLLER_EPOCH_PATH: Final = "/controller_epoch"
CLUSTER_ID_PATH: Final = "/cluster/id"
FEATURE_PATH: Final = "/feature"
PRODUCER_ID_BLOCK_PATH: Final = "/latest_producer_id_block"
PERSISTENT_PATHS: Final = (
    "/consumers",
    BROKER_IDS_PATH,
    TOPICS_PATH,
    CONFIG_CHANGES_PATH,
    DELETE_TOPICS_PATH,
    BROKER_SEQUENCE_ID_PATH,
    ISR_CHANGES_PATH,
    PRODUCER_ID_BLOCK_PATH,
    LOG_DIR_EVENTS_PATH,
    *map(entity_type_path, ENTITY_TYPES),
)
"""Created without data by every broker that starts, with their parents."""


class Controller(NamedTuple):
    """The content of /controller: the ephemeral znode of the active controller."""

    broker_id: int
    timestamp_ms: int
    kraft_controller_epoch: int = -1
    """Above 0 while a KRaft quorum controls the cluster (a migration, KIP-866); brokers before 3.4 do not write it."""

    def encode(self) -> bytes:
        """Return the JSON of version 2, as Kafka 3.4 and later write it."""
        fields = {"version": 2, "brokerid": self.broker_id, "timestamp": str(self.timestamp_ms)}
        return encode_json({**fields, "kraftControllerEpoch": self.kraft_controller_epoch})

    @classmethod
    def decode(cls, data: bytes | None) -> Controller:
        """Return the controller that *data* of version 1 or 2 name.  Raises CorruptZnode."""
        fields = JsonFields.parse(CONTROLLER_PATH, data)
        return cls(
            fields.integer("brokerid"), fields.number_in_text("timestamp"), fields.integer("kraftControllerEpoch", -1)
        )


def encode_controller_epoch(epoch: int) -> bytes:
    """Return the bare decimal number of /controller_epoch, whose first value is 1."""
    return str(epoch).encode()


def decode_controller_epoch(data: bytes | None) -> int:
    """Return the epoch of the newest controller.  Raises CorruptZnode."""
    return decode_number(CONTROLLER_EPOCH_PATH, data)


def encode_cluster_id(cluster_id: str) -> bytes:
    """Return the JSON of /cluster/id, whose version is a string."""
    return encode_json({"version": "1", "id": cluster_id})


def decode_cluster_id(data: bytes | None) -> str:
    """Return the cluster's id.  Raises CorruptZnode."""
    return JsonFields.parse(CLUSTER_ID_PATH, data).text("id")


class ProducerIdBlock(NamedTuple):
    """The content of /latest_producer_id_block: the ids that were handed out last, both ends inclusive."""

    broker_id: int
    first_id: int
    last_id: int

    def encode(self) -> bytes:
        """Return the JSON, with both ends as strings."""
        fields = {"version": 1, "broker": self.broker_id, "block_start": str(self.first_id)}
        return encode_json({**fields, "block_end": str(self.last_id)})

    @classmethod
    def decode(cls, data: bytes | None) -> ProducerIdBlock:
        """Return the block that *data* are.  Raises CorruptZnode."""
        fields = JsonFields.parse(PRODUCER_ID_BLOCK_PATH, data)
        return cls(fields.integer("broker"), fields.number_in_text("block_start"), fields.number_in_text("block_end"))


class FinalizedFeatures(NamedTuple):
    """The content of /feature, which the controller writes (KIP-584)."""

    is_enabled: bool
    """False below protocol 2.7."""
    levels: Mapping[str, int]
    """Feature -> finalized version level."""
    version: int = 2
    """Of the format: 2 from protocol 3.3 on, 1 below."""

    def encode(self) -> bytes:
        """Return the JSON; version 1 has a lowest level too, for which Kafka 3.3 and later write the finalized one."""
        features = {
            name: {"max_version_level": level} | ({"min_version_level": level} if self.version == 1 else {})
            for name, level in self.levels.items()
        }
        return encode_json({"features": features, "version": self.version, "status": int(self.is_enabled)})

    @classmethod
    def decode(cls, data: bytes | None) -> FinalizedFeatures:
        """Return the features that *data* of version 1 or 2 are.  Raises CorruptZnode."""
        fields = JsonFields.parse(FEATURE_PATH, data)
        version = fields.integer("version")
        if version not in (1, 2):
            raise fields.error(f"version {version} is not supported")
        features = fields.object("features")
        levels = {name: features.object(name).integer("max_version_level") for name in features.names()}
        return cls(fields.integer("status") == 1, levels, version)
