"""Which transactions a log may let in: what a producer was asked to prove before its first batch (KIP-890).

A batch that begins a transaction in a partition is appended only after its coordinator has said that the partition is
in the transaction; else nobody would ever write a marker behind it, and readers of committed records would stop there
for ever.  Between the question and the append an abort may come by, so an answer is worth something only while nothing
transactional of that producer was appended since the question was asked: the `Verification` handed out then must still
be the one that is remembered.

While a producer is being verified, the lowest sequence it was seen with is the one it has to begin with: a first batch
whose verification failed for a moment must not be overtaken by the second.
"""

from __future__ import annotations

from typing import Final


class Verification:
    """One question to a coordinator, and everybody who waits for its answer."""

    __slots__ = ("asked_ms", "epoch", "lowest_sequence")

    def __init__(self, epoch: int, sequence: int, asked_ms: int) -> None:
        self.epoch = epoch
        self.lowest_sequence = sequence
        self.asked_ms = asked_ms

    def seen(self, epoch: int, sequence: int) -> None:
        """Somebody else asks the same; a newer epoch counts its sequences anew."""
        if epoch == self.epoch:
            self.lowest_sequence = min(self.lowest_sequence, sequence)
        elif epoch > self.epoch:
            self.epoch, self.lowest_sequence = epoch, sequence


ONGOING: Final = Verification(-1, -1, 0)
"""Nothing was asked, since the transaction was open in the log already; it must be so still when the batch comes."""


class Verifications:
    """The questions of one log that no append has settled yet, by producer id."""

    __slots__ = ("_asked",)

    def __init__(self) -> None:
        self._asked: dict[int, Verification] = {}

    def begin(self, producer_id: int, epoch: int, sequence: int, now_ms: int) -> Verification:
        """A coordinator is about to be asked."""
        found = self._asked.get(producer_id)
        if found is None:
            found = self._asked[producer_id] = Verification(epoch, sequence, now_ms)
        else:
            found.seen(epoch, sequence)
        return found

    @property
    def count(self) -> int:
        return len(self._asked)

    def of(self, producer_id: int) -> Verification | None:
        """What this producer is being asked, if anything."""
        return self._asked.get(producer_id) if self._asked else None

    def settle(self, producer_id: int) -> None:
        """Something transactional of the producer was appended: answers that are under way are worth nothing."""
        if self._asked:
            self._asked.pop(producer_id, None)

    def expire(self, before_ms: int) -> None:
        """Forget questions that are this old: their producers never came back."""
        for producer_id in [each for each, asked in list(self._asked.items()) if asked.asked_ms <= before_ms]:
            self._asked.pop(producer_id, None)  # a batch may have come meanwhile

    def clear(self) -> None:
        self._asked.clear()
