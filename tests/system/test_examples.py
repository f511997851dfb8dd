# SPDX-License-Identifier: BSD-2-Clause
"""The examples, as a user runs them: through the command line."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from systems import NO_SELF_TESTS, is_long

from cotenant import paths

MORTALS = ("mortal", "freertos-mortal")
# These take longer and do more: they have tests of their own, test_debian_disk.py,
# test_switch_debian.py, test_display.py and test_served.py.
ELSEWHERE = ("debian-disk", "switch-two-debians", "switch-display", "served")
EXAMPLES = sorted(
    path for path in (paths.ROOT / "examples").glob("*.toml") if path.stem not in ELSEWHERE
)

# In the short form the others boot without the self-tests of the kernel's cryptography.
UNCHANGED = "linux-freertos"

# What else an example is for: commands that have to succeed.
TRY = {
    "hosted": {"linux": "cohost exec -- uname -r"},
    "vector": {"one": "vectorcheck 1 1", "two": "vectorcheck 1 2"},
    "control-loop": {"linux": "controlplot --batch"},
    "shared-memory": {"linux": "samples 1000"},
    "components": {
        "linux": "wget -qO- http://10.0.0.2/ | grep '<h1>' && wget -qO- http://10.0.0.2/crash/http "
        "&& sleep 0.2 && wget -qO- http://10.0.0.2/stats | grep ' http  *1 '"
    },
    "udp-echo": {"linux": "ping -c 3 10.0.0.2 && udpecho 10.0.0.2 100"},
    "firewall": {
        "outside": "wget -q -O - http://10.0.0.1/hostname | grep server && "
        "ip route add 10.0.1.0/24 via 10.0.0.1 && ! ping -c 1 -W 1 10.0.1.2"
    },
}


def cotenant(*arguments: str, timeout: float = 280) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    command = [sys.executable, "-m", "cotenant", *arguments]
    return subprocess.run(
        command,
        cwd=paths.ROOT,
        env={"PYTHONPATH": str(paths.ROOT / "tool"), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def on_several_harts(tenants: dict[str, Any]) -> bool:
    """Return whether the tenants need more than one hart."""
    harts = [set(each.get("harts", [each.get("hart", 0)])) for each in tenants.values()]
    return len(set().union(*harts)) > 1


def as_tested(example: Path, folder: Path) -> Path:
    """Return the example itself, or in the short form a copy whose Linux boots in half the time."""
    if is_long() or example.stem == UNCHANGED:
        return example
    copy = folder / example.name
    text = example.read_text().replace("console=ttyS0", f"console=ttyS0 {NO_SELF_TESTS}")
    copy.write_text(text.replace('"../', f'"{paths.ROOT}/'))
    return copy


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 3


@pytest.mark.long_form
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs_in_batch(example: Path, tmp_path: Path) -> None:
    description = tomllib.loads(example.read_text())
    tenants = description["tenant"]
    linuxes = [
        name
        for name, keys in tenants.items()
        if "debian-kernel" in (keys["image"], keys.get("kernel", {}).get("file"))
    ]
    waiting = [each for group in description.get("group", {}).values() for each in group["members"]]
    sends = []
    for name in tenants:
        if name in waiting[1:]:  # the first one has its turn at boot
            sends += ["--send", "monitor", f"switch {name}"]
        if name in linuxes:
            sends += ["--send", name, "echo hello from $(uname)"]
    for name, command in TRY.get(example.stem, {}).items():
        sends += ["--send", name, command]
    # QEMU counts instructions fairly for one hart only; with more, the time is the host's.
    counted = description["board"] == "qemu-virt" and not on_several_harts(tenants)
    run = cotenant(
        "run", str(as_tested(example, tmp_path)), "--batch", "--for", "3s", "--json",
        *(["--icount", "4"] if counted else []), "--log-dir", str(tmp_path), *sends,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    result: dict[str, Any] = json.loads(run.stdout)
    assert result["ok"] is True
    assert set(result["tenants"]) == set(tenants)
    for name, tenant in result["tenants"].items():
        assert tenant["ready"], name
        # One that is restarted all the time may be between two lives just now.
        restarting = {"stopping", "loading"} if tenants[name]["image"] in MORTALS else set()
        assert tenant["state"] in {"dormant" if name in waiting[:-1] else "running", *restarting}
        assert tenant["cpu_ns"] > 0 and tenant["switches"] > 0
        assert (tmp_path / f"{name}.log").stat().st_size > 0
        if name in linuxes:
            assert "hello from Linux\n" in tenant["output"]
            assert tenant["commands"][0]["output"] == "hello from Linux\n"
        elif tenants[name]["image"] in MORTALS:
            assert tenant["starts"] > 10 and tenant["hangs"] > 2
            assert tenant["crash"]["symbol"].startswith(("crash+", "trap+"))
            assert "FAIL" not in tenant["output"]
        elif tenants[name]["image"] == "u-boot-machine":
            assert "U-Boot 20" in tenant["output"]
        elif name not in waiting:
            assert tenant["app"]["missed"] == 0 or not counted
            assert tenant["app"]["samples"] > (2500 if counted else 500)


def test_failing_command_fails_the_run() -> None:
    example = str(paths.ROOT / "examples" / "linux-freertos.toml")
    run = cotenant("run", example, "--batch", "--send", "linux", "exit 3")
    assert run.returncode == 1
    assert "exit 3" in run.stderr and "exit code 3" in run.stderr


def test_missing_file_is_a_sentence() -> None:
    run = cotenant("run", "no-such-file.toml", "--batch")
    assert run.returncode == 1
    assert "no-such-file.toml" in run.stderr
    assert "Traceback" not in run.stderr
