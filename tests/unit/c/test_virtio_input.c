/* SPDX-License-Identifier: BSD-2-Clause */
/* The sleep key: what its driver reads, and what comes when it is pressed. */
#include <string.h>

#include "cmocka_tests.h"
#include "core/tenant.h"
#include "features/virtio_input/virtio_input.h"

#define KEY_SLEEP 142
#define EVENTS 4

struct virtio_device virtio_devices[COTENANT_MAX_VIRTUAL_DEVICES];

static struct bundle_tenant description = {.device_first = 1, .device_count = 2};
static struct tenant owner = {.description = &description};
static struct virtio_device *const device = &virtio_devices[2];
static struct {
    uint16_t type;
    uint16_t code;
    uint32_t value;
} events[EVENTS];
static unsigned count;
static unsigned room;
static bool is_due;

bool virtio_put(struct virtio_device *to, struct virtqueue *queue, const void *bytes,
                uint32_t length)
{
    assert_ptr_equal(to, device);
    assert_ptr_equal(queue, &device->queues[0]);
    assert_int_equal(length, sizeof(events[0]));
    if (count >= room) {
        return false;
    }
    memcpy(&events[count++], bytes, length);
    return true;
}

bool virtio_is_live(const struct virtio_device *of)
{
    return of->status != 0;
}

void virtio_tell_again(struct virtio_device *of)
{
    assert_ptr_equal(of, device);
    is_due = true;
}

/* The steps of the work, each of which puts one event. */
static void work(void)
{
    while (is_due) {
        unsigned before = count;

        is_due = false;
        device->type->tell(device);
        assert_in_range(count, before, before + 1);
    }
}

static int set_up(void **state)
{
    static const struct virtio_type another;

    (void)state;
    memset(virtio_devices, 0, sizeof(virtio_devices));
    virtio_devices[1].type = &another;
    device->type = &virtio_input_type;
    device->index = 2;
    device->type->reset(device, 0);
    device->type->tell(device); /* that of no press */
    device->status = 1;
    is_due = false;
    count = 0;
    room = EVENTS;
    return 0;
}

static uint32_t configuration(uint32_t offset, uint32_t size)
{
    return device->type->read_configuration(device, offset, size);
}

static void select(uint32_t what, uint32_t which)
{
    device->type->write_configuration(device, 0, 1, what);
    device->type->write_configuration(device, 1, 1, which);
}

static void test_it_has_a_name_and_one_key(void **state)
{
    (void)state;
    assert_int_equal(device->type->queue_count(device), 2);
    assert_int_equal(device->type->features(device), 0);
    assert_int_equal(configuration(2, 1), 0);
    select(1, 0);
    assert_int_equal(configuration(2, 1), strlen("Cotenant sleep key"));
    assert_int_equal(configuration(8, 4), 0x65746f43); /* "Cote" */
    select(0x11, 1);
    assert_int_equal(configuration(2, 1), 18);
    for (uint32_t code = 0; code < 1024; code++) {
        assert_int_equal(configuration(8 + code / 8, 1) >> code % 8 & 1, code == KEY_SLEEP);
    }
    select(0x11, 2); /* no other kind of event */
    assert_int_equal(configuration(2, 1), 0);
    assert_int_equal(configuration(8 + KEY_SLEEP / 8, 1), 0);
}

static void test_no_access_reaches_anything_else(void **state)
{
    (void)state;
    for (uint32_t what = 0; what < 256; what++) {
        select(what, 1);
        assert_int_equal(configuration(UINT32_MAX - 3, 4), 0);
        assert_int_equal(configuration(8 + 128, 4), 0);
        assert_int_equal(configuration(3, 4), 0); /* reserved */
    }
    device->type->write_configuration(device, 0, 4, 0x101);
    assert_int_equal(configuration(0, 1), 255);
    device->type->write_configuration(device, 8, 1, 0xff);
    device->type->reset(device, 0);
    assert_int_equal(configuration(0, 1), 0);
}

static void test_the_key_is_pressed_and_released(void **state)
{
    (void)state;
    virtio_press_sleep_key(&owner);
    assert_int_equal(count, 0);
    work();
    assert_int_equal(count, EVENTS);
    assert_true(events[0].type == 1 && events[0].code == KEY_SLEEP && events[0].value == 1);
    assert_true(events[1].type == 0 && events[1].code == 0 && events[1].value == 0);
    assert_true(events[2].type == 1 && events[2].code == KEY_SLEEP && events[2].value == 0);
    assert_true(events[3].type == 0);
}

static void test_nobody_takes_it(void **state)
{
    (void)state;
    room = 3; /* the last event has no buffer, and does not wait for one */
    virtio_press_sleep_key(&owner);
    work();
    assert_int_equal(count, 3);
    room = EVENTS;
    device->type->tell(device);
    assert_int_equal(count, 3);
    device->status = 0; /* no driver */
    virtio_press_sleep_key(&owner);
    assert_false(is_due);
    virtio_devices[2].type = virtio_devices[1].type; /* no such device */
    virtio_press_sleep_key(&owner);
    assert_false(is_due);
}

static void test_a_press_that_was_begun_ends_with_its_driver(void **state)
{
    (void)state;
    virtio_press_sleep_key(&owner);
    device->type->tell(device);
    assert_int_equal(count, 1);
    device->type->reset(device, 0);
    work();
    assert_int_equal(count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_it_has_a_name_and_one_key, set_up),
        cmocka_unit_test_setup(test_no_access_reaches_anything_else, set_up),
        cmocka_unit_test_setup(test_the_key_is_pressed_and_released, set_up),
        cmocka_unit_test_setup(test_nobody_takes_it, set_up),
        cmocka_unit_test_setup(test_a_press_that_was_begun_ends_with_its_driver, set_up),
    };

    return cmocka_run_group_tests_name("virtio input", tests, NULL, NULL);
}
