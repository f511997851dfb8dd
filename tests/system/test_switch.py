# SPDX-License-Identifier: BSD-2-Clause
"""Operating systems that take turns on the same hart and devices, by suspend to RAM."""

import re
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from systems import (
    LATENCY_READY,
    VERDICT,
    Boot,
    freertos,
    is_long,
    keep_ticking,
    linux,
    payload,
    system,
    times,
)

from cotenant import paths
from cotenant.run.results import parse_latency
from cotenant.run.session import Session

SUSPEND = b"echo mem > /sys/power/state; echo back $((40 + 2))\n"
BACK = "^back 42$"
DESK_MODULES = "virtio_mmio,virtio_blk,virtio_net,crc32c_generic,ext4,evdev,virtio_input"
# Half of the switches.
ROUNDS = times(6, 100) // 2
SMALL_ROUNDS = times(60, 300) // 3
"""switches of each of three small ones"""


def group(*members: str, **keys: str | list[str]) -> str:
    """Return the table of a group."""
    listed = {"members": list(members), **keys}
    return "\n".join(["[group.desk]", *(f"{key} = {value!r}" for key, value in listed.items()), ""])


def one_and_two(**keys: str | list[str]) -> str:
    """Return two Debian Linux that share the clock and a device, and an RTOS beside them."""
    arguments = "console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_rng"
    return system(
        '[qemu.devices]\nvirtio7 = "virtio-rng-device"\n',
        group("one", "two", devices=["rtc", "virtio7"], **keys),
        linux("one", arguments=arguments),
        linux("two", arguments=arguments),
        freertos(),
    )


def both_have_been_active(session: Session) -> None:
    """Boot the first one, then the second one, which is in the foreground afterwards."""
    session.wait_ready("one")
    session.send("one", SUSPEND)
    session.wait_ready("two")
    session.wait_state("one", "dormant")


def wait_resumed(session: Session, name: str) -> None:
    """Wait until a Linux that shows its kernel messages has resumed, and ask for its prompt."""
    session.expect(name, "PM: suspend exit")
    session.send(name, b"\n")


def no_deadline_was_missed(session: Session) -> None:
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0


# CLOCK_BOOTTIME, CLOCK_MONOTONIC in ns, CLOCK_REALTIME and the real-time clock.
CLOCKS = (
    "cut -d' ' -f1 /proc/uptime; sed -n 's/^now at \\([0-9]*\\) .*/\\1/p' /proc/timer_list; "
    "date +%s; cat /sys/class/rtc/rtc0/since_epoch"
)
AWAY_S = 7
# Two of them are read in seconds.
CLOCK_TOLERANCE_S = 2


def clocks_are_right(session: Session, active: str, other: str) -> None:
    """Let the active one be away for a while, and look at its clocks before and after."""
    typed = f"{CLOCKS}; echo mem > /sys/power/state; {CLOCKS}; echo clocks $((40 + 2))\n"
    session.send(active, typed.encode())
    session.expect(other, BACK)
    session.run_for(AWAY_S)
    session.send(other, SUSPEND)
    told = session.expect(active, r"((?:^\d[\d.]*\n){8})^clocks 42\n")[1].split()
    before, after = told[:4], told[4:]
    boottime, monotonic, wall, machine = (
        float(b) - float(a) for a, b in zip(before, after, strict=True)
    )
    assert machine + 1 >= AWAY_S, told
    assert abs(boottime - machine) <= CLOCK_TOLERANCE_S, told
    assert abs(wall - machine) <= CLOCK_TOLERANCE_S, told
    assert monotonic < 1e9, f"it stands still while the system is suspended: {told}"


def test_two_linux_take_turns_beside_an_rtos(boot: Boot) -> None:
    session = boot(one_and_two(), icount=4)
    session.expect("freertos", LATENCY_READY)
    both_have_been_active(session)
    for active, other in (("two", "one"), ("one", "two")) * 3:
        assert session.command(active, "ticks 20")[0] == 0
        random = session.command(active, "dd if=/dev/hwrng bs=32 count=1 2>/dev/null | wc -c")
        assert random == (0, "32\n")
        session.send(active, SUSPEND)
        session.expect(other, BACK)
        states = {name: each.state for name, each in session.stats().tenants.items()}
        assert states == {active: "dormant", other: "running", "freertos": "running"}
    clocks_are_right(session, "two", "one")
    no_deadline_was_missed(session)
    assert session.quit() == 0


def desk(harts: Sequence[int], patience: str = "600s") -> str:
    """Return two Debian Linux with a disk each that share the network, and an RTOS."""
    keys: dict[str, str | list[int]] = {
        "initrd": "debian-desk-initramfs",
        "arguments": f"console=ttyS0 loglevel=4 modules={DESK_MODULES}",
        "harts": list(harts),
    }
    return system(
        "[qemu.devices]",
        'virtio0 = "virtio-blk-device,drive=disk0"',
        'virtio1 = "virtio-blk-device,drive=disk1"',
        'virtio2 = "virtio-net-device,netdev=net"\n',
        group("one", "two", devices=["rtc", "virtio2"], patience=patience),
        linux("one", devices=["virtio0"], **keys),
        linux("two", devices=["virtio1"], **keys),
        freertos(),
    )


def desk_arguments(folder: Path) -> tuple[str, ...]:
    """Return QEMU's arguments for the devices of `desk`; two new ext4 file systems are made."""
    arguments = ["-netdev", "user,id=net"]
    for name in ("disk0", "disk1"):
        file = folder / name
        subprocess.run(["/sbin/mkfs.ext4", "-q", "-F", file, "16M"], check=True, timeout=60)
        arguments += ["-drive", f"if=none,id={name},file={file},format=raw"]
    return tuple(arguments)


SET_UP = (
    "mkdir -p /mnt; mount /dev/vda /mnt && ip addr add 10.0.2.15/24 dev eth0 && "
    "ip link set eth0 up && ping -c 1 10.0.2.2"
)
CHECKED = (
    f"fpcheck 100000 & suspendcheck {ROUNDS} /mnt 10.0.2.2; kill %1; wait; "
    "umount /mnt && echo over $((40 + 2))\n"
).encode()
OVER = "^over 42$"
# Two switches and their checks take less than a second.
PATIENCE = max(600.0, 3.0 * ROUNDS)


def wait_over(session: Session, first: str, other: str) -> None:
    """Wait until the checks of the first one are over, or fail with what ended the other's."""

    def find() -> str | None:
        return next((name for name in (first, other) if is_over(session, name)), None)

    assert session.console.wait(find, PATIENCE) == first, session.output(other)


def is_over(session: Session, name: str) -> bool:
    return re.search(OVER, session.output(name), re.MULTILINE) is not None


HARTS = {1: "one-hart", 4: "four-harts"} | ({2: "two-harts"} if is_long() else {})


@pytest.mark.long_form
@pytest.mark.parametrize("harts", [tuple(range(count)) for count in HARTS], ids=HARTS.values())
def test_everything_is_as_it_was(boot: Boot, tmp_path: Path, harts: Sequence[int]) -> None:
    """Each of the two checks its memory, FP registers, file, clocks and network every time."""
    icount = 4 if harts == (0,) else None
    session = boot(desk(harts), icount=icount, extra=desk_arguments(tmp_path))
    session.wait_ready("one")
    assert session.command("one", SET_UP)[0] == 0
    session.send("one", CHECKED)
    session.wait_ready("two")
    assert session.command("two", SET_UP)[0] == 0
    session.send("two", CHECKED)
    wait_over(session, "one", "two")
    assert session.control("stop one").output == "ok"
    session.expect("two", OVER)
    for name in ("one", "two"):
        output = session.output(name)
        assert output.count("suspendcheck: round=") == ROUNDS and "fpcheck:" not in output, output
    suspended = session.monitor_log.count(": suspended\n")
    assert suspended == 2 * ROUNDS
    if icount is not None:
        no_deadline_was_missed(session)
    for name in ("disk0", "disk1"):
        check = ["/sbin/fsck.ext4", "-n", "-f", str(tmp_path / name)]
        assert subprocess.run(check, timeout=60, check=False).returncode == 0


@pytest.mark.long_form
@pytest.mark.parametrize("harts", [(0,), (0, 1, 2)] if is_long() else [(0, 1, 2)])
def test_a_switch_is_a_sleep_key_to_linux(boot: Boot, harts: Sequence[int]) -> None:
    keys: dict[str, str | list[int]] = {
        "initrd": "debian-desk-initramfs",
        "arguments": "console=ttyS0 modules=virtio_mmio,evdev,virtio_input",
        "harts": list(harts),
    }
    three = ("one", "two", "three")
    tables = [linux(name, memory="192M", **keys) for name in three]
    session = boot(
        system(group(*three, patience="600s"), *tables), icount=4 if harts == (0,) else None
    )
    session.wait_ready("one")
    assert "Cotenant sleep key" in session.command("one", "cat /proc/bus/input/devices")[1]
    for name in ("three", "two"):
        assert session.control(f"switch {name}").output == "ok"
        session.wait_ready(name)
    for name in ("one", "three", "two") * 2:
        assert session.control(f"switch {name}").output == "ok"
        wait_resumed(session, name)
        assert session.command(name, "ticks 20")[0] == 0
    assert "did not suspend" not in session.monitor_log


@pytest.mark.long_form
@pytest.mark.parametrize("with_uart", [False, True], ids=["sstc", "no-sstc-and-a-real-uart"])
def test_nobody_finds_what_the_one_before_left(boot: Boot, with_uart: bool) -> None:
    names = ("one", "two", "three")
    rounds = f"rounds={SMALL_ROUNDS}"
    arguments = f"{rounds} line=own" if with_uart else rounds
    dirty = [
        payload("switch-dirty", name, arguments=arguments, uart=not with_uart) for name in names
    ]
    session = boot(
        system(
            '[qemu.devices]\nvirtio7 = "virtio-rng-device"\n',
            group(*names, devices=["rtc", "virtio7", *(["uart0"] if with_uart else [])]),
            *dirty,
            freertos(),
            sstc=not with_uart,
            board="qemu-virt-uart" if with_uart else "qemu-virt",
        ),
        icount=4,
    )
    session.expect("freertos", LATENCY_READY)
    for name in names:
        assert session.expect(name, VERDICT)[1] == "PASS switch-dirty"
    no_deadline_was_missed(session)


def test_a_card_on_the_pci_bus_forgets_the_one_before(boot: Boot) -> None:
    """It may not write to the memory of one who has left, who had told it to."""
    dirty = [payload("switch-dirty-pci", name) for name in ("one", "two")]
    session = boot(
        system(
            '[qemu.devices]\npcie = ["edu,dma_mask=0xffffffff", "bochs-display"]\n',
            group("one", "two", devices=["pcie"]),
            *dirty,
            freertos(),
        ),
        icount=4,
    )
    for name in ("one", "two"):
        assert session.expect(name, VERDICT)[1] == "PASS switch-dirty-pci"
    no_deadline_was_missed(session)


@pytest.mark.long_form
@pytest.mark.parametrize("harts", [(0, 1, 2), (0, 1, 2, 3)], ids=["three", "four"])
def test_harts_that_stop_late_and_one_that_does_not(boot: Boot, harts: Sequence[int]) -> None:
    """Linux suspends before the harts that it has told to stop have done so."""
    names = ("one", "two")
    arguments = f"rounds={100 if is_long() else 10}"
    members = [
        payload("switch-harts", name, harts=list(harts), arguments=arguments) for name in names
    ]
    beside = [freertos(hart=1), payload("spin", hart=2, priority=1)]
    session = boot(system(group(*names), *members, *beside))
    for name in names:
        assert session.expect(name, VERDICT)[1] == "PASS switch-harts"
    keep_ticking(session, ["freertos"])


def test_commands_of_a_group(boot: Boot) -> None:
    session = boot(one_and_two(patience="1s"), icount=4)
    session.wait_ready("one")
    assert session.control("switch freertos").output == "refused, it is running"
    assert session.control("switch one").output == "refused, it is running"
    assert session.control("start two").output == "refused, it is empty, and not in the foreground"
    # Nobody in there obeys.
    assert session.control("switch two").output == "ok"
    session.expect_monitor("tenant one: asked to suspend for two\n")
    session.expect_monitor("one: did not suspend in time and stays in the foreground, instead of")
    assert session.command("one", "ticks 20")[0] == 0
    # The end of the active one is the turn of the next.
    assert session.control("stop one").output == "ok"
    session.wait_ready("two")
    assert session.control("switch one").output == "ok"
    session.send("two", SUSPEND)
    session.expect("one", "^cotenant: ready$")
    session.send("one", b"poweroff -f\n")
    session.expect("two", BACK)
    no_deadline_was_missed(session)


USE_LINE = (
    b"exec 3<>/dev/ttyS1; echo open $((40 + 2)); "
    b"head -n 1 <&3; echo read $((40 + 2)) >&3; exec 3>&-\n"
)


def read_line(line: socket.socket) -> str:
    """Return what comes on a serial line up to the end of the line of text."""
    received = b""
    while not received.endswith(b"\n"):
        received += line.recv(1)
    return received.decode().strip()


def test_linux_and_freertos_take_turns(boot: Boot, tmp_path: Path) -> None:
    """The UART is a real one: whoever is in the foreground has what is typed and shown there."""
    example = (paths.ROOT / "examples" / "switch-linux-freertos.toml").read_text()
    path = tmp_path / "uart"
    assert example.count("../build/uart0.socket") == 1
    session = boot(example.replace("../build/uart0.socket", str(path)), icount=4)
    session.wait_ready("linux")
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(120)
        line.connect(str(path))
        for turn in (1, 2, 3):
            assert session.control("switch freertos").output == "ok"
            assert read_line(line) == "FreeRTOS has the line"
            for _ in range(2):
                session.expect("freertos", rf"^desk: turn={turn} requests=\d+ errors=0\n")
            if turn == 1:
                line.sendall(b"s")
            else:
                assert session.control("switch linux").output == "ok"
            wait_resumed(session, "linux")
            random = "ticks 20; dd if=/dev/hwrng bs=32 count=1 | wc -c"
            assert session.command("linux", random)[0] == 0
            session.send("linux", USE_LINE)
            session.expect("linux", "^open 42$")
            line.sendall(b"typed\n")
            session.expect("linux", "^typed\n")
            assert read_line(line) == "typed"  # its echo
            assert read_line(line) == "read 42"


def test_a_kernel_that_cannot_suspend_stays(boot: Boot, tmp_path: Path) -> None:
    session = boot(desk((0,), patience="2s"), icount=4, extra=desk_arguments(tmp_path))
    stays = "one: did not suspend in time and stays in the foreground, instead of two"
    session.wait_ready("one")
    # It cannot freeze a task that waits for a file system, and answers the sleep key by EBUSY.
    hang = "echo 500 > /sys/power/pm_freeze_timeout; fsfreeze --freeze /mnt; touch /mnt/file &"
    assert session.command("one", f"{SET_UP}; {hang}")[0] == 0
    assert session.command("one", "until ps -o stat | grep -q D; do usleep 10000; done")[0] == 0
    assert session.control("switch two").output == "ok"
    session.expect_monitor(stays)
    assert session.command("one", "ticks 20 && ping -c 1 10.0.2.2")[0] == 0
    failed = "cat /sys/power/suspend_stats/fail /sys/power/suspend_stats/failed_freeze"
    assert session.command("one", failed) == (0, "1\n1\n")
    assert session.command("one", "fsfreeze --unfreeze /mnt && sync")[0] == 0
    # As when a driver refuses: Linux turns its devices off and on again, and does not sleep.
    assert session.command("one", "echo devices > /sys/power/pm_test")[0] == 0
    assert session.control("switch two").output == "ok"
    session.expect_monitor(stays)
    session.run_for(
        15
    )  # it waits for five seconds; its UART forgets what is typed before it is back
    assert session.command("one", "ticks 20 && ping -c 1 10.0.2.2")[0] == 0
    assert session.stats().tenants["two"].state == "empty"
    # It can again.
    assert session.command("one", "echo none > /sys/power/pm_test")[0] == 0
    assert session.control("switch two").output == "ok"
    session.wait_ready("two")
    no_deadline_was_missed(session)


def test_a_switch_by_force(boot: Boot) -> None:
    session = boot(one_and_two(patience="500ms", refusal="force"), icount=4)
    session.wait_ready("one")
    assert session.control("switch two").output == "ok"
    session.expect_monitor("tenant one: stopped by force: ")
    session.wait_ready("two")
    assert session.command("two", "ticks 20")[0] == 0
    assert session.stats().tenants["one"].state == "stopped"
    no_deadline_was_missed(session)
