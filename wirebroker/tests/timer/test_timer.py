"""Timer: when tasks run and when the event loop is woken up, on a clock that the tests drive."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio
from trio.testing import wait_all_tasks_blocked

from wirebroker.timer.timer import Timer
from wirebroker.timer.timer_task import TimerTask

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest
    from trio.testing import MockClock


class Call(TimerTask):
    """A timer that calls a function."""

    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        super().__init__()
        self._function, self._arguments = function, arguments

    def run(self) -> None:
        self._function(*self._arguments)


class WakeUps(trio.abc.Instrument):
    """Counts the steps of tasks that run `Timer.run`."""

    def __init__(self) -> None:
        self.count = 0

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        if "Timer.run" in task.name:
            self.count += 1


async def advance(clock: MockClock, seconds: float) -> None:
    clock.jump(seconds)
    await wait_all_tasks_blocked()


async def test_tasks_run_at_their_time(nursery: trio.Nursery, mock_clock: MockClock) -> None:
    timer, ran = Timer(), list[tuple[int, int]]()
    nursery.start_soon(timer.run)
    await wait_all_tasks_blocked()

    def note(due_ms: int) -> None:
        ran.append((due_ms, timer.now_ms()))

    for due_ms in (450, 2, 19, 350, 8, 61_001):
        timer.add(Call(note, due_ms), due_ms)
    for _ in range(62_000):
        if len(ran) == 6:
            break
        await advance(mock_clock, 0.001 if len(ran) < 5 else 0.5)
    assert ran[:5] == [(2, 2), (8, 8), (19, 19), (350, 350), (450, 450)]
    assert ran[5][0] <= ran[5][1] < ran[5][0] + 500
    assert not len(timer)


async def test_a_timer_before_all_others_is_not_missed(nursery: trio.Nursery, mock_clock: MockClock) -> None:
    timer, ran = Timer(), list[str]()
    timer.add(Call(ran.append, "late"), 300_000)
    nursery.start_soon(timer.run)
    await wait_all_tasks_blocked()
    timer.add(Call(ran.append, "soon"), 100)
    timer.add(Call(ran.append, "sooner"), 50)
    await advance(mock_clock, 0.05)
    assert ran == ["sooner"]
    await advance(mock_clock, 0.05)
    assert ran == ["sooner", "soon"]


async def test_a_timer_whose_time_is_over_runs_in_the_next_millisecond(
    nursery: trio.Nursery, mock_clock: MockClock
) -> None:
    timer, ran = Timer(), list[str]()
    nursery.start_soon(timer.run)
    mock_clock.jump(3600)
    timer.add(Call(ran.append, "over"), 5)
    assert not ran  # not inside of `add`
    await advance(mock_clock, 0.001)
    assert ran == ["over"]


async def test_pending_timers_cost_no_wake_up(nursery: trio.Nursery, mock_clock: MockClock) -> None:
    timer, wake_ups = Timer(), WakeUps()
    for number in range(10_000):
        timer.add(Call(list), 600_000 + number)
    nursery.start_soon(timer.run)
    await wait_all_tasks_blocked()
    trio.lowlevel.add_instrument(wake_ups)
    for _ in range(100):
        await advance(mock_clock, 1)
    assert wake_ups.count == 0
    tasks = [Call(list) for _ in range(1000)]
    for task in tasks:
        timer.add(task, 130_000)
    for task in tasks:
        timer.cancel(task)
    for _ in range(100):
        await advance(mock_clock, 1)
    assert wake_ups.count <= 1  # for the bucket of the cancelled timers
    trio.lowlevel.remove_instrument(wake_ups)


async def test_a_cancelled_timer_does_not_run(nursery: trio.Nursery, mock_clock: MockClock) -> None:
    timer, ran = Timer(), list[str]()
    nursery.start_soon(timer.run)
    await wait_all_tasks_blocked()
    second = Call(ran.append, "second")

    def cancel() -> None:
        ran.append("first")
        timer.cancel(second)

    timer.add(Call(cancel), 10)
    timer.add(second, 10)  # in the same bucket: cancelled while that is being emptied
    await advance(mock_clock, 0.01)
    assert ran == ["first"]


async def test_a_failed_timer_is_logged_and_the_others_run(
    nursery: trio.Nursery, mock_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    timer, ran = Timer(), list[str]()
    nursery.start_soon(timer.run)
    await wait_all_tasks_blocked()
    timer.add(Call(int, "no number"), 10)
    timer.add(Call(ran.append, "other"), 10)
    await advance(mock_clock, 0.01)
    assert ran == ["other"]
    assert "timer Call: failed" in caplog.text


async def test_after_a_standstill_other_tasks_run_before_timers(nursery: trio.Nursery, mock_clock: MockClock) -> None:
    timer, ran = Timer(), list[str]()
    nursery.start_soon(timer.run)
    await wait_all_tasks_blocked()
    timer.add(Call(ran.append, "session"), 10_000)
    mock_clock.jump(60)  # nobody ran meanwhile
    for _ in range(10):
        await trio.lowlevel.checkpoint()
    assert not ran
    await advance(mock_clock, 0.1)
    assert ran == ["session"]


async def test_many_timers_of_one_moment_yield_the_event_loop(nursery: trio.Nursery, mock_clock: MockClock) -> None:
    timer, ran = Timer(), list[int]()
    nursery.start_soon(timer.run)
    for number in range(100_000):
        timer.add(Call(ran.append, number), 30_000)
    await wait_all_tasks_blocked()
    mock_clock.jump(29.9)
    seen = set()
    while len(ran) < 100_000:
        await trio.lowlevel.checkpoint()
        mock_clock.jump(0.001)
        seen.add(len(ran))
    assert len(seen) > 5
    assert len(timer) == 0
