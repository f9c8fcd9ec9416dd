"""Client quotas: the limits of users and client ids, measured rates, and throttle times (KIP-13, 55, 124, 599).

Open `manager.py`: a ClientQuotaManager records what clients use of a quota and returns throttle times, and
`mutation_quota.py` does so for changes of topics; `managers.py` holds those of a broker.  `client_sensors.py` keeps the
use of each client, `levels.py` chooses its limit among the eight levels, `rate.py` and `token_bucket.py` measure as
Kafka's Rate and TokenBucket do.  Sans-IO: the time is an argument, in milliseconds of a monotonic clock.
May import nothing of the other rooms.
"""
