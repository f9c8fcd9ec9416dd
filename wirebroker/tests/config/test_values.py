"""Text to value and back, with Kafka's reasons."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirebroker.config import values
from wirebroker.config.values import ConfigType, parse_value, render_value

GOOD = [
    (ConfigType.INT, " 2000 ", 2000),
    (ConfigType.INT, "+7", 7),
    (ConfigType.INT, "-2147483648", -(1 << 31)),
    (ConfigType.SHORT, "32767", 32767),
    (ConfigType.LONG, "9223372036854775807", (1 << 63) - 1),
    (ConfigType.BOOLEAN, "TRUE", True),
    (ConfigType.BOOLEAN, " false", False),
    (ConfigType.DOUBLE, "0.30", 0.3),
    (ConfigType.DOUBLE, "1e3", 1000.0),
    (ConfigType.DOUBLE, "-Infinity", float("-inf")),
    (ConfigType.LIST, " compact , delete ", ("compact", "delete")),
    (ConfigType.LIST, "compact,,delete", ("compact", "", "delete")),
    (ConfigType.LIST, "  ", ()),
    (ConfigType.STRING, " a b ", "a b"),
    (ConfigType.PASSWORD, " secret ", "secret"),
    (ConfigType.CLASS, "a.B", "a.B"),
]
BAD = [
    (ConfigType.INT, "2147483648", "Not a number of type INT"),
    (ConfigType.INT, "", "Not a number of type INT"),
    (ConfigType.INT, "1_000", "Not a number of type INT"),
    (ConfigType.LONG, "0x10", "Not a number of type LONG"),
    (ConfigType.LONG, "1e3", "Not a number of type LONG"),
    (ConfigType.SHORT, "32768", "Not a number of type SHORT"),
    (ConfigType.DOUBLE, "x", "Not a number of type DOUBLE"),
    (ConfigType.DOUBLE, "nan", "Not a number of type DOUBLE"),
    (ConfigType.BOOLEAN, "yes", "Expected value to be either true or false"),
]


@pytest.mark.parametrize(("kind", "text", "value"), GOOD)
def test_parse(kind: ConfigType, text: str, value: object) -> None:
    assert parse_value(kind, text) == value


@pytest.mark.parametrize(("kind", "text", "reason"), BAD)
def test_parse_refuses(kind: ConfigType, text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        parse_value(kind, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.5"),
        (1.0, "1.0"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (1e7, "1.0E7"),
        (12345678.5, "1.23456785E7"),
        (99999999.5, "9.99999995E7"),
        (-2.5e-7, "-2.5E-7"),
        (0.001, "0.001"),
        (0.0, "0.0"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
        (True, "true"),
        (("a", "b"), "a,b"),
        ((), ""),
        (None, None),
        (-1, "-1"),
    ],
)
def test_render_is_java_text(value: values.Value, text: str | None) -> None:
    assert render_value(value) == text


@given(st.floats(allow_nan=False))
def test_a_double_survives_its_text(value: float) -> None:
    text = render_value(value)
    assert text is not None
    assert parse_value(ConfigType.DOUBLE, text) == value


@given(st.text(), st.sampled_from(list(ConfigType)))
def test_any_text_parses_or_is_refused(text: str, kind: ConfigType) -> None:
    with contextlib.suppress(ValueError):
        value = parse_value(kind, text)
        assert parse_value(kind, render_value(value) or "") == value or value != value


CHECKS = [
    (values.at_least(14), 14, 13, "Value must be at least 14"),
    (values.between(1, 17), 17, 18, "Value must be no more than 17"),
    (values.between(1, 17), 1, 0, "Value must be at least 1"),
    (values.between(0, 1), 0.5, 1.5, "Value must be no more than 1"),
    (values.one_of("compact", "delete"), ("delete",), ("delete", "x"), "String must be one of: compact, delete"),
    (values.one_of("a"), "a", "A", "String must be one of: a"),
    (values.one_of("A", any_case=True), "a", "b", "String must be one of (case insensitive): A"),
    (values.not_empty, "x", "", "String must be non-empty"),
    (values.codec_id, 4, 5, "Unknown compression type id: 5"),
    (values.codec_id, 0, -1, "Unknown compression type id: -1"),
    (values.gzip_level, -1, 0, "Value must be between 1 and 9 or equal to -1"),
    (values.gzip_level, 9, 10, "Value must be between 1 and 9 or equal to -1"),
    (values.positive_or_minus_one, -1, 0, "Value must be at least 1 or equal to -1"),
    (values.host_counts, "", "foo", "Value must be a list of host:count"),
    (values.host_counts, " 127.0.0.1:5, ::1:7", "a:1,,b:2", "Value must be a list of host:count"),
]


@pytest.mark.parametrize(("check", "good", "bad", "reason"), CHECKS)
def test_checks(check: values.Check, good: values.Value, bad: values.Value, reason: str) -> None:
    assert check(good) is None
    assert check(bad) == reason


@pytest.mark.parametrize(
    ("entries", "fits"), [(("*",), True), ((), True), (("0:1", "3:2"), True), (("1:2", "x"), False)]
)
def test_throttled_replicas(entries: tuple[str, ...], fits: bool) -> None:
    assert (values.throttled_replicas(entries) is None) == fits
