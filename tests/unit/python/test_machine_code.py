# SPDX-License-Identifier: BSD-2-Clause
"""Images built for machine mode are recognised from where their start leads, and no others."""

import struct
from pathlib import Path

import pytest
from click.testing import CliRunner
from made_boards import use_board_with_pmp
from made_images import ET_EXEC, LINUX, RTOS, ElfSegment, Workshop, elf, workshop

from cotenant.commands.check import check
from cotenant.errors import ConfigError
from cotenant.imagefile import ImageFileError, read
from cotenant.machine_code import (
    MachineInstruction,
    find_machine_instruction,
    find_supervisor_instruction,
    machine_instruction,
    supervisor_instruction,
)
from cotenant.ranges import Range
from cotenant.system import load

__all__ = ["workshop"]

CSRR_MHARTID = 0xF14025F3
NOP = 0x13
RAW_SIZE = 0x2000
RAW_RTOS = RTOS.replace('"rtos"', '"./raw.bin"')


def words(*values: int) -> bytes:
    return b"".join(struct.pack("<H" if value & 3 != 3 else "<I", value) for value in values)


def raw(folder: Path, parts: dict[int, bytes]) -> Path:
    """Write a raw image with code at offsets and zeros between them."""
    data = bytearray(RAW_SIZE)
    for offset, code in parts.items():
        data[offset : offset + len(code)] = code
    path = folder / "raw.bin"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("word", "text"),
    [
        (CSRR_MHARTID, "csrr a1, mhartid"),
        (0x30529073, "csrw mtvec, t0"),
        (0x30405073, "csrwi mie, 0"),
        (0x34051573, "csrrw a0, mscratch, a0"),
        (0x30046573, "csrrsi a0, mstatus, 8"),
        (0x30032073, "csrs mstatus, t1"),
        (0x3B051073, "csrw pmpaddr0, a0"),
        (0x30200073, "mret"),
        (0x7C002573, "csrr a0, 0x7c0"),  # custom
        (0xC0102573, None),  # csrr a0, time
        (0x10551073, None),  # csrw stvec, a0
        (0x18001073, None),  # csrw satp, zero
        (0x10200073, None),  # sret
        (0x10500073, None),  # wfi
        (0x00000073, None),  # ecall
        (NOP, None),
    ],
)
def test_instructions(word: int, text: str | None) -> None:
    assert machine_instruction(word) == text


@pytest.mark.parametrize(
    ("word", "text"),
    [
        (0x30279073, "csrw medeleg, a5"),
        (0x3037A073, "csrs mideleg, a5"),
        (0x3021D073, "csrwi medeleg, 3"),
        (0x18001073, "csrw satp, zero"),
        (0x10551073, "csrw stvec, a0"),
        (0x100027F3, "csrr a5, sstatus"),
        (0x5A802573, "csrr a0, 0x5a8"),  # scontext
        (0x10200073, "sret"),
        (0x30205073, None),  # csrwi medeleg, 0
        (0x30301073, None),  # csrw mideleg, zero
        (0x302027F3, None),  # csrr a5, medeleg
        (0x30079073, None),  # csrw mstatus, a5
        (0xC0102573, None),  # csrr a0, time
        (0x60002573, None),  # csrr a0, hstatus: of the hypervisor
        (0x30200073, None),  # mret
        (0x10500073, None),  # wfi
        (NOP, None),
    ],
)
def test_instructions_for_s_mode(word: int, text: str | None) -> None:
    assert supervisor_instruction(word) == text


# Where it is found, by which way from the entry; certain or not.
@pytest.mark.parametrize(
    ("code", "found_at", "certain"),
    [
        ({0: words(CSRR_MHARTID)}, 0, True),
        ({0: words(NOP, 0x0001, CSRR_MHARTID)}, 6, True),
        ({0x38: words(0xA049), 0: words(*[NOP] * 14), 0xBA: words(CSRR_MHARTID)}, 0xBA, True),
        ({0: words(0x0F8000EF), 0xF8: words(0x30200073)}, 0xF8, True),  # jal ra
        ({0: words(0x00001297, 0xFF8280E7), 0xFF8: words(CSRR_MHARTID)}, 0xFF8, True),
        ({0: words(0x00001297, 0xFF8280E7, CSRR_MHARTID), 0xFF8: words(0x8082)}, 8, False),
        ({0: words(0x50050263, NOP, CSRR_MHARTID)}, 8, False),  # beqz: behind it
        ({0: words(0x50050263, 0x8082), 0x504: words(CSRR_MHARTID)}, 0x504, False),
        ({0: words(0xE92D, 0x8082), 0x72: words(CSRR_MHARTID)}, 0x72, False),  # c.bnez
        ({0: words(NOP, 0x9502, CSRR_MHARTID)}, 6, False),  # c.jalr: behind the call
    ],
)  # fmt: skip
def test_paths(tmp_path: Path, code: dict[int, bytes], found_at: int, certain: bool) -> None:
    found = find_machine_instruction(read(raw(tmp_path, code)))
    assert found is not None
    assert (found.address, found.certain) == (found_at, certain)


@pytest.mark.parametrize(
    "code",
    [
        {0: words(0x10551073, CSRR_MHARTID)},  # it sets stvec before
        {0: words(0x8502, 0x0001, CSRR_MHARTID)},  # c.jr
        {0: words(0x10200073, CSRR_MHARTID)},  # sret
        {0: words(0x00100073, CSRR_MHARTID)},  # ebreak
        {4: words(CSRR_MHARTID)},  # zeros at the entry
        {0: words(0xFE000EE3, 0xBFFD), 8: words(CSRR_MHARTID)},  # loops
        {0: words(*[NOP] * 300, CSRR_MHARTID)},  # far away
        {RAW_SIZE - 2: words(0x0001)},
    ],
)
def test_what_is_not_reached_does_not_count(tmp_path: Path, code: dict[int, bytes]) -> None:
    assert find_machine_instruction(read(raw(tmp_path, code))) is None


def test_a_linked_image_is_followed_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "linked.elf"
    path.write_bytes(elf([ElfSegment(0x8020_0000, words(NOP, 0x3B051073))], ET_EXEC, 0x8020_0000))
    found = find_machine_instruction(read(path))
    assert found == MachineInstruction(0x8020_0004, "csrw pmpaddr0, a0", certain=True)


def test_an_image_for_machine_mode_is_refused(workshop: Workshop) -> None:
    raw(workshop.folder, {0: words(NOP, CSRR_MHARTID)})
    with pytest.raises(ConfigError) as error:
        load(workshop.system(LINUX + RAW_RTOS))
    (mistake,) = error.value.mistakes
    assert mistake.key == "tenant.rtos.image"
    assert "built for machine mode: its start executes `csrr a1, mhartid`" in mistake.problem
    assert "supervisor mode" in mistake.remedy
    assert 'mode = "machine"' in mistake.remedy
    system = load(workshop.system(LINUX + RAW_RTOS + 'mode = "machine"\n'))
    assert system.tenants[1].config.machine and not system.warnings


def test_a_doubtful_image_is_warned_of(workshop: Workshop) -> None:
    raw(workshop.folder, {0: words(0x50050263, NOP, CSRR_MHARTID)})
    result = CliRunner().invoke(check, [str(workshop.system(LINUX + RAW_RTOS))])
    assert result.exit_code == 0
    assert "`csrr a1, mhartid` near its entry, at 0x8 from its" in result.stderr.replace("\n", " ")
    assert not load(workshop.system(RTOS.replace("[tenant", 'board = "qemu-virt"\n[tenant'))
                    ).warnings  # fmt: skip


CSRW_MEDELEG = 0x30279073
MACHINE = RAW_RTOS + 'mode = "machine"\n'


def test_a_kernel_that_starts_in_machine_mode_is_to_have_s_mode(workshop: Workshop) -> None:
    raw(workshop.folder, {0: words(CSRR_MHARTID, 0x30205073, CSRW_MEDELEG, 0x30200073)})
    (warning,) = load(workshop.system(LINUX + MACHINE)).warnings
    assert "tenant rtos has `csrw medeleg, a5` near its entry, at 0x8 from its" in warning
    assert warning.endswith("add s-mode = true")
    assert not load(workshop.system(LINUX + MACHINE + "s-mode = true\n")).warnings


@pytest.mark.parametrize(("entries", "warns"), [(16, False), (8, True)])
def test_too_few_entries_for_its_own_are_told(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, entries: int, warns: bool
) -> None:
    use_board_with_pmp(workshop.folder, entries, 4, monkeypatch)
    raw(workshop.folder, {0: words(CSRR_MHARTID)})
    text = (LINUX + MACHINE).replace('"qemu-virt"', '"tested"')
    told = [each for each in load(workshop.system(text)).warnings if "confine nothing" in each]
    assert len(told) == warns
    assert all("tenant rtos is in machine mode, and its own PMP entries" in each for each in told)
    assert all("of the 8 entries of hart 0, " in each for each in told)
    assert not load(workshop.system(text.replace('mode = "machine"', 'mode = "supervisor"').replace(
        "./raw.bin", "rtos"))).warnings  # fmt: skip


def test_a_coarse_grain_for_its_own_entries_is_told(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_board_with_pmp(workshop.folder, 16, 4096, monkeypatch)
    raw(workshop.folder, {0: words(CSRR_MHARTID)})
    text = (LINUX + MACHINE).replace('"qemu-virt"', '"tested"')
    (told,) = [each for each in load(workshop.system(text)).warnings if "confine nothing" in each]
    assert told.endswith("has a grain of 4096 bytes, and that takes 4")


def test_guests_beside_it_take_its_own_entries(workshop: Workshop) -> None:
    raw(workshop.folder, {0: words(CSRR_MHARTID)})
    text = LINUX + "guests = 1\n" + MACHINE
    (told,) = [each for each in load(workshop.system(text)).warnings if "confine nothing" in each]
    assert "the guests of tenant linux take the spare entries of hart 0" in told


def test_its_watchdog_is_beside_its_timer(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_board_with_pmp(workshop.folder, 16, 4, monkeypatch)
    raw(workshop.folder, {0: words(CSRR_MHARTID)})
    watch = 'watch = { within = "1s", policy = "log" }\n'
    text = (LINUX + MACHINE + watch).replace('"qemu-virt"', '"tested"')
    assert load(workshop.system(text)).tenants[1].watchdog == Range(0x0200_F000, 0x20)
    board = next(workshop.folder.rglob("tested.toml"))
    board.write_text(board.read_text().replace("size = 0x1_0000", "size = 0xc000", 1))
    with pytest.raises(ConfigError, match="a tenant in machine mode has none here"):
        load(workshop.system(text))


def test_several_harts_have_the_contexts_of_the_boards_first_ones(workshop: Workshop) -> None:
    raw(workshop.folder, {0: words(CSRR_MHARTID)})
    harts = "harts = [1, 0]\n"
    tenant = load(workshop.system(LINUX + MACHINE + harts)).tenants[1]
    # By its own numbers: M-mode contexts of the board's first harts.
    assert [vhart.interrupts.plic_context for vhart in tenant.vharts] == [0, 2]
    assert {vhart.interrupts.machine_context for vhart in tenant.vharts} == {None}
    assert [vhart.hart.id for vhart in tenant.vharts] == [1, 0]
    tenant = load(workshop.system(LINUX + MACHINE + harts + "s-mode = true\n")).tenants[1]
    assert [vhart.interrupts.plic_context for vhart in tenant.vharts] == [1, 3]  # S-mode's,
    assert [vhart.interrupts.machine_context for vhart in tenant.vharts] == [0, 2]  # and both


def test_what_is_behind_the_way_to_another_mode_does_not_count(tmp_path: Path) -> None:
    code = {0: words(CSRR_MHARTID, 0x30200073, CSRW_MEDELEG)}  # mret before it
    assert find_supervisor_instruction(read(raw(tmp_path, code))) is None


def test_firmware_with_a_kernel_is_to_have_s_mode(workshop: Workshop) -> None:
    raw(workshop.folder, {0: words(CSRR_MHARTID)})
    firmware = MACHINE + 'kernel = { file = "./raw.bin", offset = "1M" }\n'
    (warning,) = load(workshop.system(LINUX + firmware)).warnings
    assert "tenant rtos has firmware and a kernel behind it" in warning
    assert not load(workshop.system(LINUX + firmware + "s-mode = true\n")).warnings


def test_a_32_bit_program_is_refused_by_name(tmp_path: Path) -> None:
    data = bytearray(elf([ElfSegment(0x8020_0000, words(NOP))], ET_EXEC, 0x8020_0000))
    data[4] = 1  # ELFCLASS32
    path = tmp_path / "small.elf"
    path.write_bytes(data)
    with pytest.raises(ImageFileError, match=r"32-bit program \(ELF32\).*built for rv64"):
        read(path)


def test_a_raw_image_at_an_address(workshop: Workshop) -> None:
    raw(workshop.folder, {0: words(NOP, 0x8082)})
    image = RTOS.replace('"rtos"', '{ file = "./raw.bin", address = 0x9020_0000 }')
    system = load(workshop.system(LINUX + image))
    tenant = system.tenants[1]
    assert tenant.entry == tenant.image_base == 0x9020_0000
    assert tenant.memory.base <= 0x9020_0000 < tenant.memory.end
    result = CliRunner().invoke(check, ["-v", str(workshop.system(LINUX + image))])
    assert result.exit_code == 0
    assert result.output.count("0x90200000") >= 3  # memory map, loaded at, entry
    assert "raw" in result.output
