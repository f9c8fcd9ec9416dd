"""Keys: authorizer, principals, tokens and the encoding of passwords."""

from __future__ import annotations

from wirebroker.config.effects import refused
from wirebroker.config.keys import CLASS, INT, LONG, PASSWORD, PER_BROKER, STRING, ignored_key, key
from wirebroker.config.values import at_least

_BUILDER = "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder"

# fmt: off
KEYS = (
    key("authorizer.class.name", STRING, "",
        effect=refused("every client may read, write and delete everything"),
        text="Java class that authorizes requests; empty allows everything to every client."),
    ignored_key("delegation.token.expiry.check.interval.ms", LONG, 3_600_000, at_least(1),
        text="How often to look for tokens that have expired."),
    ignored_key("delegation.token.expiry.time.ms", LONG, 86_400_000, at_least(1),
        text="How long a token is good before it must be renewed."),
    key("delegation.token.master.key", PASSWORD, None,
        effect=refused("no delegation tokens are issued or accepted"),
        text="Older name of delegation.token.secret.key."),
    ignored_key("delegation.token.max.lifetime.ms", LONG, 604_800_000, at_least(1),
        text="How long a token can be renewed."),
    key("delegation.token.secret.key", PASSWORD, None,
        effect=refused("no delegation tokens are issued or accepted"),
        text="Secret that signs delegation tokens, the same on all brokers."),
    ignored_key("early.start.listeners", STRING, None,
        text="Listeners that open before the authorizer is ready."),
    ignored_key("password.encoder.cipher.algorithm", STRING, "AES/CBC/PKCS5Padding",
        text="Cipher for passwords kept in ZooKeeper."),
    ignored_key("password.encoder.iterations", INT, 4096, at_least(1024),
        text="Rounds of key derivation for passwords kept in ZooKeeper."),
    ignored_key("password.encoder.key.length", INT, 128, at_least(8),
        text="Key length for passwords kept in ZooKeeper."),
    ignored_key("password.encoder.keyfactory.algorithm", STRING, None,
        text="Key derivation for passwords kept in ZooKeeper."),
    ignored_key("password.encoder.old.secret", PASSWORD, None,
        text="The secret before, while it is being changed."),
    ignored_key("password.encoder.secret", PASSWORD, None,
        text="Secret that encodes passwords kept in ZooKeeper."),
    key("principal.builder.class", CLASS, _BUILDER, scope=PER_BROKER,
        effect=refused("every client is User:ANONYMOUS", (_BUILDER,)),
        text="Java class that makes the principal of an authenticated connection."),
    key("security.providers", STRING, None,
        effect=refused("no Java security provider is loaded"),
        text="Java classes that add security algorithms."),
)
# fmt: on
