"""The transaction APIs: every refusal, and where a version puts it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import trio

from tools.codegen import codecs
from wirebroker.handlers import producers, transactions
from wirebroker.loop_budget import LoopBudget
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from wirebroker.protocol.messages.add_partitions_to_txn import AddPartitionsToTxnRequest, AddPartitionsToTxnTopic
from wirebroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from wirebroker.protocol.messages.end_txn import EndTxnRequest
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest
from wirebroker.protocol.messages.list_transactions import ListTransactionsRequest
from wirebroker.tests.coordinator.transaction.broker_harness import running, use_virtual_time, virtual_ms

if TYPE_CHECKING:
    from trio.testing import MockClock

refusals = pytest.mark.parametrize(
    "code", [E.COORDINATOR_LOAD_IN_PROGRESS, E.COORDINATOR_NOT_AVAILABLE, E.NOT_COORDINATOR]
)


@pytest.fixture(autouse=True)
def virtual_time(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    use_virtual_time(request, monkeypatch)


# -- a coordinator that is not there -----------------------------------------------------------------------------


class FailingCoordinator:
    """A transaction coordinator that says no to everything."""

    topic = "__consumer_offsets"

    def __init__(self, code: E) -> None:
        self.code = code

    def __getattr__(self, _: str) -> Any:
        async def refuse(*_: object, **__: object) -> Any:
            raise ApiError(self.code)

        return refuse

    def partition_for(self, _: str) -> int:
        return 0

    async def create_internal(self, _: str) -> None:
        """It is there."""


def refusing(version: int, code: E) -> Any:
    topic = SimpleNamespace(partitions=[None, None])
    image = SimpleNamespace(topic=lambda name: topic if name == "t" else None)
    coordinator = FailingCoordinator(code)
    services = SimpleNamespace(
        transactions=coordinator, groups=coordinator, administration=coordinator, metadata=SimpleNamespace(image=image)
    )
    return SimpleNamespace(version=version, services=services, start_budget=LoopBudget)


@refusals
async def test_a_coordinator_that_is_not_there(code: E) -> None:
    context = refusing(3, code)
    started = await producers.handle_init_producer_id(context, InitProducerIdRequest("x", 1000))
    assert (started.error_code, started.producer_id, started.producer_epoch) == (code, -1, -1)
    topics = [AddPartitionsToTxnTopic("t", [0, 1])]
    added = await transactions.handle_add_partitions_to_txn(
        context, AddPartitionsToTxnRequest(v3_and_below_transactional_id="x", v3_and_below_topics=topics)
    )
    codes = [each.partition_error_code for each in added.results_by_topic_v3_and_below[0].results_by_partition]
    assert codes == [code, code]
    offsets = await transactions.handle_add_offsets_to_txn(context, AddOffsetsToTxnRequest("x", 1, 1, "g"))
    assert offsets.error_code == code
    assert (await transactions.handle_end_txn(context, EndTxnRequest("x", 1, 1, True))).error_code == code
    described = await transactions.handle_describe_transactions(context, DescribeTransactionsRequest(["x"]))
    assert [(each.error_code, each.transactional_id) for each in described.transaction_states] == [(code, "x")]
    assert (await transactions.handle_list_transactions(context, ListTransactionsRequest())).error_code == code


# -- InitProducerId ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("transactional_id", "expected", "timeout_ms", "code"),
    [
        (None, (-1, -1), 0, E.NONE),
        (None, (5, 5), -1, E.NONE),
        (None, (5, -1), 1, E.INVALID_REQUEST),
        ("x", (-1, 5), 1, E.INVALID_REQUEST),
        ("", (-1, -1), 1000, E.INVALID_REQUEST),
        ("x" * 32767, (-1, -1), 1000, E.NONE),
        ("x" * 32766 + "é", (-1, -1), 1000, E.INVALID_REQUEST),
        ("x", (-1, -1), 0, E.INVALID_TRANSACTION_TIMEOUT),
        ("x", (-1, -1), -1, E.INVALID_TRANSACTION_TIMEOUT),
        ("x", (-1, -1), 900_001, E.INVALID_TRANSACTION_TIMEOUT),
        ("x", (-1, -1), 900_000, E.NONE),
        ("x", (5, 5), 1, E.NONE),
    ],
)
async def test_init(transactional_id: str | None, expected: tuple[int, int], timeout_ms: int, code: E) -> None:
    async with running() as harness:
        answer = await harness.init(transactional_id, expected, timeout_ms=timeout_ms)
        assert answer.error_code == code
        assert (answer.producer_id, answer.producer_epoch) == ((-1, -1) if code else (100, 0))


@pytest.mark.parametrize(("version", "code"), [(3, E.INVALID_PRODUCER_EPOCH), (4, E.PRODUCER_FENCED)])
async def test_a_fenced_producer_gets_a_code_of_its_version(version: int, code: E) -> None:
    async with running() as harness:
        producer = await harness.started()
        await harness.started()
        for expected in (producer, (99, 0)):  # a wrong id is no mapping error here, as on 3.9.1
            answer = await harness.init("x", expected, version=version)
            assert (answer.error_code, answer.producer_id, answer.producer_epoch) == (code, -1, -1)


# -- AddPartitionsToTxn ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [0, 1, 2, 3])
async def test_one_bad_partition_spoils_the_request(version: int) -> None:
    async with running() as harness:
        producer = await harness.started()
        codes = await harness.add(producer, 0, 3, -1, version=version)
        assert codes == [E.OPERATION_NOT_ATTEMPTED, E.UNKNOWN_TOPIC_OR_PARTITION, E.UNKNOWN_TOPIC_OR_PARTITION]
        assert await harness.add(producer, 0, topic="u", version=version) == [E.UNKNOWN_TOPIC_OR_PARTITION]
        for topic in ("__consumer_offsets", "__transaction_state"):
            assert await harness.add(producer, 0, topic=topic, version=version) == [E.TOPIC_AUTHORIZATION_FAILED]
        assert await harness.state() == "Empty"
        assert await harness.add(producer, 0, 1, version=version) == [E.NONE, E.NONE]


@pytest.mark.parametrize(("version", "fenced"), [(1, E.INVALID_PRODUCER_EPOCH), (2, E.PRODUCER_FENCED)])
async def test_other_producers_and_epochs_are_refused(version: int, fenced: E) -> None:
    async with running() as harness:
        producer_id, epoch = await harness.started()
        for who, code in (((7, epoch), E.INVALID_PRODUCER_ID_MAPPING), ((producer_id, epoch + 1), fenced)):
            assert await harness.add(who, 0, 1, version=version) == [code, code]
            assert await harness.add_offsets(who, version=version) == code
            assert (await harness.end(who, version=version)).error_code == code
        producer = producer_id, epoch
        mapping = E.INVALID_PRODUCER_ID_MAPPING
        assert await harness.add(producer, 0, transactional_id="y", version=version) == [mapping]
        assert await harness.add_offsets(producer, transactional_id="y", version=version) == mapping
        assert (await harness.end(producer, transactional_id="y", version=version)).error_code == mapping
        assert await harness.add(producer, 0, transactional_id="", version=version) == [E.INVALID_REQUEST]
        assert await harness.add_offsets(producer, transactional_id="", version=version) == E.INVALID_REQUEST
        assert (await harness.end(producer, transactional_id="", version=version)).error_code == E.INVALID_REQUEST


async def test_several_transactions_at_once() -> None:
    async with running() as harness:
        x, y = await harness.started("x"), await harness.started("y")
        answer = await harness.add_batched(
            ("x", x, [0, 1], False),
            ("y", y, [0], True),
            ("x", x, [1, 2], True),
            ("z", x, [0], True),
            ("", x, [0], True),
        )
        told = [
            (
                result.transactional_id,
                [each.partition_error_code for each in result.topic_results[0].results_by_partition],
            )
            for result in answer.results_by_transaction
        ]
        assert told == [
            ("x", [E.NONE, E.NONE]),
            ("y", [E.TRANSACTION_ABORTABLE]),
            ("x", [E.NONE, E.TRANSACTION_ABORTABLE]),
            ("z", [E.INVALID_PRODUCER_ID_MAPPING]),
            ("", [E.INVALID_REQUEST]),
        ]
        assert (await harness.state("y"), answer.error_code) == ("Empty", E.NONE)


async def test_no_transactions_at_all_are_answered() -> None:
    async with running() as harness:
        assert (await harness.add_batched()).results_by_transaction == []


async def test_verification_refuses_partitions_that_are_not_there() -> None:
    async with running() as harness:
        answer = await harness.add_batched(("x", await harness.started(), [0, 9], True))
        codes = [
            each.partition_error_code for each in answer.results_by_transaction[0].topic_results[0].results_by_partition
        ]
        assert codes == [E.OPERATION_NOT_ATTEMPTED, E.UNKNOWN_TOPIC_OR_PARTITION]


async def test_a_topic_without_partitions_is_returned_so() -> None:
    async with running() as harness:
        assert await harness.add(await harness.started()) == []


# -- EndTxn ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("version", "told"), [(3, (-1, -1)), (4, (-1, -1)), (5, (100, 1))])
async def test_only_version_5_gets_an_epoch(version: int, told: tuple[int, int]) -> None:
    async with running() as harness:
        producer = await harness.started()
        assert (await harness.end(producer, version=version)).error_code == E.INVALID_TXN_STATE
        await harness.add(producer, 0)
        answer = await harness.end(producer, version=version)
        read = codecs.decode(type(answer), codecs.encode(answer, version), version)
        assert (read.error_code, read.producer_id, read.producer_epoch) == (E.NONE, *told)


# -- looking -----------------------------------------------------------------------------------------------------


async def test_describe() -> None:
    async with running() as harness:
        producer = await harness.started(timeout_ms=7_000)
        await harness.add(producer, 2, 0)
        await harness.add_offsets(producer)
        found, missing, unnamed = await harness.describe("x", "y", "")
        assert (found.error_code, found.transaction_state, found.transaction_timeout_ms) == (E.NONE, "Ongoing", 7_000)
        assert (found.producer_id, found.producer_epoch) == producer
        assert virtual_ms() - 1000 < found.transaction_start_time_ms <= virtual_ms()
        assert [(each.topic, each.partitions) for each in found.topics] == [("t", [2, 0]), ("__consumer_offsets", [0])]
        assert (missing.error_code, missing.transactional_id) == (E.TRANSACTIONAL_ID_NOT_FOUND, "y")
        assert unnamed.error_code == E.INVALID_REQUEST


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({}, "abc"),
        ({"state_filters": ["Ongoing"]}, "b"),
        ({"state_filters": ["Ongoing", "Empty"]}, "ab"),
        ({"state_filters": ["ongoing"]}, ""),
        ({"producer_id_filters": [102, 100]}, "ac"),
        ({"producer_id_filters": [101], "state_filters": ["Empty"]}, ""),
        ({"duration_filter": 0}, "abc"),
        ({"duration_filter": 10_000}, "a"),  # not open, and so open for ever; Kafka says the same
        ({"duration_filter": 1_000}, "abc"),
        ({"transactional_id_pattern": "[ab]"}, "ab"),
        ({"transactional_id_pattern": ""}, "abc"),
        ({"transactional_id_pattern": "x.*"}, ""),
    ],
)
async def test_list(filters: dict[str, Any], names: str, autojump_clock: MockClock) -> None:
    async with running() as harness:
        for name in "abc":
            producer = await harness.started(name)
            if name != "a":
                await harness.add(producer, 0, transactional_id=name)
            if name == "c":
                await harness.end(producer, transactional_id=name)
        await trio.sleep(5)
        answer = await harness.listed(**filters)
        assert answer.error_code == E.NONE
        found = sorted(
            (each.transactional_id, each.producer_id, each.transaction_state) for each in answer.transaction_states
        )
        everything = {"a": ("a", 100, "Empty"), "b": ("b", 101, "Ongoing"), "c": ("c", 102, "CompleteCommit")}
        assert found == [everything[name] for name in names]


async def test_filters_that_name_no_state_are_echoed() -> None:
    async with running() as harness:
        answer = await harness.listed(state_filters=["Nope", "Empty", "empty", "Nope"])
        assert answer.unknown_state_filters == ["Nope", "empty"]


async def test_a_pattern_that_is_none() -> None:
    async with running() as harness:
        assert (await harness.listed(transactional_id_pattern="(")).error_code == E.INVALID_REGULAR_EXPRESSION
