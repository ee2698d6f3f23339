// row_groups.c: which group of columns each row of a body belongs to. See row_groups.h.
//
//   by (j = 8) by (e = 8)   %p: row of j     %o = row_product %p, %v     %s = addf %o, %b    -> %o, %s and %b are rows
//   of e
//
// Arguments know theirs from their accesses, yields from their destinations, positions from their dimension. An
// operation that goes element by element has all its rows in one group, so what is known spreads until nothing changes.
// A broadcast is a row of any group, and so is what is made of nothing else: equal ones may be one value.
//
// test: test/dialect/groups.mlir

#include "dialect/row_groups.h"
#include "dialect/row_ops.h"

static int by_address(const void *a, const void *b) {
  const char *x = ((const MlirValue *)a)->ptr, *y = ((const MlirValue *)b)->ptr;
  return (x > y) - (x < y);
}

static int64_t *place(const SnRowGroups *g, MlirValue v) {
  MlirValue *found = g->n ? bsearch(&v, g->rows, g->n, sizeof v, by_address) : NULL;
  return found ? &g->group[found - g->rows] : NULL;
}

static SnReads reads_as(const SnRowOp *line, MlirOperation op, intptr_t k) {
  return !k ? line->first : k + 1 < sn_num_operands(op) ? line->between : line->last;
}

// The operation's rows are loose: what it reads is scalars and such rows, and those element by element.
static bool is_loose(const SnRowGroups *g, MlirOperation op) {
  const SnRowOp *line = sn_row_op_of(op);
  if (!line || line->names_dim || line->last == SN_READS_MATRIX)
    return false;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirValue v = sn_operand(op, k);
    if (!sn_none(v) && place(g, v) && (reads_as(line, op, k) != SN_READS_COLUMN || !sn_row_is_loose(g, v)))
      return false;
  }
  return true;
}

static void collect(MlirBlock body, SnRowGroups *g) {
  SN_VEC(MlirValue) rows = {0};
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); ++i)
    if (sn_is_row(mlirBlockGetArgument(body, i)))
      sn_push(&rows, mlirBlockGetArgument(body, i));
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0; i < sn_num_results(op); ++i)
      if (sn_is_row(sn_result(op, i)))
        sn_push(&rows, sn_result(op, i));
  if (rows.size)
    qsort(rows.data, rows.size, sizeof *rows.data, by_address);
  *g = (SnRowGroups){rows.size, rows.data, sn_alloc((rows.size + 1) * sizeof *g->group), sn_alloc(rows.size + 1)};
  for (size_t i = 0; i < g->n; ++i)
    g->group[i] = SN_NO_GROUP;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0; i < sn_num_results(op); ++i) {
      int64_t *at = place(g, sn_result(op, i));
      if (at)
        g->loose[at - g->group] = is_loose(g, op);
    }
}

typedef struct {
  SnRowGroups *groups;
  bool loose; // those are told, too
  bool changed, clash;
  int64_t one, other;
} Spread;

// The row is of this group, or of an unknown one.
static void tell(Spread *s, MlirValue row, int64_t group) {
  int64_t *at = sn_none(row) ? NULL : place(s->groups, row);
  bool loose = at && s->groups->loose[at - s->groups->group];
  if (!at || group < 0 || *at == group || (loose && (!s->loose || *at >= 0)))
    return;
  if (*at >= 0) {
    s->clash = true;
    s->one = *at;
    s->other = group;
    return;
  }
  *at = group;
  s->changed = true;
}

// The group of the position that the operation gives.
static int64_t group_of_name(const SnForm *f, MlirOperation op) {
  for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
    if (sn_row_op_names(op, f->dims.data[d].name))
      return sn_group_of_dim(f, d);
  return SN_NO_GROUP;
}

// The matrix of a row product; null if it has none, which its own verifier reports.
static const SnMatrix *matrix_of(const SnForm *f, MlirOperation op) {
  MlirValue matrix = sn_num_operands(op) == 2 ? sn_operand(op, 1) : (MlirValue){0};
  intptr_t m = sn_none(matrix) || !mlirValueIsABlockArgument(matrix)
                   ? -1
                   : mlirBlockArgumentGetArgNumber(matrix) - (intptr_t)f->products.size;
  return m >= 0 && m < (intptr_t)f->matrices.size ? &f->matrices.data[m] : NULL;
}

// Rows that an operation has element by element: what it reads so, and its results.
static void spread(Spread *s, const SnForm *f, MlirOperation op) {
  const SnRowOp *line = sn_row_op_of(op);
  if (!line)
    return;
  if (line->names_dim && sn_num_results(op) == 1)
    tell(s, sn_result(op, 0), group_of_name(f, op));
  if (line->last == SN_READS_MATRIX) {
    const SnMatrix *matrix = matrix_of(f, op);
    if (matrix && sn_num_results(op) == 1) {
      tell(s, sn_operand(op, 0), matrix->from);
      tell(s, sn_result(op, 0), matrix->to);
    }
    return;
  }
  intptr_t n = sn_num_operands(op);
  int64_t known = SN_NO_GROUP;
  for (int tells = 0; tells < 2; ++tells) {
    for (intptr_t k = 0; k < n + sn_num_results(op); ++k) {
      bool result = k >= n;
      MlirValue v = result ? sn_result(op, k - n) : sn_operand(op, k);
      int64_t *at = sn_none(v) || (!result && reads_as(line, op, k) != SN_READS_COLUMN) ? NULL : place(s->groups, v);
      if (at && tells)
        tell(s, v, known);
      else if (at && *at >= 0 && (known < 0 || !s->groups->loose[at - s->groups->group]))
        known = *at;
    }
  }
}

MlirOperation sn_row_groups(const SnForm *f, bool finish, SnRowGroups *to, int64_t *one, int64_t *other) {
  MlirBlock block = finish ? f->finish : f->body;
  collect(block, to);
  Spread s = {.groups = to};
  for (size_t p = 0; p < f->products.size && !finish; ++p)
    tell(&s, sn_product_argument(f, p), sn_group_of_product(f, p));
  for (size_t k = sn_first_input(f); k < f->inputs.size && !finish; ++k)
    tell(&s, sn_input_argument(f, k), sn_group_of_access(f, &f->inputs.data[k]));
  for (size_t k = 0; k < f->accumulators.size && finish; ++k)
    tell(&s, mlirBlockGetArgument(block, (intptr_t)k), sn_group_of_map(f, f->accumulators.data[k].map));
  MlirOperation yield = mlirBlockGetTerminator(block);
  do {
    s.changed = false;
    for (size_t k = 0; k < f->accumulators.size && !s.clash && !finish; ++k)
      tell(&s, sn_operand(yield, (intptr_t)k), sn_group_of_map(f, f->accumulators.data[k].map));
    size_t seen[2] = {0};
    for (size_t k = 0; k < f->outputs.size && !s.clash; ++k) {
      intptr_t position = (intptr_t)sn_next_position(f, k, seen);
      if (sn_is_reduced(f, k) == finish)
        tell(&s, sn_operand(yield, position), sn_group_of_map(f, f->outputs.data[k].map));
    }
    if (s.clash) {
      *one = s.one;
      *other = s.other;
      return yield;
    }
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, yield);
         op = mlirOperationGetNextInBlock(op)) {
      spread(&s, f, op);
      if (s.clash) {
        *one = s.one;
        *other = s.other;
        return op;
      }
    }
    if (!s.changed && !s.loose)
      s.loose = s.changed = true;
  } while (s.changed);
  for (size_t i = 0; i < to->n; ++i)
    for (size_t g = sn_num_groups(f); g-- > 0 && to->group[i] < 0;)
      if (sn_dim(sn_type_of(to->rows[i]), 0) == sn_group_length(f, sn_num_groups(f) - 1 - g))
        to->group[i] = (int64_t)(sn_num_groups(f) - 1 - g);
  return (MlirOperation){0};
}

int64_t sn_row_group(const SnRowGroups *g, MlirValue row) {
  const int64_t *at = place(g, row);
  return at ? *at : SN_NO_GROUP;
}

bool sn_row_is_loose(const SnRowGroups *g, MlirValue row) {
  const int64_t *at = place(g, row);
  return at && g->loose[at - g->group];
}

MlirOperation sn_loose_and_counted(const SnForm *f, bool finish, const SnRowGroups *groups) {
  MlirOperation op = mlirBlockGetFirstOperation(finish ? f->finish : f->body);
  for (; !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    bool counts =
        sn_row_op_has(op, SN_READS_ONE) || (sn_row_op_has(op, SN_READS_ALL) && !sn_row_op_has(op, SN_READS_MATRIX));
    MlirValue row = counts ? sn_operand(op, 0) : (MlirValue){0};
    if (counts && sn_row_is_loose(groups, row) && sn_dim(sn_type_of(row), 0) == SN_DYNAMIC)
      break;
  }
  return op;
}

// ---- loose rows, apart ------------------------------------------------------------------

// The group in which `op` has its operand `k`; none where that does not matter.
static int64_t group_of_use(const SnForm *f, bool finish, const SnRowGroups *g, MlirOperation op, intptr_t k) {
  if (mlirOperationEqual(op, mlirBlockGetTerminator(finish ? f->finish : f->body))) {
    if (!finish && k < (intptr_t)f->accumulators.size)
      return sn_group_of_map(f, f->accumulators.data[k].map);
    for (size_t i = 0; i < f->outputs.size; ++i)
      if (sn_is_reduced(f, i) == finish && (intptr_t)sn_output_position(f, i) == k)
        return sn_group_of_map(f, f->outputs.data[i].map);
    return SN_NO_GROUP;
  }
  const SnRowOp *line = sn_row_op_of(op);
  if (line && line->last == SN_READS_MATRIX)
    return !k && matrix_of(f, op) ? matrix_of(f, op)->from : SN_NO_GROUP;
  if (!line || reads_as(line, op, k) != SN_READS_COLUMN)
    return SN_NO_GROUP;
  for (intptr_t i = 0; i < sn_num_operands(op); ++i)
    if (reads_as(line, op, i) == SN_READS_COLUMN && place(g, sn_operand(op, i)) &&
        !sn_row_is_loose(g, sn_operand(op, i)))
      return *place(g, sn_operand(op, i));
  for (intptr_t i = 0; i < sn_num_results(op); ++i)
    if (place(g, sn_result(op, i)))
      return *place(g, sn_result(op, i));
  return SN_NO_GROUP;
}

// Readers of result `r` that have it in another group than its own get copies, one for each group.
static bool separate(const SnForm *f, bool finish, const SnRowGroups *g, MlirOperation op, intptr_t r) {
  MlirOperation *copies = sn_alloc(sn_num_groups(f) * sizeof *copies);
  bool found = false;
  MlirValue row = sn_result(op, r);
  for (MlirOpOperand use = mlirValueGetFirstUse(row), next; !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    intptr_t k = (intptr_t)mlirOpOperandGetOperandNumber(use);
    int64_t group = group_of_use(f, finish, g, mlirOpOperandGetOwner(use), k);
    if (group < 0 || group == sn_row_group(g, row))
      continue;
    if (sn_null(copies[group])) {
      SnBuilder b = sn_before(op);
      SnMap none = {0};
      copies[group] = sn_clone(&b, op, &none);
      sn_map_free(&none);
    }
    mlirOperationSetOperand(mlirOpOperandGetOwner(use), k, sn_result(copies[group], r));
    found = true;
  }
  free(copies);
  return found;
}

void sn_separate_loose(const SnForm *f, bool finish) {
  for (bool changed = sn_num_groups(f) > 1; changed;) {
    SnRowGroups groups;
    int64_t one, other;
    sn_row_groups(f, finish, &groups, &one, &other);
    changed = false;
    MlirOperation op = mlirBlockGetFirstOperation(finish ? f->finish : f->body);
    for (; !sn_null(op) && !changed; op = mlirOperationGetNextInBlock(op))
      for (intptr_t r = 0; r < sn_num_results(op) && !changed; ++r)
        changed = sn_row_is_loose(&groups, sn_result(op, r)) && separate(f, finish, &groups, op, r);
    sn_row_groups_free(&groups);
  }
}

void sn_row_groups_free(SnRowGroups *g) {
  free(g->rows);
  free(g->group);
  free(g->loose);
}

int64_t sn_parts_of(MlirType a, MlirType b) {
  bool half = mlirTypeIsABF16(b) || mlirTypeIsAF16(b);
  return mlirTypeIsAF32(a) && half ? 2 : 1;
}

bool sn_multiplied(const SnForm *f, size_t i, SnMultiplied *to) {
  if (i < f->products.size) {
    *to = (SnMultiplied){sn_side_element(f, 2 * i), sn_side_element(f, 2 * i + 1), f->products.data[i].type,
                         sn_side_summed(f, 2 * i), (size_t)sn_group_of_product(f, i)};
    return true;
  }
  i -= f->products.size;
  MlirOperation op = f->matrices.size ? mlirBlockGetFirstOperation(f->body) : (MlirOperation){0};
  for (; !sn_null(op); op = mlirOperationGetNextInBlock(op))
    if (sn_row_op_has(op, SN_READS_MATRIX) && !i--) {
      SnMatrix m = f->matrices.data[(size_t)mlirBlockArgumentGetArgNumber(sn_operand(op, 1)) - f->products.size];
      *to = (SnMultiplied){sn_element(sn_type_of(sn_operand(op, 0))), sn_element(sn_type_of(sn_operand(op, 1))),
                           sn_element(sn_type_of(sn_result(op, 0))), sn_group(f, (size_t)m.from), (size_t)m.to};
      return true;
    }
  return false;
}
