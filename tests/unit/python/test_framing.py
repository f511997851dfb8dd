# SPDX-License-Identifier: BSD-2-Clause
"""The framed console line: every cut, every noise."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant.run import framing
from cotenant.run.framing import FRAME_MAX_PAYLOAD, Frame, FrameDecoder, encode_frames

channels = st.integers(0, framing.MAX_TENANTS)
messages = st.lists(st.tuples(channels, st.binary(min_size=1, max_size=300)), max_size=8)
no_start = st.binary(max_size=40).map(lambda noise: noise.replace(b"\x7e", b""))


def decode_in_pieces(stream: bytes, sizes: list[int]) -> list[Frame]:
    """Feed a stream in pieces of the given sizes, the rest at the end."""
    decoder = FrameDecoder()
    frames = []
    for size in sizes:
        frames += decoder.feed(stream[:size])
        stream = stream[size:]
    return frames + decoder.feed(stream)


@settings(deadline=None)
@given(messages, st.lists(st.integers(0, 70)))
def test_what_is_encoded_is_decoded_however_the_stream_is_cut(
    sent: list[tuple[int, bytes]], sizes: list[int]
) -> None:
    stream = b"".join(frame for each in sent for frame in encode_frames(*each))
    received = decode_in_pieces(stream, sizes)
    for channel in range(framing.MAX_TENANTS + 1):
        expected = b"".join(data for each, data in sent if each == channel)
        assert b"".join(f.payload for f in received if f.channel == channel) == expected


@settings(deadline=None)
@given(st.lists(st.tuples(no_start, channels, st.binary(min_size=1, max_size=64))))
def test_noise_between_frames_is_dropped(parts: list[tuple[bytes, int, bytes]]) -> None:
    stream = b"".join(noise + encode_frames(channel, data)[0] for noise, channel, data in parts)
    decoder = FrameDecoder()
    assert decoder.feed(stream) == [Frame(channel, data) for _, channel, data in parts]
    assert decoder.noise == b"".join(noise for noise, _, _ in parts)


@settings(deadline=None)
@given(st.binary(max_size=500))
def test_any_stream_is_survived_and_the_line_recovers(stream: bytes) -> None:
    decoder = FrameDecoder()
    decoder.feed(stream)
    assert decoder.pending <= 3 + FRAME_MAX_PAYLOAD
    decoder.feed(b"\0" * (3 + FRAME_MAX_PAYLOAD))
    assert decoder.feed(b"\x7e\x01\x02ok") == [Frame(1, b"ok")]


def test_payload_may_look_like_a_frame() -> None:
    inner = b"".join(encode_frames(0, b"quit\n"))
    assert FrameDecoder().feed(encode_frames(3, inner)[0]) == [Frame(3, inner)]


@pytest.mark.parametrize("header", [b"\x7e\x01\x00", b"\x7e\x01\x41", b"\x7e\x11\x01"])
def test_frame_with_an_impossible_header_is_noise(header: bytes) -> None:
    decoder = FrameDecoder()
    assert decoder.feed(header + b"\x7e\x02\x01x") == [Frame(2, b"x")]
    assert decoder.noise == header


def test_no_data_makes_no_frame() -> None:
    assert encode_frames(1, b"") == []


def test_channel_must_fit_a_byte() -> None:
    with pytest.raises(ValueError, match="256"):
        encode_frames(256, b"x")
