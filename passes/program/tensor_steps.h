// tensor_steps.h: what the operations of tm_tensor that become sinter.steps share.

#ifndef SINTER_PASSES_TENSOR_STEPS_H
#define SINTER_PASSES_TENSOR_STEPS_H

#include "capi/pass.h"

// ---- one operation each --------------------------------------------------------------------

// `counted`: so many elements of a sort, at most, are counted before runs are merged; 0: none.
MlirLogicalResult sn_scan_steps(MlirOperation op, int64_t counted);    // scan.c
MlirLogicalResult sn_sort_steps(MlirOperation op, int64_t counted);    // sort.c
MlirLogicalResult sn_topk_steps(MlirOperation op, int64_t counted);    // sort.c
MlirLogicalResult sn_scatter_steps(MlirOperation op, int64_t counted); // scatter.c
// Every operation of these under `root`. In tm_tensor.c.
MlirLogicalResult sn_tm_tensor_steps(MlirOperation root, int64_t counted);

// tm_tensor.attention as linalg; in attention.c.
MlirLogicalResult sn_check_attention(MlirOperation op);
bool sn_attention_linalg(SnBuilder *b, MlirRewriterBase base, MlirOperation op);

// Row operations outside of forms, and words on arguments and results that nobody reads, are errors; in misplaced.c.
MlirLogicalResult sn_check_places(MlirOperation root);

// tensor.gather as linalg; in gather.c.
bool sn_gather_linalg(SnBuilder *b, MlirRewriterBase base, MlirOperation op);

// tensor.scatter as tm_tensor.scatter; in tensor_scatter.c.
bool sn_tensor_scatter(SnBuilder *b, MlirRewriterBase base, MlirOperation op);
// ordinary_ops.c: arithmetic on indices as arith's, and a tensor made index by index as a linalg.generic.
bool sn_index_arith(SnBuilder *b, MlirRewriterBase base, MlirOperation op);
bool sn_generate_linalg(SnBuilder *b, MlirRewriterBase base, MlirOperation op);
// A linalg.pack into tiles of computed sizes, each element by where it comes from; in computed_tiles.c.
bool sn_computed_tiles(SnBuilder *b, MlirRewriterBase base, MlirOperation op);
// Edges of a tensor.pad that are constants are numbers of it.
bool sn_fixed_pad(SnBuilder *b, MlirOperation pad);
// A tensor.pad whose edge is no constant is a tensor.generate, with the operand inserted.
bool sn_computed_pad(SnBuilder *b, MlirRewriterBase base, MlirOperation pad);

// ---- three dimensions of many: tensor_steps.c ----------------------------------------------

typedef struct {
  MlirType wide, narrow;  // the tensor, and rows x what is worked along (x lanes)
  MlirAttribute groups;   // of what is collapsed
  bool lifted, collapsed; // a row is added in front; dimensions are collapsed
  intptr_t dim;
} SnLayout;

SnLayout sn_lay_out(MlirContext ctx, MlirType t, intptr_t dim);
MlirValue sn_narrowed(SnBuilder *b, const SnLayout *l, MlirValue v);
// Back again; sizes `?` are those of `like`.
MlirValue sn_widened(SnBuilder *b, const SnLayout *l, MlirValue v, MlirValue like);
// Dimensions from .. to - 1, as a group of a reshape.
MlirAttribute sn_members(MlirContext ctx, intptr_t from, intptr_t to);
// As t, which is v with dimensions split by `groups`; `?` are those of `like` at `from` on.
MlirValue sn_unfold(SnBuilder *b, MlirValue v, MlirType t, MlirAttribute groups, MlirValue like, intptr_t from);
MlirValue sn_layout_empty(SnBuilder *b, MlirValue v);
// The number that a tensor holds everywhere, by what makes it; null if it may hold others.
MlirAttribute sn_filled_with(MlirValue v);

// ---- making a form ---------------------------------------------------------------------------

typedef struct {
  SnBuilder in; // stands in the body
  MlirRegion region;
  MlirValue row, *memory; // memory of each operand
} SnStepsBody;

// Inputs and destinations that hold nothing yet, in one list; the body is written at `in`.
SnStepsBody sn_steps_begin(SnBuilder *b, intptr_t n, const MlirValue *operands);
MlirOperation sn_steps_end(SnBuilder *b, SnStepsBody *body, intptr_t rows, intptr_t inputs, intptr_t n,
                           const MlirValue *operands);
// A step over [0, n): the builder stands in it until the step ends.
SnBuilder sn_lanes_begin(SnBuilder *b, MlirValue n, MlirValue *lane);
void sn_lanes_end(SnBuilder *in);
// Whether `f` holds for all lanes of a step over [0, n).
MlirValue sn_all_lanes(SnBuilder *b, MlirValue n, MlirValue (*f)(SnBuilder *in, MlirValue lane, void *user),
                       void *user);

// On a sinter.steps of (lows, highs, v) to y: row i of y is a constant and rows lows[i] .. highs[i] - 1 of v, added.
#define SN_SUMS_OF_RANGES "sinter.sums_of_ranges"
// On one of (g, lows, highs) to v, in one row: row i of g is added to rows lows[i] .. highs[i] - 1 of v.
#define SN_SPREAD_OVER_RANGES "sinter.spread_over_ranges"

// The region of `op` has one block on `n` scalars of these types, which yields one of type `to`, and holds arith, math
// and constants from outside.
MlirLogicalResult sn_check_combiner(MlirOperation op, intptr_t n, const MlirType *types, MlirType to);
// What it yields for these.
MlirValue sn_inline_combiner(SnBuilder *b, MlirOperation op, const MlirValue *arguments);

#endif
