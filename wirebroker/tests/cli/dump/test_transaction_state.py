"""Records of __transaction_state as text; compat_tests compares them with the original's."""

from __future__ import annotations

import pytest

from wirebroker.cli.dump.transaction_state import decode_record
from wirebroker.protocol.internal.transaction_state import PartitionsSchema, TransactionLogKey, TransactionLogValue
from wirebroker.record.record_batch import Record

KEY = TransactionLogKey("x").to_record(0)


def shown(key: bytes | None, value: bytes | None) -> tuple[str | None, str | None]:
    return decode_record(Record(0, 0, key, value, []))


@pytest.mark.parametrize("version", [0, 1])
def test_a_transaction(version: int) -> None:
    value = TransactionLogValue(
        producer_id=7,
        producer_epoch=2,
        transaction_timeout_ms=60_000,
        transaction_status=1,
        transaction_partitions=[PartitionsSchema("t", list(range(14))), PartitionsSchema("u", [0])],
        transaction_last_update_timestamp_ms=5,
    )
    assert shown(KEY, value.to_record(version)) == (
        "transaction_metadata::transactionalId=x",
        # as the original: not as they were added
        "producerId:7,producerEpoch:2,state=Ongoing,partitions=["
        "t-13,t-12,t-11,t-10,t-9,t-8,t-7,t-6,t-5,t-4,t-3,t-2,t-1,t-0,u-0"
        "],txnLastUpdateTimestamp=5,txnTimeoutMs=60000",
    )


def test_no_partitions_a_tombstone_and_an_unknown_version() -> None:
    empty = TransactionLogValue(transaction_status=0, transaction_partitions=None).to_record(0)
    assert "state=Empty,partitions=[]," in str(shown(KEY, empty)[1])
    assert shown(KEY, None) == ("transaction_metadata::transactionalId=x", "<DELETE>")
    assert shown(b"\0\x05", b"?") == ("unknown::version=5", None)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (None, b""),
        (b"\0", None),
        (KEY, b"\0"),
        (KEY, b"\0\x09"),
        (KEY, TransactionLogValue(transaction_status=8).to_record(0)),
    ],
)
def test_invalid_records(key: bytes | None, value: bytes | None) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        shown(key, value)
