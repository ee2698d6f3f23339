// pack_weights.h: what the files of sinter-pack-weights share.

#ifndef SINTER_PASSES_SCHEDULE_PACK_WEIGHTS_H
#define SINTER_PASSES_SCHEDULE_PACK_WEIGHTS_H

#include "lowering/facts/packed_weights.h"
#include "passes/schedule/schedule.h"

// Where element [s, j] of the weights is packed, and where it comes from: columns, then what is summed.
typedef struct {
  SnPackedWeights packed;
  struct {
    int64_t n, sizes[SN_MAX_DIMS], factors[SN_MAX_DIMS];
  } side[2];
  int64_t first; // element of the weights as they were given
} SnWeightLayout;

// How one form takes its weights.
typedef struct {
  MlirOperation form;
  size_t operand;
  MlirValue weights;
  const void *key;
  bool done; // it reads packed ones
  MlirAffineMap map;
  SnWeightLayout layout;
} SnWeightUse;

// Of the weights, packed.
MlirType sn_weights_packed_type(const SnWeightUse *use);
// weight_packers.c: a function beside `func` that packs the argument which this use takes.
MlirLogicalResult sn_weights_make_packer(MlirOperation module, MlirOperation func, const SnWeightUse *use);
// The argument has the packed type, in the function's, too. It asks for nothing any more.
void sn_weights_retype(MlirOperation func, MlirValue argument, MlirType to);
void sn_weights_forget(MlirOperation func);

#endif
