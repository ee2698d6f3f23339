// fingerprint.c: 64 bits that stand for many bytes.
//
// Eight lanes of a multiplicative hash, each over every eighth word (xxHash's round and constants, BSD licence,
// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md), so that multiplications overlap.

#include "fingerprint.h"

#include <string.h>

static const uint64_t prime1 = 0x9E3779B185EBCA87u, prime2 = 0xC2B2AE3D27D4EB4Fu, prime3 = 0x165667B19E3779F9u;

static uint64_t rotated(uint64_t x, int by) { return x << by | x >> (64 - by); }
static uint64_t mixed(uint64_t lane, uint64_t word) { return rotated(lane + word * prime2, 31) * prime1; }

SinterFingerprint sinter_fingerprint_begin(void) {
  SinterFingerprint f = {.blocks = 0};
  for (uint64_t i = 0; i < 8; i++)
    f.lanes[i] = prime3 * (i + 1);
  return f;
}

static void add_blocks(SinterFingerprint *f, const char *bytes, size_t blocks) {
  uint64_t lanes[8], words[8];
  memcpy(lanes, f->lanes, sizeof lanes);
  for (size_t b = 0; b < blocks; b++) {
    memcpy(words, bytes + b * SINTER_FINGERPRINT_BLOCK, sizeof words);
    for (int i = 0; i < 8; i++)
      lanes[i] = mixed(lanes[i], words[i]);
  }
  memcpy(f->lanes, lanes, sizeof lanes);
  f->blocks += blocks;
}

void sinter_fingerprint_add(SinterFingerprint *f, const void *bytes, size_t size) {
  size_t whole = size / SINTER_FINGERPRINT_BLOCK, rest = size % SINTER_FINGERPRINT_BLOCK;
  add_blocks(f, bytes, whole);
  if (!rest)
    return;
  char last[SINTER_FINGERPRINT_BLOCK] = {0};
  memcpy(last, (const char *)bytes + size - rest, rest);
  add_blocks(f, last, 1);
}

uint64_t sinter_fingerprint_end(const SinterFingerprint *f) {
  uint64_t h = f->blocks * prime3;
  for (int i = 0; i < 8; i++)
    h = mixed(h ^ f->lanes[i], (uint64_t)i);
  h ^= h >> 33;
  h *= prime2;
  return h ^ h >> 29;
}
