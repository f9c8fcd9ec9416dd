"""The exchanges of SASL: the examples of the RFCs, and brokers that are none."""

from __future__ import annotations

from typing import Any

import pytest

from wirebroker.client.sasl import PlainExchange, SaslError, ScramExchange, authenticate
from wirebroker.client.security import Credentials
from wirebroker.protocol.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from wirebroker.protocol.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse

NONCE = "rOprNGfwEbeRWgbNEkqO"
SALT = "W22ZaJ0SNY7soEsUEjb6gQ=="
SERVER_FIRST = f"r={NONCE}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s={SALT},i=4096".encode()
SERVER_FINAL = b"v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="


def scram() -> ScramExchange:
    return ScramExchange(Credentials("SCRAM-SHA-256", "user", "pencil"), NONCE)


def test_plain() -> None:
    exchange = PlainExchange(Credentials("PLAIN", "tim", "tanstaaftanstaaf"))
    assert exchange.first_token() == b"\0tim\0tanstaaftanstaaf"
    exchange.next_token(b"")


def test_the_example_of_rfc_7677() -> None:
    exchange = scram()
    assert exchange.first_token() == f"n,,n=user,r={NONCE}".encode()
    assert exchange.next_token(SERVER_FIRST) == (
        f"c=biws,r={NONCE}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=".encode()
    )
    assert exchange.next_token(SERVER_FINAL) is None


def test_names_are_escaped() -> None:
    exchange = ScramExchange(Credentials("SCRAM-SHA-512", "a=b,c", "p"), "n")
    assert exchange.first_token() == b"n,,n=a=3Db=2Cc,r=n"


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        ([b"r=other,s=c2FsdA==,i=4096"], "the broker's nonce does not begin with the client's"),
        ([f"r={NONCE},s=c2FsdA==,i=4096".encode()], "the broker's nonce does not begin with the client's"),
        ([f"r={NONCE}x,s=c2FsdA==,i=4095".encode()], "the broker names 4095 iterations; 4096 to 16384 are accepted"),
        ([f"r={NONCE}x,s=c2FsdA==,i=99999999".encode()], "the broker names 99999999 iterations"),
        ([f"r={NONCE}x,s=c2FsdA==".encode()], "the broker names no iterations"),
        ([f"r={NONCE}x,s=?,i=4096".encode()], "a value that is not base64"),
        ([b"\xff"], "the broker's message is not one of SCRAM"),
        ([b"nothing"], "the broker's message is not one of SCRAM"),
        ([b"e=unknown-user"], "the broker refuses: unknown-user"),
        ([SERVER_FIRST, b"v=AAAA"], "the broker does not know the password"),
        ([SERVER_FIRST, b"e=invalid-proof"], "the broker refuses: invalid-proof"),
    ],
)
def test_a_broker_that_is_none(messages: list[bytes], says: str) -> None:
    exchange, *earlier, last = scram(), *messages
    for message in earlier:
        exchange.next_token(message)
    with pytest.raises(SaslError, match=says):
        exchange.next_token(last)


class FakeListener:
    """Canned answers, in order; the requests are kept."""

    def __init__(self, *answers: object) -> None:
        self._answers = list(answers)
        self.requests: list[tuple[Any, int | None]] = []

    def send(self, request: Any, highest: int | None) -> object:
        self.requests.append((request, highest))
        return self._answers.pop(0)


def test_a_listener_with_plain() -> None:
    listener = FakeListener(SaslHandshakeResponse(0, ["PLAIN"]), SaslAuthenticateResponse())
    authenticate(listener.send, Credentials("PLAIN", "me", "word"))
    (handshake, highest), (token, _) = listener.requests
    assert (handshake, highest) == (SaslHandshakeRequest("PLAIN"), 1)
    assert token == SaslAuthenticateRequest(b"\0me\0word")


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ([SaslHandshakeResponse(33, ["PLAIN", "GSSAPI"])], "does not have SCRAM-SHA-256; it has PLAIN, GSSAPI"),
        ([SaslHandshakeResponse(34, [])], "the listener has no SASL"),
        ([SaslHandshakeResponse(0, []), SaslAuthenticateResponse(58, "wrong password")], "wrong password"),
        ([SaslHandshakeResponse(0, []), SaslAuthenticateResponse(58, None)], "the broker refuses the credentials"),
    ],
)
def test_a_listener_that_refuses(answers: list[object], says: str) -> None:
    with pytest.raises(SaslError, match=says):
        authenticate(FakeListener(*answers).send, Credentials("SCRAM-SHA-256", "me", "word"))


def test_passwords_are_in_no_representation() -> None:
    assert "word" not in repr(Credentials("PLAIN", "me", "word"))
