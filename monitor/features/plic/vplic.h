/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PLIC that a tenant sees (RISC-V PLIC specification 1.0), over its own sources only.
 *
 * A source is one of
 *   virtual   its level is set by a virtual device: vplic_set_level();
 *   physical  a source of the board that the tenant owns;
 *   foreign   everything else: reads 0, ignores writes, is never claimed.
 *
 * The S-mode context of a vhart has one of two forms:
 *   emulated      every register is state of ours. The monitor claims physical sources in a
 *                 machine context and hands them over with vplic_raise(); the tenant's completion
 *                 calls complete_physical(), until which the source cannot fire again.
 *   pass-through  the tenant reads its enable words and claims and completes in the physical
 *                 S-context itself. What it writes elsewhere is filtered here and written through.
 *                 While a virtual source is pending or in service (vplic_claim_trapped()) the
 *                 monitor takes the claim register away, raises SEIP if vplic_output(), and the
 *                 trapped claims and completions come here. For a tenant with one vhart the service
 *                 ends when the level falls, and its completion goes to the physical PLIC.
 *
 * Priorities are 3 bits; 0 never interrupts; a source interrupts a context when its priority is
 * above the context's threshold; the lowest number wins among equals. The request of a virtual
 * source whose level falls before it was claimed is withdrawn.
 *
 * Functions are called in M-mode with interrupts off and the shared lock held. Their time is
 * bounded by the number of source words (COTENANT_SOURCE_WORDS) except where stated. After
 * vplic_access(), vplic_claim(), vplic_complete(), vplic_set_level(), vplic_raise() and
 * vplic_reset_step() the caller looks at vplic_output(), vplic_claim_trapped() and the threshold of
 * the vharts again: the last is the caller's to write to the physical S-context of a pass-through
 * vhart.
 */
#ifndef COTENANT_FEATURES_PLIC_VPLIC_H
#define COTENANT_FEATURES_PLIC_VPLIC_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/limits.h"
#include "core/vhart.h"
#include "irq/source_set.h"

/*
 * Vharts of one tenant; or contexts: of one that has an M-mode context for each as well, those
 * count as vharts behind the others, and are emulated.
 */
#define VPLIC_MAX_VHARTS 8
#define VPLIC_PRIORITY_BITS 3
#define VPLIC_PRIORITY_MAX 7

struct vplic_vhart {
    uint32_t context; /* number of its S-mode context in this PLIC */
    bool passthrough;
    uint8_t threshold;                       /* 0..7 */
    uint32_t claimed_count;                  /* bits set in `claimed` */
    uint32_t enable[COTENANT_SOURCE_WORDS];  /* only owned sources */
    uint32_t claimed[COTENANT_SOURCE_WORDS]; /* claimed here, not completed yet */
};

struct vplic {
    uint32_t tenant; /* its index; not used here */
    uint32_t vhart_count;
    uint32_t words; /* those behind have no source of the tenant */
    uint32_t physical_sources[COTENANT_SOURCE_WORDS]; /* sources by kind; disjoint, bit 0 clear */
    uint32_t virtual_sources[COTENANT_SOURCE_WORDS];
    /* Bit k of the priority of source n is bit n of plane k. */
    uint32_t priority_plane[VPLIC_PRIORITY_BITS][COTENANT_SOURCE_WORDS];
    /* Of virtual sources; of a physical one: raised again while in service. */
    uint32_t level[COTENANT_SOURCE_WORDS];
    uint32_t pending[COTENANT_SOURCE_WORDS];    /* claimable: a virtual level or a raise */
    uint32_t in_service[COTENANT_SOURCE_WORDS]; /* claimed by some context here */
    uint32_t pending_words;                     /* bit w: pending[w] is not 0 */
    uint32_t latest; /* the source whose pending bit changed last; 0: none has */
    bool touched;    /* the tenant has stored to a register since all were reset; for the caller */
    struct vplic_vhart vharts[VPLIC_MAX_VHARTS];
};

static inline uint32_t vplic_vhart_count(const struct vplic *vplic)
{
    return SEVERAL_VHARTS || HAS(machine) ? vplic->vhart_count : 1;
}

/* Sources that the tenant may configure, as bits of a word. */
static inline uint32_t vplic_known_sources(const struct vplic *vplic, uint32_t word)
{
    return vplic->physical_sources[word] | vplic->virtual_sources[word];
}

/* The number is of a source that the tenant may configure. */
static inline bool vplic_is_known(const struct vplic *vplic, uint64_t source)
{
    return source < COTENANT_MAX_SOURCES &&
           (vplic_known_sources(vplic, source_word((uint32_t)source)) &
            source_bit((uint32_t)source)) != 0;
}

/*
 * Makes a PLIC without vharts and virtual sources. `sources` has a bit for each physical source
 * that the tenant owns; bit 0 is ignored. The physical sources are expected disabled, with priority
 * 0.
 */
void vplic_init(struct vplic *vplic, uint32_t tenant,
                const uint32_t sources[COTENANT_SOURCE_WORDS]);

/* Declares a virtual source, 1..COTENANT_MAX_SOURCES-1, that is not physical; false: it cannot. */
bool vplic_add_virtual(struct vplic *vplic, uint32_t source);

/*
 * Adds the next vhart with the number of its S-mode context (COTENANT_NONE: it has none). Returns
 * its index, which counts from 0, or -1 when there is no room.
 */
int vplic_add_vhart(struct vplic *vplic, uint32_t context, bool passthrough);

/*
 * The tenant loads or stores `size` bytes at `offset` from the PLIC's base. False: an access that
 * a PLIC does not take (not 4 bytes, misaligned, outside): an access fault for the tenant.
 * Reserved registers and unknown contexts read 0 and ignore writes. Time: the number of vharts.
 */
bool vplic_access(struct vplic *vplic, uint64_t offset, uint32_t size, bool store, uint32_t *value);

/*
 * The claim register of a vhart's context: what reading and writing it do. `vhart` is an index that
 * vplic_add_vhart() returned; `source` is any number.
 */
uint32_t vplic_claim(struct vplic *vplic, uint32_t vhart);
void vplic_complete(struct vplic *vplic, uint32_t vhart, uint32_t source);

/*
 * The interrupt line of a virtual device; ignored for a source that is not virtual. False: what is
 * pending and in service stays, and with it vplic_output() and vplic_claim_trapped().
 */
bool vplic_set_level(struct vplic *vplic, uint32_t source, bool level);

/*
 * The monitor has claimed a physical source in a machine context for this tenant: it stays claimed
 * until the tenant completes it, also if it is pending or in service here already, which a PLIC
 * that lets others complete it can bring about. False: not the tenant's, or claimed by the tenant
 * itself in its physical contexts; the caller then completes it.
 */
bool vplic_raise(struct vplic *vplic, uint32_t source);

/*
 * The tenant restarts: everything physical that it held is completed, disabled and set to
 * priority 0, every register is as after vplic_init(). Levels of virtual devices stay what
 * they are. It is done in steps, each for the 32 sources of a word at most, with two calls for
 * each: begins with step 0, and returns the step that comes next; 0: there is no such step. Those
 * of a word are numbered from a multiple of VPLIC_RESET_PARTS on. The vharts must not run
 * meanwhile.
 */
#define VPLIC_RESET_PARTS 16
uint32_t vplic_reset_step(struct vplic *vplic, uint32_t step);

/* All steps are done, and no virtual device is there any more that could hold its line raised. */
void vplic_lower_lines(struct vplic *vplic);

#endif
