"""Deletion of the first records of a partition that this broker leads, as DeleteRecords asks for."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from wirebroker.protocol.errors import ErrorCode
from wirebroker.replication.errors import PartitionError, to_partition_error
from wirebroker.storage.errors import LogError, StorageError

if TYPE_CHECKING:
    from wirebroker.replication.partition import Partition

logger = logging.getLogger(__name__)


async def delete_records(partition: Partition, before_offset: int) -> int:
    """Move the log start of *partition* to *before_offset* (-1: the high watermark) and return it.

    Raises:
        PartitionError: OFFSET_OUT_OF_RANGE above the high watermark or below -1; POLICY_VIOLATION on a topic
            without cleanup.policy=delete; NOT_LEADER_OR_FOLLOWER; KAFKA_STORAGE_ERROR.
    """
    if partition.leader is None:
        raise PartitionError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    if not partition.log.config.deletes:
        raise PartitionError(ErrorCode.POLICY_VIOLATION, "records of a topic without cleanup.policy=delete stay")
    offset = partition.high_watermark if before_offset == -1 else before_offset
    if not 0 <= offset <= partition.high_watermark:
        raise PartitionError(ErrorCode.OFFSET_OUT_OF_RANGE)
    old_start = partition.log.log_start_offset
    try:
        await partition.run_in_order(partial(partition.log.delete_records, offset))
    except LogError as error:
        if isinstance(error, StorageError):
            partition.host.storage_failed(partition.log, error)
        raise to_partition_error(error) from error
    finally:
        partition.notify_listeners()
    if partition.log.log_start_offset > old_start:
        logger.info(
            "topic=%s partition=%d: records deleted on request, log start offset %d -> %d",
            *partition.topic_partition,
            old_start,
            partition.log.log_start_offset,
        )
    return partition.log.log_start_offset
