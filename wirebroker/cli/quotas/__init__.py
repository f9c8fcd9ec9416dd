"""`wirebroker quotas ...`: quotas of users, clients and addresses."""
