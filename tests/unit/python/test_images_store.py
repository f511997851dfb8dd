# SPDX-License-Identifier: BSD-2-Clause
"""The store of images notices what is not as it was made, and never holds half an image."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cotenant import paths
from cotenant.errors import ImageError
from cotenant.images.store import FileRecord, Manifest, Store, copy_whole

# Makes a disk, and is killed while half of it is written.
KILLED = """\
import os, signal, sys
from pathlib import Path
from cotenant.images.store import Store

def fill(directory):
    (directory / "disk.img").write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)

store = Store(Path(sys.argv[1]))
with store.lock():
    store.add("disk", "recipe", fill)
"""


def fill(directory: Path) -> str:
    (directory / "Image").write_bytes(b"kernel")
    (directory / "modules").mkdir()
    (directory / "modules" / "a.ko").write_bytes(b"module")
    return "a package 1.0"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "images")
    store.add("kernel", "recipe", fill)
    return store


def test_added_image_is_whole(store: Store) -> None:
    manifest = store.manifest("kernel")
    assert manifest is not None
    assert manifest.source == "a package 1.0"
    assert manifest.recipe == "recipe"
    assert set(manifest.files) == {"Image", "modules/a.ko"}
    assert store.faults("kernel") == []
    assert store.path("kernel", "Image").read_bytes() == b"kernel"


def test_absent_image_is_a_fault(store: Store) -> None:
    assert store.manifest("other") is None
    assert store.faults("other") == ["it is not there"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"kern", "Image has 4 bytes instead of 6"),
        (b"Kernel", "Image has another content than was fetched"),
        (None, "Image cannot be read (No such file or directory)"),
    ],
)
def test_altered_file_is_noticed(store: Store, content: bytes | None, fault: str) -> None:
    file = store.path("kernel", "Image")
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    assert store.faults("kernel") == [fault]
    assert store.faults("kernel", ["modules/a.ko"]) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"version": 99}', '{"version": 1}'])
def test_broken_manifest_is_none(store: Store, text: str) -> None:
    store.path("kernel", "manifest.json").write_text(text)
    assert store.manifest("kernel") is None


def test_failed_fill_leaves_the_old_image(store: Store) -> None:
    def fail(directory: Path) -> str:
        (directory / "Image").write_bytes(b"ker")
        raise RuntimeError("cut off")

    with pytest.raises(RuntimeError):
        store.add("kernel", "recipe", fail)
    assert store.faults("kernel") == []
    assert [path.name for path in store.directory.iterdir()] == ["kernel"]


def test_new_image_replaces_the_old_one(store: Store) -> None:
    def fill_newer(directory: Path) -> str:
        (directory / "Image").write_bytes(b"newer")
        return "a package 1.1"

    store.add("kernel", "recipe", fill_newer)
    manifest = store.manifest("kernel")
    assert manifest is not None
    assert set(manifest.files) == {"Image"}
    assert [path.name for path in store.directory.iterdir()] == ["kernel"]


def test_manifest_survives_its_text() -> None:
    manifest = Manifest("r", "s", {"f": FileRecord(3, "ab")})
    assert Manifest.from_json(manifest.to_json()) == manifest


def test_remove_leaves_nothing(store: Store) -> None:
    assert store.remove() > 0
    assert not store.directory.exists()
    assert store.remove() == 0


def test_leftovers_of_a_killed_run_are_swept(store: Store) -> None:
    (store.directory / ".new.kernel.x").mkdir()
    (store.directory / ".new.kernel.x" / "Image").write_bytes(b"ker")
    with store.lock():
        assert sorted(path.name for path in store.directory.iterdir()) == [".lock", "kernel"]
    assert store.faults("kernel") == []


def test_a_killed_maker_leaves_nothing_that_is_used(store: Store) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", KILLED, str(store.directory)],
        env={"PYTHONPATH": str(paths.ROOT / "tool")},
        check=False,
    )
    assert ended.returncode == -signal.SIGKILL
    assert list(store.directory.rglob("disk.img"))
    assert store.manifest("disk") is None
    assert store.faults("disk") == ["it is not there"]
    with store.lock():
        assert not list(store.directory.rglob("disk.img"))


def test_all_is_on_the_disk_before_it_has_its_name(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = store.directory / "disk"
    synchronized: list[tuple[str, bool]] = []
    real = os.fsync

    def note(descriptor: int) -> None:
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        synchronized.append((name, target.exists()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    store.add("disk", "recipe", fill)
    before = {name for name, named in synchronized if not named}
    assert {"Image", "modules", "a.ko", "manifest.json"} <= before
    assert synchronized[-1] == (store.directory.name, True)


def test_a_large_file_is_compared_by_its_size(store: Store) -> None:
    store.path("kernel", "Image").write_bytes(b"KERNEL")
    assert store.faults("kernel", ["Image"], sizes_only=True) == []
    assert store.faults("kernel", ["Image"]) != []
    store.path("kernel", "Image").write_bytes(b"KERN")
    assert store.faults("kernel", ["Image"], sizes_only=True) != []


def test_a_copy_is_whole_or_not_there(store: Store, tmp_path: Path) -> None:
    source = store.path("kernel", "Image")
    with source.open("wb") as file:
        file.truncate(8 << 20)
    copy = tmp_path / "own.img"
    copy_whole(source, copy)
    assert copy.stat().st_size == 8 << 20
    assert copy.stat().st_blocks < 100, "holes stay holes"
    with pytest.raises(ImageError, match="is there already"):
        copy_whole(source, copy)
    with pytest.raises(ImageError, match="cannot be written"):
        copy_whole(source, tmp_path / "no folder" / "own.img")
    with pytest.raises(ImageError, match="cannot be written"):
        copy_whole(tmp_path / "nothing", tmp_path / "other.img")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["images", "own.img"]
