"""Down-conversion for Fetch v0-v3: to message format 0 (v0, v1) or 1 (v2, v3), while the response is made.

Facts: KIP-31/32 formats, KIP-74 (v3) at least one batch, KIP-283 lazy conversion.  Batches that are of such a format in
the log are sent as they are.  A range of which nothing is left (transaction markers) is passed over, and the read goes
on behind it, where Apache Kafka answers with half a message that makes some clients give up.

Before v3 a partition's limit also holds for the first batch.  Apache Kafka 3.9 answers nothing then, for ever; here as
many whole messages as fit are sent, and of one that does not fit its beginning, which tells the client to ask for more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.quota.request_time import measured
from wirebroker.record.convert import NotConvertibleError
from wirebroker.record.errors import RecordError
from wirebroker.replication.fetch_results import partition_error
from wirebroker.replication.lazy_down_conversion import EmptyRangeError, LazyDownConversionRecords
from wirebroker.storage.errors import SegmentReplaced
from wirebroker.storage.log_slice import LogSlice

if TYPE_CHECKING:
    from wirebroker.replication.fetch_params import FetchParams
    from wirebroker.replication.fetch_reader import FetchSource
    from wirebroker.replication.fetch_results import FetchResults
    from wirebroker.replication.fetch_session import CachedPartition


async def down_convert(replicas: FetchSource, params: FetchParams, results: FetchResults) -> bool:
    """Convert the records of every partition to the message format of the request's version.

    Returns:
        False if all partitions must be read again: nothing was left of the records of one, whose fetch offset was moved
        behind them, or their segment was replaced meanwhile.
    """
    complete = True
    for entry, data in results.by_partition.items():
        if isinstance(data.records, LogSlice):
            try:
                data.records = await _convert(replicas, params, entry, data.records)
            except EmptyRangeError as nothing:
                data.records = b""
                if nothing.next_offset is not None:
                    entry.requested.fetch_offset = max(nothing.next_offset, entry.requested.fetch_offset + 1)
                    complete = False
            except SegmentReplaced:
                data.records = b""
                complete = False
            except ApiError as error:
                results.by_partition[entry] = partition_error(entry.requested.partition, error.code)
    return complete


async def _convert(
    replicas: FetchSource, params: FetchParams, entry: CachedPartition, records: LogSlice
) -> LazyDownConversionRecords:
    """Convert the first batch of *records*, in a thread; the others are converted while they are sent."""
    requested = entry.requested
    partition = replicas.get(entry.topic.name, requested.partition)
    magic = 0 if params.version < 2 else 1
    limit = requested.partition_max_bytes if params.version < 3 else None
    if limit is not None and records.size_bytes <= limit:
        limit = None

    times = partition.host.topic_stats.fetch_conversions

    def count(messages: int, elapsed_s: float, size_bytes: int) -> None:
        partition.stats.fetch_conversions += messages
        times.record(elapsed_s, size_bytes)

    def convert() -> LazyDownConversionRecords:
        return LazyDownConversionRecords(records, magic, requested.fetch_offset, limit, count)

    try:
        return await trio.to_thread.run_sync(measured(convert))
    except NotConvertibleError:
        raise ApiError(ErrorCode.UNSUPPORTED_COMPRESSION_TYPE) from None
    except RecordError as error:
        raise ApiError(ErrorCode.CORRUPT_MESSAGE, str(error)) from error
