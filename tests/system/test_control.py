# SPDX-License-Identifier: BSD-2-Clause
"""The verbs of cotenantctl from outside, over the console line."""

import json
import subprocess
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import pytest
from systems import VERDICT, Boot, freertos, linux, payload, system

from cotenant.commands.ctl import PROGRAM
from cotenant.control.server import ControlServer
from cotenant.run.launch import prepare
from cotenant.run.results import parse_latency
from cotenant.run.session import Session
from cotenant.trace import ring
from cotenant.trace.system import read_bundle

Ctl: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]

# Memory travels over a serial line: little of it.
SPIN = payload("spin", start="manual", memory="64K", priority=1)


@pytest.fixture
def ctl(tmp_path: Path) -> Iterator[Callable[[Session], Ctl]]:
    """Return a function that returns a function that runs cotenantctl for a session."""
    servers: list[ControlServer] = []

    def for_session(session: Session) -> Ctl:
        place = tmp_path / f"{len(servers)}.sock"
        servers.append(ControlServer(place, session.console.control).start())

        def run(*words: str | Path, typed: str = "") -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [PROGRAM, "--port", place, "--timeout", "60", *words],
                input=typed,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )

        return run

    yield for_session
    for server in servers:
        server.close()


def good(result: subprocess.CompletedProcess[str]) -> str:
    """Return what a call printed that has to have succeeded."""
    assert result.returncode == 0, result.stderr
    return result.stdout


def states(ctl: Ctl) -> dict[str, str]:
    """Return the tenants' states."""
    return {
        each["name"]: each["state"] for each in json.loads(good(ctl("--json", "list")))["tenants"]
    }


def test_every_verb(boot: Boot, ctl: Callable[[Session], Ctl], tmp_path: Path) -> None:
    session = boot(system(SPIN, freertos()), icount=4)
    session.wait_ready("freertos")
    run = ctl(session)
    assert states(run) == {"spin": "empty", "freertos": "running"}
    assert "Cotenant 1.0, 2 tenants, 1 harts" in good(run("version"))
    assert good(run("start", "spin")) == "start spin: ok\n"
    session.wait_state("spin", "running")
    assert "refused, it is running" in run("start", "spin").stderr
    first, last = map(json.loads, good(run("--json", "top", "-n", "2", "-d", "0.5")).splitlines())
    assert last["time_ns"] > first["time_ns"]
    spin, rtos = (tenant["vharts"][0] for tenant in last["tenants"])
    assert spin["cpu_percent"] > 80 and 500 < rtos["switches_per_s"] < 2000
    assert "monitor: tenant spin: commanded to start\n" in good(run("log"))
    assert "latency: samples=" in good(run("console", "freertos", "--history"))
    assert "refused, it is running" in run("save", "spin", tmp_path / "file").stderr
    good(run("restart", "spin"))
    good(run("destroy", "spin"))
    session.wait_state("spin", "empty")
    assert "nothing is recorded" in run("trace", tmp_path / "trace").stderr
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_top_tells_an_idle_linux_from_a_busy_one(boot: Boot, ctl: Callable[[Session], Ctl]) -> None:
    def percent() -> float:
        top = json.loads(good(ctl_of("--json", "top", "-d", "0.5")))
        share: float = top["tenants"][0]["vharts"][0]["cpu_percent"]
        return share

    session = boot(system(linux(), freertos()), icount=4)
    session.wait_ready("linux")
    ctl_of = ctl(session)
    assert percent() < 20
    session.command("linux", "while :; do :; done & echo $! >/tmp/busy")
    assert percent() > 80
    session.command("linux", "kill $(cat /tmp/busy)")
    assert percent() < 20
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_load_save_restore(boot: Boot, ctl: Callable[[Session], Ctl], tmp_path: Path) -> None:
    """An image comes in while the system runs, and goes to a file and back."""
    image = payload("hello", start="manual", memory="64K")
    session = boot(system(image, freertos()), icount=4)
    session.wait_ready("freertos")
    run = ctl(session)
    good(run("load", "hello"))
    session.wait_state("hello", "loaded")
    good(run("save", "hello", tmp_path / "saved"))
    (tmp_path / "image").write_bytes(bytes(8192))
    good(run("load", "hello", tmp_path / "image"))
    good(run("start", "hello"))
    session.expect_monitor("tenant hello: crashed: cause=")
    good(run("restore", "hello", tmp_path / "saved"))
    assert states(run)["hello"] == "loaded"
    good(run("start", "hello"))
    session.expect("hello", "^PASS hello$")
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


def test_typing_into_a_console(boot: Boot, ctl: Callable[[Session], Ctl]) -> None:
    session = boot(system(payload("uart-echo"), freertos()), icount=4)
    session.wait_ready("freertos")
    run = ctl(session)
    assert "some text" in good(run("console", "uart-echo", typed="some text\x04"))
    assert session.expect("uart-echo", VERDICT)[1] == "PASS uart-echo"


def test_trace_of_a_running_system(
    boot: Boot, ctl: Callable[[Session], Ctl], tmp_path: Path
) -> None:
    """What is read while the harts go on recording is a trace all the same."""
    file = tmp_path / "traced.toml"
    file.write_text(system(freertos()))
    launch = prepare(file, tmp_path / "traced.bin", console_mode="framed", trace_ring=16384)
    session = boot(launch, icount=4)
    session.wait_ready("freertos")
    good(ctl(session)("trace", tmp_path / "trace"))
    (recorded,) = ring.decode((tmp_path / "trace").read_bytes(), read_bundle(launch.built.bundle))
    assert all(before.time <= after.time for before, after in pairwise(recorded.records))
