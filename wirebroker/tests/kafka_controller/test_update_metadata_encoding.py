"""UpdateMetadata to several brokers: the bytes of each are those of a request of its own, and encoded once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.kafka_controller.broker_requests import update_metadata_request, update_metadata_states
from wirebroker.kafka_controller.update_metadata_encoding import shared_update_metadata_requests
from wirebroker.protocol.messages.update_metadata import UpdateMetadataPartitionState, UpdateMetadataRequest
from wirebroker.zookeeper.znodes.brokers import BrokerInfo

if TYPE_CHECKING:
    from collections.abc import Callable

EPOCHS = {1: 1001, 2: -1, 3: (1 << 40) + 3}


def _request(version: int) -> UpdateMetadataRequest:
    states = {"t": {0: UpdateMetadataPartitionState(leader=2, isr=[2, 3], replicas=[1, 2, 3])}}
    brokers = [BrokerInfo(each, ()) for each in EPOCHS]
    return update_metadata_request(7, 9, version, update_metadata_states(version, states, {"t": bytes(16)}), brokers)


@pytest.mark.parametrize("version", UpdateMetadataRequest.VERSIONS)
def test_each_broker_gets_the_bytes_of_a_request_of_its_own(version: int) -> None:
    seen = dict(shared_update_metadata_requests(_request(version), version, EPOCHS))
    assert list(seen) == list(EPOCHS)
    for broker_id, epoch in EPOCHS.items():
        own = _request(version)
        own.broker_epoch = epoch if version >= 5 else -1
        expected, found = bytearray(b"header"), bytearray(b"header")
        own.write(expected, version)
        seen[broker_id].write(found, version)
        assert found == expected
        assert seen[broker_id] == own


def test_the_request_is_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[int] = []
    write: Callable[..., Any] = UpdateMetadataRequest.WRITERS[7]

    def counting(request: UpdateMetadataRequest, out: bytearray, version: int) -> None:
        encoded.append(version)
        write(request, out, version)

    monkeypatch.setattr(UpdateMetadataRequest, "WRITERS", {7: counting})
    for _, request in shared_update_metadata_requests(_request(7), 7, EPOCHS):
        request.write(bytearray(), 7)
    assert encoded == [7]
