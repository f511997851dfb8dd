# SPDX-License-Identifier: BSD-2-Clause
"""The floors are below our figures, and do their work: they miss what is left out of it."""

import shutil
from pathlib import Path

import pytest

from cotenant.bench import expected
from cotenant.bench.floors import benchmark, counts
from cotenant.bench.floors.program import FOLDER
from cotenant.errors import BenchError

# What each floor is beside: a section of bench/expected.toml and a name in it.
BESIDE = {
    "world switch, no FP, Sstc off: in (timer)": ("switch, payloads, no FP, Sstc off", "in"),
    "world switch, no FP, Sstc off: out (WFI)": ("switch, payloads, no FP, Sstc off", "out"),
    "world switch, FP in both, Sstc off: in (timer)": (
        "switch, payloads, FP in both, Sstc off",
        "in",
    ),
    "world switch, FP in both, Sstc off: out (WFI)": (
        "switch, payloads, FP in both, Sstc off",
        "out",
    ),
    "world switch, no FP, Sstc on: in (timer)": ("switch, payloads, no FP, Sstc on", "in"),
    "world switch, no FP, Sstc on: out (WFI)": ("switch, payloads, no FP, Sstc on", "out"),
    "world switch, FP in both, Sstc on: in (timer)": (
        "switch, payloads, FP in both, Sstc on",
        "in",
    ),
    "world switch, FP in both, Sstc on: out (WFI)": (
        "switch, payloads, FP in both, Sstc on",
        "out",
    ),
    "switch of operating systems, 2 devices": ("switch of operating systems", "devices_2"),
    "store of a byte to a virtual UART": ("sbi", "mmio_write"),
}
ADDED = {
    "eight tenants instead of two: added in (timer)": "in",
    "eight tenants instead of two: added out (WFI)": "out",
}
# Of world switches: registers and CSRs of two worlds.
LEAST_CHECKED = {"switch_plain": 90, "switch_fp": 156, "switch_sstc": 92, "switch_sstc_fp": 158}

SECONDS = 5.0
"""a program takes a fraction of one; some of those that do less come to no end"""
NOT_DONE = r"did not come to its end|ended before its measurement"

# A line of a program, and what stands there when the program does less. What gives up the
# reservation is not here: QEMU does that at each trap.
BROKEN = {
    "switch": {
        "switch.S": {
            "    sd a0, \\from + REGISTER(2)(sp)\n": "",
            "    addi a0, a0, 4\n": "",
            "    sd a0, \\from + PC(sp)\n": "",
            "    csrrw a0, mepc, a0\n": "    csrr a0, mepc\n",
            "    csrrw a0, \\first, a0\n": "    csrr a0, \\first\n",
            "    csrrw a1, \\second, a1\n": "    csrr a1, \\second\n",
            "    csrrw a2, \\third, a2\n": "    csrr a2, \\third\n",
            "    csrrw a3, \\fourth, a3\n": "    csrr a3, \\fourth\n",
            "    sd a3, \\from + \\fourth_at(sp)\n": "",
            "    csrrw a2, stvec, a2\n": "    csrr a2, stvec\n",
            "    csrrw a3, scounteren, a3\n": "    csrr a3, scounteren\n",
            "    exchange_one \\from, \\to, CSR_SENVCFG, WORLD_SENVCFG\n": "",
            "    exchange_one \\from, \\to, CSR_STIMECMP, WORLD_DEADLINE\n": "",
            "    csrrw a0, mstatus, a0\n": "    csrr a0, mstatus\n",
            "    sd a1, \\from + WORLD_MIE(sp)\n": "",
            "    csrrw a1, mie, a1\n": "    csrr a1, mie\n",
            "    csrrw a2, satp, a2\n": "    csrr a2, satp\n",
            "    sd a2, \\from + WORLD_SATP(sp)\n": "",
            "    ori a1, a1, INTERRUPT_STI\n": "",
            "    csrrw a1, mip, a1\n": "    csrr a1, mip\n",
            "    sd a1, \\from + WORLD_PENDING(sp)\n": "",
            "    csrw medeleg, a4\n": "",
            "    csrw pmpcfg0, a5\n": "",
            "    ld sp, \\to + REGISTER(2)(sp)\n": "",
            "    csrw fcsr, a0\n    ld a0, \\to": "    ld a0, \\to",
        },
        "moves.h": {
            ".irp n, 1, 3, 4, 5,": ".irp n, 1, 3, 4,",
            "29, 30, 31\n    \\operation x": "29, 31\n    \\operation x",
            "29, 30, 31\n    \\operation f": "29, 30\n    \\operation f",
        },
    },
    "store": {
        "store.S": {
            "    addi t0, t0, 4\n": "    addi t0, t0, 8\n",
            "    ld t2, T2(sp)\n": "",
            "    sb t0, RING_BYTES(t2)\n": "    sb zero, RING_BYTES(t2)\n",
            "    andi t1, t1, RING_SIZE - 1\n": "    andi t1, t1, RING_SIZE - 2\n",
        },
    },
    "osswitch": {
        "osswitch.S": {
            "    sd a1, A + PC(sp)\n": "",
            "    sw zero, VIRTIO_STATUS(t0)\n1:  lw t1, VIRTIO_STATUS(t0)\n    bnez t1, 1b\n": "",
            "    sw zero, RTC_IRQ_ENABLED(t0)\n": "",
            "    sw t5, PLIC_CLAIM(t3)\n": "",
            "    sw zero, PLIC_ENABLE_S(t2)\n": "",
            "    sw zero, RTC_SOURCE * 4(t0)\n": "",
            "    sw zero, UART_A + UART_LEFT(sp)\n": "",
            "    sb zero, UART_B": "    lb t0, UART_B",
            "    fmv.d.x f\\n, zero\n": "",
            "    csrw fcsr, zero\n": "",
            "stvec, sscratch,": "sscratch,",
            "mip, satp": "satp",
            "    csrw medeleg, t2\n": "",
            "    csrw pmpcfg0, t3\n": "",
            "    mv a1, a2\n": "",
        },
    },
    "list": {
        "list.c": {
            "    before->next->previous = vhart;\n": "",
            "    above->previous = &list->end;\n": "",
            "        above = above->next;\n": "        break;\n",
        },
    },
}


@pytest.fixture(scope="module")
def floors() -> dict[str, float]:
    return {each.name: each.ours for each in benchmark.run(quick=True)}


def test_each_is_below_what_the_monitor_takes(floors: dict[str, float]) -> None:
    ours = expected.read()
    assert set(floors) == {*BESIDE, *ADDED}
    for name, (section, count) in BESIDE.items():
        assert 0 < floors[name] <= ours[section][count], name
    for name, way in ADDED.items():
        added = ours["switch, 8 tenants"][way] - ours["switch, payloads, no FP, Sstc off"][way]
        assert 0 < floors[name] <= added, name


def test_both_worlds_have_their_own_registers_after_many_switches() -> None:
    checked = counts.run("switch")
    assert {name: checked[name] for name in LEAST_CHECKED} == LEAST_CHECKED


CASES = [
    (program, file, whole, less)
    for program, files in BROKEN.items()
    for file, lines in files.items()
    for whole, less in lines.items()
]


@pytest.mark.parametrize(("program", "file", "whole", "less"), CASES)
def test_what_is_left_out_is_missed(
    tmp_path: Path, program: str, file: str, whole: str, less: str
) -> None:
    folder = tmp_path / "floors"
    shutil.copytree(FOLDER, folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert text.count(whole) == 1
    (folder / file).write_text(text.replace(whole, less), encoding="utf-8")
    with pytest.raises(BenchError, match=NOT_DONE):
        counts.run(program, folder, SECONDS)
