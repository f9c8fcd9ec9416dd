"""Keys: authorizer, principals, tokens and the encoding of passwords."""

from __future__ import annotations

from wirebroker.config.effects import refused
from wirebroker.config.keys import CLASS, HIGH, INT, LONG, LOW, MEDIUM, PASSWORD, PER_BROKER, STRING, inert, key
from wirebroker.config.values import at_least

_BUILDER = "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder"

# fmt: off
KEYS = (
    key("authorizer.class.name", STRING, "", LOW,
        effect=refused("every client may read, write and delete everything"),
        text="What decides who may do what; empty lets everybody do everything."),
    inert("delegation.token.expiry.check.interval.ms", LONG, 3_600_000, LOW, at_least(1),
        text="How often to look for tokens that have expired."),
    inert("delegation.token.expiry.time.ms", LONG, 86_400_000, MEDIUM, at_least(1),
        text="How long a token is good before it must be renewed."),
    key("delegation.token.master.key", PASSWORD, None, MEDIUM,
        effect=refused("no delegation tokens are issued or accepted"),
        text="Older name of delegation.token.secret.key."),
    inert("delegation.token.max.lifetime.ms", LONG, 604_800_000, MEDIUM, at_least(1),
        text="How long a token can be renewed."),
    key("delegation.token.secret.key", PASSWORD, None, MEDIUM,
        effect=refused("no delegation tokens are issued or accepted"),
        text="Secret that signs delegation tokens, the same on all brokers."),
    inert("early.start.listeners", STRING, None, HIGH,
        text="Listeners that open before the authorizer is ready."),
    inert("password.encoder.cipher.algorithm", STRING, "AES/CBC/PKCS5Padding", LOW,
        text="Cipher for passwords kept in ZooKeeper."),
    inert("password.encoder.iterations", INT, 4096, LOW, at_least(1024),
        text="Rounds of key derivation for passwords kept in ZooKeeper."),
    inert("password.encoder.key.length", INT, 128, LOW, at_least(8),
        text="Key length for passwords kept in ZooKeeper."),
    inert("password.encoder.keyfactory.algorithm", STRING, None, LOW,
        text="Key derivation for passwords kept in ZooKeeper."),
    inert("password.encoder.old.secret", PASSWORD, None, MEDIUM,
        text="The secret before, while it is being changed."),
    inert("password.encoder.secret", PASSWORD, None, MEDIUM,
        text="Secret that encodes passwords kept in ZooKeeper."),
    key("principal.builder.class", CLASS, _BUILDER, MEDIUM, scope=PER_BROKER,
        effect=refused("every client is User:ANONYMOUS", (_BUILDER,)),
        text="Java class that makes a principal of what a connection has proven."),
    key("security.providers", STRING, None, LOW,
        effect=refused("no Java security provider is loaded"),
        text="Java classes that add security algorithms."),
)
# fmt: on
