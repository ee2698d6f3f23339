// A host that packs weights once and keeps them: the library's own functions by the names of its header, packed sizes
// from its table. Whole numbers, so that sums are exact in any order.

#include "packed.h"
#include "sinter/abi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 20, SUMMED = 100, W = 70, V = 67 };

static const SinterFunction *function(const char *name) {
  for (int32_t i = 0; i < packed_library.num_functions; ++i)
    if (!strcmp(packed_library.functions[i].name, name))
      return &packed_library.functions[i];
  fprintf(stderr, "no function %s\n", name);
  exit(1);
}

// f32 of this shape, aligned as the header says.
static DLTensor tensor(int32_t ndim, const int64_t *shape) {
  size_t n = sizeof(float);
  for (int32_t i = 0; i < ndim; ++i)
    n *= (size_t)shape[i];
  return (DLTensor){.data = aligned_alloc(64, (n + 63) / 64 * 64),
                    .device = {kDLCPU, 0},
                    .ndim = ndim,
                    .dtype = {kDLFloat, 32, 1},
                    .shape = (int64_t *)shape};
}

static DLTensor table_tensor(const SinterTensor *t) { return tensor(t->ndim, t->shape); }

static float number(int i, int k, int seed) { return (float)((i * 31 + k * 17 + seed + i * k % 7) % 9 - 4); }

static void check(int32_t status) {
  if (status) {
    fprintf(stderr, "status %d: %s\n", status, packed_library.last_error());
    exit(1);
  }
}

int main(void) {
  const SinterFunction *of_w = function("main_pack_w"), *of_v = function("main_pack_v"), *whole = function("main");
  DLTensor w = tensor(2, (int64_t[]){SUMMED, W}), v = tensor(2, (int64_t[]){V, SUMMED});
  DLTensor x = tensor(2, (int64_t[]){ROWS, SUMMED}), y = tensor(2, (int64_t[]){ROWS, W}),
           z = tensor(2, (int64_t[]){ROWS, V});
  DLTensor packed_w = table_tensor(&of_w->outputs[0]), packed_v = table_tensor(&of_v->outputs[0]);
  float *wd = w.data, *vd = v.data, *xd = x.data, *yd = y.data, *zd = z.data;
  for (int k = 0; k < SUMMED; ++k)
    for (int j = 0; j < W; ++j)
      wd[k * W + j] = number(k, j, 1);
  for (int j = 0; j < V; ++j)
    for (int k = 0; k < SUMMED; ++k)
      vd[j * SUMMED + k] = number(j, k, 2);
  check(packed_main_pack_w((DLTensor *[]){&w}, (DLTensor *[]){&packed_w}, NULL, NULL));
  check(packed_main_pack_v((DLTensor *[]){&v}, (DLTensor *[]){&packed_v}, NULL, NULL));
  int same = whole->inputs[1].ndim == packed_w.ndim &&
             !memcmp(whole->inputs[1].shape, packed_w.shape, (size_t)packed_w.ndim * sizeof(int64_t));
  int wrong = 0;
  for (int call = 0; call < 3; ++call) {
    for (int i = 0; i < ROWS; ++i)
      for (int k = 0; k < SUMMED; ++k)
        xd[i * SUMMED + k] = number(i, k, 3 + call);
    check(packed_main((DLTensor *[]){&x, &packed_w, &packed_v}, (DLTensor *[]){&y, &z}, NULL, NULL));
    for (int i = 0; i < ROWS; ++i) {
      for (int j = 0; j < W; ++j) {
        float sum = 0;
        for (int k = 0; k < SUMMED; ++k)
          sum += xd[i * SUMMED + k] * wd[k * W + j];
        wrong += sum != yd[i * W + j];
      }
      for (int j = 0; j < V; ++j) {
        float sum = 0;
        for (int k = 0; k < SUMMED; ++k)
          sum += xd[i * SUMMED + k] * vd[j * SUMMED + k];
        wrong += sum != zd[i * V + j];
      }
    }
  }
  printf("main takes what is packed: %s; packed once, 3 calls, %d wrong\n", same ? "yes" : "no", wrong);
  int32_t status = packed_main((DLTensor *[]){&x, &w, &packed_v}, (DLTensor *[]){&y, &z}, NULL, NULL);
  printf("weights as they are: status %d: %s\n", status, packed_library.last_error());
  void *memory[] = {w.data, v.data, x.data, y.data, z.data, packed_w.data, packed_v.data};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i)
    free(memory[i]);
  return 0;
}
