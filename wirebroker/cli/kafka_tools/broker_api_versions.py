"""kafka-broker-api-versions.sh: the APIs that each broker serves.

"usable" is the newest version that wirebroker's own client would send.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.cluster.requests import api_versions, describe_cluster
from wirebroker.cli.kafka_tools.tool import ToolError, ToolParser, connect, message_of
from wirebroker.client.connection import ClientError, ResponseError
from wirebroker.protocol.api import API

if TYPE_CHECKING:
    from wirebroker.protocol.messages.api_versions import ApiVersion

_ABOUT: Final = "This tool helps to retrieve broker version information."
_NOT_SENT: Final = {
    55: "DescribeQuorum",
    58: "Envelope",
    64: "UnregisterBroker",
    71: "GetTelemetrySubscriptions",
    72: "PushTelemetry",
    80: "AddRaftVoter",
    81: "RemoveRaftVoter",
}
"""The names of APIs of clients that wirebroker has no messages for."""
_DISCONNECTED: Final = "org.apache.kafka.common.errors.DisconnectException"
"""The error of a broker that cannot be reached, which does not change the exit code."""
_OWN_KEYS: Final = 20_000
"""The APIs of wirebroker have keys from here on, and are not listed."""


def main(argv: list[str]) -> int:
    """Run the script and return its exit code."""
    parser = ToolParser("kafka-broker-api-versions", _ABOUT)
    args = parser.read(argv)
    parser.require(args, "bootstrap-server")
    try:
        with connect(args) as admin:
            for broker in describe_cluster(admin).brokers:
                rack = "null" if broker.rack is None else broker.rack
                name = f"{broker.host}:{broker.port} (id: {broker.broker_id} rack: {rack})"
                try:
                    served = api_versions(admin.broker(broker.broker_id)).api_keys
                except ResponseError:
                    raise
                except ClientError:
                    print(f"{name} -> ERROR: {_DISCONNECTED}")
                    continue
                print(f"{name} -> (")
                print(",\n".join(f"\t{line}" for line in _lines(served)))
                print(")")
    except ClientError as problem:
        raise ToolError(message_of(problem)) from None
    return 0


def _lines(served: list[ApiVersion]) -> list[str]:
    lines = {key: f"{api.name}({key}): UNSUPPORTED" for key, api in API.items() if key < _OWN_KEYS}
    lines |= {each.api_key: _line(each) for each in served}
    return [line for _, line in sorted(lines.items())]


def _line(served: ApiVersion) -> str:
    key, low, high = served.api_key, served.min_version, served.max_version
    versions = str(low) if low == high else f"{low} to {high}"
    if key in _NOT_SENT:
        return f"{_NOT_SENT[key]}({key}): {versions}"
    if key not in API:
        return f"UNKNOWN({key}): {versions}"
    ours = API[key]
    if ours.max_version < low:
        usable = "unusable: node too new"
    elif high < ours.min_version:
        usable = "unusable: node too old"
    else:
        usable = f"usable: {min(ours.max_version, high)}"
    return f"{ours.name}({key}): {versions} [{usable}]"
