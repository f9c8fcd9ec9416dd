"""Coordinators: state machines whose records are appended to an internal topic before their clients are answered.

Open `shard.py` first (the interface of a shard) and `turn.py` (the input and the result of a shard), then
`runtime.py`, which hands requests to shards, has the records appended and replies.  `shard_context.py` is a shard with
its partition and leader epoch, `loader.py` and `partition_writer.py` read and append its log, `timers.py` keeps time,
`service.py` follows the metadata.  `group/` and `transaction/` are the two coordinators.

Shards are plain functions of (state, request, turn): no coroutine, no file, no clock but the turn's.  This room may
import metadata, replication and the rooms below; handlers and the controller are above it.
"""
