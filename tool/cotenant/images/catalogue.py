# SPDX-License-Identifier: BSD-2-Clause
"""The images that the tool brings itself.

Some are parts of others and have no file of their own for a tenant: the busybox program goes into
every initramfs, the modules lie beside the kernel.
"""

from . import (
    cohost_images,
    control_images,
    disk_images,
    initramfs_images,
    kernel_images,
    packaged_images,
)

CATALOGUE = {
    image.name: image
    for image in (
        *kernel_images.IMAGES,
        *packaged_images.IMAGES,
        *initramfs_images.IMAGES,
        *control_images.IMAGES,
        *cohost_images.IMAGES,
        *disk_images.IMAGES,
    )
}
