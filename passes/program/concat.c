// concat.c: a slice of a concatenation reads the pieces that it lies in.
//
//   %c = tensor.concat dim(1) %x, %y : 4x3, 4x5 -> 4x8        %s = tensor.extract_slice %y[0, 1] [4, 2] [1, 1]
//   %s = tensor.extract_slice %c[0, 4] [4, 2] [1, 1]     ->
//
// A slice of several pieces is one of a concatenation of these alone, and a concatenation that another takes has its
// pieces there, where nobody reads it as a whole: else what is stored is read in place. A program that appends to what
// it has, and reads the last of it, would select among all pieces each time. Where sizes are `?`, a slice moves if they
// say where it lies, whatever they are.
//
// runs in: sinter-prepare    test: test/passes/program/concat.mlir

#include "capi/pass.h"
#include "passes/edit/size_terms.h"

typedef SN_VEC(SnSize) Sizes;

typedef struct {
  SnSizeReader sizes;
  SnTable starts_of; // concatenations -> 1 + where in starts the first of theirs is: n + 1 sizes
  Sizes starts;
} Pass;

// Which elements of a dimension are read: none before `from`, none from `to` on.
typedef struct {
  SnSize from, to;
} Range;

static MlirOperation concat_along(MlirValue v, intptr_t dim) {
  MlirOperation op = sn_def(v, "tensor.concat");
  return sn_null(op) || sn_int_attr(op, "dim", -1) == dim ? op : (MlirOperation){0};
}

static bool is_unused(MlirOperation op) { return mlirOpOperandIsNull(mlirValueGetFirstUse(sn_result(op, 0))); }

static bool in_one_block(MlirOperation a, MlirOperation b) {
  return mlirBlockEqual(mlirOperationGetBlock(a), mlirOperationGetBlock(b));
}

// ---- where pieces are ----------------------------------------------------------------------

// Where pieces begin, and where the last one ends.
static const SnSize *starts_of(Pass *p, MlirOperation concat) {
  uintptr_t first = 0;
  if (!sn_table_get(&p->starts_of, concat.ptr, &first)) {
    intptr_t dim = sn_int_attr(concat, "dim", 0);
    SnSize at = sn_size_number(0);
    first = p->starts.size + 1;
    sn_push(&p->starts, at);
    for (intptr_t k = 0; k < sn_num_operands(concat); ++k) {
      SnSize more = sn_size_of_dim(&p->sizes, sn_operand(concat, k), dim);
      at = sn_size_sum(&at, 1, &more);
      sn_push(&p->starts, at);
    }
    sn_table_put(&p->starts_of, concat.ptr, first);
  }
  return p->starts.data + first - 1;
}

// x <= y, whatever sizes are
static bool at_most(const Pass *p, const SnSize *x, const SnSize *y) {
  int64_t m, n;
  if (sn_size_is_number(x, &m) && sn_size_is_number(y, &n))
    return m <= n;
  SnSize more = sn_size_sum(y, -1, x);
  return sn_size_at_least(&p->sizes, &more, 0);
}

static Range behind(const Range *r, const SnSize *start) {
  return (Range){sn_size_sum(&r->from, -1, start), sn_size_sum(&r->to, -1, start)};
}

// The pieces first .. last that hold a range: all that may.
static void find(Pass *p, MlirOperation concat, const Range *r, intptr_t *first, intptr_t *last) {
  const SnSize *starts = starts_of(p, concat);
  intptr_t n = sn_num_operands(concat);
  *first = 0;
  for (intptr_t k = 1; k < n; ++k)
    if (at_most(p, &starts[k], &r->from))
      *first = k;
  *last = *first;
  while (*last + 1 < n && !at_most(p, &r->to, &starts[*last + 1]))
    ++*last;
}

// Whether a piece is as large as the whole in all other dimensions: those of a slice fit it, too.
static bool fits(Pass *p, MlirOperation concat, intptr_t k) {
  MlirValue piece = sn_operand(concat, k), whole = sn_result(concat, 0);
  for (intptr_t d = 0; d < sn_rank(sn_type_of(whole)); ++d) {
    if (d == sn_int_attr(concat, "dim", 0))
      continue;
    SnSize x = sn_size_of_dim(&p->sizes, piece, d), y = sn_size_of_dim(&p->sizes, whole, d);
    if (!sn_size_equal(&x, &y))
      return sn_no(concat, "the size of operand %ld in dimension %ld is not known to be the whole's", (long)k, (long)d);
  }
  return true;
}

// ---- slices --------------------------------------------------------------------------------

enum { OFFSETS = 1, SIZES, STRIDES };
static const char *const statics[] = {NULL, "static_offsets", "static_sizes", "static_strides"};

// First operand of a group of a slice.
static intptr_t segment(MlirOperation slice, int group) {
  intptr_t first = 0;
  for (int g = 0; g < group; ++g)
    first += mlirDenseI32ArrayGetElement(sn_get_attr(slice, "operandSegmentSizes"), g);
  return first;
}

// The operand of a group in dimension d, which is not a number.
static intptr_t operand_of(MlirOperation slice, int group, intptr_t d) {
  intptr_t k = segment(slice, group);
  for (intptr_t i = 0; i < d; ++i)
    k += mlirDenseI64ArrayGetElement(sn_get_attr(slice, statics[group]), i) == SN_DYNAMIC;
  return k;
}

static SnSize element(Pass *p, MlirOperation slice, int group, intptr_t d) {
  int64_t n = mlirDenseI64ArrayGetElement(sn_get_attr(slice, statics[group]), d);
  return n != SN_DYNAMIC ? sn_size_number(n)
                         : sn_size_of_value(&p->sizes, sn_operand(slice, operand_of(slice, group, d)));
}

static bool range_of(Pass *p, MlirOperation slice, intptr_t dim, Range *r) {
  SnSize size = element(p, slice, SIZES, dim), stride = element(p, slice, STRIDES, dim);
  int64_t n, step;
  bool number = sn_size_is_number(&size, &n);
  if (!sn_size_is_number(&stride, &step) || step < 1 || (number ? n < 1 : step > 1))
    return sn_no(slice, "takes nothing, or its stride is not known");
  r->from = element(p, slice, OFFSETS, dim);
  if (!r->from.known)
    return sn_no(slice, "its offset is not known");
  SnSize all = number ? sn_size_number(sn_times(n - 1, step) + 1) : size;
  r->to = sn_size_sum(&r->from, 1, &all);
  return true;
}

// The slice, of another tensor, which it reads from another place on in one dimension.
static void read_from(Pass *p, MlirOperation slice, MlirValue source, intptr_t dim, const SnSize *from) {
  SnBuilder b = sn_before(slice);
  MlirAttribute old = sn_get_attr(slice, "static_offsets"), segments = sn_get_attr(slice, "operandSegmentSizes");
  intptr_t rank = mlirDenseArrayGetNumElements(old), first = segment(slice, OFFSETS);
  int64_t number = 0, offsets[SN_MAX_DIMS];
  bool is_number = sn_size_is_number(from, &number);
  int32_t sizes[4];
  SnValueVec operands = {0};
  for (int g = 0; g < 4; ++g)
    sizes[g] = mlirDenseI32ArrayGetElement(segments, g);
  sn_push(&operands, source);
  sizes[OFFSETS] = 0;
  for (intptr_t d = 0; d < rank; ++d) {
    offsets[d] = mlirDenseI64ArrayGetElement(old, d);
    bool given = offsets[d] == SN_DYNAMIC;
    if (d == dim)
      offsets[d] = is_number ? number : SN_DYNAMIC;
    if (offsets[d] == SN_DYNAMIC) {
      sn_push(&operands, d == dim ? sn_size_emit(&p->sizes, &b, from) : sn_operand(slice, first));
      ++sizes[OFFSETS];
    }
    first += given;
  }
  for (intptr_t k = first; k < sn_num_operands(slice); ++k)
    sn_push(&operands, sn_operand(slice, k));
  MlirValue made =
      sn(&b, "tensor.extract_slice", sn_values((intptr_t)operands.size, operands.data), sn_type_of(sn_result(slice, 0)),
         sn_attr("static_offsets", mlirDenseI64ArrayGet(b.ctx, rank, offsets)),
         sn_attr("static_sizes", sn_get_attr(slice, "static_sizes")),
         sn_attr("static_strides", sn_get_attr(slice, "static_strides")),
         sn_attr("operandSegmentSizes", mlirDenseI32ArrayGet(b.ctx, 4, sizes)));
  mlirValueReplaceAllUsesOfWith(sn_result(slice, 0), made);
  sn_vec_free(&operands);
}

// A slice within one piece is one of that piece, however deep that stands. Where it is one then; itself if it stays.
static void to_piece(Pass *p, MlirOperation slice) {
  MlirValue source = sn_operand(slice, 0);
  MlirOperation concat = sn_def(source, "tensor.concat");
  Range r;
  if (sn_null(concat))
    return;
  intptr_t dim = sn_int_attr(concat, "dim", 0), first, last;
  if (sn_rank(sn_type_of(source)) > SN_MAX_DIMS || !range_of(p, slice, dim, &r))
    return;
  for (; !sn_null(concat); concat = concat_along(source, dim)) {
    find(p, concat, &r, &first, &last);
    if (first != last || !fits(p, concat, first))
      break;
    source = sn_operand(concat, first);
    r = behind(&r, &starts_of(p, concat)[first]);
  }
  if (!sn_same(source, sn_operand(slice, 0)))
    read_from(p, slice, source, dim, &r.from);
}

// ---- several pieces -----------------------------------------------------------------------

typedef struct {
  SnValueVec pieces;
  SnSize from;  // in the first of them
  bool dropped; // some piece is not among them
  bool refused;
} Cover;

// What holds a range; of a piece that is a concatenation, which it cuts, the pieces.
static void cover(Pass *p, MlirOperation concat, Range r, Cover *c) {
  intptr_t first, last, dim = sn_int_attr(concat, "dim", 0), n = sn_num_operands(concat);
  find(p, concat, &r, &first, &last);
  c->dropped |= first > 0 || last + 1 < n;
  for (intptr_t k = first; k <= last && !c->refused; ++k) {
    SnSize start = starts_of(p, concat)[k], end = starts_of(p, concat)[k + 1];
    bool cut = (k == first && !sn_size_equal(&r.from, &start)) || (k == last && !sn_size_equal(&r.to, &end));
    Range here = {k == first ? r.from : start, k == last ? r.to : end};
    here = behind(&here, &start);
    MlirOperation inner = concat_along(sn_operand(concat, k), dim);
    c->refused |= !fits(p, concat, k);
    if (cut && !sn_null(inner)) {
      cover(p, inner, here, c);
      continue;
    }
    if (!c->pieces.size)
      c->from = here.from;
    sn_push(&c->pieces, sn_operand(concat, k));
  }
}

// Whether the slice reads a part of the pieces, and which.
static bool covers(Pass *p, MlirOperation slice, Cover *c) {
  MlirOperation concat = sn_def(sn_operand(slice, 0), "tensor.concat");
  Range r;
  if (sn_rank(sn_type_of(sn_result(concat, 0))) > SN_MAX_DIMS || !in_one_block(slice, concat) ||
      !range_of(p, slice, sn_int_attr(concat, "dim", 0), &r))
    return false;
  cover(p, concat, r, c);
  return c->dropped && !c->refused;
}

static MlirValue concatenated(MlirOperation before, MlirOperation like, const SnValueVec *pieces) {
  SnBuilder b = sn_before(before);
  MlirType t = sn_type_of(sn_result(like, 0));
  intptr_t dim = sn_int_attr(like, "dim", 0);
  int64_t shape[SN_MAX_DIMS];
  for (intptr_t d = 0; d < sn_rank(t); ++d)
    shape[d] = sn_dim(t, d);
  shape[dim] = 0;
  for (size_t k = 0; k < pieces->size; ++k) {
    int64_t n = sn_dim(sn_type_of(pieces->data[k]), dim);
    shape[dim] = shape[dim] == SN_DYNAMIC || n == SN_DYNAMIC ? SN_DYNAMIC : shape[dim] + n;
  }
  return sn(&b, "tensor.concat", sn_values((intptr_t)pieces->size, pieces->data),
            sn_tensor(sn_element(t), sn_rank(t), shape), sn_attr("dim", sn_i64(b.ctx, dim)));
}

// Who reads a concatenation.
typedef struct {
  bool parts; // slices of a part of the pieces, and at most one concatenation along the same dimension
  bool taken; // one does
} Readers;

static Readers readers(Pass *p, MlirOperation concat) {
  Readers all = {.parts = true};
  for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(concat, 0)); !mlirOpOperandIsNull(use) && all.parts;
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    bool slice = sn_is(user, "tensor.extract_slice"), concat_of_it = sn_is(user, "tensor.concat");
    if ((slice || concat_of_it) && is_unused(user))
      continue;
    if (slice) {
      Cover c = {0};
      all.parts = covers(p, user, &c);
      sn_vec_free(&c.pieces);
    } else {
      all.parts = concat_of_it && !all.taken && in_one_block(user, concat) &&
                  sn_int_attr(user, "dim", -1) == sn_int_attr(concat, "dim", -2);
      all.taken = true;
    }
  }
  return all;
}

static bool is_absorbed(const SnTable *absorbed, MlirOperation concat) {
  uintptr_t yes;
  return !sn_null(concat) && sn_table_get(absorbed, concat.ptr, &yes);
}

static void gather(const SnTable *absorbed, MlirValue v, SnValueVec *pieces) {
  MlirOperation inner = sn_def(v, "tensor.concat");
  if (!is_absorbed(absorbed, inner)) {
    sn_push(pieces, v);
    return;
  }
  for (intptr_t k = 0; k < sn_num_operands(inner); ++k)
    gather(absorbed, sn_operand(inner, k), pieces);
}

// A concatenation of concatenations that nobody else reads as a whole is one.
static void flatten(const SnTable *absorbed, MlirOperation concat) {
  SnValueVec pieces = {0};
  for (intptr_t k = 0; k < sn_num_operands(concat); ++k)
    gather(absorbed, sn_operand(concat, k), &pieces);
  if ((intptr_t)pieces.size > sn_num_operands(concat)) {
    SnBuilder b = sn_before(concat);
    MlirValue made = sn(&b, "tensor.concat", sn_values((intptr_t)pieces.size, pieces.data),
                        sn_type_of(sn_result(concat, 0)), sn_attr("dim", sn_get_attr(concat, "dim")));
    mlirValueReplaceAllUsesOfWith(sn_result(concat, 0), made);
  }
  sn_vec_free(&pieces);
}

// ---- the pass -------------------------------------------------------------------------------

// Those that are not read as a whole: their slices read less, and others absorb them.
static void to_pieces(Pass *p, const SnOpVec *concats) {
  SnTable absorbed = {0};
  SnOpVec slices = {0};
  for (size_t k = 0; k < concats->size; ++k) {
    Readers r = readers(p, concats->data[k]);
    if (!r.parts)
      continue;
    if (r.taken)
      sn_table_put(&absorbed, concats->data[k].ptr, 1);
    for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(concats->data[k], 0)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      if (sn_is(mlirOpOperandGetOwner(use), "tensor.extract_slice") && !is_unused(mlirOpOperandGetOwner(use)))
        sn_push(&slices, mlirOpOperandGetOwner(use));
  }
  for (size_t k = 0; k < slices.size; ++k) {
    MlirOperation concat = sn_def(sn_operand(slices.data[k], 0), "tensor.concat");
    Cover c = {0};
    SnValueVec pieces = {0};
    if (covers(p, slices.data[k], &c)) {
      for (size_t i = 0; i < c.pieces.size; ++i)
        gather(&absorbed, c.pieces.data[i], &pieces);
      read_from(p, slices.data[k], concatenated(slices.data[k], concat, &pieces), sn_int_attr(concat, "dim", 0),
                &c.from);
    }
    sn_vec_free(&pieces);
    sn_vec_free(&c.pieces);
  }
  for (size_t k = concats->size; k-- > 0;)
    if (!is_unused(concats->data[k]) && !is_absorbed(&absorbed, concats->data[k]))
      flatten(&absorbed, concats->data[k]);
  sn_vec_free(&slices);
  sn_table_free(&absorbed);
}

static void erase_unused(SnOpVec *ops) {
  for (size_t k = ops->size; k-- > 0;)
    if (is_unused(ops->data[k]))
      mlirOperationDestroy(ops->data[k]);
  sn_vec_free(ops);
}

typedef struct {
  bool remarks;
} Options;
static const SnOption options[] = {
    {SN_OPTION_BOOL, "remarks", "say at each slice and concatenation that stays why it does", "false", NULL,
     offsetof(Options, remarks)},
    {0},
};

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  SnOpVec concats = sn_collect(op, "tensor.concat"), slices = {0};
  if (concats.size)
    slices = sn_collect(op, "tensor.extract_slice");
  Pass p = {0};
  sn_show_refusals(((const Options *)run->options)->remarks);
  for (size_t k = 0; k < slices.size; ++k)
    to_piece(&p, slices.data[k]);
  to_pieces(&p, &concats);
  sn_show_refusals(false);
  erase_unused(&slices);
  erase_unused(&concats);
  sn_size_reader_free(&p.sizes);
  sn_table_free(&p.starts_of);
  sn_vec_free(&p.starts);
  return SN_OK;
}

MlirDialectHandle mlirGetDialectHandle__arith__(void);
MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__arith__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_concat = {
    .argument = "sinter-concat",
    .summary = "slices of concatenations read the pieces that they lie in",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
