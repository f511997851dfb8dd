/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Confinement by a second set of PMP entries: its registers hold what is legal, and whatever they
 * say, the hart's entries never open what one of the two sets does not.
 */
#include <string.h>

#include "abi/csr_numbers.h"
#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/tenant.h"
#include "features/confine/confine.h"
#include "guest_bench.h"

#define ENTRIES COTENANT_PMP_ENTRIES
#define SPARE 6       /* the first of them */
#define WINDOW 4096ul /* bytes that the random sets are about */
#define BASE 0x80000000ul

static struct bundle made;
static struct bundle_vhart descriptions[3];
static struct hart harts_here[2];
static struct pmp_set set;
static uint64_t purposes[2];
static struct confinement first;
static struct confinement second;
static uint64_t seed = 1;
/* One for each purpose: all of it, one half and the other. */
static const struct pmp_set sets[CONFINE_PURPOSES] = {
    {.addresses = {BASE >> 2 | 0x1ff}, .configs = {PMP_MODE_NAPOT | PMP_READ}},
    {.addresses = {BASE >> 2 | 0xff}, .configs = {PMP_MODE_NAPOT | PMP_RIGHTS}},
    {.addresses = {(BASE + WINDOW / 2) >> 2 | 0xff}, .configs = {PMP_MODE_NAPOT | PMP_READ}},
};

static uint64_t next_random(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return seed >> 20;
}

static uint8_t rights_of_set(const struct vhart *vhart, uint64_t at, uint64_t *size)
{
    (void)vhart;
    return pmp_decide(set.addresses, set.configs, at, size, 0);
}

static void apply(unsigned index, struct confinement *confinement, unsigned purpose)
{
    purposes[index] = purpose;
    confine_put(&vharts[index], confinement->blocks[purpose]);
}

/* Which entry decides about a byte, straight from privileged ISA 3.7.1; ENTRIES: none. */
static unsigned deciding(const uint64_t *addresses, const uint8_t *configs, uint64_t byte)
{
    for (unsigned i = 0; i < ENTRIES; i++) {
        unsigned shift = 3;
        bool matches = false;

        switch (configs[i] >> 3 & 3) {
        case 1:
            matches = byte < addresses[i] << 2 && (i == 0 || byte >= addresses[i - 1] << 2);
            break;
        case 2:
            matches = byte >> 2 == addresses[i];
            break;
        case 3:
            while ((addresses[i] >> (shift - 3) & 1) != 0) {
                shift++;
            }
            matches = byte >> shift == addresses[i] << 2 >> shift;
            break;
        default:
            break;
        }
        if (matches) {
            return i;
        }
    }
    return ENTRIES;
}

static uint8_t model(const uint64_t *addresses, const uint8_t *configs, uint64_t byte)
{
    unsigned entry = deciding(addresses, configs, byte);

    return entry < ENTRIES ? configs[entry] & PMP_RIGHTS : 0;
}

static int set_up(void **state)
{
    (void)state;
    bundle = &made;
    made = (struct bundle){.vhart_count = 3};
    made.board.pmp_entries = ENTRIES;
    made.board.pmp_grain = 4;
    made.tenants[0].guest_entries = 0;
    memset(descriptions, 0, sizeof(descriptions));
    for (unsigned i = 0; i < 3; i++) {
        descriptions[i].hart = i == 2 ? 1 : 0;
        harts_here[i / 2].index = i / 2;
        vharts[i] = (struct vhart){
            .description = &descriptions[i], .index = i, .world.hart = &harts_here[i == 2 ? 1 : 0]};
    }
    descriptions[1].pmp_address[SPARE - 1] = BASE >> 2;
    descriptions[2].pmp_config[15] = PMP_MODE_NA4; /* another hart's */
    harts_here[0].loaded = &vharts[0];
    set = (struct pmp_set){0};
    first = (struct confinement){.rights = rights_of_set, .purpose = &purposes[0]};
    second = (struct confinement){.rights = rights_of_set, .purpose = &purposes[1]};
    purposes[0] = CONFINE_PURPOSES;
    purposes[1] = CONFINE_PURPOSES;
    csr_file_write("satp", 0);
    return 0;
}

static void begin_at_boot(struct vhart *vhart, struct confinement *confinement)
{
    machine_begins();
    confine_begin(vhart, confinement);
}

static void entries_lock(void **state)
{
    (void)state;
    for (uint32_t old = 0; old < 256; old++) {
        for (uint32_t value = 0; value < 256; value++) {
            uint64_t kept;
            uint64_t read;
            bool locked;

            set = (struct pmp_set){0};
            assert_true(pmp_set_write(&set, CSR_PMPCFG2, (uint64_t)old << 8));
            assert_true(pmp_set_read(&set, CSR_PMPCFG2, &kept));
            locked = (kept >> 8 & PMP_LOCKED) != 0;
            assert_true(pmp_set_write(&set, CSR_PMPCFG2, (uint64_t)value << 8));
            assert_true(pmp_set_read(&set, CSR_PMPCFG2, &read));
            assert_true(!locked || read == kept);
            assert_int_equal(read & ~0x9f00ul, 0);
            assert_true((read >> 8 & 3) != PMP_WRITE);
            locked = (read >> 8 & PMP_LOCKED) != 0;
            assert_int_equal(pmp_set_is_locked(&set), locked && (read >> 8 & PMP_MODE) != 0);
            pmp_set_write(&set, CSR_PMPADDR0 + 9, UINT64_MAX);
            assert_int_equal(set.addresses[9], locked ? 0 : (1ul << 54) - 1);
            /* The entry below bounds one that is locked and has TOR. */
            pmp_set_write(&set, CSR_PMPADDR0 + 8, 5);
            assert_int_equal(set.addresses[8],
                             locked && (read >> 8 & PMP_MODE) == PMP_MODE_TOR ? 0 : 5);
            assert_true(pmp_set_read(&set, CSR_PMPCFG0, &read));
            assert_int_equal(read, 0);
        }
    }
    assert_false(pmp_set_write(&set, CSR_PMPCFG0 + 1, 0));
    assert_false(pmp_set_write(&set, CSR_PMPADDR15 + 1, 0));
    assert_false(pmp_set_read(&set, CSR_PMPADDR15 + 1, &seed));
    seed = 1;
}

static void only_what_opens_everything_confines_nothing(void **state)
{
    static const struct {
        uint64_t address;
        uint8_t config;
        bool confines;
    } cases[] = {
        {0, 0, false},
        {(1ul << 54) - 1, PMP_MODE_NAPOT | PMP_RIGHTS, false},
        {(1ul << 54) - 1, PMP_MODE_TOR | PMP_RIGHTS, false},
        {(1ul << 54) - 1, PMP_MODE_NAPOT | PMP_READ, true},
        {(1ul << 30) - 1, PMP_MODE_NAPOT | PMP_RIGHTS, true},
        {1ul << 30, PMP_MODE_TOR | PMP_RIGHTS, true},
        {5, PMP_MODE_NA4, true},
    };
    (void)state;

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        set = (struct pmp_set){.addresses = {cases[i].address}, .configs = {cases[i].config}};
        assert_int_equal(pmp_set_confines(&set), cases[i].confines);
    }
}

static void make_random(uint64_t *addresses, uint8_t *configs, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint64_t address = (BASE + next_random() % WINDOW) >> 2;
        uint64_t size = 1ul << next_random() % 11;

        configs[i] = next_random() & (PMP_MODE | PMP_RIGHTS);
        if ((configs[i] & PMP_READ) == 0) {
            configs[i] &= (uint8_t)~PMP_WRITE;
        }
        addresses[i] = (configs[i] & PMP_MODE) == PMP_MODE_NAPOT
                           ? (address & ~(2 * size - 1)) | (size - 1)
                           : address;
    }
}

static bool is_decided_as_one(uint64_t byte, uint64_t size)
{
    for (uint64_t other = byte & -size; other < (byte & -size) + size; other += 4) {
        if (deciding(set.addresses, set.configs, other) !=
            deciding(set.addresses, set.configs, byte)) {
            return false;
        }
    }
    return true;
}

static void a_block_is_as_large_as_it_can_be(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 2000; round++) {
        uint64_t byte = BASE + (next_random() % WINDOW & ~3ul);
        uint64_t most = WINDOW >> 2;
        uint64_t size = most;
        unsigned entry;
        uint8_t config;

        set = (struct pmp_set){0};
        make_random(set.addresses, set.configs, 1 + next_random() % ENTRIES);
        entry = deciding(set.addresses, set.configs, byte);
        config = pmp_decide(set.addresses, set.configs, byte >> 2, &size, PMP_LOCKED);
        assert_int_equal(config, entry < ENTRIES ? set.configs[entry] : PMP_LOCKED);
        assert_true(is_decided_as_one(byte, 4 * size));
        assert_true(size == most || !is_decided_as_one(byte, 8 * size));
    }
}

static void check_hart(void)
{
    const uint8_t *config = (const uint8_t *)vharts[0].world.pmp_config;
    const struct bundle_vhart *own = &descriptions[0];

    for (unsigned i = 0; i < SPARE; i++) {
        assert_int_equal(config[i], 0);
    }
    for (uint64_t byte = BASE - 64; byte < BASE + 2 * WINDOW; byte += 4) {
        uint8_t both = model(set.addresses, set.configs, byte) &
                       model(own->pmp_address, own->pmp_config, byte);

        assert_int_equal(model(vharts[0].rest.pmp_address, config, byte) & ~both, 0);
    }
}

static void nothing_is_opened_that_one_of_both_does_not(void **state)
{
    static const uint64_t causes[] = {CAUSE_LOAD_ACCESS, CAUSE_STORE_ACCESS, CAUSE_FETCH_ACCESS};
    unsigned opened = 0;
    (void)state;

    for (unsigned round = 0; round < 200; round++) {
        struct bundle_vhart *own = &descriptions[0];

        set_up(NULL);
        make_random(set.addresses, set.configs, 1 + next_random() % ENTRIES);
        make_random(own->pmp_address, own->pmp_config, 1 + next_random() % SPARE);
        begin_at_boot(&vharts[0], &first);
        assert_true(first.end != 0);
        apply(0, &first, 1);
        for (unsigned i = 0; i < 40; i++) {
            uint64_t byte = BASE + next_random() % WINDOW;
            unsigned which = next_random() % 3;
            uint8_t right = (uint8_t)(1u << which);
            uint64_t cause = causes[which];
            uint8_t by_set = model(set.addresses, set.configs, byte) & right;
            uint8_t by_own = model(own->pmp_address, own->pmp_config, byte) & right;
            enum confine_verdict verdict = confine_look_up(&vharts[0], &first, cause, byte);

            if (by_set == 0 || by_own == 0) {
                assert_int_equal(verdict, by_set == 0 ? CONFINE_DENIED : CONFINE_ELSEWHERE);
                continue;
            }
            opened += verdict == CONFINE_OPENED;
            assert_true(verdict == CONFINE_OPENED || verdict == CONFINE_ALLOWED);
            assert_int_equal(confine_look_up(&vharts[0], &first, cause, byte), CONFINE_ALLOWED);
            assert_int_equal(model(vharts[0].rest.pmp_address,
                                   (const uint8_t *)vharts[0].world.pmp_config, byte) &
                                 right,
                             right);
        }
        check_hart();
    }
    assert_true(opened > 100);
}

/* What is opened for one purpose takes entries from the other, and gives it nothing. */
static void purposes_are_apart(void **state)
{
    unsigned refused = 0;
    (void)state;

    for (unsigned i = 0; i < SPARE; i++) {
        descriptions[0].pmp_address[i] = BASE >> 2 | 0x1ff;
        descriptions[0].pmp_config[i] = PMP_MODE_NAPOT | PMP_RIGHTS;
    }
    begin_at_boot(&vharts[0], &first);
    for (unsigned round = 0; round < 400; round++) {
        unsigned purpose = next_random() % CONFINE_PURPOSES;
        uint64_t byte = BASE + next_random() % WINDOW;
        const uint8_t *config = (const uint8_t *)vharts[0].world.pmp_config;

        set = sets[purpose];
        apply(0, &first, purpose);
        check_hart();
        if ((model(set.addresses, set.configs, byte) & PMP_READ) == 0) {
            continue;
        }
        refused += (model(vharts[0].rest.pmp_address, config, byte) & PMP_READ) == 0;
        confine_look_up(&vharts[0], &first, CAUSE_LOAD_ACCESS, byte);
        assert_int_equal(model(vharts[0].rest.pmp_address, config, byte) & PMP_READ, PMP_READ);
        check_hart();
    }
    assert_int_equal(refused, CONFINE_PURPOSES); /* what had been opened for one stays */
}

static void vharts_of_a_hart_have_the_same_addresses(void **state)
{
    uint64_t own[2];
    (void)state;

    for (unsigned i = 0; i < 2; i++) {
        descriptions[i].pmp_address[0] = BASE >> 2 | 0x1ff;
        descriptions[i].pmp_config[0] = PMP_MODE_NAPOT | PMP_RIGHTS;
    }
    set = (struct pmp_set){.addresses = {BASE >> 2 | 0xff}, .configs = {PMP_MODE_NAPOT | PMP_READ}};
    begin_at_boot(&vharts[0], &first);
    assert_true(first.end != 0);
    begin_at_boot(&vharts[1], &second);
    assert_true(second.end != 0);
    assert_int_equal(first.first, SPARE);
    apply(0, &first, 1);
    apply(1, &second, 1);
    assert_int_equal(confine_look_up(&vharts[0], &first, CAUSE_LOAD_ACCESS, BASE), CONFINE_OPENED);
    assert_memory_equal(vharts[0].rest.pmp_address, vharts[1].rest.pmp_address,
                        sizeof(vharts[0].rest.pmp_address));
    assert_int_equal(vharts[2].rest.pmp_address[SPARE], 0);
    assert_int_equal(vharts[0].world.pmp_config[0] >> 8 * SPARE & 0xff, PMP_MODE_NAPOT | PMP_READ);
    /* Another one's blocks are no longer the first one's. */
    harts_here[0].loaded = &vharts[1];
    assert_int_equal(confine_look_up(&vharts[1], &second, CAUSE_LOAD_ACCESS, BASE), CONFINE_OPENED);
    assert_int_equal(vharts[0].world.pmp_config[0] >> 8 * SPARE, 0);
    memcpy(own, descriptions[1].pmp_config, sizeof(own));
    purposes[1] = CONFINE_PURPOSES;
    confine_put(&vharts[1], own);
    assert_int_equal(vharts[1].world.pmp_config[0], own[0]);
    assert_int_equal(csr_file_read("pmpcfg0"), own[0]);
}

static void too_few_entries_are_none(void **state)
{
    (void)state;
    begin_at_boot(&vharts[0], &first);
    assert_true(first.end != 0);
    made.board.pmp_entries = SPARE + 3;
    begin_at_boot(&vharts[0], &first);
    assert_int_equal(first.end, 0);
    made.board.pmp_entries = ENTRIES;
    made.board.pmp_grain = 8;
    begin_at_boot(&vharts[0], &first);
    assert_int_equal(first.end, 0);
    made.board.pmp_grain = 4;
    made.tenants[0].guest_entries = 1;
    begin_at_boot(&vharts[0], &first);
    assert_int_equal(first.end, 0);
}

#define LOAD_DOUBLE 0x0005b503 /* ld a0, 0(a1) */

static enum confine_verdict look_at_load(uint64_t satp, uint64_t address)
{
    return confine_allows(&vharts[0], &first, satp, false, address);
}

/* In each unit of 4 bytes, and in the page tables; where the hart is wanted it is asked later. */
static void a_load_that_the_hart_has_not_made_is_looked_up(void **state)
{
    uint64_t data = guest_page(5);
    uint64_t satp = guest_satp(SV39, guest_page(0));
    (void)state;

    guest_reset();
    guest_store16(guest_page(3), LOAD_DOUBLE & 0xffff);
    guest_store16(guest_page(3) + 2, LOAD_DOUBLE >> 16);
    guest_store64(guest_page(0), guest_entry(data, 0xcf)); /* a leaf */
    vharts[0].tenant = &guest;
    vharts[0].world.registers[REGISTER_PC] = guest_page(3);
    purposes[0] = 0;
    set = (struct pmp_set){.addresses = {data >> 2}, .configs = {PMP_MODE_NAPOT | PMP_READ}};
    assert_int_equal(look_at_load(0, data), CONFINE_ALLOWED);
    assert_int_equal(look_at_load(0, data + 1), CONFINE_DENIED);
    assert_int_equal(look_at_load(satp, 0), CONFINE_DENIED); /* the table */
    csr_file_write("mip", INTERRUPT_MTI);
    assert_int_equal(look_at_load(0, data), CONFINE_OPENED);
    assert_int_equal(look_at_load(0, data + 1), CONFINE_OPENED);
    set.addresses[1] = UINT64_MAX >> 10;
    set.configs[1] = PMP_MODE_NAPOT | PMP_READ;
    assert_int_equal(look_at_load(satp, 0), CONFINE_OPENED);
    csr_file_write("mip", 0);
    assert_int_equal(look_at_load(satp, 0), CONFINE_ALLOWED);
    vharts[0].tenant = NULL;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(entries_lock, set_up),
        cmocka_unit_test_setup(only_what_opens_everything_confines_nothing, set_up),
        cmocka_unit_test_setup(a_block_is_as_large_as_it_can_be, set_up),
        cmocka_unit_test_setup(nothing_is_opened_that_one_of_both_does_not, set_up),
        cmocka_unit_test_setup(purposes_are_apart, set_up),
        cmocka_unit_test_setup(vharts_of_a_hart_have_the_same_addresses, set_up),
        cmocka_unit_test_setup(too_few_entries_are_none, set_up),
        cmocka_unit_test_setup(a_load_that_the_hart_has_not_made_is_looked_up, set_up),
    };

    csr_file_write("tp", (uint64_t)(uintptr_t)&harts_here[0]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
