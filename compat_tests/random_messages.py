"""Random messages after Apache Kafka's published schemas, in Kafka's JSON form and as the values we expect to read.

A message is made for one version: fields that the version lacks are absent, tagged fields are there half of the time,
nullable ones are null now and then.  Seeded by name, version and number, so every run makes the same ones.
"""

from __future__ import annotations

import base64
import random
from typing import TYPE_CHECKING, Any

from compat_tests.kafka_schemas import SCALARS, version_range
from tools.codegen.names import snake_case

if TYPE_CHECKING:
    from compat_tests.kafka_schemas import Schema

_BOUNDS = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
_ALPHABET = "abcdefghijklmnopqrstuvwxyzåß漢😀"


def random_message(schema: Schema, version: int, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """(the message as Kafka's JsonConverter reads it, field name -> value as our classes hold it)."""
    rng = random.Random(f"{schema['name']} {version} {number}")
    structs = {struct["name"]: struct["fields"] for struct in schema.get("commonStructs", [])}
    return _struct(schema["fields"], version, structs, rng)


def _struct(
    fields: list[Schema], version: int, structs: dict[str, list[Schema]], rng: random.Random
) -> tuple[dict[str, Any], dict[str, Any]]:
    as_json, expected = {}, {}
    for field in fields:
        if version not in version_range(field["versions"]):
            continue
        tagged = version in version_range(field.get("taggedVersions", "none"))
        if tagged and rng.random() < 0.5:
            continue
        name = field["name"]
        json_value, value = _field(field, version, structs, rng)
        as_json[name[0].lower() + name[1:]] = json_value
        expected[snake_case(name)] = value
    return as_json, expected


def _field(field: Schema, version: int, structs: dict[str, list[Schema]], rng: random.Random) -> tuple[Any, Any]:
    kind = field["type"]
    if version in version_range(field.get("nullableVersions", "none")) and rng.random() < 0.25:
        return None, None
    element = kind.removeprefix("[]")

    def one() -> tuple[Any, Any]:
        if element in SCALARS:
            return _scalar(element, rng)
        return _struct(field.get("fields") or structs[element], version, structs, rng)

    if not kind.startswith("[]"):
        return one()
    items = [one() for _ in range(rng.choice((0, 1, 1, 2, 3)))]
    return [item[0] for item in items], [item[1] for item in items]


def _scalar(kind: str, rng: random.Random) -> tuple[Any, Any]:
    if kind == "bool":
        flag = rng.random() < 0.5
        return flag, flag
    if kind == "string":
        text = "".join(rng.choices(_ALPHABET, k=rng.choice((0, 1, 7, 40, 150))))
        return text, text
    if kind in {"bytes", "records"}:
        data = rng.randbytes(rng.choice((0, 1, 61, 300)))
        return base64.b64encode(data).decode(), data
    if kind == "uuid":
        data = rng.randbytes(16)
        # Kafka's uuid text may not begin with a dash
        data = bytes([data[0] & 0x7F]) + data[1:]
        return base64.urlsafe_b64encode(data).decode().rstrip("="), data
    if kind == "float64":
        number = rng.uniform(-1e6, 1e6)
        return number, number
    low, high = _BOUNDS[kind]
    integer = rng.choice((low, high, 0, 1, rng.randint(low, high), rng.randint(-128, 127)))
    return max(low, integer), max(low, integer)
