// emulate.c: a GPU on one thread of a CPU, for kernels that test/gpu/emulate rewrote; and the runtime that their host
// code calls.
//
// Each thread of a cluster of blocks is a coroutine that runs until it waits: at a barrier, in a shuffle, at an
// mbarrier. One cluster runs after another. Shared memory lies below 4 GB, since its addresses have 32 bits.
// A wait that nothing ends is reported: some threads did not come. So are two threads that touch one address of shared
// memory with no barrier between (emulate_races.h). What is copied in the background (cp.async) comes when the thread
// waits for it, not before.
#define _GNU_SOURCE
#include "emulate.h"
#include "runtime/float8.h"
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STACK = 64 << 10, MOST = 8 * 1024, MOST_BLOCKS = 256 };
typedef struct {
  ucontext_t context; // where it begins
  jmp_buf place;      // where it waits
  char *stack;
  int64_t thread, block, waits; // waits: generation that it has reached, by kind below
  int64_t shuffles, barriers, cluster_barriers;
  int64_t *signals, num_signals, most_signals,
      last_wait; // when it told others something, and when it last heard something
  struct { uint32_t to; int64_t from, group; int32_t bytes, size; } *copies; // begun, not yet waited for
  int64_t num_copies, most_copies, copy_group;
  int begun, done;
} Thread;
static Thread threads[MOST];
static jmp_buf scheduler;
static Thread *me;
static int64_t num_threads, block_threads, cluster_size, first_block, launched_blocks;
static char *shared; // cluster_size pieces
static int64_t shared_stride;
static void **kernel_arguments;
static const Kernel *kernel;
static int64_t barrier_count[MOST_BLOCKS], cluster_count, warp_count[MOST / 32];
typedef struct {
  int64_t arrived, phase;
} Some; // a barrier of some threads
static Some some[MOST_BLOCKS][16];
static union { uint64_t u; } slots[2][MOST];
static int moved;
static char failure[512];
#include "emulate_races.h"

// No swapcontext: that asks the kernel for signals each time.
static void pause_here(void) {
  if (!_setjmp(me->place))
    _longjmp(scheduler, 1);
}
static void go_on(void) {
  if (_setjmp(scheduler))
    return;
  if (me->begun)
    _longjmp(me->place, 1);
  me->begun = 1;
  setcontext(&me->context);
}
static void body(void) {
  kernel->run(kernel_arguments, shared + (me->block - first_block) * shared_stride);
  me->done = 1;
  moved = 1;
  _longjmp(scheduler, 1);
}

int64_t emu_thread(void) { return me->thread; }
int64_t emu_block(void) { return me->block; }
int64_t emu_grid(void) { return launched_blocks; }
// Counts only grow: generation g is over when g times all have come.
static void wait_for(int64_t *count, int64_t all, int64_t *generation) {
  int64_t until = ++*generation * all;
  ++*count;
  moved = 1;
  signalled();
  while (*count < until)
    pause_here();
  moved = 1;
}
void emu_barrier(void) { wait_for(&barrier_count[me->block - first_block], block_threads, &me->barriers); }
// Of some threads of a block; who arrives does not wait.
static int64_t arrive_at(int32_t id, int32_t count) {
  Some *s = &some[me->block - first_block][id];
  int64_t phase = s->phase;
  signalled();
  moved = 1;
  if (++s->arrived == count) {
    s->arrived = 0;
    ++s->phase;
  }
  return phase;
}
void emu_barrier_arrive(int32_t id, int32_t count) { arrive_at(id, count); }
void emu_barrier_of(int32_t id, int32_t count) {
  int64_t phase = arrive_at(id, count);
  while (some[me->block - first_block][id].phase == phase)
    pause_here();
  moved = 1;
  waited();
}
void emu_cluster_barrier(void) { wait_for(&cluster_count, num_threads, &me->cluster_barriers); }
static uint64_t shuffle(uint64_t x, int32_t offset) {
  int64_t index = me - threads, turn = me->shuffles & 1;
  slots[turn][index].u = x;
  wait_for(&warp_count[index / 32], 32, &me->shuffles);
  return slots[turn][index ^ offset].u;
}
void emu_warp_barrier(void) { shuffle(0, 0); }
int32_t emu_shuffle_i32(int32_t x, int32_t o) { return (int32_t)shuffle((uint32_t)x, o); }
int64_t emu_shuffle_i64(int64_t x, int32_t o) { return (int64_t)shuffle((uint64_t)x, o); }
float emu_shuffle_f32(float x, int32_t o) {
  uint32_t u;
  memcpy(&u, &x, 4);
  u = (uint32_t)shuffle(u, o);
  memcpy(&x, &u, 4);
  return x;
}
double emu_shuffle_f64(double x, int32_t o) {
  uint64_t u;
  memcpy(&u, &x, 8);
  u = shuffle(u, o);
  memcpy(&x, &u, 8);
  return x;
}
// Memory
int64_t emu_load(int64_t *p) { return *p; }
int64_t emu_cas(int64_t *p, int64_t old, int64_t x) {
  int64_t was = *p;
  if (was == old)
    *p = x;
  return was;
}
float emu_load_f32(int64_t p) { return *(float *)p; }
float emu_load_inside1(int64_t p, int32_t a) { return a ? *(float *)p : 0; }
float emu_load_inside2(int64_t p, int32_t a, int32_t b) { return emu_load_inside1(p, a & b); }
float emu_load_inside3(int64_t p, int32_t a, int32_t b, int32_t c) { return emu_load_inside1(p, a & b & c); }
float emu_load_inside4(int64_t p, int32_t a, int32_t b, int32_t c, int32_t d) {
  return emu_load_inside1(p, a & b & c & d);
}
int32_t emu_same(int32_t x) { return x; }
int32_t emu_load32(int64_t p) { return *(int32_t *)p; }
void emu_store32(int64_t p, int32_t x) { *(int32_t *)p = x; }
int64_t emu_add(int64_t *p, int64_t x) { return (*p += x) - x; }
void emu_store(int64_t *p, int64_t x) { *p = x; }
void emu_count(int64_t *p, int64_t x) {
  signalled();
  *p += x;
  moved = 1;
}
void emu_poll(int64_t *p, int64_t until) {
  while ((uint64_t)*p < (uint64_t)until)
    pause_here();
  moved = 1;
  waited();
}
int32_t emu_await_word(int64_t p, int32_t tag) {
  while ((int32_t)(*(int64_t *)p >> 32) != tag)
    pause_here();
  moved = 1;
  waited();
  return (int32_t) * (int64_t *)p;
}
int64_t emu_await_words(int64_t p, int32_t tag) {
  uint32_t first = (uint32_t)emu_await_word(p, tag), second = (uint32_t)emu_await_word(p + 8, tag);
  return (int64_t)((uint64_t)second << 32 | first);
}
int64_t emu_exchange(int64_t *p, int64_t x) {
  int64_t was = *p;
  *p = x;
  return was;
}
// An mbarrier of 64 bits.
typedef struct {
  int32_t pending; // bytes expected less bytes that came
  int16_t arrived;
  uint16_t count : 15, phase : 1; // count: arrivals of a phase
} Mbarrier;
#define AT(p) ((Mbarrier *)(uintptr_t)(uint32_t)(p))
static void settle(Mbarrier *m) {
  if (m->arrived == m->count && !m->pending) {
    m->arrived = 0;
    m->phase ^= 1;
    moved = 1;
  }
}
// Whoever uses one has to know that it was made.
static void use(int32_t p) { touch(AT(p), 8, 0); }
void emu_mbarrier_init(int32_t p, int32_t count) {
  touch(AT(p), 8, 1);
  *AT(p) = (Mbarrier){.count = (uint16_t)count};
}
// cp.async: `bytes` of `size`, zeros behind them.
static void copy_later(int32_t to, int64_t from, int32_t bytes, int32_t size) {
  if (me->num_copies == me->most_copies) {
    me->most_copies = me->most_copies ? 2 * me->most_copies : 64;
    me->copies = realloc(me->copies, (size_t)me->most_copies * sizeof *me->copies);
  }
  me->copies[me->num_copies].to = (uint32_t)to;
  me->copies[me->num_copies].from = from;
  me->copies[me->num_copies].bytes = bytes;
  me->copies[me->num_copies].group = me->copy_group;
  me->copies[me->num_copies++].size = size;
}
// Those of all groups but the last `left` that were committed.
static void come(int64_t left) {
  int64_t rest = 0;
  for (int64_t i = 0; i < me->num_copies; ++i) {
    if (me->copies[i].group >= me->copy_group - left) {
      me->copies[rest++] = me->copies[i];
      continue;
    }
    void *to = (void *)(uintptr_t)me->copies[i].to;
    touch(to, me->copies[i].size, 1);
    memcpy(memset(to, 0, (size_t)me->copies[i].size), (void *)me->copies[i].from, (size_t)me->copies[i].bytes);
  }
  me->num_copies = rest;
}
void emu_copies_come(void) { come(-1); }
void emu_copies_come0(void) { come(0); }
void emu_copies_come1(void) { come(1); }
void emu_copies_come2(void) { come(2); }
void emu_copies_come3(void) { come(3); }
void emu_copies_come4(void) { come(4); }
void emu_copies_come5(void) { come(5); }
void emu_copies_come6(void) { come(6); }
void emu_commit_copies(void) { me->copy_group++; }
void emu_copy_part(int32_t to, int64_t from, int32_t bytes) { copy_later(to, from, bytes, 16); }
void emu_copy_part4(int32_t to, int64_t from, int32_t bytes) { copy_later(to, from, bytes, 4); }
void emu_copy_part8(int32_t to, int64_t from, int32_t bytes) { copy_later(to, from, bytes, 8); }
// A NaN is the greater one.
static uint32_t max_bf16(uint32_t x, uint32_t y) {
  uint32_t a = x << 16, b = y << 16;
  float f, g;
  memcpy(&f, &a, 4);
  memcpy(&g, &b, 4);
  return (f > g || f != f ? x : y) & 0xffff;
}
uint32_t emu_max_bf16x2(uint32_t x, uint32_t y) { return max_bf16(x >> 16, y >> 16) << 16 | max_bf16(x, y); }
// Of a warp's lanes: each names 16 bytes, and gets word lane % 4 of those that lanes lane / 4, 8 + lane / 4, ... named.
typedef int32_t Words __attribute__((vector_size(16)));
typedef float Floats __attribute__((vector_size(16)));
static Words matrices(int32_t address, int turned) {
  int64_t turn = me->shuffles & 1, index = me - threads, lane = index % 32;
  __tsan_read16((void *)(uintptr_t)(uint32_t)address);
  slots[turn][index].u = (uint32_t)address;
  wait_for(&warp_count[index / 32], 32, &me->shuffles);
  Words to;
  for (int i = 0; i < 4; ++i) {
    int64_t first = index - lane + 8 * i;
    if (turned) { // two lines' elements of 16 bits
      uint16_t *x = (uint16_t *)(uintptr_t)slots[turn][first + lane % 4 * 2].u,
               *y = (uint16_t *)(uintptr_t)slots[turn][first + lane % 4 * 2 + 1].u;
      to[i] = (int32_t)((uint32_t)x[lane / 4] | (uint32_t)y[lane / 4] << 16);
    } else {
      to[i] = ((int32_t *)(uintptr_t)slots[turn][first + lane / 4].u)[lane % 4];
    }
  }
  return to;
}
int64_t emu_policy(void) { return 1; }
// With a policy, of memory that begins at multiples of what is loaded.
Words emu_load_once(int64_t from, int64_t policy) {
  Words x;
  if (from % 16 || policy != 1)
    abort();
  memcpy(&x, (void *)from, sizeof x);
  return x;
}
Words emu_ldmatrix(int32_t address) { return matrices(address, 0); }
Words emu_ldmatrix_turned(int32_t address) { return matrices(address, 1); }
// Fragments of a warp's lanes: a has 16 rows and b 8 columns of 8 words; in words they are the same for all types. (PTX
// ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".)
typedef enum { MMA_BF16, MMA_F16, MMA_S8, MMA_TF32, MMA_E4M3, MMA_E5M2 } Mma;
static const int32_t mma_bytes[] = {2, 2, 1, 4, 1, 1}; // of an element
static float tf32_of(int32_t word) { // lower bits are not read
  float x;
  word &= ~0x1fff;
  memcpy(&x, &word, 4);
  return x;
}
int32_t emu_tf32(int32_t x) { return (x & 0x7f800000) == 0x7f800000 ? x : (x + 0x1000) & ~0x1fff; }
static int32_t fragments[2][MOST][6];
static double word_product(Mma type, int32_t x, int32_t y) {
  double sum = 0;
  if (type == MMA_TF32)
    return (double)tf32_of(x) * tf32_of(y);
  for (int i = 0; i < (type == MMA_S8 ? 4 : 2); ++i) {
    uint32_t u = (uint32_t)x >> 16 * i << 16, v = (uint32_t)y >> 16 * i << 16;
    uint16_t h = (uint16_t)(u >> 16), k = (uint16_t)(v >> 16);
    float f, g;
    _Float16 p, q;
    memcpy(&f, &u, 4);
    memcpy(&g, &v, 4);
    memcpy(&p, &h, 2);
    memcpy(&q, &k, 2);
    sum += type == MMA_BF16  ? (double)f * g
           : type == MMA_F16 ? (double)p * (double)q
                             : (double)(int8_t)(x >> 8 * i) * (int8_t)(y >> 8 * i);
  }
  return sum;
}
static void mma(Mma type, const int32_t *mine, double *to) {
  int64_t turn = me->shuffles & 1, index = me - threads, lane = index % 32, first = index - lane;
  memcpy(fragments[turn][index], mine, sizeof fragments[turn][index]);
  wait_for(&warp_count[index / 32], 32, &me->shuffles);
  for (int i = 0; i < 4; ++i) {
    int64_t row = lane / 4, column = lane % 4 * 2 + i % 2, half = i / 2;
    for (int w = 0; w < 8; ++w)
      to[i] += word_product(type, fragments[turn][first + row * 4 + w % 4][half + w / 4 * 2],
                            fragments[turn][first + column * 4 + w % 4][4 + w / 4]);
  }
}
static Floats mma_floats(Mma type, const int32_t *mine, Floats c) {
  double to[4] = {c[0], c[1], c[2], c[3]};
  mma(type, mine, to);
  return (Floats){(float)to[0], (float)to[1], (float)to[2], (float)to[3]};
}
Floats emu_mma_bf16(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f, float g, float h, float i,
                    float j) {
  return mma_floats(MMA_BF16, (int32_t[]){a, b, c, d, e, f}, (Floats){g, h, i, j});
}
Floats emu_mma_f16(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f, float g, float h, float i,
                   float j) {
  return mma_floats(MMA_F16, (int32_t[]){a, b, c, d, e, f}, (Floats){g, h, i, j});
}
Floats emu_mma_tf32(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f, float g, float h, float i,
                    float j) {
  return mma_floats(MMA_TF32, (int32_t[]){a, b, c, d, e, f}, (Floats){g, h, i, j});
}
Words emu_mma_s8(int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t f, int32_t g, int32_t h, int32_t i,
                 int32_t j) {
  double to[4] = {g, h, i, j};
  mma(MMA_S8, (int32_t[]){a, b, c, d, e, f}, to);
  return (Words){(int32_t)(int64_t)to[0], (int32_t)(int64_t)to[1], (int32_t)(int64_t)to[2], (int32_t)(int64_t)to[3]};
}
// Of f64 a lane has, of rows lane / 4 and, of the larger one, 8 further, element lane % 4 of the sum and those 4 and 8
// and 12 further; row after row. (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f64 floating point type".)
static struct { double a[8], b[4]; } doubles[2][MOST];
static double parts[MOST][4];
static int64_t mma_f64(int rows, int k, const double *x, const double *y, const double *sums) {
  int64_t turn = me->shuffles & 1, index = me - threads, lane = index % 32, first = index - lane;
  memcpy(doubles[turn][index].a, x, (size_t)(rows * k) * sizeof *x);
  memcpy(doubles[turn][index].b, y, (size_t)k * sizeof *y);
  wait_for(&warp_count[index / 32], 32, &me->shuffles);
  for (int i = 0; i < 2 * rows; ++i) {
    parts[index][i] = sums[i];
    for (int s = 0; s < 4 * k; ++s)
      parts[index][i] += doubles[turn][first + lane / 4 * 4 + s % 4].a[s / 4 * rows + i / 2] *
                         doubles[turn][first + (lane % 4 * 2 + i % 2) * 4 + s % 4].b[s / 4];
  }
  return index;
}
int64_t emu_mma_f64(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j,
                    double k, double l, double m, double n, double o, double p) {
  return mma_f64(2, 4, (double[]){a, b, c, d, e, f, g, h}, (double[]){i, j, k, l}, (double[]){m, n, o, p});
}
int64_t emu_mma_f64_small(double a, double b, double c, double d) {
  return mma_f64(1, 1, &a, &b, (double[]){c, d});
}
double emu_part_f64(int64_t of, int32_t i) { return parts[of][i]; }
uint32_t emu_prmt(uint32_t x, uint32_t y, uint32_t selector) {
  uint64_t bytes = (uint64_t)y << 32 | x;
  uint32_t out = 0;
  for (int i = 0; i < 4; ++i)
    out |= (uint32_t)(bytes >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
  return out;
}
float emu_reciprocal(float x) { return 1 / x; }
float emu_tanh(float x) { return tanhf(x); }
void emu_copy16(int32_t to, int64_t from) { copy_later(to, from, 16, 16); }
void emu_copy8(int32_t to, int64_t from) { copy_later(to, from, 8, 8); }
void emu_copy4(int32_t to, int64_t from) { copy_later(to, from, 4, 4); }
void emu_fence(void) {}
int32_t emu_mapa(int32_t p, int32_t rank) {
  uintptr_t a = (uint32_t)p;
  return (int32_t)(uint32_t)(a - (uintptr_t)(me->block - first_block) * (uintptr_t)shared_stride +
                             (uintptr_t)rank * (uintptr_t)shared_stride);
}
int64_t emu_load_of_block(int32_t p) { return *(int64_t *)(uintptr_t)(uint32_t)p; }
void emu_expect(int32_t p, int32_t bytes) {
  use(p);
  signalled();
  AT(p)->pending += bytes;
  AT(p)->arrived++;
  settle(AT(p));
}
void emu_arrive(int32_t p) { emu_expect(p, 0); }
static void post(int32_t to, const void *x, int32_t bytes, int32_t signal) {
  touch((void *)(uintptr_t)(uint32_t)to, bytes, 1);
  use(signal);
  signalled();
  memcpy((void *)(uintptr_t)(uint32_t)to, x, (size_t)bytes);
  AT(signal)->pending -= bytes;
  settle(AT(signal));
}
void emu_post32(int32_t to, int32_t x, int32_t signal) { post(to, &x, 4, signal); }
void emu_post64(int32_t to, int64_t x, int32_t signal) { post(to, &x, 8, signal); }
void emu_bulk_copy(int32_t to, int64_t from, int32_t bytes, int32_t signal) {
  if (to % 16 || from % 16 || bytes % 16)
    abort();
  post(to, (void *)from, bytes, signal);
}
int32_t emu_load_shared(int32_t from) { return *(int32_t *)(uintptr_t)(uint32_t)from; }
// Reads what it asks for, so that an address outside is seen.
void emu_prefetch(int64_t from, int32_t bytes) {
  if (from % 16 || bytes % 16)
    abort();
  volatile char last = ((char *)from)[bytes - 1];
  (void)last;
}
static void copies_for(int32_t signal);
static uint32_t drawn = 1;
static uint32_t draw(void) { return drawn = drawn * 1664525u + 1013904223u; }
void emu_wait(int32_t p, int32_t turn) {
  use(p);
  if (draw() >> 30 == 0) { // others are faster
    moved = 1;
    pause_here();
  }
  while (AT(p)->phase == turn) {
    copies_for(p);
    if (AT(p)->phase == turn)
      pause_here();
  }
  moved = 1;
  waited();
}
#include "emulate_wgmma.h"

// The runtime
static int32_t status_word;
static const char *status_messages;
const char *emulated_failure(void) {
  if (status_word && !failure[0])
    snprintf(failure, sizeof failure, "assert: %s", status_messages + status_word - 1);
  status_word = 0;
  return failure;
}
int64_t emulated_launches;
int64_t emulated_blocks; // that the device holds at once; 0: as many as anybody wants
void sinter_rt_count(int32_t what, int64_t n) { emulated_launches += what == 0 ? n : 0; }
void sinter_rt_cost(void *costs, int64_t what, int64_t n, int64_t read, int64_t written, int64_t flops) {}
void sinter_rt_cost_table(void *costs, const int64_t *rows, int64_t n) {}
void sinter_rt_begin(int32_t kernel) {}
void sinter_rt_end(int32_t kernel) {}
void sinter_rt_fail(const char *message) { snprintf(failure, sizeof failure, "%s", message); }
int64_t sinter_rt_same_size(int64_t a, int64_t b, int32_t c, int32_t d, int32_t e, int32_t f) {
  if (a != b)
    snprintf(failure, sizeof failure, "sizes %lld and %lld", (long long)a, (long long)b);
  return a == b;
}
int64_t sinter_rt_bytes(int64_t bytes, int64_t size) { return bytes * (size ? size : 1); }
void *sinter_rt_allocate(int64_t bytes) { return malloc((size_t)bytes + 64); }
void sinter_rt_release(void *p) { free(p); }
void sinter_rt_copy(void *to, const void *from, int64_t bytes) { memcpy(to, from, (size_t)bytes); }
void sinter_rt_put(void *to, int64_t bits, int64_t bytes) { memcpy(to, &bits, (size_t)bytes); }
void sinter_rt_read(void *to, const void *from, int64_t bytes) { memcpy(to, from, (size_t)bytes); }
void sinter_rt_device_allocate(int64_t bytes, void **to) {
  *to = aligned_alloc(256, ((size_t)bytes + 511) / 256 * 256);
  memset(*to, 0xa5, (size_t)bytes);
}
void sinter_rt_device_release(void *memory) { free(memory); }
void sinter_rt_device_constant(const void *host, int64_t bytes, const void **to) { *to = host; }
void sinter_rt_status_word(const char *messages, void **word) {
  status_messages = messages;
  *word = &status_word;
}

static void run_cluster(void) {
  memset(barrier_count, 0, sizeof barrier_count);
  memset(some, 0, sizeof some);
  memset(warp_count, 0, sizeof warp_count);
  cluster_count = 0;
  memset(shared, 0xa5, (size_t)(shared_stride * cluster_size));
  num_threads = block_threads * cluster_size;
  ++cluster_run;
  for (int64_t t = 0; t < num_threads; ++t) {
    Thread *p = &threads[t];
    if (!p->stack)
      p->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    getcontext(&p->context);
    p->context.uc_stack.ss_sp = p->stack;
    p->context.uc_stack.ss_size = STACK;
    p->context.uc_link = NULL;
    makecontext(&p->context, body, 0);
    p->thread = t % block_threads;
    p->block = first_block + t / block_threads;
    p->begun = p->done = 0;
    p->shuffles = p->barriers = p->cluster_barriers = 0;
    p->num_signals = p->last_wait = p->num_copies = p->copy_group = 0;
  }
  for (int64_t left = num_threads; left;) {
    moved = 0;
    left = 0;
    for (int64_t t = 0; t < num_threads; ++t)
      if (!threads[t].done) {
        me = &threads[t];
        go_on();
        left += !threads[t].done;
      }
    if (left && !moved) {
      snprintf(failure, sizeof failure, "%s: %lld threads wait for ever in block %lld", kernel->name, (long long)left,
               (long long)first_block);
      return;
    }
  }
}

static void run_kernel(const void *image, int64_t bytes, const char *name, int64_t gx, int64_t gy, int64_t gz,
                       int64_t bx, int64_t by, int64_t bz, int64_t dynamic, void **args, int together) {
  (void)image, (void)bytes, (void)gy, (void)gz, (void)by, (void)bz, (void)dynamic;
  if (failure[0])
    return;
  for (kernel = kernels; kernel->name && strcmp(kernel->name, name); ++kernel)
    ;
  if (!kernel->name) {
    snprintf(failure, sizeof failure, "no kernel %s", name);
    return;
  }
  cluster_size = together ? gx : kernel->cluster;
  block_threads = bx;
  if (cluster_size > MOST_BLOCKS || cluster_size * bx > MOST) {
    snprintf(failure, sizeof failure, "%s: %lld blocks of %lld threads at once", name, (long long)cluster_size,
             (long long)bx);
    return;
  }
  shared_stride = (kernel->shared_bytes + 1023) / 1024 * 1024;
  size_t all = (size_t)(shared_stride * cluster_size) + 64;
  shared = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  cells = mmap(NULL, all * sizeof *cells, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  kernel_arguments = args;
  launched_blocks = gx;
  for (first_block = 0; first_block < gx && !failure[0]; first_block += cluster_size)
    run_cluster();
  munmap(shared, all);
  munmap(cells, all * sizeof *cells);
}

void sinter_rt_launch(const void *image, int64_t bytes, const char *name, int64_t gx, int64_t gy, int64_t gz,
                      int64_t bx, int64_t by, int64_t bz, int64_t dynamic, void **args) {
  run_kernel(image, bytes, name, gx, gy, gz, bx, by, bz, dynamic, args, 0);
}
void sinter_rt_launch_together(const void *image, int64_t bytes, const char *name, int64_t gx, int64_t gy, int64_t gz,
                               int64_t bx, int64_t by, int64_t bz, int64_t dynamic, void **args) {
  run_kernel(image, bytes, name, gx, gy, gz, bx, by, bz, dynamic, args, 1);
}
void sinter_rt_launch_filling(const void *image, int64_t bytes, const char *name, int64_t most, int64_t least,
                              int64_t each, int64_t threads, int64_t dynamic, void **args) {
  int64_t blocks = emulated_blocks && emulated_blocks < most ? emulated_blocks : most;
  (void)each;
  if (blocks < least)
    snprintf(failure, sizeof failure, "%s: needs %lld blocks at once, not %lld", name, (long long)least,
             (long long)blocks);
  run_kernel(image, bytes, name, blocks, 1, 1, threads, 1, 1, dynamic, args, 1);
}
