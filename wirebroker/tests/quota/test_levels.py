"""The eight levels of client quotas, each against all that are less specific."""

from __future__ import annotations

import pytest

from wirebroker.quota.levels import CLIENT_ID, USER, QuotaEntity, QuotaLevels, QuotaTags

LEVELS: list[tuple[QuotaEntity, QuotaTags]] = [
    (((USER, "u"), (CLIENT_ID, "c")), QuotaTags("u", "c")),
    (((USER, "u"), (CLIENT_ID, None)), QuotaTags("u", "c")),
    (((USER, "u"),), QuotaTags("u", "")),
    (((USER, None), (CLIENT_ID, "c")), QuotaTags("u", "c")),
    (((USER, None), (CLIENT_ID, None)), QuotaTags("u", "c")),
    (((USER, None),), QuotaTags("u", "")),
    (((CLIENT_ID, "c"),), QuotaTags("", "c")),
    (((CLIENT_ID, None),), QuotaTags("", "c")),
]
OTHERS: dict[QuotaEntity, float] = {
    ((USER, "v"), (CLIENT_ID, "c")): 90.0,
    ((USER, "u"), (CLIENT_ID, "d")): 91.0,
    ((USER, "v"),): 92.0,
    ((CLIENT_ID, "d"),): 93.0,
    (("ip", "127.0.0.1"),): 94.0,
}


@pytest.mark.parametrize("level", range(len(LEVELS)))
def test_the_most_specific_level_counts(level: int) -> None:
    limits = {entity: float(number) for number, (entity, _) in enumerate(LEVELS) if number >= level}
    tags = LEVELS[level][1]
    assert QuotaLevels({**OTHERS, **limits}, 99.0).find("u", "c") == (tags, float(level))


@pytest.mark.parametrize("level", range(len(LEVELS)))
def test_each_level_alone(level: int) -> None:
    entity, tags = LEVELS[level]
    assert QuotaLevels({entity: 5.0}).find("u", "c") == (tags, 5.0)


def test_without_any_level_the_static_default_counts_for_client_ids() -> None:
    assert QuotaLevels(OTHERS, 99.0).find("u", "c") == (QuotaTags("", "c"), 99.0)
    assert QuotaLevels(OTHERS).find("u", "c") == (QuotaTags("", "c"), None)
    assert QuotaLevels({}, 99.0)
    assert not QuotaLevels({})


@pytest.mark.parametrize(("level", "limit"), [(0, 2.0), (3, 5.0), (6, None)])
def test_a_client_without_a_client_id_belongs_to_no_client_id(level: int, limit: float | None) -> None:
    limits = {entity: float(number) for number, (entity, _) in enumerate(LEVELS) if number >= level}
    assert QuotaLevels(limits, 99.0).find("u", "")[1] == limit
