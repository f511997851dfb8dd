# SPDX-License-Identifier: BSD-2-Clause
"""The component OS: invocations beside the floor of the hardware, restarts, deadlines beside them.

Instructions under `-icount shift=0`. The floor is measured by tenants/bench/bench-domains.c: two
traps, two changes of page tables, two returns, and nothing else.
"""

import re
from statistics import median_low

from cotenant.bench import datagrams, samples
from cotenant.bench.row import Row, row
from cotenant.bench.systems import NO_SELF_TESTS, linux, payload, running, system
from cotenant.errors import BenchError
from cotenant.run.results import Latency, parse_latency

INVOCATION_BUDGET = 75
RESTART_BUDGET = 20_000

_METER = "components-meter"
_FLOOR = "bench-domains"
_CONTROL = "components-control"
_CRASHES = 2000
_CRASHES_QUICK = 200
_SERVICES = "components-services"
_CALLS = 1000
_CALLS_QUICK = 100
_ROUNDS = 400
_ROUNDS_QUICK = 50
_WORKS = 5
"""How often the fixed work is done: Linux's own takes up to 350 millionths more of some."""
_DATAGRAMS = 101
_DATAGRAMS_QUICK = 15
_PIPE_INVOCATIONS = 50
DATAGRAM_SHARE = 0.8
"""What a datagram straight to a component may take of one to a socket of Linux."""
_FIXED_WORK = 500
_ARGUMENTS = "console=ttyS0 loglevel=4 modules=virtio_mmio"
_NS = re.compile(r"^componentbench: (\w+)=(\d+)", re.MULTILINE)
_LINE = re.compile(r"^components: crashes=(\d+) .*restart_cycles=(\d+)", re.MULTILINE)


def run(quick: bool) -> list[Row]:
    """Measure; `quick` crashes components less often. Raises BenchError or RunError."""
    crashes = _CRASHES_QUICK if quick else _CRASHES
    asids, fences = measure(asids=True), measure(asids=False)
    floors = samples.medians(_output(_FLOOR), _FLOOR)
    loop, crashed, restart = _control(crashes)
    calls = _linux(_CALLS_QUICK if quick else _CALLS, _ROUNDS_QUICK if quick else _ROUNDS)
    pipe, lost = calls["pipe"], 1e6 * (calls["work"] / calls["absent"] - 1)
    invocations = pipe / asids["invocation"]
    return [
        row(
            "invocation and return",
            "instructions",
            asids["invocation"],
            floors["floor"],
            INVOCATION_BUDGET,
        ),
        row(
            "invocation and return, no ASIDs",
            "instructions",
            fences["invocation"],
            floors["floor_fence"],
        ),
        row("smallest call of the kernel", "instructions", asids["kernel_call"]),
        row("restart of an idle component", "instructions", asids["restart"], None, RESTART_BUDGET),
        row("restart of one in use, longest", "instructions", restart, None, RESTART_BUDGET),
        row("restarts beside the control loop", "restarts", crashed),
        row("periods of the control loop", "periods", loop.samples),
        row("periods of the control loop missed", "periods", loop.missed, None, 0),
        row("latest start of a period", "us", loop.max_us),
        Row(
            "invocations in the time of a call by pipes between processes",
            *("invocations", invocations, None, _PIPE_INVOCATIONS),
            invocations >= _PIPE_INVOCATIONS,
        ),
        row("process calls a component", "instructions", calls["component"], pipe),
        row("component calls a process", "instructions", calls["process_awake"], pipe),
        row("added to the work of Linux by idle components", "ppm", lost, None, _FIXED_WORK),
        *_datagram_rows(_DATAGRAMS_QUICK if quick else _DATAGRAMS),
    ]


def _datagram_rows(count: int) -> list[Row]:
    """Return what a datagram takes from its interrupt to its delivery, by each of four ways."""
    took = datagrams.measure(count)
    socket = took["socket"]
    return [
        row("datagram to a socket of Linux", "instructions", socket),
        row("datagram to a process by TUN", "instructions", took["tun"], socket),
        row(
            "datagram straight to a component",
            "instructions",
            took["components"],
            socket,
            DATAGRAM_SHARE * socket,
        ),
        row("datagram to a component by a process", "instructions", took["relay"], socket),
    ]


def _linux(calls: int, rounds: int) -> dict[str, int]:
    """Return what calls between processes and components take, and work with and without them."""
    works = "; ".join([f"componentbench work {rounds}"] * _WORKS)
    found = _medians(f"componentbench {calls}; sleep 2; {works}", "components")
    return found | {"absent": _medians(f"sleep 2; {works}")["work"]}


def _medians(command: str, *others: str) -> dict[str, int]:
    """Return the median of each figure that the command prints."""
    tables = [linux(arguments=f"{_ARGUMENTS} {NO_SELF_TESTS}")]
    for name in others:
        tables.append(payload(name, _SERVICES, priority=10, memory="8M", fp=False))
        channel = f'[channel.components]\nkind = "memory"\nends = ["linux", "{name}"]\n'
        tables.append(f'{channel}size = "8K"\n')
    with running(system(*tables), sstc=True) as session:
        session.wait_ready("linux")
        status, output = session.command("linux", command)
    if status != 0:
        raise BenchError(f"componentbench failed; it printed {output[-300:]!r}")
    found: dict[str, list[int]] = {}
    for name, value in _NS.findall(output):
        found.setdefault(name, []).append(int(value))
    return {name: median_low(values) for name, values in found.items()}


def measure(*, asids: bool) -> dict[str, int]:
    """Return the instructions of an invocation, a call of the kernel, and a restart."""
    return samples.medians(_output(_METER, f"asids={int(asids)}"), _METER)


def _output(image: str, arguments: str = "") -> str:
    tenant = payload("components", image, memory="8M", fp=False, arguments=arguments)
    with running(system(tenant), sstc=False) as session:
        session.wait_end()
        return session.output("components")


def _control(crashes: int) -> tuple[Latency, int, int]:
    """Return how late the periods began, the crashes beside them, and the longest restart."""
    output = _output(_CONTROL, f"report=100 crashes={crashes}")
    found = _LINE.findall(output)
    loop = parse_latency(output)
    if not found or loop is None or "components: missed" not in output:
        raise BenchError(f"{_CONTROL} did not come to its end; it printed {output[-300:]!r}")
    crashed, restart = map(int, found[-1])
    return loop, crashed, restart
