// by_size.c: a form whose rows have `?` columns is one kernel where these are few, and plain forms where they are many.
//
//   %y, %w = rowwise (c = 64) by (n = ?, h = 8, w = 8) by (m = 16) ...
//   ->
//   %few = arith.cmpi ule, %n, %c128
//   %y, %w = scf.if %few {
//     %y, %w = rowwise (c = 64) by (n = ?, h = 8, w = 8) by (m = 16) ...
//   } else {
//     %y = rowwise (c = 64) by (n = ?, h = 8, w = 8) ...
//     %w = contract (c = 64) by (m = 16) product (n = ?, h = 8, w = 8) (%y, ...)
//   }
//
// A batch norm's gradient has a row for each channel, and the pixels of all images are its columns. The gradient of the
// weights in front of it multiplies these rows: few pixels stay in a core's cache until they are multiplied, and the
// products are little beside a kernel's call. Many leave it, and a few channels are no work for many threads. Which it
// is nobody knows before the program runs, so both are there.
//
// runs in: split    test: test/passes/split/by_size.mlir, test/run/by_size.mlir

#include "lowering/facts/cpu_forms.h"
#include "passes/split/pieces.h"

enum { MOST = 1 << 12, LEAST = 4 }; // of sizes `?` that are tried, by halves

static bool is_open(const SnForm *f, size_t d) { return f->dims.data[d].size == SN_DYNAMIC; }

static void set_open(SnForm *f, const SnForm *from, int64_t size) {
  for (size_t d = 0; d < f->dims.size; ++d)
    if (is_open(from, d))
      f->dims.data[d].size = size;
}

static bool has_open(const SnForm *f, size_t from, size_t to) {
  bool has = false;
  for (size_t d = from; d < to; ++d)
    has |= is_open(f, d);
  return has;
}

int64_t sn_few_as_one(MlirOperation form) {
  SnForm f = sn_form_read(form), known = sn_form_read(form);
  int64_t few = 0;
  size_t rows = (size_t)f.num_rows;
  bool may = !has_open(&f, 0, rows) && has_open(&f, rows, f.dims.size) && sn_cpu_can_run_chain(&f);
  for (int64_t n = MOST; may && n >= LEAST && !few; n /= 2) {
    set_open(&known, &f, n);
    few = !sn_cpu_packs_chain(&known) && !sn_cpu_multiplies_much(&known) && sn_cpu_runs_chain(&known) ? n : 0;
  }
  sn_form_free(&known);
  sn_form_free(&f);
  return few;
}

// What a result is returned as, behind reshapes without operands of their own, each of which nobody else reads: these
// stand in the branches, so that each kernel writes to the caller's memory (sinter-outline). Or the result itself.
static MlirValue returned(MlirValue result, SnOpVec *reshapes) {
  MlirValue v = result;
  for (;;) {
    MlirOperation op = sn_one_use(v) ? mlirOpOperandGetOwner(mlirValueGetFirstUse(v)) : (MlirOperation){0};
    bool reshape = sn_is(op, "tensor.expand_shape") || sn_is(op, "tensor.collapse_shape");
    if (!reshape || sn_num_operands(op) != 1) {
      bool is = sn_is(op, "func.return");
      reshapes->size = is ? reshapes->size : 0;
      return is ? v : result;
    }
    sn_push(reshapes, op);
    v = sn_result(op, 0);
  }
}

// The form once more, in a branch, and what the branch yields.
static MlirOperation copied(SnBuilder *b, MlirOperation form, const SnOpVec *reshapes, MlirValue *yielded) {
  SnMap map = {0};
  MlirOperation copy = sn_clone(b, form, &map);
  for (intptr_t k = 0; k < sn_num_results(form); ++k) {
    yielded[k] = sn_result(copy, k);
    for (size_t i = 0; i < reshapes[k].size; ++i) {
      sn_map(&map, sn_operand(reshapes[k].data[i], 0), yielded[k]);
      yielded[k] = sn_result(sn_clone(b, reshapes[k].data[i], &map), 0);
    }
  }
  sn_map_free(&map);
  return copy;
}

static MlirValue largest_open(SnBuilder *b, const SnForm *f) {
  MlirValue most = {0};
  for (size_t d = 0; d < f->dims.size; ++d)
    if (is_open(f, d)) {
      MlirValue size = sn_size_value(b, f, (intptr_t)d);
      most = sn_none(most) ? size : sn(b, "arith.maxui", most, size);
    }
  return most;
}

MlirOperation sn_branch_by_size(MlirOperation form, int64_t few) {
  SnForm f = sn_form_read(form);
  SnBuilder b = sn_before(form);
  intptr_t n = sn_num_results(form);
  MlirType *types = sn_alloc((size_t)(n + 1) * sizeof *types);
  MlirValue *values = sn_alloc((size_t)(n + 1) * sizeof *values), *seen = sn_alloc((size_t)(n + 1) * sizeof *seen);
  SnOpVec *reshapes = sn_alloc((size_t)(n + 1) * sizeof *reshapes);
  for (intptr_t k = 0; k < n; ++k) {
    seen[k] = returned(sn_result(form, k), &reshapes[k]);
    types[k] = sn_type_of(seen[k]);
  }
  MlirValue is_few = sn(&b, "arith.cmpi", largest_open(&b, &f), sn_index(&b, few),
                        sn_attr("predicate", sn_i64(b.ctx, 7 /* ule */)));
  SnIf which = sn_if_types(&b, is_few, sn_types(n, types));
  copied(&b, form, reshapes, values);
  sn_else_values(&b, &which, sn_values(n, values));
  MlirOperation many = copied(&b, form, reshapes, values);
  sn_end_if_values(&b, &which, sn_values(n, values));
  for (intptr_t k = 0; k < n; ++k) {
    mlirValueReplaceAllUsesOfWith(seen[k], sn_result(which.op, k));
    while (reshapes[k].size)
      mlirOperationDestroy(reshapes[k].data[--reshapes[k].size]);
    sn_vec_free(&reshapes[k]);
  }
  mlirOperationDestroy(form);
  free(types);
  free(values);
  free(seen);
  free(reshapes);
  sn_form_free(&f);
  return many;
}
