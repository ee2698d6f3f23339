// product_slots.h: a side of a product on its way from memory to a slot of wgmma, by threads.

#ifndef SINTER_LOWERING_GPU_PRODUCT_SLOTS_H
#define SINTER_LOWERING_GPU_PRODUCT_SLOTS_H

#include "lowering/gpu/products/product_fetch.h"

// Who fetches: so many warps, and this thread's; `warp` is known to be the same for all of a warp.
typedef struct {
  int64_t warps;
  MlirValue warp, lane; // index
} SnGpuFetchers;

// The summed elements from `first` on into the bytes of `slots` from `begin` on, zeros beside the ends. Pieces are on
// their way behind it (sn_gpu_commit_pieces), elements are there.
void sn_gpu_fill_slot(SnBuilder *b, const SnGpuSide *side, const SnGpuSlot *slot, const SnGpuFetchers *who,
                      MlirValue slots, MlirValue begin, MlirValue first);

// By one thread: the points of an image from `outer` on, and from `sum` on of the sum, by the copy engine
// (product_images.c). As sn_wgmma_copy_box has it.
typedef struct {
  const SnGpuSideMap *side;
  const SnAccess *access;
  const SnGpuDims *outer;
  SnGroup summed;
} SnGpuImageSide;
void sn_gpu_copy_image(SnBuilder *b, const SnGpuProducts *g, const SnGpuImageSide *image, MlirValue map, MlirValue to,
                       MlirValue outer, MlirValue sum, MlirValue full, MlirValue blocks);

#endif
