"""Compress and decompress record areas: within a limit of bytes, and as stock clients read and write them.

gzip is RFC 1952.  snappy comes in two framings: the one of xerial's snappy-java (a 16 byte header, then blocks of an
int32 length and raw snappy), which Java writes, and one bare raw snappy block, which librdkafka writes; Java's reader
takes both, so both are read here and the first is written.  lz4 is the LZ4 frame format with independent blocks
(Kafka's reader refuses linked ones, so they are refused here, before Java consumers read them).  zstd is RFC 8878.

`decompress` never holds more than the caller's limit, whatever a length field announces, and grows with what it
really produced.  Each codec's library is imported when it is first needed.
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.record.errors import DecompressionLimitError, RecordError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Decompressor = Callable[["memoryview | bytes", int, int, "int | None"], Iterator[bytes]]
    Compressor = Callable[["memoryview | bytes", "int | None"], bytes]


class Codec(IntEnum):
    """Bits 0-2 of a batch's attributes.  The lower-case names are those of ``compression.type``."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


class Compression(NamedTuple):
    """How a record area is compressed."""

    codec: Codec = Codec.NONE
    level: int | None = None
    """None is the codec's usual level; snappy has none at all."""


NO_COMPRESSION: Final = Compression()

CHUNK_BYTES = 1 << 20
_MEMBER_BYTES = 16 << 10
"""Input for each gzip member after the first: zlib copies what follows the end of a member."""

GZIP_MAGIC = b"\x1f\x8b"

XERIAL_MAGIC = b"\x82SNAPPY\x00"
XERIAL_HEADER = XERIAL_MAGIC + b"\x00\x00\x00\x01\x00\x00\x00\x01"  # format version 1, readable since version 1
XERIAL_BLOCK_BYTES = 32 << 10
_INT32 = Struct(">i")

#: A copy of up to 64 bytes costs snappy at least 2 bytes, so a valid block announces at most this per byte.
SNAPPY_MAX_RATIO = 32
ZSTD_MAX_WINDOW_BYTES = 1 << 27  # what zstd-jni takes, and so every Java client


def decompress(codec: Codec, data: memoryview | bytes, limit_bytes: int, most_pieces: int | None = None) -> bytes:
    """Return *data*, decompressed; at most *limit_bytes*.

    *most_pieces* limits the gzip members, snappy blocks, or zstd frames and blocks, which may be empty.

    Raises:
        RecordError: *data* is not what the codec writes.
        DecompressionLimitError: more than *limit_bytes*, or more than *most_pieces*.
    """
    return b"".join(decompressed_pieces(codec, data, limit_bytes, most_pieces=most_pieces))


def decompressed_pieces(
    codec: Codec,
    data: memoryview | bytes,
    limit_bytes: int,
    piece_bytes: int = CHUNK_BYTES,
    most_pieces: int | None = None,
) -> Iterator[bytes]:
    """Yield *data*, decompressed, in pieces of about *piece_bytes* (one raw snappy block is one piece).

    Raises as `decompress`, perhaps after pieces that were right.
    """
    left = limit_bytes
    for count, piece in enumerate(_DECOMPRESS[codec](data, limit_bytes, piece_bytes, most_pieces), 1):
        left -= len(piece)
        if left < 0:
            raise _over(limit_bytes)
        if most_pieces is not None and count > most_pieces:
            raise _too_many(most_pieces)
        yield piece


def compress(codec: Codec, data: memoryview | bytes, level: int | None = None) -> bytes:
    """Return *data*, compressed.  *level* None is the codec's usual one (snappy has none at all)."""
    return _COMPRESS[codec](data, level)


def _plain(data: memoryview | bytes, limit_bytes: int, piece_bytes: int, most_pieces: int | None) -> Iterator[bytes]:
    yield bytes(data)


def _over(limit_bytes: int) -> DecompressionLimitError:
    return DecompressionLimitError(f"more than {limit_bytes} bytes when decompressed")


def _too_many(most_pieces: int | None) -> DecompressionLimitError:
    return DecompressionLimitError(f"compressed in more than {most_pieces} pieces")


def _gunzip(data: memoryview | bytes, limit_bytes: int, piece_bytes: int, most_pieces: int | None) -> Iterator[bytes]:
    import zlib

    view, at, input_bytes = memoryview(data), 0, len(data)
    while True:  # several members back to back are one stream
        stream = zlib.decompressobj(wbits=31)
        pending: memoryview | bytes = b""
        while not stream.eof:
            if not pending:
                pending = view[at : at + input_bytes]
                at += len(pending)
            try:
                piece = stream.decompress(pending, piece_bytes)
            except zlib.error as fault:
                raise RecordError(f"gzip: {fault}") from None
            pending = stream.unconsumed_tail
            if not piece and not pending and at == len(view) and not stream.eof:
                raise RecordError("gzip: the stream ends early")
            yield piece
        at -= len(stream.unused_data)
        if view[at : at + 2] != GZIP_MAGIC:  # other bytes after a member are ignored, as Java does
            return
        input_bytes = _MEMBER_BYTES


def _gzip(data: memoryview | bytes, level: int | None) -> bytes:
    import zlib

    stream = zlib.compressobj(-1 if level is None else level, zlib.DEFLATED, 31)
    return stream.compress(data) + stream.flush()


def _unsnappy(data: memoryview | bytes, limit_bytes: int, piece_bytes: int, most_pieces: int | None) -> Iterator[bytes]:
    if bytes(data[:8]) != XERIAL_MAGIC:
        yield _snappy_block(data, limit_bytes)
        return
    if len(data) < len(XERIAL_HEADER):
        raise RecordError("snappy: the header is cut off")
    at, end, left = len(XERIAL_HEADER), len(data), limit_bytes
    while at < end:
        try:
            (length,) = _INT32.unpack_from(data, at)
        except StructError:
            raise RecordError("snappy: a block length is cut off") from None
        if length == XERIAL_CONCATENATED:
            at += len(XERIAL_HEADER)
            continue
        at += 4
        if length < 0 or length > end - at:
            raise RecordError(f"snappy: a block of {length} bytes, {end - at} left")
        block = _snappy_block(data[at : at + length], left)
        left -= len(block)
        at += length
        yield block


(XERIAL_CONCATENATED,) = _INT32.unpack_from(XERIAL_MAGIC)  # a whole new stream may start where a block would


def _snappy_block(data: memoryview | bytes, limit_bytes: int) -> bytes:
    import snappy

    announced = shift = 0
    for byte in data[:5]:
        announced |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    else:
        raise RecordError("snappy: no length in front")
    if announced > len(data) * SNAPPY_MAX_RATIO:
        raise RecordError(f"snappy: {len(data)} bytes cannot hold {announced}")
    if announced > limit_bytes:
        raise _over(limit_bytes)
    try:
        return bytes(snappy.uncompress(data))
    except snappy.UncompressError as fault:
        raise RecordError(f"snappy: {fault.__cause__ or fault}") from None


def _snappy(data: memoryview | bytes, level: int | None) -> bytes:
    import snappy

    out = bytearray(XERIAL_HEADER)
    view = memoryview(data)
    for at in range(0, len(view), XERIAL_BLOCK_BYTES):
        block = snappy.compress(bytes(view[at : at + XERIAL_BLOCK_BYTES]))
        out += _INT32.pack(len(block))
        out += block
    return bytes(out)


def _unlz4(data: memoryview | bytes, limit_bytes: int, piece_bytes: int, most_pieces: int | None) -> Iterator[bytes]:
    import lz4.frame

    if len(data) < 7 or bytes(data[:4]) != b"\x04\x22\x4d\x18":
        raise RecordError("lz4: no frame header")
    if not data[4] & 0x20:
        raise RecordError("lz4: linked blocks, which Kafka's reader does not take")
    stream = lz4.frame.LZ4FrameDecompressor()
    pending: memoryview | bytes = data
    while not stream.eof:
        try:
            piece = stream.decompress(pending, max_length=piece_bytes)
        except (RuntimeError, EOFError) as fault:
            raise RecordError(f"lz4: {fault}") from None
        pending = b""
        if not piece and not stream.eof:
            raise RecordError("lz4: the frame ends early")
        yield piece


def _lz4(data: memoryview | bytes, level: int | None) -> bytes:
    import lz4.frame

    packed: bytes = lz4.frame.compress(
        data,
        compression_level=level or 0,
        block_size=lz4.frame.BLOCKSIZE_MAX64KB,
        block_linked=False,
        store_size=False,
    )
    return packed


def _unzstd(data: memoryview | bytes, limit_bytes: int, piece_bytes: int, most_pieces: int | None) -> Iterator[bytes]:
    import zstandard

    reader = zstandard.ZstdDecompressor(max_window_size=ZSTD_MAX_WINDOW_BYTES).stream_reader(
        data, read_across_frames=True
    )
    try:
        if most_pieces is not None:
            _check_zstd_end(data, most_pieces)
        while piece := reader.read(piece_bytes):
            yield piece
        if most_pieces is None:
            _check_zstd_end(data)
    except zstandard.ZstdError as fault:
        raise RecordError(f"zstd: {fault}") from None


def _check_zstd_end(data: memoryview | bytes, most_pieces: int | None = None) -> None:
    """Raise RecordError unless *data* ends where a frame ends: the library does not report a missing end.

    Raises DecompressionLimitError if there are more than *most_pieces* frames and blocks.

    A frame: header, then blocks with three bytes in front (bit 0 last, bits 1-2 type, the rest size), then perhaps a
    checksum.  Type 1 repeats one byte *size* times.
    """
    import zstandard

    at, end = 0, len(data)
    left = len(data) if most_pieces is None else most_pieces
    while at < end:
        left -= 1
        if left < 0:
            raise _too_many(most_pieces)
        if end - at >= 8 and data[at + 1 : at + 4] == b"\x2a\x4d\x18":  # to be skipped
            at += 8 + int.from_bytes(data[at + 4 : at + 8], "little")
            continue
        frame = data[at : at + 18]  # the longest header
        at += zstandard.frame_header_size(frame)
        last = False
        while not last:
            left -= 1
            if left < 0:
                raise _too_many(most_pieces)
            block = int.from_bytes(data[at : at + 3], "little")
            last = bool(block & 1) or at >= end
            at += 3 + (1 if block >> 1 & 3 == 1 else block >> 3)
        if zstandard.get_frame_parameters(frame).has_checksum:
            at += 4
    if at != end:
        raise RecordError("zstd: the frame ends early")


def _zstd(data: memoryview | bytes, level: int | None) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor(level=3 if level is None else level).compress(data)


_DECOMPRESS: dict[Codec, Decompressor] = {
    Codec.NONE: _plain,
    Codec.GZIP: _gunzip,
    Codec.SNAPPY: _unsnappy,
    Codec.LZ4: _unlz4,
    Codec.ZSTD: _unzstd,
}
_COMPRESS: dict[Codec, Compressor] = {
    Codec.NONE: lambda data, level: bytes(data),
    Codec.GZIP: _gzip,
    Codec.SNAPPY: _snappy,
    Codec.LZ4: _lz4,
    Codec.ZSTD: _zstd,
}
