"""Texts of the keys in `sections/topic.py`."""

from __future__ import annotations

TEXTS = {
    "cleanup.policy": "What becomes of old segments: delete them, compact them by key, or both.",
    "compression.gzip.level": "How hard gzip tries, 1 to 9; -1 is gzip's own choice. Used when the broker compresses.",
    "compression.lz4.level": "How hard lz4 tries, 1 to 17. Used when the broker compresses.",
    "compression.type": (
        "How batches are compressed on disk: a codec, uncompressed, or producer to keep what the producer chose."
    ),
    "compression.zstd.level": "How hard zstd tries, -131072 to 22. Used when the broker compresses.",
    "delete.retention.ms": "How long a tombstone stays in a compacted log for slow readers to see.",
    "file.delete.delay.ms": "How long a deleted file stays, renamed, for those who still read it.",
    "flush.messages": "Force the log to disk after so many records.",
    "flush.ms": "Force the log to disk when its oldest unforced record is so old.",
    "follower.replication.throttled.replicas": "Replicas whose fetching is slowed down, partition:broker each, or *.",
    "index.interval.bytes": "How many bytes of log between two entries of its index.",
    "leader.replication.throttled.replicas": "Replicas whose serving is slowed down, partition:broker each, or *.",
    "local.retention.bytes": "With tiered storage: how much of a partition stays here; -2 is as retention.bytes.",
    "local.retention.ms": "With tiered storage: how long records stay here; -2 is as retention.ms.",
    "max.compaction.lag.ms": "The longest time that a record may stay uncompacted.",
    "max.message.bytes": "The largest batch a producer may send, after compression.",
    "message.downconversion.enable": "Convert records for consumers too old to know the format on disk.",
    "message.format.version": "The release whose record format is written: 0 before 0.10, 1 before 0.11, else 2.",
    "message.timestamp.after.max.ms": "How far in the future a record's timestamp may be.",
    "message.timestamp.before.max.ms": "How far in the past a record's timestamp may be.",
    "message.timestamp.difference.max.ms": "How far from now a record's timestamp may be; use the two newer keys.",
    "message.timestamp.type": "CreateTime keeps the producer's timestamp, LogAppendTime stamps with the broker's.",
    "min.cleanable.dirty.ratio": "Clean the log when so much of it, from 0 to 1, was written since the last time.",
    "min.compaction.lag.ms": "The shortest time that a record stays uncompacted.",
    "min.insync.replicas": "With acks=all: how many replicas must have a record before it is acknowledged.",
    "preallocate": "Set the space of a new segment aside on the disk at once.",
    "remote.log.copy.disable": "With tiered storage: stop copying segments away, and keep reading those that were.",
    "remote.log.delete.on.disable": "With tiered storage: delete the remote segments when it is switched off.",
    "remote.storage.enable": "Use tiered storage for this topic.",
    "retention.bytes": "Delete old segments of a partition that is larger; -1 is no limit.",
    "retention.ms": "Delete records that are older; -1 is never.",
    "segment.bytes": "The largest segment file.",
    "segment.index.bytes": "The largest index file; a segment is full when its index is.",
    "segment.jitter.ms": "Take up to this off segment.ms, by chance, so that logs do not roll all at once.",
    "segment.ms": "Start a new segment when the newest is so old.",
    "unclean.leader.election.enable": "Let a replica that missed records become leader when no other is there.",
}
