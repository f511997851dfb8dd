# SPDX-License-Identifier: BSD-2-Clause
"""The network of the component OS, with Linux at its other end."""

import re
import time
import urllib.request

import pytest
from systems import Boot, is_long, linux, payload, system
from test_channels import channel, outcome, run, start
from test_debian_disk import free_port
from test_memory_channels import window

from cotenant.bench import datagrams
from cotenant.bench.components import DATAGRAM_SHARE
from cotenant.components.build import FOLDER
from cotenant.run.results import parse_latency
from cotenant.run.session import Session

ATTEMPTS = 30
ADDRESS = "10.0.0.2"
NET = "console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_net addresses=eth0=10.0.0.1/24"


def missed(session: Session) -> int:
    """Return how many periods the control component has missed so far."""
    session.skip_output("components")
    session.expect("components", "^latency: samples=")
    latency = parse_latency(session.output("components"))
    assert latency and latency.samples > 100
    return latency.missed


def fetch(session: Session, path: str) -> str:
    """Return a page, which may take more than one attempt while something is being restarted."""
    attempts = "for i in 1 2 3 4 5; do wget -T 5 -qO /tmp/page {} && break; sleep 0.2; done"
    url = f"http://{ADDRESS}/{path}"
    return run(session, "linux", f"{attempts.format(url)}; cat /tmp/page; rm /tmp/page")


def restarts(session: Session, component: str) -> int:
    """Return how often a component was restarted, as /stats says."""
    found = re.search(rf"^ *{component} +(\d+)", fetch(session, "stats"), re.M)
    assert found
    return int(found[1])


def processes_take_part(session: Session) -> None:
    """A process calls components, and serves them; either side may be away, or talk nonsense."""
    number = int(run(session, "linux", "componentctl call names.find =http"))
    assert 0 < number < 32
    assert run(session, "linux", f"componentctl call statistics.restarts {number}") == "1\n"
    assert run(session, "linux", "componentctl call statistics.missed") == "0\n"
    code, _ = session.command("linux", "componentctl call faults.kill 1")
    assert code == 1  # nothing that the translator has no capability for

    status = f"wget -S -qO /dev/null http://{ADDRESS}/linux/greeting 2>&1 | grep HTTP/"
    assert " 503 " in run(session, "linux", status)  # nobody serves it
    start = "echo from Linux >/tmp/greeting; componentctl serve /tmp >/dev/null 2>&1 &"
    run(session, "linux", start)
    assert fetch(session, "linux/greeting") == "from Linux\n"
    assert " 503 " in run(session, "linux", status.replace("greeting", "..%2Fsecret"))
    assert "restarted" in fetch(session, "crash/translator")
    assert fetch(session, "linux/greeting") == "from Linux\n"  # the process has opened it again
    run(session, "linux", "printf '# hosts\\n10.0.0.9\\tmaster slave\\n' >/tmp/hosts")
    assert fetch(session, "resolve/slave") == "10.0.0.9\n"
    run(session, "linux", "killall componentctl; sleep 0.1")
    assert fetch(session, "resolve/slave") == "10.0.0.9\n"  # kept
    assert " 503 " in run(session, "linux", status.replace("linux/greeting", "resolve/other"))
    assert run(session, "linux", "componentctl call settings.set =report 150") == "1\n"
    assert run(session, "linux", "componentctl call settings.get =report 0") == "150\n"

    run(session, "linux", "componentbench unread 100000")
    run(session, "linux", "head -c 3000 /dev/urandom >/dev/virtio-ports/components; true")
    assert run(session, "linux", "componentctl call statistics.missed") == "0\n"


def besiege(session: Session, page: str) -> None:
    """Kill every component but the control loop again and again while Linux fetches pages."""
    rounds = 1000 if is_long() else 20
    before = {
        each: restarts(session, each) for each in ("net", "ip", "http", "files", "translator")
    }
    assert fetch(session, "") == page
    run(session, "linux", f"wget -qO /tmp/whole http://{ADDRESS}/")
    fetch(session, f"siege/{rounds}")
    load = (
        f"bad=0; good=0; for i in $(seq {2 * rounds}); do "
        f"if wget -T 1 -qO /tmp/page http://{ADDRESS}/ 2>/dev/null; then good=$((good + 1)); "
        "cmp -s /tmp/page /tmp/whole || bad=$((bad + 1)); fi; "
        "timeout 1 componentctl call timer.now_us >/dev/null 2>&1; done; echo $bad $good"
    )
    bad, good = map(int, run(session, "linux", load).split())
    assert bad == 0 and good > 0
    for each, count in before.items():
        for _ in range(ATTEMPTS):
            if restarts(session, each) >= count + rounds:
                break
            time.sleep(1)
        assert restarts(session, each) >= count + rounds
    assert fetch(session, "") == page


def beside_linux(boot: Boot, messages: str, arguments: str) -> Session:
    """Boot the component OS with a network to Linux and this channel for messages."""
    components = payload(
        "components-web",
        "components",
        priority=10,
        memory="8M",
        fp=False,
        arguments=f"address={ADDRESS}/24 {arguments}",
    )
    lan = channel("lan", "linux", "components", kind="net")
    session = boot(system(linux(arguments=NET), components, lan, messages), icount=4)
    session.wait_ready("linux")
    return session


@pytest.mark.long_form
def test_pages_come_again_whatever_crashes(boot: Boot) -> None:
    stream = channel("components", "linux", "components")
    session = beside_linux(boot, stream, "report=100 pause=20000")
    run(session, "linux", f"ping -c 2 {ADDRESS}")
    run(session, "linux", f"udpecho {ADDRESS} 100 1472")

    pages = FOLDER / "parts" / "files" / "pages"
    page = (pages / "index.html").read_text()
    assert fetch(session, "") == page
    assert fetch(session, "about.txt") == (pages / "about.txt").read_text()
    for component in ("http", "ip", "net", "files", "scheduler"):
        assert restarts(session, component) == 0
        assert "restarted" in fetch(session, f"crash/{component}")
        assert fetch(session, "") == page
        assert restarts(session, component) == 1
    run(session, "linux", f"udpecho {ADDRESS} 10")
    watched = run(session, "linux", f"componentwatch {ADDRESS} 1")
    assert re.search(r"http +\x1b\[0m +1\x1b", watched), watched

    rows = fetch(session, "history").splitlines()
    assert len(rows) > 2 and all(row.split()[2] == "0" for row in rows[1:])
    assert "restarted" in fetch(session, "crash/locks")
    assert len(fetch(session, "history").splitlines()) >= len(rows)
    processes_take_part(session)

    # What is no request, no page, no component, and a client that asks for nothing.
    answers = {
        "POST / HTTP/1.0": "405",
        "GET no-slash HTTP/1.0": "400",
        f"GET /{'x' * 300} HTTP/1.0": "404",
        "GET /nothing HTTP/1.0": "404",
        "GET /crash/nobody HTTP/1.0": "404",
        "": "400",
    }
    for line, status in answers.items():
        request = f"printf '{line}\\r\\n\\r\\n' | nc {ADDRESS} 80"
        assert run(session, "linux", request).startswith(f"HTTP/1.0 {status} ")
    run(session, "linux", f"nc -w 1 {ADDRESS} 80 </dev/null; true")
    assert fetch(session, "") == page
    assert restarts(session, "http") == 1
    assert fetch(session, "access").splitlines()[-1].endswith(" 200 /stats")
    besiege(session, page)
    assert missed(session) == 0


def ask_from_outside(port: int, path: str) -> bytes:
    """Return a page that this machine fetches; QEMU accepts before there is anybody to answer."""
    for _ in range(ATTEMPTS):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as page:
                return bytes(page.read())
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"no answer to {path}")


def test_the_machines_own_network_brings_pages_outside(boot: Boot) -> None:
    port = free_port()
    components = payload(
        "components-web",
        "components",
        memory="8M",
        fp=False,
        devices=["virtio1"],
        ready="^components: ",
        arguments="address=10.0.2.15/24 gateway=10.0.2.2",
    )
    device = f'[qemu.devices]\nvirtio1 = {{ network = "user", forward = ["{port}:80"] }}\n'
    session = boot(system(components, device))
    session.wait_ready("components")
    page = (FOLDER / "parts" / "files" / "pages" / "index.html").read_bytes()
    assert ask_from_outside(port, "/") == page
    assert b"restarted" in ask_from_outside(port, "/crash/net")
    assert ask_from_outside(port, "/") == page
    assert re.search(rb"^ *net +1 ", ask_from_outside(port, "/stats"), re.M)


def test_processes_and_components_call_each_other_by_a_window(boot: Boot) -> None:
    components = payload("components-services", "components", priority=10, memory="8M", fp=False)
    shared = window("components", "linux", "components", size="8K")
    arguments = "console=ttyS0 loglevel=4 modules=virtio_mmio"
    session = boot(system(linux(arguments=arguments), components, shared), icount=4)
    session.wait_ready("linux")
    find = "componentctl call names.find ="
    assert run(session, "linux", f"{find}scheduler") == "0\n"
    translator = int(run(session, "linux", f"{find}translator"))
    assert 0 < translator < 32
    found = run(session, "linux", "componentbench 100")
    assert len(re.findall(r"^componentbench: \w+=[1-9]", found, re.M)) == 4

    # A server that is killed is followed by another process.
    for _ in range(2):
        start(session, "linux", "componentbench 1000000")
        # Of its two processes one may end by itself when the other one is gone.
        kill = "pidof componentbench && { killall -9 componentbench; true; }"
        run(session, "linux", f"sleep 0.5; {kill}")
        outcome(session, "linux")
        assert run(session, "linux", "componentctl call log.count") == "0\n"
    assert session.command("linux", "componentctl call timer.none")[0] == 1

    # One that takes no answers, or keeps to no rule: the translator begins anew, and goes on.
    run(session, "linux", "componentbench unread 1000")
    run(session, "linux", "memorycheck components endure 1; memorycheck components flood 1; true")
    assert int(run(session, "linux", f"{find}translator")) == translator
    assert run(session, "linux", f"componentctl call statistics.restarts {translator}") == "0\n"


def test_a_process_calls_components_that_have_not_called_one(boot: Boot) -> None:
    """By a window; then the other way, and a process that is followed by the next."""
    shared = window("components", "linux", "components", size="8K")
    session = beside_linux(boot, shared, "report=1000 pause=500000")
    for _ in range(2):
        assert int(run(session, "linux", "componentctl call timer.now_us")) > 0
    run(session, "linux", "echo from Linux >/tmp/greeting")
    start(session, "linux", "componentctl serve /tmp 1")
    ask = f"wget -T 5 -qO- http://{ADDRESS}/linux/greeting 2>/dev/null"
    served = run(session, "linux", f"until {ask}; do sleep 0.1; done")
    assert served == "from Linux\n"
    assert outcome(session, "linux")[1] == 0
    assert run(session, "linux", "componentctl call statistics.missed") == "0\n"


def test_a_datagram_is_with_a_component_sooner_than_with_a_process_of_linux() -> None:
    took = datagrams.measure(5)
    assert 0 < took["components"] <= DATAGRAM_SHARE * took["socket"]
    assert took["socket"] < took["relay"] < 2 * took["socket"]
