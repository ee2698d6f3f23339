// variances.c: a sum of squares about a mean, in f64 of narrower elements, waits for no other sum.
//
//   %w = arith.extf %x : f32 to f64                        %p = %x[0] in f64
//   %s = sinter.row_reduce add %w                          %d = %w - %p
//   %m = f(%s)                                      ->     %t = row_reduce add %d ; %u = row_reduce add %d * %d
//   %q = sinter.row_reduce add (%w - %m) * (%w - %m)       %s = %t + n %p
//                                                          %q = %u - 2 (%m - %p) %t + n (%m - %p)^2
//
// The row is read once, not twice, so that one that no multiprocessor holds may be cut into parts. Nothing is lost: an
// element is no further from the mean of n than sqrt(n) times their deviation, so what cancels is at most n times the
// result, and n 2^-53 is far less than what f32 shows of it. Programs in f64 itself stay as they are. An element 0 that
// is no number, or infinite, is not subtracted. Rows that are stored, and that a block holds in registers, stay as they
// are; of a length `?`, all that are stored. How many columns `?` there are is one more input of the form. (Of 2^31
// columns n 2^-53 is 2^-22: a unit of f32 or four, if element 0 is the only one that differs.)
//
// Where the same elements are added up in f32 as well, as exporters do for the mean that is subtracted, that sum is the
// one in f64, rounded:
//
//   %s = sinter.row_reduce add %w : f64
//   %t = sinter.row_reduce add %x : f32             ->     %t = arith.truncf %s
//
// decides: which reductions of a GPU's rows are spelled so that they wait for no other.
//
// runs in: sinter-gpu    test: test/passes/arrange/variances.mlir, test/gpu/emulate_accesses.test

#include "capi/pass.h"
#include "dialect/sequence.h"
#include "lowering/rows/rowprogram.h"
#include "passes/arrange/variances.h"
#include "passes/edit/edit.h"

#define MOST_COLUMNS (1 << 24)
#define MOST_KEPT (1 << 13)

// What is widened to f64: a float of 32 bits at most; null if it is anything else.
static MlirValue narrow_of(MlirValue w) {
  MlirValue none = {0}, x = w;
  if (!sn_is_row(w) || !mlirTypeIsAF64(sn_element(sn_type_of(w))))
    return none;
  for (MlirOperation op = sn_def(x, "arith.extf"); !sn_null(op); op = sn_def(x, "arith.extf"))
    x = sn_operand(op, 0);
  return sn_same(x, w) ? none : x;
}

static bool is_sum(MlirOperation op) {
  return sn_is_reduce(op, "add") && mlirTypeIsAF64(sn_type_of(sn_result(op, 0))) &&
         mlirTypeIsAF64(sn_element(sn_type_of(sn_operand(op, 0))));
}

// The row whose differences from *mean the reduction adds up the squares of; null if it is nothing of the kind.
static MlirValue squares_of(MlirOperation reduce, MlirValue *mean) {
  MlirValue none = {0};
  MlirOperation square = is_sum(reduce) ? sn_def(sn_operand(reduce, 0), "arith.mulf") : (MlirOperation){0};
  if (sn_null(square) || !sn_same(sn_operand(square, 0), sn_operand(square, 1)))
    return none;
  MlirOperation sub = sn_def(sn_operand(square, 0), "arith.subf");
  if (sn_null(sub))
    return none;
  *mean = sn_broadcast_of(sn_operand(sub, 1));
  return sn_none(*mean) || sn_none(narrow_of(sn_operand(sub, 0))) ? none : sn_operand(sub, 0);
}

// Whether v follows from some reduction of a row.
static bool waits(MlirValue v) {
  MlirOperation op = sn_definer(v);
  if (sn_null(op))
    return false;
  bool is = sn_is(op, "sinter.row_reduce");
  for (intptr_t k = 0; k < sn_num_operands(op) && !is; ++k)
    is = waits(sn_operand(op, k));
  return is;
}

// The sum of the row's own elements in front of `before`; null if there is none.
static MlirOperation sum_of(MlirBlock body, MlirValue w, MlirOperation before) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, before);
       op = mlirOperationGetNextInBlock(op))
    if (is_sum(op) && sn_same(sn_operand(op, 0), w))
      return op;
  return (MlirOperation){0};
}

static MlirValue binary(SnBuilder *b, const char *name, MlirValue x, MlirValue y) { return sn(b, name, x, y); }

bool sn_is_widened(MlirValue w, MlirValue x) {
  MlirValue of = w;
  for (MlirOperation op = sn_def(of, "arith.extf"); !sn_null(op); op = sn_def(of, "arith.extf"))
    of = sn_operand(op, 0);
  return sn_same(of, x) && !sn_same(of, w) && mlirTypeIsAF64(sn_element(sn_type_of(w)));
}

MlirValue sn_finite_or_0(SnBuilder *b, MlirValue element) {
  enum { EQUAL = 1 }; // ordered
  MlirType f64 = mlirF64TypeGet(b->ctx);
  MlirValue wide = sn(b, "arith.extf", element, f64), zero = sn_float(b, f64, 0);
  MlirValue finite = sn(b, "arith.cmpf", binary(b, "arith.subf", wide, wide), zero,
                        sn_attr("predicate", sn_i64(b->ctx, EQUAL)));
  return sn(b, "arith.select", finite, wide, zero);
}

static MlirValue count_of(SnBuilder *b, SnElementCount n) {
  return sn_none(n.value) ? sn_float(b, mlirF64TypeGet(b->ctx), n.number) : n.value;
}

MlirValue sn_sum_about(SnBuilder *b, MlirValue t, MlirValue first, SnElementCount n) {
  return binary(b, "arith.addf", t, binary(b, "arith.mulf", first, count_of(b, n)));
}

MlirValue sn_squares_about(SnBuilder *b, MlirValue u, MlirValue t, MlirValue mean, MlirValue first, SnElementCount n) {
  MlirType f64 = sn_type_of(u);
  MlirValue far = binary(b, "arith.subf", mean, first),
            cross = binary(b, "arith.mulf", binary(b, "arith.addf", far, far), t),
            all = binary(b, "arith.mulf", binary(b, "arith.mulf", far, far), count_of(b, n));
  // Rounding may leave less than nothing.
  return sn(b, "arith.maximumf", binary(b, "arith.addf", binary(b, "arith.subf", u, cross), all), sn_float(b, f64, 0));
}

static void about_first(MlirBlock body, MlirOperation squares, MlirValue w, MlirValue mean, SnElementCount n) {
  MlirOperation sum = sum_of(body, w, squares);
  SnBuilder b = sn_before(sn_null(sum) ? squares : sum);
  MlirType f64 = mlirF64TypeGet(b.ctx);
  MlirValue x = narrow_of(w), zero = sn_float(&b, sn_element(sn_type_of(x)), 0),
            first = sn_finite_or_0(&b, sn(&b, "sinter.pick", x, sn_index(&b, 0), zero));
  MlirValue d = binary(&b, "arith.subf", w, sn_as_row(&b, first, sn_type_of(w)));
  MlirValue t = sn_row_reduce(&b, "add", d, f64),
            u = sn_row_reduce(&b, "add", binary(&b, "arith.mulf", d, d), f64);
  if (!sn_null(sum)) {
    MlirValue all = sn_sum_about(&b, t, first, n);
    mean = sn_same(mean, sn_result(sum, 0)) ? all : mean;
    mlirValueReplaceAllUsesOfWith(sn_result(sum, 0), all);
  }
  b = sn_before(squares);
  mlirValueReplaceAllUsesOfWith(sn_result(squares, 0), sn_squares_about(&b, u, t, mean, first, n));
  mlirOperationDestroy(squares);
  if (!sn_null(sum))
    mlirOperationDestroy(sum);
}

// The sum in f64 of what `other` adds up, where that stands; null: there is none.
static MlirOperation sum_beside(MlirBlock body, MlirOperation other) {
  MlirOperation none = {0};
  MlirValue x = sn_operand(other, 0);
  for (MlirOperation op = sn_def(x, "arith.extf"); !sn_null(op); op = sn_def(x, "arith.extf"))
    x = sn_operand(op, 0);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    MlirValue narrow = is_sum(op) ? narrow_of(sn_operand(op, 0)) : (MlirValue){0};
    if (sn_none(narrow) || !sn_same(narrow, x))
      continue;
    if (mlirOperationIsBeforeInBlock(op, other))
      return op;
    SnBuilder b = sn_before(other);
    MlirValue wide = sn_operand(op, 0), w = sn(&b, "arith.extf", x, sn_type_of(wide)),
              sum = sn_row_reduce(&b, "add", w, sn_type_of(sn_result(op, 0)));
    mlirValueReplaceAllUsesOfWith(wide, w);
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0), sum);
    mlirOperationDestroy(op);
    return sn_definer(sum);
  }
  return none;
}

// Sums in f32 of what is added up in f64 as well.
static void round_sums(MlirBlock body) {
  for (MlirOperation op = mlirBlockGetFirstOperation(body), next; !sn_null(op); op = next) {
    bool is = sn_is_reduce(op, "add") && mlirTypeIsAF32(sn_type_of(sn_result(op, 0)));
    MlirOperation sum = is ? sum_beside(body, op) : (MlirOperation){0};
    next = mlirOperationGetNextInBlock(op);
    if (sn_null(sum))
      continue;
    SnBuilder b = sn_before(op);
    mlirValueReplaceAllUsesOfWith(sn_result(op, 0),
                                  sn(&b, "arith.truncf", sn_result(sum, 0), sn_type_of(sn_result(op, 0))));
    mlirOperationDestroy(op);
  }
}

// A row that is stored is kept in registers of a block between its phases, up to this length: another phase costs next
// to nothing then, and element 0 would take registers. Blocks of a cluster wait for each other in each phase.
static bool is_kept(const SnForm *f, int64_t n) {
  bool stored = false;
  for (size_t k = 0; k < f->outputs.size; ++k)
    stored |= !sn_is_reduced(f, k) && sn_uses_cols(f, f->outputs.data[k].map);
  return stored && (n == SN_DYNAMIC || n <= MOST_KEPT);
}

// Some reduction of the body is of squares about a mean that waits for another one.
static bool has_variance(MlirBlock body) {
  bool has = false;
  MlirValue mean;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    has |= !sn_none(squares_of(op, &mean)) && waits(mean);
  return has;
}

// The form with the number of its columns, in f64, as one more input, which is its last.
static MlirOperation with_count(const SnForm *f) {
  SnBuilder b = sn_before(f->op);
  MlirType f64 = mlirF64TypeGet(b.ctx);
  MlirValue n = sn_index(&b, 1);
  for (int64_t d = 0; d < f->num_cols; ++d)
    n = sn_size_mul(&b, n, sn_size_value(&b, f, f->num_rows + d));
  n = sn(&b, "arith.sitofp", sn(&b, "arith.index_cast", n, mlirIntegerTypeGet(b.ctx, 64)), f64);
  n = sn(&b, "tensor.from_elements", n, sn_tensor(f64, 0, NULL));
  SnForm to = sn_form_read(f->op);
  sn_push(&to.inputs, ((SnAccess){.value = n, .map = mlirAffineMapGet(b.ctx, (intptr_t)f->dims.size, 0, 0, NULL)}));
  MlirOperation made = sn_with_other_sides(&b, f, &to);
  mlirOperationDestroy(f->op);
  sn_form_free(&to);
  return made;
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  (void)user;
  SnOpVec forms = sn_collect(func, "sinter.rowwise");
  for (size_t k = 0; k < forms.size; ++k) // the mean's form stands in front
    sn_variance_of_all(forms.data[k]);
  sn_vec_free(&forms);
  forms = sn_collect(func, "sinter.rowwise");
  for (size_t k = 0; k < forms.size; ++k) {
    SnForm f = sn_form_read(forms.data[k]);
    int64_t n = sn_row_length(&f);
    bool plain = sn_is_plain(&f) && !f.schedule.ptr, any = n == SN_DYNAMIC,
         fits = plain && (any || (n > 1 && n <= MOST_COLUMNS)) && !is_kept(&f, n);
    if (plain)
      round_sums(f.body);
    if (fits && any && (!sn_sizes_known(&f) || sn_in_sequence(f.op) || !has_variance(f.body)))
      fits = false;
    SnElementCount count = {.number = (double)n};
    if (fits && any) {
      MlirOperation made = with_count(&f);
      sn_form_free(&f);
      f = sn_form_read(made);
      count.value = sn_input_argument(&f, f.inputs.size - 1);
    }
    for (MlirOperation op = mlirBlockGetFirstOperation(f.body), next; fits && !sn_null(op); op = next) {
      MlirValue mean, w = squares_of(op, &mean);
      next = mlirOperationGetNextInBlock(op);
      if (!sn_none(w) && waits(mean))
        about_first(f.body, op, w, mean, count);
    }
    sn_form_free(&f);
  }
  sn_vec_free(&forms);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  (void)run;
  return sn_each_function(op, function, NULL);
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_variances = {
    .argument = "sinter-variances",
    .summary = "squares about a mean, in f64 of narrower elements -> sums that wait for no other",
    .dialects = dialects,
    .run = run,
};
