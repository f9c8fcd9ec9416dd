"""Random schedules of clients: state after replay equals state, and its invariants hold."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from wirebroker.coordinator.transaction.transaction_metadata import LAST_CLIENT_EPOCH, PREPARED, TransactionState
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.transaction.txn_shard_harness import T0, T1, U0, TxnShardHarness, transaction_config

_names = st.sampled_from(["x", "y"])
_partitions = st.lists(st.sampled_from([T0, T1, U0]), min_size=1, max_size=3)
_settings = {"id_expiration_ms": 300_000, "remove_interval_ms": 50_000, "abort_interval_ms": 5_000}


class RandomTransactions(RuleBasedStateMachine):
    """Producers that start, write, end, are late, guess, and a coordinator that dies."""

    @initialize(version=st.sampled_from([0, 1, 2]))
    def begin(self, version: int) -> None:
        self.harness = TxnShardHarness(prompt=False, config=transaction_config(version, **_settings))
        self.version = version
        self.known: dict[str, list[tuple[int, int]]] = {"x": [], "y": []}
        self.decided: dict[tuple[int, int], bool] = {}
        for name in self.known:
            self.start(name, 100_000, False)

    def _producer(self, name: str, back: int) -> tuple[int, int]:
        known = self.known[name]
        return known[-1 - back % len(known)] if known else (5, 5)

    @rule(name=_names, timeout_ms=st.sampled_from([1_000, 100_000]), near_the_end=st.booleans())
    def start(self, name: str, timeout_ms: int, near_the_end: bool) -> None:
        ticket = self.harness.init(transactional_id=name, timeout_ms=timeout_ms)
        if ticket.replies and not ticket.reply.code:
            if near_the_end and self.harness.of(name).producer_epoch < LAST_CLIENT_EPOCH - 2:
                # As if it had raised its epoch often; the log has to know, too.
                self.harness.of(name).producer_epoch = LAST_CLIENT_EPOCH - 2
                self.known[name].append(self.harness.init(transactional_id=name, timeout_ms=timeout_ms).reply[1:])
            else:
                self.known[name].append(ticket.reply[1:])

    @rule(name=_names, back=st.integers(0, 2))
    def raise_epoch(self, name: str, back: int) -> None:
        ticket = self.harness.init(self._producer(name, back), transactional_id=name)
        if ticket.replies and not ticket.reply.code:
            self.known[name].append(ticket.reply[1:])

    @rule(name=_names, back=st.sampled_from([0, 0, 0, 1]), partitions=_partitions, client=st.sampled_from([0, 2]))
    def add(self, name: str, back: int, partitions: list, client: int) -> None:  # type: ignore[type-arg]
        self.harness.add(self._producer(name, back), *partitions, client=client, transactional_id=name)

    @rule(name=_names, back=st.sampled_from([0, 0, 0, 1]), commit=st.booleans(), client=st.sampled_from([0, 2]))
    def end(self, name: str, back: int, commit: bool, client: int) -> None:
        producer = self._producer(name, back)
        found = self.harness.shard.manager.transactions.get(name)
        was_open = found is not None and found.state == TransactionState.ONGOING
        current = found is not None and (found.producer_id, found.producer_epoch) == producer
        ticket = self.harness.end(producer, commit=commit, client=client, transactional_id=name)
        if was_open and not current:
            assert ticket.reply.code in (ErrorCode.PRODUCER_FENCED, ErrorCode.INVALID_PRODUCER_ID_MAPPING)
        if was_open and current:
            assert self.harness.of(name).state in PREPARED
            self.known[name].append(self.harness.of(name).client_producer_id_and_epoch)
        elif ticket.replies and not ticket.reply.code:
            self.known[name].append(ticket.reply[1:])

    @rule()
    def write_markers(self) -> None:
        self.harness.write_markers()

    @rule(duration_ms=st.sampled_from([1, 499, 500, 10_000, 400_000]))
    def wait(self, duration_ms: int) -> None:
        self.harness.pass_ms(duration_ms)

    @rule()
    def crash(self) -> None:
        self.harness = self.harness.restarted()

    @invariant()
    def the_log_holds_the_state(self) -> None:
        if hasattr(self, "harness"):
            found, kept = self.harness.restarted(prompt=False).image(), self.harness.image()
            if not self.version:  # records without tagged fields have no room for it
                for each in (*found.values(), *kept.values()):
                    del each["previous_producer_id"]
            assert found == kept

    @invariant()
    def every_prepared_transaction_has_pending_markers(self) -> None:
        if hasattr(self, "harness"):
            waiting = {
                (each.transactional_id, each.producer_id, each.producer_epoch) for each in self.harness.pending_markers
            }
            prepared = {
                (name, each.producer_id, each.producer_epoch)
                for name, each in self.harness.shard.manager.transactions.items()
                if each.state in PREPARED
            }
            assert waiting == prepared

    @invariant()
    def one_end_per_epoch(self) -> None:
        """With an epoch for each transaction, no marker can be taken for another transaction's."""
        if hasattr(self, "harness"):
            for each in self.harness.written:
                key = (each.producer_id, each.producer_epoch)
                if each.client_version == 2:
                    assert self.decided.setdefault(key, each.committed) == each.committed

    @invariant()
    def epochs_are_legal(self) -> None:
        if hasattr(self, "harness"):
            for each in self.harness.shard.manager.transactions.values():
                assert 0 <= each.producer_epoch <= LAST_CLIENT_EPOCH + 1


RandomTransactions.TestCase.settings = settings(max_examples=80, stateful_step_count=20, deadline=None)
TestRandomTransactions = RandomTransactions.TestCase
