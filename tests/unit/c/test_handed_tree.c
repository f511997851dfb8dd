/* SPDX-License-Identifier: BSD-2-Clause */
/* A tenant's device tree out of one that is handed over, which may be anything. */
#include <stdlib.h>
#include <string.h>

#include "cmocka_tests.h"
#include "core/handover.h"
#include "features/handed_tree/merge.h"
#include "features/handed_tree/ram.h"
#include "tree_maker.h"

#define ROOM 2048

static uint8_t *handed;
static uint8_t *planned;
static uint8_t *out;
static uint32_t handed_size;
static uint32_t planned_size;
static char text[MERGE_TEXT_SIZE];

static int fresh(void **state)
{
    (void)state;
    handed = tree_of_machine(&handed_size);
    planned = tree_of_plan(&planned_size);
    out = malloc(ROOM);
    assert_non_null(out);
    memset(out, 0x5a, ROOM);
    return 0;
}

static int done(void **state)
{
    (void)state;
    free(handed);
    free(planned);
    free(out);
    return 0;
}

/* Puts a tree of this maker in the place of the one that is handed over. */
static void hand_over(struct tree_maker *maker)
{
    free(handed);
    handed = tree_finish(maker, &handed_size);
}

static bool opens(void)
{
    struct fdt tree;

    return fdt_open(&tree, handed, handed_size);
}

static const char *merge(uint32_t room)
{
    struct fdt from;
    struct fdt plan;

    assert_true(fdt_open(&from, handed, handed_size));
    assert_true(fdt_open(&plan, planned, planned_size));
    return fdt_merge(&from, &plan, out, room, text);
}

/* The node with this path, `/` before each name, in what the merge made; 0: there is none. */
static uint32_t node_of(const struct fdt *tree, const char *path)
{
    uint32_t node = fdt_read(tree, tree->structure).next;
    char names[64];

    assert_true(strlen(path) < sizeof(names));
    strcpy(names, path);
    for (char *name = strtok(names, "/"); name != NULL; name = strtok(NULL, "/")) {
        struct fdt_item item = fdt_child(tree, node, name);

        if (item.token != FDT_BEGIN) {
            return 0;
        }
        node = item.next;
    }
    return node;
}

static void expect_text(const struct fdt *tree, const char *path, const char *name,
                        const char *value)
{
    uint32_t node = node_of(tree, path);
    struct fdt_item item = fdt_property(tree, node, name);

    assert_int_not_equal(node, 0);
    if (value == NULL) {
        assert_int_equal(item.token, FDT_NONE);
        return;
    }
    assert_int_equal(item.token, FDT_PROPERTY);
    assert_int_equal(item.size, strlen(value) + 1);
    assert_string_equal((const char *)item.value, value);
}

static void test_merged(void **state)
{
    struct fdt tree;

    (void)state;
    assert_null(merge(ROOM));
    assert_true(fdt_open(&tree, out, ROOM));
    expect_text(&tree, "/", "serial-number", "4711");
    expect_text(&tree, "/", "compatible", "made,board");
    expect_text(&tree, "/chosen", "bootargs", "ours");
    assert_int_equal(node_of(&tree, "/cpus/cpu@3"), 0);
    expect_text(&tree, "/cpus/cpu@0", "riscv,isa", "rv64imafdc");
    expect_text(&tree, "/cpus/cpu@0", "clocks", NULL);
    assert_int_equal(fdt_property(&tree, node_of(&tree, "/cpus/cpu@0"), "phandle").size, 4);
    expect_text(&tree, "/soc/serial@10000000", "local-mac-address", "fuse");
    expect_text(&tree, "/soc/serial@10000000", "status", "okay");
    expect_text(&tree, "/soc/virtio@40000000/port", "compatible", "made,port");
    assert_int_equal(node_of(&tree, "/soc/stranger@20000000"), 0);
    assert_int_equal(node_of(&tree, "/soc/absent@30000000"), 0);
    for (uint32_t i = tree.size; i < ROOM; i++) {
        assert_int_equal(out[i], 0);
    }
    for (uint32_t at = tree.structure; at < tree.structure_end;) {
        struct fdt_item item = fdt_read(&tree, at);

        assert_true(item.token != FDT_PROPERTY || strncmp(item.name, "plan,", 5) != 0);
        at = item.next;
    }
}

static void test_every_room(void **state)
{
    struct fdt tree;
    uint32_t needed;

    (void)state;
    assert_null(merge(ROOM));
    needed = tree_get(out, FDT_HEADER_SIZE_OF_ALL);
    for (uint32_t room = 0; room <= needed; room++) {
        free(out);
        out = malloc(room == 0 ? 1 : room);
        if (room < needed) {
            assert_non_null(merge(room));
        } else {
            assert_null(merge(room));
            assert_true(fdt_open(&tree, out, room));
        }
    }
}

static void expect_refusal(const char *words)
{
    const char *problem = merge(ROOM);

    assert_non_null(problem);
    assert_non_null(strstr(problem, words));
}

static void test_another_board(void **state)
{
    struct tree_maker maker = {0};

    (void)state;
    tree_begin(&maker, "");
    tree_text(&maker, "compatible", "made,boats");
    tree_begin(&maker, "cpus");
    tree_begin(&maker, "cpu@3");
    tree_property(&maker, "phandle", "\0\0\0\3", 4);
    tree_end(&maker);
    tree_end(&maker);
    tree_end(&maker);
    hand_over(&maker);
    expect_refusal("differs from the planned one: / compatible");
}

static void test_what_others_refer_to(void **state)
{
    static const char *const handles[] = {"\0\0\0\4", "\0\0\0", NULL};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct tree_maker maker = {0};

        tree_begin(&maker, "");
        tree_text(&maker, "compatible", "made,board");
        tree_begin(&maker, "cpus");
        tree_begin(&maker, "cpu@3");
        if (handles[i] != NULL) {
            tree_property(&maker, "phandle", handles[i], i == 0 ? 4 : 3);
        }
        tree_end(&maker);
        tree_end(&maker);
        tree_end(&maker);
        hand_over(&maker);
        expect_refusal("differs from the planned one: cpu@3 phandle");
    }
}

static void test_what_is_needed(void **state)
{
    struct tree_maker without = {0};
    struct tree_maker without_hart = {0};

    (void)state;
    tree_begin(&without, "");
    tree_text(&without, "compatible", "made,board");
    tree_end(&without);
    hand_over(&without);
    expect_refusal("lacks a node of the planned one: cpus");
    tree_begin(&without_hart, "");
    tree_text(&without_hart, "compatible", "made,board");
    tree_begin(&without_hart, "cpus");
    tree_begin(&without_hart, "cpu@33");
    tree_end(&without_hart);
    tree_end(&without_hart);
    tree_end(&without_hart);
    hand_over(&without_hart);
    expect_refusal("lacks a node of the planned one: cpu@3");
}

/* A name of any length and any characters is said as far as there is room for it. */
static void test_a_name_that_is_no_text(void **state)
{
    struct tree_maker maker = {0};
    char name[200];

    (void)state;
    memset(name, '\x1b', sizeof(name));
    name[199] = '\0';
    tree_begin(&maker, "");
    tree_text(&maker, "compatible", "made,board");
    tree_begin(&maker, name);
    tree_end(&maker);
    tree_end(&maker);
    free(planned);
    planned = tree_finish(&maker, &planned_size);
    maker = (struct tree_maker){0};
    tree_begin(&maker, "");
    tree_text(&maker, "compatible", "made,board");
    tree_begin(&maker, name);
    tree_property(&maker, name, "", 0);
    tree_text(&maker, "plan,same", name);
    tree_end(&maker);
    tree_end(&maker);
    hand_over(&maker);
    {
        uint8_t *other = handed;
        uint32_t other_size = handed_size;

        handed = planned;
        handed_size = planned_size;
        planned = other;
        planned_size = other_size;
    }
    expect_refusal("differs from the planned one: ");
    assert_null(strchr(text, '\x1b'));
    assert_int_equal(strlen(text), MERGE_TEXT_SIZE - 1);
}

/* Nothing behind the tree is read, wherever it ends, and whatever its header says. */
static void test_cut_short(void **state)
{
    uint8_t *whole = malloc(handed_size);
    uint32_t size = handed_size;

    (void)state;
    memcpy(whole, handed, size);
    for (handed_size = 0; handed_size < size; handed_size++) {
        free(handed);
        handed = malloc(handed_size == 0 ? 1 : handed_size);
        memcpy(handed, whole, handed_size);
        assert_false(opens());
        if (handed_size >= FDT_HEADER_SIZE) {
            tree_set(handed, FDT_HEADER_SIZE_OF_ALL, handed_size);
            assert_false(opens());
        }
    }
    free(whole);
}

static void test_header(void **state)
{
    static const struct {
        enum fdt_header word;
        uint32_t value;
    } wrong[] = {
        {FDT_HEADER_MAGIC, 0xedfe0dd0},
        {FDT_HEADER_SIZE_OF_ALL, 0},
        {FDT_HEADER_SIZE_OF_ALL, FDT_HEADER_SIZE},
        {FDT_HEADER_SIZE_OF_ALL, UINT32_MAX},
        {FDT_HEADER_VERSION, 16}, /* it does not tell how long the structure is */
        {FDT_HEADER_OLDEST_VERSION, 18},
        {FDT_HEADER_STRUCTURE, 0},
        {FDT_HEADER_STRUCTURE, 57},
        {FDT_HEADER_STRUCTURE, 60},
        {FDT_HEADER_STRUCTURE, UINT32_MAX - 3},
        {FDT_HEADER_STRUCTURE_SIZE, 0},
        {FDT_HEADER_STRUCTURE_SIZE, 6},
        {FDT_HEADER_STRUCTURE_SIZE, UINT32_MAX - 3},
        {FDT_HEADER_STRINGS, 8},
        {FDT_HEADER_STRINGS, UINT32_MAX},
        {FDT_HEADER_STRINGS_SIZE, 0},
        {FDT_HEADER_STRINGS_SIZE, 3}, /* they do not end */
        {FDT_HEADER_STRINGS_SIZE, UINT32_MAX},
        {FDT_HEADER_RESERVATIONS, 0},
        {FDT_HEADER_RESERVATIONS, UINT32_MAX},
    };

    (void)state;
    assert_true(opens());
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        uint32_t right = tree_get(handed, wrong[i].word);

        tree_set(handed, wrong[i].word, wrong[i].value);
        assert_false(opens());
        tree_set(handed, wrong[i].word, right);
    }
    assert_true(opens());
}

static void test_reservations_that_do_not_end(void **state)
{
    (void)state;
    tree_set(handed, FDT_HEADER_RESERVATIONS, handed_size - 15);
    assert_false(opens());
    memset(&handed[FDT_HEADER_SIZE], 0xff, handed_size - FDT_HEADER_SIZE);
    tree_set(handed, FDT_HEADER_RESERVATIONS, FDT_HEADER_SIZE);
    assert_false(opens());
}

static void expect_broken(struct tree_maker *maker)
{
    hand_over(maker);
    assert_false(opens());
}

static void test_structure(void **state)
{
    struct tree_maker maker = {0};

    (void)state;
    expect_broken(&maker); /* nothing but its end */
    maker = (struct tree_maker){0};
    tree_begin(&maker, "");
    expect_broken(&maker); /* ends before the root does */
    maker = (struct tree_maker){0};
    tree_begin(&maker, "");
    tree_end(&maker);
    tree_end(&maker);
    expect_broken(&maker);
    maker = (struct tree_maker){0};
    tree_begin(&maker, "");
    tree_end(&maker);
    tree_begin(&maker, "second");
    tree_end(&maker);
    expect_broken(&maker);
    maker = (struct tree_maker){0};
    tree_begin(&maker, "");
    tree_begin(&maker, "below");
    tree_end(&maker);
    tree_text(&maker, "late", "property");
    tree_end(&maker);
    expect_broken(&maker);
    maker = (struct tree_maker){0};
    tree_text(&maker, "outside", "of the root");
    expect_broken(&maker);
    maker = (struct tree_maker){0};
    tree_begin(&maker, "");
    tree_word(&maker, 77);
    tree_end(&maker);
    expect_broken(&maker);
    maker = (struct tree_maker){0};
    tree_begin(&maker, "");
    tree_word(&maker, FDT_PROPERTY);
    tree_word(&maker, UINT32_MAX);
    tree_word(&maker, 0);
    tree_end(&maker);
    expect_broken(&maker);
    maker = (struct tree_maker){0};
    tree_begin(&maker, "");
    tree_word(&maker, FDT_PROPERTY);
    tree_word(&maker, 0);
    tree_word(&maker, 0); /* there are no strings */
    tree_end(&maker);
    expect_broken(&maker);
}

static void nest(struct tree_maker *maker, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++) {
        tree_begin(maker, i == 0 ? "" : "deep");
    }
    for (uint32_t i = 0; i < depth; i++) {
        tree_end(maker);
    }
}

static void test_depth(void **state)
{
    struct tree_maker maker = {0};

    (void)state;
    nest(&maker, FDT_MOST_DEPTH + 1);
    expect_broken(&maker);
    maker = (struct tree_maker){0};
    nest(&maker, FDT_MOST_DEPTH);
    hand_over(&maker);
    assert_true(opens());
    free(planned);
    planned = malloc(handed_size);
    planned_size = handed_size;
    memcpy(planned, handed, handed_size);
    assert_null(merge(ROOM));
}

/* The RAM that a tree tells of. */

static void put_number(uint8_t *to, uint64_t value)
{
    tree_set(to, 0, (uint32_t)(value >> 32));
    tree_set(to, 1, (uint32_t)value);
}

/* Adds a node of RAM with two ranges, of which the second may have no size. */
static void memory_node(struct tree_maker *maker, const uint64_t ranges[4], const char *status)
{
    uint8_t reg[32];

    for (unsigned i = 0; i < 4; i++) {
        put_number(&reg[8 * i], ranges[i]);
    }
    tree_begin(maker, "memory");
    tree_text(maker, "device_type", "memory");
    tree_property(maker, "reg", reg, sizeof(reg));
    if (status != NULL) {
        tree_text(maker, "status", status);
    }
    tree_end(maker);
}

static bool tells_of(uint64_t base, uint64_t size)
{
    struct fdt tree;

    assert_true(fdt_open(&tree, handed, handed_size));
    return ram_has(&tree, base, size);
}

#define GIGABYTE 0x40000000ul

static void test_ram(void **state)
{
    struct tree_maker maker = {0};

    (void)state;
    tree_begin(&maker, "");
    tree_property(&maker, "#address-cells", "\0\0\0\2", 4);
    tree_property(&maker, "#size-cells", "\0\0\0\2", 4);
    /* Side by side in any order, one that is not, one that is off, one without an end. */
    memory_node(&maker, (uint64_t[]){3 * GIGABYTE, GIGABYTE, GIGABYTE, GIGABYTE}, "okay");
    memory_node(&maker, (uint64_t[]){2 * GIGABYTE, GIGABYTE, 9 * GIGABYTE, GIGABYTE}, NULL);
    memory_node(&maker, (uint64_t[]){4 * GIGABYTE, GIGABYTE, 0, 0}, "disabled");
    memory_node(&maker, (uint64_t[]){UINT64_MAX - 15, 64, 0, 0}, NULL);
    tree_begin(&maker, "flash");
    tree_property(&maker, "reg", "\0\0\0\0\0\0\0\0\377\0\0\0\0\0\0", 16);
    tree_end(&maker);
    tree_end(&maker);
    hand_over(&maker);
    assert_true(tells_of(GIGABYTE, 3 * GIGABYTE));
    assert_true(tells_of(2 * GIGABYTE + 4096, GIGABYTE));
    assert_false(tells_of(GIGABYTE, 3 * GIGABYTE + 1));
    assert_false(tells_of(GIGABYTE - 1, GIGABYTE));
    assert_false(tells_of(4 * GIGABYTE, 4096));
    assert_true(tells_of(9 * GIGABYTE, GIGABYTE));
    assert_true(tells_of(UINT64_MAX - 15, 8));
    assert_false(tells_of(0, 4096));
}

/* Numbers of one cell, and trees in which there is none. */
static void test_ram_in_other_words(void **state)
{
    static const char *const counts[] = {"\0\0\0\0", "\0\0\0\3", "\377\377\377\377"};
    struct tree_maker maker = {0};

    (void)state;
    tree_begin(&maker, "");
    tree_property(&maker, "#address-cells", "\0\0\0\1", 4);
    tree_begin(&maker, "memory@10000000");
    tree_text(&maker, "device_type", "memory");
    tree_property(&maker, "reg", "\20\0\0\0\0\20\0\0\1", 9); /* and a byte too many */
    tree_end(&maker);
    tree_end(&maker);
    hand_over(&maker);
    assert_true(tells_of(0x10000000, 0x100000));
    assert_false(tells_of(0x10000000, 0x100001));
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        maker = (struct tree_maker){0};
        tree_begin(&maker, "");
        tree_property(&maker, "#address-cells", counts[i], 4);
        memory_node(&maker, (uint64_t[]){0, UINT64_MAX, 0, UINT64_MAX}, NULL);
        tree_end(&maker);
        hand_over(&maker);
        assert_false(tells_of(0, 4096));
    }
}

/* What boot calls. */

static struct check_result take(uint64_t tree, uint64_t loaded_at, struct bundle *bundle)
{
    const struct handover handover = {0, tree, loaded_at, 4096};
    struct check_result result = {NULL, -1, 0};
    uint32_t users = 0;

    FOR_EACH_IN_TABLE(handover_users, user)
    {
        users++;
        result = user->check(&handover, bundle);
        user->fetch(&handover, bundle);
        user->clear(&handover, bundle);
    }
    assert_int_equal(users, 1);
    return result;
}

/* For the RAM that the tree itself is in, of which it tells. */
static struct bundle *bundle_for(uint64_t ram, uint64_t ram_size)
{
    const uint64_t store = (sizeof(struct bundle) + 4095) / 4096 * 4096;
    uint8_t *bytes = calloc(1, store + 8192);
    struct bundle *bundle = (struct bundle *)bytes;
    struct fdt tree;
    uint32_t node;
    uint8_t *reg;

    assert_non_null(bundle);
    memcpy(bytes + store, planned, planned_size);
    assert_true(fdt_open(&tree, handed, handed_size));
    node = fdt_child(&tree, fdt_read(&tree, tree.structure).next, "memory@0").next;
    reg = handed + (fdt_property(&tree, node, "reg").value - handed);
    put_number(reg, ram);
    put_number(reg + 8, ram_size);
    bundle->board.ram_base = ram;
    bundle->board.ram_size = ram_size;
    bundle->handed_tree = (struct bundle_handed_tree){store, 4096, store + 4096, 4096};
    return bundle;
}

static void test_taken_at_boot(void **state)
{
    const uint64_t place = (uintptr_t)handed;
    struct bundle *bundle = bundle_for(place, handed_size);
    struct fdt tree;

    (void)state;
    assert_null(take(place, 4096, bundle).problem);
    assert_true(
        fdt_open(&tree, (uint8_t *)bundle + bundle->handed_tree.store_offset, FDT_MOST_SIZE));
    expect_text(&tree, "/", "serial-number", "4711");
    assert_non_null(strstr(take(place, place + handed_size - 1, bundle).problem, "was loaded"));
    assert_non_null(strstr(take(place, place - 4095, bundle).problem, "was loaded"));
    assert_null(take(place, place - 4096, bundle).problem);
    bundle->board.ram_size++;
    assert_non_null(strstr(take(place, 4096, bundle).problem, "less RAM"));
    bundle->board.ram_base--;
    assert_non_null(strstr(take(place, 4096, bundle).problem, "less RAM"));
    free(bundle);
}

static void test_none_is_handed_over(void **state)
{
    const uint64_t place = (uintptr_t)handed;
    struct bundle *bundle = bundle_for(place, handed_size);
    const uint64_t places[] = {0, 1, place + 2, place - 4, place + handed_size, UINT64_MAX - 3};

    (void)state;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        assert_non_null(strstr(take(places[i], 4096, bundle).problem, "hands over none"));
    }
    bundle->board.ram_size = handed_size - 1; /* its end is not in RAM */
    assert_non_null(strstr(take(place, 4096, bundle).problem, "hands over none"));
    ((uint8_t *)bundle)[bundle->handed_tree.plan_offset] = 0;
    assert_non_null(strstr(take(place, 4096, bundle).problem, "plan"));
    bundle->handed_tree.size = 0; /* not asked for: not looked at */
    assert_null(take(1, 4096, bundle).problem);
    free(bundle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_merged, fresh, done),
        cmocka_unit_test_setup_teardown(test_every_room, fresh, done),
        cmocka_unit_test_setup_teardown(test_another_board, fresh, done),
        cmocka_unit_test_setup_teardown(test_what_others_refer_to, fresh, done),
        cmocka_unit_test_setup_teardown(test_what_is_needed, fresh, done),
        cmocka_unit_test_setup_teardown(test_a_name_that_is_no_text, fresh, done),
        cmocka_unit_test_setup_teardown(test_cut_short, fresh, done),
        cmocka_unit_test_setup_teardown(test_header, fresh, done),
        cmocka_unit_test_setup_teardown(test_reservations_that_do_not_end, fresh, done),
        cmocka_unit_test_setup_teardown(test_structure, fresh, done),
        cmocka_unit_test_setup_teardown(test_depth, fresh, done),
        cmocka_unit_test_setup_teardown(test_ram, fresh, done),
        cmocka_unit_test_setup_teardown(test_ram_in_other_words, fresh, done),
        cmocka_unit_test_setup_teardown(test_taken_at_boot, fresh, done),
        cmocka_unit_test_setup_teardown(test_none_is_handed_over, fresh, done),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
