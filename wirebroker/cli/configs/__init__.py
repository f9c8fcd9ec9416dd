"""`wirebroker configs ...`: settings of topics, brokers, loggers, client metrics and groups, quotas of users.

`resources.py` sends the requests for resources with settings; the commands print.
"""
