"""Faults of the product, put in on purpose, each of which the observer must notice."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from wirebroker.cluster.replica_states import LocalReplicaStates
from wirebroker.coordinator.group.offset_commit import OffsetCommit
from wirebroker.kafka_controller import election
from wirebroker.kafka_controller.epoch_checked_writes import EpochCheckedWrites
from wirebroker.protocol.errors import ErrorCode
from wirebroker.record.validate import AppendRules
from wirebroker.replication import isr_updates
from wirebroker.replication.leader_state import LeaderState
from wirebroker.replication.local_replica import LocalReplica
from wirebroker.replication.partition import Partition
from wirebroker.replication.txn_marker_writer import AppendedMarker, TxnMarkerWriter
from wirebroker.storage.log import Log
from wirebroker.storage.log_reader import LogReader
from wirebroker.storage.log_segment import LogSegment
from wirebroker.storage.producer_state_manager import ProducerStateManager
from wirebroker.tests.storage.fakes.disk import FakeFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pytest

    from wirebroker.model import TopicPartition
    from wirebroker.replication.txn_marker_writer import TxnMarker


class BrokenBroker(NamedTuple):
    """One fault, and what the observer says of it."""

    put_in: Callable[[pytest.MonkeyPatch], None]
    violation: str
    """A regular expression of the message."""
    faults: tuple[str, ...] = ()
    """The faults of the cluster that show it soonest; all if empty."""
    protocol: str = "3.9"
    """The inter-broker protocol in which it shows."""
    is_slow: bool = False
    """Whether it takes long to show, as the cluster has to fail to come to rest, or something rare has to happen."""


def _acknowledges_at_once(patch: pytest.MonkeyPatch) -> None:
    """Produce with acks=all is answered before the ISR has the records."""
    patch.setattr(Partition, "check_enough_replicas_reach_offset", lambda *_: (True, ErrorCode.NONE))


def _ignores_followers(patch: pytest.MonkeyPatch) -> None:
    """The high watermark is the leader's log end."""
    patch.setattr(LeaderState, "high_watermark", lambda _, log_end_offset, *__: log_end_offset)


def _moves_back(patch: pytest.MonkeyPatch) -> None:
    """The high watermark moves back when the ISR has changed."""
    changed = isr_updates.isr_changed

    def change_and_move_back(partition: LocalReplica) -> None:
        changed(partition)
        partition.high_watermark = 0

    patch.setattr(isr_updates, "isr_changed", change_and_move_back)


def _shows_everything(patch: pytest.MonkeyPatch) -> None:
    """Consumers get records that are not committed."""
    read = LocalReplica.read

    def read_all(replica: LocalReplica, offset: int, max_bytes: int, **limits: Any) -> Any:
        return read(replica, offset, max_bytes, **{**limits, "to_log_end": True})

    patch.setattr(LocalReplica, "read", read_all)


def _forgets_sequences(patch: pytest.MonkeyPatch) -> None:
    """A batch that is sent again is written again."""
    patch.setattr(ProducerStateManager, "validate_append", lambda *_: None)


def _hides_divergence(patch: pytest.MonkeyPatch) -> None:
    """A leader tells no follower where its log diverges, so a follower keeps what its former leader did not commit."""

    def claim_all(log: Log, epoch: int) -> tuple[int, int]:
        return epoch, log.log_end_offset

    patch.setattr(Log, "end_offset_for_epoch", claim_all)


def _leads_itself(patch: pytest.MonkeyPatch) -> None:
    """A broker that is to follow leads."""

    async def lead(states: LocalReplicaStates, changes: Sequence[Any]) -> Any:
        for each in changes:
            each.state.leader = states._replicas.metadata.image.controller_id
        return await states.make_leaders(changes)

    patch.setattr(LocalReplicaStates, "make_followers", lead)


def _writes_unchecked(patch: pytest.MonkeyPatch) -> None:
    """A controller does not check whether there is another one by now."""

    async def multi(writes: EpochCheckedWrites, operations: Sequence[Any], _: int) -> Any:
        return await writes._session.retry(lambda: writes._session.client.multi(operations))

    patch.setattr(EpochCheckedWrites, "multi", multi)


def _elects_anybody(patch: pytest.MonkeyPatch) -> None:
    """The controller elects the first live replica, in sync or not."""

    def first_live(assignment: Sequence[int], _: Any, live: Any, **__: Any) -> int | None:
        return next((each for each in assignment if each in live), None)

    patch.setattr(election, "offline_leader", first_live)


def _keeps_leader_epochs(patch: pytest.MonkeyPatch) -> None:
    """The controller elects leaders without a new leader epoch."""
    elected = election.ElectionResult

    def without_epoch(state: Any, live_replicas: Any) -> Any:
        return elected(None if state is None else state._replace(leader_epoch=state.leader_epoch - 1), live_replicas)

    patch.setattr(election, "ElectionResult", without_epoch)


def _never_expands(patch: pytest.MonkeyPatch) -> None:
    """A follower that has left the ISR never comes back."""
    patch.setattr(LeaderState, "may_join_isr", lambda *_: False)


def _shows_open_transactions(patch: pytest.MonkeyPatch) -> None:
    """read_committed consumers get records of transactions that have not ended."""
    patch.setattr(LogReader, "last_stable_offset", lambda _, high_watermark: high_watermark)


def _hides_aborts(patch: pytest.MonkeyPatch) -> None:
    """read_committed consumers do not hear which transactions were aborted."""
    patch.setattr(LogReader, "aborted_transactions", lambda *_, **__: [])


def _commits_in_part(patch: pytest.MonkeyPatch) -> None:
    """A transaction is aborted in the partitions with odd numbers, whatever was decided."""
    append = TxnMarkerWriter.append

    async def append_in_part(
        writer: TxnMarkerWriter, marker: TxnMarker, partitions: Iterable[TopicPartition], *rest: Any
    ) -> Any:
        result = AppendedMarker({}, [])
        for each in partitions:
            committed = marker.committed and not each.partition % 2
            codes, uncommitted = await append(writer, marker._replace(committed=committed), [each], *rest)
            result.codes.update(codes)
            result.uncommitted.extend(uncommitted)
        return result

    patch.setattr(TxnMarkerWriter, "append", append_in_part)


def _syncs_nothing(patch: pytest.MonkeyPatch) -> None:
    """Flushes move recovery points, and the records stay in the page cache."""
    patch.setattr(LogSegment, "sync", lambda _: False)


def _ignores_failed_writes(patch: pytest.MonkeyPatch) -> None:
    """A record counts as written when its write has failed."""
    pwrite = FakeFile.pwrite

    def write_or_not(file: FakeFile, data: bytes | bytearray | memoryview, position: int) -> None:
        with suppress(OSError):
            pwrite(file, data, position)

    patch.setattr(FakeFile, "pwrite", write_or_not)


def _trusts_its_clock(patch: pytest.MonkeyPatch) -> None:
    """A broker refuses records whose time is more than a minute away from its own."""
    bounds = {"timestamp_before_max_ms": 60_000, "timestamp_after_max_ms": 60_000}
    begin = AppendRules.__init__
    patch.setattr(AppendRules, "__init__", lambda rules, **settings: begin(rules, **(settings | bounds)))


def _forgets_generations(patch: pytest.MonkeyPatch) -> None:
    """A member that was removed from its group may go on committing offsets."""
    patch.setattr(OffsetCommit, "_validate", lambda *_: ErrorCode.NONE)


BROKEN_BROKERS: Final = {
    "acknowledges at once": BrokenBroker(_acknowledges_at_once, r"was acknowledged, but records up to"),
    "ignores followers": BrokenBroker(_ignores_followers, r"high watermark \d+, but the log of broker \d in the ISR"),
    "moves back": BrokenBroker(_moves_back, r"the high watermark moved back", ("kill", "pause")),
    "shows everything": BrokenBroker(_shows_everything, r"was consumed, but records up to"),
    "forgets sequences": BrokenBroker(
        _forgets_sequences, r"a record was written twice", ("reset connections", "cut link"), is_slow=True
    ),
    "hides divergence": BrokenBroker(
        _hides_divergence,
        r"is not the committed one|the log goes on at|not at rest .* is at \(",
        ("kill",),
        is_slow=True,
    ),  # the follower has other records at an offset, or refuses the leader's for ever
    "leads itself": BrokenBroker(_leads_itself, r"broker \d leads in the same epoch"),
    "writes unchecked": BrokenBroker(
        _writes_unchecked, r"it is not the controller of epoch", ("depose busy controller",), is_slow=True
    ),
    "elects anybody": BrokenBroker(_elects_anybody, r"an unclean election", ("kill",), is_slow=True),
    "keeps leader epochs": BrokenBroker(_keeps_leader_epochs, r"leader \S+ after \S+ in epoch", ("kill", "stop")),
    "never expands": BrokenBroker(_never_expands, r"the cluster is not at rest", ("kill",), is_slow=True),
    "shows open transactions": BrokenBroker(
        _shows_open_transactions, r"was read, but producer \d+ is in a transaction"
    ),
    "hides aborts": BrokenBroker(_hides_aborts, r"a read_committed consumer differs"),
    "commits in part": BrokenBroker(
        _commits_in_part, r"is committed in a part of its partitions|its producer was told commit of"
    ),
    "forgets generations": BrokenBroker(
        _forgets_generations,
        r"were committed in generation|was committed, \d+ is found",
        ("set a clock",),
        is_slow=True,
    ),
    "syncs nothing": BrokenBroker(
        _syncs_nothing, r"the cluster is not at rest .* is not served", ("lose power",), is_slow=True
    ),
    "ignores failed writes": BrokenBroker(
        _ignores_failed_writes,
        r"but the log has records|the observer failed|is not the committed one|not at rest",
        ("fail an access", "fill a log directory"),
    ),
    "trusts its clock": BrokenBroker(_trusts_its_clock, r"was refused with INVALID_TIMESTAMP", ("set a clock",)),
}
"""Name -> fault."""
