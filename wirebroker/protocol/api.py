"""The APIs of the protocol: `ApiKey`, and `API` with what is known of each without importing its messages."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.protocol.api_table import APIS, ApiKey

if TYPE_CHECKING:
    from wirebroker.protocol.message import ReadableMessage, WritableMessage

__all__ = ["API", "ApiInfo", "ApiKey"]


class ApiInfo(NamedTuple):
    """One API; both ends of the version range are inclusive."""

    key: ApiKey
    name: str
    min_version: int
    max_version: int
    flexible_from: int | None
    """The first version with compact lengths and tagged fields; None if there is none."""

    def load(self) -> tuple[type[ReadableMessage], type[WritableMessage]]:
        """Import the module of this API; return its request and its response class.

        Raises:
            ModuleNotFoundError: the broker does not serve this API, so no classes are generated
                (`tools/codegen/usage.py`).
        """
        module = import_module(f"wirebroker.protocol.messages.{self.key.name.lower()}")
        return getattr(module, f"{self.name}Request"), getattr(module, f"{self.name}Response")


API: Final[dict[int, ApiInfo]] = {row[0]: ApiInfo(*row) for row in APIS}
