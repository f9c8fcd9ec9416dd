"""Who decides: topics, partitions, settings and producer ids change here and nowhere else.

Open `controller.py` first: one task works off one queue, and every decision ends in a write to the metadata store, then
in partitions that are served or not, then in the published image.  `topic_rules.py` says what may be created,
`assignment.py` where its replicas go (both pure), `internal_topics.py` what the broker's own topics look like.

May import: coordinator's and replication's floors downwards, and metadata.
"""
