// parted_rows.c: rows of sums that one form reads in parts are computed by that form.
//
//   %q = rowwise (j = 4096) by (k = 1024) { sum(%h[k] * %w[k, j]) }
//   %y = rowwise (i = 1024) by () ins(%q[i], %q[i + 1024], %q[i + 2048], %q[i + 3072])
// ->
//   %y = rowwise (i = 1024) by (k = 1024) ins(%h[k], %w[k, i], %w[k, i + 1024], ...), a sum for each part
//
// The gates of a recurrent network: each is a part of one product's row. Parts do not overlap, so nothing is computed
// twice. Who waited for all of %q waits for nothing now, and a turn of the loop has a phase less.
//
// There are fewer rows, of more each. In a loop of a launch threads keep in registers what does not change with the
// turn (the schedule's `held`), if those of all multiprocessors have room for it: it is done there alone.
//
// runs in: sinter-gpu    test: test/passes/arrange/parted_rows.mlir

#include "dialect/sequence.h"
#include "lowering/facts/gpu_forms.h"
#include "passes/arrange/arrange.h"
#include "target/chips.h"

enum { MOST_PARTS = 8, MOST_INPUTS = 32 };

typedef struct {
  SnForm made, read;                   // who makes %q, and who reads it
  size_t reads[MOST_PARTS], num_reads; // inputs of the reader
} Parts;

static bool is_plain(const SnForm *f) {
  bool plain = sn_is_plain(f) && !f->contract && !f->schedule.ptr && !f->accumulators.size && !f->indices.size &&
               !sn_form_asserts(f) && !sn_names_dims(f->body);
  for (size_t d = 0; d < f->dims.size; ++d)
    plain &= f->dims.data[d].size != SN_DYNAMIC;
  for (size_t k = 0; k < f->inputs.size; ++k)
    plain &= !f->inputs.data[k].fill.ptr && !sn_is_table(&f->inputs.data[k]);
  return plain;
}

// A number for each row, at its place.
static bool is_made_by_rows(const SnForm *f) {
  MlirAffineMap map = f->outputs.data[0].map;
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(map); ++i)
    if (sn_map_dim(map, i) >= f->num_rows ||
        (sn_map_dim(map, i) < 0 && !mlirAffineExprIsAConstant(mlirAffineMapGetResult(map, i))))
      return false;
  return true;
}

// Its places at subscript i are d, or d + 1024: from `from` up to `to`.
static bool places_of(const SnForm *f, const SnAccess *a, intptr_t i, int64_t *from, int64_t *to) {
  MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
  *from = 0;
  if (mlirAffineExprIsAAdd(e) && mlirAffineExprIsAConstant(mlirAffineBinaryOpExprGetRHS(e))) {
    *from = mlirAffineConstantExprGetValue(mlirAffineBinaryOpExprGetRHS(e));
    e = mlirAffineBinaryOpExprGetLHS(e);
  }
  if (mlirAffineExprIsAConstant(e))
    *from += mlirAffineConstantExprGetValue(e);
  *to = *from + (mlirAffineExprIsADim(e) ? f->dims.data[mlirAffineDimExprGetPosition(e)].size : 1);
  return mlirAffineExprIsAConstant(e) || mlirAffineExprIsADim(e);
}

static bool overlap(const SnForm *f, const SnAccess *a, const SnAccess *b) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i) {
    int64_t from[2], to[2];
    if (places_of(f, a, i, &from[0], &to[0]) && places_of(f, b, i, &from[1], &to[1]) &&
        (to[0] <= from[1] || to[1] <= from[0]))
      return false;
  }
  return true;
}

// Each row of the reader has numbers of its own of it.
static bool reads_in_parts(Parts *p, MlirValue q) {
  for (size_t k = 0; k < p->read.inputs.size; ++k)
    if (sn_same(p->read.inputs.data[k].value, q)) {
      if (p->num_reads == MOST_PARTS)
        return false;
      for (int64_t d = 0; d < p->read.num_rows; ++d)
        if (p->read.dims.data[d].size != 1 && !sn_map_uses(p->read.inputs.data[k].map, d))
          return false;
      p->reads[p->num_reads++] = k;
    }
  for (size_t i = 0; i < p->num_reads; ++i)
    for (size_t k = 0; k < i; ++k)
      if (overlap(&p->read, &p->read.inputs.data[p->reads[k]], &p->read.inputs.data[p->reads[i]]))
        return false;
  return p->num_reads > 1;
}

static bool reads_alone(MlirValue q, MlirOperation reader) {
  for (MlirOpOperand use = mlirValueGetFirstUse(q); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!mlirOperationEqual(mlirOpOperandGetOwner(use), reader))
      return false;
  return true;
}

static bool fits(Parts *p) {
  MlirValue q = sn_result(p->made.op, 0);
  return is_plain(&p->made) && p->made.num_cols && p->made.outputs.size == 1 && is_made_by_rows(&p->made) &&
         is_plain(&p->read) && !p->read.num_cols && p->read.dims.size + (size_t)p->made.num_cols <= SN_MAX_DIMS &&
         mlirBlockEqual(mlirOperationGetBlock(p->made.op), mlirOperationGetBlock(p->read.op)) &&
         reads_alone(q, p->read.op) && reads_in_parts(p, q);
}

// What makes %q reads it, for the place where the reader reads. Its columns are the last dimensions.
static SnAccess access_of(const Parts *p, SnAccess a, size_t read, MlirContext ctx) {
  MlirAffineExpr exprs[SN_MAX_DIMS];
  MlirAffineMap written = p->made.outputs.data[0].map, at = p->read.inputs.data[read].map;
  intptr_t n = (intptr_t)p->read.dims.size + p->made.num_cols;
  for (intptr_t d = 0; d < (intptr_t)p->made.dims.size; ++d)
    exprs[d] = d < p->made.num_rows ? mlirAffineConstantExprGet(ctx, 0)
                                    : mlirAffineDimExprGet(ctx, (intptr_t)p->read.dims.size + d - p->made.num_rows);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(written); ++i)
    if (sn_map_dim(written, i) >= 0)
      exprs[sn_map_dim(written, i)] = mlirAffineMapGetResult(at, i);
  a.map = sn_map_replace(a.map, n, exprs);
  return a;
}

// The number of the new form's input; equal ones are one.
static size_t input_of(SnForm *to, SnAccess a) {
  for (size_t k = 0; k < to->inputs.size; ++k)
    if (sn_same(to->inputs.data[k].value, a.value) && mlirAffineMapEqual(to->inputs.data[k].map, a.map))
      return k;
  sn_push(&to->inputs, a);
  return to->inputs.size - 1;
}

// The reader's rows, and the columns of what it reads.
static SnForm dims_of(const Parts *p, MlirContext ctx) {
  SnForm to = {.num_rows = p->read.num_rows, .num_cols = p->made.num_cols};
  for (size_t d = 0; d < p->read.dims.size; ++d)
    sn_push(&to.dims, p->read.dims.data[d]);
  for (int64_t d = p->made.num_rows; d < (int64_t)p->made.dims.size; ++d) {
    SnDim dim = p->made.dims.data[d];
    for (size_t k = 0; k < to.dims.size; ++k)
      if (mlirStringRefEqual(to.dims.data[k].name, dim.name))
        dim.name = sn_fresh_name(ctx, &to, "k");
    sn_push(&to.dims, dim);
  }
  return to;
}

static void join(const Parts *p) {
  SnBuilder b = sn_before(p->read.op);
  SnForm to = dims_of(p, b.ctx);
  MlirValue q = sn_result(p->made.op, 0);
  size_t made = p->made.inputs.size, numbers[MOST_PARTS * MOST_INPUTS], own[MOST_INPUTS];
  MlirAffineExpr same[SN_MAX_DIMS];
  SnMap map = {0};
  SnValueVec given = {0};
  for (size_t d = 0; d < p->read.dims.size; ++d)
    same[d] = mlirAffineDimExprGet(b.ctx, (intptr_t)d);
  for (size_t i = 0; i < p->num_reads; ++i)
    for (size_t k = 0; k < made; ++k)
      numbers[i * made + k] = input_of(&to, access_of(p, p->made.inputs.data[k], p->reads[i], b.ctx));
  for (size_t k = 0; k < p->read.inputs.size; ++k) {
    SnAccess a = p->read.inputs.data[k];
    a.map = sn_map_replace(a.map, (intptr_t)to.dims.size, same);
    own[k] = sn_same(a.value, q) ? SIZE_MAX : input_of(&to, a);
  }
  for (size_t k = 0; k < p->read.outputs.size; ++k) {
    SnAccess a = p->read.outputs.data[k];
    a.map = sn_map_replace(a.map, (intptr_t)to.dims.size, same);
    sn_push(&to.outputs, a);
  }
  MlirOperation form = sn_form_create(&b, &to, false);
  SnBuilder in = sn_at_end(to.body, b.loc);
  for (size_t k = 0; k < p->read.inputs.size; ++k)
    if (own[k] != SIZE_MAX)
      sn_map(&map, sn_input_argument(&p->read, k), sn_input_argument(&to, own[k]));
  for (size_t i = 0; i < p->num_reads; ++i) {
    SnMap part = {0};
    for (size_t k = 0; k < made; ++k)
      sn_map(&part, sn_input_argument(&p->made, k), sn_input_argument(&to, numbers[i * made + k]));
    sn_copy_ops(&in, p->made.body, &part);
    sn_map(&map, sn_input_argument(&p->read, p->reads[i]),
           sn_lookup(&part, sn_operand(mlirBlockGetTerminator(p->made.body), 0)));
    sn_map_free(&part);
  }
  sn_copy_ops(&in, p->read.body, &map);
  MlirOperation end = mlirBlockGetTerminator(p->read.body);
  for (intptr_t k = 0; k < sn_num_operands(end); ++k)
    sn_push(&given, sn_lookup(&map, sn_operand(end, k)));
  sn_op(&in, "sinter.yield", sn_values((intptr_t)given.size, given.data), sn_types(0, NULL));
  sn_replace_results(p->read.op, form);
  mlirOperationDestroy(p->read.op);
  mlirOperationDestroy(p->made.op);
  sn_map_free(&map);
  sn_vec_free(&given);
  sn_form_free(&to);
}

// What makes rows that this form alone reads, in parts, moves into it.
static void take_parts(MlirOperation reader, const SnGpuChip *chip) {
  bool joined = false;
  SnValueVec read = {0};
  for (intptr_t k = 0; k < sn_num_operands(reader) - sn_num_results(reader); ++k)
    sn_push(&read, sn_operand(reader, k));
  for (size_t k = 0; k < read.size && !joined; ++k) {
    if (!sn_is(sn_definer(read.data[k]), "sinter.rowwise"))
      continue;
    Parts p = {.made = sn_form_read(sn_definer(read.data[k])), .read = sn_form_read(reader)};
    joined = p.made.inputs.size <= MOST_INPUTS && p.read.inputs.size <= MOST_INPUTS && fits(&p) &&
             sn_gpu_has_room_to_hold(&p.made, chip->multiprocessors);
    if (joined)
      join(&p);
    sn_form_free(&p.made);
    sn_form_free(&p.read);
  }
  sn_vec_free(&read);
}

typedef struct {
  const char *chip, *launches;
} Options;
static const char *const launches[] = {"given", "separate", "one", "worth", NULL};
static const SnOption options[] = {
    {SN_OPTION_STRING, "chip", "the GPU's architecture", SN_GPU_CHIP_DEFAULT, NULL, offsetof(Options, chip)},
    {SN_OPTION_STRING, "launches",
     "as of sinter-sequence: nothing is held where each kernel has a launch of its own", "one", launches,
     offsetof(Options, launches)},
    {0},
};

static MlirLogicalResult function(MlirOperation func, void *user) {
  SnOpVec loops = sn_collect(func, "scf.for");
  for (size_t i = 0; i < loops.size; ++i) {
    SnSequenceLoop loop;
    MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(loops.data[i], 0));
    if (!sn_loop_read(loops.data[i], &loop) || loop.turns < 2)
      continue;
    for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !sn_null(op); op = next) {
      next = mlirOperationGetNextInBlock(op);
      if (sn_is(op, "sinter.rowwise") && sn_num_results(op) && !sn_in_sequence(op))
        take_parts(op, user);
    }
  }
  sn_vec_free(&loops);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  if (!sn_gpu_chip(o->chip))
    return sn_error(op, SN_GPU_CHIP_ERROR, o->chip);
  if (strcmp(o->launches, "one") != 0 && strcmp(o->launches, "worth") != 0)
    return SN_OK;
  return sn_each_function(op, function, (void *)sn_gpu_chip(o->chip));
}

MlirDialectHandle mlirGetDialectHandle__sinter__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__sinter__, NULL};

const SnPass sn_pass_parted_rows = {
    .argument = "sinter-parted-rows",
    .summary = "rows that a loop's form reads in parts -> computed by that form, a sum for each part",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
