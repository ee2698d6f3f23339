// layouts.h: which element of a tile each value of each thread is.
//
//   the sums of wgmma, 64 rows by n columns, in 128 threads with n / 2 values each
//     thread = lane mod 4, lane / 4 mod 8, warp mod 4       ->   2 columns, 1 row, 16 rows a step
//     value  = i mod 2, i / 2 mod 2, i / 4                  ->   1 column, 8 rows, 8 columns a step
//
// A number is split into digits, the lowest first, and each step of a digit is so many rows and columns. A row of a
// form in the registers of a block is such a layout, and so are the sums of an instruction that multiplies.

#ifndef SINTER_TARGET_LAYOUTS_H
#define SINTER_TARGET_LAYOUTS_H

#include "target/microkernels.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SN_LAYOUT_DIGITS = 4 };

typedef struct {
  int64_t count, row, column; // numbers it has, 0: there is no such digit; what a step of it is
} SnDigit;

typedef struct {
  SnDigit threads[SN_LAYOUT_DIGITS], values[SN_LAYOUT_DIGITS];
} SnLayout;

typedef struct {
  int64_t row, column;
} SnPlace;

int64_t sn_layout_threads(const SnLayout *l);
int64_t sn_layout_values(const SnLayout *l); // of each thread
SnPlace sn_layout_place(const SnLayout *l, int64_t thread, int64_t value);
// Values of a thread that are columns one behind the other, from each multiple of so many: what a vector holds.
int64_t sn_layout_lanes(const SnLayout *l);
// Columns after which the threads, one vector each, begin again from the first; 0: they do not go along a row so.
int64_t sn_layout_period(const SnLayout *l);

// Where the sums of a micro-kernel are, m rows by n columns of them, in registers of so many elements: of the threads
// of a warp (16 rows) or of a warpgroup (64), of one thread on a CPU, of memory.
SnLayout sn_layout_of_sums(SnMicroSums sums, int64_t m, int64_t n, int64_t lanes);
// The sums of a tile of m rows by n columns where each thread of a block has rectangles of up to 4 by 4, 16 threads
// beside each other, and more where there are more threads than rows. False where they cannot share it evenly.
bool sn_layout_of_threads(int64_t m, int64_t n, int64_t threads, SnLayout *layout);
// The same where each warp has one part of the tile, in 16 rows by 8 columns of mma.sync; `down`: so many parts are one
// below the other, so that parts are as square as they can be.
bool sn_layout_of_warps(int64_t m, int64_t n, int64_t warps, int64_t *down, SnLayout *layout);
// A row of columns in vectors of so many lanes: each of `threads` threads has one, then they begin again.
SnLayout sn_layout_of_row(int64_t threads, int64_t lanes, int64_t vectors);

#ifdef __cplusplus
}
#endif
#endif
