"""Keys: listeners, sockets and connection limits."""

from __future__ import annotations

from wirebroker.config.effects import IN_CLUSTER, refused
from wirebroker.config.keys import BOOLEAN, CLUSTER_WIDE, INT, LONG, PER_BROKER, STRING, UNLIMITED, ignored_key, key
from wirebroker.config.values import at_least, host_counts, one_of

# fmt: off
KEYS = (
    key("advertised.host.name", STRING, None, removed_in="3.0",
        text="Host name to tell clients; use advertised.listeners."),
    key("advertised.listeners", STRING, None, scope=PER_BROKER,
        text="Addresses for clients, NAME://host:port by listener. A listener that is not named here is advertised as "
             "the address its client has reached."),
    key("advertised.port", INT, None, removed_in="3.0",
        text="Port to tell clients; use advertised.listeners."),
    ignored_key("connection.failed.authentication.delay.ms", INT, 100, at_least(0),
        text="How long to keep a connection open after it failed to log in."),
    key("connections.max.idle.ms", LONG, 600_000,
        text="Close a connection without requests for this long."),
    key("control.plane.listener.name", STRING, None, effect=IN_CLUSTER,
        text="Listener for requests of and to the controller of a ZooKeeper cluster, which serves no others; without "
             "it they use the listener of other brokers."),
    key("host.name", STRING, "", removed_in="3.0",
        text="Address to listen on; use listeners."),
    key("inter.broker.listener.name", STRING, None, effect=IN_CLUSTER,
        text="Listener that brokers use among themselves."),
    key("listener.security.protocol.map", STRING,
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT", scope=PER_BROKER,
        text="Security protocol of each listener name, NAME:PROTOCOL with commas between."),
    key("listeners", STRING, "PLAINTEXT://:9092", scope=PER_BROKER, standalone="PLAINTEXT://127.0.0.1:9092",
        text="Addresses to listen on, NAME://host:port with commas between; no host means every interface."),
    key("max.connection.creation.rate", INT, UNLIMITED, at_least(0), CLUSTER_WIDE,
        text="The most new connections per second, measured over ten; more of them have to wait."),
    key("max.connections", INT, UNLIMITED, at_least(0), CLUSTER_WIDE,
        text="The most connections at one time; further ones have to wait."),
    key("max.connections.per.ip", INT, UNLIMITED, at_least(0), CLUSTER_WIDE,
        text="The most connections at one time from one address."),
    key("max.connections.per.ip.overrides", STRING, "", host_counts, CLUSTER_WIDE,
        text="Exceptions from max.connections.per.ip, host:count with commas between."),
    ignored_key("num.network.threads", INT, 3, at_least(1), CLUSTER_WIDE,
        text="Threads that move bytes in Kafka; wirebroker has one event loop."),
    key("port", INT, 9092, removed_in="3.0",
        text="Port to listen on; use listeners."),
    ignored_key("queued.max.request.bytes", LONG, -1,
        text="How many bytes of requests may wait before Kafka stops reading; -1 is no limit."),
    ignored_key("queued.max.requests", INT, 500, at_least(1),
        text="How many requests may wait before Kafka stops reading."),
    key("security.inter.broker.protocol", STRING, "PLAINTEXT",
        one_of("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
        effect=refused("connections between brokers are not protected", cluster=True),
        text="Security protocol among brokers, unless inter.broker.listener.name is set."),
    ignored_key("socket.connection.setup.timeout.max.ms", LONG, 30_000,
        text="The longest wait for a connection that the broker opens."),
    ignored_key("socket.connection.setup.timeout.ms", LONG, 10_000,
        text="The first wait for a connection that the broker opens."),
    key("socket.listen.backlog.size", INT, 50, at_least(1),
        text="How many connections may wait to be accepted."),
    key("socket.receive.buffer.bytes", INT, 100 << 10,
        text="SO_RCVBUF of client connections; -1 leaves it to the system, as wirebroker does unless this is set."),
    key("socket.request.max.bytes", INT, 100 << 20, at_least(1),
        text="The largest request; a larger one closes its connection."),
    key("socket.send.buffer.bytes", INT, 100 << 10,
        text="SO_SNDBUF of client connections, at least 400 kB here, 300 kB from the first response with 4 MB of "
             "records of one partition on; -1 leaves it to the system."),
    key("wirebroker.socket.busy.poll", BOOLEAN, True, internal=True,
        text="Poll sockets without sleep for up to 0.2 ms while requests or acknowledgements follow one another that "
             "fast, which saves waking up. Turn it off where other processes need the processor."),
)
# fmt: on
