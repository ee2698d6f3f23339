// contract.c: blocks of products, on a CPU. What goes through them is in chain.c.
//
//   A block [sum / k][m][k], packed unless it lies so in memory
//   for k0 by k:
//     for n0 by n, of the columns whose sums are kept:
//       B panel [k][n], packed unless it lies so in memory
//       c[m][n] (+)= A . B         by the schedule's line of the table of micro-kernels

#include "lowering/cpu/contract.h"
#include "lowering/rows/index.h"
#include "lowering/rows/rowmemory.h"

MlirValue sn_cpu_smaller(SnBuilder *b, MlirValue size, int64_t block, MlirValue at, MlirValue whole) {
  int64_t known;
  return sn_known(whole, &known) && known % block == 0 ? size
                                                       : sn(b, "arith.minsi", size, sn(b, "arith.subi", whole, at));
}

MlirValue sn_cpu_sum_of(SnBuilder *b, const SnForm *f, const Product *p) {
  return sn_form_sizes(b, f, p->first_dim, p->num_dims);
}

// ---- products -------------------------------------------------------------------------------

// A side's block where it lies in memory: rows are `known` apart, or as far as its last size says.
static SnPanel in_place(Contract *c, const Product *p, const SnAccess *side, int64_t known, MlirValue i, MlirValue j,
                        MlirValue s) {
  SnBuilder *b = &c->t.b;
  MlirValue dims[SN_MAX_DIMS], at[SN_MAX_DIMS + 1], memref = side->value;
  sn_cpu_point(c, p, i, j, s, dims);
  for (intptr_t r = 0; r < sn_rank(sn_type_of(memref)); ++r)
    at[r] = sn_affine(b, mlirAffineMapGetResult(side->map, r), dims);
  return sn_cpu_panel_at(b, memref, at,
                         known > 0 ? sn_index(b, known) : sn_dim_of(b, memref, sn_rank(sn_type_of(memref)) - 1));
}

// Rows of a that lie as in memory: tiles beside each other are neighbours.
static SnPanel along_rows(SnBuilder *b, SnPanel a, const SnMicroKernel *line) {
  a.across = sn(b, "arith.muli", a.distance, sn_index(b, sn_micro_row_unit(line)));
  a.along = sn_index(b, sn_micro_k_unit(line));
  return a;
}

// The same of an image under windows: where the point of the first row and of what is summed first would be, and
// tables of how far behind it rows and runs begin.
static SnPanel in_windows(Contract *c, const Product *p, MlirValue k0) {
  SnBuilder *b = &c->t.b;
  MlirValue zero = sn_index(b, 0);
  SnPanel a = in_place(c, p, p->a, 1, zero, (MlirValue){0}, zero);
  a.rows = p->a_rows;
  a.first_row = sn_cpu_scratch_row(c, c->m, zero);
  a.runs = p->a_runs;
  a.first_run = sn(b, "arith.divui", k0, sn_index(b, p->run));
  return a;
}

// Sum of factor * index over dimensions first .. first + n.
static MlirValue distance(SnBuilder *b, const int64_t *factors, int64_t first, int64_t n, const MlirValue *at) {
  MlirValue sum = sn_index(b, 0);
  for (int64_t d = 0; d < n; ++d)
    sum = plus(b, sum, sn(b, "arith.muli", at[d], sn_index(b, factors[first + d])));
  return sn(b, "arith.index_cast", sum, mlirIntegerTypeGet(b->ctx, 64));
}

void sn_cpu_window_rows(Contract *c, const Product *p) {
  SnBuilder *b = &c->t.b;
  int64_t factors[SN_MAX_DIMS], first = c->f.num_rows - c->together;
  MlirValue at[SN_MAX_DIMS];
  (void)sn_linear_factors(p->a->map, sn_type_of(p->a->value), factors);
  sn_form_point(b, &c->f, first, c->together, c->i0, at);
  SnLoop r = sn_for_values(b, sn_index(b, 0), c->mm, sn_index(b, 1), sn_values(c->together, at));
  sn_op(b, "memref.store", distance(b, factors, first, c->together, r.carried), p->a_rows,
        sn_cpu_scratch_row(c, c->m, r.index));
  sn_cpu_advance(b, &c->f, first, c->together, r.carried);
  sn_next_values(b, &r, sn_values(c->together, r.carried));
}

void sn_cpu_window_runs(SnBuilder *b, const SnForm *f, const Product *p) {
  int64_t factors[SN_MAX_DIMS];
  MlirValue at[SN_MAX_DIMS];
  (void)sn_linear_factors(p->a->map, sn_type_of(p->a->value), factors);
  SnLoop u = sn_for(b, sn_index(b, 0), sn_index(b, p->sum / p->run), sn_index(b, 1));
  sn_form_point(b, f, p->first_dim, p->num_dims, sn(b, "arith.muli", u.index, sn_index(b, p->run)), at);
  sn_op(b, "memref.store", distance(b, factors, p->first_dim, p->num_dims, at), p->a_runs, u.index);
  sn_next(b, &u);
}

// Tiles, each in one piece: `count` of them along k, those of all parts, then those of the next rows or columns.
static SnPanel in_tiles(SnBuilder *b, SnPanel p, const SnMicroKernel *line, int64_t count) {
  int64_t tile = sn_micro_k_unit(line) * line->n; // as many rows of a as columns of b
  p.across = sn_index(b, count * tile);
  p.along = sn_index(b, tile * sn_micro_parts(line));
  return p;
}

// The block's rows of a_pack, from k0 on.
static SnPanel packed_rows(Contract *c, const Product *p, MlirValue k0) {
  SnBuilder *b = &c->t.b;
  int64_t panels = sn_cpu_a_panels(c, p);
  int64_t tiles = sn_cpu_a_tiles(c, p);
  MlirValue from = sn_none(p->a_from) ? sn_index(b, 0) : p->a_from, row = sn_cpu_a_row(c, p, k0);
  MlirValue column = panels > 1 || tiles ? sn_index(b, 0) : sn(b, "arith.subi", k0, from);
  SnPanel a = sn_cpu_panel(b, p->a_pack, sn_cpu_a_scratch_row(c, p, row), column);
  a = tiles ? in_tiles(b, a, p->line, tiles) : along_rows(b, a, p->line);
  if (!sn_none(c->r0) && !p->streamed)
    a.offset =
        plus(b, a.offset,
             sn(b, "arith.muli", sn(b, "arith.divui", c->r0, sn_index(b, sn_micro_row_unit(p->line))), a.across));
  return a;
}

// The panel of weights that were packed before the program ran; it begins at whole ones of both dimensions.
static SnPanel packed_before(Contract *c, const Product *p, MlirValue k0, MlirValue n0) {
  SnBuilder *b = &c->t.b;
  MlirValue zero = sn_index(b, 0), at[] = {sn(b, "arith.divui", n0, sn_index(b, c->n)),
                                           sn(b, "arith.divui", k0, sn_index(b, c->k)), zero, zero};
  return sn_cpu_panel_at(b, p->b->value, at, sn_index(b, sn_dim(sn_type_of(p->b->value), 3)));
}

// Tiles ask for the columns of weights [j, k] that are copied next: all blocks of four of them for the same number.
static void ask_for_next(Contract *c, Product *p, SnMicroBlock *block) {
  int64_t lines = p->line->sums == SN_SUMS_IN_TILES && c->ahead && !sn_none(p->next_k) ? sn_cpu_lines_of(&c->f, p) : 0;
  if (!lines || p->line->pack_b != SN_PACK_GROUPS)
    return;
  int64_t four = sn_pieces(c->m, 2 * p->line->m) * sn_pieces(c->n, 2 * p->line->n);
  block->next = in_place(c, p, p->b, lines, sn_index(&c->t.b, 0), p->next_n, p->next_k);
  block->asked = sn_pieces(c->ahead, four);
}

// c[0 .. mm][column .. column + nn] (+)= A[.. mm][k0 .. k0 + kk] . B[k0 .. k0 + kk][n0 .. n0 + nn]
// B's panel begins at this row of the task's b_pack.
static void multiply(Contract *c, Product *p, MlirValue k0, MlirValue kk, MlirValue n0, MlirValue nn, MlirValue column,
                     MlirValue panel) {
  SnBuilder *b = &c->t.b;
  MlirValue zero = sn_index(b, 0), first_row = sn_cpu_sums_row(c, p, zero);
  SnMicroBlock block = {.line = p->line,
                        .sum = p->type,
                        .m = c->mm,
                        .n = nn,
                        .k = kk,
                        .b_has_room = !p->ldb,
                        .c_has_room = true,
                        .a_is_near = !p->lda || p->lda == SN_BY_TABLES,
                        .run = p->lda == SN_BY_TABLES ? p->run : 0,
                        .apart = p->ldb > 0 ? p->ldb : 0,
                        .ahead = p->ldb || p->packed ? c->ahead : 0,
                        .again = sn(b, "arith.cmpi", k0, sn_none(p->first) ? zero : p->first,
                                    sn_attr("predicate", sn_i64(b->ctx, 1)))}; // ne
  block.a = p->lda == SN_BY_TABLES ? in_windows(c, p, k0)
            : p->lda               ? along_rows(b, in_place(c, p, p->a, p->lda, c->i0, zero, k0), p->line)
                                   : packed_rows(c, p, k0);
  block.b = p->ldb      ? in_place(c, p, p->b, p->ldb, zero, n0, k0)
            : p->packed ? packed_before(c, p, k0, n0)
            : c->shares_weights
                ? sn_cpu_panel(b, p->b_pack, sn_cpu_shared_row(c, p, k0, n0), zero)
                : sn_cpu_panel(b, p->b_pack, sn_cpu_scratch_row(c, sn_cpu_b_kept_rows(c, p), panel), zero);
  block.b = in_tiles(b, block.b, p->line, sn_cpu_b_groups(c, p) * p->line->group / sn_micro_k_unit(p->line));
  block.c = sn_cpu_panel(b, p->c, first_row, column);
  ask_for_next(c, p, &block);
  sn_cpu_micro_kernel(c->kernel, b, &block);
}

void sn_cpu_product_zero(Contract *c, Product *p, MlirValue nn, MlirValue column) {
  SnBuilder *b = &c->t.b;
  MlirValue zero = sn_index(b, 0), one = sn_index(b, 1);
  SnLoop r = sn_for(b, zero, c->mm, one);
  SnLoop j = sn_for(b, zero, nn, one);
  MlirValue at[] = {sn_cpu_sums_row(c, p, r.index), plus(b, column, j.index)};
  sn_scratch_store(b, sn_zero(b, p->type), p->c, sn_values(2, at), sn_no_attr());
  sn_next(b, &j);
  sn_next(b, &r);
}

void sn_cpu_product(Contract *c, Product *p, MlirValue n0, MlirValue nn, MlirValue column) {
  SnBuilder *b = &c->t.b;
  if (!p->sum) {
    sn_cpu_product_zero(c, p, nn, column);
    return;
  }
  MlirValue sum = sn_cpu_sum_of(b, &c->f, p), zero = sn_index(b, 0);
  if (p->sum == SN_DYNAMIC) {
    SnIf nothing = sn_if(b, sn(b, "arith.cmpi", sum, zero, sn_attr("predicate", sn_i64(b->ctx, 0))));
    sn_cpu_product_zero(c, p, nn, column);
    sn_end_if(b, &nothing);
  }
  sn_cpu_product_part(c, p, zero, sum, n0, nn, column);
}

// The columns that are packed together, panel by panel.
static void product_of_panels(Contract *c, Product *p, MlirValue k0, MlirValue kk, MlirValue n0, MlirValue nn,
                              MlirValue column) {
  SnBuilder *b = &c->t.b;
  if (!p->ldb && !p->packed && !c->shares_weights && !p->across)
    sn_cpu_pack_b(c, p, k0, kk, n0, nn, (MlirValue){0});
  if (!p->panel || c->panels == 1) {
    multiply(c, p, k0, kk, n0, nn, column, sn_index(b, 0));
    return;
  }
  MlirValue width = sn_index(b, p->panel);
  p->next_k = p->next_n = (MlirValue){0};
  SnLoop j = sn_for(b, sn_index(b, 0), nn, width);
  multiply(c, p, k0, kk, plus(b, n0, j.index), sn_cpu_smaller(b, width, p->panel, j.index, nn),
           plus(b, column, j.index), sn_cpu_b_panel(c, p, j.index));
  sn_next(b, &j);
}

// What k0 is a multiple of, which begins at `from`.
static int64_t unit_of_k(const Contract *c, const Product *p, MlirValue from) {
  int64_t begin;
  return !sn_known(from, &begin) || begin ? 1 : p->sum != SN_DYNAMIC && p->sum <= c->k ? 0 : c->k;
}

// The row of b_pack where k0 and n0 are in the panels that are kept.
static MlirValue kept_row(Contract *c, const Product *p, MlirValue k0, MlirValue n0) {
  SnBuilder *b = &c->t.b;
  bool tiles = p->line->sums == SN_SUMS_IN_TILES;
  MlirValue k = sn_index(b, c->k), wide = sn_index(b, p->wide);
  MlirValue at = p->streamed ? sn(b, "arith.subi", k0, c->kept_from) : k0,
            column = p->streamed ? n0 : sn(b, "arith.subi", n0, c->kept_from);
  MlirValue panel = plus(b, times(b, sn(b, "arith.divui", at, k), p->across), sn(b, "arith.divui", column, wide));
  MlirValue row = plus(b, times(b, panel, sn_cpu_b_rows(c, p)),
                       sn(b, "arith.divui", sn(b, "arith.remui", at, k), sn_index(b, p->line->group)));
  MlirValue tile = sn(b, "arith.divui", sn(b, "arith.remui", column, wide), sn_index(b, p->line->n));
  return tiles ? plus(b, row, times(b, tile, sn_cpu_b_groups(c, p))) : row;
}

static MlirValue below(SnBuilder *b, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
}

// Behind the last columns whose sums are kept come the first ones, further along k.
static void set_next(Contract *c, Product *p, MlirValue j, MlirValue nn, MlirValue k0, MlirValue then, MlirValue n0) {
  SnBuilder *b = &c->t.b;
  if (!c->ahead)
    return;
  MlirValue more = below(b, j, nn);
  p->next_k = sn(b, "arith.select", more, k0, then);
  p->next_n = plus(b, n0, sn(b, "arith.select", more, j, sn_index(b, 0)));
}

// Behind the last of what is summed comes the first of the next columns.
static void set_next_along(Contract *c, Product *p, MlirValue then, MlirValue from, MlirValue to, MlirValue n0) {
  SnBuilder *b = &c->t.b;
  if (!c->ahead)
    return;
  MlirValue more = below(b, then, to);
  p->next_k = sn(b, "arith.select", more, then, from);
  p->next_n = sn(b, "arith.select", more, n0, plus(b, n0, sn_index(b, c->n)));
}

void sn_cpu_product_part(Contract *c, Product *p, MlirValue from, MlirValue to, MlirValue n0, MlirValue nn,
                         MlirValue column) {
  SnBuilder *b = &c->t.b;
  MlirValue k = sn_index(b, c->k);
  c->k_unit = unit_of_k(c, p, from);
  SnLoop k0 = sn_for(b, from, to, k);
  MlirValue kk = sn_cpu_smaller(b, k, c->k, k0.index, to);
  if (p->panel) {
    int64_t together = p->panel * c->panels;
    MlirValue width = sn_index(b, together);
    SnLoop j = sn_for(b, sn_index(b, 0), nn, width);
    set_next(c, p, plus(b, j.index, width), nn, k0.index, plus(b, k0.index, k), n0);
    MlirValue columns = sn_cpu_smaller(b, width, together, j.index, nn);
    product_of_panels(c, p, k0.index, kk, plus(b, n0, j.index), columns, plus(b, column, j.index));
    sn_next(b, &j);
  } else {
    if (p->across) {
      multiply(c, p, k0.index, kk, n0, nn, column, kept_row(c, p, k0.index, n0));
    } else {
      set_next_along(c, p, plus(b, k0.index, k), from, to, n0);
      product_of_panels(c, p, k0.index, kk, n0, nn, column);
    }
  }
  sn_next(b, &k0);
}

void sn_cpu_keep_panels(Contract *c, Product *p, MlirValue from, MlirValue to, MlirValue n0, MlirValue nn) {
  SnBuilder *b = &c->t.b;
  if (p->ldb || p->packed)
    return;
  MlirValue k = sn_index(b, c->k);
  c->k_unit = unit_of_k(c, p, from);
  SnLoop k0 = sn_for(b, from, to, k);
  MlirValue panel = kept_row(c, p, k0.index, n0);
  sn_cpu_pack_b(c, p, k0.index, sn_cpu_smaller(b, k, c->k, k0.index, to), n0, nn,
                sn_cpu_scratch_row(c, sn_cpu_b_kept_rows(c, p), panel));
  sn_next(b, &k0);
}
