# SPDX-License-Identifier: BSD-2-Clause
"""The structures of abi/bundle.h, field by field; a test compares them with the C compiler's."""

from ctypes import LittleEndianStructure, c_char, c_uint8, c_uint16, c_uint32, c_uint64

from cotenant.abi import bundle as constant
from cotenant.abi import limit


class SetupWrite(LittleEndianStructure):
    """an element of struct monitor_header.uart_setup"""

    _fields_ = [("address", c_uint64), ("value", c_uint32), ("reserved", c_uint32)]


class MonitorHeader(LittleEndianStructure):
    """struct monitor_header"""

    _fields_ = [
        ("jump", c_uint32 * 2),
        ("magic", c_uint64),
        ("image_size", c_uint64),
        ("memory_size", c_uint64),
        ("uart_base", c_uint64),
        ("uart_kind", c_uint32),
        ("uart_register_shift", c_uint32),
        ("reset_base", c_uint64),
        ("reset_kind", c_uint32),
        ("reserved", c_uint32),
        ("uart_setup", SetupWrite * constant("UART_SETUP_WRITES")),
    ]


class BundleRange(LittleEndianStructure):
    """struct bundle_range"""

    _fields_ = [("base", c_uint64), ("size", c_uint64)]


class BundlePart(LittleEndianStructure):
    """struct bundle_part"""

    _fields_ = [
        ("store_offset", c_uint64),
        ("destination", c_uint64),
        ("file_size", c_uint64),
        ("memory_size", c_uint64),
    ]


class BundleReset(LittleEndianStructure):
    """struct bundle_reset"""

    _fields_ = [
        ("base", c_uint64),
        ("kind", c_uint32),
        ("register_shift", c_uint16),
        ("divisor", c_uint16),
    ]


class BundleHart(LittleEndianStructure):
    """struct bundle_hart"""

    _fields_ = [
        ("id", c_uint16),
        ("plic_m_context", c_uint16),
        ("plic_s_context", c_uint16),
        ("reserved", c_uint16),
    ]


class BundleMaster(LittleEndianStructure):
    """struct bundle_master"""

    _fields_ = [("tenants", c_uint32), ("number", c_uint16), ("entries", c_uint16)]


class BundleBoard(LittleEndianStructure):
    """struct bundle_board"""

    _fields_ = [
        ("ram_base", c_uint64),
        ("ram_size", c_uint64),
        ("monitor_base", c_uint64),
        ("monitor_size", c_uint64),
        ("mtime_address", c_uint64),
        ("mtimecmp_base", c_uint64),
        ("msip_base", c_uint64),
        ("plic_base", c_uint64),
        ("uart_base", c_uint64),
        ("reset_base", c_uint64),
        ("timebase_hz", c_uint32),
        ("plic_sources", c_uint32),
        ("uart_kind", c_uint32),
        ("uart_register_shift", c_uint32),
        ("uart_source", c_uint32),
        ("uart_divisor", c_uint32),
        ("reset_kind", c_uint32),
        ("flags", c_uint32),
        ("pmp_entries", c_uint32),
        ("pmp_grain", c_uint32),
        ("hart_count", c_uint32),
        ("boot_hart", c_uint32),
        ("harts", BundleHart * limit("MAX_HARTS")),
        ("bus_base", c_uint64),
        ("bus_kind", c_uint32),
        ("master_count", c_uint32),
        ("masters", BundleMaster * limit("MAX_MASTERS")),
    ]


class BundleTenant(LittleEndianStructure):
    """struct bundle_tenant"""

    _fields_ = [
        ("name", c_char * limit("NAME_SIZE")),
        ("flags", c_uint32),
        ("vhart_first", c_uint32),
        ("vhart_count", c_uint32),
        ("uart_source", c_uint32),
        ("entry", c_uint64),
        ("devicetree", c_uint64),
        ("uart_base", c_uint64),
        ("plic_base", c_uint64),
        ("sources", c_uint32 * limit("SOURCE_WORDS")),
        ("memory", BundleRange * limit("MAX_MEMORY_RANGES")),
        ("parts", BundlePart * limit("MAX_IMAGE_PARTS")),
        ("resets", BundleReset * limit("MAX_RESETS")),
        ("group", c_uint32),
        ("refusal", c_uint32),
        ("patience_ms", c_uint32),
        ("watch_policy", c_uint32),
        ("virtual_base", c_uint64),
        ("device_first", c_uint32),
        ("device_count", c_uint32),
        ("watch_within_us", c_uint32),
        ("watch_boot_us", c_uint32),
        ("watchdog_base", c_uint64),
        ("may_see", c_uint32),
        ("may_control", c_uint32),
        ("guest_base", c_uint64),
        ("guest_memory", c_uint64),
        ("guest_count", c_uint32),
        ("guest_vharts", c_uint32),
        ("guest_entries", c_uint32),
        ("reserved", c_uint32),
    ]


class BundleDevice(LittleEndianStructure):
    """struct bundle_device"""

    _fields_ = [
        ("tenant", c_uint32),
        ("kind", c_uint32),
        ("source", c_uint32),
        ("wake_ups", c_uint32),
    ]


class BundleEnd(LittleEndianStructure):
    """struct bundle_end"""

    _fields_ = [
        ("device", c_uint32),
        ("port", c_uint32),
        ("mac", c_uint8 * 6),
        ("events", c_uint16),
    ]


class BundleChannel(LittleEndianStructure):
    """struct bundle_channel"""

    _fields_ = [
        ("name", c_char * limit("NAME_SIZE")),
        ("kind", c_uint32),
        ("end_count", c_uint32),
        ("ends", BundleEnd * limit("MAX_CHANNEL_ENDS")),
        ("window", BundleRange),
    ]


class BundleVhart(LittleEndianStructure):
    """struct bundle_vhart"""

    _fields_ = [
        ("tenant", c_uint32),
        ("id", c_uint32),
        ("hart", c_uint32),
        ("priority", c_uint32),
        ("flags", c_uint32),
        ("slice_us", c_uint32),
        ("budget_us", c_uint32),
        ("period_us", c_uint32),
        ("plic_m_context", c_uint32),
        ("plic_s_context", c_uint32),
        ("pmp_address", c_uint64 * limit("PMP_ENTRIES")),
        ("pmp_config", c_uint8 * limit("PMP_ENTRIES")),
        ("plic_claim_entry", c_uint32),
        ("reserved", c_uint32),
    ]


class BundleConsole(LittleEndianStructure):
    """struct bundle_console"""

    _fields_ = [
        ("mode", c_uint32),
        ("escape", c_uint32),
        ("focus", c_uint32),
        ("reserved", c_uint32),
    ]


class BundleTrace(LittleEndianStructure):
    """struct bundle_trace"""

    _fields_ = [("base", c_uint64), ("ring_size", c_uint64)]


class BundleNextStage(LittleEndianStructure):
    """struct bundle_next_stage"""

    _fields_ = [("store_offset", c_uint64), ("size", c_uint64)]


class BundleHandedTree(LittleEndianStructure):
    """struct bundle_handed_tree"""

    _fields_ = [
        ("plan_offset", c_uint64),
        ("plan_size", c_uint64),
        ("store_offset", c_uint64),
        ("size", c_uint64),
    ]


class BundleVectors(LittleEndianStructure):
    """struct bundle_vectors"""

    _fields_ = [("base", c_uint64), ("size", c_uint64)]


class Bundle(LittleEndianStructure):
    """struct bundle"""

    _fields_ = [
        ("magic", c_uint64),
        ("version", c_uint32),
        ("size", c_uint32),
        ("total_size", c_uint64),
        ("crc32", c_uint32),
        ("tenant_count", c_uint32),
        ("vhart_count", c_uint32),
        ("device_count", c_uint32),
        ("board", BundleBoard),
        ("console", BundleConsole),
        ("trace", BundleTrace),
        ("next_stage", BundleNextStage),
        ("handed_tree", BundleHandedTree),
        ("vectors", BundleVectors),
        ("tenants", BundleTenant * limit("MAX_TENANTS")),
        ("vharts", BundleVhart * limit("MAX_VHARTS")),
        ("devices", BundleDevice * limit("MAX_VIRTUAL_DEVICES")),
        ("channel_count", c_uint32),
        ("reserved", c_uint32),
        ("channels", BundleChannel * limit("MAX_CHANNELS")),
        ("features", c_char * limit("FEATURE_NAME_SIZE") * limit("MAX_FEATURES")),
    ]


STRUCTURES: dict[str, type[LittleEndianStructure]] = {
    "monitor_header": MonitorHeader,
    "bundle_range": BundleRange,
    "bundle_part": BundlePart,
    "bundle_reset": BundleReset,
    "bundle_hart": BundleHart,
    "bundle_master": BundleMaster,
    "bundle_board": BundleBoard,
    "bundle_tenant": BundleTenant,
    "bundle_vhart": BundleVhart,
    "bundle_device": BundleDevice,
    "bundle_end": BundleEnd,
    "bundle_channel": BundleChannel,
    "bundle_console": BundleConsole,
    "bundle_trace": BundleTrace,
    "bundle_next_stage": BundleNextStage,
    "bundle_handed_tree": BundleHandedTree,
    "bundle_vectors": BundleVectors,
    "bundle": Bundle,
}
