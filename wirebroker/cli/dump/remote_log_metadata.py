"""Records of __remote_log_metadata (KIP-405), as `kafka-dump-log.sh --remote-log-metadata-decoder` of 3.9 words them.

The value's frame is that of KRaft's metadata records (metadata/kafka_import/kraft_records.py), with types of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.dump.record_json import uuid_text
from wirebroker.metadata.kafka_import.kraft_records import FRAME_VERSION
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal import remote_log_metadata as records
from wirebroker.protocol.primitives import read_uvarint

if TYPE_CHECKING:
    from wirebroker.protocol.message import ReadableMessage
    from wirebroker.record.record_batch import Record

TYPES: Final[dict[int, type[ReadableMessage]]] = {
    0: records.RemoteLogSegmentMetadataRecord,
    1: records.RemoteLogSegmentMetadataUpdateRecord,
    2: records.RemotePartitionDeleteMetadataRecord,
    3: records.RemoteLogSegmentMetadataSnapshotRecord,
}
SEGMENT_STATES: Final = (
    "COPY_SEGMENT_STARTED",
    "COPY_SEGMENT_FINISHED",
    "DELETE_SEGMENT_STARTED",
    "DELETE_SEGMENT_FINISHED",
)
PARTITION_STATES: Final = ("DELETE_PARTITION_MARKED", "DELETE_PARTITION_STARTED", "DELETE_PARTITION_FINISHED")


def decode_record(record: Record) -> tuple[None, str]:
    """No key, and the payload as it is printed; for a record that cannot be read, the reason."""
    try:
        return None, _text(_parse(record.value))
    except ProtocolError as fault:
        return None, f"Error at offset {record.offset}, skipping. {fault}"


def _parse(value: bytes | None) -> Any:
    """The message in a record's value.

    Raises:
        ProtocolError: the bytes are no such record, or of a newer release.
    """
    if value is None:
        raise ProtocolError("the record has no value")
    try:
        frame, at = read_uvarint(value, 0)
        type_id, at = read_uvarint(value, at)
        version, at = read_uvarint(value, at)
    except IndexError:
        raise ProtocolError("the record ends in its frame") from None
    kind = TYPES.get(type_id)
    if frame != FRAME_VERSION or kind is None or version not in kind.VERSIONS:
        raise ProtocolError(f"frame version {frame}, record type {type_id}, version {version}: not known")
    message, end = kind.read(value, at, version)
    if end != len(value):
        raise ProtocolError(f"{len(value) - end} bytes after {kind.__name__}")
    return message


def _text(message: Any) -> str:
    """*message* as its toString() in Java.

    Raises:
        ProtocolError: a state has a number without a name.
    """
    if isinstance(message, records.RemoteLogSegmentMetadataRecord):
        return (
            f"RemoteLogSegmentMetadata{{{_segment(message.remote_log_segment_id)}, startOffset={message.start_offset}"
            f", endOffset={message.end_offset}, brokerId={message.broker_id}"
            f", maxTimestampMs={message.max_timestamp_ms}, eventTimestampMs={message.event_timestamp_ms}"
            f"{_rest(message)}}}"
        )
    if isinstance(message, records.RemoteLogSegmentMetadataSnapshotRecord):
        return (
            f"RemoteLogSegmentMetadataSnapshot{{segmentId={uuid_text(message.segment_id)}"
            f", startOffset={message.start_offset}, endOffset={message.end_offset}"
            f", maxTimestampMs={message.max_timestamp_ms}{_rest(message)}}}"
        )
    happened = f"eventTimestampMs={message.event_timestamp_ms}, brokerId={message.broker_id}"
    if isinstance(message, records.RemoteLogSegmentMetadataUpdateRecord):
        state = _state(SEGMENT_STATES, message.remote_log_segment_state)
        return (
            f"RemoteLogSegmentMetadataUpdate{{{_segment(message.remote_log_segment_id)}"
            f", customMetadata={_custom(message.custom_metadata)}, state={state}, {happened}}}"
        )
    partition = _partition(message.topic_id_partition)
    state = _state(PARTITION_STATES, message.remote_partition_delete_state)
    return f"RemotePartitionDeleteMetadata{{topicPartition={partition}, state={state}, {happened}}}"


def _rest(message: Any) -> str:
    """The end that both whole descriptions of a segment have in common."""
    epochs = {each.leader_epoch: each.offset for each in message.segment_leader_epochs}
    state = _state(SEGMENT_STATES, message.remote_log_segment_state)
    return (
        f", segmentLeaderEpochs={{{', '.join(f'{epoch}={epochs[epoch]}' for epoch in sorted(epochs))}}}"
        f", segmentSizeInBytes={message.segment_size_in_bytes}"
        f", customMetadata={_custom(message.custom_metadata)}, state={state}"
    )


def _segment(segment: Any) -> str:
    partition = _partition(segment.topic_id_partition)
    return f"remoteLogSegmentId=RemoteLogSegmentId{{topicIdPartition={partition}, id={uuid_text(segment.id)}}}"


def _partition(partition: Any) -> str:
    return f"{uuid_text(partition.id)}:{partition.name}-{partition.partition}"


def _custom(value: bytes | None) -> str:
    return "Optional.empty" if value is None else f"Optional[CustomMetadata{{{len(value)} bytes}}]"


def _state(names: tuple[str, ...], number: int) -> str:
    if not 0 <= number < len(names):
        raise ProtocolError(f"no state has number {number}")
    return names[number]
