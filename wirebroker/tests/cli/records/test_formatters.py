"""Records of internal topics as Apache Kafka 3.9.1's message formatters print them."""

from __future__ import annotations

import pytest

from wirebroker.cli.records.formatters import FORMATTERS
from wirebroker.protocol.internal import consumer_offsets as offsets
from wirebroker.protocol.internal import transaction_state as transactions

OFFSET = (
    b"\0\1\0\1g\0\1t\0\0\0\0",
    offsets.OffsetCommitValue(offset=5, leader_epoch=-1, metadata="", commit_timestamp=1795399543770).to_record(3),
)
GROUP = (
    offsets.GroupMetadataKey(group="g").to_record(2),
    offsets.GroupMetadataValue(
        protocol_type="consumer", generation=4, protocol=None, leader=None, current_state_timestamp=7, members=[]
    ).to_record(3),
)
TRANSACTION = (
    transactions.TransactionLogKey(transactional_id="x").to_record(0),
    transactions.TransactionLogValue(
        producer_id=0,
        producer_epoch=0,
        transaction_timeout_ms=60000,
        transaction_status=1,
        transaction_partitions=[transactions.PartitionsSchema("t", [0])],
        transaction_last_update_timestamp_ms=90,
        transaction_start_timestamp_ms=90,
    ).to_record(0),
)


@pytest.mark.parametrize(
    ("name", "record", "line"),
    [
        (
            "offsets",
            OFFSET,
            '{"key":{"version":1,"data":{"group":"g","topic":"t","partition":0}},"value":{"version":3,"data":'
            '{"offset":5,"leaderEpoch":-1,"metadata":"","commitTimestamp":1795399543770}}}',
        ),
        ("offsets", GROUP, None),
        (
            "offsets",
            (OFFSET[0], None),
            '{"key":{"version":1,"data":{"group":"g","topic":"t","partition":0}},"value":null}',
        ),
        (
            "offsets",
            (b"\0\x63", b"\0\x63"),
            '{"key":{"version":99,"data":"unknown"},"value":{"version":99,"data":"unknown"}}',
        ),
        ("group-metadata", OFFSET, None),
        (
            "group-metadata",
            GROUP,
            '{"key":{"version":2,"data":{"group":"g"}},"value":{"version":3,"data":{"protocolType":"consumer",'
            '"generation":4,"protocol":null,"leader":null,"currentStateTimestamp":7,"members":[]}}}',
        ),
        (
            "transaction-log",
            TRANSACTION,
            '{"key":{"version":0,"data":{"transactionalId":"x"}},"value":{"version":0,"data":{"producerId":0,'
            '"producerEpoch":0,"transactionTimeoutMs":60000,"transactionStatus":1,"transactionPartitions":'
            '[{"topic":"t","partitionIds":[0]}],"transactionLastUpdateTimestampMs":90,"transactionStartTimestampMs":90}}}',
        ),
    ],
)
def test_lines(name: str, record: tuple[bytes | None, bytes | None], line: str | None) -> None:
    assert FORMATTERS[name](*record) == line


def test_what_is_no_record_of_the_topic() -> None:
    with pytest.raises(ValueError, match="not a record of this topic"):
        FORMATTERS["offsets"](b"x", None)
