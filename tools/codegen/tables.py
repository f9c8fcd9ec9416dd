"""Emits the tables of APIs (`protocol/api_table.py`) and of error codes (`protocol/errors.py`, `error_table.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.codegen.imports import WIDTH
from tools.codegen.names import snake_case
from tools.codegen.parse import SpecError

if TYPE_CHECKING:
    from tools.codegen.model import ApiSpec, ErrorSpec

_API_HEAD = '''"""The APIs of the protocol: their keys and versions; `api.py` has what is known of each.

Generated from protocol_specs by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

from enum import IntEnum
'''

_ERRORS_HEAD = '''"""The error codes of the protocol.

Generated from protocol_specs/errors by tools/codegen: do not edit.
"""

from __future__ import annotations

from wirebroker.protocol.error_facts import ErrorCodeBase


class ErrorCode(ErrorCodeBase):
    """The values of error_code fields."""

'''

_ERROR_TABLE_HEAD = '''"""The facts of the error codes in `errors.py`.

Generated from protocol_specs/errors by tools/codegen: do not edit.
"""

# fmt: off

from __future__ import annotations

ERRORS: dict[int, tuple[bool, str, int | None, str]] = {
'''


def api_table_module(apis: list[ApiSpec]) -> str:
    """The text of protocol/api_table.py."""
    lines = [_API_HEAD, "", "class ApiKey(IntEnum):", '    """The int16 that a request begins with."""', ""]
    lines += [f"    {snake_case(api.name).upper()} = {api.key}" for api in apis]
    lines += ["", "", "APIS = ("]
    for api in apis:
        flexible_from = api.flexible.low if api.flexible else None
        key = f"ApiKey.{snake_case(api.name).upper()}"
        lines.append(f'    ({key}, "{api.name}", {api.versions.low}, {api.versions.high}, {flexible_from}),')
    lines += [")", '"""Key, name, lowest and highest version, and the first flexible version or None."""']
    return "\n".join(lines) + "\n"


def errors_module(errors: list[ErrorSpec]) -> str:
    """The text of protocol/errors.py."""
    return _ERRORS_HEAD + "".join(f"    {error.name} = {error.code}\n" for error in errors)


def error_table_module(errors: list[ErrorSpec]) -> str:
    """The text of protocol/error_table.py."""
    releases = list(dict.fromkeys(error.since for error in errors))
    if sorted(errors, key=lambda error: releases.index(error.since)) != errors:
        raise SpecError("errors: codes are numbered in the order of the releases that brought them")
    lines = []
    for error in errors:
        head = f'    {error.code}: ({error.retriable}, "{error.since}", {error.earlier},'
        meaning = '"' + error.meaning.replace('"', "'") + '"'
        one_line = f"{head} {meaning}),"
        lines += [one_line] if len(one_line) <= WIDTH else [head, f"        {meaning}),"]
    lines += [
        "}",
        '"""Code: whether clients may retry, the release that brought it, the code before it, and its meaning."""',
    ]
    return _ERROR_TABLE_HEAD + "\n".join(lines) + "\n"
