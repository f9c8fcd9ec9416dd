"""Thousands of group members out of one process: each its own connection and the protocol of a consumer, no more.

A member joins (with the id it is first given, KIP-394), syncs, heartbeats, and joins again when told so.  One
thread waits for all sockets; requests are small and sent whole.
"""

import heapq
import select
import socket
import struct
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from tools.bench import group_wire, raw_client
from wirebroker.protocol.messages.heartbeat import HeartbeatRequest
from wirebroker.protocol.messages.join_group import JoinGroupRequest
from wirebroker.protocol.messages.leave_group import LeaveGroupRequest
from wirebroker.protocol.messages.sync_group import SyncGroupRequest

LOADING, NOT_AVAILABLE, NOT_COORDINATOR = 14, 15, 16
UNKNOWN_MEMBER, REBALANCE, MEMBER_ID_REQUIRED = 25, 27, 79
ILLEGAL_GENERATION: Final = 22
RETRY_S: Final = 0.05
RECEIVE_BYTES: Final = 1 << 16
TIMEOUT_S: Final = 180


class Peer:
    """One member."""

    __slots__ = ("asked", "due", "generation", "group", "held", "left", "member_id", "sock", "stable")

    def __init__(self, sock: socket.socket, group: str) -> None:
        self.sock = sock
        self.group = group
        self.member_id = ""
        self.generation = -1
        self.asked: type | None = None
        self.stable = False
        self.left = False
        self.due = 0.0
        self.held = b""


class MemberPool:
    """All members; `run` drives them until something has happened."""

    def __init__(self, address: raw_client.Address, heartbeat_s: float = 3.0, session_timeout_ms: int = 45_000) -> None:
        self._address = address
        self._heartbeat_s = heartbeat_s
        self._session_timeout_ms = session_timeout_ms
        self._poll = select.epoll()
        self.peers: dict[int, Peer] = {}
        self.groups: dict[str, list[Peer]] = {}
        self._sizes: dict[str, int] = {}  # members that the leader was told of
        self._stable = 0
        self._timers: list[tuple[float, int]] = []
        self.heartbeats = 0
        self.unexpected = 0

    def __enter__(self) -> "MemberPool":
        return self

    def __exit__(self, *_: object) -> None:
        self._poll.close()
        for peer in self.peers.values():
            peer.sock.close()

    def add(self, group: str) -> Peer:
        """Connect one member; it begins with `start`."""
        peer = Peer(raw_client.connect(self._address), group)
        self.peers[peer.sock.fileno()] = peer
        self._poll.register(peer.sock.fileno(), select.EPOLLIN)
        self.groups.setdefault(group, []).append(peer)
        return peer

    def start(self, peers: Sequence[Peer]) -> None:
        for peer in peers:
            self._join(peer)

    def leave(self, peer: Peer) -> None:
        self.groups[peer.group].remove(peer)
        if peer.stable:
            self._unsettle(peer)
        peer.left = True
        self._send(peer, group_wire.leave(peer.group, peer.member_id))

    def fall_silent(self, peer: Peer) -> None:
        """Its process dies: the broker finds out by waiting."""
        self.groups[peer.group].remove(peer)
        if peer.stable:
            self._unsettle(peer)
        peer.left = True

    def beat_now(self) -> None:
        """Every stable member's heartbeat is due."""
        for peer in self.peers.values():
            if peer.stable and peer.asked is None:
                self._beat(peer)

    def all_stable(self) -> bool:
        """Everybody who has not left has an assignment of a generation that holds the whole group."""
        if self._stable != sum(map(len, self.groups.values())):
            return False
        return all(
            len(peers) == self._sizes[group] and len({peer.generation for peer in peers}) == 1
            for group, peers in self.groups.items()
        )

    def run(self, done: Callable[[], bool]) -> float:
        """Serve all members until *done*; returns the seconds that took."""
        began = time.perf_counter()
        while not done():
            now = time.perf_counter()
            if now - began > TIMEOUT_S:
                raise raw_client.BenchError(
                    f"{self._stable} of {len(self.peers)} members are stable after {TIMEOUT_S} s"
                )
            while self._timers and self._timers[0][0] <= now:
                due, number = heapq.heappop(self._timers)
                peer = self.peers[number]
                if peer.due == due and peer.asked is None and not peer.left:
                    if peer.stable:
                        self._beat(peer)
                    else:
                        self._join(peer)
            wait_s = min(0.1, max(0.0, self._timers[0][0] - now)) if self._timers else 0.1
            for number, _ in self._poll.poll(wait_s, 256):
                self._receive(self.peers[number])
        return time.perf_counter() - began

    # -- one member ------------------------------------------------------------------------------------------

    def _send(self, peer: Peer, message: Any) -> None:
        peer.asked = type(message)
        peer.sock.sendall(group_wire.frame(message))

    def _join(self, peer: Peer) -> None:
        if peer.stable:
            self._unsettle(peer)
        self._send(peer, group_wire.join(peer.group, peer.member_id, self._session_timeout_ms))

    def _beat(self, peer: Peer) -> None:
        self.heartbeats += 1
        self._send(peer, group_wire.heartbeat(peer.group, peer.generation, peer.member_id))

    def _unsettle(self, peer: Peer) -> None:
        peer.stable = False
        self._stable -= 1

    def _later(self, peer: Peer, after_s: float) -> None:
        peer.due = time.perf_counter() + after_s
        heapq.heappush(self._timers, (peer.due, peer.sock.fileno()))

    def _receive(self, peer: Peer) -> None:
        got = peer.sock.recv(RECEIVE_BYTES)
        if not got:
            raise raw_client.BenchError("the broker closed a member's connection")
        data = peer.held + got if peer.held else got
        if len(data) < 4 or len(data) < 4 + struct.unpack_from(">i", data)[0]:
            peer.held = data
            return
        peer.held = b""
        kind, peer.asked = peer.asked, None
        assert kind is not None
        self._answered(peer, kind, group_wire.answer(kind, data[4:]))

    def _answered(self, peer: Peer, kind: type, response: Any) -> None:
        if peer.left:
            return
        error = response.error_code
        if error in (LOADING, NOT_AVAILABLE, NOT_COORDINATOR):
            self._later(peer, RETRY_S)
        elif error in (REBALANCE, ILLEGAL_GENERATION):
            self._join(peer)
        elif error == UNKNOWN_MEMBER:
            self.unexpected += 1
            peer.member_id = ""
            self._join(peer)
        elif error and error != MEMBER_ID_REQUIRED:
            raise raw_client.BenchError(f"{kind.__name__} answered error {error}")
        elif kind is JoinGroupRequest:
            peer.member_id = response.member_id
            if error:
                self._join(peer)
                return
            peer.generation = response.generation_id
            members: list[str] = []
            if response.leader == peer.member_id:
                members = [each.member_id for each in response.members]
                self._sizes[peer.group] = len(members)
            self._send(peer, group_wire.sync(peer.group, peer.generation, peer.member_id, members))
        elif kind is SyncGroupRequest:
            peer.stable = True
            self._stable += 1
            self._later(peer, self._heartbeat_s)
        else:
            assert kind in (HeartbeatRequest, LeaveGroupRequest)
            self._later(peer, self._heartbeat_s)
