# SPDX-License-Identifier: BSD-2-Clause
"""Records into slices, and slices into files."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_rings import (
    CAPACITY,
    LINUX,
    RTOS,
    SYSTEM,
    TICK_NS,
    Entry,
    ring,
    switch,
    trap,
    wake_ups,
)
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from cotenant import abi
from cotenant.errors import TraceError
from cotenant.trace import perfetto_file
from cotenant.trace.picture import Window, draw
from cotenant.trace.ring import NO_VHART, Kind, decode
from cotenant.trace.timeline import HartTimeline, Track, build


def timeline(records: Sequence[Entry]) -> HartTimeline:
    (result,) = build(decode(ring(records), SYSTEM), SYSTEM)
    return result


def names(hart: HartTimeline, track: Track) -> list[str]:
    return [event.name for event in hart.tracks[track]]


def test_slices_of_the_tenants_alternate_without_a_gap() -> None:
    hart = timeline(wake_ups(3))
    assert hart.name == "hart 3"
    assert [event.name for event in hart.running] == ["linux", "rtos"] * 3 + ["linux"]
    assert all(before.end == after.start for before, after in pairwise(hart.running))
    rtos = [event for event in hart.running if event.name == "rtos"]
    assert [event.end - event.start for event in rtos] == [100 * TICK_NS] * 3
    assert [b.start - a.start for a, b in pairwise(rtos)] == [1_000_000] * 2


def test_traps_have_names_lengths_and_details() -> None:
    hart = timeline(wake_ups(1))
    (interrupt,) = hart.tracks[Track.INTERRUPTS]
    assert interrupt.name == "timer interrupt"
    assert interrupt.start == 10_000 * TICK_NS
    assert interrupt.end - interrupt.start == 2 * TICK_NS
    assert interrupt.details == {"tenant": "linux", "cycles": 200}
    (call,) = hart.tracks[Track.CALLS]
    assert call.name == "TIME set_timer"
    assert call.details["result"] == "success"
    assert names(hart, Track.WAITS) == ["wait for interrupt"]


def test_a_ring_that_went_round_knows_who_ran_at_its_beginning() -> None:
    hart = timeline(wake_ups(CAPACITY))
    assert hart.lost == 5 * CAPACITY + 1 - CAPACITY
    running = [event.name for event in hart.running]
    assert set(running) == {"linux", "rtos"}
    assert all(before != after for before, after in pairwise(running))


def test_an_idle_hart_has_no_tenant_and_its_trap_ends_where_sleep_begins() -> None:
    hart = timeline(
        [
            switch(2_000, NO_VHART, RTOS),
            trap(3_000, Kind.EXCEPTION, RTOS, 2, ticks=600),
            switch(3_002, RTOS, NO_VHART),
            switch(9_000, NO_VHART, RTOS),
            trap(9_500, Kind.INTERRUPT, RTOS, 7),
            switch(9_501, RTOS, LINUX),
        ]
    )
    assert [event.name for event in hart.running] == ["rtos", "idle", "rtos", "linux"]
    (wait,) = hart.tracks[Track.WAITS]
    assert (wait.start, wait.end) == (3_000 * TICK_NS, 3_002 * TICK_NS)


def test_devices_faults_sources_and_lives() -> None:
    uart, ram = 0x1000_0005, 0xDEAD_0000_0000
    hart = timeline(
        [
            (2_000, Kind.TENANT, NO_VHART, 0x0200),
            switch(2_000, NO_VHART, LINUX),
            trap(3_000, Kind.EXCEPTION, LINUX, 5),
            (3_001, Kind.MMIO, LINUX, uart),
            trap(3_100, Kind.EXCEPTION, LINUX, 7),
            (3_101, Kind.MMIO, LINUX, 0x0C20_1004 | 1 << 56),
            trap(3_200, Kind.EXCEPTION, LINUX, 7),
            (3_201, Kind.FAULT, LINUX, ram),
            trap(3_300, Kind.INTERRUPT, LINUX, 11),
            (3_301, Kind.SOURCE, NO_VHART, 10),
            (3_302, Kind.CONSOLE, NO_VHART, 0),
            trap(3_400, Kind.SBI, LINUX, 0x999 | 3 << 32 | 0xFE << 40),
            trap(3_500, Kind.EXCEPTION, LINUX, 2),
            (3_600, Kind.TENANT, NO_VHART, 0x0401),
        ]
    )
    assert names(hart, Track.DEVICES) == ["load UART+0x5", "store PLIC+0x201004"]
    (fault, illegal) = hart.tracks[Track.FAULTS]
    assert (fault.name, fault.details["address"]) == ("store refused", "0xdead00000000")
    assert illegal.name == "illegal instruction"
    assert hart.tracks[Track.INTERRUPTS][0].details["source"] == 10
    assert names(hart, Track.CONSOLE) == ["console step"]
    (call,) = hart.tracks[Track.CALLS]
    assert (call.name, call.details["result"]) == ("SBI 0x999 function 3", "not supported")
    assert names(hart, Track.TENANTS) == ["linux started", "rtos crashed"]


def test_a_trap_ends_before_the_next_begins_and_a_half_done_one_is_left_out() -> None:
    hart = timeline(
        [
            switch(2_000, NO_VHART, LINUX),
            trap(3_000, Kind.INTERRUPT, LINUX, 7, ticks=50),
            trap(3_010, Kind.INTERRUPT, LINUX, 7),
            trap(3_020, Kind.INTERRUPT, LINUX, 7, ticks=0),
        ]
    )
    first, second = hart.tracks[Track.INTERRUPTS]
    assert (first.start, first.end) == (3_000 * TICK_NS, 3_010 * TICK_NS)
    assert (second.start, second.end) == (3_010 * TICK_NS, 3_012 * TICK_NS)


def test_every_sbi_extension_has_a_name() -> None:
    for name, number in abi.header("sbi.h").items():
        if name.startswith("SBI_EXT_"):
            hart = timeline([trap(2_000, Kind.SBI, LINUX, number), switch(3_000, LINUX, RTOS)])
            assert hart.tracks[Track.CALLS][0].name.startswith(name.removeprefix("SBI_EXT_"))


def test_perfetto_file_keeps_the_rules_of_track_events(tmp_path: Path) -> None:
    """Each track is declared once, before its events; slices of a track are closed in order."""
    output = tmp_path / "trace.pftrace"
    perfetto_file.write([timeline(wake_ups(3))], output)
    trace = Trace.FromString(output.read_bytes())
    tracks: dict[int, str] = {}
    parents: dict[int, int] = {}
    open_since: dict[int, int] = {}
    slices: dict[str, list[tuple[int, int]]] = {}
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id == 1
        if packet.HasField("track_descriptor"):
            number = packet.track_descriptor.uuid
            assert number not in tracks
            tracks[number] = packet.track_descriptor.name
            parents[number] = packet.track_descriptor.parent_uuid
            continue
        event = packet.track_event
        track = tracks[event.track_uuid]
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            assert event.name
            assert event.track_uuid not in open_since
            open_since[event.track_uuid] = packet.timestamp
        elif event.type == TrackEvent.TYPE_SLICE_END:
            begin = open_since.pop(event.track_uuid)
            slices.setdefault(track, []).append((begin, packet.timestamp))
    assert not open_since
    assert list(tracks.values()) == ["hart 3", "interrupts", "SBI calls", "waits"]
    assert [parents[number] for number in tracks] == [0, 1, 1, 1]
    assert len(slices["hart 3"]) == 6  # the last one has only begun
    for found in slices.values():
        assert all(begin < end for begin, end in found)
        assert all(before[1] <= after[0] for before, after in pairwise(found))


def test_picture_is_the_same_each_time_and_names_what_it_shows(tmp_path: Path) -> None:
    hart = timeline(wake_ups(20))
    window = Window(1_000_000, 5_000_000)
    files = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for file in files:
        draw([hart], window, file)
    assert files[0].read_bytes() == files[1].read_bytes()
    texts = {text.text for text in ElementTree.parse(files[0]).iterfind(".//{*}text") if text.text}
    assert {"linux", "rtos", "interrupts", "SBI calls", "waits"} <= texts


@pytest.mark.parametrize(
    ("start", "name", "message"),
    [(10**12, "a.svg", "nothing was recorded"), (0, "none/a.svg", "cannot be written")],
)
def test_a_picture_that_cannot_be_made(tmp_path: Path, start: int, name: str, message: str) -> None:
    with pytest.raises(TraceError, match=message):
        draw([timeline(wake_ups(20))], Window(start, 5_000_000), tmp_path / name)
