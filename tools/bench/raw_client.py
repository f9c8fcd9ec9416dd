"""A client that is never the limit: prepared frames out of one buffer, answers counted, nothing decoded that need
not be.

One connection, one thread.  ``python -m tools.bench sink`` measures what this sender reaches against a peer
that only reads and answers; a broker figure near that ceiling says more about the sender than about the broker.
"""

import select
import socket
import struct
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tools.bench import wire

Address = tuple[str, int]
RECEIVE_BYTES = 1 << 16


class BenchError(Exception):
    """The broker answered something that makes the measurement void."""


@dataclass(slots=True)
class Timing:
    """The result of one loop: time, requests, bytes of batches, and latencies if they were measured."""

    seconds: float
    requests: int
    size_bytes: int
    latencies_us: list[float] = field(default_factory=list)

    def percentile(self, percent: float) -> float:
        ordered = sorted(self.latencies_us)
        return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A Produce request ready to send again and again, and what its answer looks like."""

    frame: bytes
    batch_bytes: int
    response_bytes: int
    error_at: int
    partitions: int

    @classmethod
    def of(cls, topic: str, batches: Sequence[tuple[int, bytes]], acks: int = 1) -> "Prepared":
        return cls(
            wire.produce(topic, batches, acks),
            sum(len(batch) for _, batch in batches),
            wire.produce_response_bytes(topic, len(batches)),
            wire.produce_error_at(topic),
            len(batches),
        )

    def check(self, response: memoryview) -> None:
        """Raise unless *response* (with size prefix) reports success for every partition."""
        for index in range(self.partitions):
            (error,) = struct.unpack_from(">h", response, self.error_at + 30 * index)
            if error:
                raise BenchError(f"Produce answered error {error} for the partition at index {index}")


def connect(address: Address, timeout_s: float = 60) -> socket.socket:
    sock = socket.create_connection(address, timeout=timeout_s)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return sock


def ask(sock: socket.socket, frame: bytes) -> memoryview:
    """Send one request and return its answer without the size prefix."""
    sock.sendall(frame)
    size = int.from_bytes(receive(sock, 4), "big")
    return memoryview(receive(sock, size))


def receive(sock: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    receive_into(sock, memoryview(data))
    return data


def receive_into(sock: socket.socket, view: memoryview) -> None:
    """Fill *view*; raise :class:`BenchError` when the peer hangs up first."""
    at = 0
    while at < len(view):
        got = sock.recv_into(view[at:])
        if not got:
            raise BenchError("the broker closed the connection")
        at += got


class ResponseCounter:
    """Counts and checks the answers to one :class:`Prepared` request out of a stream."""

    def __init__(self, sock: socket.socket, prepared: Prepared) -> None:
        self._sock = sock
        self._prepared = prepared
        self._buffer = memoryview(bytearray(max(RECEIVE_BYTES, 2 * prepared.response_bytes)))
        self._held = 0

    def take(self) -> int:
        """Wait for bytes and return how many answers they completed."""
        got = self._sock.recv_into(self._buffer[self._held :])
        if not got:
            raise BenchError("the broker closed the connection")
        size = self._prepared.response_bytes
        held = self._held + got
        count, rest = divmod(held, size)
        for at in range(0, count * size, size):
            self._prepared.check(self._buffer[at : at + size])
        if rest:
            self._buffer[:rest] = bytes(self._buffer[count * size : held])
        self._held = rest
        return count


def produce_many(address: Address, prepared: Sequence[Prepared], requests: int, in_flight: int) -> Timing:
    """Send *requests* requests, cycling through *prepared*, with at most *in_flight* unanswered.

    All of *prepared* must have equally long answers.
    """
    with connect(address) as sock:
        counter = ResponseCounter(sock, prepared[0])
        sent = answered = 0
        began = time.perf_counter()
        while answered < requests:
            while sent < requests and sent - answered < in_flight:
                sock.sendall(prepared[sent % len(prepared)].frame)
                sent += 1
            answered += counter.take()
        seconds = time.perf_counter() - began
    size = sum(prepared[index % len(prepared)].batch_bytes for index in range(requests))
    return Timing(seconds, requests, size)


def produce_small(address: Address, prepared: Prepared, requests: int, in_flight: int) -> Timing:
    """Keep *in_flight* small requests open; every answer that arrives is replaced at once, several in one send."""
    latencies: list[float] = []
    bunch = memoryview(prepared.frame * in_flight)
    one = len(prepared.frame)
    clock = time.perf_counter
    with connect(address) as sock:
        counter = ResponseCounter(sock, prepared)
        began = clock()
        if in_flight == 1:
            for _ in range(requests):
                start = clock()
                sock.sendall(bunch)
                while not counter.take():
                    pass
                latencies.append((clock() - start) * 1e6)
        else:
            sent, answered = in_flight, 0
            sock.sendall(bunch)
            while answered < requests:
                done = counter.take()
                answered += done
                again = min(done, requests - sent)
                if again > 0:
                    sock.sendall(bunch[: again * one])
                    sent += again
        seconds = clock() - began
    return Timing(seconds, requests, requests * prepared.batch_bytes, latencies)


def produce_one_by_one(address: Address, prepared: Prepared, seconds: float) -> Timing:
    """Send a request when the last one is answered, for so long, and time each."""
    latencies: list[float] = []
    clock = time.perf_counter
    with connect(address) as sock:
        counter = ResponseCounter(sock, prepared)
        began = start = clock()
        while start - began < seconds:
            sock.sendall(prepared.frame)
            while not counter.take():
                pass
            end = clock()
            latencies.append((end - start) * 1e6)
            start = end
    return Timing(start - began, len(latencies), len(latencies) * prepared.batch_bytes, latencies)


def produce_paced(address: Address, prepared: Prepared, per_second: int, seconds: float) -> Timing:
    """Send at a steady rate, one after the other, and time each answer from the moment of sending."""
    latencies: list[float] = []
    clock = time.perf_counter
    requests = int(per_second * seconds)
    with connect(address) as sock:
        counter = ResponseCounter(sock, prepared)
        began = clock()
        for index in range(requests):
            wait = began + index / per_second - clock()
            if wait > 0:
                time.sleep(wait)
            start = clock()
            sock.sendall(prepared.frame)
            while not counter.take():
                pass
            latencies.append((clock() - start) * 1e6)
        took = clock() - began
    return Timing(took, requests, requests * prepared.batch_bytes, latencies)


def produce_connections(address: Address, prepared: Prepared, connections: int, requests: int) -> Timing:
    """*connections* sockets, each with one small request open at a time."""
    size = prepared.response_bytes
    socks: dict[int, socket.socket] = {}
    buffer = memoryview(bytearray(size))
    poll = select.epoll()
    try:
        for _ in range(connections):
            sock = connect(address)
            socks[sock.fileno()] = sock
            poll.register(sock.fileno(), select.EPOLLIN)
        sent = answered = 0
        began = time.perf_counter()
        for sock in socks.values():
            sock.sendall(prepared.frame)
            sent += 1
        while answered < sent:
            for number, _ in poll.poll():
                sock = socks[number]
                receive_into(sock, buffer)
                prepared.check(buffer)
                answered += 1
                if sent < requests:
                    sock.sendall(prepared.frame)
                    sent += 1
        seconds = time.perf_counter() - began
    finally:
        poll.close()
        for sock in socks.values():
            sock.close()
    return Timing(seconds, answered, answered * prepared.batch_bytes)


def fetch_again(address: Address, frame: bytes, requests: int) -> Timing:
    """Send one Fetch *requests* times, one after the other; the answers are as long each time."""
    clock = time.perf_counter
    latencies: list[float] = []
    with connect(address) as sock:
        sock.sendall(frame)
        size = 4 + int.from_bytes(receive(sock, 4), "big")
        receive(sock, size - 4)
        buffer = memoryview(bytearray(size))
        began = clock()
        for _ in range(requests):
            start = clock()
            sock.sendall(frame)
            receive_into(sock, buffer)
            latencies.append((clock() - start) * 1e6)
        seconds = clock() - began
    return Timing(seconds, requests, requests * size, latencies)


def fetch_many(
    address: Address,
    topic: str,
    partitions: int,
    end_offset: int,
    size_bytes: int,
    request_bytes: int,
    *,
    committed: bool = False,
) -> Timing:
    """Read at least *size_bytes* of *topic*, *request_bytes* asked for at a time; *committed* reads read_committed.

    Every partition ends at *end_offset*; when all are read, reading starts over, so no request waits for data.
    """
    offsets = dict.fromkeys(range(partitions), 0)
    buffer = memoryview(bytearray(request_bytes + (4 << 20)))
    requests = got = 0
    with connect(address) as sock:
        began = time.perf_counter()
        while got < size_bytes:
            sock.sendall(wire.fetch(topic, list(offsets.items()), request_bytes, committed=committed))
            receive_into(sock, buffer[:4])
            size = int.from_bytes(buffer[:4], "big")
            if size > len(buffer):
                raise BenchError(f"a Fetch answer of {size} bytes to a request for {request_bytes}")
            response = buffer[:size]
            receive_into(sock, response)
            requests += 1
            progress = False
            for partition, error, records in wire.fetched(response):
                if error:
                    raise BenchError(f"Fetch answered error {error} for partition {partition}")
                if not records:
                    continue
                # a partition that was read goes to the end of the list: brokers fill an answer in the request's order
                before = offsets.pop(partition)
                after = wire.next_offset(records, before)
                if after < end_offset:
                    offsets[partition] = after
                progress = progress or after > before
                got += len(records)
            if not progress:
                raise BenchError("Fetch answered without a whole batch")
            offsets = offsets or dict.fromkeys(range(partitions), 0)
        seconds = time.perf_counter() - began
    return Timing(seconds, requests, got)
