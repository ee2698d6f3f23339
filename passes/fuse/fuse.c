// fuse.c: producers, consumers and siblings move into one kernel.
//
//   %m = rowwise max x   %d = rowwise x - m   %e = rowwise exp d  ...
//     ->  one rowwise: x is read once, nothing between is stored
//
// Driven by bytes: of all pairs that may be one kernel, the pair that saves most
// memory traffic goes first, so that large values tie kernels together before small ones
// decide who comes after whom (a loss with its gradient merges before the count of
// labels could be pulled in, which the gradient waits for). What is cheaper to compute than to
// load (a mask made from labels, a broadcast, a transpose) is computed in each reader instead.
//
// Legality is merge/match.c, which pair goes next fuse/pairs.c, what it saves fuse/worth.c, doing it merge/merge.c.
// What multiplies a row of another kernel comes last: fuse/dots.c, fuse/turns.c, then fuse/chains.c.
//
// runs in: sinter-cpu, sinter-gpu    test: test/passes/fuse/fuse.mlir

#include "passes/fuse/fuse.h"
#include "dialect/row_ops.h"
#include "dialect/sequence.h"
#include "lowering/facts/gpu_chains.h"
#include "passes/simplify/simplify.h"
#include "target/chips.h"
#include <math.h>

// ---- values that are cheaper to compute than to load ---------------------------------------

// What yields the result is one of the form's inputs: a copy, a transpose, a broadcast; with `widened`, perhaps
// converted exactly to a wider type of its kind.
static bool is_copy(const SnForm *f, size_t output, bool widened, size_t *input) {
  if (!sn_is_elementwise_form(f) || sn_is_reduced(f, output))
    return false;
  MlirValue v = sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)sn_output_position(f, output));
  for (MlirOperation op = sn_definer(v); !sn_null(op); op = sn_definer(v)) {
    bool wider = sn_is(op, "arith.extf") || (sn_is(op, "arith.extsi") && sn_bits(sn_element(sn_type_of(v))) > 1 &&
                                             sn_bits(sn_element(sn_type_of(sn_operand(op, 0)))) > 1);
    if (sn_none(sn_broadcast_of(v)) && !(widened && wider))
      return false;
    v = sn_operand(op, 0);
  }
  for (*input = 0; *input < f->inputs.size; ++*input)
    if (sn_same(v, sn_input_argument(f, *input)))
      return !f->inputs.data[*input].through.ptr && !sn_is_table(&f->inputs.data[*input]);
  return false;
}

// The same as it stands everywhere, without bounds.
static bool is_view(const SnForm *f, size_t output, size_t *input) {
  return is_copy(f, output, false, input) && !f->inputs.data[*input].fill.ptr;
}

// Whether the value is read by one of the operations, or is the one that they are needed for.
static bool is_needed(MlirValue v, MlirValue made, const SnTable *ops) {
  bool needed = sn_same(v, made);
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use) && !needed;
       use = mlirOpOperandGetNextUse(use))
    needed = sn_table_has(ops, mlirOpOperandGetOwner(use).ptr);
  return needed;
}

// What each reader had better compute itself: a view; what is larger than what it is made
// from; a light function of one value that is in memory anyway (a mask of valid labels). `heavy` ones count too where
// they are asked for.
enum { ASKED = 1, ELEMENTWISE = 2, LIGHT = 4, CHEAP = 8, CHEAP_IF_HEAVY = 16 };
static uintptr_t find_cheap(const SnForm *f, size_t output) {
  MlirType out = sn_type_of(sn_result(f->op, (intptr_t)output));
  MlirValue made = sn_operand(mlirBlockGetTerminator(f->body), (intptr_t)sn_output_position(f, output));
  size_t input;
  double in_bytes = 0, in_elements = 0;
  bool in_memory = true, light = true;
  SnOpVec ops = {0}; // of this result alone
  SnMap none = {0};
  SnTable needed = {0};
  sn_needed_ops(made, &none, &ops);
  for (size_t i = 0; i < ops.size; ++i) {
    light &= sn_row_op_cost(ops.data[i]) < SN_COST_DIVISION;
    sn_table_put(&needed, ops.data[i].ptr, 1);
  }
  for (size_t k = 0; k < f->inputs.size; ++k) {
    MlirOperation def = sn_definer(f->inputs.data[k].value);
    if (!is_needed(sn_input_argument(f, k), made, &needed))
      continue;
    in_memory &= sn_null(def) || !sn_is_form(def);
    in_bytes += sn_bytes(sn_type_of(f->inputs.data[k].value));
    in_elements += sn_elements(sn_type_of(f->inputs.data[k].value));
  }
  sn_vec_free(&ops);
  sn_table_free(&needed);
  sn_map_free(&none);
  bool smaller = in_bytes < sn_bytes(out) || in_elements < sn_elements(out);
  if (is_view(f, output, &input) || (light && smaller) || (in_memory && in_elements <= sn_elements(out) && light))
    return CHEAP | CHEAP_IF_HEAVY;
  return smaller ? CHEAP_IF_HEAVY : 0;
}

// What result `output` of a form is for who reads it. Hundreds may read one, so it is looked at once: the table has it
// by its value, 0 where the form is gone.
static uintptr_t as_read(SnTable *known, MlirOperation op, size_t output) {
  MlirValue v = sn_result(op, (intptr_t)output);
  uintptr_t is = 0;
  if (sn_table_get(known, v.ptr, &is) && is)
    return is;
  SnForm f = sn_form_read(op);
  is = ASKED;
  if (sn_is_elementwise_form(&f) && !sn_form_asserts(&f)) {
    is |= ELEMENTWISE | (sn_is_light(&f) ? LIGHT : 0);
    is |= sn_is_reduced(&f, output) ? 0 : find_cheap(&f, output);
  }
  sn_form_free(&f);
  sn_table_put(known, v.ptr, is);
  return is;
}

// The form has few of the elements that it reads a part of (a diagonal): those are made where they are read.
enum { FEW_OF = 16 };
static bool reads_few(const SnForm *f, MlirValue v) {
  double points = 1;
  for (size_t d = 0; d < f->dims.size; ++d)
    points = f->dims.data[d].size == SN_DYNAMIC ? INFINITY : points * (double)f->dims.data[d].size;
  return FEW_OF * points <= sn_elements(sn_type_of(v));
}

// Its only reader takes it from several places (two halves of a row side by side): it is made at each of them
// rather than stored, if that is light.
enum { MOST_PLACES = 4 };
static bool is_scattered(MlirOperation producer, MlirOperation reader) {
  size_t places = 0;
  for (intptr_t k = 0; k < sn_num_results(producer); ++k)
    for (MlirOpOperand use = mlirValueGetFirstUse(sn_result(producer, k)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use), ++places)
      if (!mlirOperationEqual(mlirOpOperandGetOwner(use), reader))
        return false;
  SnForm f = sn_form_read(producer);
  bool light =
      places > 1 && places <= MOST_PLACES && sn_is_elementwise_form(&f) && !sn_form_asserts(&f) && sn_is_light(&f);
  sn_form_free(&f);
  SnMerge m;
  if (light && sn_can_merge(producer, reader, &m))
    light = false; // as one, which is better
  else if (!light)
    return false;
  sn_merge_free(&m);
  return light;
}

// With this access as its side the product uses all that it sums (P2), and all sizes `?` are said by an operand (F7).
static bool fits_side(const SnForm *f, size_t input, SnAccess a) {
  bool fits = true;
  for (int64_t d = 0; d < (int64_t)f->dims.size && fits; ++d) {
    bool own = sn_map_uses(f->inputs.data[input].map, d) && d >= f->num_rows + f->num_cols;
    bool known = f->dims.data[d].size != SN_DYNAMIC;
    for (size_t k = 0; k < f->inputs.size + f->indices.size + f->outputs.size && !known; ++k) {
      const SnAccess *other = k == input ? &a : sn_form_access(f, k);
      for (intptr_t i = 0; i < mlirAffineMapGetNumResults(other->map) && !other->fill.ptr; ++i)
        known |= sn_map_dim(other->map, i) == d;
    }
    fits = known && (!own || sn_map_uses(a.map, d));
  }
  return fits;
}

// A side of a product that is a view of something, with bounds or widened, reads that something: the product
// converts its sides.
static bool look_through_view(SnForm *f, size_t input) {
  size_t result, from;
  MlirOperation op = sn_producer(f, input, &result);
  if (sn_null(op) || f->inputs.data[input].fill.ptr || f->inputs.data[input].through.ptr)
    return false;
  SnForm view = sn_form_read(op);
  bool ok = is_copy(&view, result, true, &from);
  if (ok) {
    MlirContext ctx = mlirOperationGetContext(op);
    MlirAffineExpr *dims = sn_alloc((view.dims.size + 1) * sizeof *dims);
    for (size_t d = 0; d < view.dims.size; ++d)
      dims[d] = mlirAffineConstantExprGet(ctx, 0);
    MlirAffineMap written = view.outputs.data[result].map, read = f->inputs.data[input].map;
    for (intptr_t p = 0; p < mlirAffineMapGetNumResults(written); ++p)
      if (sn_map_dim(written, p) >= 0)
        dims[sn_map_dim(written, p)] = mlirAffineMapGetResult(read, p);
    SnAccess a = view.inputs.data[from];
    a.map = sn_map_replace(a.map, (intptr_t)f->dims.size, dims);
    ok = fits_side(f, input, a);
    if (ok) {
      sn_set_element(f->op, "maps", sn_num_operands(f->op), (intptr_t)input, mlirAffineMapAttrGet(a.map));
      if (a.fill.ptr)
        sn_set_element(f->op, "fills", (intptr_t)f->inputs.size, (intptr_t)input, a.fill);
      mlirOperationSetOperand(f->op, (intptr_t)input, a.value);
    }
    free(dims);
  }
  sn_form_free(&view);
  return ok;
}

static size_t num_uses(MlirValue v) {
  size_t n = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    ++n;
  return n;
}

// Makes one cheap value where op reads it. Sets *op to what stands in its place, null if nothing does. `known`: what
// results are for who reads them.
static bool inline_into(MlirOperation *op, const SnPolicy *policy, SnTable *known) {
  SnForm f = sn_form_read(*op);
  bool changed = false;
  for (size_t k = 0; k < f.inputs.size && !changed; ++k) {
    size_t result;
    MlirOperation producer = sn_producer(&f, k, &result);
    if (sn_null(producer) || !mlirBlockEqual(mlirOperationGetBlock(producer), mlirOperationGetBlock(*op)))
      continue;
    if (k < sn_first_input(&f)) {
      changed = sn_is_plain(&f) && look_through_view(&f, k);
      continue;
    }
    uintptr_t is = as_read(known, producer, result);
    bool few = (is & ELEMENTWISE) && (is & LIGHT) && reads_few(&f, f.inputs.data[k].value);
    bool cheap = (is & CHEAP) || few || is_scattered(producer, *op);
    // A GPU's launch costs more than any of these.
    bool all = policy->computes_heavy_again && policy->tensor_cores;
    if (cheap || (is & CHEAP_IF_HEAVY)) {
      SnMerge m;
      changed =
          sn_can_serve(producer, *op, k, &m) && !sn_reads_wide_again(&m, policy) &&
          (cheap || all || sn_again_worth(&m, num_uses(sn_result(producer, (intptr_t)result)), policy));
      for (intptr_t i = 0; i < sn_num_results(*op) && changed; ++i)
        sn_table_put(known, sn_result(*op, i).ptr, 0);
      if (changed)
        *op = sn_tidy(sn_merge(&m));
      sn_merge_free(&m);
    }
  }
  sn_form_free(&f);
  return changed;
}

// Makes cheap values where they are read, until there is none left.
static bool inline_cheap(MlirBlock block, const SnPolicy *policy) {
  SnTable known = {0};
  bool any = false;
  for (bool changed = true; changed; any |= changed) {
    changed = false;
    for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !sn_null(op); op = next) {
      next = mlirOperationGetNextInBlock(op);
      while (!sn_null(op) && sn_is_form(op) && inline_into(&op, policy, &known))
        changed = true;
    }
  }
  sn_table_free(&known);
  return any;
}

// Blocks that hold forms, each once. Who wrote a sequence says which its forms are.
static void blocks_with_forms(MlirOperation root, MlirBlock **blocks, size_t *n) {
  SN_VEC(MlirBlock) found = {0};
  SnTable known = {0};
  static const char *const names[] = {"sinter.rowwise", "sinter.contract"};
  for (int i = 0; i < 2; ++i) {
    SnOpVec forms = sn_collect(root, names[i]);
    for (size_t k = 0; k < forms.size; ++k) {
      MlirBlock block = mlirOperationGetBlock(forms.data[k]);
      if (sn_get_attr(forms.data[k], "schedule").ptr || !sn_num_results(forms.data[k]) ||
          sn_in_sequence(forms.data[k]) || sn_table_has(&known, block.ptr))
        continue;
      sn_table_put(&known, block.ptr, 1);
      sn_push(&found, block);
    }
    sn_vec_free(&forms);
  }
  sn_table_free(&known);
  *blocks = found.data;
  *n = found.size;
}

// What kernels give beside something that it is a light function of.
static bool lighten_results(MlirOperation root) {
  MlirBlock *blocks;
  size_t n;
  bool changed = false;
  blocks_with_forms(root, &blocks, &n);
  for (size_t i = 0; i < n; ++i)
    changed |= sn_fuse_light_results(blocks[i]);
  free(blocks);
  return changed;
}

// Bodies without uses of definitions, of which nobody knows here what they reduce.
static bool are_known(MlirOperation root) {
  static const char *const names[] = {"sinter.rowwise", "sinter.contract"};
  bool known = true;
  for (int i = 0; i < 2; ++i) {
    SnOpVec forms = sn_collect(root, names[i]);
    for (size_t k = 0; k < forms.size && known; ++k)
      known = sn_row_ops_known(mlirRegionGetFirstBlock(mlirOperationGetRegion(forms.data[k], 0)));
    sn_vec_free(&forms);
  }
  return known;
}

typedef bool InBlock(MlirBlock block, const SnPolicy *policy);

static bool in_blocks(MlirOperation root, const SnPolicy *policy, InBlock *fuse_block) {
  MlirBlock *blocks;
  size_t n;
  bool changed = false;
  blocks_with_forms(root, &blocks, &n);
  for (size_t i = 0; i < n; ++i)
    changed |= fuse_block(blocks[i], policy);
  free(blocks);
  return changed;
}

// Rows that a product of another kernel sums over are made again as columns, which they can be where no sum needs them
// whole.
static bool turn_rows(MlirOperation root, const SnPolicy *policy) {
  MlirBlock *blocks;
  size_t n;
  bool changed = false;
  blocks_with_forms(root, &blocks, &n);
  for (size_t i = 0; i < n; ++i) {
    changed |= sn_fuse_dots(blocks[i], policy);
    changed |= sn_fuse_turns(blocks[i], policy);
  }
  free(blocks);
  return changed;
}

// Of plain forms that are as large as they get.
static bool join_chains(MlirOperation root, const SnPolicy *policy) {
  MlirBlock *blocks;
  size_t n;
  bool changed = false;
  blocks_with_forms(root, &blocks, &n);
  for (size_t i = 0; i < n; ++i)
    changed |= sn_fuse_chains(blocks[i], policy);
  for (size_t i = 0; i < n; ++i)
    changed |= sn_fuse_groups(blocks[i], policy);
  free(blocks);
  return changed;
}

// What is left of what arguments alone give.
static bool join_tables(MlirOperation root) {
  MlirBlock *blocks;
  size_t n;
  bool changed = false;
  blocks_with_forms(root, &blocks, &n);
  for (size_t i = 0; i < n; ++i)
    changed |= sn_fuse_tables(blocks[i]);
  free(blocks);
  return changed;
}

static MlirLogicalResult fuse(MlirOperation root, const SnPolicy *policy, bool sides, bool chains, bool turns) {
  sn_fuse_result_sizes(root);
  MlirLogicalResult result = sn_simplify(root);
  if (!sn_failed(result) && in_blocks(root, policy, sn_fuse_vectors))
    result = sn_simplify(root);
  for (bool changed = true; changed && !sn_failed(result);) {
    changed = false;
    changed |= in_blocks(root, policy, inline_cheap);
    result = sn_simplify(root);
    changed |= in_blocks(root, policy, sn_fuse_pairs);
    if (!changed)
      changed = lighten_results(root);
    if (!changed && sides)
      changed = in_blocks(root, policy, sn_fuse_sides);
    if (!changed)
      changed = in_blocks(root, policy, sn_fuse_image_sums);
    if (changed && !sn_failed(result))
      result = sn_simplify(root);
  }
  if (!sn_failed(result) && chains && turns && turn_rows(root, policy))
    result = sn_simplify(root);
  if (!sn_failed(result) && chains && join_chains(root, policy))
    result = sn_simplify(root);
  if (!sn_failed(result) && in_blocks(root, policy, sn_fuse_log_sums))
    result = sn_simplify(root);
  if (!sn_failed(result) && join_tables(root))
    result = sn_simplify(root);
  return result;
}

// ---- the pass --------------------------------------------------------------------------------------

typedef struct {
  const char *policy, *without, *target;
  bool remarks, f32_parts, of_parts;
  int64_t parts_from;
} Options;
static const char *const policies[] = {"disabled", "medium", "aggressive", NULL};
static const char *const withouts[] = {"nothing", "chains", "turns", "sides", NULL};
static const char *const targets[] = {"cpu", "gpu", NULL};
static const SnOption options[] = {
    {SN_OPTION_STRING, "policy",
     "disabled: leave every op a kernel of its own; medium: fuse where that saves more than it costs; aggressive: fuse "
     "whatever data flow allows",
     "medium", policies, offsetof(Options, policy)},
    {SN_OPTION_STRING, "without",
     "what is left apart, to compare: chains, products that go on from the rows of another kernel; turns, rows that "
     "are made again as columns for a product that sums over them; sides, what is computed in front of a product",
     "nothing", withouts, offsetof(Options, without)},
    {SN_OPTION_STRING, "target",
     "where the kernels run: on a GPU tensor cores multiply, and rows of half types are made again", "cpu", targets,
     offsetof(Options, target)},
    {SN_OPTION_BOOL, "f32-parts", "tensor cores multiply f32 as sums of three bf16, too", "false", NULL,
     offsetof(Options, f32_parts)},
    {SN_OPTION_INT, "parts-from",
     "bytes of products in f32 from which on rows that are multiplied again are multiplied so, and never stored",
     SN_GPU_PARTS_FROM_DEFAULT, NULL, offsetof(Options, parts_from)},
    {SN_OPTION_BOOL, "of-parts", "do nothing in a program without products in f32 that may be such", "false", NULL,
     offsetof(Options, of_parts)},
    {SN_OPTION_BOOL, "remarks", "say at each op why it was not fused with a neighbour", "false", NULL,
     offsetof(Options, remarks)},
    {0},
};

static MlirLogicalResult run(const SnRun *run, MlirOperation op) {
  const Options *o = run->options;
  SnPolicy policy = sn_policy_of(o->policy, !strcmp(o->target, "gpu"));
  policy.parts_from = o->f32_parts ? 0 : o->parts_from;
  if (policy.nothing || (o->of_parts && !sn_gpu_any_parts(op, policy.parts_from)))
    return SN_OK;
  if (!are_known(op))
    return SN_FAIL;
  sn_show_refusals(o->remarks);
  MlirLogicalResult result = fuse(op, &policy, strcmp(o->without, "sides") != 0, strcmp(o->without, "chains") != 0,
                                  strcmp(o->without, "turns") != 0);
  sn_show_refusals(false);
  return result;
}

const SnPass sn_pass_fuse = {
    .argument = "sinter-fuse",
    .summary = "producers, consumers and siblings move into one kernel",
    .options = options,
    .options_size = sizeof(Options),
    .run = run,
};
