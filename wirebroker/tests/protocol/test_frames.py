"""Frames out of a byte stream: cut anywhere, never copied, memory in proportion to what has arrived."""

from __future__ import annotations

import subprocess
import sys
from mmap import PAGESIZE as PAGE_BYTES
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.protocol.exceptions import ForeignProtocolError, ProtocolError
from wirebroker.protocol.frames import BIG_BYTES, SMALL_BYTES, BufferPool, FrameReceiver

LIMIT = 16 * 1024 * 1024


def feed(receiver: FrameReceiver, stream: bytes, cuts: list[int]) -> list[bytes]:
    """Deliver *stream* in pieces and collect the frames, resting whenever nothing is unread."""
    frames: list[bytes] = []
    at = 0
    pieces = iter(cuts)
    while at < len(stream):
        space = receiver.space()
        count = min(len(space), len(stream) - at, next(pieces, len(stream)))
        space[:count] = stream[at : at + count]
        receiver.received(count)
        at += count
        while (frame := receiver.next_frame()) is not None:
            frames.append(bytes(frame))
        receiver.release()
    return frames


@given(
    sizes=st.lists(st.integers(0, 300) | st.sampled_from([40_000, 70_000, 200_000]), max_size=12),
    cuts=st.lists(st.integers(1, 90_000), max_size=60),
)
def test_any_cutting_gives_the_same_frames(sizes: list[int], cuts: list[int]) -> None:
    bodies = [bytes([i % 251]) * size for i, size in enumerate(sizes)]
    stream = b"".join(pack(">i", len(body)) + body for body in bodies)
    assert feed(FrameReceiver(BufferPool(), LIMIT), stream, cuts) == bodies


def test_byte_by_byte() -> None:
    stream = pack(">i", 3) + b"abc" + pack(">i", 0) + pack(">i", 2) + b"de"
    assert feed(FrameReceiver(BufferPool(), LIMIT), stream, [1] * len(stream)) == [b"abc", b"", b"de"]


def test_a_frame_larger_than_the_big_buffer_arrives_whole() -> None:
    body = bytes(range(256)) * (3 * BIG_BYTES // 256)
    stream = pack(">i", len(body)) + body
    assert feed(FrameReceiver(BufferPool(), LIMIT), stream, [500_000] * 40) == [body]


def test_the_buffer_of_a_very_large_frame_is_enlarged_without_a_copy() -> None:
    receiver = FrameReceiver(BufferPool(), LIMIT)
    body = bytes(range(256)) * (5 * BIG_BYTES // 256)
    stream = pack(">i", len(body)) + body
    buffers: list[object] = []
    at = 0
    while (frame := receiver.next_frame()) is None:
        space = receiver.space()
        if type(space.obj) is not bytearray and space.obj not in buffers:
            buffers.append(space.obj)
        space[:] = stream[at : at + len(space)]
        receiver.received(len(space))
        at += len(space)
        del space
    assert frame == body
    assert len(buffers) == 1  # of 4 MB at first


def test_a_buffer_of_which_a_view_is_used_is_not_enlarged() -> None:
    pool = BufferPool(keep=0)
    view = pool.take(2 * BIG_BYTES)
    view[:4] = b"abcd"
    used = view[:4]
    same = pool.enlarge(view, 4 * BIG_BYTES)
    assert len(same) == 2 * BIG_BYTES
    used.release()
    enlarged = pool.enlarge(same, 4 * BIG_BYTES)
    assert len(enlarged) == 4 * BIG_BYTES
    assert bytes(enlarged[:4]) == b"abcd"


@pytest.mark.parametrize("size", [-1, -(2**31), LIMIT + 1, 2**31 - 1])
def test_a_size_below_zero_or_above_the_limit_is_refused(size: int) -> None:
    receiver = FrameReceiver(BufferPool(), LIMIT)
    receiver.space()[:4] = pack(">i", size)
    receiver.received(4)
    with pytest.raises(ProtocolError, match="the limit is"):
        receiver.next_frame()


def test_memory_follows_the_bytes_received_not_the_size_announced() -> None:
    receiver = FrameReceiver(BufferPool(), 100 * 1024 * 1024)
    receiver.space()[:4] = pack(">i", 90 * 1024 * 1024)
    receiver.received(4)
    assert receiver.next_frame() is None
    total = 4
    while total < 4 * BIG_BYTES:
        space = receiver.space()
        assert len(space) <= max(2 * total, BIG_BYTES)
        count = min(len(space), 10_000)
        receiver.received(count)
        total += count
        assert receiver.next_frame() is None


RESIDENT_BYTES_OF_LENT_BUFFERS = """
from pathlib import Path
from wirebroker.protocol.frames import BIG_BYTES, SMALL_BYTES, BufferPool

def resident_pages():
    return int(Path("/proc/self/statm").read_text().split()[1])

pool = BufferPool(keep=2)
lent = [pool.take(BIG_BYTES) for _ in range(2)]
before = resident_pages()
lent += [pool.take(BIG_BYTES) for _ in range(50)]
for view in lent[2:]:
    view[:SMALL_BYTES] = bytes(SMALL_BYTES)
print(resident_pages() - before)
"""


def test_buffers_beyond_the_pool_become_memory_as_bytes_arrive() -> None:
    # in a process of its own: what other tests left may be given back at any moment
    script = [sys.executable, "-c", RESIDENT_BYTES_OF_LENT_BUFFERS]
    pages = int(subprocess.run(script, check=True, capture_output=True, timeout=60).stdout)
    assert 50 * SMALL_BYTES <= pages * PAGE_BYTES < 100 * SMALL_BYTES


def test_the_pool_keeps_some_of_the_buffers_given_back() -> None:
    pool = BufferPool(keep=2)
    lent = [pool.take(BIG_BYTES) for _ in range(52)]
    for view in lent:
        pool.give_back(view)
    again = [pool.take(BIG_BYTES) for _ in range(3)]
    assert {id(view) for view in again[:2]} == {id(view) for view in lent[:2]}
    assert all(again[2] is not view for view in lent)


def test_an_idle_connection_holds_no_buffer() -> None:
    pool = BufferPool()
    receiver = FrameReceiver(pool, LIMIT)
    first = receiver.space()
    receiver.release()
    assert pool.take(SMALL_BYTES) is first


def test_a_buffer_with_half_a_frame_stays_with_its_connection() -> None:
    pool = BufferPool()
    receiver = FrameReceiver(pool, LIMIT)
    view = receiver.space()
    view[:6] = pack(">i", 5) + b"ab"
    receiver.received(6)
    assert receiver.next_frame() is None
    receiver.release()
    assert receiver.unread_bytes == 6
    assert pool.take(SMALL_BYTES) is not view


@pytest.mark.parametrize(
    ("stream", "protocol"),
    [
        (b"GET / HTTP/1.1\r\nHost: localhost:9092\r\n\r\n", "HTTP"),
        (b"POST /metrics HTTP/1.1\r\n", "HTTP"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP"),
        (b"HTTP/1.1 200 OK\r\n", "HTTP"),
        (bytes.fromhex("1603010200 010001fc 0303"), "TLS"),
        (bytes.fromhex("1603030200 010001fc 0303"), "TLS"),
    ],
)
def test_foreign_protocols_are_named(stream: bytes, protocol: str) -> None:
    with pytest.raises(ForeignProtocolError) as fault:
        feed(FrameReceiver(BufferPool(), LIMIT), stream, [])
    assert fault.value.protocol == protocol


@pytest.mark.parametrize("stream", [b"\x80\0\0\0", b"SSH-2.0-OpenSSH", b"\x15\x03\x01\x00"])
def test_oversized_frames_are_logged_as_such(stream: bytes) -> None:
    with pytest.raises(ProtocolError, match="the limit is") as fault:
        feed(FrameReceiver(BufferPool(), LIMIT), stream, [])
    assert not isinstance(fault.value, ForeignProtocolError)
