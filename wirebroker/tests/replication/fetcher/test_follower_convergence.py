"""A follower of leaders whose logs diverge has the log of the present leader, byte for byte, after any history."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from wirebroker.storage.log_truncation import truncate_to
from wirebroker.tests.replication.fetcher.follower_harness import T0, FollowerHarness, contents
from wirebroker.tests.replication.fetcher.leader_harness import LeaderHarness

if TYPE_CHECKING:
    from wirebroker.storage.log import Log


class Term(NamedTuple):
    """One leader epoch."""

    leader: int
    kept: int
    """Records of the former leader that the new one has, of those that it could have."""
    written: tuple[int, ...]
    """The sizes of the batches that it writes."""
    is_followed: bool
    is_cut_off: bool
    """Whether the follower learns of the next leader before it has all records of this one."""


TERM = st.builds(
    Term,
    st.sampled_from([2, 3]),
    st.integers(0, 6),
    st.lists(st.integers(1, 3), max_size=4).map(tuple),
    st.booleans(),
    st.booleans(),
)


def replicate(log: Log, leader: Log, kept: int) -> None:
    """Make *log* a copy of the first *kept* batches of *leader*'s."""
    truncate_to(log, 0)
    for _ in range(kept):
        end = leader.log_end_offset
        if log.log_end_offset >= end:
            return
        records = leader.read(log.log_end_offset, 1, end, True, True).tobytes()
        log.append_as_follower(memoryview(bytearray(records)))


@pytest.mark.parametrize("protocol", ["2.0", "2.6", "2.8", "3.9"])
@settings(max_examples=25)
@given(terms=st.lists(TERM, min_size=1, max_size=6))
def test_the_follower_has_the_leaders_log(protocol: str, terms: list[Term]) -> None:
    async def main() -> None:
        leaders = {2: LeaderHarness(), 3: LeaderHarness()}
        logs = {each: harness.lead(T0, 0).log for each, harness in leaders.items()}
        follower = FollowerHarness(leaders, protocol, replica_fetch_max_bytes=100)
        async with follower.running():
            former = terms[0].leader
            for epoch, term in enumerate(terms, 1):
                if term.leader != former:
                    replicate(logs[term.leader], logs[former], term.kept)
                    former = term.leader
                leaders[term.leader].lead(T0, epoch)
                for size in term.written:
                    leaders[term.leader].append(T0, *[b"%d" % epoch] * size)
                if term.is_followed:
                    follower.follow(epoch, leader=term.leader)
                    await trio.sleep(0 if term.is_cut_off else 5)
                    if not term.is_cut_off:
                        assert contents(follower.log()) == contents(logs[term.leader])
            leaders[former].lead(T0, len(terms) + 1)
            follower.follow(len(terms) + 1, leader=former)
            await trio.sleep(5)
            assert contents(follower.log()) == contents(logs[former])
            assert follower.partition().high_watermark == follower.log().log_end_offset
            assert not follower.fetchers.failed

    trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))
