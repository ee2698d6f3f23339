// cut_chains.c: many operations that hand one tensor on are cut into functions with a few of them each.
//
//   %1 = scf.for ... iter_args(%a = %0) { ... }
//   ...
//   %240 = scf.for ... iter_args(%a = %239) { ... }
//   ->
//   %1 = call @main_cut9(%0)   %2 = call @main_cut19(%1)   ...
//
//   func.func private @main_cut9(%0: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {sinter.cut} {
//     %1 = call @main_cut0(%0)   %2 = call @main_cut1(%1)   ...
//   }
//   func.func private @main_cut0(%0: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {sinter.cut} {
//     %1 = scf.for ... iter_args(%a = %0) { ... }
//     ...
//   }
//
// One-shot-bufferize asks of each operand whether it may lie where its operation writes, and for that compares each
// reader with each writer of all tensors that may share its memory: for a chain of n loops about n^3 comparisons. It
// looks at functions one by one, and of what is called it knows which arguments are read, written and given back. So
// none has more than a few operations on one tensor; sinter-splice puts them back behind it.
//
// A cut must not cost a copy that there would not be without. So what crosses one has no strides; results of a function
// lie in different memory; an argument that is read again behind the call is not written by it (the copy stands where
// it would stand without the call); and no two other arguments may share memory, since upstream takes what is written
// through one for what is read through the other, whatever comes first.
//
// runs in: sinter-cpu, sinter-gpu    test: test/lowering/host_cut_chains.mlir, test/limits/growth.test

#include "lowering/host/host.h"
#include "lowering/host/made_functions.h"
#include "lowering/host/tensor_aliases.h"
#include <stdio.h>

typedef struct {
  const char *most; // of a function
} Options;
typedef struct {
  int64_t most;          // operands of one class of tensors in a function
  MlirOperation module, host;
  SnAliases aliases;
  MlirSymbolTable symbols;
  MlirOperation last; // what the next function stands behind
  int n;              // of its name
  SnTable read_only;  // arguments that nobody may write
} Cut;

// Operands of classes that are too large.
static int64_t weight_of(Cut *c, MlirOperation op) {
  int64_t n = 0;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    n += sn_alias_uses(&c->aliases, sn_operand(op, k)) > c->most;
  return n;
}

typedef struct {
  Cut *cut;
  int64_t weight, operands;
} Sum;

static MlirWalkResult add_weight(MlirOperation op, void *user) {
  Sum *s = user;
  s->weight += weight_of(s->cut, op);
  s->operands += sn_num_operands(op);
  return MlirWalkResultAdvance;
}

// ---- one block ------------------------------------------------------------------------------------

enum { ALWAYS = INT32_MAX }; // a tensor is read again whenever the block's end is reached

typedef struct {
  MlirOperation op;
  int64_t weight, operands; // with what is nested in it
} Item;
typedef struct {
  Cut *cut;
  MlirBlock block;
  SN_VEC(Item) ops;
  SnTable number;     // of an operation of the block, plus one
  SnTable last_use;   // of a value: the last operation that uses it, plus one
  SnTable last_read;  // of a value: the last one that reads it, plus one, or ALWAYS
} Line;

static void line_free(Line *l) {
  sn_vec_free(&l->ops);
  sn_table_free(&l->number);
  sn_table_free(&l->last_use);
  sn_table_free(&l->last_read);
}

static void read_line(Line *l) {
  for (MlirOperation op = mlirBlockGetFirstOperation(l->block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    Sum s = {.cut = l->cut};
    mlirOperationWalk(op, add_weight, &s, MlirWalkPreOrder);
    sn_push(&l->ops, (Item){op, s.weight, s.operands});
    sn_table_put(&l->number, op.ptr, l->ops.size);
  }
}

static MlirBlock block_of(MlirValue v) {
  return mlirValueIsABlockArgument(v) ? mlirBlockArgumentGetOwner(v) : mlirOperationGetBlock(mlirOpResultGetOwner(v));
}

// Which operation of the block has this one in it, plus one; 0: none has.
static uintptr_t number_of(const Line *l, MlirOperation op) {
  uintptr_t number = 0;
  while (!sn_null(op) && !sn_table_get(&l->number, op.ptr, &number))
    op = mlirOperationGetParentOperation(op);
  return number;
}

static bool is_branch(MlirOperation op) {
  return sn_is(op, "scf.if") || sn_is(op, "scf.index_switch") || sn_is(op, "scf.execute_region");
}

// An operation that stands outside of the block comes behind the block's end. Of two branches none is behind the other.
static bool is_behind(const Line *l, MlirOperation op) {
  for (; !sn_null(op); op = mlirOperationGetParentOperation(op))
    for (MlirOperation at = mlirBlockGetParentOperation(l->block); !sn_null(at) && !sn_is(at, "func.func");
         at = mlirOperationGetParentOperation(at)) {
      if (mlirOperationEqual(op, at))
        return false;
      if (mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(at)))
        return mlirOperationIsBeforeInBlock(at, op);
    }
  return true;
}

// What is used in a turn of a loop, and stands outside of it, is used in the next one.
static bool in_later_turn(const Line *l, MlirValue v) {
  MlirBlock home = block_of(v);
  for (MlirBlock at = l->block; !mlirBlockEqual(at, home);) {
    MlirOperation op = mlirBlockGetParentOperation(at);
    if (sn_null(op) || sn_is(op, "func.func") || !is_branch(op))
      return true;
    at = mlirOperationGetBlock(op);
  }
  return false;
}

// What is asked of a tensor's size, and what is written whatever it was, read none of its elements.
static bool reads(MlirOpOperand use) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  intptr_t k = mlirOpOperandGetOperandNumber(use);
  if (sn_is(op, "tensor.dim"))
    return false;
  return !sn_in_dialect(op, "linalg") || k < sn_num_operands(op) - sn_num_results(op);
}

static void look_up_uses(Line *l, MlirValue v) {
  uintptr_t last = 0, read = 0;
  if (sn_table_has(&l->last_use, v.ptr))
    return;
  bool again = in_later_turn(l, v);
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    uintptr_t number = number_of(l, mlirOpOperandGetOwner(use));
    if (!number && (again || is_behind(l, mlirOpOperandGetOwner(use))))
      number = ALWAYS;
    last = number > last ? number : last;
    if (reads(use))
      read = number > read ? number : read;
  }
  sn_table_put(&l->last_use, v.ptr, last);
  sn_table_put(&l->last_read, v.ptr, again ? ALWAYS : read);
}

static size_t last_use(Line *l, MlirValue v) {
  uintptr_t last = 0;
  look_up_uses(l, v);
  sn_table_get(&l->last_use, v.ptr, &last);
  return last;
}

static size_t last_read(Line *l, MlirValue v) {
  uintptr_t last = 0;
  look_up_uses(l, v);
  sn_table_get(&l->last_read, v.ptr, &last);
  return last;
}

// ---- a piece of it ----------------------------------------------------------------------------------

typedef struct {
  Line *line;
  size_t begin, end;       // of the block's operations
  SnTable inside;          // values that are made here, and those that are listed below
  SnValueVec taken, given; // from before the piece; made by its own operations
  SnOpVec again;           // constants and empty tensors from before, which are made again
  bool fits;               // nothing that it takes keeps it from being a function
} Piece;

static void piece_free(Piece *p) {
  sn_table_free(&p->inside);
  sn_vec_free(&p->taken);
  sn_vec_free(&p->given);
  sn_vec_free(&p->again);
}

static void take(Piece *p, MlirValue v) {
  if (sn_table_has(&p->inside, v.ptr))
    return;
  sn_table_put(&p->inside, v.ptr, 1);
  MlirOperation made = sn_definer(v);
  if (sn_is(made, "arith.constant") || sn_is(made, "tensor.empty")) {
    for (intptr_t k = 0; k < sn_num_operands(made); ++k)
      take(p, sn_operand(made, k));
    sn_push(&p->again, made);
    return;
  }
  bool tensor = mlirTypeIsATensor(sn_type_of(v));
  p->fits &= !tensor || (mlirTypeIsARankedTensor(sn_type_of(v)) && !sn_is_strided(&p->line->cut->aliases, v));
  sn_push(&p->taken, v);
}

static void make(Piece *p, MlirOperation op) {
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    sn_table_put(&p->inside, sn_result(op, k).ptr, 1);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); ++r)
    for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); b.ptr; b = mlirBlockGetNextInRegion(b))
      for (intptr_t k = 0; k < mlirBlockGetNumArguments(b); ++k)
        sn_table_put(&p->inside, mlirBlockGetArgument(b, k).ptr, 1);
}

static MlirWalkResult take_and_make(MlirOperation op, void *user) {
  Piece *p = user;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k)
    take(p, sn_operand(op, k));
  make(p, op);
  return MlirWalkResultAdvance;
}

// Constants of the block stay in it.
static void add(Piece *p) {
  MlirOperation op = p->line->ops.data[p->end++].op;
  if (sn_is(op, "arith.constant"))
    return;
  mlirOperationWalk(op, take_and_make, p, MlirWalkPreOrder);
  for (intptr_t k = 0; k < sn_num_results(op); ++k)
    sn_push(&p->given, sn_result(op, k));
}

// False if a tensor of the same class is noted there.
static bool is_alone(Piece *p, SnTable *classes, MlirValue v) {
  const void *class = (const void *)sn_alias_class(&p->line->cut->aliases, v);
  if (!class)
    return true;
  bool alone = !sn_table_has(classes, class);
  sn_table_put(classes, class, 1);
  return alone;
}

static bool is_given(Piece *p, MlirValue v) { return last_use(p->line, v) > p->end; }
static bool is_kept(Piece *p, MlirValue v) {
  return last_read(p->line, v) > p->end || sn_table_has(&p->line->cut->read_only, v.ptr);
}

// It may be a function as it is.
static bool can_end(Piece *p) {
  bool can = p->fits;
  SnTable given = {0}, taken = {0};
  for (size_t k = 0; can && k < p->given.size; ++k)
    if (is_given(p, p->given.data[k]))
      can = !sn_is_strided(&p->line->cut->aliases, p->given.data[k]) && is_alone(p, &given, p->given.data[k]);
  for (size_t k = 0; can && k < p->taken.size; ++k)
    if (!is_kept(p, p->taken.data[k]))
      can = is_alone(p, &taken, p->taken.data[k]);
  sn_table_free(&given);
  sn_table_free(&taken);
  return can;
}

// ---- the function -----------------------------------------------------------------------------------

typedef struct {
  const SnMap *map;
} Rename;

static MlirWalkResult rename_operands(MlirOperation op, void *user) {
  const Rename *r = user;
  for (intptr_t k = 0; k < sn_num_operands(op); ++k) {
    MlirValue v = sn_mapped(r->map, sn_operand(op, k));
    if (!sn_none(v))
      mlirOperationSetOperand(op, k, v);
  }
  return MlirWalkResultAdvance;
}

static MlirOperation make_function(Piece *p, const SnValueVec *given, MlirBlock *body) {
  Cut *c = p->line->cut;
  SnBuilder b = sn_after(c->last);
  MlirContext ctx = b.ctx;
  size_t n = p->taken.size;
  SN_VEC(MlirType) takes = {0}, gives = {0};
  SN_VEC(MlirLocation) locs = {0};
  SN_VEC(MlirAttribute) facts = {0};
  MlirNamedAttribute kept =
      mlirNamedAttributeGet(mlirIdentifierGet(ctx, SN_STR("bufferization.writable")), mlirBoolAttrGet(ctx, 0));
  for (size_t k = 0; k < n; ++k) {
    MlirType t = sn_type_of(p->taken.data[k]);
    sn_push(&takes, t);
    sn_push(&locs, mlirOperationGetLocation(c->host));
    sn_push(&facts, mlirDictionaryAttrGet(ctx, mlirTypeIsATensor(t) && is_kept(p, p->taken.data[k]), &kept));
  }
  for (size_t k = 0; k < given->size; ++k)
    sn_push(&gives, sn_type_of(given->data[k]));
  MlirRegion region = mlirRegionCreate();
  *body = mlirBlockCreate((intptr_t)n, takes.data, locs.data);
  mlirRegionAppendOwnedBlock(region, *body);
  MlirType type = mlirFunctionTypeGet(ctx, (intptr_t)n, takes.data, (intptr_t)gives.size, gives.data);
  SnMadeFunctions names = {.symbols = c->symbols};
  char name[160];
  sn_made_name(&names, c->host, "cut", &c->n, name, sizeof name);
  MlirOperation func = sn_op(&b, "func.func", region, sn_attr("sym_name", sn_string(ctx, name)),
                             sn_attr("function_type", mlirTypeAttrGet(type)),
                             sn_attr("arg_attrs", mlirArrayAttrGet(ctx, (intptr_t)n, facts.data)),
                             sn_attr("sym_visibility", sn_string(ctx, "private")), sn_attr(SN_CUT, sn_unit(ctx)));
  sn_vec_free(&takes);
  sn_vec_free(&gives);
  sn_vec_free(&locs);
  sn_vec_free(&facts);
  return c->last = func;
}

static void outline(Piece *p) {
  Line *l = p->line;
  Cut *c = l->cut;
  SnValueVec given = {0}, returned = {0};
  for (size_t k = 0; k < p->given.size; ++k)
    if (is_given(p, p->given.data[k]))
      sn_push(&given, p->given.data[k]);
  SnBuilder at = sn_after(l->ops.data[p->end - 1].op);
  MlirBlock body;
  MlirOperation func = make_function(p, &given, &body);
  SnBuilder b = sn_at_end(body, at.loc);
  SnMap map = {0};
  for (size_t k = 0; k < p->taken.size; ++k) {
    MlirValue argument = mlirBlockGetArgument(body, (intptr_t)k);
    sn_map(&map, p->taken.data[k], argument);
    sn_alias_stands_for(&c->aliases, argument, p->taken.data[k]);
  }
  for (size_t k = 0; k < p->again.size; ++k)
    sn_clone(&b, p->again.data[k], &map);

  SN_VEC(MlirType) types = {0};
  for (size_t k = 0; k < given.size; ++k)
    sn_push(&types, sn_type_of(given.data[k]));
  MlirOperation call =
      sn_op(&at, "func.call", sn_values((intptr_t)p->taken.size, p->taken.data),
            sn_types((intptr_t)types.size, types.data),
            sn_attr("callee", mlirFlatSymbolRefAttrGet(b.ctx, mlirStringAttrGetValue(sn_get_attr(func, "sym_name")))));
  for (size_t k = 0; k < given.size; ++k) {
    MlirValue result = sn_result(call, (intptr_t)k);
    sn_alias_stands_for(&c->aliases, result, given.data[k]);
    sn_push(&returned, given.data[k]);
    mlirValueReplaceAllUsesOfWith(given.data[k], result);
    sn_map(&map, result, given.data[k]); // inside
  }
  MlirOperation ret = sn_op(&b, "func.return", sn_values((intptr_t)returned.size, returned.data), sn_types(0, NULL));
  Rename rename = {&map};
  for (size_t k = p->begin; k < p->end; ++k) {
    if (sn_is(l->ops.data[k].op, "arith.constant"))
      continue;
    mlirOperationMoveBefore(l->ops.data[k].op, ret);
    mlirOperationWalk(l->ops.data[k].op, rename_operands, &rename, MlirWalkPreOrder);
  }
  sn_vec_free(&types);
  sn_vec_free(&given);
  sn_vec_free(&returned);
  sn_map_free(&map);
}

// ---- where a block is cut -----------------------------------------------------------------------------

enum { OPERANDS = 16 }; // of all operations of a piece, times those of large classes

// The longest piece that begins there, holds no more than it may, and may be a function. Its end is its beginning if
// there is none.
static void find_end(Piece *p) {
  Line *l = p->line;
  int64_t most = l->cut->most, weight = 0, operands = 0;
  size_t best = p->begin;
  for (size_t k = p->begin; k + 1 < l->ops.size && p->fits; ++k) { // not the block's terminator
    weight += l->ops.data[k].weight;
    operands += l->ops.data[k].operands;
    if (k > p->begin && (weight > most || operands > OPERANDS * most))
      break;
    add(p);
    if (l->ops.data[k].weight && can_end(p))
      best = p->end;
  }
  size_t begin = p->begin;
  piece_free(p);
  *p = (Piece){.line = l, .begin = begin, .end = begin, .fits = true};
  while (p->end < best)
    add(p);
}

static int64_t line_weight(const Line *l) {
  int64_t n = 0;
  for (size_t k = 0; k < l->ops.size; ++k)
    n += l->ops.data[k].weight;
  return n;
}

// Whether another turn may be worth it: there was more than the block may hold, and a quarter of it is gone. `before`
// is what there was in the turn before.
static bool cut_once(Cut *c, MlirBlock block, int64_t *before) {
  Line l = {.cut = c, .block = block};
  read_line(&l);
  int64_t now = line_weight(&l);
  bool again = now > c->most && now < *before && now <= *before - *before / 4;
  *before = now;
  if (again)
    for (size_t k = 0; k + 1 < l.ops.size;) {
      if (!l.ops.data[k].weight) {
        ++k;
        continue;
      }
      Piece p = {.line = &l, .begin = k, .end = k, .fits = true};
      find_end(&p);
      int64_t weight = 0, crossing = 0;
      for (size_t i = p.begin; i < p.end; ++i)
        weight += l.ops.data[i].weight;
      for (size_t i = 0; i < p.taken.size; ++i)
        crossing += sn_alias_uses(&c->aliases, p.taken.data[i]) > c->most;
      if (p.end > p.begin && 2 * crossing <= weight)
        outline(&p);
      k = p.end > k ? p.end : k + 1;
      piece_free(&p);
    }
  line_free(&l);
  return again;
}

static void cut_block(Cut *c, MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t r = 0; !sn_in_dialect(op, "linalg") && r < mlirOperationGetNumRegions(op); ++r)
      for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); b.ptr;
           b = mlirBlockGetNextInRegion(b))
        cut_block(c, b);
  int64_t before = INT64_MAX;
  while (cut_once(c, block, &before))
    ;
}

static bool has_large_class(const Cut *c) {
  for (size_t k = 0; k < c->aliases.all.size; ++k)
    if (c->aliases.all.data[k].uses > c->most)
      return true;
  return false;
}

static void note_read_only(Cut *c) {
  MlirBlock body = sn_function_body(c->host);
  MlirAttribute all = sn_get_attr(c->host, "arg_attrs");
  for (intptr_t k = 0; all.ptr && k < mlirBlockGetNumArguments(body); ++k) {
    MlirAttribute writable =
        mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, k), SN_STR("bufferization.writable"));
    if (writable.ptr && !mlirBoolAttrGetValue(writable))
      sn_table_put(&c->read_only, mlirBlockGetArgument(body, k).ptr, 1);
  }
}

static MlirLogicalResult run(const SnRun *run, MlirOperation module) {
  const Options *o = run->options;
  SnOpVec functions = sn_host_functions(module);
  for (size_t k = 0; k < functions.size; ++k) {
    Cut c = {.most = atoll(o->most), .module = module, .host = functions.data[k], .last = functions.data[k]};
    c.aliases = sn_aliases(c.host);
    if (!c.aliases.unknown && has_large_class(&c)) {
      c.symbols = mlirSymbolTableCreate(module);
      note_read_only(&c);
      cut_block(&c, sn_function_body(c.host));
      mlirSymbolTableDestroy(c.symbols);
    }
    sn_table_free(&c.read_only);
    sn_aliases_free(&c.aliases);
  }
  sn_vec_free(&functions);
  return SN_OK;
}

static const SnOption options[] = {
    {SN_OPTION_STRING, "most", "operands of a function that may share memory", "16", NULL, offsetof(Options, most)},
    {0},
};

MlirDialectHandle mlirGetDialectHandle__func__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__func__, NULL};

const SnPass sn_pass_host_cut_chains = {
    .argument = "sinter-cut-chains",
    .summary = "many operations that hand one tensor on are cut into functions with a few of them each",
    .anchor = "builtin.module",
    .options = options,
    .options_size = sizeof(Options),
    .dialects = dialects,
    .run = run,
};
