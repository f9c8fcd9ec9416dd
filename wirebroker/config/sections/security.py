"""Keys: authorizer, principals, tokens and the encoding of passwords."""

from __future__ import annotations

from wirebroker.config.keys import CLASS, HIGH, INT, LONG, LOW, MEDIUM, PASSWORD, PER_BROKER, STRING, inert
from wirebroker.config.values import at_least

KEYS = (
    inert("authorizer.class.name", STRING, "", LOW),
    inert("delegation.token.expiry.check.interval.ms", LONG, 3_600_000, LOW, at_least(1)),
    inert("delegation.token.expiry.time.ms", LONG, 86_400_000, MEDIUM, at_least(1)),
    inert("delegation.token.master.key", PASSWORD, None, MEDIUM),
    inert("delegation.token.max.lifetime.ms", LONG, 604_800_000, MEDIUM, at_least(1)),
    inert("delegation.token.secret.key", PASSWORD, None, MEDIUM),
    inert("early.start.listeners", STRING, None, HIGH),
    inert("password.encoder.cipher.algorithm", STRING, "AES/CBC/PKCS5Padding", LOW),
    inert("password.encoder.iterations", INT, 4096, LOW, at_least(1024)),
    inert("password.encoder.key.length", INT, 128, LOW, at_least(8)),
    inert("password.encoder.keyfactory.algorithm", STRING, None, LOW),
    inert("password.encoder.old.secret", PASSWORD, None, MEDIUM),
    inert("password.encoder.secret", PASSWORD, None, MEDIUM),
    inert(
        "principal.builder.class",
        CLASS,
        "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder",
        MEDIUM,
        scope=PER_BROKER,
    ),
    inert("security.providers", STRING, None, LOW),
)
