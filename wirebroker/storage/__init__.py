"""storage: the logs of partitions on disk, in Apache Kafka's file formats.

Open `log_manager.py` first: a `LogManager` has `LogDirs` and the logs in them.  A `Log` (`log.py`: append) is made of a
`LocalLog` (`local_log.py`: `LogSegments` of `log_segment.py` with their indexes), a `ProducerStateManager` with its
snapshots, a `LeaderEpochCache` and a `LogReader`, which reads from immutable `LogView`s.  `retention.py`,
`log_truncation.py`, `future_logs.py` and `cleaner/` change logs; `log_loader.py` opens them; `integrity/` recovers,
verifies and repairs files.  `errors.py` has the exceptions, `files.py` the operations of the file system.

Plain synchronous Python: no trio, no sockets, no wire codes.  Imports record, config and model.  Rooms above see no
files: they hold a `Log`, and a `LogSlice` that can be sent.
"""
