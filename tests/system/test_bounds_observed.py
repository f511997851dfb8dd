# SPDX-License-Identifier: BSD-2-Clause
"""What a lean monitor was seen to execute is in the graph of its bounds, and below them."""

from pathlib import Path

from cotenant import system as systems
from cotenant.bench import bounds, cycles
from cotenant.bench.paths import record
from cotenant.bench.report import kept
from cotenant.bench.systems import payload, system, tenant
from cotenant.bounds import of_system
from cotenant.bounds.annotations import Annotations, read
from cotenant.bounds.monitor import ANNOTATIONS, MonitorBounds
from cotenant.bounds.observed import Observer
from cotenant.run.session import Session

PATHS = 400
MACHINE_PATHS = 6000
HOSTED_PATHS = 1200
HARTS_PATHS = 6000
CHANNELS_PATHS = 6000
MESSAGES = 100_000_000
# Loops of these files are gone round in them.
MACHINE_LOOPS = {
    f"features/{name}.c" for name in ("confine/confine", "confine/pmp_set", "machine/execute")
}
CHANNELS_LOOPS = {"arch/memory.c", "features/virtio/virtio.c"}
# Of the fetch of an instruction: a trap in the monitor goes on elsewhere.
FAULTS = ("trap_in_monitor", "guest_fetch_failed")


def test_no_published_bound_is_raised_and_no_annotation_is_left_over(tmp_path: Path) -> None:
    annotations = read(ANNOTATIONS)
    of_pair = bounds_of(pair(tmp_path), annotations)
    assert all(map(of_pair.image.has, annotations.texts))
    computed = [bounds.of_example(name, annotations) for name in bounds.EXAMPLES]
    in_cycles = cycles.rows(annotations)
    assert not annotations.unused
    published = ((each.name, int(each.ours or 0)) for each in kept.read()["bounds"].rows)
    rows = [row for each in computed for row in bounds.rows_of(each)] + in_cycles
    raised = bounds.raised(rows, published)
    assert not raised, (
        f"longer than in bench/results/bounds.json: {raised}; if there is a reason, say it in "
        "docs/bounds.md, commit, and run './cotenant bench bounds' and './cotenant report --docs'"
    )


def rtos(name: str, priority: int) -> str:
    return tenant(
        name,
        priority=priority,
        memory="4M",
        image="freertos-latency",
        fp=False,
        arguments="report=100ms",
    )


def pair(folder: Path) -> Path:
    file = folder / "system.toml"
    file.write_text(system('[monitor]\nbuild = "lean"', rtos("one", 1), rtos("two", 2)))
    return file


def kernel(name: str, image: str, base: int, *keys: str) -> str:
    place = f'image = "{image}"\nmemory = {{base = {base:#x}, size = "4M"}}'
    own = ['priority = 5\nslice = "200us"\nmode = "machine"\nfp = false', *keys, ""]
    return "\n".join([f"[tenant.{name}]", place, *own])


def machine_modes(folder: Path) -> Path:
    """One writes PMP entries for its U-mode, one does what comes to its mind, above S-mode too."""
    file = folder / "system.toml"
    storm = kernel("storm", "machine-storm", 0x8000_0000, "s-mode = true")
    pmp = kernel("pmp", "machine-pmp-beside", 0x8040_0000, 'on-shutdown = "restart"')
    file.write_text(system('[monitor]\nbuild = "lean"', storm, pmp, rtos("rtos", 10)))
    return file


def hosting(folder: Path) -> Path:
    """A host whose two guests have themselves interrupted again and again."""
    file = folder / "system.toml"
    keys = ["guests = 2", 'memory = "32M"', "fp = false", "priority = 1", 'arguments = "guests=2"']
    host = "\n".join(["[tenant.host]", 'image = "guest-host"', 'initrd = "timer-storm"', *keys, ""])
    file.write_text(system('[monitor]\nbuild = "lean"', host, rtos("rtos", 10)))
    return file


def bounds_of(file: Path, annotations: Annotations, console: str = "framed") -> MonitorBounds:
    return of_system.bounds_of(systems.load(file, lean=True, console_mode=console), annotations)


def several_harts(folder: Path) -> Path:
    """One on three harts fences its others all the time; an RTOS is on one of them."""
    file = folder / "system.toml"
    keys = 'harts = [0, 1, 2]\nslice = "20ms"\n'
    fences = payload("fences", "remote-fence", arguments="rounds=100000000") + keys
    one = rtos("rtos", 10).replace("priority", "hart = 1\npriority")
    file.write_text(system('[monitor]\nbuild = "lean"', fences, one))
    return file


def channels(folder: Path) -> Path:
    """Messages of a stream, a flood of frames, and a driver that puts anything into its rings."""
    file = folder / "system.toml"
    tenants = [
        payload("one", "stream-check", arguments=f"channel=direct send={MESSAGES} receive=0"),
        payload("two", "stream-check", arguments=f"channel=direct send=0 receive={MESSAGES}"),
        payload("net-flood", "net-flood"),
        payload("hostile-rings", "hostile-rings", arguments=f"rounds={MESSAGES}"),
    ]
    names = ["direct", "talk", "lan"]
    ends = [["one", "two"], ["one", "hostile-rings"], ["net-flood", "hostile-rings"]]
    joined = [
        f'[channel.{name}]\nkind = "{"net" if name == "lan" else "stream"}"\nends = {each}\n'
        for name, each in zip(names, ends, strict=True)
    ]
    lean = '[monitor]\nbuild = "lean"'
    file.write_text(system(lean, *tenants, rtos("rtos", 10), *joined))
    return file


def observed(file: Path, tenant: str, output: str, total: int, icount: int | None = 3) -> Observer:
    """Hold the paths behind an output against the graph and the bounds."""
    bounds = bounds_of(file, read(ANNOTATIONS))

    def started(session: Session) -> None:
        session.expect(tenant, output)

    seen = record(file.read_text(), sstc=False, icount=icount, prepare=started, total=total)

    observer = Observer(bounds)
    followed = [path for path in seen if not path.functions.keys() & set(FAULTS)]
    assert len(followed) > 1
    assert not {problem for path in followed for problem in observer.problems(path.offsets)}
    longest = max(each.instructions for each in (*bounds.of_entries().values(), *bounds.of_looks()))
    assert observer.longest <= longest
    if icount is not None:  # of several harts it has what they wait for each other
        assert max(path.longest_stretch for path in seen) <= longest
    return observer


def test_what_a_pair_of_rtoses_makes_the_monitor_do_is_bounded(tmp_path: Path) -> None:
    observed(pair(tmp_path), "one", "latency: ", PATHS)


def test_what_machine_modes_make_the_monitor_do_is_bounded(tmp_path: Path) -> None:
    observer = observed(machine_modes(tmp_path), "pmp", "\n", MACHINE_PATHS)
    files = {source.partition(":")[0] for source in observer.turns}
    assert files >= MACHINE_LOOPS


def test_what_a_host_and_its_guests_make_the_monitor_do_is_bounded(tmp_path: Path) -> None:
    observer = observed(hosting(tmp_path), "rtos", "latency: ", HOSTED_PATHS)
    files = {source.partition(":")[0] for source in observer.turns}
    assert "features/hosted/protect.c" in files


def test_what_several_harts_make_the_monitor_do_is_bounded(tmp_path: Path) -> None:
    observer = observed(several_harts(tmp_path), "rtos", "latency: ", HARTS_PATHS, None)
    files = {source.partition(":")[0] for source in observer.turns}
    # What the harts do while they are looked at is not always the same.
    assert files & {"features/harts/shared_lock.c", "features/harts/remote_fence.c"}


def test_what_channels_make_the_monitor_do_is_bounded(tmp_path: Path) -> None:
    observer = observed(channels(tmp_path), "net-flood", "^flood$", CHANNELS_PATHS)
    files = {source.partition(":")[0] for source in observer.turns}
    assert files >= CHANNELS_LOOPS, files
