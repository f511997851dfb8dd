/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * vectorcheck SECONDS [SEED]: three processes each keep values of their own in all 32 vector
 * registers and in vl, vtype and vcsr while they are preempted, and check that they are still
 * there. SEED makes the values of this run differ from those of another tenant.
 *
 * The registers are loaded, held and stored by one piece of assembly without a system call, which
 * would not keep them (the kernel's Documentation/arch/riscv/vector.rst). Without vector registers
 * the first instruction ends it by SIGILL.
 */
#include "processes.h"

#define REGISTERS 32
/* Bytes of a vector register, at most. */
#define MOST_BYTES 128
/* Rounds of an empty loop that is run with the values in the registers: some 2 ms under QEMU. */
#define SPIN_ROUNDS 400000

struct vector_state {
    uint8_t registers[REGISTERS * MOST_BYTES] __attribute__((aligned(64)));
    uint64_t vl;
    uint64_t vtype;
    uint64_t vcsr;
};

static uint64_t register_bytes(void)
{
    uint64_t bytes;

    asm volatile("csrr %0, 0xc22" : "=r"(bytes)); /* vlenb */
    return bytes;
}

/* Eight registers at a time, of `eight` bytes all together. */
#define EACH_EIGHT(operation, place)                                                               \
    ".irp n, 0, 8, 16, 24\n" operation " v\\n, (" place ")\nadd " place ", " place                 \
    ", %[eight]\n.endr\n"

static void hold(const struct vector_state *wanted, struct vector_state *found, uint64_t eight)
{
    const uint8_t *from = wanted->registers;
    uint8_t *to = found->registers;
    uint64_t rounds = SPIN_ROUNDS;

    asm volatile(
        ".option push\n.option arch, +v\n" EACH_EIGHT(
            "vl8re8.v", "%[from]") "vsetvl zero, %[vl], %[vtype]\n"
                                   "csrw vcsr, %[vcsr]\n"
                                   "1: addi %[rounds], %[rounds], -1\n"
                                   "bnez %[rounds], 1b\n" EACH_EIGHT(
                                       "vs8r.v", "%[to]") "csrr %[vl_found], vl\n"
                                                          "csrr %[vtype_found], vtype\n"
                                                          "csrr %[vcsr_found], vcsr\n"
                                                          ".option pop\n"
        : [from] "+&r"(from), [to] "+&r"(to), [rounds] "+&r"(rounds), [vl_found] "=&r"(found->vl),
          [vtype_found] "=&r"(found->vtype), [vcsr_found] "=&r"(found->vcsr)
        : [eight] "r"(eight), [vl] "r"(wanted->vl), [vtype] "r"(wanted->vtype),
          [vcsr] "r"(wanted->vcsr)
        : "memory");
}

/* Values that differ between tenants, processes, rounds and registers. */
static void choose_values(struct vector_state *state, uint64_t bytes, uint64_t seed, uint64_t round)
{
    uint64_t value;

    for (uint64_t at = 0; at < REGISTERS * bytes; at += sizeof(value)) {
        value = (seed << 40 | round << 12 | at) * 0x9e3779b97f4a7c15U; /* odd: no two collide */
        memcpy(state->registers + at, &value, sizeof(value));
    }
    state->vtype = (seed + round) % 4 << 3 | round % 4; /* 8 to 64 bits, groups of 1 to 8 */
    state->vl = 1 + round % (bytes / 8);
    state->vcsr = (seed + round) % 8;
}

static int run_process(uint64_t seed, int64_t deadline)
{
    static struct vector_state wanted;
    static struct vector_state found;
    uint64_t bytes = register_bytes();
    uint64_t rounds = 0;

    if (bytes > MOST_BYTES) {
        fprintf(stderr, "vectorcheck: registers of %llu bytes\n", (unsigned long long)bytes);
        return 1;
    }
    do {
        choose_values(&wanted, bytes, seed, rounds);
        hold(&wanted, &found, 8 * bytes);
        if (memcmp(&wanted, &found, sizeof(wanted)) != 0) {
            printf("vectorcheck: seed %#llx: other values in round %llu\n",
                   (unsigned long long)seed, (unsigned long long)rounds);
            return 1;
        }
        rounds++;
    } while (now_ns() < deadline);
    printf("vectorcheck: process %llu: bits=%llu rounds=%llu\n",
           (unsigned long long)(seed % PROCESSES), 8 * (unsigned long long)bytes,
           (unsigned long long)rounds);
    return 0;
}

int main(int argc, char **argv)
{
    return run_processes("vectorcheck", argc, argv, run_process);
}
