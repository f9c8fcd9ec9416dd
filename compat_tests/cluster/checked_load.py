"""Load for tests of faults: an idempotent producer, and a copier in transactions; what they have written is checked."""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING, Final, Self

from compat_tests.cluster.clients import RecordingProducer, ends_of, read_all, with_offsets
from compat_tests.cluster.transactional_copier import TransactionalCopier, committed_transactions
from compat_tests.conftest import wait_until
from compat_tests.limits import join

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from compat_tests.cluster.clients import Acked
    from compat_tests.cluster.fault_rounds import FaultRounds

_BATCH: Final = 20
_MOST_UNDER_WAY: Final = 20
"""Of a partition."""


class Load:
    """An idempotent producer that writes some hundred records a second until the end of the block.

    A partition that does not answer gets no more records than a producer may have under way.
    """

    def __init__(
        self,
        bootstrap: str,
        topic: str,
        partitions: int,
        settings: Mapping[str, object] | None = None,
        interval_s: float = 0.05,
    ) -> None:
        """*settings* are those of the producer, which sends 20 records every *interval_s*."""
        self.producer = RecordingProducer(bootstrap, settings)
        self._topic, self._partitions, self._interval_s = topic, partitions, interval_s
        self._stopped = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.await_more()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Produce no more; what was produced may still be on its way."""
        self._stopped.set()
        join(self._thread)

    def _run(self) -> None:
        while not self._stopped.wait(self._interval_s):
            self.producer.send(self._topic, _BATCH, self._partitions, _MOST_UNDER_WAY)

    def await_more(self, partitions: Collection[int] | None = None) -> None:
        """Wait until records that are produced from now on are acknowledged, in every partition if not in these."""
        every = set(range(self._partitions) if partitions is None else partitions)
        number, at = self.producer.sent, len(self.producer.acked)
        wait_until(lambda: every <= self.producer.acked_since(number, at), 240)

    def check(self, bootstrap: str, rounds: FaultRounds) -> list[Acked]:
        """Check that every acknowledged record is there, once, at its offset and in order; return all records.

        They are counted in *rounds* first.
        """
        self.producer.flush()
        found = read_all(bootstrap, self._topic, ends_of(self.producer.acked))
        acked = with_offsets(self.producer.acked, found)
        rounds.note_records(acked, found)
        assert len(acked) == len(set(acked))
        lost = set(acked) - set(found)
        assert not lost, f"{len(lost)} acknowledged records are not at their offsets: {sorted(lost)[:5]}"
        assert len({each.value for each in found}) == len(found), "a record is there twice"
        for partition in range(self._partitions):
            numbers = [int(each.value.rpartition("-")[2]) for each in sorted(found) if each.partition == partition]
            assert numbers == sorted(numbers), f"partition {partition} is not in the order of production"
        return found


def await_transactions(copier: TransactionalCopier, count: int = 2) -> None:
    """Wait until a copier has committed *count* more transactions; raise its error if it has failed."""
    at = copier.committed + count
    wait_until(lambda: copier.failure is not None or copier.committed >= at, 240)
    copier.check()


def check_transactions(
    copier: TransactionalCopier, bootstrap: str, target: str, partitions: int, source: Collection[Acked]
) -> None:
    """Check that transactions are whole, and that every record of *source* was copied in one, and only one."""
    copier.check()
    expected = sorted(each.value for each in source)
    for partition in range(partitions):
        transactions = committed_transactions(bootstrap, target, partition)
        assert sorted(value for each in transactions for value in each) == expected, f"{target}-{partition}"
        assert len(transactions) == copier.committed
