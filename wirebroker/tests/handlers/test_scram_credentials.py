"""SCRAM credentials of users in ZooKeeper: codes, messages and znodes are those of Apache Kafka 3.9.1."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest

from wirebroker.cluster.config_store import ConfigStore
from wirebroker.cluster.scram_credentials import UserScramCredentials
from wirebroker.controller.event_queue import EventQueue
from wirebroker.handlers.routes import RouteTable
from wirebroker.protocol.errors import ErrorCode as E
from wirebroker.protocol.messages.alter_user_scram_credentials import (
    AlterUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
)
from wirebroker.protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsRequest, UserName
from wirebroker.releases.profile import ReleaseProfile
from wirebroker.tests.controller.fakes import controller_harness
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper
from wirebroker.tests.zookeeper.harness import Member, member
from wirebroker.zookeeper.znodes import configs
from wirebroker.zookeeper.znodes.configs import ConfigEntity
from wirebroker.zookeeper.znodes.scram import ScramCredential, ScramMechanism

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    import trio

    from wirebroker.protocol.message import Message

KEYS = "stored_key=5fFUxV0AD26xWkoJJg7bXVrfsC18oO/9teoJx9PJtT0=,server_key=HEtYAvOwTubW02jJL+5MEEljbbOmsXhQuGr9eFqJSO0="
WRITTEN = f"salt=c2FsdA==,{KEYS},iterations=4096"
"""The setting that Apache Kafka 3.9.1 has written for `upsertion("a")`."""


class Requests:
    """Requests to one broker of a cluster with a fake ZooKeeper."""

    def __init__(self, harness: Any, of: Member) -> None:
        self.zookeeper = of.client
        self.store = ConfigStore(of.session, 1)
        self.queue = EventQueue()
        self.is_active = True
        self._harness = harness
        of.nursery.start_soon(self.queue.run)

    async def ask(self, request: Message) -> Any:
        bound = RouteTable(ReleaseProfile(in_cluster=True)).find(request.API_KEY, 0)
        assert bound is not None
        context = self._harness.context(type(request), 0)
        context.services.administration = cast(Any, SimpleNamespace(is_active=self.is_active))
        context.services.scram_credentials = UserScramCredentials(self.store, self.queue)
        response = await bound.handler(context, request)
        response.write(bytearray(), 0)
        return response

    async def alter(self, *changes: ScramCredentialUpsertion | ScramCredentialDeletion) -> dict[str, tuple[E, str]]:
        deletions = [each for each in changes if isinstance(each, ScramCredentialDeletion)]
        upsertions = [each for each in changes if isinstance(each, ScramCredentialUpsertion)]
        response = await self.ask(AlterUserScramCredentialsRequest(deletions, upsertions))
        return {each.user: (each.error_code, each.error_message) for each in response.results}

    async def describe(self, *users: str) -> dict[str, E | dict[int, int]]:
        """User -> error code, or mechanism -> iterations; of all users without *users*."""
        named = [UserName(user) for user in users] or None
        response = await self.ask(DescribeUserScramCredentialsRequest(named))
        assert response.error_code == E.NONE
        return {
            each.user: each.error_code or {info.mechanism: info.iterations for info in each.credential_infos}
            for each in response.results
        }


@pytest.fixture
async def requests(tmp_path: Path, autojump_clock: trio.abc.Clock) -> AsyncIterator[Requests]:
    async with controller_harness(tmp_path) as harness, member(FakeZooKeeper()) as found:
        yield Requests(harness, found)


def upsertion(user: str, mechanism: int = 1, iterations: int = 4096, **fields: bytes) -> ScramCredentialUpsertion:
    return ScramCredentialUpsertion(
        user, mechanism, iterations, **{"salt": b"salt", "salted_password": b"p" * 32} | fields
    )


def user_entity(name: str) -> ConfigEntity:
    return ConfigEntity(configs.USERS, name)


async def test_credentials_are_written_as_apache_kafka_writes_them(requests: Requests) -> None:
    assert await requests.describe() == {}
    assert await requests.alter(upsertion("a"), upsertion("b d%", 2, 8192)) == {"a": (E.NONE, ""), "b d%": (E.NONE, "")}
    assert await requests.store.read(user_entity("a")) == {"SCRAM-SHA-256": WRITTEN}
    assert set(await requests.store.read(user_entity("b%20d%25"))) == {"SCRAM-SHA-512"}
    changes = await requests.zookeeper.children(configs.CONFIG_CHANGES_PATH)
    assert len(changes) == 2  # by which all brokers hear of them
    assert await requests.describe() == {"a": {1: 4096}, "b d%": {2: 8192}}


async def test_quotas_and_other_mechanisms_of_the_user_stay(requests: Requests) -> None:
    quota = {"producer_byte_rate": "1024.0"}
    await requests.store.write(user_entity("a"), quota, None)
    await requests.alter(upsertion("a"), upsertion("a", 2))
    assert await requests.describe("a") == {"a": {1: 4096, 2: 4096}}
    assert await requests.alter(upsertion("a", 2, 5000), ScramCredentialDeletion("a", 1)) == {"a": (E.NONE, "")}
    assert await requests.describe("a") == {"a": {2: 5000}}
    await requests.alter(ScramCredentialDeletion("a", 2))
    assert await requests.store.read(user_entity("a")) == quota
    assert await requests.describe() == {}


async def test_users_are_described_by_name(requests: Requests) -> None:
    await requests.alter(upsertion("a"))
    assert await requests.describe("b", "", "a", "c", "", "c") == {
        "b": E.RESOURCE_NOT_FOUND,
        "": E.RESOURCE_NOT_FOUND,
        "a": {1: 4096},
        "c": E.DUPLICATE_RESOURCE,
    }


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ([upsertion("")], E.UNACCEPTABLE_CREDENTIAL, "Username must not be empty"),
        ([ScramCredentialDeletion("", 1)], E.UNACCEPTABLE_CREDENTIAL, "Username must not be empty"),
        ([upsertion("u", 0)], E.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"),
        ([ScramCredentialDeletion("u", 3)], E.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"),
        ([upsertion("u", 1, 4095), upsertion("u", 3)], E.UNSUPPORTED_SASL_MECHANISM, "Unknown SCRAM mechanism"),
        ([upsertion("u", 2, 4095)], E.UNACCEPTABLE_CREDENTIAL, "Too few iterations"),
        ([upsertion("u", 1, -1)], E.UNACCEPTABLE_CREDENTIAL, "Too few iterations"),
        ([upsertion("u", 1, 16385)], E.UNACCEPTABLE_CREDENTIAL, "Too many iterations"),
        (
            [upsertion("u"), ScramCredentialDeletion("u", 1)],
            E.DUPLICATE_RESOURCE,
            "A user credential cannot be altered twice in the same request",
        ),
        (
            [upsertion("u"), ScramCredentialDeletion("u", 2)],
            E.RESOURCE_NOT_FOUND,
            "Attempt to delete a user credential that does not exist",
        ),
        ([upsertion("u", salted_password=b"")], E.UNKNOWN_SERVER_ERROR, "a credential needs a salted password"),
    ],
)
async def test_a_refused_change_leaves_the_user_and_changes_others(
    requests: Requests, changes: list[Any], code: E, message: str
) -> None:
    found = await requests.alter(upsertion("good"), *changes)
    assert found.pop("good") == (E.NONE, "")
    assert list(found.values()) == [(code, message)]
    assert await requests.describe() == {"good": {1: 4096}}


async def test_a_credential_may_have_an_empty_salt(requests: Requests) -> None:
    assert await requests.alter(upsertion("u", salt=b"")) == {"u": (E.NONE, "")}
    assert await requests.describe() == {"u": {1: 4096}}


async def test_another_broker_is_the_controller(requests: Requests) -> None:
    requests.is_active = False
    found = await requests.alter(upsertion("a"), ScramCredentialDeletion("b", 1))
    assert {user: code for user, (code, _) in found.items()} == {"a": E.NOT_CONTROLLER, "b": E.NOT_CONTROLLER}
    assert await requests.describe() == {}  # any broker describes


async def test_a_corrupt_credential_is_an_error_of_its_user(
    requests: Requests, caplog: pytest.LogCaptureFixture
) -> None:
    await requests.alter(upsertion("a"))
    await requests.store.write(user_entity("b"), {"SCRAM-SHA-256": "salt=?"}, None)
    assert await requests.describe() == {"a": {1: 4096}, "b": E.UNKNOWN_SERVER_ERROR}
    assert "the SCRAM credentials of user b in ZooKeeper are corrupt" in caplog.text
    assert await requests.alter(upsertion("b")) == {"b": (E.NONE, "")}
    assert await requests.describe("b") == {"b": {1: 4096}}


async def test_zookeeper_does_not_answer(tmp_path: Path, autojump_clock: trio.abc.Clock) -> None:
    zookeeper = FakeZooKeeper()
    async with controller_harness(tmp_path) as harness, member(zookeeper) as found:
        requests = Requests(harness, found)
        zookeeper.down()
        for users in (None, [UserName("a")]):
            response = await requests.ask(DescribeUserScramCredentialsRequest(users))
            assert (response.error_code, response.results) == (E.REQUEST_TIMED_OUT, [])
        altered = await requests.alter(upsertion("a"))
        assert altered["a"][0] == E.REQUEST_TIMED_OUT


@pytest.mark.parametrize("text", ["", "salt=a", f"salt=?,{KEYS},iterations=1", f"salt=,{KEYS},iterations=x", "a" * 9])
def test_text_that_is_no_credential(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        ScramCredential.decode(text)


def test_a_credential_is_text_and_back() -> None:
    credential = ScramCredential.of_salted_password(ScramMechanism.SCRAM_SHA_256, b"salt", b"p" * 32, 4096)
    assert credential.encode() == WRITTEN
    assert ScramCredential.decode(WRITTEN) == credential


def test_a_broker_that_is_a_cluster_by_itself_does_not_list_changes_of_credentials() -> None:
    key = AlterUserScramCredentialsRequest.API_KEY
    assert not RouteTable().serves(key)
    assert RouteTable(ReleaseProfile("3.3", in_cluster=True)).serves(key)
    assert not RouteTable(ReleaseProfile("2.6", in_cluster=True)).serves(key)
