"""Names: Kafka's CamelCase and our snake_case."""

from __future__ import annotations

import re

_WORD = re.compile(r"KRaft|2Pc|[A-Z]?[a-z]+(?=2Pc)|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+")


def snake_case(name: str) -> str:
    """ListOffsets -> list_offsets, IsKRaftController -> is_kraft_controller, EnableTwoPC -> enable_two_pc."""
    return "_".join(word.lower() for word in _WORD.findall(name))


def singular(name: str) -> str:
    """A name for one element of the list called *name*."""
    if name.endswith("ies"):
        return name[:-3] + "y"
    if name.endswith("s") and not name.endswith("ss"):
        return name[:-1]
    return name + "_item"
