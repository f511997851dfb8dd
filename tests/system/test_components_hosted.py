# SPDX-License-Identifier: BSD-2-Clause
"""The component OS as a process of Linux: cohost run --components."""

from systems import Boot, linux, system
from test_channels import run
from test_components_web import ADDRESS, fetch, restarts

from cotenant import paths
from cotenant.components.build import FOLDER

IMAGE = paths.ROOT / "build" / "tenants" / "components-web.elf"
# How often threads of the process have gone to sleep.
SLEPT = (
    "cat /proc/$(pidof cohost)/task/*/status | awk '/^voluntary/ { sum += $2 } END { print sum }'"
)
OFTEN = 100


def test_components_are_a_process_of_linux(boot: Boot) -> None:
    """Linux fetches their pages by a tap device; when they are idle, the process sleeps."""
    host = linux(
        memory="256M",
        guests=1,
        initrd="debian-host-initramfs",
        arguments="console=ttyS0 loglevel=4 modules=virtio_mmio,virtio_blk,tun",
        devices=["rtc", "virtio0"],
    )
    disk = '[qemu.devices]\nvirtio0 = "virtio-blk-device,drive=image"\n'
    drive = f"file={IMAGE},if=none,id=image,format=raw,readonly=on"
    session = boot(system(host, disk), extra=("-drive", drive))
    session.wait_ready("linux")
    start = (
        "cat /dev/vda >/tmp/image; cohost run --components /tmp/image --name parts --net tap0 "
        f"--append 'address={ADDRESS}/24 pause=200000' </dev/null >/tmp/out 2>&1 & "
        "until ip addr add 10.0.0.1/24 dev tap0 2>/dev/null; do sleep 0.1; done; "
        "ip link set tap0 up"
    )
    run(session, "linux", start)
    page = (FOLDER / "parts" / "files" / "pages" / "index.html").read_text()
    assert fetch(session, "") == page
    assert "restarted" in fetch(session, "crash/ip")
    assert fetch(session, "") == page
    assert restarts(session, "ip") == 1

    before = int(run(session, "linux", SLEPT))
    wait = f"for i in $(seq 100); do [ $({SLEPT}) -gt {before + OFTEN} ] && break; sleep 0.1; done"
    run(session, "linux", wait)
    assert int(run(session, "linux", SLEPT)) > before + OFTEN

    assert "components: 28 components" in run(session, "linux", "cat /tmp/out")
    run(session, "linux", "cohost stop parts")
    code, output = session.command("linux", "cohost run --components /bin/busybox")
    assert code == 3 and "not an image" in output
