"""The value of `zookeeper.connect`."""

from __future__ import annotations

import pytest

from wirebroker.config.values import ConfigError
from wirebroker.zookeeper.connect_string import parse_connect_string


@pytest.mark.parametrize(
    ("text", "hosts", "chroot"),
    [
        ("h:2182", "h:2182", ""),
        ("h", "h:2181", ""),
        (" a:1, b ,c:3/kafka/one ", "a:1,b:2181,c:3", "/kafka/one"),
        ("h:1/", "h:1", ""),
        ("h:1/kafka/", "h:1", "/kafka"),
        ("[::1]:5/k,[fe80::1%eth0]", "[::1]:5", "/k,[fe80::1%eth0]"),
        ("[::1],h", "[::1]:2181,h:2181", ""),
    ],
)
def test_servers_and_chroot(text: str, hosts: str, chroot: str) -> None:
    found = parse_connect_string(text)
    assert found == (hosts, chroot)
    assert parse_connect_string(str(found)) == found


@pytest.mark.parametrize(
    "text", ["", "/kafka", ",", "h:0", "h:65536", "h:x", ":2181", "::1", "::1:2181", "h//k", "h/../k"]
)
def test_malformed_values_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^zookeeper\.connect="):
        parse_connect_string(text)
