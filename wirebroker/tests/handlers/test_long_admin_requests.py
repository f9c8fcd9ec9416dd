"""Requests about thousands of settings, quotas, users and offsets: each pass over the entries yields the event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from wirebroker.handlers.client_quotas import handle_alter_client_quotas
from wirebroker.handlers.configs import (
    handle_alter_configs,
    handle_describe_configs,
    handle_incremental_alter_configs,
)
from wirebroker.handlers.group_offsets import handle_offset_fetch
from wirebroker.handlers.groups import handle_list_groups
from wirebroker.handlers.log_dirs import handle_describe_log_dirs
from wirebroker.handlers.scram_credentials import handle_describe_user_scram_credentials
from wirebroker.handlers.topics import handle_create_topics, handle_delete_topics
from wirebroker.metadata.image import TOPIC_RESOURCE
from wirebroker.protocol.messages import alter_configs, incremental_alter_configs
from wirebroker.protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    OpData,
    RequestEntityData,
    RequestEntryData,
)
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from wirebroker.protocol.messages.delete_topics import DeleteTopicsRequest
from wirebroker.protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from wirebroker.protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from wirebroker.protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsRequest, UserName
from wirebroker.protocol.messages.list_groups import ListGroupsRequest
from wirebroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from wirebroker.tests.controller.fakes import controller_harness
from wirebroker.tests.handlers.txn_harness import GROUPS as GROUPS_PARTITION
from wirebroker.tests.handlers.txn_harness import TxnHarness

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from wirebroker.handlers.context import RequestContext

    Handler = Callable[[RequestContext, Any], Awaitable[Any]]

N = 1100
NAMES = [f"t{number}" for number in range(N)]


@pytest.fixture(autouse=True)
def _no_loop_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call of `LoopBudget.yield_if_due` yields."""
    monkeypatch.setattr("wirebroker.loop_budget.BUDGET_S", 0.0)
    monkeypatch.setattr("wirebroker.handlers.group_offsets._PARTITIONS_PER_CHECK", 1)


REPLACED = alter_configs.AlterConfigsRequest([alter_configs.AlterConfigsResource(TOPIC_RESOURCE, n) for n in NAMES])
ALTERED = incremental_alter_configs.IncrementalAlterConfigsRequest(
    [incremental_alter_configs.AlterConfigsResource(TOPIC_RESOURCE, name) for name in NAMES]
)
DESCRIBED = DescribeConfigsRequest([DescribeConfigsResource(TOPIC_RESOURCE, name, None) for name in NAMES])
QUOTAS = AlterClientQuotasRequest(
    [RequestEntryData([RequestEntityData("user", name)], [OpData("producer_byte_rate", 5.0)]) for name in NAMES]
)


@pytest.mark.parametrize(
    ("handle", "request_", "version", "passes"),
    [
        (handle_alter_configs, REPLACED, 1, 5),
        (handle_incremental_alter_configs, ALTERED, 0, 5),
        (handle_describe_configs, DESCRIBED, 1, 2),
        (handle_alter_client_quotas, QUOTAS, 0, 6),
        (handle_create_topics, CreateTopicsRequest([CreatableTopic(f"{name}/", 1, 1) for name in NAMES], 1000), 4, 4),
        (handle_delete_topics, DeleteTopicsRequest(topic_names=NAMES, timeout_ms=1000), 3, 3),
        (handle_delete_topics, DeleteTopicsRequest(topic_names=[*NAMES, *NAMES], timeout_ms=1000), 3, 6),
    ],
)
async def test_settings_and_quotas(tmp_path: Path, handle: Handler, request_: Any, version: int, passes: int) -> None:
    async with controller_harness(tmp_path) as harness:
        context = harness.context(type(request_), version)
        await handle(context, request_)
    assert context.loop_budget is not None
    assert context.loop_budget.yields >= passes * N


USERS = DescribeUserScramCredentialsRequest([UserName(name) for name in NAMES])
LOG_DIRS = DescribeLogDirsRequest([DescribableLogDirTopic(name, [0]) for name in NAMES])
TOPICS = OffsetFetchRequest("g", [OffsetFetchRequestTopic(name, [0]) for name in NAMES])
GROUPS = OffsetFetchRequest(
    groups=[
        OffsetFetchRequestGroup("g", topics=[OffsetFetchRequestTopics(name, partition_indexes=[0]) for name in NAMES])
    ]
)


@pytest.mark.parametrize(
    ("handle", "request_", "version", "passes"),
    [
        (handle_describe_user_scram_credentials, USERS, 0, 2),
        (handle_describe_log_dirs, LOG_DIRS, 1, 1),
        (handle_list_groups, ListGroupsRequest(NAMES, NAMES), 5, 2),
        (handle_offset_fetch, TOPICS, 5, 3),
        (handle_offset_fetch, GROUPS, 8, 3),
    ],
)
async def test_other_requests(handle: Handler, request_: Any, version: int, passes: int) -> None:
    harness = await TxnHarness.open()
    harness.services.scram_credentials = None
    context = harness.context(version)
    await handle(context, request_)
    assert context.loop_budget is not None
    assert context.loop_budget.yields >= passes * N


@pytest.mark.parametrize("require_stable", [False, True])
async def test_a_large_offset_fetch_answers_as_a_small_one(
    monkeypatch: pytest.MonkeyPatch, *, require_stable: bool
) -> None:
    harness = await TxnHarness.open()
    harness.coordinator.partitions.add(GROUPS_PARTITION)
    assert not await harness.commit_offset(partition=0)
    topics = [OffsetFetchRequestTopic(name, [1, 0, 0, 1, 7]) for name in ("t", "none", "t", "stamped")]
    request = OffsetFetchRequest("g", topics, require_stable=require_stable)
    found = []
    for limit in (1000, 3):
        monkeypatch.setattr("wirebroker.coordinator.group.offset_fetch._OFFSETS_PER_TURN", limit)
        found.append(await handle_offset_fetch(harness.context(7), request))
    assert found[0] == found[1]
    codes = {each.error_code for topic in cast(Any, found[0]).topics for each in topic.partitions}
    assert len(codes) == 1 + require_stable
