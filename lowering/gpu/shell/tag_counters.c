// tag_counters.c: counters in the caller's workspace.
//
//   take:    if its upper half is not the launch's tag, compare and swap: tag, count 0
//   last:    count + 1, acquired and released; the one that finds all others counted is the last, and leaves 0
//   early:   where it is 0, as its last launch left it: compare and swap: tag, count 0; long before it is asked
//   ticket:  count + 1, and what it was before, in no order with anything; the last of so many leaves 0
//   count:   count + 1, released            await: load, acquired, until it is so many
//
// The workspace holds anything at first and may be another's for every call, so no memory is zeroed and no second
// kernel runs. A counter's upper half says whose count it is: a tag, different for every launch, comes as an argument.
// A block that finds another's tag puts its own, with a count of 0, by one compare-and-swap (if that fails, another
// block of this launch just did), and then counts itself. The last block leaves 0 behind, which is no tag: a captured
// launch may be replayed with the tag that it has. Memory that held a launch's tag by chance, one in 2^32, would make
// it go wrong.
//
// Where blocks wait for a count all of them have to run at once: the launch is cooperative (SN_GPU_GROUP).
//
// test: test/lowering/gpu/lower_gpu.mlir, grid_rows.mlir

#include "lowering/gpu/shell/shell.h"

#define TAG_BITS 32

static MlirType i64_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 64); }
static MlirValue i64_of(SnBuilder *b, int64_t v) { return sn_int(b, i64_type(b), v); }

MlirValue sn_gpu_launch_tag(SnBuilder *b, MlirOperation module) {
  static const char name[] = "sinter_launches";
  MlirType i64 = i64_type(b), number = sn_memref(i64, 0, NULL);
  if (sn_take_symbol(module, name)) {
    SnBuilder top = sn_at_start(mlirModuleGetBody(mlirModuleFromOperation(module)), mlirOperationGetLocation(module));
    // Odd, so that the lower half of a number is never 0.
    sn_op(&top, "memref.global", sn_types(0, NULL), sn_attr("sym_name", sn_string(b->ctx, name)),
          sn_attr("sym_visibility", sn_string(b->ctx, "private")), sn_attr("type", mlirTypeAttrGet(number)),
          sn_attr("initial_value", sn_parse_attr(b->ctx, "dense<0x53494e55> : tensor<i64>")));
  }
  MlirValue counter =
      sn(b, "memref.get_global", number, sn_attr("name", mlirFlatSymbolRefAttrGet(b->ctx, SN_STR(name))));
  MlirValue old =
      sn(b, "memref.atomic_rmw", i64_of(b, 2), counter, i64, sn_attr("kind", sn_parse_attr(b->ctx, "1 : i64")));
  return sn(b, "arith.shli", old, i64_of(b, TAG_BITS));
}

static MlirValue compare(SnBuilder *b, int64_t predicate, MlirValue x, MlirValue y) {
  return sn(b, "arith.cmpi", x, y, mlirIntegerTypeGet(b->ctx, 1), sn_attr("predicate", sn_i64(b->ctx, predicate)));
}

// Memory operations of a scope that neither memref nor llvm.atomicrmw reaches without full fences.
static MlirValue ptx(SnBuilder *b, const char *text, const char *constraints, SnValues operands) {
  return sn_result(sn_gpu_ptx(b, text, constraints, operands, i64_type(b)), 0);
}

MlirValue sn_gpu_counter(SnBuilder *b, SnGpuKernel *k, MlirValue which) {
  MlirValue place = sn(b, "arith.index_cast", sn(b, "arith.muli", which, sn_index(b, 8)), i64_type(b));
  return sn(b, "llvm.inttoptr", sn(b, "arith.addi", k->scratch_address, place), sn_type(b->ctx, "!llvm.ptr<1>"));
}

MlirValue sn_gpu_take_counter(SnBuilder *b, SnGpuKernel *k, MlirValue which) {
  MlirValue counter = sn_gpu_counter(b, k, which), bits = i64_of(b, TAG_BITS);
  MlirValue found = ptx(b, "ld.relaxed.gpu.global.b64 $0, [$1];", "=l,l,~{memory}", sn_values(1, &counter));
  SnIf strange = sn_if(b, compare(b, 1, sn(b, "arith.shrui", found, bits), sn(b, "arith.shrui", k->tag, bits)));
  ptx(b, "atom.relaxed.gpu.global.cas.b64 $0, [$1], $2, $3;", "=l,l,l,l,~{memory}",
      sn_values(3, (MlirValue[]){counter, found, k->tag}));
  sn_end_if(b, &strange);
  return counter;
}

MlirValue sn_gpu_take_early(SnBuilder *b, SnGpuKernel *k, MlirValue which) {
  return ptx(b, "atom.relaxed.gpu.global.cas.b64 $0, [$1], $2, $3;", "=l,l,l,l,~{memory}",
             sn_values(3, (MlirValue[]){sn_gpu_counter(b, k, which), i64_of(b, 0), k->tag}));
}

// The counter, taken; `found` (null: nobody asked early) says whether it is already.
static MlirValue taken_counter(SnBuilder *b, SnGpuKernel *k, MlirValue which, MlirValue found) {
  if (sn_none(found))
    return sn_gpu_take_counter(b, k, which);
  MlirValue bits = i64_of(b, TAG_BITS);
  MlirValue others = compare(b, 1, sn(b, "arith.shrui", found, bits), sn(b, "arith.shrui", k->tag, bits));
  SnIf strange = sn_if(b, sn(b, "arith.andi", others, compare(b, 1, found, i64_of(b, 0))));
  sn_gpu_take_counter(b, k, which);
  sn_end_if(b, &strange);
  return sn_gpu_counter(b, k, which);
}

// How many counted themselves before, with the tag; the last of `count` (i64) leaves 0. `ordered`: behind what the
// thread has stored, and in front of what it loads.
static MlirValue count_one(SnBuilder *b, SnGpuKernel *k, MlirValue which, MlirValue found, MlirValue count,
                           bool ordered, MlirValue *last) {
  MlirValue one = i64_of(b, 1), counter = taken_counter(b, k, which, found);
  MlirValue before = ptx(
      b, ordered ? "atom.acq_rel.gpu.global.add.u64 $0, [$1], $2;" : "atom.relaxed.gpu.global.add.u64 $0, [$1], $2;",
      "=l,l,l,~{memory}", sn_values(2, (MlirValue[]){counter, one}));
  *last = compare(b, 0, before, sn(b, "arith.subi", sn(b, "arith.addi", k->tag, count), one));
  SnIf reset = sn_if(b, *last);
  ptx(b, "atom.relaxed.gpu.global.exch.b64 $0, [$1], $2;", "=l,l,l,~{memory}",
      sn_values(2, (MlirValue[]){counter, i64_of(b, 0)}));
  sn_end_if(b, &reset);
  return before;
}

MlirValue sn_gpu_is_last(SnBuilder *b, SnGpuKernel *k, MlirValue which, MlirValue count) {
  return sn_gpu_is_last_of_taken(b, k, which, (MlirValue){0}, count);
}

MlirValue sn_gpu_is_last_of_taken(SnBuilder *b, SnGpuKernel *k, MlirValue which, MlirValue found, MlirValue count) {
  MlirValue last;
  count_one(b, k, which, found, count, true, &last);
  return last;
}

MlirValue sn_gpu_ticket(SnBuilder *b, SnGpuKernel *k, MlirValue which, MlirValue draws) {
  MlirValue last,
      before = count_one(b, k, which, (MlirValue){0}, sn(b, "arith.index_cast", draws, i64_type(b)), false, &last);
  return sn(b, "arith.subi", before, k->tag);
}

void sn_gpu_count(SnBuilder *b, MlirValue counter) {
  MlirValue one[] = {counter, i64_of(b, 1)};
  sn_gpu_ptx(b, "red.release.gpu.global.add.u64 [$0], $1;", "l,l,~{memory}", sn_values(2, one), (MlirType){0});
}

void sn_gpu_await_count(SnBuilder *b, SnGpuKernel *k, MlirValue counter, MlirValue count) {
  MlirValue until[] = {counter, sn(b, "arith.addi", k->tag, count)};
  sn_gpu_ptx(b,
             "{\n\t.reg .pred less;\n\t.reg .b64 count;\n\tPOLL:\n\tld.acquire.gpu.global.u64 count, "
             "[$0];\n\tsetp.lt.u64 less, count, $1;\n\t@less bra POLL;\n\t}",
             "l,l,~{memory}", sn_values(2, until), (MlirType){0});
}

void sn_gpu_reset_counter(SnBuilder *b, MlirValue counter) {
  MlirValue reset[] = {counter, i64_of(b, 0)};
  sn_gpu_ptx(b, "st.relaxed.gpu.global.b64 [$0], $1;", "l,l,~{memory}", sn_values(2, reset), (MlirType){0});
}
