// reduced.h: rows of a product that are nothing but reduced: what reduced.c plans, and reduced_pieces.c makes.

#ifndef SINTER_PASSES_SPLIT_REDUCED_H
#define SINTER_PASSES_SPLIT_REDUCED_H

#include "passes/split/pieces.h"

enum { SN_REDUCED_BELOW = 6 }; // ult, of arith.cmpi

typedef enum { SN_PART_REDUCED, SN_PART_PICKED, SN_PART_EXPONENTIALS, SN_PART_DIFFERENCES } SnReducedKind;

// What is kept of each piece: a number.
typedef struct {
  SnReducedKind kind;
  MlirOperation op;    // the row_reduce or the pick
  MlirValue row;       // that is reduced or picked from; of the last two kinds, what the maximum is of
  MlirValue factor;    // a row that exponentials are multiplied by; or null
  MlirValue reference; // a number that the maximum gives, which is subtracted
  MlirOperation exp;   // of exponentials
  size_t maximum;      // which of the parts that is
  MlirType type;
  MlirValue parts; // a row of pieces, an argument of `joined`
} SnReducedPart;

typedef struct {
  const SnForm *f;
  int64_t columns, piece, pieces;
  SnMap waits; // values of the body that depend on a reduction or a pick: themselves
  SN_VEC(SnReducedPart) parts;
  MlirBlock joined; // what becomes the body behind the pieces: arguments of the form's that are numbers, then parts
  SnBuilder b;      // in it
  SnMap made;       // of the body, in it
  const char *why;  // not
} SnReducedJoin;

static inline MlirType sn_reduced_row(MlirType element, int64_t length) { return sn_tensor(element, 1, &length); }
static inline MlirType sn_reduced_element(MlirValue v) { return sn_element(sn_type_of(v)); }

// Some of the pieces, one form's.
typedef struct {
  int64_t first, count;     // of all pieces
  MlirValue stored;         // their product, [i, p, j] in memory; null: it is made
  MlirValue start;          // memory of the first column's number; null: it is the first piece's
  const MlirValue *places;  // memory of what each part is, [p, i]; null: they are results
  bool whole;               // none goes on behind the row's end
} SnReducedRange;

// The body behind the pieces, by itself, and the parts that it takes; numbers that it yields are in s->made.
SnReducedJoin sn_plan_reduced(const SnForm *f);
void sn_free_reduced(SnReducedJoin *s);
// The reference of a piece, or of a row of pieces, whose maximum is `own`.
MlirValue sn_reduced_own_reference(SnBuilder *b, const SnReducedJoin *s, MlirValue r, MlirOperation maximum,
                                   MlirValue own, MlirValue (*other)(SnBuilder *b, void *user, MlirValue v),
                                   void *user);
// No exponential is taken under -inf: pieces may be nothing but that.
MlirValue sn_reduced_above_least(SnBuilder *b, MlirValue r);
// Another row by the same combiner.
MlirValue sn_reduce_row_as(SnBuilder *b, MlirOperation reduce, MlirValue row);


// ---- reduced_pieces.c

// These pieces of s->f, whose inputs begin where they do.
MlirOperation sn_make_pieces(SnBuilder *b, const SnReducedJoin *s, const SnReducedRange *range);
// The rows that join all pieces. `pieces`: what each part is.
MlirOperation sn_join_pieces(SnBuilder *b, SnReducedJoin *s, const MlirValue *pieces);

#endif
