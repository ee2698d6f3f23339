// npy.c: arrays in NumPy's .npy files.
//
//   \x93NUMPY  major minor  length of the header (2 bytes, from 2.0 on 4)
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   spaces, \n
//   elements

#include "npy.h"
#include "describe.h"
#include "file.h"
#include "float8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// What a descr stands for. The first row of a type is what is written.
typedef struct Descr {
  const char *text; // without the byte order
  DLDataType type;
} Descr;

static const Descr descrs[] = {
    {"f4", {kDLFloat, 32, 1}},  {"f8", {kDLFloat, 64, 1}},
    {"f2", {kDLFloat, 16, 1}},  {"i8", {kDLInt, 64, 1}},
    {"i4", {kDLInt, 32, 1}},    {"i2", {kDLInt, 16, 1}},
    {"i1", {kDLInt, 8, 1}},     {"u1", {kDLUInt, 8, 1}},
    {"u2", {kDLUInt, 16, 1}},   {"b1", {SINTER_DL_BOOL, 8, 1}},
    {"V2", {kDLBfloat, 16, 1}}, {"bfloat16", {kDLBfloat, 16, 1}},
    {"V1", {kDLUInt, 8, 1}}, // ml_dtypes' floats of 8 bits
    {NULL, {0, 0, 0}},
};

enum { HEADER_LIMIT = 1 << 20 }; // far above any header of one array

__attribute__((format(printf, 3, 4))) static bool fail(SinterMessage *message, const char *path,
                                                       const char *format, ...) {
  int length = snprintf(message->text, sizeof message->text, "%.500s: ", path);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message->text + length, sizeof message->text - (size_t)length, format, arguments);
  va_end(arguments);
  return false;
}

bool sinter_array_allocate(SinterArray *array, SinterMessage *message) {
  int64_t bytes = sinter_type_bytes(array->dtype);
  bool empty = false, overflow = false;
  for (int32_t d = 0; d < array->ndim; d++) {
    empty |= array->shape[d] == 0;
    overflow |= __builtin_mul_overflow(bytes, array->shape[d], &bytes);
  }
  array->bytes = empty ? 0 : bytes;
  array->data = NULL;
  int64_t room = 0;
  if (!empty && (overflow || __builtin_add_overflow(bytes, SINTER_WORKSPACE_ALIGNMENT, &room))) {
    snprintf(message->text, sizeof message->text, "shape %s is more than memory can address",
             sinter_describe_shape(array->ndim, array->shape).text);
    return false;
  }
  int64_t rounded = room / SINTER_WORKSPACE_ALIGNMENT * SINTER_WORKSPACE_ALIGNMENT;
  array->data = aligned_alloc(SINTER_WORKSPACE_ALIGNMENT,
                              rounded ? (size_t)rounded : SINTER_WORKSPACE_ALIGNMENT);
  if (!array->data) {
    snprintf(message->text, sizeof message->text, "not enough memory for %lld bytes",
             (long long)array->bytes);
    return false;
  }
  return true;
}

void sinter_array_free(SinterArray *array) {
  free(array->data);
  array->data = NULL;
  array->bytes = 0;
}

// The header, a Python dictionary.

typedef struct Header {
  char descr[32];
  bool fortran;
  int32_t ndim;
  int64_t shape[SINTER_MAX_RANK];
} Header;

static const char *skip(const char *s) { return s + strspn(s, " \t\n"); }

// After word, or NULL. NULL in, NULL out: a chain of these stops at the first
// that does not match.
static const char *after(const char *s, const char *word) {
  if (!s)
    return NULL;
  s = skip(s);
  size_t length = strlen(word);
  return strncmp(s, word, length) == 0 ? s + length : NULL;
}

static const char *parse_string(const char *s, char *out, size_t room) {
  s = s ? skip(s) : "";
  char quote = *s;
  if (quote != '\'' && quote != '"')
    return NULL;
  const char *end = strchr(s + 1, quote);
  if (!end || (size_t)(end - s) > room)
    return NULL;
  memcpy(out, s + 1, (size_t)(end - s - 1));
  out[end - s - 1] = 0;
  return end + 1;
}

// (3, 4), (3,), ()
static const char *parse_shape(const char *s, Header *h, const char **why) {
  s = after(s, "(");
  h->ndim = 0;
  while (s && !after(s, ")")) {
    s = skip(s);
    char *end;
    errno = 0;
    long long size = strtoll(s, &end, 10);
    if (end == s)
      return NULL;
    if (size < 0 || errno == ERANGE) {
      *why = size < 0 ? "has a negative size in its shape"
                      : "has a size of more than 2^63 in its shape";
      return NULL;
    }
    if (h->ndim == SINTER_MAX_RANK) {
      *why = "has more than 64 dimensions";
      return NULL;
    }
    h->shape[h->ndim++] = size;
    s = *end == 'L' ? end + 1 : end; // Python 2
    const char *comma = after(s, ",");
    s = comma ? comma : after(s, ")") ? s : NULL;
  }
  return after(s, ")");
}

static bool parse_header(const char *path, const char *s, Header *h, SinterMessage *message) {
  bool has_descr = false, has_order = false, has_shape = false;
  const char *why = "has a header that is not a dictionary of descr, fortran_order and shape";
  s = after(s, "{");
  while (s && !after(s, "}")) {
    char key[32];
    s = after(parse_string(s, key, sizeof key), ":");
    if (s && strcmp(key, "descr") == 0) {
      if (after(s, "["))
        return fail(message, path, "holds records, not elements of one type");
      s = parse_string(s, h->descr, sizeof h->descr);
      has_descr = true;
    } else if (s && strcmp(key, "fortran_order") == 0) {
      const char *yes = after(s, "True");
      h->fortran = yes != NULL;
      s = yes ? yes : after(s, "False");
      has_order = true;
    } else if (s && strcmp(key, "shape") == 0) {
      s = parse_shape(s, h, &why);
      has_shape = true;
    } else {
      s = NULL;
    }
    const char *comma = after(s, ",");
    s = comma ? comma : after(s, "}") ? s : NULL;
  }
  if (!s || !has_descr || !has_order || !has_shape || *skip(after(s, "}")))
    return fail(message, path, "%s", why);
  return true;
}

// The type of a header, and the order of its elements.
static bool accept(const char *path, const Header *h, SinterArray *array, SinterMessage *message) {
  const char *name = h->descr;
  char order = strchr("<>|=", *name) && *name ? *name++ : '=';
  const Descr *d = descrs;
  while (d->text && strcmp(d->text, name) != 0)
    d++;
  if (!d->text)
    return fail(message, path, "dtype '%s' is not one of f2 f4 f8 i1 i2 i4 i8 u1 u2 b1 bfloat16",
                h->descr);
  if (order == '>' && d->type.bits > 8)
    return fail(message, path, "is big-endian ('%s'); write it with .astype('<%s')", h->descr,
                name);
  int32_t wide = 0;
  bool empty = false;
  for (int32_t i = 0; i < h->ndim; i++) {
    wide += h->shape[i] > 1;
    empty |= h->shape[i] == 0;
  }
  if (h->fortran && wide > 1 && !empty)
    return fail(message, path, "is in Fortran order; write it with numpy.ascontiguousarray");
  array->dtype = d->type;
  array->ndim = h->ndim;
  memcpy(array->shape, h->shape, sizeof array->shape);
  return true;
}

static bool read_header(FILE *file, const char *path, Header *h, SinterMessage *message) {
  unsigned char start[12];
  size_t got = fread(start, 1, 10, file);
  if (ferror(file))
    return fail(message, path, "%s", strerror(errno));
  if (got < 10 || memcmp(start, "\x93NUMPY", 6) != 0)
    return fail(message, path, "is not a .npy file");
  int major = start[6];
  if (major < 1 || major > 3)
    return fail(message, path, "is of .npy version %d.%d, expected 1.0, 2.0 or 3.0", major,
                start[7]);
  size_t length = start[8] | (size_t)start[9] << 8;
  if (major > 1) {
    if (fread(start + 10, 1, 2, file) < 2)
      return fail(message, path, "ends inside its header");
    length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
  }
  if (length > HEADER_LIMIT)
    return fail(message, path, "has a header of %zu bytes, expected at most %d", length,
                HEADER_LIMIT);
  char *text = malloc(length + 1);
  if (!text)
    return fail(message, path, "not enough memory for a header of %zu bytes", length);
  bool ok;
  if (fread(text, 1, length, file) < length) {
    ok = fail(message, path, "ends inside its header");
  } else {
    text[length] = 0;
    ok = strlen(text) == length ? parse_header(path, text, h, message)
                                : fail(message, path, "has a header with a zero byte");
  }
  free(text);
  return ok;
}

// Bytes of elements that the shape needs; more than 2^63 of them are *huge.
static int64_t bytes_needed(const SinterArray *array, bool *huge) {
  int64_t bytes = sinter_type_bytes(array->dtype);
  bool empty = false;
  *huge = false;
  for (int32_t d = 0; d < array->ndim; d++) {
    empty |= array->shape[d] == 0;
    *huge |= __builtin_mul_overflow(bytes, array->shape[d], &bytes);
  }
  *huge &= !empty;
  return empty ? 0 : bytes;
}

// Whether a regular file holds as many bytes of elements as the shape needs. Sets *regular where it is one.
static bool holds_all(FILE *file, const char *path, const SinterArray *array, bool *regular, SinterMessage *message) {
  bool huge;
  int64_t bytes = bytes_needed(array, &huge);
  struct stat status;
  long at = ftell(file);
  *regular = at >= 0 && fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
  int64_t have = *regular ? (int64_t)status.st_size - at : 0;
  if (*regular && !huge && have != bytes)
    return fail(message, path, "holds %lld bytes of elements, but its shape %s needs %lld", (long long)have,
                sinter_describe_shape(array->ndim, array->shape).text, (long long)bytes);
  return true;
}

static bool read_elements(FILE *file, const char *path, SinterArray *array, SinterMessage *message) {
  // A truncated file says so before its memory is asked for.
  SinterMessage reason = {""};
  bool regular;
  if (!holds_all(file, path, array, &regular, message))
    return false;
  if (!sinter_array_allocate(array, &reason))
    return fail(message, path, "%s", reason.text);
  size_t got = fread(array->data, 1, (size_t)array->bytes, file);
  if (ferror(file))
    return fail(message, path, "%s", strerror(errno));
  if (got < (size_t)array->bytes)
    return fail(message, path, "holds %zu bytes of elements, but its shape %s needs %lld", got,
                sinter_describe_shape(array->ndim, array->shape).text, (long long)array->bytes);
  if (fgetc(file) != EOF)
    return fail(message, path, "goes on after its elements");
  if (array->dtype.code == SINTER_DL_BOOL)
    for (int64_t i = 0; i < array->bytes; i++)
      ((uint8_t *)array->data)[i] = ((uint8_t *)array->data)[i] != 0;
  return true;
}

bool sinter_npy_read(const char *path, SinterArray *array, SinterMessage *message) {
  *array = (SinterArray){.data = NULL};
  FILE *file = fopen(path, "rb");
  if (!file)
    return fail(message, path, "%s", strerror(errno));
  Header header = {.ndim = 0};
  bool ok = read_header(file, path, &header, message) && accept(path, &header, array, message) &&
            read_elements(file, path, array, message);
  fclose(file);
  if (!ok)
    sinter_array_free(array);
  return ok;
}

static bool map_elements(FILE *file, const char *path, SinterArray *array, SinterMessage *message) {
  bool regular, huge;
  array->bytes = bytes_needed(array, &huge);
  if (!holds_all(file, path, array, &regular, message))
    return false;
  if (!regular || huge)
    return fail(message, path, huge ? "has a shape of more than 2^63 bytes" : "is no regular file");
  if (!array->bytes)
    return true;
  // A mapping begins with a page: the one that the first element is in.
  long at = ftell(file), before = at % sysconf(_SC_PAGESIZE);
  char *pages = mmap(NULL, (size_t)(array->bytes + before), PROT_READ, MAP_PRIVATE, fileno(file), at - before);
  if (pages == MAP_FAILED)
    return fail(message, path, "cannot be mapped: %s", strerror(errno));
  array->data = pages + before;
  return true;
}

bool sinter_npy_map(const char *path, SinterArray *array, SinterMessage *message) {
  *array = (SinterArray){.data = NULL};
  struct stat status; // a pipe would be waited for
  if (!stat(path, &status) && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return fail(message, path, "is no regular file");
  FILE *file = fopen(path, "rb");
  if (!file)
    return fail(message, path, "%s", strerror(errno));
  Header header = {.ndim = 0};
  bool ok = read_header(file, path, &header, message) && accept(path, &header, array, message) &&
            map_elements(file, path, array, message);
  fclose(file);
  return ok;
}

void sinter_npy_unmap(const void *data, size_t bytes) {
  uintptr_t before = (uintptr_t)data % (uintptr_t)sysconf(_SC_PAGESIZE);
  if (data)
    munmap((char *)(uintptr_t)data - before, bytes + before);
}

// To nearest even, as hardware does it; a NaN stays one.
static uint16_t bfloat16_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (x != x)
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// An array of float32 becomes one of a type that NumPy does not have.
static bool round_to(const char *path, DLDataType type, SinterArray *array, SinterMessage *message) {
  SinterArray narrow = *array;
  narrow.dtype = type;
  SinterMessage reason;
  if (!sinter_array_allocate(&narrow, &reason)) {
    sinter_array_free(array);
    return fail(message, path, "%s", reason.text);
  }
  const float *x = array->data;
  for (int64_t i = 0; i < array->bytes / 4; i++)
    if (type.bits == 8)
      ((uint8_t *)narrow.data)[i] = sinter_float8_of(type, x[i]);
    else
      ((uint16_t *)narrow.data)[i] = bfloat16_of(x[i]);
  sinter_array_free(array);
  *array = narrow;
  return true;
}

bool sinter_npy_read_as(const char *path, DLDataType wanted, const char *what, SinterArray *array,
                        SinterMessage *message) {
  if (!sinter_npy_read(path, array, message))
    return false;
  if (sinter_same_type(array->dtype, wanted))
    return true;
  bool narrow = wanted.code == kDLBfloat || sinter_is_float8(wanted);
  DLDataType bits = {kDLUInt, wanted.bits, 1}, float32 = {kDLFloat, 32, 1};
  if (narrow && sinter_same_type(array->dtype, bits)) {
    array->dtype = wanted;
    return true;
  }
  if (narrow && sinter_same_type(array->dtype, float32))
    return round_to(path, wanted, array, message);
  fail(message, path, "dtype %s, but %s is %s", sinter_describe_type(array->dtype).text, what,
       sinter_describe_type(wanted).text);
  sinter_array_free(array);
  return false;
}

bool sinter_npy_write(const char *path, const SinterArray *array, SinterMessage *message) {
  DLDataType type = array->dtype;
  if (type.code == kDLBfloat || sinter_is_float8(type))
    type.code = kDLUInt;
  const Descr *d = descrs;
  while (d->text && !sinter_same_type(d->type, type))
    d++;
  if (!d->text)
    return fail(message, path, "a .npy file has no %s", sinter_describe_type(type).text);

  // Space for 32 sizes of 20 digits.
  char header[1024];
  int length =
      snprintf(header, sizeof header, "{'descr': '%c%s', 'fortran_order': False, 'shape': (",
               type.bits > 8 ? '<' : '|', d->text);
  for (int32_t i = 0; i < array->ndim; i++)
    length += snprintf(header + length, sizeof header - (size_t)length, "%s%lld%s", i ? " " : "",
                       (long long)array->shape[i], i == 0 || i + 1 < array->ndim ? "," : "");
  length += snprintf(header + length, sizeof header - (size_t)length, "), }");
  // NumPy wants the elements to start at a multiple of 64.
  while ((10 + length + 1) % 64 != 0)
    header[length++] = ' ';
  header[length++] = '\n';
  const unsigned char start[10] = {0x93,
                                   'N',
                                   'U',
                                   'M',
                                   'P',
                                   'Y',
                                   1,
                                   0,
                                   (unsigned char)(length & 255),
                                   (unsigned char)(length >> 8)};

  SinterFile file;
  if (!sinter_file_create(&file, path, false))
    return fail(message, path, "%s", strerror(errno));
  fwrite(start, 1, sizeof start, file.to);
  fwrite(header, 1, (size_t)length, file.to);
  fwrite(array->data, 1, (size_t)array->bytes, file.to);
  return sinter_file_finish(&file) || fail(message, path, "cannot write: %s", strerror(errno));
}
