"""ARCHITECTURE.md against the code: its rooms, its floors, and the functions that five requests really call."""

from __future__ import annotations

import ast
import re
import tomllib
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
import trio

from wirebroker.model import GROUP_METADATA_TOPIC_NAME, TRANSACTION_STATE_TOPIC_NAME
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
)
from wirebroker.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest, CreateTopicsResponse
from wirebroker.protocol.messages.end_txn import EndTxnRequest, EndTxnResponse
from wirebroker.protocol.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from wirebroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse
from wirebroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from wirebroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from wirebroker.record.builder import build_batch
from wirebroker.record.record_batch import TRANSACTIONAL, BatchProducer, Record
from wirebroker.tests.traced_broker import TracedBroker, run_traced_broker

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from wirebroker.tests.traced_broker import Call

    Trace = Callable[[Path, pytest.MonkeyPatch], Awaitable[list[Call]]]

PACKAGE: Final = Path(__file__).parents[1]
TEXT: Final = (PACKAGE / "ARCHITECTURE.md").read_text()
FIRST_ROWS: Final = 6
"""Rows of Produce with which every request begins."""
TOPIC: Final = "t"
ATTEMPTS: Final = 20
PRODUCE_VERSION: Final = 9
FETCH_VERSION: Final = 12
JOIN_VERSION: Final = 9
CREATE_VERSION: Final = 7
END_TXN_VERSION: Final = 4
COMMIT_VERSION: Final = 8


class Row(NamedTuple):
    """One row of a table in section 3."""

    number: int
    file: str
    function: str


@cache
def section(title: str) -> str:
    """The text below the heading *title*."""
    (text,) = re.findall(rf"^#+ (?:\d\. )?{title}\n(.*?)(?=^#|\Z)", TEXT, re.MULTILINE | re.DOTALL)
    return str(text)


@cache
def rows(title: str) -> tuple[Row, ...]:
    found = re.findall(r"^\| (\d+) \| `([\w/.]+)` \| `([\w.]+)` \|", section(title), re.MULTILINE)
    assert len(found) == section(title).count("\n|") - 2, "a row is not `| number | file | function | ... |`"
    return tuple(Row(int(number), file, function) for number, file, function in found)


@cache
def functions(file: str) -> frozenset[str]:
    """The qualified names of all functions in *file*."""
    found: set[str] = set()

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                found.add(prefix + child.name)
            elif isinstance(child, ast.ClassDef):
                visit(child, f"{prefix}{child.name}.")

    visit(ast.parse((PACKAGE / file).read_text()), "")
    return frozenset(found)


def rooms() -> set[str]:
    """The top-level modules and all packages of wirebroker but the tests, as section 1 writes them."""
    modules = {path.name for path in PACKAGE.glob("*.py") if path.name != "__init__.py"}
    packages = {f"{path.parent.relative_to(PACKAGE)}/" for path in PACKAGE.glob("**/__init__.py")}
    return modules | {name for name in packages if name != "./" and not name.startswith("tests/")}


def test_every_room_has_a_line_and_no_line_is_left_over() -> None:
    named = re.findall(r"^\| (`.*?`) \|", section("Rooms"), re.MULTILINE)
    listed = [name for line in named for name in re.findall(r"`([\w/.]+)`", line)]
    assert sorted(listed) == sorted(rooms())


def test_the_floors_are_those_of_the_import_contract() -> None:
    (contract, *_) = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (block,) = re.findall(r"^```\n(.*?)^```", section("Floors"), re.MULTILINE | re.DOTALL)
    floors = [set(re.findall(r"\w+", line)) for line in block.splitlines()]
    assert floors == [set(re.findall(r"\w+", layer)) for layer in contract["layers"]]
    assert contract["exhaustive"], "a new room must be put on a floor"


def create_topics(*names: str) -> CreateTopicsRequest:
    topics = [CreatableTopic(name=name, num_partitions=1, replication_factor=1) for name in names]
    return CreateTopicsRequest(topics=topics, timeout_ms=10_000)


def produce(batch: bytes, transactional_id: str | None = None, timeout_ms: int = 10_000) -> ProduceRequest:
    data = [TopicProduceData(name=TOPIC, partition_data=[PartitionProduceData(0, memoryview(batch))])]
    return ProduceRequest(transactional_id=transactional_id, acks=-1, timeout_ms=timeout_ms, topic_data=data)


@asynccontextmanager
async def running(directory: Path, *topics: str) -> AsyncIterator[TracedBroker]:
    settings = {
        "group.initial.rebalance.delay.ms": 0,
        "offsets.topic.num.partitions": 1,
        "transaction.state.log.num.partitions": 1,
    }
    with trio.fail_after(60):
        async with run_traced_broker(directory, settings) as broker:
            if topics:
                await broker.request(create_topics(*topics), CREATE_VERSION, CreateTopicsResponse)
            yield broker


def batch(sequence: int, producer: tuple[int, int] = (1, 0), attributes: int = 0) -> bytes:
    records = [Record(0, 0, None, b"value", [])]
    return build_batch(records, producer=BatchProducer(*producer, sequence), attributes=attributes)


async def trace_produce(directory: Path, monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """The second batch of an idempotent producer, in a request that is not like the first one."""
    async with running(directory, TOPIC) as broker:
        await broker.request(produce(batch(0)), PRODUCE_VERSION, ProduceResponse)
        other = produce(batch(1), timeout_ms=9_999)
        response, calls = await broker.trace(monkeypatch, other, PRODUCE_VERSION, ProduceResponse)
    assert response.responses[0].partition_responses[0].base_offset == 1
    return calls


def fetch(session_id: int, epoch: int, topics: list[FetchTopic]) -> FetchRequest:
    return FetchRequest(
        max_wait_ms=0, min_bytes=1, max_bytes=1 << 20, session_id=session_id, session_epoch=epoch, topics=topics
    )


async def trace_fetch(directory: Path, monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """An incremental request of a session, for records that have come since the request before."""
    async with running(directory, TOPIC) as broker:
        topics = [FetchTopic(topic=TOPIC, partitions=[FetchPartition(partition_max_bytes=1 << 20)])]
        opened = await broker.request(fetch(0, 0, topics), FETCH_VERSION, FetchResponse)
        await broker.request(produce(batch(0)), PRODUCE_VERSION, ProduceResponse)
        response, calls = await broker.trace(monkeypatch, fetch(opened.session_id, 1, []), FETCH_VERSION, FetchResponse)
    assert response.responses[0].partitions[0].records
    return calls


async def trace_join_group(directory: Path, monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """The only member of a group joins with the member id that it was given."""
    async with running(directory, GROUP_METADATA_TOPIC_NAME) as broker:
        request = JoinGroupRequest(
            group_id="g",
            session_timeout_ms=10_000,
            rebalance_timeout_ms=10_000,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol("range", b"")],
        )
        while True:
            first = await broker.request(request, JOIN_VERSION, JoinGroupResponse)
            if first.error_code == ErrorCode.MEMBER_ID_REQUIRED:
                break
            await trio.sleep(0.01)
        request.member_id = first.member_id
        response, calls = await broker.trace(monkeypatch, request, JOIN_VERSION, JoinGroupResponse)
    assert response.leader == first.member_id
    return calls


async def trace_end_txn(directory: Path, monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    """The commit of a transaction with one batch in one partition."""
    async with running(directory, TOPIC, TRANSACTION_STATE_TOPIC_NAME) as broker:
        init = InitProducerIdRequest(transactional_id="x", transaction_timeout_ms=10_000)
        while True:
            producer = await broker.request(init, 4, InitProducerIdResponse)
            if not producer.error_code:
                break
            await trio.sleep(0.01)
        add = AddPartitionsToTxnRequest(
            v3_and_below_transactional_id="x",
            v3_and_below_producer_id=producer.producer_id,
            v3_and_below_producer_epoch=producer.producer_epoch,
            v3_and_below_topics=[AddPartitionsToTxnTopic(TOPIC, [0])],
        )
        await broker.request(add, 3, AddPartitionsToTxnResponse)
        data = batch(0, (producer.producer_id, producer.producer_epoch), TRANSACTIONAL)
        await broker.request(produce(data, "x"), PRODUCE_VERSION, ProduceResponse)
        end = EndTxnRequest("x", producer.producer_id, producer.producer_epoch, True)
        response, calls = await broker.trace(monkeypatch, end, END_TXN_VERSION, EndTxnResponse)
    assert response.error_code == 0
    return calls


async def trace_create_topics(directory: Path, monkeypatch: pytest.MonkeyPatch) -> list[Call]:
    async with running(directory, TOPIC) as broker:
        response, calls = await broker.trace(monkeypatch, create_topics("other"), CREATE_VERSION, CreateTopicsResponse)
    assert response.topics[0].error_code == 0
    return calls


TRACES: Final[dict[str, Trace]] = {
    "Produce": trace_produce,
    "Fetch": trace_fetch,
    "JoinGroup": trace_join_group,
    "EndTxn": trace_end_txn,
    "CreateTopics": trace_create_topics,
}
"""Heading of a table -> the trace of a request."""


def test_every_table_is_traced() -> None:
    assert re.findall(r"^### (\w+)\n(?:(?!^#).)*?^\| # \|", TEXT, re.MULTILINE | re.DOTALL) == list(TRACES)


@pytest.mark.parametrize("title", TRACES)
def test_functions_of_a_table_exist(title: str) -> None:
    found = rows(title)
    assert [row.number for row in found] == list(range(1, len(found) + 1))
    assert [row for row in found if row.function not in functions(row.file)] == []


@pytest.mark.parametrize("title", TRACES)
async def test_a_request_calls_the_functions_of_its_table_in_their_order(
    title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter([(call.file, call.function) for call in await TRACES[title](tmp_path, monkeypatch)])
    expected = rows(title) if title == "Produce" else (*rows("Produce")[:FIRST_ROWS], *rows(title))
    for row in expected:
        assert (row.file, row.function) in calls, f"{row} is not called, or not after the rows before"


async def test_a_produce_like_the_last_one_takes_the_fast_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, left_out, appended = rows("Produce")[:1], rows("Produce")[2:9], rows("Produce")[10:]
    async with running(tmp_path, TOPIC) as broker:
        await broker.request(produce(batch(0)), PRODUCE_VERSION, ProduceResponse)
        for sequence in range(1, ATTEMPTS + 1):  # a busy machine makes a disk slow, for which the general path is there
            request = produce(batch(sequence))
            response, made = await broker.trace(monkeypatch, request, PRODUCE_VERSION, ProduceResponse)
            assert response.responses[0].partition_responses[0].base_offset == sequence
            calls = [(call.file, call.function) for call in made]
            if not any((row.file, row.function) in calls for row in left_out):
                break
    assert not {(row.file, row.function) for row in left_out} & set(calls)
    fast = [
        ("server/connection.py", "Connection.serve_known"),
        ("handlers/produce_fast_path.py", "serve_known_produce"),
        ("replication/partition.py", "Partition.append_at_once"),
    ]
    in_order = iter(calls)
    for call in (*((row.file, row.function) for row in first), *fast, *((row.file, row.function) for row in appended)):
        assert call in in_order, f"{call} is not called, or not after those before"


async def test_a_commit_like_the_last_ones_takes_the_fast_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def commit(offset: int) -> OffsetCommitRequest:
        partition = OffsetCommitRequestPartition(0, offset, committed_metadata="")
        return OffsetCommitRequest("g", topics=[OffsetCommitRequestTopic(TOPIC, partitions=[partition])])

    def code(response: OffsetCommitResponse) -> int:
        return response.topics[0].partitions[0].error_code

    async with running(tmp_path, TOPIC, GROUP_METADATA_TOPIC_NAME) as broker:
        while True:
            if not code(await broker.request(commit(0), COMMIT_VERSION, OffsetCommitResponse)):
                break
            await trio.sleep(0.01)
        for offset in range(1, ATTEMPTS + 1):  # a busy machine may take more than a second from one to the next
            await broker.request(commit(offset), COMMIT_VERSION, OffsetCommitResponse)
            response, made = await broker.trace(monkeypatch, commit(offset), COMMIT_VERSION, OffsetCommitResponse)
            assert not code(response)
            calls = [(call.file, call.function) for call in made]
            if ("server/dispatch.py", "read_request") not in calls:
                break
    left_out = [("server/dispatch.py", "serve"), ("handlers/group_offsets.py", "handle_offset_commit")]
    assert not set(left_out) & set(calls)
    first, join = rows("Produce")[:1], rows("JoinGroup")
    expected = [
        *((row.file, row.function) for row in first),
        ("server/connection.py", "Connection.serve_known"),
        ("handlers/offset_commit_fast_path.py", "KnownOffsetCommits.serve"),
        ("coordinator/service.py", "CoordinatorService.request_or_delay"),
        ("coordinator/runtime.py", "CoordinatorRuntime.request_or_delay"),
        *((row.file, row.function) for row in join if row.number in (4, 14)),
    ]
    in_order = iter(calls)
    for call in expected:
        assert call in in_order, f"{call} is not called, or not after those before"
