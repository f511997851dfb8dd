# SPDX-License-Identifier: BSD-2-Clause
"""cotenantctl, built for this machine with sanitizers, against a monitor that is not one."""

import json
import os
import pty
import random
import signal
import struct
import subprocess
import termios
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import packed_file
import pytest
import sanitized
from fake_monitor import (
    ANSWER,
    BASE,
    BEHAVIOURS,
    DORMANT,
    EMPTY,
    LOADED,
    MAGIC,
    RUNNING,
    SIZE,
    VERSION,
    FakeMonitor,
)

from cotenant import paths

DONE, REFUSED, USAGE, NO_MONITOR = range(4)
VHART_KEYS = {
    *("hart", "priority", "schedule", "time_ns", "cpu_ns", "switches", "interrupts", "faults"),
    *("stolen_ns", "slice_us", "budget_us", "period_us", "budget_used_us", "lateness_ns"),
}
TOP_KEYS = {"cpu_percent", "stolen_percent", "switches_per_s", "interrupts_per_s"}
HEADER_SIZE = 144
# How often a save is cut.
CUTS = int(os.environ.get("COTENANT_TIMES") or 20)


@pytest.fixture(scope="session")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the program; in a place of its own, since another worker may be running its own."""
    out = tmp_path_factory.mktemp("cotenantctl")
    sanitizers = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
    make: list[str | Path] = ["make", "-C", paths.ROOT / "linux" / "cotenantctl", f"OUT={out}"]
    subprocess.run([*make, f"CFLAGS={sanitizers}"], check=True, stdout=subprocess.DEVNULL)
    return out / "cotenantctl"


@pytest.fixture
def monitor(tmp_path: Path) -> Iterator[FakeMonitor]:
    """Return a monitor that behaves."""
    with FakeMonitor(tmp_path / "socket") as fake:
        yield fake


class Client:
    """Runs the program."""

    def __init__(self, program: Path, port: Path, patience: int = 30) -> None:
        self.program = program
        self.patience = patience
        self.port = port

    def run(self, *words: str | Path, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Return what came of a call."""
        command = [self.program, "--port", self.port, "--timeout", str(self.patience), *words]
        return sanitized.call(command, typed, 60, None)

    def good(self, *words: str | Path, typed: str = "") -> str:
        """Return what a call that has to succeed prints."""
        result = self.run(*words, typed=typed)
        assert result.returncode == DONE, result.stderr
        return result.stdout

    def bad(self, code: int, *words: str | Path) -> str:
        """Return the sentence that a call has to end with."""
        result = self.run(*words)
        assert result.returncode == code, result
        assert len(result.stderr.splitlines()) == 1
        return result.stderr

    def json(self, *words: str | Path) -> Any:  # noqa: ANN401
        """Return what a call says in JSON."""
        return json.loads(self.run("--json", *words).stdout)


@pytest.fixture
def client(program: Path, monitor: FakeMonitor) -> Client:
    """Return a client of the good monitor."""
    return Client(program, monitor.path)


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("verb", [("list",), ("save", "rtos", "FILE"), ("console", "rtos")])
def test_a_monitor_that_misbehaves(
    program: Path, tmp_path: Path, behaviour: str, verb: tuple[str, ...]
) -> None:
    words = [str(tmp_path / "file") if word == "FILE" else word for word in verb]
    with FakeMonitor(tmp_path / "socket", behaviour) as fake:
        said = Client(program, fake.path, 1).bad(NO_MONITOR, *words)
    assert said.startswith("cotenantctl: ")
    assert list(tmp_path.glob("file*")) == []


def test_an_answer_to_somebody_else_and_noise_come_first(
    client: Client, monitor: FakeMonitor
) -> None:
    stale = ANSWER.pack(MAGIC, VERSION, 2, 0, 4711, 3) + b"abc"
    monitor.late_answers = b"\0\xffnoise CT" + stale
    assert "linux" in client.good("list")


def test_no_port_and_wrong_use(program: Path, tmp_path: Path, client: Client) -> None:
    nowhere = Client(program, tmp_path / "nothing")
    assert "needs the key 'control'" in nowhere.bad(NO_MONITOR, "list")
    for words in (
        ["explode"],
        [],
        ["start"],
        ["start", "a", "b"],
        ["save", "rtos"],
        ["list", "-n0"],
    ):
        assert client.run(*words).returncode == USAGE


def test_list(client: Client) -> None:
    lines = client.good("list").splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["linux", "running"], ["rtos", "dormant"]]
    assert lines[1].endswith("this one")
    data = client.json("list")
    assert set(data) == {"ok", "time_ns", "tenants"} and data["ok"] is True
    linux, rtos = data["tenants"]
    assert set(linux) == {"name", "state", "self", "control", "memory_bytes", "hangs", "vharts"}
    assert (linux["self"], linux["control"]) == (True, False)
    assert (rtos["self"], rtos["control"], rtos["memory_bytes"]) == (False, True, SIZE)
    assert [set(vhart) for vhart in rtos["vharts"]] == [VHART_KEYS]


def test_top(client: Client) -> None:
    assert "linux" in client.good("top", "-d", "0.05")
    text = client.good("--json", "top", "-n", "2", "-d", "0.05")
    samples = [json.loads(line) for line in text.splitlines()]
    assert len(samples) == 2
    for tenant in samples[1]["tenants"]:
        assert [set(vhart) for vhart in tenant["vharts"]] == [VHART_KEYS | TOP_KEYS]


def test_version(client: Client) -> None:
    data = client.json("version")
    assert (data["protocol"], data["monitor"], data["tenants"]) == (VERSION, 0x10000, 2)
    assert "Cotenant 1.0" in client.good("version")


def test_commands(client: Client, monitor: FakeMonitor) -> None:
    assert client.good("stop", "rtos") == "stop rtos: ok\n"
    assert client.json("restart", "rtos") == {"ok": True}
    assert client.bad(REFUSED, "start", "rtos") == (
        "cotenantctl: start rtos: refused, it is running\n"
    )
    assert client.json("start", "rtos") == {
        "ok": False,
        "error": "start rtos: refused, it is running",
    }
    assert client.bad(REFUSED, "start", "nobody") == "cotenantctl: no such tenant: nobody\n"
    monitor.rights = 1
    assert "not allowed by the configuration" in client.bad(REFUSED, "stop", "rtos")


def test_watch(client: Client, monitor: FakeMonitor) -> None:
    assert client.good("watch", "rtos", "restart", "1.5ms") == "watch rtos: ok\n"
    assert monitor.watch == (2, 1500)
    assert "never given a time" in client.bad(REFUSED, "watch", "rtos", "log")
    assert monitor.watch == (1, 0)
    for words in (["rtos"], ["rtos", "bite"], ["rtos", "log", "1"], ["rtos", "log", "10us"]):
        assert client.run("watch", *words).returncode == USAGE


def test_console_and_log(client: Client, monitor: FakeMonitor) -> None:
    words = ("console", "rtos", "--history", "-d", "0.05")
    assert client.good(*words, typed="hello\n") == "one\r\n\x1b[2Jtwo\n".replace("\r\n", "\n")
    assert monitor.typed == b"hello\n"  # which took only two bytes at a time
    assert client.good("log") == "one\n.[2Jtwo\n"


def test_trace(client: Client, tmp_path: Path) -> None:
    """Records that were overwritten meanwhile are left out."""
    client.good("trace", tmp_path / "trace")
    trace = (tmp_path / "trace").read_bytes()
    assert len(trace) == 8192
    following, written = struct.unpack_from("<IQ", trace, 20)
    records = list(struct.iter_unpack("<QQ", trace[48:][: 16 * written]))
    assert following == written == 509 - 20
    assert records == [(number, number) for number in range(1030 - 509, 1010)]


def test_save_and_restore(client: Client, monitor: FakeMonitor, tmp_path: Path) -> None:
    before = bytes(monitor.memory)
    monitor.state = LOADED
    file = tmp_path / "saved"
    client.good("save", "rtos", file)
    assert SIZE // 2 < file.stat().st_size < SIZE
    monitor.memory[:] = bytes(SIZE)
    client.good("restore", "rtos", file)
    assert monitor.memory == before


def test_switch_to_one_in_no_group_says_so(client: Client, monitor: FakeMonitor) -> None:
    monitor.group = 0xFFFF
    monitor.state = RUNNING
    said = client.bad(REFUSED, "switch", "rtos")
    assert said.startswith("cotenantctl: switch rtos: refused, it is in no group; ")


def test_a_save_that_is_cut_leaves_a_whole_file(
    client: Client, monitor: FakeMonitor, tmp_path: Path
) -> None:
    """Killed at a random point, it leaves the file of before or the new one."""
    chance = random.Random(1)
    monitor.state = LOADED
    file = tmp_path / "saved"
    for cut in range(CUTS):
        before = file.read_bytes() if cut else None
        monitor.memory[:8] = cut.to_bytes(8, "little")
        command: list[str | Path] = [client.program, "--port", client.port, "save", "rtos", file]
        saving = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0, 0.05))
        saving.kill()
        saving.wait()
        if not cut and not file.exists():
            client.good("save", "rtos", file)
        if (found := file.read_bytes()) != before:
            client.good("restore", "rtos", file)
            assert client.run("save", "rtos", file).returncode == DONE
            assert file.read_bytes() == found


def test_save_of_what_cannot_go_on_is_refused_at_once(
    client: Client, monitor: FakeMonitor, tmp_path: Path
) -> None:
    for state, name in ((EMPTY, "empty"), (4, "stopped")):
        monitor.state, monitor.reads = state, 0
        said = client.bad(REFUSED, "save", "rtos", tmp_path / "saved")
        assert f"refused, it is {name} and could not go on" in said
        assert monitor.reads == 0 and not (tmp_path / "saved").exists()


def test_a_file_for_another_layout_is_refused_before_it_is_read(
    client: Client, monitor: FakeMonitor, tmp_path: Path
) -> None:
    monitor.state = LOADED
    file = tmp_path / "saved"
    client.good("save", "rtos", file)
    good = file.read_bytes()
    other = bytearray(good[:HEADER_SIZE])
    struct.pack_into("<Q", other, 40, BASE + 4)  # its entry
    file.write_bytes(sealed(other) + b"nothing that could be decompressed")
    assert "another layout" in client.bad(REFUSED, "restore", "rtos", file)


def test_a_terminal_is_as_before_when_the_system_is_gone(
    program: Path, monitor: FakeMonitor
) -> None:
    """In the middle of a console, without SIGPIPE being ignored, as of a shell."""
    command = [str(program), "--port", str(monitor.path), "console", "linux"]
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.execv(command[0], command)
    output = b""
    while b"leaves it" not in output:
        output += os.read(terminal, 100)
    time.sleep(0.3)
    monitor.leave()
    _, status = os.waitpid(pid, 0)
    local_modes = termios.tcgetattr(terminal)[3]
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == NO_MONITOR
    assert local_modes & termios.ICANON


def test_tables_fit_a_terminal(client: Client) -> None:
    for verb in ("list", "top"):
        assert all(len(line) <= 80 for line in client.good(verb).splitlines())


def test_save_and_restore_of_who_is_dormant(
    client: Client, monitor: FakeMonitor, tmp_path: Path
) -> None:
    memory, state = bytes(monitor.memory), monitor.dormant
    file = tmp_path / "saved"
    client.good("save", "rtos", file)
    assert "refused, it is dormant" in client.bad(REFUSED, "restore", "rtos", file)
    monitor.memory[:], monitor.dormant, monitor.state = bytes(SIZE), b"", EMPTY
    assert client.good("restore", "rtos", file) == "restore rtos: ok, it is dormant\n"
    assert (bytes(monitor.memory), monitor.dormant, monitor.state) == (memory, state, DORMANT)


def test_save_of_who_runs_meanwhile(client: Client, monitor: FakeMonitor, tmp_path: Path) -> None:
    file = tmp_path / "saved"
    file.write_text("of before")
    monitor.state = RUNNING
    assert "refused, it is running" in client.bad(REFUSED, "save", "rtos", file)
    monitor.state = LOADED
    monitor.dies_after = 3
    assert "did not stay loaded" in client.bad(REFUSED, "save", "rtos", file)
    assert monitor.reads < SIZE // 4096, "it has not read all of what is in vain"
    assert [each.name for each in tmp_path.iterdir() if each.name != "socket"] == ["saved"]
    assert file.read_text() == "of before"


def restore_spoiled(client: Client, monitor: FakeMonitor, file: Path, content: bytes) -> str:
    """Restore from a file with other content; return the sentence. Nothing must be written."""
    spoiled = file.with_name("spoiled")
    spoiled.write_bytes(content)
    monitor.memory[:] = bytes(SIZE)
    said = client.bad(REFUSED, "restore", "rtos", spoiled)
    assert monitor.memory == bytes(SIZE)
    return said


def sealed(header: bytearray) -> bytes:
    """Return the header of a file with the checksum that it should have."""
    header[16:20] = bytes(4)
    header[16:20] = zlib.crc32(header).to_bytes(4, "little")
    return bytes(header)


def test_files_that_are_refused(client: Client, monitor: FakeMonitor, tmp_path: Path) -> None:
    monitor.state = LOADED
    file = tmp_path / "saved"
    client.good("save", "rtos", file)
    good = file.read_bytes()
    assert packed_file.unpack(good[HEADER_SIZE:]) == monitor.memory
    for length in (0, 7, HEADER_SIZE - 1, HEADER_SIZE, len(good) // 2, len(good) - 1):
        assert "damaged" in restore_spoiled(client, monitor, file, good[:length])
    for place in (0, 20, 60, HEADER_SIZE + 1, HEADER_SIZE + 1000, len(good) - 1):
        bad = bytearray(good)
        bad[place] ^= 0x10
        assert "damaged" in restore_spoiled(client, monitor, file, bytes(bad))
    assert "something follows" in restore_spoiled(client, monitor, file, good + b"x")
    other = bytearray(good[:HEADER_SIZE])
    other[8] = 1
    version = restore_spoiled(client, monitor, file, sealed(other) + good[HEADER_SIZE:])
    assert "was written by a program for version 1 of such files, not 2" in version
    other = bytearray(good[:HEADER_SIZE])
    other[80:88] = (BASE + 4096).to_bytes(8, "little")
    layout = restore_spoiled(client, monitor, file, sealed(other) + good[HEADER_SIZE:])
    assert "another layout" in layout
    other = bytearray(good[:HEADER_SIZE])
    other[32:40] = (SIZE * 2).to_bytes(8, "little")
    assert "damaged" in restore_spoiled(client, monitor, file, sealed(other) + good[HEADER_SIZE:])


def hostile_bodies(memory: bytes) -> dict[str, tuple[bytes, str]]:
    """Return what no save has written, with checksums that are right, and what is said of it."""

    def ended(*runs: tuple[int, int], stored: bytes = b"", length: int | None = None) -> bytes:
        first = packed_file.block(0, runs, stored, length)
        return first + packed_file.block(packed_file.checksum_of(first), [], b"")

    def head(*fields: int) -> bytes:
        return packed_file.BLOCK.pack(*fields, 0)

    numbers, length = "do not fit together", "its length is wrong"
    whole = packed_file.block(0, [(SIZE - len(memory), len(memory))], memory)
    end = packed_file.block(packed_file.checksum_of(whole), [], b"")
    return {
        "more runs than fit": (head(4097, 0, 0, 0), numbers),
        "more bytes than fit": (head(1, 256 * 1024 + 8, 8, 0), numbers),
        "all numbers as large as can be": (head(*4 * [2**32 - 1]), numbers),
        "more stored than there is": (head(1, 8, 16, 0), numbers),
        "bytes that are not stored": (head(1, 8, 0, 0), numbers),
        "bytes without a run": (ended(stored=bytes(8)), numbers),
        "a number that is not used": (head(1, 8, 8, 1), numbers),
        "runs of fewer bytes": (ended((SIZE - 8, 0), stored=bytes(8)), numbers),
        "runs of more bytes": (ended((SIZE - 16, 16), stored=bytes(8)), numbers),
        "half words": (ended((SIZE - 4, 4), stored=bytes(4)), numbers),
        "a run of odd length": (ended((SIZE - 12, 4), (0, 4), stored=bytes(8)), numbers),
        "a word too few": (ended((SIZE - 8, 0)), length),
        "a word more": (ended((SIZE + 8, 0)), length),
        "as many zeros as can be": (ended(*4096 * [(2**32 - 8, 0)]), length),
        "nothing": (ended(), length),
        "no end": (whole, "too early"),
        "blocks that are exchanged": (end + whole, "checksum is wrong"),
        "a block twice": (ended((SIZE // 2, 0)) + ended((SIZE // 2, 0)), length),
        "the end twice": (whole + end + end, "something follows its end"),
    }


def test_hostile_files_are_refused(client: Client, monitor: FakeMonitor, tmp_path: Path) -> None:
    monitor.state = LOADED
    file = tmp_path / "saved"
    client.good("save", "rtos", file)
    header = file.read_bytes()[:HEADER_SIZE]
    for name, (body, expected) in hostile_bodies(bytes(monitor.memory[: SIZE // 2])).items():
        assert expected in restore_spoiled(client, monitor, file, header + body), name


@pytest.mark.parametrize(
    "frame", [b"no frame", b"\x28\xb5\x2f\xfd" + bytes(12)], ids=["none", "spoiled"]
)
def test_what_is_compressed_is_wrong(
    client: Client, monitor: FakeMonitor, tmp_path: Path, frame: bytes
) -> None:
    """No save writes such a block, whose checksum is right; nothing goes on from it."""
    memory, file = bytes(monitor.memory), tmp_path / "saved"
    client.good("save", "rtos", file)
    monitor.state = EMPTY
    header, state = file.read_bytes()[:HEADER_SIZE], len(monitor.dormant)
    first = packed_file.block(0, [(0, state), (SIZE - 4096, 0)], monitor.dormant)
    second = packed_file.block(packed_file.checksum_of(first), [(0, 4096)], frame, 4096)
    end = packed_file.block(packed_file.checksum_of(second), [], b"")
    file.write_bytes(header + first + second + end)
    assert "compressed in it is wrong" in client.bad(REFUSED, "restore", "rtos", file)
    assert monitor.state == EMPTY
    assert monitor.memory[-4096:] == memory[-4096:]


def test_a_changed_bit_is_found_wherever_it_is(
    client: Client, monitor: FakeMonitor, tmp_path: Path
) -> None:
    chance = random.Random(3)
    monitor.state = LOADED
    monitor.memory[:] = bytes(SIZE)
    monitor.memory[:4096] = b"what can be compressed" * 186 + bytes(4)
    monitor.memory[8192:8320] = chance.randbytes(128)
    file = tmp_path / "saved"
    client.good("save", "rtos", file)
    good = file.read_bytes()
    assert len(good) < 1000
    for place in (*range(HEADER_SIZE, HEADER_SIZE + 60), *range(len(good) - 32, len(good))):
        bad = bytearray(good)
        bad[place] ^= 1 << chance.randrange(8)
        assert "damaged" in restore_spoiled(client, monitor, file, bytes(bad)), place
    for length in chance.sample(range(HEADER_SIZE, len(good)), 20):
        assert "damaged" in restore_spoiled(client, monitor, file, good[:length]), length


def test_zeros_do_not_travel(client: Client, monitor: FakeMonitor, tmp_path: Path) -> None:
    """All kinds of places for what is not zero, over the ends of answers, requests and blocks."""
    chance = random.Random(4)
    monitor.state = LOADED
    file = tmp_path / "saved"
    for share in (0, 2, 40, 400, 4000):
        memory = bytearray(SIZE)
        for place in chance.sample(range(SIZE // 8), share):
            memory[place * 8 + chance.randrange(8)] = 1 + chance.randrange(255)
        for place in chance.sample(range(SIZE // 4096), min(share, 8)):
            memory[place * 4096 : place * 4096 + 4000] = chance.randbytes(4000)
        monitor.memory[:] = memory
        monitor.reads = 0
        client.good("save", "rtos", file)
        assert share > 2 or monitor.reads < 60
        monitor.memory[:] = chance.randbytes(SIZE)
        client.good("restore", "rtos", file)
        assert monitor.memory == memory
        assert packed_file.unpack(file.read_bytes()[HEADER_SIZE:]) == memory


@pytest.mark.parametrize("behaviour", ["finds-nothing", "finds-too-much"])
def test_a_monitor_that_finds_what_is_not_there(
    program: Path, tmp_path: Path, behaviour: str
) -> None:
    with FakeMonitor(tmp_path / "socket", behaviour) as fake:
        client = Client(program, fake.path, 1)
        said = client.bad(NO_MONITOR, "save", "rtos", tmp_path / "file")
    assert "the monitor's answer makes no sense" in said
    assert list(tmp_path.glob("file*")) == []


def test_load(client: Client, monitor: FakeMonitor, tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(b"code" * 2000)
    client.good("load", "rtos", image)
    assert monitor.memory[:8000] == b"code" * 2000
    assert monitor.state == LOADED
    image.write_bytes(bytes(SIZE + 1))
    assert "not all in the tenant's memory" in client.bad(REFUSED, "load", "rtos", image)
    image.write_bytes(b"\x7fELF" + bytes(100))
    assert "no linked ELF" in client.bad(REFUSED, "load", "rtos", image)
    assert "cannot read" in client.bad(REFUSED, "load", "rtos", tmp_path / "nothing")
