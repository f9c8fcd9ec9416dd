"""Generated records as compact JSON, as Apache Kafka's JsonConverter classes and Jackson write them."""

from __future__ import annotations

import json
import re
from base64 import b64encode, urlsafe_b64encode
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from wirebroker.config.values import java_double
from wirebroker.protocol.message import Data

if TYPE_CHECKING:
    from collections.abc import Callable

_UUID_FIELDS: Final = frozenset(
    {"incarnation_id", "topic_id", "id", "log_dirs", "cordoned_log_dirs", "directories", "voter_directory_id"}
)
"""Fields of KRaft's records that hold UUIDs, where they hold 16 bytes."""


def document_of(value: Data, is_shown: Callable[[Data, str], bool], *, has_uuids: bool = False) -> dict[str, Any]:
    """*value* as a JSON object of camelCase names.

    Args:
        value: an instance of a generated class.
        is_shown: whether a field of an object, by its Python name, is in the version that is printed.
        has_uuids: whether fields named in `_UUID_FIELDS` are printed as UUIDs; other bytes are base64.
    """
    return {
        _camel_case(name): _plain(getattr(value, name), is_shown, has_uuids, has_uuids and name in _UUID_FIELDS)
        for name in value.FIELDS
        if is_shown(value, name)
    }


def _plain(value: Any, is_shown: Callable[[Data, str], bool], has_uuids: bool, is_uuid: bool) -> Any:
    """*value* of a field as JSON has it; *is_uuid* if the field holds UUIDs."""
    if isinstance(value, Data):
        return document_of(value, is_shown, has_uuids=has_uuids)
    if isinstance(value, list):
        return [_plain(each, is_shown, has_uuids, is_uuid) for each in value]
    if isinstance(value, bytes | memoryview):
        return uuid_text(bytes(value)) if is_uuid else b64encode(value).decode()
    return value


def json_text(document: Any) -> str:
    """*document*, which holds no floats, as compact JSON."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def json_text_with_doubles(document: Any) -> str:
    """*document* as compact JSON; floats as Java prints doubles, those that JSON cannot say in quotes.

    Slower than `json_text`, for Python's encoder has no hook for floats.
    """
    if isinstance(document, dict):
        members = (f"{json.dumps(name)}:{json_text_with_doubles(each)}" for name, each in document.items())
        return f"{{{','.join(members)}}}"
    if isinstance(document, list):
        return f"[{','.join(map(json_text_with_doubles, document))}]"
    if isinstance(document, float):
        return java_double(document) if isfinite(document) else f'"{java_double(document)}"'
    return json_text(document)


def uuid_text(value: bytes) -> str:
    """A UUID as Kafka spells it: 22 characters of url-safe base64."""
    return urlsafe_b64encode(value).decode().rstrip("=")


@cache
def _camel_case(name: str) -> str:
    return re.sub(r"_(.)", lambda match: match[1].upper(), name)
