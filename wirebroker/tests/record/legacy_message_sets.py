"""Message sets of formats 0 and 1 as producers send them, and ways to spoil them; and some that Kafka 2.8.2 wrote."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from wirebroker.record.compression import Codec, Compression
from wirebroker.record.legacy import build_legacy_record, wrap
from wirebroker.tests.record.produce_cases import NOW_MS

if TYPE_CHECKING:
    from collections.abc import Sequence

Pair = tuple[bytes | None, bytes | None]
OLD_CODECS = (Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4)
PAIRS: tuple[Pair, ...] = ((b"k0", b"value 0"), (None, b"no key"), (b"k2", None), (b"", b""), (b"k4", b"v" * 300))


def message_set(
    magic: int,
    codec: Codec = Codec.NONE,
    pairs: Sequence[Pair] = PAIRS,
    *,
    base: int = 0,
    now_ms: int = NOW_MS,
    timestamps: Sequence[int] | None = None,
    attributes: int = 0,
) -> bytes:
    """One set: messages on their own a millisecond apart, or one wrapper with them inside."""
    times = timestamps or [now_ms + number for number in range(len(pairs))]
    inside = b"".join(
        build_legacy_record(base + number, magic, key, value, timestamp=times[number], attributes=attributes)
        for number, (key, value) in enumerate(pairs)
    )
    if codec is Codec.NONE:
        return inside
    last = base + len(pairs) - 1
    return wrap(inside, magic, Compression(codec), last, timestamp=max(times), log_append_time=bool(attributes & 8))


def patched_message(data: bytes, at: int, layout: str, *values: int, crc: bool = True) -> bytes:
    """*data*, one message, with a field overwritten, and its checksum made right again."""
    out = bytearray(data)
    struct.pack_into(f">{layout}", out, at, *values)
    if crc:
        struct.pack_into(">I", out, 12, zlib.crc32(out[16:]))
    return bytes(out)


#: By format and codec: PAIRS as Apache Kafka 2.8.2 has them on disk, and the first offset.
KAFKA = {
    (0, Codec.GZIP): (
        16,
        "00000000000000140000008118887fa60001ffffffff000000731f8b08000000000000ff63600003012016af3db4f33598c7946d0024d9cb"
        "12734a53150c202a18048158243660750a03c37f2000f2d8f2f215b2532ba1f2422063ba951fdf821a6104550502c240ccf7b82ba38c01"
        "1d88303030dac8ff947381ea3201f275ca4601d100002d0767a7c1010000",
    ),
    (0, Codec.SNAPPY): (
        37,
        "0000000000000029000000ad0656135d0002ffffffff0000009f82534e415050590000000001000000010000008bc10300000901202500"
        "0000177dc2b9eb050f30026b300000000776616c756520010b01016026000000145d50ab640000ffffffff000000066e6f206b6579011d"
        "2c00000027000000108b23e3da010d0c00026b320d26010120280000000ee38a6876010d32010020290000013c1ff91e4405161c026b34"
        "0000012c76fe0100fe0100fe0100fe0100aa0100",
    ),
    (0, Codec.LZ4): (
        58,
        "000000000000003e000000a3b91131dc0003ffffffff0000009504224d1860401a8600000012000100913a000000177dc2b9eb0f00d002"
        "6b300000000776616c7565200b00000200f00a3b000000145d50ab640000ffffffff000000066e6f206b65791d00c10000003c00000010"
        "8b23e3da0e0033026b322600000200903d0000000ee38a68760d00090200913e0000013c1ff91e4416008f026b340000012c760100ff14"
        "50767676767600000000",
    ),
    (1, Codec.GZIP): (
        16,
        "000000000000001400000089321350140101ffffffffffffffffffffffff000000731f8b08000000000000ff63608003f9eaef9f8a1819"
        "fe4301508429db0048b29725e694a62a1840953102b14c8cade16c8452a872b6bc7c85ecd44aa83a262096d07962fc05cd4823280b0498"
        "81584c5efdcb341435c8800568a14b9677a0109a292640719db25140340000a3ec626ae9010000",
    ),
    (1, Codec.SNAPPY): (
        37,
        "0000000000000029000000b6ef7f42930102ffffffffffffffffffffffff000000a082534e415050590000000001000000010000008ce9"
        "03000019011c1f7bf7f2720100ff0d013c000000026b300000000776616c756520010b010120010000001c5c3d319b192b010124000000"
        "066e6f206b65790125013d1c000000182ce433f419280116046b320d2e01012003000000161f27f4963224002e01002004000001446a4b"
        "51123222001c026b340000012c76fe0100fe0100fe0100fe0100aa0100",
    ),
    (1, Codec.LZ4): (
        58,
        "000000000000003e000000aeca9ac8fb0103ffffffffffffffffffffffff0000009804224d186040828900000016000100831f7bf7f272"
        "0100ff0100f001000000026b300000000776616c7565200b0000020096010000001c5c3d319b2b00000200a0000000066e6f206b657925"
        "00003d0086000000182ce433f42800001600236b322e000002009903000000161f27f49624000802009904000001446a4b511222008f02"
        "6b340000012c760100ff1450767676767600000000",
    ),
}
