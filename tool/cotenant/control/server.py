# SPDX-License-Identifier: BSD-2-Clause
"""A Unix-domain socket on which programs ask the monitor of a running system.

The socket is open to its owner alone: a program that can connect may do everything to the system.
"""

import contextlib
import os
import socket
import tempfile
import threading
from pathlib import Path
from typing import Self

from cotenant.control.exchange import REQUEST_SIZE, ControlError, Exchange, message_size

SUFFIX = ".sock"


def socket_folder() -> Path:
    """Return the folder that has the sockets of this user's running systems."""
    base = os.environ.get("XDG_RUNTIME_DIR")
    if base:
        return Path(base) / "cotenant"
    return Path(tempfile.gettempdir()) / f"cotenant-{os.getuid()}"


def default_socket(system: Path) -> Path:
    """Return where the socket of a running system is, by the file that describes the system."""
    return socket_folder() / (system.resolve().stem + SUFFIX)


def is_alive(path: Path) -> bool:
    """Tell whether a program listens on a socket."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            return False
        return True


class ControlServer:
    """Listens while its context lasts, and passes requests on, each client in a thread."""

    def __init__(self, path: Path, exchange: Exchange) -> None:
        self.path = path
        self._exchange = exchange
        self._clients: set[socket.socket] = set()
        self._lock = threading.Lock()

    def start(self) -> Self:
        """Begin to listen. Raises ControlError if that is not possible."""
        if is_alive(self.path):
            raise ControlError(
                f"{self.path} belongs to a system that runs: choose another with --socket"
            )
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.path.unlink(missing_ok=True)
            before = os.umask(0o177)
            try:
                self._socket.bind(str(self.path))
            finally:
                os.umask(before)
        except OSError as error:
            self._socket.close()
            raise ControlError(
                f"cannot listen on {self.path} ({error.strerror}): choose another with --socket"
            ) from error
        self._socket.listen()
        threading.Thread(target=self._accept, name="control socket", daemon=True).start()
        return self

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Listen no more, and let the clients go."""
        self._exchange.close()
        self.path.unlink(missing_ok=True)
        with self._lock:
            for each in (self._socket, *self._clients):
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            with self._lock:
                self._clients.add(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        """Answer a client until it leaves, or sends what is no request."""
        with client:
            try:
                while header := _receive(client, REQUEST_SIZE):
                    size = message_size(header, REQUEST_SIZE)
                    data = _receive(client, size - REQUEST_SIZE) if size > REQUEST_SIZE else b""
                    client.sendall(self._exchange.ask(header + data))
            except (OSError, ControlError):
                pass
            with self._lock:
                self._clients.discard(client)


def _receive(client: socket.socket, size: int) -> bytes:
    """Return exactly so many bytes, or none at the end."""
    data = bytearray()
    while len(data) < size:
        piece = client.recv(size - len(data))
        if not piece:
            return b""
        data += piece
    return bytes(data)
