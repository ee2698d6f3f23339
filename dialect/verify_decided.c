// verify_decided.c: asserts of a definition that a use's attributes alone decide.
//
//   %first = arith.cmpi eq, %p, %one    %second = arith.cmpi eq, %p, %two    %either = arith.ori %first, %second
//   cf.assert %either, "p is neither 1 nor 2"              a use with {p = 3} is an error
//
// What depends on an operand is not known here, and is asserted where it runs.
//
// test: test/dialect/invalid_definitions.mlir, @u4_assert..

#include "dialect/definition.h"
#include "dialect/verify.h"

typedef struct {
  bool known;
  double value; // of an integer too: limits and labels are small
} Number;

typedef struct {
  MlirBlock body;
  SnKnownNumber number;
  const void *user;
} Known;

static Number number(double value) { return (Number){true, value}; }

// 0: false, 1: true, -1: predicate of arith.cmpi or cmpf that is not decided here.
static int compare(MlirOperation op, double x, double y) {
  int64_t predicate = sn_int_attr(op, "predicate", -1);
  if (sn_is(op, "arith.cmpi")) { // eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge
    uint64_t ux = (uint64_t)(int64_t)x, uy = (uint64_t)(int64_t)y;
    const int is[] = {x == y, x != y, x < y, x <= y, x > y, x >= y, ux < uy, ux <= uy, ux > uy, ux >= uy};
    return predicate < 0 || predicate > 9 ? -1 : is[predicate];
  }
  bool nan = x != x || y != y; // false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno, true
  const int is[] = {0,
                    x == y,
                    x > y,
                    x >= y,
                    x < y,
                    x <= y,
                    x != y && !nan,
                    !nan,
                    x == y || nan,
                    x > y || nan,
                    x >= y || nan,
                    x < y || nan,
                    x <= y || nan,
                    x != y,
                    nan,
                    1};
  return predicate < 0 || predicate > 15 ? -1 : is[predicate];
}

static Number evaluate(const Known *k, MlirValue v, int depth) {
  double value;
  if (mlirValueIsABlockArgument(v)) {
    MlirAttribute a = mlirBlockEqual(mlirBlockArgumentGetOwner(v), k->body)
                          ? k->number(k->user, mlirBlockArgumentGetArgNumber(v), -1)
                          : mlirAttributeGetNull();
    return a.ptr && mlirAttributeIsABool(a)     ? number(mlirBoolAttrGetValue(a))
           : a.ptr && sn_attr_number(a, &value) ? number(value)
                                                : (Number){0};
  }
  MlirOperation op = mlirOpResultGetOwner(v);
  if (sn_is(op, "arith.constant")) {
    MlirAttribute a = sn_get_attr(op, "value");
    return mlirAttributeIsABool(a)     ? number(mlirBoolAttrGetValue(a))
           : sn_attr_number(a, &value) ? number(value)
                                       : (Number){0};
  }
  if (sn_is(op, "arith.index_cast") && depth <= 8)
    return evaluate(k, sn_operand(op, 0), depth + 1);
  if (sn_is(op, "memref.dim") && depth <= 8) {
    MlirValue of = sn_operand(op, 0);
    Number dim = evaluate(k, sn_operand(op, 1), depth + 1);
    bool asks = dim.known && dim.value >= 0 && dim.value < sn_rank(sn_type_of(of)) && mlirValueIsABlockArgument(of) &&
                mlirBlockEqual(mlirBlockArgumentGetOwner(of), k->body);
    MlirAttribute a =
        asks ? k->number(k->user, mlirBlockArgumentGetArgNumber(of), (intptr_t)dim.value) : mlirAttributeGetNull();
    return a.ptr && sn_attr_number(a, &value) ? number(value) : (Number){0};
  }
  if (depth <= 8 && (sn_is(op, "arith.addi") || sn_is(op, "arith.subi") || sn_is(op, "arith.muli"))) {
    Number x = evaluate(k, sn_operand(op, 0), depth + 1), y = evaluate(k, sn_operand(op, 1), depth + 1);
    if (!x.known || !y.known)
      return (Number){0};
    return number(sn_is(op, "arith.addi")   ? x.value + y.value
                  : sn_is(op, "arith.subi") ? x.value - y.value
                                            : x.value * y.value);
  }
  bool both = sn_is(op, "arith.andi"), either = sn_is(op, "arith.ori"),
       compares = sn_is(op, "arith.cmpi") || sn_is(op, "arith.cmpf");
  if (depth > 8 || (!both && !either && !compares))
    return (Number){0};
  Number x = evaluate(k, sn_operand(op, 0), depth + 1), y = evaluate(k, sn_operand(op, 1), depth + 1);
  if (compares) {
    int is = x.known && y.known ? compare(op, x.value, y.value) : -1;
    return is < 0 ? (Number){0} : number(is);
  }
  if (!sn_is_scalar_type(sn_type_of(v)) || sn_is_float(sn_type_of(v)) || sn_bits(sn_type_of(v)) != 1)
    return (Number){0};
  if ((x.known && (x.value != 0) == either) || (y.known && (y.value != 0) == either)) // one of them says it
    return number(either);
  return x.known && y.known ? number(both) : (Number){0};
}

MlirLogicalResult sn_use_check_asserts(MlirOperation use, MlirBlock body, SnKnownNumber known, const void *user) {
  Known k = {.body = body, .number = known, .user = user};
  MlirOperation end = mlirBlockGetTerminator(body);
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    if (!sn_is(op, "cf.assert"))
      continue;
    Number holds = evaluate(&k, sn_operand(op, 0), 0);
    MlirStringRef message = mlirStringAttrGetValue(sn_get_attr(op, "msg"));
    if (holds.known && holds.value == 0) // U4
      return sn_error(use, "fails in every row: %.*s", (int)message.length, message.data);
  }
  return SN_OK;
}

static MlirAttribute nothing(const void *user, intptr_t argument, intptr_t dim) { return mlirAttributeGetNull(); }

bool sn_is_decided(MlirValue v, int64_t *value) {
  Number is = evaluate(&(Known){.number = nothing}, v, 0);
  *value = (int64_t)is.value;
  return is.known;
}

bool sn_is_decided_by(MlirBlock body, MlirValue v, SnKnownNumber known, const void *user) {
  return evaluate(&(Known){.body = body, .number = known, .user = user}, v, 0).known;
}
