# SPDX-License-Identifier: BSD-2-Clause
#
# Files of the monitor (paths below monitor/) that several programs test or fuzz together: this
# folder's and those of tests/fuzz.

VPLIC := features/plic/vplic.c features/plic/vplic_arbiter.c features/plic/vplic_registers.c \
	features/plic/vplic_reset.c
ROUTING := features/plic/routing.c features/plic/ownership.c features/plic/release.c \
	features/plic/physical.c features/plic/uart.c irq/board.c device/plic.c core/tenant.c \
	features/harts/wanted.c core/vuart.c features/plic/vuart_registers.c $(VPLIC)
GUEST_MEMORY := arch/guest_memory.c features/plic/device_pages.c arch/owned_memory.c core/tenant.c
CONTROL := features/control/control.c features/control/verbs.c features/control/idle.c core/vhart.c \
	core/scheduler.c core/tenant.c arch/owned_memory.c core/monitor_log.c core/vuart.c \
	features/harts/wanted.c features/plic/vuart_registers.c
CONSOLE := core/console_mux.c features/control/line.c features/terminal/filter.c \
	features/terminal/lines.c features/terminal/keys.c features/frames/frames.c features/frames/run.c $(CONTROL)
CHECK := boot/check.c features/check/device_range.c features/virtio/check_channels.c \
	features/check/check_board.c features/check/check_fields.c features/check/check_protection.c \
	features/check/check_system.c features/check/check_tenant.c features/check/check_vhart.c \
	features/check/words.c features/device_reset/check_resets.c \
	features/next_stage/check_store.c features/handed_tree/check_plan.c \
	features/hosted/check_guests.c features/served/check_served.c \
	features/machine/check_machine.c features/bus_protection/check_masters.c \
	features/vector/check_vectors.c
HANDED_TREE := features/handed_tree/fdt.c features/handed_tree/merge.c features/handed_tree/ram.c
VIRTIO := features/virtio/virtio.c features/virtio/virtqueue.c \
	features/virtio_console/virtio_console.c features/virtio_net/virtio_net.c \
	features/virtio_socket/virtio_socket.c features/virtio_input/virtio_input.c \
	features/control_port/port.c features/control/control.c core/tenant.c \
	features/harts/wanted.c arch/owned_memory.c
GUARD := features/guard/guard.c features/guard/devices.c features/guard/registers.c \
	features/guard/shadow.c features/guard/types.c features/device_reset/virtio_reset.c \
	core/tenant.c features/harts/wanted.c arch/owned_memory.c
