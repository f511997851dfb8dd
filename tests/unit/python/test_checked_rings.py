# SPDX-License-Identifier: BSD-2-Clause
"""Where a queue is, only the code knows that has checked it: see struct virtqueue_ring."""

import re

from cotenant import paths

_RING = re.compile(r"(->|\.)ring\b|struct virtqueue_ring\b")
_OWNER = ("features/virtio/virtqueue.c", "features/virtio/virtqueue.h")


def test_no_other_file_looks_into_a_ring() -> None:
    monitor = paths.MONITOR
    users = {
        str(file.relative_to(monitor))
        for file in sorted(monitor.rglob("*.[ch]"))
        if '#include "features/virtio' in (text := file.read_text()) and _RING.search(text)
    }
    assert users - set(_OWNER) == set()


def test_one_function_makes_a_ring() -> None:
    source = (paths.MONITOR / "features" / "virtio" / "virtqueue.c").read_text()
    made = [match.start() for match in re.finditer(r"ring(\.\w+)? = ", source)]
    begin = source.index("bool virtqueue_start(")
    assert len(made) == 2, "the local name of finish() and what start() makes"
    assert begin < made[0] < source.index("void virtqueue_stop(")
