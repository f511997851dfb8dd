# SPDX-License-Identifier: BSD-2-Clause
"""Programs of packages are collected with every library they need, or not at all."""

import shutil
import subprocess
from pathlib import Path

import pytest

from cotenant.images import ImageError
from cotenant.images.backends import build_archive
from cotenant.images.debian_programs import collect, needed, soname

COMPILER = "riscv64-linux-gnu-gcc"

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, (COMPILER, "dpkg-deb"))), reason="no compiler for riscv64"
)


def compile_to(target: Path, text: str, *options: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [COMPILER, "-x", "c", "-", "-x", "none", "-o", str(target), "-nostdlib", *options],
        input=text,
        text=True,
        check=True,
    )


def pack(folder: Path) -> Path:
    control = folder / "DEBIAN" / "control"
    control.parent.mkdir()
    control.write_text(
        f"Package: {folder.name}\nVersion: 1\nArchitecture: riscv64\n"
        "Maintainer: nobody <nobody@invalid>\nDescription: made for a test\n"
    )
    target = folder.parent / f"{folder.name}.deb"
    command = ["dpkg-deb", "--root-owner-group", "--build", str(folder), str(target)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return target


@pytest.fixture
def packages(tmp_path: Path) -> dict[str, Path]:
    """A program that needs a library that needs another one, and one that nobody needs."""
    libraries = tmp_path / "libraries" / "usr/lib/riscv64-linux-gnu"
    inner, outer = libraries / "libinner.so.1.2.3", libraries / "libouter.so.4"
    shared = ("-shared", "-fPIC")
    compile_to(inner, "int inner(void) { return 1; }", *shared, "-Wl,-soname,libinner.so.1")
    compile_to(
        outer,
        "int inner(void); int outer(void) { return inner(); }",
        *(*shared, "-Wl,-soname,libouter.so.4", str(inner)),
    )
    compile_to(libraries / "libunused.so.9", "int unused;", *shared)
    compile_to(
        tmp_path / "programs" / "usr/bin/program",
        "int outer(void); void _start(void) { outer(); }",
        *(str(outer), f"-Wl,-rpath-link,{libraries}", "-Wl,--allow-shlib-undefined"),
    )
    return {name: pack(tmp_path / name) for name in ("libraries", "programs")}


def test_a_program_comes_with_what_its_libraries_need(packages: dict[str, Path]) -> None:
    found = collect(packages.values(), {"usr/bin/program": "bin/program"})
    assert sorted(found) == [
        "bin/program",
        "lib/riscv64-linux-gnu/libinner.so.1",
        "lib/riscv64-linux-gnu/libouter.so.4",
    ]
    assert needed(found["bin/program"]) == ["libouter.so.4"]
    assert soname(found["lib/riscv64-linux-gnu/libinner.so.1"]) == "libinner.so.1"


def test_a_missing_library_is_named(packages: dict[str, Path]) -> None:
    with pytest.raises(ImageError, match=r"bin/program needs library libouter\.so\.4"):
        collect([packages["programs"]], {"usr/bin/program": "bin/program"})


def test_a_missing_program_is_named(packages: dict[str, Path]) -> None:
    with pytest.raises(ImageError, match="no package has usr/bin/other"):
        collect(packages.values(), {"usr/bin/other": "bin/other"})


def test_back_ends_are_where_cohost_looks_for_them(tmp_path: Path) -> None:
    folder = tmp_path / "back-ends"
    places = ("bin/qemu-storage-daemon", "bin/qemu-img", "bin/passt", "libexec/virtiofsd")
    for place in places:
        compile_to(folder / "usr" / place, "void _start(void) { }", "-static")
    archive = build_archive([pack(folder)])
    for name in (*places[:3], "usr/libexec/virtiofsd", "etc/passwd"):
        assert f"00000000{name}\0".encode() in archive  # behind the last number of an entry
    (folder / "usr" / places[0]).unlink()
    shutil.rmtree(folder / "DEBIAN")
    with pytest.raises(ImageError, match="no package has usr/bin/qemu-storage-daemon"):
        build_archive([pack(folder)])
