// gpu_chains.c: forms that multiply their rows again, as one kernel of a GPU.
//
//   (b, h, i) by (j) by (e)   product (k) (%q[b, h, i, k], %k[b, h, j, k])   matrix (j) to (e) (%v[b, h, j, e])
//   ->  batch (b, h), rows i, columns j of which a block is made at a time
//
// test: test/passes/split/gpu_chains.mlir, test/lowering/gpu/chains.mlir

#include "lowering/facts/gpu_chains.h"
#include "dialect/dialect.h"
#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "dialect/schedules.h"
#include "dialect/under_maximum.h"
#include "lowering/rows/rowmemory.h"
#include <math.h>

enum {
  SLOTS = 2,          // of a side with columns that come block by block
  LINE_ELEMENTS = 64, // of 16 bits, of a line that copies fetch
};

static bool uses(const SnForm *f, size_t side, int64_t first, int64_t n) {
  bool used = false;
  for (int64_t d = first; d < first + n; ++d)
    used |= sn_side_uses(f, side, d);
  return used;
}

static bool uses_all(const SnForm *f, size_t side, SnGroup dims) {
  bool all = true;
  for (int64_t d = dims.first; d < dims.first + dims.num_dims; ++d)
    all &= sn_side_uses(f, side, d);
  return all;
}

// All that the form multiplies is f32.
static bool is_of_floats(const SnForm *f) {
  SnMultiplied m;
  bool floats = true;
  for (size_t i = 0; floats && sn_multiplied(f, i, &m); ++i)
    floats = mlirTypeIsAF32(m.a) && mlirTypeIsAF32(m.b) && mlirTypeIsAF32(m.sum);
  return floats;
}

const char *sn_gpu_chain_kernel(const SnForm *f) { return is_of_floats(f) ? "mma.parts" : "mma.sync"; }

static size_t matrix_side(const SnForm *f, size_t matrix) { return 2 * f->products.size + matrix; }

// The side of product p that has the columns.
static size_t column_side(const SnForm *f, size_t p) { return sn_gpu_product(f, p, sn_gpu_chain_kernel(f)).b; }

SnGpuPoints sn_gpu_chain_points(const SnForm *f) {
  SnGpuPoints to = {0};
  SnGroup columns = sn_group(f, 0);
  for (int64_t d = 0; d < f->num_rows; ++d) {
    bool shared = false;
    for (size_t p = 0; p < f->products.size; ++p)
      shared |= sn_side_uses(f, column_side(f, p), d);
    for (size_t m = 0; m < f->matrices.size; ++m)
      shared |= sn_side_uses(f, matrix_side(f, m), d);
    SnGpuDims *of = shared ? &to.batch : &to.rows;
    of->dims[of->n++] = d;
  }
  // Of a tile's rows a mask's end is known in one dimension: many of one are enough for a tile.
  enum { MANY = 64 };
  int64_t last = to.rows.n ? to.rows.dims[to.rows.n - 1] : 0;
  if (to.rows.n > 1 && (f->dims.data[last].size == SN_DYNAMIC || f->dims.data[last].size >= MANY)) {
    to.batch.n = 0;
    for (int64_t d = 0; d < f->num_rows; ++d)
      if (d != last)
        to.batch.dims[to.batch.n++] = d;
    to.rows = (SnGpuDims){.dims = {last}, .n = 1};
  }
  for (int64_t d = columns.first; d < columns.first + columns.num_dims; ++d)
    to.columns.dims[to.columns.n++] = d;
  return to;
}

static int64_t size_of(const SnForm *f, SnGroup dims) {
  int64_t n = 1;
  for (int64_t d = dims.first; d < dims.first + dims.num_dims; ++d)
    n = n == SN_DYNAMIC || f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(n, f->dims.data[d].size);
  return n;
}

int64_t sn_gpu_chain_whole(int64_t n) { return sn_pieces(n, 16) * 16; }

int64_t sn_gpu_chain_products(const SnForm *f) {
  SnMultiplied m;
  int64_t n = 0;
  while (sn_multiplied(f, f->products.size + (size_t)n, &m))
    ++n;
  return n;
}

// The instruction that multiplies these; of f32 by halves, two parts of each element, halves both.
static const SnMicroKernel *line_of(const char *name, const SnMultiplied *m) {
  return sn_micro_kernel(name, sn_parts_of(m->a, m->b) > 1 ? m->b : m->a, m->b, m->sum);
}

// ---- what can be one --------------------------------------------------------------------------

static bool is_small(int64_t n, int64_t most) { return n != SN_DYNAMIC && n > 0 && n <= most; }

// The row that is multiplied again is exponentials under their maximum, 1 at most each.
static bool is_weights(const SnForm *f, size_t i) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_row_op_has(op, SN_READS_MATRIX) && !i--) {
      MlirValue s, e = sn_cpu_without_factor(sn_operand(op, 0), &s);
      return !sn_null(sn_exp_under_maximum(sn_none(e) ? sn_operand(op, 0) : e));
    }
  return false;
}

bool sn_gpu_stores_much(const SnForm *f, int64_t bytes) {
  enum { SOME = 1024 }; // of a size that is not known
  int64_t points = 1, all = 0;
  SnGroup columns = sn_group(f, 0);
  for (int64_t d = 0; d < columns.first + columns.num_dims; ++d)
    if (d < f->num_rows || d >= columns.first)
      points = sn_times(points, f->dims.data[d].size == SN_DYNAMIC ? SOME : f->dims.data[d].size);
  for (size_t p = 0; p < f->products.size; ++p)
    all += sn_times(points, (int64_t)sn_bits(f->products.data[p].type) / 8);
  return all >= bytes;
}

// Both sides of the product use a dimension of the rows, as those of attention's heads do.
static bool is_batched(const SnForm *f, size_t p) {
  bool batched = false;
  for (int64_t d = 0; d < f->num_rows; ++d)
    batched |= sn_side_uses(f, 2 * p, d) && sn_side_uses(f, 2 * p + 1, d);
  return batched;
}

// All rows are multiplied by the same matrices, and none is reduced: a hidden layer, which is faster stored. A form
// that is being planned has no body yet.
static bool is_layer(const SnForm *f) {
  bool layer = true;
  for (size_t p = 0; p < f->products.size; ++p)
    layer &= !is_batched(f, p);
  MlirOperation op = {0};
  for (op = f->body.ptr ? mlirBlockGetFirstOperation(f->body) : op; !sn_null(op); op = mlirOperationGetNextInBlock(op))
    layer &= !sn_row_op_has(op, SN_READS_ALL) || sn_row_op_has(op, SN_READS_MATRIX);
  return layer;
}

// Elements that all products of one score sum.
static int64_t summed(const SnForm *f) {
  int64_t n = 0;
  for (size_t p = 0; p < f->products.size; ++p) {
    int64_t size = size_of(f, sn_side_summed(f, 2 * p));
    n += size == SN_DYNAMIC ? SN_GPU_CHAIN_SUM : size;
  }
  return n;
}

// Kernels by FMA that store the scores are faster than six products of parts where more than FAST elements are summed
// for one (values of heads of 256, gradients of heads of 128: 0.6 to 0.75 of their time on an H200, T 1024 and 2048):
// then memory alone is what is saved.
bool sn_gpu_takes_parts(const SnForm *f, int64_t parts_from) {
  enum { FAST = 128, TIMES = 128 }; // 1 GB for 8 MB
  int64_t from = summed(f) > FAST ? sn_times(parts_from, TIMES) : parts_from;
  return !parts_from || (!is_layer(f) && sn_gpu_stores_much(f, from));
}

bool sn_gpu_may_have_parts(const SnForm *f, int64_t parts_from) {
  bool floats = f->products.size > 0;
  for (size_t s = 0; s < 2 * f->products.size && floats; ++s)
    floats = mlirTypeIsAF32(f->products.data[s / 2].type) &&
             mlirTypeIsAF32(sn_element(sn_type_of(f->inputs.data[sn_side(f, s).first].value))) &&
             is_batched(f, s / 2) && is_small(size_of(f, sn_side_summed(f, s)), SN_GPU_CHAIN_SUM);
  return floats && sn_gpu_takes_parts(f, parts_from);
}

bool sn_gpu_any_parts(MlirOperation root, int64_t parts_from) {
  SnOpVec forms = sn_collect(root, "sinter.contract");
  bool any = false;
  for (size_t k = 0; k < forms.size && !any; ++k) {
    SnForm f = sn_form_read(forms.data[k]);
    any = sn_gpu_may_have_parts(&f, parts_from);
    sn_form_free(&f);
  }
  sn_vec_free(&forms);
  return any;
}

static const char *not_of_products(const SnForm *f, int64_t parts_from) {
  SnMultiplied m;
  const char *kernel = sn_gpu_chain_kernel(f);
  if (is_of_floats(f) && !sn_gpu_takes_parts(f, parts_from))
    return "tensor cores multiply f32 in parts, unasked only to store no scores where they are many (parts-from)";
  for (size_t i = 0; sn_multiplied(f, i, &m); ++i) {
    const SnMicroKernel *line = line_of(kernel, &m);
    if (!line || line->sum != SN_F32 || (i < f->products.size && sn_parts_of(m.a, m.b) > 1))
      return "tensor cores do not multiply its types with sums in f32";
    if (i >= f->products.size && mlirTypeIsAF16(m.b) && sn_parts_of(m.a, m.b) > 1 &&
        !is_weights(f, i - f->products.size))
      return "rows in f32 that f16 multiplies are no exponentials under their maximum, which two f16 hold";
    if (i >= f->products.size)
      continue;
    if (m.group)
      return "a product is of columns that are not multiplied again";
    if (!is_small(size_of(f, m.summed), SN_GPU_CHAIN_SUM))
      return "a product sums more than a block's shared memory holds, or `?` elements";
    SnGpuProduct p = sn_gpu_product(f, i, kernel);
    if (uses(f, p.a, f->num_rows, f->num_cols) || !uses(f, p.b, f->num_rows, f->num_cols))
      return "a product has columns in both of its sides, or in none";
  }
  return NULL;
}

const char *sn_gpu_not_chain(const SnForm *f) {
  const char *mnemonic = f->schedule.ptr ? sn_schedule_mnemonic(f->schedule) : NULL;
  bool multiplies = mnemonic && !strcmp(mnemonic, "mma");
  return sn_gpu_not_chain_by_warps(
      f, multiplies && sn_schedule_word_is(f->schedule, "kernel", "mma.parts") ? 0 : INT64_MAX);
}

const char *sn_gpu_not_chain_in(const SnForm *f, int64_t parts_from) {
  const char *why = sn_gpu_not_chain_of_stored(f, parts_from);
  for (size_t i = 0; i < sn_num_sides(f) && !why; ++i)
    if (sn_side(f, i).program.ptr)
      why = "a side is computed";
  return why;
}

// What an access reads may be loaded wherever it is: an element is there in place of any other.
static bool is_loaded_anywhere(const SnAccess *a) {
  MlirType t = sn_type_of(a->value);
  bool loaded = mlirShapedTypeHasStaticShape(t) && !a->through.ptr && !sn_is_table(a);
  for (intptr_t i = 0; i < sn_rank(t) && loaded; ++i)
    loaded = sn_dim(t, i) > 0;
  return loaded;
}

bool sn_gpu_computes_side(const SnForm *f, size_t number) {
  SnSide side = sn_side(f, number);
  SnGpuPoints points = sn_gpu_chain_points(f);
  int64_t rows = sn_gpu_dims_size(f, &points.rows);
  bool can = side.program.ptr && number < 2 * f->products.size && sn_side_summed(f, number).num_dims == 1 &&
             sn_gpu_product(f, number / 2, sn_gpu_chain_kernel(f)).a == number && rows != SN_DYNAMIC &&
             rows <= SN_GPU_CHAIN_WARP_ROWS && sn_side_uses(f, number, sn_side_summed(f, number).first);
  for (size_t k = 0; k < side.count && can; ++k)
    can = is_loaded_anywhere(&f->inputs.data[side.first + k]);
  for (MlirOperation op = can ? mlirBlockGetFirstOperation(side.program) : (MlirOperation){0}; !sn_null(op) && can;
       op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    can = sn_null(mlirOperationGetNextInBlock(op)) ||
          (line && sn_num_results(op) == 1 && !mlirOperationGetNumRegions(op) &&
           (line->first == SN_READS_COLUMN || line->first == SN_READS_NOTHING) && (!line->position || line->names_dim));
  }
  return can;
}

const char *sn_gpu_not_chain_by_warps(const SnForm *f, int64_t parts_from) {
  const char *why = sn_gpu_not_chain_of_stored(f, parts_from);
  for (size_t i = 0; i < sn_num_sides(f) && !why; ++i)
    if (sn_side(f, i).program.ptr && !sn_gpu_computes_side(f, i))
      why = "a side is computed";
  return why;
}

const char *sn_gpu_not_chain_of_stored(const SnForm *f, int64_t parts_from) {
  if (!f->contract || sn_num_groups(f) != 2 || !f->matrices.size)
    return "it does not multiply rows of one group of columns again";
  if (!f->products.size)
    return "rows that it multiplies again are no products";
  if (sn_joins_rows(f))
    return "it reduces over rows";
  for (size_t m = 0; m < f->matrices.size; ++m)
    if (f->matrices.data[m].from != 0 || f->matrices.data[m].to != 1 ||
        !uses_all(f, matrix_side(f, m), sn_group(f, 0)) ||
        !uses(f, matrix_side(f, m), sn_group(f, 1).first, sn_group(f, 1).num_dims))
      return "a matrix does not take the columns of the products to others";
  for (size_t o = 0; o < f->outputs.size; ++o)
    if (sn_group_of_access(f, &f->outputs.data[o]) == 0)
      return "it stores rows that are multiplied again";
  if (!sn_cpu_streams(f))
    return "rows that are multiplied again are needed whole";
  if (f->products.size > SN_GPU_CHAIN_PRODUCTS || sn_gpu_chain_products(f) > SN_GPU_CHAIN_PRODUCTS)
    return "it has more products than a warp's registers hold sums of";
  if (!is_small(sn_times(sn_gpu_chain_products(f), sn_group_length(f, 1)), SN_GPU_CHAIN_COLUMNS))
    return "its results have more columns than a warp's registers hold, or `?`";
  return not_of_products(f, parts_from);
}

int64_t sn_gpu_chain_words(const SnForm *f) {
  SnMultiplied m;
  int64_t n = 0;
  for (size_t i = f->products.size; sn_multiplied(f, i, &m); ++i)
    n += is_of_floats(f) ? SN_GPU_CHAIN_PARTS : sn_parts_of(m.a, m.b);
  return n;
}

// ---- its size -----------------------------------------------------------------------------------

// Of one slot.
static int64_t side_bytes(const SnMicroKernel *line, MlirType sum, int64_t extent, int64_t k) {
  SnGpuProduct p = {.line = line, .type = sum};
  int64_t lines = extent * sn_gpu_line_words(&p, k), turned = k * sn_gpu_turned_words(&p, extent);
  return 4 * (lines > turned ? lines : turned);
}

int64_t sn_gpu_chain_bytes(const SnForm *f, int64_t m, int64_t n) {
  SnMultiplied x;
  int64_t bytes = 0;
  for (size_t i = 0; sn_multiplied(f, i, &x); ++i) {
    const SnMicroKernel *line = line_of(sn_gpu_chain_kernel(f), &x);
    int64_t k = sn_gpu_chain_whole(size_of(f, x.summed)), columns = sn_gpu_chain_whole(sn_group_length(f, 1));
    bytes += i < f->products.size ? side_bytes(line, x.sum, m, k) + SLOTS * side_bytes(line, x.sum, n, k)
                                  : SLOTS * side_bytes(line, x.sum, columns, n);
  }
  return bytes;
}

// ---- by warpgroups -------------------------------------------------------------------------------

const SnGpuChainRegisters sn_gpu_chain_registers[SN_GPU_CHAIN_GROUPS + 1] = {[2] = {24, 240}, [3] = {32, 160}};

// The side of the matrix that row product i of the body takes.
static size_t side_of_matrix(const SnForm *f, int64_t i) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_row_op_has(op, SN_READS_MATRIX) && !i--)
      for (size_t m = 0; m < f->matrices.size; ++m)
        if (sn_same(sn_operand(op, 1), sn_matrix_argument(f, m)))
          return matrix_side(f, m);
  return 0;
}

static bool stage_side(const SnForm *f, const SnGpuPoints *points, const SnGpuProduct *p, bool is_a, int64_t extent,
                       int64_t sum, SnGpuChainSide *to, const char **why) {
  if (!sn_gpu_side_map(f, points, p, is_a, extent, &to->map, why))
    return false;
  to->pieces = sn_pieces(sum, sn_gpu_map_sum(p));
  to->lines = extent;
  return true;
}

static int64_t bytes_of(const SnGpuChainSide *s) { return s->pieces * s->lines * SN_GPU_SWIZZLED_BYTES; }

// Whether side `b` of a product and `matrix`, which are staged, are the same bytes of a slot: the product's sum are the
// matrix's columns.
static bool is_same_side(const SnForm *f, size_t product, size_t b, const SnGpuChainSide *of_b, size_t matrix,
                         const SnGpuChainSide *of_matrix, int64_t n) {
  const SnAccess *x = &f->inputs.data[sn_side(f, b).first], *y = &f->inputs.data[sn_side(f, matrix).first];
  SnGroup columns = sn_group(f, 1);
  SnMultiplied m;
  sn_multiplied(f, product, &m);
  int64_t size = f->dims.data[columns.first].size;
  if (!sn_same(x->value, y->value) || x->through.ptr || y->through.ptr || columns.num_dims != 1 ||
      m.summed.num_dims != 1 || f->dims.data[m.summed.first].size != size)
    return false;
  MlirContext ctx = mlirOperationGetContext(f->op);
  MlirAffineExpr dims[SN_MAX_DIMS];
  for (size_t d = 0; d < f->dims.size; ++d)
    dims[d] = mlirAffineDimExprGet(ctx, (intptr_t)d);
  dims[columns.first] = dims[m.summed.first];
  return of_b->map.along_sum && !of_matrix->map.along_sum && (n == LINE_ELEMENTS || size <= LINE_ELEMENTS) &&
         mlirAffineMapEqual(x->map, sn_map_replace(y->map, (intptr_t)f->dims.size, dims));
}

// Sets the sides that matrices are, where all of them are some.
static bool find_same_slots(const SnForm *f, int64_t n, SnGpuChainPlan *plan) {
  size_t num_first = f->products.size, num_again = (size_t)sn_gpu_chain_products(f);
  bool all = true;
  for (size_t i = 0; i < num_again && all; ++i) {
    all = false;
    for (size_t p = 0; p < num_first && !all; ++p) {
      plan->side_of[i] = p;
      all =
          is_same_side(f, p, column_side(f, p), &plan->b[p], side_of_matrix(f, (int64_t)i), &plan->b[num_first + i], n);
    }
  }
  return all;
}

bool sn_gpu_chain_is_numbers(const SnForm *f, const SnGpuPoints *points, size_t k) {
  enum { ALIGNED = 4 }; // f32, where a copy may begin
  const SnAccess *a = &f->inputs.data[k];
  SnGroup columns = sn_group(f, 0);
  MlirType t = sn_type_of(a->value);
  intptr_t last = sn_rank(t) - 1;
  if (k < sn_first_input(f) || a->through.ptr || a->fill.ptr || columns.num_dims != 1 || last < 0 ||
      !mlirTypeIsAF32(sn_element(t)) || sn_map_dim(a->map, last) != columns.first || sn_dim(t, last) == SN_DYNAMIC ||
      sn_dim(t, last) != f->dims.data[columns.first].size || sn_dim(t, last) % ALIGNED)
    return false;
  bool fits = true;
  for (intptr_t p = 0; p < last; ++p) {
    MlirAffineExpr at = mlirAffineMapGetResult(a->map, p);
    fits &= (!p || sn_dim(t, p) != SN_DYNAMIC) && !mlirAffineExprIsFunctionOfDim(at, columns.first);
    for (size_t d = 0; d < points->rows.n; ++d)
      fits &= !mlirAffineExprIsFunctionOfDim(at, (intptr_t)points->rows.dims[d]);
  }
  return fits;
}

// Behind a slot's columns and matrices.
static void place_numbers(const SnForm *f, const SnGpuPoints *points, int64_t n, SnGpuChainPlan *plan) {
  plan->numbers = 0;
  plan->numbers_at = plan->slot_bytes;
  for (size_t k = 0; k < f->inputs.size && plan->same_slots; ++k)
    plan->numbers += sn_gpu_chain_is_numbers(f, points, k);
  int64_t bytes = plan->numbers * n * (int64_t)sizeof(float);
  plan->slot_bytes += sn_pieces(bytes, SN_GPU_TILES_ALIGNED) * SN_GPU_TILES_ALIGNED;
}

bool sn_gpu_chain_staged(const SnForm *f, int64_t m, int64_t n, SnGpuChainPlan *plan, const char **why) {
  SnGpuPoints points = sn_gpu_chain_points(f), again = points;
  SnGroup columns = sn_group(f, 1);
  SnMultiplied x;
  int64_t of_rows = 0, of_columns = 0, of_matrices = 0, wide = sn_pieces(sn_group_length(f, 1), 64) * 64;
  bool can = true;
  again.columns.n = 0;
  for (int64_t d = columns.first; d < columns.first + columns.num_dims; ++d)
    again.columns.dims[again.columns.n++] = d;
  for (size_t i = 0; can && sn_multiplied(f, i, &x); ++i) {
    bool first = i < f->products.size;
    SnGpuProduct p = {.summed = x.summed, .type = x.sum, .line = line_of("wgmma", &x), .any_sum = true};
    if (!p.line || p.line->k != 16) {
      if (why)
        *why = "its types are not two of 16 bits";
      return false;
    }
    if (first)
      p = sn_gpu_product(f, i, "wgmma");
    else
      p.b = side_of_matrix(f, (int64_t)(i - f->products.size));
    if (first) {
      can = stage_side(f, &points, &p, true, m, size_of(f, x.summed), &plan->a[i], why) &&
            stage_side(f, &points, &p, false, n, size_of(f, x.summed), &plan->b[i], why);
      of_rows += can ? bytes_of(&plan->a[i]) : 0;
      of_columns += can ? bytes_of(&plan->b[i]) : 0;
    } else {
      can = stage_side(f, &again, &p, false, wide, n, &plan->b[i], why);
      of_matrices += can ? bytes_of(&plan->b[i]) : 0;
    }
  }
  plan->rows_bytes = of_rows;
  plan->same_slots = can && find_same_slots(f, n, plan);
  plan->slot_bytes = of_columns > of_matrices || plan->same_slots ? of_columns : of_matrices;
  place_numbers(f, &points, n, plan);
  return can;
}

// Blocks that are left out under high references alone are made after all where some are not. Blocks of threads that
// share a tile's columns do not know them all.
static bool is_left_out(const SnForm *f, SnCpuWhere where, SnCpuEnd *end, SnGpuChainPlan *p) {
  if (!sn_cpu_left_out(f, where, end) || (end->above && p->split > 1) ||
      (p->under && end->under && p->under != end->under))
    return false;
  p->under = end->under ? end->under : p->under;
  p->above = !end->above ? p->above : p->above ? fmax(p->above, end->above) : end->above;
  return true;
}

static void find_ends(const SnForm *f, SnGpuChainPlan *p) {
  p->ends_early = is_left_out(f, SN_CPU_FROM, &p->end, p);
  p->begins_late = is_left_out(f, SN_CPU_BELOW, &p->begin, p);
}

// A number that the tiles of a batch have in common.
static void find_given(const SnForm *f, SnGpuChainPlan *p) {
  SnGpuChainPlan own = {.split = p->split};
  if (!is_left_out(f, SN_CPU_FROM_GIVEN, &p->given, &own))
    return;
  const SnGpuDims *rows = &p->points.rows;
  p->given_at = f->inputs.data[p->given.given - 1].map;
  p->is_given = !p->given.rows || rows->n == 1;
  for (size_t i = 0; i < rows->n; ++i)
    p->is_given &= !sn_map_uses(p->given_at, (intptr_t)rows->dims[i]);
  if (p->is_given)
    (void)is_left_out(f, SN_CPU_FROM_GIVEN, &p->given, p);
}

bool sn_gpu_chain_made_again(const SnForm *f) {
  SnGpuChainPlan p = {.points = sn_gpu_chain_points(f), .split = 1};
  find_ends(f, &p);
  find_given(f, &p);
  return p.above != 0;
}

bool sn_gpu_chain_uneven(const SnForm *f) {
  SnGpuChainPlan p = {0};
  find_ends(f, &p);
  return p.ends_early != p.begins_late && (p.ends_early ? &p.end : &p.begin)->factor;
}

// ---- columns that blocks share --------------------------------------------------------------------

const char *sn_gpu_chain_unshared(const SnForm *f) {
  SnGpuPoints points = sn_gpu_chain_points(f);
  if (sn_gpu_chain_tiles(f, &points, 1) == SN_DYNAMIC)
    return "its tiles are `?` many";
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_row_op_has(op, SN_READS_ALL) && !sn_row_op_has(op, SN_READS_MATRIX) &&
        !mlirTypeIsAF32(sn_type_of(sn_result(op, 0))))
      return "it reduces rows to a type other than f32";
  return NULL;
}

int64_t sn_gpu_chain_tiles(const SnForm *f, const SnGpuPoints *points, int64_t m) {
  int64_t batch = sn_gpu_dims_size(f, &points->batch), rows = sn_gpu_dims_size(f, &points->rows);
  return batch == SN_DYNAMIC || rows == SN_DYNAMIC ? SN_DYNAMIC : sn_times(batch, sn_pieces(rows, m));
}

int64_t sn_gpu_chain_counters(const SnGpuChainPlan *p) { return (sn_times(8 * p->units, p->tiles) + 63) / 64 * 64; }

int64_t sn_gpu_chain_scratch(const SnForm *f, const SnGpuChainPlan *p) {
  int64_t states = 1; // of a row, at most
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    states += sn_row_op_has(op, SN_READS_ALL);
  int64_t values = 2 * states + sn_gpu_chain_products(f) * sn_gpu_chain_whole(sn_group_length(f, 1)) / 2;
  return p->split < 2 ? 0
                      : sn_gpu_chain_counters(p) +
                            sn_times(sn_times(p->tiles, p->split * p->units), values * SN_GPU_WARPGROUP * 4);
}

// ---- the schedule -------------------------------------------------------------------------------

static int64_t blocks_of(const SnForm *f, const SnGpuChainPlan *p, int64_t most) {
  int64_t tiles = sn_gpu_chain_tiles(f, &p->points, p->m);
  if (tiles == SN_DYNAMIC)
    return most;
  tiles = sn_times(tiles, p->split);
  return tiles < 1 ? 1 : tiles < most ? tiles : most;
}

MlirLogicalResult sn_gpu_plan_chain(const SnForm *f, SnGpuChainPlan *p) {
  MlirAttribute a = f->schedule;
  if (sn_failed(sn_gpu_check_mma(f, sn_gpu_not_chain(f))))
    return SN_FAIL;
  int64_t threads = sn_schedule_number(a, "threads");
  *p = (SnGpuChainPlan){.points = sn_gpu_chain_points(f),
                        .m = sn_schedule_number(a, "m"),
                        .n = sn_schedule_number(a, "n"),
                        .tickets = sn_schedule_word_is(a, "deal", "ticket"),
                        .split = sn_schedule_number(a, "split"),
                        .units = threads / SN_GPU_WARPGROUP,
                        .kernel = sn_schedule_word(a, "kernel")};
  p->tiles = sn_gpu_chain_tiles(f, &p->points, p->m);
  find_ends(f, p);
  find_given(f, p);
  if (p->under)
    p->under_at = f->inputs.data[p->under - 1].map;
  p->launch = (SnGpuLaunch){.blocks = blocks_of(f, p, sn_schedule_number(a, "blocks")),
                            .cluster = 1,
                            .threads = threads,
                            .occupancy = sn_schedule_number(a, "occupancy"),
                            .teams = SN_GPU_NEIGHBOURS,
                            .team = threads};
  p->stages = sn_schedule_number(a, "stages");
  p->ahead = sn_schedule_number(a, "ahead");
  p->held = sn_schedule_number(a, "held");
  p->row_tiles = sn_schedule_number(a, "tiles");
  p->group = sn_schedule_number(a, "group");
  bool wgmma = !strcmp(p->kernel, "wgmma");
  const char *unfit = NULL;
  if (!wgmma && strcmp(p->kernel, sn_gpu_chain_kernel(f)))
    return sn_error(f->op, "has a schedule with kernel = \"%s\", but rows are multiplied again by \"%s\" or \"wgmma\"",
                    p->kernel, sn_gpu_chain_kernel(f));
  if (p->m * 32 != threads * SN_GPU_CHAIN_WARP_ROWS || p->n % 16)
    return sn_error(f->op,
                    "has a schedule with m = %lld, n = %lld, threads = %lld, but each warp has %d rows that it "
                    "multiplies again, 16 columns at a time",
                    (long long)p->m, (long long)p->n, (long long)threads, SN_GPU_CHAIN_WARP_ROWS);
  if (wgmma && (threads % SN_GPU_WARPGROUP || p->units > SN_GPU_CHAIN_GROUPS || p->n % 64 || p->n > 256))
    return sn_error(f->op,
                    "has a schedule with n = %lld, threads = %lld, but one to three warpgroups have 64, 128, 192 or "
                    "256 columns at a time",
                    (long long)p->n, (long long)threads);
  if (wgmma && !sn_gpu_chain_staged(f, p->m, p->n, p, &unfit))
    return sn_error(f->op, "has a schedule with kernel = \"wgmma\", and copies cannot fetch a side: %s", unfit);
  if (p->split > 1) // a part may be beside all columns
    p->numbers = 0;
  if (wgmma && p->tickets && (p->split > 1 || p->above != 0))
    return sn_error(f->op, "has a schedule with deal = \"ticket\", but its tiles are %s",
                    p->split > 1 ? "shared by blocks" : "made again where a mask left out what counts");
  if (wgmma && p->stages < 2)
    return sn_error(f->op,
                    "has a schedule with stages = %lld, but what is multiplied and what it is multiplied by "
                    "have a slot each",
                    (long long)p->stages);
  for (size_t i = 0; i < f->products.size; ++i)
    if (p->held && (!wgmma || !p->a[i].map.along_sum))
      return sn_error(f->op, "has a schedule with held = 1, which only sides of kernel = \"wgmma\" are whose elements "
                             "of a sum lie one behind the other");
  if (wgmma)
    p->launch.more_threads = SN_GPU_WARPGROUP;
  const char *unshared = p->split > 1 ? sn_gpu_chain_unshared(f) : NULL;
  if (p->split > 1 && (!wgmma || unshared))
    return sn_error(f->op, "has a schedule with split = %lld, and blocks cannot share its columns: %s",
                    (long long)p->split, unshared ? unshared : "only those of kernel = \"wgmma\" do");
  return SN_OK;
}
