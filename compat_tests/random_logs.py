"""Random segments with everything that three message formats allow, without a broker; seeded, so always the same."""

from __future__ import annotations

from random import Random

from wirebroker.record.builder import build_batch
from wirebroker.record.compression import Codec, Compression
from wirebroker.record.control import build_marker
from wirebroker.record.legacy import build_legacy_record, wrap
from wirebroker.record.record_batch import TRANSACTIONAL, BatchProducer, Record
from wirebroker.tests.record.produce_cases import patched

_LETTERS = "abcdefg hijk=:,ß漢😀|"
OLD_CODECS = (Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4)


def random_log(seed: int, *, zstd: bool = True) -> bytes:
    """Some batches in one of the formats or in all of them; now and then the last one is cut short."""
    random = Random(f"log {seed}")
    formats = random.choice(((2,), (2,), (0, 1), (0, 1, 2)))
    offset, data = 0, b""
    for _ in range(random.randint(1, 25)):
        magic = random.choice(formats)
        if magic < 2:
            piece, offset = _old(random, magic, offset)
        elif random.random() < 0.1:
            piece, offset = _marker(random, offset), offset + 1
        else:
            piece, offset = _batch(random, offset, tuple(Codec) if zstd else OLD_CODECS)
        data += piece
        offset += random.choice((0, 0, 0, 1, 7))
    return data[: -random.randint(1, 20)] if random.random() < 0.2 else data


def _text(random: Random) -> bytes | None:
    size = random.choice((None, 0, 1, 9, 70))
    return None if size is None else "".join(random.choices(_LETTERS, k=size)).encode()


def _batch(random: Random, offset: int, codecs: tuple[Codec, ...]) -> tuple[bytes, int]:
    records = []
    timestamp = random.choice((0, 1_700_000_000_000))
    for _ in range(random.choice((1, 2, 5, 40))):
        headers = [((_text(random) or b"h"), _text(random)) for _ in range(random.choice((0, 0, 1, 3)))]
        records.append(Record(offset, timestamp + random.randint(0, 9999), _text(random), _text(random), headers))
        offset += random.choice((1, 1, 1, 2))
    has_producer = random.random() < 0.5
    append_time = random.random() < 0.3
    data = build_batch(
        records,
        compression=Compression(random.choice(codecs)),
        producer=BatchProducer(
            random.randint(0, 2**40) if has_producer else -1,
            random.randint(0, 9) if has_producer else -1,
            random.choice((0, 17, 2**31 - 3)) if has_producer else -1,
        ),
        attributes=TRANSACTIONAL if has_producer and random.random() < 0.4 else 0,
        append_time_ms=1_800_000_000_000 if append_time else None,
    )
    return patched(data, partition_leader_epoch=random.randint(0, 5)), offset


def _marker(random: Random, offset: int) -> bytes:
    marker = build_marker(
        committed=random.random() < 0.5,
        producer_id=random.randint(0, 99),
        producer_epoch=1,
        coordinator_epoch=random.randint(0, 9),
        timestamp=1_700_000_000_000,
        base_offset=offset,
    )
    return patched(marker, partition_leader_epoch=3)


def _old(random: Random, magic: int, offset: int) -> tuple[bytes, int]:
    codec = random.choice(OLD_CODECS)
    timestamp = 1_700_000_000_000 + random.randint(0, 999)
    if codec is Codec.NONE:
        message = build_legacy_record(offset, magic, _text(random), _text(random), timestamp=timestamp)
        return message, offset + 1
    count = random.choice((1, 2, 20))
    inside = b"".join(
        build_legacy_record(n if magic else offset + n, magic, _text(random), _text(random), timestamp=timestamp - n)
        for n in range(count)
    )
    last = offset + count - 1
    late = magic == 1 and random.random() < 0.3
    return wrap(inside, magic, Compression(codec), last, timestamp=timestamp, log_append_time=late), last + 1
