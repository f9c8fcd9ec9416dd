"""Members with megabytes of metadata or assignments, and with very many protocols: short turns of the shard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.coordinator.group.classic_group_member import ClassicGroupMember
from wirebroker.coordinator.group.supported_protocols import SupportedProtocols
from wirebroker.protocol.errors import ErrorCode
from wirebroker.tests.coordinator.shard_harness import ShardHarness

if TYPE_CHECKING:
    import pytest


def test_a_group_record_that_is_far_too_large_is_not_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    harness = ShardHarness()
    member = harness.join().reply.member_id
    harness.batch_limit = 1000
    monkeypatch.setattr("wirebroker.coordinator.group.records.group_record", None)
    assert harness.sync(member, 1, {member: bytes(1001)}).reply.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert not harness.log


def test_a_choice_of_the_protocol_looks_at_few_protocols_of_a_member(monkeypatch: pytest.MonkeyPatch) -> None:
    protocols = [(f"protocol-{number}", b"") for number in range(1000)]
    member = ClassicGroupMember("m", None, "c", "/h", 1, 1, "consumer", protocols)
    supported = SupportedProtocols()
    supported.add(protocols)
    asked: list[str] = []

    def is_candidate(name: str) -> bool:
        asked.append(name)
        return True

    monkeypatch.setattr(supported, "is_candidate", is_candidate)
    assert supported.select([member]) == "protocol-0"
    assert asked == ["protocol-0"]
