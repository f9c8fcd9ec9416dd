"""Describing and altering settings through the handlers, over a real controller with a journal."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
import trio

from wirebroker.config.unsupported import UnsupportedSettings, Waivers
from wirebroker.controller.topic_rules import NewTopic
from wirebroker.handlers.config_changes import Operation
from wirebroker.handlers.configs import handle_alter_configs, handle_describe_configs, handle_incremental_alter_configs
from wirebroker.handlers.routes import RouteTable
from wirebroker.metadata.changes import ConfigsSet
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages import alter_configs as old
from wirebroker.protocol.messages import incremental_alter_configs as new
from wirebroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
)
from wirebroker.tests.controller.fakes import house

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from pathlib import Path

    from wirebroker.metadata.image import ClusterImage
    from wirebroker.tests.controller.fakes import House

E = ErrorCode
TOPIC, BROKER = 2, 4
SET, DELETE, APPEND, SUBTRACT = Operation


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[House]:
    async with house(tmp_path, node_id=1) as home:
        await home.controller.create_topics([NewTopic("t", 1, 1)])
        yield home


async def describe(
    home: House, *resources: tuple[int, str, list[str] | None], version: int = 4, **options: bool
) -> DescribeConfigsResponse:
    request = DescribeConfigsRequest([DescribeConfigsResource(*each) for each in resources], **options)
    response = await handle_describe_configs(home.context(DescribeConfigsRequest, version), request)
    response.write(bytearray(), version)
    return response


async def entry(home: House, kind: int, name: str, key: str, **options: bool) -> DescribeConfigsResourceResult:
    ((result,),) = [each.configs for each in (await describe(home, (kind, name, [key]), **options)).results]
    return result


async def incrementally(
    home: House, *edits: tuple[str, int, str | None], kind: int = TOPIC, name: str = "t", validate_only: bool = False
) -> tuple[int, str | None]:
    configs = [new.AlterableConfig(*edit) for edit in edits]
    request = new.IncrementalAlterConfigsRequest([new.AlterConfigsResource(kind, name, configs)], validate_only)
    context = home.context(new.IncrementalAlterConfigsRequest, 1)
    (answer,) = (await handle_incremental_alter_configs(context, request)).responses
    assert (answer.resource_type, answer.resource_name) == (kind, name)
    return answer.error_code, answer.error_message


async def replacing(
    home: House, configs: dict[str, str | None], *, kind: int = TOPIC, name: str = "t", validate_only: bool = False
) -> tuple[int, str | None]:
    resource = old.AlterConfigsResource(kind, name, [old.AlterableConfig(*pair) for pair in configs.items()])
    request = old.AlterConfigsRequest([resource], validate_only)
    (answer,) = (await handle_alter_configs(home.context(old.AlterConfigsRequest, 2), request)).responses
    return answer.error_code, answer.error_message


@pytest.mark.parametrize("version", DescribeConfigsRequest.VERSIONS)
async def test_describe_in_every_version(home: House, version: int) -> None:
    await incrementally(home, ("retention.ms", SET, "77"))
    response = await describe(
        home, (TOPIC, "t", None), (BROKER, "1", []), version=version, include_synonyms=version > 0
    )
    topic, broker = response.results
    assert (topic.error_code, len(topic.configs), broker.error_code) == (0, 36, 0)
    assert len(broker.configs) >= 314  # and what was set
    configs = {each.name: each for each in topic.configs}
    mine, default = configs["retention.ms"], configs["segment.bytes"]
    assert (mine.value, mine.read_only, default.value) == ("77", False, "1073741824")
    if version == 0:
        assert (mine.is_default, default.is_default) == (False, True)
    else:
        assert (mine.config_source, default.config_source) == (1, 5)
        assert [(each.name, each.source) for each in mine.synonyms][:1] == [("retention.ms", 1)]
        assert [(each.name, each.source) for each in default.synonyms] == [("log.segment.bytes", 5)]
    read, _ = DescribeConfigsResponse.read(_written(response, version), 0, version)
    assert [each.value for each in read.results[0].configs] == [each.value for each in topic.configs]


def _written(response: DescribeConfigsResponse, version: int) -> bytes:
    out = bytearray()
    response.write(out, version)
    return bytes(out)


async def test_synonyms_and_texts_only_when_asked_for(home: House) -> None:
    plain = await entry(home, TOPIC, "t", "cleanup.policy")
    assert (plain.synonyms, plain.documentation, plain.config_type) == ([], None, 7)
    full = await entry(home, TOPIC, "t", "cleanup.policy", include_synonyms=True, include_documentation=True)
    assert full.synonyms
    assert full.documentation
    broker = await entry(home, BROKER, "1", "log.dirs", include_documentation=True)
    assert broker.documentation


async def test_some_keys_only(home: House) -> None:
    response = await describe(home, (TOPIC, "t", ["segment.ms", "no.such", "preallocate"]))
    assert {each.name for each in response.results[0].configs} == {"segment.ms", "preallocate"}


@pytest.mark.parametrize(
    ("kind", "name", "code"),
    [
        (TOPIC, "nope", E.UNKNOWN_TOPIC_OR_PARTITION),
        (TOPIC, "bad name!", E.INVALID_TOPIC_EXCEPTION),
        (TOPIC, "", E.INVALID_TOPIC_EXCEPTION),
        (BROKER, "2", E.INVALID_REQUEST),
        (BROKER, "x", E.INVALID_REQUEST),
        (99, "t", E.INVALID_REQUEST),
    ],
)
async def test_describe_refuses(home: House, kind: int, name: str, code: ErrorCode) -> None:
    (result,) = (await describe(home, (kind, name, None))).results
    assert (result.error_code, result.configs) == (code, [])
    assert (result.resource_type, result.resource_name) == (kind, name)


async def test_an_unknown_type_spoils_the_request(home: House) -> None:
    response = await describe(home, (TOPIC, "t", None), (99, "x", None))
    assert [each.error_code for each in response.results] == [E.INVALID_REQUEST] * 2


async def test_a_change_is_obeyed_and_kept(home: House) -> None:
    assert await incrementally(home, ("segment.bytes", SET, " 2000 "), ("preallocate", SET, "TRUE")) == (0, None)
    assert home.image.topic_config("t") == {"segment.bytes": "2000", "preallocate": "true"}
    assert await incrementally(home, ("segment.bytes", DELETE, None), ("no.such", DELETE, None)) == (0, None)
    assert home.image.topic_config("t") == {"preallocate": "true"}


async def test_lists_grow_and_shrink(home: House) -> None:
    async def policy() -> str | None:
        return (await entry(home, TOPIC, "t", "cleanup.policy")).value

    assert await incrementally(home, ("cleanup.policy", APPEND, "compact")) == (0, None)
    assert await policy() == "delete,compact"
    assert await incrementally(home, ("cleanup.policy", APPEND, "compact")) == (0, None)
    assert await policy() == "delete,compact"
    assert await incrementally(home, ("cleanup.policy", SUBTRACT, "delete")) == (0, None)
    assert await policy() == "compact"
    assert await incrementally(home, ("cleanup.policy", SUBTRACT, "compact")) == (0, None)
    assert await policy() == ""


INCREMENTAL_REFUSALS = [
    ([("no.such", SET, "1")], E.INVALID_CONFIG, "Unknown topic config name: no.such"),
    ([("retention.ms", SET, "abc")], E.INVALID_CONFIG, "Invalid value abc for configuration retention.ms"),
    (
        [("retention.ms", APPEND, "5")],
        E.INVALID_CONFIG,
        "Can't APPEND to key retention.ms because its type is not LIST.",
    ),
    ([("retention.ms", SUBTRACT, "5")], E.INVALID_CONFIG, "Can't SUBTRACT to key retention.ms"),
    ([("cleanup.policy", APPEND, "x")], E.INVALID_CONFIG, "Invalid value x for configuration cleanup.policy"),
    ([("retention.ms", SET, None)], E.INVALID_REQUEST, "Null value not supported for : retention.ms"),
    (
        [("retention.ms", SET, "1"), ("retention.ms", SET, "2")],
        E.INVALID_REQUEST,
        "duplicate config keys : retention.ms",
    ),
]


@pytest.mark.parametrize(("edits", "code", "words"), INCREMENTAL_REFUSALS)
async def test_incremental_refusals(
    home: House, edits: list[tuple[str, int, str | None]], code: ErrorCode, words: str
) -> None:
    error, message = await incrementally(home, *edits)
    assert error == code
    assert words in (message or "")
    assert home.image.topic_config("t") == {}


async def test_an_operation_that_nobody_knows(home: House) -> None:
    assert await incrementally(home, ("retention.ms", 9, "1")) == (E.UNKNOWN_SERVER_ERROR, None)


@pytest.mark.parametrize(
    ("kind", "name", "code"),
    [
        (TOPIC, "nope", E.UNKNOWN_TOPIC_OR_PARTITION),
        (TOPIC, "bad name!", E.INVALID_TOPIC_EXCEPTION),
        (TOPIC, "", E.INVALID_REQUEST),
        (BROKER, "2", E.INVALID_REQUEST),
        (BROKER, "x", E.INVALID_REQUEST),
        (99, "t", E.INVALID_REQUEST),
    ],
)
async def test_both_ways_of_altering_refuse_a_resource(home: House, kind: int, name: str, code: ErrorCode) -> None:
    for error, message in (
        await incrementally(home, ("log.retention.ms", SET, "1"), kind=kind, name=name),
        await replacing(home, {"log.retention.ms": "1"}, kind=kind, name=name),
    ):
        assert error == code
        assert message


async def test_replacing_takes_away_what_is_not_named(home: House) -> None:
    assert await replacing(home, {"retention.ms": "1", "segment.bytes": "2000"}) == (0, None)
    assert await replacing(home, {"segment.bytes": "3000"}) == (0, None)
    assert home.image.topic_config("t") == {"segment.bytes": "3000"}
    assert await replacing(home, {}) == (0, None)
    assert home.image.topic_config("t") == {}


async def test_replacing_refuses(home: House) -> None:
    assert (await replacing(home, {"no.such": "1"}))[0] == E.INVALID_CONFIG
    assert (await replacing(home, {"retention.ms": "x"}))[0] == E.INVALID_CONFIG
    assert (await replacing(home, {"retention.ms": None}))[0] == E.INVALID_REQUEST


async def test_validate_only_changes_nothing(home: House) -> None:
    assert await replacing(home, {"retention.ms": "1"}, validate_only=True) == (0, None)
    assert await incrementally(home, ("retention.ms", SET, "1"), validate_only=True) == (0, None)
    assert (await incrementally(home, ("retention.ms", SET, "x"), validate_only=True))[0] == E.INVALID_CONFIG
    assert home.image.topic_config("t") == {}


async def test_one_bad_resource_does_not_stop_the_others(home: House) -> None:
    resources = [
        new.AlterConfigsResource(TOPIC, "nope", [new.AlterableConfig("retention.ms", SET, "1")]),
        new.AlterConfigsResource(TOPIC, "t", [new.AlterableConfig("retention.ms", SET, "1")]),
        new.AlterConfigsResource(99, "t", []),
    ]
    context = home.context(new.IncrementalAlterConfigsRequest, 1)
    response = await handle_incremental_alter_configs(context, new.IncrementalAlterConfigsRequest(resources))
    codes = [each.error_code for each in response.responses]
    assert codes == [E.UNKNOWN_TOPIC_OR_PARTITION, E.NONE, E.INVALID_REQUEST]
    assert home.image.topic_config("t") == {"retention.ms": "1"}


async def test_a_resource_named_twice_is_left_alone(home: House) -> None:
    resources = [old.AlterConfigsResource(TOPIC, "t", [old.AlterableConfig("retention.ms", "1")]) for _ in range(2)]
    request = old.AlterConfigsRequest(resources)
    response = await handle_alter_configs(home.context(old.AlterConfigsRequest, 2), request)
    assert [each.error_code for each in response.responses] == [E.INVALID_REQUEST] * 2
    assert home.image.topic_config("t") == {}


async def test_a_broker_setting_reaches_topics_at_once(home: House) -> None:
    assert await incrementally(home, ("log.retention.ms", SET, "6000"), kind=BROKER, name="") == (0, None)
    found = await entry(home, TOPIC, "t", "retention.ms")
    assert (found.value, found.config_source) == ("6000", 3)
    assert await incrementally(home, ("log.retention.ms", SET, "5000"), kind=BROKER, name="1") == (0, None)
    found = await entry(home, TOPIC, "t", "retention.ms")
    assert (found.value, found.config_source) == ("5000", 2)
    assert [each.name for each in (await describe(home, (BROKER, "", None))).results[0].configs] == ["log.retention.ms"]
    assert await replacing(home, {}, kind=BROKER, name="1") == (0, None)
    assert (await entry(home, TOPIC, "t", "retention.ms")).value == "6000"


async def test_broker_refusals_are_invalid_requests(home: House) -> None:
    for key, value in (("broker.id", "9"), ("log.retention.hours", "7"), ("log.segment.bytes", "13")):
        error, message = await incrementally(home, (key, SET, value), kind=BROKER, name="1")
        assert error == E.INVALID_REQUEST
        assert key in (message or "")
    assert (await incrementally(home, ("no.such", SET, "x"), kind=BROKER, name="1")) == (0, None)


async def test_a_broken_disk_is_told(home: House, monkeypatch: pytest.MonkeyPatch) -> None:
    from wirebroker.metadata.store import StoreUnavailable

    async def write(*_: object) -> int:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(home.controller._store, "write", write)
    assert await incrementally(home, ("retention.ms", SET, "1")) == (E.KAFKA_STORAGE_ERROR, "the disk is full")
    assert (await incrementally(home, ("retention.ms", SET, "x")))[0] == E.INVALID_CONFIG


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("principal.builder.class", "a.B", E.INVALID_CONFIG),
        ("sasl.enabled.mechanisms", "PLAIN", E.INVALID_CONFIG),
        ("listener.name.plaintext.ssl.keystore.location", "/k", E.INVALID_CONFIG),
        ("sasl.enabled.mechanisms", "GSSAPI", E.NONE),  # its default asks for nothing
        ("ssl.keystore.location", "/k", E.INVALID_REQUEST),  # as 3.9.1: only for single listeners
        ("authorizer.class.name", "a.B", E.INVALID_REQUEST),  # as 3.9.1: not while it runs
    ],
)
async def test_settings_that_a_start_would_refuse(home: House, key: str, value: str, code: ErrorCode) -> None:
    error, message = await incrementally(home, (key, SET, value), kind=BROKER, name="1")
    assert error == code
    if code == E.INVALID_CONFIG:
        assert f"{key} is not supported: " in (message or "")
        assert home.image.config(BROKER, "1") == {}
        assert (await replacing(home, {key: value}, kind=BROKER, name="1"))[0] == code


async def test_a_setting_that_was_there_before_can_be_taken_away(home: House) -> None:
    key = "principal.builder.class"
    await home.controller.alter_configs(_setting(BROKER, "1", {key: "a.B", "log.retention.ms": "5"}))
    assert (await incrementally(home, ("log.retention.ms", SET, "6"), kind=BROKER, name="1"))[0] == E.NONE
    assert (await incrementally(home, (key, DELETE, None), kind=BROKER, name="1"))[0] == E.NONE
    assert home.image.config(BROKER, "1") == {"log.retention.ms": "6"}


def _setting(kind: int, name: str, configs: dict[str, str]) -> Callable[[ClusterImage], Awaitable[list[ConfigsSet]]]:
    """For `alter_configs`: without any check."""

    async def alter(_: ClusterImage) -> list[ConfigsSet]:
        await trio.lowlevel.checkpoint()
        return [ConfigsSet(kind, name, configs)]

    return alter


async def test_a_dynamic_setting_that_must_not_be_ignored_refuses_the_next_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with house(tmp_path, node_id=1) as home:
        settings = {"principal.builder.class": "a.B", "background.threads": "9"}
        await home.controller.alter_configs(_setting(BROKER, "1", settings))
    with pytest.raises(UnsupportedSettings) as refusal:
        async with house(tmp_path, node_id=1):
            pass
    assert str(refusal.value).startswith(
        "principal.builder.class=a.B (dynamic setting of broker 1) is not supported: every client is User:ANONYMOUS; "
    )
    async with house(tmp_path, waivers=Waivers(ignored=("principal.builder.class",)), node_id=1):
        pass
    assert [text for text in caplog.messages if "dynamic setting" in text] == [
        "background.threads=9 (dynamic setting of broker 1) has no effect; remove it",
        "principal.builder.class=a.B (dynamic setting of broker 1) is ignored: every client is User:ANONYMOUS",
    ]


async def test_each_changed_setting_is_logged_with_who_changed_it(
    home: House, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "wirebroker.handlers.config_log")
    await incrementally(home, ("retention.ms", SET, "5"), ("delete.retention.ms", SET, "7"))
    await incrementally(home, ("retention.ms", SET, "5"))  # no change
    await incrementally(home, ("retention.ms", SET, "x"))  # refused
    await incrementally(home, ("retention.ms", SET, "9"), validate_only=True)
    await replacing(home, {"retention.ms": "6"})
    await incrementally(home, ("no.such", SET, "swordfish"), kind=BROKER, name="1")
    await incrementally(home, ("log.retention.ms", SET, "8"), kind=BROKER, name="")
    by = "by User:ANONYMOUS (client id none at 127.0.0.1)"
    assert caplog.messages == [
        f"topic=t: delete.retention.ms changed, default -> 7, {by}; it has no effect",
        f"topic=t: retention.ms changed, default -> 5, {by}",
        f"topic=t: delete.retention.ms changed, 7 -> default, {by}; it has no effect",
        f"topic=t: retention.ms changed, 5 -> 6, {by}",
        f"broker=1: no.such changed, default -> [hidden], {by}; it has no effect",
        f"all brokers: log.retention.ms changed, default -> 8, {by}",
    ]


async def test_what_would_break_the_line_of_a_log_is_escaped(home: House, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "wirebroker.handlers.config_log")
    context = home.context(new.IncrementalAlterConfigsRequest, 1)
    context.client_id = "x\nERROR all is lost"
    resource = new.AlterConfigsResource(TOPIC, "t", [new.AlterableConfig("retention.ms", SET, "5")])
    await handle_incremental_alter_configs(context, new.IncrementalAlterConfigsRequest([resource]))
    (line,) = caplog.messages
    assert "(client id x\\nERROR all is lost at 127.0.0.1)" in line


LOGGER, CLIENT_METRICS = 8, 16
OURS = "wirebroker.tests.handlers.test_configs"


@pytest.fixture
def own_logger() -> Iterator[logging.Logger]:
    found = logging.getLogger(OURS)
    yield found
    found.setLevel(logging.NOTSET)


async def test_levels_of_loggers(home: House, own_logger: logging.Logger) -> None:
    assert await incrementally(home, (OURS, SET, "DEBUG"), kind=LOGGER, name="1") == (0, None)
    assert own_logger.level == logging.DEBUG
    described = await entry(home, LOGGER, "1", OURS)
    assert (described.value, described.config_source, described.read_only) == ("DEBUG", 6, False)
    everything = (await describe(home, (LOGGER, "1", None))).results[0].configs
    assert {"root", OURS} <= {each.name for each in everything}
    assert await incrementally(home, (OURS, SET, "FATAL"), kind=LOGGER, name="1", validate_only=True) == (0, None)
    assert own_logger.level == logging.DEBUG
    assert await incrementally(home, (OURS, DELETE, None), kind=LOGGER, name="1") == (0, None)
    assert own_logger.level == logging.NOTSET


@pytest.mark.parametrize(
    ("name", "edit", "code"),
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
async def test_levels_that_are_refused(
    home: House, own_logger: logging.Logger, name: str, edit: tuple[str, int, str | None], code: ErrorCode
) -> None:
    refused, why = await incrementally(home, edit, kind=LOGGER, name=name)
    assert refused == code
    assert (why is None) == (code == E.UNKNOWN_SERVER_ERROR)
    assert own_logger.level == logging.NOTSET


@pytest.mark.parametrize("name", ["", "2", "one"])
async def test_loggers_of_others_are_not_described(home: House, name: str) -> None:
    (result,) = (await describe(home, (LOGGER, name, None), (TOPIC, "t", None))).results[:1]
    assert (result.error_code, result.configs) == (E.INVALID_REQUEST, [])
    assert result.error_message


async def test_loggers_know_no_replacement_of_everything(home: House) -> None:
    assert (await replacing(home, {OURS: "INFO"}, kind=LOGGER, name="1"))[0] == E.INVALID_REQUEST


async def test_client_metrics_are_kept_and_described(home: House) -> None:
    (none,) = (await describe(home, (CLIENT_METRICS, "basic", None))).results
    assert (none.error_code, none.configs) == (0, [])
    edits = (("interval.ms", SET, "1000"), ("metrics", SET, "a,b"), ("match", SET, "client_id=x.*"))
    assert await incrementally(home, *edits, kind=CLIENT_METRICS, name="basic") == (0, None)
    (result,) = (await describe(home, (CLIENT_METRICS, "basic", None))).results
    found = {each.name: (each.value, each.config_source) for each in result.configs}
    assert found == {"interval.ms": ("1000", 7), "metrics": ("a,b", 7), "match": ("client_id=x.*", 7)}
    assert await replacing(home, {"interval.ms": "100"}, kind=CLIENT_METRICS, name="basic") == (0, None)
    (result,) = (await describe(home, (CLIENT_METRICS, "basic", None))).results
    assert [each.name for each in result.configs] == ["interval.ms"]


@pytest.mark.parametrize(
    ("name", "edit", "code"),
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
async def test_client_metrics_that_are_refused(
    home: House, name: str, edit: tuple[str, int, str | None], code: ErrorCode
) -> None:
    refused, _ = await incrementally(home, edit, kind=CLIENT_METRICS, name=name)
    assert refused == code


async def test_an_empty_name_of_client_metrics_is_not_described(home: House) -> None:
    (result,) = (await describe(home, (CLIENT_METRICS, "", None))).results
    assert result.error_code == E.INVALID_REQUEST


@pytest.mark.parametrize(("release", "kind"), [("2.3", LOGGER), ("3.6", CLIENT_METRICS)])
async def test_older_releases_do_not_know_the_resource(home: House, release: str, kind: int) -> None:
    context = home.context(DescribeConfigsRequest, 1)
    context.routes = RouteTable(release)
    request = DescribeConfigsRequest([DescribeConfigsResource(kind, "1", None)])
    (result,) = (await handle_describe_configs(context, request)).results
    assert result.error_code == E.INVALID_REQUEST
