"""How older releases check the requests of members."""

from __future__ import annotations

import pytest

from wirebroker.coordinator.group.release_rules import GroupRules, group_rules
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from wirebroker.releases.profile import WIREBROKER, ReleaseProfile
from wirebroker.tests.coordinator.shard_harness import ShardHarness

OLD = group_rules(ReleaseProfile("2.0.1"))


@pytest.mark.parametrize(
    ("release", "rules"),
    [
        ("2.0.1", GroupRules(requires_known_instance_id=False, heartbeats_in_completing_rebalance=False)),
        ("2.6", GroupRules(requires_known_instance_id=False, heartbeats_in_completing_rebalance=False)),
        ("2.8.2", GroupRules(requires_known_instance_id=False)),
        ("3.0", GroupRules()),
    ],
)
def test_the_rules_of_a_release(release: str, rules: GroupRules) -> None:
    assert group_rules(ReleaseProfile(release)) == rules


@pytest.mark.parametrize("rules", [OLD, group_rules(WIREBROKER)])
def test_an_unknown_instance_id_of_a_member(rules: GroupRules) -> None:
    harness = ShardHarness(rules=rules)
    (member, other), generation = harness.stable("a", "b")
    code = E.NONE if rules is OLD else E.UNKNOWN_MEMBER_ID
    assert harness.beat(member, generation, instance="i") == code
    assert harness.sync(member, generation, instance="i").reply.error_code == code
    assert harness.commit(1, member, generation, instance="i") == code
    assert harness.beat("nobody", generation, instance="i") == E.UNKNOWN_MEMBER_ID
    assert [each.error_code for each in harness.leave(other, "nobody", instance="i").members] == [
        code,
        E.UNKNOWN_MEMBER_ID,
    ]


@pytest.mark.parametrize("rules", [OLD, group_rules(WIREBROKER)])
def test_a_heartbeat_before_the_assignment(rules: GroupRules) -> None:
    harness = ShardHarness(rules=rules)
    joined = harness.join()
    harness.pass_ms(0)
    member, generation = joined.reply.member_id, joined.reply.generation_id
    assert harness.beat(member, generation) == (E.REBALANCE_IN_PROGRESS if rules is OLD else E.NONE)
    assert harness.beat(member, generation + 1) == E.ILLEGAL_GENERATION
    harness.sync(member, generation, {member: b""})
    assert harness.beat(member, generation) == E.NONE


@pytest.mark.parametrize(
    ("member", "generation", "instance", "old", "new"),
    [
        ("", -1, None, E.NONE, E.NONE),
        ("", -1, "i", E.NONE, E.NONE),
        ("nobody", -1, None, E.UNKNOWN_MEMBER_ID, E.NONE),
        ("nobody", 3, None, E.UNKNOWN_MEMBER_ID, E.UNKNOWN_MEMBER_ID),
        ("", 3, None, E.ILLEGAL_GENERATION, E.UNKNOWN_MEMBER_ID),
    ],
)
def test_transactional_commits_for_a_group_that_is_not_there(
    member: str, generation: int, instance: str | None, old: E, new: E
) -> None:
    for rules, code in ((OLD, old), (group_rules(WIREBROKER), new)):
        assert txn_commit(ShardHarness(rules=rules), member, generation, instance) == code


def test_transactional_commits_of_members() -> None:
    harness = ShardHarness(rules=OLD)
    (member,), generation = harness.stable("a")
    assert txn_commit(harness, member, generation, None) == E.NONE
    assert txn_commit(harness, member, -1, "i") == E.NONE
    assert txn_commit(harness, "", generation, None) == E.NONE
    assert txn_commit(harness, member, generation + 1, None) == E.ILLEGAL_GENERATION
    assert txn_commit(harness, "nobody", generation, None) == E.UNKNOWN_MEMBER_ID


def txn_commit(harness: ShardHarness, member: str, generation: int, instance: str | None) -> int:
    """The code for one offset of a transaction."""
    topic = TxnOffsetCommitRequestTopic("t", [TxnOffsetCommitRequestPartition(0, 5, -1, None)])
    request = TxnOffsetCommitRequest("x", "g", 7, 0, generation, member, instance, [topic])
    return int(harness.ask(request).reply.topics[0].partitions[0].error_code)
