// corner_reader.c: an expression that an exporter spelled over several linalg.generic, read as one.
//
//   %1 = linalg.generic ins(%x) { negf }              the operand of exp, seen from the second:
//   %2 = linalg.generic ins(%1) { exp }        ->     negf, and its operand %x
//
// An operand is looked through where the reader reads it as it writes its result, element for element; a constant
// of any shape is a number.
//
// runs in: corners    test: test/passes/differentiate/corners.mlir

#include "mlir-c/Dialect/Linalg.h"
#include "passes/differentiate/corners.h"

// ---- one generic ---------------------------------------------------------------------------

MlirBlock sn_spelled_body(MlirOperation generic) { return mlirRegionGetFirstBlock(mlirOperationGetRegion(generic, 0)); }

static MlirAttribute map_of(MlirOperation generic, intptr_t operand) {
  return mlirArrayAttrGetElement(mlirLinalgGetIndexingMapsAttribute(generic), operand);
}

MlirOperation sn_spelled_by(MlirValue v) {
  MlirOperation op = sn_def(v, "linalg.generic"), none = {0};
  if (sn_null(op) || sn_num_results(op) != 1)
    return none;
  intptr_t n = sn_num_operands(op);
  // Without reductions the result has every dimension.
  MlirAffineMap map = mlirAffineMapAttrGetValue(map_of(op, n - 1));
  bool elementwise = mlirAffineMapIsPermutation(map) || !mlirAffineMapGetNumDims(map);
  return elementwise && !mlirValueGetFirstUse(mlirBlockGetArgument(sn_spelled_body(op), n - 1)).ptr ? op : none;
}

SnSpelled sn_spelled_result(MlirOperation generic) {
  return (SnSpelled){generic, sn_operand(mlirBlockGetTerminator(sn_spelled_body(generic)), 0)};
}

MlirValue sn_read_in_place(MlirOperation generic, MlirValue in_body) {
  MlirValue none = {0};
  if (!mlirValueIsABlockArgument(in_body) ||
      !mlirBlockEqual(mlirBlockArgumentGetOwner(in_body), sn_spelled_body(generic)))
    return none;
  intptr_t k = mlirBlockArgumentGetArgNumber(in_body), n = sn_num_operands(generic);
  MlirValue tensor = sn_operand(generic, k);
  bool constant = sn_constant_of(tensor).ptr;
  return k < n - 1 && (constant || mlirAttributeEqual(map_of(generic, k), map_of(generic, n - 1))) ? tensor : none;
}

// ---- across generics -------------------------------------------------------------------------

static SnSpelled follow(SnSpelled s) {
  while (!sn_null(s.generic)) {
    MlirValue tensor = sn_read_in_place(s.generic, s.v);
    if (sn_none(tensor))
      return s;
    MlirOperation maker = sn_spelled_by(tensor), fill = sn_def(tensor, "linalg.fill");
    s = !sn_null(maker) ? sn_spelled_result(maker) : (SnSpelled){{0}, sn_null(fill) ? tensor : sn_operand(fill, 0)};
  }
  return s;
}

SnSpelled sn_spelled_operand(SnSpelled s, intptr_t k) {
  return follow((SnSpelled){s.generic, sn_operand(sn_definer(s.v), k)});
}

MlirOperation sn_spelled_op(SnSpelled s, const char *name) {
  return sn_null(s.generic) ? (MlirOperation){0} : sn_def(s.v, name);
}

bool sn_spelled_number(SnSpelled s, double *number) {
  static const char *const exact[] = {"arith.truncf", "arith.extf", "arith.sitofp"};
  MlirValue v = s.v;
  for (size_t k = 0; k < sizeof exact / sizeof *exact; ++k)
    if (!sn_null(sn_def(v, exact[k])))
      v = follow((SnSpelled){s.generic, sn_operand(sn_definer(v), 0)}).v;
  return sn_attr_number(sn_constant_of(v), number);
}

bool sn_spelled_is(SnSpelled s, double number) {
  double found;
  return sn_spelled_number(s, &found) && found == number;
}

bool sn_spelled_same(SnSpelled a, SnSpelled b) { return sn_same(a.v, b.v); }

// ---- what bodies are -----------------------------------------------------------------------------

bool sn_body_is(MlirOperation generic, const char *const *names) {
  MlirOperation op = mlirBlockGetFirstOperation(sn_spelled_body(generic));
  for (; *names; ++names, op = mlirOperationGetNextInBlock(op))
    if (!sn_is(op, *names))
      return false;
  return sn_is(op, "linalg.yield") && sn_num_operands(op) == 1 && !sn_null(sn_definer(sn_operand(op, 0))) &&
         mlirOperationEqual(mlirOperationGetNextInBlock(sn_definer(sn_operand(op, 0))), op);
}

bool sn_read_choice(MlirOperation generic, SnChoice *c) {
  static const char *const body[] = {"arith.cmpf", "arith.select", NULL};
  if (!sn_body_is(generic, body))
    return false;
  MlirOperation compare = mlirBlockGetFirstOperation(sn_spelled_body(generic)),
                select = mlirOperationGetNextInBlock(compare);
  MlirValue a = sn_operand(compare, 0), b = sn_operand(compare, 1), yes = sn_operand(select, 1),
            no = sn_operand(select, 2);
  bool first = sn_same(yes, a) && sn_same(no, b), second = sn_same(yes, b) && sn_same(no, a);
  if (!sn_same(sn_operand(select, 0), sn_result(compare, 0)) || first == second)
    return false;
  *c = (SnChoice){generic,
                  compare,
                  select,
                  (int)sn_int_attr(compare, "predicate", -1),
                  follow((SnSpelled){generic, a}),
                  follow((SnSpelled){generic, b}),
                  first};
  return true;
}

// ---- copies ------------------------------------------------------------------------------------------

MlirOperation sn_own(const SnSpelledPath *path) {
  MlirOperation reader = path->steps[0].reader, made = reader;
  for (int k = 0; k < path->n; ++k, reader = made) {
    intptr_t at = path->steps[k].operand;
    MlirValue v = sn_operand(reader, at);
    made = sn_definer(v);
    if (sn_one_use(v))
      continue;
    SnBuilder b = sn_after(made);
    SnMap map = {0};
    made = sn_clone(&b, made, &map);
    mlirOperationSetOperand(reader, at, sn_result(made, 0));
    sn_map_free(&map);
  }
  return made;
}
