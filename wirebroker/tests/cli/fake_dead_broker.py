"""A cluster of three brokers behind the admin client, one of which is dead and still in the metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wirebroker.client.connection import ClientError
from wirebroker.protocol.messages.metadata import MetadataResponseBroker
from wirebroker.tests.cli.fake_cluster import FakeConnection

if TYPE_CHECKING:
    from wirebroker.client.connection import Address

DEAD_PORT = 9093
IS_GONE = "cannot reach a broker at broker:9093: Connection refused"


class ConnectionOfThree(FakeConnection):
    """A connection to a cluster of brokers 0, 1 and 2, of which 1 is dead and still in the metadata."""

    altered: list[str]

    def __init__(self, address: Address, *others: Any) -> None:
        if address.port == DEAD_PORT:
            raise ClientError(IS_GONE)
        super().__init__(address, *others)

    def send(self, request: Any, highest: int | None = None) -> Any:
        response = super().send(request, highest)
        if type(request).__name__ == "MetadataRequest":
            response.brokers = [MetadataResponseBroker(each, "broker", 9092 + each) for each in (0, 1, 2)]
        if type(request).__name__ == "IncrementalAlterConfigsRequest":
            self.altered += [each.resource_name for each in request.resources]
        return response
