"""Describing and altering settings through the handlers, over a real controller with a journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from tools.codegen import codecs
from wirebroker.config.unsupported import UnsupportedSettings
from wirebroker.config.waivers import Waivers
from wirebroker.handlers.configs import handle_alter_configs, handle_incremental_alter_configs
from wirebroker.metadata.records import ConfigsRecord, apply
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages import alter_configs as old
from wirebroker.protocol.messages import incremental_alter_configs as new
from wirebroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResponse,
)
from wirebroker.tests.controller.fakes import controller_harness

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Collection
    from pathlib import Path

    from wirebroker.metadata.image import ClusterImage
    from wirebroker.tests.controller.fakes import ControllerHarness

from wirebroker.tests.handlers.configs_harness import (
    APPEND,
    BROKER,
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


@pytest.mark.parametrize("version", DescribeConfigsRequest.VERSIONS)
async def test_describe_in_every_version(harness: ControllerHarness, version: int) -> None:
    await incrementally(harness, ("retention.ms", SET, "77"))
    response = await describe(
        harness, (TOPIC, "t", None), (BROKER, "1", []), version=version, include_synonyms=version > 0
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
    read = codecs.decode(DescribeConfigsResponse, codecs.encode(response, version), version)
    assert [each.value for each in read.results[0].configs] == [each.value for each in topic.configs]


async def test_synonyms_and_documentation_only_on_request(harness: ControllerHarness) -> None:
    plain = await entry(harness, TOPIC, "t", "cleanup.policy")
    assert (plain.synonyms, plain.documentation, plain.config_type) == ([], None, 7)
    full = await entry(harness, TOPIC, "t", "cleanup.policy", include_synonyms=True, include_documentation=True)
    assert full.synonyms
    assert full.documentation
    broker = await entry(harness, BROKER, "1", "log.dirs", include_documentation=True)
    assert broker.documentation


async def test_some_keys_only(harness: ControllerHarness) -> None:
    response = await describe(harness, (TOPIC, "t", ["segment.ms", "no.such", "preallocate"]))
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
async def test_describe_errors(harness: ControllerHarness, kind: int, name: str, code: ErrorCode) -> None:
    (result,) = (await describe(harness, (kind, name, None))).results
    assert (result.error_code, result.configs) == (code, [])
    assert (result.resource_type, result.resource_name) == (kind, name)


async def test_an_unknown_resource_type_fails_the_whole_request(harness: ControllerHarness) -> None:
    response = await describe(harness, (TOPIC, "t", None), (99, "x", None))
    assert [each.error_code for each in response.results] == [E.INVALID_REQUEST] * 2


async def test_a_change_is_in_effect_and_durable(harness: ControllerHarness) -> None:
    assert await incrementally(harness, ("segment.bytes", SET, " 2000 "), ("preallocate", SET, "TRUE")) == (0, None)
    assert harness.image.topic_config("t") == {"segment.bytes": "2000", "preallocate": "true"}
    assert await incrementally(harness, ("segment.bytes", DELETE, None), ("no.such", DELETE, None)) == (0, None)
    assert harness.image.topic_config("t") == {"preallocate": "true"}


async def test_lists_grow_and_shrink(harness: ControllerHarness) -> None:
    async def policy() -> str | None:
        return (await entry(harness, TOPIC, "t", "cleanup.policy")).value

    assert await incrementally(harness, ("cleanup.policy", APPEND, "compact")) == (0, None)
    assert await policy() == "delete,compact"
    assert await incrementally(harness, ("cleanup.policy", APPEND, "compact")) == (0, None)
    assert await policy() == "delete,compact"
    assert await incrementally(harness, ("cleanup.policy", SUBTRACT, "delete")) == (0, None)
    assert await policy() == "compact"
    assert await incrementally(harness, ("cleanup.policy", SUBTRACT, "compact")) == (0, None)
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


@pytest.mark.parametrize(("ops", "code", "words"), INCREMENTAL_REFUSALS)
async def test_invalid_incremental_changes_are_refused(
    harness: ControllerHarness, ops: list[tuple[str, int, str | None]], code: ErrorCode, words: str
) -> None:
    error, message = await incrementally(harness, *ops)
    assert error == code
    assert words in (message or "")
    assert harness.image.topic_config("t") == {}


async def test_an_unknown_operation(harness: ControllerHarness) -> None:
    assert await incrementally(harness, ("retention.ms", 9, "1")) == (E.UNKNOWN_SERVER_ERROR, None)


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
async def test_both_ways_of_altering_refuse_a_resource(
    harness: ControllerHarness, kind: int, name: str, code: ErrorCode
) -> None:
    key = "retention.ms" if kind == TOPIC else "log.retention.ms"
    for error, message in (
        await incrementally(harness, (key, SET, "1"), kind=kind, name=name),
        await replacing(harness, {key: "1"}, kind=kind, name=name),
    ):
        assert error == code
        assert message


async def test_settings_are_checked_before_the_topic_is_looked_for(harness: ControllerHarness) -> None:
    for name, code in (("nope", E.INVALID_CONFIG), ("bad name!", E.INVALID_TOPIC_EXCEPTION)):
        assert (await incrementally(harness, ("retention.ms", SET, "x"), kind=TOPIC, name=name))[0] == code
        assert (await replacing(harness, {"retention.ms": "x"}, kind=TOPIC, name=name))[0] == code


async def test_replacing_removes_keys_that_are_not_named(harness: ControllerHarness) -> None:
    assert await replacing(harness, {"retention.ms": "1", "segment.bytes": "2000"}) == (0, None)
    assert await replacing(harness, {"segment.bytes": "3000"}) == (0, None)
    assert harness.image.topic_config("t") == {"segment.bytes": "3000"}
    assert await replacing(harness, {}) == (0, None)
    assert harness.image.topic_config("t") == {}


async def test_invalid_replacements_are_refused(harness: ControllerHarness) -> None:
    assert (await replacing(harness, {"no.such": "1"}))[0] == E.INVALID_CONFIG
    assert (await replacing(harness, {"retention.ms": "x"}))[0] == E.INVALID_CONFIG
    assert (await replacing(harness, {"retention.ms": None}))[0] == E.INVALID_REQUEST


async def test_validate_only_changes_nothing(harness: ControllerHarness) -> None:
    assert await replacing(harness, {"retention.ms": "1"}, validate_only=True) == (0, None)
    assert await incrementally(harness, ("retention.ms", SET, "1"), validate_only=True) == (0, None)
    assert (await incrementally(harness, ("retention.ms", SET, "x"), validate_only=True))[0] == E.INVALID_CONFIG
    assert harness.image.topic_config("t") == {}


async def test_one_bad_resource_does_not_stop_the_others(harness: ControllerHarness) -> None:
    resources = [
        new.AlterConfigsResource(TOPIC, "nope", [new.AlterableConfig("retention.ms", SET, "1")]),
        new.AlterConfigsResource(TOPIC, "t", [new.AlterableConfig("retention.ms", SET, "1")]),
        new.AlterConfigsResource(99, "t", []),
    ]
    context = harness.context(new.IncrementalAlterConfigsRequest, 1)
    response = await handle_incremental_alter_configs(context, new.IncrementalAlterConfigsRequest(resources))
    codes = [each.error_code for each in response.responses]
    assert codes == [E.UNKNOWN_TOPIC_OR_PARTITION, E.NONE, E.INVALID_REQUEST]
    assert harness.image.topic_config("t") == {"retention.ms": "1"}


async def test_the_order_of_checks(harness: ControllerHarness) -> None:
    """An unknown type of resource counts before its operations, an operation before the topic that lacks it."""
    for kind, name, op, code in (
        (64, "x", ("a", 9, "1"), E.INVALID_REQUEST),
        (TOPIC, "t", ("a", 9, "1"), E.UNKNOWN_SERVER_ERROR),
        (TOPIC, "missing", ("retention.ms", SUBTRACT, "1"), E.INVALID_CONFIG),
        (TOPIC, "no name!", ("bogus", APPEND, "1"), E.INVALID_CONFIG),
        (TOPIC, "no name!", ("bogus", SET, "1"), E.INVALID_TOPIC_EXCEPTION),
        (TOPIC, "missing", ("retention.ms", SET, "1"), E.UNKNOWN_TOPIC_OR_PARTITION),
    ):
        error, _ = await incrementally(harness, op, kind=kind, name=name)
        assert error == code, (kind, name, op)


async def test_settings_of_a_broker_that_name_java_classes(harness: ControllerHarness) -> None:
    for key, code in (
        ("principal.builder.class", E.INVALID_REQUEST),
        ("metric.reporters", E.INVALID_REQUEST),
        ("sasl.enabled.mechanisms", E.INVALID_CONFIG),
    ):
        error, message = await incrementally(harness, (key, SET, "x"), kind=BROKER, name="1")
        assert (error, message is not None) == (code, code != E.NONE), key


async def test_a_resource_named_twice_is_left_alone(harness: ControllerHarness) -> None:
    resources = [old.AlterConfigsResource(TOPIC, "t", [old.AlterableConfig("retention.ms", "1")]) for _ in range(2)]
    request = old.AlterConfigsRequest(resources)
    response = await handle_alter_configs(harness.context(old.AlterConfigsRequest, 2), request)
    assert [each.error_code for each in response.responses] == [E.INVALID_REQUEST] * 2
    assert harness.image.topic_config("t") == {}


async def test_a_broker_setting_reaches_topics_at_once(harness: ControllerHarness) -> None:
    assert await incrementally(harness, ("log.retention.ms", SET, "6000"), kind=BROKER, name="") == (0, None)
    found = await entry(harness, TOPIC, "t", "retention.ms")
    assert (found.value, found.config_source) == ("6000", 3)
    assert await incrementally(harness, ("log.retention.ms", SET, "5000"), kind=BROKER, name="1") == (0, None)
    found = await entry(harness, TOPIC, "t", "retention.ms")
    assert (found.value, found.config_source) == ("5000", 2)
    assert [each.name for each in (await describe(harness, (BROKER, "", None))).results[0].configs] == [
        "log.retention.ms"
    ]
    assert await replacing(harness, {}, kind=BROKER, name="1") == (0, None)
    assert (await entry(harness, TOPIC, "t", "retention.ms")).value == "6000"


async def test_broker_refusals_are_invalid_requests(harness: ControllerHarness) -> None:
    for key, value in (("broker.id", "9"), ("log.retention.hours", "7"), ("log.segment.bytes", "13")):
        error, message = await incrementally(harness, (key, SET, value), kind=BROKER, name="1")
        assert error == E.INVALID_REQUEST
        assert key in (message or "")
    assert (await incrementally(harness, ("no.such", SET, "x"), kind=BROKER, name="1")) == (0, None)


async def test_a_disk_error_is_answered(harness: ControllerHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    from wirebroker.metadata.errors import StoreUnavailable

    async def write(*_: object) -> int:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(harness.controller._store, "write", write)
    assert await incrementally(harness, ("retention.ms", SET, "1")) == (E.KAFKA_STORAGE_ERROR, "the disk is full")
    assert (await incrementally(harness, ("retention.ms", SET, "x")))[0] == E.INVALID_CONFIG


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("sasl.jaas.config", "x", E.INVALID_CONFIG),
        ("principal.builder.class", "a.B", E.INVALID_REQUEST),  # as 3.9.1: there is no such class
        ("sasl.enabled.mechanisms", "PLAIN", E.INVALID_CONFIG),
        ("listener.name.plaintext.ssl.keystore.location", "/k", E.INVALID_CONFIG),
        ("sasl.enabled.mechanisms", "GSSAPI", E.NONE),  # its default asks for nothing
        ("ssl.keystore.location", "/k", E.INVALID_REQUEST),  # as 3.9.1: only for single listeners
        ("authorizer.class.name", "a.B", E.INVALID_REQUEST),  # as 3.9.1: not while it runs
    ],
)
async def test_settings_that_refuse_a_start_are_refused(
    harness: ControllerHarness, key: str, value: str, code: ErrorCode
) -> None:
    error, message = await incrementally(harness, (key, SET, value), kind=BROKER, name="1")
    assert error == code
    if code == E.INVALID_CONFIG:
        assert f"{key} is not supported: " in (message or "")
        assert harness.image.config(BROKER, "1") == {}
        assert (await replacing(harness, {key: value}, kind=BROKER, name="1"))[0] == code


async def test_a_setting_that_was_there_before_can_be_taken_away(harness: ControllerHarness) -> None:
    key = "principal.builder.class"
    await harness.controller.alter_configs((), _setting(BROKER, "1", {key: "a.B", "log.retention.ms": "5"}))
    assert (await incrementally(harness, ("log.retention.ms", SET, "6"), kind=BROKER, name="1"))[0] == E.NONE
    assert (await incrementally(harness, (key, DELETE, None), kind=BROKER, name="1"))[0] == E.NONE
    assert harness.image.config(BROKER, "1") == {"log.retention.ms": "6"}


def _setting(kind: int, name: str, configs: dict[str, str]) -> Callable[[ClusterImage], Awaitable[list[ConfigsRecord]]]:
    """For `alter_configs`: without any check."""

    async def alter(_: ClusterImage) -> list[ConfigsRecord]:
        await trio.lowlevel.checkpoint()
        return [ConfigsRecord(kind, name, configs)]

    return alter


async def test_a_dynamic_setting_that_must_not_be_ignored_refuses_the_next_start(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with controller_harness(tmp_path, node_id=1) as harness:
        settings = {"principal.builder.class": "a.B", "background.threads": "9"}
        await harness.controller.alter_configs((), _setting(BROKER, "1", settings))
    with pytest.raises(UnsupportedSettings) as refusal:
        async with controller_harness(tmp_path, node_id=1):
            pass
    assert str(refusal.value).startswith(
        "principal.builder.class=a.B (dynamic setting of broker 1) is not supported: every client is User:ANONYMOUS; "
    )
    async with controller_harness(tmp_path, waivers=Waivers(ignored=("principal.builder.class",)), node_id=1):
        pass
    assert [text for text in caplog.messages if "dynamic setting" in text] == [
        "background.threads=9 (dynamic setting of broker 1) has no effect; remove it",
        "principal.builder.class=a.B (dynamic setting of broker 1) is ignored: every client is User:ANONYMOUS",
    ]


async def test_present_settings_are_asked_of_the_administration(
    harness: ControllerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a cluster the image may lack the settings of topics that other brokers have."""
    answer: ClusterImage | ApiError = apply(harness.image, ConfigsRecord(TOPIC, "t", {"cleanup.policy": "compact"}))
    asked: list[tuple[int, str]] = []

    async def image_with_configs(resources: Collection[tuple[int, str]]) -> ClusterImage:
        await trio.lowlevel.checkpoint()
        asked.extend(resources)
        if isinstance(answer, ApiError):
            raise answer
        return answer

    monkeypatch.setattr(harness.controller, "image_with_configs", image_with_configs)
    assert (await entry(harness, TOPIC, "t", "cleanup.policy")).value == "compact"
    assert asked == [(TOPIC, "t")]
    to_delete = ("cleanup.policy", APPEND, "delete")
    assert await incrementally(harness, to_delete, validate_only=True) == (E.NONE, None)
    answer = ApiError(E.REQUEST_TIMED_OUT, "ZooKeeper does not answer")
    topic, broker, missing = (
        await describe(harness, (TOPIC, "t", None), (BROKER, "1", None), (TOPIC, "x", None))
    ).results
    assert (topic.error_code, topic.error_message, topic.configs) == (answer.code, answer.detail, [])
    assert (broker.error_code, missing.error_code) == (E.NONE, E.UNKNOWN_TOPIC_OR_PARTITION)
    assert await incrementally(harness, to_delete, validate_only=True) == (answer.code, answer.detail)


async def test_settings_that_cannot_be_read_are_not_altered(
    harness: ControllerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def alter_configs(*_: object) -> None:
        await trio.lowlevel.checkpoint()
        raise ApiError(E.REQUEST_TIMED_OUT, "ZooKeeper does not answer")

    monkeypatch.setattr(harness.controller, "alter_configs", alter_configs)
    assert (await incrementally(harness, ("retention.ms", SET, "5")))[0] == E.REQUEST_TIMED_OUT
    assert (await replacing(harness, {"retention.ms": "5"}))[0] == E.REQUEST_TIMED_OUT


async def test_each_changed_setting_is_logged_with_the_client(
    harness: ControllerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "wirebroker.handlers.config_log")
    await incrementally(harness, ("retention.ms", SET, "5"), ("local.retention.ms", SET, "7"))
    await incrementally(harness, ("retention.ms", SET, "5"))  # no change
    await incrementally(harness, ("retention.ms", SET, "x"))  # refused
    await incrementally(harness, ("retention.ms", SET, "9"), validate_only=True)
    await replacing(harness, {"retention.ms": "6"})
    await incrementally(harness, ("no.such", SET, "swordfish"), kind=BROKER, name="1")
    await incrementally(harness, ("log.retention.ms", SET, "8"), kind=BROKER, name="")
    by = "by User:ANONYMOUS (client id none at 127.0.0.1)"
    assert caplog.messages == [
        f"topic=t: local.retention.ms changed, default -> 7, {by}; it has no effect",
        f"topic=t: retention.ms changed, default -> 5, {by}",
        f"topic=t: local.retention.ms changed, 7 -> default, {by}; it has no effect",
        f"topic=t: retention.ms changed, 5 -> 6, {by}",
        f"broker=1: no.such changed, default -> [hidden], {by}; it has no effect",
        f"all brokers: log.retention.ms changed, default -> 8, {by}",
    ]


async def test_control_characters_are_escaped_in_log_lines(
    harness: ControllerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "wirebroker.handlers.config_log")
    context = harness.context(new.IncrementalAlterConfigsRequest, 1)
    context.client_id = "x\nERROR all is lost"
    resource = new.AlterConfigsResource(TOPIC, "t", [new.AlterableConfig("retention.ms", SET, "5")])
    await handle_incremental_alter_configs(context, new.IncrementalAlterConfigsRequest([resource]))
    (line,) = caplog.messages
    assert "(client id x\\nERROR all is lost at 127.0.0.1)" in line
