"""The fast path of Fetch: it answers as the general path does, or leaves the request to it with nothing changed."""

from __future__ import annotations

import random
from copy import copy
from typing import TYPE_CHECKING, Any

import pytest
import trio

from wirebroker.handlers.fetch_fast_path import MAX_KNOWN
from wirebroker.model import LeaderAndIsr
from wirebroker.protocol.messages.fetch import (
    ForgottenTopic,
    ReplicaState,
)
from wirebroker.quota.replication_quota import ALL_REPLICAS
from wirebroker.tests.handlers.fast_path_pair import FOLLOWERS, VERSIONS, Pair

if TYPE_CHECKING:
    from trio.testing import MockClock


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_request_that_differs_in_offset_and_epoch_is_known(version: int, autojump_clock: MockClock) -> None:
    pair = Pair(version)
    await pair.begin()
    before = pair.known
    for number in range(5):
        await pair.append(("t", 0), b"x" * number)
        assert not any(each.is_waiting for each in pair.followers.values())
        for broker_id in FOLLOWERS:
            await pair.fetch(broker_id)
    assert pair.known == before + 10
    assert pair.fast.harness.partition().high_watermark == 7


async def test_records_that_are_there_are_answered_at_once(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    await pair.append(("t", 0), b"a")
    await pair.append(("t", 0), b"b" * 5000)
    before = pair.known
    await pair.fetch(2)
    assert pair.known == before + 1
    assert not pair.followers[2].is_waiting
    assert pair.followers[2].offsets["t", 0] == 4


async def test_a_batch_that_is_kept_in_memory_is_sent_to_all_followers(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    replicas, reads = pair.fast.harness.replicas, 0
    for number in range(4):
        before = replicas.last_batch
        await pair.append(("t", 0), b"%d" % number)
        if (kept := replicas.last_batch) is not before:
            assert kept is not None
            end = pair.fast.harness.partition().log.log_end_offset
            assert kept[:3] == (pair.fast.harness.partition().leader, end - 1, end)
            reads += 1
        for broker_id in FOLLOWERS:
            assert pair.followers[broker_id].offsets["t", 0] == 3 + number
            await pair.fetch(broker_id)
    assert reads == 2


@pytest.mark.parametrize("other", ["role", "offset", "end"])
async def test_a_batch_that_is_kept_of_another_role_offset_or_end_is_not_sent(
    other: str, autojump_clock: MockClock
) -> None:
    pair = Pair()
    await pair.begin()
    partition, replicas = pair.fast.harness.partition(), pair.fast.harness.replicas
    role, end = partition.leader, partition.log.log_end_offset
    assert role is not None
    pair.appends, known = 0, pair.known
    replicas.last_batch = {
        "role": (copy(role), end, end + 1, b"other"),
        "offset": (role, end - 1, end + 1, b"other"),
        "end": (role, end, end + 2, b"other"),
    }[other]
    await pair.append(("t", 0), b"a")
    assert replicas.last_batch[3] == b"other"
    for broker_id in FOLLOWERS:
        assert pair.followers[broker_id].offsets["t", 0] == end + 1
        await pair.fetch(broker_id)
    assert pair.known == known + 2


async def test_another_partition_answers_a_request_that_waits(autojump_clock: MockClock) -> None:
    pair = Pair(topics={"t": 2, "other": 1})
    await pair.begin()
    for at in (("t", 1), ("other", 0)):
        await pair.append(at, b"a")
        assert pair.followers[2].offsets[at] == 1
        await pair.fetch(2)
        await pair.fetch(3)
    await pair.append(("t", 0), b"c")
    assert pair.known > 0


async def test_a_request_expires_with_the_new_high_watermark(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    await pair.append(("t", 0), b"a")
    before = pair.known
    await pair.fetch(2)
    await trio.sleep(0.3)
    await pair.fetch(3)
    assert pair.known == before + 2
    await trio.sleep(0.201)
    assert [each.responses[0].partitions[0].high_watermark for each in pair.receive()] == [3]
    assert pair.followers[3].is_waiting
    await trio.sleep(0.3)
    assert len(pair.receive()) == 1
    for broker_id in FOLLOWERS:
        await pair.fetch(broker_id)
    await trio.sleep(0.4)
    assert not pair.receive(), "the timer of an earlier request ends no later one"
    await trio.sleep(0.101)
    assert len(pair.receive()) == 2


async def test_a_waiting_request_is_answered_when_the_leadership_ends(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    for each in pair.leaders:
        each.harness.partition().make_follower(LeaderAndIsr(2, 2, (0, *FOLLOWERS), 2, (0, *FOLLOWERS)))
    found = pair.receive()
    assert [len(each.responses) for each in found] == [1, 1]


async def test_a_waiting_request_is_answered_when_its_partition_is_deleted(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    for each in pair.leaders:
        await each.harness.delete("t")
    assert len(pair.receive()) == 2


async def test_a_connection_that_is_closed_ends_its_request(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    for each in pair.leaders:
        each.links[2].responses.close()
    await pair.append(("t", 0), b"a")
    assert pair.fast.harness.replicas.purgatories.fetch.num_delayed == 0
    await trio.sleep(1)
    assert not pair.receive()


async def unknown_epoch(pair: Pair) -> None:
    pair.followers[2].epoch += 1


async def closed_session(pair: Pair) -> None:
    for each in pair.leaders:
        each.harness.sessions.remove(pair.followers[2].session_id)


async def new_leader_epoch(pair: Pair) -> None:
    await pair.lead()


async def no_leader(pair: Pair) -> None:
    for each in pair.leaders:
        each.harness.partition().make_follower(LeaderAndIsr(2, 2, (0, *FOLLOWERS), 2, (0, *FOLLOWERS)))


async def other_replicas(pair: Pair) -> None:
    for each in pair.leaders:
        await each.harness.partition().make_leader(LeaderAndIsr(0, 1, (0, 3), 2, (0, 3)))


async def offset_above_the_log(pair: Pair) -> None:
    pair.followers[2].offsets["t", 0] += 5


async def unused_quota(pair: Pair) -> None:
    for each in pair.leaders:
        assert each.harness.replicas.leader_quota is not None
        each.harness.replicas.leader_quota.limit = 1_000_000


async def throttled_replica(pair: Pair) -> None:
    for each in pair.leaders:
        log = each.harness.partition().log
        log.config = log.config._replace(leader_replication_throttled_replicas=ALL_REPLICAS)


@pytest.mark.parametrize(
    "change",
    [
        unknown_epoch,
        closed_session,
        new_leader_epoch,
        no_leader,
        other_replicas,
        offset_above_the_log,
        unused_quota,
        throttled_replica,
    ],
)
async def test_the_unusual_is_left_to_the_general_path(change: Any, autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    await pair.append(("t", 0), b"a")
    await change(pair)
    pair.receive()
    before = pair.known
    await pair.fetch(2, {("t", 0): pair.followers[2].offsets["t", 0]})
    assert pair.known == before
    pair.receive()


async def test_requests_of_sessions_of_consumers_and_others_are_not_remembered(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    link, follower = pair.fast.links[2], pair.followers[2]
    known = link.context.known_fetches
    assert known is not None
    count = len(known.by_constants)
    await pair.append(("t", 0), b"a")
    for more in (
        {"min_bytes": 2},
        {"isolation_level": 1},
        {"replica_state": ReplicaState(-1, -1)},
        {"forgotten_topics_data": [ForgottenTopic("", pair.topic_ids["t"], [2])]},
    ):
        named = {("t", 0): follower.offsets["t", 0]}
        await pair.fetch(2, named, **more)
        await pair.append(("t", 0), b"a")
        follower.is_waiting = False
        for each in pair.leaders:
            each.links[2].responses.close()
            each.links[2].responses.rewind()
        assert len(known.by_constants) == count


async def test_the_known_requests_of_a_connection_are_bounded(autojump_clock: MockClock) -> None:
    pair = Pair()
    await pair.begin()
    link = pair.fast.links[2]
    known = link.context.known_fetches
    assert known is not None
    for number in range(2 * MAX_KNOWN):
        await pair.append(("t", 0), b"a")
        await pair.fetch(2, max_bytes=1_000_000 + number)
        assert 0 < len(known.by_constants) <= MAX_KNOWN


async def test_a_response_is_encoded_as_by_the_general_path_with_every_size_of_records(
    autojump_clock: MockClock,
) -> None:
    pair = Pair(topics={"t": 1})
    await pair.begin()
    for size in (0, 40, 60, 61, 62, 63, 64, 127, 128, 4000, 4100, 16_250, 16_400, 70_000):
        before = pair.known
        await pair.append(("t", 0), b"x" * size)
        for broker_id in FOLLOWERS:
            await pair.fetch(broker_id)
        assert pair.known == before + 2


@pytest.mark.parametrize("seed", range(40))
async def test_whatever_happens_both_paths_answer_the_same(seed: int, autojump_clock: MockClock) -> None:
    chance = random.Random(seed)
    pair = Pair(chance.choice(VERSIONS), {"t": 3, "u": 2})
    await pair.begin()
    before = pair.known
    for _ in range(200):
        step = chance.random()
        broker_id = chance.choice(FOLLOWERS)
        follower = pair.followers[broker_id]
        if step < 0.4:
            await pair.append(
                chance.choice(pair.partitions[: chance.choice((1, 1, 2, 5))]), b"x" * chance.randrange(300)
            )
        elif step < 0.85:
            if not follower.is_waiting:
                if chance.random() < 0.05:
                    follower.epoch += 1
                if chance.random() < 0.05:
                    follower.offsets[chance.choice(pair.partitions)] = chance.randrange(5)
                await pair.fetch(broker_id)
        elif step < 0.93:
            await trio.sleep(chance.choice((0.01, 0.2, 0.6)))
            pair.receive()
        elif step < 0.94:
            await pair.lead()
            pair.receive()
            for told in pair.followers.values():
                told.leader_epoch = pair.epoch
                told.named.clear()
        elif step < 0.96:
            topic, index = chance.choice(pair.partitions)
            for each in pair.leaders:
                await each.harness.partition(index, topic).delete_records(-1)
            pair.receive()
        else:
            limit = chance.choice((None, None, None, 1_000_000))
            for each in pair.leaders:
                quota = each.harness.replicas.leader_quota
                assert quota is not None
                quota.limit = limit
    assert pair.known > before
