// rowscratch.c: rows in memory of the kernel's own, by elements and by vectors.
//
//   %v : vector<8xi1> to the memory of a row    ->    arith.extui, vector.store to a memref of i8
//   and back                                    ->    vector.load of i8, arith.trunci
//
// A vector of i1 is packed, eight to a byte; a memref of i1 has a byte for each. So that both mean the same place, such
// elements are kept as integers that fill their bytes.

#include "lowering/rows/rowprogram.h"

bool sn_fills_bytes(MlirType element) {
  unsigned bits = sn_bits(element);
  return bits >= 8 && !(bits & (bits - 1));
}

MlirType sn_scratch_type(MlirType element) {
  unsigned bits = 8;
  if (sn_is_float(element) || sn_fills_bytes(element))
    return element;
  while (bits < sn_bits(element))
    bits *= 2;
  return mlirIntegerTypeGet(mlirTypeGetContext(element), bits);
}

int64_t sn_scratch_bytes(MlirType element) { return sn_bits(sn_scratch_type(element)) / 8; }

// `t` with this element: a vector of as many lanes, or the element.
static MlirType with_element(MlirType t, MlirType element) {
  return mlirTypeIsAVector(t) ? sn_vector(element, sn_dim(t, 0)) : element;
}

MlirValue sn_scratch_load(SnBuilder *b, MlirValue memref, SnValues at, MlirType t, SnAttr more) {
  MlirType kept = with_element(t, sn_element(sn_type_of(memref)));
  MlirValue x = sn(b, mlirTypeIsAVector(t) ? "vector.load" : "memref.load", memref, at, kept, more);
  return mlirTypeEqual(kept, t) ? x : sn(b, "arith.trunci", x, t);
}

void sn_scratch_store(SnBuilder *b, MlirValue x, MlirValue memref, SnValues at, SnAttr more) {
  MlirType t = sn_type_of(x), kept = with_element(t, sn_element(sn_type_of(memref)));
  if (!mlirTypeEqual(kept, t))
    x = sn(b, "arith.extui", x, kept);
  sn_op(b, mlirTypeIsAVector(t) ? "vector.store" : "memref.store", x, memref, at, more);
}

MlirValue sn_row_convert(SnBuilder *b, MlirValue x, MlirType to) {
  MlirType from = sn_element(sn_type_of(x));
  if (mlirTypeEqual(from, to))
    return x;
  bool wider = sn_bits(from) < sn_bits(to);
  to = mlirTypeIsAVector(sn_type_of(x)) ? sn_vector(to, sn_dim(sn_type_of(x), 0)) : to;
  return sn(b,
            sn_is_float(from)             ? (wider ? "arith.extf" : "arith.truncf")
            : sn_is_float(sn_element(to)) ? "arith.sitofp"
            : wider                       ? "arith.extsi"
                                          : "arith.trunci",
            x, to);
}
