"""OffsetMap: the last offset of each key in a range of a log, in a buffer of fixed size.

A key is held as its 16-byte MD5 digest, so any number of bytes costs the same: 24 bytes with the offset.  Slots are
probed one after the other from where the digest says (open addressing); the map says itself how many keys it may hold.
The buffer is anonymous memory: a page that no key has touched costs nothing, and all of it goes back with `close`.

As long as the keys take no more than an eighth of the buffer they are held as they are, in a dict: that takes five
times the memory of a digest and half of the time, or a third for the keys of a batch whose records are alike.
"""

from __future__ import annotations

from itertools import islice
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from struct import Struct
from typing import TYPE_CHECKING, Final

try:  # for short keys half the price of OpenSSL's, which hashlib prefers
    from _md5 import md5  # type: ignore[import-not-found]
except ImportError:
    from hashlib import md5

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

BYTES_PER_ENTRY: Final = 24
EXACT_PART: Final = 8
"""The part of the buffer's size, as a divisor, that keys may take before they are replaced by their digests."""
EXACT_ENTRY_BYTES: Final = 120
"""A key in a dict, without its bytes: up to 44 in the table, 33 for the object, 32 for the offset, and their slack."""
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

    __slots__ = (
        "_digests",
        "_exact",
        "_exact_bytes",
        "_memory",
        "_most_exact_bytes",
        "_offsets",
        "_slots",
        "_used_slots",
        "capacity",
        "keyless",
        "latest_offset",
    )

    def __init__(self, memory_bytes: int, load_factor: float, most_keys: int | None = None) -> None:
        slots = memory_bytes // BYTES_PER_ENTRY
        if most_keys is not None and load_factor > 0:
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
        self._used_slots = 0
        self._exact: dict[bytes, int] | None = {}
        """Key -> last offset; None as soon as the keys are in the buffer."""
        self._exact_bytes = 0
        self._most_exact_bytes = memory_bytes // EXACT_PART
        self.keyless = 0
        """Records without a key that were to be noted; compaction removes them."""
        self.latest_offset = -1
        """The last offset of the range that the map stands for."""

    @property
    def size(self) -> int:
        """Keys that are in the map."""
        return self._used_slots if self._exact is None else len(self._exact)

    @property
    def holds_digests(self) -> bool:
        """Whether the keys are in the buffer, as digests."""
        return self._exact is None

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
        if self._exact is not None:
            records = records if isinstance(records, list) else list(records)
            if self._has_exact_room(len(records)):
                self._put_exact(records, start)
                return True
            self._use_digests()
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
                if self._used_slots >= self.capacity:
                    return False
                digests[slot * _DIGEST : slot * _DIGEST + _DIGEST] = digest
                self._used_slots += 1
            offsets[slot] = offset + 1
            self.latest_offset = offset
        return True

    def put_run(self, first_offset: int, keys: Sequence[bytes]) -> bool:
        """Note *keys*, which are at consecutive offsets from *first_offset* on; the result is that of `put_all`."""
        exact = self._exact
        following = first_offset + len(keys)
        if exact is None or not self._has_exact_room(len(keys)):
            return self.put_all(list(zip(range(first_offset, following), keys, strict=True)), first_offset)
        before = len(exact)
        exact.update(zip(keys, range(first_offset, following), strict=True))
        self._note_added(exact, before)
        self.latest_offset = following - 1
        return True

    def _has_exact_room(self, most: int) -> bool:
        """Whether *most* further keys may be added as they are."""
        size = self.size + most
        return size <= self.capacity and self._exact_bytes + most * EXACT_ENTRY_BYTES <= self._most_exact_bytes

    def _put_exact(self, records: Iterable[tuple[int, bytes | None]], start: int) -> None:
        exact = self._exact
        assert exact is not None
        before = len(exact)
        for offset, key in records:
            if key is None:
                self.keyless += offset >= start
            elif offset >= start:
                exact[key] = self.latest_offset = offset
        self._note_added(exact, before)

    def _note_added(self, exact: dict[bytes, int], before: int) -> None:
        """Count the bytes of the keys that came after the first *before* ones."""
        added = len(exact) - before
        if added:
            self._exact_bytes += added * EXACT_ENTRY_BYTES + sum(map(len, islice(reversed(exact), added)))

    def _use_digests(self) -> None:
        """Move the keys into the buffer."""
        exact, self._exact = self._exact, None
        assert exact is not None
        latest = self.latest_offset
        while exact:  # its objects are given back meanwhile
            key, offset = exact.popitem()
            self.put_all(((offset, key),), 0)
        self.latest_offset = latest

    def get(self, key: bytes) -> int:
        """Return the last offset of *key*, -1 if it is not in the map."""
        if self._exact is not None:
            return self._exact.get(key, -1)
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
        if self._exact is not None:
            for offset in self._exact.values():
                if start <= offset < end:
                    marks[offset - start] = 1
            return
        for following in self._offsets:
            if start < following <= end:
                marks[following - start - 1] = 1

    def advance(self, offset: int) -> None:
        """Note that the range goes on to *offset*, inclusive, with no further keys."""
        self.latest_offset = max(self.latest_offset, offset)

    def close(self) -> None:
        """Give the buffer back; the map is of no use afterwards."""
        self._exact = None
        self._offsets.release()
        self._digests.release()
        self._memory.close()
