"""`wirebroker kafka-topics.sh ...`: the scripts of Apache Kafka, with their options, output and exit codes.

`scripts.py` is the table of names, `tool.py` has what the scripts share; a module for each script.
"""
