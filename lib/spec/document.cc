#include "lib/spec/document.h"

#include <spdlog/fmt/fmt.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>

#include "lib/common/printable.h"
#include "lib/spec/tree_builder.h"

namespace twofold::spec {
namespace {

Place PlaceOf(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(offset - line_start) + 1};
}

Status CheckText(const std::string& text, const Limits& limits) {
  if (text.size() > limits.bytes) {
    return Fault({1, 1}, "", fmt::format("more than {} bytes", limits.bytes));
  }
  const std::size_t valid = ValidUtf8(text);
  if (valid < text.size()) return Fault(PlaceOf(text, valid), "", "is no UTF-8 text");
  const std::size_t zero = text.find('\0');
  if (zero != std::string::npos) return Fault(PlaceOf(text, zero), "", "a zero byte");
  return absl::OkStatus();
}

Result<NodeRef> Parse(const std::string& text, const Limits& limits) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  TreeBuilder first(limits);
  if (!parser.HandleNextDocument(first) || first.root() == nullptr) {
    return Fault({1, 1}, "", "the document is empty");
  }
  TreeBuilder second(limits);
  if (parser.HandleNextDocument(second) && second.root() != nullptr && !IsNull(*second.root())) {
    return Fault(second.root()->place, "", "a second document: write one benchmark a file");
  }
  return first.root();
}

}  // namespace

Result<NodeRef> ParseDocument(const std::string& text, const Limits& limits) {
  if (Status status = CheckText(text, limits); !status.ok()) return status;
  try {
    return Parse(text, limits);
  } catch (const TreeBuilder::Refused& refused) {
    return refused.status;
  } catch (const YAML::Exception& error) {
    return Fault({error.mark.line + 1, error.mark.column + 1}, "", error.msg);
  }
}

}  // namespace twofold::spec
