// layouts.c: layouts against the formulas of the manuals, and that no two values are the same element.

#include "target/layouts.h"
#include "../runtime/check.h"
#include <stdlib.h>

// Each element of the tile is one value of one thread.
static void covers(const char *name, const SnLayout *l, int64_t rows, int64_t columns) {
  char *seen = calloc((size_t)(rows * columns), 1);
  int64_t threads = sn_layout_threads(l), values = sn_layout_values(l), wrong = 0;
  for (int64_t t = 0; t < threads; ++t)
    for (int64_t v = 0; v < values; ++v) {
      SnPlace at = sn_layout_place(l, t, v);
      if (at.row < 0 || at.row >= rows || at.column < 0 || at.column >= columns)
        ++wrong;
      else
        wrong += seen[at.row * columns + at.column]++;
    }
  if (wrong || threads * values != rows * columns) {
    fprintf(stderr, "%s: %lld values of %lld threads are not %lld by %lld elements, each once\n", name,
            (long long)values, (long long)threads, (long long)rows, (long long)columns);
    failures++;
  }
  free(seen);
}

static void threads(int64_t m, int64_t n, int64_t count) {
  SnLayout l;
  CHECK(sn_layout_of_threads(m, n, count, &l));
  CHECK(sn_layout_threads(&l) == count);
  covers("threads of a block", &l, m, n);
}

// The sums of mma.sync in each warp's part.
static void warps(int64_t m, int64_t n, int64_t count, int64_t expected) {
  SnLayout l, one = sn_layout_of_sums(SN_SUMS_IN_PAIRS_OF_LANES, 16, n / (count / expected), 0);
  int64_t down;
  CHECK(sn_layout_of_warps(m, n, count, &down, &l) && down == expected);
  CHECK(sn_layout_threads(&l) == 32 * count);
  covers("warps of a block", &l, m, n);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t v = 0; v < sn_layout_values(&one); ++v) {
      SnPlace is = sn_layout_place(&l, lane, v), at = sn_layout_place(&one, lane, v);
      CHECK(is.row == at.row && is.column == at.column);
    }
}

// PTX ISA, wgmma.mma_async, D of m64nN: a warp has rows 16 * (warp % 4) on; in it, as mma's c, n / 8 times.
static void wgmma(int64_t n) {
  SnLayout l = sn_layout_of_sums(SN_SUMS_IN_PAIRS_OF_LANES, 64, n, 0);
  CHECK(sn_layout_threads(&l) == 128 && sn_layout_values(&l) == n / 2 && sn_layout_lanes(&l) == 2);
  CHECK(!sn_layout_period(&l));
  covers("wgmma", &l, 64, n);
  for (int64_t thread = 0; thread < 128; ++thread)
    for (int64_t i = 0; i < n / 2; ++i) {
      int64_t lane = thread % 32, warp = thread / 32;
      SnPlace at = sn_layout_place(&l, thread, i);
      CHECK(at.row == 16 * warp + (lane >> 2) + ((i & 2) ? 8 : 0));
      CHECK(at.column == 8 * (i >> 2) + 2 * (lane & 3) + (i & 1));
    }
}

// PTX ISA, mma.m16n8k16: groupID = lane >> 2, threadID_in_group = lane % 4; row = groupID for i < 2, else groupID + 8;
// column = threadID_in_group * 2 + (i & 1).
static void mma_sync(void) {
  SnLayout l = sn_layout_of_sums(SN_SUMS_IN_PAIRS_OF_LANES, 16, 8, 0);
  CHECK(sn_layout_threads(&l) == 32 && sn_layout_values(&l) == 4);
  covers("mma.sync", &l, 16, 8);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 4; ++i) {
      SnPlace at = sn_layout_place(&l, lane, i);
      CHECK(at.row == (i < 2 ? lane >> 2 : (lane >> 2) + 8));
      CHECK(at.column == lane % 4 * 2 + (i & 1));
    }
}

static void of_one_thread(void) {
  SnLayout amx = sn_layout_of_sums(SN_SUMS_IN_TILES, 16, 32, 0), fma = sn_layout_of_sums(SN_SUMS_IN_VECTORS, 6, 64, 16),
           memory = sn_layout_of_sums(SN_SUMS_IN_MEMORY, 5, 7, 0);
  covers("amx", &amx, 16, 32);
  covers("fma512", &fma, 6, 64);
  covers("memory", &memory, 5, 7);
  CHECK(sn_layout_threads(&amx) == 1 && sn_layout_threads(&fma) == 1);
  // 64 bytes of a tile's row are 16 sums; the second tile is 16 columns further.
  CHECK(sn_layout_place(&amx, 0, 16 * 3 + 5).row == 3 && sn_layout_place(&amx, 0, 16 * 3 + 5).column == 5);
  CHECK(sn_layout_place(&amx, 0, 256 + 1).row == 0 && sn_layout_place(&amx, 0, 256 + 1).column == 17);
  // Register 4 * i + k of 16 lanes has row i, columns 16 k on.
  CHECK(sn_layout_place(&fma, 0, 16 * (4 * 5 + 3) + 9).row == 5);
  CHECK(sn_layout_place(&fma, 0, 16 * (4 * 5 + 3) + 9).column == 57);
  CHECK(sn_layout_lanes(&fma) == 16 && sn_layout_lanes(&memory) == 7);
  CHECK(sn_layout_place(&memory, 0, 7 * 2 + 3).row == 2 && sn_layout_place(&memory, 0, 7 * 2 + 3).column == 3);
}

static void rows(void) {
  SnLayout block = sn_layout_of_row(64, 4, 3);
  covers("row", &block, 1, 768);
  CHECK(sn_layout_period(&block) == 256 && sn_layout_lanes(&block) == 4);
  CHECK(sn_layout_place(&block, 5, 4 * 2 + 1).column == 256 * 2 + 5 * 4 + 1);
  // Warps that have columns one behind the other; slices of blocks: no period.
  SnLayout tile = {.threads = {{8, 0, 5}}, .values = {{1, 0, 1}, {5, 0, 1}}};
  SnLayout slices = {.threads = {{64, 0, 4}, {3, 0, 512}}, .values = {{4, 0, 1}, {2, 0, 256}}};
  covers("tile", &tile, 1, 40);
  covers("slices", &slices, 1, 1536);
  CHECK(!sn_layout_period(&tile) && !sn_layout_period(&slices));
}

int main(void) {
  SnLayout none;
  threads(128, 128, 256);
  threads(16, 128, 128);
  threads(128, 16, 128);
  threads(24, 96, 64);
  threads(8, 8, 32);
  warps(128, 128, 8, 2);
  warps(16, 128, 4, 1);
  warps(128, 16, 4, 4);
  warps(64, 64, 4, 2);
  int64_t down;
  CHECK(!sn_layout_of_warps(8, 64, 1, &down, &none) && !sn_layout_of_warps(16, 16, 2, &down, &none));
  CHECK(!sn_layout_of_threads(4, 32, 256, &none) && !sn_layout_of_threads(16, 60, 64, &none));
  threads(8, 64, 256); // more threads than 16 for each row
  threads(4, 128, 128);
  threads(1, 256, 128);
  for (int64_t n = 8; n <= 256; n += 8)
    wgmma(n);
  mma_sync();
  of_one_thread();
  rows();
  return failures > 0;
}
