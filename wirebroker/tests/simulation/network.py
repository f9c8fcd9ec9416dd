"""SimulatedNetwork: connections between processes, with delays, links that are cut, and connections that are reset.

A link is the way from one process to another.  Bytes that are sent on a link that is cut arrive when it is mended, as
TCP sends them again, unless an end of the connection has gone meanwhile.
"""

from __future__ import annotations

import random
import socket
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import trio

from wirebroker.tests.simulation.processes import current_process_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.tests.simulation.virtual_clock import VirtualClock

Link = tuple[str, str]
_RESET: Final = None
"""In the place of bytes: the end of the connection, with whatever was not received yet."""


class SimulatedSocket:
    """One end of a connection, with the methods of a trio socket that the product uses."""

    family = socket.AF_UNIX

    def __init__(self, network: SimulatedNetwork, link: Link) -> None:
        self.link = link
        self.peer: SimulatedSocket
        self.arrives_at = 0.0
        """When the last bytes that were sent arrive."""
        self._network = network
        self._received = bytearray()
        self._changed = trio.Event()
        self.is_closed = self.is_ended = self.is_reset = False

    def setsockopt(self, *_: object) -> None:
        """Accept the option, which changes nothing here."""

    def getsockopt(self, *_: object) -> int:
        """Return the value of an option, none of which is set here."""
        return 0

    async def send(self, data: bytes | memoryview) -> int:
        """Send all of *data*; return its size."""
        self.send_nowait(bytes(data))
        return len(data)

    def send_nowait(self, data: bytes) -> None:
        """Send *data*.  Raises OSError, trio.ClosedResourceError."""
        self._check()
        self._network.transmit(self, data)

    async def recv_into(self, view: memoryview) -> int:
        """Fill *view* with what has come, at least one byte; return 0 at the end."""
        await self._wait_received()
        count = min(len(view), len(self._received))
        view[:count] = self._received[:count]
        del self._received[:count]
        return count

    async def receive(self) -> bytearray:
        """Return all that has come, at least one byte; nothing at the end."""
        await self._wait_received()
        received, self._received = self._received, bytearray()
        return received

    async def _wait_received(self) -> None:
        """Wait for bytes, or the end.  Like `ChannelSocket`, let nobody else run if they are there."""
        while not self._received and not self.is_ended:
            self._check()
            self._changed = trio.Event()
            await self._changed.wait()
        self._check()

    def close(self) -> None:
        """End the connection; the other end hears of it."""
        if not self.is_closed:
            self.is_closed = True
            self._changed.set()
            if not self.is_reset:
                self._network.transmit(self, b"")

    def arrived(self, data: bytes | None) -> None:
        """Take what the other end has sent: bytes, b"" for its end, None for a reset."""
        if data is _RESET:
            self.is_reset = True
            self._received.clear()
        elif data:
            self._received += data
        else:
            self.is_ended = True
        self._changed.set()

    def _check(self) -> None:
        if self.is_closed:
            raise trio.ClosedResourceError("the socket was closed")
        if self.is_reset:
            raise ConnectionResetError("the connection was reset")


class SimulatedNetwork:
    """All connections of a simulation."""

    def __init__(self, clock: VirtualClock, seed: int) -> None:
        self._clock = clock
        self._random = random.Random(f"network {seed}")
        self._listeners: dict[tuple[str, int], Callable[[SimulatedSocket], None]] = {}
        self._cut: set[Link] = set()
        self._mended = trio.Event()
        self._held: list[tuple[SimulatedSocket, bytes | None]] = []
        self._sockets: dict[SimulatedSocket, None] = {}

    def delay_s(self) -> float:
        """Return how long one message takes."""
        if self._random.random() < 0.02:
            return self._random.uniform(0.01, 0.2)
        return self._random.uniform(0.0001, 0.002)

    # -- connections

    def listen(self, host: str, port: int, accept: Callable[[SimulatedSocket], None]) -> None:
        """Have *accept* called with each connection to an address; replaces an earlier one."""
        self._listeners[host, port] = accept

    def stop_listening(self, host: str, port: int) -> None:
        """Refuse connections to an address."""
        self._listeners.pop((host, port), None)

    async def open_tcp_stream(self, host: str, port: int, **_: Any) -> SimpleNamespace:
        """Connect the process that runs; in the place of `trio.open_tcp_stream`."""
        local = current_process_name()
        await trio.sleep(self.delay_s())
        while {(local, host), (host, local)} & self._cut:
            await self._mended.wait()
        accept = self._listeners.get((host, port))
        if accept is None:
            raise ConnectionRefusedError(f"{host}:{port} refuses connections")
        near, far = SimulatedSocket(self, (local, host)), SimulatedSocket(self, (host, local))
        near.peer, far.peer = far, near
        self._sockets |= {near: None, far: None}
        accept(far)
        return SimpleNamespace(socket=near)

    def transmit(self, sender: SimulatedSocket, data: bytes | None) -> None:
        """Have *data* arrive at the other end of *sender*."""
        sender.arrives_at = max(sender.arrives_at, trio.current_time() + self.delay_s())
        self._clock.call_at(sender.arrives_at, partial(self._arrive, sender, data))

    def _arrive(self, sender: SimulatedSocket, data: bytes | None) -> None:
        if sender.link in self._cut:
            self._held.append((sender, data))
            return
        sender.peer.arrived(data)
        if not data and sender.is_closed | sender.is_reset:
            self._sockets.pop(sender, None)

    # -- faults

    def cut(self, link: Link) -> None:
        """Let nothing through on *link*."""
        self._cut.add(link)

    def mend(self, link: Link) -> None:
        """Let through what was held back, and all that follows."""
        self._cut.discard(link)
        self._mended.set()
        self._mended = trio.Event()
        held = [each for each in self._held if each[0].link == link]
        self._held = [each for each in self._held if each[0].link != link]
        for sender, data in held:  # what was sent later has not arrived yet
            self._arrive(sender, data)

    def is_cut(self, link: Link) -> bool:
        """Whether nothing gets through on *link*."""
        return link in self._cut

    def reset_connections(self, one: str, other: str) -> None:
        """Reset the connections between two processes; what is under way is lost."""
        for each in [each for each in self._sockets if each.link in ((one, other), (other, one))]:
            each.arrived(_RESET)
            self._sockets.pop(each)

    def process_killed(self, name: str) -> None:
        """Reset the connections of a process; the other ends hear of it if its links are not cut."""
        for host, port in [each for each in self._listeners if each[0] == name]:
            self.stop_listening(host, port)
        for each in [each for each in self._sockets if each.link[0] == name]:
            if not each.is_closed:
                each.arrived(_RESET)
                self.transmit(each, _RESET)
