# SPDX-License-Identifier: BSD-2-Clause
"""The key `guest-window`: where the memory is that a host leaves to guests, and mistakes."""

import fdt
import pytest
from made_images import LINUX, Workshop, workshop

from cotenant.errors import ConfigError
from cotenant.system import load

__all__ = ["workshop"]

MIB = 1 << 20
HOST = LINUX + "guests = 1\n"


def window(workshop: Workshop, text: str) -> tuple[int, int]:
    """Return where the host's memory begins, and where the window lies behind that, bytes each."""
    system = load(workshop.system(text))
    [tree] = [part.data for part in system.tenants[0].parts if part.what == "device tree"]
    [node] = fdt.parse_dtb(tree).get_node("/reserved-memory").nodes
    assert node.get_property("compatible").value == "cotenant,guest-memory"
    assert node.exist_property("no-map")
    high, low, _, size = node.get_property("reg")
    memory = system.tenants[0].memory
    assert node.name == f"guests@{low:x}"
    return (high << 32 | low) - memory.base, size


def test_it_is_in_the_middle(workshop: Workshop) -> None:
    at, size = window(workshop, HOST + 'guest-window = "16M"\n')
    system = load(workshop.system(HOST))
    middle = (system.tenants[0].memory.size - 16 * MIB) // 2
    assert size == 16 * MIB
    assert at % (2 * MIB) == 0
    assert 0 <= middle - at < 2 * MIB


def test_a_longer_command_line_does_not_move_it(workshop: Workshop) -> None:
    """A saved guest needs the same addresses again."""
    text = HOST + 'guest-window = "16M"\n'
    changed = text.replace("console=ttyS0", "console=ttyS0 " + "x" * 200)
    assert window(workshop, text) == window(workshop, changed)


def test_without_the_key_there_is_none(workshop: Workshop) -> None:
    system = load(workshop.system(HOST))
    [tree] = [part.data for part in system.tenants[0].parts if part.what == "device tree"]
    assert "reserved-memory" not in [node.name for node in fdt.parse_dtb(tree).root.nodes]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LINUX + 'guest-window = "16M"\n', "the tenant has no guests"),
        (HOST + 'guest-window = "3M"\n', "no multiple of 2 MiB"),
        (HOST + 'guest-window = "1G"\n', "between the tenant's image and its initrd"),
    ],
)
def test_mistakes_are_explained(workshop: Workshop, text: str, sentence: str) -> None:
    with pytest.raises(ConfigError, match=sentence):
        load(workshop.system(text))
