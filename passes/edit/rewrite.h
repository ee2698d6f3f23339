// rewrite.h: rules over row programs, applied to a fixed point.
//
// A rule is a function from an op to "done" or "no"; a file of rules ends with one
// descriptor that names the op each rule looks at, and passes/simplify/simplify.c lists
// the descriptors.

#ifndef SINTER_PASSES_REWRITE_H
#define SINTER_PASSES_REWRITE_H

#include "capi/pass.h"

typedef struct {
  SnBuilder *b; // stands in front of the op that is looked at
  MlirRewriterBase base;
} SnRewriter;

typedef bool (*SnRuleFn)(SnRewriter *rw, MlirOperation op);
typedef struct {
  const char *op;
  SnRuleFn rewrite;
} SnRule;
typedef const SnRule SnRules[]; // ends with a NULL op

// The op's only result is `value` from now on; the op is gone.
void sn_replace(SnRewriter *rw, MlirOperation op, MlirValue value);
// The rules as patterns of a set, beside patterns of upstream.
void sn_add_rules(MlirContext ctx, MlirRewritePatternSet set, const SnRule *rules);
// Applies the patterns of a set under `root` to a fixed point; the set is gone.
MlirLogicalResult sn_apply_patterns(MlirOperation root, MlirRewritePatternSet set);
// Applies the rules (a NULL-terminated list of lists) and upstream's folds under `root`.
MlirLogicalResult sn_apply_rules(MlirOperation root, const SnRule *const *lists);

#endif
