/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/sbi.h"

#include "rt/csr.h"

bool sbi_probe(uint64_t extension)
{
    struct sbi_result result = sbi_call(SBI_EXT_BASE, SBI_BASE_PROBE_EXTENSION, extension, 0, 0);

    return result.error == SBI_SUCCESS && result.value != 0;
}

void sbi_heartbeat(bool alive)
{
    sbi_call(COTENANT_SBI_EXT, COTENANT_SBI_HEARTBEAT,
             alive ? COTENANT_SBI_HEARTBEAT_ALIVE : COTENANT_SBI_HEARTBEAT_PAUSE, 0, 0);
}

/* SRST came back or does not exist: nothing is left to do but to give the hart away for good. */
static __attribute__((noreturn)) void halt(void)
{
    interrupts_disable();
    csr_write(sie, 0);
    for (;;) {
        wait_for_interrupt();
    }
}

void sbi_shutdown(bool failure)
{
    sbi_call(SBI_EXT_SRST, SBI_SRST_SYSTEM_RESET, SBI_SRST_TYPE_SHUTDOWN,
             failure ? SBI_SRST_REASON_SYSTEM_FAILURE : SBI_SRST_REASON_NONE, 0);
    halt();
}

void sbi_reboot(void)
{
    sbi_call(SBI_EXT_SRST, SBI_SRST_SYSTEM_RESET, SBI_SRST_TYPE_COLD_REBOOT, SBI_SRST_REASON_NONE,
             0);
    halt();
}
