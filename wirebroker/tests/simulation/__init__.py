"""A whole cluster in one process: brokers, network, ZooKeeper, disks, clients and faults, all of it from one seed.

    python -m wirebroker.tests.simulation --seed 7 --seconds 120
    python -m wirebroker.tests.simulation --seed 7 --seconds 3600 --pause 20 --busy 4

The second one is an hour with a fault every 20 s on average; clients are busy around each fault, and rest otherwise
(`pace.py`), so that an hour takes about 80 s.

Every broker is the product's: `ClusterMode` with its controller, replicas, fetchers, coordinators and logs.  Time is
virtual (`virtual_clock.py`, `virtual_time.py`), threads are virtual, the network (`network.py`), ZooKeeper
(`zookeeper.py`) and disks (`disk.py`), which fail, fill up and lose what was not synced, are in memory, and processes
can be paused and killed (`processes.py`).  The seed also chooses the inter-broker protocol (`broker.py`).  `cluster.py`
puts them together, `faults.py` draws the faults, and `observer.py` sees all brokers and checks the invariants at each
turn of the loop.  A run is a function of its seed and length: `test_simulation.py` compares two traces.
"""
