"""`--command-config client.properties`: the settings of Apache Kafka's clients that have an effect on a command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.output import print_error
from wirebroker.cli.properties_file import read_properties
from wirebroker.client.connection import ClientError, parse_addresses

if TYPE_CHECKING:
    import argparse

PLAINTEXT: Final = "PLAINTEXT"
_SECURITY: Final = ("sasl.", "ssl.")
"""The keys of TLS and SASL, by their beginning."""


def apply_command_config(args: argparse.Namespace) -> None:
    """Set `args.bootstrap_server`, `args.timeout` and `args.client_id` from the file, where no option was given.

    Raises:
        UsageError: the file cannot be read, or asks for something that the client does not have.
    """
    path = args.command_config
    if path is None:
        return
    try:
        settings = read_properties(path)
    except OSError as fault:
        raise UsageError(f"{path}: {fault.strerror or fault}") from None
    _refuse_security(path, settings)
    if "bootstrap.servers" in settings and not args.is_bootstrap_given:
        args.bootstrap_server = settings["bootstrap.servers"]
        try:
            parse_addresses(args.bootstrap_server)
        except ClientError as problem:
            raise UsageError(f"{path}: bootstrap.servers: {problem}") from None
    args.client_id = settings.get("client.id") or None
    timeout = next((key for key in ("request.timeout.ms", "default.api.timeout.ms") if key in settings), None)
    if timeout is not None and args.timeout is None:
        if not settings[timeout].isdecimal() or not int(settings[timeout]):
            raise UsageError(f"{path}: {timeout}={settings[timeout]} is not a number above 0")
        args.timeout = int(settings[timeout])
    known = {"bootstrap.servers", "client.id", "security.protocol", "request.timeout.ms", "default.api.timeout.ms"}
    unused = sorted(settings.keys() - known)
    if unused:
        print_error(f"{path}: no effect on this command: {', '.join(unused)}")


def _refuse_security(path: str, settings: dict[str, str]) -> None:
    """Refuse settings of TLS and SASL: a command that left them out would send what they were to protect."""
    protocol = settings.get("security.protocol", PLAINTEXT)
    asked = [f"security.protocol={protocol}"] if protocol.upper() != PLAINTEXT else []
    asked += sorted(key for key in settings if key.startswith(_SECURITY))
    if asked:
        raise UsageError(
            f"{path}: {', '.join(asked)}: wirebroker's commands have neither TLS nor SASL yet; "
            "name a PLAINTEXT listener, and leave these settings out"
        )
