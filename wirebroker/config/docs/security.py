"""Texts of the keys in `sections/security.py`."""

from __future__ import annotations

TEXTS = {
    "authorizer.class.name": "What decides who may do what; empty lets everybody do everything.",
    "delegation.token.expiry.check.interval.ms": "How often to look for tokens that have expired.",
    "delegation.token.expiry.time.ms": "How long a token is good before it must be renewed.",
    "delegation.token.master.key": "Older name of delegation.token.secret.key.",
    "delegation.token.max.lifetime.ms": "How long a token can be renewed.",
    "delegation.token.secret.key": "Secret that signs delegation tokens, the same on all brokers.",
    "early.start.listeners": "Listeners that open before the authorizer is ready.",
    "password.encoder.cipher.algorithm": "Cipher for passwords kept in ZooKeeper.",
    "password.encoder.iterations": "Rounds of key derivation for passwords kept in ZooKeeper.",
    "password.encoder.key.length": "Key length for passwords kept in ZooKeeper.",
    "password.encoder.keyfactory.algorithm": "Key derivation for passwords kept in ZooKeeper.",
    "password.encoder.old.secret": "The secret before, while it is being changed.",
    "password.encoder.secret": "Secret that encodes passwords kept in ZooKeeper.",
    "principal.builder.class": "Java class that makes a principal of what a connection has proven.",
    "security.providers": "Java classes that add security algorithms.",
}
