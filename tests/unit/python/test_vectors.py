# SPDX-License-Identifier: BSD-2-Clause
"""Who has vector registers, and the room that is kept for them."""

from pathlib import Path

import pytest

from cotenant import features, system, vectors
from cotenant.devicetree import extensions
from cotenant.errors import ConfigError
from cotenant.plan import System

TENANT = """
[tenant.{name}]
priority = 1
memory = "4M"
image = "hello"
"""


def load(folder: Path, *keys: str, board: str = "qemu-virt-vector") -> System:
    tables = [TENANT.format(name=f"t{i}") + each for i, each in enumerate(keys)]
    path = folder / "system.toml"
    path.write_text(f'board = "{board}"\n' + "\n".join(tables))
    return system.load(path)


def test_one_keeps_them_unless_it_promises_not_to_use_them(tmp_path: Path) -> None:
    loaded = load(tmp_path, "", "fp = false\n", "vector = false\n", "vector = true\n")
    kept = [vectors.are_kept(tenant.config, loaded.board) for tenant in loaded.tenants]
    assert kept == [True, False, False, True]
    assert "vector" in features.used(loaded)
    assert loaded.vector_size == 64 + 32 * 32
    assert loaded.vector_area.size == 8192  # four of them, in whole pages
    assert loaded.vector_area.end == loaded.trace.base
    assert loaded.monitor.contains(loaded.vector_area)


def test_nothing_is_kept_where_all_promise(tmp_path: Path) -> None:
    loaded = load(tmp_path, "fp = false\n", "vector = false\n")
    assert loaded.vector_size == loaded.vector_area.size == 0
    assert "vector" not in features.used(loaded)


def test_the_isa_of_a_tree(tmp_path: Path) -> None:
    board = load(tmp_path, "").board
    assert "v" in extensions(board, fp=True, vector=True, sstc=False)
    assert "v" not in extensions(board, fp=True, vector=False, sstc=False)


@pytest.mark.parametrize(
    ("keys", "board", "problem"),
    [
        ("vector = true\n", "qemu-virt", "has no vector registers"),
        ("vector = true\nfp = false\n", "qemu-virt-vector", "vectors need floating point"),
        ('vector = true\nmode = "machine"\n', "qemu-virt-vector", "machine mode has none"),
    ],
)
def test_what_there_is_not(keys: str, board: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, keys, board=board)
    assert any(problem in mistake.problem for mistake in caught.value.mistakes)
