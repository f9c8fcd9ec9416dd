"""Requests about ACLs, delegation tokens, SCRAM credentials and quotas, beside an Apache Kafka 3.9.1 without any."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from compat_tests.side_by_side import BrokerPair
from wirebroker.protocol.messages.create_acls import AclCreation, CreateAclsRequest
from wirebroker.protocol.messages.create_delegation_token import CreateDelegationTokenRequest
from wirebroker.protocol.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from wirebroker.protocol.messages.describe_acls import DescribeAclsRequest
from wirebroker.protocol.messages.describe_client_quotas import ComponentData, DescribeClientQuotasRequest
from wirebroker.protocol.messages.describe_delegation_token import (
    DescribeDelegationTokenOwner,
    DescribeDelegationTokenRequest,
)
from wirebroker.protocol.messages.describe_user_scram_credentials import (
    DescribeUserScramCredentialsRequest,
    UserName,
)
from wirebroker.protocol.messages.expire_delegation_token import ExpireDelegationTokenRequest
from wirebroker.protocol.messages.list_config_resources import ListConfigResourcesRequest
from wirebroker.protocol.messages.renew_delegation_token import RenewDelegationTokenRequest
from wirebroker.protocol.messages.sasl_authenticate import SaslAuthenticateRequest
from wirebroker.protocol.messages.sasl_handshake import SaslHandshakeRequest

if TYPE_CHECKING:
    from compat_tests.broker import Wirebroker
    from tools.jvm.kafka import KafkaBroker

LITERAL = 3
EXACT, DEFAULT, ANY = 0, 1, 2


@pytest.fixture
def pair(wirebroker: Wirebroker, apache_kafka: KafkaBroker) -> BrokerPair:
    return BrokerPair(wirebroker, apache_kafka)


@pytest.mark.parametrize("version", DescribeAclsRequest.VERSIONS)
@pytest.mark.parametrize(
    ("resource_type", "operation", "permission"),
    [(1, 1, 1), (2, 3, 3), (7, 14, 2), (0, 3, 3), (8, 3, 3), (2, 0, 3), (2, 99, 3), (2, 3, 0), (2, 3, 4)],
)
def test_access_control(pair: BrokerPair, version: int, resource_type: int, operation: int, permission: int) -> None:
    """Type 0 is UNKNOWN, for which Kafka closes the connection."""
    wanted: Any = (resource_type, None, LITERAL, None, None, operation, permission)
    new = AclCreation(resource_type, "t", LITERAL, "User:a", "*", operation, permission)
    steps = [
        ("describe", DescribeAclsRequest(*wanted), version),
        ("delete", DeleteAclsRequest([DeleteAclsFilter(*wanted)]), version),
        ("delete none", DeleteAclsRequest([]), version),
        ("create", CreateAclsRequest([new, new]), version),
        ("create none", CreateAclsRequest([]), version),
    ]
    assert not [found for step in steps for found in pair.differences([step])]


def test_tokens(pair: BrokerPair) -> None:
    steps = [
        *(("create", CreateDelegationTokenRequest(max_lifetime_ms=-1), v) for v in range(4)),
        ("create for", CreateDelegationTokenRequest("User", "ann", max_lifetime_ms=-1), 3),
        *(("renew", RenewDelegationTokenRequest(b"x", 5), v) for v in range(3)),
        *(("expire", ExpireDelegationTokenRequest(b"x", 5), v) for v in range(3)),
        *(("describe all", DescribeDelegationTokenRequest(None), v) for v in range(4)),
        *(
            ("describe", DescribeDelegationTokenRequest([DescribeDelegationTokenOwner("User", "a")]), v)
            for v in range(4)
        ),
    ]
    assert not [found for step in steps for found in pair.differences([step])]


def test_sasl_on_a_listener_without_it(pair: BrokerPair) -> None:
    steps = [
        *(("handshake", SaslHandshakeRequest("PLAIN"), v) for v in SaslHandshakeRequest.VERSIONS),
        *(("authenticate", SaslAuthenticateRequest(b"\0a\0b"), v) for v in SaslAuthenticateRequest.VERSIONS),
    ]
    assert not [found for step in steps for found in pair.differences([step])]


@pytest.mark.parametrize("names", [None, (), ("a", "b"), ("a", "a"), ("b", "a", "b"), ("",)])
def test_passwords(pair: BrokerPair, names: tuple[str, ...] | None) -> None:
    users = None if names is None else [UserName(name) for name in names]
    assert not pair.differences([("describe", DescribeUserScramCredentialsRequest(users), 0)])


@pytest.mark.parametrize("version", DescribeClientQuotasRequest.VERSIONS)
@pytest.mark.parametrize(
    "filters",
    [
        (),
        (("user", EXACT, "a"),),
        (("user", EXACT, None),),
        (("user", DEFAULT, None),),
        (("user", DEFAULT, "a"),),
        (("user", ANY, None), ("client-id", ANY, None)),
        (("user", ANY, "a"),),
        (("user", 3, None),),
        (("user", -1, None),),
        (("user", ANY, None), ("user", ANY, None)),
        (("ip", ANY, None),),
        (("ip", ANY, None), ("user", ANY, None)),
        (("host", 9, None),),
        (("", ANY, None),),
    ],
)
def test_quotas(pair: BrokerPair, version: int, filters: tuple[tuple[str, int, str | None], ...]) -> None:
    for strict in (False, True):
        request = DescribeClientQuotasRequest([ComponentData(*each) for each in filters], strict)
        assert not pair.differences([("describe", request, version)])


def test_client_metrics(pair: BrokerPair) -> None:
    assert not pair.differences([("list", ListConfigResourcesRequest(), 0)])
