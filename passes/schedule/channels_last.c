// channels_last.c: an image whose channels are in front of its lines is written with its channels last, where its
// windows would be copied line by line.
//
//   contract (n, o) by (y = 8, x = 8) product (c = 64, r, s) (%w[o, c, r, s], %x[n, c, y * 2 + r, x * 2 + s] else 0)
//       outs(%y[n, o, y, x]) { f(%p) }
// ->
//   %t = rowwise of %x[n, c, y, x], written as [n, y, x, c]; %v is %w with its channels last
//   %z = contract (n, y, x) by (o) product (r, s, c) (%t[n, y * 2 + r, x * 2 + s, c] else 0, %v[o, r, s, c])
//   rowwise (n, o) by (y, x) ins(%z[n, y, x, o]) outs(%y[n, o, y, x]) { f(%z) }
//
// Columns of the first product are places of the image, so each tap is a copy of all lines of the image, in pieces as
// long as a line of results: a piece of 4 elements takes as long as one of 50. With channels last the elements under a
// line of taps are one piece, which kernels read where it lies (padded_windows.c, pack = "windows") or copy at once.
// The image is turned once, and what is made is turned back where the row program runs. (Of the gradient of weights,
// whose columns are taps, images are the channels.)
//
// runs in: sinter-cpu    test: test/passes/schedule/channels_last.mlir, test/run/channels_last.test

#include "dialect/sequence.h"
#include "lowering/rows/rowmemory.h"
#include "passes/arrange/padding.h"
#include "passes/edit/edit.h"
#include "passes/schedule/schedule.h"

// Picoseconds, of one thread of an EPYC (Zen 5) that others used.
enum {
  PIECE = 5000,    // to begin to copy a line for a tap,
  IMAGE = 15000,   // or all lines of an image as one,
  COPIED = 40,     // and for each of its elements
  TURNED = 200,    // for each element that is written in another order,
  PADDED = 60,     // or with edges
  FORMS = 10000000, // of more kernels, and what is not known so well: a small image took 17 us, and then 37
  MULTIPLIED = 18, // of a multiplication of f32 and its sum; of halves in pairs a half
  GAIN = 8,        // of all: an eighth
  LANES = 16,      // of a vector of f32
  LEAST_RUN = 16,  // elements under a line of taps, which are one piece with channels last
};
// Vectors along a run of f32 take so much more than those along filters.
static const double along = 0.15;

typedef struct {
  SnForm f;
  size_t image, weights;      // sides
  intptr_t channel;           // the summed dimension
  intptr_t at[2];             // where it stands in the image and the weights
  intptr_t order[SN_MAX_DIMS]; // dimensions of f as the new product has them
  int64_t num_rows, num_cols; // of it
} Plan;

static const SnAccess *image_of(const Plan *p) { return &p->f.inputs.data[p->image]; }
static const SnAccess *weights_of(const Plan *p) { return &p->f.inputs.data[p->weights]; }

static bool is_static(const SnForm *f) {
  bool is = true;
  for (size_t d = 0; d < f->dims.size; ++d)
    is &= f->dims.data[d].size != SN_DYNAMIC && f->dims.data[d].size > 0;
  for (size_t k = 0; k < 2; ++k) {
    const SnAccess *a = &f->inputs.data[k];
    is &= mlirShapedTypeHasStaticShape(sn_type_of(a->value)) && !a->through.ptr && !sn_is_table(a) &&
          sn_fills_bytes(sn_element(sn_type_of(a->value)));
  }
  return is;
}

// The subscript that is the dimension, which no other one has; -1: there is none.
static intptr_t alone_in(const SnAccess *a, intptr_t d) {
  intptr_t at = -1, n = 0;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i) {
    n += mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, i), d);
    at = sn_map_dim(a->map, i) == d ? i : at;
  }
  return n == 1 ? at : -1;
}

// A column and a summed dimension of several places are in one subscript.
static bool is_window(const SnForm *f, const SnAccess *a) {
  bool window = false;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
    bool column = false, tap = false;
    for (int64_t d = f->num_rows; d < (int64_t)f->dims.size; ++d)
      if (f->dims.data[d].size > 1 && mlirAffineExprIsFunctionOfDim(e, d))
        *(d < f->num_rows + f->num_cols ? &column : &tap) = true;
    window |= column && tap;
  }
  return window;
}

static bool find_sides(Plan *p) {
  const SnForm *f = &p->f;
  int64_t factors[SN_MAX_DIMS];
  p->image = sn_uses_cols(f, f->inputs.data[0].map) ? 0 : 1;
  p->weights = 1 - p->image;
  const SnAccess *image = image_of(p), *weights = weights_of(p);
  if (sn_uses_cols(f, weights->map) || weights->fill.ptr || !is_window(f, image) ||
      !sn_linear_factors(image->map, sn_type_of(image->value), factors))
    return false;
  for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
    if (!sn_map_uses(image->map, d))
      return false;
  intptr_t last = mlirAffineMapGetNumResults(image->map) - 1;
  for (p->channel = f->num_rows + f->num_cols; p->channel < (intptr_t)f->dims.size; ++p->channel) {
    p->at[0] = alone_in(image, p->channel);
    p->at[1] = alone_in(weights, p->channel);
    if (p->at[0] >= 0 && p->at[0] < last && p->at[1] >= 0)
      return sn_dim(sn_type_of(image->value), p->at[0]) == f->dims.data[p->channel].size &&
             sn_dim(sn_type_of(weights->value), p->at[1]) == f->dims.data[p->channel].size;
  }
  return false;
}

// Rows of both sides, then those of the image, then its places; columns are rows of the weights; the channel is summed
// last.
static bool find_order(Plan *p) {
  const SnForm *f = &p->f;
  intptr_t n = 0;
  for (int which = 0; which < 3; ++which) { // rows of both, of the image, of the weights
    for (intptr_t d = 0; d < f->num_rows; ++d) {
      bool image = sn_map_uses(image_of(p)->map, d), weights = sn_map_uses(weights_of(p)->map, d);
      if (!image && !weights)
        return false;
      if (which == (image && weights ? 0 : image ? 1 : 2))
        p->order[n++] = d;
    }
    if (which == 1) {
      for (intptr_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
        p->order[n++] = d;
      p->num_rows = n;
    }
  }
  p->num_cols = n - p->num_rows;
  for (intptr_t d = f->num_rows + f->num_cols; d < (intptr_t)f->dims.size; ++d)
    if (d != p->channel)
      p->order[n++] = d;
  p->order[n] = p->channel;
  return p->num_cols > 0;
}

static int64_t points(const SnForm *f, int64_t first, int64_t end) {
  int64_t all = 1;
  for (int64_t d = first; d < end; ++d)
    all = sn_times(all, f->dims.data[d].size);
  return all;
}

static int64_t filters(const Plan *p) {
  int64_t all = 1;
  for (int64_t i = p->num_rows; i < p->num_rows + p->num_cols; ++i)
    all = sn_times(all, p->f.dims.data[p->order[i]].size);
  return all;
}

// Elements under a line of taps that would be one piece.
static int64_t run_of(const Plan *p) {
  const SnForm *f = &p->f;
  MlirAffineMap map = image_of(p)->map;
  intptr_t last = mlirAffineMapGetNumResults(map) - 1;
  int64_t run = f->dims.data[p->channel].size, factors[SN_MAX_DIMS] = {0};
  intptr_t tap = p->order[f->dims.size - 2];
  return sn_affine_factors(mlirAffineMapGetResult(map, last), factors) && factors[tap] == 1
             ? sn_times(run, f->dims.data[tap].size)
             : run;
}

// Every whole line of the image is a line of results, so that lines go on where they end (lowering/cpu/pack_images.c).
static bool lies_as_image(const Plan *p) {
  const SnForm *f = &p->f;
  MlirType t = sn_type_of(image_of(p)->value);
  int64_t factors[SN_MAX_DIMS], expected = 1;
  bool is = image_of(p)->fill.ptr && sn_linear_factors(image_of(p)->map, t, factors);
  for (int64_t d = f->num_rows + f->num_cols; d-- > f->num_rows && is;) {
    is = factors[d] == expected;
    expected = sn_times(expected, f->dims.data[d].size);
  }
  return is;
}

// Picoseconds to copy windows as they are, and to turn all that is turned. Then windows are read where they lie, so
// that lanes behind a run are multiplied, too; or they are copied in longer pieces, and filters are lanes.
static bool pays(const Plan *p, int64_t least_work, bool reads) {
  const SnForm *f = &p->f;
  int64_t columns = points(f, f->num_rows, f->num_rows + f->num_cols),
          summed = points(f, f->num_rows + f->num_cols, (int64_t)f->dims.size),
          line = f->dims.data[f->num_rows + f->num_cols - 1].size, of = filters(p),
          copied = sn_times(sn_times(sn_num_rows(f) / of, columns), summed), work = sn_times(copied, of),
          run = run_of(p);
  bool half = sn_bits(sn_element(sn_type_of(image_of(p)->value))) < 32, image = lies_as_image(p);
  if (work < least_work || run < LEAST_RUN || (!reads && of < LANES))
    return false;
  SnPadding padding;
  int64_t padded = sn_read_padding(f, image_of(p), &padding), width = half ? 2 * LANES : LANES,
          turned = sn_num_elements(sn_type_of(image_of(p)->value)) + sn_num_elements(sn_type_of(weights_of(p)->value)) +
                   work / summed;
  double multiplied = (double)work * (half ? MULTIPLIED / 2 : MULTIPLIED),
         empty = (double)(sn_pieces(run, width) * width) / (double)run - 1 + (half ? 0 : along),
         before = (double)copied * COPIED + (double)(copied / (image ? columns : line)) * (image ? IMAGE : PIECE),
         windows = reads ? (double)padded * PADDED + multiplied * empty
                         : (double)copied * COPIED + (double)(copied / run) * PIECE,
         after = (double)turned * TURNED + FORMS + windows;
  return before - after > (before + multiplied) / GAIN;
}

static bool plan(Plan *p) {
  const SnForm *f = &p->f;
  return f->products.size == 1 && sn_is_plain(f) && !f->schedule.ptr && !f->indices.size && !f->accumulators.size &&
         !f->finish.ptr && f->num_cols > 0 && sn_num_results(f->op) > 0 && !sn_in_sequence(f->op) && is_static(f) &&
         find_sides(p) && find_order(p);
}

// ---- what is made ------------------------------------------------------------------------------------------------

static void shape_with_last(MlirType t, intptr_t at, int64_t *shape) {
  intptr_t rank = sn_rank(t), n = 0;
  for (intptr_t i = 0; i < rank; ++i)
    if (i != at)
      shape[n++] = sn_dim(t, i);
  shape[n] = sn_dim(t, at);
}

// The tensor with dimension `at` as its last one.
static MlirValue with_last(SnBuilder *b, MlirValue v, intptr_t at) {
  MlirType t = sn_type_of(v);
  intptr_t rank = sn_rank(t);
  int64_t three[] = {1, sn_dim(t, at), 1}, shape[SN_MAX_DIMS];
  for (intptr_t i = 0; i < rank; ++i)
    three[i < at ? 0 : 2] *= i == at ? 1 : sn_dim(t, i);
  shape_with_last(t, at, shape);
  if (at == rank - 1)
    return v;
  MlirValue last = three[2] == 1 ? v : sn_turned(b, sn_with_shape(b, v, 3, three), sn_element(t));
  return sn_with_shape(b, last, rank, shape);
}

// What the new product reads of a side: `value` is the side's with its channel last.
static SnAccess side(const Plan *p, size_t k, MlirValue value) {
  SnAccess a = p->f.inputs.data[k];
  MlirContext ctx = mlirAffineMapGetContext(a.map);
  MlirAffineExpr dims[SN_MAX_DIMS], e[SN_MAX_DIMS];
  intptr_t n = 0, rank = mlirAffineMapGetNumResults(a.map), at = p->at[k != p->image], all = (intptr_t)p->f.dims.size;
  for (intptr_t i = 0; i < all; ++i)
    dims[p->order[i]] = mlirAffineDimExprGet(ctx, i);
  a.value = value;
  a.map = sn_map_replace(a.map, all, dims);
  for (intptr_t i = 0; i < rank; ++i)
    if (i != at)
      e[n++] = mlirAffineMapGetResult(a.map, i);
  e[n] = mlirAffineMapGetResult(a.map, at);
  a.map = mlirAffineMapGet(ctx, all, 0, rank, e);
  return a;
}

// The sums of the new product, [its rows, its columns].
static MlirOperation multiplied(SnBuilder *b, const Plan *p, SnAccess image, SnAccess weights) {
  const SnForm *f = &p->f;
  SnForm to = {.contract = true, .num_rows = p->num_rows, .num_cols = p->num_cols};
  MlirAffineExpr e[SN_MAX_DIMS];
  int64_t shape[SN_MAX_DIMS], rank = p->num_rows + p->num_cols;
  for (intptr_t i = 0; i < (intptr_t)f->dims.size; ++i) {
    sn_push(&to.dims, f->dims.data[p->order[i]]);
    e[i] = mlirAffineDimExprGet(b->ctx, i);
    shape[i] = f->dims.data[p->order[i]].size;
  }
  sn_push(&to.products, f->products.data[0]);
  sn_push(&to.inputs, image);
  sn_push(&to.inputs, weights);
  MlirType t = sn_tensor(f->products.data[0].type, rank, shape);
  sn_push(&to.outputs, ((SnAccess){.value = sn(b, "tensor.empty", sn_values(0, NULL), t),
                                   .map = mlirAffineMapGet(b->ctx, (intptr_t)f->dims.size, 0, rank, e)}));
  MlirOperation made = sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  sn_op(&in, "sinter.yield", sn_product_argument(&to, 0), sn_types(0, NULL));
  sn_form_free(&to);
  return made;
}

// The kernel of such a product would read windows where they lie, once what is beyond the edges is there: it is made of
// tensors that nobody wrote, to ask.
static bool would_read_windows(const Plan *p, const SnScheduleOptions *options) {
  SnBuilder b = sn_before(p->f.op);
  SnAccess sides[2];
  for (int k = 0; k < 2; ++k) {
    size_t from = k ? p->weights : p->image;
    MlirType t = sn_type_of(p->f.inputs.data[from].value);
    int64_t shape[SN_MAX_DIMS];
    shape_with_last(t, p->at[k], shape);
    MlirValue none = sn(&b, "tensor.empty", sn_values(0, NULL), sn_tensor(sn_element(t), sn_rank(t), shape));
    sides[k] = side(p, from, none);
    sides[k].fill = mlirAttributeGetNull();
  }
  MlirOperation asked = multiplied(&b, p, sides[0], sides[1]), to = sn_definer(sn_operand(asked, 2));
  SnForm f = sn_form_read(asked);
  bool reads = sn_schedule_reads_windows(&f, options);
  sn_form_free(&f);
  mlirOperationDestroy(asked);
  mlirOperationDestroy(to);
  for (int k = 0; k < 2; ++k)
    mlirOperationDestroy(sn_definer(sides[k].value));
  return reads;
}

// The row program, on them.
static void rewrite(const Plan *p) {
  const SnForm *f = &p->f;
  SnBuilder b = sn_before(f->op);
  int64_t rank = f->num_rows + f->num_cols;
  SnForm to = {.num_rows = f->num_rows, .num_cols = f->num_cols};
  MlirAffineExpr e[SN_MAX_DIMS], own[SN_MAX_DIMS];
  for (intptr_t d = 0; d < (intptr_t)f->dims.size; ++d)
    own[d] = d < rank ? mlirAffineDimExprGet(b.ctx, d) : mlirAffineConstantExprGet(b.ctx, 0);
  for (intptr_t i = 0; i < rank; ++i) {
    sn_push(&to.dims, f->dims.data[i]);
    e[i] = mlirAffineDimExprGet(b.ctx, p->order[i]);
  }
  SnAccess image = side(p, p->image, with_last(&b, image_of(p)->value, p->at[0])),
           weights = side(p, p->weights, with_last(&b, weights_of(p)->value, p->at[1]));
  sn_push(&to.inputs, ((SnAccess){.value = sn_result(multiplied(&b, p, image, weights), 0),
                                  .map = mlirAffineMapGet(b.ctx, rank, 0, rank, e)}));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k) {
    SnAccess a = f->inputs.data[k];
    a.map = sn_map_replace(a.map, rank, own);
    sn_push(&to.inputs, a);
  }
  for (size_t k = 0; k < f->outputs.size; ++k) {
    SnAccess a = f->outputs.data[k];
    a.map = sn_map_replace(a.map, rank, own);
    sn_push(&to.outputs, a);
  }
  MlirOperation made = sn_form_create(&b, &to, false);
  SnMap map = {0};
  sn_map(&map, sn_product_argument(f, 0), sn_input_argument(&to, 0));
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    sn_map(&map, sn_input_argument(f, k), sn_input_argument(&to, k - sn_first_input(f) + 1));
  SnBuilder in = sn_at_end(to.body, b.loc);
  sn_copy_block(&in, f->body, &map);
  sn_map_free(&map);
  sn_replace_results(f->op, made);
  mlirOperationDestroy(f->op);
  sn_form_free(&to);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  const SnAhead *options = user;
  SnOpVec forms = sn_collect(func, "sinter.contract");
  for (size_t k = 0; k < forms.size; ++k) {
    Plan p = {.f = sn_form_read(forms.data[k])};
    if (plan(&p) && ((pays(&p, options->least_work, true) && would_read_windows(&p, &options->schedule)) ||
                     pays(&p, options->least_work, false)))
      rewrite(&p);
    sn_form_free(&p.f);
  }
  sn_vec_free(&forms);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation root) { return sn_run_ahead(run, root, function); }

MlirDialectHandle mlirGetDialectHandle__sinter__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__sinter__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_channels_last = {
    .argument = "sinter-channels-last",
    .summary = "windows of an image that would be copied line by line -> those of one whose channels are last",
    .options = sn_ahead_options,
    .options_size = sizeof(SnAhead),
    .dialects = dialects,
    .run = run,
};
