"""Partitions this broker serves: appends, reads, high watermarks, and who waits for them.

Open `replica_manager.py` first (finds the Partition), then `partition.py` (leader of one log),
`disk_lane.py` (where a log directory's writes run); for Fetch `fetch_reader.py` (one pass over the partitions),
`fetch_session.py` (KIP-227) and `purgatory.py` (long polls).
May import storage, record, protocol, metadata values and trio; never handlers or sockets.
"""
