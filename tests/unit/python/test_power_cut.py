# SPDX-License-Identifier: BSD-2-Clause
"""Whenever the tool is killed, what it wrote is there as a whole, old or new, or not at all."""

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from made_images import RTOS, Workshop, workshop

from cotenant import durable, system
from cotenant.images.store import Store

__all__ = ["workshop"]

KILLS = int(os.environ.get("COTENANT_TIMES") or 60)


def in_child(work: Callable[[], None]) -> int:
    """Start a process that does the work over and over; return its id."""
    process = os.fork()
    if process == 0:
        try:
            while True:
                work()
        finally:
            os._exit(1)
    return process


def kill_at_random(work: Callable[[], None], look: Callable[[], None]) -> None:
    """Kill a process at its work again and again, and look at what it leaves each time."""
    chance = random.Random(1)
    for _ in range(KILLS):
        process = in_child(work)
        time.sleep(chance.uniform(0.001, 0.03))
        os.kill(process, signal.SIGKILL)
        assert os.WIFSIGNALED(os.waitpid(process, 0)[1])
        look()


def test_a_bundle_is_whole_or_not_there(workshop: Workshop, tmp_path: Path) -> None:
    whole = []
    loaded = []
    for name, size in (("old", "1M"), ("new", "2M")):
        text = RTOS.replace('memory = "4M"', f'memory = "{size}"')
        assert size in text
        loaded.append(system.load(workshop.system(f'board = "qemu-virt"\nseed = 1\n{text}', name)))
        system.build(loaded[-1], tmp_path / name)
        whole.append((tmp_path / name).read_bytes())
    assert whole[0] != whole[1]
    output = tmp_path / "bundles" / "system.bin"

    def work() -> None:
        for each in loaded:
            system.build(each, output, keep=True)

    def look() -> None:
        assert not output.exists() or output.read_bytes() in whole

    kill_at_random(work, look)
    system.build(loaded[0], output, keep=True)
    assert list(output.parent.iterdir()) == [output]  # and what was left over is gone


def test_an_image_of_the_cache_is_whole_or_not_there(tmp_path: Path) -> None:
    store = Store(tmp_path / "images")

    def add(recipe: str) -> None:
        def fill(directory: Path) -> str:
            (directory / "modules").mkdir()
            for number in range(8):
                content = f"{recipe} {number}\n".encode() * 20_000
                (directory / "modules" / f"{number}.ko").write_bytes(content)
            return recipe

        with store.lock():
            store.add("kernel", recipe, fill)

    def work() -> None:
        add("old")
        add("new")

    def look() -> None:
        if (manifest := store.manifest("kernel")) is not None:
            assert manifest.recipe in ("old", "new")
            assert len(manifest.files) == 8
            assert store.faults("kernel") == []
        else:
            assert not (store.directory / "kernel").exists()

    kill_at_random(work, look)
    add("last")
    left = {path.name for path in store.directory.iterdir()}
    assert left == {"kernel", ".lock"}
    assert store.faults("kernel") == []


def test_bytes_reach_the_disk_before_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def noted_fsync(descriptor: int) -> None:
        opened = Path("/proc/self/fd", str(descriptor)).readlink()
        done.append(f"sync {opened.name.split('.')[1:2]}")
        fsync(descriptor)

    def noted_replace(path: Path, target: Path) -> Path:
        done.append(f"rename to {target.name}")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    with durable.replacing(tmp_path / "bundle") as file:
        file.write(b"all of it")
    assert done == ["sync ['bundle']", "rename to bundle", "sync []"]


def test_an_error_leaves_the_old_one(tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_bytes(b"old")
    with pytest.raises(RuntimeError), durable.replacing(place) as file:
        file.write(b"new")
        raise RuntimeError
    assert place.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [place]
