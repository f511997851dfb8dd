# SPDX-License-Identifier: BSD-2-Clause
"""Memory into records: order, wrapping, and memory that is not a trace."""

import pytest
from click.testing import CliRunner
from made_images import LINUX, RTOS, Workshop, workshop
from made_rings import CAPACITY, RING_SIZE, STARTED, SYSTEM, Entry, ring, switch, wake_ups

from cotenant.bundle_struct import MonitorHeader
from cotenant.commands.trace import trace
from cotenant.errors import TraceError
from cotenant.system import build, load
from cotenant.trace import timeline
from cotenant.trace.ring import NO_VHART, Kind, decode
from cotenant.trace.system import read_bundle

__all__ = ["workshop"]


def sources(count: int, start: int = STARTED) -> list[Entry]:
    return [(start + number, Kind.SOURCE, NO_VHART, number) for number in range(count)]


def test_records_come_in_the_order_in_which_they_were_made() -> None:
    (result,) = decode(ring(sources(5)), SYSTEM)
    assert [record.argument for record in result.records] == [0, 1, 2, 3, 4]
    assert result.records[0] == (STARTED, Kind.SOURCE, NO_VHART, 0)
    assert result.lost == 0
    assert result.ticks_per_cycle == 0.01


@pytest.mark.parametrize("count", [CAPACITY, CAPACITY + 1, 2 * CAPACITY, 3 * CAPACITY + 17])
def test_a_ring_that_went_round_has_the_newest(count: int) -> None:
    (result,) = decode(ring(sources(count)), SYSTEM)
    kept = [record.argument for record in result.records]
    assert kept == list(range(count - CAPACITY, count))
    assert result.lost == count - CAPACITY


def test_an_empty_ring_is_no_mistake() -> None:
    (result,) = decode(ring([]), SYSTEM)
    assert result.records == ()


def test_time_goes_on_when_its_bits_in_the_record_overflow() -> None:
    start = (7 << 48) - 2
    (result,) = decode(ring(sources(4, start), started=start), SYSTEM)
    assert [record.time for record in result.records] == [start, start + 1, start + 2, start + 3]


def test_a_cycle_counter_that_stands_still() -> None:
    (result,) = decode(ring(sources(1), measured_cycles=0), SYSTEM)
    assert result.ticks_per_cycle == 0


BACKWARDS = [(STARTED + 5, Kind.SOURCE, NO_VHART, 0), (STARTED + 4, Kind.SOURCE, NO_VHART, 0)]


@pytest.mark.parametrize(
    ("memory", "message"),
    [
        (b"", "takes 4096 bytes, not 0"),
        (ring(sources(5))[:-16], "takes 4096 bytes, not 4080"),
        (bytes(RING_SIZE), "no trace of hart 0 in this memory"),
        (b"\xff" * RING_SIZE, "no trace of hart 0 in this memory"),
        (ring(sources(5), version=99), "has version 99"),
        (ring(sources(5), hart=1), "is that of hart 1"),
        (ring(sources(5), capacity=CAPACITY + 1), f"{CAPACITY} were expected"),
        (ring(sources(5), capacity=0), f"{CAPACITY} were expected"),
        (ring(sources(5), next=4), "5 records were written, and the next one is to be 4"),
        (ring(sources(5), written=6, next=6), "record 5 of hart 0's trace is garbled"),
        (ring(BACKWARDS), "record 1 of hart 0's trace is garbled"),
        (ring([(STARTED, Kind.SOURCE, 2, 0)]), "record 0 of hart 0's trace is garbled"),
        (ring(sources(2), started=STARTED + 1), "record 1 of hart 0's trace is garbled"),
    ],
)
def test_what_is_no_trace_is_refused_with_a_sentence(memory: bytes, message: str) -> None:
    with pytest.raises(TraceError, match=message):
        decode(memory, SYSTEM)


def with_image_size(workshop: Workshop) -> None:
    """Let the workshop's monitor say how large it is, as a real one does."""
    file = workshop.folder / "monitor.bin"
    data = file.read_bytes()
    monitor = MonitorHeader.from_buffer_copy(data)
    monitor.image_size = len(data)
    file.write_bytes(bytes(monitor) + data[len(bytes(monitor)) :])


def test_the_bundle_tells_where_the_rings_are(workshop: Workshop) -> None:
    with_image_size(workshop)
    system = load(workshop.system(LINUX + RTOS), trace_ring=1 << 20)
    result = read_bundle(build(system, workshop.folder / "bundle.bin").bundle)
    assert [tenant.name for tenant in result.tenants] == ["linux", "rtos"]
    assert result.vharts == ((0, 0), (1, 0))
    assert result.vhart_name(1) == "rtos"
    assert result.ring_size == result.size == 1 << 20
    assert result.base == system.trace.base
    assert result.base + result.size == system.monitor.end
    assert result.tenants[0].device_at(0x1000_0005) == ("UART", 5)


def test_a_ring_for_each_hart(workshop: Workshop) -> None:
    """The vharts of one tenant are told apart, and the harts have the board's ids."""
    with_image_size(workshop)
    linux = LINUX.replace("priority", "harts = [2, 1]\npriority")
    system = load(workshop.system(linux + RTOS + "hart = 1\n"), trace_ring=RING_SIZE)
    found = read_bundle(build(system, workshop.folder / "bundle.bin").bundle)
    assert (found.harts, found.size) == ((0, 1, 2), 3 * RING_SIZE)
    assert found.base + found.size == system.trace.end == system.monitor.end
    shared = [switch(2_000, NO_VHART, 1), switch(3_000, 1, 2), switch(4_000, 2, 1)]
    own = [switch(2_500, NO_VHART, 0), switch(3_500, 0, NO_VHART)]
    memory = ring([]) + ring(shared, hart=1) + ring(own, hart=2)
    harts = timeline.build(decode(memory, found), found)
    assert {hart.name: [event.name for event in hart.running] for hart in harts} == {
        "hart 1": ["linux hart 1", "rtos", "linux hart 1"],
        "hart 2": ["linux hart 0", "idle"],
    }


def test_the_command_takes_the_memory_that_a_debugger_read(workshop: Workshop) -> None:
    with_image_size(workshop)
    file = str(workshop.system(LINUX + RTOS))
    memory = workshop.folder / "memory.bin"
    arguments = [file, "--memory", str(memory), "--ring", "4K", "-o", "out.pftrace"]
    memory.write_bytes(ring(wake_ups(5)))
    result = CliRunner().invoke(trace, [*arguments, "--svg", "out.svg", "--length", "2ms"])
    assert result.exit_code == 0, result.output
    assert "hart 0: 26 records" in result.output
    assert "longest in the monitor: timer interrupt of tenant linux, 0.2 us" in result.output
    assert (workshop.folder / "out.pftrace").stat().st_size > 0
    assert (workshop.folder / "out.svg").stat().st_size > 0

    memory.write_bytes(bytes(RING_SIZE))
    result = CliRunner().invoke(trace, arguments)
    assert result.exit_code == 1
    assert "there is no trace of hart 0" in result.output
    memory.unlink()
    result = CliRunner().invoke(trace, arguments)
    assert result.exit_code == 1
    assert "cannot be read" in result.output


@pytest.mark.parametrize("size", ["1K", "5000", "512M", "much"])
def test_a_ring_of_an_impossible_size_is_refused(workshop: Workshop, size: str) -> None:
    result = CliRunner().invoke(trace, [str(workshop.system(LINUX)), "--ring", size])
    assert result.exit_code == 2
    assert "--ring" in result.output


def test_a_bundle_without_a_trace_is_refused(workshop: Workshop) -> None:
    with_image_size(workshop)
    system = load(workshop.system(LINUX + RTOS))
    assert system.trace.size == 0
    built = build(system, workshop.folder / "bundle.bin")
    with pytest.raises(TraceError, match="without room for a trace"):
        read_bundle(built.bundle)


def test_a_trace_takes_the_monitor_more_memory(workshop: Workshop) -> None:
    path = workshop.system(LINUX + RTOS)
    without = load(path).monitor.size
    assert load(path, trace_ring=8 << 20).monitor.size == without + (8 << 20)
