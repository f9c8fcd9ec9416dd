"""HostAddresses: the addresses of the host names that connection quotas name, resolved in threads."""

from __future__ import annotations

import ipaddress
import logging
import socket
from itertools import chain
from typing import TYPE_CHECKING, Final

import trio

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

logger = logging.getLogger(__name__)

_THREADS: Final = 4
"""A name server that does not answer keeps a thread for many seconds."""


class HostAddresses:
    """The addresses of the host names of some settings.

    A name is resolved once, when a setting begins to name it; until then it has no address.  A name that cannot be
    resolved is resolved again when one of the settings changes.
    """

    def __init__(self, on_resolved: Callable[[], None]) -> None:
        """Call *on_resolved* whenever a name has got addresses."""
        self._on_resolved = on_resolved
        self._names: dict[str, Collection[str]] = {}
        """Setting -> the host names in it."""
        self._addresses: dict[str, frozenset[str]] = {}
        self._resolving: set[str] = set()
        self._new: dict[str, str] = {}
        """Host name that is to be resolved -> the setting that names it."""
        self._has_new = trio.Event()
        self._limiter = trio.CapacityLimiter(_THREADS)

    def use(self, setting: str, hosts: Iterable[str]) -> None:
        """Take *hosts* for all those that *setting* names now, and have `run` resolve the names that are new."""
        names = self._names[setting] = {host for host in hosts if _canonical(host) is None}
        used = set(chain.from_iterable(self._names.values()))
        self._addresses = {name: found for name, found in self._addresses.items() if name in used}
        self._new = {name: setting for name, setting in self._new.items() if name in used}
        for name in names:
            if name not in self._addresses and name not in self._resolving:
                self._new[name] = setting
        if self._new:
            self._has_new.set()

    def of(self, host: str) -> frozenset[str]:
        """Return *host* and its addresses as far as they are known."""
        address = _canonical(host)
        known = self._addresses.get(host, frozenset()) if address is None else frozenset({address})
        return known | {host}

    async def run(self) -> None:
        """Resolve names when there are new ones, until cancelled."""
        async with trio.open_nursery() as nursery:
            while True:
                await self._has_new.wait()
                self._has_new = trio.Event()
                new, self._new = self._new, {}
                self._resolving.update(new)
                for name, setting in new.items():
                    nursery.start_soon(self._resolve, name, setting)

    async def _resolve(self, name: str, setting: str) -> None:
        try:
            found = await trio.to_thread.run_sync(_resolved, name, limiter=self._limiter, abandon_on_cancel=True)
        except (OSError, UnicodeError) as fault:
            logger.warning("%s: host %s cannot be resolved, so its limit has no effect: %s", setting, name, fault)
            return
        finally:
            self._resolving.discard(name)
        if any(name in names for names in self._names.values()):
            self._addresses[name] = found
            self._on_resolved()


def _canonical(host: str) -> str | None:
    """Return *host* as addresses of peers are written; None if it is a name."""
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return None


def _resolved(name: str) -> frozenset[str]:
    """Return the addresses of *name*; to be called in a thread."""
    return frozenset(str(address[0]) for *_, address in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM))
