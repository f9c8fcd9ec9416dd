"""Codecs: what goes in comes out, never more than the limit, and garbage is an error of ours."""

from __future__ import annotations

import tracemalloc
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.record.compression import XERIAL_HEADER, Codec, compress, decompress
from wirebroker.record.errors import DecompressionLimitError, RecordError

REAL = (Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD)
LIMIT = 10 << 20


@pytest.mark.parametrize("codec", Codec)
@pytest.mark.parametrize("size", [0, 1, 1000, 32 << 10, (64 << 10) + 1, 3 << 20])
def test_round_trip(codec: Codec, size: int) -> None:
    random = Random(size)
    data = b"".join(random.choice((b"abc", b"defgh", b"ij")) for _ in range(size // 3))[:size].ljust(size, b"x")
    packed = compress(codec, data)
    assert decompress(codec, packed, LIMIT) == data
    assert decompress(codec, memoryview(bytearray(packed)), LIMIT) == data
    assert decompress(codec, packed, max(size, 1)) == data
    if size > 100 and codec is not Codec.NONE:
        assert len(packed) < size


@given(st.sampled_from(Codec), st.binary(max_size=500))
def test_any_bytes_round_trip(codec: Codec, data: bytes) -> None:
    assert decompress(codec, compress(codec, memoryview(data)), LIMIT) == data


@pytest.mark.parametrize("codec", Codec)
@pytest.mark.parametrize("size", [100, 5 << 20])
def test_limit(codec: Codec, size: int) -> None:
    packed = compress(codec, bytes(size))
    with pytest.raises(DecompressionLimitError):
        decompress(codec, packed, size - 1)


@pytest.mark.parametrize("codec", REAL)
def test_a_bomb_takes_no_memory_to_refuse(codec: Codec) -> None:
    bomb = compress(codec, bytes(100 << 20))
    tracemalloc.start()
    with pytest.raises(DecompressionLimitError):
        decompress(codec, bomb, 4 << 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20


@given(st.sampled_from(REAL), st.binary(max_size=100))
def test_garbage_is_refused(codec: Codec, data: bytes) -> None:
    try:
        decompress(codec, data, 1 << 20)
    except RecordError:
        pass


@given(st.sampled_from(REAL), st.integers(0, 1 << 30))
def test_damage_is_refused_or_read(codec: Codec, seed: int) -> None:
    random = Random(seed)
    packed = bytearray(compress(codec, random.randbytes(200) * 20))
    packed[random.randrange(len(packed))] ^= random.randrange(1, 256)
    try:
        decompress(codec, bytes(packed), 1 << 20)
    except RecordError:
        pass


@pytest.mark.parametrize("codec", REAL)
def test_cut_off(codec: Codec) -> None:
    packed = compress(codec, b"some data " * 100)
    for end in range(1, len(packed)):
        if codec is Codec.SNAPPY and end == len(XERIAL_HEADER):
            continue  # a stream without blocks
        with pytest.raises(RecordError):
            decompress(codec, packed[:end], LIMIT)


@pytest.mark.parametrize(("codec", "best"), [(Codec.GZIP, 9), (Codec.LZ4, 9), (Codec.ZSTD, 19)])
def test_levels(codec: Codec, best: int) -> None:
    random = Random(1)
    words = [random.randbytes(5).hex().encode() for _ in range(300)]
    data = b" ".join(random.choice(words) for _ in range(20_000))
    fast, dense = compress(codec, data, 1), compress(codec, data, best)
    assert dense != fast  # denser as a rule, but zstd's low levels sometimes win on made-up text
    assert decompress(codec, dense, LIMIT) == decompress(codec, fast, LIMIT) == data


def test_raw_snappy_as_librdkafka_sends_it() -> None:
    import snappy

    assert decompress(Codec.SNAPPY, snappy.compress(b"hello " * 99), LIMIT) == b"hello " * 99


def test_snappy_streams_back_to_back() -> None:
    packed = compress(Codec.SNAPPY, b"one ") + compress(Codec.SNAPPY, b"two")
    assert decompress(Codec.SNAPPY, packed, LIMIT) == b"one two"


def test_an_announced_length_allocates_nothing() -> None:
    huge = b"\xff\xff\xff\xff\x0f" + b"a"
    with pytest.raises(RecordError):
        decompress(Codec.SNAPPY, huge, 1 << 40)
    framed = XERIAL_HEADER + (len(huge)).to_bytes(4, "big") + huge
    with pytest.raises(RecordError):
        decompress(Codec.SNAPPY, framed, 1 << 40)
    with pytest.raises(RecordError):
        decompress(Codec.SNAPPY, XERIAL_HEADER + b"\x7f\xff\xff\xff" + b"a", 1 << 40)


def test_linked_lz4_blocks_are_refused() -> None:
    """Kafka's reader refuses them, so a broker that took them would poison the topic for Java consumers."""
    import lz4.frame

    linked = lz4.frame.compress(bytes(range(256)) * 1000, block_linked=True, block_size=lz4.frame.BLOCKSIZE_MAX64KB)
    with pytest.raises(RecordError, match="linked"):
        decompress(Codec.LZ4, linked, LIMIT)


@pytest.mark.parametrize("options", [{"store_size": True}, {"content_checksum": True}, {"block_checksum": True}])
def test_lz4_frame_options(options: dict[str, bool]) -> None:
    import lz4.frame

    data = bytes(range(256)) * 1000
    assert decompress(Codec.LZ4, lz4.frame.compress(data, block_linked=False, **options), LIMIT) == data


@pytest.mark.parametrize("size", [0, 1, 300 << 10])
def test_zstd_frames_as_other_writers_make_them(size: int) -> None:
    import zstandard

    data = bytes(range(256)) * (size // 256) + bytes(size % 256)
    packed = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False).compress(data)
    skippable = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    assert decompress(Codec.ZSTD, skippable + packed + skippable + packed, LIMIT) == data * 2
    with pytest.raises(RecordError):
        decompress(Codec.ZSTD, packed + packed[:-1], LIMIT)
