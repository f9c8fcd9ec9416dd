"""`wirebroker state-changes merge`: lines of state-change.log of several brokers in the order of their times."""
