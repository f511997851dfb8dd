# SPDX-License-Identifier: BSD-2-Clause
"""QEMU's control line, with somebody in QEMU's place who answers as prepared."""

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cotenant.run.errors import RunError
from cotenant.run.qmp import Qmp

GREETING: dict[str, object] = {"QMP": {"version": {}, "capabilities": []}}
DONE: dict[str, object] = {"return": {}}


class Peer:
    """Greets, then answers each command with the next of `answers`; notes the commands."""

    def __init__(self) -> None:
        ours, self._line = socket.socketpair()
        self.qmp = Qmp(ours)
        self.answers: list[list[dict[str, object]]] = [[DONE]]
        self.seen: list[dict[str, object]] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def start(self) -> Qmp:
        self._thread.start()
        return self.qmp

    def _serve(self) -> None:
        with self._line, self._line.makefile("rw") as file:
            print(json.dumps(GREETING), file=file, flush=True)
            for answers in self.answers:
                self.seen.append(json.loads(file.readline()))
                for answer in answers:
                    print(json.dumps(answer), file=file, flush=True)


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    peer.qmp.close()


def test_keys_are_pressed_behind_events(peer: Peer) -> None:
    peer.answers += [[{"event": "RESUME"}, DONE]]
    peer.start().press("ctrl", "sleep")
    assert [each["execute"] for each in peer.seen] == ["qmp_capabilities", "send-key"]
    keys = [{"type": "qcode", "data": "ctrl"}, {"type": "qcode", "data": "sleep"}]
    assert peer.seen[1]["arguments"] == {"keys": keys}


def test_a_picture_is_taken(peer: Peer) -> None:
    peer.answers += [[DONE]]
    peer.start().screenshot(Path("/tmp/picture.ppm"))
    assert peer.seen[1] == {"execute": "screendump", "arguments": {"filename": "/tmp/picture.ppm"}}


def test_a_refusal_is_a_sentence(peer: Peer) -> None:
    peer.answers += [[{"error": {"class": "GenericError", "desc": "there is no console"}}]]
    with pytest.raises(RunError, match="refused 'screendump': there is no console"):
        peer.start().screenshot(Path("x"))


def test_an_end_is_a_sentence(peer: Peer) -> None:
    with pytest.raises(RunError, match="does not answer 'send-key'"):
        peer.start().press("sleep")
