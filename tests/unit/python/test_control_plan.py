# SPDX-License-Identifier: BSD-2-Clause
"""The key `control`: the port that a tenant finds, its rights in the bundle, and mistakes."""

import pytest
from made_images import LINUX, RTOS, Workshop, workshop
from test_channel_plan import TALK, header_of

from cotenant import abi
from cotenant.errors import ConfigError
from cotenant.explain import as_dict
from cotenant.system import load

__all__ = ["workshop"]

OTHER = RTOS.replace("rtos]", "other]")


def test_true_is_everything(workshop: Workshop) -> None:
    header = header_of(workshop, LINUX + "control = true\n" + RTOS + OTHER)
    assert (header.device_count, header.channel_count) == (1, 1)
    channel = header.channels[0]
    assert channel.name == b"cotenant.control"
    assert (channel.kind, channel.end_count) == (abi.bundle("CHANNEL_CONTROL"), 1)
    assert (channel.ends[0].device, channel.ends[0].port) == (0, 0)
    rights = [(tenant.may_see, tenant.may_control) for tenant in header.tenants[:3]]
    assert rights == [(7, 7), (0, 0), (0, 0)]


def test_rights_by_name_behind_a_stream(workshop: Workshop) -> None:
    text = RTOS + 'control = { see = "all", control = ["linux"] }\n'
    header = header_of(workshop, LINUX + "control = false\n" + text + TALK)
    assert [channel.name for channel in header.channels[:2]] == [b"talk", b"cotenant.control"]
    assert (header.channels[1].ends[0].device, header.channels[1].ends[0].port) == (1, 1)
    assert (header.tenants[1].may_see, header.tenants[1].may_control) == (3, 1)


def test_an_empty_table_is_a_port_to_look_at_oneself(workshop: Workshop) -> None:
    header = header_of(workshop, LINUX + "control = {}\n" + RTOS)
    assert header.channel_count == 1
    assert (header.tenants[0].may_see, header.tenants[0].may_control) == (0, 0)


def test_check_tells_of_it(workshop: Workshop) -> None:
    system = load(workshop.system(LINUX + 'control = { control = ["rtos"] }\n' + RTOS))
    told = as_dict(system)
    assert told["channels"] == {}
    assert str({"see": [], "control": ["rtos"]}) in str(told["tenants"])


@pytest.mark.parametrize(
    ("value", "key", "problem"),
    [
        ('"yes"', "tenant.linux.control", "is a string"),
        ('{ see = ["rots"] }', "tenant.linux.control.see", 'no tenant "rots"'),
        ('{ control = "everything" }', "tenant.linux.control.control", "is a string"),
        ("{ sea = [] }", "tenant.linux.control.sea", "unknown"),
    ],
)
def test_mistakes(workshop: Workshop, value: str, key: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(workshop.system(LINUX + f"control = {value}\n" + RTOS))
    assert [each.key for each in caught.value.mistakes] == [key]
    assert problem in str(caught.value)
