# SPDX-License-Identifier: BSD-2-Clause
"""A monitor from whose sources the folder of a feature is deleted works without that feature.

It compiles, starts a system that can do without, and refuses by name one that cannot.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from systems import Boot, Build, freertos, put_monitor, system
from test_malformed_bundle import set_field, spoil

from cotenant import abi, features, paths
from cotenant.run.launch import Launch


def gone_with(name: str) -> set[str]:
    """Return the features that a monitor without this one does not have."""
    return {each for each in features.WHAT if name in features.with_needs({each})}


FOLDERS = sorted(features.WHAT)
EXAMPLE = paths.ROOT / "examples" / "linux-freertos.toml"
SMALL = system(freertos(fp=False, uart=False))
LAST_NAME = f"features[{abi.limit('MAX_FEATURES') - 1}].value"


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tree of its own, with the sources of the monitor and what is compiled of them."""
    tree = tmp_path_factory.mktemp("full")
    shutil.copytree(paths.MONITOR, tree / "monitor")
    shutil.copytree(paths.MONITOR_IMAGE.parent, tree / "build" / "monitor")
    for name in ("abi", "tool", ".venv"):  # a build needs them beside the monitor
        (tree / name).symlink_to(paths.ROOT / name)
    return tree


def compile_without(full: Path, tree: Path, names: Iterable[str]) -> Path:
    """Delete folders of features in a copy of the tree; return the directory of its monitor.

    Only what looks at the features is compiled anew.
    """
    shutil.copytree(full, tree, copy_function=os.link, symlinks=True)
    for name in names:
        shutil.rmtree(tree / "monitor" / "features" / name)
    out = tree / "build" / "monitor"
    (out / "monitor.elf").unlink()
    command = ["make", "--silent", "-C", str(tree / "monitor")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return out


def built_with(out: Path) -> set[str]:
    """Return the features of which the linker took something."""
    return set(re.findall(r"/features/(\w+)/", (out / "monitor.map").read_text()))


def refusal(boot: Boot, launch: Launch) -> str:
    session = boot(launch)
    assert session.wait_end(timeout=60) == 0
    text = session.console.noise + session.monitor_log
    assert "starting" not in text
    return text


@pytest.mark.parametrize("name", FOLDERS)
def test_one_folder_is_deleted(
    full: Path, tmp_path: Path, build: Build, boot: Boot, name: str
) -> None:
    out = compile_without(full, tmp_path / "tree", [name])
    assert built_with(out).isdisjoint(gone_with(name))
    launch = build(SMALL)
    words = f"refused the bundle: features: this monitor is built without {name}"
    if name not in features.used(launch.built.system):
        session = boot(put_monitor(launch, out / "monitor.bin"))
        session.wait_ready("freertos")
        session.close()
        launch = spoil(build(SMALL), set_field(LAST_NAME, name.encode()))
    assert words in refusal(boot, put_monitor(launch, out / "monitor.bin"))


def test_the_example_boots_without_all_that_it_can_do_without(
    full: Path, tmp_path: Path, build: Build, boot: Boot
) -> None:
    launch = build(EXAMPLE)
    kept = features.used(launch.built.system)
    out = compile_without(full, tmp_path / "tree", {*FOLDERS} - kept)
    assert built_with(out).isdisjoint({*FOLDERS} - kept)
    session = boot(put_monitor(launch, out / "monitor.bin"), icount=4)
    session.wait_ready("freertos")
    session.wait_ready("linux")
