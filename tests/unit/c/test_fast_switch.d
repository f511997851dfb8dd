test_fast_switch: test_fast_switch.c include/arch/csr.h \
 include/arch/../../../../../monitor/arch/csr.h \
 ../../../monitor/arch/instruction.h ../../../monitor/arch/timer.h \
 ../../../monitor/arch/interrupts.h ../../../monitor/core/hart.h \
 ../../../abi/bundle.h ../../../abi/limits.h \
 ../../../monitor/core/scheduler.h ../../../monitor/core/scheduler_hot.h \
 ../../../monitor/core/vhart.h ../../../abi/limits.h \
 ../../../monitor/arch/world.h ../../../monitor/arch/wait.h \
 cmocka_tests.h ../../../monitor/entry/fast_switch.h \
 ../../../monitor/core/feature.h include/built_with.h \
 ../../../monitor/core/table.h ../../../monitor/core/messages.h \
 ../../../monitor/device/plic.h ../../../monitor/device/plic_map.h \
 ../../../monitor/entry/trap.h ../../../monitor/features/plic/routing.h \
 ../../../monitor/core/tenant.h ../../../monitor/core/loader.h \
 ../../../monitor/core/monitor_log.h ../../../monitor/core/ring.h \
 ../../../monitor/core/vuart.h ../../../monitor/features/plic/vplic.h \
 random.h
include/arch/csr.h:
include/arch/../../../../../monitor/arch/csr.h:
../../../monitor/arch/instruction.h:
../../../monitor/arch/timer.h:
../../../monitor/arch/interrupts.h:
../../../monitor/core/hart.h:
../../../abi/bundle.h:
../../../abi/limits.h:
../../../monitor/core/scheduler.h:
../../../monitor/core/scheduler_hot.h:
../../../monitor/core/vhart.h:
../../../abi/limits.h:
../../../monitor/arch/world.h:
../../../monitor/arch/wait.h:
cmocka_tests.h:
../../../monitor/entry/fast_switch.h:
../../../monitor/core/feature.h:
include/built_with.h:
../../../monitor/core/table.h:
../../../monitor/core/messages.h:
../../../monitor/device/plic.h:
../../../monitor/device/plic_map.h:
../../../monitor/entry/trap.h:
../../../monitor/features/plic/routing.h:
../../../monitor/core/tenant.h:
../../../monitor/core/loader.h:
../../../monitor/core/monitor_log.h:
../../../monitor/core/ring.h:
../../../monitor/core/vuart.h:
../../../monitor/features/plic/vplic.h:
random.h:
