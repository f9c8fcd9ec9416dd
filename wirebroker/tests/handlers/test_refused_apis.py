"""UpdateFeatures, Envelope, ConsumerGroupHeartbeat and ConsumerGroupDescribe with ZooKeeper: listed and refused."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from wirebroker.config.inter_broker_protocol import InterBrokerProtocol
from wirebroker.handlers.refused_apis import handle_envelope
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from wirebroker.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from wirebroker.protocol.messages.envelope import EnvelopeRequest
from wirebroker.protocol.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest
from wirebroker.releases.profile import ReleaseProfile
from wirebroker.tests.controller.fakes import controller_harness

if TYPE_CHECKING:
    from pathlib import Path

    from wirebroker.protocol.message import Message

REQUESTS: tuple[Message, ...] = (
    UpdateFeaturesRequest(feature_updates=[FeatureUpdateKey("a", 1), FeatureUpdateKey("b", 0)]),
    ConsumerGroupHeartbeatRequest(group_id="g"),
    ConsumerGroupDescribeRequest(group_ids=["g", "h"]),
    EnvelopeRequest(b"request", b"principal", b"\x7f\0\0\1"),
)


async def ask(tmp_path: Path, request: Message, version: int, *, is_active: bool = True, protocol: str = "3.9") -> Any:
    """The response of a member of a cluster, which can be written in that version."""
    bound = RouteTable(ReleaseProfile(in_cluster=True)).find(request.API_KEY, version)
    assert bound is not None
    async with controller_harness(tmp_path) as harness:
        context = harness.context(type(request), version)
        context.services.administration = cast(Any, SimpleNamespace(is_active=is_active))
        context.services.config = cast(
            Any, SimpleNamespace(current=SimpleNamespace(inter_broker_protocol=InterBrokerProtocol(protocol)))
        )
        response = await bound.handler(context, request)
    response.write(bytearray(), version)
    return response


@pytest.mark.parametrize("version", [0, 1])
async def test_no_broker_supports_a_feature(tmp_path: Path, version: int) -> None:
    response = await ask(tmp_path, REQUESTS[0], version)
    assert response.error_code == E.NONE
    assert [(each.feature, each.error_code) for each in response.results] == [
        ("a", E.INVALID_REQUEST),
        ("b", E.INVALID_REQUEST),
    ]
    response = await ask(tmp_path, UpdateFeaturesRequest(), version)
    assert (response.error_code, response.results) == (E.NONE, [])


async def test_features_are_refused_as_a_whole(tmp_path: Path) -> None:
    response = await ask(tmp_path, REQUESTS[0], 1, is_active=False)
    assert (response.error_code, response.results) == (E.NOT_CONTROLLER, [])
    response = await ask(tmp_path, REQUESTS[0], 1, protocol="2.6")
    assert (response.error_code, response.results) == (E.INVALID_REQUEST, [])


async def test_the_newer_group_protocol_is_not_supported(tmp_path: Path) -> None:
    response = await ask(tmp_path, REQUESTS[1], 0)
    assert (response.error_code, response.member_id, response.assignment) == (E.UNSUPPORTED_VERSION, None, None)
    response = await ask(tmp_path, REQUESTS[2], 0)
    assert [(each.group_id, each.error_code) for each in response.groups] == [
        ("g", E.UNSUPPORTED_VERSION),
        ("h", E.UNSUPPORTED_VERSION),
    ]


async def test_an_envelope_closes_the_connection() -> None:
    with pytest.raises(ProtocolError):
        await handle_envelope(cast(Any, None), EnvelopeRequest())


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda each: type(each).__name__)
def test_only_members_of_a_cluster_of_a_release_that_has_the_api_list_it(request_: Message) -> None:
    key = request_.API_KEY
    assert RouteTable(ReleaseProfile(in_cluster=True)).serves(key)
    assert not RouteTable(ReleaseProfile("2.6", in_cluster=True)).serves(key)
    assert not RouteTable(ReleaseProfile("3.9")).serves(key)
    assert not RouteTable().serves(key)
