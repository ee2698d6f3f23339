// reasons.c: what sinter-fuse says where two kernels stay two.
//
//   sn_refuse(b, SN_WHY_GRID)  ->  remark: reads a result reduced over the rows of its neighbour's grid
//
// runs in: fuse, explain    test: test/passes/fuse/fuse.mlir, test/passes/explain/explain.mlir

#include "passes/merge/reasons.h"
#include <stdarg.h>
#include <stdio.h>

static const char *const texts[SN_WHY_COUNT] = {
#define SN_WHY(name, text) [name] = text,
    SN_WHY_TABLE(SN_WHY)
#undef SN_WHY
};

static _Thread_local SnRefusal last;

bool sn_refuse(MlirOperation op, SnWhy why, ...) {
  last.why = why;
  last.op = op;
  va_list arguments;
  va_start(arguments, why);
  vsnprintf(last.text, sizeof last.text, texts[why], arguments);
  va_end(arguments);
  return sn_no(op, "%s", last.text);
}

bool sn_refuse_silently(MlirOperation op, SnWhy why) {
  last = (SnRefusal){.why = why, .op = op};
  snprintf(last.text, sizeof last.text, "%s", texts[why]);
  return false;
}

const SnRefusal *sn_refusal(void) { return &last; }
void sn_refusal_set(const SnRefusal *refusal) { last = *refusal; }
void sn_refusal_clear(void) { last = (SnRefusal){0}; }
