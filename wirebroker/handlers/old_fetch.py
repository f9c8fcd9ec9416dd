"""What Fetch v0-v3 get: message format 0 (v0, v1) or 1 (v2, v3), converted on the way out.

Facts: KIP-31/32 formats, KIP-74 (v3) at least one batch, KIP-283 lazy conversion.  Batches that are of such a format in
the log are sent as they are.  A range of which nothing is left (transaction markers, aborted transactions) is passed
over, and the read goes on behind it, where Apache Kafka answers with half a message that makes some clients give up.

Before v3 a partition's limit also holds for the first batch.  Apache Kafka 3.9 answers nothing then, for ever; here as
many whole messages as fit are sent, and of one that does not fit its beginning, which tells the client to ask for more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import trio

from wirebroker.handlers.fetch import failed, walked
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.faults import ApiError
from wirebroker.record.convert import NotConvertible
from wirebroker.record.faults import RecordError
from wirebroker.replication.down_conversion import ConvertedRecords, NothingLeft
from wirebroker.storage.aborted_look import LongWalk
from wirebroker.storage.log_slice import LogSlice

if TYPE_CHECKING:
    from wirebroker.handlers.context import RequestContext
    from wirebroker.handlers.fetch_plan import FetchItem
    from wirebroker.protocol.messages.fetch import PartitionData


async def down_convert_answers(context: RequestContext, answers: list[tuple[FetchItem, PartitionData]]) -> bool:
    """Convert the records of every answer.

    False when of some partition nothing was left: its fetch offset was moved on, and all must be read again.
    """
    complete = True
    for number, (item, answer) in enumerate(answers):
        if isinstance(answer.records, LogSlice):
            try:
                answer.records = cast("memoryview", await _converted(context, item, answer.records))
            except NothingLeft as nothing:
                answer.records = memoryview(b"")
                if nothing.next_offset is not None:
                    item.asked.fetch_offset = max(nothing.next_offset, item.asked.fetch_offset + 1)
                    complete = False
            except ApiError as fault:
                answers[number] = item, failed(item, fault.code)
    return complete


async def _converted(context: RequestContext, item: FetchItem, records: LogSlice) -> ConvertedRecords:
    assert item.topic is not None
    log = context.services.replicas.get(item.topic, item.index).log
    asked = item.asked
    magic = 0 if context.version < 2 else 1
    try:
        aborted = log.aborted_transactions(asked.fetch_offset, records)
    except LongWalk as walk:
        await walked(context, walk)
        return await _converted(context, item, records)
    limit = asked.max_bytes if context.version < 3 and records.size_bytes > asked.max_bytes else None

    def convert() -> ConvertedRecords:
        return ConvertedRecords(records, magic, asked.fetch_offset, aborted, limit)

    try:
        return await trio.to_thread.run_sync(convert)
    except NotConvertible:
        raise ApiError(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE) from None
    except RecordError as fault:
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, str(fault)) from fault
