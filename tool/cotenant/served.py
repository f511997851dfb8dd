# SPDX-License-Identifier: BSD-2-Clause
"""Devices of a tenant that a program of another tenant serves: see abi/served.h."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cotenant import abi
from cotenant.board import Board
from cotenant.config import ChannelConfig, SystemConfig, TenantConfig
from cotenant.errors import Mistakes
from cotenant.ranges import Range

KIND = "served"
"""of the channel between a tenant that has such devices, its last end, and its server"""

_PREFIX = "served."
"""what the server's port for a client is called by, with the client's name behind; no channel of
the user's can have such a name"""


@dataclass(frozen=True)
class Client:
    """What a server is told of a tenant whose devices it serves."""

    name: str
    port: str
    registers: Range
    """a page for each device"""
    memory: tuple[Range, ...]


def kind_of(device: str) -> int:
    """Return the kind of virtual device that a name in the configuration stands for."""
    return abi.bundle(f"VIRTUAL_SERVED_{device.upper()}")


def channels(config: SystemConfig) -> tuple[ChannelConfig, ...]:
    """Return the channels between servers and their clients."""
    return tuple(
        ChannelConfig(_PREFIX + tenant.name, KIND, (tenant.served_by, tenant.name), {})
        for tenant in config.tenants
        if tenant.served_by is not None
    )


def clients_of(config: SystemConfig, server: str) -> list[TenantConfig]:
    """Return the tenants whose devices a tenant serves."""
    return [tenant for tenant in config.tenants if tenant.served_by == server]


def page_count(config: SystemConfig, server: str) -> int:
    """Return how many pages of registers a server has for its clients' devices."""
    return sum(len(client.served) for client in clients_of(config, server))


def opened(
    config: SystemConfig, memory: Mapping[str, tuple[Range, ...]], server: str
) -> dict[str, Range]:
    """Return what a server may touch of its clients' `memory`, by a name for each range."""
    return {
        f"{_PREFIX}{client.name}{'' if number == 0 else number}": area
        for client in clients_of(config, server)
        for number, area in enumerate(memory.get(client.name, ()))
    }


def view(
    config: SystemConfig,
    memory: Mapping[str, tuple[Range, ...]],
    server: str,
    board: Board,
    virtual_devices: int,
) -> tuple[Client, ...]:
    """Return what a server is told; it has so many virtual devices itself.

    The pages are behind these and a page for doorbells, whether it has doorbells or not.
    """
    found = []
    size = abi.served("PAGE")
    if board.virtual_devices is not None:
        base = board.virtual_devices.base + (virtual_devices + 1) * size
        for client in clients_of(config, server):
            registers = Range(base, len(client.served) * size)
            base = registers.end
            found.append(Client(client.name, _PREFIX + client.name, registers, memory[client.name]))
    return tuple(found)


def check(config: SystemConfig, mistakes: Mistakes) -> None:
    """Note what cannot be: servers that are served, names that are too long, groups."""
    longest = abi.limit("NAME_SIZE") - 1 - len(_PREFIX)
    for tenant in config.tenants:
        if tenant.served_by is None:
            continue
        place = f"{tenant.key}.served-by"
        if _is_circle(config.tenants, tenant):
            mistakes.add(place, "its server waits for it in turn", "let one of them own hardware")
        if len(tenant.name) > longest:
            mistakes.add(
                place,
                f"its name has more than {longest} characters, which is too long for the port",
                "give the tenant a shorter one",
            )
        if config.group_of(tenant.name) is not None:
            mistakes.add(
                place,
                "a member of a group has the group's devices",
                "take it out of the group, or the key out of it",
            )
        if tenant.machine:
            mistakes.add(place, "a tenant in machine mode has no such devices", "take the key out")


def _is_circle(tenants: Sequence[TenantConfig], tenant: TenantConfig) -> bool:
    servers = {each.name: each.served_by for each in tenants}
    server = tenant.served_by
    for _ in tenants:
        if server == tenant.name:
            return True
        server = servers.get(server) if server is not None else None
    return False
