# SPDX-License-Identifier: BSD-2-Clause
"""The payload behind test_rtl.py on a hart that needs no emulation: what it expects is right."""

from systems import VERDICT, Boot, payload, system


def test_time_and_misaligned_accesses(boot: Boot) -> None:
    session = boot(system(payload("rtl-fp-emulation", fp=True)), icount=3)
    assert session.expect("rtl-fp-emulation", VERDICT)[1] == "PASS rtl-fp-emulation"
