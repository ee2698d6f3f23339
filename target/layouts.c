// layouts.c: layouts, and those of instructions. See layouts.h.
//
// wgmma: PTX ISA, "Register Fragments for wgmma.mma_async", D of m64nNk16: a warp of the warpgroup has 16 rows, a
// thread pairs of columns in two of them. mma.sync: "Matrix Fragments for mma.m16n8k16". AMX: tile registers have 16
// rows of 64 bytes (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18).
//
// test: test/target/layouts.c

#include "target/layouts.h"

static int64_t count(const SnDigit *digits) {
  int64_t n = 1;
  for (int i = 0; i < SN_LAYOUT_DIGITS && digits[i].count; ++i)
    n *= digits[i].count;
  return n;
}

int64_t sn_layout_threads(const SnLayout *l) { return count(l->threads); }
int64_t sn_layout_values(const SnLayout *l) { return count(l->values); }

static void add(const SnDigit *digits, int64_t number, SnPlace *at) {
  for (int i = 0; i < SN_LAYOUT_DIGITS && digits[i].count; number /= digits[i++].count) {
    at->row += number % digits[i].count * digits[i].row;
    at->column += number % digits[i].count * digits[i].column;
  }
}

SnPlace sn_layout_place(const SnLayout *l, int64_t thread, int64_t value) {
  SnPlace at = {0};
  add(l->threads, thread, &at);
  add(l->values, value, &at);
  return at;
}

int64_t sn_layout_lanes(const SnLayout *l) {
  const SnDigit *d = l->values;
  return d->count && !d->row && d->column == 1 ? d->count : 1;
}

int64_t sn_layout_period(const SnLayout *l) {
  const SnDigit *t = l->threads, *v = l->values;
  int64_t lanes = sn_layout_lanes(l), period = lanes * t->count;
  bool row = t->count && !t->row && t->column == lanes && !t[1].count && v->count == lanes;
  return row && (!v[1].count || (!v[1].row && v[1].column == period)) ? period : 0;
}

SnLayout sn_layout_of_row(int64_t threads, int64_t lanes, int64_t vectors) {
  return (SnLayout){.threads = {{threads, 0, lanes}}, .values = {{lanes, 0, 1}, {vectors, 0, threads * lanes}}};
}

bool sn_layout_of_threads(int64_t m, int64_t n, int64_t threads, SnLayout *l) {
  int64_t across = n < 16 ? n : 16;
  while (across && threads / across > m && 2 * across <= n)
    across *= 2;
  int64_t down = across ? threads / across : 0;
  if (!down || across < 1 || threads % across || n % across || m % down)
    return false;
  int64_t columns = n / across, rows = m / down, lanes = columns % 4 ? columns % 2 ? 1 : 2 : 4,
          lines = rows % 4 ? rows % 2 ? 1 : 2 : 4;
  *l = (SnLayout){
      .threads = {{across, 0, lanes}, {down, lines, 0}},
      .values = {{lanes, 0, 1}, {columns / lanes, 0, across * lanes}, {lines, 1, 0}, {rows / lines, down * lines, 0}}};
  return true;
}

bool sn_layout_of_warps(int64_t m, int64_t n, int64_t warps, int64_t *down, SnLayout *l) {
  *down = 0;
  for (int64_t d = 1; d <= warps; d *= 2) {
    if (warps % d || m % (16 * d) || n % (16 * (warps / d)))
      continue;
    int64_t side = m / d + n / (warps / d), before = *down ? m / *down + n / (warps / *down) : INT64_MAX;
    *down = side < before ? d : *down;
  }
  if (!*down)
    return false;
  int64_t rows = m / *down, across = warps / *down, columns = n / across;
  *l = (SnLayout){.threads = {{4, 0, 2}, {8, 1, 0}, {across, 0, columns}, {*down, rows, 0}},
                  .values = {{2, 0, 1}, {2, 8, 0}, {columns / 8, 0, 8}, {rows / 16, 16, 0}}};
  return true;
}

SnLayout sn_layout_of_sums(SnMicroSums sums, int64_t m, int64_t n, int64_t lanes) {
  switch (sums) {
  case SN_SUMS_IN_PAIRS_OF_LANES:
    return (SnLayout){.threads = {{4, 0, 2}, {8, 1, 0}, {m / 16, 16, 0}},
                      .values = {{2, 0, 1}, {2, 8, 0}, {n / 8, 0, 8}}};
  case SN_SUMS_IN_TILES: // one behind the other along a row, then the next 16 rows
    return (SnLayout){.values = {{16, 0, 1}, {m, 1, 0}, {n / 16, 0, 16}}};
  case SN_SUMS_IN_VECTORS:
    return (SnLayout){.values = {{lanes, 0, 1}, {n / lanes, 0, lanes}, {m, 1, 0}}};
  case SN_SUMS_IN_THREADS: // sn_layout_of_threads
  case SN_SUMS_IN_MEMORY:
  case SN_SUMS_ALONG_K: // each is spread over the lanes of a vector
    break;
  }
  return (SnLayout){.values = {{n, 0, 1}, {m, 1, 0}}};
}
