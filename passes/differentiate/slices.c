// slices.c: gradients of parts of tensors that no form reads: sizes or offsets are known at run time only.
//
//   %y = tensor.extract_slice %x[%o] [%n] [1]            %dx = tensor.insert_slice %dy into zeros[%o] [%n] [1]
//   %y = tensor.insert_slice %u into %x[%o] [%n] [1]     %du = tensor.extract_slice %dy[%o] [%n] [1]
//                                                        %dx = tensor.insert_slice zeros into %dy[%o] [%n] [1]
//   %y = tensor.concat dim(0) %u, %x                     of each, the part of %dy where it is
//   %y = tensor.pad %x low[%l] high[%h]                  %dx = tensor.extract_slice %dy[%l] [sizes of %x]
//
// runs in: differentiate    test: test/run/gradients_layers.test

#include "passes/differentiate/differentiate.h"

// Offsets, sizes and steps of a slice, as operands and as attributes.
enum { OFFSETS, SIZES, STEPS };
typedef struct {
  SnValueVec values[3]; // those that are not known
  SN_VEC(int64_t) numbers[3];
} Place;

static void put(Place *p, int which, int64_t number, MlirValue value) {
  sn_push(&p->numbers[which], sn_none(value) ? number : SN_DYNAMIC);
  if (!sn_none(value))
    sn_push(&p->values[which], value);
}

static void place_free(Place *p) {
  for (int k = 0; k < 3; ++k) {
    sn_vec_free(&p->values[k]);
    sn_vec_free(&p->numbers[k]);
  }
}

static void put_size(SnBuilder *b, Place *p, MlirValue v, intptr_t d) {
  int64_t n = sn_dim(sn_type_of(v), d);
  put(p, SIZES, n, n == SN_DYNAMIC ? sn(b, "tensor.dim", v, sn_index(b, d)) : (MlirValue){0});
  put(p, STEPS, 1, (MlirValue){0});
}

// The slice from `tensors` (the whole one; or the part, and what it goes into), as a tensor of this type.
static MlirValue slice(SnBuilder *b, const char *name, intptr_t n, const MlirValue *tensors, const Place *p,
                       MlirType t) {
  SnValueVec operands = {0};
  int32_t segments[5];
  MlirAttribute numbers[3];
  for (intptr_t k = 0; k < n; ++k) {
    sn_push(&operands, tensors[k]);
    segments[k] = 1;
  }
  for (int k = 0; k < 3; ++k) {
    for (size_t i = 0; i < p->values[k].size; ++i)
      sn_push(&operands, p->values[k].data[i]);
    segments[n + k] = (int32_t)p->values[k].size;
    numbers[k] = mlirDenseI64ArrayGet(b->ctx, (intptr_t)p->numbers[k].size, p->numbers[k].data);
  }
  MlirValue made =
      sn(b, name, sn_values((intptr_t)operands.size, operands.data), t, sn_attr("static_offsets", numbers[OFFSETS]),
         sn_attr("static_sizes", numbers[SIZES]), sn_attr("static_strides", numbers[STEPS]),
         sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b->ctx, n + 3, segments)));
  sn_vec_free(&operands);
  return made;
}

// That of a tensor.extract_slice or insert_slice, whose tensors are the first `n` operands.
static Place place_of(MlirOperation op, intptr_t n) {
  static const char *const names[] = {"static_offsets", "static_sizes", "static_strides"};
  Place p = {0};
  MlirAttribute segments = sn_get_attr(op, "operandSegmentSizes");
  intptr_t operand = n;
  for (int k = 0; k < 3; ++k) {
    MlirAttribute numbers = sn_get_attr(op, names[k]);
    for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(numbers); ++i)
      sn_push(&p.numbers[k], mlirDenseI64ArrayGetElement(numbers, i));
    for (int32_t i = 0; i < mlirDenseI32ArrayGetElement(segments, n + k); ++i)
      sn_push(&p.values[k], sn_operand(op, operand++));
  }
  return p;
}

MlirValue sn_add_to_slice(SnBuilder *b, MlirOperation insert, MlirValue sum) {
  Place p = place_of(insert, 2);
  MlirValue part = sn_operand(insert, 0);
  MlirType t = sn_type_of(part);
  MlirValue both[] = {slice(b, "tensor.extract_slice", 1, &sum, &p, t), part};
  MlirValue added[] = {sn_elementwise_form(b, sn_element(t), part, 2, both, NULL, false, 0), sum};
  if (!mlirTypeEqual(sn_type_of(added[0]), t))
    added[0] = sn(b, "tensor.cast", added[0], t);
  MlirValue made = slice(b, "tensor.insert_slice", 2, added, &p, sn_type_of(sum));
  place_free(&p);
  return made;
}

static MlirValue zeros(SnBuilder *b, MlirType element, MlirValue like) {
  return sn_elementwise_form(b, element, like, 0, NULL, NULL, false, 0);
}

static void extracted(SnBuilder *b, MlirOperation op, MlirValue g, const bool *active, SnGive give, void *user) {
  Place p = place_of(op, 1);
  MlirValue both[] = {g, zeros(b, sn_element(sn_type_of(g)), sn_operand(op, 0))};
  give(user, 0, slice(b, "tensor.insert_slice", 2, both, &p, sn_type_of(both[1])));
  place_free(&p);
}

static void inserted(SnBuilder *b, MlirOperation op, MlirValue g, const bool *active, SnGive give, void *user) {
  Place p = place_of(op, 2);
  MlirValue part = sn_operand(op, 0);
  MlirType element = sn_element(sn_type_of(g));
  if (active[0])
    give(user, 0, slice(b, "tensor.extract_slice", 1, &g, &p, sn_tensor_like(sn_type_of(part), element)));
  if (active[1]) {
    MlirValue both[] = {zeros(b, element, part), g};
    give(user, 1, slice(b, "tensor.insert_slice", 2, both, &p, sn_type_of(g)));
  }
  place_free(&p);
}

static void concatenated(SnBuilder *b, MlirOperation op, MlirValue g, const bool *active, SnGive give, void *user) {
  intptr_t dim = sn_int_attr(op, "dim", 0);
  int64_t known = 0;
  MlirValue sum = {0}; // of sizes that are not known, and those before them; null: only `known`
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirValue x = sn_operand(op, k);
    MlirType t = sn_type_of(x);
    Place p = {0};
    for (intptr_t d = 0; d < sn_rank(t); ++d) {
      MlirValue at = d == dim && !sn_none(sum) ? sn(b, "arith.addi", sum, sn_index(b, known)) : (MlirValue){0};
      put(&p, OFFSETS, d == dim ? known : 0, at);
      put_size(b, &p, x, d);
    }
    if (active[k])
      give(user, (size_t)k, slice(b, "tensor.extract_slice", 1, &g, &p, sn_tensor_like(t, sn_element(sn_type_of(g)))));
    if (sn_dim(t, dim) == SN_DYNAMIC) {
      MlirValue size = sn(b, "tensor.dim", x, sn_index(b, dim));
      sum = sn_none(sum) ? size : sn(b, "arith.addi", sum, size);
    } else {
      known += sn_dim(t, dim);
    }
    place_free(&p);
  }
}

static void padded(SnBuilder *b, MlirOperation op, MlirValue g, const bool *active, SnGive give, void *user) {
  MlirValue x = sn_operand(op, 0);
  MlirAttribute low = sn_get_attr(op, "static_low");
  Place p = {0};
  intptr_t operand = 1;
  for (intptr_t d = 0; d < sn_rank(sn_type_of(x)); ++d) {
    int64_t n = mlirDenseI64ArrayGetElement(low, d);
    put(&p, OFFSETS, n, n == SN_DYNAMIC ? sn_operand(op, operand++) : (MlirValue){0});
    put_size(b, &p, x, d);
  }
  give(user, 0, slice(b, "tensor.extract_slice", 1, &g, &p, sn_tensor_like(sn_type_of(x), sn_element(sn_type_of(g)))));
  place_free(&p);
}

static const struct {
  const char *name;
  intptr_t tensors; // operands that are: 0 for all
  void (*gradient)(SnBuilder *b, MlirOperation op, MlirValue g, const bool *active, SnGive give, void *user);
} rules[] = {{"tensor.extract_slice", 1, extracted},
             {"tensor.insert_slice", 2, inserted},
             {"tensor.concat", 0, concatenated},
             {"tensor.pad", 1, padded}};

intptr_t sn_slice_tensors(MlirOperation op) {
  for (size_t k = 0; k < sizeof rules / sizeof *rules; ++k)
    if (sn_is(op, rules[k].name))
      return rules[k].tensors ? rules[k].tensors : sn_num_operands(op);
  return 0;
}

bool sn_differentiate_slice(SnBuilder *b, MlirOperation op, const SnGradient *upstream, const bool *active,
                            const MlirType *elements, SnGive give, void *user) {
  MlirValue y = sn_result(op, 0), g = upstream[0].value;
  b->loc = mlirOperationGetLocation(op);
  if (sn_none(g))
    g = sn_elementwise_form(b, sn_wide_type(sn_element(sn_type_of(y))), y, 0, NULL, NULL, false, 1);
  for (size_t k = 0; k < sizeof rules / sizeof *rules; ++k)
    if (sn_is(op, rules[k].name))
      rules[k].gradient(b, op, g, active, give, user);
  return true;
}
