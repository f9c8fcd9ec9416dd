"""The native CRC-32C, and how it is found in the `crc32c` package."""

from __future__ import annotations

from importlib import import_module
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING

from wirebroker.record import crc32c as module

if TYPE_CHECKING:
    import pytest

CHECK = 0xE3069283
"""The check value of CRC-32C, that of the digits 1 to 9 (RFC 3720)."""


def test_the_check_value() -> None:
    assert module.crc32c(b"123456789") == CHECK
    assert module.crc32c(memoryview(b"6789"), module.crc32c(b"12345")) == CHECK


def test_a_package_of_another_layout_is_imported_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    find = PathFinder.find_spec

    def find_but_extension(name: str, path: object = None, target: object = None) -> object:
        return None if name == "_crc32c" else find(name, path, target)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(PathFinder, "find_spec", find_but_extension)
        whole = module._load()
    assert whole is import_module("crc32c").crc32c
    assert whole(b"123456789") == CHECK
