"""`wirebroker dump-log`: what the files of a partition hold, in the lines of Apache Kafka's kafka-dump-log.sh.

Open `command.py` first: it finds the files and hands each to the function for its suffix, in `segments.py` (`.log`,
snapshots of KRaft), `indexes.py` (`.index`, `.timeindex`) or `small_files.py` (the rest).  These report facts to a
`Report` (`report.py`), which words them: `text_report.py` as the original, `json_report.py` as JSON.  `options.py` has
the options; `decoders.py`, `consumer_offsets.py`, `transaction_state.py`, `cluster_metadata.py` and
`remote_log_metadata.py` turn keys and values into text.

Layouts of files and batches are those of `wirebroker.storage` and `wirebroker.record`; none is declared here.
"""
