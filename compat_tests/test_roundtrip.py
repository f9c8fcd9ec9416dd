"""Random messages go Java -> bytes -> wirebroker -> bytes -> Java and come back equal, at every version.

Kafka's own generated classes write and read; ours sit in the middle.  The values we read are compared with the ones the
message was made of, and the bytes we write with the ones Java wrote.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.kafka_schemas import schemas, version_range
from compat_tests.random_messages import random_message
from compat_tests.versions import KAFKA, NEWEST_KAFKA
from tools.codegen import codecs
from tools.codegen.parse import load_specs
from tools.jvm import resolve
from tools.jvm.bridge import jvm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.codegen.model import ApiSpec

HOT = {"Produce", "Fetch", "ListOffsets", "Metadata", "OffsetCommit", "OffsetFetch", "JoinGroup", "SyncGroup"} | {
    "FindCoordinator", "Heartbeat", "LeaveGroup", "InitProducerId", "ApiVersions", "CreateTopics", "DeleteTopics"
}  # fmt: skip
APIS = [api for api in load_specs() if api.key is not None and api.key < 10_000]  # those above are not Kafka's


@cache
def published(release: str) -> dict[str, Any]:
    return schemas(f"org.apache.kafka:kafka-clients:{release}")


@pytest.fixture(scope="module", params=[NEWEST_KAFKA, KAFKA])
def java(request: pytest.FixtureRequest) -> Iterator[tuple[str, Any]]:
    """(release, a JVM with that release's classes)."""
    jars = [f"org.apache.kafka:kafka-clients:{request.param}", "com.fasterxml.jackson.core:jackson-databind:2.16.2"]
    with jvm(resolve(jars)) as root:
        yield request.param, root


@pytest.mark.parametrize("api", APIS, ids=lambda api: api.name)
def test_java_to_wirebroker_to_java(java: tuple[str, Any], api: ApiSpec) -> None:
    release, root = java
    assert api.key is not None
    mapper = root.com.fasterxml.jackson.databind.ObjectMapper()
    protocol = root.org.apache.kafka.common.protocol
    for spec, our_class in zip(api.messages, codecs.api_classes(api.key), strict=True):
        schema = published(release).get(spec.name)
        if schema is None:
            continue
        data_class = getattr(root.org.apache.kafka.common.message, f"{spec.name}Data")
        converter = getattr(root.org.apache.kafka.common.message, f"{spec.name}DataJsonConverter")
        for version in version_range(schema["validVersions"]):
            if release == KAFKA and knows(NEWEST_KAFKA, spec.name, version):
                continue  # done with the newest release's classes
            for number in range(6 if api.name in HOT else 2):
                where = f"{spec.name} version {version} number {number}"
                as_json, expected = random_message(schema, version, number)
                sent = converter.read(mapper.readTree(json.dumps(as_json)), version)
                sizes, total = protocol.ObjectSerializationCache(), protocol.MessageSizeAccumulator()
                sent.addSize(total, sizes, version)
                buffer = root.java.nio.ByteBuffer.allocate(total.totalSize())
                sent.write(protocol.ByteBufferAccessor(buffer), sizes, version)
                data = buffer.array()
                ours, end = codecs.read(our_class, memoryview(data), 0, version)
                assert end == len(data), where
                assert_holds(ours, expected, where)
                out = codecs.encode(ours, version)
                assert out == data, where
                readable = protocol.ByteBufferAccessor(root.java.nio.ByteBuffer.wrap(out))
                assert data_class(readable, version).equals(sent), where


def knows(release: str, name: str, version: int) -> bool:
    schema = published(release).get(name)
    return schema is not None and version in version_range(schema["validVersions"])


def assert_holds(value: object, expected: object, where: str) -> None:
    """*value*, as our classes hold it, equals the value from which the message was made."""
    if isinstance(expected, dict):
        for name, part in expected.items():
            assert_holds(getattr(value, name), part, f"{where}: {name}")
    elif isinstance(expected, list):
        assert isinstance(value, list), where
        assert len(value) == len(expected), where
        for number, (item, part) in enumerate(zip(value, expected, strict=True)):
            assert_holds(item, part, f"{where}[{number}]")
    elif isinstance(expected, bytes):
        assert value is not None, where
        assert bytes(value) == expected, where  # type: ignore[call-overload]
    else:
        assert value == expected, where
