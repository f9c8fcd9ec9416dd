"""`wirebroker replicas ...`: compare the replicas of partitions.

verify.py prints, comparison.py reads and compares.
"""
