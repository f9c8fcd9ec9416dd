"""The fast path of Produce: it answers as the general path does, or leaves the request to it with nothing changed."""

from __future__ import annotations

from struct import pack
from typing import TYPE_CHECKING, Any

import pytest
import trio

from wirebroker.handlers.produce_fast_path import (
    MAX_KNOWN,
    KnownDelayedProduce,
    remember,
    serve_known_produce,
)
from wirebroker.handlers.routes import RouteTable
from wirebroker.model import LeaderAndIsr
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.primitives import WireBuffer
from wirebroker.record.compression import Codec
from wirebroker.record.validate import AppendRules
from wirebroker.server.dispatch import read_request
from wirebroker.tests.handlers.produce_fast_path_harness import (
    PRODUCE,
    VERSIONS,
    Producer,
    decoded,
    frame,
    records,
    request,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from trio.testing import MockClock

    from wirebroker.protocol.messages.produce import (
        ProduceRequest,
    )


@pytest.mark.parametrize("acks", [1, -1])
@pytest.mark.parametrize("version", VERSIONS)
async def test_the_response_is_that_of_the_general_path(version: int, acks: int) -> None:
    producer = Producer()
    first = await producer.general(frame(request(("t", 1, records(b"a")), acks=acks), version, 1))
    second = producer.fast(frame(request(("t", 1, records(b"b" * 200, b"c")), acks=acks), version, 2))
    assert second is not None
    third = await producer.general(frame(request(("t", 1, records(b"d")), acks=acks), version, 3))
    answers = [decoded(each, version) for each in (first, second, third)]
    assert [correlation_id for correlation_id, _ in answers] == [1, 2, 3]
    assert [each.responses[0].partition_responses[0].base_offset for _, each in answers] == [0, 1, 3]
    for _, each in answers:
        each.responses[0].partition_responses[0].base_offset = 0
    assert answers[0][1] == answers[1][1] == answers[2][1]
    partition = producer.partition(1)
    assert (partition.high_watermark, partition.stats.produce_requests) == (4, 3)
    view = partition.log.view
    headers = list(view.active.headers())
    assert [(each.base_offset, each.last_offset) for each in headers] == [(0, 0), (1, 2), (3, 3)]


async def test_the_context_has_the_request() -> None:
    producer = Producer()
    await producer.general(frame(request(("t", 0, records())), 7, client_id="known"))
    producer.context.client_id = "other"
    received = frame(request(("t", 0, records())), 7, client_id="known")
    assert producer.fast(received) is not None
    context = producer.context
    assert (context.api_key, context.version, context.client_id) == (PRODUCE, 7, "known")
    assert context.request_bytes == len(received)


@pytest.mark.parametrize("version", [7, 9])
async def test_connections_share_what_is_known(version: int) -> None:
    producer = Producer()
    for index in (0, 1):
        await producer.general(frame(request(("t", index, records())), version))
    assert len(producer.context.routes.known_produce) == 2
    for index in (0, 1, 0):
        answer = producer.fast(frame(request(("t", index, records())), version))
        assert answer is not None
        assert decoded(answer, version)[1].responses[0].partition_responses[0].index == index


@pytest.mark.parametrize("version", [7, 9])
@pytest.mark.parametrize(
    "other",
    [
        request(("t", 0, records()), acks=0),
        request(("t", 0, records()), ("t", 1, records())),
        request(("t", 0, records()), ("u", 0, records())),
        request(("t", 0, records()), transactional_id="x"),
        request(("__consumer_offsets", 0, records())),
        request(("t" * 600, 0, records())),
        request(),
    ],
    ids=["acks=0", "two partitions", "two topics", "transaction", "internal topic", "long name", "empty"],
)
async def test_other_requests_are_not_remembered(other: ProduceRequest, version: int) -> None:
    producer = Producer()
    read = read_request(frame(other, version), producer.context, producer.out)
    assert read is not None
    remember(producer.context, frame(other, version), read.body)
    assert not producer.context.routes.known_produce
    assert producer.context.unpack_produce is None


@pytest.mark.parametrize("version", [7, 9])
async def test_a_request_with_more_behind_it_is_not_remembered(version: int) -> None:
    producer = Producer()
    for more in (b"\0", b"\0\0\0\0", b"\0\0\0\1\0\0\0\0"):
        await producer.general(memoryview(bytearray(bytes(frame(request(("t", 0, records())), version)) + more)))
    assert not producer.context.routes.known_produce


async def test_a_request_with_tagged_fields_is_not_remembered() -> None:
    producer = Producer()
    received = bytes(frame(request(("t", 0, records())), 9))
    tags = b"\x01\x05\0"  # of the partition: field 5, of no bytes
    await producer.general(memoryview(bytearray(received[:-3] + tags + b"\0\0")))
    assert not producer.context.routes.known_produce


async def test_what_is_known_has_a_limit() -> None:
    producer = Producer()
    known = producer.context.routes.known_produce
    await producer.general(frame(request(("t", 0, records())), 7))
    (meaning,) = known.values()
    known.update({number.to_bytes(4, "big"): meaning for number in range(MAX_KNOWN - 1)})
    await producer.general(frame(request(("t", 1, records())), 7))
    assert len(known) == 1


@pytest.mark.parametrize("version", [7, 9])
async def test_another_version_with_the_same_bytes_is_another_request(version: int) -> None:
    producer = Producer()
    await producer.general(frame(request(("t", 0, records())), version))
    assert producer.fast(frame(request(("t", 0, records())), version + 1)) is None
    answer = await producer.general(frame(request(("t", 0, records())), version + 1))
    assert not decoded(answer, version + 1)[1].responses[0].partition_responses[0].error_code
    assert producer.fast(frame(request(("t", 0, records())), version)) is None
    assert producer.fast(frame(request(("t", 0, records())), version + 1)) is not None


def _bad_checksum(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


def _with(data: bytes, at: int, value: bytes) -> bytes:
    return data[:at] + value + data[at + len(value) :]


@pytest.mark.parametrize("version", [7, 9])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        records()[:50],
        records()[:-1],
        records() + records(),
        records() + b"\0",
        _bad_checksum(records()),
        _with(records(), 0, pack(">q", 5)),
        _with(records(), 16, b"\1"),
        records(producer=(5, 0, 3)),
    ],
    ids=["none", "cut off", "short", "two", "more", "crc", "offset", "magic", "sequence"],
)
async def test_a_batch_that_is_refused_is_left_to_the_general_path(data: bytes, version: int) -> None:
    """Its answer is the same as on a connection where nothing is known, and nothing has been appended before."""
    answers = []
    for known in (True, False):
        producer = Producer()
        await producer.general(frame(request(("t", 0, records(producer=(5, 0, 0)))), version))
        received = frame(request(("t", 0, data)), version)
        if known:
            assert producer.fast(received) is None
            assert producer.partition().log.log_end_offset == 1
        answers.append(await producer.general(received))
    assert answers[0] == answers[1]


async def test_a_transactional_batch_is_left_to_the_general_path() -> None:
    producer = Producer()
    await producer.general(frame(request(("t", 0, records())), 7))
    data = records(transactional=True, producer=(5, 0, 0))
    assert producer.fast(frame(request(("t", 0, data)), 7)) is None
    assert producer.partition().log.log_end_offset == 1


@pytest.mark.parametrize("version", [7, 9])
@pytest.mark.parametrize("cut", [1, 4, 30, 60])
async def test_a_frame_that_is_cut_off_is_left_to_the_general_path(version: int, cut: int) -> None:
    producer = Producer()
    whole = frame(request(("t", 0, records())), version)
    await producer.general(frame(request(("t", 0, records())), version))
    for received in (whole[:-cut], whole[:cut], memoryview(bytes(whole) + b"\0" * cut)):
        assert producer.fast(received) is None
    assert producer.partition().log.log_end_offset == 1


async def _deleted(producer: Producer) -> None:
    await producer.harness.delete("t")


async def _not_led(producer: Producer) -> None:
    producer.partition().make_follower(LeaderAndIsr(3, 5, (3,), 9, (0, 3)))


async def _quota(producer: Producer) -> None:
    producer.harness.services.quotas.produce.enabled = True


async def _slow_disk(producer: Producer) -> None:
    producer.partition().executor.inline = False


async def _queued(producer: Producer) -> None:
    producer.partition().queued = 1


async def _min_isr(producer: Producer) -> None:
    producer.partition().below_min_isr = True


def _rules(**settings: Any) -> Callable[[Producer], Any]:
    async def change(producer: Producer) -> None:
        producer.partition().rules = AppendRules(**settings)

    return change


CHANGES = {
    "deleted": _deleted,
    "not led": _not_led,
    "quota": _quota,
    "slow disk": _slow_disk,
    "queued": _queued,
    "min.insync.replicas": _min_isr,
    "LogAppendTime": _rules(log_append_time=True),
    "codec": _rules(codec=Codec.GZIP),
    "size": _rules(max_message_bytes=10),
    "compacted": _rules(compacted=True),
}


@pytest.mark.parametrize("change", list(CHANGES.values()), ids=list(CHANGES))
async def test_a_change_since_the_last_request_counts(change: Callable[[Producer], Any]) -> None:
    producer = Producer()
    received = frame(request(("t", 0, records())), 7), frame(request(("t", 0, records())), 7)
    acks_all = frame(request(("t", 0, records()), acks=-1), 7), frame(request(("t", 0, records()), acks=-1), 7)
    await producer.general(acks_all[0])
    await producer.general(received[0])
    await change(producer)
    before = bytes(acks_all[1])
    assert producer.fast(acks_all[1]) is None
    assert bytes(acks_all[1]) == before


async def test_an_append_that_would_wait_is_left_to_the_general_path() -> None:
    producer = Producer()
    await producer.general(frame(request(("t", 0, records())), 7))
    log = producer.partition().log
    log.segments.active.index_full = True  # the next segment has to be made, which takes as long as the disk does
    received = frame(request(("t", 0, records(b"once"))), 7)
    assert producer.fast(received) is None
    assert log.log_end_offset == 1
    answer = decoded(await producer.general(received), 7)[1].responses[0].partition_responses[0]
    assert (answer.error_code, answer.base_offset, log.log_end_offset) == (0, 1, 2)
    assert len(log.segments.values) == 2


async def test_a_duplicate_gets_the_offset_of_the_first() -> None:
    producer = Producer()
    sent = [frame(request(("t", 0, records(producer=(5, 0, sequence)))), 7) for sequence in (0, 1, 0, 1)]
    bases = []
    for received in sent:
        answer, _ = await producer.produce(received)
        bases.append(decoded(answer, 7)[1].responses[0].partition_responses[0].base_offset)
    assert bases == [0, 1, 0, 1]
    assert producer.partition().log.log_end_offset == 2


REPLICATED = LeaderAndIsr(0, 1, (0, 1), 1, (0, 1))


async def replicated(version: int, timeout_ms: int = 1000) -> tuple[Producer, KnownDelayedProduce]:
    """Return a request that waits for the follower to have the second record."""
    producer = Producer()

    def asked(correlation_id: int) -> memoryview:
        wanted = request(("t", 0, records(b"a")), acks=-1)
        wanted.timeout_ms = timeout_ms
        return frame(wanted, version, correlation_id)

    await producer.general(asked(1))
    await producer.partition().make_leader(REPLICATED)
    out = WireBuffer()
    waiting = serve_known_produce(asked(2), producer.context, out)
    assert isinstance(waiting, KnownDelayedProduce)
    assert not out
    assert not waiting.is_completed
    assert producer.harness.replicas.purgatories.produce.num_delayed == 1
    return producer, waiting


def answer_of(waiting: KnownDelayedProduce, version: int) -> tuple[int, int]:
    """Return code and base offset of a response that has waited."""
    assert waiting.is_completed
    out = WireBuffer()
    left = waiting.route.left
    waiting.encode(out)
    assert waiting.route.left == left - 1 or waiting.route.left >= 1, "it is counted"
    correlation_id, response = decoded(bytes(out), version)
    assert correlation_id == 2
    (answer,) = response.responses[0].partition_responses
    assert (response.responses[0].name, answer.index) == ("t", 0)
    return answer.error_code, answer.base_offset


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_response_waits_for_the_replicas_in_sync(version: int) -> None:
    producer, waiting = await replicated(version)
    partition = producer.partition()
    partition.update_follower_fetch_state(1, 1, 0, 2)
    assert not waiting.is_completed
    assert waiting in partition.listeners
    partition.update_follower_fetch_state(1, 2, 0, 2)
    assert answer_of(waiting, version) == (ErrorCode.NONE, 1)
    assert waiting not in partition.listeners
    assert producer.harness.replicas.purgatories.produce.num_delayed == 0


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_response_that_has_waited_too_long_has_a_code(version: int, autojump_clock: MockClock) -> None:
    producer, waiting = await replicated(version, timeout_ms=300)
    await trio.sleep(0.299)
    assert not waiting.is_completed
    await trio.sleep(0.002)
    assert answer_of(waiting, version) == (ErrorCode.REQUEST_TIMED_OUT, 1)
    assert waiting not in producer.partition().listeners


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_response_has_a_code_when_this_broker_does_not_lead_any_more(version: int) -> None:
    producer, waiting = await replicated(version)
    producer.partition().make_follower(LeaderAndIsr(1, 2, (0, 1), 2, (0, 1)))
    assert answer_of(waiting, version) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, 1)


@pytest.mark.parametrize(("version", "code"), [(3, "NOT_LEADER_OR_FOLLOWER"), (4, "KAFKA_STORAGE_ERROR")])
async def test_a_response_has_the_code_of_a_log_directory_that_fails(version: int, code: str) -> None:
    producer, waiting = await replicated(version)
    directory = producer.partition().log.directory.parent
    producer.harness.replicas._partitions.set_log_dir_offline(directory, "a test")
    assert answer_of(waiting, version) == (ErrorCode[code], 1)


async def test_too_few_replicas_after_the_append_have_a_code() -> None:
    producer, waiting = await replicated(9)
    partition = producer.partition()
    partition.log.config = partition.log.config._replace(min_insync_replicas=2)
    partition.host.isr_rules = partition.host.isr_rules._replace(holds_below_min_isr=False)
    await partition.make_leader(REPLICATED._replace(isr=(0,), partition_epoch=2))
    assert answer_of(waiting, 9) == (ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, 1)
    out = WireBuffer()
    assert serve_known_produce(frame(request(("t", 0, records()), acks=-1), 9), producer.context, out) is None
    assert partition.log.log_end_offset == 2, "refused by the general path"


async def test_a_response_that_is_cancelled_listens_to_nothing() -> None:
    producer, waiting = await replicated(9)
    waiting.cancel()
    assert not producer.partition().listeners
    assert producer.harness.replicas.purgatories.produce.num_delayed == 0


async def test_a_guard_that_has_requests_wait_leaves_them_to_the_general_path() -> None:
    producer = Producer()
    settled = True
    producer.context.routes.guard(lambda _, handler: handler, lambda: settled)
    await producer.general(frame(request(("t", 0, records())), 7))
    assert producer.fast(frame(request(("t", 0, records())), 7)) is not None
    settled = False
    assert producer.fast(frame(request(("t", 0, records())), 7)) is None
    assert producer.partition().log.log_end_offset == 2


def test_guarded_handlers_have_no_fast_path() -> None:
    table = RouteTable()
    table.guard(lambda _, handler: handler)
    route = table.find(PRODUCE, 7)
    assert route is not None
    assert route.remember is None
