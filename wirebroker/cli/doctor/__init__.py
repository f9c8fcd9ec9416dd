"""`wirebroker doctor`: begin with `command.py`; `machine.py`, `settings.py` and `cluster.py` have the checks."""
