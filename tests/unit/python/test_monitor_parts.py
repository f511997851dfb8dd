# SPDX-License-Identifier: BSD-2-Clause
"""How large the core of the monitor and its features are."""

from pathlib import Path

import pytest

from cotenant import monitor_parts, paths
from cotenant.monitor_build import code_lines, source_files
from cotenant.monitor_parts import CORE, Part

CEILING = 6_000
"""the budget of the core, in lines (docs/performance/size.md)"""

FEATURE_CEILINGS = {"machine": 1_500, "hosted": 898}
"""lines of features that have a limit of their own: these numbers only fall"""

MAP = """\
Discarded input sections

 .text.unused   0x0000000000000000       0x10 {out}/core/one.c.o

Linker script and memory map

 .text.of_one   0x0000000000000100       0x20 {out}/core/one.c.o
 .text.a_function_of_the_feature_with_a_long_name
                0x0000000000000120       0x40 {out}/features/two/two.c.o
 .rodata.two    0x0000000000000160        0x8 {out}/features/two/two.c.o
 .debug_info    0x0000000000000000      0x999 {out}/features/two/two.c.o
"""


def make_tree(tmp_path: Path, source: str) -> tuple[Path, Path]:
    """Make a core and a feature of a file each, and a directory of a build; return both places."""
    sources, out = tmp_path / "monitor", tmp_path / "out"
    for name in ("core/one.c", "features/two/two.c"):
        (sources / name).parent.mkdir(parents=True)
        (sources / name).write_text(source)
    out.mkdir()
    return sources, out


def test_the_core_does_not_grow() -> None:
    assert monitor_parts.core_lines() <= CEILING


@pytest.mark.parametrize("name", FEATURE_CEILINGS)
def test_features_stay_in_their_limits(name: str) -> None:
    folder = paths.MONITOR / "features" / name
    own = (file for file in source_files() if folder in file.parents)
    assert 0 < sum(map(code_lines, own)) <= FEATURE_CEILINGS[name]


def test_code_is_counted_where_it_comes_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sources, out = make_tree(tmp_path, "/* A comment. */\nint a;\n\nint b;\n")
    (out / "monitor.map").write_text(MAP.format(out="../out"))
    (out / "monitor.symbols").write_text("")
    monkeypatch.setattr(paths, "MONITOR", sources)
    core, feature = monitor_parts.parts(out)
    assert core == Part(CORE, 2, 0x20)
    assert feature == Part("features/two", 2, 0x48)


def test_what_is_compiled_together_is_counted_by_the_names_of_its_sections(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sources, out = make_tree(tmp_path, "int a;\n")
    for name in (".text.step", ".rodata.step.lto_priv.0.str1.1", ".text.unlikely.step.lto_priv.0"):
        assert monitor_parts.section_symbol(name) in ("step", "step.lto_priv.0")
    (out / "monitor.map").write_text(
        "Linker script and memory map\n\n"
        " .text.step     0x0000000000000100       0x20 /scratch/a.ltrans0.ltrans.o\n"
        " .text.unlikely.step.lto_priv.0\n"
        "                0x0000000000000120       0x40 /scratch/a.ltrans0.ltrans.o\n"
        " .rodata.step.lto_priv.0.str1.1\n"
        "                0x0000000000000160        0x8 /scratch/a.ltrans0.ltrans.o\n"
        " .rodata.cst8   0x0000000000000168        0x8 /scratch/a.ltrans0.ltrans.o\n"
    )
    (out / "monitor.symbols").write_text(
        "0000000000000000 t trap_entry\n"
        "0000000000000100 T step\t/moved/monitor/core/one.c:1\n"
        "0000000000000120 t step.lto_priv.0\t/moved/monitor/features/two/two.c:1\n"
    )
    monkeypatch.setattr(paths, "MONITOR", sources)
    core, feature = monitor_parts.parts(out)
    assert (core.code, feature.code) == (0x28, 0x48)


def test_arrays_have_an_entry_for_each_vhart_tenant_or_hart() -> None:
    text = (
        "extern struct far far[COTENANT_MAX_VHARTS];\n"
        "struct vhart vharts[COTENANT_MAX_VHARTS];\n"
        "static bool locked[COTENANT_MAX_HARTS] = {0};\n"
        "static struct steal {\n    bool on;\n} steals[COTENANT_MAX_VHARTS];\n"
        "    struct vhart *vhart = &vharts[COTENANT_MAX_VHARTS];\n"
    )
    assert monitor_parts.arrays_in(text) == {
        "vharts": "vhart",
        "locked": "hart",
        "steals": "vhart",
    }


def test_people_read_a_table() -> None:
    lines = monitor_parts.table([Part("features/two", 5, 72, {"vhart": 8, "tenant": 0, "hart": 4})])
    assert lines.splitlines()[1].split() == ["features/two", "5", "72", "8", "4"]
