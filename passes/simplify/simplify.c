// simplify.c: the algebra on row programs, to a fixed point.
//
//   sum_j select(j == t, f_j, 0)  ->  pick(f, t)          simplify/one_hot.c
//   mulf (broadcast a, broadcast b) -> broadcast mulf a, b  simplify/broadcasts.c
//   all (s | m)                   ->  s | all m             simplify/conditions.c
//   fpowi x, 2                    ->  x * x               simplify/arithmetic.c
//   e / broadcast (sum e)         ->  e * broadcast (1 / sum e)   simplify/softmax.c
//   what cancels is no part of a maximum's, or a mean's, gradient   simplify/zero_sums.c
//   a total walks along the classes of a one-hot        simplify/row_one_hot.c
//   x[h floordiv 2], h < 2        ->  x[0]                simplify/subscripts.c
//   gather %t[x * 2 + 3]          ->  %t[x * 2 + 3]       simplify/placed_gathers.c
//   (b = 1, i = 7) by (j = 5)     ->  (i = 7) by (j = 5)  simplify/unit_dims.c
//   product of side(x * r)        ->  (product of x) * r  simplify/side_factors.c
//   product of side(k == i ? d : 0), w  ->  d[i] * w[i]   simplify/one_hot_sides.c
//   a product of bytes in i64     ->  in i32                      simplify/narrow_products.c
//   outputs, inputs, columns that nothing uses -> gone    edit/prune.c
//
// Rules only remove work: none makes a kernel read, write or compute more.
//
// new rule of the algebra: a file of rules in this folder, named in the list here.
//
// runs in: alone, fuse    test: test/passes/simplify/*.mlir

#include "passes/edit/edit.h"
#include "passes/edit/rewrite.h"
#include "passes/simplify/simplify.h"

extern SnRules sn_simplify_one_hot, sn_simplify_broadcast, sn_simplify_arith, sn_simplify_softmax,
    sn_simplify_zero_sums, sn_simplify_conditions;
static const SnRule *const rules[] = {sn_simplify_one_hot,
                                      sn_simplify_broadcast,
                                      sn_simplify_arith,
                                      sn_simplify_softmax,
                                      sn_simplify_zero_sums,
                                      sn_simplify_conditions,
                                      NULL};

static void collect_forms(MlirOperation root, SnOpVec *forms) {
  static const char *const names[] = {"sinter.rowwise", "sinter.contract"};
  for (int i = 0; i < 2; ++i) {
    SnOpVec found = sn_collect(root, names[i]);
    for (size_t k = 0; k < found.size; ++k)
      sn_push(forms, found.data[k]);
    sn_vec_free(&found);
  }
}

MlirLogicalResult sn_simplify(MlirOperation root) {
  SnOpVec all = {0};
  collect_forms(root, &all);
  for (size_t i = 0; i < all.size; ++i) {
    sn_simplify_subscripts(all.data[i]);
    if (!sn_drop_sums_of_one(all.data[i]))
      sn_drop_unit_dims(all.data[i]);
  }
  sn_vec_free(&all);
  SnOpVec contracts = sn_collect(root, "sinter.contract");
  for (size_t i = 0; i < contracts.size; ++i)
    sn_narrow_products(contracts.data[i]);
  sn_vec_free(&contracts);
  SnOpVec totals = sn_collect(root, "sinter.rowwise");
  for (size_t i = 0; i < totals.size; ++i)
    if (sn_num_results(totals.data[i]))
      sn_walk_along_classes(totals.data[i]);
  sn_vec_free(&totals);
  if (sn_failed(sn_apply_rules(root, rules)))
    return sn_error(root, "the row algebra does not come to an end");
  for (bool changed = true; changed;) { // of each side in turn
    changed = false;
    SnOpVec contracts = sn_collect(root, "sinter.contract");
    for (size_t i = 0; i < contracts.size; ++i)
      changed |= sn_num_results(contracts.data[i]) &&
                 (sn_one_hot_sides(contracts.data[i]) || sn_factors_leave_sides(contracts.data[i]) ||
                  sn_drop_equal_products(contracts.data[i]));
    sn_vec_free(&contracts);
    SnOpVec forms = {0};
    collect_forms(root, &forms);
    for (size_t i = 0; i < forms.size; ++i)
      changed |= sn_num_results(forms.data[i]) &&
                 (sn_place_gathers(forms.data[i]) || sn_drop_unread_parts(forms.data[i]));
    sn_vec_free(&forms);
  }
  // Dropping a result may leave its producer without a reader, so go on until all is quiet.
  for (bool changed = true; changed;) {
    changed = false;
    SnOpVec forms = {0};
    collect_forms(root, &forms);
    for (size_t i = 0; i < forms.size; ++i)
      changed |= !mlirOperationEqual(sn_tidy(forms.data[i]), forms.data[i]);
    sn_vec_free(&forms);
  }
  return SN_OK;
}

typedef struct {
  bool remarks;
} Options;
static const SnOption options[] = {
    {SN_OPTION_BOOL, "remarks", "say at each op why a rule did not apply", "false", NULL, offsetof(Options, remarks)},
    {0},
};

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  sn_show_refusals(o->remarks);
  MlirLogicalResult result = sn_simplify(op);
  sn_show_refusals(false);
  return result;
}

const SnPass sn_pass_simplify = {
    .argument = "sinter-simplify",
    .summary = "the algebra on row programs, to a fixed point",
    .options = options,
    .options_size = sizeof(Options),
    .run = run,
};
