# SPDX-License-Identifier: BSD-2-Clause
"""The bundle's structures are those of the C compiler, and so are the constants."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cotenant import abi, paths
from cotenant.bundle_struct import STRUCTURES as BUNDLE_STRUCTURES
from cotenant.trace.ring import STRUCTURES as TRACE_STRUCTURES

HEADERS = ("bundle.h", "console.h", "limits.h", "sbi.h", "trace.h")

STRUCTURES = BUNDLE_STRUCTURES | TRACE_STRUCTURES


def run_c(source: str, folder: Path) -> list[str]:
    """Compile a C program with the host's compiler and return the lines it prints."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.fail("there is no C compiler for this machine: install gcc")
    file = folder / "print.c"
    file.write_text(source)
    program = folder / "print"
    subprocess.run(
        [compiler, "-std=c11", "-Wall", "-Werror", f"-I{paths.ROOT}", "-o", program, file],
        check=True,
    )
    return subprocess.run([program], check=True, capture_output=True, text=True).stdout.split("\n")


def program(lines: list[str]) -> str:
    includes = "".join(f'#include "abi/{name}"\n' for name in HEADERS)
    body = "".join(f"    {line}\n" for line in lines)
    return f"#include <stddef.h>\n#include <stdio.h>\n{includes}int main(void) {{\n{body}}}\n"


def test_layout_is_that_of_the_c_compiler(tmp_path: Path) -> None:
    lines, expected = [], []
    for name, structure in STRUCTURES.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        expected.append(f"{name} {ctypes.sizeof(structure)}")
        for field in structure._fields_:
            place = f"offsetof(struct {name}, {field[0]})"
            size = f"sizeof(((struct {name} *)0)->{field[0]})"
            lines.append(f'printf("{name}.{field[0]} %zu %zu\\n", {place}, {size});')
            descriptor = getattr(structure, field[0])
            expected.append(f"{name}.{field[0]} {descriptor.offset} {descriptor.size}")
    assert [line for line in run_c(program(lines), tmp_path) if line] == expected


def test_no_structure_has_hidden_padding() -> None:
    for name, structure in STRUCTURES.items():
        fields = sum(getattr(structure, field[0]).size for field in structure._fields_)
        assert fields == ctypes.sizeof(structure), name


def test_every_structure_of_the_header_is_here() -> None:
    text = "".join((paths.ABI / name).read_text() for name in ("bundle.h", "trace.h"))
    names = {line.split()[1] for line in text.splitlines() if line.startswith("struct ")}
    assert names == set(STRUCTURES)


def test_constants_are_those_of_the_c_compiler(tmp_path: Path) -> None:
    constants = {name: value for header in HEADERS for name, value in abi.header(header).items()}
    lines = [f'printf("{name} %llu\\n", (unsigned long long)({name}));' for name in constants]
    expected = [f"{name} {value % (1 << 64)}" for name, value in constants.items()]
    assert [line for line in run_c(program(lines), tmp_path) if line] == expected


def test_defines_that_are_not_one_literal_are_skipped() -> None:
    text = "#define A_B 12\n#define C (A_B + 1)\n#define D(x) 3\n#define E 0x1fUL\n#define F (-4)\n"
    assert abi.parse_defines(text) == {"A_B": 12, "E": 31, "F": -4}


def test_documented_sizes_and_offsets() -> None:
    """docs/abi/ says of each structure that it lays out what the headers say."""
    pages = sorted((paths.ROOT / "docs" / "abi").glob("*.md"))
    text = "".join(page.read_text() for page in pages)
    sections = re.findall(r"^## `struct (\w+)`, ([\d,]+) bytes\n(.*?)(?=^#)", text, re.S | re.M)
    assert {name for name, _, _ in sections} >= {"monitor_header", "bundle"}
    for name, size, section in sections:
        structure = STRUCTURES[name]
        assert int(size.replace(",", "")) == ctypes.sizeof(structure), name
        rows = re.findall(r"^\| (0x[0-9a-f]+) \| `(\w+)(?:\[\d+\])?` \|", section, re.M)
        documented = [(field, int(offset, 16)) for offset, field in rows]
        real = [(field[0], getattr(structure, field[0]).offset) for field in structure._fields_]
        assert documented == [each for each in real if each[0] != "reserved"], name
    for name, size in re.findall(r"`struct (\w+)`(?: \(|, )([\d,]+) bytes", text):
        assert int(size.replace(",", "")) == ctypes.sizeof(STRUCTURES[name]), name
    version = re.search(r"^\| 0x08 \| `version` \| (\d+) \|", text, re.M)
    assert version and int(version[1]) == abi.bundle("BUNDLE_VERSION")
