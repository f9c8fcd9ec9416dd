"""DelayedProduce: when a partition of a Produce with acks=all is answered, and with which code."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.delayed_produce import DelayedProduce

if TYPE_CHECKING:
    from wirebroker.replication.delayed_partitions import PartitionStatus

OFFSET = 7
E = ErrorCode


def status(found: tuple[bool, ErrorCode]) -> PartitionStatus:
    """A partition whose replicas are as in *found*, and its response."""

    def check_enough_replicas_reach_offset(offset: int) -> tuple[bool, ErrorCode]:
        assert offset == OFFSET
        return found

    partition = SimpleNamespace(check_enough_replicas_reach_offset=check_enough_replicas_reach_offset)
    return cast(
        "PartitionStatus", SimpleNamespace(partition=partition, required_offset=OFFSET, response=SimpleNamespace())
    )


@pytest.mark.parametrize(
    ("found", "code"),
    [
        ((True, E.NONE), E.NONE),
        ((True, E.NOT_ENOUGH_REPLICAS_AFTER_APPEND), E.NOT_ENOUGH_REPLICAS_AFTER_APPEND),
        ((False, E.NOT_LEADER_OR_FOLLOWER), E.NOT_LEADER_OR_FOLLOWER),
    ],
)
def test_a_decided_partition_is_answered(found: tuple[bool, ErrorCode], code: ErrorCode) -> None:
    decided = status(found)
    delayed = DelayedProduce(cast(Any, None), lambda code: code)
    assert delayed.decide(decided)
    assert decided.response.error_code == code


def test_a_partition_whose_replicas_lack_the_records_waits() -> None:
    waiting = status((False, E.NONE))
    delayed = DelayedProduce(cast(Any, None), lambda code: code)
    assert not delayed.decide(waiting)
    assert not hasattr(waiting.response, "error_code")


def test_the_code_is_one_that_the_version_knows() -> None:
    decided = status((False, E.NOT_LEADER_OR_FOLLOWER))
    DelayedProduce(cast(Any, None), lambda _: E.UNKNOWN_SERVER_ERROR).decide(decided)
    assert decided.response.error_code == E.UNKNOWN_SERVER_ERROR
