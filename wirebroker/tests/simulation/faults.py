"""Faults: what may happen to the processes, links and disks of a cluster, drawn by a seed."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Final

import trio

from wirebroker.tests.simulation.broker import SESSION_TIMEOUT_S
from wirebroker.tests.simulation.pace import LEAD_S, Pace
from wirebroker.tests.simulation.virtual_time import clock_offsets_ms
from wirebroker.tests.simulation.zookeeper import ZOOKEEPER

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Container, Mapping

    from wirebroker.tests.simulation.broker import SimulatedBroker, World
    from wirebroker.tests.simulation.network import Link
    from wirebroker.tests.simulation.observer import Observer

_VERBS: Final = ("pwrite", "sync", "rename", "create", "sync_directory", "truncate", "read", "pread")
"""The accesses to a disk that may fail."""
MEAN_PAUSE_S: Final = 4.0
"""The mean time between the beginnings of two faults, unless told; several may be in effect at once."""


class Faults:
    """Begins faults for a time, and ends all of them."""

    def __init__(
        self,
        brokers: Mapping[int, SimulatedBroker],
        world: World,
        observer: Observer,
        seed: int,
        clients: list[str],
        only: Container[str] = (),
    ) -> None:
        """Draw from the faults named in *only*, or from all if it is empty."""
        self._brokers, self._world, self._observer = brokers, world, observer
        self._random = random.Random(f"faults {seed}")
        self.pace = Pace()
        """Is told of each fault."""
        self.mean_pause_s = MEAN_PAUSE_S
        self._peers = [*(each.name for each in brokers.values()), *clients]
        self.counts: dict[str, int] = {}
        """Fault -> how often it began."""
        self._kinds: dict[str, tuple[int, Callable[[], Awaitable[None]]]] = {
            "kill": (4, self._kill),
            "stop": (2, self._stop),
            "lose power": (3, self._lose_power),
            "fail a log directory": (1, self._fail_log_dir),
            "fail an access": (2, self._fail_access),
            "fill a log directory": (2, self._fill_log_dir),
            "set a clock": (1, self._set_clock),
            "pause": (3, self._pause),
            "long pause": (1, self._long_pause),
            "cut off from ZooKeeper": (2, self._cut_off_zookeeper),
            "lose connection to ZooKeeper": (2, self._lose_zookeeper),
            "expire session": (1, self._expire_session),
            "cut link": (3, self._cut_link),
            "isolate": (1, self._isolate),
            "reset connections": (2, self._reset),
            "delete /controller": (1, self._delete_controller),
            "depose busy controller": (2, self._depose_busy_controller),
            "kill busy controller": (2, self._kill_busy_controller),
        }
        if only:
            self._kinds = {name: kind for name, kind in self._kinds.items() if name in only}

    async def run(self, seconds: float) -> None:
        """Begin faults for *seconds*, then end those that last."""
        names = list(self._kinds)
        weights = [weight for weight, _ in self._kinds.values()]
        async with trio.open_nursery() as nursery:
            until = trio.current_time() + seconds
            while True:
                begins_at = trio.current_time() + self._random.expovariate(1 / self.mean_pause_s)
                await trio.sleep_until(min(until, begins_at - LEAD_S))
                self.pace.wake()
                await trio.sleep_until(min(until, begins_at))
                if trio.current_time() >= until:
                    break
                (name,) = self._random.choices(names, weights)
                self.counts[name] = self.counts.get(name, 0) + 1
                nursery.start_soon(self._kinds[name][1])

    def _note(self, text: str) -> None:
        self._world.trace.note(f"FAULT {text}", "faults")
        self.pace.wake()

    def _broker(self) -> SimulatedBroker:
        return self._random.choice(list(self._brokers.values()))

    async def _for_a_while(self, longest_s: float = 12.0) -> None:
        await trio.sleep(self._random.uniform(0.05, longest_s) if self._random.random() < 0.7 else 0.01)

    # -- processes

    async def _kill(self) -> None:
        """kill -9, sometimes in the middle of a change of the disk."""
        broker = self._broker()
        disk, stays_down = broker.disk, self._random.random() < 0.5

        def kill() -> None:
            self._observer.check_now()
            self._note(f"{broker.name} is killed")
            broker.kill(stays_down=stays_down)

        if self._random.random() < 0.5:
            disk.on_crash, disk.crash_at = kill, disk.steps + self._random.randint(1, 30)
            await trio.sleep(2.0)
        if broker.disk is disk and not disk.is_stopped:
            kill()
        if stays_down:
            await self._for_a_while(20.0)
            broker.start()

    async def _lose_power(self) -> None:
        """End a broker with its machine, which takes longer to start than a session with ZooKeeper lasts."""
        broker = self._broker()
        disk = broker.disk
        if disk.is_used or disk.is_stopped:
            return
        self._observer.check_now()
        self._note(f"{broker.name} loses its power")
        broker.lose_power()
        await trio.sleep(SESSION_TIMEOUT_S + self._random.uniform(2.0, 14.0))
        broker.start()

    async def _stop(self) -> None:
        broker = self._broker()
        self._note(f"{broker.name} is stopped")
        stays_down = self._random.random() < 0.5
        broker.stop(stays_down=stays_down)
        if stays_down:
            await self._for_a_while(20.0)
            broker.start()

    async def _pause(self, longest_s: float = 3.0) -> None:
        broker = self._broker()
        process = broker.process
        if process is None or process.is_paused:
            return
        self._note(f"{broker.name} is paused")
        process.pause()
        await self._for_a_while(longest_s)
        self._note(f"{broker.name} goes on")
        process.go_on()

    async def _long_pause(self) -> None:
        await self._pause(15.0)

    async def _set_clock(self) -> None:
        """Set the wall clock of a broker, up to an hour wrong, and perhaps right again later."""
        name, offset_ms = self._broker().name, self._random.randint(-3_600_000, 3_600_000)
        self._note(f"the clock of {name} is set to be {offset_ms} ms fast")
        clock_offsets_ms[name] = offset_ms
        await self._for_a_while()
        if self._random.random() < 0.5:
            self._note(f"the clock of {name} is right again")
            clock_offsets_ms[name] = 0

    # -- disks

    async def _fail_log_dir(self) -> None:
        """Have every access to a log directory fail, until the broker was restarted with it or another disk."""
        broker = self._broker()
        directory = self._random.choice(broker.log_dirs)
        self._note(f"{directory} fails")
        broker.disk.failed_dirs.add(directory)
        await self._restart_later(broker)

    async def _fail_access(self) -> None:
        """Have one write, sync, rename or creation in a log directory fail, and restart the broker some time later."""
        broker = self._broker()
        verb, directory = self._random.choice(_VERBS), self._random.choice(broker.log_dirs)
        self._note(f"the next {verb} in {directory} fails")
        broker.disk.next_failure = verb, directory
        await self._restart_later(broker)

    async def _fill_log_dir(self) -> None:
        broker = self._broker()
        disk, directory = broker.disk, self._random.choice(broker.log_dirs)
        self._note(f"{directory} is full")
        disk.full_dirs.add(directory)
        await self._for_a_while()
        self._note(f"{directory} has room again")
        disk.full_dirs.discard(directory)
        await self._restart_later(broker)  # what could not be written may have put the directory out of service

    async def _restart_later(self, broker: SimulatedBroker) -> None:
        """Restart *broker* after a while, unless it has ended in the meantime."""
        disk = broker.disk
        await self._for_a_while()
        if broker.disk is disk and not disk.is_stopped:
            self._note(f"{broker.name} is restarted for its disk")
            broker.stop()

    # -- ZooKeeper

    async def _cut_off_zookeeper(self) -> None:
        name = self._broker().name
        if name in self._world.zookeeper.cut_off:
            return
        self._note(f"{name} is cut off from ZooKeeper")
        self._world.zookeeper.cut_off.add(name)
        await self._for_a_while()
        self._note(f"{name} reaches ZooKeeper again")
        self._world.zookeeper.mend(name)

    async def _lose_zookeeper(self) -> None:
        broker = self._broker()
        if broker.client is not None and not broker.client.is_dead:
            self._note(f"{broker.name} loses its connection to ZooKeeper")
            broker.client.server_closed()

    async def _expire_session(self) -> None:
        broker = self._broker()
        if broker.client is not None and not broker.client.is_dead:
            self._note(f"the session of {broker.name} is ended")
            self._world.zookeeper.expire(broker.client)

    async def _delete_controller(self) -> None:
        """An operator has another controller elected."""
        if "/controller" in self._world.zookeeper.nodes:
            self._note("/controller is deleted")
            self._world.zookeeper.remove("/controller")
            self._world.trace.note("/controller was deleted by an operator", ZOOKEEPER)

    async def _depose_busy_controller(self) -> None:
        """Pause the controller while it moves the leaders of a broker, and have another one elected meanwhile."""
        zookeeper = self._world.zookeeper
        if "/controller" not in zookeeper.nodes:
            return
        controller_id = json.loads(zookeeper.read("/controller") or b"{}")["brokerid"]
        stopping = self._random.choice([each for each in self._brokers.values() if each.broker_id != controller_id])
        controller = self._brokers[controller_id]
        process = controller.process
        if process is None or process.is_paused:
            return
        is_paused = trio.Event()

        def pause() -> None:
            self._note(f"{controller.name}, the controller, is paused")
            process.pause()
            is_paused.set()

        self._note(f"{stopping.name} is stopped")
        stopping.stop()
        zookeeper.after_write[controller.name] = pause
        with trio.move_on_after(3.0):
            await is_paused.wait()
            await trio.sleep(self._random.uniform(0, 0.5))
            await self._delete_controller()
            await trio.sleep(self._random.uniform(0.5, 2.0))
        zookeeper.after_write.pop(controller.name, None)
        process.go_on()

    async def _kill_busy_controller(self) -> None:
        """kill -9 of the controller when some of the writes for a broker that stops have taken effect."""
        zookeeper = self._world.zookeeper
        if "/controller" not in zookeeper.nodes:
            return
        controller = self._brokers[json.loads(zookeeper.read("/controller") or b"{}")["brokerid"]]
        stopping = self._random.choice([each for each in self._brokers.values() if each is not controller])
        process, left = controller.process, self._random.randint(1, 8)

        def written() -> None:
            nonlocal left
            left -= 1
            if left:
                zookeeper.after_write[controller.name] = written
            elif controller.process is process:
                self._observer.check_now()
                self._note(f"{controller.name}, the controller, is killed")
                controller.kill()

        self._note(f"{stopping.name} is stopped")
        stopping.stop()
        zookeeper.after_write[controller.name] = written
        await trio.sleep(3.0)
        zookeeper.after_write.pop(controller.name, None)

    # -- network

    async def _cut_link(self) -> None:
        await self._cut([(self._broker().name, self._random.choice(self._peers))])

    async def _isolate(self) -> None:
        """Cut a broker off from all others, in both directions, but not from ZooKeeper."""
        name = self._broker().name
        await self._cut([link for each in self._peers for link in ((name, each), (each, name))])

    async def _cut(self, links: list[Link]) -> None:
        network = self._world.network
        fresh = [each for each in links if each[0] != each[1] and not network.is_cut(each)]
        if self._random.random() < 0.5:
            reverse = [(receiver, sender) for sender, receiver in fresh]
            fresh += [each for each in reverse if each not in fresh and not network.is_cut(each)]
        self._note(f"cut: {', '.join(' -> '.join(each) for each in fresh)}")
        for each in fresh:
            network.cut(each)
        await self._for_a_while()
        self._note(f"mended: {', '.join(' -> '.join(each) for each in fresh)}")
        for each in fresh:
            network.mend(each)

    async def _reset(self) -> None:
        one, other = self._broker().name, self._random.choice(self._peers)
        self._note(f"the connections of {one} and {other} are reset")
        self._world.network.reset_connections(one, other)
