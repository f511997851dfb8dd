# SPDX-License-Identifier: BSD-2-Clause
"""The text of a new system's description, with a comment at each line that one may change."""

from dataclasses import dataclass

FREERTOS, LINUX, NOTHING = "freertos", "linux", "nothing"


@dataclass(frozen=True)
class Wishes:
    """What the user was asked."""

    beside: str
    """`freertos`, `linux`, `nothing`, or the path of an image, from the place of the file"""
    memory: str
    """of Debian, such as 512M"""
    own_hart: bool
    """the second tenant has a hart for itself"""
    control: bool
    """Debian may look at, stop and restart the others"""


def description(wishes: Wishes, program: str, file: str) -> str:
    """Return the whole file."""
    parts = [
        f"# A system of Cotenant. Run it with\n#\n#     {program} run {file}\n#\n"
        "# docs/configuration.md tells of every key.\n",
        'board = "qemu-virt"             # a machine of boards/, or the path of a file\n',
        _debian("linux", wishes),
    ]
    if wishes.beside == LINUX:
        parts.append(_second_debian(wishes))
    elif wishes.beside == FREERTOS:
        parts.append(_freertos(wishes))
    elif wishes.beside != NOTHING:
        parts.append(_image(wishes))
    return "\n".join(parts)


def _line(text: str, comment: str) -> str:
    return f"{text:<31} # {comment}\n"


def _hart(wishes: Wishes) -> str:
    if not wishes.own_hart:
        return ""
    return _line("hart = 1", "a hart for itself; without this line it shares hart 0")


def _debian(name: str, wishes: Wishes) -> str:
    initrd = "debian-control-initramfs" if wishes.control else "debian-initramfs"
    return "".join(
        (
            _line(f"[tenant.{name}]", "the name is yours; the first one has the keyboard"),
            _line("priority = 1", "runs when no tenant above it needs the hart"),
            _line(f'memory = "{wishes.memory}"', "a place for it is found"),
            _line('image = "debian-kernel"', "fetched from Debian; or the path of your own"),
            _line(f'initrd = "{initrd}"', "busybox: a shell on the console"),
            _line('arguments = "console=ttyS0"', "the kernel command line"),
            _line('ready = "cotenant: ready"', "what it prints when it is up"),
            _line('devices = ["rtc", "virtio*"]', "real devices, its own"),
            _line("control = true", "cotenantctl in it sees and commands the others")
            if wishes.control
            else "",
        )
    )


def _second_debian(wishes: Wishes) -> str:
    return "".join(
        (
            "[tenant.other]\n",
            _line("priority = 1", "the same: they take turns"),
            _line(f'memory = "{wishes.memory}"', "apart from the first one's, by PMP"),
            'image = "debian-kernel"\n',
            'initrd = "debian-initramfs"\n',
            'arguments = "console=ttyS0"\n',
            'ready = "cotenant: ready"\n',
            _hart(wishes),
        )
    )


def _freertos(wishes: Wishes) -> str:
    return "".join(
        (
            "[tenant.freertos]\n",
            _line("priority = 10", "takes the hart from Linux the moment it wants it"),
            'memory = "4M"\n',
            _line('image = "freertos-latency"', "built from tenants/freertos"),
            _line("fp = false", "our promise that it uses no floating point"),
            _line('ready = "latency: samples="', "what it prints when it is up"),
            _hart(wishes),
        )
    )


def _image(wishes: Wishes) -> str:
    return "".join(
        (
            "[tenant.mine]\n",
            _line("priority = 10", "takes the hart from Linux the moment it wants it"),
            _line('memory = "16M"', "for a place of its own: { base = 0x8000_0000, size = ... }"),
            _line(f"image = {_quoted(wishes.beside)}", "ELF, Linux Image, or raw"),
            _line('# ready = "up and running"', "what it prints when it is up, if it does"),
            _line('# budget = "500us/1ms"', "the most that it may take of the hart"),
            _hart(wishes),
        )
    )


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
