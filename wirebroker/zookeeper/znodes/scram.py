"""SCRAM credentials of users, settings of /config/users/U by the name of their mechanism (KIP-84).

The value is `salt=S,stored_key=K,server_key=V,iterations=N`, with S, K and V in Base64.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode, b64encode
from enum import IntEnum
from typing import Final, NamedTuple, Self

_FIELDS: Final = ("salt", "stored_key", "server_key", "iterations")


class ScramMechanism(IntEnum):
    """A SCRAM mechanism, by its number in requests about credentials (KIP-554)."""

    SCRAM_SHA_256 = 1
    SCRAM_SHA_512 = 2

    @property
    def setting(self) -> str:
        """The name of the mechanism, and of the setting of a user that has the credential: SCRAM-SHA-256."""
        return self.name.replace("_", "-")

    @property
    def hash_name(self) -> str:
        """The name of the hash function for hashlib."""
        return self.name.removeprefix("SCRAM_").replace("_", "").lower()


class ScramCredential(NamedTuple):
    """The keys by which a broker checks a user's password without knowing it (RFC 5802)."""

    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int

    @classmethod
    def of_salted_password(
        cls, mechanism: ScramMechanism, salt: bytes, salted_password: bytes, iterations: int
    ) -> Self:
        """Return the credential for a password that a client has salted and hashed."""
        client_key = hmac.digest(salted_password, b"Client Key", mechanism.hash_name)
        server_key = hmac.digest(salted_password, b"Server Key", mechanism.hash_name)
        return cls(salt, hashlib.new(mechanism.hash_name, client_key).digest(), server_key, iterations)

    def encode(self) -> str:
        """Return the value of the setting."""
        *keys, iterations = self
        values = [*(b64encode(key).decode() for key in keys), str(iterations)]
        return ",".join(f"{name}={value}" for name, value in zip(_FIELDS, values, strict=True))

    @classmethod
    def decode(cls, text: str) -> Self:
        """Return the credential in the value of a setting.

        Raises:
            ValueError: *text* is no credential.
        """
        fields = dict(each.split("=", 1) for each in text.split(","))
        if fields.keys() != set(_FIELDS):
            raise ValueError(f"a credential has {', '.join(_FIELDS)}")
        salt, stored_key, server_key = (b64decode(fields[name], validate=True) for name in _FIELDS[:3])
        return cls(salt, stored_key, server_key, int(fields["iterations"]))
