"""Producer ids whose 32,767 epochs are used up, on wirebroker and on Apache Kafka 3.9.1 and 4.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.transactions.differences import OLD_EPOCH_WHEN_EXHAUSTED, REPLACED_PRODUCER_ID
from compat_tests.transactions.scenario import Producer, TransactionScenario
from compat_tests.wire import Wire, decode_response, encode
from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.messages.init_producer_id import InitProducerIdRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    Same = Callable[..., None]

pytestmark = pytest.mark.nightly

LAST_EPOCH = 32766
AT_ONCE = 100


def use_up(s: TransactionScenario, to_epoch: int) -> Producer:
    """Initialise again and again; many requests are under way, since one after the other would take minutes."""
    first = s.producer()
    frame = encode(InitProducerIdRequest(first.name, 60_000), 4, 7)
    left = to_epoch - first.epoch
    with Wire(s.broker.host, s.broker.port, 60) as wire:
        while left:
            count = min(left, AT_ONCE)
            for _ in range(count):
                wire.send_frame(frame)
            answers = [decode_response(InitProducerIdRequest.API_KEY, 4, wire.receive_frame()) for _ in range(count)]
            assert not any(each.error_code for each in answers)
            left -= count
    assert answers[-1].producer_epoch == to_epoch
    assert answers[-1].producer_id == first.id
    return first._replace(epoch=to_epoch)


def test_a_producer_that_starts_gets_another_id(same: Same) -> None:
    def script(s: TransactionScenario) -> None:
        last = use_up(s, LAST_EPOCH)
        s.describe()
        for version in (4, 5):
            s.expect_difference(OLD_EPOCH_WHEN_EXHAUSTED)
            s.init(version, last.name, known=(last.id, last.epoch - 1))
        new = s.init(4, last.name, known=(last.id, last.epoch))
        s.describe()
        s.init(4, last.name, known=(last.id, last.epoch))  # the answer was lost
        s.add(3, last)
        s.add(3, Producer(new.producer_id, new.producer_epoch, last.name))
        s.end(4, last)
        s.producer()

    same(script)


def test_a_producer_that_starts_without_a_word_gets_another_id(same: Same) -> None:
    def script(s: TransactionScenario) -> None:
        last = use_up(s, LAST_EPOCH)
        new = s.producer()
        s.describe()
        s.add(3, last)
        s.add(3, new)
        s.write(new, 0)
        s.end(4, new)
        s.read()

    same(script)


def test_the_last_epoch_is_fenced(same: Same) -> None:
    """The coordinator aborts under one epoch more than producers get."""

    def script(s: TransactionScenario) -> None:
        last = use_up(s, LAST_EPOCH)
        s.add(3, last)
        s.write(last, 0)
        s.producer()
        s.describe()
        s.expect_difference(REPLACED_PRODUCER_ID)
        s.write(last, 1)
        s.end(4, last)
        s.read()

    same(script)


@pytest.mark.parametrize("before", [1, 0])
def test_ends_that_use_up_the_epochs(same: Same, before: int) -> None:
    """EndTxn 5 gives out another id when there is no epoch left for the next transaction."""

    def script(s: TransactionScenario) -> None:
        producer = use_up(s, LAST_EPOCH - before)
        for commit in (True, False, True):
            s.write(producer, 0, version=12)
            answer = s.end(5, producer, commit)
            s.describe()
            s.end(5, producer, commit)  # the answer was lost
            s.end(5, producer, not commit)
            old, producer = producer, Producer(answer.producer_id, answer.producer_epoch, producer.name)
            if old.id != producer.id:
                s.expect_difference(REPLACED_PRODUCER_ID)
            s.write(old, 1, version=12)
        s.read()

    same(script, (ApiKey.END_TXN, 5), (ApiKey.PRODUCE, 12))
