"""Keys: what a topic may set for itself.

Most topic keys stand over a broker key, which gives their default, type, bounds, effect and text; a topic key declares
only what is different.
"""

from __future__ import annotations

from typing import Any

from wirebroker.config.effects import IN_CLUSTER
from wirebroker.config.keys import BOOLEAN, INT, LIST, READ_ONLY, Key, ignored_key, key, value_of_synonyms
from wirebroker.config.sections import log, remote, replication, server
from wirebroker.config.values import at_least, throttled_replicas

_BROKER_KEYS: dict[str, Key] = {
    each.name: each for section in (log, remote, replication, server) for each in section.KEYS
}


def _topic_key(name: str, *synonyms: str, **different: Any) -> Key:
    """Return the topic key *name* over the broker keys *synonyms*, the strongest first."""

    default = value_of_synonyms(synonyms, lambda synonym: _BROKER_KEYS[synonym].default)
    attributes: dict[str, Any] = {"name": name, "default": default, "scope": READ_ONLY, "synonyms": synonyms}
    return _BROKER_KEYS[synonyms[0]]._replace(**attributes | different)


SEGMENT_BYTES_BELOW_BOUND = "internal.segment.bytes"

# fmt: off
KEYS = (
    _topic_key("cleanup.policy", "log.cleanup.policy"),
    _topic_key("compression.gzip.level", "compression.gzip.level"),
    _topic_key("compression.lz4.level", "compression.lz4.level"),
    _topic_key("compression.type", "compression.type"),
    _topic_key("compression.zstd.level", "compression.zstd.level"),
    _topic_key("delete.retention.ms", "log.cleaner.delete.retention.ms"),
    _topic_key("file.delete.delay.ms", "log.segment.delete.delay.ms"),
    _topic_key("flush.messages", "log.flush.interval.messages"),
    _topic_key("flush.ms", "log.flush.interval.ms", "log.flush.scheduler.interval.ms", check=at_least(0)),
    key("follower.replication.throttled.replicas", LIST, (), throttled_replicas, effect=IN_CLUSTER,
        text="Replicas whose fetching is slowed down, partition:broker each, or *."),
    _topic_key("index.interval.bytes", "log.index.interval.bytes"),
    key("leader.replication.throttled.replicas", LIST, (), throttled_replicas, effect=IN_CLUSTER,
        text="Replicas whose serving is slowed down, partition:broker each, or *."),
    _topic_key("local.retention.bytes", "log.local.retention.bytes",
        text="With tiered storage: how much of a partition stays here; -2 is as retention.bytes."),
    _topic_key("local.retention.ms", "log.local.retention.ms",
        text="With tiered storage: how long records stay here; -2 is as retention.ms."),
    _topic_key("max.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms"),
    _topic_key("max.message.bytes", "message.max.bytes",
        text="The largest batch a producer may send, after compression."),
    _topic_key("message.downconversion.enable", "log.message.downconversion.enable"),
    _topic_key("message.format.version", "log.message.format.version"),
    _topic_key("message.timestamp.after.max.ms", "log.message.timestamp.after.max.ms"),
    _topic_key("message.timestamp.before.max.ms", "log.message.timestamp.before.max.ms"),
    _topic_key("message.timestamp.difference.max.ms", "log.message.timestamp.difference.max.ms"),
    _topic_key("message.timestamp.type", "log.message.timestamp.type"),
    _topic_key("min.cleanable.dirty.ratio", "log.cleaner.min.cleanable.ratio"),
    _topic_key("min.compaction.lag.ms", "log.cleaner.min.compaction.lag.ms"),
    _topic_key("min.insync.replicas", "min.insync.replicas"),
    _topic_key("preallocate", "log.preallocate"),
    ignored_key("remote.log.copy.disable", BOOLEAN, False,
        text="With tiered storage: stop copying segments away, and keep reading those that were."),
    ignored_key("remote.log.delete.on.disable", BOOLEAN, False,
        text="With tiered storage: delete the remote segments when it is switched off."),
    ignored_key("remote.storage.enable", BOOLEAN, False,
        text="Use tiered storage for this topic."),
    _topic_key("retention.bytes", "log.retention.bytes"),
    _topic_key("retention.ms", "log.retention.ms", "log.retention.minutes", "log.retention.hours", check=at_least(-1),
        text="Delete records that are older; -1 is never."),
    _topic_key("segment.bytes", "log.segment.bytes"),
    _topic_key("segment.index.bytes", "log.index.size.max.bytes"),
    _topic_key("segment.jitter.ms", "log.roll.jitter.ms", "log.roll.jitter.hours", check=at_least(0),
        text="Subtract a random part of this from segment.ms, so that logs do not roll at the same time."),
    _topic_key("segment.ms", "log.roll.ms", "log.roll.hours", check=at_least(1)),
    _topic_key("unclean.leader.election.enable", "unclean.leader.election.enable"),
)

LATER_KEYS = (
    key(SEGMENT_BYTES_BELOW_BOUND, INT, None, internal=True, since="4.1",
        text="The largest segment file, in place of segment.bytes and without its lower bound; for tests."),
)
# fmt: on
