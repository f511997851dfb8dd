# SPDX-License-Identifier: BSD-2-Clause
"""Cotenant: several operating systems on one RISC-V machine without the hypervisor extension.

The package of the developer's machine. A system description becomes a bundle in these steps, one
module each: `config` and `board` read the TOML files, `devices` settles who owns what,
`imagefile` reads the images, `placement` and `layout` give everything an address, `devicetree`
describes each tenant's machine to it, `accessmap` and `pmp` turn ownership into PMP entries, and
`bundle` writes the file. `system` is the programmatic entrance to all of it.
"""

__version__ = "0.1.0"
