// turned_tiles.c: rows of which some operands have their neighbours in memory in another dimension than columns.
//
//   (i) by (j) ins(%x[i, j], %y[j, i]) outs(%z[i, j]): a block has 64 x 32 of them at a time
//
//   %t[j, i] = %y[j, i]                   neighbouring threads at neighbouring i, by all threads
//   barrier
//   %z[i, j] = f(%x[i, j], %t[j, i])      neighbouring threads at neighbouring j
//
// So all that is read and written goes by whole lines of memory, and what is turned by shared memory. An output whose
// neighbours are rows takes the way back: it is left there by columns, and stored by rows behind a barrier of its own.
// Lines of shared memory are an odd number of words apart, so that threads at neighbouring columns find their elements
// in banks of their own.
//
// A warp has a row's vectors; where there are fewer than its threads, it has several rows, whose memory is in one
// piece. So it is with few rows that lie together: all of them, and columns behind.
//
// test: test/lowering/gpu/turned.mlir, test/gpu/turned.test

#include "lowering/gpu/rows/gpu_rows.h"
#include "lowering/rows/rowmemory.h"

// One vector of a tile.
typedef struct {
  MlirValue row, column;       // index: in the tile
  MlirValue dims[SN_MAX_DIMS]; // each row dimension's index
  MlirValue mine;              // i1: it is in the tile; null: for every thread
  MlirValue there;             // i1: it is in the form, too; null: the same
  SnFragment at;
} Place;

typedef struct {
  SnGpuRowKernel *g;
  const SnGpuTurned *tile;
  MlirValue first_row, first_column;
  MlirValue memory[SN_GPU_MOST_TURNED]; // of each turned operand: [column, row]
} Turn;

static MlirValue below(SnBuilder *b, MlirValue x, MlirValue n) {
  return sn(b, "arith.cmpi", x, n, sn_attr("predicate", sn_i64(b->ctx, 6))); // ult
}

static void require(SnBuilder *b, MlirValue *there, MlirValue more) {
  *there = sn_none(*there) ? more : sn(b, "arith.andi", *there, more);
}

// x, or the last that is below n, where x may not be: then `there` says so.
static MlirValue inside(SnBuilder *b, MlirValue x, MlirValue n, int64_t width, int64_t each, MlirValue *there) {
  int64_t known;
  if (sn_known(n, &known) && known % each == 0)
    return x;
  require(b, there, below(b, x, n));
  return sn(b, "arith.minui", x, sn(b, "arith.subi", n, sn_index(b, width)));
}

// Dimension d's size, 1 where it is 0: no row is run then.
static MlirValue size_of(SnBuilder *b, const SnForm *f, intptr_t d) {
  int64_t known;
  MlirValue size = sn_form_size(b, f, d);
  return sn_known(size, &known) && !known ? sn_index(b, 1) : size;
}

// The dimensions of rows in front of the turned one, of the number that counts them.
static void point_others(SnBuilder *b, const Turn *t, MlirValue linear, MlirValue *dims) {
  const SnForm *f = t->g->form;
  intptr_t order[SN_MAX_DIMS], n = 0;
  for (intptr_t d = f->num_rows; d-- > 0;)
    if (d != t->tile->row)
      order[n++] = d;
  for (intptr_t i = 0; i < n; ++i) {
    MlirValue size = size_of(b, f, order[i]);
    dims[order[i]] = i + 1 < n ? sn(b, "arith.remui", linear, size) : linear;
    if (i + 1 < n)
      linear = sn(b, "arith.divui", linear, size);
  }
}

// A row's dimensions, where neighbours are those of the turned one. A tile begins somewhere in that dimension; where it
// is not longer than it, a row is there or behind its end once, and all else is the same for the block: threads divide
// nothing. So it is where the tile has the dimension as a whole.
static void point(SnBuilder *b, const Turn *t, MlirValue row, MlirValue *dims) {
  const SnForm *f = t->g->form;
  intptr_t d = t->tile->row;
  MlirValue size = size_of(b, f, d), begin = t->first_row;
  int64_t known = 0;
  bool is_known = sn_known(size, &known), alone = f->num_rows == 1;
  if (alone || !is_known || (t->tile->rows > known && t->tile->rows % known)) {
    MlirValue linear = sn(b, "arith.addi", begin, row);
    dims[d] = alone ? linear : sn(b, "arith.remui", linear, size);
    if (!alone)
      point_others(b, t, sn(b, "arith.divui", linear, size), dims);
    return;
  }
  MlirValue others = sn(b, "arith.divui", begin, size);
  if (t->tile->rows % known == 0) {
    dims[d] = t->tile->rows == known ? row : sn(b, "arith.remui", row, size);
    if (t->tile->rows > known)
      others = sn(b, "arith.addi", others, sn(b, "arith.divui", row, size));
    point_others(b, t, others, dims);
    return;
  }
  MlirValue at = sn(b, "arith.addi", sn(b, "arith.remui", begin, size), row), next[SN_MAX_DIMS];
  dims[d] = at;
  point_others(b, t, others, dims);
  if (known % t->tile->rows == 0)
    return;
  MlirValue before = below(b, at, size);
  dims[d] = sn(b, "arith.select", before, at, sn(b, "arith.subi", at, size));
  point_others(b, t, sn(b, "arith.addi", others, sn_index(b, 1)), next);
  for (intptr_t o = 0; o < f->num_rows; ++o)
    if (o != d)
      dims[o] = sn(b, "arith.select", before, dims[o], next[o]);
}

static MlirValue quotient(SnBuilder *b, MlirValue x, int64_t n) { return sn(b, "arith.divui", x, sn_index(b, n)); }

// A warp has a row of the tile, and its threads vectors of that.
static bool by_warps(const Turn *t) { return t->tile->columns / t->g->mine.width >= 32; }

// Vectors of a thread.
static int64_t count_places(const Turn *t, bool along_rows) {
  int64_t threads = t->g->k->threads, columns = along_rows ? t->tile->columns : t->tile->columns / t->g->mine.width;
  return !along_rows && by_warps(t) ? sn_pieces(t->tile->rows, threads / 32) * sn_pieces(columns, 32)
                                    : sn_pieces(t->tile->rows * columns, threads);
}

static MlirValue at(SnBuilder *b, MlirValue x, int64_t more) {
  return more ? sn(b, "arith.addi", x, sn_index(b, more)) : x;
}

static void place_by_rows(SnBuilder *b, const Turn *t, int64_t u, Place *p) {
  int64_t threads = t->g->k->threads, together = t->tile->together, columns = t->tile->columns,
          all = t->tile->rows * columns, lines = threads / together;
  MlirValue own = t->g->k->thread;
  if (together == t->tile->rows && threads % together == 0) { // a thread has a row, and each of its steps is known
    p->row = sn(b, "arith.remui", own, sn_index(b, together));
    p->column = at(b, quotient(b, own, together), u * lines);
    if ((u + 1) * lines > columns)
      p->column = inside(b, p->column, sn_index(b, columns), 1, lines, &p->mine);
    return;
  }
  MlirValue e = at(b, own, u * threads);
  if ((u + 1) * threads > all)
    e = inside(b, e, sn_index(b, all), 1, threads, &p->mine);
  MlirValue first = sn(b, "arith.remui", e, sn_index(b, together)), line = quotient(b, e, together);
  p->row = first;
  p->column = line;
  if (together == t->tile->rows)
    return;
  p->column = sn(b, "arith.remui", line, sn_index(b, columns));
  p->row = sn(b, "arith.addi", sn(b, "arith.muli", quotient(b, line, columns), sn_index(b, together)), first);
}

static void place_by_columns(SnBuilder *b, const Turn *t, int64_t u, Place *p) {
  int64_t width = t->g->mine.width, threads = t->g->k->threads, columns = t->tile->columns / width,
          all = t->tile->rows * columns, across = sn_pieces(columns, 32);
  MlirValue vector;
  if (by_warps(t)) {
    vector = inside(b, at(b, t->g->k->lane, u % across * 32), sn_index(b, columns), 1, 32, &p->mine);
    p->row = inside(b, at(b, t->g->k->warp, u / across * threads / 32), sn_index(b, t->tile->rows), 1, threads / 32,
                    &p->mine);
  } else {
    MlirValue e = at(b, t->g->k->thread, u * threads);
    if ((u + 1) * threads > all)
      e = inside(b, e, sn_index(b, all), 1, threads, &p->mine);
    vector = sn(b, "arith.remui", e, sn_index(b, columns));
    p->row = quotient(b, e, columns);
  }
  p->column = sn(b, "arith.muli", vector, sn_index(b, width));
}

// Vector u of a thread; neighbouring threads are at neighbouring rows, of one column each, or columns.
static Place place(SnBuilder *b, const Turn *t, int64_t u, bool along_rows) {
  SnGpuRowKernel *g = t->g;
  int64_t width = along_rows ? 1 : g->mine.width;
  Place p = {0};
  if (along_rows)
    place_by_rows(b, t, u, &p);
  else
    place_by_columns(b, t, u, &p);
  p.there = p.mine;
  MlirValue row = p.row, column = sn(b, "arith.addi", t->first_column, p.column);
  int64_t known;
  if (!sn_known(g->num_rows, &known) || known % t->tile->rows) // the last, where a row may not be
    row = inside(b, row, sn(b, "arith.subi", g->num_rows, t->first_row), 1, 1, &p.there);
  column = inside(b, column, g->length, width, t->tile->columns, &p.there);
  point(b, t, row, p.dims);
  p.at = sn_fragment(column, width);
  return p;
}

// The row program is at this place from here on.
static void stand(const Turn *t, const Place *p) {
  sn_row_begin(&t->g->program);
  memcpy(t->g->program.dims, p->dims, sizeof p->dims);
}

static MlirValue argument(const Turn *t, size_t k) { return mlirBlockGetArgument(t->g->form->body, (intptr_t)k); }

static bool is_turned(const Turn *t, size_t operand) {
  for (size_t i = 0; i < t->tile->n; ++i)
    if (t->tile->operands[i] == operand)
      return true;
  return false;
}

// ---- from memory, and to it ------------------------------------------------------------------------------------

// The lanes of x, by one thread each.
static void leave(SnBuilder *b, const Turn *t, size_t i, const Place *p, MlirValue x) {
  SnIf mine;
  if (!sn_none(p->mine))
    mine = sn_if(b, p->mine);
  for (int64_t l = 0; l < p->at.columns; ++l) {
    MlirValue at[] = {l ? sn(b, "arith.addi", p->column, sn_index(b, l)) : p->column, p->row};
    sn_scratch_store(b, p->at.columns == 1 ? x : sn_lane(b, x, l), t->memory[i], sn_values(2, at), sn_no_attr());
  }
  if (!sn_none(p->mine))
    sn_end_if(b, &mine);
}

static MlirValue take(SnBuilder *b, const Turn *t, size_t i, const Place *p, MlirType element, int64_t lane) {
  MlirValue at[] = {lane ? sn(b, "arith.addi", p->column, sn_index(b, lane)) : p->column, p->row};
  return sn_scratch_load(b, t->memory[i], sn_values(2, at), element, sn_no_attr());
}

// All vectors of a row that waits in shared memory, as one.
static void take_row(SnBuilder *b, const Turn *t, size_t i, Place *p) {
  MlirValue v = argument(t, t->tile->operands[i]), lanes[SN_MAX_LANES];
  MlirType element = sn_element(sn_type_of(v));
  for (int64_t l = 0; l < p->at.columns; ++l)
    lanes[l] = take(b, t, i, p, element, l);
  sn_fragment_give(&p->at, v,
                   p->at.columns == 1 ? lanes[0]
                                      : sn(b, "vector.from_elements", sn_values(p->at.columns, lanes),
                                           sn_vector(element, p->at.columns)));
}

// ---- one tile --------------------------------------------------------------------------------------------------

typedef struct {
  Turn *t;
  Place *p;
} Columns;

static void columns(SnBuilder *b, size_t phase, void *user) {
  const Columns *c = user;
  SnGpuRowKernel *g = c->t->g;
  const SnForm *f = g->form;
  MlirValue *elements = sn_alloc(f->outputs.size * sizeof *elements);
  for (size_t o = 0; o < f->outputs.size; ++o)
    elements[o] =
        sn_row_element(b, &g->program, &c->p->at, sn_row_yield(&g->program, (intptr_t)sn_output_position(f, o)));
  for (size_t i = 0; i < c->t->tile->n; ++i)
    if (c->t->tile->operands[i] >= f->inputs.size)
      leave(b, c->t, i, c->p, elements[c->t->tile->operands[i] - f->inputs.size]);
  SnFragment before = c->p->at; // what is made under the branch is not known behind it
  SnIf in;
  if (!sn_none(c->p->there))
    in = sn_if(b, c->p->there);
  for (size_t o = 0; o < f->outputs.size; ++o)
    if (!is_turned(c->t, f->inputs.size + o)) {
      SnAccess access = sn_gpu_output(g, o);
      sn_row_store(b, &g->program, &c->p->at, elements[o], &access);
    }
  if (!sn_none(c->p->there)) {
    sn_end_if(b, &in);
    memcpy(c->p->at.dims, before.dims, sizeof before.dims);
  }
  free(elements);
}

static void store_by_rows(SnBuilder *b, Turn *t, size_t i, const Place *places, size_t n) {
  SnGpuRowKernel *g = t->g;
  SnAccess access = sn_gpu_output(g, t->tile->operands[i] - g->form->inputs.size);
  for (size_t u = 0; u < n; ++u) {
    Place p = places[u];
    stand(t, &p);
    MlirValue x = take(b, t, i, &p, sn_element(sn_type_of(access.value)), 0);
    SnIf in;
    if (!sn_none(p.there))
      in = sn_if(b, p.there);
    sn_row_store(b, &g->program, &p.at, x, &access);
    if (!sn_none(p.there))
      sn_end_if(b, &in);
  }
}

static void free_places(Place *places, size_t n) {
  for (size_t u = 0; u < n; ++u)
    sn_fragment_free(&places[u].at);
  free(places);
}

static void emit_tile(SnBuilder *b, SnGpuKernel *k, const SnGpuTile *tile, void *user) {
  Turn *t = user;
  SnGpuRowKernel *g = t->g;
  const SnForm *f = g->form;
  size_t by_rows = (size_t)count_places(t, true), by_columns = (size_t)count_places(t, false);
  MlirValue across = sn_size_ceil(b, g->length, sn_index(b, t->tile->columns));
  t->first_row = sn(b, "arith.muli", sn(b, "arith.divui", tile->number, across), sn_index(b, t->tile->rows));
  t->first_column = sn(b, "arith.muli", sn(b, "arith.remui", tile->number, across), sn_index(b, t->tile->columns));
  Place *rows = sn_alloc(by_rows * sizeof *rows), *own = sn_alloc(by_columns * sizeof *own);
  for (size_t u = 0; u < by_rows; ++u) {
    rows[u] = place(b, t, (int64_t)u, true);
    stand(t, &rows[u]);
    for (size_t i = 0; i < t->tile->n; ++i)
      if (t->tile->operands[i] < f->inputs.size)
        sn_row_element(b, &g->program, &rows[u].at, argument(t, t->tile->operands[i]));
  }
  for (size_t u = 0; u < by_columns; ++u) { // asked for before anyone waits
    own[u] = place(b, t, (int64_t)u, false);
    stand(t, &own[u]);
    for (size_t o = 0; o < f->inputs.size; ++o)
      if (!is_turned(t, o) && sn_is_row(argument(t, o)))
        sn_row_element(b, &g->program, &own[u].at, argument(t, o));
  }
  for (size_t i = 0; i < t->tile->n; ++i)
    for (size_t u = 0; u < by_rows && t->tile->operands[i] < f->inputs.size; ++u)
      leave(b, t, i, &rows[u], sn_row_element(b, &g->program, &rows[u].at, argument(t, t->tile->operands[i])));
  sn_gpu_sync(b, k);
  for (size_t u = 0; u < by_columns; ++u) {
    stand(t, &own[u]);
    for (size_t i = 0; i < t->tile->n; ++i)
      if (t->tile->operands[i] < f->inputs.size)
        take_row(b, t, i, &own[u]);
    Columns c = {t, &own[u]};
    SnRowWalk walk = {.columns = columns, .user = &c};
    sn_row_walk(b, &g->program, 1, &walk);
  }
  for (size_t i = 0, waited = 0; i < t->tile->n; ++i)
    if (t->tile->operands[i] >= f->inputs.size) {
      if (!waited++)
        sn_gpu_sync(b, k);
      store_by_rows(b, t, i, rows, by_rows);
    }
  if (!k->single_tile)
    sn_gpu_sync(b, k);
  free_places(rows, by_rows);
  free_places(own, by_columns);
}

void sn_gpu_turned_rows(SnBuilder *b, SnGpuRowKernel *g) {
  SnGpuKernel *k = g->k;
  Turn t = {.g = g, .tile = &g->plan->turned};
  sn_gpu_know_lanes(k);
  for (size_t i = 0; i < t.tile->n; ++i) {
    int64_t shape[] = {t.tile->columns, t.tile->pitch[i]};
    MlirType element = sn_element(sn_type_of(sn_gpu_access(g->form, t.tile->operands[i])->value));
    t.memory[i] = sn_gpu_shared(k, "what is turned", 2, shape, sn_scratch_type(element), SN_GPU_FOR_VECTORS);
  }
  MlirValue tiles = sn_size_mul(b, sn_size_ceil(b, g->num_rows, sn_index(b, t.tile->rows)),
                                sn_size_ceil(b, g->length, sn_index(b, t.tile->columns)));
  SnGpuTiles dealt = sn_gpu_tiles_in_steps(k, k->group, tiles, k->blocks);
  sn_gpu_each_tile(b, k, &dealt, NULL, 0, emit_tile, &t);
}
