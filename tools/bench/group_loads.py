"""Measurements of a group coordinator, one function per figure; see `groups.py` for the targets."""

import random
import select
import socket
import time
import tracemalloc
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tools.bench import group_wire, raw_client, wire
from tools.bench.broker_session import BrokerSession, now_ms
from tools.bench.brokers import Broker
from tools.bench.group_members import MemberPool
from tools.codegen import codecs
from wirebroker.protocol.message import Message

FIRST_RECORD_TIMEOUT_S: Final = 30
KEPT_FOR_S: Final = 20
LOADING: Final = frozenset({14, 15, 16})
FILL_PARTITIONS: Final = 100


# -- (a) the first record of a fresh group -------------------------------------------------------------------


IMPATIENT: Final = {"reconnect.backoff.ms": 1}
"""librdkafka 2.16 waits twice of itself before a fresh group's first record, as its debug log tells: 50 ms (half of
reconnect.backoff.ms) between its connection to the bootstrap address and the one to the broker behind it, and a fixed
100 ms before it asks for the earliest offset of a partition without a commit.  The first can be set."""


def first_record_ms(broker: Broker, topic: str, settings: dict[str, int]) -> float:
    """librdkafka: from the consumer's construction, through subscribe, to the first record."""
    from confluent_kafka import Consumer

    began = time.perf_counter()
    consumer = Consumer(
        {
            "bootstrap.servers": broker.bootstrap,
            "group.id": f"first-{uuid.uuid4().hex[:8]}",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **settings,
        }
    )
    consumer.subscribe([topic])
    message = consumer.poll(FIRST_RECORD_TIMEOUT_S)
    took_ms = (time.perf_counter() - began) * 1000
    consumer.close()
    if message is None or message.error():
        raise raw_client.BenchError(f"no record in {FIRST_RECORD_TIMEOUT_S} s: {message and message.error()}")
    return took_ms


def topic_with_a_record(session: BrokerSession) -> str:
    topic = session.create_topic()
    prepared = raw_client.Prepared.of(topic, [(0, wire.record_batch(1, 100, now_ms()))])
    raw_client.produce_many(session.broker.address, [prepared], 1, 1)
    return topic


# -- (b) many small groups -----------------------------------------------------------------------------------


@dataclass(slots=True)
class ManyGroups:
    """The cost of 1,000 groups."""

    stable_s: float
    cpu_percent: float
    heartbeats_per_s: float
    rss_mb: float
    kb_per_member: float
    lost: int


def many_groups(broker: Broker, groups: int, members: int) -> ManyGroups:
    """Everybody joins at once; then heartbeats every 3 s are kept up."""
    before_mb = broker.memory_mb()
    with MemberPool(broker.address) as pool:
        peers = [pool.add(f"many-{number:04d}") for number in range(groups) for _ in range(members)]
        random.Random(1).shuffle(peers)
        began = time.perf_counter()
        pool.start(peers)
        pool.run(pool.all_stable)
        stable_s = time.perf_counter() - began
        cpu, beats = broker.cpu_seconds(), pool.heartbeats
        ends = time.perf_counter() + KEPT_FOR_S
        pool.run(lambda: time.perf_counter() > ends)
        cpu = broker.cpu_seconds() - cpu
        if not pool.all_stable():
            raise raw_client.BenchError("a group was disturbed while it only sent heartbeats")
        rss_mb = broker.memory_mb()
        return ManyGroups(
            stable_s,
            cpu / KEPT_FOR_S * 100,
            (pool.heartbeats - beats) / KEPT_FOR_S,
            rss_mb,
            (rss_mb - before_mb) * 1e3 / len(peers),
            pool.unexpected,
        )


# -- (c) one large group -------------------------------------------------------------------------------------


@dataclass(slots=True)
class LargeGroup:
    """The times of a group of 200 members."""

    formed_s: float
    prompt_ms: list[float]
    paced_ms: list[float]


def large_group(broker: Broker, members: int, rounds: int) -> LargeGroup:
    """A member leaves; the others hear of it by a heartbeat sent at once (prompt), or by their own every 3 s."""
    with MemberPool(broker.address) as pool:
        peers = [pool.add(f"large-{uuid.uuid4().hex[:6]}") for _ in range(1)]
        peers += [pool.add(peers[0].group) for _ in range(members - 1)]
        began = time.perf_counter()
        pool.start(peers)
        pool.run(pool.all_stable)
        result = LargeGroup(time.perf_counter() - began, [], [])
        for _ in range(rounds):
            result.prompt_ms.append(_leave(pool, prompt=True))
        for _ in range(max(1, rounds // 2)):
            result.paced_ms.append(_leave(pool, prompt=False))
        return result


def _leave(pool: MemberPool, prompt: bool) -> float:
    rested = time.perf_counter() + 0.5
    pool.run(lambda: time.perf_counter() > rested)
    (peers,) = pool.groups.values()
    peer = peers[-1]
    pool.run(lambda: peer.asked is None)
    generation = max(each.generation for each in peers)
    began = time.perf_counter()
    pool.leave(peer)
    if prompt:
        pool.run(lambda: peer.asked is None)
        pool.beat_now()
    pool.run(lambda: peers[0].generation > generation and pool.all_stable())
    return (time.perf_counter() - began) * 1000


# -- (d) commits ---------------------------------------------------------------------------------------------


def commits(
    coordinators: Mapping[str, raw_client.Address], topic: str, in_flight: int, partitions: int, count: int
) -> raw_client.Timing:
    """*count* committed offsets, *partitions* a request, a connection for each group of *coordinators*."""
    requests = count // partitions // len(coordinators)
    poll = select.epoll()
    socks: dict[int, socket.socket] = {}
    frames: dict[int, bytes] = {}
    expected: dict[int, bytes] = {}
    sent: dict[int, int] = {}
    held: dict[int, bytes] = {}
    done = 0
    try:
        for group, address in coordinators.items():
            sock = raw_client.connect(address)
            request = group_wire.commit(group, topic, 0, partitions, 7)
            key = sock.fileno()
            socks[key], frames[key], sent[key], held[key] = sock, group_wire.frame(request), 0, b""
            expected[key] = _good_answer(sock, frames[key], request)
            poll.register(key, select.EPOLLIN)
        began = time.perf_counter()
        for key, sock in socks.items():
            first = min(in_flight, requests)
            sock.sendall(frames[key] * first)
            sent[key] = first
        while done < requests * len(coordinators):
            for key, _ in poll.poll():
                data = held[key] + socks[key].recv(1 << 18)
                good = expected[key]
                got = len(data) // len(good)
                if data[: got * len(good)] != good * got:
                    raise raw_client.BenchError("an offset was not committed")
                held[key] = data[got * len(good) :]
                done += got
                more = min(got, requests - sent[key])
                if more:
                    socks[key].sendall(frames[key] * more)
                    sent[key] += more
        return raw_client.Timing(time.perf_counter() - began, done, 0)
    finally:
        poll.close()
        for sock in socks.values():
            sock.close()


def _good_answer(sock: socket.socket, frame: bytes, request: Message) -> bytes:
    body = raw_client.ask(sock, frame)
    response = group_wire.answer(type(request), body)
    for each in response.topics[0].partitions:
        if each.error_code:
            raise raw_client.BenchError(f"OffsetCommit answered error {each.error_code}")
    return len(body).to_bytes(4, "big") + bytes(body)


# -- (e) reload ----------------------------------------------------------------------------------------------


def fill_offsets(broker: Broker, topic: str, groups: int, times: int) -> int:
    """Commit for every group, 100 partitions a request; returns how many records that wrote."""
    with raw_client.connect(broker.address) as sock:
        for repeat in range(times):
            for first in range(0, groups, 20):
                names = [f"reload-{number}" for number in range(first, min(first + 20, groups))]
                sock.sendall(
                    b"".join(
                        group_wire.frame(group_wire.commit(name, topic, 0, FILL_PARTITIONS, repeat)) for name in names
                    )
                )
                for _ in names:
                    raw_client.receive(sock, int.from_bytes(raw_client.receive(sock, 4), "big"))
    return groups * FILL_PARTITIONS * times


def restart(broker: Broker, topic: str, groups: int, repeat: int) -> tuple[float, float]:
    """Stop, start, and ask for the offsets of every 97th group; (start to port, port to all answered) in seconds."""
    broker.stop()
    port_s = broker.start()
    began = time.perf_counter()
    with raw_client.connect(broker.address) as sock:
        for number in range(0, groups, 97 if groups > 1000 else 1):
            request = group_wire.fetch_offset(f"reload-{number}", topic, FILL_PARTITIONS - 1)
            while True:
                response = group_wire.ask(sock, request)
                if response.error_code not in LOADING:
                    break
                time.sleep(0.01)
            found = response.topics[0].partitions[0]
            if response.error_code or found.committed_offset != repeat:
                raise raw_client.BenchError(f"group {number} answers {response.error_code}, {found}")
    return port_s, time.perf_counter() - began


# -- (f) memory ----------------------------------------------------------------------------------------------


def member_bytes(groups: int, members: int) -> float:
    """Bytes that a shard holds per member of a stable group, timers and the log of rebalances included.

    Requests are decoded from bytes, so that no text is shared that would not be shared in a broker.
    """
    from wirebroker.config.server import BrokerConfig
    from wirebroker.coordinator.group.group_config import GroupCoordinatorConfig
    from wirebroker.coordinator.group.shard import GroupShard
    from wirebroker.coordinator.turn import InternalClient, Turn

    shard = GroupShard(GroupCoordinatorConfig(BrokerConfig({}).value), lambda _topic, _index: True)
    due: dict[object, object] = {}
    heap: list[object] = []

    def ask(message: Message) -> Sequence[tuple[object, Any]]:
        kind = type(message)
        version = group_wire.VERSION[kind]
        data = group_wire.frame(message)
        decoded: Any = codecs.read(kind, data, 14 + len(group_wire.CLIENT_ID), version)[0]
        client = str(group_wire.CLIENT_ID, "ascii")
        turn = Turn(1, 1, InternalClient(version, client, "127.0.0.1"))
        shard.handle(decoded, turn)
        for key, due_ms in turn.result.timers:
            if due_ms is None:
                due.pop(key, None)
            else:
                due[key] = due_ms
                heap.append((due_ms, len(heap), 0, key))
        return turn.result.replies

    group_wire.frame(group_wire.join("", "", 45_000))  # compiles the codecs, which are not the shard's
    group_wire.frame(group_wire.sync("", 1, "", []))
    tracemalloc.start()
    try:
        for number in range(groups):
            name = f"memory-{number:05d}"
            ids: list[str] = []
            for _ in range(members):
                _, required = ask(group_wire.join(name, "", 45_000))[-1]
                ids.append(required.member_id)
                ask(group_wire.join(name, ids[-1], 45_000))
            answers = [answer for each in ids[:-1] for _, answer in ask(group_wire.join(name, each, 45_000))]
            generation = answers[-1].generation_id if answers else 1
            leader = answers[-1].leader if answers else ids[0]
            for each in ids:
                ask(group_wire.sync(name, generation, each, ids if each == leader else []))
        del ids, answers, required
        states = {str(group.state) for group in shard.manager.groups.values()}
        if states != {"Stable"}:
            raise raw_client.BenchError(f"groups are {states}")
        held, _ = tracemalloc.get_traced_memory()
        return held / (groups * members)
    finally:
        tracemalloc.stop()
