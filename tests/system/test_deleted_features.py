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
from systems import Boot, Build, freertos, is_long, put_monitor, system
from test_malformed_bundle import set_field, spoil

from cotenant import abi, features, paths
from cotenant.run.launch import Launch


def gone_with(name: str) -> set[str]:
    """Return the features that a monitor without this one does not have."""
    return {each for each in features.WHAT if name in features.with_needs({each})}


def in_sets(names: Iterable[str], size: int) -> list[list[str]]:
    """Put features that do not need each other in sets of at most `size`."""
    sets: list[list[str]] = []
    for name in names:
        for one in sets:
            apart = all(name not in gone_with(each) and each not in gone_with(name) for each in one)
            if len(one) < size and apart:
                one.append(name)
                break
        else:
            sets.append([name])
    return sets


FOLDERS = sorted(features.WHAT)
AT_ONCE = 1 if is_long() else 4
"""folders that are deleted together: compiling takes nearly all the time"""
EXAMPLE = paths.ROOT / "examples" / "linux-freertos.toml"
SMALL = system(freertos(fp=False, uart=False))
USED = ["commands", "frames"]
"""what SMALL cannot do without"""
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


def refuses(boot: Boot, launch: Launch, name: str) -> bool:
    words = f"refused the bundle: features: this monitor is built without {name}"
    return words in refusal(boot, launch)


@pytest.mark.long_form
@pytest.mark.parametrize(
    "names", in_sets((each for each in FOLDERS if each not in USED), AT_ONCE), ids="+".join
)
def test_folders_are_deleted(
    full: Path, tmp_path: Path, build: Build, boot: Boot, names: list[str]
) -> None:
    out = compile_without(full, tmp_path / "tree", names)
    session = boot(put_monitor(build(SMALL), out / "monitor.bin"))
    session.wait_ready("freertos")
    session.close()
    for name in names:
        assert built_with(out).isdisjoint(gone_with(name))
        launch = spoil(build(SMALL), set_field(LAST_NAME, name.encode()))
        assert refuses(boot, put_monitor(launch, out / "monitor.bin"), name)


@pytest.mark.parametrize("name", USED)
def test_a_folder_is_deleted_that_a_system_uses(
    full: Path, tmp_path: Path, build: Build, boot: Boot, name: str
) -> None:
    launch = build(SMALL)
    assert features.used(launch.built.system) == {*USED}
    out = compile_without(full, tmp_path / "tree", [name])
    assert built_with(out).isdisjoint(gone_with(name))
    assert refuses(boot, put_monitor(launch, out / "monitor.bin"), name)


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
