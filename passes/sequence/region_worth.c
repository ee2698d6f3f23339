// region_worth.c: whether kernels of a CPU had better share a parallel region.
//
// A kernel by itself ends with all threads waiting for the last one, and begins with one that tells the others. Where
// tasks are nothing, two threads of an EPYC take 0.45 us less for a stage of a region than for a region. Of programs
// less is left, 0.1 us (docs/one-launch.md): one kernel mostly needs all of the one before, and threads wait for that.
// What a kernel takes is thought to be what it moves, from the third cache, or what it multiplies, whichever is longer:
// threads, and the cache that data lies in, are not known here. So little is gained where a kernel takes long, and what
// is lost is that sinter-exec --benchmark and --profile see one kernel.
//
// test: test/passes/sequence/cpu.mlir

#include "passes/sequence/region_worth.h"
#include "capi/form.h"
#include "dialect/sequence.h"

enum {
  SAVED = 100, // ns, of a kernel by itself
  BYTES_PER_NS = 100,
  FLOPS_PER_NS = 100,
  LEAST_PART = 50, // of which one part has to be saved
};

static int64_t bytes_of_elements(MlirType t, int64_t elements) {
  return sn_times(mlirTypeIsAIndex(sn_element(t)) ? 8 : (sn_bits(sn_element(t)) + 7) / 8, elements);
}

static int64_t bytes_of(MlirType t) {
  int64_t elements = 1;
  for (intptr_t i = 0; i < sn_rank(t); ++i)
    elements = sn_times(elements, sn_dim(t, i));
  return bytes_of_elements(t, elements);
}

// What a form moves: of a table no more than a number for each point that it has.
static int64_t moved_by(const SnForm *f) {
  int64_t bytes = 0, points = sn_times(sn_num_rows(f), sn_row_length(f));
  for (size_t k = 0; k < f->inputs.size + f->indices.size + f->outputs.size; ++k) {
    const SnAccess *a = sn_form_access(f, k);
    MlirType t = sn_type_of(a->value);
    int64_t whole = bytes_of(t), some = bytes_of_elements(t, points);
    bytes += mlirAffineMapGetNumSymbols(a->map) && some < whole ? some : whole;
  }
  return bytes;
}

// Two for each multiplication of a product, or of a row with a matrix.
static int64_t flops_of(const SnForm *f) {
  int64_t flops = 0;
  for (size_t p = 0; p < f->products.size; ++p) {
    int64_t n = sn_times(sn_num_rows(f), sn_group_length(f, (size_t)sn_group_of_product(f, p)));
    for (int64_t d = 0; d < f->products.data[p].num_dims; ++d)
      n = sn_times(n, f->dims.data[sn_first_own(f, p) + d].size);
    flops += 2 * n;
  }
  for (size_t m = 0; m < f->matrices.size; ++m)
    flops += 2 * sn_times(sn_num_rows(f), sn_times(sn_group_length(f, (size_t)f->matrices.data[m].from),
                                                   sn_group_length(f, (size_t)f->matrices.data[m].to)));
  return flops;
}

static int64_t nanoseconds_of(MlirOperation op) {
  int64_t bytes = 0, flops = 0;
  if (sn_is_form(op)) {
    SnForm f = sn_form_read(op);
    bytes = moved_by(&f);
    flops = flops_of(&f);
    sn_form_free(&f);
  } else {
    for (intptr_t k = 0; k < sn_num_operands(op); ++k)
      bytes += bytes_of(sn_type_of(sn_operand(op, k)));
  }
  int64_t moved = bytes / BYTES_PER_NS, multiplied = flops / FLOPS_PER_NS;
  return moved > multiplied ? moved : multiplied;
}

SnSequenceWorth sn_sequence_worth(const SnOpVec *ops) {
  SnSequenceWorth w = {0};
  SnSequence s = sn_sequence_of(ops);
  for (size_t k = 0; k < s.forms.size; ++k) {
    int64_t turns = sn_sequence_loop(&s, k) ? sn_sequence_loop(&s, k)->turns : 1;
    w.takes += sn_times(turns, nanoseconds_of(s.forms.data[k]));
    w.forms += turns;
  }
  sn_sequence_free(&s);
  w.saves = (w.forms - 1) * SAVED;
  return w;
}

bool sn_sequence_is_worth(const SnOpVec *ops) {
  SnSequenceWorth w = sn_sequence_worth(ops);
  bool is = w.saves >= (w.takes + w.saves) / LEAST_PART;
  sn_remark(
      ops->data[0],
      "begins %lld kernels that %s one parallel region: about %lld us by themselves without waiting, %lld.%lld us "
      "of waiting less",
      (long long)w.forms, is ? "share" : "do not share", (long long)(w.takes / 1000), (long long)(w.saves / 1000),
      (long long)(w.saves % 1000 / 100));
  return is;
}
