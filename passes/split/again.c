// again.c: a product whose rows are too large to be stored is made again, a part of them at a time.
//
// A loss's gradient is a function of the whole row, so that its product would be stored, and the gradient too:
//
//   %v, %d = contract (i) by (j = 128256) product (k) (h[i, k], w[j, k]) { %m = max %acc ... }   -> [], [i, j]
//   %a = contract (i) by (k) product (j) (%d[i, j], w[j, k])
//   %b = contract (j) by (k) product (i) (%d[i, j], h[i, k])
// ->
//   %v, %m, %s = contract (i) by (j) product (k) (h, w) { numbers of rows alone }    its rows are nothing but reduced
//   %zero -> %sum                                                                    f32
//   scf.for each 8064 of j                                                           slices of w and of what %b is
//     %d = contract (i) by (j = 8064) product (k) (h, w's part) { elementwise of %m[i], %s[i] }  -> one buffer
//     %sum = contract (i) by (k) product (j) (%d, w's part) { %sum + %acc }
//     %b's part = contract (j = 8064) by (k) product (i) (%d, h)
//   %a = rowwise %sum
//
// So a part is in memory, and the sums of whoever sums over what is cut: of rows and columns those are cut that leave
// fewer. The price is the product itself once more, of parts that there was no room to keep (again_kept.c). Slices are
// of first dimensions, so that each is a buffer by itself; that a sum is read and written in one place is right as a
// GPU's products read an element before they write it.
//
// runs in: split    test: test/passes/split/again.mlir, test/gpu/heads.test

#include "passes/split/again.h"
#include "dialect/sequence.h"

enum {
  LEAST_PARTS = 16,    // of the bytes from which on it is worth it
  PART_MULTIPLE = 192, // of a part's size: whole tiles of a GPU's products
  EVEN_MULTIPLE = 384, // the same, and whole pieces of 128 and 192 columns (reduced.c), if it has so many
};

static bool goes_by_elements(MlirOperation op) {
  const SnRowOp *line = sn_row_op_of(op);
  return line && sn_num_results(op) == 1 && !mlirOperationGetNumRegions(op) &&
         (line->first == SN_READS_COLUMN || line->first == SN_READS_NOTHING);
}

static void find_waiting(SnAgain *s) {
  for (MlirOperation op = mlirBlockGetFirstOperation(s->f.body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    bool late = !goes_by_elements(op);
    for (intptr_t k = 0; k < sn_num_operands(op); ++k)
      late |= sn_table_has(&s->waits, sn_operand(op, k).ptr);
    for (intptr_t k = 0; k < sn_num_results(op) && late; ++k)
      sn_table_put(&s->waits, sn_result(op, k).ptr, 1);
  }
}

// The value is elementwise of the row and of numbers, which are noted.
static bool find_numbers(SnAgain *s, MlirValue v) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op))
    return !mlirTypeIsAMemRef(sn_type_of(v));
  if (sn_table_has(&s->seen, v.ptr))
    return true;
  sn_table_put(&s->seen, v.ptr, 1);
  if (!sn_is_row(v) && sn_table_has(&s->waits, v.ptr)) {
    sn_push(&s->numbers, v);
    return !mlirTypeIsAIndex(sn_type_of(v));
  }
  bool all = goes_by_elements(op);
  for (intptr_t k = 0; k < sn_num_operands(op) && all; ++k)
    all = find_numbers(s, sn_operand(op, k));
  return all;
}

// ---- what may be cut -------------------------------------------------------------------------------

// Dimension d of the form, if it is used, is the first of the operand's and nothing else of it.
static bool is_first(const SnForm *f, const SnAccess *a, int64_t d) {
  MlirType t = sn_type_of(a->value);
  if (!sn_access_uses(f, a, d))
    return true;
  bool only = !a->through.ptr && !a->fill.ptr && sn_rank(t) && sn_map_dim(a->map, 0) == d &&
              sn_dim(t, 0) == f->dims.data[d].size;
  for (intptr_t k = 1; k < sn_rank(t) && only; ++k)
    only = !mlirAffineExprIsFunctionOfDim(mlirAffineMapGetResult(a->map, k), d);
  return only;
}

// Slices begin at multiples of this: what copies and vectors ask for.
enum { ALIGNED_BYTES = 16 };
static bool has_aligned_slices(const SnAccess *a) {
  MlirType t = sn_type_of(a->value);
  int64_t bits = sn_bits(sn_element(t)) * PART_MULTIPLE;
  for (intptr_t k = 1; k < sn_rank(t); ++k)
    bits = sn_times(bits, sn_dim(t, k));
  return bits % (8 * ALIGNED_BYTES) == 0;
}

static bool may_cut(const SnForm *f, const SnAccess *a, int64_t d) {
  return is_first(f, a, d) && (!sn_access_uses(f, a, d) || has_aligned_slices(a));
}

// What the form gives is a whole side of the product: [i, j] are two of its dimensions.
static bool find_dims(const SnAgain *s, const SnForm *f, MlirValue stored, SnAgainReader *r) {
  bool found = false;
  for (size_t k = 0; k < f->inputs.size; ++k) {
    const SnAccess *a = &f->inputs.data[k];
    if (!sn_same(a->value, stored))
      continue;
    if (found || k >= sn_first_input(f) || a->fill.ptr || a->through.ptr)
      return false;
    const SnAccess *out = &s->f.outputs.data[s->output];
    for (intptr_t i = 0; i < 2; ++i)
      r->dims[sn_map_dim(out->map, i)] = sn_map_dim(a->map, i);
    found = r->dims[0] >= 0 && r->dims[1] >= 0 && r->dims[0] != r->dims[1];
  }
  return found;
}

static bool is_reader(const SnAgain *s, MlirOperation op, MlirValue stored, SnAgainReader *r) {
  if (!sn_is(op, "sinter.contract") || sn_in_sequence(op))
    return false;
  SnForm f = sn_form_read(op);
  bool may = sn_is_plain(&f) && f.products.size == 1 && !f.indices.size && !f.accumulators.size && !f.finish.ptr &&
             !f.schedule.ptr && f.outputs.size == 1 && sn_goes_by_elements(&f) && sn_num_results(op) == 1 &&
             !sn_form_asserts(&f) && find_dims(s, &f, stored, r);
  for (size_t d = 0; d < f.dims.size && may; ++d)
    may = f.dims.data[d].size != SN_DYNAMIC;
  for (MlirOperation in = may ? mlirBlockGetFirstOperation(f.body) : (MlirOperation){0}; !sn_null(in) && may;
       in = mlirOperationGetNextInBlock(in))
    may = !sn_is(in, "sinter.index");
  sn_form_free(&f);
  r->op = op;
  return may;
}

// Bytes of sums if dimension `dim` is cut; -1: it cannot be.
static int64_t bytes_of_sums(const SnAgain *s, int64_t dim) {
  const SnForm *f = &s->f;
  int64_t all = 0;
  for (size_t k = 0; k < f->inputs.size; ++k)
    if (!may_cut(f, &f->inputs.data[k], dim))
      return -1;
  for (size_t i = 0; i < s->readers.size && all >= 0; ++i) {
    SnForm r = sn_form_read(s->readers.data[i].op);
    int64_t d = s->readers.data[i].dims[dim], bytes = sn_bits(r.products.data[0].type) / 8;
    bool summed = d >= r.num_rows + r.num_cols;
    for (size_t k = 0; k < r.inputs.size && all >= 0; ++k)
      if (!sn_same(r.inputs.data[k].value, sn_result(f->op, (intptr_t)s->output)) && !may_cut(&r, &r.inputs.data[k], d))
        all = -1;
    if (!summed && !may_cut(&r, &r.outputs.data[0], d))
      all = -1;
    for (int64_t n = 0; n < r.num_rows + r.num_cols && summed && all >= 0; ++n)
      bytes = sn_times(bytes, r.dims.data[n].size);
    all = all < 0 ? all : all + (summed ? bytes : 0);
    sn_form_free(&r);
  }
  return all;
}

static MlirOperation in_block_of(MlirOperation op, MlirBlock block) {
  while (!sn_null(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

// All readers may stand where the last one does: nothing in front of that asks for what they give. Moves them there.
static bool gather_readers(SnAgain *s) {
  MlirBlock block = mlirOperationGetBlock(s->f.op);
  MlirOperation last = s->f.op;
  size_t left = s->readers.size;
  for (MlirOperation op = s->f.op; !sn_null(op) && left; op = mlirOperationGetNextInBlock(op))
    for (size_t i = 0; i < s->readers.size; ++i)
      if (mlirOperationEqual(op, s->readers.data[i].op)) {
        last = op;
        --left;
      }
  if (left)
    return false;
  for (size_t i = 0; i < s->readers.size; ++i) {
    MlirValue v = sn_result(s->readers.data[i].op, 0);
    for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = in_block_of(mlirOpOperandGetOwner(use), block);
      if (sn_null(user) || mlirOperationEqual(user, last) || mlirOperationIsBeforeInBlock(user, last))
        return false;
    }
  }
  for (size_t i = 1; i < s->readers.size; ++i) // as they stand
    for (size_t k = i; k && mlirOperationIsBeforeInBlock(s->readers.data[k].op, s->readers.data[k - 1].op); --k) {
      SnAgainReader r = s->readers.data[k];
      s->readers.data[k] = s->readers.data[k - 1];
      s->readers.data[k - 1] = r;
    }
  for (size_t i = 0; i + 1 < s->readers.size; ++i)
    mlirOperationMoveBefore(s->readers.data[i].op, last);
  return true;
}

// Of the product as it would be stored, and of what its rows give.
static int64_t stored_bytes(const SnForm *f, MlirType type) {
  return sn_times(sn_times(sn_num_rows(f), sn_row_length(f)),
                  (int64_t)(sn_bits(sn_stored_type(f, 0)) + sn_bits(type)) / 8);
}

static bool is_plain_product(const SnForm *f) {
  bool is = f->contract && sn_is_plain(f) && f->products.size == 1 && f->num_rows == 1 && f->num_cols == 1 &&
            !f->indices.size && !f->schedule.ptr && !sn_in_sequence(f->op) && sn_num_results(f->op) > 0;
  for (size_t d = 0; d < f->dims.size && is; ++d)
    is = f->dims.data[d].size != SN_DYNAMIC;
  return is;
}

static bool plan(SnAgain *s, int64_t bytes) {
  SnForm *f = &s->f;
  size_t rows = 0;
  if (!is_plain_product(f))
    return false;
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (sn_uses_cols(f, f->outputs.data[k].map)) {
      s->output = k;
      ++rows;
    }
  for (size_t k = 0; k < f->accumulators.size; ++k)
    rows += sn_uses_cols(f, f->accumulators.data[k].map) ? 2 : 0;
  if (rows != 1)
    return false;
  const SnAccess *out = &f->outputs.data[s->output];
  MlirValue stored = sn_result(f->op, (intptr_t)s->output);
  MlirType t = sn_type_of(stored);
  if (sn_rank(t) != 2 || sn_map_dim(out->map, 0) < 0 || sn_map_dim(out->map, 1) < 0 ||
      stored_bytes(f, sn_element(t)) < bytes)
    return false;
  find_waiting(s);
  MlirValue given = sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)sn_output_position(f, s->output));
  if (!sn_table_has(&s->waits, given.ptr) || !find_numbers(s, given))
    return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(stored); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    SnAgainReader r;
    if (!is_reader(s, mlirOpOperandGetOwner(use), stored, &r))
      return false;
    sn_push(&s->readers, r);
  }
  int64_t of_rows = bytes_of_sums(s, 0), of_columns = bytes_of_sums(s, 1);
  s->dim = of_rows >= 0 && (of_columns < 0 || of_rows < of_columns) ? 0 : 1;
  if ((of_rows < 0 && of_columns < 0) || (s->dim ? of_columns : of_rows) >= bytes)
    return false;
  int64_t line = f->dims.data[1 - s->dim].size * (int64_t)sn_bits(sn_element(t)) / 8;
  s->size = f->dims.data[s->dim].size;
  s->part = bytes / LEAST_PARTS / (line ? line : 1);
  int64_t multiple = s->part < EVEN_MULTIPLE ? PART_MULTIPLE : EVEN_MULTIPLE;
  s->part = s->part / multiple * multiple;
  if (s->part < PART_MULTIPLE || s->part >= s->size)
    return false;
  s->part = sn_pieces(sn_pieces(s->size, sn_pieces(s->size, s->part)), multiple) * multiple; // even ones
  s->parts = sn_pieces(s->size, s->part);
  for (size_t i = 0; i < s->readers.size; ++i) {
    SnForm r = sn_form_read(s->readers.data[i].op);
    s->readers.data[i].sums = s->readers.data[i].dims[s->dim] >= r.num_rows + r.num_cols;
    sn_form_free(&r);
  }
  return true;
}

// ---- all but what is stored ------------------------------------------------------------------------

static SnAccess number_place(const SnAgain *s, SnBuilder *b, MlirValue number) {
  const SnForm *f = &s->f;
  MlirAffineExpr row = mlirAffineDimExprGet(b->ctx, 0);
  MlirAffineMap map = mlirAffineMapGet(b->ctx, (intptr_t)f->dims.size, 0, 1, &row);
  return (SnAccess){.value = sn_empty_at(b, f, map, sn_type_of(number)), .map = map};
}

// The form without what is stored, and with numbers of rows. Its op is s->values.
static void make_values(SnAgain *s) {
  const SnForm *f = &s->f;
  SnBuilder b = sn_before(f->op);
  SnForm to = {.contract = true, .num_rows = f->num_rows, .num_cols = f->num_cols};
  for (size_t d = 0; d < f->dims.size; ++d)
    sn_push(&to.dims, f->dims.data[d]);
  sn_push(&to.products, f->products.data[0]);
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_push(&to.inputs, f->inputs.data[k]);
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&to.indices, f->indices.data[k]);
  for (size_t k = 0; k < f->accumulators.size; ++k)
    sn_push(&to.accumulators, f->accumulators.data[k]);
  for (size_t k = 0; k < f->outputs.size; ++k)
    if (k != s->output)
      sn_push(&to.outputs, f->outputs.data[k]);
  for (size_t k = 0; k < s->numbers.size; ++k) {
    SnAccess place = number_place(s, &b, s->numbers.data[k]);
    sn_push(&to.outputs, place);
  }
  s->values = sn_form_create(&b, &to, f->finish.ptr);
  SnBuilder in = sn_at_end(to.body, b.loc);
  SnMap map = {0};
  for (intptr_t k = 0; k < mlirBlockGetNumArguments(f->body); ++k)
    sn_map(&map, mlirBlockGetArgument(f->body, k), mlirBlockGetArgument(to.body, k));
  sn_copy_ops(&in, f->body, &map);
  MlirOperation end = mlirBlockGetTerminator(f->body);
  SnValueVec yields = {0};
  for (intptr_t k = 0; k < sn_num_operands(end); ++k)
    if (k != (intptr_t)sn_output_position(f, s->output))
      sn_push(&yields, sn_lookup(&map, sn_operand(end, k)));
  for (size_t k = 0; k < s->numbers.size; ++k)
    sn_push(&yields, sn_lookup(&map, s->numbers.data[k]));
  sn_op(&in, "sinter.yield", sn_values((intptr_t)yields.size, yields.data), sn_types(0, NULL));
  if (f->finish.ptr)
    sn_copy_finish_whole(f, &to, b.loc);
  sn_vec_free(&yields);
  sn_map_free(&map);
  sn_form_free(&to);
}

static void free_again(SnAgain *s) {
  sn_table_free(&s->waits);
  sn_table_free(&s->seen);
  sn_vec_free(&s->numbers);
  sn_vec_free(&s->readers);
  sn_form_free(&s->f);
}

bool sn_make_again(MlirOperation contract, int64_t bytes, MlirAttribute cut) {
  SnAgain s = {.f = sn_form_read(contract)};
  bool may = plan(&s, bytes), of_body;
  if (may) {
    make_values(&s);
    SnForm values = sn_form_read(s.values);
    may = !sn_not_in_parts(&values, &of_body) && gather_readers(&s);
    sn_form_free(&values);
    if (!may)
      mlirOperationDestroy(s.values);
  }
  if (!may) {
    free_again(&s);
    return false;
  }
  sn_plan_kept(&s);
  if (s.kept)
    sn_make_kept(&s, cut);
  sn_make_again_parts(&s, cut);
  intptr_t from = 0;
  for (intptr_t r = 0; r < sn_num_results(contract); ++r)
    if (r != (intptr_t)s.output)
      mlirValueReplaceAllUsesOfWith(sn_result(contract, r), sn_result(s.values, from++));
  if (cut.ptr)
    sn_set_attr(s.values, "sinter.cut", cut);
  MlirOperation values = s.values;
  mlirOperationDestroy(contract);
  free_again(&s);
  sn_tidy(values);
  return true;
}
