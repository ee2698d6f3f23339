// padded_windows.c: an image whose windows reach beyond its edges is written with what is there, once.
//
//   contract (n, y, x) by (o = 9) product (r, s, c) (%x[n, y + r - 2, x + s - 2, c] else 0.0, %w[o, r, s, c])
// ->
//   %p = rowwise (n, y = 22) by (l = 22 * 21) ins(%x[n, y - 2, l - 2 * 21] else 0.0)      x and c as one
//   contract (n, y, x) by (o = 9) product (r, s, c) (%p[n, y + r, x + s, c], %w[o, r, s, c])
//
// Then a kernel can read windows where they lie (pack = "windows"), and nothing is compared with an edge again: an
// image under 5 x 5 windows would be copied 25 times, in short pieces. Tiles are so fast that copying windows takes
// longer than to multiply them, half as long without edges. For other kernels all stays as it is.
//
// runs in: sinter-cpu    test: test/passes/schedule/padded_windows.mlir, test/run/windows_in_place.mlir

#include "dialect/row_groups.h"
#include "dialect/schedules.h"
#include "dialect/sequence.h"
#include "passes/arrange/padding.h"
#include "passes/edit/edit.h"
#include "passes/schedule/schedule.h"
#include "target/microkernels.h"

enum {
  LEAST_READS = 3, // of two elements of what is written
  COPIED = 8,      // multiplications that take as long as to copy an element of a window
};

// The side whose rows are those of the form, as it is read.
static SnAccess *rows_side(const SnForm *f, size_t product) {
  for (size_t s = 2 * product; s < 2 * product + 2; ++s) {
    bool columns = sn_side(f, s).program.ptr;
    for (int64_t d = f->num_rows; d < f->num_rows + f->num_cols; ++d)
      columns |= sn_side_uses(f, s, d);
    if (!columns)
      return &f->inputs.data[sn_side(f, s).first];
  }
  return NULL;
}

static int64_t points(const SnForm *f, int64_t first, int64_t n) {
  int64_t all = 1;
  for (int64_t d = first; d < first + n; ++d)
    all = sn_times(all, f->dims.data[d].size);
  return all;
}

static bool is_static(const SnForm *f) {
  bool is = true;
  for (size_t d = 0; d < f->dims.size; ++d)
    is &= f->dims.data[d].size != SN_DYNAMIC && f->dims.data[d].size > 0;
  return is;
}

// Of an access with bounds whose elements are read often enough.
static bool read_padding(const SnForm *f, size_t product, const SnAccess *a, SnPadding *p) {
  int64_t written = sn_read_padding(f, a, p), rows = points(f, 0, f->num_rows);
  int64_t reads = sn_times(rows, points(f, sn_first_own(f, product), f->products.data[product].num_dims));
  return written && 2 * reads >= sn_times(LEAST_READS, written);
}

// Multiplications, or as much for what is copied for few columns.
static int64_t work(const SnForm *f) {
  int64_t all = 0, columns = points(f, f->num_rows, f->num_cols);
  for (size_t k = 0; k < f->products.size; ++k)
    all += points(f, sn_first_own(f, k), f->products.data[k].num_dims);
  return sn_times(all, sn_times(points(f, 0, f->num_rows), columns < COPIED ? COPIED : columns));
}

// As many forms as products may be asked for it: all of them are read so, or none is.
bool sn_schedule_reads_windows(const SnForm *f, const SnScheduleOptions *options) {
  MlirAttribute is = sn_schedule_brgemm(f, options);
  return is.ptr && sn_schedule_word_is(is, "pack", "windows");
}

static bool by_tiles(const SnForm *f, const SnScheduleOptions *options) {
  MlirAttribute is = sn_schedule_brgemm(f, options);
  SnMultiplied m;
  if (!is.ptr || !sn_multiplied(f, 0, &m))
    return false;
  const SnMicroKernel *line = sn_micro_kernel(sn_schedule_word(is, "kernel"), m.a, m.b, m.sum);
  return line && line->sums == SN_SUMS_IN_TILES && !line->parts;
}

static void pad(MlirOperation op, const SnAhead *options) {
  SnForm f = sn_form_read(op), to = sn_form_read(op);
  SnBuilder b = sn_before(op);
  bool may = f.products.size && sn_is_plain(&f) && !f.schedule.ptr && sn_num_results(op) && !sn_in_sequence(op) &&
             is_static(&f) && work(&f) >= options->least_work;
  SN_VEC(SnPadding) all = {0};
  for (size_t k = 0; k < f.products.size && may; ++k) {
    SnPadding p = {0};
    SnAccess *a = rows_side(&to, k);
    may = a && read_padding(&f, k, a, &p);
    if (!may)
      break;
    a->fill = mlirAttributeGetNull();
    sn_push(&all, p);
  }
  const SnScheduleOptions *schedule = &options->schedule;
  if (may && (sn_schedule_reads_windows(&to, schedule) || by_tiles(&to, schedule))) {
    for (size_t k = 0; k < f.products.size; ++k) {
      SnAccess *a = rows_side(&to, k);
      a->value = sn_write_padded(&b, rows_side(&f, k), &all.data[k]);
      a->map = sn_behind_padding(a->map, &all.data[k]);
    }
    sn_with_other_sides(&b, &f, &to);
    mlirOperationDestroy(op);
  }
  sn_vec_free(&all);
  sn_form_free(&to);
  sn_form_free(&f);
}

static MlirLogicalResult function(MlirOperation func, void *user) {
  SnOpVec forms = sn_collect(func, "sinter.contract");
  for (size_t k = 0; k < forms.size; ++k)
    pad(forms.data[k], user);
  sn_vec_free(&forms);
  return SN_OK;
}

MlirLogicalResult sn_run_ahead(const SnRun *run, MlirOperation root,
                               MlirLogicalResult (*each)(MlirOperation func, void *user)) {
  SnAhead ahead = *(const SnAhead *)run->options;
  SnTable given = {0};
  ahead.schedule.target = "cpu";
  ahead.schedule.chip = ahead.schedule.tuning = "";
  ahead.schedule.given = &given;
  MlirLogicalResult result = sn_each_function(root, each, &ahead);
  sn_table_free(&given);
  return result;
}

const SnOption sn_ahead_options[] = {
    SN_CPU_OPTIONS(SnAhead, schedule),
    {SN_OPTION_INT, "least-work", "multiplications from which on more kernels are worth what they save", SN_LEAST_WORK,
     NULL, offsetof(SnAhead, least_work)},
    {0},
};

static MlirLogicalResult run(const SnRun *run, MlirOperation root) { return sn_run_ahead(run, root, function); }

MlirDialectHandle mlirGetDialectHandle__tensor__(void);
static MlirDialectHandle (*const dialects[])(void) = {mlirGetDialectHandle__sinter__, mlirGetDialectHandle__tensor__,
                                                      NULL};

const SnPass sn_pass_padded_windows = {
    .argument = "sinter-padded-windows",
    .summary = "images whose windows reach beyond their edges -> images with what is there, where windows are read in "
               "place",
    .options = sn_ahead_options,
    .options_size = sizeof(SnAhead),
    .dialects = dialects,
    .run = run,
};
