# SPDX-License-Identifier: BSD-2-Clause
"""The control protocol on the console line: in between of everything else, and on a socket."""

import os
import pty
import random
import socket
import struct
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from cotenant import abi
from cotenant.control.exchange import ANSWER_SIZE, REQUEST_SIZE, ControlError, Exchange
from cotenant.control.serial import open_serial
from cotenant.control.server import ControlServer, default_socket, is_alive
from cotenant.run.framing import CHANNEL_CONTROL, FrameDecoder, encode_frames
from cotenant.run.mux import CONTROL_START, EscapeWatcher, MuxDecoder, encode_control

MAGIC = abi.header("control.h")["COTENANT_CONTROL_MAGIC"]
ESCAPE = 0x14


def request(verb: int, data: bytes = b"") -> bytes:
    """Return a request."""
    return struct.pack("<IBBHIIIIQ", MAGIC, 1, verb, 0, 7, len(data), 0, 0, 0) + data


def answer(data: bytes) -> bytes:
    """Return an answer."""
    return struct.pack("<IBBHII", MAGIC, 1, 1, 0, 7, len(data)) + data


def test_sizes_are_those_of_the_header() -> None:
    assert (len(request(1)), len(answer(b""))) == (REQUEST_SIZE, ANSWER_SIZE)


def test_the_mux_decoder_separates_whatever_the_pieces() -> None:
    chance = random.Random(3)
    line, shown, payload = b"", b"", b""
    for _ in range(200):
        text = chance.randbytes(chance.randrange(20)).replace(bytes([CONTROL_START]), b".")
        data = chance.randbytes(chance.randrange(150))
        line, shown, payload = line + text, shown + text, payload + data
        for at in range(0, len(data), 64):
            piece = data[at : at + 64]
            line += bytes([CONTROL_START, len(piece)]) + piece
    decoder = MuxDecoder()
    got_shown, got_payload = b"", b""
    while line:
        count = chance.randrange(1, 50)
        one, two = decoder.feed(line[:count])
        got_shown, got_payload, line = got_shown + one, got_payload + two, line[count:]
    assert (got_shown, got_payload) == (shown, payload)


def test_control_frames_to_the_monitor() -> None:
    assert encode_control(ESCAPE, b"") == b""
    assert encode_control(ESCAPE, b"x" * 65) == (b"\x14\x1e\x40" + b"x" * 64 + b"\x14\x1e\x01x")


def test_nothing_comes_into_a_command() -> None:
    watcher = EscapeWatcher(ESCAPE)
    states = []
    for byte in b"a\x14n\x14\x14b\x14":
        watcher.feed(bytes([byte]))
        states.append(watcher.in_command)
    assert states == [False, True, False, True, False, False, True]


def echo(change: Callable[[bytes], bytes] = answer) -> Exchange:
    """Return an exchange with somebody who answers every request with its data."""
    exchange = Exchange(lambda data: exchange.feed(change(data[REQUEST_SIZE:])))
    return exchange


def test_ask() -> None:
    assert echo().ask(request(6, b"abc")) == answer(b"abc")
    with pytest.raises(ControlError, match=r"no answer within 0\.01 s"):
        Exchange(lambda _: None).ask(request(1), 0.01)
    with pytest.raises(ControlError, match="not the control protocol"):
        echo(lambda _: b"x" * 100).ask(request(1), 1)
    closed = Exchange(lambda _: None)
    closed.close()
    with pytest.raises(ControlError, match="the machine has ended"):
        closed.ask(request(1), 1)


def talk(path: Path, data: bytes) -> bytes:
    """Send data to a socket; return all that comes until it is closed."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(data)
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(4096), b""))


def test_the_socket(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "a.sock"
    with ControlServer(path, echo()):
        assert path.stat().st_mode & 0o777 == 0o600
        assert talk(path, request(1, b"one") + request(2, b"two")) == answer(b"one") + answer(
            b"two"
        )
        assert talk(path, b"garbage!" * (REQUEST_SIZE // 8)) == b""
        assert talk(path, request(1)[:20]) == b""
        assert talk(path, request(1, b"again")) == answer(b"again")
        with pytest.raises(ControlError, match="belongs to a system that runs"):
            ControlServer(path, echo()).start()
    assert not path.exists() and not is_alive(path)


def test_a_socket_that_somebody_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    with ControlServer(path, echo()):
        assert talk(path, request(1, b"x")) == answer(b"x")


def test_many_clients_get_their_own_answers(tmp_path: Path) -> None:
    path = tmp_path / "a.sock"
    wrong: list[bytes] = []

    def client(number: int) -> None:
        for turn in range(50):
            data = f"{number} {turn}".encode()
            if talk(path, request(1, data)) != answer(data):
                wrong.append(data)

    with ControlServer(path, echo()):
        threads = [threading.Thread(target=client, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_the_usual_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert default_socket(Path("examples/linux.toml")) == tmp_path / "cotenant" / "linux.sock"


@pytest.mark.parametrize("framed", [False, True])
def test_a_serial_line(framed: bool) -> None:
    ours, theirs = pty.openpty()
    path = Path(os.ttyname(theirs))
    wanted = request(6, b"\x7e\x1e\x14\x03" * 30)

    def machine() -> None:
        got, decoder = b"", FrameDecoder()
        while len(got) < len(wanted):
            data = os.read(ours, 4096)
            if framed:
                got += b"".join(frame.payload for frame in decoder.feed(data))
            else:
                got += data.replace(b"\x14\x1e\x40", b"").replace(b"\x14\x1e\x18", b"")
        assert got == wanted
        reply = answer(b"\x7e\x1e" * 20)
        if framed:
            os.write(ours, b"".join(encode_frames(1, b"text")))
            os.write(ours, b"".join(encode_frames(CHANNEL_CONTROL, reply)))
        else:
            os.write(ours, b"text" + bytes([CONTROL_START, len(reply)]) + reply + b"text")

    thread = threading.Thread(target=machine)
    with open_serial(path, framed, ESCAPE) as line:
        thread.start()
        assert line.exchange.ask(wanted, 5) == answer(b"\x7e\x1e" * 20)
        thread.join()
    os.close(ours)
    os.close(theirs)


def test_no_serial_line(tmp_path: Path) -> None:
    with (
        pytest.raises(ControlError, match="No such file"),
        open_serial(tmp_path / "tty", False, ESCAPE),
    ):
        pass
