// cpu_features.h: the instructions of x86 that compiled code may hold, beyond what every x86-64 has.
//
// One table for the compiler, which notes what it was allowed to use, and for the runtime, which asks the CPU. Names
// are LLVM's. Features that no code generator uses by itself (SHA, ...) are not here; those of AMX count for programs
// that have its instructions.

#ifndef SINTER_RUNTIME_CPU_FEATURES_H
#define SINTER_RUNTIME_CPU_FEATURES_H

// What the system has to save besides, for a feature to be usable: bits of XCR0.
#define SINTER_STATE_NONE 0x0
#define SINTER_STATE_AVX 0x6
#define SINTER_STATE_AVX512 0xe6
#define SINTER_STATE_APX 0x80000
#define SINTER_STATE_AMX 0x60000

// F(name, leaf and subleaf of CPUID, register, mask, least value under the mask, state). At most 64 rows; a row's
// number is its bit. (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID; AMD64 Architecture
// Programmer's Manual, volume 3.)
#define SINTER_CPU_FEATURES(F)                                                                                         \
  F("sse3", 1, 0, ecx, 1u << 0, 1, NONE)                                                                               \
  F("ssse3", 1, 0, ecx, 1u << 9, 1, NONE)                                                                              \
  F("sse4.1", 1, 0, ecx, 1u << 19, 1, NONE)                                                                            \
  F("sse4.2", 1, 0, ecx, 1u << 20, 1, NONE)                                                                            \
  F("popcnt", 1, 0, ecx, 1u << 23, 1, NONE)                                                                            \
  F("movbe", 1, 0, ecx, 1u << 22, 1, NONE)                                                                             \
  F("pclmul", 1, 0, ecx, 1u << 1, 1, NONE)                                                                             \
  F("lzcnt", 0x80000001, 0, ecx, 1u << 5, 1, NONE)                                                                     \
  F("sse4a", 0x80000001, 0, ecx, 1u << 6, 1, NONE)                                                                     \
  F("tbm", 0x80000001, 0, ecx, 1u << 21, 1, NONE)                                                                      \
  F("bmi", 7, 0, ebx, 1u << 3, 1, NONE)                                                                                \
  F("bmi2", 7, 0, ebx, 1u << 8, 1, NONE)                                                                               \
  F("adx", 7, 0, ebx, 1u << 19, 1, NONE)                                                                               \
  F("gfni", 7, 0, ecx, 1u << 8, 1, NONE)                                                                               \
  F("avx", 1, 0, ecx, 1u << 28, 1, AVX)                                                                                \
  F("f16c", 1, 0, ecx, 1u << 29, 1, AVX)                                                                               \
  F("fma", 1, 0, ecx, 1u << 12, 1, AVX)                                                                                \
  F("avx2", 7, 0, ebx, 1u << 5, 1, AVX)                                                                                \
  F("fma4", 0x80000001, 0, ecx, 1u << 16, 1, AVX)                                                                      \
  F("xop", 0x80000001, 0, ecx, 1u << 11, 1, AVX)                                                                       \
  F("vpclmulqdq", 7, 0, ecx, 1u << 10, 1, AVX)                                                                         \
  F("avxvnni", 7, 1, eax, 1u << 4, 1, AVX)                                                                             \
  F("avxifma", 7, 1, eax, 1u << 23, 1, AVX)                                                                            \
  F("avxvnniint8", 7, 1, edx, 1u << 4, 1, AVX)                                                                         \
  F("avxneconvert", 7, 1, edx, 1u << 5, 1, AVX)                                                                        \
  F("avxvnniint16", 7, 1, edx, 1u << 10, 1, AVX)                                                                       \
  F("avx512f", 7, 0, ebx, 1u << 16, 1, AVX512)                                                                         \
  F("avx512dq", 7, 0, ebx, 1u << 17, 1, AVX512)                                                                        \
  F("avx512ifma", 7, 0, ebx, 1u << 21, 1, AVX512)                                                                      \
  F("avx512cd", 7, 0, ebx, 1u << 28, 1, AVX512)                                                                        \
  F("avx512bw", 7, 0, ebx, 1u << 30, 1, AVX512)                                                                        \
  F("avx512vl", 7, 0, ebx, 1u << 31, 1, AVX512)                                                                        \
  F("avx512vbmi", 7, 0, ecx, 1u << 1, 1, AVX512)                                                                       \
  F("avx512vbmi2", 7, 0, ecx, 1u << 6, 1, AVX512)                                                                      \
  F("avx512vnni", 7, 0, ecx, 1u << 11, 1, AVX512)                                                                      \
  F("avx512bitalg", 7, 0, ecx, 1u << 12, 1, AVX512)                                                                    \
  F("avx512vpopcntdq", 7, 0, ecx, 1u << 14, 1, AVX512)                                                                 \
  F("avx512vp2intersect", 7, 0, edx, 1u << 8, 1, AVX512)                                                               \
  F("avx512fp16", 7, 0, edx, 1u << 23, 1, AVX512)                                                                      \
  F("avx512bf16", 7, 1, eax, 1u << 5, 1, AVX512)                                                                       \
  F("avx10.1", 0x24, 0, ebx, 0xff, 1, AVX512)                                                                          \
  F("avx10.2", 0x24, 0, ebx, 0xff, 2, AVX512)                                                                          \
  F("egpr", 7, 1, edx, 1u << 21, 1, APX)                                                                               \
  F("ndd", 7, 1, edx, 1u << 21, 1, APX)                                                                                \
  F("nf", 7, 1, edx, 1u << 21, 1, APX)                                                                                 \
  F("ccmp", 7, 1, edx, 1u << 21, 1, APX)                                                                               \
  F("cf", 7, 1, edx, 1u << 21, 1, APX)                                                                                 \
  F("zu", 7, 1, edx, 1u << 21, 1, APX)                                                                                 \
  F("ppx", 7, 1, edx, 1u << 21, 1, APX)                                                                                \
  F("push2pop2", 7, 1, edx, 1u << 21, 1, APX)                                                                          \
  F("amx-tile", 7, 0, edx, 1u << 24, 1, AMX)                                                                           \
  F("amx-int8", 7, 0, edx, 1u << 25, 1, AMX)                                                                           \
  F("amx-bf16", 7, 0, edx, 1u << 22, 1, AMX)

#endif
