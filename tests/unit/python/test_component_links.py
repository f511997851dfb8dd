# SPDX-License-Identifier: BSD-2-Clause
"""Components: their descriptions, and the links between them."""

import re
from pathlib import Path

import pytest

from cotenant.components import build, generate
from cotenant.components.description import RIGHTS, ComponentError, read_component, read_system
from cotenant.components.link import Limits, Linked, link

LIMITS = Limits(components=8, capabilities=4, threads=4)
SCHEDULER = 'rights = ["dispatch"]\n[threads.loop]\n'


def make(tmp_path: Path, **components: str) -> Path:
    """Write components and a system of them; return its file."""
    for name, text in {"scheduler": SCHEDULER, **components}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "component.toml").write_text(text)
    names = ", ".join(f'"{name}"' for name in ["scheduler", *components])
    file = tmp_path / "system.toml"
    file.write_text(f"components = [{names}]\n")
    return file


def linked(tmp_path: Path, **components: str) -> Linked:
    return link(read_system(make(tmp_path, **components), tmp_path), LIMITS)


def complaint(tmp_path: Path, **components: str) -> str:
    with pytest.raises(ComponentError) as caught:
        linked(tmp_path, **components)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_component_gets_what_it_needs_and_no_more(tmp_path: Path) -> None:
    made = linked(
        tmp_path,
        server='exports = ["get(key)", "put(key, value)", "wipe()"]',
        client='[needs]\nserver = ["put", "get"]',
    )
    assert [(each.provider, each.export.name) for each in made.tables[2]] == [
        (1, "put"),
        (1, "get"),
    ]
    assert made.tables[0] == made.tables[1] == ()


def test_a_system_lets_a_component_invoke_more(tmp_path: Path) -> None:
    file = make(
        tmp_path,
        greeter='exports = ["greet(x)", "leave()"]',
        bridge='[needs]\ngreeter = ["leave"]',
    )
    components = file.read_text()
    file.write_text(f'{components}[needs.bridge]\ngreeter = ["greet"]\n')
    made = link(read_system(file, tmp_path), LIMITS)
    assert [each.export.name for each in made.tables[2]] == ["leave", "greet"]
    text = generate.header(made, 2)
    assert '#define CAPABILITIES_BY_NAME {"greeter.leave", 0}, {"greeter.greet", 1}\n' in text
    assert "#define CAPABILITIES_BY_NAME\n" in generate.header(made, 1)

    for needs, said in [
        ("[needs.nobody]", "system system: has needs of 'nobody', which is none of its components"),
        ("[needs]\nbridge = 1", "system system, needs of bridge: must be a table"),
        ("[needs.bridge]\ngreeter = 1", "the exports needed of 'greeter' must be a list"),
        ('[needs.bridge]\ngreeter = ["leave"]', "needs of bridge: 'leave' is there twice"),
    ]:
        file.write_text(f"{components}{needs}\n")
        with pytest.raises(ComponentError) as caught:
            read_system(file, tmp_path)
        assert said in str(caught.value)
    file.write_text(f'{components}[needs.greeter]\nbridge = ["go"]\n')
    with pytest.raises(ComponentError, match=r"needs bridge\.go, which bridge does not export"):
        link(read_system(file, tmp_path), LIMITS)


def test_who_provides_an_interface_may_have_another_name(tmp_path: Path) -> None:
    made = linked(
        tmp_path,
        fast_disk='interface = "disk"\nexports = ["read(block)"]',
        client='[needs]\ndisk = ["read"]',
    )
    assert made.tables[2][0].provider == 1
    assert "disk_read(uint64_t block)" in generate.header(made, 2)


def test_a_missing_provider_is_refused(tmp_path: Path) -> None:
    assert complaint(tmp_path, client='[needs]\ndisk = ["read"]') == (
        "component client needs disk, which no component of the system provides"
    )


def test_a_missing_export_is_refused(tmp_path: Path) -> None:
    text = complaint(tmp_path, disk='exports = ["read()"]', client='[needs]\ndisk = ["write"]')
    assert text == "component client needs disk.write, which disk does not export"


def test_a_cycle_is_refused_with_its_way(tmp_path: Path) -> None:
    text = complaint(
        tmp_path,
        a='exports = ["f()"]\n[needs]\nb = ["f"]',
        b='exports = ["f()"]\n[needs]\nc = ["f"]',
        c='exports = ["f()"]\n[needs]\na = ["f"]',
    )
    assert text == "components need each other in a circle: a -> b -> c -> a"


def test_a_component_needs_itself_only_if_it_says_so(tmp_path: Path) -> None:
    itself = 'exports = ["f()"]\n[needs]\na = ["f"]'
    assert complaint(tmp_path, a=itself).endswith("a -> a")
    folder = tmp_path / "again"
    folder.mkdir()
    assert linked(folder, a="recursive = true\n" + itself).tables[1][0].provider == 1


def test_two_providers_are_refused(tmp_path: Path) -> None:
    text = complaint(tmp_path, one='interface = "disk"', two='interface = "disk"')
    assert text == "both one and two provide the interface disk: leave one of them out"


def test_a_device_has_one_driver(tmp_path: Path) -> None:
    text = complaint(tmp_path, one='device = "net"', two='device = "net"')
    assert text == "both one and two drive the device net: one can"


def test_a_window_is_in_the_kernels_table(tmp_path: Path) -> None:
    made = linked(tmp_path, other="", one='device = "console"\nwindow = "shared-one"')
    images = [generate.Image(0, 0, 0, 0, {"begin_loop": 0})] * 3
    entries = [
        line for line in generate.table(made, images).splitlines() if "component_text" in line
    ]
    assert [entry.endswith('"shared-one"},') for entry in entries[-3:]] == [False, False, True]


def test_who_counts_exports_the_number(tmp_path: Path) -> None:
    made = linked(
        tmp_path,
        counter='counts = true\ndevice = "net"\nexports = ["f(x, caller)"]',
        client='[needs]\ncounter = ["f", "invocations"]',
    )
    assert "counter_invocations(void)" in generate.header(made, 2)
    assert "export_invocations" not in generate.header(made, 1)
    code = generate.entries(made.components[1])
    counted = "    lla t0, invocations\n    li t1, 1\n    amoadd.d zero, t1, (t0)\n"
    assert f"entry_f:\n    mv a1, t0\n{counted}    jal export_f\n" in code
    assert "entry_invocations:\n    lla a1, invocations\n" in code
    assert "amoadd" not in generate.entries(made.components[2])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('rights = ["rule"]', "there is no right 'rule'"),
        ("exprots = []", "there is no key 'exprots'"),
        ('exports = ["f(a, a)"]', "'a' is there twice"),
        ('exports = ["f()", "f(a)"]', "'f' is there twice"),
        ('exports = ["f"]', "is not of the form"),
        ('exports = ["f(a, b, c, d, e, g, h)"]', "7 arguments, and 6 go in registers"),
        ('exports = ["f(A)"]', "is not of the form"),
        ("exports = [1]", "must be a list of texts"),
        ("rights = 1", "value of the wrong kind"),
        ("[needs]\ndisk = 1", "must be a list"),
        ('handles_faults = "f"', "which it does not export"),
        ("[threads.t]\npriority = 300", "must be from 0 to 255, and is 300"),
        ("[threads.t]\nspeed = 3", "there is no key 'speed'"),
        ('rights = ["dispatch"]', "is for the scheduler"),
        ("exports = [", "is no TOML"),
        ('device = "disk"', "there is no device 'disk'; there is net, console"),
        ('window = "shared"', "has a window, and no device that tells"),
        ('device = "net"\nwindow = "A b"', "window 'A b' is no name of a channel"),
        ('libraries = ["libc"]', "there is no library 'libc'; there is lwip"),
        ('counts = true\nexports = ["invocations()"]', "'invocations' is there twice"),
    ],
)
def test_mistakes_are_told_in_a_sentence(tmp_path: Path, text: str, expected: str) -> None:
    said = complaint(tmp_path, wrong=text)
    assert "wrong" in said
    assert expected in said


def test_a_system_needs_a_scheduler_and_its_thread(tmp_path: Path) -> None:
    file = make(tmp_path)
    file.write_text("components = []\n")
    with pytest.raises(ComponentError, match="has no components"):
        read_system(file, tmp_path)
    file.write_text('components = ["nobody"]\n')
    with pytest.raises(ComponentError, match="there is no component 'nobody'"):
        read_system(file, tmp_path)
    (tmp_path / "scheduler" / "component.toml").write_text('rights = ["dispatch"]\n')
    file.write_text('components = ["scheduler"]\n')
    with pytest.raises(ComponentError, match="must have one thread"):
        link(read_system(file, tmp_path), LIMITS)
    (tmp_path / "scheduler" / "component.toml").write_text('interface = "other"\n')
    with pytest.raises(ComponentError, match="nothing would run"):
        link(read_system(file, tmp_path), LIMITS)


def test_what_the_kernel_has_no_room_for_is_refused(tmp_path: Path) -> None:
    many = {f"c{number}": "" for number in range(LIMITS.components)}
    assert "has room for 8" in complaint(tmp_path, **many)
    (tmp_path / "second").mkdir()
    five = ", ".join(f'"f{number}()"' for number in range(5))
    needs = ", ".join(f'"f{number}"' for number in range(5))
    said = complaint(
        tmp_path / "second", server=f"exports = [{five}]", client=f"[needs]\nserver = [{needs}]"
    )
    assert said == "component client needs 5 functions, and its table has 4 entries"
    (tmp_path / "third").mkdir()
    threads = "\n".join(f"[threads.t{number}]" for number in range(4))
    assert "there are 5 threads" in complaint(tmp_path / "third", busy=threads)


def test_the_schedulers_thread_is_the_first(tmp_path: Path) -> None:
    file = make(tmp_path, worker="[threads.main]\npriority = 7")
    file.write_text('components = ["worker", "scheduler"]\n')
    made = link(read_system(file, tmp_path), LIMITS)
    assert [each.thread.name for each in made.threads] == ["loop", "main"]
    assert '"worker.main", 0, 7, 0, 0' in generate.system_header(made)


def test_one_handler_of_faults(tmp_path: Path) -> None:
    handler = 'exports = ["h(cause)"]\nhandles_faults = "h"'
    assert (
        complaint(tmp_path, one=handler, two=handler)
        == "one and two handle faults: one of them can"
    )


def test_a_stub_sets_the_registers_of_its_arguments(tmp_path: Path) -> None:
    made = linked(tmp_path, s='exports = ["f(x, caller)"]', c='[needs]\ns = ["f"]')
    stub = generate.header(made, 2)
    assert "static inline struct result s_f(uint64_t x)" in stub
    assert 'a0 __asm__("a0") = x;' in stub
    assert '"+r"(a0), "=r"(a1), "+r"(a7)' in stub
    assert 'COMPONENT_CLOBBERED, "a2", "a3", "a4", "a5"' in stub
    assert "uint64_t export_f(uint64_t x, uint64_t caller);" in generate.header(made, 1)
    assert "    mv a1, t0\n    jal export_f\n" in generate.entries(made.components[1])


def test_the_table_says_what_the_kernel_is_to_check(tmp_path: Path) -> None:
    made = linked(
        tmp_path,
        s='exports = ["f()"]\nrights = ["console", "map"]\nhandles_faults = "f"',
        c='[needs]\ns = ["f"]\n[threads.t]',
    )
    images = [
        generate.Image(4096, 4, 8, 0, {"begin_loop": 0x10}),
        generate.Image(4096, 4, 8, 0, {"entry_f": 0x20}),
        generate.Image(8192, 4, 12, 4096, {"begin_t": 0x30}),
    ]
    table = generate.table(made, images)
    assert '{"s", component_text_1, component_data_1, 4096, 4, 8, 0, 0x60, 0, 0, 0, 0}' in table
    assert '{"c", component_text_2, component_data_2, 8192, 4, 12, 4096, 0x0, 0, 1, ' in table
    assert "capabilities_2[] = {\n    {0x20, 1}," in table
    assert "threads[] = {\n    {0x10, 0},\n    {0x30, 2}," in table
    assert ".fault_handler = {0x20, 1}," in table


def test_rights_are_those_of_the_interface() -> None:
    numbers = build.constants()
    assert [numbers[f"RIGHT_{right.upper()}"] for right in RIGHTS] == [
        1 << number for number in range(len(RIGHTS))
    ]
    assert build.limits() == Limits(32, 32, 16)


def test_components_of_the_tree_link() -> None:
    systems = sorted((build.FOLDER / "systems").glob("*.toml"))
    assert len(systems) >= 4
    for file in systems:
        link(read_system(file, build.PARTS), build.limits())
    for folder in build.PARTS.iterdir():
        read_component(folder)


def lines_of_code(pattern: str) -> int:
    """Count lines of the kernel that are neither empty nor comments only."""
    files = (build.FOLDER / "kernel").glob(pattern)
    texts = (re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.DOTALL) for file in files)
    return sum(bool(line.strip()) for text in texts for line in text.splitlines())


def test_the_kernel_is_small() -> None:
    assert 1000 < lines_of_code("*.[ch]") <= 1200
    assert 80 < lines_of_code("*.S") <= 110


def raw_lines(pattern: str) -> int:
    root = build.FOLDER.parents[1]
    return sum(len(file.read_text().splitlines()) for file in root.glob(pattern))


def test_the_kernel_and_the_library_for_linux_stay_small() -> None:
    """Comments and empty lines count."""
    kernel = "tenants/components/kernel/*"
    assert 1_000 < raw_lines(f"{kernel}.[ch]") <= 1_500
    assert 0 < raw_lines(f"{kernel}.S") <= 150
    assert 0 < raw_lines("linux/channel/components.h") <= 200
