// launch_worth.c: whether kernels of a GPU had better share a launch.
//
// In a CUDA graph a launch more costs an H200 about 1.2 us where kernels are short. What is lost by sharing one is what
// products of many rows lose: in a sequence no tile comes by the copy engine and none is multiplied by wgmma, and a
// block is as large as any form of the launch wants (docs/one-launch.md). Of ten programs that were timed both ways a
// product of 64 rows or more lost about 1.7 us in f32 and 3 in half types, or more; with fewer rows, as a step of a
// language model has, products lose nothing.
//
// So a product that loses more than the launches in front of it and behind it cost is a launch by itself, and of what
// is left a run of forms shares one where it saves more than it loses.
//
// decides: which kernels of a GPU are worth a shared launch.
//
// test: test/passes/sequence/worth_gpu.mlir

#include "capi/form.h"
#include "dialect/sequence.h"
#include "passes/sequence/region_worth.h"

enum {
  LAUNCH = 1200, // ns
  PRODUCT = 1700,
  HALF_PRODUCT = 3000,
  MANY_ROWS = 64,
};

// Rows of a product's tiles: what its other side has, too, is a batch.
static int64_t tile_rows(const SnForm *f, size_t product) {
  int64_t rows = 1;
  for (int64_t d = 0; d < f->num_rows; ++d)
    if (!sn_side_uses(f, 2 * product + 1, d))
      rows = sn_times(rows, f->dims.data[d].size);
  return rows;
}

static int64_t lost_by(MlirOperation op) {
  if (!sn_is_form(op))
    return 0;
  SnForm f = sn_form_read(op);
  int64_t lost = 0;
  for (size_t p = 0; p < f.products.size; ++p) {
    bool half = sn_bits(sn_side_element(&f, 2 * p)) <= 16 && sn_bits(sn_side_element(&f, 2 * p + 1)) <= 16;
    int64_t of = half ? HALF_PRODUCT : PRODUCT;
    if (tile_rows(&f, p) >= MANY_ROWS && of > lost)
      lost = of;
  }
  sn_form_free(&f);
  return lost;
}

bool sn_launch_alone(MlirOperation op) { return lost_by(op) > 2 * LAUNCH; }

bool sn_launch_is_worth(const SnOpVec *ops) {
  int64_t forms = 0, lost = 0;
  for (size_t i = 0; i < ops->size; ++i)
    if (!sn_is_view(ops->data[i])) {
      lost += lost_by(ops->data[i]);
      forms++;
    }
  int64_t saved = (forms - 1) * LAUNCH;
  bool is = saved > lost;
  sn_remark(ops->data[0],
            "begins %lld kernels that %s one launch: %lld.%lld us of launches less, %lld.%lld us of "
            "products more",
            (long long)forms, is ? "share" : "do not share", (long long)(saved / 1000), (long long)(saved % 1000 / 100),
            (long long)(lost / 1000), (long long)(lost % 1000 / 100));
  return is;
}
