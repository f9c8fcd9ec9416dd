"""The controller: topics, partitions, configs and producer id blocks are changed here and nowhere else.

Open `controller.py` first: one task runs the events of one queue (`event_queue.py`); each writes records to the
metadata journal, serves or stops partitions, and publishes the image.  `topic_rules.py` validates new topics,
`assignment.py` assigns replicas (both pure), `internal_topics.py` has the settings of internal topics.

May import: coordinator, replication, metadata and everything below.
"""
