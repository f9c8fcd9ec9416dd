"""How a client secures its connections to brokers: TLS and SASL, as values.

`tls.py` and `sasl.py` do it; both are imported by the first connection that asks for them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

PLAIN: Final = "PLAIN"
SCRAM_HASHES: Final = {"SCRAM-SHA-256": "sha256", "SCRAM-SHA-512": "sha512"}
"""SCRAM mechanism -> name of its hash function."""
MECHANISMS: Final = (PLAIN, *SCRAM_HASHES)
TLS_VERSIONS: Final = ("TLSv1.2", "TLSv1.3")
"""The versions of TLS that Kafka's clients enable by default, the oldest first."""


class TlsSettings(NamedTuple):
    """The certificates that a client trusts, and those that it presents; all certificates and keys are PEM."""

    trusted_pem: str | None = None
    """The certificates that the broker's must descend from; None: those of the system."""
    certificate_pem: str | None = None
    """The client's certificate and its chain, for a broker with ssl.client.auth."""
    key_pem: str | None = None
    """The private key of that certificate, perhaps encrypted."""
    key_password: str | None = None
    checks_host: bool = True
    """Whether the broker's certificate must name the host that the client connects to."""
    versions: tuple[str, ...] = TLS_VERSIONS
    """The enabled versions of TLS, without gaps, the oldest first."""

    def __repr__(self) -> str:
        return f"TlsSettings(checks_host={self.checks_host}, versions={self.versions})"


class Credentials(NamedTuple):
    """A user's name and password for a SASL mechanism of MECHANISMS."""

    mechanism: str
    username: str
    password: str

    def __repr__(self) -> str:
        return f"Credentials({self.mechanism!r}, {self.username!r})"


class Security(NamedTuple):
    """A security protocol: PLAINTEXT without both, SSL, SASL_PLAINTEXT or SASL_SSL."""

    tls: TlsSettings | None = None
    credentials: Credentials | None = None


PLAINTEXT: Final = Security()
