// verify_regions.c: the body of a form and its finish.
//
//   ^row(products..., inputs...):   -> yield accumulators..., destinations that are not reduced...
//   ^done(accumulators..., uniform inputs...):  -> yield reduced destinations...
//
// A parent is verified before what it holds, so operands and operations inside
// may still be broken here: null operands and a missing terminator are met.
//
// test: test/dialect/invalid.mlir, @f11.. to @f18..

#include "dialect/definition.h"
#include "dialect/row_ops.h"
#include "dialect/verify.h"

typedef struct {
  const SnForm *f;
  const char *name; // "body" or "finish"
  MlirBlock block;
} Region;

static MlirLogicalResult check_count(const Region *r, intptr_t is, intptr_t wanted) {
  if (is == wanted)
    return SN_OK;
  return sn_error(r->f->op, "the %s has %td arguments, and %td are given to it", r->name, is, wanted); // F11, F13
}

static MlirLogicalResult check_argument(const Region *r, intptr_t k, MlirType wanted) {
  MlirType is = sn_type_of(mlirBlockGetArgument(r->block, k));
  if (mlirTypeEqual(is, wanted))
    return SN_OK;
  return sn_error(r->f->op, "argument %td of the %s has type %s, and %s is given to it", k, r->name,
                  sn_show_type(is).text, // F11, F13
                  sn_show_type(wanted).text);
}

// What is stored by this map: a row of its group, or a scalar.
static MlirType stored_type(const SnForm *f, MlirAffineMap map, MlirType element) {
  int64_t group = sn_group_of_map(f, map);
  return group >= 0 ? sn_group_type(f, (size_t)group, element) : element;
}

static MlirLogicalResult check_yielded(const Region *r, MlirOperation yield, intptr_t k, MlirType element,
                                       MlirAffineMap map) {
  MlirType wanted = stored_type(r->f, map, element);
  MlirValue v = sn_operand(yield, k);
  if (!sn_none(v) && mlirTypeEqual(sn_type_of(v), wanted))
    return SN_OK;
  return sn_error(r->f->op, "value %td that the %s yields has type %s, and %s is needed", k, r->name, // F12, F13
                  sn_none(v) ? "<null>" : sn_show_type(sn_type_of(v)).text, sn_show_type(wanted).text);
}

// One block that ends in a yield of `n` values, which is stored.
static MlirLogicalResult check_block(const Region *r, MlirOperation *yield, size_t n) {
  const SnForm *f = r->f;
  if (!r->block.ptr || mlirBlockGetNextInRegion(r->block).ptr) // F15
    return sn_error(f->op, "the %s has %s; a row program is one block", r->name,
                    r->block.ptr ? "more than 1 block" : "0 blocks");
  *yield = mlirBlockGetTerminator(r->block);
  if (!sn_is(*yield, "sinter.yield")) // F15
    return sn_error(f->op, "the %s does not end in sinter.yield", r->name);
  for (MlirOperation op = mlirBlockGetFirstOperation(r->block); !mlirOperationEqual(op, *yield);
       op = mlirOperationGetNextInBlock(op)) {
    if (!sn_row_op_of(op) && !sn_is_use(op) && !sn_is_whole_rows(op)) // F15
      return sn_error(
          op, "is no operation of a row program; the %s of %s holds arith, math, sinter's row operations and cf.assert",
          r->name, sn_name(f->op));
    for (intptr_t k = 0; k < sn_num_results(op); ++k) {
      MlirType t = sn_type_of(sn_result(op, k));
      bool of_row = false;
      for (size_t g = 0; g < sn_num_groups(f); ++g)
        of_row |= sn_is_row_type(t) && sn_dim(t, 0) == sn_group_length(f, g);
      if (!sn_is_scalar_type(t) && !of_row) // F18
        return sn_error(op, "gives %s; values of this row program are scalars, or rows as long as %s",
                        sn_show_type(t).text,
                        sn_show_type(sn_row_type(f, mlirIndexTypeGet(mlirOperationGetContext(f->op)))).text);
    }
  }
  if (sn_num_operands(*yield) != (intptr_t)n) // F12, F13
    return sn_error(f->op, "the %s yields %td values, and %zu are needed", r->name, sn_num_operands(*yield), n);
  return SN_OK;
}

MlirLogicalResult sn_verify_body(const SnForm *f) {
  Region r = {f, "body", f->body};
  size_t first = sn_first_input(f), reduced = sn_num_reduced(f);
  MlirOperation yield;
  MlirLogicalResult result = check_block(&r, &yield, f->accumulators.size + f->outputs.size - reduced);
  if (!sn_failed(result)) // F11
    result = check_count(&r, mlirBlockGetNumArguments(r.block),
                         (intptr_t)(f->products.size + f->matrices.size + f->inputs.size - first));
  intptr_t next = 0;
  for (size_t p = 0; p < f->products.size && !sn_failed(result); ++p) // F11
    result =
        check_argument(&r, next++, sn_group_type(f, (size_t)sn_group_of_product(f, p), f->products.data[p].type));
  for (size_t m = 0; m < f->matrices.size && !sn_failed(result); ++m) // F11
    result = check_argument(&r, next++, sn_matrix_type(f, m));
  for (size_t k = first; k < f->inputs.size && !sn_failed(result); ++k) // F11
    result = check_argument(&r, next++, sn_access_type(f, &f->inputs.data[k]));
  for (size_t k = 0; k < f->accumulators.size && !sn_failed(result); ++k) // F12
    result = check_yielded(&r, yield, (intptr_t)k, f->accumulators.data[k].type, f->accumulators.data[k].map);
  size_t seen[2] = {0};
  for (size_t k = 0; k < f->outputs.size && !sn_failed(result); ++k) {
    intptr_t position = (intptr_t)sn_next_position(f, k, seen);
    if (!sn_is_reduced(f, k)) // F12
      result = check_yielded(&r, yield, position, sn_element(sn_type_of(f->outputs.data[k].value)),
                             f->outputs.data[k].map);
  }
  return result;
}

MlirLogicalResult sn_verify_finish(const SnForm *f) {
  if (!f->finish.ptr)
    return SN_OK;
  Region r = {f, "finish", f->finish};
  MlirOperation yield;
  MlirLogicalResult result = check_block(&r, &yield, sn_num_reduced(f));
  intptr_t wanted = (intptr_t)f->accumulators.size, next = wanted;
  for (size_t k = sn_first_input(f); k < f->inputs.size; ++k)
    wanted += sn_is_uniform(f, k);
  if (!sn_failed(result)) // F13
    result = check_count(&r, mlirBlockGetNumArguments(r.block), wanted);
  for (size_t k = 0; k < f->accumulators.size && !sn_failed(result); ++k) { // F13
    const SnAccumulator *a = &f->accumulators.data[k];
    result = check_argument(&r, (intptr_t)k, stored_type(f, a->map, a->type));
  }
  for (size_t k = sn_first_input(f); k < f->inputs.size && !sn_failed(result); ++k)
    if (sn_is_uniform(f, k)) // F13
      result = check_argument(&r, next++, sn_access_type(f, &f->inputs.data[k]));
  size_t seen[2] = {0};
  for (size_t k = 0; k < f->outputs.size && !sn_failed(result); ++k) {
    intptr_t position = (intptr_t)sn_next_position(f, k, seen);
    if (sn_is_reduced(f, k)) // F13
      result = check_yielded(&r, yield, position, sn_element(sn_type_of(f->outputs.data[k].value)),
                             f->outputs.data[k].map);
  }
  return result;
}
