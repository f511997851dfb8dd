# SPDX-License-Identifier: BSD-2-Clause
"""The store of images notices what is not as it was made, and never holds half an image."""

from pathlib import Path

import pytest

from cotenant.images.store import FileRecord, Manifest, Store


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
