"""What is measured of a group coordinator, one function per figure; see `groups.py` for the targets."""

import random
import select
import socket
import time
import tracemalloc
import uuid
from dataclasses import dataclass
from typing import Final

from tools.bench import group_wire, raw, wire
from tools.bench.brokers import Broker
from tools.bench.group_members import Crew
from tools.bench.site import Site, now_ms

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
        raise raw.BenchError(f"no record in {FIRST_RECORD_TIMEOUT_S} s: {message and message.error()}")
    return took_ms


def topic_with_a_record(site: Site) -> str:
    topic = site.create_topic()
    prepared = raw.Prepared.of(topic, [(0, wire.record_batch(1, 100, now_ms()))])
    raw.produce_many(site.broker.address, [prepared], 1, 1)
    return topic


# -- (b) many small groups -----------------------------------------------------------------------------------


@dataclass(slots=True)
class ManyGroups:
    """What 1,000 groups cost."""

    stable_s: float
    cpu_percent: float
    heartbeats_per_s: float
    rss_mb: float
    kb_per_member: float
    lost: int


def many_groups(broker: Broker, groups: int, members: int) -> ManyGroups:
    """Everybody joins at once; then heartbeats every 3 s are kept up."""
    before_mb = broker.memory_mb()
    with Crew(broker.address) as crew:
        peers = [crew.add(f"many-{number:04d}") for number in range(groups) for _ in range(members)]
        random.Random(1).shuffle(peers)
        began = time.perf_counter()
        crew.start(peers)
        crew.run(crew.all_stable)
        stable_s = time.perf_counter() - began
        cpu, beats = broker.cpu_seconds(), crew.heartbeats
        ends = time.perf_counter() + KEPT_FOR_S
        crew.run(lambda: time.perf_counter() > ends)
        cpu = broker.cpu_seconds() - cpu
        if not crew.all_stable():
            raise raw.BenchError("a group was disturbed while it only sent heartbeats")
        rss_mb = broker.memory_mb()
        return ManyGroups(
            stable_s,
            cpu / KEPT_FOR_S * 100,
            (crew.heartbeats - beats) / KEPT_FOR_S,
            rss_mb,
            (rss_mb - before_mb) * 1e3 / len(peers),
            crew.unexpected,
        )


# -- (c) one large group -------------------------------------------------------------------------------------


@dataclass(slots=True)
class LargeGroup:
    """What a group of 200 members takes."""

    formed_s: float
    prompt_ms: list[float]
    paced_ms: list[float]


def large_group(broker: Broker, members: int, rounds: int) -> LargeGroup:
    """A member leaves; the others hear of it by a heartbeat sent at once (prompt), or by their own every 3 s."""
    with Crew(broker.address) as crew:
        peers = [crew.add(f"large-{uuid.uuid4().hex[:6]}") for _ in range(1)]
        peers += [crew.add(peers[0].group) for _ in range(members - 1)]
        began = time.perf_counter()
        crew.start(peers)
        crew.run(crew.all_stable)
        result = LargeGroup(time.perf_counter() - began, [], [])
        for _ in range(rounds):
            result.prompt_ms.append(_leave(crew, prompt=True))
        for _ in range(max(1, rounds // 2)):
            result.paced_ms.append(_leave(crew, prompt=False))
        return result


def _leave(crew: Crew, prompt: bool) -> float:
    rested = time.perf_counter() + 0.5
    crew.run(lambda: time.perf_counter() > rested)
    (peers,) = crew.groups.values()
    peer = peers[-1]
    crew.run(lambda: peer.asked is None)
    generation = max(each.generation for each in peers)
    began = time.perf_counter()
    crew.leave(peer)
    if prompt:
        crew.run(lambda: peer.asked is None)
        crew.beat_now()
    crew.run(lambda: peers[0].generation > generation and crew.all_stable())
    return (time.perf_counter() - began) * 1000


# -- (d) commits ---------------------------------------------------------------------------------------------


def commits(broker: Broker, topic: str, connections: int, in_flight: int, partitions: int, count: int) -> raw.Timing:
    """*count* committed offsets, *partitions* a request, each connection for a group of its own."""
    requests = count // partitions // connections
    poll = select.epoll()
    socks: dict[int, socket.socket] = {}
    frames: dict[int, bytes] = {}
    expected: dict[int, bytes] = {}
    sent: dict[int, int] = {}
    held: dict[int, bytes] = {}
    done = 0
    try:
        for number in range(connections):
            sock = raw.connect(broker.address)
            request = group_wire.commit(f"commit-{number}", topic, 0, partitions, 7)
            key = sock.fileno()
            socks[key], frames[key], sent[key], held[key] = sock, group_wire.frame(request), 0, b""
            expected[key] = _good_answer(sock, frames[key], request)
            poll.register(key, select.EPOLLIN)
        began = time.perf_counter()
        for key, sock in socks.items():
            first = min(in_flight, requests)
            sock.sendall(frames[key] * first)
            sent[key] = first
        while done < requests * connections:
            for key, _ in poll.poll():
                data = held[key] + socks[key].recv(1 << 18)
                good = expected[key]
                got = len(data) // len(good)
                if data[: got * len(good)] != good * got:
                    raise raw.BenchError("an offset was not committed")
                held[key] = data[got * len(good) :]
                done += got
                more = min(got, requests - sent[key])
                if more:
                    socks[key].sendall(frames[key] * more)
                    sent[key] += more
        return raw.Timing(time.perf_counter() - began, done, 0)
    finally:
        poll.close()
        for sock in socks.values():
            sock.close()


def _good_answer(sock: socket.socket, frame: bytes, request: object) -> bytes:
    body = raw.ask(sock, frame)
    response = group_wire.answer(type(request), body)
    for each in response.topics[0].partitions:
        if each.error_code:
            raise raw.BenchError(f"OffsetCommit answered error {each.error_code}")
    return len(body).to_bytes(4, "big") + bytes(body)


# -- (e) reload ----------------------------------------------------------------------------------------------


def fill_offsets(broker: Broker, topic: str, groups: int, times: int) -> int:
    """Commit for every group, 100 partitions a request; returns how many records that wrote."""
    with raw.connect(broker.address) as sock:
        for repeat in range(times):
            for first in range(0, groups, 20):
                names = [f"reload-{number}" for number in range(first, min(first + 20, groups))]
                sock.sendall(
                    b"".join(
                        group_wire.frame(group_wire.commit(name, topic, 0, FILL_PARTITIONS, repeat)) for name in names
                    )
                )
                for _ in names:
                    raw.receive(sock, int.from_bytes(raw.receive(sock, 4), "big"))
    return groups * FILL_PARTITIONS * times


def restart(broker: Broker, topic: str, groups: int, repeat: int) -> tuple[float, float]:
    """Stop, start, and ask for the offsets of every 97th group; (start to port, port to all answered) in seconds."""
    broker.stop()
    port_s = broker.start()
    began = time.perf_counter()
    with raw.connect(broker.address) as sock:
        for number in range(0, groups, 97 if groups > 1000 else 1):
            request = group_wire.fetch_offset(f"reload-{number}", topic, FILL_PARTITIONS - 1)
            while True:
                response = group_wire.ask(sock, request)
                if response.error_code not in LOADING:
                    break
                time.sleep(0.01)
            found = response.topics[0].partitions[0]
            if response.error_code or found.committed_offset != repeat:
                raise raw.BenchError(f"group {number} answers {response.error_code}, {found}")
    return port_s, time.perf_counter() - began


# -- (f) memory ----------------------------------------------------------------------------------------------


def member_bytes(groups: int, members: int) -> float:
    """Bytes that a shard holds per member of a stable group, timers and the log of rebalances included.

    Requests are decoded from bytes, so that no text is shared that would not be shared in a broker.
    """
    from wirebroker.coordinator.group.requests import GroupRequest
    from wirebroker.coordinator.group.settings import GroupSettings
    from wirebroker.coordinator.group.shard import GroupShard
    from wirebroker.coordinator.shard import Now, Outcome

    shard = GroupShard(GroupSettings(initial_rebalance_delay_ms=0), lambda _topic, _index: True)
    due: dict[object, object] = {}
    heap: list[object] = []

    def ask(message: object, group: str, ticket: object) -> Outcome:
        kind = type(message)
        version = group_wire.VERSION[kind]
        data = group_wire.frame(message)
        decoded, _ = kind.READERS[version](data, 14 + len(group_wire.CLIENT_ID))  # type: ignore[attr-defined]
        client = str(group_wire.CLIENT_ID, "ascii")
        outcome = shard.handle(GroupRequest(decoded.group_id, decoded, version, client, "127.0.0.1"), ticket, Now(1, 1))
        for key, due_ms in outcome.timers:
            if due_ms is None:
                due.pop(key, None)
            else:
                due[key] = due_ms
                heap.append((due_ms, len(heap), 0, key))
        return outcome

    tracemalloc.start()
    try:
        for number in range(groups):
            name = f"memory-{number:05d}"
            ids: list[str] = []
            for _ in range(members):
                required = ask(group_wire.join(name, "", 45_000), name, "id").replies[-1].response
                ids.append(required.member_id)
                ask(group_wire.join(name, ids[-1], 45_000), name, "join")
            replies = [
                reply for each in ids[:-1] for reply in ask(group_wire.join(name, each, 45_000), name, "j").replies
            ]
            answers = [reply.response for reply in replies]
            generation = answers[-1].generation_id if answers else 1
            leader = answers[-1].leader if answers else ids[0]
            for each in ids:
                ask(group_wire.sync(name, generation, each, ids if each == leader else []), name, "sync")
        del ids, replies, answers, required
        states = {str(group.state) for group in shard.groups.values()}
        if states != {"Stable"}:
            raise raw.BenchError(f"groups are {states}")
        held, _ = tracemalloc.get_traced_memory()
        return held / (groups * members)
    finally:
        tracemalloc.stop()
