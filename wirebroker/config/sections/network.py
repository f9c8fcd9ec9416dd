"""Keys: listeners, sockets and connection limits."""

from __future__ import annotations

from wirebroker.config.effects import refused
from wirebroker.config.keys import CLUSTER_WIDE, HIGH, INT, LONG, LOW, MEDIUM, PER_BROKER, STRING, UNLIMITED, inert, key
from wirebroker.config.values import at_least, host_counts, one_of

# fmt: off
KEYS = (
    key("advertised.host.name", STRING, None, HIGH, removed_in="3.0",
        text="Host name to tell clients; use advertised.listeners."),
    key("advertised.listeners", STRING, None, HIGH, scope=PER_BROKER,
        text="Addresses to tell clients, NAME://host:port by listener. A listener that is not named here is told as "
             "the address its client has reached."),
    key("advertised.port", INT, None, HIGH, removed_in="3.0",
        text="Port to tell clients; use advertised.listeners."),
    inert("connection.failed.authentication.delay.ms", INT, 100, LOW, at_least(0),
        text="How long to keep a connection open after it failed to log in."),
    key("connections.max.idle.ms", LONG, 600_000, MEDIUM,
        text="Close a connection after so long without a request."),
    key("control.plane.listener.name", STRING, None, HIGH,
        effect=refused("clients may connect to this listener, too", cluster=True),
        text="Listener that the controller of a ZooKeeper cluster uses to reach this broker."),
    key("host.name", STRING, "", HIGH, removed_in="3.0",
        text="Address to listen on; use listeners."),
    inert("inter.broker.listener.name", STRING, None, MEDIUM,
        text="Listener that brokers use among themselves."),
    key("listener.security.protocol.map", STRING,
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT", LOW, scope=PER_BROKER,
        text="Security protocol of each listener name, NAME:PROTOCOL with commas between."),
    key("listeners", STRING, "PLAINTEXT://:9092", HIGH, scope=PER_BROKER,
        text="Addresses to listen on, NAME://host:port with commas between; no host means every interface."),
    key("max.connection.creation.rate", INT, UNLIMITED, MEDIUM, at_least(0), CLUSTER_WIDE,
        text="The most new connections per second, measured over ten; more of them have to wait."),
    key("max.connections", INT, UNLIMITED, MEDIUM, at_least(0), CLUSTER_WIDE,
        text="The most connections at one time; further ones have to wait."),
    key("max.connections.per.ip", INT, UNLIMITED, MEDIUM, at_least(0), CLUSTER_WIDE,
        text="The most connections at one time from one address."),
    key("max.connections.per.ip.overrides", STRING, "", MEDIUM, host_counts, CLUSTER_WIDE,
        text="Exceptions from max.connections.per.ip, host:count with commas between."),
    inert("num.network.threads", INT, 3, HIGH, at_least(1), CLUSTER_WIDE,
        text="Threads that move bytes in Kafka; wirebroker has one event loop."),
    key("port", INT, 9092, HIGH, removed_in="3.0",
        text="Port to listen on; use listeners."),
    inert("queued.max.request.bytes", LONG, -1, MEDIUM,
        text="How many bytes of requests may wait before Kafka stops reading; -1 is no limit."),
    inert("queued.max.requests", INT, 500, HIGH, at_least(1),
        text="How many requests may wait before Kafka stops reading."),
    key("security.inter.broker.protocol", STRING, "PLAINTEXT", MEDIUM,
        one_of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
        effect=refused("there are no connections between brokers to protect", cluster=True),
        text="Security protocol among brokers, unless inter.broker.listener.name is set."),
    inert("socket.connection.setup.timeout.max.ms", LONG, 30_000, MEDIUM,
        text="The longest wait for a connection that the broker opens."),
    inert("socket.connection.setup.timeout.ms", LONG, 10_000, MEDIUM,
        text="The first wait for a connection that the broker opens."),
    key("socket.listen.backlog.size", INT, 50, MEDIUM, at_least(1),
        text="How many connections may wait to be accepted."),
    key("socket.receive.buffer.bytes", INT, 100 << 10, HIGH,
        text="SO_RCVBUF of client connections; -1 leaves it to the system, as wirebroker does unless this is set."),
    key("socket.request.max.bytes", INT, 100 << 20, HIGH, at_least(1),
        text="The largest request; a larger one closes its connection."),
    key("socket.send.buffer.bytes", INT, 100 << 10, HIGH,
        text="SO_SNDBUF of client connections, at least 400 kB here; -1 leaves it to the system."),
)
# fmt: on
