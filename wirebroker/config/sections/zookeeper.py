"""Keys: the connection to ZooKeeper."""

from __future__ import annotations

from wirebroker.config.effects import IN_CLUSTER, JOINS_CLUSTER, refused
from wirebroker.config.keys import BOOLEAN, INT, LIST, PASSWORD, STRING, ignored_key, key
from wirebroker.config.values import at_least

# fmt: off
KEYS = (
    ignored_key("zookeeper.clientCnxnSocket", STRING, None,
        text="Java class of the ZooKeeper client's socket; Netty for TLS."),
    key("zookeeper.connect", STRING, None, effect=JOINS_CLUSTER,
        text="ZooKeeper servers, host:port with commas between, and a path at the end."),
    key("zookeeper.connection.timeout.ms", INT, None, effect=IN_CLUSTER,
        text="How long to wait for a connection; the session timeout when not set."),
    key("zookeeper.max.in.flight.requests", INT, 10, at_least(1), effect=IN_CLUSTER,
        text="How many requests may be under way."),
    key("zookeeper.metadata.migration.enable", BOOLEAN, False,
        effect=refused("this broker takes no part in a migration to KRaft", cluster=True),
        text="Take part in moving a cluster from ZooKeeper to KRaft."),
    ignored_key("zookeeper.metadata.migration.min.batch.size", INT, 200, at_least(1), internal=True,
        text="How many records that move writes at a time, at least."),
    key("zookeeper.session.timeout.ms", INT, 18_000, effect=IN_CLUSTER,
        text="ZooKeeper ends the session of a broker that is silent for this long."),
    key("zookeeper.set.acl", BOOLEAN, False,
        effect=refused("everybody may write what it stores in ZooKeeper", cluster=True),
        text="Let only the broker write what it stores."),
    ignored_key("zookeeper.ssl.cipher.suites", LIST, None,
        text="Cipher suites for ZooKeeper."),
    key("zookeeper.ssl.client.enable", BOOLEAN, False,
        effect=refused("the connection to ZooKeeper is not encrypted", cluster=True),
        text="Use TLS to ZooKeeper."),
    ignored_key("zookeeper.ssl.crl.enable", BOOLEAN, False,
        text="Look at revocation lists."),
    ignored_key("zookeeper.ssl.enabled.protocols", LIST, None,
        text="TLS versions for ZooKeeper."),
    ignored_key("zookeeper.ssl.endpoint.identification.algorithm", STRING, "HTTPS",
        text="Check ZooKeeper's host name with HTTPS; empty for no check."),
    ignored_key("zookeeper.ssl.keystore.location", STRING, None,
        text="File with the key and certificate to show to ZooKeeper."),
    ignored_key("zookeeper.ssl.keystore.password", PASSWORD, None,
        text="Password of that file."),
    ignored_key("zookeeper.ssl.keystore.type", STRING, None,
        text="Type of that file."),
    ignored_key("zookeeper.ssl.ocsp.enable", BOOLEAN, False,
        text="Ask for a certificate's status online."),
    ignored_key("zookeeper.ssl.protocol", STRING, "TLSv1.2",
        text="TLS version to speak with ZooKeeper."),
    ignored_key("zookeeper.ssl.truststore.location", STRING, None,
        text="File with the certificates to trust."),
    ignored_key("zookeeper.ssl.truststore.password", PASSWORD, None,
        text="Password of that file."),
    ignored_key("zookeeper.ssl.truststore.type", STRING, None,
        text="Type of that file."),
    ignored_key("zookeeper.sync.time.ms", INT, 2000, removed_in="3.0",
        text="How far a ZooKeeper follower may be behind."),
)
# fmt: on
