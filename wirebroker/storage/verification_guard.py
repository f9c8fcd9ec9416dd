"""VerificationGuard: the verification of a transaction by its coordinator before the first append (KIP-890).

A batch that begins a transaction in a partition is appended only after its coordinator has confirmed that the partition
is in the transaction; else no marker would ever be written behind it, and readers of committed records would stop there
for ever.  An abort may come between the confirmation and the append.  So the append is refused unless the guard that
was handed out before the coordinator was asked is still the producer's: every transactional append of the producer
removes it.

A guard keeps the lowest sequence of the batches that wait for the verification, and no append may begin above it:
a first batch whose verification failed for a moment must not be overtaken by the second.
"""

from __future__ import annotations

from typing import ClassVar


class VerificationGuard:
    """One verification by a coordinator, shared by all requests that wait for it."""

    __slots__ = ("created_ms", "epoch", "lowest_sequence")

    SENTINEL: ClassVar[VerificationGuard]
    """No verification was needed: the transaction was open in the log already, and must be when the batch comes."""

    def __init__(self, epoch: int, sequence: int, created_ms: int) -> None:
        self.epoch = epoch
        self.lowest_sequence = sequence
        self.created_ms = created_ms

    def update_lowest_sequence(self, epoch: int, sequence: int) -> None:
        """Add another batch that waits for the verification; a newer epoch starts its sequences anew."""
        if epoch == self.epoch:
            self.lowest_sequence = min(self.lowest_sequence, sequence)
        elif epoch > self.epoch:
            self.epoch, self.lowest_sequence = epoch, sequence


VerificationGuard.SENTINEL = VerificationGuard(-1, -1, 0)


class VerificationGuards:
    """The guards of one log that no append has removed yet, by producer id."""

    __slots__ = ("_guards",)

    def __init__(self) -> None:
        self._guards: dict[int, VerificationGuard] = {}

    def maybe_create(self, producer_id: int, epoch: int, sequence: int, now_ms: int) -> VerificationGuard:
        """Return the producer's guard, a new one if it has none."""
        found = self._guards.get(producer_id)
        if found is None:
            found = self._guards[producer_id] = VerificationGuard(epoch, sequence, now_ms)
        else:
            found.update_lowest_sequence(epoch, sequence)
        return found

    @property
    def count(self) -> int:
        return len(self._guards)

    def get(self, producer_id: int) -> VerificationGuard | None:
        """Return the guard of the verification that is under way for this producer, None if none is."""
        return self._guards.get(producer_id) if self._guards else None

    def remove(self, producer_id: int) -> None:
        """Remove the producer's guard after a transactional append: verifications under way do not count any more."""
        if self._guards:
            self._guards.pop(producer_id, None)

    def expire(self, before_ms: int) -> None:
        """Remove guards that were created at *before_ms* or earlier: their producers never came back."""
        # `dict` copies in one step, while another thread creates guards
        for producer_id, guard in dict(self._guards).items():
            if guard.created_ms <= before_ms:
                self._guards.pop(producer_id, None)  # a batch may have come meanwhile

    def clear(self) -> None:
        self._guards.clear()
