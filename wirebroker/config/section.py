"""Section: the values of some config keys as attributes of one frozen object, for the room that needs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from wirebroker.config.values import Value


class Section:
    """Base of classes whose field `fetch_max_bytes: int` is the key `fetch.max.bytes`, and so on.

    A subclass annotates its fields and ends with `FIELDS = __slots__ = tuple(__annotations__)`.
    """

    FIELDS: ClassVar[tuple[str, ...]] = ()
    __slots__ = ()

    def __init__(self, value: Callable[[str], Value]) -> None:
        """Set each field to *value* of its dotted name."""
        for field in self.FIELDS:
            object.__setattr__(self, field, value(field.replace("_", ".")))

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} is frozen")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, field) == getattr(other, field) for field in self.FIELDS)

    __hash__ = None  # type: ignore[assignment]  # equal by value, and no key of a dict
