// lsp_hover.cpp: hover answers of mlir-lsp-server, with the documentation of Sinter's ops.
//
// Upstream's server shows an op's generic form and has no entry for more, so its messages go through a pipe:
//
//   Content-Length: 590
//
//   {"id":1,...,"result":{"contents":{"kind":"markdown","value":"\"sinter.pick\"\n\nGeneric Form: ..."}}}

#include "tools/lsp_hover.h"
#include "tools/lsp_docs.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <thread>
#include <unistd.h>

using namespace llvm;

static std::string withDocs(StringRef message) {
  Expected<json::Value> value = json::parse(message);
  if (!value) {
    consumeError(value.takeError());
    return message.str();
  }
  json::Object *answer = value->getAsObject();
  json::Object *result = answer ? answer->getObject("result") : nullptr;
  json::Object *contents = result ? result->getObject("contents") : nullptr;
  std::optional<StringRef> text = contents ? contents->getString("value") : std::nullopt;
  if (!text || !text->consume_front("\""))
    return message.str();
  StringRef op = text->take_until([](char c) { return c == '"'; });
  const char *docs = nullptr;
  size_t length = lsp_docs(op.data(), op.size(), &docs);
  if (!length)
    return message.str();
  (*contents)["value"] = ("\"" + *text + "\n---\n\n" + StringRef(docs, length)).str();
  return message.contains('\n') ? formatv("{0:2}", *value).str() : formatv("{0}", *value).str();
}

// Copies whole messages from `from` to `to`; what is no message goes as it is.
static void copyMessages(int from, int to) {
  raw_fd_ostream out(to, /*shouldClose=*/true);
  std::string waiting;
  char bytes[4096];
  for (ssize_t n; (n = read(from, bytes, sizeof bytes)) > 0; out.flush()) {
    waiting.append(bytes, n);
    for (;;) {
      StringRef all = waiting, rest = all;
      size_t size = 0, head = all.find("\r\n\r\n");
      if (!rest.consume_front("Content-Length: ") || head == StringRef::npos || rest.consumeInteger(10, size) ||
          all.size() < head + 4 + size)
        break;
      std::string message = withDocs(all.substr(head + 4, size));
      out << "Content-Length: " << message.size() << "\r\n\r\n" << message;
      waiting.erase(0, head + 4 + size);
    }
    if (!waiting.empty() && !StringRef("Content-Length: ").starts_with(StringRef(waiting).take_front(16))) {
      out << waiting;
      waiting.clear();
    }
  }
  out << waiting;
}

int lspWithHover(function_ref<int()> server) {
  int ends[2], real = dup(STDOUT_FILENO);
  if (real < 0 || pipe(ends) || dup2(ends[1], STDOUT_FILENO) < 0)
    return server(); // without documentation, with all else
  close(ends[1]);
  std::thread copier(copyMessages, ends[0], real);
  int code = server();
  outs().flush();
  close(STDOUT_FILENO);
  copier.join();
  close(ends[0]);
  return code;
}
