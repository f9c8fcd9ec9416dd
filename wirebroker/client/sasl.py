"""SASL of the client's connections: PLAIN (RFC 4616) and SCRAM (RFC 5802, KIP-84) in SaslAuthenticate (KIP-152)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, Final

from wirebroker.client.security import PLAIN, SCRAM_HASHES
from wirebroker.protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from wirebroker.protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse

if TYPE_CHECKING:
    from collections.abc import Callable

    from wirebroker.client.security import Credentials
    from wirebroker.protocol.message import WritableMessage

_FRAMED: Final = 1
"""The version of SaslHandshake after which tokens are in SaslAuthenticate requests."""
_NO_CHANNEL_BINDING: Final = "n,,"
_NONCE_BYTES: Final = 24
_LOWEST_ITERATIONS: Final = 4096
"""Of both mechanisms, as Kafka's clients require."""
_HIGHEST_ITERATIONS: Final = 16_384
"""The most that Kafka's brokers accept for a credential."""


class SaslError(Exception):
    """The broker refuses the credentials or the mechanism, or does not prove that it knows the password."""


class PlainExchange:
    """The client's side of PLAIN: one token, with name and password."""

    def __init__(self, credentials: Credentials) -> None:
        self._credentials = credentials

    def first_token(self) -> bytes:
        """Return the token to send."""
        return f"\0{self._credentials.username}\0{self._credentials.password}".encode()

    def next_token(self, challenge: bytes) -> None:
        """Return None: nothing follows."""


class ScramExchange:
    """The client's side of SCRAM-SHA-256 or SCRAM-SHA-512: the password itself is not sent."""

    def __init__(self, credentials: Credentials, nonce: str | None = None) -> None:
        """Begin an exchange.

        Args:
            credentials: of a SCRAM mechanism.
            nonce: printable and without a comma; a random one if it is None.
        """
        self._hash = SCRAM_HASHES[credentials.mechanism]
        self._password = credentials.password.encode()
        self._nonce = secrets.token_urlsafe(_NONCE_BYTES) if nonce is None else nonce
        name = credentials.username.replace("=", "=3D").replace(",", "=2C")
        self._first_bare = f"n={name},r={self._nonce}"
        self._server_signature: bytes | None = None

    def first_token(self) -> bytes:
        """Return the client-first-message."""
        return f"{_NO_CHANNEL_BINDING}{self._first_bare}".encode()

    def next_token(self, challenge: bytes) -> bytes | None:
        """Return the answer to the broker's *challenge*: the client-final-message, then None.

        Raises:
            SaslError: the broker refuses, or its message is not one of SCRAM.
        """
        attributes = _attributes(challenge)
        if "e" in attributes:
            raise SaslError(f"the broker refuses: {attributes['e']}")
        if self._server_signature is None:
            return self._final_token(challenge.decode(), attributes)
        if not hmac.compare_digest(_decoded(attributes.get("v")), self._server_signature):
            raise SaslError("the broker does not know the password: its signature is another one")
        return None

    def _final_token(self, server_first: str, attributes: dict[str, str]) -> bytes:
        nonce, count = attributes.get("r", ""), attributes.get("i", "")
        if not nonce.startswith(self._nonce) or len(nonce) == len(self._nonce):
            raise SaslError("the broker's nonce does not begin with the client's")
        iterations = int(count) if count.isascii() and count.isdigit() else 0
        if not _LOWEST_ITERATIONS <= iterations <= _HIGHEST_ITERATIONS:
            bounds = f"{_LOWEST_ITERATIONS} to {_HIGHEST_ITERATIONS}"
            raise SaslError(f"the broker names {count or 'no'} iterations; {bounds} are accepted")
        salted = hashlib.pbkdf2_hmac(self._hash, self._password, _decoded(attributes.get("s")), iterations)
        client_key = self._mac(salted, b"Client Key")
        binding = base64.b64encode(_NO_CHANNEL_BINDING.encode()).decode()
        without_proof = f"c={binding},r={nonce}"
        auth_message = f"{self._first_bare},{server_first},{without_proof}".encode()
        signature = self._mac(hashlib.new(self._hash, client_key).digest(), auth_message)
        self._server_signature = self._mac(self._mac(salted, b"Server Key"), auth_message)
        proof = bytes(ours ^ theirs for ours, theirs in zip(client_key, signature, strict=True))
        return f"{without_proof},p={base64.b64encode(proof).decode()}".encode()

    def _mac(self, key: bytes, message: bytes) -> bytes:
        return hmac.digest(key, message, self._hash)


def _attributes(message: bytes) -> dict[str, str]:
    """Return letter -> value of a message of SCRAM.

    Raises:
        SaslError: *message* is of another form.
    """
    try:
        parts = [part.partition("=") for part in message.decode().split(",")]
    except UnicodeDecodeError:
        parts = []
    if not parts or not all(equals for _, equals, _ in parts):
        raise SaslError("the broker's message is not one of SCRAM")
    return {letter: value for letter, _, value in parts}


def _decoded(text: str | None) -> bytes:
    """Return the bytes of base64 *text*.

    Raises:
        SaslError: it is none.
    """
    try:
        return base64.b64decode((text or "").encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise SaslError("the broker's message has a value that is not base64") from None


def authenticate(send: Callable[[WritableMessage, int | None], object], credentials: Credentials) -> None:
    """Authenticate a connection before its first other request.

    Args:
        send: sends a request, at most at a version (None: the newest), and returns the response.
        credentials: name, password and mechanism.

    Raises:
        SaslError: the broker has not the mechanism, or refuses the credentials.
    """
    handshake = send(SaslHandshakeRequest(mechanism=credentials.mechanism), _FRAMED)
    assert isinstance(handshake, SaslHandshakeResponse)
    if handshake.error_code:
        if not handshake.mechanisms:
            raise SaslError("the listener has no SASL; set security.protocol to that of the listener")
        enabled = ", ".join(handshake.mechanisms)
        raise SaslError(f"the listener does not have {credentials.mechanism}; it has {enabled}")
    kind = PlainExchange if credentials.mechanism == PLAIN else ScramExchange
    exchange = kind(credentials)
    token: bytes | None = exchange.first_token()
    while token is not None:
        response = send(SaslAuthenticateRequest(auth_bytes=token), None)
        assert isinstance(response, SaslAuthenticateResponse)
        if response.error_code:
            raise SaslError(response.error_message or "the broker refuses the credentials")
        token = exchange.next_token(bytes(response.auth_bytes))
