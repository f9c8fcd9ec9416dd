"""Our protocol specs against the message schemas that Apache Kafka publishes inside its jars (no JVM: unzip and JSON).

At every version that both know, the fields must be the same on the wire: order, types, nullability, tags.  With the
release that our table of versions was made from, names, defaults and "ignorable" must be equal too; older releases used
some other names for the same bytes.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pytest

from compat_tests.kafka_schemas import Field, Layout, Schema, layout, our_layout, schemas, version_range
from compat_tests.versions import KAFKA, NEWEST_CLIENTS, NEWEST_KAFKA, OLD_KAFKA
from tools.codegen.parse import load_specs

if TYPE_CHECKING:
    from tools.codegen.model import ApiSpec, MessageSpec

# newest first; names and defaults are compared with the first only
RELEASES = (NEWEST_KAFKA, KAFKA, OLD_KAFKA)
OLD_NAMES = {"ListConfigResources": "ListClientMetricsResources", "AlterPartition": "AlterIsr"}
# versions that came after the release our table was made from
LATER = {"ApiVersions": [5], "TxnOffsetCommit": [6], "DeleteGroups": [3]}
OUT_OF_SCOPE = {  # KRaft's own, telemetry, streams groups and share-group state: not a broker's to clients or brokers
    *range(52, 56), 59, 62, 63, *range(70, 74), *range(80, 90), 93, 94, 95,
}  # fmt: skip

RECORD_JARS = (
    *("kafka-clients", "kafka-group-coordinator", "kafka-transaction-coordinator", "kafka-metadata", "kafka-storage"),
)

OUR_OWN = 10_000  # keys from here on are no Kafka's
APIS = [api for api in load_specs() if api.key is not None and api.key < OUR_OWN]
MESSAGES = [message for api in APIS for message in api.messages]
RECORDS = [message for file in load_specs() if file.key is None for message in file.messages]


@cache
def published(release: str, artifact: str = "kafka-clients") -> dict[str, Schema]:
    return schemas(f"org.apache.kafka:{artifact}:{release}")


def find(release: str, name: str) -> Schema | None:
    found = published(release)
    kind = "Request" if name.endswith("Request") else "Response"
    return found.get(name) or found.get(OLD_NAMES.get(name.removesuffix(kind), "") + kind)


def wire_only(full: Layout, known_to: Layout | None = None) -> Layout:
    """The layout without what no byte shows, and without tags that *known_to* lacks.

    Later releases add tagged fields to versions that exist already, as readers skip unknown tags.
    """
    return Layout(full.flexible, _stripped(full.fields, full.fields if known_to is None else known_to.fields))


def _stripped(fields: tuple[Field, ...], known_to: tuple[Field, ...]) -> tuple[Field, ...]:
    tags = {field.tag for field in known_to if field.tag is not None}
    kept = [field for field in fields if field.tag is None or field.tag in tags]
    theirs = [field.children for field in known_to] + [()] * len(kept)
    return tuple(
        field._replace(name="", default="", ignorable=False, children=_stripped(field.children, children))
        for field, children in zip(kept, theirs, strict=False)
    )


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.name)
def test_equal_to_published_schemas(message: MessageSpec) -> None:
    compared = set()
    for release in RELEASES:
        schema = find(release, message.name)
        if schema is None:
            continue
        for version in version_range(schema["validVersions"]):
            assert version in message.versions, f"{release} has version {version}"
            ours, theirs = our_layout(message, version), layout(schema, version)
            if release == NEWEST_KAFKA:
                assert ours == theirs, f"{release} version {version}"
            else:
                assert wire_only(ours, theirs) == wire_only(theirs), f"{release} version {version}"
            compared.add(version)
    assert compared == set(message.versions), "a version that no release published"


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
def test_newest_clients_read_the_same_bytes(api: ApiSpec) -> None:
    """LATER lists exactly the parts of the newest release that protocol_specs lacks."""
    missing: set[int] = set()
    for message in api.messages:
        schema = find(NEWEST_CLIENTS, message.name)
        if schema is None:
            continue
        for version in version_range(schema["validVersions"]):
            if version not in message.versions:
                missing.add(version)
            else:
                assert wire_only(our_layout(message, version)) == wire_only(layout(schema, version)), version
    assert sorted(missing) == LATER.get(api.name, [])


@pytest.mark.parametrize("release", RELEASES)
def test_every_key_is_covered(release: str) -> None:
    keys = {schema["apiKey"]: schema for schema in published(release).values() if schema["type"] == "request"}
    ours = {api.key: api for api in APIS}
    assert set(keys) - OUT_OF_SCOPE <= set(ours)
    for key in set(keys) & set(ours):
        assert keys[key]["name"].removesuffix("Request") in {ours[key].name, OLD_NAMES.get(ours[key].name)}


def test_no_client_facing_key_is_out_of_scope() -> None:
    assert not OUT_OF_SCOPE & {api.key for api in APIS}


@pytest.mark.parametrize("message", RECORDS, ids=lambda message: message.name)
def test_headers_and_records_of_internal_topics(message: MessageSpec) -> None:
    """Kafka 4 gives a record's key version 0 and keeps the number that is on disk beside it."""
    compared = set()
    for release in RELEASES:
        if release == OLD_KAFKA:
            found = published(release) | published(release, "kafka_2.13")
        else:
            found = {name: schema for jar in RECORD_JARS for name, schema in published(release, jar).items()}
        for name in (message.name, f"Legacy{message.name}"):
            schema = found.get(name)
            if schema is None:
                continue
            for version in version_range(schema["validVersions"]):
                on_disk = schema.get("apiKey", version) if message.name.endswith("Key") else version
                if not (name.startswith("Legacy") and message.name.endswith("Value")):
                    ours = our_layout(message, on_disk)._replace(flexible=version in message.flexible)
                    theirs = layout(schema, version)
                    assert wire_only(ours, theirs) == wire_only(theirs), f"{release} version {on_disk}"
                    compared.add(on_disk)
    assert compared == set(message.versions), "a version that no release published"
