/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that a byte of any register reaches the virtual UART, however often one instruction stores
 * it, and that an instruction counts as what it is now: the code is rewritten in place, and another
 * page takes its place. With physical addresses, and with page tables. The test looks at what
 * arrives. Last it prints how many cycles the quickest of many stores took.
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/sv39.h"
#include "rt/uart.h"

#define MANY 64
#define PAGE 4096

const char payload_name[] = "uart-stores";

/* sb, sh and sw of the low register 0 at 0(a5), and a return. */
#define STORE_BYTE 0x00078023u
#define STORE_HALF 0x00079023u
#define STORE_WORD 0x0007a023u
#define SOURCE_SHIFT 20
#define RETURN 0x00008067u

static uint32_t code[2][PAGE / 4] __attribute__((aligned(PAGE)));

/* Stores five times, by the code at an address, what a2 or a3 holds. */
static void run_at(uint64_t address, uint64_t a2, uint64_t a3)
{
    register uint64_t two __asm__("a2") = a2;
    register uint64_t three __asm__("a3") = a3;
    register uint64_t device __asm__("a5") = (uint64_t)uart_register(UART_DATA);
    register uint64_t target __asm__("t1") = address;

    __asm__ volatile("fence.i\n"
                     ".rept 5\n"
                     "jalr ra, 0(%3)\n"
                     ".endr\n" ::"r"(two),
                     "r"(three), "r"(device), "r"(target)
                     : "ra", "memory");
}

static void run(uint32_t instruction, uint64_t a2, uint64_t a3)
{
    code[0][0] = instruction;
    code[0][1] = RETURN;
    run_at((uint64_t)code[0], a2, a3);
}

/*
 * All registers: each holds '@' plus its number, x0 nothing. `base` has the address, `kept` the
 * register's content, `left` the stores to come.
 */
#define STORE_OF(n, base, kept, left)                                                              \
    __asm__ volatile("mv " base ", %0\n"                                                           \
                     "mv " kept ", x" #n "\n"                                                      \
                     "li x" #n ", 64 + " #n "\n"                                                   \
                     "li " left ", 5\n"                                                            \
                     "1: sb x" #n ", 0(" base ")\n"                                                \
                     "addi " left ", " left ", -1\n"                                               \
                     "bnez " left ", 1b\n"                                                         \
                     "mv x" #n ", " kept "\n" ::"r"(uart_register(UART_DATA))                      \
                     : base, kept, left, "memory")
#define LOW(n) STORE_OF(n, "x28", "x29", "x30")
#define HIGH(n) STORE_OF(n, "x9", "x18", "x19")

static void store_of_all(void)
{
    LOW(0);
    LOW(1);
    LOW(2);
    LOW(3);
    LOW(4);
    LOW(5);
    LOW(6);
    LOW(7);
    LOW(8);
    LOW(9);
    LOW(10);
    LOW(11);
    LOW(12);
    LOW(13);
    LOW(14);
    LOW(15);
    LOW(16);
    LOW(17);
    LOW(18);
    LOW(19);
    LOW(20);
    LOW(21);
    LOW(22);
    LOW(23);
    LOW(24);
    LOW(25);
    LOW(26);
    LOW(27);
    HIGH(28);
    HIGH(29);
    HIGH(30);
    HIGH(31);
}

static uint64_t quickest(void)
{
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < MANY; i++) {
        uint64_t start;
        uint64_t end;

        __asm__ volatile("csrr %0, cycle\nsb %2, 0(%3)\ncsrr %1, cycle"
                         : "=&r"(start), "=&r"(end)
                         : "r"('.'), "r"(uart_register(UART_DATA))
                         : "memory");
        least = end - start < least ? end - start : least;
    }
    return least;
}

static void store_by_one_instruction(void)
{
    run(STORE_BYTE | 12u << SOURCE_SHIFT, 'a', 'b');
    run(STORE_BYTE | 13u << SOURCE_SHIFT, 'c', 'd');
    run(STORE_HALF | 13u << SOURCE_SHIFT, 'e', 'f');
    run(STORE_WORD | 12u << SOURCE_SHIFT, 'g', 'h');
    run(STORE_BYTE | 12u << SOURCE_SHIFT, '\n', '\n');
    run(STORE_BYTE | 12u << SOURCE_SHIFT, 'i', 'j');
}

/* One virtual address, first with the one page and then with the other. */
static void store_by_two_pages(void)
{
    code[1][0] = STORE_BYTE | 13u << SOURCE_SHIFT;
    code[1][1] = RETURN;
    run_at(sv39_open_window(SV39_LEAF_4K, (uint64_t)code[0]), 'k', 'l');
    run_at(sv39_open_window(SV39_LEAF_4K, (uint64_t)code[1]), 'm', 'n');
}

void main(void)
{
    uart_init();
    uart_put('[');
    store_of_all();
    store_by_one_instruction();
    sv39_enable();
    store_of_all();
    store_by_one_instruction();
    store_by_two_pages();
    uart_put(']');
    uart_put('\n');
    print("\nuart-stores: %lu cycles\n", quickest());
    check_pass();
}
