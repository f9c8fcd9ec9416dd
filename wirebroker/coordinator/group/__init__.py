"""The group coordinator: classic groups and committed offsets, in one shard per __consumer_offsets partition.

Open `shard.py` first: its tables lead from a request or timer to the method that handles it.  Each API has a small
class of its own (`join_group.py`, `sync_group.py`, `heartbeat.py`, `offset_commit.py`, ...).  They share the state in
`group_metadata_manager.py`, `classic_group.py` and `offset_metadata_manager.py`, and the transitions of a group in
`rebalance.py`.  `records.py` is the codec.  Imports go from shard.py down to these, never back.
"""
