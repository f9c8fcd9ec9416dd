"""`wirebroker reassign ...`: move replicas, as kafka-reassign-partitions.sh does, with any Kafka from 2.4.

plan.py has the JSON of both files and the throttles that a plan needs, without I/O; requests.py sends; the commands
print what Kafka's tool prints, so that scripts go on to work.
"""
