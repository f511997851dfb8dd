# SPDX-License-Identifier: BSD-2-Clause
"""Every class of mistake in a system file gets a sentence with its place and the remedy."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from made_boards import use_boards_of
from made_images import ET_EXEC, LINUX, RTOS, ElfSegment, Workshop, elf, workshop

from cotenant import board_reader, paths
from cotenant.commands.build import build
from cotenant.commands.check import check
from cotenant.errors import ConfigError, Mistakes
from cotenant.system import load

__all__ = ["workshop"]

# What replaces what in LINUX + RTOS; the place; words of the problem; words of the remedy.
TABLE = [
    ('board = "qemu-virt"', 'board = "qemu-vrit"', "board", "unknown board", 'mean "qemu-virt"'),
    ('board = "qemu-virt"', "", "board", "missing", 'board = "qemu-virt"'),
    ('board = "qemu-virt"', "board = 3", "board", "is a number", 'board = "qemu-virt"'),
    ('"rtc"', '"rct"', "tenant.linux.devices", 'unknown device "rct"', 'mean "rtc"'),
    ('"rtc"', '"net*"', "tenant.linux.devices", 'matches "net*"', "virtio0"),
    ('"rtc"', '"uart"', "tenant.linux.devices", "the monitor's own", "virtual one"),
    ('"rtc"', '"plic"', "tenant.linux.devices", "the monitor's own", "remove it"),
    ('["rtc", "virtio*"]', '"rtc"', "tenant.linux.devices", "is a string", '["virtio*"]'),
    ('["rtc", "virtio*"]', "[1]", "tenant.linux.devices", "list of strings", '["virtio*"]'),
    ("priority = 10", 'devices = ["rtc"]\npriority = 10', "tenant.rtos.devices",
     'belongs to tenant "linux"', "one owner"),
    ("[tenant.rtos]", '[qemu.devices]\nvirtoi1 = "virtio-rng-device"\n[tenant.rtos]',
     "qemu.devices.virtoi1", 'unknown device "virtoi1"', 'mean "virtio1"'),
    ("[tenant.rtos]", '[qemu.devices]\nrtc = "virtio-rng-device"\n[tenant.rtos]',
     "qemu.devices.rtc", "no slot", "remove it"),
    ("[tenant.rtos]", '[qemu.devices]\nvirtio1 = "virtio-rng-device,bus=x"\n[tenant.rtos]',
     "qemu.devices.virtio1", "names a bus", "virtio1 is the place"),
    ("[tenant.rtos]", '[qemu.devices]\nvirtio1 = "-device x"\n[tenant.rtos]',
     "qemu.devices.virtio1", "not of the form", "virtio-rng-device"),
    ("[tenant.rtos]", "[qemu.devices]\nvirtio1 = 1\n[tenant.rtos]", "qemu.devices.virtio1",
     "is a number", "debian-disk"),
    ("[tenant.rtos]", '[qemu]\nvirtio = "new"\n[tenant.rtos]', "qemu.virtio", "neither", "modern"),
    ("[tenant.rtos]", "[qemu.devices]\nvirtio1 = {}\n[tenant.rtos]", "qemu.devices.virtio1.network",
     "neither a disk nor a network", "debian-disk"),
    ("[tenant.rtos]", '[qemu.devices]\nvirtio1 = { disk = "initrd", keep = true }\n[tenant.rtos]',
     "qemu.devices.virtio1.keep", "all copies", "images copy initrd"),
    ("[tenant.rtos]", '[qemu.devices]\nvirtio1 = { disk = "./none.img" }\n[tenant.rtos]',
     "qemu.devices.virtio1.disk", "no file", "correct the path"),
    ("[tenant.rtos]", '[qemu.devices]\nvirtio1 = { disk = "initrd", size = 3 }\n[tenant.rtos]',
     "qemu.devices.virtio1.size", "unknown key", "disk, keep"),
    ("[tenant.rtos]", '[qemu.devices]\nvirtio1 = { network = "tap" }\n[tenant.rtos]',
     "qemu.devices.virtio1.network", "neither a disk nor a network", "8022:22"),
    ("[tenant.rtos]",
     '[qemu.devices]\nvirtio1 = { network = "user", forward = ["80", "1:70000"] }\n[tenant.rtos]',
     "qemu.devices.virtio1.forward", "not of the form", "8022:22"),
    ('image = "rtos"', 'image = "rtos"\nlogin = "a b"', "tenant.rtos.login", "name of a user",
     "root"),
    ("[tenant.rtos]", '[qemu]\ndevice = "x"\n[tenant.rtos]', "qemu.device", "unknown key",
     'mean "devices"'),
    ("priority = 10", "pirority = 10", "tenant.rtos.pirority", "unknown key", 'mean "priority"'),
    ("priority = 10", "pirority = 10", "tenant.rtos.priority", "missing", "priority = 1"),
    ("priority = 10", "priority = 256", "tenant.rtos.priority", "256", "0 to 255"),
    ("priority = 10", "priority = -1", "tenant.rtos.priority", "-1", "0 to 255"),
    ("priority = 10", 'priority = "high"', "tenant.rtos.priority", "a string", "priority = 1"),
    ("priority = 10", "priority = true", "tenant.rtos.priority", "true or false", "priority = 1"),
    ("priority = 10", 'priority = 10\nbudget = "1ms"', "tenant.rtos.budget", "TIME/PERIOD",
     "300us/1ms"),
    ("priority = 10", 'priority = 10\nbudget = "2ms/1ms"', "tenant.rtos.budget", "less than",
     "300us/1ms"),
    ("priority = 10", 'priority = 10\nbudget = "1us/1ms"', "tenant.rtos.budget", "between",
     "300us/1ms"),
    ("priority = 10", 'priority = 10\nbudget = "1s/2s"', "tenant.rtos.budget", "more than 1s",
     "300us/1ms"),
    ("priority = 10", 'priority = 10\nbudget = "a/b"', "tenant.rtos.budget", "not a duration",
     "300us/1ms"),
    ("priority = 10", 'priority = 10\nslice = "10us"', "tenant.rtos.slice", "out of range",
     "100 us to"),
    ("priority = 10", 'priority = 10\nstart = "later"', "tenant.rtos.start", "neither", "auto"),
    ("priority = 10", 'priority = 10\non-crash = "ask"', "tenant.rtos.on-crash", "neither",
     "restart"),
    ("priority = 10", "priority = 10\non-shutdown = 1", "tenant.rtos.on-shutdown", "number",
     "restart"),
    ("priority = 10", "priority = 10\nwatch = true", "tenant.rtos.watch", "true or false", ""),
    ("priority = 10", 'priority = 10\nwatch = { policy = "log" }', "tenant.rtos.watch.within",
     "missing", "50ms"),
    ("priority = 10", 'priority = 10\nwatch = { within = "1s" }', "tenant.rtos.watch.policy",
     "missing", "restart"),
    ("priority = 10", 'priority = 10\nwatch = { within = "1s", policy = "kill" }',
     "tenant.rtos.watch.policy", 'none of "off", "log"', "restart"),
    ("priority = 10", 'priority = 10\nwatch = { within = "10us", policy = "log" }',
     "tenant.rtos.watch.within", "out of range", "1000 us to"),
    ("priority = 10", 'priority = 10\nwatch = { within = "1s", policy = "log", boot = "2h" }',
     "tenant.rtos.watch.boot", "not a duration", "60s"),
    ("priority = 10", 'priority = 10\nwatch = { within = "1s", policy = "log", first = "2s" }',
     "tenant.rtos.watch.first", "unknown key", ""),
    ("priority = 10", "priority = 10\nhart = 9", "tenant.rtos.hart", "no hart 9",
     "choose from 0, 1, 2, 3, 4, 5, 6, 7"),
    ("priority = 10", "priority = 10\nhart = -1", "tenant.rtos.hart", "out of range", "0 to"),
    ("priority = 10", "priority = 10\nhart = [1]", "tenant.rtos.hart", "is a list", "hart = 0"),
    ("priority = 10", "priority = 10\nharts = [1, 9]", "tenant.rtos.harts", "no hart 9",
     "choose from 0, 1"),
    ("priority = 10", "priority = 10\nharts = 1", "tenant.rtos.harts", "is a number", "[0, 1]"),
    ("priority = 10", 'priority = 10\nharts = ["1"]', "tenant.rtos.harts", "'1' is not a number",
     "[0, 1]"),
    ("priority = 10", "priority = 10\nharts = [-1]", "tenant.rtos.harts", "-1 is not a number",
     "from 0 to"),
    ("priority = 10", "priority = 10\nharts = []", "tenant.rtos.harts", "lists 0 harts", "1 to 8"),
    ("priority = 10", "priority = 10\nharts = [0, 1, 2, 3, 4, 5, 6, 7, 8]", "tenant.rtos.harts",
     "lists 9 harts", "1 to 8"),
    ("priority = 10", "priority = 10\nharts = [1, 2, 1]", "tenant.rtos.harts", "hart 1 twice",
     "once"),
    ("priority = 10", "priority = 10\nhart = 1\nharts = [1]", "tenant.rtos.hart",
     'the same as the key "harts"', "keep one"),
    ('board = "qemu-virt"\n[tenant.linux]', 'board = "qemu-virt"\nharts = 2\n[tenant.linux]\n'
     "harts = [0, 3]", "harts", "a tenant runs on hart 3", "write harts = 4"),
    ("priority = 10", 'priority = 10\nready = "("', "tenant.rtos.ready", "regular expression", ""),
    ("priority = 10", 'priority = 10\narguments = "\\u0007"', "tenant.rtos.arguments", "ASCII", ""),
    ("priority = 10", 'priority = 10\nuart = "yes"', "tenant.rtos.uart", "a string", "true"),
    ('memory = "4M"', 'memory = "4 apples"', "tenant.rtos.memory", "not a size", '"512M"'),
    ('memory = "4M"', "memory = 1.5", "tenant.rtos.memory", "a fraction", '"512M"'),
    ('memory = "4M"', "memory = 5000", "tenant.rtos.memory", "multiple of 4K", "round it up"),
    ('memory = "4M"', "memory = 0", "tenant.rtos.memory", "zero", "round it up"),
    ('memory = "4M"', 'memory = "64K"', "tenant.rtos.memory", 'too little for image "rtos"',
     "at least"),
    ('memory = "64M"', 'memory = "4M"', "tenant.linux.memory", 'with initrd "initrd"', "at least"),
    ('memory = "4M"', 'memory = "8G"', "tenant.rtos.memory", "no room for 8G", "more"),
    ('memory = "4M"', 'memory = { base = 0x8010_0800, size = "4M" }', "tenant.rtos.memory.base",
     "multiple of 4K", ""),
    ('memory = "4M"', 'memory = { size = "4M" }', "tenant.rtos.memory.base", "missing", ""),
    ('memory = "4M"', 'memory = { base = 0x1000_0000, size = "4M" }', "tenant.rtos.memory",
     "outside of the RAM", "move it"),
    ('memory = "4M"', 'memory = { base = 0xffe0_0000, size = "2M" }', "tenant.rtos.memory",
     "overlaps the monitor", "move one"),
    ('memory = "64M"', 'memory = { base = 0x8010_0000, size = "64M" }', "tenant.linux.memory",
     "misaligned", "0x80200000"),
    ('image = "rtos"', 'image = "rots"', "tenant.rtos.image", "no image", "fetch or build"),
    ('image = "rtos"', 'image = "./rtos.elf"', "tenant.rtos.image", "no file", "correct the path"),
    ('image = "rtos"', 'image = "initrd"\ninitrd = "x"', "tenant.rtos.initrd", "no image", ""),
    ('image = "rtos"', "", "tenant.rtos.image", "missing", "debian-kernel"),
    ('image = "rtos"', "image = 7", "tenant.rtos.image", "is a number", "debian-kernel"),
    ('image = "rtos"', "image = {}", "tenant.rtos.image.next-stage", "missing", "2M"),
    ('image = "rtos"', "image = { next-stage = 0 }", "tenant.rtos.image.next-stage", "zero", "4K"),
    ('image = "rtos"', "image = { next-stage = 5000 }", "tenant.rtos.image.next-stage",
     "not a multiple", "4K"),
    ('image = "rtos"', 'image = { next-stage = "2G" }', "tenant.rtos.image.next-stage",
     "too much", "1G"),
    ('image = "rtos"', 'image = { next-stage = "1M", size = 1 }', "tenant.rtos.image.size",
     "unknown key", "next-stage"),
    ('image = "rtos"', 'image = { next-stage = "1M", address = 5 }', "tenant.rtos.image.address",
     "not a multiple", "4K"),
    ('image = "rtos"', 'image = { next-stage = "1M", address = 0x100000 }', "tenant.rtos.memory",
     "outside of the RAM", "move it"),
    ('image = "rtos"', 'image = { file = "./none.bin" }', "tenant.rtos.image", "no file",
     "correct the path"),
    ('image = "rtos"', 'image = { file = "initrd", address = 5 }', "tenant.rtos.image.address",
     "not a multiple", "4K"),
    ('image = "rtos"', 'image = { file = "initrd", next-stage = 5 }',
     "tenant.rtos.image.next-stage", "unknown key", "file"),
    ('image = "rtos"', 'image = { file = "rtos", address = 0x9000_0000 }',
     "tenant.rtos.image.address", "no raw image", 'write image = "rtos"'),
    ('image = "rtos"', 'image = { file = "initrd", address = 0x100000 }', "tenant.rtos.memory",
     "outside of the RAM", "move it"),
    ('image = "rtos"', 'image = { next-stage = "8M" }', "tenant.rtos.memory",
     "too little", "at least"),
    ("[tenant.rtos]", "[tenant.monitor]", "tenant.monitor", "name of a tenant", "a to z"),
    ("[tenant.rtos]", "[tenant.RTOS]", "tenant.RTOS", "name of a tenant", "a to z"),
    ("[tenant.rtos]", "[tennant.rtos]", "tennant", "unknown key", 'mean "tenant"'),
    ("[tenant.rtos]", '[console]\nfocus = "lunix"\n[tenant.rtos]', "console.focus", "no tenant",
     'mean "linux"'),
    ("[tenant.rtos]", '[console]\nescape = "F1"\n[tenant.rtos]', "console.escape", "control key",
     "ctrl-t"),
    ("[tenant.rtos]", '[console]\nescape = "ctrl-m"\n[tenant.rtos]', "console.escape",
     "every shell", "ctrl-t"),
    ('board = "qemu-virt"', 'board = "qemu-virt"\nmemory = "4M"', "memory", "too little", "256M"),
    ('board = "qemu-virt"', 'board = "qemu-virt"\nharts = 9', "harts", "out of range", "1 to 8"),
    ("[tenant.rtos]", "[group.desk]\n[tenant.rtos]", "group.desk.members", "missing", "members ="),
    ("[tenant.rtos]", '[group.desk]\nmembers = ["linux", "rtso"]\n[tenant.rtos]',
     "group.desk.members", 'no tenant "rtso"', 'mean "rtos"'),
    ("[tenant.rtos]", '[group.desk]\nmembers = ["linux"]\n[tenant.rtos]', "group.desk.members",
     "less than two", "two or more"),
    ("[tenant.rtos]", '[group.desk]\nmembers = ["linux", "rtos"]\n[tenant.rtos]',
     "group.desk.members", "priorities 1 and 10", "the same"),
    ("[tenant.rtos]", '[group.a]\nmembers = ["linux", "rtos", "linux"]\n[tenant.rtos]',
     "group.a.members", 'in group "a" already', "one group"),
    ("[tenant.rtos]", '[group.a]\nmembers = ["linux", "rtos"]\ndevices = ["rtc"]\n[tenant.rtos]',
     "tenant.linux.devices", 'belongs to group "a"', "one owner"),
    ("[tenant.rtos]", '[group.a]\nmembers = ["linux", "rtos"]\npatience = "1h"\n[tenant.rtos]',
     "group.a.patience", "not a duration", "5s"),
    ("[tenant.rtos]", '[group.a]\nmembers = ["linux", "rtos"]\nrefusal = "no"\n[tenant.rtos]',
     "group.a.refusal", "neither", "say"),
]  # fmt: skip


def mistakes_of(path: Path) -> list[tuple[str, str, str]]:
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert all(mistake.file == path.name for mistake in caught.value.mistakes)
    return [(each.key, each.problem, each.remedy) for each in caught.value.mistakes]


@pytest.mark.parametrize(("old", "new", "key", "problem", "remedy"), TABLE)
def test_mistake(
    workshop: Workshop, old: str, new: str, key: str, problem: str, remedy: str
) -> None:
    text = LINUX + RTOS
    assert text.count(old) == 1
    found = mistakes_of(workshop.system(text.replace(old, new)))
    matching = [each for each in found if each[0] == key and problem in each[1]]
    assert matching, found
    assert remedy in f"{matching[0][1]}; {matching[0][2]}"
    assert len(found) <= 2, "one mistake should not cause many sentences"


def test_a_valid_file_has_no_mistake(workshop: Workshop) -> None:
    load(workshop.system(LINUX + RTOS))


def test_all_mistakes_of_a_file_are_told(workshop: Workshop) -> None:
    text = LINUX.replace('"rtc"', '"tpm"').replace("priority = 1", "priority = 999")
    text += RTOS.replace('"rtos"', '"rots"').replace('"4M"', '"4Q"')
    text += '[tenant.third]\npriority = 1\nmemory = "1M"\nimage = "missing"\ndevices = ["gpu"]\n'
    keys = {key for key, _, _ in mistakes_of(workshop.system(text))}
    assert keys >= {
        "tenant.linux.priority", "tenant.rtos.memory", "tenant.third.image", "tenant.third.devices"
    }  # fmt: skip


def test_overlapping_memory(workshop: Workshop) -> None:
    text = LINUX.replace('"64M"', '{ base = 0x9000_0000, size = "64M" }')
    text += RTOS.replace('"4M"', '{ base = 0x9300_0000, size = "4M" }')
    ((key, problem, _),) = mistakes_of(workshop.system(text))
    assert key == "tenant.rtos.memory"
    assert 'overlaps tenant "linux" at 0x90000000..0x93ffffff' in problem


def test_an_image_linked_outside_of_the_memory(workshop: Workshop) -> None:
    workshop.files["rtos"] = elf([ElfSegment(0x9000_0000, b"x" * 64)], ET_EXEC, 0x9000_0000)
    text = LINUX + RTOS.replace('"4M"', '{ base = 0x8800_0000, size = "4M" }')
    ((key, problem, remedy),) = mistakes_of(workshop.system(text))
    assert key == "tenant.rtos.memory"
    assert "linked to 0x90000000" in problem
    assert "base = 0x90000000" in remedy


def mistakes_on_board(
    workshop: Workshop, old: str, new: str, text: str
) -> list[tuple[str, str, str]]:
    """Return the mistakes of a system on a board "other", which is qemu-virt with a difference."""
    board = (paths.BOARDS / "qemu-virt.toml").read_text()
    assert board.count(old) == 1
    (workshop.folder / "other.toml").write_text(board.replace(old, new))
    assert board_reader.load("other", Mistakes("x"), workshop.folder) is not None
    with pytest.MonkeyPatch.context() as patch:
        use_boards_of(workshop.folder, patch)
        return mistakes_of(workshop.system(text.replace("qemu-virt", "other")))


@pytest.mark.parametrize("harts", ["[0]", "[1, 0, 2]"])
def test_too_many_pmp_entries(workshop: Workshop, harts: str) -> None:
    text = LINUX.replace("priority", f"harts = {harts}\ntrusted = true\npriority") + RTOS
    found = mistakes_on_board(workshop, "entries = 16", "entries = 5", text)
    ((key, problem, remedy),) = found
    assert key == "tenant.linux"
    assert problem == "needs 6 PMP entries, but a hart has 5"
    assert "make virtio0, virtio1" in remedy


def test_a_hart_without_s_mode(workshop: Workshop) -> None:
    text = LINUX + RTOS.replace("priority", "harts = [1, 2]\npriority")
    found = mistakes_on_board(workshop, "plic_s_context = 5\n", "", text)
    assert found == [
        ("tenant.rtos.harts", "hart 2 of other has no S-mode, in which tenants run",
         "choose from 0, 1, 3, 4, 5, 6, 7"),
    ]  # fmt: skip


def test_several_harts_need_inter_processor_interrupts(workshop: Workshop) -> None:
    text = LINUX.replace("priority", "harts = [1]\npriority") + RTOS
    old, new = "msip = 0x0200_0000", "msip = 0"
    ((key, problem, remedy),) = mistakes_on_board(workshop, old, new, text)
    assert key == "tenant.rtos.hart"
    assert "no inter-processor interrupts" in problem
    assert "the boot hart 1 reaches hart 0" in problem
    assert remedy == "put every tenant on hart 1 alone"


def test_too_many_tenants(workshop: Workshop) -> None:
    text = 'board = "qemu-virt"\n'
    text += "".join(RTOS.replace("rtos]", f"rtos{number}]") for number in range(17))
    keys = [key for key, _, _ in mistakes_of(workshop.system(text))]
    assert "tenant" in keys
    text = 'board = "qemu-virt"\n'
    text += "".join(RTOS.replace("rtos]", f"rtos{number}]") for number in range(9))
    ((key, problem, _),) = mistakes_of(workshop.system(text))
    assert (key, problem) == ("tenant.rtos8.hart", "9 tenants share hart 0, and at most 8 can")


def test_too_many_tenants_on_one_of_the_harts(workshop: Workshop) -> None:
    text = 'board = "qemu-virt"\n'
    for number in range(9):
        text += RTOS.replace("rtos]", f"rtos{number}]") + f"harts = [3, {number % 3}]\n"
    ((key, problem, remedy),) = mistakes_of(workshop.system(text))
    assert (key, problem) == ("tenant.rtos8.harts", "9 tenants share hart 3, and at most 8 can")
    assert "move some" in remedy


def test_too_many_vharts(workshop: Workshop) -> None:
    text = 'board = "qemu-virt"\n'
    for number in range(8):
        text += RTOS.replace("rtos]", f"rtos{number}]") + "harts = [0, 1, 2, 3]\n"
    load(workshop.system(text))
    text += "".join(
        RTOS.replace("rtos]", f"more{number}]") + "harts = [5, 6]\n" for number in range(3)
    )
    ((key, problem, remedy),) = mistakes_of(workshop.system(text))
    assert key == "tenant.more0.harts"
    assert problem == "with this tenant the system has 34 vharts, and at most 32 can be"
    assert remedy == "give some tenants fewer harts"


@pytest.mark.parametrize(
    ("text", "problem"),
    [("[tenant", "not valid TOML"), ("board = 1\nboard = 2\n", "not valid TOML"), ("", "tenant")],
)
def test_files_that_are_no_system(workshop: Workshop, text: str, problem: str) -> None:
    path = workshop.system(text)
    with pytest.raises(ConfigError, match=problem):
        load(path)


def test_a_file_that_is_not_there(workshop: Workshop) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml: the file cannot be read \(no such file"):
        load(workshop.folder / "nowhere.toml")


def test_sstc_on_a_board_without_it(workshop: Workshop) -> None:
    board = (paths.BOARDS / "qemu-virt.toml").read_text().replace("sstc = true", "sstc = false")
    (workshop.folder / "old.toml").write_text(board)
    text = LINUX.replace('"qemu-virt"', '"old"\nsstc = true')
    with pytest.MonkeyPatch.context() as patch:
        use_boards_of(workshop.folder, patch)
        ((key, _, remedy),) = mistakes_of(workshop.system(text))
        assert (key, remedy) == ("sstc", "write sstc = false")
        assert load(workshop.system(text), sstc=False).sstc is False


def test_check_command(workshop: Workshop) -> None:
    path = workshop.system(LINUX + RTOS)
    result = CliRunner().invoke(check, [str(path), "-v"])
    assert result.exit_code == 0, result.output
    assert "a switch rewrites permissions only" in result.output
    assert not result.stderr, "what its slots hold is guarded"
    result = CliRunner().invoke(check, [str(path), "--json"])
    data = json.loads(result.stdout)
    assert data["ok"] is True
    registers = data["system"]["pmp"]["0"]
    assert len(registers.pop("entries")) == 5
    assert registers == {
        "used": 5,
        "together": 5,
        "available": 16,
        "permissions_only": True,
    }
    assert data["system"]["vharts"][0]["plic_passthrough"] is True


def test_check_command_with_a_mistake(workshop: Workshop) -> None:
    path = workshop.system(LINUX + RTOS.replace("10", "300"))
    result = CliRunner().invoke(check, [str(path)])
    assert result.exit_code == 1
    assert "system.toml: tenant.rtos.priority: 300 is out of range; choose" in result.stderr
    result = CliRunner().invoke(check, [str(path), "--json"])
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert data["ok"] is False
    assert data["mistakes"][0]["key"] == "tenant.rtos.priority"


def test_build_command(workshop: Workshop) -> None:
    path = workshop.system(LINUX + RTOS)
    output = workshop.folder / "out" / "bundle.bin"
    result = CliRunner().invoke(build, [str(path), "-o", str(output)])
    assert result.exit_code == 0, result.output
    assert output.stat().st_size > 3 << 20
    (workshop.folder / "monitor.bin").unlink()
    result = CliRunner().invoke(build, [str(path), "-o", str(output)])
    assert result.exit_code == 1
    assert "the monitor is not built" in result.output
