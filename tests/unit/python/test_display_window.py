# SPDX-License-Identifier: BSD-2-Clause
"""A window for a machine's display, and pictures of it: what is asked of QEMU, and what is said."""

import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cotenant.cli import main
from cotenant.commands import which_system
from cotenant.errors import RunError
from cotenant.run import display, qmp
from cotenant.run.qemu import Machine, QemuProcess, qmp_socket


@pytest.fixture
def qemu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in for QEMU by a script that knows no window, in a graphical session."""
    script = tmp_path / "bin" / "qemu-system-riscv64"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\nprintf 'Available display backend types:\\nnone\\n'\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}:/usr/bin:/bin")
    monkeypatch.setenv("DISPLAY", ":1")
    return script


def test_nothing_is_needed_without_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    display.prepare("none")


def test_no_screen(qemu: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(RunError, match="neither DISPLAY nor WAYLAND_DISPLAY"):
        display.prepare("gtk")
    result = CliRunner().invoke(main, ["run", "any.toml", "--batch", "--display", "gtk"])
    assert result.exit_code == 1
    assert result.output.startswith("Error: there is no screen to open a window on")


def test_the_window_is_installed_when_it_is_asked_for(
    qemu: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def install(option: str) -> bool:
        assert option == "--display"
        qemu.write_text("#!/bin/sh\nprintf 'Available display backend types:\\nnone\\ngtk\\n'\n")
        return True

    monkeypatch.setattr("cotenant.setup_packages.install", install)
    display.prepare("gtk")
    monkeypatch.setattr("cotenant.setup_packages.install", lambda option: pytest.fail(option))
    display.prepare("gtk")


def test_no_window(qemu: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for went_well in (False, True):
        monkeypatch.setattr(
            "cotenant.setup_packages.install", lambda option, result=went_well: result
        )
        with pytest.raises(RunError, match="install Debian's qemu-system-gui"):
            display.prepare("gtk")


def test_what_qemu_is_given(tmp_path: Path) -> None:
    plain = Machine(tmp_path / "x.bin").arguments()
    assert plain[plain.index("-display") + 1] == "none"
    assert "-qmp" not in plain
    socket = qmp_socket(tmp_path / "a,b.sock")
    shown = Machine(tmp_path / "x.bin", display="gtk", qmp=socket).arguments()
    assert shown[shown.index("-display") + 1] == "gtk"
    assert shown[shown.index("-qmp") + 1] == f"unix:{tmp_path}/a,,b.sock.qmp,server=on,wait=off"


def test_the_socket_is_its_user_s_and_ends_with_the_machine(tmp_path: Path) -> None:
    socket = tmp_path / "folder" / "x.sock.qmp"
    (tmp_path / "x.bin").touch()
    program = ("sh", "-c", f"mkdir {tmp_path}/made && touch {socket} && echo made")
    with QemuProcess(Machine(tmp_path / "x.bin", qmp=socket), program) as process:
        assert process.output.read(4) == b"made"
        assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(socket.stat().st_mode) == 0o600
    assert not socket.exists()


def test_a_place_where_nobody_can_listen(tmp_path: Path) -> None:
    for name in ("file", "x.bin"):
        (tmp_path / name).touch()
    machine = Machine(tmp_path / "x.bin", qmp=tmp_path / "file" / "x.sock.qmp")
    with pytest.raises(RunError, match="choose another with --socket"):
        QemuProcess(machine, ("true",))


def test_nobody_listens(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no QEMU listens at"):
        qmp.execute(tmp_path / "nobody", ("stop", {}))


def call(*words: str) -> Result:
    return CliRunner().invoke(main, ["screenshot", *words])


def test_a_picture_of_what_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def execute(socket: Path, *commands: qmp.Command) -> None:
        asked.append((socket, commands[0][0], commands[0][1]["format"]))
        Path(str(commands[0][1]["filename"])).write_bytes(b"picture")

    monkeypatch.setattr(qmp, "execute", execute)
    monkeypatch.setattr(which_system, "socket_folder", lambda: tmp_path)
    monkeypatch.setattr(which_system, "is_alive", lambda _: True)
    file = tmp_path / "now.PNG"
    assert "no system runs here" in call(str(file)).output
    (tmp_path / "desk.sock").touch()
    assert call(str(file)).exit_code == 0
    assert file.read_bytes() == b"picture"
    other = tmp_path / "other.sock"
    assert call("--socket", str(other), str(tmp_path / "now.ppm")).exit_code == 0
    assert asked == [
        (tmp_path / "desk.sock.qmp", "screendump", "png"),
        (tmp_path / "other.sock.qmp", "screendump", "ppm"),
    ]
    assert "written as .png or .ppm" in call(str(tmp_path / "now.jpg")).output
    assert "cannot be written" in call(str(tmp_path / "nowhere" / "now.png")).output
    assert call("--socket", str(other), "--system", "x.toml", "x.png").exit_code == 2
