"""The rules for topic names, as Kafka's; their length is limited by the names of partition directories."""

from __future__ import annotations

import re

LONGEST_NAME = 249  # "-", a five-digit partition and the suffix of a directory under deletion still fit into 255

_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def detect_invalid_topic(name: str) -> str | None:
    """Return why *name* is invalid, as a clause for an error message; None for a valid name (Kafka: Topic)."""
    if not name:
        return "a topic name cannot be empty"
    if name in (".", ".."):
        return f"a topic cannot be called {name!r}"
    if len(name) > LONGEST_NAME:
        return f"a topic name has at most {LONGEST_NAME} characters, this one has {len(name)}"
    if _LEGAL.fullmatch(name) is None:
        return f"topic name {name!r} has characters other than ASCII letters, digits, '.', '_' and '-'"
    return None
