"""MetadataCache and its subscribers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirebroker.metadata.cache import MetadataCache
from wirebroker.metadata.image import ClusterImage
from wirebroker.metadata.records import ClusterIdRecord, MetadataRecord, apply

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest


def test_subscribers_hear_in_order_and_see_the_new_image(caplog: pytest.LogCaptureFixture) -> None:
    cache = MetadataCache(ClusterImage())
    heard: list[tuple[str, str | None, str | None, Sequence[MetadataRecord]]] = []

    def broken(before: ClusterImage, after: ClusterImage, changes: Sequence[MetadataRecord]) -> None:
        raise RuntimeError("subscriber bug")

    def note(who: str) -> None:
        def subscriber(before: ClusterImage, after: ClusterImage, changes: Sequence[MetadataRecord]) -> None:
            assert cache.image is after
            heard.append((who, before.cluster_id, after.cluster_id, changes))

        cache.subscribe(subscriber)

    note("first")
    cache.subscribe(broken)
    note("second")
    changes = [ClusterIdRecord("c")]
    cache.publish(apply(cache.image, *changes), changes)
    assert heard == [("first", None, "c", changes), ("second", None, "c", changes)]
    assert "subscriber bug" in caplog.text
