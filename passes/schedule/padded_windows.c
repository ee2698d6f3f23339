// padded_windows.c: an image whose windows reach beyond its edges is written with what is there, once.
//
//   contract (n, y, x) by (o = 9) product (r, s, c) (%x[n, y + r - 2, x + s - 2, c] else 0.0, %w[o, r, s, c])
// ->
//   %p = rowwise (n, y = 22) by (l = 22 * 21) ins(%x[n, y - 2, l - 2 * 21] else 0.0)      x and c as one
//   contract (n, y, x) by (o = 9) product (r, s, c) (%p[n, y + r, x + s, c], %w[o, r, s, c])
//
// Then a kernel can read windows where they lie (pack = "windows"), and nothing is compared with an edge again: an
// image under 5 x 5 windows would be copied 25 times, in short pieces. Where the scheduler would not read them so all
// stays as it is.
//
// runs in: sinter-cpu    test: test/passes/schedule/padded_windows.mlir, test/run/windows_in_place.mlir

#include "dialect/schedules.h"
#include "dialect/sequence.h"
#include "lowering/rows/rowmemory.h"
#include "passes/edit/edit.h"
#include "passes/schedule/schedule.h"
#include <stdio.h>

enum { LEAST_READS = 3 }; // of two elements of what is written

typedef struct {
  intptr_t last;                               // dimension that grows; those behind it go with it, as one
  int64_t low[SN_MAX_DIMS], size[SN_MAX_DIMS]; // of what is written: where each dimension begins, and its size
} Padding;

// The side whose rows are those of the form, as it is read.
static SnAccess *rows_side(const SnForm *f, size_t product) {
  for (size_t s = 2 * product; s < 2 * product + 2; ++s) {
    bool columns = sn_side(f, s).program.ptr;
    for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
      columns |= sn_side_uses(f, s, d);
    if (!columns)
      return &f->inputs.data[sn_side(f, s).first];
  }
  return NULL;
}

static MlirAffineExpr constant(MlirContext ctx, int64_t n) { return mlirAffineConstantExprGet(ctx, n); }

static int64_t points(const SnForm *f, int64_t first, int64_t n) {
  int64_t all = 1;
  for (int64_t d = first; d < first + n; ++d)
    all = sn_times(all, f->dims.data[d].size);
  return all;
}

static bool is_static(const SnForm *f) {
  bool is = true;
  for (size_t d = 0; d < f->dims.size; ++d)
    is &= f->dims.data[d].size != SN_DYNAMIC && f->dims.data[d].size > 0;
  return is;
}

// Of an access with bounds whose elements are read often enough.
static bool read_padding(const SnForm *f, size_t product, const SnAccess *a, Padding *p) {
  MlirType t = sn_type_of(a->value);
  int64_t sizes[SN_MAX_DIMS], factors[SN_MAX_DIMS], written = 1;
  if (!a->fill.ptr || a->through.ptr || sn_is_table(a) || !mlirShapedTypeHasStaticShape(t) ||
      !sn_linear_factors(a->map, t, factors))
    return false;
  for (size_t d = 0; d < f->dims.size; ++d)
    sizes[d] = f->dims.data[d].size;
  p->last = -1;
  for (intptr_t i = 0; i < sn_rank(t); ++i) {
    int64_t high;
    if (!sn_affine_range(mlirAffineMapGetResult(a->map, i), sizes, &p->low[i], &high))
      return false;
    bool grows = p->low[i] < 0 || high >= sn_dim(t, i);
    p->low[i] = grows ? p->low[i] : 0;
    p->size[i] = grows ? high - p->low[i] + 1 : sn_dim(t, i);
    p->last = grows ? i : p->last;
    written = sn_times(written, p->size[i]);
  }
  int64_t reads = sn_times(points(f, 0, f->num_rows), points(f, sn_first_own(f, product),
                                                             f->products.data[product].num_dims));
  return p->last > 0 && 2 * reads >= sn_times(LEAST_READS, written);
}

// As many forms as products may be asked for it: all of them are read so, or none is.
static bool would_read_windows(const SnForm *f, const SnScheduleOptions *options) {
  MlirAttribute is = sn_schedule_brgemm(f, options);
  return is.ptr && sn_schedule_word_is(is, "pack", "windows");
}

// Dimensions `first` on as one.
static MlirAttribute groups_of(MlirContext ctx, intptr_t first, intptr_t rank) {
  MlirAttribute groups[SN_MAX_DIMS], members[SN_MAX_DIMS];
  for (intptr_t i = 0; i < rank; ++i)
    members[i] = sn_i64(ctx, i);
  for (intptr_t i = 0; i <= first; ++i)
    groups[i] = mlirArrayAttrGet(ctx, i < first ? 1 : rank - first, members + i);
  return mlirArrayAttrGet(ctx, first + 1, groups);
}

static MlirValue write_padded(SnBuilder *b, const SnAccess *a, const Padding *p) {
  MlirType t = sn_type_of(a->value), element = sn_element(t);
  intptr_t rank = sn_rank(t), n = p->last + 1;
  int64_t from[SN_MAX_DIMS], to[SN_MAX_DIMS], inner = 1;
  for (intptr_t i = n; i < rank; ++i)
    inner = sn_times(inner, sn_dim(t, i));
  MlirAffineExpr e[SN_MAX_DIMS];
  SnForm copy = {.num_rows = n - 1, .num_cols = 1};
  for (intptr_t i = 0; i < n; ++i) {
    int64_t each = i < p->last ? 1 : inner;
    char name[24];
    snprintf(name, sizeof name, "d%lld", (long long)i);
    from[i] = sn_dim(t, i) * each;
    to[i] = p->size[i] * each;
    sn_push(&copy.dims, ((SnDim){.name = mlirStringAttrGetValue(sn_string(b->ctx, name)), .size = to[i]}));
    e[i] = mlirAffineAddExprGet(mlirAffineDimExprGet(b->ctx, i), constant(b->ctx, p->low[i] * each));
  }
  MlirAttribute groups = groups_of(b->ctx, p->last, rank);
  SnAccess in = {.value = a->value, .map = mlirAffineMapGet(b->ctx, n, 0, n, e), .fill = a->fill},
           out = {.value = sn(b, "tensor.empty", sn_values(0, NULL), sn_tensor(element, n, to)),
                  .map = mlirAffineMapMultiDimIdentityGet(b->ctx, n)};
  if (n < rank)
    in.value = sn(b, "tensor.collapse_shape", in.value, sn_tensor(element, n, from), sn_attr("reassociation", groups));
  sn_push(&copy.inputs, in);
  sn_push(&copy.outputs, out);
  MlirOperation made = sn_form_create(b, &copy, false);
  SnBuilder body = sn_at_end(copy.body, b->loc);
  sn_op(&body, "sinter.yield", sn_input_argument(&copy, 0), sn_types(0, NULL));
  sn_form_free(&copy);
  MlirValue whole = sn_result(made, 0);
  return n == rank ? whole
                   : sn(b, "tensor.expand_shape", whole, sn_values(0, NULL), sn_tensor(element, rank, p->size),
                        sn_attr("reassociation", groups),
                        sn_attr("static_output_shape", mlirDenseI64ArrayGet(b->ctx, rank, p->size)));
}

// Its subscripts, from where what is written begins.
static MlirAffineMap behind(MlirAffineMap map, const Padding *p) {
  MlirContext ctx = mlirAffineMapGetContext(map);
  MlirAffineExpr e[SN_MAX_DIMS];
  intptr_t n = mlirAffineMapGetNumResults(map);
  for (intptr_t i = 0; i < n; ++i)
    e[i] = mlirAffineAddExprGet(mlirAffineMapGetResult(map, i), constant(ctx, -p->low[i]));
  return mlirAffineMapGet(ctx, mlirAffineMapGetNumDims(map), mlirAffineMapGetNumSymbols(map), n, e);
}

static void pad(MlirOperation op, const SnScheduleOptions *options) {
  SnForm f = sn_form_read(op), to = sn_form_read(op);
  SnBuilder b = sn_before(op);
  bool may = f.products.size && sn_is_plain(&f) && !f.schedule.ptr && sn_num_results(op) && !sn_in_sequence(op) &&
             is_static(&f);
  SN_VEC(Padding) all = {0};
  for (size_t k = 0; k < f.products.size && may; ++k) {
    Padding p = {0};
    SnAccess *a = rows_side(&to, k);
    may = a && read_padding(&f, k, a, &p);
    if (!may)
      break;
    a->fill = mlirAttributeGetNull();
    sn_push(&all, p);
  }
  if (may && would_read_windows(&to, options)) {
    for (size_t k = 0; k < f.products.size; ++k) {
      SnAccess *a = rows_side(&to, k);
      a->value = write_padded(&b, rows_side(&f, k), &all.data[k]);
      a->map = behind(a->map, &all.data[k]);
    }
    sn_with_other_sides(&b, &f, &to);
    mlirOperationDestroy(op);
  }
  sn_vec_free(&all);
  sn_form_free(&to);
  sn_form_free(&f);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  SnOpVec forms = sn_collect(func, "sinter.contract");
  for (size_t k = 0; k < forms.size; ++k)
    pad(forms.data[k], user);
  sn_vec_free(&forms);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  SnScheduleOptions options = *(const SnScheduleOptions *)run->options;
  SnTable given = {0};
  options.target = "cpu";
  options.chip = options.tuning = "";
  options.given = &given;
  MlirLogicalResult result = sn_each_function(op, function, &options);
  sn_table_free(&given);
  return result;
}

static const SnOption options[] = {
    {SN_OPTION_INT, "vector-bits", "bits of a CPU's vector register: 512, 256 or 128", "512", NULL,
     offsetof(SnScheduleOptions, vector_bits)},
    {SN_OPTION_INT, "registers", "how many of these a CPU has", "32", NULL, offsetof(SnScheduleOptions, registers)},
    {SN_OPTION_STRING, "features",
     "instructions that a CPU has beyond its architecture's, by LLVM's names, with commas: 'avx2,fma'",
     "avx2,fma,avx512f", NULL, offsetof(SnScheduleOptions, features)},
    {SN_OPTION_BOOL, "f32-parts", "f32 may be multiplied as sums of three bf16", "false", NULL,
     offsetof(SnScheduleOptions, f32_parts)},
    {0},
};

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__sinter__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_padded_windows = {
    .argument = "sinter-padded-windows",
    .summary = "images whose windows reach beyond their edges -> images with what is there, where windows are read in "
               "place",
    .options = options,
    .options_size = sizeof(SnScheduleOptions),
    .dialects = dialects,
    .run = run,
};
