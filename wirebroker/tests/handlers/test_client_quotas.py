"""DescribeClientQuotas and AlterClientQuotas: filters, entities, limits, and what survives a restart."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
import trio

from wirebroker.handlers.client_quotas import handle_alter_client_quotas, handle_describe_client_quotas
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.messages.alter_client_quotas import (
    AlterClientQuotasRequest,
    OpData,
    RequestEntityData,
    RequestEntryData,
)
from wirebroker.protocol.messages.describe_client_quotas import ComponentData, DescribeClientQuotasRequest
from wirebroker.replication.worker_threads import THREADS
from wirebroker.tests.controller.fakes import controller_harness

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from wirebroker.tests.controller.fakes import ControllerHarness

Named = tuple[tuple[str, str | None], ...]

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
    async with controller_harness(tmp_path) as harness:
        answer = await handle_describe_client_quotas(harness.context(DescribeClientQuotasRequest, version), request)
    answer.write(bytearray(), version)
    assert (answer.error_code, answer.entries) == (code, None if code else [])
    assert bool(answer.error_message) == bool(code)


async def alter(
    harness: ControllerHarness,
    *changes: tuple[Named, Mapping[str, float | None]],
    validate_only: bool = False,
    version: int = 1,
) -> list[tuple[Named, E]]:
    """Send one AlterClientQuotas; a limit of None removes the quota."""
    entries = [
        RequestEntryData(
            [RequestEntityData(*part) for part in entity],
            [OpData(key, limit or 0.0, limit is None) for key, limit in limits.items()],
        )
        for entity, limits in changes
    ]
    request = AlterClientQuotasRequest(entries, validate_only)
    answer = await handle_alter_client_quotas(harness.context(AlterClientQuotasRequest, version), request)
    answer.write(bytearray(), version)
    for entry in answer.entries:
        assert bool(entry.error_message) == bool(entry.error_code)
    return [
        (tuple((part.entity_type, part.entity_name) for part in entry.entity), E(entry.error_code))
        for entry in answer.entries
    ]


async def describe(
    harness: ControllerHarness, *filters: tuple[str, int, str | None], strict: bool = False
) -> dict[Named, dict[str, float]]:
    request = DescribeClientQuotasRequest([ComponentData(*each) for each in filters], strict)
    answer = await handle_describe_client_quotas(harness.context(DescribeClientQuotasRequest, 1), request)
    assert not answer.error_code
    assert answer.entries is not None
    return {
        tuple((part.entity_type, part.entity_name) for part in entry.entity): {
            each.key: each.value for each in entry.values
        }
        for entry in answer.entries
    }


U: Named = (("user", "u"),)
U_DEFAULT: Named = (("user", None),)
C: Named = (("client-id", "c"),)
C_DEFAULT: Named = (("client-id", None),)
IP: Named = (("ip", "10.0.0.1"),)
IP_DEFAULT: Named = (("ip", None),)
ALL: tuple[Named, ...] = (U, U_DEFAULT, C, C_DEFAULT, U + C, U + C_DEFAULT, U_DEFAULT + C_DEFAULT, IP, IP_DEFAULT)


@pytest.mark.parametrize(
    ("filters", "strict", "found"),
    [
        ([], False, ALL),
        ([], True, ()),
        ([("user", EXACT, "u")], False, (U, U + C, U + C_DEFAULT)),
        ([("user", EXACT, "u")], True, (U,)),
        ([("user", EXACT, "x")], False, ()),
        ([("user", DEFAULT, None)], False, (U_DEFAULT, U_DEFAULT + C_DEFAULT)),
        ([("user", ANY, None)], True, (U, U_DEFAULT)),
        ([("client-id", ANY, None)], True, (C, C_DEFAULT)),
        ([("client-id", DEFAULT, None)], False, (C_DEFAULT, U + C_DEFAULT, U_DEFAULT + C_DEFAULT)),
        ([("client-id", ANY, None), ("user", EXACT, "u")], False, (U + C, U + C_DEFAULT)),
        ([("user", DEFAULT, None), ("client-id", DEFAULT, None)], True, (U_DEFAULT + C_DEFAULT,)),
        ([("ip", ANY, None)], False, (IP, IP_DEFAULT)),
        ([("ip", EXACT, "10.0.0.1")], True, (IP,)),
        ([("ip", DEFAULT, None)], True, (IP_DEFAULT,)),
    ],
)
async def test_what_a_filter_finds(
    tmp_path: Path, filters: list[tuple[str, int, str | None]], strict: bool, found: tuple[Named, ...]
) -> None:
    changes = [
        (entity, {"connection_creation_rate" if "ip" in dict(entity) else "producer_byte_rate": float(number)})
        for number, entity in enumerate(ALL, 1)
    ]
    async with controller_harness(tmp_path) as harness:
        assert await alter(harness, *changes) == [(entity, E.NONE) for entity in ALL]
        assert await describe(harness, *filters, strict=strict) == {
            entity: limits for entity, limits in changes if entity in found
        }


@pytest.mark.parametrize("version", AlterClientQuotasRequest.VERSIONS)
@pytest.mark.parametrize(
    ("entity", "limits", "code"),
    [
        (U, {"producer_byte_rate": 1024.0, "consumer_byte_rate": 1.0, "request_percentage": 0.5}, E.NONE),
        (C, {"controller_mutation_rate": 0.1}, E.NONE),
        (C, {"never_heard_of": None}, E.NONE),
        (C, {"never_heard_of": 1.0}, E.INVALID_REQUEST),
        (U, {"connection_creation_rate": 1.0}, E.INVALID_REQUEST),
        (IP, {"producer_byte_rate": 1.0}, E.INVALID_REQUEST),
        (IP, {"connection_creation_rate": 1.0}, E.NONE),
        (IP, {"connection_creation_rate": 2.0**31}, E.INVALID_REQUEST),
        (U, {"producer_byte_rate": 0.0}, E.INVALID_REQUEST),
        (U, {"producer_byte_rate": -1.0}, E.INVALID_REQUEST),
        (U, {"producer_byte_rate": 1.5}, E.INVALID_REQUEST),
        (U, {"producer_byte_rate": 1e19}, E.INVALID_REQUEST),
        (U, {"request_percentage": float("nan")}, E.INVALID_REQUEST),
        ((), {"producer_byte_rate": 1.0}, E.INVALID_REQUEST),
        ((("user", ""),), {"producer_byte_rate": 1.0}, E.INVALID_REQUEST),
        ((("host", "h"),), {"producer_byte_rate": 1.0}, E.INVALID_REQUEST),
        (U + IP, {"producer_byte_rate": 1.0}, E.INVALID_REQUEST),
        ((("ip", "localhost"),), {"connection_creation_rate": 1.0}, E.NONE),
        ((("ip", "no.such.host."),), {"connection_creation_rate": 1.0}, E.INVALID_REQUEST),
    ],
)
async def test_limits(tmp_path: Path, version: int, entity: Named, limits: dict[str, float | None], code: E) -> None:
    async with controller_harness(tmp_path) as harness:
        checked = await alter(harness, (entity, limits), validate_only=True, version=version)
        assert not harness.image.client_quotas
        assert await alter(harness, (entity, limits), version=version) == checked == [(entity, code)]
        wanted = {key: limit for key, limit in limits.items() if limit is not None}
        assert harness.image.client_quotas == ({entity: wanted} if wanted and not code else {})


async def test_entities_succeed_or_fail_alone_and_a_second_change_of_one_is_refused(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        assert await alter(
            harness, (U, {"producer_byte_rate": 1.0}), (C, {"x": 1.0}), (U, {"producer_byte_rate": 2.0})
        ) == [(U, E.INVALID_REQUEST), (C, E.INVALID_REQUEST)]
        assert harness.image.client_quotas == {U: {"producer_byte_rate": 1.0}}
        twice = RequestEntryData([RequestEntityData("user", "v")], [OpData("producer_byte_rate", 1.0)] * 2)
        answer = await handle_alter_client_quotas(
            harness.context(AlterClientQuotasRequest, 1), AlterClientQuotasRequest([twice])
        )
        assert [entry.error_code for entry in answer.entries] == [E.INVALID_REQUEST]


async def test_quotas_are_added_removed_and_survive_a_restart(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    async with controller_harness(tmp_path) as harness:
        both = (("client-id", "c"), ("user", "u"))  # the order of the parts does not matter
        await alter(harness, (both, {"producer_byte_rate": 1.0}))
        await alter(harness, (U + C, {"consumer_byte_rate": 2.0}), (C, {"request_percentage": 3.0}))
        await alter(harness, (U + C, {"producer_byte_rate": None}))
    assert "quotas of user u, client-id c: set to consumer_byte_rate=2 by" in caplog.text
    async with controller_harness(tmp_path) as harness:
        assert await describe(harness) == {U + C: {"consumer_byte_rate": 2.0}, C: {"request_percentage": 3.0}}
        await alter(harness, (U + C, {"consumer_byte_rate": None}), (C, {"request_percentage": None}))
        assert await describe(harness) == {}


async def test_a_silent_name_server_keeps_no_thread_of_large_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = threading.Event()
    asked = threading.Semaphore(0)

    def getaddrinfo(*_: object, **__: object) -> None:
        asked.release()
        assert answered.wait(10), "the large request waits for the name server"

    monkeypatch.setattr("socket.getaddrinfo", getaddrinfo)
    async with controller_harness(tmp_path) as harness, trio.open_nursery() as nursery:
        for number in range(THREADS):
            entity = (("ip", f"host-{number}"),)
            nursery.start_soon(alter, harness, (entity, {"connection_creation_rate": 5.0}))
        for _ in range(THREADS):
            assert await trio.to_thread.run_sync(asked.acquire, True, 10)
        assert await harness.replicas.workers.run(answered.is_set) is False
        answered.set()
    assert len(harness.image.client_quotas) == THREADS


async def test_a_journal_that_cannot_be_written(tmp_path: Path) -> None:
    async with controller_harness(tmp_path) as harness:
        harness.files.fail = {"write"}
        assert await alter(harness, (U, {"producer_byte_rate": 1.0})) == [(U, E.KAFKA_STORAGE_ERROR)]
        assert not harness.image.client_quotas
