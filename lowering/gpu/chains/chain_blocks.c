// chain_blocks.c: which rows a tile has, and which blocks of columns.
//
//   tile number            batch, first row                            batches of a group beside each other
//   blocks first .. end    those that masks leave something of         or the part of them that this block has
//   from .. end            those that masks leave all of               nobody compares there
//
// A mask's place is known by positions (facts/cpu_ends.c), or is a number of the batch. Where rows of a tile have
// different places, the farthest one counts. With `whole` nothing is left out.
//
// test: test/lowering/gpu/chains.mlir, test/lowering/gpu/chain_finite.mlir, test/gpu/chains.test

#include "lowering/gpu/chains/chains_gpu.h"

// Where the mask begins or ends, for that of `count` rows from `first` on that it is farthest in; null: it is not known
// for a tile.
static MlirValue at_some(SnBuilder *b, const SnGpuChain *c, const SnCpuEnd *end, bool last, MlirValue first,
                         int64_t count) {
  const SnGpuDims *rows = &c->plan->points.rows;
  bool of_rows = false;
  for (size_t i = 0; i < rows->n; ++i)
    of_rows |= rows->dims[i] == end->dim;
  if (of_rows && rows->n != 1)
    return (MlirValue){0};
  MlirValue at = end->dim < 0 ? sn_index(b, 0) : of_rows ? first : c->dims[end->dim];
  if (of_rows && (end->factor > 0) == last)
    at = sn(b, "arith.minsi", sn(b, "arith.addi", at, sn_index(b, count - 1)),
            sn(b, "arith.subi", c->num_rows, sn_index(b, 1)));
  at = sn(b, "arith.addi", sn(b, "arith.muli", at, sn_index(b, end->factor)), sn_index(b, end->more));
  return sn(b, "arith.minsi", sn(b, "arith.maxsi", at, sn_index(b, end->least)), c->num_columns);
}

static MlirValue at_rows(SnBuilder *b, const SnGpuChain *c, const SnCpuEnd *end, bool last) {
  return at_some(b, c, end, last, c->first_row, c->plan->m);
}

// Of the rows that this warpgroup has, or this block of warps.
static MlirValue at_own(SnBuilder *b, const SnGpuChain *c, const SnCpuEnd *end, bool last) {
  bool of_group = !sn_none(c->own_row);
  return at_some(b, c, end, last, of_group ? c->own_row : c->first_row, of_group ? SN_GPU_WARPGROUP_ROWS : c->plan->m);
}

// All of the tile's rows are those that `end` is said of: `at`, else `otherwise`.
static MlirValue in_rows(SnBuilder *b, const SnGpuChain *c, const SnCpuEnd *end, MlirValue at, MlirValue otherwise) {
  const SnGpuDims *rows = &c->plan->points.rows;
  if (sn_none(at) || (!end->since && !end->until))
    return at;
  bool of_rows = rows->n == 1 && rows->dims[0] == end->dim; // at_rows knows no others
  MlirValue first = of_rows ? c->first_row : c->dims[end->dim],
            last = of_rows ? sn(b, "arith.minsi", sn(b, "arith.addi", first, sn_index(b, c->plan->m - 1)),
                                sn(b, "arith.subi", c->num_rows, sn_index(b, 1)))
                           : first;
  MlirValue all = sn(b, "arith.cmpi", first, sn_index(b, end->since), sn_attr("predicate", sn_i64(b->ctx, 5))); // sge
  if (end->until) // slt
    all = sn(b, "arith.andi", all,
             sn(b, "arith.cmpi", last, sn_index(b, end->until), sn_attr("predicate", sn_i64(b->ctx, 2))));
  return sn(b, "arith.select", all, at, otherwise);
}

// Where the tile's columns end by a number of its batch.
static MlirValue at_given(SnBuilder *b, const SnGpuChain *c) {
  enum { BITS = 40 }; // no position has more, so that nothing that is added leaves an index
  const SnCpuEnd *end = &c->plan->given;
  MlirAffineMap map = c->plan->given_at;
  MlirValue at[SN_MAX_DIMS], zero = sn_index(b, 0), memref = c->k->operands[end->given - 1];
  intptr_t rank = mlirAffineMapGetNumResults(map);
  for (intptr_t p = 0; p < rank; ++p)
    at[p] = sn_affine(b, mlirAffineMapGetResult(map, p), c->dims);
  MlirValue n = sn(b, "memref.load", memref, sn_values(rank, at), sn_element(sn_type_of(memref)));
  n = sn(b, "arith.index_cast", n, sn_index_type(b->ctx));
  MlirValue least = sn_index(b, -(INT64_C(1) << BITS)), most = sn_index(b, INT64_C(1) << BITS);
  n = sn(b, "arith.minsi", sn(b, "arith.maxsi", n, least), most);
  n = sn(b, "arith.addi", n, sn_index(b, end->more));
  if (!end->rows)
    return sn(b, "arith.minsi", sn(b, "arith.maxsi", n, zero), c->num_columns);
  const SnGpuDims *rows = &c->plan->points.rows;
  MlirValue first = rows->dims[0] == end->dim ? c->first_row : c->dims[end->dim],
            none = sn(b, "arith.cmpi", first, n, sn_attr("predicate", sn_i64(b->ctx, 5))); // sge
  return sn(b, "arith.select", none, zero, c->num_columns);
}

MlirValue sn_gpu_chain_end_of_columns(SnBuilder *b, const SnGpuChain *c) {
  MlirValue at = c->plan->ends_early ? at_rows(b, c, &c->plan->end, true) : (MlirValue){0},
            end = sn_none(at) ? c->num_columns : in_rows(b, c, &c->plan->end, at, c->num_columns);
  end = c->plan->is_given ? sn(b, "arith.minsi", end, at_given(b, c)) : end;
  return sn_none(c->whole) ? end : sn(b, "arith.select", c->whole, c->num_columns, end);
}

// Of the blocks from *first on below *end the tile's part, or one beside all columns.
static void take_part(SnBuilder *b, const SnGpuChain *c, MlirValue *first, MlirValue *end) {
  MlirValue one = sn_index(b, 1), split = sn_index(b, c->plan->split),
            each = sn_size_ceil(b, sn(b, "arith.subi", *end, *first), split),
            from = sn(b, "arith.addi", *first, sn(b, "arith.muli", c->part, each)),
            to = sn(b, "arith.minui", sn(b, "arith.addi", from, each), *end),
            none = sn(b, "arith.cmpi", from, *end, sn_attr("predicate", sn_i64(b->ctx, 9))), // uge
      beside = sn_size_ceil(b, c->num_columns, sn_index(b, c->plan->n));
  *first = sn(b, "arith.select", none, beside, from);
  *end = sn(b, "arith.select", none, sn(b, "arith.addi", beside, one), to);
}

void sn_gpu_chain_blocks(SnBuilder *b, const SnGpuChain *c, MlirValue *first, MlirValue *end) {
  MlirValue n = sn_index(b, c->plan->n), one = sn_index(b, 1);
  *end = sn_size_max(b, sn_size_ceil(b, sn_gpu_chain_end_of_columns(b, c), n), one);
  MlirValue at = c->plan->begins_late ? at_rows(b, c, &c->plan->begin, false) : (MlirValue){0};
  at = in_rows(b, c, &c->plan->begin, at, sn_index(b, 0));
  *first = sn_index(b, 0);
  if (!sn_none(at))
    *first = sn(b, "arith.minui", sn(b, "arith.divui", at, n), sn(b, "arith.subi", *end, one));
  if (!sn_none(c->whole))
    *first = sn(b, "arith.select", c->whole, sn_index(b, 0), *first);
  if (c->plan->split > 1)
    take_part(b, c, first, end);
}

void sn_gpu_chain_unmasked(SnBuilder *b, const SnGpuChain *c, MlirValue *from, MlirValue *end) {
  MlirValue at = c->num_columns, n = sn_index(b, c->plan->n);
  if (c->plan->ends_early)
    at = sn_null(c->end.op) ? (MlirValue){0} : at_own(b, c, &c->plan->end, false);
  *end = sn_none(at) ? sn_index(b, 0) : sn(b, "arith.divui", at, n);
  *from = sn_null(c->begin.op) ? (MlirValue){0} : at_own(b, c, &c->plan->begin, true);
  if (!sn_none(*from))
    *from = sn_size_ceil(b, *from, n);
  else if (!sn_null(c->begin.op))
    *end = sn_index(b, 0);
}

// Where a mask ends rows, and begins none: later rows are longer.
static bool later_are_longer(const SnGpuChain *c) {
  return c->plan->ends_early && !c->plan->begins_late && c->plan->end.dim >= 0 && c->plan->end.factor > 0;
}

// Of the tile of this number: which of `down` below each other; its batch. Batches of a group are beside each other,
// longest rows first, so that those that are left for the end are short.
static MlirValue place_in_group(SnBuilder *b, const SnGpuChain *c, MlirValue number, MlirValue down, MlirValue *row) {
  MlirValue group = sn_index(b, c->plan->group), all = sn(b, "arith.muli", group, down),
            first = sn(b, "arith.muli", sn(b, "arith.divui", number, all), group),
            in_group = sn(b, "arith.remui", number, all),
            batches = sn(b, "arith.minui", group, sn(b, "arith.subi", c->num_batch, first));
  *row = sn(b, "arith.divui", in_group, batches);
  if (later_are_longer(c))
    *row = sn(b, "arith.subi", sn(b, "arith.subi", down, sn_index(b, 1)), *row);
  return sn(b, "arith.addi", first, sn(b, "arith.remui", in_group, batches));
}

void sn_gpu_chain_place_tile(SnBuilder *b, SnGpuChain *c, MlirValue number) {
  MlirValue m = sn_index(b, c->plan->m), down = sn_size_ceil(b, c->num_rows, m);
  if (c->plan->split > 1) {
    MlirValue split = sn_index(b, c->plan->split);
    c->part = sn(b, "arith.remui", number, split);
    number = c->tile = sn(b, "arith.divui", number, split);
  }
  MlirValue row, batch = place_in_group(b, c, number, down, &row);
  c->first_row = sn(b, "arith.muli", row, m);
  sn_gpu_point(b, &c->first, &c->plan->points.batch, batch, c->dims);
}
