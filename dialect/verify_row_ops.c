// verify_row_ops.c: the rules of the row operations, one function an op.
//
// new row operation: its rules, by the labels of its declaration.
//
// test: test/dialect/invalid.mlir, @y1.. @r1.. @b1.. @i1.. @n1.. @c1.. @g1..

#include "dialect/definition.h"
#include "dialect/sequence.h"
#include "dialect/verify.h"
#include <stdio.h>

MlirLogicalResult sinter_yield_verify(MlirOperation op);
MlirLogicalResult sinter_row_reduce_verify(MlirOperation op);
MlirLogicalResult sinter_broadcast_verify(MlirOperation op);
MlirLogicalResult sinter_index_verify(MlirOperation op);
MlirLogicalResult sinter_random_verify(MlirOperation op);
MlirLogicalResult sinter_pick_verify(MlirOperation op);
MlirType sinter_pick_infer(intptr_t n, const MlirValue *operands);
MlirLogicalResult sinter_gather_verify(MlirOperation op);

MlirLogicalResult sinter_yield_verify(MlirOperation op) {
  MlirOperation parent = mlirOperationGetParentOperation(op);
  bool other = sn_is(parent, "sinter.steps") || sn_is(parent, "sinter.define_steps") || sn_is_sequence(parent);
  if (sn_null(parent) || !(other || sn_in_row_program(op) || sn_is(parent, "sinter.row_reduce"))) // Y1
    return sn_error(op, "stands in '%s'; it ends a region of a form, of a definition, of a sinter.row_reduce or of a "
                       "sinter.sequence",
                    sn_null(parent) ? "nothing" : sn_name(parent));
  return SN_OK;
}

// ---- row_reduce -----------------------------------------------------------------

static MlirLogicalResult check_combiner(MlirOperation op, MlirType type) {
  if (sn_num_operands(op) != 2 || !mlirTypeEqual(sn_type_of(sn_operand(op, 1)), type)) // R4
    return sn_error(op, "has a combiner region and %s; give `init(%%identity : %s)`",
                    sn_num_operands(op) == 2 ? "an init of another type" : "no init", sn_show_type(type).text);
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  MlirOperation yield = mlirBlockGetTerminator(block);
  bool two = mlirBlockGetNumArguments(block) == 2;
  for (intptr_t k = 0; k < 2 && two; ++k)
    two = mlirTypeEqual(sn_type_of(mlirBlockGetArgument(block, k)), type);
  if (mlirBlockGetNextInRegion(block).ptr || !two) // R4
    return sn_error(op, "has a combiner region that is not one block with two arguments of type %s",
                    sn_show_type(type).text);
  MlirValue v = sn_is(yield, "sinter.yield") && sn_num_operands(yield) == 1 ? sn_operand(yield, 0) : (MlirValue){0};
  if (sn_none(v) || !mlirTypeEqual(sn_type_of(v), type)) // R4
    return sn_error(op, "has a combiner region that does not yield one %s", sn_show_type(type).text);
  for (MlirOperation inner = mlirBlockGetFirstOperation(block); !mlirOperationEqual(inner, yield);
       inner = mlirOperationGetNextInBlock(inner))
    if (!sn_in_dialect(inner, "arith") && !sn_in_dialect(inner, "math")) // R4
      return sn_error(inner, "stands in a combiner, which holds arith and math only");
  return SN_OK;
}

MlirLogicalResult sinter_row_reduce_verify(MlirOperation op) {
  MlirType row = sn_type_of(sn_operand(op, 0)), type = sn_type_of(sn_result(op, 0)), element = sn_element(row);
  if (!sn_is_row_type(row)) // R1
    return sn_error(op, "reduces %s; give a row, a one-dimensional tensor", sn_show_type(row).text);
  bool wider = sn_is_float(element) && sn_is_float(type) && sn_bits(type) > sn_bits(element);
  if (!mlirTypeEqual(type, element) && !wider) // R3
    return sn_error(op, "reduces elements of %s to %s; give that type, or of floats a wider one",
                    sn_show_type(element).text, sn_show_type(type).text);
  MlirAttribute kind = sn_get_attr(op, "kind");
  bool region = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)).ptr != NULL;
  if (!kind.ptr) // R4
    return region ? check_combiner(op, type) : sn_error(op, "has neither the name of a combiner nor a region");
  if (region || sn_num_operands(op) != 1) // R4
    return sn_error(op, "has the name of a combiner and %s; leave one out", region ? "a region" : "an init");
  MlirStringRef name = mlirStringAttrGetValue(kind);
  const SnCombiner *c = sn_combiner(name);
  if (!c) { // R2
    SnShown all = {{0}};
    for (c = sn_combiners; c->kind; ++c) {
      size_t used = strlen(all.text);
      snprintf(all.text + used, sizeof all.text - used, "%s%s", used ? ", " : "", c->kind);
    }
    return sn_error(op, "combines by '%.*s'; take one of %s", (int)name.length, name.data, all.text);
  }
  if (!sn_combiner_fits(c, type)) // R2
    return sn_error(op, "combines by '%s', which does not fit type %s", c->kind, sn_show_type(type).text);
  return SN_OK;
}

// ---- broadcast, index, pick, gather ----------------------------------------------------------

MlirLogicalResult sinter_broadcast_verify(MlirOperation op) {
  MlirType scalar = sn_type_of(sn_operand(op, 0)), row = sn_type_of(sn_result(op, 0));
  if (!sn_is_scalar_type(scalar) || !sn_is_row_type(row) || !mlirTypeEqual(sn_element(row), scalar)) // B1
    return sn_error(op, "gives %s of %s; a scalar becomes a row of its own type", sn_show_type(row).text,
                    sn_show_type(scalar).text);
  return SN_OK;
}

// The side whose program the operation stands in; sn_num_sides(f) if it stands in none.
static size_t side_around(const SnForm *f, MlirOperation op) {
  size_t s = 0;
  while (s < f->sides.size && !mlirBlockEqual(mlirOperationGetBlock(op), f->sides.data[s].program))
    ++s;
  return s < f->sides.size ? s : sn_num_sides(f);
}

// What the position in dimension d is: one number for each row, or a row along the dimension's group or, in the program
// of a side, along what is summed.
static MlirType position_type(const SnForm *f, size_t side, intptr_t d, MlirType index) {
  if (side < sn_num_sides(f)) {
    SnGroup summed = sn_side_summed(f, side);
    int64_t dims[SN_MAX_DIMS];
    SnForm alone = sn_side_form(f, side, dims);
    MlirType row = sn_row_type(&alone, index);
    sn_form_free(&alone);
    return d >= summed.first && d < summed.first + summed.num_dims ? row : index;
  }
  for (size_t g = 0; g < sn_num_groups(f); ++g) {
    SnGroup group = sn_group(f, g);
    if (d >= group.first && d < group.first + group.num_dims)
      return sn_group_type(f, g, index);
  }
  return index;
}

MlirLogicalResult sinter_index_verify(MlirOperation op) {
  MlirStringRef name = mlirStringAttrGetValue(sn_get_attr(op, "dim"));
  MlirOperation parent = sn_program_around(op);
  if (!sn_null(parent) && !sn_is_form(parent) && sn_in_row_program(op)) {
    MlirType is = sn_type_of(sn_result(op, 0));
    bool position = sn_is_row_type(is) && mlirTypeIsAIndex(sn_element(is)), number = mlirTypeIsAIndex(is);
    bool column = sn_dim_word(name, "column", sn_definition_columns(parent)) >= 0;
    bool row = !column && (sn_dim_word(name, "row", 1) >= 0 || sn_dim_word(name, "row", SN_MAX_DIMS) >= 0);
    if (!(column && position) && !(row && number)) // I1
      return sn_error(op,
                      "is '%.*s' of type %s; in a definition there is the position in the row, `column`, "
                      "tensor<?xindex> (`column0` and so on of several), and which row it is, `row`, index",
                      (int)name.length, name.data, sn_show_type(is).text);
    return SN_OK;
  }
  if (sn_null(parent) || !sn_is_form(parent)) // I1
    return sn_error(op, "stands in '%s'; it is the position in a form's own region",
                    sn_null(parent) ? "nothing" : sn_name(parent));
  if (!sn_form_is_readable(parent, NULL, 0))
    return SN_FAIL; // reported at the form
  SnForm f = sn_form_read(parent);
  bool in_finish = mlirBlockEqual(mlirOperationGetBlock(op), f.finish);
  size_t side = side_around(&f, op);
  SnGroup own = side < sn_num_sides(&f) ? sn_side_summed(&f, side) : (SnGroup){0};
  intptr_t d = 0, end = f.num_rows + f.num_cols, all = (intptr_t)f.dims.size;
  while (d < all && !mlirStringRefEqual(f.dims.data[d].name, name))
    ++d;
  bool there = d < end || (d >= own.first && d < own.first + own.num_dims);
  MlirType index = mlirIndexTypeGet(mlirOperationGetContext(op)), is = sn_type_of(sn_result(op, 0));
  MlirType wanted = there ? position_type(&f, side, d, index) : index;
  MlirLogicalResult result = SN_OK;
  if (!there) // I1
    result = sn_error(op, "'%.*s' is no row or column dimension of the form around it%s", (int)name.length, name.data,
                      side < sn_num_sides(&f) ? ", nor summed with this side" : "");
  else if (in_finish && d < f.num_rows) // I1
    result = sn_error(op, "'%.*s' is a row dimension, and finish runs behind all rows", (int)name.length, name.data);
  else if (!mlirTypeEqual(is, wanted)) // I2
    result = sn_error(op, "gives %s, and the position in '%.*s' is %s", sn_show_type(is).text, (int)name.length,
                      name.data, sn_show_type(wanted).text);
  sn_form_free(&f);
  return result;
}

// A scalar, a row, or lanes of one, as `shape` is, of such elements.
static MlirType like(MlirType shape, MlirType element) {
  if (mlirTypeIsAVector(shape))
    return sn_vector(element, sn_dim(shape, 0));
  return sn_is_row_type(shape) ? sn_tensor_like(shape, element) : element;
}

MlirLogicalResult sinter_random_verify(MlirOperation op) {
  MlirType first = sn_type_of(sn_operand(op, 0)), y = sn_type_of(sn_result(op, 0)), e = sn_element(y);
  for (intptr_t k = 0; k < 3; ++k) {
    MlirType t = sn_type_of(sn_operand(op, k)), of = sn_element(t);
    bool fits = mlirTypeIsAIndex(of) || (sn_is_int(of) && (sn_bits(of) == 32 || sn_bits(of) == 64));
    if (!fits || !mlirTypeEqual(like(t, e), like(first, e))) // N1
      return sn_error(op,
                      "has operand %td of type %s beside %s; give integers of 32 or 64 bits or index, all of them "
                      "scalars or all of them rows of one length",
                      k, sn_show_type(t).text, sn_show_type(first).text);
  }
  bool known = mlirTypeIsAF32(e) || mlirTypeIsAF64(e) || (sn_is_int(e) && !mlirTypeIsAIndex(e) && sn_bits(e) == 32);
  if (!known || !mlirTypeEqual(y, like(first, e))) // N2
    return sn_error(op, "gives %s of %s; it gives f32, f64 or i32, a row of it where it is given rows",
                    sn_show_type(y).text, sn_show_type(first).text);
  return SN_OK;
}

MlirLogicalResult sinter_pick_verify(MlirOperation op) {
  MlirType x = sn_type_of(sn_operand(op, 0)), t = sn_type_of(sn_operand(op, 1)),
           otherwise = sn_type_of(sn_operand(op, 2)), y = sn_type_of(sn_result(op, 0));
  if (!sn_is_row_type(x)) // C1
    return sn_error(op, "picks from %s; give a row, a one-dimensional tensor", sn_show_type(x).text);
  if (!sn_is_scalar_type(t) || sn_is_float(t)) // C1
    return sn_error(op, "picks by an index of type %s; give an integer or index scalar", sn_show_type(t).text);
  if (!mlirTypeEqual(otherwise, sn_element(x)) || !mlirTypeEqual(y, sn_element(x))) // C2
    return sn_error(op, "picks %s, or else %s, from %s; both have the type of the elements", sn_show_type(y).text,
                    sn_show_type(otherwise).text, sn_show_type(x).text);
  return SN_OK;
}

MlirType sinter_pick_infer(intptr_t n, const MlirValue *operands) {
  return n ? sn_element(sn_type_of(operands[0])) : (MlirType){0};
}

MlirLogicalResult sinter_gather_verify(MlirOperation op) {
  intptr_t n = sn_num_operands(op) - 2;
  MlirValue table = sn_operand(op, 0);
  MlirType t = sn_type_of(table), otherwise = sn_type_of(sn_operand(op, n + 1)), y = sn_type_of(sn_result(op, 0)),
           row = {0};
  if (!mlirTypeIsAMemRef(t) || !mlirValueIsABlockArgument(table)) // G1
    return sn_error(op, "gathers from %s; give an argument of the body whose subscripts are `?`", sn_show_type(t).text);
  if (sn_rank(t) != n) // G1
    return sn_error(op, "gives %td subscripts to a table of rank %lld", n, (long long)sn_rank(t));
  for (intptr_t k = 1; k <= n; ++k) {
    MlirType s = sn_type_of(sn_operand(op, k));
    bool is_row = sn_is_row_type(s);
    if ((!is_row && !sn_is_scalar_type(s)) || sn_is_float(sn_element(s))) // G2
      return sn_error(op, "subscript %td has type %s; give an integer or index, or a row of them", k - 1,
                      sn_show_type(s).text);
    if (is_row)
      row = s;
  }
  MlirType wanted = sn_element(t);
  if (row.ptr) {
    int64_t length = sn_dim(row, 0);
    wanted = sn_tensor(wanted, 1, &length);
  }
  if (!mlirTypeEqual(otherwise, sn_element(t)) || !mlirTypeEqual(y, wanted)) // G3
    return sn_error(op, "gives %s, or else %s, of %s by these subscripts; %s is what it gives", sn_show_type(y).text,
                    sn_show_type(otherwise).text, sn_show_type(t).text, sn_show_type(wanted).text);
  return SN_OK;
}

static bool is_no_narrower(MlirType wide, MlirType narrow) {
  return sn_is_float(wide) == sn_is_float(narrow) && sn_bits(wide) >= sn_bits(narrow);
}

MlirLogicalResult sinter_row_product_verify(MlirOperation op) {
  MlirValue matrix = sn_operand(op, 1);
  MlirType x = sn_type_of(sn_operand(op, 0)), t = sn_type_of(matrix), y = sn_type_of(sn_result(op, 0));
  MlirOperation form = mlirOperationGetParentOperation(op);
  if (sn_null(form) || !sn_is_form(form) || !mlirValueIsABlockArgument(matrix)) // X1
    return sn_error(op, "multiplies by a value that is no argument of a form's body; give one of its matrices");
  if (!sn_form_is_readable(form, NULL, 0))
    return SN_FAIL; // reported at the form
  SnForm f = sn_form_read(form);
  intptr_t m = mlirBlockArgumentGetArgNumber(matrix) - (intptr_t)f.products.size;
  bool is_matrix = mlirBlockEqual(mlirBlockArgumentGetOwner(matrix), f.body) && m >= 0 && m < (intptr_t)f.matrices.size;
  sn_form_free(&f);
  if (!is_matrix) // X1
    return sn_error(op, "multiplies by %s, which is no matrix of the form", sn_show_type(t).text);
  if (!sn_is_row_type(x) || sn_dim(x, 0) != sn_dim(t, 0)) // X2
    return sn_error(op, "multiplies %s by %s; give a row as long as the matrix has rows", sn_show_type(x).text,
                    sn_show_type(t).text);
  if (!sn_is_row_type(y) || sn_dim(y, 0) != sn_dim(t, 1)) // X2
    return sn_error(op, "gives %s of %s; the result is a row as long as the matrix has columns", sn_show_type(y).text,
                    sn_show_type(t).text);
  if (!is_no_narrower(sn_element(y), sn_element(x)) || !is_no_narrower(sn_element(y), sn_element(t))) // X3
    return sn_error(op, "multiplies %s by %s in %s; give a type of their kind, and no narrower", sn_show_type(x).text,
                    sn_show_type(t).text, sn_show_type(sn_element(y)).text);
  return SN_OK;
}
