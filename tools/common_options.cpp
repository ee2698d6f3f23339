// common_options.cpp: the tables of options of our tools beside MLIR's own ones,
// which only LLVM's command line library can read.

#include "mlir/CAPI/Pass.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "tools/common.h"
#include "tools/version.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <string>

using namespace llvm;

namespace {

cl::OptionCategory &category() {
  static cl::OptionCategory ours("Options");
  return ours;
}

// A row of a table.
class Row final : public cl::Option {
public:
  Row(const SinterOption *row, void *to) : Option(cl::ZeroOrMore, cl::NotHidden), row(row), to(to) {
    setArgStr(row->name);
    setDescription(row->help);
    addCategory(category());
    addArgument();
  }

private:
  bool handleOccurrence(unsigned pos, StringRef, StringRef value) override {
    // set keeps the text: it lives as long as the process.
    static std::deque<std::string> texts;
    const char *text = value.data() ? texts.emplace_back(value.str()).c_str() : nullptr;
    const char *wrong = sinter_option_take(row, to, text);
    setPosition(pos);
    return wrong && error(text ? Twine("'") + value + "' " + wrong : Twine(wrong));
  }
  cl::ValueExpected getValueExpectedFlagDefault() const override {
    return !row->argument            ? cl::ValueDisallowed
           : row->argument[0] == '[' ? cl::ValueOptional
                                     : cl::ValueRequired;
  }
  std::string left() const {
    std::string dashes = ArgStr.size() == 1 ? "-" : "--";
    if (!row->argument)
      return dashes + ArgStr.str();
    if (row->argument[0] == '[')
      return dashes + ArgStr.str() + "[=" + (row->argument + 1);
    return dashes + ArgStr.str() + (ArgStr.size() == 1 ? " " : "=") + row->argument;
  }
  size_t getOptionWidth() const override { return left().size() + 6; }
  void printOptionInfo(size_t width) const override {
    std::string text = left();
    outs() << "  " << text;
    printHelpStr(HelpStr, width, text.size() + 2);
  }
  void printOptionValue(size_t, bool) const override {}
  void setDefault() override {}

  const SinterOption *row;
  void *to;
};

} // namespace

const char *tool_options(int argc, char **argv, const char *overview, const ToolOptions *options) {
  sys::PrintStackTraceOnErrorSignal(argv[0]);
  setVersion(argv[0]);
  sinter_register_passes();
  // A row replaces LLVM's own option of its name.
  auto &known = cl::getRegisteredOptions();
  SmallVector<cl::Option *> replaced;
  for (const ToolOptions *o = options; o->table; ++o)
    for (const SinterOption *row = o->table; row->name; ++row)
      if (auto it = known.find(row->name); it != known.end())
        replaced.push_back(it->second);
  for (cl::Option *o : replaced)
    o->removeArgument();

  static std::deque<Row> rows;
  for (const ToolOptions *o = options; o->table; ++o)
    for (const SinterOption *row = o->table; row->name; ++row)
      rows.emplace_back(row, o->to);
  static cl::opt<std::string> file(cl::Positional, cl::desc("FILE.mlir"), cl::Required,
                                   cl::cat(category()));
  static cl::extrahelp more(
      "\nMLIR's options work too (printing IR, timing, crash reproducers): see --help-hidden\n");

  mlir::registerMLIRContextCLOptions();
  mlir::registerAsmPrinterCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  for (auto &entry : cl::getRegisteredOptions())
    if (!is_contained(entry.second->Categories, &category()) &&
        entry.second->getOptionHiddenFlag() == cl::NotHidden && !entry.first.starts_with("help"))
      entry.second->setHiddenFlag(cl::Hidden);
  // LLVM reads `@x` as what the file x holds. Here it is a path.
  static std::deque<std::string> paths;
  SmallVector<const char *> words(argv, argv + argc);
  for (const char *&word : words)
    if (*word == '@')
      word = paths.emplace_back(std::string("./") + word).c_str();
  std::string text;
  raw_string_ostream wrong(text);
  if (!cl::ParseCommandLineOptions(argc, words.data(), overview, &wrong)) {
    // LLVM's guess at what was meant ranges over all of its own options.
    SmallVector<StringRef> lines;
    StringRef(text).split(lines, '\n', -1, false);
    for (StringRef line : lines)
      if (!line.contains("Did you mean"))
        errs() << line << '\n';
    exit(SINTER_EXIT_BAD_INPUT);
  }
  return file.c_str();
}

bool tool_apply_options(MlirPassManager pm) {
  mlir::applyDefaultTimingPassManagerCLOptions(*unwrap(pm));
  return succeeded(mlir::applyPassManagerCLOptions(*unwrap(pm)));
}
