// schedules.c: the one table of what a schedule may say, and its reading.
//
//   #sinter.rows<chunk = 16, lanes = 16, unroll = 4, residency = "reread">
//
// A new key is a row here; a new attribute also needs a record in Sinter.td.
//
// new schedule key: its row: values, default, meaning.

#include "dialect/schedules.h"
#include "capi/limits.h"
#include "dialect/dialect.h"
#include "mlir-c/BuiltinAttributes.h"
#include "target/microkernels.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const residencies[] = {"reread", "buffer", NULL};
static const char *const stores[] = {"cached", "streaming", NULL};
static const char *const nexts[] = {"later", "early", NULL};
static const char *const maxima[] = {"before", "online", NULL};
static const char *const alongs[] = {"columns", "rows", NULL};
static const char *const halves[] = {"together", "apart", NULL};
static const char *const steps[] = {"apart", "together", NULL};
static const char *const guards[] = {"skip", "run", NULL};
static const char *const repeats[] = {"apart", "stored", NULL};
static const char *const gpu_shapes[] = {"rows", "flat", "tile", "grid", "turned", NULL};
static const char *const gpu_maxima[] = {"online", "before", NULL};
static const char *const gpu_halves[] = {"packed", "wide", NULL};
static const char *const mma_shares[] = {"tile", "turns", NULL};
static const char *const gpu_row_deals[] = {"turns", "each", NULL};
static const char *const gpu_deals[] = {"turns", "ticket", NULL};
static const char *const gpu_residencies[] = {"reread", "registers", "shared", NULL};

static const char *const widenings[] = {"packing", "reading", NULL};
static const char *const weights[] = {"given", "packed", "shared", NULL};
static const char *const packed_sides[] = {"needed", "rows", "shared", "windows", NULL};
static const char *const sequence_forms[] = {"stages", "turns", NULL};

const SnScheduleKey sn_schedule_keys[] = {
    // attribute, key, from, to, multiple of (0: a power of two), default
    {"rows", "chunk", 1, SN_MAX_OF_TASK, 1, 1, NULL, "rows of one task; tasks are shared among threads"},
    {"rows", "elements", 0, 1 << 20, 1, 0, NULL,
     "of one task, where the length of rows is known at run time: as many rows as have them, `chunk` at least"},
    {"rows", "tasks", 1, 65536, 1, 256, NULL,
     "tasks at most, where the count of rows is known at run time: a task has more rows then"},
    {"rows", "columns", 0, SN_MAX_OF_TASK, 1, 0, NULL,
     "columns of one task, where rows are few and long; 0: whole rows"},
    {"rows", "prefetch", 0, 1 << 20, 1, 0, NULL,
     "bytes ahead of a row's first loads that memory is asked for, beyond `near` into the second cache; 0: not asked"},
    {"rows", "near", 1, 1 << 20, 1, 2048, NULL,
     "of prefetch: bytes ahead at which memory is asked for into the first cache, from the second"},
    {"rows", "abreast", 1, 8, 0, 1, NULL,
     "neighbouring rows whose first loop, which only reduces them, is one: rows from memory come faster side by side"},
    {"rows", "next", 0, 0, 0, 0, nexts,
     "when memory is asked for the next row; \"early\": while the last loop of this one runs"},
    {"rows", "maximum", 0, 0, 0, 0, maxima,
     "how sums of exponentials under a row's maximum get it; \"before\": by a loop of its own; \"online\": in the same "
     "loop, sums being scaled where it is exceeded"},
    {"rows", "online_from", 0, 1 << 20, 1, 0, NULL,
     "of maximum = \"online\", where the length of rows is known at run time: columns of a row from which on it is so; "
     "a shorter one stays in the first cache between two loops"},
    {"rows", "stores", 0, 0, 0, 0, stores,
     "how whole vectors of aligned results are written: through the caches, or past them"},
    {"rows", "along", 0, 0, 0, 0, alongs,
     "what a vector holds: neighbouring columns of one row, or one column of neighbouring rows"},
    {"rows", "lanes", 1, SN_MAX_LANES, 0, 1, NULL, "columns, or rows, of one vector"},
    {"rows", "strip", 0, 65536, 1, 0, NULL,
     "along rows: neighbouring rows whose first reductions are combined in memory, column by column; 0: in registers"},
    {"rows", "unroll", 1, SN_MAX_UNROLL, 1, 1, NULL,
     "vectors of one step of a column loop, each with its own accumulators; no more than a row has"},
    {"rows", "carried", 1, 256, 1, 16, NULL,
     "accumulators of one step at most: a loop that reduces more has fewer vectors in a step"},
    {"rows", "carried_online", 1, 256, 1, 64, NULL,
     "the same, of the loop that maximum = \"online\" makes: its maximum and all sums"},
    {"rows", "plain", 1, SN_MAX_UNROLL, 1, 1, NULL, "vectors of one step of a column loop that reduces nothing"},
    {"rows", "halves", 0, 0, 0, 0, halves,
     "how vectors of half types are loaded and stored; \"together\": two of them as one line, where the loop's columns "
     "may come in that order"},
    {"rows", "written_out", 0, 64, 1, 16, NULL,
     "along rows: columns up to which there is no loop over them, but one step behind the other"},
    {"rows", "steps", 0, 0, 0, 0, steps,
     "along rows, or lines: how lanes are loaded that lie up to 4 elements apart; \"apart\": one by one; \"together\": "
     "with all between them, by a mask"},
    {"rows", "line", 0, SN_MAX_DIMS, 1, 0, NULL,
     "how many of the last column dimensions are one piece of memory in all that has columns, though not all of them "
     "are: each such line has vectors of its own; one of one dimension may be cut by bounds, or have elements between "
     "its columns; along rows: of the last column dimensions of a window, whose columns "
     "are written out for each of the others; 0: a row's columns are counted through"},
    {"rows", "places", 1, 8, 1, 1, NULL,
     "along rows: neighbours of the row dimension in front of the last, vectors of which stand one behind the other; "
     "what they read together is loaded once: a window's weights, and what its places share"},
    {"rows", "repeats", 0, 0, 0, 0, repeats,
     "how lanes are loaded of what a row reads again and again from its beginning, a number for each of its last "
     "columns; \"apart\": one by one, unless vectors end where it does; \"stored\": by vectors, out of memory of the "
     "kernel's own where its beginning is behind its end"},
    {"rows", "guards", 0, 0, 0, 0, guards,
     "what becomes of a loop whose results matter under a condition alone; \"skip\": it is left out where that does "
     "not hold; \"run\": it runs"},
    {"rows", "residency", 0, 0, 0, 0, residencies,
     "where a row lives between phases; \"reread\": in memory, recomputed by each phase; \"buffer\": exponentials and "
     "the like in memory of the task"},
    {"rows", "buffer_to", 0, 1 << 20, 1, 0, NULL,
     "of residency = \"buffer\", where the length of rows is known at run time: columns up to which a row has a "
     "buffer; of a longer one all is computed again"},
    {"rows", "stack", 0, 1 << 20, 1, 16384, NULL,
     "bytes of a buffered row up to which it lies on the task's stack; a longer one is allocated"},
    {"gpu_rows", "threads", 32, 1024, 0, 256, NULL, "threads of a block"},
    {"gpu_rows", "blocks", 1, 1 << 30, 1, 264, NULL,
     "blocks at most; rows are dealt to them in turns, so results depend on it in their last bits"},
    {"gpu_rows", "deal", 0, 0, 0, 0, gpu_row_deals,
     "of rows whose number is `?`; \"turns\": a block has one after another; \"each\": as many blocks as have one "
     "each, which the call counts"},
    {"gpu_rows", "occupancy", 1, 32, 1, 1, NULL, "blocks that share a multiprocessor; registers are limited to fit"},
    {"gpu_rows", "unroll", 1, 128, 1, 1, NULL, "vectors that a thread loads before it uses the first"},
    {"gpu_rows", "rows", 1, 16, 0, 1, NULL,
     "of team = 1: rows of a thread, its lanes: neighbours in the last row dimension, whose size is a multiple of "
     "that"},
    {"gpu_rows", "vector", 1, 16, 0, 1, NULL, "consecutive columns that a thread loads at once"},
    {"gpu_rows", "shape", 0, 0, 0, 0, gpu_shapes,
     "what is dealt out: rows to blocks or teams; elements that are all alike, as one row, to all threads; 32 "
     "neighbouring rows to a block, of which each warp has some columns; rows to groups of blocks that meet by way of "
     "memory, all at once; tiles of rows and columns to blocks, whose operands with neighbours in a row dimension go "
     "through shared memory"},
    {"gpu_rows", "tile_rows", 1, 1024, 1, 64, NULL, "of shape \"turned\": rows of a tile"},
    {"gpu_rows", "tile_columns", 1, 4096, 1, 32, NULL, "of shape \"turned\": columns of a tile"},
    {"gpu_rows", "team", 1, 1024, 0, 1024, NULL,
     "threads of a block that share a row: 1 to 32, or more for all of the block"},
    {"gpu_rows", "cluster", 1, 1 << 20, 1, 1, NULL,
     "blocks that share a row: 2, 4 or 8 where they meet, any number where nothing of the row does"},
    {"gpu_rows", "remake", 0, 1, 1, 0, NULL,
     "of rows in registers: 1: only what was read is kept from phase to phase, the rest is computed anew"},
    {"gpu_rows", "held", 0, 1, 1, 0, NULL,
     "of rows in registers, in a sequence: 1: what is read and no turn of its loop makes is read once, and stays in "
     "registers of each row's own threads over all turns; in no loop, what no form of the sequence makes is read in "
     "front of the wait for the form's phase"},
    {"gpu_rows", "repeated", 0, 1, 1, 0, NULL,
     "in a sequence: 1: each block of the launch computes all rows, and stores the same as all others, so that the "
     "next phase begins when a block's own threads are done"},
    {"gpu_rows", "maximum", 0, 0, 0, 0, gpu_maxima,
     "how a sum of exponentials under a row's maximum gets it; \"online\": in the same phase, sums being scaled where "
     "it is exceeded; \"before\": by a phase of its own"},
    {"gpu_rows", "halves", 0, 0, 0, 0, gpu_halves,
     "of rows of bf16 in registers; \"packed\": as they are in memory, two in a register, where nothing but their row "
     "needs them and no sums of columns are kept; \"wide\": in 32 bits each"},
    {"gpu_rows", "group", 1, 1 << 16, 1, 1, NULL, "of shape \"grid\": blocks that share a row"},
    {"gpu_rows", "slots", 0, 512, 1, 0, NULL,
     "of shape \"grid\" with ahead = 1: pieces that shared memory holds, of this row and the next; a piece is a vector "
     "of each thread"},
    {"gpu_rows", "depth", 1, 32, 1, 4, NULL,
     "of shape \"grid\" with ahead = 1: pieces of the next row that are on their way at once"},
    {"gpu_rows", "ahead", 0, 1, 1, 0, NULL,
     "rows that are on their way into shared memory while one is at work in registers"},
    {"gpu_rows", "residency", 0, 0, 0, 0, gpu_residencies,
     "where a row lives between phases; \"reread\": in memory, recomputed by each phase; \"registers\": a thread keeps "
     "its columns; \"shared\": in shared memory, by bulk copies, recomputed by each phase"},
    {"gpu_rows", "most", 0, (int64_t)1 << 31, 1, 0, NULL,
     "of rows whose length is `?`: columns that they have at most, and one at least, so that registers hold them; of "
     "shape \"flat\" elements of all rows; 0: any number"},
    {"gpu_rows", "multiple", 1, 16, 0, 1, NULL,
     "of rows whose length is `?`, and rows of a thread whose number is: of what that size, and the last size of each "
     "operand that has neighbours there, is a multiple"},
    {"gpu_rows", "least", 0, (int64_t)1 << 31, 1, 0, NULL, "of rows whose number is `?`: how many there are at least"},
    {"gpu_rows", "even", 0, 0, 1, 0, NULL,
     "of sizes `?`: how those run that are multiples of its `multiple`, with `least` rows or more; the call asks",
     true},
    {"gpu_rows", "many", 0, 0, 1, 0, NULL,
     "of rows whose number is `?`: how those run that are its `least` or more; the call asks how many they are", true},
    {"gpu_rows", "shorter", 0, 0, 1, 0, NULL,
     "of rows whose length is `?`: how those run that have no more than its `most`; the call asks how long they are",
     true},
    {"brgemm", "kernel", 0, 0, 0, SN_MICRO_KERNEL_DEFAULT, sn_micro_kernel_names,
     "what multiplies blocks: a line of the table of micro-kernels (target/microkernels.c) for the product's types"},
    {"brgemm", "m", 1, 4096, 1, 32, NULL, "rows of one block of the product"},
    {"brgemm", "n", 1, 4096, 1, 64, NULL, "columns of one block"},
    {"brgemm", "k", 1, 65536, 1, 256, NULL, "summed elements of one block"},
    {"brgemm", "columns", 0, SN_MAX_OF_TASK, 1, 0, NULL,
     "columns of one task, where nothing is reduced over them; 0: whole rows"},
    {"brgemm", "sums", 0, SN_MAX_OF_TASK, 1, 0, NULL,
     "columns whose sums are kept while k goes on, so that a block's rows of k elements are used for all of them while "
     "they are in a cache; 0: n"},
    {"brgemm", "pack", 0, 0, 0, 0, packed_sides,
     "which sides are copied to where the kernel wants them; \"needed\": those that it cannot take where they lie, by "
     "each task; \"rows\": rows of a block, too, which may be far apart; \"shared\": the same, once for all tasks, "
     "before the first of them multiplies; \"windows\": no rows, which are runs of neighbours that begin where tables "
     "say, as those of an image whose channels are last"},
    {"brgemm", "widen", 0, 0, 0, 0, widenings,
     "where narrower sides become what the kernel multiplies; \"packing\": in a copy; \"reading\": in registers, from "
     "where they lie: weights [k, j] that few rows use, and both sides of vectors along k"},
    {"brgemm", "weights", 0, 0, 0, 0, weights,
     "how the sides that have columns lie; \"given\": as the program has them; \"packed\": as the kernel wants them, "
     "in panels of n columns and k summed elements (sinter-pack-weights); \"shared\": as the program has them, copied "
     "to such panels once for all tasks, before the first of them multiplies"},
    {"brgemm", "ahead", 0, 65536, 1, 0, NULL,
     "of weights [k, j] that are read where they lie: rows further on, which are asked for into the second cache; of "
     "weights [j, k] that are copied for tiles: columns, those that are copied next; 0: not asked"},
    {"brgemm", "panels", 1, 4096, 1, 1, NULL,
     "panels of n columns that are packed together, so that more of a row of weights [k, j] is read at once"},
    {"brgemm", "stream", 0, 65536, 1, 0, NULL,
     "columns of the first group that are multiplied again before the next ones are made, maxima and sums being kept "
     "up to date; 0: rows are whole first"},
    {"brgemm", "strip", 0, 4096, 1, 0, NULL,
     "of rows that stream: rows of a block whose columns are made and multiplied again before the next rows', so that "
     "these columns stay in the first cache; 0: all rows of a block"},
    {"brgemm", "tasks", 1, 65536, 1, 64, NULL, "tasks at most; blocks are dealt to them in order"},
    {"brgemm", "lanes", 1, SN_MAX_LANES, 0, 1, NULL, "columns of one vector of the epilogue"},
    {"brgemm", "unroll", 1, SN_MAX_UNROLL, 1, 1, NULL, "vectors of one step of the epilogue's column loops"},
    {"brgemm", "carried", 1, 256, 1, 16, NULL, "accumulators of one such step at most, as of #sinter.rows"},
    {"brgemm", "halves", 0, 0, 0, 0, halves, "how the epilogue loads and stores half types, as of #sinter.rows"},
    {"mma", "kernel", 0, 0, 0, 0, sn_micro_gpu_names,
     "what multiplies: a line of the table of micro-kernels (target/microkernels.c) for the product's types"},
    {"mma", "m", 1, 1024, 1, 64, NULL,
     "rows of a block's tile of the product: a power of two, but of \"wgmma\""},
    {"mma", "n", 1, 1024, 1, 64, NULL, "columns of it; of rows that are multiplied again, columns at a time"},
    {"mma", "k", 1, 1024, 0, 16, NULL,
     "summed elements that a block has in shared memory at a time; of \"fma.window\": windows of them"},
    {"mma", "patch", 0, 1024, 1, 0, NULL,
     "of \"fma.window\": columns of a tile that lie beside each other in the last dimension; the n / patch lines of "
     "them lie below each other in the dimension in front of it"},
    {"mma", "threads", 32, 1024, 32, 256, NULL,
     "threads of a block that have sums: a power of two, but of \"wgmma\" and rows that are multiplied again; of "
     "\"wgmma\", 128 more fetch the sides"},
    {"mma", "stages", 1, 16, 1, 2, NULL, "of \"wgmma\": pieces of k summed elements that shared memory holds"},
    {"mma", "ahead", 0, 1, 1, 1, NULL,
     "of \"wgmma\", and rows that are multiplied again: 1: sums of the next block of columns are made while the last "
     "one's rows are multiplied; 0: behind it, in fewer registers"},
    {"mma", "tiles", 1, 2, 1, 1, NULL,
     "of \"wgmma\", and rows that are multiplied again: of so many tiles shared memory holds the products' sides of "
     "rows; 2: the next tile's are fetched while one is made"},
    {"mma", "held", 0, 1, 1, 0, NULL,
     "of \"wgmma\", and rows that are multiplied again: 1: products' sides of rows are in registers while a tile is "
     "made, and the next tile's are fetched meanwhile"},
    {"mma", "share", 0, 0, 0, 0, mma_shares,
     "of \"wgmma\": how warpgroups share the work; \"tile\": rows of each tile; \"turns\": whole tiles by turns, so "
     "that one multiplies while the other stores"},
    {"mma", "split", 1, 256, 1, 1, NULL,
     "blocks that share the sum of a tile; their parts meet in memory, in the order of k, by the last one"},
    {"mma", "cluster", 1, 8, 0, 1, NULL,
     "blocks that share rows which go through several products whole, a tile of columns each; of one product by "
     "\"wgmma\", 2: blocks with tiles below each other, of which each copies half of the columns' side for both"},
    {"mma", "group", 1, 1024, 1, 1, NULL,
     "tiles below each other that are worked on before the next column of tiles; of rows that are multiplied again, "
     "batches whose tiles are dealt together, the longest rows first"},
    {"mma", "blocks", 1, 1 << 30, 1, 1 << 20, NULL, "blocks at most, to which tiles are dealt"},
    {"mma", "deal", 0, 0, 0, 0, gpu_deals,
     "how tiles are dealt to fewer blocks; \"turns\": every n-th to each; \"ticket\": the next to whoever is done"},
    {"mma", "occupancy", 1, 32, 1, 1, NULL, "blocks that share a multiprocessor; registers are limited to fit"},
    {"gpu_sequence", "threads", 32, 1024, 0, 512, NULL,
     "threads of a block; a form whose blocks have fewer runs several of them side by side"},
    {"gpu_sequence", "blocks", 1, 1 << 16, 1, 132, NULL,
     "blocks at most, all of which run at once; a device that holds fewer runs those; blocks of a form are dealt to "
     "them in turns"},
    {"gpu_sequence", "occupancy", 1, 32, 1, 1, NULL,
     "blocks that share a multiprocessor; registers are limited to fit"},
    {"gpu_sequence", "ahead", 0, 1 << 30, 1, 0, NULL,
     "bytes that blocks ask the second cache for before their phase begins, of what no form of the sequence writes"},
    {"gpu_sequence", "once", 0, 1, 1, 0, NULL,
     "1: of what one form reads once, and none writes, lines leave the second cache before others; it is more than "
     "that holds"},
    {"gpu_sequence", "words", 0, 1, 1, 0, NULL,
     "1: turns of a loop whose form holds what it reads hand each other words that say of which turn they are, in "
     "place of a barrier of all blocks; where its rows read more than words and their own, they meet at barriers"},
    {"gpu_sequence", "clocks", 0, 1, 1, 0, NULL,
     "1: each block keeps when it began and ended its part of each phase, for sinter-exec --profile"},
    {"cpu_sequence", "forms", 0, 0, 0, 0, sequence_forms,
     "how forms run; \"stages\": of one parallel region, each as soon as what it waits for has ended; \"turns\": one "
     "behind the other, each as a kernel of its own would"},
    {NULL, NULL, 0, 0, 0, 0, NULL, NULL, false},
};

const SnScheduleKey *sn_schedule_key(const char *mnemonic, const char *key, size_t length) {
  for (const SnScheduleKey *k = sn_schedule_keys; k->key; ++k)
    if (!strcmp(k->mnemonic, mnemonic) && strlen(k->key) == length && !memcmp(k->key, key, length))
      return k;
  return NULL;
}

// ---- verifying ----------------------------------------------------------------

static int word(const SnScheduleKey *k, MlirStringRef text) {
  for (int i = 0; k->words[i]; ++i)
    if (mlirStringRefEqual(text, mlirStringRefCreateFromCString(k->words[i])))
      return i;
  return -1;
}

static bool check_number(const SnScheduleKey *k, MlirAttribute value, char *why, size_t size) {
  if (!mlirAttributeIsAInteger(value)) {
    snprintf(why, size, "'%s' is a number", k->key);
    return false;
  }
  int64_t v = mlirIntegerAttrGetValueInt(value);
  if (v < k->low || v > k->high)
    snprintf(why, size, "'%s' is %lld, but from %lld to %lld", k->key, (long long)v, (long long)k->low,
             (long long)k->high);
  else if (k->step ? v % k->step : v & (v - 1))
    k->step ? snprintf(why, size, "'%s' is %lld, but a multiple of %lld", k->key, (long long)v, (long long)k->step)
            : snprintf(why, size, "'%s' is %lld, but a power of two", k->key, (long long)v);
  else
    return true;
  return false;
}

bool sn_schedule_check(const char *mnemonic, MlirAttribute params, char *why, size_t size) {
  for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(params); ++i) {
    MlirNamedAttribute entry = mlirDictionaryAttrGetElement(params, i);
    MlirStringRef name = mlirIdentifierStr(entry.name);
    const SnScheduleKey *k = sn_schedule_key(mnemonic, name.data, name.length);
    if (!k) {
      snprintf(why, size, "'%.*s' is no key of #sinter.%s", (int)name.length, name.data, mnemonic);
      return false;
    }
    const char *nested = k->nested ? sn_schedule_mnemonic(entry.attribute) : NULL;
    if (k->nested) {
      if (nested && !strcmp(nested, mnemonic))
        continue;
      snprintf(why, size, "'%s' is a #sinter.%s", k->key, mnemonic);
      return false;
    }
    if (!k->words) {
      if (!check_number(k, entry.attribute, why, size))
        return false;
    } else if (!mlirAttributeIsAString(entry.attribute) || word(k, mlirStringAttrGetValue(entry.attribute)) < 0) {
      int n = snprintf(why, size, "'%s' is one of", k->key);
      for (int w = 0; k->words[w] && n > 0 && (size_t)n < size; ++w)
        n += snprintf(why + n, size - (size_t)n, "%s \"%s\"", w ? "," : "", k->words[w]);
      return false;
    }
  }
  return true;
}

// ---- reading --------------------------------------------------------------------

static const SnScheduleKey *row(MlirAttribute schedule, const char *key, MlirAttribute *value) {
  const SnScheduleKey *k = sn_schedule_key(sn_schedule_mnemonic(schedule), key, strlen(key));
  assert(k && "a lowering asks for keys of the table");
  *value = mlirDictionaryAttrGetElementByName(sn_schedule_params(schedule), mlirStringRefCreateFromCString(key));
  return k;
}

int64_t sn_schedule_number(MlirAttribute schedule, const char *key) {
  MlirAttribute value;
  const SnScheduleKey *k = row(schedule, key, &value);
  return value.ptr ? mlirIntegerAttrGetValueInt(value) : k->otherwise;
}

MlirAttribute sn_schedule_nested(MlirAttribute schedule, const char *key) {
  MlirAttribute value;
  const SnScheduleKey *k = row(schedule, key, &value);
  assert(k->nested && "asked for a schedule");
  (void)k;
  return value;
}

const char *sn_schedule_word(MlirAttribute schedule, const char *key) {
  MlirAttribute value;
  const SnScheduleKey *k = row(schedule, key, &value);
  return k->words[value.ptr ? word(k, mlirStringAttrGetValue(value)) : (int)k->otherwise];
}

bool sn_schedule_word_is(MlirAttribute schedule, const char *key, const char *expected) {
  return !strcmp(sn_schedule_word(schedule, key), expected);
}
