# SPDX-License-Identifier: BSD-2-Clause
"""Instructions that the firmware takes for what a kernel asks of it most often.

The same program (tenants/bench/bench-sbi.c) runs on Cotenant and on the OpenSBI that comes with
QEMU, with and without Sstc, under `-icount shift=0`.
"""

from cotenant import paths
from cotenant.bench import firmware, samples
from cotenant.bench.row import Row, row
from cotenant.bench.systems import payload, running, system

IMAGE = "bench-sbi"

# What the program calls it, what people call it, and the budget; the emulated device exists only
# on Cotenant.
_CALLS = (
    ("set_timer", "set_timer, round trip", 40),
    ("timer_interrupt", "timer interrupt to STIP, stolen from the kernel", 40),
    ("send_ipi", "send_ipi to self until SSIP", 60),
    ("remote_fence", "remote fence to self, one page", 80),
    ("get_spec_version", "get_spec_version, round trip", None),
    ("probe_extension", "probe_extension, round trip", None),
)
_DEVICES = (
    ("mmio_read", "emulated MMIO read", 250),
    ("mmio_write", "emulated MMIO write", 250),
    ("mmio_read_sv57", "emulated MMIO read, Sv57 page tables", 250),
    ("mmio_write_sv57", "emulated MMIO write, Sv57 page tables", 250),
    ("interrupt_to_claim", "virtual interrupt, injected to claimed", 500),
    ("interrupt_complete", "virtual interrupt, completion", None),
    ("device_complete", "interrupt of an own device, completion", None),
    ("device_complete_sv57", "interrupt of an own device, completion, Sv57 page tables", None),
    ("guarded_read", "guarded device, read of its interrupt status", 250),
    ("guarded_acknowledge", "guarded device, acknowledgement of its interrupt", None),
    ("guarded_notify", "guarded device, notification of a request of one buffer", None),
)
# With Sstc only what concerns the timer is another path.
_SSTC = frozenset({"set_timer", "timer_interrupt"})


def run(quick: bool) -> list[Row]:  # noqa: ARG001 - it is quick as it is
    """Measure; Raises BenchError or RunError when there is no complete result."""
    ours, other = measure(sstc=False), measure_other(sstc=False)
    rows = [
        row(label, "instructions", ours[name], other[name], budget)
        for name, label, budget in _CALLS
    ]
    ours_sstc, other_sstc = measure(sstc=True), measure_other(sstc=True)
    rows += [
        row(f"{label}, Sstc", "instructions", ours_sstc[name], other_sstc[name])
        for name, label, _ in _CALLS
        if name in _SSTC
    ]
    rows += [
        row(label, "instructions", ours[name], None, budget) for name, label, budget in _DEVICES
    ]
    return rows


def measure(*, sstc: bool) -> dict[str, int]:
    """Return the program's figures on Cotenant."""
    kernel = payload("kernel", IMAGE, arguments="devices=1", devices=["rtc", "virtio0"])
    description = system('[qemu.devices]\nvirtio0 = "virtio-rng-device"\n', kernel)
    with running(description, sstc=sstc) as session:
        session.wait_end()
        return samples.medians(session.output("kernel"), f"{IMAGE} on Cotenant")


def measure_other(*, sstc: bool) -> dict[str, int]:
    """Return the program's figures on OpenSBI."""
    output = firmware.run(paths.TENANT_IMAGES / f"{IMAGE}.raw", sstc=sstc)
    return samples.medians(output, f"{IMAGE} on {firmware.NAME}")
