"""Output templates, and the text that is unescaped for them."""

from __future__ import annotations

import pytest

from wirebroker.cli.records.templates import compile_template, unescape
from wirebroker.tests.cli.records.messages import FakeMessage


@pytest.mark.parametrize(
    ("template", "text"),
    [
        (r"%t [%p] %o: %k=%s\n", b"t [3] 7: k=v\n"),
        (r"%T %S %K %%\x00", b"1700000000000 1 1 %\0"),
        (r"%R%s", b"\0\0\0\1v"),
        ("", b""),
    ],
)
def test_places(template: str, text: bytes) -> None:
    assert compile_template(template, b"null")(FakeMessage()) == text


def test_null_and_headers() -> None:
    message = FakeMessage(None, None, [("a", b"1"), ("b", None)])
    assert compile_template("%k|%s|%K|%S|%h", b"NULL")(message) == b"NULL|NULL|-1|-1|a=1,b=NULL"


@pytest.mark.parametrize("template", ["%x", "100%"])
def test_an_unknown_place(template: str) -> None:
    with pytest.raises(ValueError, match="there are %s, %S"):
        compile_template(template, b"")


def test_unescape() -> None:
    assert unescape(r"\t\n\r\0\\\x41\q\xz") == b"\t\n\r\0\\A\\q\\xz"
