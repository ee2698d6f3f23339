// .npy files: what is written reads back, what NumPy and others write is read,
// and everything else is refused in words.

#define _GNU_SOURCE // memfd_create

#include "runtime/describe.h"
#include "runtime/npy.h"
#include "check.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[1000];

static void write_bytes(const void *bytes, size_t count) {
  FILE *file = fopen(path, "wb");
  fwrite(bytes, 1, count, file);
  fclose(file);
}

// A file with a header as it stands, and so many bytes 0, 1, 2, ... of elements.
static void write_file(int major, const char *header, size_t elements) {
  size_t length = strlen(header);
  char *all = calloc(1, length + elements + 12);
  memcpy(all, "\x93NUMPY", 6);
  all[6] = (char)major;
  all[8] = (char)length;
  all[9] = (char)(length >> 8);
  size_t at = major == 1 ? 10 : 12;
  memcpy(all + at, header, length);
  for (size_t i = 0; i < elements; i++)
    all[at + length + i] = (char)i;
  write_bytes(all, at + length + elements);
  free(all);
}

static void accepts(DLDataType wanted, int32_t ndim, const int64_t *shape) {
  SinterArray a;
  SinterMessage message = {""};
  CHECK(sinter_npy_read_as(path, wanted, "input 0 of main", &a, &message));
  CHECK_TEXT(message.text, "");
  CHECK(a.dtype.code == wanted.code && a.dtype.bits == wanted.bits && a.ndim == ndim);
  for (int32_t d = 0; d < ndim; d++)
    CHECK(a.shape[d] == shape[d]);
  CHECK(a.data && (uintptr_t)a.data % SINTER_WORKSPACE_ALIGNMENT == 0);
  sinter_array_free(&a);
}

// The same elements, as pages of the file.
static void maps(DLDataType wanted, int32_t ndim, const int64_t *shape) {
  SinterArray a, mapped;
  SinterMessage message = {""};
  CHECK(sinter_npy_read(path, &a, &message) && sinter_npy_map(path, &mapped, &message));
  CHECK_TEXT(message.text, "");
  CHECK(sinter_same_type(mapped.dtype, wanted) && mapped.ndim == ndim && mapped.bytes == a.bytes);
  for (int32_t d = 0; d < ndim; d++)
    CHECK(mapped.shape[d] == shape[d]);
  CHECK(a.bytes ? memcmp(a.data, mapped.data, (size_t)a.bytes) == 0 : mapped.data == NULL);
  sinter_npy_unmap(mapped.data, (size_t)mapped.bytes);
  sinter_array_free(&a);
}

static void maps_not(const char *why) {
  SinterArray a;
  SinterMessage message = {""};
  CHECK(!sinter_npy_map(path, &a, &message) && !a.data);
  char all[1200];
  snprintf(all, sizeof all, "%s: %s", path, why);
  CHECK_TEXT(message.text, all);
}

static void refuses_as(DLDataType wanted, const char *why) {
  SinterArray a;
  SinterMessage message = {""};
  CHECK(!sinter_npy_read_as(path, wanted, "input 0 of main", &a, &message));
  CHECK(!a.data);
  char all[1200];
  snprintf(all, sizeof all, "%s: %s", path, why);
  CHECK_TEXT(message.text, all);
}

static const DLDataType f16 = {kDLFloat, 16, 1}, f32 = {kDLFloat, 32, 1}, f64 = {kDLFloat, 64, 1},
                        bf16 = {kDLBfloat, 16, 1}, i8 = {kDLInt, 8, 1}, i16 = {kDLInt, 16, 1}, i32 = {kDLInt, 32, 1},
                        i64 = {kDLInt, 64, 1}, u8 = {kDLUInt, 8, 1}, u16 = {kDLUInt, 16, 1},
                        boolean = {SINTER_DL_BOOL, 8, 1};

static void refuses(const char *why) { refuses_as(f32, why); }

static void round_trip(DLDataType type, int32_t ndim, const int64_t *shape) {
  SinterMessage message;
  SinterArray a = {.dtype = type, .ndim = ndim}, b;
  for (int32_t d = 0; d < ndim; d++)
    a.shape[d] = shape[d];
  CHECK(sinter_array_allocate(&a, &message));
  for (int64_t i = 0; i < a.bytes; i++)
    ((char *)a.data)[i] = (char)(type.code == SINTER_DL_BOOL ? i % 2 : i * 7);
  CHECK(sinter_npy_write(path, &a, &message));
  CHECK(sinter_npy_read_as(path, type, "x", &b, &message));
  CHECK(b.bytes == a.bytes && b.ndim == ndim && memcmp(a.data, b.data, (size_t)a.bytes) == 0);
  struct stat status;
  CHECK(stat(path, &status) == 0 && (status.st_size - a.bytes) % 64 == 0);
  sinter_array_free(&a);
  sinter_array_free(&b);
}

static void bfloat16_from_float32(void) {
  SinterMessage message;
  // To the even neighbour from the middle, to the nearest otherwise.
  const uint32_t in[] = {0x3f800000, 0x3f808000, 0x3f818000, 0x3f808001, 0x3f807fff,
                         0x7f7fffff, 0x7f800000, 0xff800000, 0x7f800001, 0x80000000};
  const uint16_t want[] = {0x3f80, 0x3f80, 0x3f82, 0x3f81, 0x3f80,
                           0x7f80, 0x7f80, 0xff80, 0x7fc0, 0x8000};
  SinterArray a = {.dtype = f32, .ndim = 1, .shape = {10}}, b;
  CHECK(sinter_array_allocate(&a, &message));
  memcpy(a.data, in, sizeof in);
  CHECK(sinter_npy_write(path, &a, &message));
  CHECK(sinter_npy_read_as(path, bf16, "x", &b, &message));
  CHECK(b.bytes == 20 && memcmp(b.data, want, sizeof want) == 0);
  sinter_array_free(&a);
  sinter_array_free(&b);
}

// e4m3fn has no infinities; 2^-10 is half of its smallest number, and 464 the middle of its largest and the next.
static void float8_from_float32(void) {
  SinterMessage message;
  const float in[] = {1, 1.0625f, 1.1875f, 448, 464, 465, INFINITY, -INFINITY, NAN, 0x1p-9f, 0x1p-10f, -0x1.8p-9f};
  const uint8_t e4m3fn[] = {0x38, 0x38, 0x3a, 0x7e, 0x7e, 0x7e, 0x7e, 0xfe, 0x7f, 0x01, 0x00, 0x82};
  const uint8_t e5m2[] = {0x3c, 0x3c, 0x3d, 0x5f, 0x5f, 0x5f, 0x7c, 0xfc, 0x7f, 0x18, 0x14, 0x9a};
  SinterArray a = {.dtype = f32, .ndim = 1, .shape = {12}}, b;
  CHECK(sinter_array_allocate(&a, &message));
  memcpy(a.data, in, sizeof in);
  CHECK(sinter_npy_write(path, &a, &message));
  for (int i = 0; i < 2; i++) {
    DLDataType type = {i ? SINTER_DL_FLOAT8_E5M2 : SINTER_DL_FLOAT8_E4M3FN, 8, 1};
    CHECK(sinter_npy_read_as(path, type, "x", &b, &message));
    CHECK(b.bytes == 12 && memcmp(b.data, i ? e5m2 : e4m3fn, 12) == 0);
    CHECK(sinter_npy_write(path, &b, &message)); // as uint8
    sinter_array_free(&b);
    CHECK(sinter_npy_read(path, &b, &message) && b.dtype.code == kDLUInt && b.dtype.bits == 8);
    sinter_array_free(&b);
    CHECK(sinter_npy_read_as(path, type, "x", &b, &message) && memcmp(b.data, i ? e5m2 : e4m3fn, 12) == 0);
    sinter_array_free(&b);
    CHECK(sinter_npy_write(path, &a, &message));
  }
  sinter_array_free(&a);
}

static void headers(void) {
  const int64_t shape[] = {2, 3};
  write_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", 24);
  accepts(f32, 2, shape);
  write_file(2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", 24);
  accepts(f32, 2, shape);
  write_file(3, "{\"shape\": (2L,3L,), \"fortran_order\":False,\"descr\":\"=f4\"}", 24);
  accepts(f32, 2, shape);
  write_file(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 6, 1), }", 24);
  accepts(f32, 3, (int64_t[]){1, 6, 1}); // one order only
  write_file(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 0, 9), }", 0);
  accepts(f32, 3, (int64_t[]){2, 0, 9});
  write_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4);
  accepts(f32, 0, NULL);
  write_file(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }", 4);
  accepts(boolean, 1, (int64_t[]){4});
  write_file(1, "{'descr': '>i1', 'fortran_order': False, 'shape': (4,), }", 4);
  accepts(i8, 1, (int64_t[]){4});
  static const char *const bfloats[] = {"<u2", "<V2", "|V2", "bfloat16"};
  for (int i = 0; i < 4; i++) {
    char header[100];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (3,)}",
             bfloats[i]);
    write_file(1, header, 6);
    accepts(bf16, 1, (int64_t[]){3});
  }
}

static void types_that_disagree(void) {
  write_file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", 24);
  refuses("dtype float64, but input 0 of main is float32");
  write_file(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}", 12);
  refuses_as(i64, "dtype int32, but input 0 of main is int64");
  write_file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", 3);
  refuses_as(boolean, "dtype uint8, but input 0 of main is bool");
  write_file(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", 3);
  refuses_as(u8, "dtype bool, but input 0 of main is uint8");
  write_file(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (3,)}", 6);
  refuses_as(bf16, "dtype float16, but input 0 of main is bfloat16");
}

static void files_that_are_wrong(void) {
  unlink(path);
  refuses("No such file or directory");
  mkdir(path, 0700);
  refuses("Is a directory");
  rmdir(path);
  write_bytes("", 0);
  refuses("is not a .npy file");
  write_bytes("hello, hello, hello", 19);
  refuses("is not a .npy file");
  write_bytes("\x93NUMPY\x01\x00\x40", 9);
  refuses("is not a .npy file");
  write_file(4, "{}", 0);
  refuses("is of .npy version 4.0, expected 1.0, 2.0 or 3.0");
  write_bytes("\x93NUMPY\x02\x00\x40\x00", 10);
  refuses("ends inside its header");
  write_bytes("\x93NUMPY\x01\x00\x40\x00{'descr'", 18);
  refuses("ends inside its header");
  write_bytes("\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'", 20);
  refuses("has a header of 4294967295 bytes, expected at most 1048576");
  write_bytes("\x93NUMPY\x01\x00\x04\x00{'\0}....", 18);
  refuses("has a header with a zero byte");

  static const char *const broken[] = {
      "",
      "{",
      "{}",
      "[]",
      "{'descr': '<f4'}",
      "{'descr': '<f4', 'fortran_order': False}",
      "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} 4",
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}",
      "{'descr': '<f4 'fortran_order': False, 'shape': (3,)}",
      "{'descr': 'a type with a name of more than 32 bytes', 'fortran_order': False, 'shape': ()}",
  };
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    write_file(1, broken[i], 12);
    refuses("has a header that is not a dictionary of descr, fortran_order and shape");
  }
  write_file(1, "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}", 12);
  refuses("holds records, not elements of one type");
  write_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", 12);
  refuses("has a negative size in its shape");
  write_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 12);
  refuses("has a size of more than 2^63 in its shape");
  write_file(1,
             "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
             "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
             4);
  refuses("has more than 64 dimensions");
  write_file(1, "{'descr': '<c8', 'fortran_order': False, 'shape': (3,)}", 24);
  refuses("dtype '<c8' is not one of f2 f4 f8 i1 i2 i4 i8 u1 u2 b1 bfloat16");
  write_file(1, "{'descr': '', 'fortran_order': False, 'shape': (3,)}", 24);
  refuses("dtype '' is not one of f2 f4 f8 i1 i2 i4 i8 u1 u2 b1 bfloat16");
  write_file(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (3,)}", 12);
  refuses("is big-endian ('>f4'); write it with .astype('<f4')");
  write_file(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", 24);
  refuses("is in Fortran order; write it with numpy.ascontiguousarray");
  write_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 23);
  refuses("holds 23 bytes of elements, but its shape 2x3 needs 24");
  write_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", 25);
  refuses("holds 25 bytes of elements, but its shape 2x3 needs 24");
  write_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 24);
  refuses("shape 4294967296x4294967296 is more than memory can address");
}

// A file with room for its elements (a sparse one), and a process without.
static void too_little_memory(void) {
#if !__has_feature(address_sanitizer) // which needs terabytes of addresses
  write_file(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (1099511627776,)}", 0);
  struct stat status;
  CHECK(stat(path, &status) == 0);
  if (truncate(path, status.st_size + 1099511627776) != 0)
    return; // not on this file system
  struct rlimit limit = {(rlim_t)1 << 32, (rlim_t)1 << 32}, before;
  getrlimit(RLIMIT_AS, &before);
  limit.rlim_max = before.rlim_max;
  setrlimit(RLIMIT_AS, &limit);
  refuses_as(u8, "not enough memory for 1099511627776 bytes");
  setrlimit(RLIMIT_AS, &before);
#endif
}

static void files_that_cannot_be_written(void) {
  SinterMessage message = {""};
  SinterArray a = {.dtype = f32, .ndim = 1, .shape = {5}};
  CHECK(sinter_array_allocate(&a, &message));
  memset(a.data, 0, (size_t)a.bytes);
  CHECK(!sinter_npy_write("/dev/full", &a, &message)); // small: found by fclose
  CHECK_TEXT(message.text, "/dev/full: cannot write: No space left on device");
  sinter_array_free(&a);
  a.shape[0] = 1 << 20;
  CHECK(sinter_array_allocate(&a, &message));
  memset(a.data, 0, (size_t)a.bytes);
  CHECK(!sinter_npy_write("/dev/full", &a, &message)); // large: found by fwrite
  CHECK_TEXT(message.text, "/dev/full: cannot write: No space left on device");
  CHECK(!sinter_npy_write("/no/such/folder/x.npy", &a, &message));
  CHECK_TEXT(message.text, "/no/such/folder/x.npy: No such file or directory");
  a.dtype = (DLDataType){kDLComplex, 64, 1};
  CHECK(!sinter_npy_write("/dev/null", &a, &message));
  CHECK_TEXT(message.text, "/dev/null: a .npy file has no complex64");
  sinter_array_free(&a);
}

// Whatever is in a file, it is refused in words, or read as what it holds.
static void reads_or_refuses(const void *bytes, size_t size) {
  SinterArray a;
  SinterMessage message = {""};
  write_bytes(bytes, size);
  if (!sinter_npy_read(path, &a, &message)) {
    CHECK(!a.data && strlen(message.text) > strlen(path) + 2);
    return;
  }
  int64_t want = sinter_type_bytes(a.dtype);
  for (int32_t d = 0; d < a.ndim; d++)
    want *= a.shape[d];
  CHECK(a.bytes == want && (size_t)a.bytes < size);
  sinter_array_free(&a);
}

// Every byte is replaced by some that mean something, and the file is cut behind it.
static void damaged_files(void) {
  char before_path[sizeof path];
  memcpy(before_path, path, sizeof path);
  int memory = memfd_create("damaged", 0); // some thousand files: on no disk
  snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
  static const char values[] = "\0\1\2\xff\x80()[]{}',:0192-+eL<>|O \n";
  char all[128 + 24];
  const char *header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
  write_file(1, header, 24);
  FILE *file = fopen(path, "rb");
  size_t size = fread(all, 1, sizeof all, file);
  fclose(file);
  for (size_t i = 0; i < size - 24; i++) {
    char before = all[i];
    for (size_t v = 0; v < sizeof values - 1; v++) {
      all[i] = values[v];
      reads_or_refuses(all, size);
    }
    all[i] = before;
    reads_or_refuses(all, i);
  }
  static const char *const shapes[] = {"(4294967296, 4294967296)",
                                       "(0, 9223372036854775807, 9223372036854775807)",
                                       "(9223372036854775807,)",
                                       "(9223372036854775808,)",
                                       "(-1,)",
                                       "(18446744073709551616, 0)",
                                       "(2, (3,))",
                                       "(2; 3)",
                                       "(",
                                       "(2, 3"};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    char text[200];
    snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }\n", shapes[i]);
    for (int major = 1; major <= 4; major++) {
      write_file(major, text, 24);
      SinterArray a;
      SinterMessage message = {""};
      bool empty = sinter_npy_read(path, &a, &message);
      CHECK(empty ? a.bytes == 0 && major < 4 : message.text[0] && !a.data);
      if (empty)
        sinter_array_free(&a);
    }
  }
  close(memory);
  memcpy(path, before_path, sizeof path);
}

int main(int argc, char **argv) {
  snprintf(path, sizeof path, "%s.npy", argc > 1 ? argv[1] : argv[0]);
  const DLDataType types[] = {f16, f32, f64, bf16, i8, i16, i32, i64, u8, u16, boolean};
  for (int i = 0; i < 11; i++) {
    round_trip(types[i], 0, NULL);
    round_trip(types[i], 1, (int64_t[]){5});
    round_trip(types[i], 2, (int64_t[]){37, 131});
    round_trip(types[i], 3, (int64_t[]){3, 0, 5});
    round_trip(types[i], 5, (int64_t[]){2, 1, 3, 1, 2});
    maps(i == 3 ? (DLDataType){kDLUInt, 16, 1} : types[i], 5, (int64_t[]){2, 1, 3, 1, 2});
  }
  round_trip(f32, 2, (int64_t[]){0, 3});
  maps(f32, 2, (int64_t[]){0, 3});
  write_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 12); // no multiple of 4 in front
  maps(f32, 1, (int64_t[]){3});
  write_file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 11);
  maps_not("holds 11 bytes of elements, but its shape 3 needs 12");
  bfloat16_from_float32();
  float8_from_float32();
  headers();
  types_that_disagree();
  files_that_are_wrong();
  too_little_memory();
  files_that_cannot_be_written();
  damaged_files();
  unlink(path);
  return failures != 0;
}
