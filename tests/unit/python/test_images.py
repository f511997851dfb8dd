# SPDX-License-Identifier: BSD-2-Clause
"""Images are found by name, fetched when needed, and only then."""

import dataclasses
import json
import lzma
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

from cotenant import images
from cotenant.commands.images import images as command
from cotenant.images import ImageError, catalogue, modules
from cotenant.images.apt import choose_mirrors, parse_planned_sizes
from cotenant.images.fetch import ensure
from cotenant.images.package import label
from cotenant.images.store import Store
from cotenant.images.workshop import Image, Workshop


class Maker:
    """Recipes that count how often they are followed."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.recipe = "1"

    def image(self, name: str, *needs: str) -> Image:
        def fill(_: Workshop, directory: Path) -> str:
            self.made.append(name)
            (directory / "file").write_text(name)
            return "nowhere"

        return Image(name, "made for a test", "file", needs, lambda _: self.recipe, fill)


@pytest.fixture
def maker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Maker:
    """Put two images into the catalogue, one of which needs the other, and an empty cache."""
    maker = Maker()
    entries: Mapping[str, Image] = {
        "part": maker.image("part"),
        "whole": maker.image("whole", "part"),
    }
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(images, "TENANT_IMAGES", tmp_path / "tenants")
    catalogue.CATALOGUE.clear()
    catalogue.CATALOGUE.update(entries)
    return maker


@pytest.fixture(autouse=True)
def keep_catalogue() -> Iterator[None]:
    kept = dict(catalogue.CATALOGUE)
    yield None
    catalogue.CATALOGUE.clear()
    catalogue.CATALOGUE.update(kept)


def test_resolve_makes_what_is_needed_once(maker: Maker) -> None:
    assert images.resolve("whole").read_text() == "whole"
    images.resolve("whole")
    assert maker.made == ["part", "whole"]


def test_altered_image_is_made_again(maker: Maker) -> None:
    images.resolve("whole").write_text("whale")
    assert images.resolve("whole").read_text() == "whole"
    assert maker.made == ["part", "whole", "whole"]


def test_new_recipe_makes_again(maker: Maker) -> None:
    images.resolve("part")
    maker.recipe = "2"
    images.resolve("part")
    assert maker.made == ["part", "part"]


def test_new_recipe_of_a_part_makes_the_part_and_the_whole_again(maker: Maker) -> None:
    def recipe(workshop: Workshop) -> str:
        part = workshop.store.manifest("part")
        return f"of part {part.recipe if part else 0}"

    whole = catalogue.CATALOGUE["whole"]
    catalogue.CATALOGUE["whole"] = dataclasses.replace(whole, recipe=recipe)
    images.resolve("whole")
    maker.recipe = "2"
    images.resolve("whole")
    assert maker.made == ["part", "whole"] * 2


def test_force_makes_all_again(maker: Maker, tmp_path: Path) -> None:
    store = Store(tmp_path)
    for force in (False, True):
        ensure("whole", store, tmp_path, lambda *_: None, force=force)
    assert maker.made == ["part", "whole"] * 2


def test_resolve_finds_built_images(maker: Maker, tmp_path: Path) -> None:
    (tmp_path / "tenants").mkdir()
    built = tmp_path / "tenants" / "hello.elf"
    built.touch()
    assert images.resolve("hello") == built
    assert images.names() == ["part", "whole", "hello"]
    assert maker.made == []


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("hole", "'hole'; did you mean .whole.[?]; and `make build`"),
        ("qqq", "'qqq'; `cotenant images list` names all; and"),
    ],
)
def test_unknown_name_is_told_with_similar_ones(maker: Maker, name: str, told: str) -> None:
    with pytest.raises(ImageError, match=f"there is no image {told}"):
        images.resolve(name)
    assert maker.made == []


def test_command_line(maker: Maker, tmp_path: Path) -> None:
    def run(*words: str) -> tuple[int, str]:
        result = CliRunner().invoke(command, words)
        return result.exit_code, result.output

    assert run("verify") == (0, "part: not fetched\nwhole: not fetched\n")
    assert run("fetch")[0] == 0
    assert maker.made == ["part", "whole"]
    assert run("verify") == (0, "part: ok\nwhole: ok\n")
    rows = json.loads(run("list", "--json")[1])
    assert [(row["name"], row["size"]) for row in rows] == [("part", 4), ("whole", 5)]
    assert "made for a test" in run("list")[1]
    images.open_store().path("part", "file").write_text("trap")
    status, output = run("verify")
    assert status == 1
    assert "part: file has another content than was fetched" in output
    assert run("fetch", "nothing")[0] == 2
    assert run("copy", "nothing", "x")[0] == 2
    assert run("copy", "whole", str(tmp_path / "own.img"))[0] == 0
    assert (tmp_path / "own.img").read_text() == "whole"
    assert run("copy", "whole", str(tmp_path / "own.img"))[0] == 1
    assert run("clean")[0] == 0
    assert images.open_store().manifest("part") is None


def test_failure_is_one_sentence(maker: Maker) -> None:
    def fail(workshop: Workshop, directory: Path) -> str:
        raise ImageError("the mirror is away; try later.")

    catalogue.CATALOGUE["part"] = Image("part", "", "file", (), lambda _: "1", fail)
    result = CliRunner().invoke(command, ["fetch", "part"])
    assert result.exit_code == 1
    assert result.output.endswith("Error: the mirror is away; try later.\n")


def test_unwritable_cache_is_told(
    maker: Maker, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.raises(ImageError, match="set XDG_CACHE_HOME"):
        images.resolve("part")


def test_mirror_is_that_of_the_release_itself() -> None:
    targets = "\n".join(
        (
            "bookworm-updates|Debian|mirror:/debian/",
            "bookworm-security|Debian-Security|mirror:/security/",
            "bookworm|Somebody|mirror:/other/",
            "stable||mirror:/unknown/",
            "bookworm|Debian|mirror:/debian/",
        )
    )
    assert choose_mirrors(targets) == ["mirror:/debian/", "mirror:/unknown/"]
    assert choose_mirrors("") == []


def test_modules_load_after_what_they_need(monkeypatch: pytest.MonkeyPatch) -> None:
    needs = {b"net": ["failover"], b"failover": ["core"], b"core": [], b"block": ["core"]}
    monkeypatch.setattr(modules, "dependencies", needs.__getitem__)
    packed = {name.decode(): lzma.compress(name) for name in needs}
    assert list(modules.load_order(["net", "block"], packed)) == [
        "core",
        "failover",
        "net",
        "block",
    ]
    with pytest.raises(ImageError, match="no module sound"):
        modules.load_order(["sound"], packed)


def test_modprobe_is_told_what_a_module_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    needs = {b"net": ["failover", "core"], b"failover": ["core"], b"core": [], b"block": ["core"]}
    monkeypatch.setattr(modules, "dependencies", needs.__getitem__)
    assert modules.dependency_file({name.decode(): name for name in needs}).decode() == (
        "net.ko: failover.ko core.ko\nfailover.ko: core.ko\ncore.ko:\nblock.ko: core.ko\n"
    )


def test_module_names_come_from_paths() -> None:
    path = "usr/lib/modules/6.12/kernel/drivers/net/virtio-net.ko.xz"
    assert modules.is_module(path)
    assert modules.module_name(path) == "virtio_net"
    assert not modules.is_module("usr/lib/modules/6.12/modules.order")


def test_the_plan_of_apt_tells_how_much_comes() -> None:
    plan = (
        "Reading package lists...\n"
        "'http://mirror/pool/a_1%3a2_all.deb' a_1%3a2_all.deb 1200 SHA256:00\n"
        "'http://mirror/pool/b_1_all.deb' b_1_all.deb 34 SHA256:11\n"
    )
    assert parse_planned_sizes(plan) == [1200, 34]


def test_a_package_is_told_by_name_and_version() -> None:
    assert label(Path("/x/tar_1%3a1.35+dfsg-3_riscv64.deb")) == "tar 1:1.35+dfsg-3"
