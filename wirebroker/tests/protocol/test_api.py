"""The tables: APIs and error codes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tools.codegen.usage import CLIENT, NOT_SERVED
from wirebroker.protocol.api import API, ApiKey
from wirebroker.protocol.errors import ErrorCode


@pytest.mark.parametrize("key", sorted(API))
def test_load(key: int) -> None:
    info = API[key]
    if info.name in NOT_SERVED - CLIENT:
        with pytest.raises(ModuleNotFoundError):
            info.load()
        return
    request, response = info.load()
    assert request.API_KEY == response.API_KEY == key == info.key
    assert request.__name__ == f"{info.name}Request"
    assert response.__name__ == f"{info.name}Response"
    assert request.VERSIONS == response.VERSIONS == range(info.min_version, info.max_version + 1)
    assert request.FLEXIBLE_FROM == response.FLEXIBLE_FROM == info.flexible_from


def test_keys() -> None:
    assert set(API) == {*range(52), *range(56, 59), 60, 61, *range(64, 70), *range(74, 80), 90, 91, 92, 20000}
    assert set(ApiKey) == set(API)
    assert all(info.min_version == 0 for info in API.values())


def test_the_table_imports_no_messages() -> None:
    code = "import sys, wirebroker.protocol.headers; print([m for m in sys.modules if '.messages.' in m])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_error_codes() -> None:
    assert [int(code) for code in ErrorCode] == list(range(-1, 134))
    assert ErrorCode(6) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert ErrorCode.NOT_LEADER_OR_FOLLOWER.retriable
    assert not ErrorCode.NONE.retriable
    assert not ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER.retriable
    assert all(code.meaning.endswith(".") for code in ErrorCode)
