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

static MlirLogicalResult check_yielded(const Region *r, MlirOperation yield, intptr_t k, MlirType element, bool row) {
  MlirType wanted = row ? sn_row_type(r->f, element) : element;
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
  MlirType row = sn_row_type(f, mlirIndexTypeGet(mlirOperationGetContext(f->op)));
  for (MlirOperation op = mlirBlockGetFirstOperation(r->block); !mlirOperationEqual(op, *yield);
       op = mlirOperationGetNextInBlock(op)) {
    if (!sn_row_op_of(op) && !sn_is_use(op)) // F15
      return sn_error(
          op, "is no operation of a row program; the %s of %s holds arith, math, sinter's row operations and cf.assert",
          r->name, sn_name(f->op));
    for (intptr_t k = 0; k < sn_num_results(op); ++k) {
      MlirType t = sn_type_of(sn_result(op, k));
      bool of_row = sn_is_row_type(t) && sn_dim(t, 0) == sn_dim(row, 0);
      if (!sn_is_scalar_type(t) && !of_row) // F18
        return sn_error(op, "gives %s; values of this row program are scalars, or rows as long as %s",
                        sn_show_type(t).text, sn_show_type(row).text);
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
    result = check_count(&r, mlirBlockGetNumArguments(r.block), (intptr_t)(f->products.size + f->inputs.size - first));
  for (size_t p = 0; p < f->products.size && !sn_failed(result); ++p) // F11
    result = check_argument(&r, (intptr_t)p, sn_row_type(f, f->products.data[p].type));
  for (size_t k = first; k < f->inputs.size && !sn_failed(result); ++k) // F11
    result = check_argument(&r, (intptr_t)(k - f->products.size), sn_access_type(f, &f->inputs.data[k]));
  for (size_t k = 0; k < f->accumulators.size && !sn_failed(result); ++k) // F12
    result = check_yielded(&r, yield, (intptr_t)k, f->accumulators.data[k].type,
                           sn_uses_cols(f, f->accumulators.data[k].map));
  for (size_t k = 0; k < f->outputs.size && !sn_failed(result); ++k)
    if (!sn_is_reduced(f, k)) // F12
      result = check_yielded(&r, yield, (intptr_t)sn_output_position(f, k),
                             sn_element(sn_type_of(f->outputs.data[k].value)), sn_uses_cols(f, f->outputs.data[k].map));
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
    result = check_argument(&r, (intptr_t)k, sn_uses_cols(f, a->map) ? sn_row_type(f, a->type) : a->type);
  }
  for (size_t k = sn_first_input(f); k < f->inputs.size && !sn_failed(result); ++k)
    if (sn_is_uniform(f, k)) // F13
      result = check_argument(&r, next++, sn_access_type(f, &f->inputs.data[k]));
  for (size_t k = 0; k < f->outputs.size && !sn_failed(result); ++k)
    if (sn_is_reduced(f, k)) // F13
      result = check_yielded(&r, yield, (intptr_t)sn_output_position(f, k),
                             sn_element(sn_type_of(f->outputs.data[k].value)), sn_uses_cols(f, f->outputs.data[k].map));
  return result;
}
