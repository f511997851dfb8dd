# SPDX-License-Identifier: BSD-2-Clause
"""Stock Debian boots with the machine's own device tree, cut to its share, beside a FreeRTOS."""

import struct
import subprocess
from pathlib import Path

import handed_tree
import pytest
from systems import (
    LINUX_READY,
    Boot,
    Build,
    Value,
    freertos,
    keep_ticking,
    linux,
    payload,
    run_without_a_miss,
    system,
    tenant,
)

from cotenant import images, paths, sdcard
from cotenant import system as systems
from cotenant.board_import import import_tree
from cotenant.board_import.node import flatten
from cotenant.board_import.tree import Tree
from cotenant.images import open_store
from cotenant.images.fetch import ensure
from cotenant.images.kernel_images import DEVICE_TREES, TREE_SUFFIX

VIRT = ("virt", "-cpu", "rv64,h=off")


def dumped(folder: Path, *machine: str) -> Path:
    """Return the device tree that QEMU makes for a machine."""
    tree = folder / "machine.dtb"
    options = [f"{machine[0]},dumpdtb={tree}", *machine[1:]]
    subprocess.run(
        ["qemu-system-riscv64", "-M", *options, "-display", "none", "-bios", "none"],
        check=True,
        capture_output=True,
    )
    return tree


def test_debian_on_virt_with_the_tree_that_virt_hands_over(
    boot: Boot, build: Build, tmp_path: Path
) -> None:
    """It has a serial number, and a device, that the tree of the file has not.

    QEMU puts it to the top of RAM, where the monitor goes.
    """
    tree = dumped(tmp_path, *VIRT, "-m", "1G")
    other = Tree(tree.read_bytes()).root
    other.set_texts("serial-number", "4711")
    other.add("newcomer@1").set_texts("compatible", "made,newcomer")
    handed_over = tmp_path / "handed-over.dtb"
    handed_over.write_bytes(flatten(other))
    own: Value = {"handed-over": str(tree)}
    debian = linux(
        devices=["rtc", "virtio0", "pcie"],
        devicetree=own,
        arguments="console=ttyS0 modules=virtio_mmio,virtio_rng",
    )
    slots = '[qemu.devices]\nvirtio0 = "virtio-rng-device"\n'
    launch = build('board = "qemu-virt"\nmemory = "1G"\n' + debian + freertos() + slots)
    planned = launch.built.system
    assert planned.monitor.end == planned.ram.end and planned.monitor.size >= 4 << 20
    session = boot(launch, icount=4, extra=("-dtb", str(handed_over)))
    session.wait_ready("freertos")
    session.expect("linux", LINUX_READY)
    names = "cat model serial-number; ls -d new*; ls /sys/bus/platform/devices"
    told = session.command("linux", f"cd /proc/device-tree; {names}")
    assert told[0] == 0 and "riscv-virtio,qemu" in told[1]
    assert "4711" in told[1] and "newcomer@" not in told[1]
    for name in ("10000000.serial", "10001000.virtio_mmio", "101000.rtc", "30000000.pci"):
        assert name in told[1]
    for name in ("10002000", "fw-cfg", "flash", "clint", "100000.test"):
        assert name not in told[1]
    assert session.command("linux", "hwclock -r")[0] == 0
    rng = "cat /sys/class/misc/hw_random/rng_current; head -c 9 /dev/hwrng | wc -c"
    assert session.command("linux", rng) == (0, "virtio_rng.0\n9\n")
    assert session.command("linux", "ls /sys/bus/pci/devices") == (0, "0000:00:00.0\n")
    stats, _ = run_without_a_miss(session, 1)
    assert stats.tenants["linux"].faults == 0


def test_a_machine_with_less_memory_than_planned_is_refused(boot: Boot, tmp_path: Path) -> None:
    """The tree of the file has 256 MiB, as the machine: what is handed over tells of 128."""
    planned, less = dumped(tmp_path, *VIRT, "-m", "256M"), tmp_path / "less.dtb"
    other = Tree(planned.read_bytes()).root
    (memory,) = (node for node in other.children if node.kind == "memory")
    memory.properties["reg"] = struct.pack(">QQ", 0x8000_0000, 128 << 20)
    less.write_bytes(flatten(other))
    own: Value = {"handed-over": str(planned)}
    text = 'memory = "256M"\n' + system(payload("hello", devicetree=own))
    session = boot(text, extra=("-dtb", str(less)))
    assert session.wait_end(timeout=60) == 0
    told = session.console.noise + session.monitor_log
    assert "refused the bundle: devicetree: handed over tells of less RAM than" in told


def test_debian_on_a_sifive_with_clocks_and_pins_of_its_own(boot: Boot, tmp_path: Path) -> None:
    """Two harts of five, the second UART, clocks, and a reset line that it may not pull."""
    tree = dumped(tmp_path, "sifive_u", "-smp", "5", "-m", "2G")
    text = import_tree(tree).text
    assert text is not None
    (tmp_path / "board.toml").write_text(f'{text}\n[qemu]\nmachine = "sifive_u"\n')
    debian = linux(
        harts=[1, 2],
        devices=["*"],
        trusted=True,
        devicetree=str(tree),
        arguments="console=ttyS0 clk_ignore_unused",
    )
    session = boot('board = "board.toml"\n' + debian + freertos(hart=2))
    session.expect("linux", LINUX_READY)
    drivers = "cd /sys/bus/platform/devices; for each in */driver; do echo $each; done; nproc"
    code, told = session.command("linux", drivers)
    assert code == 0 and told.endswith("2\n")
    for name in (
        "10000000.clock-controller",
        "10010000.serial",
        "10011000.serial",
        "10060000.gpio",
    ):
        assert f"{name}/driver" in told
    assert "gpio-restart" not in told
    keep_ticking(session, ["freertos"])
    assert session.stats().tenants["linux"].faults == 0


def test_a_card_starts_a_bundle_whose_tenant_has_the_boards_tree(
    boot: Boot, build: Build, tmp_path: Path
) -> None:
    """Debian's SPL of the Unleashed finds the bundle on it, and hands over the vendor's tree."""
    tree = dumped(tmp_path, "sifive_u", "-smp", "5", "-m", "2G")
    image: Value = {"next-stage": "2M", "address": 0x8020_0000}
    keys: dict[str, Value] = {
        "hart": 1,
        "priority": 5,
        "memory": "128M",
        "image": image,
        "devicetree": {"handed-over": str(tree)},
    }
    text = system(tenant("next", keys), freertos(hart=2), board="sifive-unleashed", sstc=False)
    launch = build(text)
    u_boot = tmp_path / "u-boot.bin"
    copy: list[str | Path] = [
        "riscv64-linux-gnu-objcopy",
        "-O",
        "binary",
        images.resolve("u-boot"),
        u_boot,
    ]
    subprocess.run(copy, check=True)
    spl, card = images.resolve("u-boot-unleashed-spl"), tmp_path / "card.img"
    built = launch.built
    parts = sdcard.Parts(spl.read_bytes(), u_boot.read_bytes(), built.system.own_trees[0])
    sdcard.write(card, built.system, built.bundle.read_bytes(), parts)
    machine = ("-machine", "msel=11", "-m", "8G", "-bios", str(spl))  # SPL wants the product's RAM
    session = boot(launch, extra=(*machine, "-drive", f"file={card},if=sd,format=raw"))
    session.expect("next", "Model: SiFive HiFive Unleashed A00")
    assert "Trying to boot from MMC1" in session.console.noise
    session.expect("next", "^=> ")
    keep_ticking(session, ["freertos"])


def boards_of_debian() -> list[Path]:
    listed = ensure(DEVICE_TREES, open_store(), paths.ROOT, lambda *_: None)
    return sorted(listed.parent.glob(f"*{TREE_SUFFIX}"))


def warnings_of(tree: Path) -> set[str]:
    """Return what dtc has against a tree, without the names of files."""
    result = subprocess.run(
        ["dtc", "-I", "dtb", "-O", "dts", "-o", "/dev/null", tree],
        check=True,
        capture_output=True,
        text=True,
    )
    return {line.partition(": ")[2] for line in result.stderr.splitlines()}


def test_the_trees_of_debian_are_for_an_owner_of_all_devices(tmp_path: Path) -> None:
    """Every device that the vendor's tree has in use stays in use, but for the monitor's.

    The monitor makes the same of them when they are handed over.
    """
    merge = handed_tree.program(tmp_path)
    tried = 0
    for file in boards_of_debian():
        imported = import_tree(file)
        if imported.text is None or imported.board is None:
            continue
        tried += 1
        (tmp_path / "board.toml").write_text(imported.text)
        harts = [hart.id for hart in imported.board.harts.all if hart.mmu]
        own: Value = {"handed-over": str(file)}
        text = linux(harts=harts[-1:], devices=["*"], trusted=True, devicetree=own)
        (tmp_path / "system.toml").write_text(f'board = "board.toml"\n{text}')
        planned = systems.load(tmp_path / "system.toml")
        (part,) = (part for part in planned.tenants[0].parts if part.what == "device tree")
        edited = tmp_path / "edited.dtb"
        edited.write_bytes(part.data)
        assert warnings_of(edited) <= warnings_of(file), file.name
        before, after = Tree(file.read_bytes()), Tree(part.data)
        plan = planned.tenants[0].tree_plan
        assert plan is not None
        merged = handed_tree.merged(merge, file.read_bytes(), plan, tmp_path)
        assert isinstance(merged, bytes), merged
        assert handed_tree.content(Tree(merged).root) == handed_tree.content(after.root)
        assert {handle: node.kind for handle, node in before.by_handle.items()} == {
            handle: node.kind for handle, node in after.by_handle.items()
        }
        known = [area for each in planned.board.devices.values() for area in each.ranges]
        closed = [area for key, area in planned.board.monitor_ranges.items() if key != "uart"]
        for node in before.nodes:
            now = after.at(node.path)
            places = before.ranges(node)
            if not node.compatible or not places or not node.enabled or now is None:
                continue
            if all(any(area.contains(place) for area in known) for place in places):
                assert now.properties == node.properties or now.name.startswith("pci"), now.path
            if node.is_a("sifive,plic-1.0.0"):
                assert now.enabled
            elif any(area.overlaps(place) for area in closed for place in places):
                assert not now.enabled, now.path
        assert planned.pmp[harts[-1]].used <= planned.board.pmp_entries
    assert tried >= 14


@pytest.mark.parametrize("name", ["jh7110-starfive-visionfive-2-v1.3b", "hifive-unmatched-a00"])
def test_one_tenant_has_all_of_a_board_of_ours_and_an_rtos_is_added(
    name: str, tmp_path: Path
) -> None:
    """Boards that nobody tried: what is planned for them fits the PMP of their harts."""
    (file,) = (each for each in boards_of_debian() if each.stem == name)
    board = "starfive-visionfive2" if name.startswith("jh7110") else "sifive-unmatched"
    text = linux(harts=[1, 2, 3, 4], devices=["*"], trusted=True, devicetree=str(file))
    path = tmp_path / "system.toml"
    path.write_text(f'board = "{board}"\n{text}')
    alone = systems.load(path)
    assert {result.available for result in alone.pmp.values()} == {8}
    path.write_text(f'board = "{board}"\n{text}{freertos(hart=4)}')
    both = systems.load(path)
    access = [region.range for region in both.tenants[0].vharts[3].access]
    assert not any(both.tenants[1].memory.overlaps(area) for area in access)
    assert not any(both.monitor.overlaps(area) for area in access)
