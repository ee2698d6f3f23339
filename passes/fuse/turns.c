// turns.c: which rows are made again as columns, for a product that sums over the rows of another kernel.
//
//   p = softmax(q k); o = p v                    by queries: one kernel, which stores a maximum and a sum a row
//   dv = p^T g                             ->    by keys: p again, and dv of it, in one kernel
//
// What a gradient by a matrix sums over are the rows of whoever made the other factor. Stored, that is a matrix as
// large as all rows; made again it is a few products. Only where nobody else wants it stored: its other readers go on
// from the rows where they are made. Behind the pairs and in front of the chains, which then take what is here turned.
//
// Legality is merge/turn.c, what it costs fuse/worth.c.
//
// runs in: fuse    test: test/passes/fuse/turns.mlir

#include "passes/fuse/fuse.h"

typedef enum { STORED, GOES_ON, TURNED } Kind;

// One reader of a result.
typedef struct {
  MlirOperation reader;
  size_t input;
  Kind kind;
  intptr_t row;   // of the maker, that its product sums over
  intptr_t turns; // the reader's row dimension that has to become its columns; -1: none
  int64_t kept;   // of what the reader's product sums over, where all else is summed behind it; -1: it is all
} Use;
typedef SN_VEC(Use) Uses;

// The only row of g that the side does not use, where it uses all its columns; -1 where there is none.
static intptr_t other_row(const SnForm *g, const SnAccess *side) {
  intptr_t found = -1, n = 0;
  for (intptr_t d = 0; d < g->num_rows + g->num_cols; ++d) {
    if (sn_map_uses(side->map, d))
      continue;
    n += 1;
    found = sn_is_row_dim(g, d) ? d : -1;
  }
  return n == 1 ? found : -1;
}

static bool uses_all(const SnForm *g, const SnAccess *side, bool rows) {
  for (intptr_t d = 0; d < g->num_rows + g->num_cols; ++d)
    if (sn_is_row_dim(g, d) == rows && !sn_map_uses(side->map, d))
      return false;
  return true;
}

// The reader by itself can have its columns and this row change places.
static bool can_turn_alone(MlirOperation reader, intptr_t row) {
  SnForm g = sn_form_read(reader);
  bool *all = sn_alloc(g.outputs.size + 1), ok = !g.accumulators.size && !sn_num_reduced(&g);
  for (size_t k = 0; k < g.outputs.size; ++k)
    all[k] = true;
  SnTurn t;
  ok = ok && sn_can_turn(reader, row, all, &t);
  if (ok)
    ok = !t.stored.size;
  if (!g.accumulators.size && !sn_num_reduced(&g))
    sn_turn_free(&t);
  free(all);
  sn_form_free(&g);
  return ok;
}

// The reader goes on from the rows of whoever makes the other side of the product. Turned, it would read them stored.
static bool goes_on_already(const SnForm *g, size_t input) {
  MlirOperation other = sn_definer(g->inputs.data[input ^ 1].value);
  if (sn_null(other) || !sn_is_form(other) ||
      !mlirBlockEqual(mlirOperationGetBlock(other), mlirOperationGetBlock(g->op)))
    return false;
  SnChain c;
  bool goes_on = sn_can_chain(other, g->op, &c);
  sn_chain_free(&c);
  return goes_on;
}

static bool is_longer(const SnForm *f, intptr_t a, intptr_t b) {
  int64_t n = f->dims.data[a].size, m = f->dims.data[b].size;
  return m != SN_DYNAMIC && (n == SN_DYNAMIC || n > m);
}

// Parts of the sum, written and read, are less than the result of f, which need not be written and read then.
static bool parts_are_small(const SnForm *f, size_t result, const SnForm *g, int64_t kept) {
  double parts = sn_parts_of_sum(g, kept);
  if (!parts)
    return false;
  double elements = sn_elements(sn_type_of(sn_result(g->op, 0))), bits = sn_bits(g->products.data[0].type);
  return parts * elements * bits / 8 < sn_bytes(sn_type_of(sn_result(f->op, (intptr_t)result)));
}

// Which dimensions of the maker the reader's product sums over, and where its columns are in the reader.
static Use read_use(const SnForm *f, size_t result, MlirOperation reader, size_t input) {
  Use use = {reader, input, STORED, -1, -1, -1};
  if (!sn_is(reader, "sinter.contract") || !mlirBlockEqual(mlirOperationGetBlock(reader), mlirOperationGetBlock(f->op)))
    return use;
  SnForm g = sn_form_read(reader);
  MlirAffineMap written = f->outputs.data[result].map;
  bool fits = sn_is_plain(&g) && !g.schedule.ptr && sn_num_results(reader) && input < 2 * g.products.size;
  const SnAccess *side = fits ? &g.inputs.data[input] : NULL;
  fits = fits && !side->through.ptr && !side->fill.ptr;
  int64_t rows = 0, columns = 0, kept = -1, own = fits ? sn_first_own(&g, input / 2) : 0;
  for (intptr_t p = 0; fits && p < mlirAffineMapGetNumResults(written); ++p) {
    intptr_t d = sn_map_dim(written, p), e = sn_map_dim(side->map, p);
    fits = d < 0 || e >= 0;
    if (d < 0 || e < own)
      continue;
    *(sn_is_row_dim(f, d) ? &rows : &columns) += 1;
    if (!sn_is_row_dim(f, d) || (use.row >= 0 && !is_longer(f, d, use.row)))
      continue;
    use.row = d;
    kept = e;
  }
  if (fits && rows > 1 && !columns && parts_are_small(f, result, &g, kept)) {
    use.kept = kept;
    rows = 1;
  }
  if (fits && !rows && columns) {
    SnChain c;
    use.kind = sn_can_chain(f->op, reader, &c) ? GOES_ON : STORED;
    sn_chain_free(&c);
  } else if (fits && rows == 1 && !columns) {
    bool in_rows = uses_all(&g, side, true) && !sn_uses_cols(&g, side->map);
    use.turns = in_rows ? -1 : other_row(&g, side);
    if (in_rows || (use.turns >= 0 && uses_all(&g, side, false) && !goes_on_already(&g, input) &&
                    can_turn_alone(reader, use.turns)))
      use.kind = TURNED;
  }
  sn_form_free(&g);
  return use;
}

// Results of f that nobody wants stored but products that sum over one row dimension, which is set; their readers are
// pushed, and counted.
static bool find_results(const SnForm *f, bool *results, size_t *readers, intptr_t *row, Uses *uses) {
  bool any = false;
  for (size_t k = 0; k < f->outputs.size; ++k) {
    size_t before = uses->size;
    if (!any)
      *row = -1;
    bool turned = false, stored = false;
    for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(f->op, (intptr_t)k)); !mlirOpOperandIsNull(use) && !stored;
         use = mlirOpOperandGetNextUse(use)) {
      Use u = read_use(f, k, mlirOpOperandGetOwner(use), (size_t)mlirOpOperandGetOperandNumber(use));
      if (u.kind == TURNED && *row < 0)
        *row = u.row;
      stored = u.kind == STORED || (u.kind == TURNED && u.row != *row);
      turned |= u.kind == TURNED;
      if (u.kind == TURNED)
        sn_push(uses, u);
    }
    results[k] = turned && !stored;
    if (!results[k])
      uses->size = before;
    readers[k] = uses->size - before;
    any |= results[k];
  }
  return any;
}

// Some read of the result by the form is of this kind; sets the row that is summed over.
static bool reads_as(const SnForm *f, size_t result, MlirOperation form, Kind kind, intptr_t *row) {
  bool found = false;
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(f->op, (intptr_t)result)); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    if (!mlirOperationEqual(mlirOpOperandGetOwner(use), form))
      continue;
    Use u = read_use(f, result, form, (size_t)mlirOpOperandGetOperandNumber(use));
    found |= u.kind == kind;
    *row = u.kind == TURNED ? u.row : *row;
  }
  return found;
}

// Who would read the result if it were stored: on a GPU those that go on from the rows, too, as no kernel of its gives
// rows to a product and stores them.
static size_t readers_of(const SnForm *f, size_t result, size_t turned, const SnPolicy *policy) {
  size_t readers = turned;
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(f->op, (intptr_t)result));
       !mlirOpOperandIsNull(use) && policy->tensor_cores; use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    readers += read_use(f, result, reader, (size_t)mlirOpOperandGetOperandNumber(use)).kind == GOES_ON;
  }
  return readers;
}

// Whether turning one result pays, for one reader that is turned.
static bool is_turned(const SnForm *f, size_t result, intptr_t row, const SnPolicy *policy) {
  bool *results = sn_alloc(f->outputs.size + 1);
  size_t *readers = sn_alloc((f->outputs.size + 1) * sizeof *readers);
  results[result] = true;
  readers[result] = readers_of(f, result, 1, policy);
  SnTurn t;
  bool ok = sn_can_turn(f->op, row, results, &t) && sn_turn_worth(&t, readers, policy);
  sn_turn_free(&t);
  free(results);
  free(readers);
  return ok;
}

static bool is_read_by(MlirValue v, MlirOperation reader) {
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (mlirOperationEqual(mlirOpOperandGetOwner(use), reader))
      return true;
  return false;
}

bool sn_go_on_apart(MlirOperation x, MlirOperation y, const SnPolicy *policy) {
  bool apart = false;
  for (intptr_t k = 0; sn_is(x, "sinter.contract") && sn_is(y, "sinter.contract") && k < sn_num_operands(x) && !apart;
       ++k) {
    MlirOperation maker = sn_definer(sn_operand(x, k));
    if (sn_null(maker) || !sn_is(maker, "sinter.contract") || mlirOperationEqual(maker, y) ||
        !is_read_by(sn_operand(x, k), y) || !sn_is_multiplied(maker, x) || !sn_is_multiplied(maker, y))
      continue;
    SnForm f = sn_form_read(maker);
    size_t result = (size_t)mlirOpResultGetResultNumber(sn_operand(x, k));
    intptr_t row = -1;
    apart = sn_is_plain(&f) && reads_as(&f, result, x, GOES_ON, &row) && reads_as(&f, result, y, TURNED, &row) &&
            is_turned(&f, result, row, policy);
    sn_form_free(&f);
  }
  return apart;
}

// The readers of old results read those of the turned form, and are turned themselves where they have to be.
static void hand_over(const Uses *uses, const bool *results, size_t num_results, MlirOperation kept,
                      MlirOperation made) {
  for (size_t k = 0, at = 0; k < num_results; ++k) {
    if (!results[k])
      continue;
    MlirValue was = sn_result(kept, (intptr_t)k), is = sn_result(made, (intptr_t)at++);
    for (size_t i = 0; i < uses->size; ++i)
      if (sn_same(sn_operand(uses->data[i].reader, (intptr_t)uses->data[i].input), was))
        mlirOperationSetOperand(uses->data[i].reader, (intptr_t)uses->data[i].input, is);
  }
  for (size_t i = 0; i < uses->size; ++i) {
    MlirOperation reader = uses->data[i].reader, same;
    bool seen = uses->data[i].turns < 0;
    for (size_t e = 0; e < i && !seen; ++e)
      seen = mlirOperationEqual(uses->data[e].reader, reader);
    if (seen)
      continue;
    SnForm g = sn_form_read(reader);
    bool *all = sn_alloc(g.outputs.size + 1);
    for (size_t k = 0; k < g.outputs.size; ++k)
      all[k] = true;
    SnTurn t;
    if (sn_can_turn(reader, uses->data[i].turns, all, &t)) {
      MlirOperation turned = sn_turn(&t, &same);
      sn_replace_results(reader, turned);
      mlirOperationDestroy(reader);
    }
    sn_turn_free(&t);
    free(all);
    sn_form_free(&g);
  }
}

// Readers that sum over more than the turned rows do so in parts.
static void sum_in_parts(Uses *uses) {
  for (size_t i = 0; i < uses->size; ++i) {
    if (uses->data[i].kept < 0)
      continue;
    MlirOperation whole = uses->data[i].reader, parts = sn_sum_parts(whole, uses->data[i].kept);
    for (size_t e = 0; e < uses->size; ++e)
      if (mlirOperationEqual(uses->data[e].reader, whole)) {
        uses->data[e].reader = parts;
        uses->data[e].kept = -1;
      }
  }
}

// Of what find_results found: the first result; others come next.
static void keep_first(const SnForm *f, bool *results, size_t *readers, Uses *uses) {
  size_t first = 0;
  while (!results[first])
    ++first;
  uses->size = readers[first];
  for (size_t k = first + 1; k < f->outputs.size; ++k)
    results[k] = false, readers[k] = 0;
}

static bool turn_one(MlirOperation op, const SnPolicy *policy) {
  SnForm f = sn_form_read(op);
  bool *results = sn_alloc(f.outputs.size + 1);
  size_t *readers = sn_alloc((f.outputs.size + 1) * sizeof *readers);
  intptr_t row = -1;
  Uses uses = {0};
  bool ok = sn_is_plain(&f) && !f.schedule.ptr && sn_num_results(op) && find_results(&f, results, readers, &row, &uses);
  if (ok && sn_turn_apart(&f, policy))
    keep_first(&f, results, readers, &uses);
  if (ok) {
    SnTurn t;
    for (size_t k = 0; k < f.outputs.size; ++k)
      readers[k] = results[k] ? readers_of(&f, k, readers[k], policy) : 0;
    ok = sn_can_turn(op, row, results, &t) && sn_turn_worth(&t, readers, policy);
    if (ok) {
      MlirOperation kept, made = sn_turn(&t, &kept);
      sum_in_parts(&uses);
      hand_over(&uses, results, f.outputs.size, kept, made);
      sn_tidy(made);
    }
    sn_turn_free(&t);
  }
  sn_vec_free(&uses);
  free(results);
  free(readers);
  sn_form_free(&f);
  return ok;
}

bool sn_fuse_turns(MlirBlock block, const SnPolicy *policy) {
  bool changed = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !sn_null(op); op = next) {
    bool turned = sn_is(op, "sinter.contract") && turn_one(op, policy);
    changed |= turned;
    next = turned ? mlirBlockGetFirstOperation(block) : mlirOperationGetNextInBlock(op); // readers were made anew
  }
  return changed;
}
