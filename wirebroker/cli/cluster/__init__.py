"""`wirebroker cluster ...`: run a development cluster on this machine, and describe a cluster.

up.py has the options and what is printed, development_cluster.py the brokers and their ZooKeeper, processes.py how no
process outlives the command, describe.py the state of any cluster.
"""
