"""Request and response headers, and that the hand-written code agrees with the spec."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.codegen.codecs import encode, module_in_memory
from tools.codegen.parse import SPEC_DIR, parse_spec
from wirebroker.protocol.api import API, ApiKey
from wirebroker.protocol.exceptions import ProtocolError
from wirebroker.protocol.headers import (
    read_request_header,
    read_response_header,
    request_header_version,
    response_header_version,
    write_request_header,
)

# key, version, correlation id, client id, bytes
REQUESTS = [
    (7, 0, 5, "", "0007 0000 00000005"),
    (7, 1, 5, None, "0007 0001 00000005 ffff"),
    (0, 8, -1, "rdkafka", "0000 0008 ffffffff 0007 72646b61666b61"),
    (0, 9, 1, "a", "0000 0009 00000001 0001 61 00"),
    (18, 3, 1, "", "0012 0003 00000001 0000 00"),
    (17, 1, 1, "é", "0011 0001 00000001 0002 c3a9"),
]


@pytest.mark.parametrize(("key", "version", "correlation_id", "client_id", "data"), REQUESTS)
def test_request(key: int, version: int, correlation_id: int, client_id: str | None, data: str) -> None:
    wire = bytes.fromhex(data)
    out = bytearray()
    write_request_header(out, key, version, correlation_id, client_id)
    assert out.hex() == wire.hex()
    for frame in (wire + b"body", memoryview(wire + b"body")):
        assert read_request_header(frame) == (key, version, correlation_id, client_id, len(wire))


def test_unknown_tags_are_skipped() -> None:
    frame = bytes.fromhex("0000 0009 00000001 0001 61 02 00 02 ffff 8001 00") + b"body"
    assert read_request_header(frame)[4] == len(frame) - 4


def test_bytes_of_the_client_id_that_are_not_utf_8_are_replaced() -> None:
    frame = bytes.fromhex("0012 0000 00000007 0004 61ff c362")
    assert read_request_header(frame) == (18, 0, 7, "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b", 14)


def test_negative_client_id_length_is_null() -> None:
    assert read_request_header(bytes.fromhex("0000 0003 00000001 fffe")) == (0, 3, 1, None, 10)


@pytest.mark.parametrize(
    "data",
    [
        "",
        "0000 0003 000000",
        "0000 0003 00000001 00",
        "0000 0003 00000001 0002 61",
        "0000 0009 00000001 0001 61",
        "0000 0009 00000001 0001 61 01 00 05 00",
        "03e7 0000 00000001 0000",
        "ffff 0000 00000001 0000",
    ],
)
def test_refused(data: str) -> None:
    with pytest.raises(ProtocolError):
        read_request_header(bytes.fromhex(data))


@given(st.binary(max_size=60))
def test_arbitrary_bytes(frame: bytes) -> None:
    with suppress(ProtocolError):
        assert read_request_header(frame)[4] <= len(frame)
    for key, version in ((0, 3), (0, 9)):
        with suppress(ProtocolError):
            assert read_response_header(frame, key, version)[1] <= len(frame)


def test_every_header_agrees_with_the_spec() -> None:
    generated: Any = module_in_memory(parse_spec(SPEC_DIR / "headers"))
    for key, info in API.items():
        for version in range(info.min_version, info.max_version + 1):
            out = bytearray()
            client_id = "" if (key, version) == (7, 0) else "client"
            write_request_header(out, key, version, 77, client_id)
            request = generated.RequestHeader(key, version, 77, client_id)
            assert out == encode(request, request_header_version(key, version))
            response = encode(generated.ResponseHeader(77), response_header_version(key, version))
            assert read_response_header(response, key, version) == (77, len(response))


def test_header_versions() -> None:
    assert [request_header_version(ApiKey.CONTROLLED_SHUTDOWN, version) for version in range(4)] == [0, 1, 1, 2]
    assert [response_header_version(ApiKey.API_VERSIONS, version) for version in range(5)] == [0] * 5
    assert [request_header_version(ApiKey.API_VERSIONS, version) for version in range(5)] == [1, 1, 1, 2, 2]
    assert [response_header_version(ApiKey.FETCH, version) for version in (11, 12)] == [0, 1]
    assert [request_header_version(ApiKey.SASL_HANDSHAKE, version) for version in (0, 1)] == [1, 1]
