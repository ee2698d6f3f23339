// into_sides.c: what makes a product's side becomes the side's program.
//
//   %n = rowwise (i) by (k) { mulf %x, %g }              contract (i) by (j)
//   %y = contract (i) by (j)                       ->      product (k) (side(%x[i, k], %g[k]) {mulf}, %w[j, k])
//          product (k) (%n[i, k], %w[j, k])
//
// A side is elementwise over its rows and what is summed, and so is what moves: any operation but those that read a
// row's other elements. Its dimensions become subscripts of the side, its inputs the side's accesses, and a gather by
// inputs and positions an indirect access; where the side is read with bounds, the program selects the fill value
// outside. Sides of products and matrices are alike.
//
// runs in: fuse    test: test/passes/fuse/into_sides.mlir

#include "dialect/row_groups.h"
#include "dialect/row_ops.h"
#include "passes/merge/merge.h"
#include <assert.h>

// ---- what is gathered ---------------------------------------------------------------------

static int64_t index_bits(MlirValue v) {
  MlirType t = sn_element(sn_type_of(v));
  return sn_is_int(t) ? sn_bits(t) : 64;
}

// What a broadcast or a conversion that keeps each number hands on.
static MlirValue under(MlirValue v) {
  for (;;) {
    MlirOperation op = sn_definer(v);
    bool converts = sn_is(op, "arith.index_cast") || sn_is(op, "arith.extsi"),
         broadcasts = !sn_null(op) && sn_row_op_of(op)->id == SN_OP_broadcast;
    if (!broadcasts && (!converts || index_bits(v) < index_bits(sn_operand(op, 0))))
      return v;
    v = sn_operand(op, 0);
  }
}

// A number that is a sum of positions in p's dimensions and constants.
static bool expression_of(const SnForm *p, MlirValue v, MlirAffineExpr *e) {
  v = under(v);
  MlirOperation op = sn_definer(v);
  MlirContext ctx = mlirOperationGetContext(p->op);
  MlirAttribute number = sn_constant_of(v);
  MlirAffineExpr x, y;
  if (number.ptr && mlirAttributeIsAInteger(number)) {
    *e = mlirAffineConstantExprGet(ctx, mlirIntegerAttrGetValueInt(number));
    return true;
  }
  for (size_t d = 0; d < p->dims.size && !sn_null(op); ++d)
    if (sn_row_op_names(op, p->dims.data[d].name)) {
      *e = mlirAffineDimExprGet(ctx, (intptr_t)d);
      return true;
    }
  bool add = sn_is(op, "arith.addi"), less = sn_is(op, "arith.subi");
  if ((!add && !less) || index_bits(v) < 64 || !expression_of(p, sn_operand(op, 0), &x) ||
      !expression_of(p, sn_operand(op, 1), &y))
    return false;
  *e = mlirAffineAddExprGet(x, add ? y : mlirAffineMulExprGet(y, mlirAffineConstantExprGet(ctx, -1)));
  return true;
}

// The input of p that is an index for each point, or SIZE_MAX.
static size_t index_input(const SnForm *p, MlirValue v) {
  v = under(v);
  for (size_t k = 0; k < p->inputs.size; ++k)
    if (sn_same(v, sn_input_argument(p, k)) && !sn_is_table(&p->inputs.data[k]) && !p->inputs.data[k].through.ptr &&
        !p->inputs.data[k].fill.ptr && sn_is_int(sn_element(sn_type_of(v))) && sn_bits(sn_element(sn_type_of(v))) > 1)
      return k;
  return SIZE_MAX;
}

// A gather as an access, whose index tensors go behind those of p.
static bool access_of(SnForm *p, MlirOperation gather, SnAccess *a) {
  MlirContext ctx = mlirOperationGetContext(gather);
  intptr_t n = sn_num_operands(gather) - 2, symbols = 0;
  MlirAffineExpr results[SN_MAX_DIMS];
  int64_t through[SN_MAX_DIMS];
  size_t table = 0, old = p->indices.size;
  while (table < p->inputs.size && !sn_same(sn_operand(gather, 0), sn_input_argument(p, table)))
    ++table;
  MlirAttribute fill = sn_constant_of(sn_operand(gather, n + 1));
  bool ok = table < p->inputs.size && fill.ptr;
  for (intptr_t i = 0; i < n && ok; ++i) {
    size_t index = index_input(p, sn_operand(gather, i + 1));
    if (index == SIZE_MAX) {
      ok = expression_of(p, sn_operand(gather, i + 1), &results[i]);
      continue;
    }
    through[symbols] = (int64_t)p->indices.size;
    sn_push(&p->indices, p->inputs.data[index]);
    results[i] = mlirAffineSymbolExprGet(ctx, symbols++);
  }
  if (!ok) {
    p->indices.size = old;
    return false;
  }
  *a = (SnAccess){.value = p->inputs.data[table].value, .fill = fill};
  a->map = mlirAffineMapGet(ctx, (intptr_t)p->dims.size, symbols, n, results);
  a->through = symbols ? mlirDenseI64ArrayGet(ctx, symbols, through) : mlirAttributeGetNull();
  return true;
}

// Gathers that can be accesses are inputs of p from here on.
static void read_gathers(SnIntoSide *m) {
  size_t inputs = m->p.inputs.size;
  for (size_t k = 0; k < inputs; ++k)
    sn_push(&m->values, sn_input_argument(&m->p, k));
  for (MlirOperation op = mlirBlockGetFirstOperation(m->p.body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    SnAccess a;
    SnForm own = m->p; // without what was pushed: those have no arguments
    own.inputs.size = inputs;
    if (!sn_row_op_has(op, SN_READS_TABLE) || !access_of(&own, op, &a))
      continue;
    m->p.indices.data = own.indices.data;
    m->p.indices.size = own.indices.size;
    m->p.indices.capacity = own.indices.capacity;
    sn_push(&m->p.inputs, a);
    sn_push(&m->values, sn_result(op, 0));
  }
}

// ---- legality --------------------------------------------------------------------------

static bool needs_more(MlirOperation op) {
  return sn_row_op_has(op, SN_READS_ALL) || sn_row_op_has(op, SN_READS_ONE) || sn_row_op_has(op, SN_READS_TABLE) ||
         sn_row_op_has(op, SN_READS_MATRIX) || sn_row_op_has(op, SN_READS_SCALAR);
}

// Each subscript of the input is the dimension of p that the result has there.
static void follow_result(SnIntoSide *m) {
  MlirContext ctx = mlirOperationGetContext(m->f.op);
  MlirAffineMap written = m->p.outputs.data[m->result].map, read = m->read->map;
  m->dims = sn_alloc((m->p.dims.size + 1) * sizeof *m->dims);
  for (size_t d = 0; d < m->p.dims.size; ++d)
    m->dims[d] = mlirAffineConstantExprGet(ctx, 0);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(written); ++i)
    if (sn_map_dim(written, i) >= 0)
      m->dims[sn_map_dim(written, i)] = mlirAffineMapGetResult(read, i);
}

static bool uses_symbol_dims(const SnIntoSide *m, MlirAffineExpr e, bool plain_too) {
  for (size_t d = 0; d < m->p.dims.size; ++d)
    if (mlirAffineExprIsASymbol(m->dims[d]) && mlirAffineExprIsFunctionOfDim(e, (intptr_t)d) &&
        (plain_too || !mlirAffineExprIsADim(e)))
      return true;
  return false;
}

// A subscript that comes through an index tensor can only be a subscript by itself.
static bool indices_fit(const SnIntoSide *m, const SnAccess *a) {
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(a->map); ++i)
    if (uses_symbol_dims(m, mlirAffineMapGetResult(a->map, i), false))
      return false;
  for (intptr_t s = 0; a->through.ptr && s < mlirDenseArrayGetNumElements(a->through); ++s) {
    MlirAffineMap index = m->p.indices.data[mlirDenseI64ArrayGetElement(a->through, s)].map;
    for (intptr_t i = 0; i < mlirAffineMapGetNumResults(index); ++i)
      if (uses_symbol_dims(m, mlirAffineMapGetResult(index, i), true))
        return false;
  }
  return true;
}

static MlirAffineExpr named_dim(const SnIntoSide *m, MlirOperation op) {
  size_t d = 0;
  while (!sn_row_op_names(op, m->p.dims.data[d].name))
    ++d;
  return m->dims[d];
}

static bool inputs_fit(const SnIntoSide *m) {
  for (size_t k = 0; k < m->p.inputs.size; ++k) {
    const SnAccess *a = &m->p.inputs.data[k];
    if (!m->reads[k])
      continue;
    if (sn_is_table(a))
      return sn_refuse(m->f.op, SN_WHY_SIDE_REDUCED);
    if (m->read->fill.ptr && a->through.ptr)
      return sn_refuse(m->p.op, SN_WHY_BOUNDED_INDEX);
    if (!indices_fit(m, a))
      return sn_refuse(m->f.op, SN_WHY_SIDE_INDEX);
    if (!sn_map_fits_with(a->map, m->dims))
      return sn_refuse(m->p.op, SN_WHY_LONG_SUBSCRIPT, (long)SN_MAX_SUBSCRIPT_PARTS);
  }
  return true;
}

static bool ops_fit(const SnIntoSide *m) {
  for (size_t i = 0; i < m->ops.size; ++i) {
    MlirOperation op = m->ops.data[i];
    const SnRowOp *line = sn_row_op_of(op);
    if (!line || needs_more(op))
      return sn_refuse(m->f.op, SN_WHY_SIDE_REDUCED);
    if (sn_may_trap(op))
      return sn_refuse(m->f.op, SN_WHY_SIDE_DIVIDES);
    if (line->names_dim && !sn_has_affine_value(&m->f, named_dim(m, op)))
      return sn_refuse(m->p.op,
                       mlirAffineExprIsASymbol(named_dim(m, op)) ? SN_WHY_SIDE_INDEX : SN_WHY_INDEX_EXPRESSION);
  }
  return true;
}

// The fill value is selected by the subscripts, whose ends are known.
static bool bounds_fit(const SnIntoSide *m) {
  if (!m->read->fill.ptr)
    return true;
  if (m->read->through.ptr)
    return sn_refuse(m->p.op, SN_WHY_BOUNDED_INDEX);
  if (!sn_inside_of_unknown(&m->f, m->read))
    return sn_refuse(m->f.op, SN_WHY_UNKNOWN_SIZE);
  for (intptr_t i = 0; i < mlirAffineMapGetNumResults(m->read->map); ++i)
    if (!sn_has_affine_value(&m->f, mlirAffineMapGetResult(m->read->map, i)))
      return sn_refuse(m->f.op, SN_WHY_BOUNDS);
  return true;
}

// P2, and sizes `?`: what the input gave is still given.
static bool dims_fit(const SnIntoSide *m) {
  SnSide side = sn_side(&m->f, m->side);
  SnGroup summed = sn_side_summed(&m->f, m->side);
  for (int64_t d = 0; d < (int64_t)m->f.dims.size; ++d) {
    bool is_summed = d >= summed.first && d < summed.first + summed.num_dims, used = !is_summed,
         sized = m->f.dims.data[d].size != SN_DYNAMIC;
    for (size_t k = side.first; k < side.first + side.count; ++k)
      used |= k != m->input && sn_access_uses(&m->f, &m->f.inputs.data[k], d);
    for (size_t k = 0; k < m->f.inputs.size + m->f.indices.size + m->f.outputs.size && !sized; ++k) {
      const SnAccess *a = sn_form_access(&m->f, k);
      for (intptr_t i = 0; k != m->input && !a->fill.ptr && i < mlirAffineMapGetNumResults(a->map); ++i)
        sized |= sn_map_dim(a->map, i) == d;
    }
    for (size_t k = 0; k < m->p.inputs.size; ++k) {
      const SnAccess *a = &m->p.inputs.data[k];
      if (!m->reads[k])
        continue;
      for (size_t e = 0; e < m->p.dims.size; ++e) {
        MlirAffineExpr to = m->dims[e];
        bool through_uses = false;
        if (mlirAffineExprIsASymbol(to)) // the index tensor's own subscripts
          through_uses = sn_map_uses(
              m->f.indices.data[mlirDenseI64ArrayGetElement(m->read->through, mlirAffineSymbolExprGetPosition(to))].map,
              d);
        used |= sn_access_uses(&m->p, a, (int64_t)e) && (through_uses || mlirAffineExprIsFunctionOfDim(to, d));
      }
      for (intptr_t i = 0; !a->fill.ptr && !m->read->fill.ptr && i < mlirAffineMapGetNumResults(a->map); ++i)
        sized |= sn_map_dim(a->map, i) >= 0 && mlirAffineExprIsADim(m->dims[sn_map_dim(a->map, i)]) &&
                 mlirAffineDimExprGetPosition(m->dims[sn_map_dim(a->map, i)]) == d;
    }
    for (size_t i = 0; i < m->ops.size; ++i)
      used |= sn_row_op_of(m->ops.data[i])->names_dim && mlirAffineExprIsFunctionOfDim(named_dim(m, m->ops.data[i]), d);
    if (!used)
      return sn_refuse(m->f.op, SN_WHY_SIDE_NOT_SUMMED);
    if (!sized)
      return sn_refuse(m->f.op, SN_WHY_SIDE_SIZE);
  }
  return true;
}

static bool stays_small(const SnIntoSide *m) {
  size_t inputs = m->f.inputs.size + m->f.indices.size + m->f.outputs.size + m->p.indices.size;
  size_t operations = m->ops.size;
  for (size_t k = 0; k < m->p.inputs.size; ++k)
    inputs += m->reads[k];
  for (size_t s = 0; s <= m->f.sides.size; ++s) {
    MlirBlock block = s < m->f.sides.size ? m->f.sides.data[s].program : m->f.body;
    for (MlirOperation op = block.ptr ? mlirBlockGetFirstOperation(block) : (MlirOperation){0}; !sn_null(op);
         op = mlirOperationGetNextInBlock(op))
      ++operations;
  }
  if (inputs > SN_FUSED_OPERANDS)
    return sn_refuse(m->f.op, SN_WHY_MANY, (long)inputs, "operands", (long)SN_FUSED_OPERANDS);
  return operations <= SN_FUSED_OPERATIONS ||
         sn_refuse(m->f.op, SN_WHY_MANY, (long)operations, "operations", (long)SN_FUSED_OPERATIONS);
}

// What the result is made of: operations of p, and the inputs that they read.
static void find_needed(SnIntoSide *m) {
  MlirOperation yield = mlirBlockGetTerminator(m->p.body);
  MlirValue result = sn_operand(yield, (intptr_t)sn_output_position(&m->p, m->result));
  read_gathers(m);
  SnMap known = {0};
  for (size_t k = 0; k < m->values.size; ++k)
    sn_map(&known, m->values.data[k], m->values.data[k]);
  sn_needed_ops(result, &known, &m->ops);
  sn_map_free(&known);
  m->reads = sn_alloc(m->p.inputs.size + 1);
  for (size_t k = 0; k < m->p.inputs.size; ++k) {
    m->reads[k] = sn_same(m->values.data[k], result);
    for (size_t i = 0; i < m->ops.size && !m->reads[k]; ++i)
      for (intptr_t o = 0; o < sn_num_operands(m->ops.data[i]); ++o)
        m->reads[k] |= sn_same(m->values.data[k], sn_operand(m->ops.data[i], o));
  }
}

// Positions alone are no side, which has one access at least.
static bool has_access(const SnIntoSide *m) {
  bool any = sn_side(&m->f, m->side).count > 1;
  for (size_t k = 0; k < m->p.inputs.size; ++k)
    any |= m->reads[k];
  return any || sn_refuse(m->f.op, SN_WHY_SIDE_NO_INPUT);
}

bool sn_can_move_into_side(MlirOperation op, size_t input, SnIntoSide *m) {
  *m = (SnIntoSide){.f = sn_form_read(op), .input = input};
  m->read = &m->f.inputs.data[input];
  MlirOperation producer = sn_producer(&m->f, input, &m->result);
  if (sn_null(producer) || input >= sn_first_input(&m->f) || !sn_num_results(op))
    return false;
  while (input >= sn_side(&m->f, m->side).first + sn_side(&m->f, m->side).count)
    ++m->side;
  m->p = sn_form_read(producer);
  if (m->f.schedule.ptr || m->p.schedule.ptr)
    return sn_refuse(m->f.schedule.ptr ? op : producer, SN_WHY_SCHEDULED);
  if (m->p.contract || m->p.matrices.size) // rows that are multiplied again
    return sn_refuse(op, SN_WHY_SIDE_PRODUCT);
  if (sn_is_reduced(&m->p, m->result))
    return sn_refuse(op, SN_WHY_GRID);
  find_needed(m);
  follow_result(m);
  return has_access(m) && ops_fit(m) && inputs_fit(m) && bounds_fit(m) && dims_fit(m) && stays_small(m);
}

void sn_into_side_free(SnIntoSide *m) {
  sn_form_free(&m->f);
  sn_form_free(&m->p);
  sn_vec_free(&m->ops);
  sn_vec_free(&m->values);
  free(m->dims);
  free(m->reads);
}

// ---- doing it -------------------------------------------------------------------------------

// An access of p over the dimensions of f. Index tensors go behind those of `to`.
static SnAccess moved(const SnIntoSide *m, const SnAccess *a, SnForm *to) {
  MlirContext ctx = mlirOperationGetContext(m->f.op);
  MlirAffineExpr dims[SN_MAX_DIMS], results[SN_MAX_DIMS];
  int64_t through[SN_MAX_DIMS], sizes[SN_MAX_DIMS];
  intptr_t symbols = 0, n = mlirAffineMapGetNumResults(a->map), num_dims = (intptr_t)m->f.dims.size;
  for (size_t d = 0; d < m->p.dims.size; ++d)
    dims[d] = mlirAffineExprIsASymbol(m->dims[d]) ? mlirAffineConstantExprGet(ctx, 0) : m->dims[d];
  for (size_t d = 0; d < m->f.dims.size; ++d)
    sizes[d] = m->f.dims.data[d].size;
  SnAccess out = *a;
  MlirAffineMap map = sn_map_simplify(sn_map_replace(a->map, num_dims, dims), sizes);
  for (intptr_t i = 0; i < n; ++i) {
    MlirAffineExpr e = mlirAffineMapGetResult(a->map, i);
    intptr_t d = sn_map_dim(a->map, i);
    results[i] = mlirAffineMapGetResult(map, i);
    if (mlirAffineExprIsASymbol(e)) {
      SnAccess index = m->p.indices.data[mlirDenseI64ArrayGetElement(a->through, mlirAffineSymbolExprGetPosition(e))];
      index.map = sn_map_simplify(sn_map_replace(index.map, num_dims, dims), sizes);
      through[symbols] = (int64_t)to->indices.size;
      sn_push(&to->indices, index);
    } else if (d >= 0 && mlirAffineExprIsASymbol(m->dims[d])) {
      intptr_t of = mlirAffineSymbolExprGetPosition(m->dims[d]);
      through[symbols] = (int64_t)to->indices.size;
      sn_push(&to->indices, m->f.indices.data[mlirDenseI64ArrayGetElement(m->read->through, of)]);
    } else {
      continue;
    }
    results[i] = mlirAffineSymbolExprGet(ctx, symbols++);
  }
  out.map = mlirAffineMapGet(ctx, num_dims, symbols, n, results);
  out.through = symbols ? mlirDenseI64ArrayGet(ctx, symbols, through) : mlirAttributeGetNull();
  if (!m->read->fill.ptr || out.fill.ptr)
    return out;
  // Outside of the bounds anything is read, so zero, unless that is inside of this one too.
  MlirType t = sn_type_of(a->value), e = sn_element(t);
  bool inside = true;
  for (intptr_t i = 0; i < n; ++i) {
    int64_t low, high;
    intptr_t d = sn_map_dim(a->map, i);
    // A size `?` is that of the dimension, unless it has another size now.
    bool same = d >= 0 && mlirAffineExprIsADim(results[i]) &&
                m->p.dims.data[d].size == sizes[mlirAffineDimExprGetPosition(results[i])];
    inside &= sn_dim(t, i) == SN_DYNAMIC
                  ? same
                  : sn_affine_range(results[i], sizes, &low, &high) && low >= 0 && high < sn_dim(t, i);
  }
  if (!inside)
    out.fill = sn_is_float(e) ? mlirFloatAttrDoubleGet(ctx, e, 0) : mlirIntegerAttrGet(e, 0);
  return out;
}

// A block for the side's program, with an argument for each of its accesses.
static MlirBlock block_for(const SnForm *alone, MlirLocation loc) {
  SN_VEC(MlirType) types = {0};
  SN_VEC(MlirLocation) locs = {0};
  for (size_t k = 0; k < alone->inputs.size; ++k) {
    sn_push(&types, sn_access_type(alone, &alone->inputs.data[k]));
    sn_push(&locs, loc);
  }
  MlirBlock block = mlirBlockCreate((intptr_t)types.size, types.data, locs.data);
  sn_vec_free(&types);
  sn_vec_free(&locs);
  return block;
}

// What flows, in the side's program: p's result there, and the fill value outside of the bounds.
static MlirValue flowing(const SnIntoSide *m, SnBuilder *b, const SnForm *alone, const MlirAffineExpr *to_alone,
                         MlirBlock block, size_t first) {
  MlirAffineExpr *dims = sn_alloc((m->p.dims.size + 1) * sizeof *dims);
  MlirContext ctx = b->ctx;
  intptr_t n = (intptr_t)m->f.dims.size;
  for (size_t d = 0; d < m->p.dims.size; ++d) {
    bool symbol = mlirAffineExprIsASymbol(m->dims[d]); // nothing asks for the position there
    MlirAffineMap one = mlirAffineMapGet(ctx, n, 0, symbol ? 0 : 1, &m->dims[d]);
    dims[d] = symbol ? mlirAffineConstantExprGet(ctx, 0) : mlirAffineMapGetResult(sn_map_replace(one, n, to_alone), 0);
  }
  SnMap map = {0};
  for (size_t k = 0, at = first; k < m->p.inputs.size; ++k)
    if (m->reads[k])
      sn_map(&map, m->values.data[k], mlirBlockGetArgument(block, (intptr_t)at++));
  MlirValue v = sn_operand(mlirBlockGetTerminator(m->p.body), (intptr_t)sn_output_position(&m->p, m->result));
  v = sn_move_value(b, &m->p, v, dims, alone, &map);
  if (m->read->fill.ptr) {
    MlirValue inside = sn_emit_inside(b, alone, sn_map_replace(m->read->map, n, to_alone), sn_type_of(m->read->value));
    if (!sn_none(inside)) {
      MlirValue chosen[] = {inside, v, sn_constant(b, m->read->fill)};
      v = sn_row_op(b, "arith.select", (MlirType){0}, 3, chosen);
    }
  }
  sn_map_free(&map);
  free(dims);
  return v;
}

// The form with accesses of p in place of the one that goes, all in their order.
static SnForm with_accesses(const SnIntoSide *m) {
  const SnForm *f = &m->f;
  SnForm to = *f;
  memset(&to.inputs, 0, sizeof to.inputs);
  memset(&to.indices, 0, sizeof to.indices);
  memset(&to.sides, 0, sizeof to.sides);
  for (size_t s = 0; s < sn_num_sides(f); ++s) {
    SnSide of = sn_side(f, s);
    size_t first = to.inputs.size;
    for (size_t k = of.first; k < of.first + of.count; ++k)
      if (k != m->input) {
        SnAccess a = sn_with_own_indices(f, f->inputs.data[k], &to);
        sn_push(&to.inputs, a);
      }
    for (size_t k = 0; s == m->side && k < m->p.inputs.size; ++k)
      if (m->reads[k]) {
        SnAccess a = moved(m, &m->p.inputs.data[k], &to);
        sn_push(&to.inputs, a);
      }
    sn_push(&to.sides, ((SnSide){first, to.inputs.size - first, of.program}));
  }
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k) {
    SnAccess a = sn_with_own_indices(f, f->inputs.data[k], &to);
    sn_push(&to.inputs, a);
  }
  return to;
}

// What the side gives, in its new program: what flows there, through the program that it had.
static MlirValue through_program(const SnIntoSide *m, SnBuilder *b, MlirBlock block, MlirValue flows, MlirType row) {
  SnSide side = sn_side(&m->f, m->side);
  if (!side.program.ptr)
    return flows;
  SnMap map = {0};
  intptr_t next = 0;
  for (size_t k = side.first; k < side.first + side.count; ++k) {
    MlirValue argument = mlirBlockGetArgument(side.program, (intptr_t)(k - side.first));
    if (k != m->input)
      sn_map(&map, argument, mlirBlockGetArgument(block, next++));
    else
      sn_map(&map, argument, sn_is_row(argument) ? sn_as_row(b, flows, row) : flows);
  }
  sn_copy_ops(b, side.program, &map);
  MlirValue gives = sn_lookup(&map, sn_operand(mlirBlockGetTerminator(side.program), 0));
  sn_map_free(&map);
  return gives;
}

MlirOperation sn_move_into_side(SnIntoSide *m) {
  SnForm *f = &m->f, to = with_accesses(m);
  SnBuilder b = sn_before(f->op);
  b.loc = sn_fuse_loc(mlirOperationGetLocation(m->p.op), b.loc);
  int64_t at[SN_MAX_DIMS];
  MlirAffineExpr to_alone[SN_MAX_DIMS];
  SnForm alone = sn_side_form(&to, m->side, at);
  for (size_t d = 0; d < f->dims.size; ++d)
    to_alone[d] = mlirAffineDimExprGet(b.ctx, at[d]);
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = block_for(&alone, b.loc);
  mlirRegionAppendOwnedBlock(region, block);
  SnBuilder in = sn_at_end(block, b.loc);
  MlirValue v = flowing(m, &in, &alone, to_alone, block, sn_side(f, m->side).count - 1);
  MlirType row = sn_row_type(&alone, sn_type_of(v));
  v = through_program(m, &in, block, v, row);
  sn_op(&in, "sinter.yield", sn_as_row(&in, v, row), sn_types(0, NULL));
  to.sides.data[m->side].program = block;

  MlirOperation made = sn_with_other_sides(&b, f, &to);
  mlirOperationDestroy(f->op);
  mlirRegionDestroy(region);
  sn_form_free(&alone);
  sn_vec_free(&to.inputs);
  sn_vec_free(&to.indices);
  sn_vec_free(&to.sides);
  return made;
}
