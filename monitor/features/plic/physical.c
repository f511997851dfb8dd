/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/physical.h"

#include "core/messages.h"
#include "features/plic/plic_entries.h"
#include "features/plic/plic_vhart.h"
#include "features/plic/plic_words.h"
#include "irq/board.h"
#include "irq/source_set.h"

static struct vhart *vhart_at(struct vplic *vplic, uint32_t index)
{
    return &tenants[vplic->tenant].vharts[index];
}

/* Of the sources `own`, those in `on` get into a machine context; look_at_machine_enables()
 * follows. */
static inline void set_machine_enables(uint32_t context, uint32_t word, uint32_t own, uint32_t on)
{
    uint32_t before = plic_read_enable_word(&board_plic, context, word);

    plic_write_enable_word(&board_plic, context, word, (before & ~own) | on);
}

/* QEMU 7.2 looks what is pending when a threshold changes, not when an enable bit does. */
static inline void look_at_machine_enables(uint32_t context)
{
    plic_set_threshold(&board_plic, context, 0);
}

void bring_sources(struct tenant *tenant, struct hart *hart)
{
    const struct vplic *vplic = tenant->plic;
    struct hart *before = tenant->source_hart;

    if (!HAS(harts) || before == NULL || before == hart || hart->plic_m_context == COTENANT_NONE) {
        return;
    }
    tenant->source_hart = hart;
    for (uint32_t word = 0; word < vplic->words; word++) {
        uint32_t own = vplic->physical_sources[word];
        uint32_t on = 0;

        if (own != 0) {
            on = plic_read_enable_word(&board_plic, before->plic_m_context, word) & own;
        }
        if (on != 0) {
            set_machine_enables(before->plic_m_context, word, own, 0);
            set_machine_enables(hart->plic_m_context, word, own, on);
        }
    }
    look_at_machine_enables(before->plic_m_context);
    look_at_machine_enables(hart->plic_m_context);
}

void set_physical_priority(struct vplic *vplic, uint32_t source, uint32_t priority)
{
    bring_sources(&tenants[vplic->tenant], hart_self());
    plic_set_priority(&board_plic, source, priority);
}

uint32_t read_physical_pending(struct vplic *vplic, uint32_t word)
{
    (void)vplic;
    return plic_read_pending_word(&board_plic, word);
}

void enable_physical(struct vplic *vplic, uint32_t word, uint32_t sources)
{
    struct tenant *tenant = &tenants[vplic->tenant];

    bring_sources(tenant, hart_self());
    if (tenant->source_hart != NULL) {
        uint32_t context = tenant->source_hart->plic_m_context;

        set_machine_enables(context, word, vplic->physical_sources[word], sources);
        look_at_machine_enables(context);
    }
}

void complete_physical(struct vplic *vplic, uint32_t source)
{
    struct tenant *tenant = &tenants[vplic->tenant];

    bring_sources(tenant, hart_self());
    plic_complete(&board_plic, tenant->source_hart->plic_m_context, source);
}

/*
 * The sources are brought here once: that takes as long as many completions. Out of line: a vhart
 * that the PLIC is passed through to does not save its registers.
 */
void __attribute__((noinline))
release_emulated_word(struct vplic *vplic, uint32_t word, uint32_t raised)
{
    const struct tenant *tenant = &tenants[vplic->tenant];

    enable_physical(vplic, word, raised);
    for (uint32_t left = raised; left != 0; left &= left - 1) {
        plic_complete(&board_plic, tenant->source_hart->plic_m_context,
                      word * SOURCE_SET_WORD_BITS + lowest_bit(left));
    }
    if (raised != 0) {
        uint32_t context = tenant->source_hart->plic_m_context;

        set_machine_enables(context, word, vplic->physical_sources[word], 0);
        look_at_machine_enables(context);
    }
}

/*
 * The source of the board's UART, as a bit of its word, 0 in others: to tenants it is a virtual
 * one, but in the PLIC it has a device and a priority, and no tenant may claim it.
 */
static uint32_t hidden_source(uint32_t word)
{
    uint32_t source = bundle->board.uart_source;

    return source_word(source) == word ? source_bit(source) & ~1u : 0;
}

/* A vhart reads its enable words by itself while they are as it has written them. */
static void show_enables(struct vhart *vhart, bool shown)
{
    if (hart_is_self(vhart->world.hart)) {
        plic_entry_set(vhart, vhart->plic->enables_entry, shown);
    } else {
        messages_post(vhart, REQUEST_ROUTING);
    }
}

void write_physical_enable_word(struct vplic *vplic, uint32_t index, uint32_t word, uint32_t value)
{
    struct vhart *vhart = vhart_at(vplic, index);
    uint32_t hidden = hidden_source(word);

    plic_write_enable_word(&board_plic, vhart->world.hart->plic_s_context, word, value & ~hidden);
    if (hidden != 0) {
        show_enables(vhart, (value & hidden) == 0);
    }
}

uint32_t claim_physical(struct vplic *vplic, uint32_t vhart)
{
    return plic_claim(&board_plic, vhart_at(vplic, vhart)->world.hart->plic_s_context);
}

void complete_physical_direct(struct vplic *vplic, uint32_t vhart, uint32_t source)
{
    plic_complete(&board_plic, vhart_at(vplic, vhart)->world.hart->plic_s_context, source);
}

void silence_physical_word(struct vplic *vplic, uint32_t word, uint32_t sources)
{
    (void)vplic;
    plic_silence_word(&board_plic, word, sources);
}

void release_physical_word(struct vplic *vplic, uint32_t index, uint32_t word, uint32_t sources)
{
    struct vhart *vhart = vhart_at(vplic, index);

    plic_release_word(&board_plic, vhart->world.hart->plic_s_context, word, sources);
    if (hidden_source(word) != 0) {
        show_enables(vhart, true);
    }
}
