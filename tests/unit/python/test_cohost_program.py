# SPDX-License-Identifier: BSD-2-Clause
"""cohost, built for this machine with sanitizers, on a machine whose guests are scripts."""

import contextlib
import json
import os
import pty
import signal
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fdt
import pytest
import sanitized

from cotenant import paths

DONE, REFUSED, USAGE, NO_START, PANIC, CRASH, STOPPED = range(7)
EXEC = 125

MIB = 1 << 20
BASE = 0x80000000
REGISTERS, PLIC = 0x70000000, 0xC000000
UART = 0x10000000
POWEROFF = "sbi 53525354 0 0 0 0\n"
COLD_REBOOT = "sbi 53525354 0 1 0 0\n"
WARM_REBOOT = "sbi 53525354 0 2 0 0\n"


BUILD_SETTINGS = ["CFLAGS=-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"]


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the program with the fake machine; what another file's tests have built is used."""
    out = tmp_path_factory.getbasetemp() / "cohost"
    out.mkdir(exist_ok=True)
    machine = paths.ROOT / "tests" / "unit" / "cohost" / "fake_machine.c"
    make: list[str | Path] = ["make", "-C", paths.ROOT / "linux" / "cohost", f"OUT={out}"]
    settings = [*BUILD_SETTINGS, f"MACHINE={machine}"]
    subprocess.run([*make, *settings], check=True, stdout=subprocess.DEVNULL)
    return out / "cohost"


def host_tree(timebase: int = 10_000_000, window: tuple[int, int] | None = None) -> bytes:
    """Return the device tree of a host.

    `timebase`: what it says of its clock, which has 10 MHz; `window`: address and size of the
    memory that its kernel leaves to guests.
    """
    tree = fdt.FDT()
    tree.header.version = 17
    tree.header.last_comp_version = 16
    cells = [fdt.PropWords("#address-cells", 2), fdt.PropWords("#size-cells", 2)]
    for each in cells:
        tree.root.append(each)
    cpus = fdt.Node("cpus")
    cpus.append(fdt.PropWords("#address-cells", 1))
    cpus.append(fdt.PropWords("#size-cells", 0))
    cpus.append(fdt.PropWords("timebase-frequency", timebase))
    cpu = fdt.Node("cpu@0")
    cpu.append(fdt.PropStrings("device_type", "cpu"))
    cpu.append(fdt.PropWords("reg", 0))
    cpu.append(fdt.PropStrings("riscv,isa", "rv64imafdc_sstc"))
    cpu.append(fdt.PropStrings("mmu-type", "riscv,sv57"))
    cpus.append(cpu)
    tree.root.append(cpus)
    soc = fdt.Node("soc")
    soc.append(fdt.PropWords("#address-cells", 2))
    soc.append(fdt.PropWords("#size-cells", 2))
    for name, compatible, address, size in (
        ("plic", "riscv,plic0", PLIC, 0x600000),
        ("guests", "cotenant,hosted", REGISTERS, 0x11000),
    ):
        node = fdt.Node(f"{name}@{address:x}")
        node.append(fdt.PropStrings("compatible", compatible))
        node.append(fdt.PropWords("reg", 0, address, 0, size))
        soc.append(node)
    tree.root.append(soc)
    if window is not None:
        reserved = fdt.Node("reserved-memory")
        reserved.append(fdt.PropWords("#address-cells", 2))
        reserved.append(fdt.PropWords("#size-cells", 2))
        node = fdt.Node(f"guests@{window[0]:x}")
        node.append(fdt.PropStrings("compatible", "cotenant,guest-memory"))
        node.append(fdt.PropWords("reg", 0, window[0], 0, window[1]))
        reserved.append(node)
        tree.root.append(reserved)
    return bytes(tree.to_dtb())


def kernel(script: str, image_size: int = 0x10000) -> bytes:
    """Return a kernel image with a script as its code."""
    header = struct.pack("<IIQQQIIQQ4sI", 0, 0, 0, image_size, 0, 2, 0, 0, 0, b"RSC\x05", 0)
    return header + script.encode() + b"\0"


class Host:
    """A folder that the fake machine works with, and the program."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program, self.folder = program, folder
        (folder / "tree.dtb").write_bytes(host_tree())
        self.set_limits()
        self.set_pages((BASE, 64))

    def set_limits(
        self, slots: int = 2, vharts: int = 2, memory: int = 1 << 30, entries: int = 4
    ) -> None:
        (self.folder / "limits").write_text(f"{slots} {vharts} {memory} {entries}")

    def set_pages(self, *runs: tuple[int, int]) -> None:
        (self.folder / "pages").write_text("".join(f"{at:x} {count}\n" for at, count in runs))

    @property
    def log(self) -> str:
        file = self.folder / "log"
        return file.read_text() if file.exists() else ""

    @property
    def lent(self) -> list[tuple[int, int]]:
        """The ranges that were lent, and their sizes in pages of 2 MiB."""
        words = [line.split() for line in self.log.splitlines() if line.startswith("lend")]
        return [(int(each[6], 16), int(each[8], 16) // (2 * MIB)) for each in words]

    @property
    def environment(self) -> dict[str, str]:
        # The search for leaks at a process's end waits for ever if a thread ends at that moment.
        options = {"ASAN_OPTIONS": "detect_leaks=0"}
        return os.environ | options | {"COHOST_TEST": str(self.folder)}

    def start(self, *words: str | Path, stdin: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [self.program, *words],
            env=self.environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def call(self, *words: str | Path, typed: bytes = b"") -> subprocess.CompletedProcess[str]:
        return sanitized.call([self.program, *words], typed.decode(), 30, self.environment)

    def on_terminal(self, *words: str | Path, until: bytes) -> tuple[int, int]:
        """Start the program on a terminal; its process and ours of it once that shows the text."""
        command = [str(self.program), *map(str, words)]
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(command[0], command, self.environment)
        output = b""
        while until not in output:
            output += os.read(terminal, 100)
        return pid, terminal

    def kernel(self, script: str, image_size: int = 0x10000) -> Path:
        file = self.folder / "Image"
        file.write_bytes(kernel(script, image_size))
        return file

    def run(self, script: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
        return self.call("run", "--memory", "8M", "--kernel", self.kernel(script), *words)

    def guest_tree(self, *words: str | Path) -> Any:  # noqa: ANN401
        file = self.folder / "guest.dtb"
        result = self.run(POWEROFF, "--dump-tree", file, *words)
        assert result.returncode == DONE, result.stderr
        return fdt.parse_dtb(file.read_bytes())


def processes_of(folder: Path) -> list[int]:
    """Return the processes that work with the fake machine in a folder."""
    mine, found = f"COHOST_TEST={folder}".encode(), []
    for file in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # it has ended, or is another user's
            if mine in file.read_bytes().split(b"\0"):
                found.append(int(file.parent.name))
    return found


@pytest.fixture
def host(program: Path, tmp_path: Path) -> Iterator[Host]:
    """Give a host; what a failed test left running would slow down all others, and is killed."""
    yield Host(program, tmp_path)
    for process in processes_of(tmp_path):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def wait_for(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


# --- memory ---


@pytest.mark.parametrize(
    ("pages", "megabytes", "entries", "lent"),
    [
        ([(BASE, 64)], 16, 4, [(BASE, 8)]),
        # Descending, as Linux gives them: one piece all the same.
        ([(BASE + (63 - i) * 2 * MIB, 1) for i in range(64)], 8, 4, None),
        # Two pieces: all of the longer one, and one page is not the guest's.
        ([(BASE, 6), (BASE + 64 * MIB, 7)], 24, 4, [(BASE, 5), (BASE + 64 * MIB, 7)]),
        # One entry only: an aligned power of two.
        ([(BASE + 2 * MIB, 20)], 16, 1, [(BASE + 16 * MIB, 8)]),
    ],
    ids=["one piece", "descending", "two pieces", "one entry"],
)
def test_the_best_pages_are_lent(
    host: Host,
    pages: list[tuple[int, int]],
    megabytes: int,
    entries: int,
    lent: list[tuple[int, int]] | None,
) -> None:
    host.set_pages(*pages)
    host.set_limits(entries=entries)
    result = host.run(POWEROFF, "--memory", f"{megabytes}M")
    assert result.returncode == DONE, result.stderr
    assert sum(size for _, size in host.lent) == megabytes // 2
    if lent is None:
        assert len(host.lent) == 1
    else:
        assert host.lent == lent


@pytest.mark.parametrize(
    ("pages", "entries", "sentence"),
    [
        ([(BASE, 4)], 4, "8 MiB for the guest are not there: the host has 6 MiB free"),
        ([(BASE + i * 4 * MIB, 1) for i in range(20)], 3, "not there in few enough pieces"),
        ([(BASE, 64)], 0, "grants 0 PMP entries"),
    ],
    ids=["too little", "scattered", "no entry"],
)
def test_memory_that_is_not_there(
    host: Host, pages: list[tuple[int, int]], entries: int, sentence: str
) -> None:
    host.set_pages(*pages)
    host.set_limits(entries=entries)
    result = host.run(POWEROFF)
    assert result.returncode == NO_START
    assert sentence in result.stderr
    assert "create" not in host.log


def test_a_linux_gets_the_large_piece_that_it_takes_as_it_starts(host: Host) -> None:
    scattered = [(BASE, 15), (BASE + 64 * MIB, 33), (BASE + 132 * MIB, 1)]
    linux = host.kernel(POWEROFF, image_size=32 * MIB)
    words = ("run", "--memory", "96M", "--kernel", linux)
    host.set_pages(*scattered, (BASE + 256 * MIB, 40))
    result = host.call(*words)
    assert (result.returncode, result.stderr) == (DONE, "")
    assert max(pages for _, pages in host.lent) * 2 * MIB >= 36 * MIB + 32 * MIB
    host.set_pages(*scattered)
    assert "needs 36 MiB in one piece" in host.call(*words).stderr
    assert "one piece" not in host.run(POWEROFF, "--memory", "96M").stderr


SINGLE = [(BASE + i * 4 * MIB, 1) for i in range(120)]
RUN = (BASE + 1024 * MIB, 40)


@pytest.mark.parametrize("moved", [False, True], ids=["all-free", "after-moving"])
def test_a_large_piece_is_looked_for_in_all_that_the_host_can_spare(
    host: Host, moved: bool
) -> None:
    """Where a stock Linux gets none it panics without a word, and a command never ends."""
    longer = [(BASE + 512 * MIB, 10), (BASE + 768 * MIB, 15)]
    first = [*longer, *SINGLE]
    if moved:
        host.set_pages(*first)
        (host.folder / "moved").write_text(f"{RUN[0]:x} {RUN[1]}\n")
    else:
        host.set_pages(*first, RUN)
    linux = host.kernel(POWEROFF, image_size=32 * MIB)
    result = host.call("run", "--memory", "96M", "--kernel", linux)
    assert (result.returncode, result.stderr) == (DONE, "")
    assert RUN in host.lent


def test_a_memory_that_is_too_small_in_any_piece_is_not_looked_for(host: Host) -> None:
    host.set_pages((BASE, 40), *SINGLE)
    linux = host.kernel(POWEROFF, image_size=32 * MIB)
    result = host.call("run", "--memory", "64M", "--kernel", linux)
    assert "needs 36 MiB in one piece" in result.stderr
    assert host.lent == [(BASE, 32)]


STALE = b"\xa5secret of another guest\x5a"


@pytest.mark.parametrize("initrd", [b"", b"an archive", b"i" * (3 * MIB)])
def test_nothing_of_an_earlier_guest_is_left(host: Host, initrd: bytes) -> None:
    """In the memory that the host's kernel leaves to guests, when the guest's code begins."""
    window, size = 0x90000000, 16 * MIB
    (host.folder / "tree.dtb").write_bytes(host_tree(window=(window, size)))
    file = host.folder / "window"
    file.write_bytes((STALE * (size // len(STALE) + 1))[:size])
    (host.folder / "initrd").write_bytes(initrd)
    with_initrd: list[str | Path] = ["--initrd", host.folder / "initrd"] if initrd else []
    image = kernel(f"put {UART:x} up|\nspin\n")
    (host.folder / "Image").write_bytes(image)
    guest = host.start(*("run", "--memory", "16M", "--kernel", host.folder / "Image", *with_initrd))
    assert guest.stdout is not None
    assert guest.stdout.readline() == b"up\n"
    assert host.lent == [(window, size // (2 * MIB))]
    left = file.read_bytes()
    guest.kill()
    guest.communicate(timeout=30)
    assert len(left) == size
    assert b"secret" not in left
    assert left.startswith(image)
    assert bytes(4 * MIB) in left
    assert not any(left[len(image) : 2 * MIB])
    assert initrd in left


def test_of_the_window_is_mapped_what_is_needed(host: Host) -> None:
    """And what the guest names, as where its text for the console is."""
    window, size = 0x90000000, 64 * MIB
    (host.folder / "tree.dtb").write_bytes(host_tree(window=(window, size)))
    script = f"sbi 4442434e 0 40 {window + 32 * MIB - 32:x} 0\n{POWEROFF}"
    result = host.run(script, "--memory", "64M")
    assert result.returncode == DONE
    assert bytes(0x40).decode() in result.stdout
    mapped = [line.split() for line in host.log.splitlines() if line.startswith("map ")]
    text = [f"{window + 30 * MIB:x}", f"{4 * MIB:x}"]
    assert text in [each[1:] for each in mapped], mapped


def test_the_host_keeps_a_reserve(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COHOST_SPARE", "4")
    assert "the host has 6 MiB that it can spare" in host.run(POWEROFF).stderr
    monkeypatch.setenv("COHOST_SPARE", "5")
    assert host.run(POWEROFF).returncode == DONE


def test_more_than_the_configuration_allows(host: Host) -> None:
    host.set_limits(vharts=2, memory=64 * MIB)
    assert "at most 2 CPUs" in host.run(POWEROFF, "--cpus", "3").stderr
    assert "allows guests 64 MiB" in host.run(POWEROFF, "--memory", "66M").stderr


# --- the device tree ---


def test_the_tree_says_what_is_there(host: Host) -> None:
    host.set_pages((BASE, 6), (BASE + 64 * MIB, 7))
    tree = host.guest_tree("--memory", "24M", "--cpus", "2", "--append", "quiet a=b")
    memory = [node for node in tree.root.nodes if node.name.startswith("memory")]
    assert [node.get_property("reg").data for node in memory] == [
        [0, BASE, 0, 10 * MIB],
        [0, BASE + 64 * MIB, 0, 14 * MIB],
    ]
    chosen = tree.get_node("/chosen")
    arguments = chosen.get_property("bootargs").value
    assert arguments == "console=ttyS0 panic=-1 reboot=panic_warm quiet a=b"
    assert len(chosen.get_property("rng-seed").data) == 16
    assert chosen.get_property("stdout-path").value == f"/soc/serial@{UART:x}"
    for number in range(2):
        cpu = tree.get_node(f"/cpus/cpu@{number}")
        assert cpu.get_property("riscv,isa").value == "rv64imafdc_sstc"
        assert cpu.get_property("mmu-type").value == "riscv,sv57"
    plic = tree.get_node(f"/soc/plic@{PLIC:x}")
    assert plic.get_property("riscv,ndev").value == 31
    assert plic.get_property("interrupts-extended").data == [16, 11, 16, 9, 17, 11, 17, 9]
    serial = tree.get_node(f"/soc/serial@{UART:x}")
    assert serial.get_property("interrupts").value == 1
    # Words take the monitor's short path.
    assert serial.get_property("reg-shift").value == 2
    assert serial.get_property("reg-io-width").value == 4


def test_two_seeds_differ(host: Host) -> None:
    seeds = [host.guest_tree().get_node("/chosen").get_property("rng-seed").data for _ in range(2)]
    assert seeds[0] != seeds[1]


def test_devices_are_not_where_memory_is(host: Host) -> None:
    host.set_pages((UART, 16))
    tree = host.guest_tree()
    assert tree.get_node("/chosen").get_property("stdout-path").value != f"/soc/serial@{UART:x}"


def test_a_system_that_cannot_host(host: Host) -> None:
    tree = fdt.parse_dtb(host_tree())
    tree.get_node("/soc").remove_subnode(f"guests@{REGISTERS:x}")
    (host.folder / "tree.dtb").write_bytes(tree.to_dtb())
    result = host.run(POWEROFF)
    assert result.returncode == NO_START
    assert "needs the key 'guests'" in result.stderr


# --- kernel and initrd ---


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "not a file with something in it"),
        (b"\x1f\x8b" + bytes(100), "compressed by gzip"),
        (b"\x7fELF" + bytes(100), "an ELF file"),
        (bytes(10), "too short"),
        (bytes(100), "lacks the magic number"),
    ],
)
def test_what_is_no_kernel(host: Host, content: bytes, sentence: str) -> None:
    file = host.folder / "Image"
    file.write_bytes(content)
    result = host.call("run", "--memory", "8M", "--kernel", file)
    assert result.returncode == NO_START
    assert sentence in result.stderr


def test_a_kernel_that_does_not_fit(host: Host) -> None:
    result = host.call(
        *("run", "--memory", "8M", "--kernel"), host.kernel(POWEROFF, image_size=9 * MIB)
    )
    assert result.returncode == NO_START
    assert "does not fit: it takes 10 MiB" in result.stderr


def test_the_initrd_lies_behind_the_kernel(host: Host) -> None:
    initrd = host.folder / "initrd"
    initrd.write_bytes(b"x" * 5000)
    chosen = host.guest_tree("--initrd", initrd).get_node("/chosen")
    start = chosen.get_property("linux,initrd-start").data
    end = chosen.get_property("linux,initrd-end").data
    assert start == [0, BASE + 2 * MIB]
    assert end == [0, BASE + 2 * MIB + 5000]


# --- the end ---


@pytest.mark.parametrize(
    ("script", "code"),
    [(POWEROFF, DONE), (WARM_REBOOT, PANIC), ("crash\n", CRASH), ("lost\n", CRASH)],
    ids=["poweroff", "panic", "crash", "lost"],
)
def test_each_end_has_its_code(host: Host, script: str, code: int) -> None:
    result = host.run(script)
    assert result.returncode == code, result.stderr
    assert "destroy slot 0 vhart 0 address 0 size 0 token 42 result 3" in host.log
    assert [file.name for file in (host.folder / "run").iterdir()] == [".lock"]


def test_a_reboot_starts_again(host: Host) -> None:
    process = host.start("run", "--memory", "8M", "--kernel", host.kernel(COLD_REBOOT))
    wait_for(lambda: host.log.count("create") > 3)
    process.terminate()
    process.communicate(timeout=30)
    assert process.returncode == STOPPED
    # A guest that is being ended: BUSY.
    ends = [line for line in host.log.splitlines() if line.startswith("destroy")]
    done = [line.split()[0] for line in host.log.splitlines() if line.endswith("result 0")]
    assert done.count("create") == sum(line.endswith("result 3") for line in ends)


@pytest.mark.parametrize("script", ["spin\n", "idle\nidle\nspin\n", "wait 9\n"])
def test_a_signal_ends_it(host: Host, script: str) -> None:
    process = host.start("run", "--memory", "8M", "--kernel", host.kernel(script))
    wait_for(lambda: "start" in host.log)
    process.terminate()
    process.communicate(timeout=20)
    assert process.returncode == STOPPED
    assert "destroy" in host.log


# --- the serial port ---


def test_what_the_guest_writes_comes_out(host: Host) -> None:
    result = host.run(f"put {UART:x} Hello,|world.|\n{POWEROFF}")
    assert (result.returncode, result.stdout) == (DONE, "Hello,\nworld.\n")


def test_nothing_is_lost_at_a_slow_reader(host: Host) -> None:
    lines = "".join(f"put {UART:x} {number:07}|\n" for number in range(12000))
    process = host.start(
        "run", "--memory", "8M", "--kernel", host.kernel(lines + POWEROFF), stdin=subprocess.DEVNULL
    )
    time.sleep(0.5)
    output, _ = process.communicate(timeout=30)
    assert output.decode().splitlines() == [f"{number:07}" for number in range(12000)]


def test_what_is_typed_arrives(host: Host) -> None:
    text = b"all of this, more than fits"
    script = f"store {UART + 4:x} 1 1\n"
    script += "".join(f"wait 1\nload {UART:x} 1\n" for _ in text)
    result = host.call(
        "run", "--memory", "8M", "--kernel", host.kernel(script + POWEROFF), typed=text
    )
    assert result.returncode == DONE
    loaded = [line.split()[-1] for line in host.log.splitlines() if " load " in line]
    assert bytes(int(word, 16) for word in loaded) == text


def test_a_terminal_and_its_keys(host: Host) -> None:
    """Ctrl-A twice is Ctrl-A for the guest, Ctrl-A x ends it though it reads nothing more."""
    file = host.kernel(
        f"put {UART:x} up|\nstore {UART + 4:x} 1 1\nwait 1\nload {UART:x} 1\nidle\nspin\n"
    )
    pid, terminal = host.on_terminal("run", "--memory", "8M", "--kernel", file, until=b"up")
    os.write(terminal, b"\x01\x01")
    wait_for(lambda: f"load {UART:x} = 1\n" in host.log)
    os.write(terminal, b"more keys than there is room for" * 20 + b"\x01x")
    with contextlib.suppress(OSError):  # the end of the terminal
        while os.read(terminal, 100):
            pass
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == STOPPED


def test_transmit_interrupts(host: Host) -> None:
    """As the 8250 driver asks for them at start-up, twice (serial8250_THRE_test)."""
    script = ""
    for _ in range(2):
        script += f"store {UART + 4:x} 1 2\nwait 1\nload {UART + 8:x} 1\nload {UART + 8:x} 1\n"
        script += f"store {UART + 4:x} 1 0\n"
    script += f"load {UART + 20:x} 1\n"
    assert host.run(script + POWEROFF).returncode == DONE
    loaded = [line.split()[-1] for line in host.log.splitlines() if " load " in line]
    assert loaded == ["2", "1", "2", "1", "60"]


def test_a_load_fills_the_register(host: Host) -> None:
    """Extended by the sign or by zeros: the register that says that FIFOs are on."""
    script = f"store {UART + 8:x} 1 1\nload-signed {UART + 8:x} 1\nload {UART + 8:x} 1\n"
    assert host.run(script + POWEROFF).returncode == DONE
    loaded = [line.split()[-1] for line in host.log.splitlines() if " load " in line]
    assert loaded == ["ffffffffffffffc1", "c1"]


def test_an_address_without_a_device_is_a_fault(host: Host) -> None:
    assert host.run(f"load 1000 4\nstore 2000 8 1\n{POWEROFF}").returncode == DONE
    assert "vhart 0 fault 1000" in host.log and "vhart 0 fault 2000" in host.log


# --- SBI ---


def test_a_second_hart(host: Host) -> None:
    script = f"sbi 48534d 2 1 0 0\nsbi 48534d 0 1 {BASE + 64 + 200:x} 77\n"
    script += "sbi 48534d 2 1 0 0\nsbi 48534d 0 1 0 0\nsbi 48534d 0 2 0 0\nwait 1\n"
    second = f"store {UART + 4:x} 1 2\nwait 9\n"
    text = script + POWEROFF
    assert len(text) < 200
    result = host.run(text.ljust(200, "\n") + second, "--cpus", "2")
    assert result.returncode == DONE, result.stderr
    answers = [line for line in host.log.splitlines() if line.startswith("vhart 0 answer")]
    assert answers[:5] == [
        "vhart 0 answer 0 1",
        "vhart 0 answer 0 0",
        "vhart 0 answer 0 0",
        "vhart 0 answer -6 0",
        "vhart 0 answer -3 0",
    ]


def test_calls_that_are_not_there(host: Host) -> None:
    """The process answers for the extensions that the monitor serves, too."""
    served = ("10", "54494d45", "735049", "52464e43", "48534d", "53525354", "4442434e")
    probes = "".join(f"sbi 10 3 {each} 0 0\n" for each in (*served, "123"))
    result = host.run(f"sbi 123 0 0 0 0\n{probes}{POWEROFF}")
    assert result.returncode == DONE
    answers = [line for line in host.log.splitlines() if " answer " in line]
    assert answers[0] == "vhart 0 answer -2 0"
    assert answers[1:9] == ["vhart 0 answer 0 1"] * len(served) + ["vhart 0 answer 0 0"]


def test_a_sleep_ends(host: Host) -> None:
    begin = time.monotonic()
    assert host.run(f"sleep 5000000\nload {UART + 20:x} 1\n{POWEROFF}").returncode == DONE
    assert time.monotonic() - begin >= 0.5


def test_no_vhart_has_a_turn_before_its_deadline(host: Host) -> None:
    """Although its thread wakes up earlier; this clock makes all sleeps too short."""
    (host.folder / "tree.dtb").write_bytes(host_tree(timebase=100_000_000))
    assert host.run("sleep 20000\n" * 20 + POWEROFF).returncode == DONE
    assert "woken early" not in host.log


# --- exec ---


def exec_kernel(host: Host, script: str) -> Path:
    return host.kernel(script + POWEROFF)


@pytest.mark.parametrize("code", [0, 7, 255])
def test_exec_gives_the_commands_output_and_code(host: Host, code: int) -> None:
    script = f"put {UART:x} noise|\nput {UART + 0x1000:x} result|\n"
    script += f"put {UART + 0x2000:x} exit {code}|\n"
    words = ("exec", "--memory", "8M", "--kernel", exec_kernel(host, script))
    result = host.call(*words, "--", "ls", "-l")
    assert (result.returncode, result.stdout, result.stderr) == (code, "result\n", "")
    result = host.call(*words, "--verbose", "--", "ls", "-l")
    assert result.stderr == "noise\n"


def test_exec_without_an_exit_code(host: Host) -> None:
    script = f"put {UART:x} exit 0|\nput {UART + 0x1000:x} exit 0|\nput {UART + 0x2000:x} exit x|\n"
    result = host.call(
        *("exec", "--memory", "8M", "--kernel", exec_kernel(host, script), "--", "true")
    )
    assert result.returncode == EXEC
    assert "ended before the command did" in result.stderr


def test_exec_brings_the_command_word_by_word(host: Host) -> None:
    initrd = host.folder / "initrd"
    initrd.write_bytes(b"first")
    words: tuple[str | Path, ...] = ("exec", "--memory", "8M", "--initrd", initrd)
    words = (*words, "--dump-tree", host.folder / "guest.dtb")
    # The guest shows its initrd by the debug console: the second archive begins at a word.
    script = f"sbi 4442434e 0 800 {BASE + 2 * MIB:x} 0\n"
    result = host.call(
        *(*words, "--verbose", "--kernel", exec_kernel(host, script)),
        "--",
        "echo",
        "it's",
        "-n",
        "",
    )
    assert result.stderr.startswith("first\0\0\0" + "070701")
    assert "cohost/init" in result.stderr
    tree = fdt.parse_dtb((host.folder / "guest.dtb").read_bytes())
    assert "rdinit=/cohost/init" in tree.get_node("/chosen").get_property("bootargs").value


# --- guests that run ---


def test_list_pause_resume_stop(host: Host) -> None:
    words = ("run", "--memory", "8M", "--name", "web", "--kernel", host.kernel("spin\n"))
    process = host.start(*words)
    wait_for(lambda: (host.folder / "run" / "web").exists() and "start" in host.log)
    guest = {"name": "web", "state": "running", "pid": process.pid, "cpus": 1, "memory": 8 * MIB}
    assert json.loads(host.call("--json", "list").stdout) == {"guests": [guest], "tenants": []}
    assert "web runs already" in host.call(*words).stderr
    assert host.call("pause", "web").stdout == "pause web: ok\n"
    wait_for(lambda: "paused" in host.call("list").stdout)
    assert host.call("resume", "web").returncode == DONE
    assert host.call("stop", "web").returncode == DONE
    process.communicate(timeout=30)
    assert process.returncode == STOPPED
    assert "no guest web runs" in host.call("stop", "web").stderr
    assert json.loads(host.call("--json", "list").stdout) == {"guests": [], "tenants": []}


@pytest.mark.parametrize("name", ["guest0", "another"])
def test_a_killed_process_leaves_nothing(host: Host, name: str) -> None:
    words = ("run", "--memory", "8M", "--kernel")
    process = host.start(*words, host.kernel("spin\n"))
    wait_for(lambda: "start" in host.log)
    process.kill()
    process.communicate(timeout=30)
    assert (host.folder / "run" / "guest0").exists() and (host.folder / "slot").exists()
    assert host.call("list").stdout.count("\n") == 1
    assert host.call(*words, host.kernel(POWEROFF), "--name", name).returncode == DONE
    assert not (host.folder / "run" / "guest0").exists()
    assert not (host.folder / "slot").exists()


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["dance"],
        ["stop"],
        ["exec"],
        ["run", "more"],
        ["run", "--memory", "1K"],
        ["run", "--memory", "12Q"],
        ["run", "--memory", "99999999999999999999"],
        ["run", "--cpus", "0"],
        ["run", "--name", "../x"],
    ],
)
def test_wrong_use(host: Host, words: list[str]) -> None:
    assert host.call(*words).returncode == USAGE
