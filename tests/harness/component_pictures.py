# SPDX-License-Identifier: BSD-2-Clause
"""Make the pictures of docs/components.md: examples/components.toml, from inside and from outside.

    PYTHONPATH=tool:tests/system .venv/bin/python tests/harness/component_pictures.py

components-watch.svg is what componentwatch draws in Linux's terminal. components-page.png is the
page of the web server as a browser of this machine shows it: Debian's package chromium. Linux has a
network device of the machine, too, of which QEMU forwards a port of this machine, and passes what
comes there on to the web server.
"""

import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

from cotenant.paths import ROOT
from cotenant.run.launch import prepare
from cotenant.run.session import Session

PICTURES = ROOT / "docs" / "pictures"
BROWSER = "chromium"
ATTEMPTS = 15


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def description(port: int) -> str:
    """Return the example, with a network device of the machine for Linux."""
    text = (ROOT / "examples" / "components.toml").read_text(encoding="utf-8")
    changed = text.replace("priority = 1\n", 'priority = 1\ndevices = ["virtio1"]\n', 1)
    # The machine's device is the first one.
    changed = changed.replace("eth0=10.0.0.1/24", "eth0=10.0.2.15/24,eth1=10.0.0.1/24")
    device = f'virtio1 = {{ network = "user", forward = ["{port}:80"] }}'
    return f"{changed}\n[qemu.devices]\n{device}\n"


def run(session: Session, command: str) -> str:
    status, output = session.command("linux", command)
    if status != 0:
        raise SystemExit(f"{command}: exit status {status}: {output}")
    return output


def draw_terminal(output: str, file: Path) -> None:
    """Write what a terminal shows after the last of its pages, as a picture."""
    page = re.split("\x1b\\[H\x1b\\[J", output)[-1].replace("\r", "").rstrip()
    width = max(Text.from_ansi(line).cell_len for line in page.splitlines()) + 2
    console = Console(record=True, width=width, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(page))
    svg = console.export_svg(title="componentwatch")
    # It is to load nothing from elsewhere: the reader's own font for terminals will do.
    svg = re.sub(r"@font-face {.*?}\n|<!--.*?-->", "", svg, flags=re.DOTALL)
    file.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n", encoding="utf-8")


def wait_for_page(port: int) -> None:
    for _ in range(ATTEMPTS):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
                if page.status == 200:
                    return
        except OSError:
            time.sleep(0.5)
    raise SystemExit("the page does not come")


def take_page(port: int, file: Path) -> None:
    """Let a browser without a window draw the page into a file."""
    options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=900,640"]
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [
                *(BROWSER, *options, f"--user-data-dir={profile}"),
                *(f"--screenshot={file}", f"http://127.0.0.1:{port}/"),
            ],
            check=True,
            timeout=180,
        )


def main() -> int:
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "components.toml"
        file.write_text(description(port), encoding="utf-8")
        launch = prepare(file, console_mode="framed", output=Path(folder) / "bundle.bin")
        with Session(launch.machine(icount=4), launch.ports, timeout=600) as session:
            session.wait_ready("linux")
            run(session, "nc -ll -p 80 -e nc 10.0.0.2 80 >/dev/null 2>&1 &")
            wait_for_page(port)
            take_page(port, PICTURES / "components-page.png")
            run(session, "wget -qO- http://10.0.0.2/crash/ip; sleep 1")
            start = "(sleep 2; wget -qO- http://10.0.0.2/crash/http >/dev/null) & "
            output = run(session, f"{start} componentwatch 10.0.0.2 3")
            draw_terminal(output, PICTURES / "components-watch.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
