"""`--command-config client.properties`: the settings of Apache Kafka's clients that have an effect on a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.client_security import is_security_key, read_security
from wirebroker.cli.command_table import UsageError
from wirebroker.cli.properties_file import read_properties
from wirebroker.cli.standard_streams import print_error
from wirebroker.client.connection import ClientError, parse_addresses

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from wirebroker.client.security import Security

_TIMEOUTS: Final = ("request.timeout.ms", "default.api.timeout.ms")
_USED: Final = frozenset({"bootstrap.servers", "client.id", *_TIMEOUTS})


def apply_command_config(args: argparse.Namespace) -> None:
    """Set `args.bootstrap_server`, `args.timeout`, `args.client_id` and `args.security` from the file.

    Options that were given stay.  Settings without an effect are named on standard error.

    Raises:
        UsageError: the file cannot be read, or asks for something that the client does not have.
    """
    path = args.command_config
    if path is None:
        return
    settings = read_client_properties(path)
    set_bootstrap_server(args, path, settings)
    args.client_id = settings.get("client.id") or None
    timeout = next((key for key in _TIMEOUTS if key in settings), None)
    if timeout is not None and args.timeout is None:
        if not settings[timeout].isdecimal() or not int(settings[timeout]):
            raise UsageError(f"{path}: {timeout}={settings[timeout]} is not a number above 0")
        args.timeout = int(settings[timeout])
    args.security = security_of(path, settings, _USED)


def read_client_properties(path: str) -> dict[str, str]:
    """Return the settings of a file.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        return read_properties(path)
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror or fault}") from None
    except ValueError as fault:
        raise UsageError(f"{path}: {fault}") from None


def security_of(path: str, settings: Mapping[str, str], used: frozenset[str]) -> Security:
    """Return what a file says about TLS and SASL; name its settings that have no effect on standard error.

    Args:
        path: of the file.
        settings: of the file.
        used: the names of its other settings that have an effect.

    Raises:
        UsageError: TLS or SASL cannot be had as the file says.
    """
    try:
        found = read_security(settings)
    except UsageError as problem:
        raise UsageError(f"{path}: {problem}") from None
    unused = {name for name in settings if name not in used and not is_security_key(name)}
    warn_without_effect(path, unused.union(found.without_effect))
    return found.security


def warn_without_effect(place: str, names: set[str]) -> None:
    """Name settings that have no effect on standard error, if there are any."""
    if names:
        print_error(f"{place}: no effect on this command: {', '.join(sorted(names))}")


def set_bootstrap_server(args: argparse.Namespace, place: str, settings: Mapping[str, str]) -> None:
    """Set `args.bootstrap_server` to bootstrap.servers of *settings*, unless the option was given.

    Raises:
        UsageError: it is no list of addresses.
    """
    if "bootstrap.servers" not in settings or args.is_bootstrap_given:
        return
    try:
        parse_addresses(settings["bootstrap.servers"])
    except ClientError as problem:
        raise UsageError(f"{place}: bootstrap.servers: {problem}") from None
    args.bootstrap_server, args.is_bootstrap_given = settings["bootstrap.servers"], True
