// pack_programs.c: elements of a side that is computed.
//
//   side(%x[i, k], %g[k]) {^side(%v, %w): mulf %v, %w}     ->   a_pack[r][s] = x[i0 + r, s] * g[s], vectors along s
//   side(%w[k, j], %q[j]) {^side(%v, %s): mulf %v, %s}     ->   b_pack[s][j] = w[s, j] * q[j], vectors along j
//
// A side's program is written over what is summed: there %v is a row, and %q[j] a scalar. It goes element by element,
// so it is a row program over any other dimensions, too: pack.c asks for those that its vectors run along, and here the
// program is written again, with rows where an access uses them and scalars where it does not. What emits its elements
// is the row programs' emitter.
//
// test: test/run/contract_sides.test, test/lowering/cpu/sides.mlir

#include "lowering/cpu/contract.h"
#include "lowering/rows/rowmemory.h"
#include <assert.h>

#define LEAST_LANES 4 // of a vector that is computed to be transposed

// ---- which way vectors run --------------------------------------------------------------

static int64_t outer_of(const SnForm *f, const SnAccess *a, int64_t first, int64_t n) {
  int64_t factors[SN_MAX_DIMS], expected = 0;
  bool linear = !a->fill.ptr && sn_linear_factors(a->map, sn_type_of(a->value), factors), same = false;
  for (int64_t d = first + n; d-- > first;) {
    int64_t size = f->dims.data[d].size;
    if (size == 1)
      continue;
    bool uses = sn_access_uses(f, a, d);
    if (expected ? !uses || factors[d] != expected : uses && same)
      return d + 1 - first;
    same |= !uses;
    if (uses && (!linear || size == SN_DYNAMIC || !factors[d]))
      return d - first;
    if (uses)
      expected = sn_times(factors[d], size);
  }
  return 0;
}

int64_t sn_cpu_side_outer(const SnForm *f, size_t side, int64_t first, int64_t n) {
  SnSide s = sn_side(f, side);
  int64_t outer = 0;
  for (size_t k = s.first; k < s.first + s.count; ++k) {
    int64_t of_access = outer_of(f, &f->inputs.data[k], first, n);
    outer = of_access > outer ? of_access : outer;
  }
  return outer;
}

int64_t sn_cpu_side_scattered(const SnForm *f, size_t side, int64_t first, int64_t n) {
  SnSide s = sn_side(f, side);
  int64_t found = 0, last = first + n - 1;
  while (last > first && f->dims.data[last].size == 1)
    --last;
  for (size_t k = s.first; k < s.first + s.count; ++k) {
    const SnAccess *a = &f->inputs.data[k];
    bool uses = false, neighbours = !a->through.ptr && sn_fills_bytes(sn_element(sn_type_of(a->value)));
    for (int64_t d = first; d < first + n; ++d)
      uses |= sn_access_uses(f, a, d);
    found += uses && !(neighbours && n && sn_cpu_next_to_itself(a->map, sn_type_of(a->value), last));
  }
  return found;
}

bool sn_cpu_side_lanes(const SnForm *f, size_t side, int64_t first, int64_t n, int64_t width, SnSideLanes *lanes) {
  SnSide s = sn_side(f, side);
  int64_t d = first + n - 1, inner = 1;
  bool neighbours = false;
  for (; d >= first; inner *= f->dims.data[d--].size) {
    bool used = false;
    for (size_t k = s.first; k < s.first + s.count; ++k)
      used |= sn_access_uses(f, &f->inputs.data[k], d);
    if (f->dims.data[d].size == SN_DYNAMIC || inner > width)
      return false;
    if (used && f->dims.data[d].size > 1)
      break;
  }
  if (d < first || inner & (inner - 1) || width % inner || width / inner < LEAST_LANES ||
      f->dims.data[d].size % (width / inner))
    return false;
  for (size_t k = s.first; k < s.first + s.count; ++k) {
    const SnAccess *a = &f->inputs.data[k];
    int64_t factors[SN_MAX_DIMS];
    MlirType t = sn_type_of(a->value);
    if (!sn_access_uses(f, a, d))
      continue;
    if (a->fill.ptr || a->through.ptr || !sn_fills_bytes(sn_element(t)) || !sn_linear_factors(a->map, t, factors) ||
        factors[d] != 1)
      return false;
    neighbours = true;
  }
  *lanes = (SnSideLanes){d, inner};
  return neighbours;
}

// ---- the program over other dimensions --------------------------------------------------------

static SnAccess moved(const SnForm *to, SnAccess a, const MlirAffineExpr *dims) {
  a.map = sn_map_replace(a.map, (intptr_t)to->dims.size, dims);
  return a;
}

// A form finds sizes `?` in its operands, and a side need not have them all.
static void add_sizes(SnForm *to, const SnForm *f, const MlirAffineExpr *dims) {
  for (size_t k = 0; k < f->inputs.size; ++k)
    sn_push(&to->outputs, moved(to, f->inputs.data[k], dims));
  for (size_t k = 0; k < f->outputs.size; ++k)
    sn_push(&to->outputs, moved(to, f->outputs.data[k], dims));
}

static void move_elementwise(SnBuilder *b, const SnForm *to, MlirOperation op, SnMap *map) {
  MlirValue operands[SN_MAX_ELEMENTWISE];
  MlirType types[SN_MAX_ELEMENTWISE];
  intptr_t n = sn_num_operands(op), results = sn_num_results(op);
  bool row = false, select = sn_is(op, "arith.select");
  assert(n <= SN_MAX_ELEMENTWISE && results <= SN_MAX_ELEMENTWISE && "an elementwise op has few operands");
  for (intptr_t i = 0; i < n; ++i) {
    operands[i] = sn_lookup(map, sn_operand(op, i));
    row |= sn_is_row(operands[i]);
  }
  for (intptr_t i = 0; i < n && row; ++i)
    if (!(select && i == 0))
      operands[i] = sn_as_row(b, operands[i], sn_row_type(to, sn_type_of(operands[i])));
  for (intptr_t i = 0; i < results; ++i) {
    MlirType e = sn_element(sn_type_of(sn_result(op, i)));
    types[i] = row ? sn_row_type(to, e) : e;
  }
  MlirOperation copy = sn_clone_as(b, op, sn_values(n, operands), sn_types(results, types));
  for (intptr_t i = 0; i < results; ++i)
    sn_map(map, sn_result(op, i), sn_result(copy, i));
}

static void move_program(SnBuilder *b, const SnForm *to, MlirBlock program, SnMap *map) {
  MlirOperation end = mlirBlockGetTerminator(program);
  for (MlirOperation op = mlirBlockGetFirstOperation(program); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    const SnRowOp *line = sn_row_op_of(op);
    if (line->id == SN_OP_constant)
      sn_map(map, sn_result(op, 0), sn_constant(b, sn_constant_of(sn_result(op, 0))));
    else if (line->cost == SN_COST_NONE && line->first == SN_READS_COLUMN) // a broadcast, or a detach
      sn_map(map, sn_result(op, 0), sn_lookup(map, sn_operand(op, 0)));
    else if (line->names_dim)
      sn_map(map, sn_result(op, 0), sn_position(b, to, sn_row_named_dim(to, op)));
    else
      move_elementwise(b, to, op, map);
  }
  sn_op(b, "sinter.yield", sn_lookup(map, sn_operand(end, 0)), sn_types(0, NULL));
}

void sn_cpu_side_program(Contract *c, size_t side, int64_t first, int64_t n, SnSideProgram *p) {
  const SnForm *f = &c->f;
  SnBuilder *b = &c->t.b;
  SnSide s = sn_side(f, side);
  MlirAffineExpr dims[SN_MAX_DIMS];
  bool fixed = true;
  *p = (SnSideProgram){.form = {.num_rows = (int64_t)f->dims.size - n, .num_cols = n}, .region = mlirRegionCreate()};
  SnForm *to = &p->form;
  for (int column = 0; column < 2; ++column)
    for (int64_t d = 0; d < (int64_t)f->dims.size; ++d)
      if ((d >= first && d < first + n) == column) {
        p->at[d] = (int64_t)to->dims.size;
        dims[d] = mlirAffineDimExprGet(b->ctx, p->at[d]);
        fixed &= f->dims.data[d].size != SN_DYNAMIC;
        sn_push(&to->dims, f->dims.data[d]);
      }
  for (size_t k = 0; k < f->indices.size; ++k)
    sn_push(&to->indices, moved(to, f->indices.data[k], dims));
  for (size_t k = s.first; k < s.first + s.count; ++k)
    sn_push(&to->inputs, moved(to, f->inputs.data[k], dims));
  if (!fixed)
    add_sizes(to, f, dims);

  SN_VEC(MlirType) types = {0};
  SN_VEC(MlirLocation) locs = {0};
  for (size_t k = 0; k < to->inputs.size; ++k) {
    sn_push(&types, sn_access_type(to, &to->inputs.data[k]));
    sn_push(&locs, b->loc);
  }
  to->body = mlirBlockCreate((intptr_t)types.size, types.data, locs.data);
  mlirRegionAppendOwnedBlock(p->region, to->body);
  SnMap map = {0};
  for (size_t k = 0; k < types.size; ++k)
    sn_map(&map, mlirBlockGetArgument(s.program, (intptr_t)k), mlirBlockGetArgument(to->body, (intptr_t)k));
  SnBuilder in = sn_at_end(to->body, b->loc);
  move_program(&in, to, s.program, &map);
  p->program = sn_row_program(to, sn_values(0, NULL));
  sn_map_free(&map);
  sn_vec_free(&types);
  sn_vec_free(&locs);
}

void sn_cpu_side_program_free(SnSideProgram *p) {
  sn_row_program_free(&p->program);
  sn_form_free(&p->form);
  mlirRegionDestroy(p->region);
}

// ---- its elements --------------------------------------------------------------------------------

void sn_cpu_side_row(SnBuilder *b, SnSideProgram *p, const MlirValue *dims) {
  for (int64_t d = 0; d < (int64_t)p->form.dims.size; ++d)
    if (p->at[d] < p->form.num_rows)
      p->program.dims[p->at[d]] = dims[d];
  sn_row_begin(&p->program);
  sn_row_scalars(b, &p->program, 0);
}

MlirValue sn_cpu_side_element(SnBuilder *b, SnSideProgram *p, MlirValue at, int64_t width) {
  SnFragment c = sn_fragment(at, width);
  MlirValue x = sn_row_element(b, &p->program, &c, sn_row_yield(&p->program, 0));
  sn_fragment_free(&c);
  return x;
}
