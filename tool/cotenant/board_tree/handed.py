# SPDX-License-Identifier: BSD-2-Clause
"""The plan by which the monitor makes a tenant's tree of the one that is handed over at boot.

It is a device tree of the nodes that the tenant keeps, with what was edited in the tree of the
file. The form is that of monitor/features/handed_tree/merge.h.
"""

from collections.abc import Collection, Iterator, Mapping

from cotenant.board_import.node import Node

_NEW, _NEEDED, _NAME = "plan,new", "plan,needed", "plan,name"
_SAME, _DROP = "plan,same", "plan,drop"
# What the edit relied on: where things are, and which node a reference leads to.
_HANDLES = ("phandle", "linux,phandle")
_PLACES = ("reg", "ranges", "#address-cells", "#size-cells")


def plan(root: Node, origins: Mapping[int, Node], needed: Collection[int]) -> Node:
    """Return the root of the plan for an edited tree.

    `origins`: by the id of each node what it was in the file; a node that is not there is new.
    `needed`: ids of nodes without which the tenant cannot run.
    """
    return _kept(root, None, origins, {*needed, *_above(root, needed)})


def _above(root: Node, needed: Collection[int]) -> Iterator[int]:
    for node in root.all():
        parent = node.parent
        while id(node) in needed and parent is not None:
            yield id(parent)
            parent = parent.parent


def _kept(
    node: Node, parent: Node | None, origins: Mapping[int, Node], needed: Collection[int]
) -> Node:
    origin = origins[id(node)]
    made = Node(origin.name, parent, {})
    relied = [*_HANDLES]
    relied += _PLACES if node.enabled else ()
    relied += ["compatible"] if parent is None else ()
    same = []
    for name, value in node.properties.items():
        if origin.properties.get(name) != value or (name == "status" and not node.enabled):
            made.properties[name] = value
        elif name in relied:
            made.properties[name] = value
            same.append(name)
    dropped = [name for name in origin.properties if name not in node.properties]
    if node.name != origin.name:
        made.set_texts(_NAME, node.name)
    if same:
        made.set_texts(_SAME, *same)
    if dropped:
        made.set_texts(_DROP, *dropped)
    if parent is not None and id(node) in needed:
        made.properties[_NEEDED] = b""
    for child in node.children:
        is_old = id(child) in origins
        made.children.append(_kept(child, made, origins, needed) if is_old else _new(child, made))
    return made


def _new(node: Node, parent: Node) -> Node:
    return Node(node.name, parent, {_NEW: b""} | node.properties, node.children)
