"""SCRAM credentials of users: DescribeUserScramCredentials (key 50), AlterUserScramCredentials (51).

Specs: protocol_specs/50_describe_user_scram_credentials (v0), 51_alter_user_scram_credentials (v0).
KIPs: 84 SCRAM, 554 credentials through the admin client.
Waits: for ZooKeeper.
Not done: SASL.  In a cluster with ZooKeeper the credentials are those by which brokers of Apache Kafka check clients; a
broker that is a cluster by itself has none, and does not serve AlterUserScramCredentials.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, Final

from wirebroker.cluster.scram_credentials import ScramChange
from wirebroker.protocol.errors import ErrorCode
from wirebroker.protocol.exceptions import ApiError
from wirebroker.protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    AlterUserScramCredentialsResult,
)
from wirebroker.protocol.messages.describe_user_scram_credentials import (
    CredentialInfo,
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    DescribeUserScramCredentialsResult,
)
from wirebroker.zookeeper.znodes.scram import ScramCredential, ScramMechanism

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wirebroker.handlers.context import RequestContext

log = logging.getLogger(__name__)

MIN_ITERATIONS: Final = 4096
MAX_ITERATIONS: Final = 16384
_NO_NAME: Final = "Username must not be empty"


async def handle_describe_user_scram_credentials(
    context: RequestContext, request: DescribeUserScramCredentialsRequest
) -> DescribeUserScramCredentialsResponse:
    """Return mechanisms and iterations of the users that are asked for, or of all that have credentials."""
    credentials = context.services.scram_credentials
    budget = context.start_budget()
    asked = Counter(await budget.collect(user.name for user in request.users or ()))
    found: dict[str, dict[ScramMechanism, str]] = {}
    if credentials is not None:
        once = [name for name, times in asked.items() if name and times == 1]
        try:
            found = await credentials.read(once if asked else None)
        except ApiError as error:
            return DescribeUserScramCredentialsResponse(error_code=error.code, error_message=error.detail)
    if not asked:
        found = {user: encoded for user, encoded in found.items() if encoded}
        return DescribeUserScramCredentialsResponse(results=[_described(*each) for each in found.items()])
    results = []
    for name, times in asked.items():
        await budget.yield_if_due()
        if not name:
            results.append(DescribeUserScramCredentialsResult(name, ErrorCode.RESOURCE_NOT_FOUND, _NO_NAME))
        elif times > 1:
            text = f"Cannot describe SCRAM credentials for the same user twice in a single request: {name}"
            results.append(DescribeUserScramCredentialsResult(name, ErrorCode.DUPLICATE_RESOURCE, text))
        elif not found.get(name):
            text = f"Attempt to describe a user credential that does not exist: {name}"
            results.append(DescribeUserScramCredentialsResult(name, ErrorCode.RESOURCE_NOT_FOUND, text))
        else:
            results.append(_described(name, found[name]))
    return DescribeUserScramCredentialsResponse(results=results)


def _described(user: str, encoded: Mapping[ScramMechanism, str]) -> DescribeUserScramCredentialsResult:
    try:
        iterations = {mechanism: ScramCredential.decode(text).iterations for mechanism, text in encoded.items()}
    except ValueError as fault:
        log.error("the SCRAM credentials of user %s in ZooKeeper are corrupt (%s); set them again", user, fault)
        return DescribeUserScramCredentialsResult(user, ErrorCode.UNKNOWN_SERVER_ERROR, f"corrupt credentials: {fault}")
    return DescribeUserScramCredentialsResult(
        user, ErrorCode.NONE, "", [CredentialInfo(mechanism, number) for mechanism, number in iterations.items()]
    )


async def handle_alter_user_scram_credentials(
    context: RequestContext, request: AlterUserScramCredentialsRequest
) -> AlterUserScramCredentialsResponse:
    """Set and delete credentials; all changes of a user are made or none, and each user succeeds or fails alone."""
    credentials = context.services.scram_credentials
    assert credentials is not None
    is_active = context.services.administration.is_active
    results = []
    users = [*(each.name for each in request.deletions), *(each.name for each in request.upsertions)]
    for user in dict.fromkeys(users):
        code, message = ErrorCode.NONE, ""
        try:
            if not is_active:
                raise ApiError(ErrorCode.NOT_CONTROLLER, "this broker is not the active controller")
            await credentials.alter(user, _change_of(user, request))
            log.info("SCRAM credentials of user %s: altered by client_id=%s", user, context.client_id)
        except ApiError as error:
            code, message = error.code, error.detail or ""
        results.append(AlterUserScramCredentialsResult(user, code, message))
    return AlterUserScramCredentialsResponse(results=results)


def _change_of(user: str, request: AlterUserScramCredentialsRequest) -> ScramChange:
    """Return what *request* changes of the credentials of *user*.

    Raises:
        ApiError: UNACCEPTABLE_CREDENTIAL, UNSUPPORTED_SASL_MECHANISM, DUPLICATE_RESOURCE, UNKNOWN_SERVER_ERROR.
    """
    upsertions = [each for each in request.upsertions if each.name == user]
    deleted = [each.mechanism for each in request.deletions if each.name == user]
    numbers = [*(each.mechanism for each in upsertions), *deleted]
    if not user:
        raise ApiError(ErrorCode.UNACCEPTABLE_CREDENTIAL, _NO_NAME)
    if any(number not in set(ScramMechanism) for number in numbers):
        raise ApiError(ErrorCode.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism")
    for each in upsertions:
        if each.iterations > MAX_ITERATIONS:
            raise ApiError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too many iterations")
        if each.iterations < MIN_ITERATIONS:
            raise ApiError(ErrorCode.UNACCEPTABLE_CREDENTIAL, "Too few iterations")
    if len(set(numbers)) < len(numbers):
        text = "A user credential cannot be altered twice in the same request"
        raise ApiError(ErrorCode.DUPLICATE_RESOURCE, text)
    if not all(each.salted_password for each in upsertions):  # an exception of Java's in Apache Kafka
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "a credential needs a salted password")
    upserted = {}
    for each in upsertions:
        mechanism = ScramMechanism(each.mechanism)
        upserted[mechanism] = ScramCredential.of_salted_password(
            mechanism, bytes(each.salt), bytes(each.salted_password), each.iterations
        )
    return ScramChange(upserted, [ScramMechanism(number) for number in deleted])
