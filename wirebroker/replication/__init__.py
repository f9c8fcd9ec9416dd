"""Partitions of which this broker has a replica: roles, appends, reads, ISR, fetch sessions and delayed fetches.

Open `replica_manager.py` first (starts and stops partitions), then `partition.py` (roles, and changes of one log; its
base class in `local_replica.py` has the state and the reads) and `log_dir_executor.py` (where the writes of a log
directory run; `run_delay.py` tells a busy processor from a slow disk).  The rules of ISR and high watermark are in
`leader_state.py`, `replica.py` and `partition_state.py`, without I/O; `isr_updates.py` applies them, and proposes
changes through `alter_partition_manager.py`.  A follower's log is changed by `follower_append.py`;
`record_deletion.py` moves the start of a leader's.  A Fetch (`fetch_params.py`) begins in `fetch_messages.py`: it reads
with `fetch_reader.py`, which returns `fetch_results.py`, and waits in `delayed_fetch.py`; `fetch_session.py` and
`fetch_session_cache.py` are KIP-227.
`delayed_operation.py` is the purgatory, `delayed_produce.py` waits in one, too.  `retention_run.py` deletes the old
segments of many partitions.  `errors.py` maps the exceptions of storage and record to error codes.  May import storage,
record, protocol, metadata, timer and trio; never coordinators, handlers or sockets.
"""
