# SPDX-License-Identifier: BSD-2-Clause
"""Packs what the tool reads of this tree beside it, so that it works without the tree.

pyproject.toml says all the rest. The tree has to be built before: `make build`.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent

# Sources from which systems, images for Linux tenants and lean monitors are made.
SOURCES = (
    *("abi", "boards", "examples", "monitor", "linux", "tenants/components", "tenants/rt"),
    *("tool/setup", "tool/check_bundle", "tool/cotenant/address_bits.py"),
)
# What `make build` has made of them.
BUILT = (
    *("build/monitor/monitor.bin", "build/monitor/monitor.elf", "build/monitor/monitor.symbols"),
    *("build/tenants/*.elf", "build/tenants/*.raw", "build/cotenantctl/native/cotenantctl"),
)


class BuildWithTree(build_py):
    """Copies the tree into the package, as cotenant/tree."""

    def run(self) -> None:
        """Build the package, then add the tree."""
        super().run()
        target = Path(self.build_lib) / "cotenant" / "tree"
        shutil.rmtree(target, ignore_errors=True)
        for name in SOURCES:
            _copy(HERE / name, target / name)
        for pattern in BUILT:
            found = sorted(HERE.glob(pattern))
            if not found:
                raise SystemExit(f"there is no {pattern}: run 'make build' first")
            for file in found:
                _copy(file, target / file.relative_to(HERE))


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


setup(
    cmdclass={"build_py": BuildWithTree},
    data_files=[
        ("share/man/man1", ["tool/share/cotenant.1"]),
        ("share/bash-completion/completions", ["tool/share/cotenant"]),
    ],
)
