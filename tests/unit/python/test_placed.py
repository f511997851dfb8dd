# SPDX-License-Identifier: BSD-2-Clause
"""The file from which QEMU puts each thing where it belongs."""

import io

import pytest
from elftools.elf.elffile import ELFFile
from made_images import LINUX, RTOS, Workshop, workshop

from cotenant import placed
from cotenant import system as systems
from cotenant.bundle_struct import Bundle, MonitorHeader
from cotenant.run.launch import Launch
from cotenant.units import align_up

__all__ = ["workshop"]


@pytest.fixture
def launch(workshop: Workshop) -> Launch:
    system = systems.load(workshop.system(LINUX + RTOS))
    return Launch(systems.build(system, workshop.folder / "bundle.bin"))


def test_everything_is_where_it_is_to_be(launch: Launch) -> None:
    bundle = launch.built.bundle.read_bytes()
    in_file = align_up(MonitorHeader.from_buffer_copy(bundle).image_size, 4096)
    header = Bundle.from_buffer_copy(bundle, in_file)
    file = ELFFile(io.BytesIO(placed.encode(bundle)))
    monitor, *parts = file.iter_segments("PT_LOAD")
    image = MonitorHeader.from_buffer_copy(monitor.data())
    assert file["e_entry"] == monitor["p_paddr"] == header.board.monitor_base
    assert image.image_size == image.memory_size >= in_file
    assert not any(monitor.data()[in_file : image.memory_size])
    assert monitor.data()[image.memory_size :] == bundle[in_file:]
    wanted = [
        (part.destination, bundle[in_file + part.store_offset :][: part.file_size])
        for tenant in header.tenants[: header.tenant_count]
        for part in tenant.parts
        if part.file_size
    ]
    assert len(wanted) >= 2
    assert [(part["p_paddr"], part.data()) for part in parts] == wanted


def test_every_hart_starts_at_its_entry(launch: Launch) -> None:
    machine = launch.machine()
    arguments = machine.arguments()
    assert arguments[arguments.index("-bios") + 1] == "none"
    assert f"loader,file={machine.bundle}" in arguments
    start = f"loader,addr={placed.entry(machine.bundle):#x}"
    assert [each for each in arguments if each.startswith(start)] == [
        f"{start},cpu-num={number}" for number in range(machine.harts)
    ]


def test_one_piece(launch: Launch) -> None:
    machine = Launch(launch.built, one_piece=True).machine()
    assert machine.arguments()[machine.arguments().index("-bios") + 1] == str(launch.built.bundle)
