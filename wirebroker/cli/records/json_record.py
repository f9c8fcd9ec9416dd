"""A record as one JSON object, the same for `consume --format json` and `produce --json`.

    {"topic": "t", "partition": 0, "offset": 7, "timestamp": 1700000000000, "timestamp_type": "CreateTime",
     "key": "k", "value": null, "headers": [{"key": "h", "value_base64": "/w=="}]}

Bytes that are UTF-8 are text; others are base64, under the name with `_base64` behind it.  Null is null.
"""

from __future__ import annotations

import binascii
import json
from base64 import b64decode, b64encode
from typing import Any, Final, NamedTuple

TIMESTAMP_TYPES: Final = {1: "CreateTime", 2: "LogAppendTime"}
"""librdkafka's numbers -> Kafka's names."""


class OutgoingRecord(NamedTuple):
    """A record to produce."""

    value: bytes | None
    key: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
    partition: int | None = None
    timestamp_ms: int | None = None


def to_json(message: Any) -> str:
    """Return a consumed message as one line of JSON."""
    kind, timestamp = message.timestamp()
    document: dict[str, Any] = {
        "topic": message.topic(),
        "partition": message.partition(),
        "offset": message.offset(),
        "timestamp": timestamp if kind else None,
        "timestamp_type": TIMESTAMP_TYPES.get(kind),
    }
    _put(document, "key", message.key())
    _put(document, "value", message.value())
    document["headers"] = []
    for name, value in message.headers() or ():
        header: dict[str, Any] = {"key": name}
        _put(header, "value", value)
        document["headers"].append(header)
    return json.dumps(document, ensure_ascii=False)


def _put(document: dict[str, Any], name: str, value: bytes | None) -> None:
    """Set *name* in *document* to text, null or, under its other name, base64."""
    if value is None:
        document[name] = None
        return
    try:
        document[name] = value.decode()
    except UnicodeDecodeError:
        document[f"{name}_base64"] = b64encode(value).decode()


def from_json(line: bytes) -> OutgoingRecord:
    """Return the record of one line; topic, offset and unknown names are ignored.

    A key or value that is a JSON object, list, number or boolean becomes compact JSON; headers may be an object.

    Raises:
        ValueError: *line* is no such object.
    """
    try:
        document = json.loads(line)
    except ValueError as fault:
        raise ValueError(f"no JSON: {fault}") from None
    if not isinstance(document, dict):
        raise ValueError("not a JSON object")
    if "value" not in document and "value_base64" not in document:
        raise ValueError('no "value" or "value_base64"')
    headers = document.get("headers") or []
    if isinstance(headers, dict):
        headers = [{"key": name, "value": value} for name, value in headers.items()]
    if not isinstance(headers, list) or not all(
        isinstance(each, dict) and _is_text(each.get("key")) for each in headers
    ):
        raise ValueError('"headers" is not a list of {"key": ..., "value": ...}')
    return OutgoingRecord(
        _get(document, "value"),
        _get(document, "key"),
        tuple((header["key"], _get(header, "value")) for header in headers),
        _number(document, "partition"),
        _number(document, "timestamp"),
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _get(document: dict[str, Any], name: str) -> bytes | None:
    """The bytes of *name*, or of its base64."""
    encoded = document.get(f"{name}_base64")
    if encoded is not None:
        try:
            return b64decode(encoded, validate=True)
        except (binascii.Error, TypeError, ValueError):
            raise ValueError(f'"{name}_base64" is no base64') from None
    value = document.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return value.encode("utf-8", "surrogatepass")


def _number(document: dict[str, Any], name: str) -> int | None:
    value = document.get(name)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise ValueError(f'"{name}" is not a whole number')
    return value
