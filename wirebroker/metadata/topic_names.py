"""What a topic may be called.  Facts: Kafka's topic name rules; one directory per partition explains the length."""

from __future__ import annotations

import re

LONGEST_NAME = 249  # "-", a five-digit partition and the suffix of a directory under deletion still fit into 255

_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def why_illegal(name: str) -> str | None:
    """Why no topic can have this name, as a clause for an error message; None when one can."""
    if not name:
        return "a topic name cannot be empty"
    if name in (".", ".."):
        return f"a topic cannot be called {name!r}"
    if len(name) > LONGEST_NAME:
        return f"a topic name has at most {LONGEST_NAME} characters, this one has {len(name)}"
    if _LEGAL.fullmatch(name) is None:
        return f"topic name {name!r} has characters other than ASCII letters, digits, '.', '_' and '-'"
    return None
