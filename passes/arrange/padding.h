// padding.h: what is read beyond the edges of a tensor, written once

#ifndef SINTER_PASSES_ARRANGE_PADDING_H
#define SINTER_PASSES_ARRANGE_PADDING_H

#include "capi/pass.h"

// Multiplications from which on a kernel in front of another is worth what it saves: for each kernel threads are woken
// and waited for. Below it a network of small images would have twice as many kernels and be a tenth faster.
#define SN_LEAST_WORK "524288"

typedef struct {
  intptr_t last;                               // dimension that grows; those behind it go with it, as one
  int64_t low[SN_MAX_DIMS], size[SN_MAX_DIMS]; // of what is written: where each dimension begins, and its size
} SnPadding;

// Of an access with bounds, whose form has sizes that are known: how many elements would be written. 0: it is none, or
// nothing of it is outside, or nobody knows.
int64_t sn_read_padding(const SnForm *f, const SnAccess *a, SnPadding *p);
// The form that writes it.
MlirValue sn_write_padded(SnBuilder *b, const SnAccess *a, const SnPadding *p);
// The access's subscripts, from where what is written begins.
MlirAffineMap sn_behind_padding(MlirAffineMap map, const SnPadding *p);

#endif
