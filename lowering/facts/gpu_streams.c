// gpu_streams.c: see gpu_streams.h.
//
// test: test/lowering/gpu/product_streams.mlir, test/passes/split/streams.mlir

#include "lowering/facts/gpu_streams.h"
#include "dialect/row_ops.h"
#include "lowering/facts/product_sides.h"
#include "lowering/rows/rowmemory.h"

enum {
  HALF = 2,               // bytes of what is multiplied
  PLAIN_SUM = 1024,       // of half types; shorter ones begin and end before slots are all under way
  LARGE_SUM = 512,        // the same where so many bytes of weights
  LARGE_BYTES = 8 << 20,  // keep memory busy
  ODD_SUM = 256,          // of lines that begin anywhere, which other kernels read element by element
};

// Summed elements behind dimension d of the sum.
static int64_t behind(const SnForm *f, const SnGroup *sum, int64_t d) {
  int64_t all = 1;
  for (int64_t i = d + 1; i < sum->first + sum->num_dims; ++i)
    all = sn_times(all, f->dims.data[i].size);
  return all;
}

static bool is_summed(const SnGroup *sum, int64_t d) { return d >= sum->first && d < sum->first + sum->num_dims; }

// Neighbours of the sum are neighbours of memory, `repeat` of them one element; whatever the other dimensions are, such
// a line begins at a multiple of so many elements. `repeat`: 0: as many as the innermost dimensions have that the
// access does not use.
static bool lies_in_lines(const SnForm *f, const SnAccess *a, const SnGroup *sum, int64_t elements, int64_t *repeat) {
  int64_t factors[SN_MAX_DIMS], offset;
  MlirType t = sn_type_of(a->value);
  if (a->fill.ptr || a->through.ptr || !mlirShapedTypeHasStaticShape(t) || !sn_linear_factors(a->map, t, factors) ||
      !sn_linear_offset(a->map, t, &offset) || offset % elements)
    return false;
  int64_t end = sum->first + sum->num_dims;
  for (int64_t d = end; !*repeat && d-- > sum->first;)
    if (f->dims.data[d].size != 1 && factors[d])
      *repeat = behind(f, sum, d);
  for (int64_t d = 0; d < (int64_t)f->dims.size; ++d) {
    int64_t size = f->dims.data[d].size;
    if (size == 1)
      continue;
    bool lies = !is_summed(sum, d)                ? factors[d] % elements == 0
                : behind(f, sum, d) < *repeat ? factors[d] == 0
                                              : factors[d] * *repeat == behind(f, sum, d);
    if (!lies)
      return false;
  }
  return *repeat > 0;
}

// One number for each piece of so many summed elements.
static bool is_of_pieces(const SnForm *f, const SnAccess *a, const SnGroup *sum, int64_t lanes) {
  int64_t factors[SN_MAX_DIMS];
  MlirType t = sn_type_of(a->value);
  bool is = !a->fill.ptr && !a->through.ptr && mlirShapedTypeHasStaticShape(t) && sn_linear_factors(a->map, t, factors);
  for (int64_t d = sum->first; d < sum->first + sum->num_dims && is; ++d)
    is = !factors[d] || f->dims.data[d].size == 1 || behind(f, sum, d) % lanes == 0;
  return is;
}

// The side's program can be run on any of its elements, whose places are asked for in the sum alone.
static bool goes_by_elements(const SnForm *f, MlirBlock program, const SnGroup *sum) {
  MlirOperation end = mlirBlockGetTerminator(program);
  for (MlirOperation op = mlirBlockGetFirstOperation(program); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    if (!line || sn_num_results(op) != 1 || mlirOperationGetNumRegions(op) || (line->position && !line->names_dim) ||
        (line->first != SN_READS_COLUMN && line->first != SN_READS_SCALAR && line->first != SN_READS_NOTHING) ||
        (line->names_dim && !is_summed(sum, sn_row_named_dim(f, op))))
      return false;
  }
  return true;
}

static bool is_static(const SnForm *f) {
  bool known = true;
  for (size_t d = 0; d < f->dims.size; ++d)
    known &= f->dims.data[d].size > 0; // SN_DYNAMIC is negative
  return known;
}

// Few columns by many rows of half types.
static bool is_turned(const SnForm *f, const SnGpuProduct *p) {
  SnGpuPoints points = sn_gpu_points(f);
  return f->products.size == 1 && !sn_side(f, p->a).program.ptr && !sn_side(f, p->b).program.ptr &&
         sn_gpu_dims_size(f, &points.columns) <= SN_GPU_STREAM_FEW_ROWS &&
         sn_gpu_dims_size(f, &points.rows) > SN_GPU_STREAM_FEW_ROWS;
}

// Lines of half types that begin anywhere.
static bool lies_oddly(const SnForm *f, const SnAccess *a, const SnGroup *sum) {
  int64_t one = 1;
  return sn_bits(sn_element(sn_type_of(a->value))) == 8 * HALF && lies_in_lines(f, a, sum, 1, &one);
}

const char *sn_gpu_stream_of(const SnForm *f, size_t product, SnGpuStream *to) {
  SnGpuProduct p = sn_gpu_product(f, product, "mma.stream");
  if (!p.line || !is_static(f))
    return "it is not of half types, or of sizes ?";
  bool turned = is_turned(f, &p);
  *to = (SnGpuStream){.rows = turned ? p.b : p.a,
                      .weights = turned ? p.a : p.b,
                      .sum = behind(f, &p.summed, p.summed.first - 1),
                      .turned = turned};
  SnSide a = sn_side(f, to->rows), b = sn_side(f, to->weights);
  if (a.program.ptr || !lies_oddly(f, &f->inputs.data[a.first], &p.summed))
    return "its rows do not lie along what is summed";
  if (b.count > SN_GPU_STREAM_MOST || (b.program.ptr && !goes_by_elements(f, b.program, &p.summed)))
    return "a side's program needs more than one element at a time";
  int64_t one = 1;
  bool whole = lies_in_lines(f, &f->inputs.data[a.first], &p.summed, SN_GPU_STREAM_BYTES / HALF, &one);
  bool found = false;
  for (size_t i = b.first; i < b.first + b.count && !found; ++i) {
    const SnAccess *w = &f->inputs.data[i];
    MlirType element = sn_element(sn_type_of(w->value));
    int64_t bytes = (int64_t)sn_bits(element) / 8;
    to->repeat = 0;
    found = bytes && bytes <= HALF && sn_fills_bytes(element) &&
            lies_in_lines(f, w, &p.summed, SN_GPU_STREAM_BYTES / bytes, &to->repeat) && to->repeat <= 2;
    to->input = i;
    to->lanes = bytes ? SN_GPU_STREAM_BYTES / bytes * to->repeat : 0;
    found &= to->lanes && to->sum % to->lanes == 0;
  }
  if (!(found && whole) && !b.program.ptr && lies_oddly(f, &f->inputs.data[b.first], &p.summed)) {
    to->odd = true;
    to->input = b.first;
    to->repeat = 1;
    to->lanes = SN_GPU_STREAM_BYTES / HALF;
    return NULL;
  }
  if (!whole)
    return "its rows do not lie along what is summed, in pieces of 16 bytes";
  if (!found)
    return "its weights do not lie along what is summed, in pieces of 16 bytes";
  for (size_t i = b.first; i < b.first + b.count; ++i)
    if (i != to->input && !is_of_pieces(f, &f->inputs.data[i], &p.summed, to->lanes))
      return "what else its weights are made of is no number for 16 bytes of them";
  return NULL;
}

const char *sn_gpu_not_streamed(const SnForm *f, SnGpuStream *to) {
  if (!f->contract || !f->products.size || f->products.size > SN_GPU_STREAM_PRODUCTS || !sn_has_one_group(f) ||
      sn_joins_rows(f) || !sn_cpu_by_columns(f))
    return "it is no product alone, or two, whose rows go by elements";
  const char *why = sn_gpu_stream_of(f, 0, to);
  for (size_t p = 1; p < f->products.size && !why; ++p) {
    SnGpuStream other;
    why = sn_gpu_stream_of(f, p, &other);
    if (!why && (other.repeat != to->repeat || other.lanes != to->lanes || other.sum != to->sum ||
                 other.odd != to->odd || !sn_gpu_same_rows(f, p)))
      why = "its products have other rows, or weights of other lines";
  }
  return why;
}

// Weights that other kernels would read element by element, unless they were written in longer lines first. A form that
// makes them does that anyway.
static bool come_by_elements(const SnForm *f, const SnGpuStream *s) {
  enum { PIECE = 4 }; // bytes
  int64_t one = 1;
  SnGroup sum = sn_side_summed(f, s->weights);
  const SnAccess *w = &f->inputs.data[s->input];
  MlirOperation made = sn_definer(w->value);
  return s->odd && (sn_null(made) || !sn_is_form(made)) && !lies_in_lines(f, w, &sum, PIECE / HALF, &one);
}

bool sn_gpu_stream_is_wanted(const SnForm *f, SnGpuStream *to) {
  if (f->sides.size || sn_gpu_not_streamed(f, to))
    return false;
  SnGpuPoints points = sn_gpu_points(f);
  int64_t rows = sn_gpu_dims_size(f, to->turned ? &points.columns : &points.rows),
          columns = sn_gpu_dims_size(f, to->turned ? &points.rows : &points.columns),
          bytes = sn_times(sn_times(columns, to->sum), HALF);
  return rows > 1 && rows <= (come_by_elements(f, to) ? SN_GPU_STREAM_FEW_ROWS : SN_GPU_STREAM_PLAIN) &&
         (to->sum >= (to->odd ? ODD_SUM : PLAIN_SUM) || (to->sum >= LARGE_SUM && bytes >= LARGE_BYTES));
}

bool sn_gpu_streams_few(const SnForm *f) {
  SnGpuStream s;
  if (sn_gpu_not_streamed(f, &s))
    return false;
  SnGpuPoints points = sn_gpu_points(f);
  return !s.turned && sn_gpu_dims_size(f, &points.rows) <= SN_GPU_STREAM_FEW_ROWS;
}

int64_t sn_gpu_stream_turns(const SnGpuStream *s, int64_t k) { return k / (SN_GPU_STREAM_LANES * s->lanes); }

int64_t sn_gpu_stream_groups(int64_t n, int64_t threads) {
  int64_t columns = threads / 32 * SN_GPU_STREAM_COLUMNS;
  return columns > n ? columns / n : 1;
}

// Eight lanes, of two rows, load 16 bytes each at a time. Those of one row are `lanes` elements apart.
int64_t sn_gpu_stream_line(const SnGpuStream *s, bool of_rows, int64_t k) {
  if (!of_rows) // what is around a line that begins anywhere has one piece more
    return (k / s->lanes + s->odd) * SN_GPU_STREAM_BYTES;
  int64_t more = s->lanes * HALF == SN_GPU_STREAM_BYTES ? SN_GPU_STREAM_LANES : 1;
  return k * HALF + more * SN_GPU_STREAM_BYTES;
}

int64_t sn_gpu_stream_side_bytes(const SnForm *f, bool is_a, int64_t extent, int64_t k) {
  SnGpuStream s;
  if (sn_gpu_stream_of(f, 0, &s))
    return 0;
  bool of_rows = is_a != s.turned;
  return (of_rows ? 1 : (int64_t)f->products.size) * extent * sn_gpu_stream_line(&s, of_rows, k);
}
