"""TimingWheel: places of timers, moves between wheels, and agreement with a naive model."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wirebroker.timer.timer_task import TimerTask, TimerTaskList
from wirebroker.timer.timing_wheel import WHEEL_SIZE, TimingWheel


class NoWork(TimerTask):
    """A task that does nothing."""

    __slots__ = ()

    def run(self) -> None:
        """Do nothing."""


def timer(expiration_ms: int) -> TimerTask:
    task = NoWork()
    task.expiration_ms = expiration_ms
    return task


def place(task: TimerTask) -> tuple[int, int]:
    """The wheel and the bucket that *task* is in."""
    node = task.next
    while not isinstance(node, TimerTaskList):
        node = node.next
    return divmod(node.number, WHEEL_SIZE)


def due(wheel: TimingWheel, now_ms: int) -> list[int]:
    """Take out the tasks that are due at *now_ms*; return their expirations."""
    expirations = []
    while (next_ms := wheel.next_expiration()) is not None and next_ms <= now_ms:
        task = wheel.poll(now_ms)
        if task is not None:
            expirations.append(task.expiration_ms)
    return expirations


@pytest.mark.parametrize(
    ("expiration_ms", "where"),
    [(2, (0, 2)), (8, (0, 8)), (19, (0, 19)), (350, (1, 17)), (450, (2, 1)), (3_600_000, (5, 1))],
)
def test_the_wheel_and_bucket_of_a_timer(expiration_ms: int, where: tuple[int, int]) -> None:
    wheel = TimingWheel()
    task = timer(expiration_ms)
    assert wheel.add(task)
    assert place(task) == where


def test_a_timer_moves_down_one_wheel_after_the_other() -> None:
    wheel = TimingWheel()
    task = timer(450)
    wheel.add(task)
    assert wheel.next_expiration() == 400
    assert due(wheel, 399) == []
    assert due(wheel, 400) == []  # 50 ms are left
    assert place(task) == (1, 2)
    assert wheel.next_expiration() == 440
    assert due(wheel, 440) == []
    assert place(task) == (0, 10)
    assert wheel.next_expiration() == 450
    assert due(wheel, 450) == [450]
    assert wheel.next_expiration() is None


def test_a_wheel_that_has_moved_on_counts_from_its_time() -> None:
    wheel = TimingWheel()
    wheel.advance_clock(8)
    tasks = [timer(expiration_ms) for expiration_ms in (10, 27, 28, 350, 450)]
    assert all(wheel.add(task) for task in tasks)
    assert [place(task) for task in tasks] == [(0, 10), (0, 7), (1, 1), (1, 17), (2, 1)]


def test_a_timer_that_is_due_is_not_added() -> None:
    wheel = TimingWheel(start_ms=1000)
    assert not wheel.add(timer(1000))
    assert not wheel.add(timer(3))
    assert wheel.add(timer(1001))
    assert len(wheel) == 1


def test_a_late_caller_gets_every_timer_bucket_by_bucket() -> None:
    wheel = TimingWheel()
    for expiration_ms in (450, 2, 350, 19, 8, 100_000):
        wheel.add(timer(expiration_ms))
    assert due(wheel, 1000) == [2, 8, 19, 350, 450]
    assert wheel.next_expiration() == 96_000
    assert wheel.current_ms <= 1000


def test_buckets_without_tasks_are_no_reason_to_wake_up() -> None:
    wheel = TimingWheel()
    cancelled, later = timer(5), timer(11)
    wheel.add(cancelled)
    wheel.add(later)
    wheel.cancel(cancelled)
    wheel.cancel(cancelled)  # no effect
    assert (wheel.next_expiration(), len(wheel)) == (11, 1)
    assert wheel.add(timer(5))  # the bucket is queued anew
    assert wheel.next_expiration() == 5


def test_a_task_can_be_added_again_after_it_ran_and_after_it_was_cancelled() -> None:
    wheel = TimingWheel()
    task = timer(3)
    for expiration_ms in (3, 30, 300):
        task.expiration_ms = expiration_ms
        wheel.add(task)
        wheel.cancel(task)
        assert not task.is_pending
        wheel.add(task)
        assert task.is_pending
        assert due(wheel, expiration_ms) == [expiration_ms]
        assert not task.is_pending


def test_the_clock_stops_at_the_next_bucket() -> None:
    wheel = TimingWheel()
    wheel.add(timer(50))
    wheel.advance_clock(10_000)
    assert wheel.current_ms == 40
    assert due(wheel, 10_000) == [50]
    wheel.advance_clock(10_000)
    assert wheel.current_ms == 10_000


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.one_of(st.integers(-3, 45), st.integers(0, 9000), st.integers(0, 10**8))),
        st.tuples(st.just("cancel"), st.integers(0, 50)),
        st.tuples(st.just("advance"), st.one_of(st.integers(0, 30), st.integers(0, 10**5))),
        st.tuples(st.just("wait"), st.one_of(st.integers(0, 30), st.integers(0, 9000), st.integers(0, 10**8))),
        st.tuples(st.just("next"), st.just(0)),
    ),
    max_size=60,
)


@given(st.integers(0, 10**6), STEPS)
@settings(max_examples=300, deadline=None)
def test_every_timer_is_due_at_its_time_as_in_a_naive_model(start_ms: int, steps: list[tuple[str, int]]) -> None:
    wheel, pending, now_ms = TimingWheel(start_ms), list[TimerTask](), start_ms
    for step, value in steps:
        if step == "add":
            task = timer(now_ms + value)
            if wheel.add(task):
                pending.append(task)
            else:
                assert task.expiration_ms <= now_ms
        elif step == "cancel" and pending:
            wheel.cancel(pending.pop(value % len(pending)))
        elif step == "advance":
            soonest = min((task.expiration_ms for task in pending), default=now_ms + value)
            now_ms = min(now_ms + value, max(now_ms, soonest - 1))
            wheel.advance_clock(now_ms)
        elif step == "wait":
            now_ms += value
            expected = sorted(task.expiration_ms for task in pending if task.expiration_ms <= now_ms)
            assert due(wheel, now_ms) == expected
            pending = [task for task in pending if task.expiration_ms > now_ms]
            wheel.advance_clock(now_ms)
        next_ms = wheel.next_expiration()
        assert (next_ms is None) == (not pending)
        if next_ms is not None:
            assert next_ms <= min(task.expiration_ms for task in pending)
        assert len(wheel) == len(pending)
        assert wheel.current_ms <= now_ms


def test_few_wake_ups_serve_a_timer_in_the_far_future() -> None:
    wheel = TimingWheel()
    wheel.add(timer(10**8))
    wake_ups = 0
    while (next_ms := wheel.next_expiration()) is not None:
        wake_ups += 1
        due(wheel, next_ms)
    assert wake_ups <= 7  # once for each wheel


def test_a_million_pending_timers_cost_no_more_each_than_a_thousand() -> None:
    def seconds_for_each(count: int) -> float:
        wheel = TimingWheel()
        for number in range(count):
            wheel.add(timer(1 + number * 7919 % 3_600_000))
        assert len(wheel) == count
        tasks = [timer(500 + number % 30_000) for number in range(20_000)]
        began = process_time()
        for task in tasks:
            wheel.add(task)
        for task in tasks:
            wheel.cancel(task)
        took = process_time() - began
        assert len(wheel) == count
        return took / len(tasks)

    few = min(seconds_for_each(1000) for _ in range(3))
    many = min(seconds_for_each(1_000_000) for _ in range(2))
    assert many < 3 * few  # a walk or a heap of timers would be slower by a factor of ten at least


def test_many_timers_of_one_bucket_are_moved_in_several_steps() -> None:
    wheel = TimingWheel()
    for _ in range(10_000):
        wheel.add(timer(450))
    assert [wheel.poll(400) for _ in range(10_000 // 256)] == [None] * (10_000 // 256)
    assert wheel.next_expiration() == 400  # some are left in the bucket
    assert wheel.poll(400) is None
    assert wheel.next_expiration() == 440
    assert len(due(wheel, 450)) == 10_000
