/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests have every feature that they are linked with. */
#define WITH_check 1
#define WITH_bus_protection 1
#define WITH_plic 1
#define WITH_fast_switch 1
#define WITH_fast_uart 1
#define WITH_fp 1
#define WITH_harts 1
#define WITH_hosted 1
#define WITH_machine 1
#define WITH_served 1
#define WITH_sifive_uart 1
#define WITH_trace 1
#define WITH_uart32 1
#define WITH_vector 1
