// rewrite.c: rules on MLIR's greedy driver. See rewrite.h.

#include "passes/edit/rewrite.h"

void sn_replace(SnRewriter *rw, MlirOperation op, MlirValue value) {
  mlirRewriterBaseReplaceOpWithValues(rw->base, op, 1, &value);
}

static MlirLogicalResult apply(MlirRewritePattern pattern, MlirOperation op, MlirPatternRewriter rewriter, void *rule) {
  SnBuilder b = sn_before(op);
  b.rw = mlirPatternRewriterAsBase(rewriter);
  SnRewriter rw = {&b, b.rw};
  return ((const SnRule *)rule)->rewrite(&rw, op) ? SN_OK : SN_FAIL;
}

void sn_add_rules(MlirContext ctx, MlirRewritePatternSet set, const SnRule *rules) {
  for (const SnRule *rule = rules; rule->op; ++rule)
    mlirRewritePatternSetAdd(set, mlirOpRewritePatternCreate(SN_STR(rule->op), 1, ctx,
                                                             (MlirRewritePatternCallbacks){.matchAndRewrite = apply},
                                                             (void *)rule, 0, NULL));
}

MlirLogicalResult sn_apply_patterns(MlirOperation root, MlirRewritePatternSet set) {
  MlirGreedyRewriteDriverConfig config = mlirGreedyRewriteDriverConfigCreate();
  MlirFrozenRewritePatternSet frozen = mlirFreezeRewritePattern(set);
  mlirRewritePatternSetDestroy(set); // freezing took what was in it
  MlirLogicalResult result = mlirApplyPatternsAndFoldGreedilyWithOp(root, frozen, config);
  mlirFrozenRewritePatternSetDestroy(frozen);
  mlirGreedyRewriteDriverConfigDestroy(config);
  return result;
}

MlirLogicalResult sn_apply_rules(MlirOperation root, const SnRule *const *lists) {
  MlirContext ctx = mlirOperationGetContext(root);
  MlirRewritePatternSet set = mlirRewritePatternSetCreate(ctx);
  for (; *lists; ++lists)
    sn_add_rules(ctx, set, *lists);
  return sn_apply_patterns(root, set);
}
