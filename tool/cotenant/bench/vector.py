# SPDX-License-Identifier: BSD-2-Clause
"""Vector registers: what it takes to move them, and what that delays a tenant above by.

The tenant above is FreeRTOS at 1 kHz. Below it two tenants fill all vector registers and take
turns, so that the registers change hands with each slice. Nobody types anything meanwhile, so each
run is the same.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cotenant import paths
from cotenant.bench import switch
from cotenant.bench.latency import ICOUNT, IMAGE, RTOS, Latencies, parse
from cotenant.bench.row import Row, row
from cotenant.bench.systems import payload, running, system, tenant

BITS = 512
"""of a register: the most that QEMU 7.2 has"""
_SAMPLES = 20_000
_SAMPLES_QUICK = 3_000
# No divisor of FreeRTOS's period: the moments at which it is due move through the slices.
_SLICE = "170us"
_COMPUTES = 10**5
_BUDGET_WORST = 400


def run(quick: bool) -> list[Row]:
    """Measure the switches, then the latencies."""
    count = _SAMPLES_QUICK if quick else _SAMPLES
    rows: list[Row] = []
    with board(BITS) as name:
        for sstc in (False, True):
            ways = switch.measure_pair(sstc=sstc, rtos_fp=True, other_fp=True, board=name)
            suffix = f"Sstc {'on' if sstc else 'off'}"
            rows += [
                row(f"vectors in both, {suffix}: in (timer)", "instructions", ways.into),
                row(f"vectors in both, {suffix}: out (WFI)", "instructions", ways.out),
            ]
        quiet = measure(name, count, below=False, above=False)
        for above in (False, True):
            found = measure(name, count, below=True, above=above)
            what = f"FreeRTOS {'with' if above else 'without'} vectors, above two that change them"
            for key, value in found.figures().items():
                rows.append(row(f"{what}: {key}", "instructions", value))
            if not above:
                added = max(found.counts) - max(quiet.counts)
                rows.append(
                    row(f"{what}: added to the worst", "instructions", added, None, _BUDGET_WORST)
                )
        rows.append(
            row("FreeRTOS above two that take turns: max", "instructions", max(quiet.counts))
        )
    return rows


@contextmanager
def board(bits: int) -> Iterator[str]:
    """Return the file of a board whose harts have vector registers of so many bits."""
    text = (paths.BOARDS / "qemu-virt-vector.toml").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="cotenant-bench.") as folder:
        file = Path(folder) / "board.toml"
        text = text.replace("vlen = 256", f"vlen = {bits}").replace("vlen=256", f"vlen={bits}")
        file.write_text(text, encoding="utf-8")
        yield str(file)


def measure(board_name: str, count: int, *, below: bool, above: bool) -> Latencies:
    """Return how late FreeRTOS's handler is; it and two below have vector registers, or not."""
    arguments = f"icount={ICOUNT} samples={count}"
    rtos = tenant(RTOS, priority=10, memory="4M", image=IMAGE, fp=above, arguments=arguments)
    others = (
        payload(
            name,
            "vector-keeper" if below else "spin",
            slice=_SLICE,
            fp=below,
            arguments=f"rounds={10**15} spin={_COMPUTES} seed={seed}" if below else "",
        )
        for seed, name in enumerate(("one", "two"), start=1)
    )
    description = system(rtos, *others, board=board_name)
    with running(description, sstc=True, icount=ICOUNT) as session:
        session.expect(RTOS, "^bench: end$")
        return parse(session.output(RTOS), "vectors")["handler"]
