/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of a host, and accesses of guests to what is not their memory. */
#include "arch/guest_memory.h"
#include "arch/owned_memory.h"
#include "device/plic_map.h"
#include "features/decode/decode.h"
#include "features/hosted/guests.h"
#include "features/plic/mmio.h"

/* All that is not a guest's memory or PLIC is a device of its process's. */
static bool is_of_process(const struct tenant *tenant, uint64_t address)
{
    return is_guest(tenant) && address - tenant->description->plic_base >= PLIC_SIZE &&
           !tenant_owns_memory(tenant, address, 1);
}

static bool is_hosted(const struct tenant *tenant, uint64_t address)
{
    const struct bundle_tenant *own = tenant->description;
    uint64_t pages = 1 + (uint64_t)own->guest_count * COTENANT_HOSTED_SLOT_PAGES;

    return own->guest_count != 0 && address - own->guest_base < pages * COTENANT_HOSTED_PAGE;
}

/* The access is the process's, and completed at the next turn. */
static enum mmio_result leave_to_process(struct vhart *vhart, uint64_t address, uint32_t size,
                                         bool store, uint64_t *value)
{
    struct guest_vhart *own = guest_vhart_of(vhart);
    struct memory_access access;
    /* Read again: another vhart of the guest may have changed it, but not to its own advantage. */
    uint32_t instruction = guest_fetch_native(vhart->world.registers[REGISTER_PC]);

    if ((own->owes == GUEST_IS_REFUSED && own->asked == address) ||
        !instruction_decode(instruction, store, &access) || access.size != size) {
        return MMIO_FAULT;
    }
    own->access = (struct word_access){access.reg, access.length};
    guest_note_access(own, address, size | (access.sign_extend ? 0 : COTENANT_HOSTED_UNSIGNED),
                      store, *value);
    guest_exit(vhart, store ? COTENANT_HOSTED_EXIT_STORE : COTENANT_HOSTED_EXIT_LOAD);
    return MMIO_AGAIN;
}

/* Turn pages have their vharts' numbers; there are more pages than vharts. */
static enum mmio_result take_turn(struct vhart *host, uint64_t page, uint32_t token)
{
    const struct guest *guest = guest_in_slot(host->tenant, page / COTENANT_HOSTED_SLOT_PAGES);
    uint64_t id = page % COTENANT_HOSTED_SLOT_PAGES;

    return id < host->tenant->description->guest_vharts
               ? guest_turn(host, &guest->tenant->vharts[id], token)
               : MMIO_FAULT;
}

static uint64_t read_register(const struct bundle_tenant *host, uint64_t number)
{
    /* In the order of their offsets, from COTENANT_HOSTED_IDENTITY on. */
    const uint64_t values[] = {COTENANT_HOSTED_MAGIC, host->guest_count, host->guest_vharts,
                               host->guest_memory, host->guest_entries};

    return number < sizeof(values) / sizeof(values[0]) ? values[number] : 0;
}

static enum mmio_result access_hosted(struct vhart *vhart, uint64_t address, uint32_t size,
                                      bool store, uint64_t *value)
{
    uint64_t offset = address - vhart->tenant->description->guest_base;

    if (!is_hosted(vhart->tenant, address)) {
        return MMIO_FAULT;
    }
    if (offset >= COTENANT_HOSTED_PAGE) {
        return store && size == 4 && offset % COTENANT_HOSTED_PAGE == 0
                   ? take_turn(vhart, offset / COTENANT_HOSTED_PAGE - 1, (uint32_t)*value)
                   : MMIO_FAULT;
    }
    if (!store) {
        *value = read_register(vhart->tenant->description, offset / 8);
    } else if (offset == COTENANT_HOSTED_REQUEST && size == 8) {
        return guest_request(vhart->tenant, *value);
    } else if (offset == COTENANT_HOSTED_LINE) {
        guest_line(vhart->tenant, *value);
    }
    return MMIO_DONE;
}

MMIO_SWITCHING_WINDOW(is_of_process, leave_to_process, guest_asks);
MMIO_SWITCHING_WINDOW(is_hosted, access_hosted, guest_lend_again);
