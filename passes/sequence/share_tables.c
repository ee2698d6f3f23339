// share_tables.c: small kernels of arguments alone, of different sizes, stand behind each other.
//
//   %r = rowwise () by (i = 48) ins(%variance[i]) { 1 / sqrt }        %r = rowwise () by (i = 48) ...
//   ... kernels ...                                             ->    %s = rowwise () by (i = 96) ...
//   %s = rowwise () by (i = 96) ins(%deviation[i]) { 1 / sqrt }       ... kernels ...
//
// Those of the same sizes are one form already (passes/fuse/argument_tables.c). The others are one kernel of a CPU, a
// sequence whose forms run by turns: a network whose convolutions have six numbers of channels has six of them, in
// front of everything. What one of them makes is a few kilobytes, which a cache may have forgotten when they are read.
//
// test: test/passes/sequence/share_tables.mlir

#include "passes/edit/edit.h"
#include "passes/sequence/launch_loops.h"
#include "passes/sequence/share_tables.h"

// Elements of a table: more take longer to make than a kernel to begin. Of all that one kernel makes by turns, one
// task's (passes/schedule/cpu_sequences.c). And so many operands: who waits for whom is asked of each two of a
// sequence.
enum { SMALL = 1 << 13, TOGETHER = 1 << 14, MOST_OPERANDS = 64 };

// How many elements it makes; 0: it is no table.
static int64_t elements_of(MlirOperation op, MlirBlock block) {
  if (!sn_is(op, "sinter.rowwise") || !sn_is_joinable_form(op))
    return 0;
  bool is = true;
  for (intptr_t k = 0; k < sn_num_operands(op) && is; ++k)
    is = sn_is_there(sn_operand(op, k), block);
  if (!is)
    return 0;
  SnForm f = sn_form_read(op);
  int64_t n = sn_times(sn_num_rows(&f), sn_row_length(&f));
  is = !sn_multiplies(&f) && !sn_form_asserts(&f) && n <= SMALL;
  sn_form_free(&f);
  return is ? n : 0;
}

static SnTable places_of(MlirBlock block) {
  SnTable places = {0};
  uintptr_t n = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op))
    sn_table_put(&places, op.ptr, ++n);
  return places;
}

// Each behind the one before it.
static void bring_together(SnTable *places, const SnOpVec *group) {
  uintptr_t first = 0;
  sn_table_get(places, group->data[0].ptr, &first);
  for (size_t k = 1; k < group->size; ++k) {
    sn_move_needed(places, group->data[0], group->data[k]);
    mlirOperationMoveAfter(group->data[k], group->data[k - 1]);
    sn_table_put(places, group->data[k].ptr, first);
  }
}

SnTableGroups sn_gather_tables(MlirBlock block) {
  SnTableGroups groups = {0};
  int64_t together = TOGETHER, operands = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !sn_null(op); op = mlirOperationGetNextInBlock(op)) {
    int64_t n = elements_of(op, block);
    if (!n)
      continue;
    if (!groups.size || together + n > TOGETHER || operands + sn_num_operands(op) > MOST_OPERANDS) {
      sn_push(&groups, (SnOpVec){0});
      together = operands = 0;
    }
    together += n;
    operands += sn_num_operands(op);
    sn_push(&groups.data[groups.size - 1], op);
  }
  SnTable places = groups.size ? places_of(block) : (SnTable){0};
  for (size_t i = 0; i < groups.size; ++i)
    bring_together(&places, &groups.data[i]);
  sn_table_free(&places);
  return groups;
}
