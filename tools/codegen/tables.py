"""Emits `protocol/api.py` (which APIs there are) and `protocol/errors.py` (what codes mean)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.codegen.names import snake_case
from tools.codegen.parse import SpecError

if TYPE_CHECKING:
    from tools.codegen.model import ApiSpec, ErrorSpec

_API_HEAD = '''"""Which APIs there are: keys, versions, and the modules that hold their messages.

Generated from protocol_specs by tools/codegen: do not edit.
"""

from __future__ import annotations

from enum import IntEnum
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wirebroker.protocol.message import Message


class ApiKey(IntEnum):
    """The int16 that a request begins with."""

'''

_API_INFO = '''

class ApiInfo:
    """What is known of one API without importing its messages."""

    __slots__ = (
        "flexible_from",
        "key",
        "max_version",
        "min_version",
        "module",
        "name",
        "request_class",
        "response_class",
    )

    def __init__(self, key: ApiKey, name: str, min_version: int, max_version: int, flexible_from: int | None) -> None:
        self.key = key
        self.name = name
        self.module = key.name.lower()
        self.request_class = f"{name}Request"
        self.response_class = f"{name}Response"
        self.min_version = min_version
        self.max_version = max_version
        self.flexible_from = flexible_from  # first version with compact lengths and tagged fields

    def load(self) -> tuple[type[Message], type[Message]]:
        """Import the module; return its request and response classes."""
        module = import_module(f"wirebroker.protocol.messages.{self.module}")
        return getattr(module, self.request_class), getattr(module, self.response_class)


'''

_API_TAIL = '''

def request_header_version(key: int, version: int) -> int:
    """0, 1 or 2.  Only ControlledShutdown v0 has the oldest header, which lacks the client id."""
    if key == ApiKey.CONTROLLED_SHUTDOWN and version == 0:
        return 0
    flexible_from = API[key].flexible_from
    return 2 if flexible_from is not None and version >= flexible_from else 1


def response_header_version(key: int, version: int) -> int:
    """0 or 1.  Always 0 for ApiVersions: whoever asks does not yet know what the other side can read."""
    if key == ApiKey.API_VERSIONS:
        return 0
    flexible_from = API[key].flexible_from
    return 1 if flexible_from is not None and version >= flexible_from else 0
'''


def api_module(apis: list[ApiSpec]) -> str:
    """The text of protocol/api.py."""
    lines = [f"    {snake_case(api.name).upper()} = {api.key}" for api in apis]
    text = _API_HEAD + "\n".join(lines) + "\n" + _API_INFO
    text += "_APIS = (\n"
    for api in apis:
        key = f"ApiKey.{snake_case(api.name).upper()}"
        flexible_from = api.flexible.low if api.flexible else None
        low, high = api.versions.low, api.versions.high
        text += f'    ApiInfo({key}, "{api.name}", {low}, {high}, {flexible_from}),\n'
    return text + ")\nAPI: dict[int, ApiInfo] = {info.key: info for info in _APIS}\n" + _API_TAIL


_ERRORS_HEAD = '''"""The error codes of the protocol.

Generated from protocol_specs/errors by tools/codegen: do not edit.
"""

from __future__ import annotations

from enum import IntEnum


class ErrorCode(IntEnum):
    """What goes into an error_code field.

    `retriable`: clients may try again; `meaning`: one sentence; `since`: the release of Apache Kafka that brought it;
    `earlier`: the code that releases before answered, None if none is known.
    """

'''

_ERRORS_PROPERTIES = """
    @property
    def retriable(self) -> bool:
        return self in _RETRIABLE

    @property
    def meaning(self) -> str:
        return _MEANINGS[self]

    @property
    def since(self) -> str:
        return next(release for release, last in _LAST_CODES if self <= last)

    @property
    def earlier(self) -> ErrorCode | None:
        code = _EARLIER.get(self)
        return None if code is None else ErrorCode(code)


"""


def errors_module(errors: list[ErrorSpec]) -> str:
    """The text of protocol/errors.py."""
    text = _ERRORS_HEAD + "".join(f"    {error.name} = {error.code}\n" for error in errors) + _ERRORS_PROPERTIES
    codes = [str(error.code) for error in errors if error.retriable]
    rows = "".join(f"        {code},\n" for code in codes)
    text += f"_RETRIABLE: frozenset[int] = frozenset(\n    {{\n{rows}    }}\n)\n\n"
    text += "_MEANINGS = {\n"
    for error in errors:
        meaning = error.meaning.replace('"', "'")
        text += f'    {error.code}: "{meaning}",\n'
    text += "}\n\n_LAST_CODES = (\n"
    last = {error.since: error.code for error in errors}
    if sorted(errors, key=lambda error: list(last).index(error.since)) != errors:
        raise SpecError("errors: codes are numbered in the order of the releases that brought them")
    text += "".join(f'    ("{since}", {code}),\n' for since, code in last.items())
    text += ")\n\n_EARLIER = {\n"
    text += "".join(f"    {error.code}: {error.earlier},\n" for error in errors if error.earlier is not None)
    return text + "}\n"
