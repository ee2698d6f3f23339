// launch_worth.c: whether kernels of a GPU had better share a launch.
//
// In a CUDA graph a launch more costs an H200 about 2 us where kernels are short, and a wait in a launch 0.8. Forms of
// one phase do not wait for each other. What is lost by sharing a launch is what products of many rows lose: in a
// sequence no tile comes by the copy engine and none is multiplied by wgmma, and a block is as large as any form of the
// launch wants (docs/one-launch.md). Of six programs that were timed both ways each step along the summed dimension
// took a block about 7 ns more (5 to 10), in f32 as in half types, as often as blocks come behind each other. With
// fewer than 64 rows, as a step of a language model has, nothing was seen to be lost.
//
// So a product that loses more than what is saved in front of it and behind it is a launch by itself, and of what is
// left a run of forms shares one where it saves more than it loses.
//
// decides: which kernels of a GPU are worth a shared launch.
//
// test: test/passes/sequence/worth_gpu.mlir

#include "capi/form.h"
#include "dialect/sequence.h"
#include "passes/sequence/region_worth.h"

enum {
  LAUNCH = 2000, // ns
  WAIT = 800,
  STEP = 7, // of a tile along the summed dimension
  MANY_ROWS = 64,
  TILE_COLUMNS = 32,
};

// Rows of a product's tiles: what its other side has, too, is a batch.
static int64_t tile_rows(const SnForm *f, size_t product) {
  int64_t rows = 1;
  for (int64_t d = 0; d < f->num_rows; ++d)
    if (!sn_side_uses(f, 2 * product + 1, d))
      rows = sn_times(rows, f->dims.data[d].size);
  return rows;
}

// Of a product of so many rows, of them `rows` in one of a batch, with columns that are sums of so many.
static int64_t lost_by_product(int64_t all_rows, int64_t rows, int64_t columns, int64_t summed, int64_t processors) {
  if (rows < MANY_ROWS)
    return 0;
  int64_t tiles = sn_times(sn_times(all_rows / rows, (rows + MANY_ROWS - 1) / MANY_ROWS),
                           (columns + TILE_COLUMNS - 1) / TILE_COLUMNS);
  int64_t steps = sn_times(summed, tiles > processors ? tiles : processors);
  return sn_times(STEP, steps) / processors;
}

static int64_t lost_by(MlirOperation op, int64_t processors) {
  if (!sn_is_form(op))
    return 0;
  SnForm f = sn_form_read(op);
  int64_t lost = 0, rows = f.products.size ? tile_rows(&f, 0) : 1;
  for (size_t p = 0; p < f.products.size; ++p) {
    int64_t summed = 1;
    for (int64_t d = 0; d < f.products.data[p].num_dims; ++d)
      summed = sn_times(summed, f.dims.data[sn_first_own(&f, p) + d].size);
    lost += lost_by_product(sn_num_rows(&f), tile_rows(&f, p), sn_group_length(&f, (size_t)sn_group_of_product(&f, p)),
                            summed, processors);
  }
  for (size_t m = 0; m < f.matrices.size; ++m)
    lost += lost_by_product(sn_num_rows(&f), rows, sn_group_length(&f, (size_t)f.matrices.data[m].to),
                            sn_group_length(&f, (size_t)f.matrices.data[m].from), processors);
  sn_form_free(&f);
  return lost;
}

bool sn_launch_alone(MlirOperation op, int64_t processors) { return lost_by(op, processors) > 2 * (LAUNCH - WAIT); }

bool sn_launch_is_worth(const SnOpVec *ops, int64_t processors) {
  int64_t lost = 0, kernels = 0;
  SnSequence s = sn_sequence_of(ops);
  for (size_t k = 0; k < s.forms.size; ++k) {
    int64_t turns = sn_sequence_loop(&s, k) ? sn_sequence_loop(&s, k)->turns : 1;
    lost += sn_times(turns, lost_by(s.forms.data[k], processors));
    kernels += turns;
  }
  sn_sequence_least_phases(&s, s.phase.data);
  int64_t waits = sn_sequence_all_phases(&s) - 1, saved = (kernels - 1) * LAUNCH - waits * WAIT;
  bool is = saved > lost;
  sn_remark(ops->data[0],
            "begins %lld kernels that %s one launch: %lld waits in it cost %lld.%lld us less than launches, "
            "products %lld.%lld us more",
            (long long)kernels, is ? "share" : "do not share", (long long)waits, (long long)(saved / 1000),
            (long long)(saved % 1000 / 100), (long long)(lost / 1000), (long long)(lost % 1000 / 100));
  sn_sequence_free(&s);
  return is;
}
