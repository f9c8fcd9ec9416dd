"""Requests about SCRAM credentials of users: which there are, new ones, deletions (KIP-554)."""

from __future__ import annotations

import hashlib
import re
import secrets
from typing import TYPE_CHECKING, Final, NamedTuple

from wirebroker.client.admin import response_error
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from wirebroker.protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsRequest, UserName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wirebroker.client.admin import Admin

MECHANISMS: Final = {"SCRAM-SHA-256": 1, "SCRAM-SHA-512": 2}
_HASHES: Final = {1: "sha256", 2: "sha512"}
_CREDENTIAL: Final = re.compile(r"(?:iterations=(-?[0-9]*),)?password=(.*)")
_ITERATIONS, _LOWEST_ITERATIONS = 4096, 4096
_SALT_BYTES: Final = 32


class Upsertion(NamedTuple):
    """A new password of a user for one mechanism."""

    mechanism: str
    iterations: int
    password: str


def parse_credential(mechanism: str, text: str) -> Upsertion:
    """Return the credential in `[iterations=N,]password=P`.

    Raises:
        ValueError: *text* is of another form, in Kafka's words.
    """
    found = _CREDENTIAL.fullmatch(text)
    if not found:
        raise ValueError(f"Invalid credential property {mechanism}={text}")
    iterations = int(found[1]) if found[1] and found[1] != "-1" else _ITERATIONS
    if iterations < _LOWEST_ITERATIONS:
        raise ValueError(
            f"Iterations {iterations} is less than the minimum {_LOWEST_ITERATIONS} required for {mechanism}"
        )
    return Upsertion(mechanism, iterations, found[2])


def describe_credentials(admin: Admin, users: Sequence[str] | None) -> list[tuple[str, dict[str, int]]]:
    """Return user -> mechanism -> iterations, of all users or *users*; a user without credentials is left out.

    Raises:
        ResponseError: the broker refuses.
    """
    wanted = [UserName(user) for user in users] if users else None
    response = admin.first.send(DescribeUserScramCredentialsRequest(users=wanted))
    if response.error_code:
        raise response_error("SCRAM credentials", response.error_code, response.error_message)
    names = {number: name for name, number in MECHANISMS.items()}
    found: list[tuple[str, dict[str, int]]] = []
    for result in response.results:
        if result.error_code == ErrorCode.RESOURCE_NOT_FOUND:
            continue
        if result.error_code:
            raise response_error(f"user {result.user}", result.error_code, result.error_message)
        found.append(
            (result.user, {names.get(each.mechanism, "UNKNOWN"): each.iterations for each in result.credential_infos})
        )
    return found


def alter_credentials(admin: Admin, user: str, upserted: Sequence[Upsertion], deleted: Sequence[str]) -> None:
    """Set and delete credentials of a user; the password is salted and hashed here, and not sent.

    Raises:
        ResponseError: the broker refuses.
    """
    upsertions = []
    for each in upserted:
        number, salt = MECHANISMS[each.mechanism], secrets.token_bytes(_SALT_BYTES)
        salted = hashlib.pbkdf2_hmac(_HASHES[number], each.password.encode(), salt, each.iterations)
        upsertions.append(ScramCredentialUpsertion(user, number, each.iterations, salt, salted))
    request = AlterUserScramCredentialsRequest(
        deletions=[ScramCredentialDeletion(user, MECHANISMS[each]) for each in deleted], upsertions=upsertions
    )

    def send() -> None:
        for result in admin.controller().send(request).results:
            if result.error_code:
                raise response_error(f"user {user}", result.error_code, result.error_message)

    admin.retry(send)
