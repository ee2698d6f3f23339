// fuse.h: private to passes/fuse, and what sinter-explain asks it. Which kernels are made one, and in which order.
//
// decides: which forms become one kernel, and in which order.

#ifndef SINTER_PASSES_FUSE_H
#define SINTER_PASSES_FUSE_H

#include "passes/merge/merge.h"

// ---- fuse/worth.c ---------------------------------------------------------------

// What a policy allows beyond what is legal: one row of a table.
typedef struct {
  const char *name;
  bool nothing;              // every op stays a kernel of its own
  bool computes_heavy_again; // exponentials and quotients: in each reader, and for each row
  double again_operations;   // that an elementwise kernel with such may compute again to move a byte less
  double side_operations;    // that the side of a product may compute again to move a byte less
  double turn_operations;    // that rows may take when they are made again as columns, to move a byte less
  double rows_again;         // bytes of rows from which on those that need one sum are made again, not stored
  bool tensor_cores;         // which multiply half types, a block of columns at a time
  int64_t parts_from;        // and f32, where products have so many bytes
} SnPolicy;
const SnPolicy *sn_policy(const char *name); // NULL if there is none
SnPolicy sn_policy_of(const char *name, bool gpu);

// Of a tensor; a size not known counts 1024.
double sn_elements(MlirType shaped);
double sn_bytes(MlirType shaped);
double sn_points(const SnForm *f); // of its rows and columns
// Bytes that running a and b as one kernel saves: what flows between them is not read, nor written
// if nobody else reads it; what both read is read once.
double sn_saved(const SnMerge *m);
// Nothing but additions, comparisons and the like: free beside a load.
bool sn_is_light(const SnForm *f);
double sn_rows_alike(const SnMerge *m); // rows of the merged form for each of which a is the same
// A merge that is legal, and that the policy wants.
bool sn_worth(const SnMerge *m, const SnPolicy *policy);
// Whether the policy computes what is heavy as often again as the merge does at each of so many places that read it: a
// byte of memory is worth a few operations, one of a cache hardly any.
bool sn_again_worth(const SnMerge *m, size_t places, const SnPolicy *policy);

// So many forms take one result into sides. `last`: the form that made it is gone then.
bool sn_side_worth(const SnIntoSide *moves, size_t n, bool last, const SnPolicy *policy);

// readers: of each result of what is turned, how many products sum over its rows.
bool sn_turn_worth(const SnTurn *t, const size_t *readers, const SnPolicy *policy);
// Each row of the form is made again by a kernel of its own: one would not have what both give in registers.
bool sn_turn_apart(const SnForm *f, const SnPolicy *policy);

// ---- fuse/wide_inputs.c ---------------------------------------------------------

// Many rows would each read inputs of a that are wider than what a makes of them.
bool sn_reads_wide_again(const SnMerge *m, const SnPolicy *policy);

// ---- fuse/side_makers.c ---------------------------------------------------------

// Moves what makes sides of products into them, until there is nothing left; tells whether anything was.
bool sn_fuse_sides(MlirBlock block, const SnPolicy *policy);
// Whether that would move this result of the form.
bool sn_can_fuse_side(MlirOperation op, intptr_t result, const SnPolicy *policy);
// A product has rows that the form makes for a side, in the form or in another.
bool sn_is_multiplied_again(MlirOperation form);

// ---- fuse/pairs.c ---------------------------------------------------------------

// Merges pairs of the block's forms, the one that saves most first, until none may be; tells whether any was.
bool sn_fuse_pairs(MlirBlock block, const SnPolicy *policy);
// Whether that, or a chain, could merge a and b, a standing before b; if not, sn_refusal() says why.
bool sn_can_fuse(MlirOperation a, MlirOperation b, const SnPolicy *policy);

// ---- fuse/between.c -------------------------------------------------------------

// Where the operations of a block stand, while some of them are merged and moved: MLIR numbers all of them again after
// each move.
typedef struct {
  MlirOperation op;    // null: it is gone
  uintptr_t merged;    // 1 + what it is a part of now; 0: it is there, or gone
  uintptr_t waits_for; // 1 + something that it waits for; 0: none is known
  unsigned age;        // of the order, when that was found
} SnKnown;
typedef struct {
  uintptr_t ops[2]; // 1 + one that waits for a and that b waits for, once near b, once near a; 0: none
  unsigned age;
} SnBetween;
typedef struct {
  SnTable places;  // larger ones stand behind
  SnTable pairs;   // of two numbers, the first of which waits for the second
  SnTable numbers; // of what something is known of: 1 + its place in `known`
  SN_VEC(SnKnown) known;
  unsigned age; // what was known before may not hold any more
  SnBetween between; // of the last two that were asked
  MlirOperation a;   // the first of them
  bool to_a;         // the second one is to move to it, not it to the second one
} SnOrder;
SnOrder sn_order(MlirBlock block);
void sn_order_free(SnOrder *order);
uintptr_t sn_order_place(const SnOrder *order, MlirOperation op);
// A new op stands in the place of one that is gone.
void sn_order_put(SnOrder *order, MlirOperation op, uintptr_t place);
// a and b are gone: what waits for one of them waits for `merged`, which may be null.
void sn_order_merged(SnOrder *order, MlirOperation a, MlirOperation b, MlirOperation merged);
// b waits for a, it was found.
void sn_order_apart(SnOrder *order, MlirOperation a, MlirOperation b);
// When a and b are merged: whether anything that stood between one of them and another is neither; it stays.
bool sn_order_between(SnOrder *order, SnBetween *between, MlirOperation a, MlirOperation b);
// Something reads less than before: who waits for whom is looked for again.
void sn_order_reads_less(SnOrder *order);

// Nothing between a and b keeps them apart, a standing before b; what waits there, a first, is pushed to `waiting`, and
// has to move behind what they become. Or, with order->to_a, what b waits for, b first, which has to move in front of
// it. `order` may be null.
bool sn_nothing_between(SnOrder *order, MlirOperation a, MlirOperation b, SnOpVec *waiting);
void sn_move_behind(SnOrder *order, MlirOperation merged, const SnOpVec *waiting);

// ---- fuse/log_sums.c ------------------------------------------------------------

// Exponentials over their sum, made again as columns, are under its logarithm, too; tells whether there were any.
bool sn_fuse_log_sums(MlirBlock block, const SnPolicy *policy);

// ---- fuse/dots.c ----------------------------------------------------------------

// Takes sums over rows of weights times products from what the weights give; tells whether there were any.
bool sn_fuse_dots(MlirBlock block, const SnPolicy *policy);
// references.c: v is a row's maximum of which f asks nothing but exponentials over their sum.
bool sn_is_any_reference(const SnForm *f, MlirValue v);

// ---- fuse/turns.c ---------------------------------------------------------------

// Makes rows again as columns for who sums over them; tells whether there were any.
bool sn_fuse_turns(MlirBlock block, const SnPolicy *policy);
// x goes on from rows of a kernel, which y would have made again as columns: as one they would do neither.
bool sn_go_on_apart(MlirOperation x, MlirOperation y, const SnPolicy *policy);

// ---- fuse/part_sums.c -----------------------------------------------------------

// How many parts a product's sum has, where it becomes one over dimension `kept` alone; 0: it cannot. Infinity: `?`.
double sn_parts_of_sum(const SnForm *g, int64_t kept);
// Makes it so, and adds the parts up behind; the form that makes the parts, with g's sides.
MlirOperation sn_sum_parts(MlirOperation op, int64_t kept);

// ---- fuse/one_group.c -----------------------------------------------------------

// Groups of columns of the same sizes that results are made of become one; tells whether there were any.
bool sn_fuse_groups(MlirBlock block, const SnPolicy *policy);

// ---- fuse/result_sizes.c ------------------------------------------------------------

// Who asks for the size of what a form gives does not wait for the form.
void sn_fuse_result_sizes(MlirOperation root);

// ---- fuse/summed_rows.c -------------------------------------------------------------

// A vector times a matrix becomes a sum over rows, where no tensor cores multiply; tells whether there was one.
bool sn_fuse_vectors(MlirBlock block, const SnPolicy *policy);

// ---- fuse/image_sums.c --------------------------------------------------------------

// What sums a product's result over some of its rows whole adds up sums of those rows, which the product makes, where
// no tensor cores multiply; tells whether there was one.
bool sn_fuse_image_sums(MlirBlock block, const SnPolicy *policy);

// ---- fuse/light_results.c --------------------------------------------------------

// Results that are light functions of other results of their kernel are made by who reads them; tells whether there
// were any.
bool sn_fuse_light_results(MlirBlock block);

// ---- fuse/argument_tables.c ----------------------------------------------------

// Makes one form of small elementwise forms of arguments alone that have the same sizes; tells whether there were any.
bool sn_fuse_tables(MlirBlock block);

// ---- fuse/chains.c --------------------------------------------------------------

// Makes one form of each product and the form whose rows it goes on from; tells whether there was any.
bool sn_fuse_chains(MlirBlock block, const SnPolicy *policy);
// Whether that could make one of a and b, a standing before b.
bool sn_can_chain_here(MlirOperation a, MlirOperation b, SnOpVec *waiting, const SnPolicy *policy);

#endif
