# SPDX-License-Identifier: BSD-2-Clause
"""The bundle in place of OpenSBI's fw_dynamic firmware: the previous boot stage brings an image.

QEMU hands over what `-kernel` names in this form, and so does U-Boot's SPL.
"""

import subprocess
from pathlib import Path

import fdt
from systems import Boot, Build, Value, freertos, keep_ticking, linux, payload, system, tenant
from test_malformed_bundle import refusal

from cotenant import images, paths
from cotenant.units import align_up

IMAGE = paths.BUILD / "tenants" / "hello.raw"
READY = "^PASS hello$"
NEXT: Value = {"next-stage": "1M"}

# Where U-Boot's SPL of the Unleashed looks for the next stages in its SPI flash, bytes.
SPL_OFFSET = 0x10_5000
FLASH_SIZE = 32 << 20
NEXT_ADDRESS = 0x8020_0000
BUNDLE_ADDRESS = 0x9000_0000


def hello(**keys: Value) -> str:
    """Return the table of the tenant whose image is handed over."""
    standard: dict[str, Value] = {"priority": 5, "memory": "4M", "image": NEXT}
    return tenant("next", standard | keys)


def test_handed_over_and_started_again(boot: Boot) -> None:
    session = boot(system(freertos(), hello()), extra=("-kernel", str(IMAGE)))
    session.expect("next", READY)
    for _ in range(3):
        session.wait_state("next", "stopped")  # while it is being stopped it is refused
        assert session.control("restart next").exit_code == 0
        session.expect("next", READY)
    session.wait_ready("freertos")
    keep_ticking(session, ["freertos"])


def test_a_kernel_for_two_tenants(boot: Boot) -> None:
    kernel = images.resolve("debian-kernel")
    two = [linux(name, image={"next-stage": "40M"}) for name in ("one", "two")]
    session = boot(system(*two), extra=("-kernel", str(kernel)))
    for name in ("one", "two"):
        session.wait_ready(name)
        assert session.command(name, "uname -m") == (0, "riscv64\n")


def test_nothing_is_handed_over(boot: Boot) -> None:
    session = boot(system(payload("hello"), hello()))
    assert "next_stage: misaligned or outside of the board's RAM" in refusal(session)


def fit(bundle: bytes, next_stage: bytes) -> bytes:
    """Return what SPL loads: the bundle as firmware, what follows it, and a device tree.

    A U-Boot FIT image (Flat Image Tree Specification 1.0), the contents behind the tree.
    """
    board = fdt.FDT()
    board.set_property("compatible", "sifive,hifive-unleashed-a00")
    loaded_at = {"load": BUNDLE_ADDRESS, "entry": BUNDLE_ADDRESS}
    parts: list[tuple[str, bytes, dict[str, str | int]]] = [
        ("next", next_stage, {"type": "standalone", "os": "U-Boot", "load": NEXT_ADDRESS}),
        ("monitor", bundle, {"type": "firmware", "os": "opensbi"} | loaded_at),
        ("board", board.to_dtb(version=17), {"type": "flat_dt"}),
    ]
    tree = fdt.FDT()
    tree.set_property("#address-cells", 1)
    contents = b""
    for name, data, properties in parts:
        place = {"data-offset": len(contents), "data-size": len(data)}
        common = {"description": name, "compression": "none", "arch": "riscv"}
        for key, value in (common | properties | place).items():
            tree.set_property(key, value, f"/images/{name}")
        contents += data.ljust(align_up(len(data), 512), b"\0")
    tree.set_property("default", "all", "/configurations")
    roles = {"description": "all", "firmware": "monitor", "loadables": "next", "fdt": "board"}
    for role, name in roles.items():
        tree.set_property(role, name, "/configurations/all")
    header = bytes(tree.to_dtb(version=17))
    return header.ljust(align_up(len(header), 4), b"\0") + contents


def test_loaded_by_a_product_s_own_spl(boot: Boot, build: Build, tmp_path: Path) -> None:
    """Debian's SPL of the HiFive Unleashed starts the bundle from flash in OpenSBI's place.

    What SPL loads as the next stage is Debian's U-Boot, which a tenant boots.
    """
    image: Value = {"next-stage": "2M", "address": NEXT_ADDRESS}
    tenants = (hello(hart=1, memory="128M", image=image), freertos(hart=2))
    launch = build(system(*tenants, board="sifive-unleashed", sstc=False))
    u_boot = tmp_path / "u-boot.bin"
    command: list[str | Path] = [
        "riscv64-linux-gnu-objcopy",
        "-O",
        "binary",
        images.resolve("u-boot"),
        u_boot,
    ]
    subprocess.run(command, check=True)
    flash = bytearray(FLASH_SIZE)
    content = fit(launch.built.bundle.read_bytes(), u_boot.read_bytes())
    flash[SPL_OFFSET : SPL_OFFSET + len(content)] = content
    file = tmp_path / "flash.bin"
    file.write_bytes(flash)
    spl = images.resolve("u-boot-unleashed-spl")
    machine = ("-machine", "msel=6", "-m", "8G", "-bios", str(spl))  # SPL wants the product's RAM
    session = boot(launch, extra=(*machine, "-drive", f"file={file},if=mtd,format=raw"))
    session.expect("next", "^U-Boot 20")
    assert "U-Boot SPL" in session.console.noise
    session.expect("next", "^=> ")
    keep_ticking(session, ["freertos"])
    session.control("restart next")
    session.expect("next", "^U-Boot 20")
