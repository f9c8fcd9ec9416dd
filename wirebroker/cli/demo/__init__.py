"""`wirebroker demo ...`: runs a pipeline of `wirebroker/pipelines` and prints a report.

Open `flights.py` first: it starts a worker process (`worker.py`) in a process group of its own and removes the files,
topics and processes of that group (`supervisor.py`), then prints the results (`report.py`, `chart.py`).
"""
