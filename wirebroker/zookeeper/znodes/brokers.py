"""Brokers: /brokers/ids/N, an ephemeral znode with the addresses of broker N, and /brokers/seqid for generated ids.

JSON versions: 1 has host and port of a plaintext listener, 2 adds endpoints, 3 the rack, 4 the protocols of listeners,
5 features (KIP-584).  Brokers at an inter-broker protocol below 2.7 write 4, later ones 5.  host and port are those of
the first PLAINTEXT listener, for clients that know only version 1.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.config.endpoints import Listener
from wirebroker.zookeeper.znodes.json_fields import JsonFields, encode_json

if TYPE_CHECKING:
    from collections.abc import Mapping

BROKER_IDS_PATH: Final = "/brokers/ids"
BROKER_SEQUENCE_ID_PATH: Final = "/brokers/seqid"
"""A znode without data; a generated id is its version after a write, plus `reserved.broker.max.id`."""
VERSION_4: Final = 4
VERSION_5: Final = 5
"""From inter-broker protocol 2.7-IV0 on."""
_ENDPOINT: Final = re.compile(r"([^:/\s]+)://(?:\[([0-9a-fA-F:.%]+)\]|([^:/\[\]\s]*)):(-?[0-9]+)", re.ASCII)


class BrokerInfo(NamedTuple):
    """The registration of one broker, Kafka's BrokerInfo."""

    broker_id: int
    endpoints: tuple[Listener, ...]
    rack: str | None = None
    jmx_port: int = -1
    timestamp_ms: int = 0
    features: Mapping[str, Mapping[str, int]] = {}
    """Feature -> its supported versions, as in `{"min_version": 1, "max_version": 3}`."""
    version: int = VERSION_4
    """Of the JSON, 1 to 5."""

    @property
    def path(self) -> str:
        """The path of the registration."""
        return broker_path(self.broker_id)

    def encode(self) -> bytes:
        """Return the JSON of `version`, which is 4 or 5."""
        plaintext = next((each for each in self.endpoints if each.protocol == "PLAINTEXT"), None)
        fields: dict[str, object] = {}
        if self.version >= VERSION_5:
            fields["features"] = self.features
        fields["listener_security_protocol_map"] = {each.name: each.protocol for each in self.endpoints}
        fields["endpoints"] = [str(each) for each in self.endpoints]
        if self.rack is not None:
            fields["rack"] = self.rack
        fields["jmx_port"] = self.jmx_port
        fields["port"] = -1 if plaintext is None else plaintext.port
        fields["host"] = None if plaintext is None else plaintext.host
        fields["version"] = self.version
        fields["timestamp"] = str(self.timestamp_ms)
        return encode_json(fields)

    @classmethod
    def decode(cls, broker_id: int, data: bytes | None) -> BrokerInfo:
        """Return the registration that *data* of any version are.  Raises CorruptZnode."""
        fields = JsonFields.parse(broker_path(broker_id), data)
        version = fields.integer("version")
        if version < 1:
            raise fields.error(f"version {version} is not supported")
        protocols = {name: fields.object(_PROTOCOLS).text(name) for name in fields.object(_PROTOCOLS).names()}
        endpoints: tuple[Listener, ...]
        if version == 1:
            endpoints = (Listener("PLAINTEXT", "PLAINTEXT", fields.text("host"), fields.integer("port")),)
        else:
            endpoints = tuple(_endpoint(fields, text, protocols) for text in fields.texts("endpoints"))
        features = fields.object("features")
        return cls(
            broker_id,
            endpoints,
            fields.optional_text("rack"),
            fields.integer("jmx_port", -1),
            fields.number_in_text("timestamp"),
            {name: _versions(features.object(name)) for name in features.names()},
            version,
        )


_PROTOCOLS: Final = "listener_security_protocol_map"


def broker_path(broker_id: int) -> str:
    """Return the path of a broker's registration."""
    return f"{BROKER_IDS_PATH}/{broker_id}"


def _endpoint(fields: JsonFields, text: str, protocols: Mapping[str, str]) -> Listener:
    """Return the listener in *text*; without an entry in *protocols* its name is its protocol, as before version 4."""
    found = _ENDPOINT.fullmatch(text)
    if found is None:
        raise fields.error(f"endpoint {text!r} is not NAME://host:port")
    return Listener(found[1], protocols.get(found[1], found[1]), found[2] or found[3], int(found[4]))


def _versions(fields: JsonFields) -> dict[str, int]:
    return {label: fields.integer(label) for label in fields.names()}
