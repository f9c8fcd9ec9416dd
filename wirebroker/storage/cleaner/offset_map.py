"""OffsetMap: the last offset of each key in a range of a log, in a buffer of fixed size.

A key is held as its 16-byte MD5 digest, so any number of bytes costs the same: 24 bytes with the offset.  Slots are
probed one after the other from where the digest says (open addressing); the map says itself how many keys it may hold.
The buffer is anonymous memory: a page that no key has touched costs nothing, and all of it goes back with `close`.
"""

from __future__ import annotations

from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from struct import Struct
from typing import TYPE_CHECKING, Final

try:  # for short keys half the price of OpenSSL's, which hashlib prefers
    from _md5 import md5  # type: ignore[import-not-found]
except ImportError:
    from hashlib import md5

if TYPE_CHECKING:
    from collections.abc import Iterable

BYTES_PER_ENTRY: Final = 24
_DIGEST: Final = 16
_FIRST_HALF: Final = Struct(">Q").unpack_from
_FEWEST_SLOTS: Final = 16


class OffsetMap:
    """The last offset of each key, for at most `capacity` keys.

    Two keys with one digest would be taken for the same; with MD5 nobody has met that who was not looking for it.

    Args:
        memory_bytes: the size of the buffer, 24 bytes a slot.
        load_factor: the part of the slots that may be filled, above 0 and up to 1; probing takes longer the fuller
            the map is.  One slot at least stays empty, where the search for an unknown key ends.
        most_keys: an upper bound of the keys that will come, if one is known: the buffer is no larger than they need.

    Raises:
        ValueError: there would be no room for a single key.
    """

    __slots__ = ("_digests", "_memory", "_offsets", "_slots", "capacity", "keyless", "latest_offset", "size")

    def __init__(self, memory_bytes: int, load_factor: float, most_keys: int | None = None) -> None:
        slots = memory_bytes // BYTES_PER_ENTRY
        if most_keys is not None:
            slots = min(slots, max(_FEWEST_SLOTS, int(most_keys / load_factor) + 1))
        self.capacity = min(int(slots * load_factor), slots - 1)
        """Keys that may be in the map."""
        if self.capacity < 1:
            raise ValueError(f"{memory_bytes} bytes with a load factor of {load_factor} have no room for a key")
        self._slots = slots
        self._memory = mmap(-1, slots * BYTES_PER_ENTRY, MAP_PRIVATE | MAP_ANONYMOUS)
        with memoryview(self._memory) as whole:
            self._digests = whole[slots * 8 :]
            with whole[: slots * 8] as offsets:
                self._offsets = offsets.cast("q")  # offset + 1; 0 is an empty slot
        self.size = 0
        """Keys that are in the map."""
        self.keyless = 0
        """Records without a key that were to be noted; compaction removes them."""
        self.latest_offset = -1
        """The last offset of the range that the map stands for."""

    @property
    def is_full(self) -> bool:
        """Whether no further key may be added."""
        return self.size >= self.capacity

    def put(self, key: bytes, offset: int) -> None:
        """Note that *key* is at *offset*, which is above all offsets noted before.

        Raises:
            ValueError: the key is a new one, and the map is full.
        """
        if not self.put_all(((offset, key),), 0):
            raise ValueError(f"the map holds {self.size} keys, which is all it may")

    def put_all(self, records: Iterable[tuple[int, bytes | None]], start: int) -> bool:
        """Note the (offset, key) of *records*, in order, but for those below offset *start* and those without a key.

        Returns False, with the records before it noted, at a new key for which there is no room.
        """
        offsets, digests, slots = self._offsets, self._digests, self._slots
        for offset, key in records:
            if offset < start:
                continue
            if key is None:
                self.keyless += 1
                continue
            digest = md5(key, usedforsecurity=False).digest()
            slot = _FIRST_HALF(digest)[0] % slots
            while offsets[slot]:
                at = slot * _DIGEST
                if digests[at : at + _DIGEST] == digest:
                    break
                slot += 1
                if slot == slots:
                    slot = 0
            else:
                if self.size >= self.capacity:
                    return False
                digests[slot * _DIGEST : slot * _DIGEST + _DIGEST] = digest
                self.size += 1
            offsets[slot] = offset + 1
            self.latest_offset = offset
        return True

    def get(self, key: bytes) -> int:
        """Return the last offset of *key*, -1 if it is not in the map."""
        offsets, digests, slots = self._offsets, self._digests, self._slots
        digest = md5(key, usedforsecurity=False).digest()
        slot: int = _FIRST_HALF(digest)[0] % slots
        while found := offsets[slot]:
            if digests[slot * _DIGEST : slot * _DIGEST + _DIGEST] == digest:
                return found - 1
            slot += 1
            if slot == slots:
                slot = 0
        return -1

    def mark_offsets(self, start: int, marks: bytearray) -> None:
        """Set *marks*[n] to 1 for every offset start + n that is the last one of a key."""
        end = start + len(marks)
        for following in self._offsets:
            if start < following <= end:
                marks[following - start - 1] = 1

    def advance(self, offset: int) -> None:
        """Note that the range goes on to *offset*, inclusive, with no further keys."""
        self.latest_offset = max(self.latest_offset, offset)

    def close(self) -> None:
        """Give the buffer back; the map is of no use afterwards."""
        self._offsets.release()
        self._digests.release()
        self._memory.close()
