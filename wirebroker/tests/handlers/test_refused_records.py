"""Produce of a batch of which a single record breaks a rule of the topic, as the releases answer it."""

from __future__ import annotations

import pytest

from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.errors import ErrorCode
from wirebroker.record.builder import build_batch
from wirebroker.releases.profile import ReleaseProfile
from wirebroker.tests.handlers.txn_harness import LARGE, TxnHarness
from wirebroker.tests.record.produce_cases import record

COMPACTED = {"cleanup_policy": ("compact",)}
OLD_AND_KEYLESS = build_batch([record(timestamp=1)])
IN_AN_HOUR = {"message_timestamp_after_max_ms": 3_600_000, "message_timestamp_before_max_ms": 3_600_000}


@pytest.mark.parametrize(("release", "log_start_offset"), [(None, 0), ("2.8", 0), ("2.4", 0), ("2.3", -1), ("2.0", -1)])
@pytest.mark.parametrize(
    ("config", "code"), [(COMPACTED, ErrorCode.INVALID_RECORD), (IN_AN_HOUR, ErrorCode.INVALID_TIMESTAMP)]
)
async def test_the_log_start_offset_is_answered_from_2_4_on(
    release: str | None, log_start_offset: int, config: dict[str, object], code: ErrorCode
) -> None:
    """The codes are still those of 3.9.1: the encoder of the response replaces them (`releases/error_codes.py`)."""
    harness = await TxnHarness.open()
    harness.routes = RouteTable(ReleaseProfile(release))
    harness.replicas.reconfigure("t", LARGE._replace(**config))  # type: ignore[arg-type]
    answer = await harness.produce(records=OLD_AND_KEYLESS, transactional_id=None, version=7)
    assert (answer.error_code, answer.base_offset, answer.log_start_offset) == (code, -1, log_start_offset)
    assert harness.replicas.topic_stats.failed_produce["t"] == (log_start_offset == 0)


async def test_only_a_batch_that_is_refused_for_single_records_has_a_message() -> None:
    harness = await TxnHarness.open()
    for records, code in ((b"", ErrorCode.INVALID_RECORD), (OLD_AND_KEYLESS[:-1] + b"x", ErrorCode.CORRUPT_MESSAGE)):
        answer = await harness.produce(records=records, transactional_id=None, version=8)
        assert (answer.error_code, answer.error_message, answer.record_errors) == (code, None, [])
    unknown = bytearray(OLD_AND_KEYLESS)
    unknown[16] = 3
    assert (await harness.produce(records=bytes(unknown), transactional_id=None, version=8)).error_message
    await harness.produce(producer_id=8, transactional=False, transactional_id=None)
    answer = await harness.produce(producer_id=8, sequence=9, transactional=False, transactional_id=None)
    assert (answer.error_code, answer.error_message) == (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, None)
    harness.replicas.reconfigure("t", LARGE._replace(cleanup_policy=("compact",)))
    answer = await harness.produce(records=OLD_AND_KEYLESS, transactional_id=None, version=8)
    assert answer.error_message
    assert [each.batch_index for each in answer.record_errors] == [0]
