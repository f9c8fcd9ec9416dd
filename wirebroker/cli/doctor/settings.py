"""Checks of the settings that a broker would start with, and of their listeners."""

from __future__ import annotations

import errno
import socket
from typing import TYPE_CHECKING, Final

from wirebroker.cli import broker_options
from wirebroker.cli.config_check import check
from wirebroker.cli.doctor.finding import Finding, Level
from wirebroker.config.load import effective_settings
from wirebroker.config.server import BrokerConfig
from wirebroker.config.values import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

_IN_USE: Final = frozenset({errno.EADDRINUSE})


def check_settings(args: argparse.Namespace) -> tuple[BrokerConfig | None, list[Finding]]:
    """Return the configuration, None if it is wrong, and what is to be said about it."""
    waivers = broker_options.waivers(args)
    try:
        waivers.check()
        static = effective_settings(broker_options.gathered(args))
        found = check(static, waivers, broker_options.environment())
        config = BrokerConfig(static, waivers=waivers)
    except ConfigError as problem:
        return None, [Finding(Level.ERROR, "configuration", str(problem), "wirebroker config check")]
    findings = [
        Finding(
            Level.ERROR if each.kind.is_fault else Level.NOTE,
            "configuration",
            f"{each.name}: {each.kind.value}" + (f", {each.consequence}" if each.consequence else ""),
            each.remedy or "",
        )
        for each in found
    ]
    if not findings:
        findings = [Finding(Level.OK, "configuration", f"{len(static)} settings, all with their effect")]
    return config, findings


def check_listeners(config: BrokerConfig) -> Iterator[tuple[Finding, str | None]]:
    """Check each listener of a configuration; yield a finding, and the address if somebody listens there already."""
    for listener in config.listeners:
        name = f"listener {listener.name}"
        host = listener.host or "127.0.0.1"
        advertised = config.advertised.get(listener.name)
        if advertised is not None:
            yield from ((finding, None) for finding in check_resolvable(name, advertised[0]))
        try:
            family, kind, _, _, address = socket.getaddrinfo(host, listener.port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind) as sock:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                sock.bind(address)
        except OSError as problem:
            if problem.errno in _IN_USE:
                yield Finding(Level.OK, name, f"{host}:{listener.port} is in use"), f"{host}:{listener.port}"
            else:
                fix = f"listeners={listener.name}://0.0.0.0:{listener.port}"
                yield Finding(Level.ERROR, name, f"{host}:{listener.port}: {problem.strerror or problem}", fix), None
        else:
            yield Finding(Level.OK, name, f"{host}:{listener.port} is free"), None


def check_resolvable(check_name: str, host: str) -> Iterator[Finding]:
    """Check that clients on this machine can resolve an advertised name."""
    try:
        socket.getaddrinfo(host, None)
    except OSError as problem:
        fix = f"advertised.listeners with a name that clients can resolve, or `echo ADDRESS {host} >> /etc/hosts`"
        yield Finding(Level.ERROR, check_name, f"{host} cannot be resolved: {problem.strerror or problem}", fix)
