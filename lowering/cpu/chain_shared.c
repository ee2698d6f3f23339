// chain_shared.c: sides of a product that are copied once for all tasks, before the first of them multiplies.
//
//   #sinter.brgemm<pack = "shared", weights = "shared", m = 55, n = 64, k = 256, ...>
//
//   task t: rows of a block, a panel of k summed elements          a_pack[block][panel]
//   task t: some panels of n columns, k summed elements of each    b_pack[batch][sum / k][columns / n]
//   task t: blocks of products, from both: chain.c
//
// Weights of a call that a kernel wants otherwise than they lie would else be copied again by every block of rows, and
// a block has few rows, so that threads have tasks.
//
// test: test/lowering/cpu/chain_shared.mlir, test/run/chain_shared.mlir

#include "lowering/cpu/chain.h"
#include "lowering/rows/index.h"

// ---- tasks that copy ----------------------------------------------------------------------------

// What the kernel's own tasks need again behind them.
typedef struct {
  SnForm f; // in the task
  Product *outside;
} Copying;

static size_t bytes_of(const Segment *s) { return (s->form.products.size + 1) * sizeof *s->products; }

static Copying begin(Chain *chain, const SnForm *form) {
  Contract *c = &chain->c;
  Segment *s = &chain->segments.data[0];
  Copying x = {.outside = sn_alloc(bytes_of(s))};
  memcpy(x.outside, s->products, bytes_of(s));
  c->t = sn_cpu_task_begin(c->kernel);
  x.f = sn_cpu_form_in_task(form, &c->t);
  sn_cpu_count_blocks(c, &c->t.b, &x.f);
  sn_cpu_segment_in_task(chain, s);
  c->f = s->f;
  return x;
}

static void end(Chain *chain, const SnForm *form, Copying *x, MlirValue tasks) {
  Contract *c = &chain->c;
  Segment *s = &chain->segments.data[0];
  sn_cpu_task_end(c->kernel, &c->t, tasks);
  memcpy(s->products, x->outside, bytes_of(s));
  free(x->outside);
  sn_form_free(&s->f);
  s->f = (SnForm){0};
  sn_form_free(&x->f);
  sn_cpu_count_blocks(c, &c->kernel->b, form);
}

void sn_cpu_share_rows(Chain *chain, const SnForm *form) {
  Contract *c = &chain->c;
  Segment *s = &chain->segments.data[0];
  SnBuilder *b = &c->t.b;
  int64_t panels = sn_cpu_most_panels(c, s);
  MlirValue tasks = sn_size_mul(&c->kernel->b, c->all_row_blocks, sn_index(&c->kernel->b, panels));
  Copying x = begin(chain, form);
  sn_cpu_block_rows(c, &x.f, sn(b, "arith.divui", c->t.index, sn_index(b, panels)));
  MlirValue panel = sn(b, "arith.remui", c->t.index, sn_index(b, panels));
  for (size_t p = 0; p < s->f.products.size; ++p)
    if (!s->products[p].lda)
      sn_cpu_pack_a_panel(c, &s->products[p], panel);
  end(chain, form, &x, tasks);
}

// ---- weights --------------------------------------------------------------------------------------

static int64_t steps(const Contract *c, const Product *p) { return sn_pieces(p->sum, c->k); }
static int64_t panels(const Contract *c, const SnForm *f) { return sn_pieces(sn_row_length(f), c->n); }

MlirValue sn_cpu_shared_rows(const Contract *c, SnBuilder *b, const SnForm *f, const Product *p) {
  MlirValue batch = sn_form_sizes(b, f, 0, f->num_rows - c->together);
  return sn_size_mul(b, batch, sn_index(b, steps(c, p) * panels(c, f) * sn_cpu_b_rows(c, p)));
}

MlirValue sn_cpu_shared_row(Contract *c, const Product *p, MlirValue k0, MlirValue n0) {
  SnBuilder *b = &c->t.b;
  MlirValue step = plus(b, times(b, c->batch, steps(c, p)), sn(b, "arith.divui", k0, sn_index(b, c->k)));
  MlirValue panel = plus(b, times(b, step, panels(c, &c->f)), sn(b, "arith.divui", n0, sn_index(b, c->n)));
  return times(b, panel, sn_cpu_b_rows(c, p));
}

// The panels that are copied together, of one step: part `part` of all of a batch index.
static void copy_part(Contract *c, Product *p, int64_t groups, MlirValue part) {
  SnBuilder *b = &c->t.b;
  int64_t together = c->panels * c->n;
  MlirValue sum = sn_index(b, p->sum), length = sn_index(b, sn_row_length(&c->f)), k = sn_index(b, c->k);
  MlirValue k0 = sn(b, "arith.muli", sn(b, "arith.divui", part, sn_index(b, groups)), k);
  MlirValue n0 = times(b, sn(b, "arith.remui", part, sn_index(b, groups)), together);
  SnIf some = sn_if(b, sn(b, "arith.cmpi", k0, sum, sn_attr("predicate", sn_i64(b->ctx, 6)))); // ult
  c->k_unit = p->sum <= c->k ? 0 : c->k;
  sn_cpu_pack_b(c, p, k0, sn_cpu_smaller(b, k, c->k, k0, sum), n0,
                sn_cpu_smaller(b, sn_index(b, together), together, n0, length), sn_cpu_shared_row(c, p, k0, n0));
  sn_end_if(b, &some);
}

void sn_cpu_share_weights(Chain *chain, const SnForm *form) {
  Contract *c = &chain->c;
  Segment *s = &chain->segments.data[0];
  SnBuilder *outside = &c->kernel->b, *b = &c->t.b;
  int64_t groups = panels(c, form) ? sn_pieces(panels(c, form), c->panels) : 1, most = 1,
          batch_dims = form->num_rows - c->together;
  bool any = false;
  for (size_t p = 0; p < s->form.products.size; ++p)
    if (!s->products[p].ldb) {
      any = true;
      most = steps(c, &s->products[p]) > most ? steps(c, &s->products[p]) : most;
    }
  if (!any)
    return;
  int64_t parts = groups * most;
  // As many tasks as multiply, if there is enough for them: each has memory of its own for a group of rows.
  MlirValue all = sn_size_mul(outside, sn_form_sizes(outside, form, 0, batch_dims), sn_index(outside, parts));
  MlirValue tasks = sn(outside, "arith.minsi", all, c->tasks);
  Copying x = begin(chain, form);
  all = sn_size_mul(b, sn_form_sizes(b, &x.f, 0, batch_dims), sn_index(b, parts));
  MlirValue share = sn_size_ceil(b, all, sn_size_max(b, sn(b, "arith.minsi", all, c->tasks), sn_index(b, 1)));
  MlirValue lo = sn(b, "arith.muli", c->t.index, share);
  c->slot = c->t.index;
  SnLoop u = sn_for(b, lo, sn_cpu_end(b, lo, share, all), sn_index(b, 1));
  c->batch = sn(b, "arith.divui", u.index, sn_index(b, parts));
  sn_form_point(b, &x.f, 0, batch_dims, c->batch, c->dims);
  for (size_t p = 0; p < s->f.products.size; ++p)
    if (!s->products[p].ldb)
      copy_part(c, &s->products[p], groups, sn(b, "arith.remui", u.index, sn_index(b, parts)));
  sn_next(b, &u);
  end(chain, form, &x, tasks);
}
