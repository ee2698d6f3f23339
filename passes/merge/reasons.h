// reasons.h: why two kernels stay two. One table, for the remarks of sinter-fuse, for
// sinter-explain, and for whoever asks sn_can_merge.
//
// new way to fuse: a line for each reason why not.

#ifndef SINTER_PASSES_MERGE_REASONS_H
#define SINTER_PASSES_MERGE_REASONS_H

#include "capi/sn.h"

// X(name, what is said: a format for what sn_refuse is given)
#define SN_WHY_TABLE(X)                                                                                                \
  /* what one reads of the other */                                                                                    \
  X(SN_WHY_THROUGH, "reads a neighbour's result through an index")                                                     \
  X(SN_WHY_BOUNDS, "reads a neighbour's reduction or product with bounds")                                             \
  X(SN_WHY_UNKNOWN_SIZE, "reads a neighbour's result of unknown size with bounds")                                     \
  X(SN_WHY_BOUNDED_INDEX, "is read with bounds, and reads through an index")                                           \
  X(SN_WHY_BOUNDED_SHARED, "is read with bounds, and has another reader")                                              \
  X(SN_WHY_BOUNDED_DIVISION, "is read with bounds, and divides integers by what would be 0 beside them")               \
  X(SN_WHY_TWO_PLACES, "reads one result at two places")                                                               \
  X(SN_WHY_OTHER_PLACE, "reads its neighbour's result at another place than where it is made")                         \
  X(SN_WHY_INDEX, "reads through an index that its neighbour computes")                                                \
  X(SN_WHY_SIDE, "a side of its product is computed by its neighbour")                                                 \
  X(SN_WHY_ELEMENT, "reads one element of a row that its neighbour reduced")                                           \
  X(SN_WHY_GRID, "reads a result reduced over the rows of its neighbour's grid")                                       \
  X(SN_WHY_SIDE_PRODUCT, "a side of its product is itself a product")                                                  \
  X(SN_WHY_SIDE_REDUCED, "a side of its product needs more of its neighbour than one element for each of its own")     \
  X(SN_WHY_SIDE_NOT_SUMMED, "a side would not depend on what its product sums")                                        \
  X(SN_WHY_SIDE_NO_INPUT, "a side of its product would read nothing")                                                  \
  X(SN_WHY_SIDE_DIVIDES, "a side of its product divides integers, which has to be checked before")                     \
  X(SN_WHY_SIDE_INDEX, "a side of its product is read through an index that its neighbour's inputs cannot be")         \
  X(SN_WHY_SIDE_SIZE, "a side of its product gives a size that is not known otherwise")                                \
  X(SN_WHY_SIDE_COPIED, "several sides read it, one of a product whose rows are multiplied again: copies fetch it")    \
  X(SN_WHY_SIDE_READERS, "a side of its product has another reader, so it is stored anyway")                           \
  /* rows that one multiplies and the other makes */                                                                   \
  X(SN_WHY_CHAIN_OTHERS, "a side of its product needs what its neighbour makes for other rows")                        \
  X(SN_WHY_CHAIN_PART, "a side of its product is not the whole row that its neighbour makes")                          \
  X(SN_WHY_CHAIN_BOTH, "both sides of its product are computed by its neighbour")                                      \
  X(SN_WHY_CHAIN_LOOP, "its columns would be those that its product sums over")                                        \
  X(SN_WHY_CHAIN_COLUMNS, "it reads columns of its neighbour that are not its own")                                    \
  X(SN_WHY_CHAIN_GROUP, "another product of it uses no columns, and would count as one of its neighbour's")            \
  X(SN_WHY_CHAIN_KERNEL, "its rows are multiplied again already, by a kernel that reads its sides from memory")        \
  X(SN_WHY_CHAIN_UNIT, "it names a dimension of size 1 that its neighbour does not have")                              \
  X(SN_WHY_CHAIN_LOOSE,                                                                                                \
    "it reduces a row of constants and broadcasts alone, which any of %ld groups of `?` columns could have")           \
  /* rows that are made again as columns */                                                                            \
  X(SN_WHY_TURN_ROW, "what a product sums over its rows is not made element by element from products and numbers")     \
  X(SN_WHY_TURN_AGAIN, "made again with columns for rows it would take %.3g operations more, to move %.3g bytes less") \
  X(SN_WHY_TURN_SLOW, "its products are not what tensor cores multiply a block of columns at a time")                  \
  X(SN_WHY_CHAIN_APART, "goes on from rows of a kernel of which its neighbour needs other rows")                       \
  /* their dimensions */                                                                                               \
  X(SN_WHY_ROWS, "a row of one is not a row of the other")                                                             \
  X(SN_WHY_ROW_DIMS, "%ld row dimensions meet %ld")                                                                    \
  X(SN_WHY_NO_ROWS, "reduces over rows, and its neighbour has none")                                                   \
  X(SN_WHY_COLUMNS, "columns of the two differ")                                                                       \
  X(SN_WHY_LENGTHS, "rows of different lengths")                                                                       \
  X(SN_WHY_NO_PLACE, "its dimension '%.*s' has no place beside its neighbour")                                         \
  X(SN_WHY_INDEX_EXPRESSION, "its index would be a quotient or a remainder")                                           \
  /* a total over all of its dimensions */                                                                             \
  X(SN_WHY_TOTAL_EXPRESSION, "its total runs over an expression of its neighbour's dimensions")                        \
  X(SN_WHY_TOTAL_TWICE, "its total runs over one of its neighbour's dimensions twice")                                 \
  X(SN_WHY_TOTAL_PART, "its total is not over all that its neighbour runs over")                                       \
  /* what runs once, after all rows */                                                                                 \
  X(SN_WHY_FINISH_MORE, "needs more than what its neighbour reduced over rows")                                        \
  X(SN_WHY_FINISH_DIMS, "its dimensions are not the columns of its neighbour")                                         \
  X(SN_WHY_FINISH_PART, "it keeps some of its neighbour's columns")                                                    \
  X(SN_WHY_FINISH_ORDER, "it permutes its neighbour's columns")                                                        \
  X(SN_WHY_FINISH_ROWS, "its finish needs what its neighbour computes row by row")                                     \
  X(SN_WHY_FINISH_REDUCES, "its finish needs what its neighbour reduces")                                              \
  /* a result that others read too */                                                                                  \
  X(SN_WHY_ORDER, "its result has another reader, and is not written in plain order here")                             \
  X(SN_WHY_KEEPS_PART, "its result has another reader, and keeps some columns")                                        \
  X(SN_WHY_WRITTEN_AGAIN, "its result has another reader, and would be written again for each row")                    \
  /* what stands around them */                                                                                        \
  X(SN_WHY_WAITS, "waits for something else that waits for its neighbour")                                             \
  X(SN_WHY_EFFECT, "something with an effect stands between it and its neighbour")                                     \
  X(SN_WHY_SCHEDULED, "has a schedule, which says how it runs by itself")                                              \
  X(SN_WHY_SEVERAL, "has several groups of columns: sinter-split makes forms of one of it")                            \
  /* what would be too large a kernel: capi/limits.h */                                                                \
  X(SN_WHY_MANY, "one kernel would have %ld %s, and fusion makes at most %ld")                                         \
  X(SN_WHY_LONG_SUBSCRIPT, "a subscript would have more than %ld dimensions, numbers and operations")                  \
  /* what is legal, and not worth it */                                                                                \
  X(SN_WHY_TWICE, "a reduction is not computed twice")                                                                 \
  X(SN_WHY_ACROSS, "both read one value, and the rows of one are the columns of the other")                            \
  X(SN_WHY_ROWS_APART, "both multiply one row, each its own, by the same weights: each is a row's sum by itself")      \
  X(SN_WHY_AGAIN, "would be computed again for each row, and is not cheap")                                            \
  X(SN_WHY_WIDE, "is made of wider elements, which %.3g rows would each read again")                                   \
  X(SN_WHY_SIDE_AGAIN,                                                                                                 \
    "in the side of a product it would be computed %.3g times: %.3g operations more, to move %.3g bytes less")

typedef enum {
  SN_WHY_NONE,
#define SN_WHY(name, text) name,
  SN_WHY_TABLE(SN_WHY)
#undef SN_WHY
      SN_WHY_COUNT
} SnWhy;

// A refusal: which, of which op, in words.
typedef struct {
  SnWhy why;
  MlirOperation op;
  char text[200];
} SnRefusal;

// Returns false: sn_no with a row of the table, and with what its text asks for. Kept until the next one.
bool sn_refuse(MlirOperation op, SnWhy why, ...);
// The same without a remark, of what somebody else is asked next; `why` has no numbers.
bool sn_refuse_silently(MlirOperation op, SnWhy why);
// Makes this one, a copy of what was the last before, the last again.
void sn_refusal_set(const SnRefusal *refusal);
// The last refusal of this thread since sn_refusal_clear.
const SnRefusal *sn_refusal(void);
void sn_refusal_clear(void);

#endif
