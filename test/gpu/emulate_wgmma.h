// emulate_wgmma.h: tensor maps, copies of tiles and wgmma; part of emulate.c.
//
// A multiplication reads shared memory when its group is waited for, not before: a slot that is given back too early
// has other contents by then. What a thread may not read before the wait are its sums: they are not there.
// (PTX ISA, "Matrix Descriptor Format", "Shared Memory Matrix Layout" and "Swizzling modes" of wgmma.mma_async and
// cp.async.bulk.tensor.)

enum { MAP_DIMS = 5, LINE = 128, SUMS = 128, HANDLES = 16, WAITING = 64 };

typedef struct {
  char *memory;
  int64_t size[MAP_DIMS], stride[MAP_DIMS]; // elements; bytes
  int16_t box[MAP_DIMS], rank, element, tf32, is_image;
  int16_t step[MAP_DIMS - 2], lower[MAP_DIMS - 2], upper[MAP_DIMS - 2]; // of windows, of dimension i + 1
} Map;
_Static_assert(sizeof(Map) <= 128, "a tensor map");

void sinter_rt_tensor_map(void *to, int64_t tf32, void *memory, int64_t rank, const int64_t *numbers) {
  Map m = {.memory = memory, .rank = (int16_t)rank, .tf32 = (int16_t)tf32, .element = (int16_t)numbers[1]};
  for (int64_t d = 0; d < rank; ++d) {
    m.size[d] = numbers[3 * d];
    m.stride[d] = numbers[3 * d + 1];
    m.box[d] = (int16_t)numbers[3 * d + 2];
    int aligned = d == 0 || m.stride[d] % 16 == 0;
    if ((!aligned || m.box[d] < 1 || m.box[d] > 256 || rank > MAP_DIMS || (uintptr_t)memory % 16) && !failure[0])
      snprintf(failure, sizeof failure, "no such tensor map: dimension %lld, %lld bytes apart, a box of %d",
               (long long)d, (long long)m.stride[d], m.box[d]);
  }
  memcpy(to, &m, sizeof m);
}

// Windows: dimension 1's box is the points of a copy. (CUDA driver API, "cuTensorMapEncodeIm2col".)
void sinter_rt_image_map(void *to, int64_t tf32, void *memory, int64_t rank, const int64_t *numbers) {
  static const int corners[] = {[1] = 32767, [2] = 127, [3] = 15};
  Map m;
  sinter_rt_tensor_map(&m, tf32, memory, rank, numbers);
  m.is_image = 1;
  for (int64_t i = 0; i < rank - 2 && i < MAP_DIMS - 2; ++i) {
    const int64_t *window = numbers + 3 * (rank + i);
    int most = corners[rank - 2];
    m.step[i] = (int16_t)window[0], m.lower[i] = (int16_t)window[1], m.upper[i] = (int16_t)window[2];
    if ((window[0] < 1 || window[0] > 8 || window[1] < -most || window[1] > most || window[2] < -most ||
         window[2] > most) && !failure[0])
      snprintf(failure, sizeof failure, "no such windows: steps of %lld from %lld to %lld", (long long)window[0],
               (long long)window[1], (long long)window[2]);
  }
  memcpy(to, &m, sizeof m);
}

// Units of 16 bytes of a line change places by the line's number.
static uintptr_t swizzled(uintptr_t at) { return at ^ (at >> 7 & 7) << 4; }

// Copies that are on their way: half of them come at once, the others when somebody waits for them, and not before.
typedef struct {
  int32_t to, signal, at[MAP_DIMS], behind[MAP_DIMS]; // behind: of windows, by dimension
  const Map *map;
  Thread *by;
} Copy;
static Copy on_their_way[256];
static int num_on_their_way;

// The next point of an image: along the line, then the next line, then the next image.
static void next_point(const Map *m, int32_t *at) {
  int d = 1;
  for (; d < m->rank - 1; ++d) {
    at[d] += m->step[d - 1];
    if (at[d] <= m->size[d] - 1 + m->upper[d - 1])
      return;
    at[d] = m->lower[d - 1];
  }
  ++at[d];
}

static void copy_line(int32_t to, int64_t line, const Map *m, const int32_t *at, const int32_t *behind) {
  int64_t offset = 0;
  int inside = 1;
  for (int d = 1; d < m->rank; ++d) {
    int64_t i = at[d] + behind[d];
    inside &= i >= 0 && i < m->size[d];
    offset += i * m->stride[d];
  }
  for (int e = 0; e < m->box[0]; ++e) {
    int64_t i = at[0] + e;
    char *p = (char *)swizzled((uintptr_t)(uint32_t)to + (uintptr_t)(line * LINE + e * m->element));
    if (inside && i >= 0 && i < m->size[0])
      memcpy(p, m->memory + offset + i * m->element, (size_t)m->element);
    else
      memset(p, 0, (size_t)m->element);
    if (m->tf32)
      *(int32_t *)(void *)p = emu_tf32(*(int32_t *)(void *)p);
  }
}

// Points of an image begin where some point is: else the engine goes on nobody knows where.
static int is_a_point(const Map *m, const int32_t *at) {
  int is = 1;
  for (int d = 1; d < m->rank - 1; ++d)
    is &= at[d] >= m->lower[d - 1] && at[d] <= m->size[d] - 1 + m->upper[d - 1] &&
          (at[d] - m->lower[d - 1]) % m->step[d - 1] == 0;
  return is;
}

static void copy_tile_now(const Copy *c) {
  const Map *m = c->map;
  int64_t lines = 1;
  int32_t point[MAP_DIMS];
  if ((uint32_t)c->to % 1024 || m->box[0] * m->element != LINE) {
    snprintf(failure, sizeof failure, "%s: a tile is copied to %u, in lines of %d bytes", kernel->name,
             (uint32_t)c->to, m->box[0] * m->element);
    return;
  }
  for (int d = 0; d < m->rank; ++d)
    if (m->size[d] < 1) {
      snprintf(failure, sizeof failure, "%s: a copy of a tensor without elements", kernel->name);
      return;
    }
  if (m->is_image && !is_a_point(m, c->at)) {
    snprintf(failure, sizeof failure, "%s: a copy begins where no window does", kernel->name);
    return;
  }
  for (int d = 1; d < m->rank; ++d)
    lines *= m->box[d];
  memcpy(point, c->at, sizeof point);
  for (int64_t line = 0; line < lines; ++line) {
    int64_t rest = line;
    for (int d = 1; d < m->rank && !m->is_image; rest /= m->box[d++])
      point[d] = c->at[d] + (int32_t)(rest % m->box[d]);
    copy_line(c->to, line, m, point, c->behind);
    if (m->is_image)
      next_point(m, point);
  }
  touch((void *)(uintptr_t)(uint32_t)c->to, lines * LINE, 1);
  use(c->signal);
  signalled();
  AT(c->signal)->pending -= (int32_t)(lines * LINE);
  settle(AT(c->signal));
}
static void copies_for(int32_t signal) {
  int left = 0;
  for (int i = 0; i < num_on_their_way; ++i) {
    Copy c = on_their_way[i];
    Thread *waits = me;
    if (c.signal != signal) {
      on_their_way[left++] = c;
      continue;
    }
    me = c.by;
    copy_tile_now(&c);
    me = waits;
  }
  num_on_their_way = left;
}
static void copy_points(int32_t to, const Map *m, const int32_t *at, const int16_t *behind, int32_t signal) {
  Copy c = {.to = to, .signal = signal, .map = m, .by = me};
  memcpy(c.at, at, (size_t)m->rank * sizeof *at);
  for (int i = 0; behind && i < m->rank - 2; ++i)
    c.behind[i + 1] = (uint16_t)behind[i];
  if (m->is_image != !!behind) {
    snprintf(failure, sizeof failure, "%s: a copy of windows by a map of boxes, or the other way", kernel->name);
    return;
  }
  if (draw() >> 31 || num_on_their_way == 256)
    copy_tile_now(&c);
  else
    on_their_way[num_on_their_way++] = c;
}
static void copy_tile(int32_t to, const Map *m, const int32_t *at, int32_t signal) {
  copy_points(to, m, at, NULL, signal);
}
void emu_tile_copy1(int32_t to, const Map *m, int32_t a, int32_t s) { copy_tile(to, m, (int32_t[]){a}, s); }
void emu_tile_copy2(int32_t to, const Map *m, int32_t a, int32_t b, int32_t s) {
  copy_tile(to, m, (int32_t[]){a, b}, s);
}
void emu_tile_copy3(int32_t to, const Map *m, int32_t a, int32_t b, int32_t c, int32_t s) {
  copy_tile(to, m, (int32_t[]){a, b, c}, s);
}
void emu_tile_copy4(int32_t to, const Map *m, int32_t a, int32_t b, int32_t c, int32_t d, int32_t s) {
  copy_tile(to, m, (int32_t[]){a, b, c, d}, s);
}
void emu_tile_copy5(int32_t to, const Map *m, int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t s) {
  copy_tile(to, m, (int32_t[]){a, b, c, d, e}, s);
}

// To the same place of all blocks of the cluster that the mask names.
static void copy_to_blocks(int32_t to, const Map *m, const int32_t *at, const int16_t *behind, int32_t signal,
                           int16_t blocks) {
  for (int32_t rank = 0; rank < 16; ++rank)
    if (blocks >> rank & 1) {
      if (rank >= cluster_size) {
        snprintf(failure, sizeof failure, "%s: a copy to block %d of %lld", kernel->name, rank,
                 (long long)cluster_size);
        return;
      }
      copy_points(emu_mapa(to, rank), m, at, behind, emu_mapa(signal, rank));
    }
}
static void copy_tiles(int32_t to, const Map *m, const int32_t *at, int32_t signal, int16_t blocks) {
  copy_to_blocks(to, m, at, NULL, signal, blocks);
}
void emu_tile_copies1(int32_t to, const Map *m, int32_t a, int32_t s, int16_t blocks) {
  copy_tiles(to, m, (int32_t[]){a}, s, blocks);
}
void emu_tile_copies2(int32_t to, const Map *m, int32_t a, int32_t b, int32_t s, int16_t blocks) {
  copy_tiles(to, m, (int32_t[]){a, b}, s, blocks);
}
void emu_tile_copies3(int32_t to, const Map *m, int32_t a, int32_t b, int32_t c, int32_t s, int16_t blocks) {
  copy_tiles(to, m, (int32_t[]){a, b, c}, s, blocks);
}
void emu_tile_copies4(int32_t to, const Map *m, int32_t a, int32_t b, int32_t c, int32_t d, int32_t s, int16_t blocks) {
  copy_tiles(to, m, (int32_t[]){a, b, c, d}, s, blocks);
}
void emu_tile_copies5(int32_t to, const Map *m, int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t s,
                      int16_t blocks) {
  copy_tiles(to, m, (int32_t[]){a, b, c, d, e}, s, blocks);
}

// Of windows: behind each point x, y, z.
void emu_image_copy3(int32_t to, const Map *m, int32_t a, int32_t b, int32_t c, int32_t s, int16_t x) {
  copy_points(to, m, (int32_t[]){a, b, c}, (int16_t[]){x}, s);
}
void emu_image_copy4(int32_t to, const Map *m, int32_t a, int32_t b, int32_t c, int32_t d, int32_t s, int16_t x,
                     int16_t y) {
  copy_points(to, m, (int32_t[]){a, b, c, d}, (int16_t[]){x, y}, s);
}
void emu_image_copy5(int32_t to, const Map *m, int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t s,
                     int16_t x, int16_t y, int16_t z) {
  copy_points(to, m, (int32_t[]){a, b, c, d, e}, (int16_t[]){x, y, z}, s);
}
void emu_image_copies3(int32_t to, const Map *m, int32_t a, int32_t b, int32_t c, int32_t s, int16_t x,
                       int16_t blocks) {
  copy_to_blocks(to, m, (int32_t[]){a, b, c}, (int16_t[]){x}, s, blocks);
}
void emu_image_copies4(int32_t to, const Map *m, int32_t a, int32_t b, int32_t c, int32_t d, int32_t s, int16_t x,
                       int16_t y, int16_t blocks) {
  copy_to_blocks(to, m, (int32_t[]){a, b, c, d}, (int16_t[]){x, y}, s, blocks);
}
void emu_image_copies5(int32_t to, const Map *m, int32_t a, int32_t b, int32_t c, int32_t d, int32_t e, int32_t s,
                       int16_t x, int16_t y, int16_t z, int16_t blocks) {
  copy_to_blocks(to, m, (int32_t[]){a, b, c, d, e}, (int16_t[]){x, y, z}, s, blocks);
}

// ---- wgmma ---------------------------------------------------------------------------------------

typedef struct {
  int64_t a, b; // descriptors
  int32_t handle, n, type, type_b, lines_a, lines_b, fresh; // lines_a: lines of a are along the sum
  int32_t of_registers;
  float x[2][16]; // then: a of this thread's two rows
} Multiplication;
typedef struct {
  double sums[HANDLES][SUMS];
  int32_t handles, num, committed[WAITING], groups;
  int32_t given;
  Multiplication waiting[WAITING];
} Warpgroup; // what one thread has of it
static Warpgroup *warpgroups[MOST];

static Warpgroup *mine(void) {
  Warpgroup **w = &warpgroups[me - threads];
  if (!*w)
    *w = calloc(1, sizeof **w);
  return *w;
}

// Byte `byte` of the sum of row or column i.
static uintptr_t element_at(int64_t descriptor, int lines_of_sum, int64_t i, int64_t byte) {
  uintptr_t base = (uintptr_t)(shared + (me->block - first_block) * shared_stride);
  uintptr_t low = (uintptr_t)(descriptor & 0x3fff) << 4; // of 18 bits
  int64_t leading = (descriptor >> 16 & 0x3fff) << 4, stride = (descriptor >> 32 & 0x3fff) << 4;
  uintptr_t at = base + ((low - base) & 0x3ffff);
  if (lines_of_sum)
    return swizzled(at + (uintptr_t)(i / 8 * stride + i % 8 * LINE + byte));
  return swizzled(at + (uintptr_t)(i / 64 * leading + byte / 2 / 8 * stride + byte / 2 % 8 * LINE + i % 64 * 2));
}

static double value_at(uintptr_t p, Mma type) {
  int32_t word = 0;
  if (type == MMA_E4M3 || type == MMA_E5M2)
    return sinter_float8_value((DLDataType){type == MMA_E4M3 ? SINTER_DL_FLOAT8_E4M3FN : SINTER_DL_FLOAT8_E5M2, 8, 1},
                               *(uint8_t *)p);
  memcpy(&word, (void *)p, (size_t)mma_bytes[type]);
  int32_t one = type == MMA_BF16 ? 0x3f80 : type == MMA_F16 ? 0x3c00 : type == MMA_TF32 ? 0x3f800000 : 1;
  return word_product(type, word, one);
}

static void run_multiplication(Warpgroup *w, const Multiplication *m) {
  int64_t lane = (me - threads) % 128, row = lane / 32 * 16 + lane % 32 / 4, element = mma_bytes[m->type],
          k = 32 / element;
  double *sums = w->sums[m->handle];
  for (int64_t i = 0; i < k; ++i) {
    double x[2] = {m->x[0][i % 16], m->x[1][i % 16]};
    for (int64_t r = 0; r < 2 && !m->of_registers; ++r) {
      uintptr_t at = element_at(m->a, m->lines_a, row + 8 * r, i * element);
      touch((void *)at, element, 0);
      x[r] = value_at(at, (Mma)m->type);
    }
    for (int32_t v = 0; v < m->n / 2; v += 4)
      for (int c = 0; c < 2; ++c) {
        int64_t column = v * 2 + lane % 4 * 2 + c;
        uintptr_t at = element_at(m->b, m->lines_b, column, i * element);
        if (lane % 32 < 4)
          touch((void *)at, element, 0);
        double y = value_at(at, (Mma)m->type_b);
        sums[v + c] += x[0] * y;
        sums[v + 2 + c] += x[1] * y;
      }
  }
}

int64_t emu_wgmma(int64_t sums, int64_t a, int64_t b, int32_t n, int32_t type, int32_t type_b, int32_t lines_a,
                  int32_t lines_b, int32_t fresh) {
  Warpgroup *w = mine();
  if (fresh) {
    sums = w->handles++ % HANDLES;
    memset(w->sums[sums], 0, sizeof w->sums[sums]);
  }
  if (w->num == WAITING)
    abort();
  w->waiting[w->num++] = (Multiplication){.a = a,
                                          .b = b,
                                          .handle = (int32_t)sums,
                                          .n = n,
                                          .type = type,
                                          .type_b = type_b,
                                          .lines_a = lines_a,
                                          .lines_b = lines_b,
                                          .fresh = fresh};
  return sums;
}

// Sums that were registers, one after the other, or none; then the struct that they begin.
void emu_give_sum(float x) {
  Warpgroup *w = mine();
  w->sums[w->handles % HANDLES][w->given++] = x;
}
int64_t emu_given_sums(void) {
  Warpgroup *w = mine();
  double *sums = w->sums[w->handles % HANDLES];
  memset(sums + w->given, 0, (size_t)(SUMS - w->given) * sizeof *sums);
  w->given = 0;
  return w->handles++ % HANDLES;
}
// One step whose a is in registers: four lanes have pairs of each row.
void emu_wgmma_words(int64_t sums, int64_t b, int32_t w0, int32_t w1, int32_t w2, int32_t w3, int32_t n, int32_t type,
                     int32_t lines_b) {
  int32_t words[] = {w0, w1, w2, w3};
  Multiplication m = {
      .b = b, .handle = (int32_t)sums, .n = n, .type = type, .type_b = type, .lines_b = lines_b, .of_registers = 1};
  Warpgroup *w = mine();
  for (int i = 0; i < 4; ++i) {
    int64_t index = me - threads, turn = me->shuffles & 1;
    slots[turn][index].u = (uint32_t)words[i];
    wait_for(&warp_count[index / 32], 32, &me->shuffles);
    for (int64_t lane = 0; lane < 4; ++lane)
      for (int half = 0; half < 2; ++half) {
        uint32_t both = (uint32_t)slots[turn][index / 4 * 4 + lane].u;
        uint16_t bits = (uint16_t)(both >> 16 * half);
        m.x[i % 2][i / 2 * 8 + lane * 2 + half] = (float)value_at((uintptr_t)&bits, (Mma)type);
      }
  }
  if (w->num == WAITING)
    abort();
  w->waiting[w->num++] = m;
}
void emu_wgmma_commit(void) { mine()->committed[mine()->groups++] = mine()->num; }
void emu_wgmma_wait(int32_t left) {
  Warpgroup *w = mine();
  int32_t groups = w->groups > left ? w->groups - left : 0, end = groups ? w->committed[groups - 1] : 0;
  for (int32_t i = 0; i < end; ++i)
    run_multiplication(w, &w->waiting[i]);
  memmove(w->waiting, w->waiting + end, (size_t)(w->num - end) * sizeof *w->waiting);
  for (int32_t g = groups; g < w->groups; ++g)
    w->committed[g - groups] = w->committed[g] - end;
  w->num -= end;
  w->groups -= groups;
  emu_warp_barrier(); // all lanes have waited
}
float emu_sum_f32(int64_t sums, int32_t i) { return (float)mine()->sums[sums][i]; }
int32_t emu_sum_i32(int64_t sums, int32_t i) { return (int32_t)(int64_t)mine()->sums[sums][i]; }

int32_t emu_elect(void) { return me->thread % 32 == 0; }
int32_t emu_any(int32_t x) {
  int64_t index = me - threads, turn = me->shuffles & 1;
  int32_t some = 0;
  slots[turn][index].u = x & 1;
  wait_for(&warp_count[index / 32], 32, &me->shuffles);
  for (int64_t lane = 0; lane < 32; ++lane)
    some |= (int32_t)slots[turn][index / 32 * 32 + lane].u;
  return some;
}
int32_t emu_shuffle_idx(int32_t x, int32_t lane) {
  int64_t index = me - threads, turn = me->shuffles & 1;
  slots[turn][index].u = (uint32_t)x;
  wait_for(&warp_count[index / 32], 32, &me->shuffles);
  return (int32_t)slots[turn][index / 32 * 32 + lane].u;
}
