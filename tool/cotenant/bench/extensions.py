# SPDX-License-Identifier: BSD-2-Clause
"""What a tenant adds to the wake-up of an RTOS above it by optional extensions of the SBI.

From the moment the RTOS' timer is due to the first instruction of its handler, at worst, beside the
same above a tenant that only computes. The tenant has the features of an extension in use, or
calls it without a pause besides.
"""

from cotenant.bench.latency import ICOUNT, RTOS, rtos, take
from cotenant.bench.row import Row, row
from cotenant.bench.systems import payload, running, system
from cotenant.run.session import Session

_SAMPLES = 3000
_SAMPLES_QUICK = 500
_BUDGET = 400
_TENANT = "hostile"
_IMAGE = "hostile-features"
# Letters of the payload: the features in use; the same in capitals are called without a pause.
_EXTENSIONS = {"PMU": "c", "DBTR": "t", "STA": "s", "SSE": "e", "all of them": "ctse"}


def run(quick: bool) -> list[Row]:
    """Measure without Sstc and with it."""
    count = _SAMPLES_QUICK if quick else _SAMPLES
    return [row for sstc in (False, True) for row in _measure(count, sstc=sstc)]


def _measure(count: int, *, sstc: bool) -> list[Row]:
    """Return the worst latency beside nothing, and what each extension adds to it."""
    suffix = f"Sstc {'on' if sstc else 'off'}"
    description = system(payload(_TENANT, _IMAGE), rtos(f"icount={ICOUNT}"))
    with running(description, sstc=sstc, icount=ICOUNT) as session:
        session.expect(RTOS, "^bench: ready$")
        session.expect(_TENANT, f"^{_IMAGE}: $")
        quiet = _worst(session, count, "nothing")
        rows = [row(f"worst above a tenant that computes, {suffix}", "instructions", quiet)]
        for name, letters in _EXTENSIONS.items():
            for how, typed in {"in use": letters, "called": letters.upper()}.items():
                session.send(_TENANT, f"{typed}\n".encode())
                session.expect(_TENANT, f"^{_IMAGE}: {typed}$")
                added = _worst(session, count, typed) - quiet
                rows.append(row(f"{name} {how}, {suffix}", "instructions", added, None, _BUDGET))
    return rows


def _worst(session: Session, count: int, load: str) -> int:
    return max(take(session, count, load)["handler"].counts)
