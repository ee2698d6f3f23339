// gpu_layers.h: forms whose rows go through several products whole, as one kernel of a GPU: which can be one, and its
// schedule, decoded.
//
// What gpu_chains.h makes a block of columns at a time is not here. No IR is made.

#ifndef SINTER_LOWERING_FACTS_GPU_LAYERS_H
#define SINTER_LOWERING_FACTS_GPU_LAYERS_H

#include "lowering/facts/gpu_products.h"

typedef struct {
  SnGpuLaunch launch; // cluster: blocks that share rows, each of which has every so-manieth tile of columns
  int64_t m, n, k;    // rows of a block; columns at a time; what is summed at a time
  const char *kernel; // a name of sn_micro_gpu_names
  int64_t warps_down; // as in SnGpuProductPlan, and the sums
  SnLayout sums;
} SnGpuLayerPlan;

// Why a GPU cannot take the form's rows through all its products in one kernel; NULL if it can: each element is a
// function of one element of each product, and what crosses from one to the next fits shared memory.
const char *sn_gpu_not_layers(const SnForm *form);
// Bytes of shared memory of so many rows, columns and summed elements.
int64_t sn_gpu_layer_bytes(const SnForm *form, const char *kernel, int64_t m, int64_t n, int64_t k);
// All products have a line of this name.
bool sn_gpu_layers_have(const SnForm *form, const char *kernel);
// Rows of the form; SN_DYNAMIC where they are not known. Groups of its columns: the longest; of what crosses whether
// blocks may exchange it by words of 8 bytes.
int64_t sn_gpu_layer_rows(const SnForm *form);
int64_t sn_gpu_layer_widest(const SnForm *form);
bool sn_gpu_layers_exchange(const SnForm *form, int64_t n);
// An error if the form has no #sinter.mma, or one whose numbers do not fit each other.
MlirLogicalResult sn_gpu_plan_layers(const SnForm *form, SnGpuLayerPlan *plan);

#endif
