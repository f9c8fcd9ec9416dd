"""controller_mutation_rate: strict and permissive quotas of requests that follow each other."""

from __future__ import annotations

from wirebroker.quota.levels import USER
from wirebroker.quota.mutation_quota import ControllerMutationQuota, ControllerMutationQuotaManager
from wirebroker.quota.rate import QuotaWindow

KEY = "controller_mutation_rate"


class Requests:
    """Makes the quotas of requests at times that a test sets."""

    def __init__(self, rate: float | None) -> None:
        self.now_ms = 7_000_000
        self.manager = ControllerMutationQuotaManager(KEY, QuotaWindow(11, 1))
        self.manager.update({((USER, "u"),): {} if rate is None else {KEY: rate}})

    def quota(self, *, strict: bool, user: str = "u") -> ControllerMutationQuota:
        return self.manager.quota_of(user, "c", lambda: self.now_ms, strict=strict)


def test_a_strict_quota_refuses_a_client_that_owes_tokens() -> None:
    requests = Requests(rate=1.0)
    first = requests.quota(strict=True)
    assert first.accepts(12)  # not refused before the debt is there
    assert first.throttle_ms() == 0
    assert not first.accepts(1)
    assert first.throttle_ms() == 1000
    requests.now_ms += 999
    assert first.throttle_ms() == 1
    assert not requests.quota(strict=True).accepts(1)
    requests.now_ms += 1
    assert requests.quota(strict=True).accepts(1)


def test_a_refused_change_takes_no_tokens() -> None:
    requests = Requests(rate=1.0)
    assert requests.quota(strict=True).accepts(12)
    for _ in range(50):
        assert not requests.quota(strict=True).accepts(100)
    requests.now_ms += 1000
    assert requests.quota(strict=True).accepts(1)


def test_a_permissive_quota_refuses_nothing_and_throttles_at_once() -> None:
    requests = Requests(rate=2.0)
    quota = requests.quota(strict=False)
    assert quota.accepts(22)
    assert quota.throttle_ms() == 0
    assert quota.accepts(5)
    assert quota.throttle_ms() == 2500
    assert quota.accepts(5)
    assert quota.throttle_ms() == 5000


def test_clients_without_a_limit() -> None:
    requests = Requests(rate=2.0)
    assert requests.quota(strict=True, user="v").accepts(10**9)
    assert requests.quota(strict=True, user="v").accepts(1)
    assert not Requests(rate=None).manager.enabled
    assert Requests(rate=None).quota(strict=True).accepts(10**9)


def test_a_changed_limit_counts_at_once() -> None:
    requests = Requests(rate=1.0)
    assert requests.quota(strict=True).accepts(21)
    requests.manager.update({((USER, "u"),): {KEY: 10.0}})
    quota = requests.quota(strict=True)
    assert not quota.accepts(1)
    assert quota.throttle_ms() == 1000
