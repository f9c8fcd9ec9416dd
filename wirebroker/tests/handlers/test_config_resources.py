"""ListConfigResources: resources with configs, by type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.controller.topic_rules import NewTopic
from wirebroker.handlers.config_resources import handle_list_config_resources
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.messages.list_config_resources import ListConfigResourcesRequest
from wirebroker.tests.controller.fakes import controller_harness

if TYPE_CHECKING:
    from pathlib import Path

TOPICS = {(2, "t"), (2, "u")}
BROKERS = {(4, "0")}
LOGGERS = {(8, "0")}


@pytest.mark.parametrize(
    ("version", "kinds", "found"),
    [
        (0, [], set()),
        (1, [], TOPICS | BROKERS | LOGGERS),
        (1, [2], TOPICS),
        (1, [4, 8], BROKERS | LOGGERS),
        (1, [16, 32], set()),
    ],
)
async def test_resource_types(tmp_path: Path, version: int, kinds: list[int], found: set[tuple[int, str]]) -> None:
    async with controller_harness(tmp_path) as harness:
        await harness.controller.create_topics([NewTopic("t", 1), NewTopic("u", 1)])
        context = harness.context(ListConfigResourcesRequest, version)
        answer = await handle_list_config_resources(context, ListConfigResourcesRequest(kinds))
    answer.write(bytearray(), version)
    assert answer.error_code == E.NONE
    assert {(each.resource_type, each.resource_name) for each in answer.config_resources} == found
    assert len(answer.config_resources) == len(found)


async def test_an_unknown_resource_type(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        context = harness.context(ListConfigResourcesRequest, 1)
        answer = await handle_list_config_resources(context, ListConfigResourcesRequest([2, 3]))
    assert (answer.error_code, answer.config_resources) == (E.UNSUPPORTED_VERSION, [])
