// symbols.c: the runtime by name.

#include "symbols.h"
#include "runtime.h"

#define SYMBOL(name) {#name, (void *)name}

const SinterRtSymbol sinter_rt_symbols[] = {
    SYMBOL(sinter_rt_call),
    SYMBOL(sinter_rt_call_on),
    SYMBOL(sinter_rt_call_mapped),
    SYMBOL(sinter_rt_prepare),
    SYMBOL(sinter_rt_fail),
    SYMBOL(sinter_rt_same_size),
    SYMBOL(sinter_rt_allocate),
    SYMBOL(sinter_rt_release),
    SYMBOL(sinter_rt_bytes),
    SYMBOL(sinter_rt_status),
    SYMBOL(sinter_rt_last_error),
    SYMBOL(sinter_rt_count),
    SYMBOL(sinter_rt_begin),
    SYMBOL(sinter_rt_end),
    SYMBOL(sinter_rt_cost),
    SYMBOL(sinter_rt_costs),
    SYMBOL(sinter_rt_stats),
    SYMBOL(sinter_rt_set_profiler),
    SYMBOL(sinter_rt_parallel),
    SYMBOL(sinter_rt_take_slot),
    SYMBOL(sinter_rt_give_slot),
    SYMBOL(sinter_rt_set_threads),
    SYMBOL(sinter_rt_set_parallel),
    SYMBOL(sinter_rt_brgemm_f32),
    SYMBOL(sinter_rt_launch),
    SYMBOL(sinter_rt_launch_together),
    SYMBOL(sinter_rt_clocks),
    SYMBOL(sinter_rt_tensor_map),
    SYMBOL(sinter_rt_device_constant),
    SYMBOL(sinter_rt_copy),
    SYMBOL(sinter_rt_put),
    SYMBOL(sinter_rt_read),
    SYMBOL(sinter_rt_device_allocate),
    SYMBOL(sinter_rt_device_release),
    SYMBOL(sinter_rt_status_word),
    SYMBOL(sinter_rt_device_status),
    SYMBOL(memrefCopy),
    SYMBOL(__truncsfbf2),
    SYMBOL(__truncdfbf2),
    {0, 0},
};
