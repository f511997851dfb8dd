/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether a machine has a timer interrupt pending that is not due: for the bare machine, where
 * nothing but the machine can be the cause. Each round lets stimecmp (Sstc) come due, at about that
 * time writes a far deadline to it, and looks at mip.STIP, as the payload fp-witness does.
 *
 *     early-timer: rounds=N early=N most=N    `most`: ticks until the deadline, at the first look
 */
#include "machine/machine.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/sbi.h"

#define MENVCFG_STCE (1ul << 63)
#define STIP 0x20ul
/* stimecmp and menvcfg, by number: assemblers that do not know them are in use. */
#define WRITE_STIMECMP(value) CSR_WRITE(0x14d, value)
#define SET_MENVCFG(bits) CSR_SET(0x30a, bits)
#define ROUNDS 100000
/* Ticks until the near deadline, and from there to the far one. */
#define NEAR 300
#define FAR 10000
/* The far one is written up to so many ticks after the near one. */
#define AFTER 600
#define LOOKS 100

void machine_trap(uint64_t *registers, uint64_t entry)
{
    (void)registers;
    (void)entry;
    print("FAIL early-timer: cause 0x%lx\n", CSR_READ(mcause));
    sbi_shutdown(true);
}

static void wait_until(uint64_t time)
{
    while (clock_now() < time) {
    }
}

/* Ticks that were left when the interrupt was pending; 0: it never was before its time. */
static uint64_t look(uint64_t due)
{
    for (unsigned i = 0; i < LOOKS; i++) {
        uint64_t pending = CSR_READ(mip) & STIP;
        uint64_t now = clock_now();

        if (pending != 0 && now < due) {
            return due - now;
        }
    }
    return 0;
}

void main(void)
{
    struct random random = random_from(1);
    uint64_t early = 0;
    uint64_t most = 0;

    CSR_WRITE(mtvec, machine_direct);
    CSR_WRITE(mie, 0ul);
    SET_MENVCFG(MENVCFG_STCE);
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t near = clock_now() + NEAR;
        uint64_t left;

        WRITE_STIMECMP(near);
        wait_until(near + random_below(&random, AFTER));
        WRITE_STIMECMP(near + FAR);
        left = look(near + FAR);
        early += left != 0;
        most = left > most ? left : most;
    }
    print("early-timer: rounds=%u early=%lu most=%lu\n", ROUNDS, early, most);
}
