# SPDX-License-Identifier: BSD-2-Clause
"""Compiling the components of a system, each linked to its own address, and the kernel's table."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from cotenant.components import generate
from cotenant.components.description import Component, ComponentError, read_system
from cotenant.components.generate import Image
from cotenant.components.link import Limits, Linked, link
from cotenant.paths import ROOT
from cotenant.units import align_up

TENANTS = ROOT / "tenants"
LWIP = ROOT / "build" / "lwip"
FOLDER = TENANTS / "components"
PARTS = FOLDER / "parts"
PAGE = 4096
# What a restart copies and clears, so that its time has a bound.
MOST_DATA = 0x8000

_COMPILER_FLAGS = (
    *("-march=rv64imac_zicsr_zifencei", "-mabi=lp64", "-mcmodel=medany", "-msmall-data-limit=0"),
    *("-mno-relax", "-std=gnu11", "-O2", "-g", "-ffreestanding", "-fno-builtin", "-fno-common"),
    *("-fno-tree-loop-distribute-patterns", "-fomit-frame-pointer", "-fno-pic", "-nostdinc"),
    *("-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-ffunction-sections"),
    *("-fdata-sections", "-Wall", "-Wextra", "-Werror"),
)
_OWN_WARNINGS = ("-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wundef", "-Wvla")
# Of the IP stack's sources what components use.
_LWIP_SOURCES = (
    *("def", "inet_chksum", "init", "ip", "mem", "memp", "netif", "pbuf", "raw", "stats", "sys"),
    *("tcp", "tcp_in", "tcp_out", "timeouts", "udp", "ipv4/etharp", "ipv4/icmp", "ipv4/ip4"),
    *("ipv4/ip4_addr", "ipv4/ip4_frag"),
)
_LINKER_FLAGS = (
    *("-nostdlib", "-static", "-Wl,--gc-sections", "-Wl,--build-id=none", "-Wl,--fatal-warnings"),
)


def constants() -> dict[str, int]:
    """Return the numbers that tenants/components/interface.h defines."""
    text = (FOLDER / "interface.h").read_text(encoding="utf-8")
    found = re.findall(r"^#define (\w+) \(?(-?(?:0x)?[0-9a-f]+)\)?(?:\s|$)", text, re.MULTILINE)
    return {name: int(value, 0) for name, value in found}


def limits() -> Limits:
    """Return what the kernel has room for."""
    numbers = constants()
    return Limits(numbers["COMPONENTS"], numbers["CAPABILITIES"], numbers["THREADS"])


def build(file: Path, output: Path, cross: str = "riscv64-linux-gnu-") -> Linked:
    """Write table.c and images.S of a system, and what they include, into a folder."""
    linked = link(read_system(file, PARTS), limits())
    output.mkdir(parents=True, exist_ok=True)
    _write(output / "system.h", generate.system_header(linked))
    images = []
    for number, component in enumerate(linked.components):
        folder = output / component.name
        folder.mkdir(exist_ok=True)
        _write(folder / "generated.h", generate.header(linked, number))
        _write(folder / "entries.S", generate.entries(component))
        images.append(_compile(component, number, folder, cross))
    folders = [str(output / component.name) for component in linked.components]
    _write(output / "images.S", generate.images_source(folders))
    _write(output / "table.c", generate.table(linked, images))
    return linked


def _compile(component: Component, number: int, folder: Path, cross: str) -> Image:
    numbers = constants()
    base = numbers["COMPONENT_BASE"] + number * numbers["COMPONENT_SIZE"]
    program = folder / "component.elf"
    include = _run([f"{cross}gcc", "-print-file-name=include"]).strip()
    options = [
        f"{cross}gcc",
        *_COMPILER_FLAGS,
        f"-ffile-prefix-map={ROOT}/=",
        *["-isystem", str(TENANTS / "rt" / "include"), "-isystem", include],
        *[f"-I{each}" for each in (folder, folder.parent, component.folder, TENANTS, ROOT)],
    ]
    objects = []
    if "lwip" in component.libraries:
        options += ["-isystem", str(LWIP / "src" / "include")]
        objects = _compile_lwip(options, folder)
    sources = [
        *sorted(component.folder.glob("*.[cS]")),
        *sorted((FOLDER / "lib").glob("*.c")),
        *(TENANTS / each for each in ("rt/string.c", "rt/format.c", *component.sources)),
    ]
    _run(
        [
            *options,
            *_OWN_WARNINGS,
            *_LINKER_FLAGS,
            f"-Wl,--defsym=component_base={base:#x},-T,{FOLDER / 'lib' / 'component.ld'}",
            *["-o", str(program), str(folder / "entries.S"), *map(str, [*sources, *objects])],
        ]
    )
    return _read(component, program, base)


def _compile_lwip(options: Sequence[str], folder: Path) -> list[Path]:
    """Compile the IP stack as the component's lwipopts.h says; return the object files."""
    sources = [LWIP / "src" / "core" / f"{each}.c" for each in _LWIP_SOURCES]
    sources.append(LWIP / "src" / "netif" / "ethernet.c")
    missing = next((each for each in sources if not each.is_file()), None)
    if missing is not None:
        raise ComponentError(f"{missing} is missing: run tool/setup/setup.sh, which fetches lwIP")
    output = folder / "lwip"
    output.mkdir(exist_ok=True)
    objects = []
    for source in sources:
        objects.append(output / f"{source.stem}.o")
        _run([*options, "-c", str(source), "-o", str(objects[-1])])
    return objects


def _read(component: Component, program: Path, base: int) -> Image:
    """Cut a linked component into the bytes of its two parts."""
    numbers = constants()
    with program.open("rb") as file:
        elf = ELFFile(file)
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        symbols = {each.name: each["st_value"] for each in table.iter_symbols()}
        parts = {"text": b"", "data": b""}
        for segment in elf.iter_segments("PT_LOAD"):
            parts["data" if segment["p_flags"] & 2 else "text"] = segment.data()
    text_size = symbols["data_start"] - base
    memory_size = symbols["memory_end"] - symbols["data_start"]
    buffer_size = symbols["buffers_end"] - symbols["memory_end"]
    if text_size + align_up(memory_size + buffer_size, PAGE) > numbers["WINDOW_OFFSET"]:
        raise ComponentError(f"component {component.name} is larger than its region")
    if memory_size > MOST_DATA:
        raise ComponentError(
            f"component {component.name} has {memory_size} bytes of data, and a restart in bounded "
            f"time allows {MOST_DATA}"
        )
    _write_bytes(program.parent / "text.bin", parts["text"].ljust(text_size, b"\0"))
    _write_bytes(program.parent / "data.bin", parts["data"])
    return Image(text_size, len(parts["data"]), memory_size, buffer_size, symbols)


def _run(command: Sequence[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ComponentError(f"{command[0]} cannot be run ({error.strerror})") from error
    if done.returncode != 0:
        raise ComponentError(f"the compiler refuses a component:\n{done.stderr}")
    return done.stdout


def _write(file: Path, text: str) -> None:
    _write_bytes(file, text.encode())


def _write_bytes(file: Path, data: bytes) -> None:
    """Write a file, unless it is that already: what depends on it need not be made again."""
    if not file.exists() or file.read_bytes() != data:
        file.write_bytes(data)
