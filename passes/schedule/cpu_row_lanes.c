// cpu_row_lanes.c: which way a CPU's vectors lie in a rowwise form, counted.
//
//   steps of a row x (work of a column + loads and stores), for lanes that are columns, columns of a line, or rows
//
// Lanes run along what lies together in memory. A vector costs an instruction where its elements are neighbours, and
// one for each lane where they are not; windows, bounds and masks have costs of their own. Only ratios matter.
//
// test: test/passes/schedule/lines.mlir, steps_together.mlir, image_lines.mlir

#include "dialect/row_ops.h"
#include "lowering/rows/rowmemory.h"
#include "passes/schedule/cpu_row_lanes.h"
#include "passes/schedule/schedule.h"

// What a step costs, in instructions about; measured on one core with AVX-512, and only ratios matter.
#define LONE_LANE 1.5  // loaded and put into a vector alone
#define LONE_GUARDED 4 // the same with a bounds check
#define GUARDED 4      // a vector of which a mask says what is inside
#define STEPPING 2     // a register of what lanes lie in that are a few elements apart
#define STEPPING_GUARDED 5
#define PLACE 6        // a column's number taken apart into those of several dimensions
#define FUNCTION 12    // exp, log, ...
#define ACROSS 8       // lanes of a reduction combined
#define SHORT_WINDOW 16 // columns that are written out without being asked to
#define LONG_WINDOW 49  // 7 x 7: twice as fast in half types, which are a division by 7 and a bounds check each else
#define MOST_OF_WINDOW 300
#define PLACES 4         // of a window, which share what they read; of 5 x 5 and 7 x 7, of whose weights registers
#define LONG_PLACES 2    // hold no more
#define LONG_LINE 64      // columns of a window's last dimension, written out
#define LEAST_LANES 4
// Loads and stores of a column, of which several vectors of rows are at once: a window has its own to share, and five
// inputs take 0.64 of the time of one vector.
#define MOST_OF_SHARED 4
#define MOST_OF_STEP 8

static const double weights[] = {
    [SN_COST_NONE] = 0, [SN_COST_SIMPLE] = 1, [SN_COST_DIVISION] = 1, [SN_COST_FUNCTION] = FUNCTION};

// Elementwise work of one column; negative if lanes cannot be rows.
double sn_cpu_row_work(const SnForm *f) {
  double cost = 0;
  MlirOperation end = mlirBlockGetTerminator(f->body);
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    if (!line || (line->lanes_are_columns && !sn_row_gathers_rows(f, op)))
      return -1;
    if (line->gives == SN_GIVES_NOTHING)
      continue;
    if (sn_is_row(sn_result(op, 0)) || line->first == SN_READS_ALL)
      cost += weights[sn_row_op_cost(op)];
  }
  return cost;
}

// Neighbours in dimension d are neighbours in memory: 1; the same element: 0; else -1.
int sn_cpu_together(const SnAccess *a, intptr_t d) {
  return !sn_map_uses(a->map, d) ? 0 : sn_unit_stride(a->map, d) ? 1 : -1;
}

static bool uses_row(const SnForm *f, MlirAffineExpr e) {
  bool uses = false;
  for (int64_t d = 0; d < f->num_rows; ++d)
    uses |= mlirAffineExprIsFunctionOfDim(e, d);
  return uses;
}

static bool uses_column(const SnForm *f, MlirAffineExpr e) {
  bool uses = false;
  for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
    uses |= mlirAffineExprIsFunctionOfDim(e, d);
  return uses;
}

// Some access is a window: a column moves it along rows, those that lanes are or others.
static bool has_window(const SnForm *f) {
  for (size_t k = 0; k < f->inputs.size; ++k) {
    MlirAffineMap map = f->inputs.data[k].map;
    for (intptr_t s = 0; s < mlirAffineMapGetNumResults(map); ++s) {
      MlirAffineExpr e = mlirAffineMapGetResult(map, s);
      if (uses_column(f, e) && uses_row(f, e))
        return true;
    }
  }
  return false;
}

// The columns of a window that are written out though they are more than 16; 0: they are not.
int64_t sn_cpu_long_window(const SnForm *f) {
  int64_t length = sn_row_length(f);
  bool is = length > SHORT_WINDOW && length <= LONG_WINDOW && (double)length * sn_cpu_row_work(f) <= MOST_OF_WINDOW;
  return is && has_window(f) ? length : 0;
}

// Of a longer window of a known size the last dimensions are written out, with up to 16 columns, or the last one with
// more: where a line of an image is one (the gradient of a window's weights) nothing is divided, its bounds are known
// but for one number, and there are several sums.
int64_t sn_cpu_window_line(const SnForm *f) {
  int64_t line = 0, size = 1, length = sn_row_length(f), last = f->num_cols ? f->dims.data[f->dims.size - 1].size : 1;
  if (length <= SHORT_WINDOW || sn_cpu_long_window(f) || !has_window(f))
    return 0;
  while (line < f->num_cols && sn_times(size, f->dims.data[(int64_t)f->dims.size - line - 1].size) <= SHORT_WINDOW)
    size = sn_times(size, f->dims.data[(int64_t)f->dims.size - ++line].size);
  if (!line && f->num_cols > 1 && last != SN_DYNAMIC && last <= LONG_LINE &&
      (double)last * sn_cpu_row_work(f) <= MOST_OF_WINDOW)
    return 1;
  return line < f->num_cols && size > 1 ? line : 0;
}

// All columns of it are written out.
static bool is_window(const SnForm *f) {
  return has_window(f) && (sn_row_length(f) <= SHORT_WINDOW || sn_cpu_long_window(f));
}

// The expression moves by one from place to place, and columns move it, too: places read the same elements.
static bool overlaps(const SnForm *f, MlirAffineExpr e, intptr_t place) {
  int64_t factors[SN_MAX_DIMS] = {0};
  return uses_column(f, e) && mlirAffineExprIsFunctionOfDim(e, place) && sn_affine_factors(e, factors) &&
         factors[place] == 1;
}

// Neighbours in front of the lanes' dimension that stand one behind the other: of a window they share its weights, and
// where its stride is 1 most of what it reads.
int64_t sn_cpu_window_places(const SnForm *f) {
  intptr_t place = (intptr_t)f->num_rows - 2;
  bool shares = false;
  if (place < 0 || f->accumulators.size || f->indices.size || !is_window(f) || f->dims.data[place].size == SN_DYNAMIC ||
      f->dims.data[place].size < PLACES)
    return 1;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    MlirAffineMap map = f->inputs.data[k].map;
    shares |= sn_uses_cols(f, map) && !sn_map_uses(map, place);
    for (intptr_t s = 0; s < mlirAffineMapGetNumResults(map); ++s)
      shares |= overlaps(f, mlirAffineMapGetResult(map, s), place);
  }
  return !shares ? 1 : sn_row_length(f) > SHORT_WINDOW ? LONG_PLACES : PLACES;
}

// Elements that lie a few apart: an instruction each to load, and to put into its lane, where masks load all of them.
bool sn_cpu_steps(const SnForm *f, const SnAccess *a, intptr_t d, int64_t lanes) {
  return sn_row_step(f, a, d, lanes) > 0;
}

// A register that is loaded, and what puts its lanes to those of the others, of AVX-512, which alone has such masks.
static double step_cost(const SnForm *f, const SnAccess *a, intptr_t d, int64_t lanes, bool guarded) {
  int64_t bits = lanes * sn_row_step(f, a, d, lanes) * sn_bits(sn_element(sn_type_of(a->value)));
  return (guarded ? STEPPING_GUARDED : STEPPING) * (double)sn_pieces(bits, 512);
}

bool sn_cpu_loads_steps(const SnScheduleOptions *options) { return strstr(options->features, "avx512bw") != NULL; }

// Loads or stores of one step of so many lanes along dimension d. In a window that is written out it is known of almost
// all steps that they are inside. `stepping`: the processor loads lanes that lie a few elements apart with all between.
double sn_cpu_row_accesses(const SnForm *f, intptr_t d, int64_t lanes, bool written_out, bool stepping) {
  double cost = 0;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    if (!sn_uses_cols(f, a->map))
      continue; // once a row
    bool guarded = a->fill.ptr && !(written_out && sn_cpu_steps(f, a, d, lanes));
    if (stepping && sn_cpu_steps(f, a, d, lanes))
      cost += step_cost(f, a, d, lanes, guarded);
    else
      cost += sn_cpu_together(a, d) >= 0 ? (a->fill.ptr ? GUARDED : 1)
                                         : (guarded ? LONE_GUARDED : LONE_LANE) * (double)lanes;
  }
  return cost;
}

// Loads and stores of one step of so many columns: a vector each, or lane by lane. Where several column dimensions do
// not lie in one piece, each step finds its place in them.
static double column_accesses(const SnForm *f, int64_t lanes) {
  double cost = 0;
  bool apart = false;
  if (f->num_cols == 1)
    return sn_cpu_row_accesses(f, f->num_rows, lanes, false, false);
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    if (!sn_uses_cols(f, a->map))
      continue; // once a row
    bool repeated = sn_row_is_repeated(f, a);
    double lone = LONE_GUARDED + (sn_row_seam(f, a, lanes) ? 0 : PLACE); // each lane finds its own place
    cost += repeated || sn_row_has_vectors(f, a, lanes) ? 1 : lone * (double)lanes;
    apart |= repeated || !sn_row_in_one_piece(f, a);
  }
  return cost + (apart ? PLACE : 0);
}

// What one row costs where lanes are columns.
static double along_columns(const SnForm *f, double work, int64_t lanes) {
  int64_t length = sn_row_length(f), reduces = sn_row_op_count(f->body, SN_READS_ALL);
  double steps = (double)(length / lanes + (lanes > 1 && length % lanes > 1) + (lanes > 1 && length % lanes == 1));
  return steps * (work + column_accesses(f, lanes)) + (double)reduces * ACROSS + 2;
}

// Lanes of a vector of columns: fewer where only those lie together, as of images of 14 by 14 in the middle of a
// tensor.
int64_t sn_cpu_column_lanes(const SnForm *f, int64_t vector_bits) {
  int64_t most = sn_schedule_lanes(f, vector_bits, sn_row_length(f)), best = most;
  for (int64_t lanes = most; f->num_cols > 1 && sn_row_length(f) > 0 && lanes >= LEAST_LANES; lanes /= 2)
    if (along_columns(f, 0, lanes) < along_columns(f, 0, best))
      best = lanes;
  return best;
}

// How many of the last column dimensions are one piece of memory in all that has columns; 0: a row is, or is read again
// and again, or nothing is.
static int64_t line_of(const SnForm *f) {
  int64_t line = f->num_cols;
  bool apart = false;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    apart |= sn_uses_cols(f, a->map) && !sn_row_in_one_piece(f, a) && !sn_row_is_repeated(f, a);
    while (line > 0 && sn_uses_cols(f, a->map) && !sn_row_goes_by_lines(f, a, line))
      --line;
  }
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map))
      return 0;
  return apart && line < f->num_cols ? line : 0;
}

int64_t sn_cpu_line_length(const SnForm *f, int64_t line) {
  int64_t length = 1;
  for (int64_t d = f->num_rows + f->num_cols - line; d < f->num_rows + f->num_cols; ++d)
    length = f->dims.data[d].size == SN_DYNAMIC || length == SN_DYNAMIC ? SN_DYNAMIC
                                                                        : sn_times(length, f->dims.data[d].size);
  return length;
}

// What an operand's vector of a line costs.
static double line_access(const SnForm *f, const SnAccess *a, int64_t lanes, bool stepping) {
  intptr_t last = (intptr_t)(f->num_rows + f->num_cols) - 1;
  if (!sn_uses_cols(f, a->map))
    return 0;
  if (!sn_cpu_steps(f, a, last, 1))
    return a->fill.ptr ? GUARDED : 1;
  return stepping && sn_cpu_steps(f, a, last, lanes) ? step_cost(f, a, last, lanes, a->fill.ptr)
                                              : (a->fill.ptr ? LONE_GUARDED : LONE_LANE) * (double)lanes;
}

// What one row costs where lanes are columns of a line, and each line has its own vectors.
static double along_lines(const SnForm *f, double work, int64_t line, int64_t lanes, bool stepping) {
  int64_t length = sn_cpu_line_length(f, line);
  double loads = 0;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k)
    loads += line_access(f, k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size], lanes,
                         stepping);
  double steps = (double)sn_pieces(length, lanes) * (work + loads) + PLACE;
  return length > 0 ? (double)(sn_row_length(f) / length) * steps : 0;
}

// The line dimensions that a row's columns are walked by; 0: they are counted through.
int64_t sn_cpu_lines(const SnForm *f, const SnScheduleOptions *options) {
  int64_t line = line_of(f), length = sn_cpu_line_length(f, line), bits = options->vector_bits;
  double cost = sn_cpu_row_work(f) < 0 ? FUNCTION : sn_cpu_row_work(f);
  if (!line || length == SN_DYNAMIC || sn_row_length(f) == SN_DYNAMIC)
    return line;
  bool pays = length >= LEAST_LANES &&
              along_lines(f, cost, line, sn_schedule_lanes(f, bits, length), sn_cpu_loads_steps(options)) <
                  along_columns(f, cost, sn_cpu_column_lanes(f, bits));
  return pays ? line : 0;
}

static double along_rows(const SnForm *f, double work, int64_t lanes, bool stepping) {
  int64_t last = f->num_rows - 1, size = f->dims.data[last].size, ends = 0;
  for (size_t k = 0; k < f->inputs.size + f->outputs.size; ++k) {
    const SnAccess *a = k < f->inputs.size ? &f->inputs.data[k] : &f->outputs.data[k - f->inputs.size];
    ends += sn_uses_cols(f, a->map) || !sn_map_uses(a->map, last) ? 0 : sn_cpu_together(a, last) == 1 ? 1 : lanes;
  }
  double column = work + sn_cpu_row_accesses(f, last, lanes, is_window(f), stepping),
         vector = (double)sn_row_length(f) * column + (double)ends + 2;
  return vector * (double)sn_pieces(size, lanes) / (double)size;
}

// Lanes of a vector of rows, or 0 where columns are better.
int64_t sn_cpu_row_lanes(const SnForm *f, const SnScheduleOptions *options) {
  int64_t vector_bits = options->vector_bits;
  int64_t size = f->num_rows ? f->dims.data[f->num_rows - 1].size : 0;
  double cost = sn_cpu_row_work(f);
  if (cost < 0 || size < 2 || sn_row_length(f) < 1 || f->indices.size) // `?` is less than any
    return 0;
  for (size_t k = 0; k < f->accumulators.size; ++k)
    if (sn_uses_cols(f, f->accumulators.data[k].map))
      return 0;
  int64_t lanes = sn_schedule_lanes(f, vector_bits, size), columns = sn_cpu_column_lanes(f, vector_bits);
  int64_t line = sn_cpu_lines(f, options);
  bool stepping = sn_cpu_loads_steps(options);
  int64_t of_line = line ? sn_schedule_lanes(f, vector_bits, sn_cpu_line_length(f, line)) : 0;
  double other = line ? along_lines(f, cost, line, of_line, stepping) : along_columns(f, cost, columns);
  if (lanes < 2 || along_rows(f, cost, lanes, stepping) > 0.8 * other)
    return 0;
  // Several vectors at once hide the latency of a sum, and touch a page for longer. The last ones overlap those in
  // front of them: where that is more than a few instructions, or a window, no more than a quarter of the rows is
  // computed twice.
  bool simple = cost <= SIMPLE, window = has_window(f),
       several = (simple || !window) && sn_cpu_row_accesses(f, f->num_rows - 1, lanes, false, stepping) <=
                                            (window ? MOST_OF_SHARED : MOST_OF_STEP);
  while (several && lanes < 64 && lanes < sn_schedule_lanes(f, 4 * vector_bits, size) &&
         ((simple && !window) || 4 * sn_pieces(size, 2 * lanes) * 2 * lanes <= 5 * size))
    lanes *= 2;
  return lanes;
}
