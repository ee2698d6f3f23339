// Fingerprints: pieces of whole blocks are as good as all at once, and every bit and the length count.

#include "runtime/fingerprint.h"
#include "check.h"

#include <string.h>

static uint64_t print_of(const void *bytes, size_t size) {
  SinterFingerprint f = sinter_fingerprint_begin();
  sinter_fingerprint_add(&f, bytes, size);
  return sinter_fingerprint_end(&f);
}

int main(void) {
  enum { SIZE = 5 * SINTER_FINGERPRINT_BLOCK };
  unsigned char bytes[SIZE];
  for (int i = 0; i < SIZE; i++)
    bytes[i] = (unsigned char)(i * 37 + i / 11);
  uint64_t whole = print_of(bytes, SIZE);

  SinterFingerprint f = sinter_fingerprint_begin();
  sinter_fingerprint_add(&f, bytes, 2 * SINTER_FINGERPRINT_BLOCK);
  sinter_fingerprint_add(&f, bytes, 0);
  sinter_fingerprint_add(&f, bytes + 2 * SINTER_FINGERPRINT_BLOCK, 3 * SINTER_FINGERPRINT_BLOCK);
  CHECK(sinter_fingerprint_end(&f) == whole);

  for (int bit = 0; bit < 8 * SIZE; bit++) {
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    CHECK(print_of(bytes, SIZE) != whole);
    bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }

  // What is missing of a block is zeros; a block of zeros is one more.
  unsigned char few[SINTER_FINGERPRINT_BLOCK] = {1, 2, 3}, zeros[2 * SINTER_FINGERPRINT_BLOCK] = {0};
  CHECK(print_of(few, 3) == print_of(few, sizeof few));
  CHECK(print_of(zeros, sizeof zeros) != print_of(zeros, sizeof zeros / 2));
  CHECK(print_of(zeros, 0) != print_of(zeros, 1));

  // Blocks in another order are others.
  unsigned char turned[SIZE];
  memcpy(turned, bytes + SINTER_FINGERPRINT_BLOCK, SIZE - SINTER_FINGERPRINT_BLOCK);
  memcpy(turned + SIZE - SINTER_FINGERPRINT_BLOCK, bytes, SINTER_FINGERPRINT_BLOCK);
  CHECK(print_of(turned, SIZE) != whole);
  return failures != 0;
}
