// chain_checks.c: whether what a schedule says of products can be lowered; if not, which key has to be another.
//
// test: test/lowering/cpu/refusals.mlir

#include "dialect/schedules.h"
#include "lowering/cpu/chain.h"
#include "lowering/facts/packed_weights.h"

// A block is a multiple of what the kernel takes, or all there is.
static MlirLogicalResult check_unit(const SnForm *f, const SnMicroKernel *line, const char *key, int64_t unit,
                                    int64_t all) {
  int64_t size = sn_schedule_number(f->schedule, key);
  if (size % unit == 0 || (all != SN_DYNAMIC && all <= size))
    return SN_OK;
  return sn_error(f->op, "%s = %lld, but kernel = \"%s\" takes multiples of %lld", key, (long long)size, line->name,
                  (long long)unit);
}

// Weights are kept for all strips of a block's rows, so it has to be known how many they are.
static MlirLogicalResult check_strip(const Chain *chain, size_t segment, const Product *product) {
  const SnForm *f = &chain->c.kernel->form, *s = &chain->segments.data[segment].form;
  if (chain->c.strip == chain->c.m)
    return SN_OK;
  if (segment ? sn_row_length(s) == SN_DYNAMIC : product->sum == SN_DYNAMIC)
    return sn_error(f->op, "strip = %lld, but a size that rows are multiplied by is not known: leave strip out",
                    (long long)chain->c.strip);
  return check_unit(f, product->line, "strip", sn_micro_row_unit(product->line), SN_DYNAMIC);
}

static MlirLogicalResult check_products(const Chain *chain) {
  const SnForm *f = &chain->c.kernel->form;
  for (size_t i = 0; i < chain->segments.size; ++i) {
    const SnForm *s = &chain->segments.data[i].form;
    for (size_t p = 0; p < s->products.size; ++p) {
      Product product;
      if (sn_failed(
              sn_cpu_read_product(s, p, chain->c.together, sn_schedule_word(f->schedule, "kernel"), &product)))
        return SN_FAIL;
      if (sn_failed(check_unit(f, product.line, "m", sn_micro_row_unit(product.line), SN_DYNAMIC)) ||
          (!chain->c.reads_windows &&
           sn_failed(check_unit(f, product.line, "k", sn_micro_k_unit(product.line), product.sum))))
        return SN_FAIL;
      // Behind the last column of a block are others, not zeros.
      if (product.line->pack_b == SN_PACK_COLUMNS && product.line->sums == SN_SUMS_IN_TILES &&
          sn_failed(check_unit(f, product.line, "n", product.line->n, sn_row_length(s))))
        return SN_FAIL;
      if (sn_failed(check_strip(chain, i, &product)))
        return SN_FAIL;
      if (product.line->parts && (!sn_has_one_group(f) || product.sum == SN_DYNAMIC))
        return sn_error(f->op, "kernel = \"%s\" multiplies one product of a row, whose sum has a known length",
                        product.line->name);
      if (chain->c.reads_windows && !product.run)
        return sn_error(f->op,
                        "pack = \"windows\", but kernel = \"%s\" cannot read rows of product %zu as runs: leave pack "
                        "out",
                        product.line->name, p);
      int64_t k = sn_schedule_number(f->schedule, "k");
      if (chain->c.reads_windows && k < product.sum && k % product.run)
        return sn_error(f->op,
                        "pack = \"windows\" and k = %lld, but a multiple of product %zu's runs of %lld is needed",
                        (long long)k, p, (long long)product.run);
      if (!product.ldb && product.sum && product.line->pack_b == SN_PACK_COLUMNS)
        return sn_error(f->op,
                        "kernel = \"%s\" reads weights where they lie, but those of product %zu are not neighbours "
                        "along what is summed",
                        product.line->name, p);
      if (!product.ldb && product.sum && chain->c.widens)
        return sn_error(f->op,
                        "widen = \"reading\", but kernel = \"%s\" does not read the weights of product %zu where they "
                        "lie: leave widen out",
                        product.line->name, p);
    }
  }
  return SN_OK;
}

// Weights that are said to be packed are.
static MlirLogicalResult check_packed(const Chain *chain) {
  const SnForm *f = &chain->c.kernel->form;
  for (size_t p = 0; p < f->products.size && sn_schedule_word_is(f->schedule, "weights", "packed"); ++p) {
    Product product;
    SnPackedWeights w;
    (void)sn_cpu_read_product(f, p, chain->c.together, sn_schedule_word(f->schedule, "kernel"), &product);
    if (!sn_cpu_packed_weights(f, &product, f->schedule, &w))
      return sn_error(f->op,
                      "weights = \"packed\", but those of product %zu cannot be for kernel = \"%s\": leave weights out",
                      p, product.line->name);
    if (!sn_cpu_is_packed(f, &product, f->schedule))
      return sn_error(
          f->op,
          "weights = \"packed\", but those of product %zu are not a tensor of %lldx%lldx%lldx%lld that is read "
          "as sinter-pack-weights writes it",
          p, (long long)w.panels, (long long)w.steps, (long long)w.rows, (long long)w.columns);
  }
  return SN_OK;
}

static MlirLogicalResult check_walk(const Chain *chain) {
  const SnForm *f = &chain->c.kernel->form;
  int64_t columns = sn_schedule_number(f->schedule, "columns"), n = sn_schedule_number(f->schedule, "n");
  if (columns % n)
    return sn_error(f->op, "columns = %lld, but a multiple of n = %lld is needed", (long long)columns, (long long)n);
  int64_t sums = sn_schedule_number(f->schedule, "sums");
  if (sums % n)
    return sn_error(f->op, "sums = %lld, but a multiple of n = %lld is needed", (long long)sums, (long long)n);
  int64_t panels = sn_schedule_number(f->schedule, "panels");
  if (panels > 1 && panels * n > sums)
    return sn_error(f->op, "panels = %lld of n = %lld columns, but sums = %lld are kept", (long long)panels,
                    (long long)n, (long long)sums);
  if (sums && !sn_has_one_group(f))
    return sn_error(f->op, "sums = %lld, but rows go through several products: leave sums out", (long long)sums);
  if (chain->c.shares_rows && !sn_has_one_group(f))
    return sn_error(f->op, "pack = \"shared\", but rows go through several products: leave pack out");
  for (size_t p = 0; chain->c.shares_weights && p < f->products.size; ++p) {
    Product product;
    (void)sn_cpu_read_product(f, p, chain->c.together, sn_schedule_word(f->schedule, "kernel"), &product);
    const char *why = sn_cpu_cannot_share(f, &product);
    if (why)
      return sn_error(f->op, "weights = \"shared\", but %s: leave weights out", why);
  }
  if (chain->stream % n)
    return sn_error(f->op, "stream = %lld, but a multiple of n = %lld is needed", (long long)chain->stream,
                    (long long)n);
  if (columns && (f->accumulators.size || !sn_cpu_by_columns(f)))
    return sn_error(f->op, "columns = %lld, but something is reduced over the row or over rows: leave columns out",
                    (long long)columns);
  return SN_OK;
}

MlirLogicalResult sn_cpu_check_chain(const Chain *chain) {
  bool ok = !sn_failed(check_products(chain)) && !sn_failed(check_walk(chain)) && !sn_failed(check_packed(chain));
  return ok ? SN_OK : SN_FAIL;
}
