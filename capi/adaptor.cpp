// adaptor.cpp: an mlir::Pass, and a pipeline, whose behaviour, options and
// dependent dialects come from a C descriptor.

#include "capi/shim.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <deque>

using namespace mlir;

namespace {

std::string choicesOf(const SnOption &o) {
  std::string text;
  for (const char *const *c = o.choices; c && *c; ++c)
    text += (text.empty() ? "" : "|") + std::string(*c);
  return text;
}

LogicalResult checkChoice(StringRef who, const SnOption &o, StringRef value,
                          function_ref<LogicalResult(const Twine &)> error) {
  if (!o.choices)
    return success();
  for (const char *const *c = o.choices; *c; ++c)
    if (value == *c)
      return success();
  return error(who + ": " + o.name + "=" + value + ": expected one of " + choicesOf(o));
}

class CPass final : public Pass {
public:
  explicit CPass(const SnPass *descriptor)
      : Pass(TypeID::getFromOpaquePointer(descriptor),
             descriptor->anchor ? std::optional<StringRef>(descriptor->anchor) : std::nullopt),
        d(descriptor) {
    for (const SnOption *o = d->options; o && o->name; ++o) {
      llvm::cl::desc help(o->help);
      StringRef otherwise = o->otherwise;
      if (o->kind == SN_OPTION_BOOL)
        bools.push_back({o, std::make_unique<Option<bool>>(*this, o->name, help, llvm::cl::init(otherwise == "true"))});
      else if (o->kind == SN_OPTION_INT)
        ints.push_back({o, std::make_unique<Option<int64_t>>(
                               *this, o->name, help, llvm::cl::init((int64_t)strtoll(o->otherwise, nullptr, 0)))});
      else
        strings.push_back(
            {o, std::make_unique<Option<std::string>>(*this, o->name, help, llvm::cl::init(otherwise.str()))});
    }
  }
  CPass(const CPass &other) : CPass(other.d) { copyOptionValuesFrom(&other); }

  StringRef getName() const override { return d->argument; }
  StringRef getArgument() const override { return d->argument; }
  StringRef getDescription() const override { return d->summary; }
  std::unique_ptr<Pass> clonePass() const override { return std::make_unique<CPass>(*this); }
  bool canScheduleOn(RegisteredOperationName name) const override {
    return !d->anchor || name.getStringRef() == d->anchor;
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    for (MlirDialectHandle (*const *get)(void) = d->dialects; get && *get; ++get)
      mlirDialectHandleInsertDialect((*get)(), wrap(&registry));
  }
  LogicalResult initializeOptions(StringRef text, function_ref<LogicalResult(const Twine &)> error) override {
    if (failed(Pass::initializeOptions(text, error)))
      return failure();
    for (auto &[o, value] : strings)
      if (failed(checkChoice(d->argument, *o, value->getValue(), error)))
        return failure();
    return success();
  }
  void runOnOperation() override {
    std::vector<char> storage(d->options_size);
    auto put = [&](const SnOption *o, auto value) { memcpy(storage.data() + o->offset, &value, sizeof value); };
    for (auto &[o, v] : bools)
      put(o, v->getValue());
    for (auto &[o, v] : ints)
      put(o, v->getValue());
    for (auto &[o, v] : strings)
      put(o, v->getValue().c_str());
    const char *then = nullptr;
    SnRun run = {wrap(&getContext()), storage.data(), &then};
    sn_forget_symbols(true);
    MlirLogicalResult result = d->run(&run, wrap(getOperation()));
    sn_forget_symbols(false);
    if (mlirLogicalResultIsFailure(result))
      return signalPassFailure();
    OpPassManager more(getOperation()->getName().getStringRef());
    if (then && (failed(parsePassPipeline(then, more)) || failed(runPipeline(more, getOperation()))))
      signalPassFailure();
  }

private:
  template <typename T> using Values = std::vector<std::pair<const SnOption *, std::unique_ptr<Option<T>>>>;
  const SnPass *d;
  Values<bool> bools;
  Values<int64_t> ints;
  Values<std::string> strings;
};

struct PipelineOptions : detail::PassOptions {
  explicit PipelineOptions(const SnPipeline *d) {
    for (const SnOption *o = d->options; o && o->name; ++o)
      values.push_back({o, std::make_unique<Option<std::string>>(*this, o->name, llvm::cl::desc(o->help),
                                                                 llvm::cl::init(std::string(o->otherwise)))});
  }
  std::vector<std::pair<const SnOption *, std::unique_ptr<Option<std::string>>>> values;
};

const char *optionOf(void *options, const char *name) {
  for (auto &[o, value] : static_cast<PipelineOptions *>(options)->values)
    if (StringRef(name) == o->name)
      return value->getValue().c_str();
  return "";
}

} // namespace

// A name that is taken ends the process: of a plugin of ours in the same one, say, whose passes do the same.
void sn_shim_register_pass(const SnPass *pass) {
  if (PassInfo::lookup(pass->argument))
    return;
  registerPass([pass] { return std::make_unique<CPass>(pass); });
}

void sn_shim_register_pipeline(const SnPipeline *d) {
  if (PassPipelineInfo::lookup(d->argument))
    return;
  registerPassPipeline(
      d->argument, d->summary,
      [d](OpPassManager &pm, StringRef text, function_ref<LogicalResult(const Twine &)> error) {
        PipelineOptions options(d);
        if (failed(options.parseFromString(text)))
          return failure();
        for (auto &[o, value] : options.values)
          if (failed(checkChoice(d->argument, *o, value->getValue(), error)))
            return failure();
        std::unique_ptr<char, decltype(&free)> all(sn_pipeline_text(d, optionOf, &options, nullptr), free);
        return parsePassPipeline(all.get(), pm);
      },
      [d](function_ref<void(const detail::PassOptions &)> show) { show(PipelineOptions(d)); });
}
