// paddings.c: what is padded or packed has the sizes that the program says, or the call fails.
//
//   %y = tensor.pad %x low[1] high[%h]                 ->   %n = 1 + %size_of_x + %h
//       : tensor<?xf32> to tensor<8xf32>                    cf.assert %n == 8, "model.mlir:4:8: a padding gives ..."
//   %t = linalg.pack %x inner_tiles = [4] into %e      ->   cf.assert %size_of_x == 4 * %size_of_e, "..."
//       : tensor<?xf32> -> tensor<?x4xf32>                  with a padding value: less than a tile is missing
//
// Behind it, the operand is read by the sizes of the result: where it is shorter there would be more of the padding,
// and what is beyond them would be left out. What follows from how the sizes are computed is not asserted.
//
// runs in: sinter-guard-reshapes    test: test/passes/guard/paddings.mlir, test/run/guards.test

#include "passes/guard/guard.h"

enum { SGE = 5, SLT = 2 };

static void fail_unless(SnBuilder *b, MlirValue ok, const char *message) {
  if (!sn_none(ok))
    sn_op(b, "cf.assert", ok, sn_types(0, NULL), sn_attr("msg", sn_located_message(b->loc, message)));
}

// The size that a list of numbers has at d, or the next operand has.
static SnSize listed(SnSizeReader *r, MlirOperation op, const char *name, intptr_t d, intptr_t *next) {
  int64_t n = mlirDenseI64ArrayGetElement(sn_get_attr(op, name), d);
  return n == SN_DYNAMIC ? sn_size_of_value(r, sn_operand(op, (*next)++)) : sn_size_number(n);
}

void sn_guard_padding(SnSizeReader *r, MlirOperation pad) {
  SnBuilder b = sn_before(pad);
  MlirType whole = sn_type_of(sn_result(pad, 0));
  MlirValue all = {0};
  intptr_t low = 1, high = low + mlirDenseI32ArrayGetElement(sn_get_attr(pad, "operandSegmentSizes"), 1);
  for (intptr_t d = 0; d < sn_rank(whole); ++d) {
    SnSize size = sn_size_of_dim(r, sn_operand(pad, 0), d), before = listed(r, pad, "static_low", d, &low),
           behind = listed(r, pad, "static_high", d, &high), asked = sn_size_number(sn_dim(whole, d));
    size = sn_size_sum(&size, 1, &before);
    size = sn_size_sum(&size, 1, &behind);
    if (sn_dim(whole, d) != SN_DYNAMIC && size.known)
      sn_guard_equal(r, &b, &all, &size, &asked);
  }
  fail_unless(&b, all, "a padding gives other sizes than it says");
}

// How many whole tiles hold size elements: `tiles` of them, or the last one is not full.
static void guard_tiles(SnSizeReader *r, SnBuilder *b, MlirValue *all, const SnSize *size, const SnSize *tiles,
                        const SnSize *tile, bool padded) {
  SnSize whole = sn_size_product(tiles, tile), rest = sn_size_sum(&whole, -1, size);
  int64_t known, of;
  if (!rest.known || (sn_size_is_number(&rest, &known) && sn_size_is_number(tile, &of) && known >= 0 && known < of))
    return; // or the verifier has refused it
  if (!padded) {
    sn_guard_equal(r, b, all, size, &whole);
    return;
  }
  MlirValue left = sn_size_emit(r, b, &rest),
            some = sn(b, "arith.cmpi", left, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, SGE))),
            less = sn(b, "arith.cmpi", left, sn_size_emit(r, b, tile), sn_attr("predicate", sn_i64(b->ctx, SLT))),
            both = sn(b, "arith.andi", some, less);
  *all = sn_none(*all) ? both : sn(b, "arith.andi", *all, both);
}

void sn_guard_pack(SnSizeReader *r, MlirOperation pack) {
  SnBuilder b = sn_before(pack);
  MlirValue x = sn_operand(pack, 0), into = sn_operand(pack, 1), all = {0};
  MlirAttribute places = sn_get_attr(pack, "inner_dims_pos"), order = sn_get_attr(pack, "outer_dims_perm");
  bool padded = mlirDenseI32ArrayGetElement(sn_get_attr(pack, "operandSegmentSizes"), 2) > 0,
       turned = order.ptr && mlirDenseArrayGetNumElements(order);
  intptr_t rank = sn_rank(sn_type_of(x)), tiled = mlirDenseArrayGetNumElements(places);
  for (intptr_t at = 0; at < rank; ++at) {
    intptr_t d = turned ? (intptr_t)mlirDenseI64ArrayGetElement(order, at) : at, k = 0;
    while (k < tiled && mlirDenseI64ArrayGetElement(places, k) != d)
      ++k;
    SnSize size = sn_size_of_dim(r, x, d), tiles = sn_size_of_dim(r, into, at);
    if (k == tiled) {
      sn_guard_equal(r, &b, &all, &tiles, &size);
      continue;
    }
    SnSize tile = sn_size_of_dim(r, into, rank + k);
    guard_tiles(r, &b, &all, &size, &tiles, &tile, padded);
  }
  fail_unless(&b, all, "tiles are no whole ones of what is packed, or more than it fills");
}
