# SPDX-License-Identifier: BSD-2-Clause
"""The calls of rtl-calls on Debian's packaged OpenSBI, on the same simulated core."""

import tempfile
from pathlib import Path

from cotenant import paths
from cotenant.bench import firmware
from cotenant.bench.rtl import events as rtl_events
from cotenant.bench.rtl import simulator as rtl_simulator
from cotenant.bench.rtl import toolchain as rtl_toolchain
from cotenant.bench.rtl.systems import Simulation
from cotenant.errors import BenchError

_RAM = 0x8000_0000
_NEXT_STAGE = 0x8020_0000
_ENTER = 0x8030_0000
_DEVICE_TREE = 0x8031_0000
_PROGRAM = "rtl-calls"
_MAX_CYCLES = 20_000_000


def simulate() -> Simulation:
    """Run the program on OpenSBI to its end. Raises BenchError if it does not get there."""
    program = paths.TENANT_IMAGES / f"{_PROGRAM}.elf"
    if not program.is_file():
        raise BenchError(f"{paths.shown(program)} does not exist: run 'make build'")
    with tempfile.TemporaryDirectory(prefix="cotenant-rtl.") as name:
        folder = Path(name)
        bare = rtl_toolchain.BARE
        pieces = {
            _RAM: firmware.find().read_bytes(),
            _NEXT_STAGE: rtl_toolchain.raw(program, folder),
            _ENTER: rtl_toolchain.assemble(bare / "enter.S", _ENTER, folder),
            _DEVICE_TREE: rtl_toolchain.device_tree(bare / "machine.dts", folder),
        }
        image, events = folder / "image", folder / "events"
        image.write_bytes(_joined(pieces))
        options = ("--start", hex(_ENTER))
        text = rtl_simulator.run(image, events, max_cycles=_MAX_CYCLES, options=options)
        return Simulation(rtl_events.read(events), {}, text)


def _joined(pieces: dict[int, bytes]) -> bytes:
    """Return one image from pieces at their addresses, in ascending order."""
    image = bytearray()
    for address, content in pieces.items():
        if len(image) > address - _RAM:
            raise BenchError(f"the firmware does not fit below {address:#x}")
        image.extend(bytes(address - _RAM - len(image)) + content)
    return bytes(image)
