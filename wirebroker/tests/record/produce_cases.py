"""Record batches, good and bad in every way, with the error code Apache Kafka 3.9.1 answers to Produce.

Unit tests put them through `check_batch`; the compatibility tests send them to brokers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wirebroker.protocol.errors import ErrorCode
from wirebroker.record.builder import build_batch, encode_records
from wirebroker.record.compression import Codec, compress
from wirebroker.record.crc32c import crc32c
from wirebroker.record.record_batch import HEADER, Record
from wirebroker.record.varint import encode_varint

if TYPE_CHECKING:
    from collections.abc import Sequence

NOW_MS = 1_795_260_000_000

FIELDS = (
    "base_offset",
    "batch_length",
    "partition_leader_epoch",
    "magic",
    "crc",
    "attributes",
    "last_offset_delta",
    "base_timestamp",
    "max_timestamp",
    "producer_id",
    "producer_epoch",
    "base_sequence",
    "record_count",
)


def record(
    value: bytes | None = b"abc", key: bytes | None = None, *, offset: int = 0, timestamp: int = NOW_MS
) -> Record:
    return Record(offset, timestamp, key, value, [])


def patched(batch: bytes, **fields: int) -> bytes:
    """*batch* with other header fields, and the checksum made right again unless it is given."""
    out = bytearray(batch)
    values = dict(zip(FIELDS, HEADER.unpack_from(out), strict=True)) | fields
    HEADER.pack_into(out, 0, *(values[name] for name in FIELDS))
    if "crc" not in fields:
        out[17:21] = crc32c(out[21:]).to_bytes(4, "big")
    return bytes(out)


def with_area(area: bytes, *, count: int = 1, codec: int = 0) -> bytes:
    """A batch around any bytes as its record area."""
    header = HEADER.pack(0, 49 + len(area), -1, 2, 0, codec, count - 1, NOW_MS, NOW_MS, -1, -1, -1, count)
    return patched(header + area)


def with_body(body: bytes) -> bytes:
    """A batch of one record with these bytes after its length."""
    return with_area(encode_varint(len(body)) + body)


GOOD = build_batch([record()])
TWO = build_batch([record(), record(offset=1)])
LARGE = build_batch([record(bytes(1000))])
AREA = bytes(encode_records([record(b"x" * 50_000), record(offset=1)], 0, NOW_MS))
CODECS = (Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD)


class Case(NamedTuple):
    """A record set and the answer to it.  *topic* names one of `TOPICS`."""

    name: str
    records: bytes
    code: ErrorCode
    topic: str = "plain"
    version: int = 7


#: Topics that the cases are sent to, with their settings.
TOPICS: dict[str, dict[str, str]] = {
    "plain": {},
    "compacted": {"cleanup.policy": "compact"},
    "append-time": {"message.timestamp.type": "LogAppendTime"},
    "bounded": {"message.timestamp.before.max.ms": "3600000", "message.timestamp.after.max.ms": "3600000"},
    "small": {"max.message.bytes": "500"},
    "gzip": {"compression.type": "gzip"},
    "uncompressed": {"compression.type": "uncompressed"},
}

OK, CORRUPT, INVALID = ErrorCode.NONE, ErrorCode.CORRUPT_MESSAGE, ErrorCode.INVALID_RECORD
UNKNOWN, LATE = ErrorCode.UNKNOWN_SERVER_ERROR, ErrorCode.INVALID_TIMESTAMP


def trailing(length: int, magic: int, rest: int) -> bytes:
    """The start of another batch: its length field, its magic, and *rest* zero bytes."""
    return bytes(8) + length.to_bytes(4, "big") + bytes(4) + bytes((magic,)) + bytes(rest)


FRAMING = [
    Case("good", GOOD, OK),
    Case("nothing", b"", INVALID),
    Case("twelve bytes", GOOD[:12], INVALID),
    Case("cut off", GOOD[:-1], INVALID),
    Case("sixteen zeros", bytes(16), CORRUPT),
    Case("two batches", GOOD + GOOD, INVALID),
    Case("a batch and most of another", GOOD + GOOD[:-1], OK),
    Case("5 zeros behind", GOOD + bytes(5), OK),
    Case("11 zeros behind", GOOD + bytes(11), OK),
    Case("12 zeros behind", GOOD + bytes(12), CORRUPT),
    Case("61 zeros behind", GOOD + bytes(61), CORRUPT),
    Case("an unfinished old message behind", GOOD + trailing(14, 1, 3), OK),
    Case("a whole old message behind", GOOD + trailing(14, 1, 9), INVALID),
    Case("unknown magic behind", GOOD + trailing(14, 9, 3), CORRUPT),
    *(Case(f"batch length {n}", patched(GOOD, batch_length=n), CORRUPT) for n in (-1, 0, 13, 14, 48, 49)),
    Case("batch length one more", patched(GOOD, batch_length=len(GOOD) - 11), INVALID),
    Case("batch length one less", patched(GOOD, batch_length=len(GOOD) - 13), CORRUPT),
    *(Case(f"magic {n}", patched(GOOD, magic=n), CORRUPT) for n in (-1, 3, 127)),
    *(Case(f"magic {n}", patched(GOOD, magic=n), INVALID) for n in (0, 1)),
    Case("bad checksum", patched(GOOD, crc=5), CORRUPT),
    Case(
        "zstd in v6",
        with_area(compress(Codec.ZSTD, AREA), count=2, codec=4),
        ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
        version=6,
    ),
    Case(
        "zstd in v6, two batches",
        with_area(compress(Codec.ZSTD, AREA), count=2, codec=4) * 2,
        ErrorCode.UNSUPPORTED_COMPRESSION_TYPE,
        version=6,
    ),
    Case("zstd in v7", with_area(compress(Codec.ZSTD, AREA), count=2, codec=4), OK),
]

HEADERS = [
    Case("base offset 1", patched(GOOD, base_offset=1), INVALID),
    Case("base offset -1", patched(GOOD, base_offset=-1), INVALID),
    Case("no records", patched(GOOD, record_count=0), INVALID),
    Case("no records, no offsets", patched(GOOD, record_count=0, last_offset_delta=-1), INVALID),
    Case("count -1", patched(GOOD, record_count=-1), INVALID),
    Case("last offset delta too big", patched(GOOD, last_offset_delta=1), INVALID),
    Case("count 2 of 1", patched(GOOD, record_count=2, last_offset_delta=1), INVALID),
    Case("count 1 of 2", patched(TWO, record_count=1, last_offset_delta=0), INVALID),
    Case("control bit", patched(GOOD, attributes=0x20), INVALID),
    Case("producer id without a sequence", patched(GOOD, producer_id=5, producer_epoch=0), INVALID),
    Case("LogAppendTime bit", patched(GOOD, attributes=8), OK),
    Case("LogAppendTime bit without a time", patched(GOOD, attributes=8, max_timestamp=-1), LATE),
    Case("LogAppendTime bit to its own topic", patched(GOOD, attributes=8), LATE, "append-time"),
    Case("to an append time topic", GOOD, OK, "append-time"),
    Case("delete horizon bit", patched(GOOD, attributes=0x40), OK),
    Case("bits of the upper byte", patched(GOOD, attributes=0x4100), OK),
    Case("wrong max timestamp", patched(GOOD, max_timestamp=99), OK),
    Case("too large", LARGE, ErrorCode.MESSAGE_TOO_LARGE, "small"),
    Case("too large with a bad checksum", patched(LARGE, crc=1), ErrorCode.MESSAGE_TOO_LARGE, "small"),
    Case("too large with a base offset", patched(LARGE, base_offset=1), INVALID, "small"),
]


def body(*, attributes: int = 0, offset: int = 0, key: int = -1, value: int = -1, rest: bytes = b"\x00") -> bytes:
    """A record body with these lengths, and nothing behind them but *rest* (no headers)."""
    return bytes((attributes, 0)) + encode_varint(offset) + encode_varint(key) + encode_varint(value) + rest


RECORDS = [
    Case("record attributes", with_body(body(attributes=0x55)), OK),
    Case("lengths of -7", with_body(body(key=-7, value=-7)), OK),
    Case("odd offset delta", with_body(body(offset=77)), OK),
    Case("-1 headers", with_body(body(rest=encode_varint(-1))), INVALID),
    Case("5 headers too many", with_body(body(rest=encode_varint(5))), INVALID),
    Case("header without a key", with_body(body(rest=encode_varint(1) + encode_varint(-1) * 2)), INVALID),
    Case("header with a null value", with_body(body(rest=encode_varint(1) + b"\x02a" + encode_varint(-1))), OK),
    Case("header key of odd bytes", with_body(body(rest=encode_varint(1) + b"\x02\xff" + encode_varint(-1))), OK),
    Case("value too long", with_body(body(value=50)), INVALID),
    Case("key too long", with_body(body(key=50)), INVALID),
    Case("a byte too many in a record", with_body(body(rest=b"\x00\x00")), INVALID),
    Case("length 0", with_area(encode_varint(0)), INVALID),
    Case("length -1", with_area(encode_varint(-1) + bytes(6)), INVALID),
    Case("length in five bytes", with_area(b"\x8c\x80\x80\x80\x00" + body()), OK),
    Case("key length in six bytes", with_body(b"\x00\x00\x00" + b"\x80" * 5 + b"\x01" + b"\x01\x00"), INVALID),
    Case("offset delta of 35 bits", with_body(b"\x00\x00" + b"\xff\xff\xff\xff\x7f" + b"\x01\x01\x00"), OK),
    Case("timestamp delta in eleven bytes", with_body(b"\x00" + b"\x80" * 10 + b"\x01" + body()[2:]), INVALID),
    Case("40 records, each value too long", with_area(encode_varint(6) + body(value=50), count=1), INVALID),
    Case("null key", GOOD, INVALID, "compacted"),
    Case("empty key", build_batch([record(key=b"")]), OK, "compacted"),
    Case(
        "one null key of many",
        build_batch([record(key=None if n == 77 else b"k", offset=n) for n in range(100)]),
        INVALID,
        "compacted",
    ),
    Case("negative timestamp", build_batch([record(timestamp=-50)]), OK),
]


def linked_lz4(data: bytes) -> bytes:
    """A frame whose blocks refer to earlier ones; liblz4 makes one only of more than one block."""
    import lz4.frame

    packed: bytes = lz4.frame.compress(data, block_linked=True, block_size=lz4.frame.BLOCKSIZE_MAX64KB)
    return packed


COMPRESSED = [
    *(Case(f"codec {n}", with_area(AREA, count=2, codec=n), UNKNOWN) for n in (5, 6, 7)),
    *(Case(f"{c.name}", with_area(compress(c, AREA), count=2, codec=c), OK) for c in CODECS),
    *(Case(f"{c.name}: count too small", with_area(compress(c, AREA), count=1, codec=c), INVALID) for c in CODECS),
    *(Case(f"{c.name}: count too big", with_area(compress(c, AREA), count=3, codec=c), INVALID) for c in CODECS),
    *(Case(f"{c.name}: garbage", with_area(b"garbage garbage garbage", codec=c), UNKNOWN) for c in CODECS),
    *(Case(f"{c.name}: cut off", with_area(compress(c, AREA)[:-12], count=2, codec=c), UNKNOWN) for c in CODECS),
    *(Case(f"{c.name}: nothing", with_area(b"", codec=c), UNKNOWN) for c in CODECS[:3]),
    Case("ZSTD: nothing", with_area(b"", codec=4), INVALID),
    *(
        Case(f"{c.name}: more behind", with_area(compress(c, AREA) + b"\1\2\3\4\5", count=2, codec=c), code)
        for c, code in zip(CODECS, (OK, UNKNOWN, OK, UNKNOWN), strict=True)
    ),
    *(
        Case(
            f"{c.name}: in two pieces",
            with_area(compress(c, AREA[:99]) + compress(c, AREA[99:]), count=2, codec=c),
            code,
        )
        for c, code in zip(CODECS, (OK, OK, INVALID, OK), strict=True)
    ),
    *(Case(f"{c.name} to a gzip topic", with_area(compress(c, AREA), count=2, codec=c), OK, "gzip") for c in CODECS),
    Case("LZ4: linked blocks", with_area(linked_lz4(AREA * 4), count=8, codec=3), UNKNOWN),
    Case("plain to a gzip topic", GOOD, OK, "gzip"),
    Case("wrong count to a gzip topic", patched(GOOD, record_count=2, last_offset_delta=1), INVALID, "gzip"),
    Case("lz4 to an uncompressed topic", with_area(compress(Codec.LZ4, AREA), count=2, codec=3), OK, "uncompressed"),
]


def timed_cases(now_ms: int) -> Sequence[Case]:
    """Cases that depend on the clock of the broker they are sent to."""
    hour = 3_600_000
    many = [record(bytes(100), offset=n, timestamp=now_ms) for n in range(100)]
    return [
        Case("now", build_batch([record(timestamp=now_ms)]), OK, "bounded"),
        Case("no timestamp", build_batch([record(timestamp=-1)]), OK, "bounded"),
        Case("too old", build_batch([record(timestamp=now_ms - 2 * hour)]), LATE, "bounded"),
        Case("too new", build_batch([record(timestamp=now_ms + 2 * hour)]), LATE, "bounded"),
        Case("many now", build_batch(many), OK, "bounded"),
        Case(
            "one of many too old",
            build_batch([*many, record(offset=100, timestamp=now_ms - 2 * hour)]),
            LATE,
            "bounded",
        ),
        Case(
            "one of many too new",
            build_batch([*many, record(offset=100, timestamp=now_ms + 2 * hour)]),
            LATE,
            "bounded",
        ),
        Case(
            "old by LogAppendTime bit",
            patched(build_batch([record(timestamp=now_ms)]), attributes=8, max_timestamp=1),
            LATE,
            "bounded",
        ),
        Case("too old, other topic", build_batch([record(timestamp=now_ms - 2 * hour)]), OK),
    ]


CASES = FRAMING + HEADERS + RECORDS + COMPRESSED

REFUSED_BEFORE_MIN_ISR = frozenset(
    (
        "nothing",
        "twelve bytes",
        "cut off",
        "sixteen zeros",
        "two batches",
        "12 zeros behind",
        "61 zeros behind",
        "a whole old message behind",
        "unknown magic behind",
        *(f"batch length {n}" for n in (-1, 0, 13, 14)),
        "batch length one more",
        *(f"magic {n}" for n in (-1, 0, 1, 3, 127)),
        "zstd in v6",
        "zstd in v6, two batches",
    )
)
"""Cases with their own code where Apache Kafka 2.8.2 and 3.6.2 answer all others with NOT_ENOUGH_REPLICAS."""
