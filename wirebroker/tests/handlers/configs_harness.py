"""Config resources through the handlers, over a real controller with a journal: one call for each request."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from wirebroker.controller.topic_rules import NewTopic
from wirebroker.handlers.config_changes import OpType
from wirebroker.handlers.configs import handle_alter_configs, handle_describe_configs, handle_incremental_alter_configs
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages import alter_configs as old
from wirebroker.protocol.messages import incremental_alter_configs as new
from wirebroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
)
from wirebroker.tests.controller.fakes import controller_harness

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from wirebroker.tests.controller.fakes import ControllerHarness

E = ErrorCode
TOPIC, BROKER = 2, 4
SET, DELETE, APPEND, SUBTRACT = OpType


@asynccontextmanager
async def harness_with_topic(directory: Path) -> AsyncIterator[ControllerHarness]:
    """A broker 1 with the topic t."""
    async with controller_harness(directory, node_id=1) as harness:
        await harness.controller.create_topics([NewTopic("t", 1, 1)])
        yield harness


async def describe(
    harness: ControllerHarness, *resources: tuple[int, str, list[str] | None], version: int = 4, **options: bool
) -> DescribeConfigsResponse:
    request = DescribeConfigsRequest([DescribeConfigsResource(*each) for each in resources], **options)
    response = await handle_describe_configs(harness.context(DescribeConfigsRequest, version), request)
    response.write(bytearray(), version)
    return response


async def entry(
    harness: ControllerHarness, kind: int, name: str, key: str, **options: bool
) -> DescribeConfigsResourceResult:
    ((result,),) = [each.configs for each in (await describe(harness, (kind, name, [key]), **options)).results]
    return result


async def incrementally(
    harness: ControllerHarness,
    *ops: tuple[str, int, str | None],
    kind: int = TOPIC,
    name: str = "t",
    validate_only: bool = False,
) -> tuple[int, str | None]:
    configs = [new.AlterableConfig(*op) for op in ops]
    request = new.IncrementalAlterConfigsRequest([new.AlterConfigsResource(kind, name, configs)], validate_only)
    context = harness.context(new.IncrementalAlterConfigsRequest, 1)
    (answer,) = (await handle_incremental_alter_configs(context, request)).responses
    assert (answer.resource_type, answer.resource_name) == (kind, name)
    return answer.error_code, answer.error_message


async def replacing(
    harness: ControllerHarness,
    configs: dict[str, str | None],
    *,
    kind: int = TOPIC,
    name: str = "t",
    validate_only: bool = False,
) -> tuple[int, str | None]:
    resource = old.AlterConfigsResource(kind, name, [old.AlterableConfig(*pair) for pair in configs.items()])
    request = old.AlterConfigsRequest([resource], validate_only)
    (answer,) = (await handle_alter_configs(harness.context(old.AlterConfigsRequest, 2), request)).responses
    return answer.error_code, answer.error_message
