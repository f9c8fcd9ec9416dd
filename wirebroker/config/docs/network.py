"""Texts of the keys in `sections/network.py`."""

from __future__ import annotations

TEXTS = {
    "advertised.host.name": "Host name to tell clients; use advertised.listeners.",
    "advertised.listeners": (
        "Addresses to tell clients, NAME://host:port by listener. "
        "A listener that is not named here is told as the address its client has reached."
    ),
    "advertised.port": "Port to tell clients; use advertised.listeners.",
    "connection.failed.authentication.delay.ms": "How long to keep a connection open after it failed to log in.",
    "connections.max.idle.ms": "Close a connection after so long without a request.",
    "control.plane.listener.name": "Listener that the controller of a ZooKeeper cluster uses to reach this broker.",
    "host.name": "Address to listen on; use listeners.",
    "inter.broker.listener.name": "Listener that brokers use among themselves.",
    "listener.security.protocol.map": "Security protocol of each listener name, NAME:PROTOCOL with commas between.",
    "listeners": "Addresses to listen on, NAME://host:port with commas between; no host means every interface.",
    "max.connection.creation.rate": (
        "The most new connections per second, measured over ten; more of them have to wait."
    ),
    "max.connections": "The most connections at one time; further ones have to wait.",
    "max.connections.per.ip": "The most connections at one time from one address.",
    "max.connections.per.ip.overrides": "Exceptions from max.connections.per.ip, host:count with commas between.",
    "num.network.threads": "Threads that move bytes in Kafka; wirebroker has one event loop.",
    "port": "Port to listen on; use listeners.",
    "queued.max.request.bytes": "How many bytes of requests may wait before Kafka stops reading; -1 is no limit.",
    "queued.max.requests": "How many requests may wait before Kafka stops reading.",
    "security.inter.broker.protocol": "Security protocol among brokers, unless inter.broker.listener.name is set.",
    "socket.connection.setup.timeout.max.ms": "The longest wait for a connection that the broker opens.",
    "socket.connection.setup.timeout.ms": "The first wait for a connection that the broker opens.",
    "socket.listen.backlog.size": "How many connections may wait to be accepted.",
    "socket.receive.buffer.bytes": (
        "SO_RCVBUF of client connections; -1 leaves it to the system, as wirebroker does unless this is set."
    ),
    "socket.request.max.bytes": "The largest request; a larger one closes its connection.",
    "socket.send.buffer.bytes": "SO_SNDBUF of client connections, at least 400 kB here; -1 leaves it to the system.",
}
