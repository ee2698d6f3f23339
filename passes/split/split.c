// split.c: a form of several products becomes plain forms, one for each of them.
//
//   contract (i) by (j) by (e) product (k) (x, w)         %p = contract (i) by (j) product (k) (x, w)
//     matrix (j) to (e) (v)                                    { tanh }                       -> [i, j]
//     { %u = row_product (tanh %acc), %v  ... }      ->   %o = contract (i) by (e) product (j) (%p, v)
//                                                              { ... }                        -> [i, e]
//
// Each *piece* computes rows of one group of columns. An operation stands in the first piece in which all that it
// needs is known: behind a row_product one later, and behind another one a scalar that comes from rows of another
// group. What only inputs make is computed again wherever it is read; any other value that a later piece reads is
// stored, a row or one number for each row. A product is computed in the first piece that reads it.
//
// So every form runs wherever its pieces do.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/split/split.mlir

#include "dialect/sequence.h"
#include "lowering/facts/cpu_forms.h"
#include "lowering/facts/gpu_chains.h"
#include "lowering/facts/gpu_layers.h"
#include "lowering/facts/gpu_streams.h"
#include "lowering/facts/product_sides.h"
#include "passes/split/pieces.h"
#include "target/chips.h"
#include <stdlib.h>

// ---- what a target runs as one kernel ---------------------------------------------------------------------

#define PARTED "it has few tiles, and in a shared launch its columns are in parts, a tile each"
enum { MANY_TILES = 128, TILE_ROWS = 16 }; // that keep a GPU busy; of the smallest tile

// Fewer tiles of rows that are multiplied again than a GPU has multiprocessors, and more columns than one step of a
// tile takes.
static bool has_few_tiles(const SnForm *f) {
  SnGpuPoints points = sn_gpu_chain_points(f);
  int64_t length = sn_group_length(f, 0);
  if (length != SN_DYNAMIC && length <= SN_PART_COLUMNS)
    return false;
  int64_t rows = sn_gpu_dims_size(f, &points.rows), batch = sn_gpu_dims_size(f, &points.batch);
  return rows != SN_DYNAMIC && batch != SN_DYNAMIC && sn_times(batch, sn_pieces(rows, TILE_ROWS)) < MANY_TILES;
}

// Rows that are made a block of columns at a time stay. Those that go through their products whole could, and are
// slower so (bench/results/gpu_layers.md): such a kernel is one for who writes its schedule.
static const char *why_cut_on_gpu(const SnForm *f, SnSplit how) {
  if (!how.one_launch && sn_gpu_streams_few(f))
    return NULL;
  const char *chain =
                 how.one_launch ? sn_gpu_not_chain_by_warps(f, how.parts_from) : sn_gpu_not_chain_in(f, how.parts_from),
             *layers = chain ? sn_gpu_not_layers(f) : NULL;
  if (chain && !layers)
    return "its products are faster one by one; a schedule keeps it whole";
  if (!chain && how.one_launch && has_few_tiles(f))
    return "it has few tiles, and in a shared launch blocks do not share a tile's columns";
  return chain && sn_num_groups(f) > 2 ? layers : chain;
}

// Why not this form, which is of several groups; NULL if it does. A CPU runs programs of sides.
static const char *why_cut(const SnForm *f, SnSplit how) {
  if (!how.target || !*how.target)
    return "";
  if (!strcmp(how.target, "gpu"))
    return why_cut_on_gpu(f, how);
  if (!sn_cpu_can_run_chain(f))
    return "a CPU's kernel does not multiply these rows again";
  if (sn_cpu_packs_chain(f))
    return "its weights lie packed for products of their own, and each block of rows would pack them again";
  if (sn_cpu_multiplies_much(f))
    return "it multiplies so much that storing its rows is nothing, and each block would pack all of its matrices";
  return sn_cpu_runs_chain(f) ? NULL : "blocks of its rows would leave a core's cache, or be too few for all threads";
}

// ---- one form ---------------------------------------------------------------------------------------------

static bool has_programs_to_split(const SnCut *s) { return !s->how.keep_sides && sn_any_program(&s->f); }

// Pieces in order of their stage; their results take the place of the form's.
static bool split_body(SnCut *s) {
  SnForm *f = &s->f;
  SnTotals totals = {0};
  s->done = sn_alloc(f->outputs.size + 1);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    sn_push(&totals, ((MlirValue){0}));
  sn_plan_pieces(s);
  for (int64_t stage = 0; stage < s->stages; ++stage)
    for (size_t g = 0; g < sn_num_groups(f); ++g) {
      SnPiece p = {.s = s, .stage = stage, .group = (int64_t)g};
      if (sn_plan_piece(&p))
        sn_emit_piece(&p, &totals);
      sn_free_piece(&p);
    }
  bool finished = true;
  for (size_t k = 0; k < f->outputs.size; ++k)
    finished &= !sn_is_reduced(f, k) || s->done[k];
  bool ok = finished || sn_finish_form(s, &totals);
  free(s->done);
  sn_vec_free(&totals);
  return ok;
}

// Cuts s.f, which has something to cut.
bool sn_cut(SnCut *s) {
  SnForm *f = &s->f;
  int64_t one, other;
  for (size_t i = 0; i < sn_num_sides(f); ++i)
    if ((sn_side(f, i).program.ptr && !s->how.keep_sides) || !sn_side_uses_all(f, i, sn_side_summed(f, i)))
      sn_store_side(s, i);
  sn_separate_loose(f, false);
  sn_row_groups(f, false, &s->groups, &one, &other);
  s->finish_group = f->finish.ptr ? sn_group_of_finish(f) : SN_NO_GROUP;
  sn_place_values(s);
  bool ok = split_body(s);
  sn_row_groups_free(&s->groups);
  sn_free_plan(s);
  sn_form_free(f);
  return ok;
}

// What a piece keeps of why it was cut, for --explain; null if it does not.
static MlirAttribute cut_of(MlirContext ctx, SnSplit how, const char *why) {
  MlirAttribute cut[] = {sn_i64(ctx, how.number), sn_string(ctx, why)};
  return how.reasons ? mlirArrayAttrGet(ctx, 2, cut) : mlirAttributeGetNull();
}

// Index tensors that only what was stored has read are none of the form's any more.
static void keep_own_indices(SnForm *f) {
  SnForm was = {.indices = f->indices};
  memset(&f->indices, 0, sizeof f->indices);
  for (size_t k = 0; k < f->inputs.size; ++k)
    f->inputs.data[k] = sn_with_own_indices(&was, f->inputs.data[k], f);
  for (size_t k = 0; k < f->outputs.size; ++k)
    f->outputs.data[k] = sn_with_own_indices(&was, f->outputs.data[k], f);
  sn_vec_free(&was.indices);
}

// A form that is one kernel of a GPU but for sides that are computed (a rotation of q and k): those are stored, and it
// stays one. s.f is gone then.
static bool stores_sides_alone(SnCut *s, MlirOperation form) {
  bool gpu = s->how.target && !strcmp(s->how.target, "gpu");
  if (!gpu || !s->f.matrices.size || !sn_any_program(&s->f) || sn_gpu_not_chain_of_stored(&s->f, s->how.parts_from) ||
      (s->how.one_launch && (has_few_tiles(&s->f) || !sn_gpu_not_chain_by_warps(&s->f, s->how.parts_from))))
    return false;
  SnForm from = sn_form_read(form);
  for (size_t i = 0; i < sn_num_sides(&s->f); ++i)
    if (sn_side(&s->f, i).program.ptr)
      sn_store_side(s, i);
  keep_own_indices(&s->f);
  sn_with_other_sides(&s->b, &from, &s->f);
  sn_form_free(&from);
  sn_form_free(&s->f);
  mlirOperationDestroy(form);
  return true;
}

// Rows so few that its pieces may multiply what programs make of weights: these stay until pieces are split themselves.
static bool may_stream_pieces(const SnForm *f, SnSplit how) {
  int64_t rows = sn_num_rows(f);
  return how.target && !strcmp(how.target, "gpu") && !how.one_launch && rows != SN_DYNAMIC &&
         rows <= SN_GPU_STREAM_FEW_ROWS;
}

// In a shared launch, of few tiles.
static bool has_parts(MlirOperation form, SnSplit how) {
  if (!how.target || strcmp(how.target, "gpu") || !how.one_launch)
    return false;
  SnForm f = sn_form_read(form);
  bool has = !sn_gpu_not_chain_of_stored(&f, how.parts_from) && has_few_tiles(&f);
  sn_form_free(&f);
  return has && sn_part_columns(form, how, cut_of(mlirOperationGetContext(form), how, PARTED));
}

bool sn_split_form(MlirOperation form, SnSplit how) {
  if (has_parts(form, how))
    return true;
  SnCut s = {.f = sn_form_read(form), .how = how, .b = sn_before(form), .stages = 1};
  if (stores_sides_alone(&s, form))
    return true;
  bool several = s.f.groups.size > 1 || s.f.matrices.size;
  const char *why = several || has_programs_to_split(&s) ? why_cut(&s.f, how) : NULL;
  if (!why) {
    sn_form_free(&s.f);
    return true;
  }
  int64_t few = several && how.target && !strcmp(how.target, "cpu") ? sn_few_as_one(form) : 0;
  if (few) {
    sn_form_free(&s.f);
    form = sn_branch_by_size(form, few);
    s.f = sn_form_read(form);
    s.b = sn_before(form);
  }
  s.cut = cut_of(s.b.ctx, how, why);
  s.how.keep_sides |= several && may_stream_pieces(&s.f, how);
  bool ok = sn_cut(&s);
  if (ok)
    mlirOperationDestroy(form);
  return ok;
}

bool sn_split_pieces(MlirOperation form, SnCrossing *crossing) {
  SnCut s = {
      .f = sn_form_read(form), .how = {.keep_sides = true}, .crossing = crossing, .b = sn_before(form), .stages = 1};
  return sn_cut(&s);
}

enum { STREAMED_COLUMNS = 512 };

// A product, as it would be stored, has so many bytes; of f32's sides four times as many: a tile of theirs that has a
// piece's 128 columns leaves more multiprocessors without one than tiles of any width (an H200, 1056 x 1216 of 208 in
// f32: 36.5 us in pieces, 26.6 stored).
static bool is_large(const SnForm *f, int64_t bytes) {
  enum { OF_F32 = 4 };
  bool f32 = true;
  for (size_t side = 0; side < 2 * f->products.size; ++side)
    f32 &= mlirTypeIsAF32(sn_side_element(f, side));
  bytes = f32 ? sn_times(bytes, OF_F32) : bytes;
  int64_t rows = sn_num_rows(f), length = sn_row_length(f), all = 0;
  for (size_t p = 0; p < f->products.size && rows != SN_DYNAMIC && length != SN_DYNAMIC; ++p)
    all += sn_times(sn_times(rows, length), (int64_t)sn_bits(f->products.data[p].type) / 8);
  return rows == SN_DYNAMIC || length == SN_DYNAMIC || all >= bytes;
}

// Rows that are nothing but reduced need not be in memory.
static const char *parts_on_gpu(const SnForm *f, const SnSplit *how) {
  bool of_body;
  return sn_gpu_not_products(f) && is_large(f, how->stored) && !sn_not_in_parts(f, &of_body)
             ? "its rows are reduced a tile's columns at a time, and never stored"
             : NULL;
}

// Why a GPU does not make the products of a plain contract in one kernel with its rows: that has a tile of each row.
static const char *not_on_gpu(const SnForm *f, const SnSplit *how) {
  bool of_body = false;
  const char *why = sn_gpu_not_products(f), *not_in_parts = why ? sn_not_in_parts(f, &of_body) : NULL;
  return of_body ? not_in_parts : why;
}

// The same of a CPU, whose kernel has rows that come from one side and columns from the other.
static const char *not_on_cpu(const SnForm *f, const SnSplit *how) {
  for (size_t p = 0; p < f->products.size; ++p)
    if (sn_has_one_group(f) && !f->matrices.size && !sn_cpu_has_side_of_rows(f, p))
      return "a CPU's kernel multiplies rows by columns, and both sides use columns";
  return NULL;
}

// Contracts whose products the target makes apart.
static void split_products(MlirOperation func, SnSplit how, const char *(*why)(const SnForm *f, const SnSplit *how),
                           void (*store)(MlirOperation contract, MlirAttribute cut)) {
  SnOpVec forms = sn_collect(func, "sinter.contract");
  for (size_t k = 0; k < forms.size; ++k) {
    SnForm f = sn_form_read(forms.data[k]);
    bool may = sn_num_results(f.op) && !f.schedule.ptr && !f.matrices.size && !sn_in_sequence(f.op);
    const char *apart = may ? why(&f, &how) : NULL;
    sn_form_free(&f);
    if (apart)
      store(forms.data[k], cut_of(mlirOperationGetContext(func), how, apart));
    ++how.number;
  }
  sn_vec_free(&forms);
}

// Rows that are too large to be stored are made again in parts.
static void make_again(MlirOperation func, SnSplit how) {
  for (bool changed = true; changed;) { // one may take others with it, that read what it stored
    SnOpVec forms = sn_collect(func, "sinter.contract");
    changed = false;
    for (size_t k = 0; k < forms.size && !changed; ++k) {
      SnForm f = sn_form_read(forms.data[k]);
      bool may = sn_num_results(f.op) && !f.schedule.ptr && f.contract && sn_is_plain(&f) && sn_gpu_not_products(&f);
      sn_form_free(&f);
      changed = may && sn_make_again(forms.data[k], how.again,
                                     cut_of(mlirOperationGetContext(func), how,
                                            "its rows are too large to be stored, and made again in parts"));
    }
    how.number += changed;
    sn_vec_free(&forms);
  }
}

// What a GPU had better sum row by row, while programs of sides are there. One row by many columns of weights that a
// program makes is no such: rows of eight bits or less come by small vectors (an H200, 1 x 14336 x 4096: i4 44 us, and
// 19 as they lie).
static const char *few_on_gpu(const SnForm *f, const SnSplit *how) {
  if (!how->one_launch && sn_any_program(f) && sn_row_length(f) >= STREAMED_COLUMNS && sn_gpu_streams_few(f))
    return NULL;
  return sn_has_few_sums(f) ? "a GPU's tiles of products would be almost empty: each sum is a row's" : NULL;
}

MlirLogicalResult sn_split_forms(MlirOperation func, SnSplit how) {
  static const char *const names[] = {"sinter.rowwise", "sinter.contract", "sinter.contract"};
  bool ok = true;
  if (how.target && !strcmp(how.target, "gpu"))
    split_products(func, how, few_on_gpu, sn_sum_by_rows);
  // Contracts again on a GPU: pieces of them may have programs of sides, which some keep.
  int passes = how.target && !strcmp(how.target, "gpu") ? 3 : 2;
  for (int i = 0; i < passes; ++i) {
    SnOpVec forms = sn_collect(func, names[i]);
    for (size_t k = 0; k < forms.size && ok; ++k)
      // A form on memrefs is a kernel already, one that has a schedule is for a target that runs it, and a sequence has
      // the forms that its phases count.
      if (sn_num_results(forms.data[k]) && !sn_get_attr(forms.data[k], "schedule").ptr &&
          !sn_in_sequence(forms.data[k])) {
        ok = sn_split_form(forms.data[k], how);
        ++how.number;
      }
    sn_vec_free(&forms);
  }
  if (ok && how.target && !strcmp(how.target, "gpu")) {
    if (!how.one_launch)
      make_again(func, how);
    split_products(func, how, parts_on_gpu, sn_reduce_in_parts);
    split_products(func, how, not_on_gpu, sn_store_products);
  }
  if (ok && how.target && !strcmp(how.target, "cpu"))
    split_products(func, how, not_on_cpu, sn_store_products_by_rows);
  return ok ? SN_OK : SN_FAIL;
}

// ---- the pass ------------------------------------------------------------------------------------------------

typedef struct {
  bool keep_sides, reasons, f32_parts;
  const char *target, *launches, *again;
  int64_t stored, parts_from;
} Options;
static const char *const launches[] = {"given", "separate", "one", "worth", NULL};
static const char *const targets[] = {"", "cpu", "gpu", NULL};
static const SnOption options[] = {
    {SN_OPTION_BOOL, "keep-sides", "leave the programs of sides where they are", "false", NULL,
     offsetof(Options, keep_sides)},
    {SN_OPTION_STRING, "target",
     "cpu, gpu: cut what that cannot run as one kernel, or had better not; empty: cut all there is", "", targets,
     offsetof(Options, target)},
    {SN_OPTION_STRING, "launches",
     "of a GPU's kernels, as of sinter-sequence: few tiles are cut where launches are shared", "given", launches,
     offsetof(Options, launches)},
    {SN_OPTION_INT, "stored", "bytes of a product from which on a GPU reduces its rows in its tiles, and stores none",
     SN_GPU_STORED_DEFAULT, NULL, offsetof(Options, stored)},
    {SN_OPTION_STRING, "again",
     "bytes of a product, and of what is made of its rows, from which on a GPU makes them again in parts, and stores "
     "none",
     SN_GPU_AGAIN_DEFAULT, NULL, offsetof(Options, again)},
    {SN_OPTION_BOOL, "f32-parts", "a GPU's products in f32 may take sides as sums of three bf16", "false", NULL,
     offsetof(Options, f32_parts)},
    {SN_OPTION_INT, "parts-from",
     "bytes of products in f32 from which on rows that are multiplied again are multiplied so, and never stored",
     SN_GPU_PARTS_FROM_DEFAULT, NULL, offsetof(Options, parts_from)},
    {SN_OPTION_BOOL, "reasons", "what is cut keeps why, for sinter-explain", "false", NULL, offsetof(Options, reasons)},
    {0},
};

static MlirLogicalResult split_function(MlirOperation func, void *user) {
  return sn_split_forms(func, *(const SnSplit *)user);
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  char *end;
  int64_t again = strtoll(o->again, &end, 10);
  if (!*o->again || *end)
    return sn_error(op, "again=%s is not a number of bytes", o->again);
  bool cpu = !strcmp(o->target, "cpu"); // it computes sides while it packs them
  SnSplit how = {.keep_sides = o->keep_sides || cpu,
                 .target = o->target,
                 .reasons = o->reasons,
                 .parts_from = o->f32_parts ? 0 : o->parts_from,
                 .stored = o->stored,
                 .again = again,
                 .one_launch = !strcmp(o->launches, "one")};
  return sn_each_function(op, split_function, &how);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__bufferization__(void);
MlirDialectHandle mlirGetDialectHandle__memref__(void);
MlirDialectHandle mlirGetDialectHandle__scf__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {
    mlirGetDialectHandle__arith__, mlirGetDialectHandle__bufferization__, mlirGetDialectHandle__memref__,
    mlirGetDialectHandle__scf__,   mlirGetDialectHandle__tensor__,        NULL};

const SnPass sn_pass_split = {
    .argument = "sinter-split",
    .summary = "a form of several products -> plain forms, one for each",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
