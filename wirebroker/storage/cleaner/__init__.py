"""Log compaction (KIP-58): what can be cleaned, the process that cleans it, and the exchange of segments.

Open `cleaning.py` first: one round over one log.  `planning.py` finds the range to clean and makes the `CleaningJob`
(`job.py`); `offset_map.py` has the last offset of each key, `latest_offsets.py` marks for them by offset, and
`transactions.py` the aborted transactions, by which `wirebroker/record/compaction.py` decides which records of a batch
are retained; `segment_writer.py` writes them.  `worker.py` is the process that runs rounds, `worker_client.py` its side
in the broker, `segment_swap.py` puts the new segments into the log.

May import what storage may import.  `wirebroker/log_cleaner.py` chooses the log that is cleaned next.
"""
