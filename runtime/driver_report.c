// driver_report.c: what was found out, in words or as one JSON object.
//
// Words: agreements and times for people, the counts as one line of JSON that scripts have always read. With --json
// everything is one object; its fields are described in docs/measuring.md.

#include "describe.h"
#include "driver_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- numbers -----------------------------------------------------------------------

static double rate(double amount, double seconds) { return amount >= 0 && seconds > 0 ? amount / seconds : NAN; }

typedef struct Kernel {
  const SinterKernel *k;
  const SinterKernelCost *cost; // NULL: not known
  double seconds, bytes, flops; // bytes and flops are negative where they are not known
  double memory, arithmetic;    // of the ceilings, NaN where not known
} Kernel;

static Kernel kernel_of(const SinterReport *r, int32_t i) {
  Kernel k = {.k = &r->details->kernels[i],
              .seconds = r->kernel_seconds ? r->kernel_seconds[i] : NAN,
              .bytes = -1,
              .flops = -1};
  if (r->has_costs) {
    k.cost = &r->costs.kernels[i];
    k.bytes = k.cost->bytes_read < 0 ? -1 : (double)k.cost->bytes_read + (double)k.cost->bytes_written;
    k.flops = (double)k.cost->flops;
  }
  // Nearly nothing written: what reading alone allows.
  bool reads = k.cost && k.cost->bytes_read > 8 * k.cost->bytes_written;
  double ceiling = reads && r->ceilings.read > 0 ? r->ceilings.read : r->ceilings.copy;
  k.memory = ceiling > 0 ? 100 * rate(k.bytes, k.seconds) / ceiling : NAN;
  k.arithmetic = r->ceilings.flops > 0 ? 100 * rate(k.flops, k.seconds) / r->ceilings.flops : NAN;
  return k;
}

static SinterStats counts(const SinterReport *r) {
  if (!r->has_costs)
    return r->m.stats;
  SinterStats s = {0, r->costs.library_calls, r->costs.bytes_temporary};
  for (int32_t i = 0; i < r->details->num_kernels; i++)
    s.kernels += r->costs.kernels[i].launches;
  return s;
}

// ---- words --------------------------------------------------------------------------

static void print_counts(const SinterReport *r, SinterStats s) {
  printf("{\"kernels\": %lld, \"library_calls\": %lld, \"bytes_in\": %lld, \"bytes_out\": %lld, "
         "\"bytes_temporary\": %lld}",
         (long long)s.kernels, (long long)s.library_calls, (long long)r->m.bytes_in,
         (long long)r->m.bytes_out, (long long)s.bytes_temporary);
}

// A number in so many places, or a dash.
static void print_number(double x, int width, int digits) {
  if (isnan(x) || x < 0)
    printf(" %*s", width, "-");
  else
    printf(" %*.*f", width, digits, x);
}

static void print_kernels(const SinterReport *r) {
  if (!r->details || !r->kernel_seconds)
    return;
  printf("  %-28s %5s %12s %6s %9s %6s %9s %6s\n", "kernel", "runs", "us", "%", "GB/s", "% mem", "GFLOP/s", "% fma");
  double all = 0;
  for (int32_t i = 0; i < r->details->num_kernels; i++)
    all += r->kernel_seconds[i];
  for (int32_t i = 0; i < r->details->num_kernels; i++) {
    Kernel k = kernel_of(r, i);
    printf("  %-28.60s %5lld", k.k->name, k.cost ? (long long)k.cost->runs : -1);
    print_number(k.seconds * 1e6, 12, 3);
    print_number(all > 0 ? 100 * k.seconds / all : NAN, 6, 1);
    print_number(rate(k.bytes, k.seconds) * 1e-9, 9, 2);
    print_number(k.memory, 6, 1);
    print_number(rate(k.flops, k.seconds) * 1e-9, 9, 2);
    print_number(k.arithmetic, 6, 1);
    printf("\n");
  }
  if (r->ceilings.copy > 0)
    printf("ceilings: read %.1f GB/s, copy %.1f GB/s (of %.1f MB), multiply-add %.1f GFLOP/s in float32\n",
           r->ceilings.read * 1e-9, r->ceilings.copy * 1e-9, (double)r->ceilings.bytes * 1e-6,
           r->ceilings.flops * 1e-9);
}

static void print_benchmark(const SinterReport *r) {
  const SinterMeasurement *m = &r->m;
  printf("median %.3f us, minimum %.3f us, %lld calls, %.3f us of processor time each\n", m->median * 1e6,
         m->minimum * 1e6, (long long)m->calls, m->processor * 1e6);
  if (m->reference_median > 0 && m->median > 0)
    printf("unfused %.3f us: %.2f times as long\n", m->reference_median * 1e6, m->reference_median / m->median);
  if (m->copy_bytes > 0 && m->copy_median > 0 && m->median > 0) {
    double copy = 2 * (double)m->copy_bytes / m->copy_median;
    double own = (double)(m->bytes_in + m->bytes_out) / m->median;
    printf("%lld bytes in and out, %.1f GB/s, %.1f%% of a copy of %lld bytes at %.1f GB/s on %s\n",
           (long long)(m->bytes_in + m->bytes_out), own * 1e-9, 100 * own / copy,
           (long long)m->copy_bytes, copy * 1e-9, m->device);
  }
  print_kernels(r);
}

void sinter_report_agreement(const SinterReport *r, int32_t i) {
  const struct SinterAgreement *a = &r->agreements[i];
  bool each = r->options->relative > 0 || r->options->absolute > 0;
  if (r->options->json)
    return;
  if (!a->agrees)
    printf("output %d of %s %s\n", a->output, r->f->name, a->why.text);
  else if (each)
    printf("output %d of %s agrees with %s: error %.2g of what is allowed\n", a->output, r->f->name, a->who, a->error);
  else
    printf("output %d of %s agrees with %s: relative error %.1e\n", a->output, r->f->name, a->who, a->error);
}

// For whoever asked for nothing in particular; to stderr, since stdout is what was asked for.
static void print_summary(const SinterReport *r) {
  const SinterDriverOptions *o = r->options;
  SinterStats s = counts(r);
  double before = o->num_phases > 0 ? o->phases[o->num_phases - 1].end - o->phases[0].begin : 0;
  fprintf(stderr, "%s: %s", o->program, r->f->name);
  if (before > 0)
    fprintf(stderr, " compiled in %.2f s,", before);
  fprintf(stderr, " ran in %.3f ms: %lld kernel%s, %lld bytes in, %lld out;", r->first * 1e3, (long long)s.kernels,
          s.kernels == 1 ? "" : "s", (long long)r->m.bytes_in, (long long)r->m.bytes_out);
  if (o->num_inputs == 0 && r->f->num_inputs > 0)
    fprintf(stderr, " on random inputs;");
  for (int32_t i = 0; i < o->num_outputs; i++)
    fprintf(stderr, "%s %s", i ? "," : " results in", o->outputs[i]);
  fprintf(stderr, "%s\n", o->num_outputs ? "" : " results not kept (--output=FILE.npy keeps them)");
}

// ---- JSON ------------------------------------------------------------------------------

static void json_number(const char *name, double x) {
  if (isfinite(x) && x >= 0)
    printf(", \"%s\": %.9g", name, x);
  else
    printf(", \"%s\": null", name);
}

static void json_count(const char *name, int64_t n, bool known) {
  if (known && n >= 0)
    printf(", \"%s\": %lld", name, (long long)n);
  else
    printf(", \"%s\": null", name);
}

static void json_kernels(const SinterReport *r) {
  printf(", \"kernels\": [");
  for (int32_t i = 0; r->details && i < r->details->num_kernels; i++) {
    Kernel k = kernel_of(r, i);
    printf("%s{\"name\": ", i ? ", " : "");
    sinter_put_string(stdout, k.k->name);
    printf(", \"kind\": ");
    sinter_put_string(stdout, k.k->kind);
    json_count("runs", k.cost ? k.cost->runs : 0, k.cost);
    json_count("launches", k.cost ? k.cost->launches : 0, k.cost);
    json_count("bytes_read", k.cost ? k.cost->bytes_read : 0, k.cost);
    json_count("bytes_written", k.cost ? k.cost->bytes_written : 0, k.cost);
    json_count("flops", k.cost ? k.cost->flops : 0, k.cost);
    if (r->kernel_seconds) {
      json_number("seconds", k.seconds);
      json_number("bytes_per_second", rate(k.bytes, k.seconds));
      json_number("flops_per_second", rate(k.flops, k.seconds));
      json_number("percent_of_memory", k.memory);
      json_number("percent_of_arithmetic", k.arithmetic);
    }
    printf("}");
  }
  printf("]");
}

static void json_agreements(const SinterReport *r) {
  if (r->num_agreements == 0)
    return;
  printf(", \"agreements\": [");
  for (int32_t i = 0; i < r->num_agreements; i++) {
    const struct SinterAgreement *a = &r->agreements[i];
    printf("%s{\"output\": %d, \"with\": ", i ? ", " : "", a->output);
    sinter_put_string(stdout, a->who);
    printf(", \"agrees\": %s", a->agrees ? "true" : "false");
    json_number("error", a->error);
    if (!a->agrees) {
      printf(", \"why\": ");
      sinter_put_string(stdout, a->why.text);
    }
    printf("}");
  }
  printf("]");
}

static void json_benchmark(const SinterReport *r) {
  const SinterMeasurement *m = &r->m;
  printf(", \"benchmark\": {\"calls\": %lld", (long long)m->calls);
  json_number("median_seconds", m->median);
  json_number("minimum_seconds", m->minimum);
  json_number("processor_seconds", m->processor);
  if (m->reference_median > 0) {
    json_number("unfused_median_seconds", m->reference_median);
    json_number("unfused_ratio", m->reference_median / m->median);
  }
  printf("}");
  if (r->ceilings.copy > 0) {
    printf(", \"ceilings\": {\"bytes\": %lld", (long long)r->ceilings.bytes);
    json_number("read_bytes_per_second", r->ceilings.read);
    json_number("copy_bytes_per_second", r->ceilings.copy);
    json_number("flops_per_second", r->ceilings.flops);
    printf("}");
  }
}

static void print_json(const SinterReport *r) {
  printf("{\"function\": ");
  sinter_put_string(stdout, r->f->name);
  printf(", \"device\": ");
  sinter_put_string(stdout, r->f->device == kDLCUDA ? r->m.device[0] ? r->m.device : "CUDA" : "CPU");
  for (int32_t i = 0; i < r->options->num_phases; i++) {
    const SinterPhase *p = &r->options->phases[i];
    printf(i ? ", " : ", \"phases\": {");
    sinter_put_string(stdout, p->name);
    printf(": %.6f", p->end - p->begin);
  }
  printf("%s, \"stats\": ", r->options->num_phases > 0 ? "}" : "");
  print_counts(r, counts(r));
  json_kernels(r);
  if (r->ran) {
    printf(", \"counted\": ");
    print_counts(r, r->m.stats);
    json_number("first_call_seconds", r->first);
  }
  if (r->options->benchmark > 0)
    json_benchmark(r);
  json_agreements(r);
  printf("}\n");
}

void sinter_report(const SinterReport *r) {
  const SinterDriverOptions *o = r->options;
  if (o->json) {
    print_json(r);
    return;
  }
  if (o->benchmark > 0)
    print_benchmark(r);
  if (o->stats) {
    print_counts(r, counts(r));
    printf("\n");
  }
  bool asked = o->stats || o->benchmark > 0 || o->reference || o->num_expects > 0;
  if (!asked && !o->quiet)
    print_summary(r);
}
