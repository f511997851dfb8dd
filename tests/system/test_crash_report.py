# SPDX-License-Identifier: BSD-2-Clause
"""A crash is told with its place in the tenant's image, and is nothing to the others."""

import json

import pytest
from systems import Boot, freertos, mortal, system

from cotenant.run.results import parse_latency


@pytest.mark.parametrize("image", ["mortal", "freertos-mortal"])
def test_where_it_happened(boot: Boot, image: str) -> None:
    ways = ("crash", "trap", "fail")
    tenants = [mortal(image, way, arguments=f"end={way}") for way in ways]
    session = boot(system(*tenants, freertos()), icount=4)
    session.wait_ready("freertos")
    for way in ways:
        session.wait_state(way, "crashed")
    for way in ("crash", "trap"):
        crash = session.crash(way)
        assert crash is not None and crash.symbol is not None and crash.caller is not None
        assert (crash.what, crash.cause) == ("load access fault", 5)
        assert crash.symbol.partition("+")[0] in (way, "ending_come")
        assert "ending_come+" in crash.caller
        assert crash.address is not None and crash.address % 4096 == 0
        assert json.dumps(crash.as_dict())
    gave_up = session.crash("fail")
    assert gave_up is not None and gave_up.symbol is not None
    assert (gave_up.what, gave_up.cause) == ("shutdown after a system failure", None)
    assert gave_up.symbol.startswith("sbi_shutdown+")
    assert session.crash("freertos") is None
    latency = parse_latency(session.output("freertos"))
    assert latency and latency.missed == 0
