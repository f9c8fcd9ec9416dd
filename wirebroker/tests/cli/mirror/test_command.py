"""Errors after which a mirror tries again."""

from __future__ import annotations

import argparse

import pytest

from wirebroker.cli.mirror.command import Mirror
from wirebroker.client.connection import ClientError, ResponseError
from wirebroker.client.security import PLAINTEXT
from wirebroker.protocol.errors import ErrorCode


@pytest.mark.parametrize(
    ("problem", "at_the_start", "later"),
    [
        (ResponseError("t-0 has no leader", ErrorCode.LEADER_NOT_AVAILABLE), True, True),
        (ResponseError("t-0", ErrorCode.TOPIC_AUTHORIZATION_FAILED), False, False),
        (ClientError("cannot reach a broker at h:1"), False, True),
    ],
)
def test_what_is_tried_again(problem: ClientError, at_the_start: bool, later: bool) -> None:
    mirror = Mirror(argparse.Namespace(timeout=1000), PLAINTEXT, PLAINTEXT)
    assert mirror._may_try_again(problem) == at_the_start
    mirror._topics = ["t"]
    assert mirror._may_try_again(problem) == later
    mirror._last_progress_s -= 61
    assert not mirror._may_try_again(problem)
