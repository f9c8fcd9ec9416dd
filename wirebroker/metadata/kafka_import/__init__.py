"""Import of a data directory of Apache Kafka: its topics with ids, leader epochs and settings.

Open import_plan.py first.  A broker with ZooKeeper leaves names, partition numbers and (since 2.8) topic ids in its log
directories (directories.py); a KRaft broker keeps everything in `__cluster_metadata-0` (kraft_log.py reads it,
kraft_records.py parses the records, kraft_image.py is their sum).  Nothing here writes to a file of Kafka's.
"""
