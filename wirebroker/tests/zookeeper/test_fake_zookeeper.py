"""The contract of ZooKeeperClient on the fake, with Session, watches and BrokerRegistration above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wirebroker.tests.zookeeper.client_contract import *  # noqa: F403  # the tests of the contract
from wirebroker.tests.zookeeper.fake_client import FakeClient
from wirebroker.tests.zookeeper.fake_zookeeper import FakeZooKeeper

if TYPE_CHECKING:
    from wirebroker.zookeeper.operations import ZooKeeperClient


class FakeEnsemble:
    """A FakeZooKeeper as the contract wants it."""

    chroot = "/some/chroot"

    def __init__(self) -> None:
        self.zookeeper = FakeZooKeeper()

    def client(self, chroot: str, timeout_s: float = 6.0, max_in_flight: int = 10) -> FakeClient:
        return self.zookeeper.client(chroot, timeout_s, max_in_flight)

    async def expire(self, client: ZooKeeperClient) -> None:
        assert isinstance(client, FakeClient)
        self.zookeeper.expire(client)


@pytest.fixture
def ensemble() -> FakeEnsemble:
    return FakeEnsemble()
