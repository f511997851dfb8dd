# SPDX-License-Identifier: BSD-2-Clause
"""A timeline as a file for Perfetto (its protobuf form: TrackDescriptor and TrackEvent packets)."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import (
    DebugAnnotation,
    TracePacket,
    TrackDescriptor,
    TrackEvent,
)
from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder

from cotenant import durable
from cotenant.errors import TraceError
from cotenant.trace.timeline import Event, HartTimeline

# All packets come from one writer.
_SEQUENCE = 1


class _Writer:
    def __init__(self, builder: StreamingTraceProtoBuilder) -> None:
        self._builder = builder
        self._tracks = 0

    def track(self, name: str, parent: int = 0) -> int:
        """Declare a track and return its number. Its children are shown in the order declared."""
        self._tracks += 1
        packet = self._packet()
        if self._tracks == 1:
            packet.sequence_flags = TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
        packet.track_descriptor.uuid = self._tracks
        packet.track_descriptor.name = name
        packet.track_descriptor.child_ordering = TrackDescriptor.EXPLICIT
        packet.track_descriptor.sibling_order_rank = self._tracks
        if parent:
            packet.track_descriptor.parent_uuid = parent
        self._builder.write_packet(packet)
        return self._tracks

    def event(self, track: int, event: Event) -> None:
        """Write a slice, or an instant."""
        if event.start == event.end:
            self._write(track, event.start, TrackEvent.TYPE_INSTANT, event)
        else:
            self._write(track, event.start, TrackEvent.TYPE_SLICE_BEGIN, event)
            self._write(track, event.end, TrackEvent.TYPE_SLICE_END, None)

    def _write(self, track: int, time: int, kind: TrackEvent.Type, event: Event | None) -> None:
        packet = self._packet()
        packet.timestamp = time
        packet.track_event.type = kind
        packet.track_event.track_uuid = track
        if event:
            packet.track_event.name = event.name
            packet.track_event.debug_annotations.extend(_annotations(event))
        self._builder.write_packet(packet)

    def _packet(self) -> TracePacket:
        packet = self._builder.create_packet()
        packet.trusted_packet_sequence_id = _SEQUENCE
        return packet


def _annotations(event: Event) -> Iterator[DebugAnnotation]:
    for name, value in event.details.items():
        if isinstance(value, int):
            yield DebugAnnotation(name=name, int_value=value)
        else:
            yield DebugAnnotation(name=name, string_value=value)


def write(harts: Sequence[HartTimeline], output: Path) -> None:
    """Write the file. Raises TraceError if that is not possible."""
    try:
        with durable.replacing(output) as file:
            writer = _Writer(StreamingTraceProtoBuilder(file))
            for hart in harts:
                _write_hart(writer, hart)
    except OSError as error:
        raise TraceError(f"{output} cannot be written: {error.strerror}") from error


def _write_hart(writer: _Writer, hart: HartTimeline) -> None:
    track = writer.track(hart.name)
    for event in hart.running:
        writer.event(track, event)
    for kind, events in hart.tracks.items():
        if events:
            below = writer.track(kind.value, track)
            for event in events:
                writer.event(below, event)
