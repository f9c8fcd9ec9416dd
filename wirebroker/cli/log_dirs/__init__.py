"""`wirebroker log-dirs ...`: log directories of brokers, and replicas that are to move between them."""
