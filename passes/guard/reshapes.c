// reshapes.c: a tensor that is unfolded has as many elements as what it is made of, or the call fails.
//
//   %y = tensor.expand_shape %x [[0, 1]]      ->   %n = arith.divsi %size_of_x, 4;  %r = arith.remsi %size_of_x, 4
//       output_shape [%m, 4]                       cf.assert %m == %n and %r == 0, "model.mlir:4:8: ..."
//
// Behind it, forms read %x by subscripts that lie inside, so that nobody would see that %y is a part of %x. What
// follows from how the sizes are computed is not asserted.
//
// relies on: no pass has folded the reshapes of the program
// runs in: sinter-cpu, sinter-gpu    test: test/passes/guard/reshapes.mlir, test/run/guards.test

#include "passes/guard/guard.h"

static MlirValue compare(SnBuilder *b, int predicate, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, predicate)));
}
enum { EQ = 0, SGE = 5 };

static MlirAttribute group_of(MlirOperation expand, intptr_t i) {
  return mlirArrayAttrGetElement(sn_get_attr(expand, "reassociation"), i);
}

// The sizes that dimension i becomes: the product of the numbers, and the values among them.
typedef struct {
  int64_t number;
  SnValueVec values;
  SnSize all;
} Group;

static Group read_group(SnSizeReader *r, MlirOperation expand, intptr_t i, intptr_t *next) {
  Group g = {.number = 1, .all = sn_size_number(1)};
  MlirAttribute dims = group_of(expand, i);
  for (intptr_t k = 0; k < mlirArrayAttrGetNumElements(dims); ++k) {
    int64_t d = mlirIntegerAttrGetValueInt(mlirArrayAttrGetElement(dims, k)),
            n = mlirDenseI64ArrayGetElement(sn_get_attr(expand, "static_output_shape"), d);
    SnSize size = sn_size_number(n);
    if (n == SN_DYNAMIC) {
      MlirValue v = sn_operand(expand, (*next)++);
      sn_push(&g.values, v);
      size = sn_size_of_value(r, v);
    } else {
      g.number *= n;
    }
    g.all = sn_size_product(&g.all, &size);
  }
  return g;
}

// The condition that sizes fit: a quotient where there is one unknown, as a product might wrap around.
static MlirValue fits(SnBuilder *b, const Group *g, MlirValue size) {
  MlirValue number = sn_index(b, g->number), zero = sn_index(b, 0);
  if (g->values.size == 1 && g->number)
    return sn(b, "arith.andi", compare(b, EQ, g->values.data[0], sn(b, "arith.divsi", size, number)),
              compare(b, EQ, sn(b, "arith.remsi", size, number), zero));
  MlirValue product = number, ok = {0};
  for (size_t k = 0; k < g->values.size; ++k) {
    MlirValue least = compare(b, SGE, g->values.data[k], zero);
    ok = k ? sn(b, "arith.andi", ok, least) : least;
    product = sn(b, "arith.muli", product, g->values.data[k]);
  }
  return sn(b, "arith.andi", ok, compare(b, EQ, product, size));
}

static void guard_expand(SnSizeReader *r, MlirOperation expand) {
  MlirValue x = sn_operand(expand, 0);
  SnBuilder b = sn_before(expand);
  intptr_t next = 1;
  for (intptr_t i = 0; i < sn_rank(sn_type_of(x)); ++i) {
    Group g = read_group(r, expand, i, &next);
    SnSize size = sn_size_of_dim(r, x, i);
    if (g.values.size && !sn_size_equal(&g.all, &size))
      sn_op(&b, "cf.assert", fits(&b, &g, sn_size_emit(r, &b, &size)), sn_types(0, NULL),
            sn_attr("msg", sn_located_message(b.loc, "a reshape has another number of elements than its operand")));
    sn_vec_free(&g.values);
  }
}

static void each(MlirOperation func, const char *name, void (*guard)(SnSizeReader *, MlirOperation), SnSizeReader *r) {
  SnOpVec all = sn_collect(func, name);
  for (size_t k = 0; k < all.size; ++k)
    guard(r, all.data[k]);
  sn_vec_free(&all);
}

static MlirLogicalResult guard_function(MlirOperation func, void *user) {
  SnSizeReader reader = {0};
  each(func, "tensor.expand_shape", guard_expand, &reader);
  each(func, "tensor.concat", sn_guard_concatenation, &reader);
  each(func, "tensor.pad", sn_guard_padding, &reader);
  each(func, "linalg.pack", sn_guard_pack, &reader);
  sn_size_reader_free(&reader);
  return SN_OK;
}

static MlirLogicalResult run(const SnRun *run, MlirOperation op) { return sn_each_function(op, guard_function, NULL); }

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__cf__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__cf__,
                                                      mlirGetDialectHandle__tensor__, NULL};

const SnPass sn_pass_guard_reshapes = {
    .argument = "sinter-guard-reshapes",
    .summary = "the call fails where a tensor.expand_shape has other sizes than fit its operand, a part of a "
               "tensor.concat others than fit the whole, a tensor.pad or linalg.pack others than it says",
    .dialects = dialects,
    .run = run,
};
