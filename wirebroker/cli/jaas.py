"""`sasl.jaas.config`: the login module of a client and its options (javax.security.auth.login.Configuration)."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_MODULE: Final = re.compile(r"\s*([^\s\"'=;]+)\s+(?:required|requisite|sufficient|optional)(?=[\s;])", re.IGNORECASE)
_OPTION: Final = re.compile(
    r"""\s*([^\s"'=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s"'=;]+))""", re.DOTALL
)
_END: Final = re.compile(r"\s*;\s*")
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)


class LoginModule(NamedTuple):
    """One entry of a JAAS configuration."""

    name: str
    """The class, with its package."""
    options: dict[str, str]


def parse_jaas(text: str) -> LoginModule:
    """Return the one login module of *text*, `CLASS required username="..." password="...";`.

    Raises:
        ValueError: *text* has another form, or more than one module; the message has none of its values.
    """
    module = _MODULE.match(text)
    if module is None:
        raise ValueError('it is not: CLASS required username="..." password="...";')
    options: dict[str, str] = {}
    at = module.end()
    while option := _OPTION.match(text, at):
        name, double, single, bare = option.groups()
        options[name] = bare if bare is not None else _ESCAPE.sub(r"\1", single if double is None else double)
        at = option.end()
    end = _END.match(text, at)
    if end is None:
        raise ValueError(f'behind {len(options)} options comes neither NAME="VALUE" nor the semicolon of the end')
    if end.end() != len(text):
        raise ValueError("there is something behind the semicolon; a client has one login module")
    return LoginModule(module[1], options)
