# SPDX-License-Identifier: BSD-2-Clause
"""A short campaign of random attacks: no promise is broken, and a round repeats exactly."""

from pathlib import Path

import pytest
from systems import is_long

from cotenant.torture.campaign import Campaign
from cotenant.torture.kept import Kept
from cotenant.torture.rounds import Round, Setting
from cotenant.torture.runner import Runner

STRESS = ("register", "rings", "stream", "net", "host")
ACTIONS = 20_000 if is_long() else 3_000


@pytest.mark.long_form
def test_honest_tenants_keep_all_that_is_theirs(tmp_path: Path) -> None:
    setting = Setting(seed=19, tenants=2, actions=ACTIONS)
    campaign = Campaign(setting, tmp_path, shrink_runs=0)
    outcome = campaign.run_round(Round(setting, 1, STRESS))
    assert not campaign.report.findings
    assert outcome.actions == 2 * ACTIONS
    kinds = {kind for kind, counts in outcome.counts.items() if sum(counts)}
    assert kinds >= {"call", "hot", "feature", "foreign", "register", "instruction", "rings"}
    assert outcome.counts["foreign"][0] == outcome.counts["foreign"][1] == 0
    assert outcome.witnessed.wakes >= 300 and outcome.witnessed.rounds > 0
    assert len(outcome.blocks) > 2000


@pytest.mark.long_form
def test_a_round_repeats_exactly_without_the_actions_that_are_left_out(tmp_path: Path) -> None:
    setting = Setting(seed=19, tenants=2, actions=ACTIONS)
    part = Round(setting, 1, STRESS, {"hostile1": Kept.of([(0, 99), (500, 509)])})
    runner = Runner(tmp_path)
    first, again = runner.run(part), runner.run(part)
    assert first.failure is None
    assert first.actions == 110
    assert first.counts == again.counts
