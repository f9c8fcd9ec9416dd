"""Records of internal topics as JSON lines, as the message formatters of Apache Kafka's console consumer print them.

    {"key":{"version":1,"data":{"group":"g","topic":"t","partition":0}},"value":{"version":3,"data":{...}}}

Kafka 3.9 prints the objects without line ends; here each is a line.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from wirebroker.cli.dump import consumer_offsets
from wirebroker.cli.dump.record_json import document_of, json_text
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.internal.consumer_offsets import (
    GroupMetadataKey,
    GroupMetadataValue,
    OffsetCommitKey,
    OffsetCommitValue,
)
from wirebroker.protocol.internal.transaction_state import TransactionLogKey, TransactionLogValue
from wirebroker.protocol.message import record_version

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.protocol.message import Data, ReadableMessage

    Formatter = Callable[[bytes | None, bytes | None], str | None]
    """Returns the line of a key and a value, None for records that the formatter leaves out."""

_UNKNOWN: Final = "unknown"
_TRANSACTION_FIELDS_OF_V1: Final = frozenset(
    {"previous_producer_id", "next_producer_id", "next_producer_epoch", "client_transaction_version"}
)


def _formatter(
    keys: tuple[type[ReadableMessage], ...], skipped: tuple[type[ReadableMessage], ...], value: type[ReadableMessage]
) -> Formatter:
    """A formatter of records with one of *keys*; those with one of *skipped* are left out."""
    return partial(_line, keys, skipped, value)


def _line(
    keys: tuple[type[ReadableMessage], ...],
    skipped: tuple[type[ReadableMessage], ...],
    value_class: type[ReadableMessage],
    key: bytes | None,
    value: bytes | None,
) -> str | None:
    try:
        document: dict[str, Any] = {"key": None, "value": None}
        if key is not None:
            version = record_version(key)
            if any(version in each.VERSIONS for each in skipped):
                return None
            known = next((each for each in keys if version in each.VERSIONS), None)
            document["key"] = {"version": version, "data": _data(known, key, version)}
        if value is not None:
            version = record_version(value)
            known = value_class if version in value_class.VERSIONS else None
            document["value"] = {"version": version, "data": _data(known, value, version)}
    except ProtocolError as fault:
        raise ValueError(f"not a record of this topic: {fault}") from fault
    return json_text(document)


def _data(known: type[ReadableMessage] | None, data: bytes, version: int) -> Any:
    if known is None:
        return _UNKNOWN
    return document_of(known.from_record(data), partial(_is_shown, version))


def _is_shown(version: int, message: Data, name: str) -> bool:
    if isinstance(message, TransactionLogValue):
        return version >= 1 or name not in _TRANSACTION_FIELDS_OF_V1
    return consumer_offsets.is_shown(version, message, name)


FORMATTERS: Final[dict[str, Formatter]] = {
    "offsets": _formatter((OffsetCommitKey,), (GroupMetadataKey,), OffsetCommitValue),
    "group-metadata": _formatter((GroupMetadataKey,), (OffsetCommitKey,), GroupMetadataValue),
    "transaction-log": _formatter((TransactionLogKey,), (), TransactionLogValue),
}
"""Name in `--formatter` -> formatter."""
