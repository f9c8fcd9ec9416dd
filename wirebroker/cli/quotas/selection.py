"""The options that name the user, client id or address of quotas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.cli.command_table import UsageError
from wirebroker.cli.quotas.requests import CLIENT_ID, IP, USER, QuotaFilter

if TYPE_CHECKING:
    import argparse


def add_entity(parser: argparse.ArgumentParser) -> None:
    """Add --user, --client, --ip and the options for their defaults."""
    for option, about in (("user", "user"), ("client", "client id"), ("ip", "address")):
        parser.add_argument(f"--{option}", metavar="NAME", help=f"the {about}")
        parser.add_argument(
            f"--{option}-defaults",
            action="store_const",
            const="",
            dest=option,
            help=f"the default of every {about} without quotas of its own",
        )


def chosen_entity(args: argparse.Namespace) -> list[QuotaFilter]:
    """Return the parts of the entity that the options name; an empty name is the default.

    Raises:
        UsageError: they name an address and something else.
    """
    parts = [
        QuotaFilter(kind, name)
        for kind, name in ((USER, args.user), (CLIENT_ID, args.client), (IP, args.ip))
        if name is not None
    ]
    if args.ip is not None and len(parts) > 1:
        raise UsageError("an address has quotas by itself, not together with a user or client id")
    return parts
