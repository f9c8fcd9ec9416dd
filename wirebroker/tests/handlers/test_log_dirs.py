"""DescribeLogDirs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from tools.codegen import codecs
from wirebroker.config.topic import default_log_config
from wirebroker.handlers.context import RequestContext
from wirebroker.handlers.log_dirs import handle_describe_log_dirs
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.describe_log_dirs import (
    DescribableLogDirTopic,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
)
from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import Record, RecordBatch
from wirebroker.storage.log_manager import LogManager

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[LogManager]:
    """Two directories with logs t-0, t-1, u-0, v-0 spread over them; one batch in t-0."""
    manager = LogManager([tmp_path / "a", tmp_path / "b"], default_log_config())
    manager.load()
    for topic, partition in (("t", 0), ("t", 1), ("u", 0), ("v", 0)):
        manager.get_or_create(topic, partition, is_new=True)
    log = manager.get("t", 0)
    assert log is not None
    batch = bytearray(build_batch([Record(0, 0, None, b"value", [])]))
    log.append_as_leader(RecordBatch.parse(memoryview(batch)), 0, 0)
    yield manager
    manager.close()


async def describe(
    manager: LogManager, topics: list[DescribableLogDirTopic] | None, version: int = 4
) -> DescribeLogDirsResponse:
    services = SimpleNamespace(replicas=SimpleNamespace(log_manager=manager))
    context = RequestContext(cast(Any, services), routes=RouteTable())
    context.version = version
    response = await handle_describe_log_dirs(context, DescribeLogDirsRequest(topics))
    return codecs.decode(DescribeLogDirsResponse, codecs.encode(response, version), version)


def sizes(response: DescribeLogDirsResponse) -> dict[tuple[str, int], int]:
    return {
        (topic.name, each.partition_index): each.partition_size
        for result in response.results
        for topic in result.topics
        for each in topic.partitions
    }


@pytest.mark.parametrize("version", DescribeLogDirsRequest.VERSIONS)
async def test_all_logs_in_every_version(tmp_path: Path, manager: LogManager, version: int) -> None:
    response = await describe(manager, None, version)
    assert [(each.error_code, each.log_dir) for each in response.results] == [
        (0, str(tmp_path / "a")),
        (0, str(tmp_path / "b")),
    ]
    assert [len(each.topics) for each in response.results] == [2, 2]
    size = len(build_batch([Record(0, 0, None, b"value", [])]))
    assert sizes(response) == {("t", 0): size, ("t", 1): 0, ("u", 0): 0, ("v", 0): 0}
    for result in response.results:
        assert (0 < result.usable_bytes <= result.total_bytes) if version >= 4 else result.total_bytes == -1
        assert not any(each.is_future_key or each.offset_lag for topic in result.topics for each in topic.partitions)


async def test_only_requested_and_existing_partitions(manager: LogManager) -> None:
    asked = [DescribableLogDirTopic("t", [1, 1, 7]), DescribableLogDirTopic("gone", [0]), DescribableLogDirTopic("u")]
    response = await describe(manager, asked)
    assert list(sizes(response)) == [("t", 1)]
    assert len(response.results) == 2
    assert [each.topics for each in (await describe(manager, [])).results] == [[], []]


async def test_a_directory_that_failed_is_listed_as_such(tmp_path: Path, manager: LogManager) -> None:
    manager.log_dirs.mark_offline(tmp_path / "a", OSError("broken"))
    failed, healthy = (await describe(manager, None)).results
    assert (failed.error_code, failed.log_dir) == (ErrorCode.KAFKA_STORAGE_ERROR, str(tmp_path / "a"))
    assert (failed.topics, failed.total_bytes) == ([], -1)
    assert healthy.error_code == ErrorCode.NONE
    assert len(healthy.topics) == 2


async def test_a_path_that_is_no_utf_8_is_described(tmp_path: Path) -> None:
    manager = LogManager([tmp_path / b"caf\xe9".decode(errors="surrogateescape")], default_log_config())
    manager.load()
    (result,) = (await describe(manager, None)).results
    manager.close()
    assert (result.error_code, result.log_dir) == (ErrorCode.NONE, str(tmp_path / "caf?"))
