"""storage: the partitions' records on disk, in Apache Kafka's own file formats.

Open `log_manager.py` first (the directories and the logs in them), then `log.py` (one partition: append, read, roll,
truncate) and `segment.py` (one `.log` with its indexes).  Around them: `producer_state.py` (idempotence, open
transactions), `leader_epochs.py`, `checkpoints.py`, and `log_loader.py` with `recovery.py` (what a crash leaves).

Plain synchronous Python over the few verbs of `files.py`: no trio, no sockets, no threads of its own.  Nobody above
this room sees a file: they hold a `Log`, and a `LogSlice` that can be sent.
"""
