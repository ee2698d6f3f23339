// words.c: turns of a loop hand each other words that say of which turn they are.
//
//   in front of the launch's first phase:   words = 0
//   turn t of a block:   barrier; shared memory = words of turn t, each polled until it is one; barrier; the form
//   a row's end:         word = (t + 1, the row's element), in the memory that turn t - 1 had
//
// Who polls too early hinders the words that it waits for, so a thread sleeps a little first. (An H200, 100 steps of an
// LSTM of 1024: 216 us without, 206 with 30 ns, 211 with 100, 226 with 300; between polls, 20 ns: 239.)
//
// Of the first turn shared memory is what the loop begins with. Why that is enough: lowering/facts/gpu_words.c.
//
// test: test/lowering/gpu/sequence_words.mlir, test/gpu/recurrent.test

#include "lowering/gpu/meet/words.h"
#include "lowering/gpu/meet/meet.h"

enum { WORD = 8, TAG = 32 }; // bytes; bits of its element

static MlirType i32_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 32); }
static MlirType i64_type(SnBuilder *b) { return mlirIntegerTypeGet(b->ctx, 64); }

int64_t sn_gpu_words_bytes(const SnGpuWord *w) { return 2 * WORD * w->elements; }

static void store_word(SnBuilder *b, MlirValue address, MlirValue word) {
  MlirValue operands[] = {sn(b, "llvm.inttoptr", address, sn_type(b->ctx, "!llvm.ptr<1>")), word};
  sn_gpu_ptx(b, "st.relaxed.gpu.global.b64 [$0], $1;", "l,l,~{memory}", sn_values(2, operands), (MlirType){0});
}

static MlirValue bytes_at(SnBuilder *b, MlirValue address, MlirValue index) {
  MlirValue at = sn(b, "arith.index_cast", sn(b, "arith.muli", index, sn_index(b, WORD)), i64_type(b));
  return sn(b, "arith.addi", address, at);
}

static MlirValue begin_of(SnBuilder *b, const SnGpuKernel *k, const SnGpuWord *w) {
  return sn(b, "arith.addi", k->scratch_address, sn_int(b, i64_type(b), w->scratch));
}

// i64: where those of a turn are, by its number (index).
static MlirValue words_of(SnBuilder *b, const SnGpuKernel *k, const SnGpuWord *w, MlirValue turn) {
  MlirValue half = sn(b, "arith.remui", turn, sn_index(b, 2));
  return bytes_at(b, begin_of(b, k, w), sn(b, "arith.muli", half, sn_index(b, w->elements)));
}

void sn_gpu_clear_words(SnBuilder *b, const SnGpuKernel *k, const SnGpuWord *w) {
  MlirValue first = sn(b, "arith.addi", sn(b, "arith.muli", k->block, sn_index(b, k->threads)), k->thread);
  SnLoop at = sn_for(b, first, sn_index(b, 2 * w->elements), sn(b, "arith.muli", k->grid, sn_index(b, k->threads)));
  store_word(b, bytes_at(b, begin_of(b, k, w), at.index), sn_int(b, i64_type(b), 0));
  sn_next(b, &at);
}

void sn_gpu_make_word_memory(SnBuilder *b, SnGpuKernel *k, MlirType like, SnGpuWord *w) {
  int64_t shape[SN_MAX_DIMS];
  for (intptr_t d = 0; d < sn_rank(like); ++d)
    shape[d] = sn_dim(like, d);
  w->memory = sn_gpu_launched_shared(b, k, "words", sn_rank(like), shape, sn_element(like), 128);
}

static SnValues subscripts(SnBuilder *b, MlirType t, MlirValue linear, MlirValue *at) {
  for (intptr_t d = sn_rank(t); d-- > 0;) {
    MlirValue size = sn_index(b, sn_dim(t, d));
    at[d] = d ? sn(b, "arith.remui", linear, size) : linear;
    linear = d ? sn(b, "arith.divui", linear, size) : linear;
  }
  return sn_values(sn_rank(t), at);
}

// Elements of one word, or of two that lie together, when they are of the turn: i32, or i64. Two take one way across
// the chip.
static MlirValue await_words(SnBuilder *b, int64_t n, MlirValue address, MlirValue tag) {
  MlirValue operands[] = {address, tag};
  const char *one = "{\n\t.reg .pred other;\n\t.reg .b32 tag, element;\n\t.reg .b64 word;\n\tAWAIT:\n\t"
                    "ld.relaxed.gpu.global.b64 word, [$1];\n\tmov.b64 {element, tag}, word;\n\t"
                    "setp.ne.u32 other, tag, $2;\n\t@other bra AWAIT;\n\tmov.b32 $0, element;\n\t}",
             *two = "{\n\t.reg .pred others;\n\t.reg .b32 tag<2>, element<2>;\n\t.reg .b64 word<2>;\n\tAWAIT:\n\t"
                    "ld.relaxed.gpu.global.v2.b64 {word0, word1}, [$1];\n\tmov.b64 {element0, tag0}, word0;\n\t"
                    "mov.b64 {element1, tag1}, word1;\n\tsetp.ne.u32 others, tag0, $2;\n\t"
                    "setp.ne.or.u32 others, tag1, $2, others;\n\t@others bra AWAIT;\n\t"
                    "mov.b64 $0, {element0, element1};\n\t}";
  return sn_result(sn_gpu_ptx(b, n == 1 ? one : two, n == 1 ? "=r,l,r,~{memory}" : "=l,l,r,~{memory}",
                              sn_values(2, operands), n == 1 ? i32_type(b) : i64_type(b)),
                   0);
}

static void store_element(SnBuilder *b, const SnGpuWord *w, MlirType type, MlirValue index, MlirValue x) {
  MlirValue at[SN_MAX_DIMS];
  SnValues there = subscripts(b, type, index, at);
  sn_op(b, "memref.store", x, w->memory, there);
}

void sn_gpu_take_words(SnBuilder *b, const SnGpuKernel *k, const SnGpuWord *w, const SnTurns *t, MlirValue carried) {
  MlirType type = sn_type_of(carried), element = sn_element(type);
  MlirValue turn = t->at.index, at[SN_MAX_DIMS], tag = sn(b, "arith.index_cast", turn, i32_type(b));
  int64_t n = w->elements % 2 ? 1 : 2;
  SnIf later = sn_if(b, sn(b, "arith.cmpi", turn, sn_index(b, 0), sn_attr("predicate", sn_i64(b->ctx, 1)))); // ne
  sn_gpu_ptx(b, "nanosleep.u32 30;", "~{memory}", sn_values(0, NULL), (MlirType){0});
  MlirValue words = words_of(b, k, w, turn), first = sn(b, "arith.muli", k->thread, sn_index(b, n));
  SnLoop i = sn_for(b, first, sn_index(b, w->elements), sn_index(b, n * k->threads));
  MlirValue x = await_words(b, n, bytes_at(b, words, i.index), tag);
  for (int64_t e = 0; e < n; ++e) {
    MlirValue bits = e ? sn(b, "arith.shrui", x, sn_int(b, i64_type(b), TAG)) : x;
    bits = n > 1 ? sn(b, "arith.trunci", bits, i32_type(b)) : bits;
    store_element(b, w, type, e ? sn(b, "arith.addi", i.index, sn_index(b, e)) : i.index,
                  sn_gpu_from_bits(b, bits, element));
  }
  sn_next(b, &i);
  sn_else(b, &later);
  MlirValue begin = sn_turns_memref(b, t, carried);
  i = sn_for(b, k->thread, sn_index(b, w->elements), sn_index(b, k->threads));
  SnValues there = subscripts(b, type, i.index, at);
  sn_op(b, "memref.store", sn(b, "memref.load", begin, there, element), w->memory, there);
  sn_next(b, &i);
  sn_end_if(b, &later);
}

SnGpuSent sn_gpu_words_to_send(SnBuilder *b, const SnGpuKernel *k, const SnGpuWord *w, const SnTurns *t) {
  MlirValue next = sn(b, "arith.addi", t->at.index, sn_index(b, 1)),
            tag = sn(b, "arith.index_cast", next, i64_type(b));
  return (SnGpuSent){.output = w->output,
                     .address = words_of(b, k, w, next),
                     .tag = sn(b, "arith.shli", tag, sn_int(b, i64_type(b), TAG))};
}

void sn_gpu_send_word(SnBuilder *b, const SnGpuSent *s, MlirValue index, MlirValue element) {
  MlirValue bits = sn(b, "arith.extui", sn_gpu_bits(b, element), i64_type(b));
  store_word(b, bytes_at(b, s->address, index), sn(b, "arith.ori", bits, s->tag));
}
