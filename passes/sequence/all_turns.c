// all_turns.c: what turns of a loop multiply, and no turn makes, is multiplied for all turns at once.
//
//   scf.for %t = %c0 to %c100 ... {
//     %x = tensor.extract_slice %all[%t, 0] [1, 8] [1, 1] : tensor<100x8xf32> to tensor<8xf32>
//     %p = sinter.contract () by (j = 32) product (k = 8) (%x[k], %w[k, j])
// ->
//   %q = sinter.contract (t = 100) by (j = 32) product (k = 8) (%all[t, k], %w[k, j])
//   scf.for %t = %c0 to %c100 ... {
//     %p = tensor.extract_slice %q[%t, 0] [1, 32] [1, 1] : tensor<100x32xf32> to tensor<32xf32>
//
// So the weights of a recurrent network's inputs are read once, for rows that are many, and a step waits for one
// product less. What such a product needs and no turn makes goes with it: a bias that is broadcast, a norm. A product
// stays in its loop where a turn has many rows itself, where the results of all turns were large, or where the loop
// carries what it gives.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/sequence/all_turns.mlir

#include "dialect/sequence.h"
#include "passes/edit/edit.h"

enum {
  MANY_ROWS = 64,          // of a turn: its product reads weights as seldom as one of all turns
  MOST_BYTES = 1 << 28,    // of the results of all turns
};

typedef struct {
  SnSequenceLoop loop;
  MlirBlock body;
  SnOpVec forms;        // that no turn makes anything for, in order
  SN_VEC(bool) differs; // of each: what it gives is not the same in each turn
} Turns;

// ---- which ---------------------------------------------------------------------------------------

static bool is_outside(const Turns *t, MlirValue v) {
  MlirOperation op = sn_definer(v);
  MlirBlock block = sn_null(op) ? mlirBlockArgumentGetOwner(v) : mlirOperationGetBlock(op);
  return !mlirBlockEqual(block, t->body); // forms have no values of blocks in them
}

// One turn's part of a tensor from outside, with which of its dimensions that tensor has left: -1 where it is of
// size 1 and gone.
static bool is_part(const Turns *t, MlirOperation op, intptr_t *kept) {
  SnSlice slice;
  if (!sn_is(op, "tensor.extract_slice") || !sn_slice_read(op, &t->loop, &slice) || slice.size != 1 ||
      t->loop.from || t->loop.step != 1 || !is_outside(t, slice.whole))
    return false;
  MlirType whole = sn_type_of(slice.whole), part = sn_type_of(sn_result(op, 0));
  intptr_t left = sn_rank(part);
  if (sn_rank(whole) > SN_MAX_DIMS)
    return false;
  for (intptr_t d = sn_rank(whole); d-- > 0;) {
    int64_t size = d ? sn_dim(whole, d) : 1;
    bool same = left > 0 && sn_dim(part, left - 1) == size;
    kept[d] = same ? --left : -1;
    if (!same && size != 1)
      return false;
  }
  return !left;
}

static bool is_of(const Turns *t, MlirOperation op) {
  for (size_t i = 0; i < t->forms.size; ++i)
    if (mlirOperationEqual(t->forms.data[i], op))
      return true;
  return false;
}

static bool is_destination(const Turns *t, MlirValue v) {
  return is_outside(t, v) || !sn_null(sn_def(v, "tensor.empty"));
}

// What a loop carries, or puts into a part of something, is made by a form of the turn (sinter.sequence's Q9).
static bool is_read_alone(MlirOperation op) {
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(op, k)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (!sn_is_form(user) && !sn_is(user, "tensor.expand_shape") && !sn_is(user, "tensor.collapse_shape"))
        return false;
    }
  return true;
}

static bool fits(const Turns *t, MlirOperation op) {
  if (!sn_is_form(op) || !sn_num_results(op) || !is_read_alone(op))
    return false;
  SnForm f = sn_form_read(op);
  bool ok = sn_is_plain(&f) && !f.schedule.ptr && !sn_joins_rows(&f) && !f.indices.size && !sn_form_asserts(&f) &&
            f.dims.size + 1 <= SN_MAX_DIMS && !sn_names_dims(f.body);
  for (size_t d = 0; d < f.dims.size; ++d)
    ok &= f.dims.data[d].size != SN_DYNAMIC;
  for (size_t k = 0; k < f.inputs.size && ok; ++k) {
    MlirValue v = f.inputs.data[k].value;
    intptr_t kept[SN_MAX_DIMS];
    ok = mlirTypeIsARankedTensor(sn_type_of(v)) && !sn_is_table(&f.inputs.data[k]) &&
         (is_outside(t, v) || is_of(t, sn_definer(v)) || (!sn_null(sn_definer(v)) && is_part(t, sn_definer(v), kept)));
  }
  for (size_t k = 0; k < f.outputs.size && ok; ++k)
    ok = is_destination(t, f.outputs.data[k].value) &&
         mlirShapedTypeHasStaticShape(sn_type_of(f.outputs.data[k].value));
  sn_form_free(&f);
  return ok;
}

// It is not the same in each turn.
static bool turns(const Turns *t, MlirValue v) {
  MlirOperation op = sn_definer(v);
  if (is_outside(t, v))
    return false;
  for (size_t i = 0; i < t->forms.size && sn_is_form(op); ++i)
    if (mlirOperationEqual(t->forms.data[i], op))
      return t->differs.data[i];
  return true;
}

static void take_form(Turns *t, MlirOperation op) {
  bool differs = false;
  for (intptr_t k = 0; k < sn_num_operands(op) - sn_num_results(op); ++k)
    differs |= turns(t, sn_operand(op, k));
  sn_push(&t->forms, op);
  sn_push(&t->differs, differs);
}

static int64_t bytes_of_results(MlirOperation op) {
  int64_t bytes = 0;
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    MlirType t = sn_type_of(sn_result(op, k));
    int64_t of = mlirTypeIsAIndex(sn_element(t)) ? 8 : (sn_bits(sn_element(t)) + 7) / 8;
    for (intptr_t d = 0; d < sn_rank(t); ++d)
      of = sn_times(of, sn_dim(t, d));
    bytes += of;
  }
  return bytes;
}

static bool is_arithmetic(MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return sn_num_results(op) == 1 && (!strncmp(name.data, "arith.", 6) || !strncmp(name.data, "math.", 5));
}

// A row that is multiplied by a matrix, read as a sum for each column: the sum; null: it is none.
static MlirOperation sum_of(const SnForm *f, size_t sides[2]) {
  MlirOperation sum = {0};
  if (f->contract || !f->num_cols || !f->num_rows)
    return sum;
  for (MlirOperation op = mlirBlockGetFirstOperation(f->body); !sn_null(mlirOperationGetNextInBlock(op));
       op = mlirOperationGetNextInBlock(op)) {
    if (sn_is_reduce(op, "add") && sn_null(sum))
      sum = op;
    else if (!is_arithmetic(op))
      return (MlirOperation){0};
  }
  if (sn_null(sum) || !sn_is_float(sn_type_of(sn_result(sum, 0))))
    return (MlirOperation){0};
  MlirOperation times = sn_definer(sn_operand(sum, 0));
  bool ok = sn_is(times, "arith.mulf") && sn_one_use(sn_result(times, 0)) &&
            mlirTypeEqual(sn_element(sn_type_of(sn_result(times, 0))), sn_type_of(sn_result(sum, 0)));
  for (size_t s = 0; s < 2 && ok; ++s) {
    MlirValue side = sn_operand(times, (intptr_t)s);
    if (!sn_null(sn_def(side, "arith.extf")) && sn_one_use(side))
      side = sn_operand(sn_definer(side), 0); // a product widens its sides
    ok = mlirValueIsABlockArgument(side) && sn_one_use(side);
    sides[s] = ok ? (size_t)mlirBlockArgumentGetArgNumber(side) : 0;
  }
  for (size_t k = 0; k < f->inputs.size && ok; ++k)
    ok = (k == sides[0] || k == sides[1]) == sn_uses_cols(f, f->inputs.data[k].map) && !f->inputs.data[k].fill.ptr;
  for (size_t k = 0; k < f->outputs.size; ++k)
    ok &= !sn_uses_cols(f, f->outputs.data[k].map);
  return ok ? sum : (MlirOperation){0};
}

// A product of few rows that differ by turns, by what does not; read as sums, of one row.
static bool is_worth(const Turns *t, MlirOperation op) {
  SnForm f = sn_form_read(op);
  size_t sides[2] = {0, 1};
  bool sums = !sn_null(sum_of(&f, sides)), same[2];
  bool worth = sums || (f.contract && f.products.size == 1 && sn_num_rows(&f) < MANY_ROWS);
  worth &= sn_times(bytes_of_results(op), t->loop.turns) <= MOST_BYTES;
  for (size_t s = 0; s < 2 && worth; ++s) {
    const SnAccess *a = &f.inputs.data[sides[s]];
    same[s] = !turns(t, a->value);
    for (int64_t d = 0; d < f.num_rows && sums; ++d) // columns of the product: the last rows, of the matrix alone
      worth &= f.dims.data[d].size == 1 || sn_map_uses(a->map, d) == (d == f.num_rows - 1 && same[s]);
  }
  worth = worth && same[0] != same[1];
  sn_form_free(&f);
  return worth;
}

// ---- in front of the loop ------------------------------------------------------------------------

// Behind one dimension more.
static MlirAffineMap shifted(MlirContext ctx, MlirAffineMap map) {
  MlirAffineExpr moved[SN_MAX_DIMS + 1];
  intptr_t dims = mlirAffineMapGetNumDims(map);
  for (intptr_t d = 0; d < dims; ++d)
    moved[d] = mlirAffineDimExprGet(ctx, d + 1);
  return sn_map_replace(map, dims + 1, moved);
}

// The part's subscripts in the whole, of this rank: the turn, and what is left of it.
static MlirAffineMap in_whole(MlirContext ctx, MlirAffineMap map, intptr_t rank, const intptr_t *kept) {
  MlirAffineExpr results[SN_MAX_DIMS + 1];
  MlirAffineMap part = shifted(ctx, map);
  results[0] = mlirAffineDimExprGet(ctx, 0);
  for (intptr_t d = 1; d < rank; ++d)
    results[d] = kept[d] < 0 ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineMapGetResult(part, kept[d]);
  return mlirAffineMapGet(ctx, mlirAffineMapGetNumDims(part), 0, rank, results);
}

static MlirValue empty_of_turns(SnBuilder *b, const Turns *t, MlirType part, bool all) {
  int64_t shape[SN_MAX_DIMS + 1] = {t->loop.turns};
  for (intptr_t d = 0; d < sn_rank(part); ++d)
    shape[d + all] = sn_dim(part, d);
  return sn(b, "tensor.empty", sn_values(0, NULL), sn_tensor(sn_element(part), sn_rank(part) + all, shape));
}

// The turn's part of what all of them have.
static MlirValue part_of(SnBuilder *b, const Turns *t, MlirValue whole, MlirType part) {
  int64_t offsets[SN_MAX_DIMS + 1] = {SN_DYNAMIC}, sizes[SN_MAX_DIMS + 1] = {1}, strides[SN_MAX_DIMS + 1] = {1};
  intptr_t rank = sn_rank(part) + 1;
  for (intptr_t d = 1; d < rank; ++d) {
    sizes[d] = sn_dim(part, d - 1);
    strides[d] = 1;
  }
  MlirValue operands[] = {whole, mlirBlockGetArgument(t->body, 0)};
  return sn(b, "tensor.extract_slice", sn_values(2, operands), part,
            sn_attr("static_offsets", mlirDenseI64ArrayGet(b->ctx, rank, offsets)),
            sn_attr("static_sizes", mlirDenseI64ArrayGet(b->ctx, rank, sizes)),
            sn_attr("static_strides", mlirDenseI64ArrayGet(b->ctx, rank, strides)),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 4, (int32_t[]){1, 1, 0, 0})));
}

// The sum, the product that it is of, and what widens its sides.
static bool is_of_sum(MlirOperation op, MlirOperation sum) {
  MlirOperation times = sn_definer(sn_operand(sum, 0));
  return mlirOperationEqual(op, sum) || mlirOperationEqual(op, times) ||
         mlirOperationEqual(op, sn_definer(sn_operand(times, 0))) ||
         mlirOperationEqual(op, sn_definer(sn_operand(times, 1)));
}

// The sums of a row by a matrix are columns of a product, now that there are many rows.
static void make_product(MlirOperation op) {
  SnForm f = sn_form_read(op);
  size_t sides[2];
  MlirOperation sum = sum_of(&f, sides);
  if (sn_null(sum)) {
    sn_form_free(&f);
    return;
  }
  SnBuilder b = sn_before(op);
  SnForm to = {.contract = true, .num_rows = f.num_rows - 1, .num_cols = 1};
  SnMap map = {0};
  SnValueVec given = {0};
  for (size_t d = 0; d < f.dims.size; ++d)
    sn_push(&to.dims, f.dims.data[d]);
  sn_push(&to.products, ((SnProduct){f.num_cols, sn_type_of(sn_result(sum, 0))}));
  for (size_t s = 0; s < 2; ++s)
    sn_push(&to.inputs, f.inputs.data[sides[s]]);
  for (size_t k = 0; k < f.inputs.size; ++k)
    if (k != sides[0] && k != sides[1])
      sn_push(&to.inputs, f.inputs.data[k]);
  for (size_t k = 0; k < f.outputs.size; ++k)
    sn_push(&to.outputs, f.outputs.data[k]);
  MlirOperation form = sn_form_create(&b, &to, false);
  SnBuilder in = sn_at_end(to.body, b.loc);
  for (size_t k = 0, n = 2; k < f.inputs.size; ++k)
    if (k != sides[0] && k != sides[1])
      sn_map(&map, sn_input_argument(&f, k), sn_input_argument(&to, n++));
  sn_map(&map, sn_result(sum, 0), sn_product_argument(&to, 0));
  MlirOperation end = mlirBlockGetTerminator(f.body);
  for (MlirOperation o = mlirBlockGetFirstOperation(f.body); !mlirOperationEqual(o, end);
       o = mlirOperationGetNextInBlock(o)) {
    MlirValue operands[SN_MAX_DIMS];
    intptr_t n = sn_num_operands(o);
    if (is_of_sum(o, sum))
      continue;
    for (intptr_t k = 0; k < n; ++k)
      operands[k] = sn_lookup(&map, sn_operand(o, k));
    sn_map(&map, sn_result(o, 0), n ? sn_elementwise(&in, o, n, operands) : sn_result(sn_clone(&in, o, &map), 0));
  }
  for (intptr_t k = 0; k < sn_num_operands(end); ++k) {
    MlirValue v = sn_lookup(&map, sn_operand(end, k));
    sn_push(&given, sn_as_row(&in, v, sn_row_type(&to, sn_element(sn_type_of(v)))));
  }
  sn_op(&in, "sinter.yield", sn_values((intptr_t)given.size, given.data), sn_types(0, NULL));
  sn_replace_results(op, form);
  mlirOperationDestroy(op);
  sn_map_free(&map);
  sn_vec_free(&given);
  sn_form_free(&to);
  sn_form_free(&f);
}

// The form over one dimension more, the turn; or as it is, where all turns compute the same.
static void move(const Turns *t, MlirOperation op) {
  MlirContext ctx = mlirOperationGetContext(op);
  bool all = turns(t, sn_result(op, 0));
  SnBuilder b = sn_before(t->loop.op), in = sn_before(op);
  SnForm f = sn_form_read(op);
  MlirBlock old = f.body;
  if (all) {
    sn_push(&f.dims, ((SnDim){0}));
    memmove(f.dims.data + 1, f.dims.data, (f.dims.size - 1) * sizeof *f.dims.data);
    f.dims.data[0] = (SnDim){.name = sn_fresh_name(ctx, &f, "t"), .size = t->loop.turns};
    ++f.num_rows;
  }
  for (size_t k = 0; k < f.inputs.size && all; ++k) {
    SnAccess *a = &f.inputs.data[k];
    intptr_t kept[SN_MAX_DIMS];
    if (!turns(t, a->value)) {
      a->map = shifted(ctx, a->map);
      continue;
    }
    MlirOperation slice = sn_definer(a->value); // what made it has moved
    is_part(t, slice, kept);
    a->value = sn_operand(slice, 0);
    a->map = in_whole(ctx, a->map, sn_rank(sn_type_of(a->value)), kept);
  }
  for (size_t k = 0; k < f.outputs.size; ++k) {
    SnAccess *a = &f.outputs.data[k];
    MlirType part = sn_type_of(a->value);
    intptr_t kept[SN_MAX_DIMS + 1];
    for (intptr_t d = 0; d <= sn_rank(part); ++d)
      kept[d] = d - 1;
    a->value = empty_of_turns(&b, t, part, all);
    if (all)
      a->map = in_whole(ctx, a->map, sn_rank(part) + 1, kept);
  }
  MlirOperation form = sn_form_create(&b, &f, false);
  sn_move_block(old, f.body);
  for (intptr_t k = 0; k < sn_num_results(op); ++k) {
    MlirValue part = sn_result(op, k), whole = sn_result(form, k);
    mlirValueReplaceAllUsesOfWith(part, all ? part_of(&in, t, whole, sn_type_of(part)) : whole);
  }
  mlirOperationDestroy(op);
  sn_form_free(&f);
  if (all)
    make_product(form);
}

static void need(const Turns *t, MlirOperation op, SnOpVec *needed) {
  for (size_t i = 0; i < needed->size; ++i)
    if (mlirOperationEqual(needed->data[i], op))
      return;
  for (intptr_t k = 0; k < sn_num_operands(op) - sn_num_results(op); ++k) {
    MlirOperation from = sn_definer(sn_operand(op, k));
    if (!sn_null(from) && is_of(t, from))
      need(t, from, needed);
  }
  sn_push(needed, op);
}

static void take_loop(MlirOperation op) {
  Turns t = {0};
  SnOpVec needed = {0};
  if (!sn_loop_read(op, &t.loop) || t.loop.turns < 2)
    return;
  t.body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  for (MlirOperation o = mlirBlockGetFirstOperation(t.body); !sn_null(o); o = mlirOperationGetNextInBlock(o))
    if (fits(&t, o))
      take_form(&t, o);
  for (size_t i = 0; i < t.forms.size; ++i)
    if (is_worth(&t, t.forms.data[i]))
      need(&t, t.forms.data[i], &needed);
  for (size_t i = 0; i < needed.size; ++i)
    move(&t, needed.data[i]);
  if (needed.size)
    sn_erase_dead(t.body);
  sn_vec_free(&needed);
  sn_vec_free(&t.forms);
  sn_vec_free(&t.differs);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  (void)user;
  SnOpVec loops = sn_collect(func, "scf.for");
  for (size_t i = 0; i < loops.size; ++i)
    if (!sn_in_sequence(mlirBlockGetTerminator(mlirRegionGetFirstBlock(mlirOperationGetRegion(loops.data[i], 0)))))
      take_loop(loops.data[i]);
  sn_vec_free(&loops);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  (void)run;
  return sn_each_function(op, function, NULL);
}

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_all_turns = {
    .argument = "sinter-all-turns",
    .summary = "a product in a loop of what no turn makes -> one of all turns, in front of it",
    .dialects = dialects,
    .run = run,
};
