/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of the RISC-V Supervisor Binary Interface v3.0 that the monitor and tenants use. */
#ifndef COTENANT_ABI_SBI_H
#define COTENANT_ABI_SBI_H

/* Section 3: error codes. */
#define SBI_SUCCESS 0
#define SBI_ERR_FAILED (-1)
#define SBI_ERR_NOT_SUPPORTED (-2)
#define SBI_ERR_INVALID_PARAM (-3)
#define SBI_ERR_DENIED (-4)
#define SBI_ERR_INVALID_ADDRESS (-5)
#define SBI_ERR_ALREADY_AVAILABLE (-6)
#define SBI_ERR_ALREADY_STARTED (-7)
#define SBI_ERR_ALREADY_STOPPED (-8)
#define SBI_ERR_NO_SHMEM (-9)
#define SBI_ERR_INVALID_STATE (-10)
#define SBI_ERR_BAD_RANGE (-11)
#define SBI_ERR_TIMEOUT (-12)
#define SBI_ERR_IO (-13)
#define SBI_ERR_DENIED_LOCKED (-14)

/* Version 3.0: major in bits 30:24, minor in bits 23:0. */
#define SBI_SPEC_VERSION 0x03000000

/* Section 4: base extension. */
#define SBI_EXT_BASE 0x10
#define SBI_BASE_GET_SPEC_VERSION 0
#define SBI_BASE_GET_IMPL_ID 1
#define SBI_BASE_GET_IMPL_VERSION 2
#define SBI_BASE_PROBE_EXTENSION 3
#define SBI_BASE_GET_MVENDORID 4
#define SBI_BASE_GET_MARCHID 5
#define SBI_BASE_GET_MIMPID 6

/* Section 6: timer. */
#define SBI_EXT_TIME 0x54494d45
#define SBI_TIME_SET_TIMER 0

/* Section 7: inter-processor interrupts. */
#define SBI_EXT_IPI 0x735049
#define SBI_IPI_SEND_IPI 0

/* Section 8: remote fences. */
#define SBI_EXT_RFENCE 0x52464e43
#define SBI_RFENCE_FENCE_I 0
#define SBI_RFENCE_SFENCE_VMA 1
#define SBI_RFENCE_SFENCE_VMA_ASID 2
#define SBI_RFENCE_HFENCE_GVMA_VMID 3
#define SBI_RFENCE_HFENCE_GVMA 4
#define SBI_RFENCE_HFENCE_VVMA_ASID 5
#define SBI_RFENCE_HFENCE_VVMA 6

/* Section 9: hart state management. */
#define SBI_EXT_HSM 0x48534d
#define SBI_HSM_HART_START 0
#define SBI_HSM_HART_STOP 1
#define SBI_HSM_HART_GET_STATUS 2
#define SBI_HSM_HART_SUSPEND 3
#define SBI_HSM_STATE_STARTED 0
#define SBI_HSM_STATE_STOPPED 1
#define SBI_HSM_STATE_START_PENDING 2
#define SBI_HSM_STATE_STOP_PENDING 3
#define SBI_HSM_STATE_SUSPENDED 4
#define SBI_HSM_STATE_SUSPEND_PENDING 5
#define SBI_HSM_STATE_RESUME_PENDING 6
#define SBI_HSM_SUSPEND_RETENTIVE 0x00000000
#define SBI_HSM_SUSPEND_NON_RETENTIVE 0x80000000

/* Section 10: system reset. */
#define SBI_EXT_SRST 0x53525354
#define SBI_SRST_SYSTEM_RESET 0
#define SBI_SRST_TYPE_SHUTDOWN 0
#define SBI_SRST_TYPE_COLD_REBOOT 1
#define SBI_SRST_TYPE_WARM_REBOOT 2
#define SBI_SRST_REASON_NONE 0
#define SBI_SRST_REASON_SYSTEM_FAILURE 1

/* Section 11: performance monitoring unit. */
#define SBI_EXT_PMU 0x504d55
#define SBI_PMU_NUM_COUNTERS 0
#define SBI_PMU_COUNTER_GET_INFO 1
#define SBI_PMU_COUNTER_CONFIG_MATCHING 2
#define SBI_PMU_COUNTER_START 3
#define SBI_PMU_COUNTER_STOP 4
#define SBI_PMU_COUNTER_FW_READ 5
#define SBI_PMU_COUNTER_FW_READ_HI 6
#define SBI_PMU_SNAPSHOT_SET_SHMEM 7
#define SBI_PMU_EVENT_GET_INFO 8
/* Event types, and the bits of event data that raw ones have. */
#define SBI_PMU_TYPE_GENERAL 0
#define SBI_PMU_TYPE_CACHE 1
#define SBI_PMU_TYPE_RAW 2
#define SBI_PMU_TYPE_RAW_V2 3
#define SBI_PMU_TYPE_FIRMWARE 15
#define SBI_PMU_RAW_BITS 48
#define SBI_PMU_RAW_V2_BITS 56
/* Codes of general events. */
#define SBI_PMU_HW_CPU_CYCLES 1
#define SBI_PMU_HW_INSTRUCTIONS 2
/* Codes of firmware events. */
#define SBI_PMU_FW_MISALIGNED_LOAD 0
#define SBI_PMU_FW_MISALIGNED_STORE 1
#define SBI_PMU_FW_ACCESS_LOAD 2
#define SBI_PMU_FW_ACCESS_STORE 3
#define SBI_PMU_FW_ILLEGAL_INSN 4
#define SBI_PMU_FW_SET_TIMER 5
#define SBI_PMU_FW_IPI_SENT 6
#define SBI_PMU_FW_IPI_RECEIVED 7
#define SBI_PMU_FW_FENCE_I_SENT 8
#define SBI_PMU_FW_FENCE_I_RECEIVED 9
#define SBI_PMU_FW_SFENCE_VMA_SENT 10
#define SBI_PMU_FW_SFENCE_VMA_RECEIVED 11
#define SBI_PMU_FW_SFENCE_VMA_ASID_SENT 12
#define SBI_PMU_FW_SFENCE_VMA_ASID_RECEIVED 13
#define SBI_PMU_FW_HFENCE_GVMA_SENT 14
#define SBI_PMU_FW_PLATFORM 65535
/* Flags of config_matching, start and stop. */
#define SBI_PMU_CONFIG_SKIP_MATCH 0x1
#define SBI_PMU_CONFIG_CLEAR_VALUE 0x2
#define SBI_PMU_CONFIG_AUTO_START 0x4
#define SBI_PMU_CONFIG_FLAGS 0xff
#define SBI_PMU_START_SET_INIT_VALUE 0x1
#define SBI_PMU_START_INIT_SNAPSHOT 0x2
#define SBI_PMU_STOP_RESET 0x1
#define SBI_PMU_STOP_TAKE_SNAPSHOT 0x2
/* counter_info of get_info */
#define SBI_PMU_INFO_WIDTH_SHIFT 12
#define SBI_PMU_INFO_FIRMWARE 0x8000000000000000

/* Section 12: debug console. */
#define SBI_EXT_DBCN 0x4442434e
#define SBI_DBCN_WRITE 0
#define SBI_DBCN_READ 1
#define SBI_DBCN_WRITE_BYTE 2

/* Section 13: system suspend. */
#define SBI_EXT_SUSP 0x53555350
#define SBI_SUSP_SYSTEM_SUSPEND 0
#define SBI_SUSP_TO_RAM 0

/* Section 16: steal-time accounting. */
#define SBI_EXT_STA 0x535441
#define SBI_STA_SET_SHMEM 0

/* Section 18: firmware features. */
#define SBI_EXT_FWFT 0x46574654
#define SBI_FWFT_SET 0
#define SBI_FWFT_GET 1
#define SBI_FWFT_MISALIGNED_EXC_DELEG 0
#define SBI_FWFT_LANDING_PAD 1
#define SBI_FWFT_SHADOW_STACK 2
#define SBI_FWFT_DOUBLE_TRAP 3
#define SBI_FWFT_PTE_AD_HW_UPDATING 4
#define SBI_FWFT_POINTER_MASKING_PMLEN 5
#define SBI_FWFT_SET_LOCK 0x1

/*
 * Cotenant's implementation id. It is not registered with the RISC-V SBI specification; the
 * firmware-specific extension space (0x0A000000 + implementation id) follows from it.
 */
#define COTENANT_SBI_IMPL_ID 0xc07e
#define COTENANT_SBI_IMPL_VERSION 0x00010000
#define COTENANT_SBI_EXT 0x0a00c07e

#endif
