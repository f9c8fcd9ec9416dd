"""What Fetch v0-v3 get: message format 0 (v0, v1) or 1 (v2, v3), converted on the way out.

Facts: KIP-31/32 formats, KIP-74 (v3) at least one batch, KIP-283 lazy conversion.  Batches that are of such a format in
the log are sent as they are.  A range of which nothing is left (transaction markers, aborted transactions) is passed
over, and the read goes on behind it, where Apache Kafka answers with half a message that makes some clients give up.

Before v3 a partition's limit also holds for the first batch.  Apache Kafka 3.9 answers nothing then, for ever; here as
many whole messages as fit are sent, and of one that does not fit its beginning, which tells the client to ask for more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.convert import NotConvertible
from wirebroker.record.faults import RecordError
from wirebroker.replication.down_conversion import ConvertedRecords, NothingLeft
from wirebroker.replication.fetch_reader import partition_error
from wirebroker.storage.log_slice import LogSlice

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.replication.fetch_reader import FetchAnswers
    from wirebroker.replication.fetch_session import CachedPartition


async def down_convert(context: RequestContext, answers: FetchAnswers) -> bool:
    """Convert the records of every answer.

    False when of some partition nothing was left: its fetch offset was moved on, and all must be read again.
    """
    complete = True
    for entry, answer in answers.of.items():
        if isinstance(answer.records, LogSlice):
            try:
                answer.records = await _converted(context, entry, answer.records)
            except NothingLeft as nothing:
                answer.records = b""
                if nothing.next_offset is not None:
                    entry.asked.fetch_offset = max(nothing.next_offset, entry.asked.fetch_offset + 1)
                    complete = False
            except ApiError as fault:
                answers.of[entry] = partition_error(entry.asked.partition, fault.code)
    return complete


async def _converted(context: RequestContext, entry: CachedPartition, records: LogSlice) -> ConvertedRecords:
    replicas, asked = context.services.replicas, entry.asked
    log = replicas.get(entry.topic.name, asked.partition).log
    aborted = await replicas.after_scans(lambda: log.aborted_transactions(asked.fetch_offset, records))
    magic = 0 if context.version < 2 else 1
    limit = (
        asked.partition_max_bytes if context.version < 3 and records.size_bytes > asked.partition_max_bytes else None
    )

    def convert() -> ConvertedRecords:
        return ConvertedRecords(records, magic, asked.fetch_offset, aborted, limit)

    try:
        return await trio.to_thread.run_sync(convert)
    except NotConvertible:
        raise ApiError(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE) from None
    except RecordError as fault:
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, str(fault)) from fault
