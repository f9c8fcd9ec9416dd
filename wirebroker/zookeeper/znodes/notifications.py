"""Notifications to the controller: /isr_change_notification and /log_dir_event_notification, sequential children.

The controller reads them, does what they call for, and deletes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.zookeeper.znodes.json_fields import JsonFields, encode_json
from wirebroker.zookeeper.znodes.topics import decode_partitions, encode_partitions

if TYPE_CHECKING:
    from wirebroker.model import TopicPartition

ISR_CHANGES_PATH: Final = "/isr_change_notification"
ISR_CHANGE_PREFIX: Final = f"{ISR_CHANGES_PATH}/isr_change_"
LOG_DIR_EVENTS_PATH: Final = "/log_dir_event_notification"
LOG_DIR_EVENT_PREFIX: Final = f"{LOG_DIR_EVENTS_PATH}/log_dir_event_"
_LOG_DIR_FAILURE: Final = 1


def encode_isr_change(partitions: list[TopicPartition]) -> bytes:
    """Return the JSON that names partitions whose ISR a leader has changed."""
    return encode_partitions(1, partitions)


def decode_isr_change(path: str, data: bytes | None) -> list[TopicPartition]:
    """Return the partitions that a notification names.  Raises CorruptZnode."""
    return decode_partitions(path, data)


def encode_log_dir_failure(broker_id: int) -> bytes:
    """Return the JSON by which a broker says that one of its log directories has failed."""
    return encode_json({"version": 1, "broker": broker_id, "event": _LOG_DIR_FAILURE})


def decode_log_dir_failure(path: str, data: bytes | None) -> int:
    """Return the id of the broker.  Raises CorruptZnode."""
    return JsonFields.parse(path, data).integer("broker")
