// worth.c: what a fusion saves, and when it is not worth it.
//
//   y = exp(b[j]); z = x[i, j] + y[j]  ->  aggressive: exp inside, for each of the rows
//                                          medium: two kernels, exp once for each column
//
// Traffic is what a kernel reads and writes: each value once, whatever reads it inside.
// What a policy allows beyond legality is one row of the table below.
//
// new way to fuse: what it saves, and when it is not worth it.
//
// runs in: fuse, explain    test: test/passes/fuse/policy.mlir, test/passes/fuse/into_sides.mlir

#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "lowering/facts/gpu_chains.h"
#include "passes/fuse/fuse.h"
#include "passes/simplify/simplify.h"
#include <math.h>

// ---- policies ---------------------------------------------------------------------

// Rows of attention's scores, of heads of 128 in a half type, take 70 operations for a byte. They are made again though
// memory would give some of them sooner: nothing then grows with the square of a length, and masks leave blocks out.
enum { TURN_OPERATIONS = 80, ROWS_AGAIN = 1 << 20 };

static const SnPolicy table[] = {
    {.name = "disabled", .nothing = true},
    // A library's kernel from host code is never the better one on this CPU: products are calls of libxsmm
    // inside our kernels already.
    {.name = "medium",
     .computes_heavy_again = false,
     .side_operations = 4,
     .turn_operations = TURN_OPERATIONS,
     .rows_again = ROWS_AGAIN},
    {.name = "aggressive",
     .computes_heavy_again = true,
     .again_operations = 16,
     .side_operations = 32,
     .turn_operations = TURN_OPERATIONS,
     .rows_again = ROWS_AGAIN},
    {0},
};

const SnPolicy *sn_policy(const char *name) {
  for (const SnPolicy *p = table; p->name; ++p)
    if (!strcmp(p->name, name))
      return p;
  return NULL;
}

SnPolicy sn_policy_of(const char *name, bool gpu) {
  enum { TENSOR_OPERATIONS = 256 }; // an H200's in bf16, in the time of a byte
  SnPolicy p = *sn_policy(name);
  p.tensor_cores = gpu;
  if (gpu) {
    p.turn_operations = TENSOR_OPERATIONS;
    p.rows_again = 0;
  }
  return p;
}

// ---- traffic ----------------------------------------------------------------------

// A size not known is taken for this many.
enum { UNKNOWN_SIZE = 1024 };

double sn_elements(MlirType shaped) {
  double n = 1;
  for (int64_t i = 0; mlirTypeIsAShaped(shaped) && i < sn_rank(shaped); ++i)
    n *= sn_dim(shaped, i) == SN_DYNAMIC ? UNKNOWN_SIZE : (double)sn_dim(shaped, i);
  return n;
}
double sn_bytes(MlirType shaped) {
  MlirType e = sn_element(shaped);
  if (mlirTypeIsAComplex(e))
    return 2 * sn_elements(shaped) * sn_bytes(mlirComplexTypeGetElementType(e));
  if (mlirTypeIsAShaped(e))
    return sn_elements(shaped) * sn_bytes(e);
  if (!mlirTypeIsAIndex(e) && !mlirTypeIsAInteger(e) && !sn_is_float(e))
    return 0; // nobody says how large it is
  unsigned bits = sn_bits(sn_element(shaped));
  return sn_elements(shaped) * (bits < 8 ? 1 : bits / 8);
}

double sn_saved(const SnMerge *m) {
  double n = 0;
  for (size_t k = 0; k < m->b.inputs.size; ++k) {
    size_t result;
    if (mlirOperationEqual(sn_producer(&m->b, k, &result), m->a.op)) {
      n += sn_bytes(sn_type_of(m->b.inputs.data[k].value)) * (m->keep[result] ? 1 : 2);
      continue;
    }
    for (size_t i = 0; i < m->a.inputs.size; ++i)
      if (sn_same(m->a.inputs.data[i].value, m->b.inputs.data[k].value)) {
        n += sn_bytes(sn_type_of(m->b.inputs.data[k].value));
        break;
      }
  }
  return n;
}

// ---- what is computed again -----------------------------------------------------------

bool sn_is_light(const SnForm *f) {
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_row_op_cost(op) >= SN_COST_DIVISION)
      return false;
  return true;
}

static double points(const SnForm *f, intptr_t from, intptr_t to) {
  double n = 1;
  for (intptr_t d = from; d < to; ++d)
    n *= f->dims.data[d].size == SN_DYNAMIC ? UNKNOWN_SIZE : (double)f->dims.data[d].size;
  return n;
}
double sn_points(const SnForm *f) { return points(f, 0, f->num_rows + f->num_cols); }

// The merged form computes a's values in its rows: where they use none of its columns, one number for each row.
static bool in_columns(const SnMerge *m) {
  const SnForm *to = &m->merged;
  bool columns = false;
  for (size_t d = 0; d < m->a.dims.size; ++d)
    for (intptr_t c = to->num_rows; c < to->num_rows + to->num_cols; ++c)
      columns |= mlirAffineExprIsFunctionOfDim(m->a_dims[d], c);
  return columns;
}

// How often the merged form computes each value of a.
static double times_again(const SnMerge *m) {
  const SnForm *to = &m->merged;
  double made =
      points(to, 0, to->num_rows) * (in_columns(m) ? points(to, to->num_rows, to->num_rows + to->num_cols) : 1);
  return made / points(&m->a, 0, (intptr_t)m->a.dims.size);
}

// A value computed so often is still cheaper than one that is written and read: what reads it with bounds or beside
// others visits a few more points than it has.
enum { MOST_TIMES = 4 };

// Rows of the merged form for each of which a is the same: images of a batch. On a CPU it has been stored in the time
// of two, so their number, known or `?`, does not matter; a GPU rather makes it for a few than launches a kernel.
double sn_rows_alike(const SnMerge *m) {
  double n = 1;
  for (intptr_t r = 0; r < m->merged.num_rows; ++r) {
    bool used = false;
    for (size_t d = 0; d < m->a.dims.size && !used; ++d)
      used = mlirAffineExprIsFunctionOfDim(m->a_dims[d], r);
    n *= used ? 1 : points(&m->merged, r, r + 1);
  }
  return n;
}

// One number for the whole grid (a mean's divisor, the scale of a gradient): a row has it at hand sooner than a kernel
// of its own would.
static bool is_one_number(const SnForm *f) { return points(f, 0, (intptr_t)f->dims.size) == 1; }

static double operations_of(MlirOperation op) {
  static const double of_cost[] = {
      [SN_COST_NONE] = 0, [SN_COST_SIMPLE] = 1, [SN_COST_DIVISION] = 4, [SN_COST_FUNCTION] = 10};
  return of_cost[sn_row_op_cost(op)];
}

// Of one row, for each column.
static double operations_of_body(const SnForm *f) {
  double n = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    n += operations_of(op);
  return n;
}

// A CPU computes so many columns at once. What were a's columns are rows of the merged form: each number by itself.
enum { LANES = 8 };
static bool leaves_vectors(const SnMerge *m, const SnPolicy *policy) {
  return m->a.num_cols && !in_columns(m) && !policy->tensor_cores;
}

// Rows of fewer columns leave lanes idle; by itself a's rows are as long as memory has pieces.
static double idle_lanes(const SnMerge *m, const SnPolicy *policy) {
  const SnForm *to = &m->merged;
  double columns = points(to, to->num_rows, to->num_rows + to->num_cols);
  return in_columns(m) && columns < LANES && !policy->tensor_cores ? LANES / columns : 1;
}

// A processor has an instruction for it, which is as good number by number.
static bool is_root(MlirOperation op) { return sn_is(op, "math.sqrt") || sn_is(op, "math.rsqrt"); }

// Exponentials, logarithms and the like take more by that than some small kernels' calls. Of a size `?` nobody knows.
static bool is_slow_by_itself(const SnMerge *m, const SnPolicy *policy) {
  enum { OF_CALLS = 1 << 15 };
  double functions = 0;
  bool known = true;
  for (MlirOperation op = mlirBlockGetFirstOperation(m->a.body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    functions += sn_row_op_cost(op) == SN_COST_FUNCTION && !is_root(op) ? operations_of(op) : 0;
  for (size_t d = 0; d < m->a.dims.size; ++d)
    known &= m->a.dims.data[d].size != SN_DYNAMIC;
  return known && leaves_vectors(m, policy) && (LANES - 1) * sn_points(&m->a) * functions > OF_CALLS;
}

// Operations that are computed again where a's results are at each of so many places that read them, for each byte that
// is neither written nor read.
static double again_for_a_byte(const SnMerge *m, size_t places, const SnPolicy *policy) {
  double operations = operations_of_body(&m->a), bytes = 0, times = (double)places * times_again(m);
  for (intptr_t r = 0; r < mlirOperationGetNumResults(m->a.op); ++r)
    bytes += (double)(1 + places) * sn_bytes(sn_type_of(mlirOperationGetResult(m->a.op, r)));
  times *= leaves_vectors(m, policy) ? LANES : 1;
  double again = (times - 1) * (times > 1 ? idle_lanes(m, policy) : 1);
  return again * points(&m->a, 0, (intptr_t)m->a.dims.size) * operations / bytes;
}

// What stays in a core's cache is written and read so many times as fast. To make it where it is read saves a kernel as
// well, if that is one place; of several the first would have made it for the others.
enum { CACHE = 1 << 20, IN_CACHE = 8, SHARED_IN_CACHE = 32 };

bool sn_again_worth(const SnMerge *m, size_t places, const SnPolicy *policy) {
  double bytes = 0;
  for (intptr_t r = 0; r < mlirOperationGetNumResults(m->a.op); ++r)
    bytes += sn_bytes(sn_type_of(mlirOperationGetResult(m->a.op, r)));
  bool cached = bytes <= CACHE && !policy->tensor_cores;
  double as_fast = !cached ? 1 : places > 1 ? SHARED_IN_CACHE : IN_CACHE;
  return again_for_a_byte(m, places, policy) <= policy->again_operations / as_fast;
}

// So few operations a GPU makes again in less time than a launch of its own takes.
enum { OF_A_LAUNCH = 10000000 };

static bool is_less_than_launch(const SnMerge *m, const SnPolicy *policy) {
  double operations = operations_of_body(&m->a);
  return policy->tensor_cores && policy->computes_heavy_again &&
         times_again(m) * points(&m->a, 0, (intptr_t)m->a.dims.size) * operations <= OF_A_LAUNCH;
}

// Fewer bytes are read along any dimension.
enum { ALONG_ANY = 1 << 18 };

// The dimension of the merged form that walks along memory, or -1.
static intptr_t along(const SnMerge *m, const SnAccess *a, const MlirAffineExpr *dims) {
  MlirAffineMap map = sn_map_replace(a->map, (intptr_t)m->merged.dims.size, dims);
  return mlirAffineMapGetNumResults(map) ? sn_map_dim(map, mlirAffineMapGetNumResults(map) - 1) : -1;
}

// Both read one value, and little goes from one to the other, but the rows of one are the columns of the other: one
// kernel would read it twice, once across memory.
static bool reads_across(const SnMerge *m) {
  double across = 0, flows = 0;
  for (size_t k = 0; k < m->b.inputs.size; ++k) {
    const SnAccess *b = &m->b.inputs.data[k];
    size_t result;
    if (mlirOperationEqual(sn_producer(&m->b, k, &result), m->a.op))
      flows += sn_bytes(sn_type_of(b->value));
    for (size_t i = 0; i < m->a.inputs.size; ++i) {
      if (!sn_same(m->a.inputs.data[i].value, b->value) || sn_bytes(sn_type_of(b->value)) < ALONG_ANY)
        continue;
      intptr_t of_a = along(m, &m->a.inputs.data[i], m->a_dims), of_b = along(m, b, m->b_dims);
      if (of_a < 0 || of_b < 0 || of_a == of_b)
        return false;
      across += sn_bytes(sn_type_of(b->value));
    }
  }
  return across > 4 * flows;
}

// The row that product p of the form multiplies, which has one; null: not known.
static const SnAccess *row_of(const SnForm *f, size_t p) {
  const SnAccess *row = NULL;
  for (size_t k = 2 * p; k < 2 * p + 2 && !f->sides.size; ++k)
    if (!sn_uses_cols(f, f->inputs.data[k].map))
      row = &f->inputs.data[k];
  return row;
}

// Of two tensors, or at two places of one.
static bool are_other_rows(const SnAccess *x, const SnAccess *y) {
  bool other = !sn_same(x->value, y->value);
  intptr_t n = mlirAffineMapGetNumResults(x->map);
  for (intptr_t i = 0; i < n && n == mlirAffineMapGetNumResults(y->map) && !other; ++i) {
    MlirAffineExpr a = mlirAffineMapGetResult(x->map, i), b = mlirAffineMapGetResult(y->map, i);
    other = mlirAffineExprIsAConstant(a) && mlirAffineExprIsAConstant(b) && !mlirAffineExprEqual(a, b);
  }
  return other;
}

// Both multiply one row by weights, and none the other's row. As one kernel of a GPU each product would go through the
// weights by itself, by tiles of one row; a row's sum (split/few.c) has all threads. (An H200: 20 steps of an LSTM in
// one launch, 16 of whose inputs' products were one kernel, 327 us; apart 186.)
static bool multiply_rows_apart(const SnMerge *m, const SnPolicy *policy) {
  bool apart = policy->tensor_cores && m->a.contract && m->b.contract && points(&m->a, 0, m->a.num_rows) == 1 &&
               points(&m->b, 0, m->b.num_rows) == 1;
  size_t result;
  for (size_t k = 0; k < m->b.inputs.size && apart; ++k)
    apart = !mlirOperationEqual(sn_producer(&m->b, k, &result), m->a.op);
  for (size_t p = 0; p < m->a.products.size; ++p)
    for (size_t q = 0; q < m->b.products.size && apart; ++q) {
      const SnAccess *x = row_of(&m->a, p), *y = row_of(&m->b, q);
      apart = x && y && are_other_rows(x, y);
    }
  return apart;
}

// So many rows that read one row, and what is computed for each of its elements.
enum { MANY_ALIKE = 64, MUCH_AGAIN = 4 };

// A product of one row reads its weights and does little else: a norm in front of it, rounded to a half type step by
// step, takes as long again for each of thousands of columns. Rounding takes two operations. A GPU has a launch's worth
// of them in less time than the launch.
static bool is_rounded_again(const SnMerge *m, const SnPolicy *policy) {
  double operations = 0, again = points(&m->a, 0, (intptr_t)m->a.dims.size) * times_again(m);
  bool rounds = false;
  if (sn_rows_alike(m) < MANY_ALIKE)
    return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(m->a.body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    MlirType t = mlirOperationGetNumResults(op) ? sn_element(sn_type_of(sn_result(op, 0))) : (MlirType){0};
    bool half = t.ptr && sn_is_float(t) && sn_bits(t) <= 16 && operations_of(op) > 0;
    operations += operations_of(op) + (half ? 2 : 0);
    rounds |= half;
  }
  return rounds && operations >= MUCH_AGAIN && (!policy->tensor_cores || again * operations > OF_A_LAUNCH);
}

bool sn_worth(const SnMerge *m, const SnPolicy *policy) {
  if (!m->into_finish && !m->merged.contract && reads_across(m))
    return sn_refuse(m->b.op, SN_WHY_ACROSS);
  if (multiply_rows_apart(m, policy))
    return sn_refuse(m->b.op, SN_WHY_ROWS_APART);
  if (sn_reads_wide_again(m, policy))
    return sn_refuse(m->a.op, SN_WHY_WIDE, sn_rows_alike(m));
  if (sn_go_on_apart(m->a.op, m->b.op, policy) || sn_go_on_apart(m->b.op, m->a.op, policy))
    return sn_refuse(m->b.op, SN_WHY_CHAIN_APART);
  // Beside a product, an exponential for each of its results is little.
  bool may = sn_is_elementwise_form(&m->a) && !is_one_number(&m->a) && !m->into_finish && !m->merged.contract;
  bool often = times_again(m) > MOST_TIMES || (!policy->tensor_cores && sn_rows_alike(m) > 1);
  bool again = may && !sn_is_light(&m->a) && (often || is_slow_by_itself(m, policy));
  again |= may && is_rounded_again(m, policy);
  return !again || sn_again_worth(m, 1, policy) || is_less_than_launch(m, policy) || sn_refuse(m->a.op, SN_WHY_AGAIN);
}

// ---- programs of sides --------------------------------------------------------------------------

// What a vector of elements takes, in additions: to be packed rather than read where it lies; a subscript that is no
// sum, or that goes through an index, which is loaded element by element; the condition of bounds. And what a kernel
// takes to begin and to end: a GPU's is launched, a CPU's small one is a call.
enum { PACKED = 2, SCATTERED = 16, BOUNDED = 4, LAUNCH = 1 << 17, CALL = 1 << 13 };

// p's dimension d changes along what the side's product sums.
static bool is_summed(const SnIntoSide *m, size_t d) {
  SnGroup summed = sn_side_summed(&m->f, m->side);
  MlirAffineExpr e = m->dims[d];
  for (int64_t own = summed.first; own < summed.first + summed.num_dims; ++own)
    if (mlirAffineExprIsASymbol(e) ? sn_access_uses(&m->f, m->read, own) : mlirAffineExprIsFunctionOfDim(e, own))
      return true;
  return false;
}

static bool argument_varies(const SnIntoSide *m, MlirValue argument) {
  for (size_t k = 0; k < m->p.inputs.size; ++k)
    for (size_t d = 0; sn_same(argument, m->values.data[k]) && d < m->p.dims.size; ++d)
      if (is_summed(m, d) && sn_access_uses(&m->p, &m->p.inputs.data[k], (int64_t)d))
        return true;
  return false;
}

static bool varies(const SnIntoSide *m, const bool *of_ops, MlirValue v) {
  MlirOperation op = sn_definer(v);
  for (size_t i = 0; i < m->ops.size; ++i)
    if (mlirOperationEqual(m->ops.data[i], op))
      return of_ops[i];
  return argument_varies(m, v);
}

// The same of what it is made of, whoever makes it.
static double operations_to_read(const SnIntoSide *m) {
  double n = 0;
  for (size_t k = 0; k < m->p.inputs.size; ++k) {
    const SnAccess *a = &m->p.inputs.data[k];
    n += m->reads[k] && (a->through.ptr || !sn_map_is_linear(a->map)) ? SCATTERED : 0;
  }
  return n;
}

// Operations for each of the side's elements. What is the same along the sum is none, and neither is a factor that
// leaves it, nor a conversion that the product makes anyway.
static double operations_of_element(const SnIntoSide *m) {
  bool *of_ops = sn_alloc(m->ops.size + 1);
  double n = m->read->fill.ptr ? BOUNDED : 0;
  for (size_t i = 0; i < m->ops.size; ++i) {
    MlirOperation op = m->ops.data[i];
    for (size_t d = 0; sn_row_op_of(op)->names_dim && d < m->p.dims.size; ++d)
      of_ops[i] |= sn_row_op_names(op, m->p.dims.data[d].name) && is_summed(m, d);
    for (intptr_t k = 0; k < sn_num_operands(op); ++k)
      of_ops[i] |= varies(m, of_ops, sn_operand(op, k));
    n += of_ops[i] ? operations_of(op) : 0;
  }
  MlirValue v = sn_operand(mlirBlockGetTerminator(m->p.body), (intptr_t)sn_output_position(&m->p, m->result));
  for (MlirOperation op; op = sn_definer(v), !m->read->fill.ptr && !sn_null(op);) {
    bool product = sn_is(op, "arith.mulf") || sn_is(op, "arith.divf");
    intptr_t rest = product && !varies(m, of_ops, sn_operand(op, 0)) && sn_is(op, "arith.mulf");
    if (product ? varies(m, of_ops, sn_operand(op, 1 - rest)) : !sn_is(op, "arith.extf") && !sn_is(op, "arith.extsi"))
      break;
    n -= operations_of(op);
    v = sn_operand(op, rest);
  }
  free(of_ops);
  size_t accesses = 0;
  for (size_t k = 0; k < m->p.inputs.size; ++k)
    accesses += m->reads[k] && argument_varies(m, m->values.data[k]);
  n += operations_to_read(m);
  return n + (n || accesses > 1 ? PACKED : 0);
}

// Rows of a block, as lowerings schedule them: the other side is packed again for each. Where there are few blocks,
// parts of their columns are shared out, and the rows are packed for each; the more it takes to compute them, the fewer
// parts.
enum { BLOCK = 128, FEW_BLOCKS = 8, COLUMNS = 64, COLUMNS_EACH = 32 };
static double blocks_of(double rows) { return ceil(rows / BLOCK); }
static double parts_of(double blocks, double columns, double operations) {
  double least = operations * COLUMNS_EACH > COLUMNS ? operations * COLUMNS_EACH : COLUMNS,
         parts = fmin(FEW_BLOCKS / blocks, columns / least);
  return parts > 1 ? ceil(parts) : 1;
}

// How many elements of the side its product asks for, each time that it does.
static double times_computed(const SnIntoSide *m, double operations) {
  const SnForm *f = &m->f;
  SnGroup summed = sn_side_summed(f, m->side);
  double sum = points(f, summed.first, summed.first + summed.num_dims), rows = points(f, 0, f->num_rows);
  bool matrix = m->side >= 2 * f->products.size, columns = matrix;
  for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
    columns |= sn_side_uses(f, m->side, d);
  if (!columns) // each block of rows once, or for each part of its columns
    return rows * sum *
           parts_of(blocks_of(rows), points(f, f->num_rows, f->num_rows + sn_group(f, 0).num_dims), operations);
  int64_t shared = f->num_rows;
  while (shared > 0 && !sn_side_uses(f, m->side, shared - 1))
    --shared;
  size_t to = matrix ? (size_t)f->matrices.data[m->side - 2 * f->products.size].to
                     : (size_t)sn_group_of_product(f, m->side / 2);
  SnGroup group = sn_group(f, to);
  double together = points(f, shared, f->num_rows);
  return points(f, 0, shared) * blocks_of(together) * points(f, group.first, group.first + group.num_dims) * sum;
}

static bool all_use_columns(const SnIntoSide *moves, size_t n) {
  bool all = true;
  for (size_t i = 0; i < n; ++i) {
    const SnForm *f = &moves[i].f;
    bool columns = moves[i].side >= 2 * f->products.size;
    for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
      columns |= sn_side_uses(f, moves[i].side, d);
    all &= columns;
  }
  return all;
}

// What the side is made of: a value that it reads in several places is one.
static double bytes_read(const SnIntoSide *m) {
  double n = 0;
  for (size_t k = 0; k < m->p.inputs.size; ++k) {
    bool again = false;
    for (size_t i = 0; i < k; ++i)
      again |= m->reads[i] && sn_same(m->p.inputs.data[i].value, m->p.inputs.data[k].value);
    n += m->reads[k] && !again ? sn_bytes(sn_type_of(m->p.inputs.data[k].value)) : 0;
  }
  return n;
}

// Operations for a byte that is written to a core's cache and read from there, whatever the policy.
static const double SIDE_IN_CACHE = 0.5;

// ... and that memory may have to move, of a size `?`: a small one stays in a cache whatever the policy hopes.
static const double SIDE_OF_ANY_SIZE = 4;

bool sn_side_worth(const SnIntoSide *moves, size_t n, bool last, const SnPolicy *policy) {
  const SnIntoSide *m = &moves[0];
  double elements = points(&m->p, 0, (intptr_t)m->p.dims.size), operations = 0, in = bytes_read(m), times = 0,
         bytes = sn_bytes(sn_type_of(m->read->value));
  for (size_t i = 0; i < n; ++i) {
    double each = operations_of_element(&moves[i]), asked = times_computed(&moves[i], each);
    times += asked / elements;
    operations += asked * each;
  }
  for (size_t i = 0; last && i < m->ops.size; ++i)
    operations -= elements * operations_of(m->ops.data[i]);
  operations -= last ? elements * operations_to_read(m) : 0; // as it would be to store it
  // Written once and read by each; then what it is made of is read by each.
  double saved = bytes * (double)(1 + n) - in * (double)(n - last);
  // A chain keeps rows in its block's memory and stores them beside; no chain has a side with columns. Such a side of a
  // size `?` takes no time to speak of where it is small, and leaves the cache where it is large.
  bool of_known_size = mlirShapedTypeHasStaticShape(sn_type_of(m->read->value));
  bool cached = (of_known_size || !all_use_columns(moves, n)) && bytes <= CACHE &&
                !(policy->computes_heavy_again && policy->tensor_cores);
  double of_memory =
      of_known_size || policy->tensor_cores ? policy->side_operations : fmin(policy->side_operations, SIDE_OF_ANY_SIZE);
  double paid = saved > 0 ? saved * (cached ? SIDE_IN_CACHE : of_memory) : 0;
  MlirValue made = sn_operand(mlirBlockGetTerminator(m->p.body), (intptr_t)sn_output_position(&m->p, m->result));
  bool worth = sn_is_diagonal(&m->p, made) || operations <= paid + (!last ? 0 : policy->tensor_cores ? LAUNCH : CALL);
  return worth || sn_refuse(m->f.op, SN_WHY_SIDE_AGAIN, times, operations, saved);
}

// ---- rows that are made again as columns ------------------------------------------------------------

// Fewer bytes stay in a processor's own cache until they are read.
enum { CACHED = 1 << 20 };

// Rows of products that tensor cores make a block of columns at a time, and multiply by what they are made of.
static bool is_multiplied_fast(const SnForm *to, const SnPolicy *policy) {
  enum { COLUMNS = 256 }; // of results, in a warp's registers (SN_GPU_CHAIN_COLUMNS)
  double columns = 0;
  bool halves = to->products.size > 0, parts = sn_gpu_takes_parts(to, policy->parts_from);
  for (size_t p = 0; p < to->products.size; ++p) {
    columns += points(to, sn_first_own(to, p), sn_first_own(to, p) + to->products.data[p].num_dims);
    for (size_t s = 0; s < 2; ++s) {
      MlirType t = sn_element(sn_type_of(to->inputs.data[2 * p + s].value));
      halves &= (sn_is_float(t) && sn_bits(t) == 16) || (mlirTypeIsAF32(t) && parts);
    }
  }
  return halves && columns <= COLUMNS;
}

bool sn_turn_apart(const SnForm *f, const SnPolicy *policy) {
  enum { TOGETHER = 256 }; // columns of sums that leave registers for a block of 64
  double columns = 0, first = 0;
  bool differ = false; // groups of columns of two lengths are no one kernel's
  for (size_t p = 0; p < f->products.size; ++p) {
    double n = points(f, sn_first_own(f, p), sn_first_own(f, p) + f->products.data[p].num_dims);
    first = p ? first : n;
    differ |= n != first;
    columns += n;
  }
  return policy->tensor_cores && (columns > TOGETHER || differ);
}

// Tensor cores do so many in the time of two launches, which is what it takes to store rows and to sum over them.
static const double LAUNCHED = 4e9;

// Rows that are hardly larger than what they are made of (a hidden layer) grow as that does: storing them is a matter
// of time alone, and a CPU multiplies so often while it moves a byte.
static const double ALIKE = 4, TIME_OF_A_BYTE = 4;

bool sn_turn_worth(const SnTurn *t, const size_t *readers, const SnPolicy *policy) {
  const SnForm *f = &t->f, *to = &t->turned;
  double elements = points(f, 0, f->num_rows + f->num_cols), operations = 0, saved = 0;
  if (policy->tensor_cores && !is_multiplied_fast(to, policy))
    return sn_refuse(f->op, SN_WHY_TURN_SLOW);
  for (size_t p = 0; p < to->products.size; ++p) {
    int64_t own = sn_first_own(to, p);
    operations += 2 * elements * points(to, own, own + to->products.data[p].num_dims);
  }
  for (size_t i = 0; i < t->ops.size; ++i)
    operations += elements * operations_of(t->ops.data[i]);
  double rows = 0, made_of = 0;
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (t->results[k]) { // neither written nor read by each
      rows += sn_bytes(sn_type_of(sn_result(f->op, (intptr_t)k)));
      saved += sn_bytes(sn_type_of(sn_result(f->op, (intptr_t)k))) * (double)(1 + readers[k]);
    }
  for (size_t k = 0; k < to->inputs.size - t->stored.size; ++k)
    made_of += sn_bytes(sn_type_of(to->inputs.data[k].value));
  saved -= made_of;
  for (size_t i = 0; i < t->stored.size; ++i)
    saved -= 2 * points(f, 0, f->num_rows) * sn_bits(sn_type_of(t->stored.data[i])) / 8;
  if (policy->tensor_cores && operations < LAUNCHED)
    return true;
  double each = rows > ALIKE * made_of || policy->tensor_cores ? policy->turn_operations : TIME_OF_A_BYTE;
  return (saved > CACHED && operations <= saved * each) ||
         sn_refuse(f->op, SN_WHY_TURN_AGAIN, operations, saved);
}
