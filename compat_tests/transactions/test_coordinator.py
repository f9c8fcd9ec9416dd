"""The requests of the transaction coordinator in every version, in valid and invalid order, on wirebroker and on
Apache Kafka 3.9.1 and 4.1: the same answers, field by field. Intended differences are named where they occur, with
the reason (differences.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from compat_tests.transactions.differences import (
    ANSWERED_AFTER_THE_MARKERS,
    CURRENT_PRODUCER_GOES_ON,
    EPOCH_OF_THE_FENCED,
    FENCED_BY_THE_COORDINATOR,
    FENCED_PRODUCER_ABORTS,
)
from compat_tests.transactions.scenario import Producer, TransactionScenario
from wirebroker.protocol.api import ApiKey
from wirebroker.protocol.messages.find_coordinator import FindCoordinatorRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    Same = Callable[..., None]


@pytest.mark.parametrize("version", range(6))
def test_init_producer_id(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        for name in (None, ""):
            for timeout_ms in (60_000, 0, -1, 900_001):
                s.init(version, name, timeout_ms)
        for timeout_ms in (0, -1, 900_001, 900_000, 1):
            s.init(version, s.name(), timeout_ms)
        s.describe()
        s.init(version, s.name(), 60_000)
        s.describe()
        s.producer(version=version)

    same(script, (ApiKey.INIT_PRODUCER_ID, version))


@pytest.mark.parametrize("version", range(6))
def test_init_producer_id_in_an_open_transaction(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        old = s.producer(version=version)
        s.add(3, old)
        new = s.producer(version=version)
        s.describe()
        s.add(3, old)
        s.add(3, new)
        s.describe()
        s.end(3, new, False)
        s.describe()
        s.read()

    same(script, (ApiKey.INIT_PRODUCER_ID, version))


@pytest.mark.parametrize("version", [3, 4, 5])
def test_init_producer_id_that_knows_its_epoch(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        for known in ((5, 0), (5, -1), (-1, 5), (-2, -2)):
            s.init(version, None, known=known)
            s.init(version, s.name(f"{known}"), known=known)
        first = s.producer()
        second = s.init(version, first.name, known=(first.id, first.epoch))
        for known in (
            (first.id, first.epoch), (first.id, first.epoch), (first.id, second.producer_epoch), (first.id, -1),
            (first.id + 1000, 0), (first.id + 1000, 5), (first.id, 30), (-1, first.epoch), (first.id, 0),
        ):  # fmt: skip
            s.init(version, first.name, known=known)
            s.describe()

    same(script, (ApiKey.INIT_PRODUCER_ID, version))


@pytest.mark.parametrize("version", [3, 4, 5])
def test_init_producer_id_that_knows_its_epoch_in_an_open_transaction(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer()
        s.add(3, producer)
        s.expect_difference(ANSWERED_AFTER_THE_MARKERS)
        s.init(version, producer.name, known=(producer.id, producer.epoch))
        s.await_completion(producer.name)
        s.describe()
        s.expect_difference(FENCED_BY_THE_COORDINATOR)
        s.init(version, producer.name, known=(producer.id, producer.epoch))
        s.init(version, producer.name, known=(producer.id, producer.epoch + 1))

    same(script, (ApiKey.INIT_PRODUCER_ID, version))


@pytest.mark.parametrize("version", [3, 4, 5])
@pytest.mark.parametrize("change", [1, -1])
def test_a_fenced_producer_does_not_abort_the_transaction(same: Same, version: int, change: int) -> None:
    def script(s: TransactionScenario) -> None:
        s.producer()
        producer = s.producer()
        s.add(3, producer)
        s.expect_difference(FENCED_PRODUCER_ABORTS)
        s.init(version, producer.name, known=(producer.id, producer.epoch + change))
        s.await_completion(producer.name)
        s.expect_difference(CURRENT_PRODUCER_GOES_ON)
        s.end(3, producer)

    same(script, (ApiKey.INIT_PRODUCER_ID, version))


@pytest.mark.parametrize("version", range(4))
def test_add_partitions(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        s.add(version, Producer(1, 0, s.name("-none")))
        s.add(version, Producer(1, 0, ""))
        producer = s.producer()
        for wrong in (
            producer.with_id(1000),
            producer.with_epoch(-1),
            producer.with_epoch(1),
            Producer(-1, -1, producer.name),
        ):
            s.add(version, wrong)
        s.add(version, producer, {"missing": [0]})
        s.add(version, producer, {s.topic: [0, 7, -1], "missing": [0]})
        s.add(version, producer, {"__consumer_offsets": [0], s.topic: [0]})
        s.add(version, producer, {"__transaction_state": [0], s.topic: [0]})
        s.add(version, producer, {"": [0]})
        s.describe()
        s.add(version, producer, {})
        s.add(version, producer, {s.topic: []})
        s.describe()
        s.add(version, producer)
        s.describe()
        s.add(version, producer)
        s.add(version, producer, {s.topic: [1, 1, 2]})
        s.describe()
        s.end(3, producer)
        s.describe()
        s.add(version, producer, {s.topic: [2]})
        s.add(version, producer, {s.topic: [2], "missing": [1]})
        s.describe()
        s.end(3, producer, False)
        for partition in range(3):
            s.read(partition=partition)

    same(script, (ApiKey.ADD_PARTITIONS_TO_TXN, version))


@pytest.mark.parametrize("version", [4, 5])
def test_add_partitions_as_brokers_send_it(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        none, empty = Producer(1, 0, s.name("-none")), Producer(1, 0, "")
        one, two = s.producer("-1"), s.producer("-2")
        for verify in (True, False):
            s.add_many(version, (none, verify))
            s.add_many(version, (empty, verify))
            s.add_many(version, (one, verify))
            s.add_many(version, (one, verify), wanted={s.topic: [0, 1], "missing": [0]})
            s.add_many(version, (one, verify), wanted={s.topic: [0, 1, 9]})
            s.add_many(version, (one, verify), wanted={"__consumer_offsets": [0], s.topic: [0]})
            s.add_many(version, (one, verify), wanted={})
            for wrong in (one.with_id(1000), one.with_epoch(-1), one.with_epoch(1)):
                s.add_many(version, (wrong, verify))
            s.describe(one.name)
            s.end(3, one)
        s.add_many(version, (one, True), (none, True), (two, False))
        s.describe(one.name, two.name)
        s.add_many(version, (two, True), (one, False))
        s.describe(one.name, two.name)
        s.end(3, one)
        s.end(3, two, False)
        s.add_many(version, (one, True), (two, True))

    same(script, (ApiKey.ADD_PARTITIONS_TO_TXN, version))


@pytest.mark.parametrize("version", range(5))
def test_add_offsets(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        s.add_offsets(version, Producer(1, 0, s.name("-none")))
        s.add_offsets(version, Producer(1, 0, ""))
        producer = s.producer()
        for wrong in (producer.with_id(1000), producer.with_epoch(-1), producer.with_epoch(1)):
            s.add_offsets(version, wrong)
        s.add_offsets(version, producer, "")
        s.describe()
        s.end(3, producer)
        s.add_offsets(version, producer)
        s.describe()
        s.add_offsets(version, producer)
        s.add_offsets(version, producer, s.group + "another")
        s.describe()
        s.end(3, producer)
        s.describe()
        s.add_offsets(version, producer)
        s.end(3, producer, False)

    same(script, (ApiKey.ADD_OFFSETS_TO_TXN, version))


@pytest.mark.parametrize("commit", [True, False])
@pytest.mark.parametrize("version", range(6))
def test_end(same: Same, version: int, commit: bool) -> None:
    def script(s: TransactionScenario) -> None:
        for name in (s.name("-none"), ""):
            s.end(version, Producer(1, 0, name), commit)
        producer = s.producer()
        for wrong in (producer.with_id(1000), producer.with_epoch(-1), producer.with_epoch(1)):
            s.end(version, wrong, commit)
        s.describe()
        s.end(version, producer, commit)
        s.describe()

    same(script, (ApiKey.END_TXN, version))


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("version", range(5))
def test_end_again_and_again(same: Same, version: int, first: bool) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer()
        s.add(3, producer)
        s.write(producer, 0)
        for wrong in (producer.with_id(1000), producer.with_epoch(-1), producer.with_epoch(1)):
            s.end(version, wrong, first)
        s.describe()
        for commit in (first, first, not first, first):
            s.end(version, producer, commit)
            s.describe()
        for wrong in (producer.with_id(1000), producer.with_epoch(-1), producer.with_epoch(1)):
            s.end(version, wrong, first)
        s.read()
        s.add(3, producer, {s.topic: [1, 2]})
        s.end(version, producer, not first)
        s.end(version, producer, first)
        s.end(version, producer, not first)
        for partition in range(3):
            s.read(partition=partition)
        s.producer()
        s.end(version, producer, not first)

    same(script, (ApiKey.END_TXN, version))


@pytest.mark.parametrize("first", [True, False])
def test_an_epoch_for_each_transaction(same: Same, first: bool) -> None:
    """EndTxn 5."""

    def script(s: TransactionScenario) -> None:
        producer = s.producer(version=5)
        for number in range(3):
            s.write(producer, 0, version=12)
            s.describe()
            for wrong in (producer.with_epoch(-1), producer.with_epoch(1)):
                s.end(5, wrong, first)
            answer = s.end(5, producer, first)
            s.describe()
            s.end(5, producer, first)
            s.end(5, producer, not first)
            s.end(5, producer.with_epoch(-1), first)
            producer = producer._replace(epoch=answer.producer_epoch, id=answer.producer_id)
            s.write(producer.with_epoch(-1), 1, version=12)
            s.end(5, producer, number == 1)
            s.describe()
            producer = s.producer(version=5)
        s.read()

    same(script, (ApiKey.END_TXN, 5), (ApiKey.PRODUCE, 12))


def test_both_protocols_in_turns(same: Same) -> None:
    def script(s: TransactionScenario) -> None:
        producer = s.producer(version=5)
        s.add(3, producer)
        s.write(producer, 0, version=11)
        answer = s.end(5, producer)
        s.describe()
        producer = producer._replace(epoch=answer.producer_epoch)
        s.write(producer, 0, version=12)
        s.end(4, producer)
        s.describe()
        s.add(3, producer)
        s.write(producer, 1, version=11)
        s.end(4, producer)
        s.end(5, producer)
        s.describe()
        s.read()

    same(script, (ApiKey.END_TXN, 5), (ApiKey.PRODUCE, 12))


@pytest.mark.parametrize("version", range(3))
def test_describing_and_listing(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        def look() -> None:
            s.listed(version)
            for states in (["Empty"], ["Ongoing", "CompleteCommit"], ["ongoing"], ["Bogus", "Empty"], ["Dead"], [""]):
                s.listed(version, state_filters=states)
            for ids in ([one.id], [one.id, two.id], [2**40], [-1]):
                answer = s.listed(version, producer_id_filters=ids)
                s.recorded[-1] = s.recorded[-1]._replace(label=f"ListTransactions {len(ids)} ids")
                assert answer.error_code == 0
            s.listed(version, state_filters=["Ongoing"], producer_id_filters=[])
            if version >= 1:
                for duration in (-2, -1, 0, 10**9):
                    s.listed(version, duration_filter=duration)
            if version >= 2:
                for pattern in (None, "", s.group + "-1", s.group + ".*", ".*-2", "[", "nothing", ".*(?=x)"):
                    s.listed(version, transactional_id_pattern=pattern)
            s.describe(one.name, two.name, s.name("-none"), "", one.name)

        one, two = s.producer("-1"), s.producer("-2", 30_000)
        look()
        s.add(3, one, {s.topic: [2, 0]})
        s.add_offsets(3, two)
        look()
        s.end(3, one)
        s.end(3, two, False)
        look()

    same(script, (ApiKey.LIST_TRANSACTIONS, version))


def test_timeout(same: Same) -> None:
    """The coordinator aborts, and later requests of the client are refused."""

    def script(s: TransactionScenario) -> None:
        producer = s.producer(timeout_ms=15_000)  # the write must be quicker
        s.add(3, producer)
        s.write(producer, 0)
        s.await_state(producer.name, "CompleteAbort")
        s.describe()
        s.read()
        zombie(s, producer)
        s.expect_difference(FENCED_BY_THE_COORDINATOR)
        s.init(5, producer.name, known=(producer.id, producer.epoch))
        s.producer()

    same(script)


@pytest.mark.parametrize("commit", [True, False])
def test_the_end_of_a_transaction_that_took_too_long(same: Same, commit: bool) -> None:
    """EndTxn 5."""

    def script(s: TransactionScenario) -> None:
        producer = s.producer(timeout_ms=1, version=5)
        s.add_many(4, (producer, False))
        s.await_state(producer.name, "CompleteAbort")
        s.describe()
        s.expect_difference(EPOCH_OF_THE_FENCED)
        s.end(5, producer, commit)
        s.write(producer, 0, version=12)
        s.end(4, producer, commit)
        s.describe()

    same(script, (ApiKey.END_TXN, 5), (ApiKey.PRODUCE, 12))


def zombie(s: TransactionScenario, producer: Producer) -> None:
    """Every request of a producer, sent by a fenced one."""
    for version in range(4):
        s.add(version, producer)
    s.add_many(4, (producer, True))
    s.add_many(4, (producer, False))
    for version in range(5):
        s.add_offsets(version, producer)
        s.end(version, producer, True)
        s.end(version, producer, False)
        s.offsets(version, producer)
    for version in (3, 7, 9, 11):
        s.write(producer, 1, version=version)
        s.write(producer, 0, version=version)
    s.describe(producer.name)
    s.read()


@pytest.mark.parametrize("state", ["empty", "ongoing", "complete"])
def test_zombies(same: Same, state: str) -> None:
    """A producer that a newer one has fenced is refused in every request."""

    def script(s: TransactionScenario) -> None:
        old = s.producer()
        s.add(3, old)
        s.write(old, 0)
        new = s.producer()
        if state != "empty":
            s.add(3, new)
            s.write(new, 0)
        if state == "complete":
            s.end(3, new)
        zombie(s, old)
        if state != "ongoing":
            for version in (3, 4, 5):
                s.init(version, old.name, known=(old.id, old.epoch))
        s.end(3, new)
        s.read()

    same(script)


@pytest.mark.parametrize("version", range(7))
def test_finding_the_coordinator(same: Same, version: int) -> None:
    def script(s: TransactionScenario) -> None:
        for key in ("", s.name(), "é", "x" * 300):
            if version >= 4:
                s.ask_coordinator(FindCoordinatorRequest(key_type=1, coordinator_keys=[key, s.name()]), version)
            elif version >= 1:
                s.ask_coordinator(FindCoordinatorRequest(key=key, key_type=1), version)

    same(script, (ApiKey.FIND_COORDINATOR, version))
