// fingerprint.h: 64 bits that stand for many bytes, as fast as memory is read.
//
// For telling files of constants apart, in the compiler and in what loads them. Anyone can make another file with the
// same one: it says that a file was changed by mistake, not on purpose.

#ifndef SINTER_RUNTIME_FINGERPRINT_H
#define SINTER_RUNTIME_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden)

// Bytes come in blocks of so many.
enum { SINTER_FINGERPRINT_BLOCK = 64 };

typedef struct SinterFingerprint {
  uint64_t lanes[8];
  uint64_t blocks;
} SinterFingerprint;

SinterFingerprint sinter_fingerprint_begin(void);
// Adds bytes, and zeros up to a whole block: pieces that begin at multiples of a block in one file give what the file
// gives.
void sinter_fingerprint_add(SinterFingerprint *f, const void *bytes, size_t size);
uint64_t sinter_fingerprint_end(const SinterFingerprint *f);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
