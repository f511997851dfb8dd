# SPDX-License-Identifier: BSD-2-Clause
"""Vector registers belong to whoever wrote them. Those of two Linuxes: test_fp.py."""

from pathlib import Path

import pytest
from systems import VERDICT, Boot, payload, system, vector_board

from cotenant import paths


@pytest.mark.parametrize(("vlen", "sstc"), [(128, True), (256, False), (512, True)])
def test_a_tenant_that_never_wrote_a_register_finds_zeros(
    boot: Boot, tmp_path: Path, vlen: int, sstc: bool
) -> None:
    names = ("vector-stranger", "first", "second")
    session = boot(
        system(
            payload("vector-stranger", priority=5, arguments="rounds=200"),
            payload("vector-keeper", "first", priority=6, arguments="rounds=200 seed=1"),
            payload("vector-keeper", "second", priority=6, arguments="rounds=200 seed=2"),
            sstc=sstc,
            board=vector_board(tmp_path, vlen),
        ),
        icount=3,
    )
    for name in names:
        assert session.expect(name, VERDICT)[1].startswith("PASS ")
    assert f"{vlen} bits" in session.output("first")


def test_the_next_life_of_a_tenant_finds_nothing_of_the_one_before(
    boot: Boot, tmp_path: Path
) -> None:
    again = {"on-shutdown": "restart", "arguments": "rounds=3 plants=1"}
    session = boot(
        system(
            payload("vector-stranger", priority=5, **again),
            payload("vector-keeper", "other", priority=4, arguments="rounds=1000000"),
            board=vector_board(tmp_path, 256),
        ),
        icount=3,
    )
    for _ in range(5):
        assert session.expect("vector-stranger", VERDICT)[1].startswith("PASS ")


def test_a_promise_is_all_that_keeps_a_tenant_with_vector_false_from_looking(
    boot: Boot, tmp_path: Path
) -> None:
    """As fp = false: its switches cost nothing, and it sees what the others left there."""
    session = boot(
        system(
            payload("vector-stranger", priority=5, vector=False),
            payload("vector-keeper", priority=6, arguments="rounds=100"),
            board=vector_board(tmp_path, 256),
        ),
        icount=3,
    )
    assert session.expect("vector-stranger", VERDICT)[1].startswith("FAIL ")
    assert session.expect("vector-keeper", VERDICT)[1].startswith("PASS ")


@pytest.mark.parametrize("change", [("vlen = 256", "vlen = 128"), ("v=true", "v=false")])
def test_a_hart_with_other_registers_is_refused(
    boot: Boot, tmp_path: Path, change: tuple[str, str]
) -> None:
    board = tmp_path / "board.toml"
    text = (paths.BOARDS / "qemu-virt-vector.toml").read_text()
    assert change[0] in text
    board.write_text(text.replace(*change))
    session = boot(system(payload("hello"), board=str(board)))
    assert session.wait_end(timeout=60) == 0
    assert (
        "refused the bundle: vectors, hypervisor: not this hart's"
        in session.console.noise + session.monitor_log
    )
