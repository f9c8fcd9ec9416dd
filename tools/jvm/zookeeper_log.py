"""Reader of a ZooKeeper's transaction log: every byte that was ever written to a znode, also to those long gone.

    for write in znode_writes(zookeeper.directory / "data"):
        write.path, write.data

A notification znode is deleted milliseconds after it was created, so no client could read them all.  The format is
ZooKeeper's FileTxnLog: a header of 16 bytes ("ZKLG", version, database id), then per transaction an Adler-32 checksum
(int64), a length (int32), the transaction in Jute's encoding, and one byte 'B'; zeros fill the rest of the file.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CREATE, SET_DATA, MULTI, CREATE2 = 1, 5, 14, 15
_FILE_HEADER_BYTES, _TRANSACTION_HEADER_BYTES = 16, 32


class ZnodeWrite(NamedTuple):
    """One create or set of a znode."""

    path: str
    """With the chroot, and with the number of a sequential znode."""
    data: bytes
    is_ephemeral: bool
    """False for every set."""


class _Jute:
    """A cursor over bytes in Jute's encoding: big-endian numbers, lengths of four bytes, -1 for none."""

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def integer(self) -> int:
        (value,) = struct.unpack_from(">i", self.data, self.position)
        self.position += 4
        return int(value)

    def buffer(self) -> bytes:
        length = max(self.integer(), 0)
        self.position += length
        return self.data[self.position - length : self.position]

    def boolean(self) -> bool:
        self.position += 1
        return self.data[self.position - 1] != 0


def znode_writes(data_directory: Path) -> Iterator[ZnodeWrite]:
    """Yield the creates and sets of *data_directory*'s logs, in the order in which they took effect."""
    logs = sorted((data_directory / "version-2").glob("log.*"), key=lambda path: int(path.suffix[1:], 16))
    for log in logs:
        yield from _writes_of(log.read_bytes())


def _writes_of(log: bytes) -> Iterator[ZnodeWrite]:
    position = _FILE_HEADER_BYTES
    while position + 12 <= len(log):
        checksum, length = struct.unpack_from(">qi", log, position)
        if not checksum or length <= 0:
            return
        position += 12
        transaction = _Jute(log[position : position + length])
        position += length + 1
        (kind,) = struct.unpack_from(">i", transaction.data, _TRANSACTION_HEADER_BYTES - 4)
        transaction.position = _TRANSACTION_HEADER_BYTES
        if kind == MULTI:
            for _ in range(transaction.integer()):
                part_kind = transaction.integer()
                yield from _write_of(part_kind, _Jute(transaction.buffer()))
        else:
            yield from _write_of(kind, transaction)


def _write_of(kind: int, transaction: _Jute) -> Iterator[ZnodeWrite]:
    if kind not in (CREATE, CREATE2, SET_DATA):
        return
    path, data = transaction.buffer().decode(), transaction.buffer()
    if kind == SET_DATA:
        yield ZnodeWrite(path, data, False)
        return
    for _ in range(transaction.integer()):  # the access control list
        transaction.integer()
        transaction.buffer()
        transaction.buffer()
    yield ZnodeWrite(path, data, transaction.boolean())
