import os
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from typing import Any, TypeVar

import pulumi
import pulumi_fleetkeeper as fleetkeeper
from pulumi import automation


@contextmanager
def signals_wait() -> Iterator[None]:
    """Ctrl-C and SIGTERM take effect at the end of this block. In an `up` they would leave it, and its machine, to itself."""
    came: list[int] = []
    told = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda number, _: came.append(number)) for number in told}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for first in came[:1]:
        signal.raise_signal(first)


Result = TypeVar("Result")


def past_dead_locks(stack: automation.Stack, work: Callable[[], Result]) -> Result:
    """
    Does an `up` or a `destroy`. A killed one has left the stack locked, and its machine may bill. The lock of a dead process
    of this host is taken away (`pulumi cancel`), and the work is done again. A lock of anybody else is left as it is.
    """
    try:
        return work()
    except automation.ConcurrentUpdateError as error:
        holders = re.findall(r"created by \S*@(\S+) \(pid (\d+)\)", str(error))
        if not holders or any(host != socket.gethostname() or is_alive(int(pid)) for host, pid in holders):
            raise
        print(f"the stack was locked by a process that is dead ({holders[0][1]}): cancelled", flush=True)
        stack.cancel()
        return work()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


@contextmanager
def gpus(minutes: float) -> Iterator[dict[str, Any]]:
    """8 GPUs for the length of a `with` block, or until these minutes are over, whatever becomes of this process."""
    until = datetime.now(timezone.utc) + timedelta(minutes=minutes)

    def program() -> None:
        machine = fleetkeeper.Deployment(
            "gpus",
            candidates=[
                {"offer": "h100-80gb-x8", "provider": "basalt", "location": "is-rey", "gpus": 8},
                {"offer": "h100-80gb-x8", "provider": "aurora", "location": "fi-hel", "gpus": 8},
            ],
            until=until,
        )
        pulumi.export("id", machine.deployment_id)
        pulumi.export("price", machine.price_per_hour)
        pulumi.export("connection", machine.connection)

    stack = automation.create_or_select_stack(stack_name="session", project_name="python", program=program)
    try:
        with signals_wait():
            outputs = past_dead_locks(stack, stack.up).outputs
        yield {name: output.value for name, output in outputs.items()}
    finally:
        with signals_wait():
            destroyed = past_dead_locks(stack, stack.destroy)
            print(f"given back: {destroyed.summary.result}", flush=True)


# Without this SIGTERM would end the program at once, and nothing would be given back.
signal.signal(signal.SIGTERM, lambda *_: sys.exit("told to end"))

minutes = float(os.environ.get("MINUTES", "60"))
try:
    with gpus(minutes) as machine:
        print(f"8 GPUs, {machine['price']} USD an hour")
        print(f"{machine['id']} at {machine['connection']['host']}", flush=True)
        # Your work, on the machine. Here: the time passes.
        time.sleep(minutes * 60)
except KeyboardInterrupt:
    sys.exit("told to end")
