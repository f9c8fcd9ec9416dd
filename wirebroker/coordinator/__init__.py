"""Coordinators: state machines whose records are appended, and only then answered.

Open `shard.py` first (the promise of a shard), then `runtime.py` (loads, runs one request at a time,
appends, replies, times out).  `group/` is the group coordinator; the transaction coordinator is a
sibling room on the same runtime.  Shards are pure: no trio, no files, no clock but the one handed in.
"""
