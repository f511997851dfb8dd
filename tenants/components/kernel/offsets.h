/* SPDX-License-Identifier: BSD-2-Clause */
/* Where entry.S finds fields of struct thread and struct component, which check it. */
#ifndef COTENANT_COMPONENTS_OFFSETS_H
#define COTENANT_COMPONENTS_OFFSETS_H

#define THREAD_PC 0
#define THREAD_TOP 256
#define THREAD_COMPONENT 264
#define THREAD_STACK 272
#define THREAD_FRAMES 288
#define FRAME_SIZE 24
#define FRAME_PC 0
#define FRAME_SP 8
#define FRAME_COMPONENT 16

#define COMPONENT_SATP 0
#define COMPONENT_STACKS 8
#define COMPONENT_ID 16
#define COMPONENT_CAPABILITIES 24
#define CAPABILITY_SHIFT 4
#define CAPABILITY_ENTRY 0
#define CAPABILITY_TARGET 8

#endif
