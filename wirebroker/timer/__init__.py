"""Timers of the whole broker: a hierarchical timing wheel, and the one task that sleeps until its next bucket.

Open `timing_wheel.py` first: it does no I/O and gets the time from its caller.  `timer_task.py` has the nodes of its
buckets, and `timer.py` the Timer that tasks are added to, on trio's monotonic clock, which tests replace.

May import: nothing but `loop_budget.py`.
"""
