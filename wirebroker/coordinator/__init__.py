"""Coordinators: state machines whose records are appended, and only then answered.

Open `shard.py` first (the promise of a shard), then `runtime.py` (hands requests to shards, appends, replies),
`shard_context.py` (the partition and leader epoch that a shard belongs to), `loader.py` (replay), `timers.py` and
`host.py` (which partitions have a shard).  `group/` and `transaction/` are the two coordinators on this runtime.
Shards are pure: no trio, no files, no clocks but the moment handed in (`Now`: monotonic for timers, wall clock for
what records carry).
"""
