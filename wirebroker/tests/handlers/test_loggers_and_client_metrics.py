"""Loggers and client metrics as config resources, through the handlers of configs."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from wirebroker.handlers.configs import handle_describe_configs
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
)
from wirebroker.releases.profile import ReleaseProfile

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from wirebroker.tests.controller.fakes import ControllerHarness

from wirebroker.tests.handlers.configs_harness import (
    APPEND,
    DELETE,
    SET,
    SUBTRACT,
    TOPIC,
    describe,
    entry,
    harness_with_topic,
    incrementally,
    replacing,
)

E = ErrorCode


@pytest.fixture
async def harness(tmp_path: Path) -> AsyncIterator[ControllerHarness]:
    async with harness_with_topic(tmp_path) as harness:
        yield harness


LOGGER, CLIENT_METRICS = 8, 16
OURS = "wirebroker.tests.handlers.test_loggers_and_client_metrics"


@pytest.fixture
def own_logger() -> Iterator[logging.Logger]:
    found = logging.getLogger(OURS)
    yield found
    found.setLevel(logging.NOTSET)


async def test_levels_of_loggers(harness: ControllerHarness, own_logger: logging.Logger) -> None:
    assert await incrementally(harness, (OURS, SET, "DEBUG"), kind=LOGGER, name="1") == (0, None)
    assert own_logger.level == logging.DEBUG
    described = await entry(harness, LOGGER, "1", OURS)
    assert (described.value, described.config_source, described.read_only) == ("DEBUG", 6, False)
    everything = (await describe(harness, (LOGGER, "1", None))).results[0].configs
    assert {"root", OURS} <= {each.name for each in everything}
    assert await incrementally(harness, (OURS, SET, "FATAL"), kind=LOGGER, name="1", validate_only=True) == (0, None)
    assert own_logger.level == logging.DEBUG
    assert await incrementally(harness, (OURS, DELETE, None), kind=LOGGER, name="1") == (0, None)
    assert own_logger.level == logging.NOTSET


@pytest.mark.parametrize(
    ("name", "op", "code"),
    [
        ("1", ("no.such.logger", SET, "INFO"), E.INVALID_CONFIG),
        ("1", ("no.such.logger", DELETE, None), E.INVALID_CONFIG),
        ("1", (OURS, SET, "LOUD"), E.INVALID_CONFIG),
        ("1", (OURS, SET, None), E.INVALID_REQUEST),
        ("1", (OURS, APPEND, "INFO"), E.INVALID_REQUEST),
        ("1", (OURS, SUBTRACT, "INFO"), E.INVALID_REQUEST),
        ("1", (OURS, 9, "INFO"), E.UNKNOWN_SERVER_ERROR),
        ("1", ("root", DELETE, None), E.INVALID_REQUEST),
        ("2", (OURS, SET, "INFO"), E.INVALID_REQUEST),
        ("", (OURS, SET, "INFO"), E.INVALID_REQUEST),
        ("one", (OURS, SET, "INFO"), E.INVALID_REQUEST),
    ],
)
async def test_invalid_levels_are_refused(
    harness: ControllerHarness,
    own_logger: logging.Logger,
    name: str,
    op: tuple[str, int, str | None],
    code: ErrorCode,
) -> None:
    refused, why = await incrementally(harness, op, kind=LOGGER, name=name)
    assert refused == code
    assert (why is None) == (code == E.UNKNOWN_SERVER_ERROR)
    assert own_logger.level == logging.NOTSET


@pytest.mark.parametrize("name", ["", "2", "one"])
async def test_loggers_of_others_are_not_described(harness: ControllerHarness, name: str) -> None:
    (result,) = (await describe(harness, (LOGGER, name, None), (TOPIC, "t", None))).results[:1]
    assert (result.error_code, result.configs) == (E.INVALID_REQUEST, [])
    assert result.error_message


async def test_loggers_cannot_be_replaced_by_alter_configs(harness: ControllerHarness) -> None:
    assert (await replacing(harness, {OURS: "INFO"}, kind=LOGGER, name="1"))[0] == E.INVALID_REQUEST


async def test_client_metrics_are_kept_and_described(harness: ControllerHarness) -> None:
    (none,) = (await describe(harness, (CLIENT_METRICS, "basic", None))).results
    assert (none.error_code, none.configs) == (0, [])
    ops = (("interval.ms", SET, "1000"), ("metrics", SET, "a,b"), ("match", SET, "client_id=x.*"))
    assert await incrementally(harness, *ops, kind=CLIENT_METRICS, name="basic") == (0, None)
    (result,) = (await describe(harness, (CLIENT_METRICS, "basic", None))).results
    found = {each.name: (each.value, each.config_source) for each in result.configs}
    assert found == {"interval.ms": ("1000", 7), "metrics": ("a,b", 7), "match": ("client_id=x.*", 7)}
    assert await replacing(harness, {"interval.ms": "100"}, kind=CLIENT_METRICS, name="basic") == (0, None)
    (result,) = (await describe(harness, (CLIENT_METRICS, "basic", None))).results
    assert [each.name for each in result.configs] == ["interval.ms"]


@pytest.mark.parametrize(
    ("name", "op", "code"),
    [
        ("", ("metrics", SET, "a"), E.INVALID_REQUEST),
        ("basic", ("retention.ms", SET, "1"), E.INVALID_REQUEST),
        ("basic", ("interval.ms", SET, "99"), E.INVALID_REQUEST),
        ("basic", ("interval.ms", SET, "soon"), E.UNKNOWN_SERVER_ERROR),
        ("basic", ("match", SET, "client_id"), E.INVALID_CONFIG),
        ("basic", ("match", SET, "colour=red"), E.INVALID_CONFIG),
        ("basic", ("match", SET, "client_id=["), E.INVALID_CONFIG),
        ("basic", ("metrics", APPEND, "a"), E.INVALID_CONFIG),
        ("basic", ("metrics", 9, "a"), E.UNKNOWN_SERVER_ERROR),
    ],
)
async def test_invalid_client_metrics_are_refused(
    harness: ControllerHarness, name: str, op: tuple[str, int, str | None], code: ErrorCode
) -> None:
    refused, _ = await incrementally(harness, op, kind=CLIENT_METRICS, name=name)
    assert refused == code


async def test_client_metrics_are_described_with_defaults_since_4_0(harness: ControllerHarness) -> None:
    assert await incrementally(harness, ("match", SET, "client_id=a"), kind=CLIENT_METRICS, name="basic") == (0, None)

    async def described(name: str, keys: list[str] | None, *, synonyms: bool = True) -> list[Any]:
        context = harness.context(DescribeConfigsRequest, 4)
        context.routes = RouteTable(ReleaseProfile("4.1"))
        resource = DescribeConfigsResource(CLIENT_METRICS, name, keys)
        request = DescribeConfigsRequest([resource], include_synonyms=synonyms, include_documentation=not synonyms)
        (result,) = (await handle_describe_configs(context, request)).results
        return result.configs

    own = [("match", "client_id=a", 7)]
    assert [
        (each.name, each.value, each.config_source, each.config_type, each.synonyms)
        for each in await described("nowhere", None)
    ] == [("interval.ms", "300000", 5, 3, []), ("match", "", 5, 7, []), ("metrics", "", 5, 7, [])]
    interval, match, metrics = await described("basic", [])
    assert [(each.value, each.config_source) for each in (interval, match, metrics)] == [
        ("300000", 5),
        ("client_id=a", 7),
        ("", 5),
    ]
    assert [(each.name, each.value, each.source) for each in match.synonyms] == own
    (only,) = await described("basic", ["match", "bogus"], synonyms=False)
    assert (only.name, only.synonyms) == ("match", [])
    assert only.documentation


async def test_an_empty_name_of_client_metrics_is_not_described(harness: ControllerHarness) -> None:
    (result,) = (await describe(harness, (CLIENT_METRICS, "", None))).results
    assert result.error_code == E.INVALID_REQUEST


@pytest.mark.parametrize(("release", "kind"), [("2.3", LOGGER), ("3.6", CLIENT_METRICS)])
async def test_older_releases_do_not_know_the_resource(harness: ControllerHarness, release: str, kind: int) -> None:
    context = harness.context(DescribeConfigsRequest, 1)
    context.routes = RouteTable(ReleaseProfile(release))
    request = DescribeConfigsRequest([DescribeConfigsResource(kind, "1", None)])
    (result,) = (await handle_describe_configs(context, request)).results
    assert result.error_code == E.INVALID_REQUEST
