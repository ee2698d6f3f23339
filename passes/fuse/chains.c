// chains.c: products go on from the rows of another kernel, in the same kernel.
//
//   h = tanh(x W1); y = h W2        ->  one form of two groups of columns; h is not stored
//   p = softmax(q k); o = p v       ->  one form
//
// Behind the pairs, which work on plain forms: what one kernel does beside its products is in it by then. Each form
// joins those that make rows for its products, from the first form of the block to the last, so a chain grows as long
// as it goes on. Nothing is computed twice, and a row is read where it was made, so whatever is legal is wanted; what a
// target had better run apart, sinter-split cuts again.
//
// Legality is merge/chain_match.c, doing it merge/chained.c.
//
// runs in: fuse, explain    test: test/passes/fuse/chains.mlir

#include "lowering/facts/gpu_chains.h"
#include "lowering/facts/gpu_layers.h"
#include "passes/fuse/fuse.h"

// An elementwise form has whatever columns a product sums over: those become its columns.
static MlirOperation with_columns(MlirOperation a, MlirOperation b) {
  SnForm f = sn_form_read(a), g = sn_form_read(b);
  bool free = sn_is_elementwise_form(&f) && !f.schedule.ptr, wanted[SN_MAX_DIMS] = {false}, any = false, differ = false;
  for (size_t k = 0; k < 2 * g.products.size && free && !any && !g.sides.size; ++k) {
    const SnAccess *read = &g.inputs.data[k];
    if (!mlirOperationEqual(sn_definer(read->value), a) || read->through.ptr || read->fill.ptr)
      continue;
    int64_t own = sn_first_own(&g, k / 2), end = own + g.products.data[k / 2].num_dims;
    MlirAffineMap written = f.outputs.data[mlirOpResultGetResultNumber(read->value)].map;
    for (intptr_t p = 0; p < mlirAffineMapGetNumResults(written); ++p) {
      intptr_t d = sn_map_dim(written, p), e = sn_map_dim(read->map, p);
      if (d >= 0)
        any |= wanted[d] = e >= own && e < end;
    }
  }
  for (size_t d = 0; d < f.dims.size && any; ++d)
    differ |= wanted[d] != sn_is_col_dim(&f, (intptr_t)d);
  if (differ && sn_can_resplit(&f, wanted))
    a = sn_resplit(a, wanted);
  sn_form_free(&f);
  sn_form_free(&g);
  return a;
}

// Elements that a product of b reads, and others too, where b's rows are multiplied again: tensor cores take them from
// memory, where they are anyway (side_makers.c).
static bool is_copied(MlirOperation a, MlirOperation b, const SnPolicy *policy) {
  SnForm f = sn_form_read(a);
  bool shared = false;
  for (intptr_t k = 0; k < sn_num_results(a); ++k)
    for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(a, k)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      shared |= !mlirOperationEqual(mlirOpOperandGetOwner(use), b);
  bool copied = policy->tensor_cores && shared && sn_is_elementwise_form(&f) && sn_is_multiplied_again(b);
  sn_form_free(&f);
  return copied;
}

// b is one kernel of a GPU, which multiplies rows that it makes a block of columns at a time. With rows of a's in front
// it would be none: what a makes is copied, too (what comes from behind attention, through a projection).
static bool is_kernel_already(MlirOperation b, const SnPolicy *policy) {
  SnForm f = sn_form_read(b);
  bool kernel = policy->tensor_cores && f.matrices.size && !sn_gpu_not_chain_in(&f, policy->parts_from) &&
                sn_gpu_not_layers(&f);
  sn_form_free(&f);
  return kernel;
}

bool sn_can_chain_here(MlirOperation a, MlirOperation b, SnOpVec *waiting, const SnPolicy *policy) {
  SnChain c;
  if (is_copied(a, b, policy))
    return sn_refuse(b, SN_WHY_SIDE_COPIED);
  if (is_kernel_already(b, policy))
    return sn_refuse(b, SN_WHY_CHAIN_KERNEL);
  bool ok = sn_can_chain(a, b, &c) && sn_nothing_between(NULL, a, b, waiting);
  sn_chain_free(&c);
  return ok;
}

// One form in place of the two, or null: a is as it was then.
static MlirOperation join(MlirOperation a, MlirOperation b, const SnPolicy *policy) {
  SnOpVec waiting = {0};
  MlirOperation made = {0};
  SnMap none = {0};
  SnBuilder before = sn_before(a);
  MlirOperation was = sn_clone(&before, a, &none);
  sn_map_free(&none);
  a = with_columns(a, b);
  bool chains = sn_can_chain_here(a, b, &waiting, policy);
  for (intptr_t k = 0; !chains && k < sn_num_results(a); ++k)
    mlirValueReplaceAllUsesOfWith(sn_result(a, k), sn_result(was, k));
  mlirOperationDestroy(chains ? was : a);
  if (chains) {
    SnChain c;
    sn_can_chain(a, b, &c);
    made = sn_chain(&c);
    sn_chain_free(&c);
    sn_move_behind(NULL, made, &waiting);
    made = sn_tidy(made);
  }
  sn_vec_free(&waiting);
  return made;
}

// The form with the first one that makes a row for its products in it; null if there is none.
static MlirOperation join_one(MlirOperation form, const SnPolicy *policy) {
  for (intptr_t i = 0; i < sn_num_operands(form); ++i) {
    MlirOperation a = sn_definer(sn_operand(form, i));
    bool other = sn_null(a) || !sn_is_form(a) ||
                 !mlirBlockEqual(mlirOperationGetBlock(a), mlirOperationGetBlock(form)) || !sn_is_multiplied(a, form);
    for (intptr_t k = 0; k < i && !other; ++k) // asked already
      other = mlirOperationEqual(sn_definer(sn_operand(form, k)), a);
    if (other)
      continue;
    MlirOperation made = join(a, form, policy);
    if (!sn_null(made))
      return made;
  }
  return (MlirOperation){0};
}

bool sn_fuse_chains(MlirBlock block, const SnPolicy *policy) {
  bool changed = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op);) {
    MlirOperation made = sn_is(op, "sinter.contract") && sn_num_results(op) ? join_one(op, policy) : (MlirOperation){0};
    changed |= !sn_null(made);
    op = sn_null(made) ? mlirOperationGetNextInBlock(op) : made;
  }
  return changed;
}
