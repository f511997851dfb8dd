/* SPDX-License-Identifier: BSD-2-Clause */
/* Tap devices of the host (Documentation/networking/tuntap.rst of the kernel). */
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "machine.h"
#include "say.h"

#define TUN "/dev/net/tun"

int machine_open_tap(const char *name)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR};
    int header = MACHINE_TAP_HEADER;
    int file = open(TUN, O_RDWR | O_CLOEXEC | O_NONBLOCK);

    if (file < 0) {
        fail_errno("open (is the kernel's module tun loaded?)", TUN);
    }
    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
    if (ioctl(file, TUNSETIFF, &request) != 0 || ioctl(file, TUNSETVNETHDRSZ, &header) != 0) {
        fail_errno("use tap device", name);
    }
    return file;
}
