"""The base class of the enum in `errors.py`: the facts of an error code, from `error_table.py`."""

from __future__ import annotations

from enum import IntEnum
from typing import Self

from wirebroker.protocol.error_table import ERRORS


class ErrorCodeBase(IntEnum):
    """An error code with its facts."""

    @property
    def retriable(self) -> bool:
        """Whether clients may send the request again."""
        return ERRORS[self][0]

    @property
    def since(self) -> str:
        """The release of Apache Kafka that brought the code."""
        return ERRORS[self][1]

    @property
    def earlier(self) -> Self | None:
        """The code that releases before `since` sent instead, None if none is known."""
        code = ERRORS[self][2]
        return None if code is None else type(self)(code)

    @property
    def meaning(self) -> str:
        """One sentence."""
        return ERRORS[self][3]
