"""monitoring: reads the state of a running broker as metrics, and serves and reports them.

Begin with `collector.py`: the snapshot of all metrics, one function of a module for each room that is read.
`endpoint.py` answers HTTP requests with it.  Nothing here is called for a request of a client.  Imports the rooms whose
state it reads, `server` and everything below.
"""
