"""Keys: listeners, sockets and connection limits."""

from __future__ import annotations

from wirebroker.config.keys import CLUSTER_WIDE, HIGH, INT, LONG, LOW, MEDIUM, PER_BROKER, STRING, UNLIMITED, inert, key
from wirebroker.config.values import at_least, host_counts, one_of

KEYS = (
    key("advertised.host.name", STRING, None, HIGH, removed_in="3.0"),
    key("advertised.listeners", STRING, None, HIGH, scope=PER_BROKER),
    key("advertised.port", INT, None, HIGH, removed_in="3.0"),
    inert("connection.failed.authentication.delay.ms", INT, 100, LOW, at_least(0)),
    key("connections.max.idle.ms", LONG, 600_000, MEDIUM),
    inert("control.plane.listener.name", STRING, None, HIGH),
    key("host.name", STRING, "", HIGH, removed_in="3.0"),
    key("inter.broker.listener.name", STRING, None, MEDIUM),
    key(
        "listener.security.protocol.map",
        STRING,
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
        LOW,
        scope=PER_BROKER,
    ),
    key("listeners", STRING, "PLAINTEXT://:9092", HIGH, scope=PER_BROKER),
    key("max.connection.creation.rate", INT, UNLIMITED, MEDIUM, at_least(0), CLUSTER_WIDE),
    key("max.connections", INT, UNLIMITED, MEDIUM, at_least(0), CLUSTER_WIDE),
    key("max.connections.per.ip", INT, UNLIMITED, MEDIUM, at_least(0), CLUSTER_WIDE),
    key("max.connections.per.ip.overrides", STRING, "", MEDIUM, host_counts, CLUSTER_WIDE),
    inert("num.network.threads", INT, 3, HIGH, at_least(1), CLUSTER_WIDE),
    key("port", INT, 9092, HIGH, removed_in="3.0"),
    inert("queued.max.request.bytes", LONG, -1, MEDIUM),
    inert("queued.max.requests", INT, 500, HIGH, at_least(1)),
    key(
        "security.inter.broker.protocol",
        STRING,
        "PLAINTEXT",
        MEDIUM,
        one_of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
    ),
    inert("socket.connection.setup.timeout.max.ms", LONG, 30_000, MEDIUM),
    inert("socket.connection.setup.timeout.ms", LONG, 10_000, MEDIUM),
    key("socket.listen.backlog.size", INT, 50, MEDIUM, at_least(1)),
    key("socket.receive.buffer.bytes", INT, 100 << 10, HIGH),
    key("socket.request.max.bytes", INT, 100 << 20, HIGH, at_least(1)),
    key("socket.send.buffer.bytes", INT, 100 << 10, HIGH),
)
