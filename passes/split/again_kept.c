// again_kept.c: of a product that is made again, the parts that there is room for are kept.
//
// Rows are reduced before a part of what they give is made (again.c), and until then nobody has written the result that
// parts are rows of. It has room for products of the first parts:
//
//   %b = memory of that result
//   scf.for each 8064 of j, while there is room
//     %p = contract (i) by (j = 8064) product (k) (h, a slice of w)          -> a slice of %b, as [i, j]
//     numbers of its pieces = rowwise (i, p = 42) by (j = 192) (%p)          -> a slice of theirs
//   numbers of all other pieces = contract (i, p) by (j = 192) product (k) (h, the rest of w)
//   %v, %m, %s = rowwise (i) by (p) { joins them }
//   scf.for each of those parts: %d = rowwise (i) by (j = 8064) (%p, %m[i], %s[i]), and its readers
//   scf.for each other part: %d = contract ... , as ever
//
// Part q is in lines from q * n on, n of them, which are as many as its own or more: what is written of %b while parts
// come in order is in front of all that are kept. Where what is made of a part is of its product's type, the first one
// is where all of these will be, and the others are a part behind.
//
// 8192 rows of 4096 in bf16 by 128,256: %b has room for 7 of 15.9 parts, so half of a product of four is saved.
//
// runs in: split    test: test/passes/split/again_kept.mlir, test/gpu/heads.test

#include "lowering/rows/rowmemory.h"
#include "passes/split/again.h"
#include "passes/split/reduced.h"

// ---- the plan ----------------------------------------------------------------------------------------

static int64_t bytes_of_line(MlirType t) {
  int64_t bits = (int64_t)sn_bits(sn_element(t));
  for (intptr_t d = 1; d < sn_rank(t); ++d)
    bits = sn_times(bits, sn_dim(t, d));
  return bits / 8;
}

// The reader whose result has the longest lines, one for each column that is cut. Their bytes; 0: there is none.
static int64_t find_keeper(SnAgain *s) {
  int64_t most = 0;
  for (size_t i = 0; i < s->readers.size; ++i) {
    int64_t bytes = bytes_of_line(sn_type_of(sn_result(s->readers.data[i].op, 0)));
    if (!s->readers.data[i].sums && bytes > most) {
      most = bytes;
      s->keeper = i;
    }
  }
  return most;
}

void sn_plan_kept(SnAgain *s) {
  enum { COLUMNS = 1 };
  SnForm values = sn_form_read(s->values);
  SnReducedJoin join = sn_plan_reduced(&values);
  int64_t line = s->dim == COLUMNS && s->part % join.piece == 0 ? find_keeper(s) : 0;
  sn_free_reduced(&join);
  sn_form_free(&values);
  if (!line)
    return;
  const SnAccess *out = &s->f.outputs.data[s->output];
  MlirType element = sn_element(sn_type_of(sn_result(s->f.op, (intptr_t)s->output)));
  s->kept_type = sn_stored_type(&s->f, 0);
  s->kept_in_part = mlirTypeEqual(s->kept_type, element) && sn_map_dim(out->map, 0) == 0;
  int64_t of_column = sn_times(s->f.dims.data[0].size, (int64_t)sn_bits(s->kept_type)) / 8;
  s->kept_lines = sn_times(sn_pieces(of_column, line), s->part);
  int64_t room = (s->size - (s->kept_in_part ? s->part : 0)) / s->kept_lines, whole = s->size / s->part;
  s->kept = room + s->kept_in_part < whole ? room + s->kept_in_part : whole;
}

// ---- what is kept --------------------------------------------------------------------------------------

MlirValue sn_kept_product(SnBuilder *b, const SnAgain *s, MlirValue number, bool first) {
  MlirType as = sn_memref(s->kept_type, 2, (int64_t[]){s->f.dims.data[0].size, s->part});
  if (first && s->kept_in_part) // of the same order and type
    return s->stored;
  MlirValue line = sn(b, "arith.muli", number, sn_index(b, s->kept_lines));
  if (s->kept_in_part) // the second one is a part behind the result's begin
    line = sn(b, "arith.subi", line, sn_index(b, s->kept_lines - s->part));
  return sn_part_of_memory(b, s->keeping, line, s->kept_lines, as);
}

typedef struct {
  SnAgain *s;
  const SnForm *f;     // of all columns
  SnReducedJoin *join; // of it
  SnMap memory;        // of each tensor that it reads
  SnValueVec numbers;  // memory of what each part of the pieces is, [p, i]
} Kept;

static void keep_product(SnBuilder *b, const Kept *k, const SnAgainPart *part, MlirValue into) {
  const SnForm *f = k->f;
  MlirAffineExpr at[] = {mlirAffineDimExprGet(b->ctx, 0), mlirAffineDimExprGet(b->ctx, 1)};
  SnForm to = sn_cut_dims(f, k->s->dim, part->count);
  for (size_t i = 0; i < sn_first_input(f); ++i) {
    SnAccess a = sn_part_of_access(b, f, &f->inputs.data[i], k->s->dim, part, &k->memory);
    sn_push(&to.inputs, a);
  }
  sn_push(&to.outputs,
          ((SnAccess){.value = into, .map = mlirAffineMapGet(b->ctx, (intptr_t)f->dims.size, 0, 2, at)}));
  sn_form_create(b, &to, false);
  SnBuilder in = sn_at_end(to.body, b->loc);
  MlirValue sum = sn_product_argument(&to, 0);
  MlirType type = sn_row_type(&to, k->s->kept_type);
  sum = mlirTypeEqual(sn_type_of(sum), type) ? sum : sn(&in, "arith.truncf", sum, type);
  sn_op(&in, "sinter.yield", sum, sn_types(0, NULL));
  sn_form_free(&to);
}

// Numbers of the pieces of a part: from memory if it is kept, else of its product. `piece`: the first one.
static void reduce_part(SnBuilder *b, const Kept *k, const SnAgainPart *part, MlirValue kept, MlirValue piece,
                        bool whole) {
  SnForm f = sn_form_read(k->f->op);
  SnReducedJoin join = *k->join;
  SnReducedRange r = {.count = sn_pieces(part->count, join.piece), .whole = whole};
  int64_t rows = f.dims.data[0].size;
  SnValueVec places = {0};
  join.f = &f;
  for (size_t i = 0; i < f.inputs.size; ++i)
    f.inputs.data[i] = sn_part_of_access(b, &f, &f.inputs.data[i], k->s->dim, part, &k->memory);
  for (size_t i = 0; i < k->numbers.size; ++i) {
    MlirType t = sn_element(sn_type_of(k->numbers.data[i]));
    sn_push(&places, sn_part_of_memory(b, k->numbers.data[i], piece, r.count,
                                       sn_memref(t, 2, (int64_t[]){r.count, rows})));
  }
  r.places = places.data;
  if (!sn_none(kept))
    r.stored = sn_seen_as(b, kept, sn_memref(k->s->kept_type, 3, (int64_t[]){rows, r.count, join.piece}));
  if (sn_none(kept))
    r.first = k->s->kept * k->s->part / join.piece;
  else if (!sn_none(k->s->starts))
    r.start = sn_start_of(b, k->s, part);
  sn_make_pieces(b, &join, &r);
  sn_vec_free(&places);
  sn_form_free(&f);
}

static void keep_part(SnBuilder *b, const Kept *k, MlirValue number, bool first) {
  SnAgainPart part = sn_again_part(b, k->s, number);
  MlirValue kept = sn_kept_product(b, k->s, number, first);
  keep_product(b, k, &part, kept);
  MlirValue piece = sn(b, "arith.muli", number, sn_index(b, k->s->part / k->join->piece));
  reduce_part(b, k, &part, kept, piece, true);
}

static bool asks_where(const Kept *k) {
  bool asks = sn_names_position(k->f, k->s->dim);
  for (size_t i = 0; i < k->join->parts.size; ++i)
    asks |= k->join->parts.data[i].kind == SN_PART_PICKED;
  return asks;
}

// Memory that there is from the first part on.
static void allocate(SnBuilder *b, Kept *k) {
  SnAgain *s = k->s;
  MlirType result = sn_type_of(sn_result(s->readers.data[s->keeper].op, 0));
  sn_take_inputs(b, k->f, (MlirValue){0}, &k->memory);
  if (asks_where(k))
    s->starts = sn_make_starts(b, s);
  s->keeping = sn_allocated(b, sn_memref_like(result, sn_element(result)));
  s->stored = sn_allocated(b, sn_part_type(s, s->part));
  for (size_t i = 0; i < k->join->parts.size; ++i)
    sn_push(&k->numbers, sn_allocated(b, sn_memref(k->join->parts.data[i].type, 2,
                                                   (int64_t[]){k->join->pieces, k->f->dims.data[0].size})));
}

static void make_numbers(SnBuilder *b, const Kept *k) {
  const SnAgain *s = k->s;
  if (s->kept_in_part)
    keep_part(b, k, sn_index(b, 0), true);
  if (s->kept > s->kept_in_part) {
    SnLoop loop = sn_for(b, sn_index(b, s->kept_in_part), sn_index(b, s->kept), sn_index(b, 1));
    keep_part(b, k, loop.index, false);
    sn_next(b, &loop);
  }
  int64_t first = s->kept * s->part;
  if (first < s->size) {
    SnAgainPart rest = {sn_index(b, s->kept), sn_index(b, first), s->size - first};
    reduce_part(b, k, &rest, (MlirValue){0}, sn_index(b, first / k->join->piece), false);
  }
}

void sn_make_kept(SnAgain *s, MlirAttribute cut) {
  SnForm f = sn_form_read(s->values);
  SnReducedJoin join = sn_plan_reduced(&f);
  SnBuilder b = sn_before(s->values);
  Kept k = {.s = s, .f = &f, .join = &join};
  SnValueVec pieces = {0};
  allocate(&b, &k);
  make_numbers(&b, &k);
  for (size_t i = 0; i < k.numbers.size; ++i)
    sn_push(&pieces, sn_tensor_of(&b, k.numbers.data[i]));
  MlirOperation values = sn_join_pieces(&b, &join, pieces.data);
  if (cut.ptr)
    sn_set_attr(values, "sinter.cut", cut);
  mlirOperationDestroy(s->values);
  s->values = values;
  sn_vec_free(&pieces);
  sn_vec_free(&k.numbers);
  sn_map_free(&k.memory);
  sn_free_reduced(&join);
  sn_form_free(&f);
}
