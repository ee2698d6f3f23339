// chain_columns.c: which columns of a stream a block's rows, and a strip of them, ask anything of.
//
//   causal, rows 256 .. 288, stream = 256:      columns 0 .. 512 of the block;  256 .. 320 of the strip's last ones
//
// What ends where a mask does is said by lowering/facts/cpu_ends.c. A block has whole blocks of columns. Of one of
// them a strip has what its own rows leave, in whole tiles or panels, and some at least: the first block of columns
// begins all sums.
//
// test: test/lowering/cpu/stream_strips.mlir, test/run/attention.test

#include "lowering/cpu/chain.h"
#include "lowering/rows/index.h"

enum { EQ = 0, SLT = 2, SGE = 5 }; // of arith.cmpi
enum { STRIP_COLUMNS = 64 };       // that strips' ends are multiples of

static MlirValue compare(SnBuilder *b, int predicate, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

// The position of the block's first row in a dimension of those that count as one, where it goes on row by row, or is
// the same for all of them; null where blocks are neither.
static MlirValue position_of_rows(Chain *chain, int64_t dim, bool *same) {
  Contract *c = &chain->c;
  SnBuilder *b = &c->t.b;
  int64_t inner = 1, size = c->f.dims.data[dim].size;
  for (int64_t d = dim + 1; d < c->f.num_rows; ++d)
    inner = inner == SN_DYNAMIC || c->f.dims.data[d].size == SN_DYNAMIC ? SN_DYNAMIC
                                                                        : sn_times(inner, c->f.dims.data[d].size);
  *same = inner != 1;
  if (c->together == 1)
    return c->i0;
  if (size == SN_DYNAMIC || inner == SN_DYNAMIC || (inner == 1 ? size : inner) % c->m)
    return (MlirValue){0};
  return sn(b, "arith.remui", sn(b, "arith.divui", c->i0, sn_index(b, inner)), sn_index(b, size));
}

// The column that `end` says of the block's rows: the greatest, or the least. Null where it differs from row to row
// otherwise.
static MlirValue column_of_rows(Chain *chain, const SnCpuEnd *end, bool greatest) {
  Contract *c = &chain->c;
  SnBuilder *b = &c->t.b;
  bool same = end->dim < c->f.num_rows - c->together;
  MlirValue at = end->dim < 0 ? sn_index(b, 0) : same ? c->dims[end->dim] : position_of_rows(chain, end->dim, &same);
  if (sn_none(at))
    return at;
  if (!same && (end->factor > 0) == greatest)
    at = sn(b, "arith.subi", sn(b, "arith.addi", at, c->mm), sn_index(b, 1));
  at = sn(b, "arith.muli", at, sn_index(b, end->factor));
  return sn(b, "arith.maxsi", sn(b, "arith.addi", at, sn_index(b, end->more)), sn_index(b, end->least));
}

// All of the block's rows are those that `end` is said of: `at`, else `otherwise`.
static MlirValue in_rows(Chain *chain, const SnCpuEnd *end, MlirValue at, MlirValue otherwise) {
  Contract *c = &chain->c;
  SnBuilder *b = &c->t.b;
  if (sn_none(at) || (!end->since && !end->until))
    return at;
  bool same = end->dim < c->f.num_rows - c->together;
  MlirValue first = same ? c->dims[end->dim] : position_of_rows(chain, end->dim, &same),
            last = same ? first : sn(b, "arith.subi", sn(b, "arith.addi", first, c->mm), sn_index(b, 1)),
            all = compare(b, SGE, first, sn_index(b, end->since));
  if (end->until)
    all = sn(b, "arith.andi", all, compare(b, SLT, last, sn_index(b, end->until)));
  return sn(b, "arith.select", all, at, otherwise);
}

SnColumns sn_cpu_columns_of_stream(Chain *chain, MlirValue columns) {
  SnBuilder *b = &chain->c.t.b;
  SnColumns all = {sn_index(b, 0), columns};
  MlirValue end = chain->ends_early ? column_of_rows(chain, &chain->end, true) : (MlirValue){0};
  MlirValue begin = chain->begins_late ? column_of_rows(chain, &chain->begin, false) : (MlirValue){0};
  end = in_rows(chain, &chain->end, end, columns);
  begin = in_rows(chain, &chain->begin, begin, sn_index(b, 0));
  if (!sn_none(end))
    all.to = sn(b, "arith.minsi", sn_cpu_whole(b, end, chain->stream), columns);
  if (!sn_none(begin)) {
    MlirValue first = sn(b, "arith.minsi", begin, all.to);
    all.from = sn(b, "arith.subi", first, sn(b, "arith.remui", first, sn_index(b, chain->stream)));
  }
  return all;
}

// What ends of a strip's columns are multiples of, from where the block's begin: they cut no panel that is kept, but
// tiles of it.
static int64_t unit_of_strip(const Chain *chain) {
  const Segment *s = &chain->segments.data[0];
  bool tiles = s->f.products.size && s->products[0].line->sums == SN_SUMS_IN_TILES && s->n >= chain->stream;
  int64_t unit = tiles ? STRIP_COLUMNS : s->n * sn_pieces(STRIP_COLUMNS, s->n);
  while (unit % sn_micro_k_unit(s->products[0].line))
    unit *= 2;
  return unit;
}

SnColumns sn_cpu_columns_of_strip(Chain *chain, SnColumns columns) {
  SnBuilder *b = &chain->c.t.b;
  if (chain->above || !chain->segments.data[0].f.products.size || chain->stream > chain->c.k)
    return columns;
  MlirValue end = chain->ends_early ? column_of_rows(chain, &chain->end, true) : (MlirValue){0};
  MlirValue begin = chain->begins_late ? column_of_rows(chain, &chain->begin, false) : (MlirValue){0};
  end = in_rows(chain, &chain->end, end, columns.to);
  begin = in_rows(chain, &chain->begin, begin, columns.from);
  MlirValue zero = sn_index(b, 0), unit = sn_index(b, unit_of_strip(chain)), from = zero,
            to = sn(b, "arith.subi", columns.to, columns.from);
  if (!sn_none(begin)) {
    begin = sn(b, "arith.maxsi", sn(b, "arith.subi", begin, columns.from), zero);
    begin = sn(b, "arith.minsi", begin, sn(b, "arith.subi", to, sn_index(b, 1)));
    from = sn(b, "arith.subi", begin, sn(b, "arith.remui", begin, unit));
  }
  if (!sn_none(end)) {
    end = sn(b, "arith.maxsi", sn(b, "arith.subi", end, columns.from), plus(b, from, sn_index(b, 1)));
    to = sn(b, "arith.minsi", sn_cpu_whole(b, end, unit_of_strip(chain)), to);
  }
  return (SnColumns){plus(b, columns.from, from), plus(b, columns.from, to)};
}

// Of rows that a mask's end is not said of nothing is known.
MlirValue sn_cpu_no_mask_cuts(Chain *chain, SnColumns columns) {
  SnBuilder *b = &chain->c.t.b;
  MlirValue all = {0}, none = sn_index(b, -1);
  if (chain->above || (!chain->ends_early && !chain->begins_late))
    return all;
  if (chain->ends_early) {
    SnCpuEnd end = chain->end;
    end.least = -1;
    MlirValue at = in_rows(chain, &end, column_of_rows(chain, &end, false), none);
    if (sn_none(at))
      return at;
    all = compare(b, SGE, at, columns.to);
  }
  if (chain->begins_late) {
    MlirValue at = in_rows(chain, &chain->begin, column_of_rows(chain, &chain->begin, true), columns.to);
    if (sn_none(at))
      return at;
    MlirValue behind = compare(b, SGE, columns.from, at);
    all = sn_none(all) ? behind : sn(b, "arith.andi", all, behind);
  }
  return all;
}
