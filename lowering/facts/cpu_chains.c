// cpu_chains.c: which forms of several products a CPU runs as one kernel, a block of rows at a time.
//
//   x W1 relu W2 relu W3      a block of 128 rows and all that it becomes: 128 * (512 + 256 + 64) * 4 bytes
//
// test: test/passes/schedule/chains.mlir

#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "lowering/facts/cpu_forms.h"
#include "lowering/facts/packed_weights.h"

#define CACHE (3 << 20)       // bytes of a core's own cache, and some of the next, that a block may take
#define LEAST_ROWS 32         // of a block: what packing a matrix is paid by
#define MANY_ROWS 128         // the same of matrices that are read from memory for each block
#define FAR (1 << 20)         // bytes of such matrices
#define ENOUGH_ROWS 256       // for threads to share
#define LITTLE_WORK (1 << 25) // multiplications that are not worth more than two blocks
#define STORED (64 << 20)     // bytes between kernels, for the sake of packed weights
#define ALIKE 768             // multiplications for each number that is stored, beside which storing it is nothing

// ---- what can be written ----------------------------------------------------------------

static bool uses(const SnForm *f, size_t side, int64_t first, int64_t n) {
  bool used = false;
  for (int64_t d = first; d < first + n; ++d)
    used |= sn_side_uses(f, side, d);
  return used;
}

// Rows of a block are rows of one side and share the other one.
static bool has_two_sides(const SnForm *f, size_t product) {
  for (size_t swap = 0; swap < 2; ++swap) {
    size_t a = 2 * product + swap, b = 2 * product + 1 - swap;
    if (!uses(f, a, f->num_rows, f->num_cols) && uses(f, b, f->num_rows, f->num_cols) &&
        (!f->num_rows || !uses(f, b, f->num_rows - 1, 1)))
      return true;
  }
  return false;
}

// A product sums each column that a matrix comes from, and gives those that it goes to.
static bool is_whole(const SnForm *f, size_t matrix) {
  size_t side = 2 * f->products.size + matrix;
  SnGroup from = sn_side_summed(f, side), to = sn_group(f, (size_t)f->matrices.data[matrix].to);
  bool whole = uses(f, side, to.first, to.num_dims);
  for (int64_t d = from.first; d < from.first + from.num_dims; ++d)
    whole &= sn_side_uses(f, side, d);
  return whole;
}

bool sn_cpu_can_run_chain(const SnForm *f) {
  SnMultiplied any;
  bool can = sn_multiplied(f, 0, &any);
  for (size_t p = 0; p < f->products.size && can; ++p)
    can = has_two_sides(f, p);
  for (size_t m = 0; m < f->matrices.size && can; ++m)
    can = is_whole(f, m) && (!f->num_rows || !uses(f, 2 * f->products.size + m, f->num_rows - 1, 1));
  return can;
}

// ---- what it had better -----------------------------------------------------------------------

static int64_t bytes(MlirType element) { return sn_scratch_bytes(element); }

static int64_t sizes(const SnForm *f, SnGroup dims) {
  int64_t n = 1;
  for (int64_t d = dims.first; d < dims.first + dims.num_dims; ++d)
    n = n == SN_DYNAMIC || f->dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC : sn_times(n, f->dims.data[d].size);
  return n;
}

static int64_t at_most(int64_t n, int64_t most) { return n == SN_DYNAMIC || n > most ? most : n; }

// Bytes of memory that a row of a block needs: sums, and what is multiplied again. Rows of `?` columns are taken for
// some: they would be in memory from one product to the next if each was a kernel, of all rows at once.
static int64_t row_bytes(const SnForm *f) {
  enum { SOME_COLUMNS = 1024 }; // what a size that is not known is taken for
  int64_t all = 0;
  bool streams = sn_cpu_streams(f);
  SnMultiplied m;
  for (size_t i = 0; sn_multiplied(f, i, &m); ++i) {
    bool again = i >= f->products.size;
    int64_t made = sn_group_length(f, m.group), read = again ? sizes(f, m.summed) : 0;
    if (streams && !m.group)
      made = at_most(made, SN_CPU_STREAMED);
    if (streams && again && m.summed.first == sn_group(f, 0).first)
      read = at_most(read, SN_CPU_STREAMED);
    made = made == SN_DYNAMIC ? SOME_COLUMNS : made;
    read = read == SN_DYNAMIC ? SOME_COLUMNS : read;
    all += sn_times(made, bytes(m.sum)) + sn_times(read, bytes(m.a));
  }
  return all;
}

int64_t sn_cpu_rows_of_chain(const SnForm *f, int64_t rows) {
  int64_t row = row_bytes(f);
  while (rows > LEAST_ROWS && sn_times(rows, row) > CACHE)
    rows = rows / 2 > LEAST_ROWS ? rows / 2 : LEAST_ROWS;
  return rows;
}

// The side that has the columns of multiplication i, or the matrix.
static size_t weights_of(const SnForm *f, size_t i) {
  size_t products = f->products.size;
  return i >= products ? products + i : 2 * i + (uses(f, 2 * i + 1, f->num_rows, f->num_cols) ? 1 : 0);
}

// A block of m rows packs each matrix, in as much time as it takes to store m elements of rows and to read them.
bool sn_cpu_packs_chain(const SnForm *f) {
  int64_t weights = 0, stored = 0, rows = sn_num_rows(f);
  bool asked = false, all = true;
  SnMultiplied m;
  for (size_t i = 0; all && sn_multiplied(f, i, &m); ++i) {
    size_t number = weights_of(f, i);
    SnSide side = sn_side(f, number);
    int64_t sum = sizes(f, m.summed), length = sn_group_length(f, m.group);
    MlirValue v = f->inputs.data[side.first].value;
    all = !side.program.ptr && sum != SN_DYNAMIC && length != SN_DYNAMIC && sn_cpu_weights_key(v) &&
          (!f->num_rows || !uses(f, number, 0, f->num_rows));
    asked |= all && sn_cpu_weights_asked_for(v);
    weights = all ? weights + sn_times(sum, length) : 0;
    stored += all && i >= f->products.size ? sum : 0;
  }
  if (!all || (rows != SN_DYNAMIC && sn_times(sn_times(rows, stored), 4) > STORED))
    return false;
  return asked || weights > sn_times(at_most(rows, MANY_ROWS), stored);
}

// A sum or a maximum of whole rows, as a softmax has: apart it would take passes of its own over what is stored.
static bool reduces_rows(const SnForm *f) {
  bool reduces = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    reduces |= sn_row_op_has(op, SN_READS_ALL) && !sn_row_op_has(op, SN_READS_MATRIX);
  return reduces;
}

// Numbers of a row between the products. SN_DYNAMIC: not known.
static int64_t stored_numbers(const SnForm *f) {
  int64_t stored = 0;
  SnMultiplied m;
  for (size_t i = f->products.size; sn_multiplied(f, i, &m) && stored != SN_DYNAMIC; ++i) {
    int64_t sum = sizes(f, m.summed);
    stored = sum == SN_DYNAMIC ? SN_DYNAMIC : stored + sum;
  }
  return stored;
}

// Each block packs all matrices, and adds to its results in memory for each piece of its rows. Matrices that leave its
// cache, and so many multiplications that storing the rows is nothing beside them, are faster apart.
bool sn_cpu_multiplies_much(const SnForm *f) {
  int64_t work = 0, matrices = 0, stored = stored_numbers(f);
  SnMultiplied m;
  for (size_t i = 0; sn_multiplied(f, i, &m); ++i) {
    int64_t sum = sizes(f, m.summed), length = sn_group_length(f, m.group);
    if (sum == SN_DYNAMIC || length == SN_DYNAMIC || stored == SN_DYNAMIC)
      return false;
    work += sn_times(sum, length);
    matrices += sn_times(sn_times(sum, length), bytes(m.b));
  }
  return matrices > FAR && work >= sn_times(ALIKE, stored) && !reduces_rows(f);
}

static bool expr_uses(MlirAffineExpr e, SnGroup dims) {
  bool used = false;
  for (int64_t d = dims.first; d < dims.first + dims.num_dims; ++d)
    used |= mlirAffineExprIsFunctionOfDim(e, d);
  return used;
}

// Windows of an image, which a product of its own reads where they lie, or packs once for all rows: a subscript is a
// sum of what is summed and of a column.
static bool multiplies_windows(const SnForm *f) {
  bool windows = false;
  for (size_t m = 0; m < f->matrices.size; ++m) {
    size_t number = 2 * f->products.size + m;
    SnSide side = sn_side(f, number);
    SnGroup from = sn_side_summed(f, number), to = sn_group(f, (size_t)f->matrices.data[m].to);
    for (size_t k = side.first; k < side.first + side.count; ++k)
      for (intptr_t i = 0; i < mlirAffineMapGetNumResults(f->inputs.data[k].map); ++i) {
        MlirAffineExpr e = mlirAffineMapGetResult(f->inputs.data[k].map, i);
        windows |= expr_uses(e, from) && expr_uses(e, to);
      }
  }
  return windows;
}

bool sn_cpu_runs_chain(const SnForm *f) {
  int64_t row = row_bytes(f), rows = sn_num_rows(f), work = 0, matrices = 0;
  SnMultiplied m;
  if (!sn_cpu_can_run_chain(f) || multiplies_windows(f))
    return false;
  for (size_t i = 0; sn_multiplied(f, i, &m) && work != SN_DYNAMIC; ++i) {
    int64_t sum = sizes(f, m.summed), length = sn_group_length(f, m.group);
    work = sum == SN_DYNAMIC || length == SN_DYNAMIC ? SN_DYNAMIC : work + sn_times(sum, length);
    matrices += work == SN_DYNAMIC ? 0 : sn_times(sn_times(sum, length), bytes(m.b));
  }
  bool far = work == SN_DYNAMIC || matrices > FAR;
  if (sn_times(far ? MANY_ROWS : LEAST_ROWS, row) > CACHE)
    return false;
  return rows == SN_DYNAMIC || rows >= ENOUGH_ROWS || (work != SN_DYNAMIC && sn_times(work, rows) <= LITTLE_WORK);
}
