"""ClientQuotaManager: what clients share, live changes, and forgetting."""

from __future__ import annotations

from wirebroker.quota.levels import CLIENT_ID, USER
from wirebroker.quota.manager import ClientQuotaManager
from wirebroker.quota.managers import QuotaManagers
from wirebroker.quota.rate import QuotaWindow

KEY = "producer_byte_rate"
NOW = 9_000_000


def manager(max_throttle_ms: int | None = None) -> ClientQuotaManager:
    return ClientQuotaManager(KEY, QuotaWindow(11, 1), max_throttle_ms=max_throttle_ms)


def test_it_is_enabled_as_long_as_anybody_has_the_quota() -> None:
    quota = manager()
    assert not quota.enabled
    quota.update({((USER, "u"),): {"consumer_byte_rate": 1.0}})
    assert not quota.enabled
    quota.update({((USER, "u"),): {KEY: 1.0}})
    assert quota.enabled
    quota.update({})
    assert not quota.enabled
    assert ClientQuotaManager(KEY, QuotaWindow(), static_default=5.0).enabled


def test_the_clients_of_a_user_share_its_quota_and_others_have_none() -> None:
    quota = manager()
    quota.update({((USER, "u"),): {KEY: 100.0}})
    assert quota.record_and_throttle_ms("u", "a", 1000, NOW) == 0
    assert quota.record_and_throttle_ms("u", "b", 10, NOW) == 100
    assert quota.record_and_throttle_ms("u", None, 0, NOW) == 100
    assert quota.record_and_throttle_ms("v", "b", 10_000_000, NOW) == 0


def test_a_default_gives_each_client_its_own_quota() -> None:
    quota = manager()
    quota.update({((CLIENT_ID, None),): {KEY: 100.0}})
    assert quota.record_and_throttle_ms("u", "a", 1100, NOW) == 1000
    assert quota.record_and_throttle_ms("v", "a", 0, NOW) == 1000
    assert quota.record_and_throttle_ms("u", "b", 1000, NOW) == 0


def test_a_changed_limit_counts_at_once_and_what_was_used_before_counts() -> None:
    quota = manager()
    quota.update({((CLIENT_ID, "a"),): {KEY: 100.0}})
    assert quota.record_and_throttle_ms("u", "a", 1000, NOW) == 0
    quota.update({((CLIENT_ID, "a"),): {KEY: 50.0}})
    assert quota.record_and_throttle_ms("u", "a", 0, NOW) == 10_000
    quota.update({((CLIENT_ID, "b"),): {KEY: 50.0}})
    assert quota.record_and_throttle_ms("u", "a", 0, NOW) == 0


def test_the_throttle_time_has_a_limit() -> None:
    quota = manager(max_throttle_ms=1000)
    quota.update({((CLIENT_ID, "a"),): {KEY: 1.0}})
    assert quota.record_and_throttle_ms("u", "a", 10**9, NOW) == 1000
    unbounded = manager()
    unbounded.update({((CLIENT_ID, "a"),): {KEY: 1.0}})
    assert unbounded.record_and_throttle_ms("u", "a", 10**15, NOW) == 2**31 - 1


def test_what_was_recorded_can_be_taken_back() -> None:
    quota = manager()
    quota.update({((CLIENT_ID, "a"),): {KEY: 100.0}})
    assert quota.record_and_throttle_ms("u", "a", 2000, NOW) == 10_000
    quota.record("u", "a", -2000, NOW)
    assert quota.record_and_throttle_ms("u", "a", 1000, NOW) == 0


def test_the_largest_value_of_a_window() -> None:
    quota = manager()
    quota.update({((CLIENT_ID, "a"),): {KEY: 100.0}})
    assert quota.max_value_in_window("u", "a") == 1000
    assert quota.max_value_in_window("u", "b") is None


def test_clients_that_left_an_hour_ago_are_forgotten() -> None:
    quota = manager()
    quota.update({((CLIENT_ID, None),): {KEY: 100.0}})
    for number in range(100):
        quota.record("u", f"c{number}", 1, NOW)
    quota.record("u", "last", 1, NOW + 3_600_001)
    assert len(quota._sensors) == len(quota._by_client) == 1


def test_the_managers_of_a_broker() -> None:
    managers = QuotaManagers()
    assert not managers.produce.enabled
    managers.update({((USER, None),): {"producer_byte_rate": 10.0, "consumer_byte_rate": 20.0}})
    assert (managers.produce.limit("u", "c"), managers.fetch.limit("u", "c")) == (10.0, 20.0)
    static = QuotaManagers(producer_default=7)
    assert (static.produce.limit("u", "c"), static.fetch.enabled) == (7.0, False)
