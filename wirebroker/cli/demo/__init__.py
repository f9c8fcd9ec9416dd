"""`wirebroker demo ...`: the pipelines of `wirebroker/pipelines`, with options, clean-up and a report around them.

Open `flights.py` first: it starts a worker process (`worker.py`) in a process group of its own and removes whatever
that group leaves behind (`supervisor.py`), then prints the results (`report.py`, `chart.py`).
"""
