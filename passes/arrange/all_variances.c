// all_variances.c: the variance of all elements of a tensor, in f64 of narrower ones, is one form.
//
//   %m = rowwise (i = N) by () ins(%x[i]) reduce(add []) { extf %x } finish { f }
//   %v = rowwise (i = N) by () ins(%x[i], %m[]) reduce(add []) { (extf %x - %m)^2 } finish { g }
// ->
//   %p = tensor.extract_slice %x[0]
//   %v = rowwise (i = N) by () ins(%x[i], %p[]) reduce(add [], add []) { %x - %p, (%x - %p)^2 }
//        finish { %m = f(%t + N %p) ; g(%u - 2 (%m - %p) %t + N (%m - %p)^2) }
//
// The tensor is read once, as rows of a variance are (variances.c, which says what is lost).
//
// runs in: sinter-gpu    test: test/passes/arrange/all_variances.mlir, test/gpu/emulate_accesses.test

#include "dialect/sequence.h"
#include "passes/arrange/variances.h"
#include "passes/edit/edit.h"

#define MOST_ELEMENTS ((int64_t)1 << 28) // so that N 2^-53 is less than what f32 shows

// All elements of one tensor, each of them once, are added up in f64, and nothing else.
static bool sums_all(const SnForm *f, size_t inputs) {
  int64_t dims = f->num_rows + f->num_cols;
  if (!sn_is_plain(f) || f->contract || f->schedule.ptr || !f->num_rows || f->inputs.size != inputs ||
      f->indices.size || f->accumulators.size != 1 || f->outputs.size != 1 || !f->finish.ptr ||
      !mlirStringRefEqual(f->accumulators.data[0].kind, SN_STR("add")) ||
      !mlirTypeIsAF64(f->accumulators.data[0].type) || sn_in_sequence(f->op))
    return false;
  const SnAccess *x = &f->inputs.data[0];
  for (int64_t d = 0; d < dims; ++d)
    if (f->dims.data[d].size == SN_DYNAMIC || sn_map_dim(x->map, d) != d ||
        sn_dim(sn_type_of(x->value), d) != f->dims.data[d].size)
      return false;
  return mlirAffineMapGetNumResults(x->map) == dims && !x->through.ptr && !x->fill.ptr;
}

// What is added up: elements, or rows of them; null if a row is reduced otherwise.
static MlirValue added(const SnForm *f) {
  MlirValue v = sn_operand(mlirBlockGetTerminator(f->body), 0);
  MlirOperation reduce = sn_definer(v);
  if (!f->num_cols)
    return v;
  return !sn_null(reduce) && sn_is_reduce(reduce, "add") ? sn_operand(reduce, 0) : (MlirValue){0};
}

// The form of the mean that `squares` adds up squares about, if it is one of the same tensor; else null.
static MlirOperation mean_of(const SnForm *squares) {
  MlirValue d2 = added(squares);
  MlirOperation none = {0}, square = sn_none(d2) ? none : sn_def(d2, "arith.mulf");
  MlirOperation sub = sn_null(square) ? none : sn_def(sn_operand(square, 0), "arith.subf");
  const SnAccess *m = &squares->inputs.data[1];
  if (sn_null(sub) || !sn_same(sn_operand(square, 0), sn_operand(square, 1)) ||
      !sn_is_widened(sn_operand(sub, 0), sn_input_argument(squares, 0)) ||
      !sn_same(squares->num_cols ? sn_broadcast_of(sn_operand(sub, 1)) : sn_operand(sub, 1),
               sn_input_argument(squares, 1)) || mlirAffineMapGetNumResults(m->map) ||
      !sn_one_use(m->value))
    return none;
  MlirOperation op = sn_def(m->value, "sinter.rowwise");
  if (sn_null(op))
    return none;
  SnForm f = sn_form_read(op);
  MlirValue w = sums_all(&f, 1) ? added(&f) : (MlirValue){0};
  bool is = !sn_none(w) && sn_same(f.inputs.data[0].value, squares->inputs.data[0].value) &&
            sn_is_widened(w, sn_input_argument(&f, 0));
  sn_form_free(&f);
  return is ? op : none;
}

static MlirValue element_0(SnBuilder *b, MlirValue x) {
  MlirType t = sn_type_of(x);
  int64_t zeros[SN_MAX_DIMS] = {0}, ones[SN_MAX_DIMS];
  intptr_t rank = sn_rank(t);
  for (intptr_t i = 0; i < rank; ++i)
    ones[i] = 1;
  int32_t segments[] = {1, 0, 0, 0};
  return sn(b, "tensor.extract_slice", x, sn_tensor(sn_element(t), 0, NULL),
            sn_attr("static_offsets", mlirDenseI64ArrayGet(b->ctx, rank, zeros)),
            sn_attr("static_sizes", mlirDenseI64ArrayGet(b->ctx, rank, ones)),
            sn_attr("static_strides", mlirDenseI64ArrayGet(b->ctx, rank, ones)),
            sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, 4, segments)));
}

// The finish of a form whose sum is `sum`, other arguments as mapped, where the builder stands; its result.
static MlirValue finished(SnBuilder *b, const SnForm *f, MlirValue sum, MlirValue mean) {
  SnMap map = {0};
  sn_map(&map, mlirBlockGetArgument(f->finish, 0), sum);
  if (!sn_none(mean))
    sn_map(&map, mlirBlockGetArgument(f->finish, 1), mean);
  sn_copy_ops(b, f->finish, &map);
  MlirValue result = sn_lookup(&map, sn_operand(mlirBlockGetTerminator(f->finish), 0));
  sn_map_free(&map);
  return result;
}

void sn_variance_of_all(MlirOperation op) {
  SnForm squares = sn_form_read(op);
  MlirOperation mean = sums_all(&squares, 2) ? mean_of(&squares) : (MlirOperation){0};
  int64_t n = sn_null(mean) ? 0 : sn_times(sn_num_rows(&squares), squares.num_cols ? sn_row_length(&squares) : 1);
  if (n < 2 || n > MOST_ELEMENTS) {
    sn_form_free(&squares);
    return;
  }
  SnForm sum = sn_form_read(mean), to = {.num_rows = squares.num_rows, .num_cols = squares.num_cols};
  SnBuilder b = sn_before(op);
  MlirType f64 = mlirF64TypeGet(b.ctx);
  MlirAffineMap none = mlirAffineMapGet(b.ctx, (intptr_t)squares.dims.size, 0, 0, NULL);
  for (size_t d = 0; d < squares.dims.size; ++d)
    sn_push(&to.dims, squares.dims.data[d]);
  sn_push(&to.inputs, squares.inputs.data[0]);
  sn_push(&to.inputs, ((SnAccess){.value = element_0(&b, squares.inputs.data[0].value), .map = none}));
  sn_push(&to.accumulators, squares.accumulators.data[0]);
  sn_push(&to.accumulators, squares.accumulators.data[0]);
  sn_push(&to.outputs, squares.outputs.data[0]);
  MlirOperation made = sn_form_create(&b, &to, true);
  SnBuilder in = sn_at_end(to.body, b.loc), end = sn_at_end(to.finish, b.loc);
  MlirType wide = to.num_cols ? sn_row_type(&to, f64) : f64;
  MlirValue x = sn(&in, "arith.extf", sn_input_argument(&to, 0), wide),
            near = sn_finite_or_0(&in, sn_input_argument(&to, 1));
  MlirValue d = sn(&in, "arith.subf", x, to.num_cols ? sn_as_row(&in, near, wide) : near),
            sums[] = {d, sn(&in, "arith.mulf", d, d)};
  for (int k = 0; k < 2 && to.num_cols; ++k)
    sums[k] = sn_row_reduce(&in, "add", sums[k], f64);
  sn_op(&in, "sinter.yield", sn_values(2, sums), sn_types(0, NULL));

  MlirValue t = mlirBlockGetArgument(to.finish, 0), u = mlirBlockGetArgument(to.finish, 1),
            first = sn_finite_or_0(&end, mlirBlockGetArgument(to.finish, 2));
  SnElementCount count = {.number = (double)n};
  MlirValue m = finished(&end, &sum, sn_sum_about(&end, t, first, count), (MlirValue){0});
  MlirValue v = finished(&end, &squares, sn_squares_about(&end, u, t, m, first, count), m);
  sn_op(&end, "sinter.yield", v, sn_types(0, NULL));
  mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sn_result(made, 0));
  mlirOperationDestroy(op);
  mlirOperationDestroy(mean);
  sn_form_free(&to);
  sn_form_free(&sum);
  sn_form_free(&squares);
}
