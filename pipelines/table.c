// table.c: every pass and pipeline, by name.
//
// new pass: its name; the pass is a file of a folder of passes or lowerings.

#include "pipelines/pipelines.h"

// clang-format off
#define SN_PASSES(X)                                                                               \
  X(embed_gpu) X(gpu_fallback) X(gpu_target) \
  X(memory_gpu) X(host_assert) X(host_boundary) X(host_branches) X(host_count) X(host_entry) X(host_names) \
  X(host_alloc) X(host_copy_parts) X(host_cut_chains) X(host_cut_nests) X(host_inline) X(host_deallocations) \
  X(host_splice) X(host_split_views) X(host_destinations) \
  X(host_empty) X(host_place) X(host_results) X(host_separate) \
  X(host_workspace) X(lower_cpu) X(lower_gpu) X(adjacent)                                                       \
  X(all_turns) X(arrange) X(behind_products) X(head_groups) X(variances) X(half_sums) X(columns_apart) X(turned_sums) \
  X(long_columns) X(parted_rows) X(transposed_convolutions) X(thin_products) \
  X(bags) X(constants) X(elements) \
  X(known_sizes) X(one_place) X(long_rows) X(split_groups) X(shared_products) X(single_queries) \
  X(check_sizes) X(concat) X(control) X(cost) X(corners) X(cse) X(decompose) X(differentiate) X(expand) X(explain) \
  X(few_rows) X(fuse) X(guard) X(guard_reshapes) X(in_place) X(loops) X(math) X(ordinary) X(outline) X(pack_weights) \
  X(padded_windows) X(turned_weights) X(turned_taps) X(channel_order) X(channel_lanes) X(channels_last) \
  X(raise) X(ranges) X(reshape) X(schedule) X(sequence) X(short_floats) X(short_integers) X(simplify) X(split) \
  X(tm_tensor) X(tosa) \
  X(unit_slices) X(verify) X(widen)

#define SN_PIPELINES(X)                                                                            \
  X(cpu) X(gpu)                                                                                    \
  X(prepare)
// clang-format on

#define DECLARE(name) extern const SnPass sn_pass_##name;
SN_PASSES(DECLARE)
#undef DECLARE
#define DECLARE(name) extern const SnPipeline sn_pipeline_##name;
SN_PIPELINES(DECLARE)
#undef DECLARE

#define POINTER(name) &sn_pass_##name,
const SnPass *const sn_passes[] = {SN_PASSES(POINTER) NULL};
#undef POINTER
#define POINTER(name) &sn_pipeline_##name,
const SnPipeline *const sn_pipelines[] = {SN_PIPELINES(POINTER) NULL};
#undef POINTER

void sn_register_all(void) {
  for (size_t i = 0; sn_passes[i]; ++i)
    sn_shim_register_pass(sn_passes[i]);
  for (size_t i = 0; sn_pipelines[i]; ++i)
    sn_shim_register_pipeline(sn_pipelines[i]);
}

const SnPipeline *sn_pipeline(const char *argument) {
  for (size_t i = 0; sn_pipelines[i]; ++i)
    if (!strcmp(sn_pipelines[i]->argument, argument))
      return sn_pipelines[i];
  return NULL;
}
