"""There are no quotas, and a filter that makes no sense is told so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.handlers.client_quotas import handle_describe_client_quotas
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.messages.describe_client_quotas import ComponentData, DescribeClientQuotasRequest
from wirebroker.tests.controller.fakes import house

if TYPE_CHECKING:
    from pathlib import Path

EXACT, DEFAULT, ANY = 0, 1, 2


@pytest.mark.parametrize("version", DescribeClientQuotasRequest.VERSIONS)
@pytest.mark.parametrize(
    ("filters", "code"),
    [
        ([], E.NONE),
        ([("user", EXACT, "a")], E.NONE),
        ([("user", DEFAULT, None), ("client-id", ANY, None)], E.NONE),
        ([("ip", ANY, None)], E.NONE),
        ([("user", EXACT, None)], E.INVALID_REQUEST),
        ([("user", DEFAULT, "a")], E.INVALID_REQUEST),
        ([("user", ANY, "a")], E.INVALID_REQUEST),
        ([("user", 3, None)], E.INVALID_REQUEST),
        ([("user", -1, None)], E.INVALID_REQUEST),
        ([("user", ANY, None), ("user", ANY, None)], E.INVALID_REQUEST),
        ([("ip", ANY, None), ("user", ANY, None)], E.INVALID_REQUEST),
        ([("client-id", ANY, None), ("ip", ANY, None)], E.INVALID_REQUEST),
        ([("", ANY, None)], E.INVALID_REQUEST),
        ([("host", ANY, None)], E.UNSUPPORTED_VERSION),
        ([("host", 9, None)], E.UNSUPPORTED_VERSION),
    ],
)
async def test_filters(tmp_path: Path, version: int, filters: list[tuple[str, int, str | None]], code: E) -> None:
    request = DescribeClientQuotasRequest([ComponentData(*each) for each in filters])
    async with house(tmp_path) as home:
        answer = await handle_describe_client_quotas(home.context(DescribeClientQuotasRequest, version), request)
    answer.write(bytearray(), version)
    assert (answer.error_code, answer.entries) == (code, None if code else [])
    assert bool(answer.error_message) == bool(code)
