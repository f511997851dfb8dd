# SPDX-License-Identifier: BSD-2-Clause
"""The devices of two Linux that switch to each other: a disk for each, and what they share."""

SLOTS = """[qemu.devices]
virtio0 = "virtio-blk-device,drive=disk0"
virtio1 = "virtio-blk-device,drive=disk1"
virtio2 = "virtio-net-device,netdev=net"
virtio3 = "virtio-rng-device"
"""
"""of a system's description; more can follow in the same table"""

QEMU_ARGUMENTS = (
    *("-drive", "if=none,id=disk0,driver=null-co,size=16M"),
    *("-drive", "if=none,id=disk1,driver=null-co,size=16M"),
    *("-netdev", "user,id=net"),
)
