# SPDX-License-Identifier: BSD-2-Clause
"""Stands in for QEMU and the monitor: two tenants, `linux` with a shell and `rtos`, in frames.

The first argument names how it behaves; what QEMU would be given follows and is not looked at.
"""

import os
import subprocess
import sys
import time

from cotenant.run.framing import FrameDecoder, encode_frames

MONITOR, LINUX, RTOS = 0, 1, 2
STEP_NS = 400_000_000


class FakeMachine:
    """Answers frames on stdin with frames on stdout until told to quit."""

    def __init__(self, behaviour: str) -> None:
        self.behaviour = behaviour
        self.time_ns = 0
        self.typed = bytearray()
        self.bytes_typed = 0

    def write(self, channel: int, text: str) -> None:
        """Send text as one channel; `cut` sends it in single bytes."""
        data = b"".join(encode_frames(channel, text.encode()))
        step = 1 if self.behaviour == "cut" else len(data)
        for start in range(0, len(data), step):
            os.write(1, data[start : start + step])

    def boot(self) -> None:
        """Print what a system prints until it is ready."""
        if self.behaviour == "noise":
            os.write(1, b"\0garbage~\xff~\0")
        self.write(MONITOR, "monitor: started 2 tenants\n")
        self.write(RTOS, "latency: samples=5 min=1.0us avg=2.5us max=4.0us missed=0\r\n")
        if self.behaviour == "crash":
            self.write(MONITOR, "monitor: tenant linux: crashed: cause=0x5 address=0x8 pc=0x0\n")
        elif self.behaviour == "die":
            sys.exit("fake machine: no memory")
        elif self.behaviour == "login":
            self.write(LINUX, "cotenant: ready\r\ndebian login: ")
        elif self.behaviour == "prompt":
            self.write(LINUX, "cotenant: ready\r\nmyrtos> ")
        elif self.behaviour == "fail":
            self.obey("stats")
            text = (
                "monitor: tenant linux: crashed: shutdown after a system failure: pc=0x8 ra=0x4\n"
            )
            self.write(MONITOR, text)
            self.write(MONITOR, "monitor: tenant rtos: shutdown\n")
            sys.exit(0)
        elif self.behaviour == "ends":
            self.write(LINUX, "cotenant: ready\r\n# ")
            time.sleep(1)
            self.write(RTOS, "PASS\r\n")
            self.write(MONITOR, "monitor: tenant rtos: shutdown\n")
        else:
            self.write(LINUX, "[    0.0] booting ünmodified\r\ncotenant: ready\r\n# ")

    def run(self) -> None:
        """Serve frames until the end of input or `quit`."""
        decoder = FrameDecoder()
        while data := os.read(0, 1024):
            if self.behaviour == "slow":
                time.sleep(0.001)
            for frame in decoder.feed(data):
                if frame.channel == MONITOR:
                    self.obey(frame.payload.decode().strip())
                elif frame.channel == LINUX:
                    self.type(frame.payload)
                else:
                    self.bytes_typed += len(frame.payload)

    def obey(self, command: str) -> None:
        """Do a command for the monitor."""
        if command == "quit":
            raise SystemExit(0)
        if command != "stats" or self.behaviour == "mute":
            return
        self.time_ns += STEP_NS
        linux = "crashed" if self.behaviour == "crash" else "running"
        restarts = self.behaviour == "storm" and self.time_ns > STEP_NS
        rtos = "stopping" if restarts else "loading" if self.behaviour == "brief" else "dormant"
        self.write(
            MONITOR,
            f"stats time_ns={self.time_ns}\n"
            f"tenant linux state={linux} cpu_ns=10 switches=3 interrupts=2 faults=0\n"
            f"tenant rtos state={rtos} cpu_ns={self.bytes_typed} switches=4 interrupts=9"
            f" faults=1 starts={int(self.behaviour == 'storm')}\nstats end\n",
        )
        if self.behaviour == "brief":
            self.write(MONITOR, "monitor: tenant rtos: shutdown\n")

    def type(self, data: bytes) -> None:
        """Echo what is typed, and run it line by line as a shell would."""
        self.write(LINUX, data.decode().replace("\n", "\r\n"))
        self.typed += data
        if self.behaviour == "prompt":
            while b"\r" in self.typed:
                line, _, rest = bytes(self.typed).partition(b"\r")
                self.typed = bytearray(rest)
                if line == b"hang":
                    return
                self.write(LINUX, f"\r\nyou said {line.decode()}\r\nmyrtos> ")
            return
        while b"\n" in self.typed:
            line, _, rest = bytes(self.typed).partition(b"\n")
            self.typed = bytearray(rest)
            if self.behaviour == "login" and line == b"someone":
                self.write(LINUX, "Last login: yesterday\r\nsomeone@debian:~# ")
                continue
            if b"poweroff" in line:
                self.write(MONITOR, "monitor: tenant linux: shutdown\n")
                return
            shell = subprocess.run(
                ["sh", "-c", line.decode()],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
            self.write(LINUX, shell.stdout.decode().replace("\n", "\r\n") + "# ")


if __name__ == "__main__":
    machine = FakeMachine(sys.argv[1])
    machine.boot()
    machine.run()
