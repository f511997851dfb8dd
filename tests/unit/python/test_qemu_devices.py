# SPDX-License-Identifier: BSD-2-Clause
"""What a system plugs into the board's slots reaches QEMU's command line, each at its place."""

import pytest
from made_images import LINUX, RTOS, Workshop, workshop

from cotenant import explain, paths
from cotenant import system as systems
from cotenant.errors import ConfigError
from cotenant.run.qemu import Machine

__all__ = ["workshop"]

PLUGGED = """[qemu.devices]
virtio7 = "virtio-net-device,mac=52:54:00:12:34:56"
virtio0 = "virtio-rng-device"
"""


def test_each_device_goes_to_the_bus_of_its_slot(workshop: Workshop) -> None:
    system = systems.load(workshop.system(LINUX + PLUGGED + RTOS))
    qemu = systems.qemu_parameters(system)
    assert qemu is not None
    assert qemu.devices == (
        ("-device", "virtio-net-device,mac=52:54:00:12:34:56,bus=virtio-mmio-bus.7"),
        ("-device", "virtio-rng-device,bus=virtio-mmio-bus.0"),
    )
    arguments = Machine(systems.default_output(system), devices=qemu.devices).arguments()
    places = [index for index, each in enumerate(arguments) if each == "-device"]
    assert tuple(("-device", arguments[place + 1]) for place in places) == qemu.devices


def test_a_disk_and_a_network_bring_what_is_behind_them(workshop: Workshop) -> None:
    (workshop.folder / "own,1.img").write_bytes(b"QFI\xfb...")
    text = (
        LINUX + '[qemu.devices]\nvirtio0 = { disk = "initrd" }\n'
        'virtio1 = { disk = "./own,1.img", keep = true }\n'
        'virtio2 = { network = "user", forward = ["8022:22", "8080:80"] }\n' + RTOS
    )
    qemu = systems.qemu_parameters(systems.load(workshop.system(text)))
    assert qemu is not None
    folder = workshop.folder.resolve()
    assert qemu.devices == (
        ("-drive", f"if=none,id=virtio0,format=raw,snapshot=on,file={folder}/initrd.img"),
        ("-device", "virtio-blk-device,drive=virtio0,bus=virtio-mmio-bus.0"),
        ("-drive", f"if=none,id=virtio1,format=qcow2,snapshot=off,file={folder}/own,,1.img"),
        ("-device", "virtio-blk-device,drive=virtio1,bus=virtio-mmio-bus.1"),
        ("-netdev",
         "user,id=virtio2,hostfwd=tcp:127.0.0.1:8022-:22,hostfwd=tcp:127.0.0.1:8080-:80"),
        ("-device", "virtio-net-device,netdev=virtio2,bus=virtio-mmio-bus.2"),
    )  # fmt: skip


def test_cards_go_to_the_bus_together(workshop: Workshop) -> None:
    text = LINUX.replace('"virtio*"', '"pcie"') + (
        '[qemu.devices]\npcie = ["bochs-display,xres=800", "qemu-xhci"]\n'
    )
    system = systems.load(workshop.system(text + RTOS))
    qemu = systems.qemu_parameters(system)
    assert qemu is not None
    assert qemu.devices == (
        ("-device", "bochs-display,xres=800,bus=pcie.0,romfile="),
        ("-device", "qemu-xhci,bus=pcie.0,romfile="),
    )
    opened = {region.what: region.range for region in system.tenants[0].vharts[0].access}
    assert opened["pcie"].base == 0x4000_0000


@pytest.mark.parametrize(
    ("devices", "problem"),
    [
        ('virtio0 = ["virtio-rng-device"]', "room for one device"),
        ('pcie = { disk = "initrd" }', "takes PCI cards"),
        ('pcie = ["bochs-display,bus=x"]', "names a bus"),
        ('pcie = ["bochs-display", "a b"]', "is not of the form"),
        ('pcie = ["bochs-display", 1]', "not a list of strings"),
    ],
)
def test_what_does_not_fit_is_refused(workshop: Workshop, devices: str, problem: str) -> None:
    text = LINUX.replace('"virtio*"', '"pcie", "virtio*"') + f"[qemu.devices]\n{devices}\n"
    with pytest.raises(ConfigError) as caught:
        systems.load(workshop.system(text + RTOS))
    assert problem in caught.value.mistakes[0].problem


def test_a_system_without_them_plugs_nothing(workshop: Workshop) -> None:
    qemu = systems.qemu_parameters(systems.load(workshop.system(LINUX + RTOS)))
    assert qemu is not None and qemu.devices == ()


def test_a_slot_of_nobody_stays_empty(workshop: Workshop) -> None:
    text = LINUX.replace('"virtio*"', '"virtio[0-6]"') + PLUGGED + RTOS
    with pytest.raises(ConfigError) as caught:
        systems.load(workshop.system(text))
    (mistake,) = caught.value.mistakes
    assert mistake.key == "qemu.devices.virtio7"
    assert "belongs to no tenant" in mistake.problem


def test_the_clock_follows_the_counted_time() -> None:
    arguments = Machine(paths.BUNDLES / "x.bin", icount=4).arguments()
    assert arguments[arguments.index("-rtc") + 1] == "clock=vm"
    assert "-rtc" not in Machine(paths.BUNDLES / "x.bin").arguments()


def with_uart(text: str, uart: bool) -> str:
    """Return a system on the board with two UARTs, whose Linux has the one for tenants."""
    text = text.replace('"qemu-virt"', '"qemu-virt-uart"')
    return text.replace('"virtio*"', '"virtio*", "uart0"') if uart else text


def test_the_uart_of_a_tenant_is_the_first_serial_line(workshop: Workshop) -> None:
    line = '[qemu.devices]\nuart0 = { serial = "./own,1.socket" }\n'
    system = systems.load(workshop.system(with_uart(LINUX + line + RTOS, uart=True)))
    qemu = systems.qemu_parameters(system)
    assert qemu is not None
    path = f"{workshop.folder.resolve()}/own,,1.socket"
    assert qemu.devices == (("-serial", f"unix:{path},server=on,wait=off"),)
    machine = Machine(
        systems.default_output(system), devices=qemu.devices, console=qemu.console
    ).arguments()
    assert machine[machine.index("-device") + 1] == "pci-serial,addr=1,chardev=line"
    assert machine.count("-serial") == 1
    system = systems.load(workshop.system(with_uart(LINUX + RTOS, uart=False)))
    qemu = systems.qemu_parameters(system)
    assert qemu is not None and qemu.devices == (("-serial", "null"),)


def test_a_line_is_no_slot_and_a_slot_no_line(workshop: Workshop) -> None:
    for entry, said in (
        ('uart0 = "virtio-rng-device"', '"uart0" is a serial line; write for example: uart0 = {'),
        ('virtio0 = { serial = "./x" }', '"virtio0" is a slot; write for example: virtio0 = "'),
    ):
        text = with_uart(LINUX + f"[qemu.devices]\n{entry}\n" + RTOS, uart=True)
        with pytest.raises(ConfigError) as caught:
            systems.load(workshop.system(text))
        assert said in str(caught.value)


GUARDED = """board = "qemu-virt"
[qemu]
virtio = "{transport}"
[qemu.devices]
virtio0 = "{model}"
[tenant.one]
priority = 1
memory = "4M"
image = "rtos"
devices = ["virtio0", "virtio1"]
trusted = {trusted}
"""


def guarded(model: str, transport: str = "modern", trusted: str = "false") -> str:
    return GUARDED.format(model=model, transport=transport, trusted=trusted)


def test_slots_are_guarded_unless_their_tenant_is_trusted(workshop: Workshop) -> None:
    for trusted, by in (("false", "guard"), ("true", "nothing")):
        model = "virtio-gpu-device" if by == "nothing" else "virtio-rng-device"
        system = systems.load(workshop.system(guarded(model, trusted=trusted)))
        (tenant,) = system.tenants
        told = explain.as_dict(system)["tenants"]
        assert isinstance(told, dict)
        assert told["one"]["confined_by"] == {"virtio0": by}
        reached = [region.what for vhart in tenant.vharts for region in vhart.access]
        assert ("virtio0" in reached) == (by == "nothing")
        assert not system.warnings


def test_what_cannot_be_guarded_is_refused(workshop: Workshop) -> None:
    for text, key, problem in (
        (guarded("virtio-gpu-device"), "qemu.devices.virtio0", "cannot be guarded"),
        (guarded("virtio-rng-device", "legacy"), "qemu.virtio", "the legacy transport cannot be"),
    ):
        with pytest.raises(ConfigError) as caught:
            systems.load(workshop.system(text))
        (mistake,) = caught.value.mistakes
        assert mistake.key == key
        assert problem in mistake.problem
        assert "trusted = true" in mistake.remedy


def test_cards_that_nothing_confines_are_warned_of(workshop: Workshop) -> None:
    cards = GUARDED.replace('virtio0 = "{model}"', 'pcie = ["bochs-display"]')
    cards = cards.replace('"virtio0", "virtio1"', '"pcie"')
    for trusted, warned in (("false", True), ("true", False)):
        system = systems.load(workshop.system(cards.format(transport="modern", trusted=trusted)))
        assert any("tenant one owns pcie" in each for each in system.warnings) == warned
