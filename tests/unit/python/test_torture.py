# SPDX-License-Identifier: BSD-2-Clause
"""The campaign's own parts: sets of actions, shrinking, reports, what is a failure."""

import random
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from cotenant import paths
from cotenant.commands.torture import torture
from cotenant.errors import RunError
from cotenant.torture import outcome, report
from cotenant.torture.campaign import Campaign, Extent
from cotenant.torture.coverage import Blocks
from cotenant.torture.kept import Kept
from cotenant.torture.outcome import Failure, Outcome, Witnessed
from cotenant.torture.report import Finding, Report
from cotenant.torture.rounds import KINDS, SPICES, Round, Setting, choose_stress
from cotenant.torture.runner import Runner
from cotenant.torture.shrink import Actions, Shrinker, size
from cotenant.torture.steering import Merits

NUMBERS = st.sets(st.integers(0, 200), max_size=60)
BEGINS = "torture: begins at=0\n"


def kept(numbers: set[int]) -> Kept:
    return Kept.of((number, number) for number in numbers)


def numbers(of: Kept) -> list[int]:
    return [number for first, last in of.ranges for number in range(first, last + 1)]


@settings(deadline=None)
@given(NUMBERS, st.integers(0, 70), st.integers(0, 70))
def test_parts_of_sets_of_actions(some: set[int], start: int, stop: int) -> None:
    ordered = sorted(some)
    assert numbers(kept(some)) == ordered
    assert kept(some).size == len(some)
    assert numbers(kept(some).part(start, stop)) == ordered[start:stop]
    if start <= stop:
        assert numbers(kept(some).without(start, stop)) == ordered[:start] + ordered[stop:]
    assert Kept.parse(str(kept(some))) == kept(some)


@pytest.mark.parametrize("text", ["x", "3-", "7-3", "1;2"])
def test_what_is_no_set_of_actions(text: str) -> None:
    with pytest.raises(ValueError):
        Kept.parse(text)


@settings(deadline=None)
@given(st.sets(st.integers(0, 999), min_size=1, max_size=4), st.booleans())
def test_a_sequence_is_shrunk_to_what_makes_it_fail(needed: set[int], both: bool) -> None:
    """It fails while all of the needed actions are there, of one tenant or of two."""
    needs = {"a": kept(needed)} | ({"b": kept({17})} if both else {})

    def fails(actions: Actions) -> bool:
        return all(
            set(numbers(need)) <= set(numbers(actions.get(name, Kept.none())))
            for name, need in needs.items()
        )

    shrinker = Shrinker(fails, runs=2000)
    left = shrinker.shrink({name: Kept.all(1000) for name in ("a", "b", "c")})
    assert left == needs
    assert shrinker.tried <= 2000


def test_shrinking_keeps_what_still_fails_when_its_runs_are_used_up() -> None:
    def fails(actions: Actions) -> bool:
        return 77 in numbers(actions.get("a", Kept.none()))

    shrinker = Shrinker(fails, runs=5)
    left = shrinker.shrink({"a": Kept.all(1000)})
    assert fails(left) and size(left) < 1000
    assert shrinker.tried == 5


def test_counts_are_the_last_of_each_life() -> None:
    output = (
        f"{BEGINS}torture: at=0 call=1/2/3 hot=1/0/0\ntorture: at=0 call=4/5/6 hot=2/0/0\n"
        f"noise{BEGINS}torture: begins at=7\ntorture: at=7 call=10/0/0 hot=0/0/1\n"
    )
    assert outcome.counts_of(output) == {"call": [14, 5, 6], "hot": [2, 0, 1]}


def test_the_witness_is_judged_against_its_quiet_times() -> None:
    lines = [(100, 9000, 99, 9000), (100, 400, 100, 800), (100, 480, 100, 720)]
    lines += [(100, 4480, 99, 800), (100, 480, 100, 8000)]
    text = "".join(
        f"neighbour: wakes={wakes} worst={worst} alarms={alarms} worst-alarm={alarm} sweeps=3\n"
        for wakes, worst, alarms, alarm in lines
    )
    found = Witnessed.of({"witness": text, "keeper": "fp-witness: rounds=900 sweeps=4\n"})
    assert (found.wakes, found.sweeps, found.rounds) == (500, 3, 900)
    assert found.added(8) == ((4480 - 480) // 8, (8000 - 800) // 8)


@pytest.mark.parametrize(
    ("outputs", "log", "kind", "tenant"),
    [
        ({"hostile0": "x\x00FAIL torture: escape: CSR 0x300\n"}, "", "escape", "hostile0"),
        ({"hostile0": "FAIL torture: a page that is gone\n"}, "", "tenant", "hostile0"),
        ({"hostile0": "unexpected trap: scause=0x1\n"}, "", "tenant", "hostile0"),
        (
            {"hostile0": "FAIL torture: escape: x\n", "witness": "FAIL neighbour: memory\n"},
            "",
            "witness",
            "witness",
        ),
        ({}, "monitor: tenant keeper: crashed: cause=0x1\n", "witness", "keeper"),
        ({}, "monitor: tenant hostile1: crashed; restarting\n", "tenant", "hostile1"),
    ],
)
def test_what_is_a_failure(outputs: dict[str, str], log: str, kind: str, tenant: str) -> None:
    found = outcome.find_failure(outputs, log)
    assert found and (found.kind, found.tenant) == (kind, tenant)


def test_what_is_none() -> None:
    outputs = {"hostile0": f"{BEGINS}torture: done\n", "witness": "neighbour: wakes=1\n"}
    assert outcome.find_failure(outputs, "monitor: tenant hostile1: reboot\n") is None
    assert outcome.is_done(outputs["hostile0"])


def test_the_payload_has_the_kinds_that_are_weighted() -> None:
    source = (paths.ROOT / "tenants" / "payloads" / "torture.c").read_text()
    table = source[source.index("} kinds[] = {") :]
    found = re.findall(r'\{"(\w+)", act_', table[: table.index("};")])
    assert found == list(KINDS)


@pytest.mark.parametrize("harts", [1, 4])
def test_honest_tenants_are_patient_only_where_time_is_the_hosts(harts: int) -> None:
    tenants = tomllib.loads(Round(Setting(harts=harts), 1).describe())["tenant"]
    for name in ("witness", "keeper"):
        assert ("patient=1" in tenants[name]["arguments"].split()) is (harts > 1)


@pytest.mark.parametrize("board", ["qemu-virt", "sifive-unleashed"])
def test_rounds_are_made_from_seed_and_number_alone(board: str) -> None:
    for number in range(1, 30):
        stress = tuple(choose_stress(random.Random(number), {}, board))
        one = Round(Setting(seed=3, board=board), number, stress)
        text = one.describe()
        assert text == Round(Setting(seed=3, board=board), number, stress).describe()
        system = tomllib.loads(text)
        assert {*one.hostile, "witness", "keeper"} <= set(system["tenant"])
        assert one.finishing and set(stress) <= {*KINDS, *SPICES}
        assert "machine" not in stress or board == "qemu-virt"
    assert one.describe() != Round(Setting(seed=4, board=board), number, stress).describe()


def test_a_round_that_is_shrunk_has_the_same_system() -> None:
    setting = Setting(tenants=2, actions=50)
    whole = Round(setting, 1, ("stream",))
    part = Round(setting, 1, ("stream",), {"hostile1": kept({3, 4, 9})})
    assert (whole.planned, part.planned) == (100, 3)
    assert part.finishing == ["hostile1"]
    assert "keep=3-4,9" in part.describe()
    assert part.describe().count("start = 'manual'") == 1
    assert "--keep hostile1=3-4,9" in part.command()


def test_what_reached_much_is_chosen_more_often() -> None:
    merits = Merits()
    for _ in range(20):
        merits.learn(("rings",), 50)
        merits.learn(("call", "hot"), 0)
    weights = merits.weights()
    assert weights["rings"] > 10 * weights["call"]
    chosen = [choose_stress(random.Random(i), weights, "qemu-virt") for i in range(100)]
    assert sum("rings" in each for each in chosen) > sum("call" in each for each in chosen)


def synthetic(seed: int, actions: int, added: int = 100) -> Report:
    made = Report(seeds=[seed], harts=[1], monitor="m", commit="c", blocks=4)
    each = Outcome(counts={"call": [actions, 1, 2]}, lives=2, switches=3)
    each.witnessed = Witnessed(wakes=100, worst=800)
    made.count(each, "qemu-virt", (added, 5))
    made.ran = {f"f+{seed:#x}", "g+0x0"}
    made.idle = [("f", 1, 3), ("g", 1, 1)]
    return made


def test_reports_of_shards_are_merged(tmp_path: Path) -> None:
    for seed in (1, 2):
        synthetic(seed, 10 * seed, added=seed).write(tmp_path / str(seed))
    second = synthetic(3, 5)
    second.findings.append(Finding(4, "escape", "hostile0", "FAIL", "torture --only 4"))
    second.write(tmp_path / "3")
    result = CliRunner().invoke(
        torture,
        ["merge", *(str(tmp_path / str(n)) for n in (1, 2, 3)), "--output", str(tmp_path / "all")],
    )
    assert result.exit_code == 1, result.output
    whole = report.read(tmp_path / "all")
    assert whole.counts == {"call": [35, 3, 6]}
    assert (whole.actions, whole.rounds, whole.seeds) == (44, 3, [1, 2, 3])
    assert whole.ran == {"f+0x1", "f+0x2", "f+0x3", "g+0x0"}
    assert sorted(whole.idle) == [("f", 3, 3), ("g", 1, 1)]
    assert (whole.added, whole.witnessed.wakes) == (100, 300)
    assert "Promises were broken" in result.output and "torture --only 4" in result.output


def test_blocks_of_different_monitors_are_not_added() -> None:
    other = synthetic(2, 1)
    other.monitor = "another"
    whole = report.merge([synthetic(1, 1), other])
    assert (whole.blocks, whole.ran, whole.idle) == (0, set(), [])
    assert whole.actions == 8


def test_another_file_is_no_report(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text('{"form": 99}')
    with pytest.raises(RunError, match="no report"):
        report.read(tmp_path)


@pytest.fixture
def fake_runner(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Round], Outcome]], None]:
    """Let rounds be judged by a function instead of run."""

    def use(judge: Callable[[Round], Outcome]) -> None:
        monkeypatch.setattr(Runner, "run", lambda self, one, progress=None: judge(one))
        monkeypatch.setattr(Campaign, "_cover", lambda self, one, found: 0)

    return use


def all_done(one: Round) -> Outcome:
    return Outcome(counts={"call": [one.planned, 0, 0]})


def test_a_campaign_ends_when_enough_is_done(
    tmp_path: Path, fake_runner: Callable[..., None]
) -> None:
    fake_runner(all_done)
    campaign = Campaign(Setting(tenants=2, actions=10), tmp_path)
    found = campaign.run(Extent(100))
    assert 100 <= found.actions < 120
    assert report.read(tmp_path).actions == found.actions


def test_shards_have_different_rounds(tmp_path: Path, fake_runner: Callable[..., None]) -> None:
    ran: dict[int, list[int]] = {1: [], 2: []}
    for shard, numbers_of in ran.items():

        def judge(one: Round, seen: list[int] = numbers_of) -> Outcome:
            seen.append(one.number)
            return all_done(one)

        fake_runner(judge)
        Campaign(Setting(tenants=2, actions=10), tmp_path).run(Extent(60, shard=(shard, 2)))
    assert not set(ran[1]) & set(ran[2])
    assert ran[1] == list(range(1, 2 * len(ran[1]), 2))


def test_a_failure_is_kept_shrunk_and_told(
    tmp_path: Path, fake_runner: Callable[..., None]
) -> None:
    """One action of one tenant of the third round is an escape."""

    def judge(one: Round) -> Outcome:
        found = all_done(one)
        acts = one.kept.get("hostile1", Kept.none()) if one.kept else Kept.all(1000)
        if one.number == 3 and 432 in numbers(acts):
            found.failure = Failure("escape", "hostile1", "FAIL torture: escape: x")
        if one.tell:
            found.told = ["hostile1: hart 0 action 432: call"]
        return found

    fake_runner(judge)
    (tmp_path / "round").mkdir()
    campaign = Campaign(Setting(tenants=2, actions=1000), tmp_path)
    found = campaign.run(Extent(10_000))
    assert [(each.round, each.kind) for each in found.findings] == [(3, "escape")]
    assert "--keep hostile1=432" in found.findings[0].shrunk
    assert found.findings[0].actions == ["hostile1: hart 0 action 432: call"]
    text = (tmp_path / "report.md").read_text()
    assert "Promises were broken" in text and "--keep hostile1=432" in text


def test_only_the_first_of_failures_that_are_alike_is_shrunk(
    tmp_path: Path, fake_runner: Callable[..., None]
) -> None:
    runs: list[int] = []

    def judge(one: Round) -> Outcome:
        runs.append(one.number)
        found = all_done(one)
        found.failure = Failure("late", "witness", f"a wake-up came {one.number} too late")
        return found

    fake_runner(judge)
    (tmp_path / "round").mkdir()
    campaign = Campaign(Setting(tenants=1, actions=8), tmp_path, shrink_runs=3)
    for number in (1, 2):
        campaign.run_round(Round(campaign.setting, number))
    assert runs.count(1) > 2 and runs.count(2) == 1
    assert len(campaign.report.findings) == 2
    assert campaign.report.findings[0].shrunk and not campaign.report.findings[1].shrunk


def test_blocks_that_ran_are_those_of_the_log() -> None:
    blocks = Blocks(paths.MONITOR_ELF)
    base = 0x8020_0000
    start, *_ = blocks.addresses(["monitor_start+0x0"])
    entry, *_ = blocks.addresses([n for n in blocks.names(blocks.leaders) if "trap_entry+" in n])
    log = "".join(
        f"IN: \n0x{base + place:016x}:  00000013          nop\n" for place in (0, 1, entry - start)
    )
    ran = blocks.ran(log, base)
    assert ran == {start, entry}
    assert len(blocks.leaders) > 5000
    functions = blocks.by_function(ran)
    assert sum(each.ran for each in functions) == 2
    assert sum(each.blocks for each in functions) == len(blocks.leaders)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--shard", "4/3"], "write it like 3/16"),
        (["--actions", "none"], "write it like 200000 or 2e8"),
        (["--only", "1", "--stress", "zeal"], "is none of"),
        (["--only", "1", "--keep", "hostile0=x"], "write it like hostile0=17,40-99"),
        (["--keep", "hostile0=1"], "go with --only"),
    ],
)
def test_wrong_options_are_explained(words: list[str], said: str) -> None:
    result = CliRunner().invoke(torture, words)
    assert result.exit_code == 2
    assert said in result.output


@pytest.mark.parametrize(("kind", "times"), [("call", 8), ("rings", 2)])
def test_what_takes_the_host_long_gets_less_emphasis(kind: str, times: int) -> None:
    def weight(*stress: str) -> int:
        described = tomllib.loads(Round(Setting(), 1, stress).describe())
        arguments = described["tenant"]["hostile0"]["arguments"].split()
        weights = next(each for each in arguments if each.startswith("weights="))
        return int(weights.partition("=")[2].split(",")[list(KINDS).index(kind)])

    assert weight(kind) == times * weight()
